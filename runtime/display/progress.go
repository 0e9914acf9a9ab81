package display

import (
	"fmt"
	"html"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/kernel/protocol"
)

// updateInterval is the minimum time between two updates of a progress bar. Ten updates per second
// look smooth and do not overload a slow connection.
const updateInterval = 100 * time.Millisecond

// barWidth is the number of characters of the bar in text.
const barWidth = 24

// A Progress shows the progress of a task in an output that is updated in place: a bar, the rate
// and the remaining time. In front ends with widgets the bar is a widget while the task runs. In a
// terminal it is a line that is overwritten, and in a log an occasional line. The zero value is
// ready to use; after End, Begin may be called again for the next task. Its methods may be called
// from any goroutine.
//
//	var bar display.Progress
//	bar.Begin("sampling", n)
//	for i := range n {
//		bar.Step(i+1, "")
//	}
//	bar.End(nil)
type Progress struct {
	mu      sync.Mutex // guards the fields below
	now     func() time.Time
	task    string
	steps   int
	done    int
	skipped int // steps done before the task began
	note    string
	started time.Time
	shown   time.Time
	marked  time.Time // time of the last log line
	tenths  int       // tenths of the steps done at that time
	place   *Display
	live    Live // nil if there is no widget
}

// A Live is a widget that shows the progress of a running task. When the task ends, the output
// shows its text form again, so that a stored notebook needs no widget.
type Live interface {
	// MimeBundle returns the forms that display the widget.
	MimeBundle() map[string]any
	// Show shows the number of steps done and a line of text.
	Show(done int, line string)
	// Close removes the widget from the front end.
	Close()
}

// live is the function set by LiveBy, a func(task string, steps int) Live.
var live atomic.Value

// LiveBy sets the function that creates the widget for a task; steps is 0 if their number is
// unknown. The function returns nil if the front end has no widgets.
func LiveBy(make func(task string, steps int) Live) { live.Store(make) }

func newLive(task string, steps int) Live {
	if make, ok := live.Load().(func(string, int) Live); ok && publisher() != nil {
		return make(task, steps)
	}
	return nil
}

// NewProgress returns a Progress and begins a task with the given number of steps, or 0 if their
// number is unknown.
func NewProgress(task string, steps int) *Progress {
	p := &Progress{}
	p.Begin(task, steps)
	return p
}

// Begin shows a new bar for a task with the given number of steps.
func (p *Progress) Begin(task string, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		p.now = time.Now
	}
	p.task, p.steps, p.done, p.skipped, p.note = task, max(steps, 0), 0, 0, ""
	p.started = p.now()
	p.shown, p.marked, p.tenths = p.started, p.started, 0
	forms := p.forms(p.line(0))
	if p.live = newLive(task, p.steps); p.live != nil {
		for mime, view := range p.live.MimeBundle() {
			if mime != textPlain {
				forms[mime] = view
			}
		}
		p.live.Show(0, p.line(0))
	}
	p.place = place(forms, map[string]any{}, protocol.Marked)
}

// Skip sets the number of steps that were done before the task began, for a task that resumes from
// a file. They count for the bar but not for the rate.
func (p *Progress) Skip(done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.skipped = done, done
}

// Step reports the total number of steps done, with a short note such as the loss. It costs one
// reading of the clock unless the bar is due for an update.
func (p *Progress) Step(done int, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.place == nil {
		return
	}
	p.done, p.note = done, note
	p.redraw()
}

// Add reports n more steps done, and keeps the note. Goroutines that share the work call it without
// a counter of their own.
//
//	bar := display.NewProgress("downloading", len(urls))
//	for _, url := range urls {
//		workers.Go(func() { download(url); bar.Add(1) })
//	}
//	workers.Wait()
//	bar.End(nil)
func (p *Progress) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.place != nil {
		p.done += n
		p.redraw()
	}
}

// redraw updates the bar if it is due. The caller holds the lock.
func (p *Progress) redraw() {
	now := p.now()
	if now.Sub(p.shown) < updateInterval {
		return
	}
	p.shown = now
	line := p.line(now.Sub(p.started))
	if p.live != nil {
		p.live.Show(p.done, line)
		return
	}
	p.place.update(p.forms(line), map[string]any{}, p.stage(now))
}

// Timing of log lines: one at each tenth of the steps, but not within logPause of the previous
// line, and one after a silence of logSilence or a tenth of the time so far, whichever is shorter.
const (
	logPause   = 10 * time.Second
	logSilence = time.Minute
)

// stage reports whether a log line is due now.
func (p *Progress) stage(now time.Time) protocol.Stage {
	tenths := 0
	if p.steps > 0 {
		tenths = int(10 * float64(p.done) / float64(p.steps))
	}
	silent := now.Sub(p.marked)
	if !(tenths > p.tenths && silent >= logPause) && silent < max(logSilence, now.Sub(p.started)/10) {
		return protocol.Passing
	}
	p.marked, p.tenths = now, tenths
	return protocol.Marked
}

// End shows the final state: the number of steps and the time, or the error.
func (p *Progress) End(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.place == nil {
		return
	}
	line := fmt.Sprintf("%s: %s in %s", p.task, count(p.done, p.steps), clock(p.now().Sub(p.started)))
	if p.note != "" {
		line += ", " + p.note
	}
	if err != nil {
		line += ": " + err.Error()
	}
	p.place.update(p.forms(line), map[string]any{}, protocol.Final)
	if p.live != nil {
		p.live.Close()
	}
	p.place, p.live = nil, nil
}

// Outline describes the progress for a list of variables. It must not wait, so it does not describe
// a task that is being shown.
func (p *Progress) Outline() string {
	if !p.mu.TryLock() {
		return "a task that is being shown"
	}
	defer p.mu.Unlock()
	if p.task == "" && p.now == nil {
		return "no task"
	}
	return p.task + ": " + count(p.done, p.steps)
}

// line returns the text shown while the task runs.
func (p *Progress) line(elapsed time.Duration) string {
	parts := []string{count(p.done, p.steps)}
	if seconds := elapsed.Seconds(); p.done > p.skipped && seconds > 0 {
		rate := float64(p.done-p.skipped) / seconds
		parts = append(parts, pace(rate))
		if p.steps > p.done {
			left := time.Duration(float64(p.steps-p.done) / rate * float64(time.Second))
			parts = append(parts, clock(left)+" left")
		}
	}
	if p.note != "" {
		parts = append(parts, p.note)
	}
	return p.task + ": " + strings.Join(parts, ", ")
}

// forms returns a line preceded by a bar, as text and as HTML.
func (p *Progress) forms(line string) protocol.MimeBundle {
	text, page := line, html.EscapeString(line)
	if p.steps > 0 {
		share := min(float64(max(p.done, 0))/float64(p.steps), 1)
		filled := int(share * barWidth)
		text = "[" + strings.Repeat("#", filled) + strings.Repeat("·", barWidth-filled) + "] " + line
		page = fmt.Sprintf(`<progress value="%d" max="%d"></progress> `, min(max(p.done, 0), p.steps), p.steps) + page
	}
	return protocol.MimeBundle{textPlain: text, textHTML: "<div>" + page + "</div>"}
}

// count returns "3 of 10", or "3" if the number of steps is unknown.
func count(done, steps int) string {
	if steps > 0 {
		return fmt.Sprintf("%d of %d", done, steps)
	}
	return fmt.Sprint(done)
}

// pace formats a rate: 4860/s, 25/s or 0.5/s, or 2:30 each for long steps.
func pace(rate float64) string {
	switch {
	case rate >= 100:
		return fmt.Sprintf("%.0f/s", rate)
	case rate >= 0.1:
		return fmt.Sprintf("%.3g/s", rate)
	}
	return clock(time.Duration(float64(time.Second)/rate)) + " each"
}

// clock formats a duration: 0.4 s, 12 s, 3:07 or 1:02:03.
func clock(d time.Duration) string {
	switch seconds := int(d.Round(time.Second).Seconds()); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case seconds < 60:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
}
