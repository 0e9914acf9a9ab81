package exec

import (
	"reflect"
	"strings"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// fill compiles the storing of a literal's elements in zeroed memory. Elements that are zero values
// are skipped.
//
// The memory must be zero, which a new allocation is and a temporary becomes by TypedClear.
func (c *compiler) fill(e *ir.Composite, t *machine.Type) func(machine.Frame, unsafe.Pointer) {
	type part struct {
		offset uintptr
		put    func(machine.Frame, unsafe.Pointer)
	}
	var parts []part
	for _, element := range e.Elems {
		if _, ok := element.Value.(*ir.Zero); ok {
			continue
		}
		offset := uintptr(element.Index) * c.elemSize(t)
		put := machine.Put(c.expr(element.Value))
		if t.Type.Kind() == reflect.Struct {
			field := t.Type.Field(int(element.Index))
			if offset = field.Offset; field.Name == "_" {
				put = putThenClear(put, c.m.Describe(field.Type).RType)
			}
		}
		parts = append(parts, part{offset, put})
	}
	// Most literals have few elements. The forms for these need no loop.
	switch len(parts) {
	case 0:
		return func(machine.Frame, unsafe.Pointer) {}
	case 1:
		a := parts[0]
		return func(f machine.Frame, p unsafe.Pointer) { a.put(f, unsafe.Add(p, a.offset)) }
	case 2:
		a, b := parts[0], parts[1]
		return func(f machine.Frame, p unsafe.Pointer) {
			a.put(f, unsafe.Add(p, a.offset))
			b.put(f, unsafe.Add(p, b.offset))
		}
	}
	return func(f machine.Frame, p unsafe.Pointer) {
		for i := range parts {
			parts[i].put(f, unsafe.Add(p, parts[i].offset))
		}
	}
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
func (c *compiler) composite(e *ir.Composite) machine.Value {
	t := c.typeOf(e.Type())
	switch t.Type.Kind() {
	case reflect.Map:
		return c.mapLiteral(e, t)
	case reflect.Slice:
		return c.sliceLiteral(e, t)
	}
	fill, r := c.fill(e, t), t.RType
	offset := c.temporary(t)
	return machine.Value{Type: t, Into: fill, NeedsZero: true, Addr: func(f machine.Frame) unsafe.Pointer {
		// A recursive call that evaluates the same literal has its own frame, so one temporary is
		// enough.
		p := unsafe.Add(f, offset)
		machine.TypedClear(r, p)
		fill(f, p)
		return p
	}}
}

// sliceLiteral compiles a slice literal. The array is new in every evaluation.
func (c *compiler) sliceLiteral(e *ir.Composite, t *machine.Type) machine.Value {
	elem := c.m.Describe(t.Type.Elem())
	fill, n, r := c.fill(e, t), int(e.Len), elem.RType
	return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		p := machine.MakeSlice(r, n, n)
		fill(f, p)
		return machine.Slice{Ptr: p, Len: n, Cap: n}
	}}
}

// newComposite compiles &T{...}.
func (c *compiler) newComposite(e *ir.Composite, t *machine.Type) machine.Value {
	of := c.typeOf(e.Type())
	r, size := of.RType, of.Size
	if of.Class != machine.ClassMemory { // a pointer to a slice or a map
		put := machine.Put(c.composite(e))
		return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
			p := machine.Malloc(size, r, true)
			put(f, p)
			return p
		}}
	}
	fill := c.fill(e, of)
	return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		p := machine.Malloc(size, r, true)
		fill(f, p)
		return p
	}}
}

// sliceExpr compiles x[lo:hi:max]. The bounds are checked together. A failed check evaluates a Go
// slice expression that fails in the same way.
func (c *compiler) sliceExpr(e *ir.SliceExpr) machine.Value {
	x, s := c.expr(e.X), c.site(e.Pos())
	part := func(e ir.Expr) func(machine.Frame) int {
		if e == nil {
			return nil
		}
		return c.index(e).F.(func(machine.Frame) int)
	}
	lo, hi, limit := part(e.Lo), part(e.Hi), part(e.Max)
	if lo == nil {
		lo = func(machine.Frame) int { return 0 }
	}
	t := c.typeOf(e.Type())
	if x.Type.Class == machine.ClassString {
		get := x.F.(func(machine.Frame) string)
		return machine.Value{Type: t, F: func(f machine.Frame) string {
			v := get(f)
			i, j := lo(f), len(v)
			if hi != nil {
				j = hi(f)
			}
			if uint(j) > uint(len(v)) || uint(i) > uint(j) {
				machine.Fail(f, s)
				// The thread has the value of the bound that int cannot represent, which the
				// runtime's message shows.
				index := machine.LargeIndex(f)
				switch {
				case index == 0:
				case j == machine.TooLarge:
					return v[:index]
				case i == machine.TooLarge && uint(j) <= uint(len(v)):
					return v[index:j]
				}
			}
			return v[i:j]
		}}
	}
	get := c.elements(x, true, s)
	array := x.Type.Kind() == reflect.Pointer
	size := t.Type.Elem().Size()
	return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		v := get(f)
		i, j, k := lo(f), v.Len, v.Cap
		if hi != nil {
			j = hi(f)
		}
		if limit != nil {
			k = limit(f)
		}
		// As unsigned numbers, negative bounds are larger than any capacity.
		if uint(k) > uint(v.Cap) || uint(j) > uint(k) || uint(i) > uint(j) {
			panicSlice(f, s, v, slicing{i, j, k, limit != nil, array})
		}
		out := machine.Slice{Ptr: v.Ptr, Len: j - i, Cap: k - i}
		if k > i { // otherwise the pointer would be past the end of the array
			out.Ptr = unsafe.Add(v.Ptr, uintptr(i)*size)
		}
		return out
	}}
}

// A slicing holds the bounds of a slice expression that is out of range.
type slicing struct {
	i, j, k int
	full    bool // whether all three bounds are given
	array   bool // whether the operand is an array
}

// panicSlice panics with the error of a slice expression that is out of range.
//
//go:noinline
func panicSlice(f machine.Frame, s *machine.Site, v machine.Slice, o slicing) {
	machine.Fail(f, s)
	err := o.failure(v, machine.LargeIndex(f))
	if o.array {
		err = withLength(err)
	}
	machine.Raise(f, s, err)
}

// failure returns the runtime's error for the bounds. index is the value of a bound that int cannot
// represent, or 0.
func (o slicing) failure(v machine.Slice, index uint64) (err error) {
	defer func() { err, _ = recover().(error) }()
	// A slice with elements of size zero can have any length and capacity without memory.
	list := unsafe.Slice((*struct{})(unsafe.Pointer(&machine.Zeroes)), v.Cap)[:v.Len]
	large := func(bound int) bool { return bound == machine.TooLarge && index != 0 }
	switch {
	case large(o.k):
		_ = list[:0:index]
	case o.full && uint(o.k) > uint(v.Cap):
		_ = list[:0:o.k]
	case large(o.j) && o.full:
		_ = list[:index:o.k]
	case large(o.j):
		_ = list[:index]
	case large(o.i) && o.full:
		_ = list[index:o.j:o.k]
	case large(o.i):
		_ = list[index:o.j]
	case o.full:
		_ = list[o.i:o.j:o.k]
	}
	_ = list[o.i:o.j]
	return nil
}

// withLength converts the runtime's error about the capacity of a slice to the error about the
// length of an array. The two differ in one byte, the code of the error, which follows two words
// and a bool. If the runtime's type has another layout, the error is returned unchanged.
func withLength(err error) error {
	const codeOffset = 2*unsafe.Sizeof(uintptr(0)) + 1
	if err == nil || !strings.Contains(err.Error(), " with capacity ") {
		return err
	}
	now := reflect.New(reflect.TypeOf(err))
	if now.Type().Elem().Size() <= codeOffset {
		return err
	}
	now.Elem().Set(reflect.ValueOf(err))
	*(*uint8)(unsafe.Add(now.UnsafePointer(), codeOffset))--
	if changed := now.Elem().Interface().(error); strings.Contains(changed.Error(), " with length ") {
		return changed
	}
	return err
}

// appendTo compiles append.
func (c *compiler) appendTo(e *ir.Builtin) machine.Value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	get := x.F.(func(machine.Frame) machine.Slice)
	elem := c.m.Describe(t.Type.Elem())
	if len(e.Args) == 1 { // append(x) is x
		return machine.Value{Type: t, F: get}
	}
	if e.Spread {
		return c.appendSlice(t, elem, get, e)
	}
	if len(e.Args) == 2 && elem.Class != machine.ClassMemory {
		return machine.Value{Type: t, F: appendScalar(elem, get, c.expr(e.Args[1]))}
	}
	var puts []func(machine.Frame, unsafe.Pointer)
	var stage []func(machine.Frame)
	for _, a := range e.Args[1:] { // values are computed before the slice grows
		v := c.expr(a)
		if v.Form == machine.FormConst || v.Form == machine.FormLocal {
			puts = append(puts, machine.Put(v))
			continue
		}
		temporary := machine.Access{Mode: machine.ModeFrame, Offset: c.temporary(elem), Type: elem}
		if elem.Class == machine.ClassMemory {
			p, offset, r := machine.Put(v), temporary.Offset, elem.RType
			stage = append(stage, func(f machine.Frame) {
				machine.TypedClear(r, unsafe.Add(f, offset))
				p(f, unsafe.Add(f, offset))
			})
		} else {
			stage = append(stage, machine.Classes[elem.Class].Store(temporary, v))
		}
		puts = append(puts, machine.Put(c.read(temporary)))
	}
	before := machine.Sequence(stage)
	size, r, n, s := elem.Size, elem.RType, len(puts), c.site(e.Pos())
	return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
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

// appendScalar compiles append of one element that is not a struct or an array. The typed forms
// avoid a call for the store; the default serves the remaining classes, which contain no pointers.
func appendScalar(elem *machine.Type, get func(machine.Frame) machine.Slice, x machine.Value) func(machine.Frame) machine.Slice {
	switch elem.Class {
	case machine.ClassInt:
		return appendOne[int](elem, get, x)
	case machine.ClassFloat64:
		return appendOne[float64](elem, get, x)
	case machine.ClassString:
		return appendOne[string](elem, get, x)
	case machine.ClassPointer:
		return appendOne[unsafe.Pointer](elem, get, x)
	case machine.ClassUint8:
		return appendOne[uint8](elem, get, x)
	case machine.ClassInt32:
		return appendOne[int32](elem, get, x)
	case machine.ClassIface:
		return appendOne[machine.Iface](elem, get, x)
	case machine.ClassSlice:
		return appendOne[machine.Slice](elem, get, x)
	}
	put, size, r := machine.Put(x), elem.Size, elem.RType
	return func(f machine.Frame) machine.Slice {
		v := get(f)
		var room [2]uint64 // the remaining classes contain no pointers
		put(f, unsafe.Pointer(&room))
		if v.Len == v.Cap {
			v = machine.GrowSlice(r, v, 1)
		}
		copy(unsafe.Slice((*byte)(unsafe.Add(v.Ptr, uintptr(v.Len)*size)), size), unsafe.Slice((*byte)(unsafe.Pointer(&room)), size))
		v.Len++
		return v
	}
}

// appendOne compiles append of one element of type T. The element is computed before the slice
// grows, because computing it may use the same array. If the slice has room, the element is stored
// in the shared array, as the language specifies.
func appendOne[T any](elem *machine.Type, get func(machine.Frame) machine.Slice, x machine.Value) func(machine.Frame) machine.Slice {
	element, r := x.F.(func(machine.Frame) T), elem.RType
	return func(f machine.Frame) machine.Slice {
		v := get(f)
		k := element(f)
		if v.Len == v.Cap {
			v = machine.GrowSlice(r, v, 1)
		}
		*machine.At[T](v.Ptr, uintptr(v.Len)*unsafe.Sizeof(k)) = k
		v.Len++
		return v
	}
}

// appendSlice compiles append(x, y...).
func (c *compiler) appendSlice(t, elem *machine.Type, get func(machine.Frame) machine.Slice, e *ir.Builtin) machine.Value {
	y, s, m := c.expr(e.Args[1]), c.site(e.Pos()), c.m
	r, size := elem.RType, elem.Size
	from := elementsOf(y)
	return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		v := get(f)
		w := from(f)
		if w.Len == 0 {
			return v
		}
		at := v.Len
		if v.Len+w.Len < 0 {
			machine.Raise(f, s, machine.RuntimeError("growslice: len out of range"))
		}
		if v.Len+w.Len > v.Cap {
			machine.Fail(f, s)
			m.Room(v.Len+w.Len, size, "growslice: len out of range")
			v = machine.GrowSlice(r, v, w.Len)
		}
		v.Len = at + w.Len
		machine.TypedCopy(r, machine.Slice{Ptr: unsafe.Add(v.Ptr, uintptr(at)*size), Len: w.Len, Cap: w.Len}, w)
		return v
	}}
}

// elementsOf compiles to a slice, or to the bytes of a string, which must not be modified.
func elementsOf(y machine.Value) func(machine.Frame) machine.Slice {
	if y.Type.Class == machine.ClassString {
		text := y.F.(func(machine.Frame) string)
		return func(f machine.Frame) machine.Slice {
			s := text(f)
			return machine.Slice{Ptr: unsafe.Pointer(unsafe.StringData(s)), Len: len(s), Cap: len(s)}
		}
	}
	return y.F.(func(machine.Frame) machine.Slice)
}
