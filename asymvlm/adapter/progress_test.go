package adapter

import (
	"strings"
	"testing"
	"time"
)

// noteBar keeps what it was told.
type noteBar struct {
	note          string
	done, skipped int
}

func (b *noteBar) Begin(string, int)    {}
func (b *noteBar) End(error)            {}
func (b *noteBar) Step(d int, n string) { b.done, b.note = d, n }
func (b *noteBar) Skip(done int)        { b.skipped = done }

func TestBarTellsPairsInASecondWithoutThoseOfAnEarlierRun(t *testing.T) {
	clock, bar := time.Unix(1e6, 0), &noteBar{}
	p := ShowOn(bar).(*barProgress)
	p.now = func() time.Time { return clock }
	p.Begin("training", 100)
	for step := 91; step <= 94; step++ {
		clock = clock.Add(500 * time.Millisecond)
		if err := p.Advance(Update{Step: step, Steps: 100, Epoch: 1, Epochs: 1, Loss: 2, Temperature: 3, MeanConcentration: 4, Pairs: 2048}); err != nil {
			t.Fatal(err)
		}
	}
	if bar.done != 94 || bar.skipped != 90 || !strings.HasSuffix(bar.note, "loss 2.000, tau 3.00, kappa 4.00, 4096 samples/s") {
		t.Errorf("%+v", bar)
	}
}
