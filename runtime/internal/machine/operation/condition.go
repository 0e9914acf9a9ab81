package operation

import (
	"go/token"
	"math"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// A Test is a condition on variables in the frame. If statements, loops and other users evaluate it
// themselves, which saves the call of a closure.
//
// The comparison of an int with a constant is the test whether it is in a range, or not: x < 5, for
// instance, is the test whether x is between the smallest int and 4. One form of a closure thus
// serves for all operators.
//
// A closure captures a Test by value, in which the compiler keeps at most four fields in registers.
type Test struct {
	mode testMode
	a    uintptr
	low  int  // first number of the range, or the offset of the second variable
	span uint // difference between the last number of the range and low
}

// A testMode is a kind of test. The condition holds if the test fails if the mode has the bit not.
type testMode uint8

const (
	not     testMode = 1
	inRange testMode = 0 // the int at a is in the range
	isLess  testMode = 2 // the int at a is less than the int at low
	isTrue  testMode = 4 // the bool at a
)

// holds evaluates the condition. The difference wraps around, so that one comparison tests both
// ends of a range.
func (t Test) holds(f machine.Frame) (result bool) {
	p := unsafe.Add(f, t.a)
	switch t.mode &^ not {
	case inRange:
		result = uint(*(*int)(p)-t.low) <= t.span
	case isLess:
		result = *(*int)(p) < *(*int)(unsafe.Add(f, t.low))
	default:
		result = *(*bool)(p)
	}
	return result != (t.mode&not != 0)
}

// mirrored are the operators for exchanged operands.
var mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ, token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
}

// TestOf describes x op y if it compares an int variable in the frame with a constant, or orders
// two of them. It returns nil for other comparisons.
func TestOf(op token.Token, x, y Value) *Test {
	if x.Type.Class != machine.ClassInt {
		return nil
	}
	if x.Form == FormConst && y.Form == FormLocal {
		x, y, op = y, x, mirrored[op]
	}
	switch {
	case x.Form == FormLocal && y.Form == FormConst:
		return rangeTest(op, x.Slot, y.Const.(int))
	case x.Form == FormLocal && y.Form == FormLocal:
		switch op {
		case token.LSS:
			return &Test{mode: isLess, a: x.Slot, low: int(y.Slot)}
		case token.GEQ:
			return &Test{mode: isLess | not, a: x.Slot, low: int(y.Slot)}
		case token.GTR:
			return &Test{mode: isLess, a: y.Slot, low: int(x.Slot)}
		case token.LEQ:
			return &Test{mode: isLess | not, a: y.Slot, low: int(x.Slot)}
		}
	}
	return nil
}

// rangeTest describes the comparison of an int variable with a constant. It returns nil for x < k
// and x >= k if k is the smallest int, for which the range would be empty.
func rangeTest(op token.Token, slot uintptr, k int) *Test {
	t := &Test{mode: inRange, a: slot, low: math.MinInt}
	switch op {
	case token.NEQ, token.GEQ, token.GTR:
		t.mode |= not
	}
	switch op {
	case token.EQL, token.NEQ:
		t.low = k
		return t
	case token.LSS, token.GEQ:
		if k == math.MinInt {
			return nil
		}
		k--
	}
	t.span = uint(k - math.MinInt)
	return t
}

// test returns the condition as a Test. ok is false if the condition has to be computed.
func (v Value) test() (t Test, ok bool) {
	switch {
	case v.Form == FormLocal && v.Type.Class == machine.ClassBool:
		return Test{mode: isTrue, a: v.Slot}, true
	case v.Test != nil:
		return *v.Test, true
	}
	return Test{}, false
}

// Not compiles !x. t is the type of the result.
func Not(t *machine.Type, x Value) Value {
	get := x.F.(func(machine.Frame) bool)
	out := Value{Type: t, Negated: get, F: func(f machine.Frame) bool { return !get(f) }}
	if test, ok := x.test(); ok {
		test.mode ^= not
		out.Test = &test
	}
	return out
}

// And compiles x && y. Go's own operator evaluates the second operand only if it is needed.
func And(x, y Value) func(machine.Frame) bool {
	a, b := x.F.(func(machine.Frame) bool), y.F.(func(machine.Frame) bool)
	p, first := x.test()
	q, second := y.test()
	switch {
	case first && second:
		return func(f machine.Frame) bool { return p.holds(f) && q.holds(f) }
	case first:
		return func(f machine.Frame) bool { return p.holds(f) && b(f) }
	case second:
		return func(f machine.Frame) bool { return a(f) && q.holds(f) }
	}
	return func(f machine.Frame) bool { return a(f) && b(f) }
}

// Or compiles x || y.
func Or(x, y Value) func(machine.Frame) bool {
	a, b := x.F.(func(machine.Frame) bool), y.F.(func(machine.Frame) bool)
	p, first := x.test()
	q, second := y.test()
	switch {
	case first && second:
		return func(f machine.Frame) bool { return p.holds(f) || q.holds(f) }
	case first:
		return func(f machine.Frame) bool { return p.holds(f) || b(f) }
	case second:
		return func(f machine.Frame) bool { return a(f) || q.holds(f) }
	}
	return func(f machine.Frame) bool { return a(f) || b(f) }
}

// If compiles an if statement. If neither branch contains a jump, the result is a step. A step
// costs less than a statement, because nothing is returned or compared. leaves reports whether then
// always returns.
func If(cond Value, then, otherwise Stmt, leaves bool) Stmt {
	if then.Run == nil && otherwise.Run == nil {
		if otherwise.IsEmpty() {
			return StepOf(onlyIf(cond, then.AsStep()))
		}
		return StepOf(either(cond, then.AsStep(), otherwise.AsStep()))
	}
	ends := ChooseTails(cond, then, otherwise)
	holds, yes := cond.F.(func(machine.Frame) bool), then.AsRun()
	if otherwise.IsEmpty() {
		if leaves {
			ends.Leaving = &Leaving{Cond: cond, Then: then}
		}
		if t, ok := cond.test(); ok {
			return Stmt{Tail: ends, Run: func(f machine.Frame) Control {
				if t.holds(f) {
					return yes(f)
				}
				return Next
			}}
		}
		if fails := cond.Negated; fails != nil {
			return Stmt{Tail: ends, Run: func(f machine.Frame) Control {
				if fails(f) {
					return Next
				}
				return yes(f)
			}}
		}
		return Stmt{Tail: ends, Run: func(f machine.Frame) Control {
			if holds(f) {
				return yes(f)
			}
			return Next
		}}
	}
	no := otherwise.AsRun()
	return Stmt{Tail: ends, Run: func(f machine.Frame) Control {
		if holds(f) {
			return yes(f)
		}
		return no(f)
	}}
}

// onlyIf compiles an if statement without else as a step.
//
//go:noinline
func onlyIf(cond Value, yes func(machine.Frame)) func(machine.Frame) {
	if t, ok := cond.test(); ok {
		return func(f machine.Frame) {
			if t.holds(f) {
				yes(f)
			}
		}
	}
	holds := cond.F.(func(machine.Frame) bool)
	return func(f machine.Frame) {
		if holds(f) {
			yes(f)
		}
	}
}

// either compiles an if statement with else as a step.
//
//go:noinline
func either(cond Value, yes, no func(machine.Frame)) func(machine.Frame) {
	if t, ok := cond.test(); ok {
		return func(f machine.Frame) {
			if t.holds(f) {
				yes(f)
			} else {
				no(f)
			}
		}
	}
	holds := cond.F.(func(machine.Frame) bool)
	if cond.Negated != nil {
		holds, yes, no = cond.Negated, no, yes
	}
	return func(f machine.Frame) {
		if holds(f) {
			yes(f)
		} else {
			no(f)
		}
	}
}

// Choose compiles to one of two values, depending on a condition. A first value that is a variable
// or a constant, as in the simplest case of a recursive function, is read here.
func (class1[T]) Choose(cond, yes, no Value) any {
	t, test := cond.test()
	holds := cond.F.(func(machine.Frame) bool)
	if !test && cond.Negated != nil {
		holds, yes, no = cond.Negated, no, yes
	}
	a, b, slot := yes.F.(func(machine.Frame) T), no.F.(func(machine.Frame) T), yes.Slot
	switch {
	case test && yes.Form == FormLocal && no.Form == FormLocal:
		other := no.Slot
		return func(f machine.Frame) T {
			if t.holds(f) {
				return *(*T)(unsafe.Add(f, slot))
			}
			return *(*T)(unsafe.Add(f, other))
		}
	case test && yes.Form == FormLocal:
		return func(f machine.Frame) T {
			if t.holds(f) {
				return *(*T)(unsafe.Add(f, slot))
			}
			return b(f)
		}
	case test && yes.Form == FormConst:
		k := yes.Const.(T)
		return func(f machine.Frame) T {
			if t.holds(f) {
				return k
			}
			return b(f)
		}
	case test:
		return func(f machine.Frame) T {
			if t.holds(f) {
				return a(f)
			}
			return b(f)
		}
	}
	return func(f machine.Frame) T {
		if holds(f) {
			return a(f)
		}
		return b(f)
	}
}
