package machine

// A Tail holds alternative forms of a statement that ends a function. They need fewer nested calls
// than Run, whose Control matters only for jumps. The forms are made on demand, because most are
// never used.
//
// For instance, if c { return a }; return b becomes one func(Frame) T that evaluates c and then a
// or b. Without the form, the return statement would store the result in the frame, return a
// Control through each enclosing block, and the caller would load the result.
type Tail struct {
	// Drop makes the form for callers that ignore how the statement ends.
	Drop func() func(Frame)
	// Value makes the form that returns the result of a function with one result, a func(Frame) T
	// for the class of the result. It does not store the result in the frame.
	Value func(r Result) any
	// Leaving is set for an if statement without else whose block always returns.
	Leaving *Leaving
}

// A Result is the result of a function with a single result that is not kept in a heap cell.
type Result struct {
	Slot
	Class Operations
}

// Load returns the result in the frame, where statements without a value form store it.
func (r Result) Load() Value {
	return Value{Type: r.Type, F: r.Class.Load(Access{Mode: ModeFrame, Offset: r.Offset, Type: r.Type})}
}

// A Leaving is an if statement without else that returns if its condition holds.
type Leaving struct {
	Cond func(Frame) bool
	Then Stmt
}

// ValueOf returns the form of a statement that returns the function's result.
func (c Stmt) ValueOf(r Result) any {
	if c.Value != nil {
		return c.Value(r)
	}
	if c.IsEmpty() {
		return r.Load().F
	}
	return r.Class.Seq(c.AsStep(), r.Load())
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
			Drop: func() func(Frame) {
				then := rest.AsStep()
				return func(f Frame) { step(f); then(f) }
			},
			Value: func(r Result) any { return r.Class.Seq(step, Value{F: rest.ValueOf(r)}) },
		}
	}
	run := first.Run
	return Tail{
		Drop: func() func(Frame) {
			then := rest.AsStep()
			return func(f Frame) {
				if run(f) == Next {
					then(f)
				}
			}
		},
		Value: func(r Result) any { return r.Class.unlessLeft(run, r.Offset, rest.ValueOf(r)) },
	}
}

// ChooseTails makes the tail of an if statement.
func ChooseTails(cond func(Frame) bool, yes, no Stmt) Tail {
	return Tail{
		Drop: func() func(Frame) {
			a, b := yes.AsStep(), no.AsStep()
			return func(f Frame) {
				if cond(f) {
					a(f)
				} else {
					b(f)
				}
			}
		},
		Value: func(r Result) any { return r.Class.Choose(cond, yes.ValueOf(r), no.ValueOf(r)) },
	}
}

// unlessLeft compiles to the value then if a statement continues with the next one, and to the
// result that the statement has stored in the frame otherwise. A statement that leaves without a
// value form has stored the result.
func (class1[T]) unlessLeft(run func(Frame) Control, offset uintptr, then any) any {
	get := then.(func(Frame) T)
	return func(f Frame) T {
		if run(f) != Next {
			return *At[T](f, offset)
		}
		return get(f)
	}
}

// Choose compiles to one of two values, depending on a condition.
func (class1[T]) Choose(cond func(Frame) bool, yes, no any) any {
	a, b := yes.(func(Frame) T), no.(func(Frame) T)
	return func(f Frame) T {
		if cond(f) {
			return a(f)
		}
		return b(f)
	}
}
