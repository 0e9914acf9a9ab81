package magic

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gosphere/runtime/internal/guard"
)

// A Stopwatch holds the measurements of %time in progress in a cell. A session calls Finish at the
// end of the cell.
type Stopwatch struct{ begun []reading }

// A reading holds the values measured by %time.
type reading struct {
	name      string
	at        time.Time
	processor time.Duration // CPU time of the process, user and system; negative if unknown
	allocated uint64        // bytes allocated since the start of the process
}

func read(name string) reading {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return reading{name, time.Now(), processorTime(), memory.TotalAlloc}
}

// Timed is implemented by the owner of a cell. Stopwatch returns the value that it keeps for the
// cell, and keeps that of begin if it has none.
type Timed interface {
	Stopwatch(begin func() interface{ Finish() string }) interface{ Finish() string }
}

// stopwatch returns the stopwatch of the calling goroutine's cell, or nil.
func stopwatch() *Stopwatch {
	if c := guard.Current(); c != nil {
		if t, ok := c.Attached.(Timed); ok {
			return t.Stopwatch(func() interface{ Finish() string } { return new(Stopwatch) }).(*Stopwatch)
		}
	}
	return nil
}

// Begin starts a measurement for %time or %%time.
func Begin(name string) {
	if w := stopwatch(); w != nil {
		w.begun = append(w.begun, read(name))
	}
}

// End ends the most recent measurement and prints it.
func End() {
	if w := stopwatch(); w != nil {
		say(w.end())
	}
}

// Finish ends all measurements and returns their lines.
func (w *Stopwatch) Finish() string {
	text := ""
	for len(w.begun) > 0 {
		text += w.end()
	}
	return text
}

// end ends the most recent measurement and describes it.
func (w *Stopwatch) end() string {
	if len(w.begun) == 0 {
		return ""
	}
	begin := w.begun[len(w.begun)-1]
	w.begun = w.begun[:len(w.begun)-1]
	now := read("")
	text := "wall time " + duration(now.at.Sub(begin.at).Seconds())
	if begin.processor >= 0 {
		text += ", CPU time " + duration((now.processor - begin.processor).Seconds())
	}
	return text + ", allocated " + sizeText(now.allocated-begin.allocated) + "\n"
}

// Parameters of Timeit: seven runs, each with as many loops as take a fifth of a second.
const (
	timeitRuns   = 7
	timeitPeriod = 200 * time.Millisecond
	timeitLoops  = 1_000_000_000
)

// Timeit implements %timeit: it runs f many times and prints the time of one run and the kind of
// code that ran. text is the source of f.
func Timeit(f func(), text string) {
	f() // excludes work that is done only once
	loops := 1
	for {
		took := measure(f, loops)
		if took >= timeitPeriod || loops >= timeitLoops {
			break
		}
		grow := 10.0
		if took > 0 {
			grow = min(grow, 1.1*float64(timeitPeriod)/float64(took))
		}
		loops = int(math.Ceil(float64(loops) * max(grow, 1.1)))
	}
	var sum, squares float64
	least := math.Inf(1)
	for range timeitRuns {
		one := measure(f, loops).Seconds() / float64(loops)
		sum, squares, least = sum+one, squares+one*one, min(least, one)
	}
	mean := sum / timeitRuns
	deviation := math.Sqrt(max(squares/timeitRuns-mean*mean, 0))
	ran := ""
	if h, err := host(); err == nil {
		ran = "; " + h.Ran(text)
	}
	say(fmt.Sprintf("%s ± %s per loop (mean ± sd of %d runs of %d loops), least %s%s", duration(mean), duration(deviation), timeitRuns, loops, duration(least), ran))
}

func measure(f func(), loops int) time.Duration {
	start := time.Now()
	for i := range loops {
		if i&0xff == 0 && guard.Stopped() {
			runtime.Goexit()
		}
		f()
	}
	return time.Since(start)
}

// duration formats seconds with at least three digits.
func duration(seconds float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if seconds >= u.size {
			return digits(seconds/u.size) + " " + u.name
		}
	}
	return digits(seconds*1e9) + " ns"
}

// sizeText formats a number of bytes for people.
func sizeText(n uint64) string {
	value, unit := float64(n), "bytes"
	for _, next := range []string{"KB", "MB", "GB", "TB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	return digits(value) + " " + unit
}

// digits formats a nonnegative number with three digits, or all digits of its integer part, and
// never with an exponent.
func digits(value float64) string {
	decimals := 0
	for limit := 100.0; value < limit && decimals < 3; limit /= 10 {
		decimals++
	}
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
