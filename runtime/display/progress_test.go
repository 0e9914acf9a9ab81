package display

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// handClock provides a Progress with a clock that only the test advances.
type handClock struct{ now time.Time }

func (c *handClock) bar() *Progress {
	c.now = time.Unix(1_000_000, 0)
	return &Progress{now: func() time.Time { return c.now }}
}

func TestProgressShowsRateAndRemainingTime(t *testing.T) {
	r := record(t)
	var clock handClock
	bar := clock.bar()
	bar.Begin("training asymvlm-vmf", 1000)
	clock.now = clock.now.Add(10 * time.Second)
	bar.Step(250, "loss 3.2")
	want := "[######··················] training asymvlm-vmf: 250 of 1000, 25/s, 30 s left, loss 3.2"
	if got := r.last(t)[textPlain]; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if page := r.last(t)[textHTML].(string); !strings.Contains(page, `<progress value="250" max="1000">`) {
		t.Errorf("page %s", page)
	}
	clock.now = clock.now.Add(200 * time.Second)
	bar.End(nil)
	want = "[######··················] training asymvlm-vmf: 250 of 1000 in 3:30, loss 3.2"
	if got := r.last(t)[textPlain]; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestProgressUpdatesAtMostTenTimesASecond(t *testing.T) {
	r := record(t)
	var clock handClock
	bar := clock.bar()
	bar.Begin("x", 10_000)
	for i := range 10_000 { // one second
		clock.now = clock.now.Add(100 * time.Microsecond)
		bar.Step(i+1, "")
	}
	bar.End(nil)
	if n := len(r.contents); n > 12 || n < 10 {
		t.Errorf("%d outputs for one second, want one, ten updates and the end", n)
	}
}

func TestProgressIsOneOutputPerTask(t *testing.T) {
	r := record(t)
	var clock handClock
	bar := clock.bar()
	for range 2 {
		bar.Begin("seed", 0)
		clock.now = clock.now.Add(time.Second)
		bar.Step(3, "")
		bar.End(nil)
		bar.End(nil) // a second End has nothing to say
	}
	bar.Step(4, "") // nor has a step outside a task
	shown := 0
	for _, content := range r.contents {
		if _, ok := content.(protocol.DisplayData); ok {
			shown++
		}
	}
	if shown != 2 || len(r.contents) != 6 {
		t.Errorf("%d displays in %d messages, want 2 in 6", shown, len(r.contents))
	}
	if got := r.last(t)[textPlain]; got != "seed: 3 in 1.0 s" {
		t.Errorf("got %q", got)
	}
}

func TestStepsOfGoroutinesAddUp(t *testing.T) {
	r := record(t)
	bar := NewProgress("x", 100)
	var workers sync.WaitGroup
	for range 100 {
		workers.Go(func() { bar.Add(1) })
	}
	workers.Wait()
	bar.End(nil)
	bar.Add(1) // the task has ended
	if text, _ := r.last(t)[textPlain].(string); !strings.Contains(text, "x: 100 of 100 in ") {
		t.Error(text)
	}
}

func TestProgressEndsWithTheError(t *testing.T) {
	r := record(t)
	bar := NewProgress("reading", 2)
	bar.End(context.Canceled)
	if got := r.last(t)[textPlain].(string); !strings.HasSuffix(got, ": context canceled") {
		t.Errorf("got %q", got)
	}
}

func TestProgressBeyondItsStepsStaysFull(t *testing.T) {
	r := record(t)
	var clock handClock
	bar := clock.bar()
	bar.Begin("x", 2)
	clock.now = clock.now.Add(time.Second)
	bar.Step(5, "<note>")
	if got := r.last(t)[textPlain].(string); !strings.HasPrefix(got, "["+strings.Repeat("#", barWidth)+"]") {
		t.Errorf("got %q", got)
	}
	if page := r.last(t)[textHTML].(string); !strings.Contains(page, `value="2"`) || !strings.Contains(page, "&lt;note&gt;") {
		t.Errorf("page %s", page)
	}
}

func TestProgressMayBeSteppedFromManyGoroutines(t *testing.T) {
	r := record(t)
	bar := NewProgress("parallel", 100)
	var workers sync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			for i := range 25 {
				bar.Step(w*25+i, "")
			}
		})
	}
	workers.Wait()
	bar.End(nil)
	if len(r.contents) < 2 {
		t.Error("no final state")
	}
}

func TestDurationsAreWrittenForPeople(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond:   "0.4 s",
		59600 * time.Millisecond: "1:00",
		12 * time.Second:         "12 s",
		187 * time.Second:        "3:07",
		3723 * time.Second:       "1:02:03",
	} {
		if got := clock(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestSkippedStepsAreInTheBarAndNotInTheRate(t *testing.T) {
	r := record(t)
	var clock handClock
	bar := clock.bar()
	bar.Begin("training", 1000)
	bar.Skip(900)
	clock.now = clock.now.Add(10 * time.Second)
	bar.Step(950, "")
	want := "[######################··] training: 950 of 1000, 5/s, 10 s left"
	if got := r.last(t)[textPlain]; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// stages lists the stages of the messages so far.
func stages(contents []protocol.Content) (list []protocol.Stage) {
	for _, content := range contents {
		switch content := content.(type) {
		case protocol.DisplayData:
			list = append(list, content.Transient.Stage)
		case protocol.UpdateDisplayData:
			list = append(list, content.Transient.Stage)
		}
	}
	return list
}

func TestLogsGetALineNowAndThen(t *testing.T) {
	for _, c := range []struct {
		name        string
		steps       int
		length      time.Duration
		least, most int // lines between the first and the last
	}{
		{"some seconds", 1000, 9 * time.Second, 0, 0},
		{"two minutes", 1000, 2 * time.Minute, 9, 10},
		{"two minutes, the number of steps not known", 0, 2 * time.Minute, 1, 2},
		{"ten hours", 1000, 10 * time.Hour, 20, 70},
	} {
		r := record(t)
		var clock handClock
		bar := clock.bar()
		bar.Begin("x", c.steps)
		for i := range 1000 {
			clock.now = clock.now.Add(c.length / 1000)
			bar.Step(i+1, "")
		}
		bar.End(nil)
		all := stages(r.contents)
		marked := 0
		for _, s := range all[1 : len(all)-1] {
			if s == protocol.Marked {
				marked++
			}
		}
		if all[0] != protocol.Marked || all[len(all)-1] != protocol.Final || marked < c.least || marked > c.most {
			t.Errorf("%s: a log begins with %v, gets %d lines, want %d to %d, and ends with %v", c.name, all[0], marked, c.least, c.most, all[len(all)-1])
		}
	}
}

func TestACompiledProgramWritesALogOfItsProgress(t *testing.T) {
	var clock handClock
	out := withoutSession(t, func() {
		bar := clock.bar()
		bar.Begin("sampling", 100)
		for i := range 100 {
			clock.now = clock.now.Add(300 * time.Millisecond)
			bar.Step(i+1, "")
		}
		bar.End(nil)
		Show("next")
	})
	want := "[························] sampling: 0 of 100\n[########················] sampling: 34 of 100, 3.33/s, 20 s left\n" +
		"[################········] sampling: 68 of 100, 3.33/s, 9.6 s left\n[########################] sampling: 100 of 100 in 30 s\nnext\n"
	if out != want {
		t.Errorf("got\n%s, want\n%s", out, want)
	}
}

func TestRatesAreWrittenWithoutExponents(t *testing.T) {
	for rate, want := range map[float64]string{
		4.86e6: "4860000/s", 4862.4: "4862/s", 176.4: "176/s", 25: "25/s", 3.3333: "3.33/s", 0.5: "0.5/s", 0.02: "50 s each", 1.0 / 3723: "1:02:03 each",
	} {
		if got := pace(rate); got != want {
			t.Errorf("%v: got %q, want %q", rate, got, want)
		}
	}
}
