package guard

import (
	"strings"
	"testing"
	"time"
)

func TestPaceLetsABurstPassAndThenKeepsTheRate(t *testing.T) {
	const rate = 1000
	var p rateLimiter
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

func TestSlowedCellsLoseNothingAndEndAtOnce(t *testing.T) {
	g := New()
	g.LimitRate(1 << 30)
	r := &record{}
	g.NewCell(1, r.write).Run(func() { _, _ = Stdout.WriteString(strings.Repeat("x", 1000)) })
	if got := len(r.of("stdout")); got != 1000 {
		t.Errorf("%d of 1000 bytes arrive", got)
	}
	g.LimitRate(1) // a byte per second: text after the burst would wait for hours
	c := g.NewCell(2, r.write)
	ended := make(chan Outcome)
	go func() {
		ended <- c.Run(func() {
			for {
				_, _ = Stdout.WriteString(strings.Repeat("y", 10000))
			}
		})
	}()
	for !strings.Contains(r.of("stderr"), "slowed down to 1 bytes a second") {
		time.Sleep(time.Millisecond)
	}
	c.Stop()
	if outcome := <-ended; outcome.Kind != Interrupted {
		t.Errorf("ended as %v", outcome.Kind)
	}
}

func TestPaceCountsShortTextsTogether(t *testing.T) {
	var p rateLimiter
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
