package machine

import (
	"unsafe"
)

// A Loop holds the common parts of all loops: the body and the meaning of its jumps.
type Loop struct {
	Step   func(Frame) // set if the body always runs to its end
	Run    func(Frame) Control
	End    Control // break
	Again  Control // continue
	M      *Machine
	Site   *Site
	Before func(Frame) // runs at the start of each iteration; may be nil
}

// Turn runs the body once and polls. done reports whether the loop ends, and result is then the
// Control of the loop statement. The poll follows the body, so that a loop whose body leaves it
// does not poll.
func (l *Loop) Turn(f Frame) (result Control, done bool) {
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

// Over compiles a loop over a slice that copies each element to a slot. The slice value is
// evaluated once, and each element is read when its iteration begins.
func (class1[T]) Over(get func(Frame) Slice, index, elem uintptr, l *Loop) Stmt {
	if body := l.Step; body != nil {
		m, site := l.M, l.Site
		return StepOf(func(f Frame) {
			v := get(f)
			for i := 0; i < v.Len; i++ {
				*At[int](f, index), *At[T](f, elem) = i, *At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
				body(f)
				if m.Stop.Load() != 0 {
					m.Poll(f, site)
				}
			}
		})
	}
	return Stmt{Run: func(f Frame) Control {
		v := get(f)
		for i := 0; i < v.Len; i++ {
			*At[int](f, index), *At[T](f, elem) = i, *At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return Next
	}}
}

// CountTo compiles a loop over the integers below n, which it stores in a slot of the frame.
func CountTo[T integer](n Value, slot uintptr, l *Loop) Stmt {
	get := n.F.(func(Frame) T)
	if body := l.Step; body != nil {
		m, site := l.M, l.Site
		return StepOf(func(f Frame) {
			end := get(f)
			for i := T(0); i < end; i++ {
				*At[T](f, slot) = i
				body(f)
				if m.Stop.Load() != 0 {
					m.Poll(f, site)
				}
			}
		})
	}
	return Stmt{Run: func(f Frame) Control {
		end := get(f)
		for i := T(0); i < end; i++ {
			*At[T](f, slot) = i
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return Next
	}}
}
