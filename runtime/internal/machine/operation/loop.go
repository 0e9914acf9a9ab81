package operation

import (
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// A Loop holds the common parts of all loops: the body and the meaning of its jumps.
//
// A Loop is shared by all executions of the statement and has no state. The iteration variables are
// in the frame, and counters in Go variables of the running closure.
type Loop struct {
	Step   func(machine.Frame) // set if the body always runs to its end
	Run    func(machine.Frame) Control
	End    Control // break
	Again  Control // continue
	M      *machine.Machine
	Site   *machine.Site
	Before func(machine.Frame) // runs at the start of each iteration; may be nil
}

// Turn runs the body once and polls. done reports whether the loop ends, and result is then the
// Control of the loop statement. The poll follows the body, so that a loop whose body leaves it
// does not poll.
func (l *Loop) Turn(f machine.Frame) (result Control, done bool) {
	r := l.Run(f)
	if r != Next && r != l.Again {
		if r == l.End {
			r = Next
		}
		return r, true
	}
	if l.M.Stop.Load() != 0 {
		l.M.Poll(f, l.Site)
	}
	return Next, false
}

// While compiles a loop that runs while a condition holds, for a body that always runs to its end.
// after follows the body and the poll.
func (l *Loop) While(cond Value, after func(machine.Frame)) func(machine.Frame) {
	m, site, body := l.M, l.Site, l.Step
	if t, ok := cond.test(); ok {
		return func(f machine.Frame) {
			for t.holds(f) {
				body(f)
				if m.Stop.Load() != 0 {
					m.Poll(f, site)
				}
				after(f)
			}
		}
	}
	holds := cond.F.(func(machine.Frame) bool)
	return func(f machine.Frame) {
		for holds(f) {
			body(f)
			if m.Stop.Load() != 0 {
				m.Poll(f, site)
			}
			after(f)
		}
	}
}

// Over compiles a loop over a slice that copies each element to a slot. The slice value is
// evaluated once, and each element is read when its iteration begins.
//
//go:noinline
func (class1[T]) Over(get func(machine.Frame) machine.Slice, index, elem uintptr, l *Loop) Stmt {
	if body := l.Step; body != nil {
		m, site := l.M, l.Site
		return StepOf(func(f machine.Frame) {
			v := get(f)
			for i := 0; i < v.Len; i++ {
				*machine.At[int](f, index), *(*T)(unsafe.Add(f, elem)) = i, *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
				body(f)
				if m.Stop.Load() != 0 {
					m.Poll(f, site)
				}
			}
		})
	}
	return Stmt{Run: func(f machine.Frame) Control {
		v := get(f)
		for i := 0; i < v.Len; i++ {
			*machine.At[int](f, index), *(*T)(unsafe.Add(f, elem)) = i, *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return Next
	}}
}

// CountTo compiles a loop over the integers below n, which it stores in a slot of the frame.
//
// The test precedes the first iteration, so a negative n runs none. The end is evaluated once, as
// the specification says for a range over an integer.
//
//go:noinline
func (integers[T]) CountTo(n Value, slot uintptr, l *Loop) Stmt {
	get := n.F.(func(machine.Frame) T)
	if body := l.Step; body != nil {
		m, site := l.M, l.Site
		return StepOf(func(f machine.Frame) {
			end := get(f)
			for i := T(0); i < end; i++ {
				*(*T)(unsafe.Add(f, slot)) = i
				body(f)
				if m.Stop.Load() != 0 {
					m.Poll(f, site)
				}
			}
		})
	}
	return Stmt{Run: func(f machine.Frame) Control {
		end := get(f)
		for i := T(0); i < end; i++ {
			*(*T)(unsafe.Add(f, slot)) = i
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return Next
	}}
}
func (floats[T]) CountTo(Value, uintptr, *Loop) Stmt    { return Stmt{} }
func (complexes[T]) CountTo(Value, uintptr, *Loop) Stmt { return Stmt{} }
