package operation

import (
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// A Tail holds alternative forms of a statement that ends a function. They need fewer nested calls
// than Run, whose Control matters only for jumps. The forms are made on demand, because most are
// never used.
//
// For instance, if c { return a }; return b becomes one func(Frame) T that evaluates c and then a
// or b. Without the form, the return statement would store the result in the frame, return a
// Control through each enclosing block, and the caller would load the result.
type Tail struct {
	// Drop makes the form for callers that ignore how the statement ends.
	Drop func() func(machine.Frame)
	// Value makes the form that returns the result of a function with one result. It does not store
	// the result in the frame.
	Value func(r Result) Value
	// Leaving is set for an if statement without else whose block always returns.
	Leaving *Leaving
}

// A Result is the result of a function with a single result that is not kept in a heap cell.
type Result struct {
	machine.Slot
	Class Operations
}

// Load returns the result in the frame, where statements without a value form store it.
func (r Result) Load() Value {
	return Value{Type: r.Type, F: r.Class.Load(Access{Mode: ModeFrame, Offset: r.Offset, Type: r.Type})}
}

// A Leaving is an if statement without else that returns if its condition holds.
type Leaving struct {
	Cond Value
	Then Stmt
}

// ValueOf returns the form of a statement that returns the function's result.
func (c Stmt) ValueOf(r Result) Value {
	if c.Value != nil {
		return c.Value(r)
	}
	if c.IsEmpty() {
		return r.Load()
	}
	return Value{Type: r.Type, F: r.Class.Seq(c.AsStep(), r.Load())}
}

// joinTails makes the tail of two statements. first is not empty. A Leaving joined with the
// statements after it is an if with else.
func joinTails(first, rest Stmt) Tail {
	if l := first.Leaving; l != nil {
		return ChooseTails(l.Cond, l.Then, rest)
	}
	if first.Run == nil {
		step := first.step
		return Tail{
			Drop: func() func(machine.Frame) {
				then := rest.AsStep()
				return func(f machine.Frame) { step(f); then(f) }
			},
			Value: func(r Result) Value { return Value{Type: r.Type, F: r.Class.Seq(step, rest.ValueOf(r))} },
		}
	}
	run := first.Run
	return Tail{
		Drop: func() func(machine.Frame) {
			then := rest.AsStep()
			return func(f machine.Frame) {
				if run(f) == Next {
					then(f)
				}
			}
		},
		Value: func(r Result) Value {
			return Value{Type: r.Type, F: r.Class.unlessLeft(run, r.Offset, rest.ValueOf(r).F)}
		},
	}
}

// ChooseTails makes the tail of an if statement.
func ChooseTails(cond Value, yes, no Stmt) Tail {
	return Tail{
		Drop: func() func(machine.Frame) {
			return either(cond, yes.AsStep(), no.AsStep())
		},
		Value: func(r Result) Value {
			return Value{Type: r.Type, F: r.Class.Choose(cond, yes.ValueOf(r), no.ValueOf(r))}
		},
	}
}

// unlessLeft compiles to the value then if a statement continues with the next one, and to the
// result that the statement has stored in the frame otherwise. A statement that leaves without a
// value form has stored the result.
//
//go:noinline
func (class1[T]) unlessLeft(run func(machine.Frame) Control, offset uintptr, then any) any {
	get := then.(func(machine.Frame) T)
	return func(f machine.Frame) T {
		if run(f) != Next {
			return *(*T)(unsafe.Add(f, offset))
		}
		return get(f)
	}
}
