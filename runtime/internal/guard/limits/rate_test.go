package limits

import (
	"testing"
	"time"
)

func TestPaceLetsABurstPassAndThenKeepsTheRate(t *testing.T) {
	const rate = 1000
	var p Rate
	now := time.Now()
	for range burstSeconds {
		if wait := p.delay(now, rate, rate); wait != 0 {
			t.Fatalf("the burst waits %v", wait)
		}
	}
	if wait := p.delay(now, 500, rate); wait != 0 {
		t.Fatalf("what uses up the budget waits %v", wait)
	}
	if wait := p.delay(now, 500, rate); wait != 500*time.Millisecond {
		t.Errorf("500 bytes too many wait %v", wait)
	}
	if wait := p.delay(now.Add(time.Second), 1, rate); wait != 0 {
		t.Errorf("after a second the next text waits %v", wait)
	}
	if wait := p.delay(now.Add(time.Hour), (burstSeconds+1)*rate, rate); wait != 0 {
		t.Errorf("after an hour a text waits %v", wait)
	}
	if wait := p.delay(now.Add(time.Hour), 1, rate); wait != time.Second {
		t.Errorf("an hour's silence allows more than one burst: %v", wait)
	}
}

func TestPaceCountsShortTextsTogether(t *testing.T) {
	var p Rate
	counted := 0
	for range 10 * rateStep {
		n := p.gather(1)
		if n != 0 && n != rateStep {
			t.Fatalf("%d bytes are counted at once", n)
		}
		counted += n
	}
	if counted != 10*rateStep {
		t.Errorf("%d bytes are counted, want %d", counted, 10*rateStep)
	}
}
