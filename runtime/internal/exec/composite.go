package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/builtin"
	"gosphere/runtime/internal/machine/operation"
)

// fill compiles the storing of a literal's elements in zeroed memory. Elements that are zero values
// are skipped.
//
// The memory must be zero, which a new allocation is and a temporary becomes by TypedClear.
//
// A literal is thus built where it is used, in a variable, an argument or a new object, without a
// copy. That is allowed only if the elements do not read the destination. A user that cannot
// exclude it, such as an assignment to an existing variable, takes the address of a temporary
// instead (see storeValue).
//
// inFrame, if not nil, makes a step that stores all fields of a struct without pointers at an
// offset in the frame.
func (c *compiler) fill(e *ir.Composite, t *machine.Type) (put func(machine.Frame, unsafe.Pointer), inFrame func(uintptr) func(machine.Frame)) {
	type part struct {
		offset uintptr
		put    func(machine.Frame, unsafe.Pointer)
		value  operation.Value
	}
	var parts []part
	whole := t.Type.Kind() == reflect.Struct && len(e.Elems) == t.Type.NumField() && !t.HasPointers()
	for _, element := range e.Elems {
		if _, ok := element.Value.(*ir.Zero); ok {
			whole = false
			continue
		}
		offset := uintptr(element.Index) * c.elemSize(t)
		// Put requires memory that is zero and that nothing else refers to, and the part of the
		// destination has both properties.
		value := c.expr(element.Value)
		put := operation.Put(value)
		whole = whole && len(element.Path) == 0 && (value.Type.Class != machine.ClassMemory || value.InFrame != nil)
		if t.Type.Kind() == reflect.Struct {
			field := t.Type.Field(int(element.Index))
			if offset = field.Offset; field.Name == "_" {
				whole = false
				put = putThenClear(put, c.m.Describe(field.Type).RType)
			}
			for _, i := range element.Path {
				field = field.Type.Field(i)
				offset += field.Offset
			}
		}
		parts = append(parts, part{offset, put, value})
	}
	if whole && len(parts) > 0 {
		inFrame = func(at uintptr) func(machine.Frame) {
			var steps []func(machine.Frame)
			for _, p := range parts {
				if p.value.Type.Class == machine.ClassMemory {
					steps = append(steps, p.value.InFrame(at+p.offset))
					continue
				}
				to := operation.Access{Mode: operation.ModeFrame, Offset: at + p.offset, Type: p.value.Type}
				steps = append(steps, c.storeValue(to, p.value))
			}
			return operation.Sequence(steps)
		}
	}
	// Most literals have few elements. The forms for these need no loop.
	switch len(parts) {
	case 0:
		return func(machine.Frame, unsafe.Pointer) {}, inFrame
	case 1:
		a := parts[0]
		return func(f machine.Frame, p unsafe.Pointer) { a.put(f, unsafe.Add(p, a.offset)) }, inFrame
	case 2:
		a, b := parts[0], parts[1]
		return func(f machine.Frame, p unsafe.Pointer) {
			a.put(f, unsafe.Add(p, a.offset))
			b.put(f, unsafe.Add(p, b.offset))
		}, inFrame
	}
	return func(f machine.Frame, p unsafe.Pointer) {
		for i := range parts {
			parts[i].put(f, unsafe.Add(p, parts[i].offset))
		}
	}, inFrame
}

// putThenClear compiles the evaluation of the value of a blank field. The field itself stays zero.
func putThenClear(put func(machine.Frame, unsafe.Pointer), r machine.RType) func(machine.Frame, unsafe.Pointer) {
	return func(f machine.Frame, p unsafe.Pointer) {
		put(f, p)
		machine.TypedClear(r, p)
	}
}

// elemSize returns the size of the elements of an array or slice type, and 0 for other types.
func (c *compiler) elemSize(t *machine.Type) uintptr {
	if k := t.Type.Kind(); k != reflect.Array && k != reflect.Slice {
		return 0
	}
	return t.Type.Elem().Size()
}

// composite compiles a composite literal.
//
// Into and Addr are two forms of the same value. Into stores it at its destination, and Addr is for
// users that only read it, such as a comparison or the operand of a selector.
func (c *compiler) composite(e *ir.Composite) operation.Value {
	t := c.typeOf(e.Type())
	switch t.Type.Kind() {
	case reflect.Map:
		return c.mapLiteral(e, t)
	case reflect.Slice:
		return c.sliceLiteral(e, t)
	}
	fill, inFrame := c.fill(e, t)
	r, offset := t.RType, c.temporary(t)
	if inFrame != nil {
		store := inFrame(offset)
		return operation.Value{Type: t, Into: fill, InFrame: inFrame, Kept: &offset, Addr: func(f machine.Frame) unsafe.Pointer {
			store(f)
			return unsafe.Add(f, offset)
		}}
	}
	return operation.Value{Type: t, Into: fill, NeedsZero: true, Addr: func(f machine.Frame) unsafe.Pointer {
		// A recursive call that evaluates the same literal has its own frame, so one temporary is
		// enough.
		p := unsafe.Add(f, offset)
		machine.TypedClear(r, p)
		fill(f, p)
		return p
	}}
}

// sliceLiteral compiles a slice literal. The array is new in every evaluation.
//
// The elements are evaluated after the allocation, which has no effect that a program could see.
func (c *compiler) sliceLiteral(e *ir.Composite, t *machine.Type) operation.Value {
	elem := c.m.Describe(t.Type.Elem())
	n, r := int(e.Len), elem.RType
	fill, _ := c.fill(e, t)
	return operation.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		p := machine.MakeSlice(r, n, n)
		fill(f, p)
		return machine.Slice{Ptr: p, Len: n, Cap: n}
	}}
}

// newComposite compiles &T{...}.
func (c *compiler) newComposite(e *ir.Composite, t *machine.Type) operation.Value {
	of := c.typeOf(e.Type())
	r, size := of.RType, of.Size
	if of.Class != machine.ClassMemory { // a pointer to a slice or a map
		put := operation.Put(c.composite(e))
		return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
			p := machine.Malloc(size, r, true)
			put(f, p)
			return p
		}}
	}
	fill, _ := c.fill(e, of)
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		p := machine.Malloc(size, r, true)
		fill(f, p)
		return p
	}}
}

// sliceExpr compiles x[lo:hi:max].
func (c *compiler) sliceExpr(e *ir.SliceExpr) operation.Value {
	x, s, t := c.expr(e.X), c.site(e.Pos()), c.typeOf(e.Type())
	part := func(e ir.Expr) func(machine.Frame) int {
		if e == nil {
			return nil
		}
		return c.index(e).F.(func(machine.Frame) int)
	}
	b := builtin.Bounds{Lo: part(e.Lo), Hi: part(e.Hi), Max: part(e.Max)}
	if b.Lo == nil {
		b.Lo = func(machine.Frame) int { return 0 }
	}
	if x.Type.Class == machine.ClassString {
		return operation.Value{Type: t, F: b.String(x, s)}
	}
	array := x.Type.Kind() == reflect.Pointer
	return operation.Value{Type: t, F: b.Slice(c.elements(x, true, s), t.Type.Elem().Size(), array, s)}
}

// appendTo compiles append.
//
// The header of the slice is read before the elements are evaluated. Where gc reads it afterward,
// because an element is the result of a call, the builder has made the call ahead of the statement.
func (c *compiler) appendTo(e *ir.Builtin) operation.Value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	get := x.F.(func(machine.Frame) machine.Slice)
	elem := c.m.Describe(t.Type.Elem())
	if len(e.Args) == 1 { // append(x) is x
		return operation.Value{Type: t, F: get}
	}
	if e.Spread {
		return operation.Value{Type: t, F: builtin.AppendSlice(&c.m.Machine, elem, get, c.expr(e.Args[1]), c.site(e.Pos()))}
	}
	if len(e.Args) == 2 && elem.Class != machine.ClassMemory {
		return operation.Value{Type: t, F: builtin.AppendScalar(elem, get, c.expr(e.Args[1]))}
	}
	var puts []func(machine.Frame, unsafe.Pointer)
	var stage []func(machine.Frame)
	for _, a := range e.Args[1:] { // values are computed before the slice grows
		// Constants and locals can be stored directly, because nothing that is evaluated afterward
		// changes them.
		v := c.expr(a)
		if v.Form == operation.FormConst || v.Form == operation.FormLocal {
			puts = append(puts, operation.Put(v))
			continue
		}
		temporary := operation.Access{Mode: operation.ModeFrame, Offset: c.temporary(elem), Type: elem}
		if elem.Class == machine.ClassMemory {
			p, offset, r := operation.Put(v), temporary.Offset, elem.RType
			stage = append(stage, func(f machine.Frame) {
				machine.TypedClear(r, unsafe.Add(f, offset))
				p(f, unsafe.Add(f, offset))
			})
		} else {
			stage = append(stage, operation.Classes[elem.Class].Store(temporary, v))
		}
		puts = append(puts, operation.Put(c.read(temporary)))
	}
	before := operation.Sequence(stage)
	size, r, n, s := elem.Size, elem.RType, len(puts), c.site(e.Pos())
	return operation.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		v := get(f)
		if before != nil {
			before(f)
		}
		at := v.Len
		// The length can overflow only if the elements have no size.
		if v.Len+n < 0 {
			machine.Raise(f, s, machine.RuntimeError("growslice: len out of range"))
		}
		if v.Len+n > v.Cap {
			v = machine.GrowSlice(r, v, n)
		}
		v.Len = at + n
		for i, put := range puts {
			put(f, unsafe.Add(v.Ptr, uintptr(at+i)*size))
		}
		return v
	}}
}
