package override

import (
	"context"
	"reflect"
	"sync"
	"time"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard"
)

// timerSupport returns the overrides of functions that let timers call functions of cells or
// end their waits. A program in which nothing but these could end the waits of its
// goroutines is no deadlock, so the guard is told about them. In cells they do what the originals
// do: the guard only notices long waits there.
func (g functions) timerSupport() map[string]any {
	return map[string]any{
		"AfterFunc": g.afterFunc, "TimerStop": timerStop, "TimerReset": g.timerReset,
		"WithTimeout": func(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			return g.withDeadline(context.WithTimeout(parent, d))
		},
		"WithDeadline": func(parent context.Context, d time.Time) (context.Context, context.CancelFunc) {
			return g.withDeadline(context.WithDeadline(parent, d))
		},
		"WithTimeoutCause": func(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
			return g.withDeadline(context.WithTimeoutCause(parent, d, cause))
		},
		"WithDeadlineCause": func(parent context.Context, d time.Time, cause error) (context.Context, context.CancelFunc) {
			return g.withDeadline(context.WithDeadlineCause(parent, d, cause))
		},
	}
}

// timers holds the functions that tell the guard that a timer of time.AfterFunc in a program has
// passed or has been stopped.
var timers sync.Map // *time.Timer to *callback

// A callback is the function of a timer. It may run before time.AfterFunc has returned the timer,
// so begin and end may come in either order.
type callback struct {
	mu     sync.Mutex // guards the following fields
	timer  *time.Timer
	ended  bool
	passed func() // see guard.SetTimer
}

// begin records the timer.
func (c *callback) begin(timer *time.Timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer = timer; !c.ended {
		timers.Store(timer, c)
	}
}

// end records that the timer has passed or has been stopped. Nothing refers to the timer afterward,
// so that a program with many timers does not keep them all.
func (c *callback) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.passed()
	if c.timer != nil {
		timers.Delete(c.timer)
	}
}

// afterFunc implements time.AfterFunc. The function belongs to the calling cell and may panic. The
// timer may fire after the cell has ended, and the goroutine that runs f is one of the runtime.
// Join lets its output and its interrupts belong to the cell. Share makes maps locked from now on,
// because the guard cannot count goroutines that a timer may start.
func (g functions) afterFunc(d time.Duration, f func()) *time.Timer {
	c, bubble := guard.Current(), goroutine.InBubble()
	g.Sharing.Share("time.AfterFunc") // the function may run at any time
	call := &callback{passed: g.SetTimer()}
	timer := time.AfterFunc(d, func() {
		switch {
		case c == nil:
		case bubble:
			c.JoinBubble()
		default:
			c.Join()
		}
		call.end() // after Join, which makes the goroutine one that the guard sees
		g.Sharing.Begin(false)
		defer g.Sharing.End()
		g.Guarded(f)
	})
	if g.IsProgram() {
		call.begin(timer)
	}
	return timer
}

// timerStop implements (*time.Timer).Stop. A stopped timer ends no wait, so a program that goes on
// to wait for its function is a deadlock. If Stop reports false, the function has been called, and
// has ended the timer itself.
func timerStop(t *time.Timer) bool {
	stopped := t.Stop()
	if call, ok := timers.Load(t); ok && stopped {
		call.(*callback).end()
	}
	return stopped
}

// timerReset implements (*time.Timer).Reset. The timer of a function that is set again may call it
// at any time from then on, which the guard must know before.
func (g functions) timerReset(t *time.Timer, d time.Duration) bool {
	if t.C == nil {
		g.ExpectSignals()
	}
	return t.Reset(d)
}

// withDeadline tells the guard that a context ends at a deadline, until it has ended. The package
// sets the timer itself, with the compiled time.AfterFunc, which has no override. Contexts that
// compiled packages make are unknown to the guard, but goroutines wait for these in compiled code,
// which the guard does not judge.
func (g functions) withDeadline(ctx context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	if g.IsProgram() {
		context.AfterFunc(ctx, g.SetTimer())
	}
	return ctx, cancel
}

// synctestTest implements synctest.Test. The goroutines in the bubble must not wait for channels
// from outside, such as the one that is closed when their cell is stopped. The package starts the
// first of them, and the others inherit its labels.
func synctestTest(original reflect.Value, in []reflect.Value) []reflect.Value {
	c, f := guard.Current(), in[1]
	if c == nil || f.IsNil() {
		return original.Call(in)
	}
	return original.Call([]reflect.Value{in[0], reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value {
		c.JoinBubble()
		return f.Call(in)
	})})
}
