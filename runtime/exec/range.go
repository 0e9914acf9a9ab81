package exec

import (
	"unicode/utf8"
	"unsafe"

	"gosphere/runtime/ir"
)

// each compiles the assignment of an iteration's value to its variable: the value is read from a
// temporary.
func (c *compiler) each(l *ir.Local, from uintptr, t *typ) func(frame) {
	if l == nil {
		return nil
	}
	a := c.local(l, c.typeOf(l.Type))
	copyTo := c.copyTo(a, access{mode: modeFrame, offset: from, typ: t})
	if !l.Boxed {
		return copyTo
	}
	fresh := c.newBox(l)
	return func(f frame) { fresh(f); copyTo(f) }
}

// iterationSlot returns the slot in the frame to which a loop writes the value of an iteration, and
// what copies it to the variable where that is another place.
func (c *compiler) iterationSlot(l *ir.Local, t *typ) (slot uintptr, before func(frame)) {
	if l != nil && !l.Boxed {
		if a := c.local(l, t); a.mode == modeFrame {
			return a.offset, nil
		}
	}
	slot = c.temporary(t)
	return slot, c.each(l, slot, t)
}

// over runs a loop over a slice whose elements are copied to a slot.
func (class1[T]) over(get func(frame) slice, index, elem uintptr, l *loop) code {
	if body := l.step; body != nil {
		m, site := l.m, l.site
		return stepOf(func(f frame) {
			v := get(f)
			for i := 0; i < v.len; i++ {
				*at[int](f, index), *at[T](f, elem) = i, *at[T](v.ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
				body(f)
				if m.stop.Load() != 0 {
					m.poll(f, site)
				}
			}
		})
	}
	return code{run: func(f frame) control {
		v := get(f)
		for i := 0; i < v.len; i++ {
			*at[int](f, index), *at[T](f, elem) = i, *at[T](v.ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
			if r, done := l.turn(f); done {
				return r
			}
		}
		return next
	}}
}

func both(a, b func(frame)) func(frame) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(f frame) { a(f); b(f) }
}

// rangeInt compiles a loop over the integers below a number.
func (c *compiler) rangeInt(s *ir.RangeInt) code {
	n := c.expr(s.N)
	i, before := c.iterationSlot(s.Key, n.typ)
	l := c.loop(s.Label, s.Body, before, s.Pos())
	switch n.typ.class {
	case classInt:
		return countTo[int](n, i, l)
	case classInt8:
		return countTo[int8](n, i, l)
	case classInt16:
		return countTo[int16](n, i, l)
	case classInt32:
		return countTo[int32](n, i, l)
	case classInt64:
		return countTo[int64](n, i, l)
	case classUint:
		return countTo[uint](n, i, l)
	case classUint8:
		return countTo[uint8](n, i, l)
	case classUint16:
		return countTo[uint16](n, i, l)
	case classUint32:
		return countTo[uint32](n, i, l)
	case classUint64:
		return countTo[uint64](n, i, l)
	}
	return countTo[uintptr](n, i, l)
}

func countTo[T integer](n value, slot uintptr, l *loop) code {
	get := n.f.(func(frame) T)
	if body := l.step; body != nil {
		m, site := l.m, l.site
		return stepOf(func(f frame) {
			end := get(f)
			for i := T(0); i < end; i++ {
				*at[T](f, slot) = i
				body(f)
				if m.stop.Load() != 0 {
					m.poll(f, site)
				}
			}
		})
	}
	return code{run: func(f frame) control {
		end := get(f)
		for i := T(0); i < end; i++ {
			*at[T](f, slot) = i
			if r, done := l.turn(f); done {
				return r
			}
		}
		return next
	}}
}

// rangeString compiles a loop over the code points of a string.
func (c *compiler) rangeString(s *ir.RangeString) code {
	get := c.expr(s.X).f.(func(frame) string)
	index, first := c.iterationSlot(s.Key, c.intType())
	char, second := c.iterationSlot(s.Elem, c.runeType())
	l := c.loop(s.Label, s.Body, both(first, second), s.Pos())
	return code{run: func(f frame) control {
		text := get(f)
		for i := 0; i < len(text); {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[i:])
			}
			*at[int](f, index), *at[rune](f, char) = i, r
			i += size
			if r, done := l.turn(f); done {
				return r
			}
		}
		return next
	}}
}

// rangeSlice compiles a loop over a slice, or an array behind a pointer.
func (c *compiler) rangeSlice(s *ir.RangeSlice) code {
	x, site := c.expr(s.X), c.site(s.Pos())
	elem, empty := x.typ.Type.Elem(), false
	if x.typ.class == classPointer {
		elem, empty = elem.Elem(), elem.Len() == 0
	}
	get := c.elements(x, s.Elem != nil && !empty, site)
	t := c.m.describe(elem)
	index, key := c.iterationSlot(s.Key, c.intType())
	if s.Elem != nil && t.class != classMemory {
		at1, elem := c.iterationSlot(s.Elem, t)
		return classes[t.class].over(get, index, at1, c.loop(s.Label, s.Body, both(key, elem), s.Pos()))
	}
	list := c.temporary(c.sliceType())
	var read func(frame)
	if s.Elem != nil {
		if index, key = c.temporary(c.intType()), nil; s.Key != nil {
			key = c.each(s.Key, index, c.intType())
		}
		size := t.size
		from := access{mode: modeBase, typ: t, base: func(f frame) unsafe.Pointer {
			return unsafe.Add(at[slice](f, list).ptr, uintptr(*at[int](f, index))*size)
		}}
		read = c.copyTo(c.local(s.Elem, t), from)
		if s.Elem.Boxed {
			read = both(c.newBox(s.Elem), read)
		}
	}
	l := c.loop(s.Label, s.Body, both(key, read), s.Pos())
	return code{run: func(f frame) control {
		v := get(f)
		*at[slice](f, list) = v
		for i := 0; i < v.len; i++ {
			*at[int](f, index) = i
			if r, done := l.turn(f); done {
				return r
			}
		}
		return next
	}}
}

// elements returns the elements of a slice, or of the array that a pointer points to.
func (c *compiler) elements(x value, needed bool, s *site) func(frame) slice {
	if x.typ.class == classSlice {
		return x.f.(func(frame) slice)
	}
	get, n := x.f.(func(frame) unsafe.Pointer), x.typ.Type.Elem().Len()
	return func(f frame) slice {
		p := get(f)
		if p == nil && needed {
			panicNil(f, s)
		}
		return slice{p, n, n}
	}
}
