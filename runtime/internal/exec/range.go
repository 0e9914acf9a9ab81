package exec

import (
	"unicode/utf8"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// each compiles the assignment of the iteration value in a temporary to its variable.
//
// The runtime and the typed loops store iteration values in a slot of the frame, which they can
// address. This step copies the value from there to the variable.
func (c *compiler) each(l *ir.Local, from uintptr, t *machine.Type) func(machine.Frame) {
	if l == nil {
		return nil
	}
	a := c.local(l, c.typeOf(l.Type))
	copyTo := c.copyTo(a, operation.Access{Mode: operation.ModeFrame, Offset: from, Type: t})
	if !l.Boxed {
		return copyTo
	}
	// Each iteration has its own variable, which a closure may keep.
	fresh := c.newBox(l)
	return func(f machine.Frame) { fresh(f); copyTo(f) }
}

// iterationSlot returns the slot of the frame in which a loop stores the iteration value. If the
// variable is elsewhere, before copies the value to it. Storing there directly saves a copy for
// each iteration.
//
// The body may assign to the variable. That does not disturb the loop, which counts in a Go
// variable.
func (c *compiler) iterationSlot(l *ir.Local, t *machine.Type) (slot uintptr, before func(machine.Frame)) {
	if l != nil && !l.Boxed {
		if a := c.local(l, t); a.Mode == operation.ModeFrame {
			return a.Offset, nil
		}
	}
	slot = c.temporary(t)
	return slot, c.each(l, slot, t)
}

// both joins two steps, either of which may be nil.
func both(a, b func(machine.Frame)) func(machine.Frame) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(f machine.Frame) { a(f); b(f) }
}

// rangeInt compiles a loop over the integers below a number. Numeric.CountTo has the loop itself,
// with an instance for each integer type.
//
// The loop counts in the type of the operand, so that range over an int8 stops at its limit without
// overflow.
func (c *compiler) rangeInt(s *ir.RangeInt) operation.Stmt {
	n := c.expr(s.N)
	i, before := c.iterationSlot(s.Key, n.Type)
	l := c.loop(s.Label, s.Body, before, s.Pos())
	return operation.NumberOps(n.Type.Class).CountTo(n, i, l)
}

// rangeString compiles a loop over the code points of a string.
//
// Invalid UTF-8 yields the replacement character and advances by one byte, as
// utf8.DecodeRuneInString and the specification have it.
func (c *compiler) rangeString(s *ir.RangeString) operation.Stmt {
	get := c.expr(s.X).F.(func(machine.Frame) string)
	index, first := c.iterationSlot(s.Key, c.intType())
	char, second := c.iterationSlot(s.Elem, c.runeType())
	l := c.loop(s.Label, s.Body, both(first, second), s.Pos())
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		text := get(f)
		for i := 0; i < len(text); {
			// ASCII characters are decoded without a call.
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[i:])
			}
			*machine.At[int](f, index), *machine.At[rune](f, char) = i, r
			i += size
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return operation.Next
	}}
}

// rangeSlice compiles a loop over a slice, or over an array that a pointer refers to.
//
// The elements of the underlying array are not copied, so an assignment of the body to a later
// element is visible in its iteration. A range over an array value has had its copy made by the
// builder.
func (c *compiler) rangeSlice(s *ir.RangeSlice) operation.Stmt {
	x, site := c.expr(s.X), c.site(s.Pos())
	elem, empty := x.Type.Type.Elem(), false
	if x.Type.Class == machine.ClassPointer {
		elem, empty = elem.Elem(), elem.Len() == 0
	}
	get := c.elements(x, s.Elem != nil && !empty, site)
	t := c.m.Describe(elem)
	index, key := c.iterationSlot(s.Key, c.intType())
	if s.Elem != nil && t.Class != machine.ClassMemory {
		at1, elem := c.iterationSlot(s.Elem, t)
		return operation.Classes[t.Class].Over(get, index, at1, c.loop(s.Label, s.Body, both(key, elem), s.Pos()))
	}
	// Without elements the loop only counts to the length.
	if s.Elem == nil {
		n := operation.Value{Type: c.intType(), F: func(f machine.Frame) int { return get(f).Len }}
		return operation.NumberOps(machine.ClassInt).CountTo(n, index, c.loop(s.Label, s.Body, key, s.Pos()))
	}
	// The slice is kept in the frame, where the step that copies an element finds it.
	list := c.temporary(c.sliceType())
	if index, key = c.temporary(c.intType()), nil; s.Key != nil {
		key = c.each(s.Key, index, c.intType())
	}
	size := t.Size
	from := operation.Access{Mode: operation.ModeBase, Type: t, Base: func(f machine.Frame) unsafe.Pointer {
		return unsafe.Add(machine.At[machine.Slice](f, list).Ptr, uintptr(*machine.At[int](f, index))*size)
	}}
	read := c.copyTo(c.local(s.Elem, t), from)
	if s.Elem.Boxed {
		read = both(c.newBox(s.Elem), read)
	}
	l := c.loop(s.Label, s.Body, both(key, read), s.Pos())
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		// The operand is evaluated once: what the body appends to it is not visited.
		v := get(f)
		*machine.At[machine.Slice](f, list) = v
		for i := 0; i < v.Len; i++ {
			*machine.At[int](f, index) = i
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return operation.Next
	}}
}

// elements compiles the slice of elements of a slice, or of the array that a pointer refers to. If
// the elements are not needed, a nil pointer is valid, as in for i := range p with a p of type
// *[4]int.
//
// A slice of the array has its length as the capacity, so it serves slice expressions of arrays as
// well.
func (c *compiler) elements(x operation.Value, needed bool, s *machine.Site) func(machine.Frame) machine.Slice {
	if x.Type.Class == machine.ClassSlice {
		return x.F.(func(machine.Frame) machine.Slice)
	}
	get, n := x.F.(func(machine.Frame) unsafe.Pointer), x.Type.Type.Elem().Len()
	return func(f machine.Frame) machine.Slice {
		p := get(f)
		if p == nil && needed {
			machine.PanicNil(f, s)
		}
		return machine.Slice{Ptr: p, Len: n, Cap: n}
	}
}
