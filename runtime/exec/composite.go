package exec

import (
	"reflect"
	"strings"
	"unsafe"

	"gosphere/runtime/ir"
)

// fill compiles storing the elements of a literal in zero memory.
func (c *compiler) fill(e *ir.Composite, t *typ) func(frame, unsafe.Pointer) {
	type part struct {
		offset uintptr
		put    func(frame, unsafe.Pointer)
	}
	var parts []part
	for _, element := range e.Elems {
		if _, ok := element.Value.(*ir.Zero); ok {
			continue
		}
		offset := uintptr(element.Index) * c.elemSize(t)
		if t.Type.Kind() == reflect.Struct {
			offset = t.Type.Field(int(element.Index)).Offset
		}
		parts = append(parts, part{offset, put(c.expr(element.Value))})
	}
	switch len(parts) {
	case 0:
		return func(frame, unsafe.Pointer) {}
	case 1:
		a := parts[0]
		return func(f frame, p unsafe.Pointer) { a.put(f, unsafe.Add(p, a.offset)) }
	case 2:
		a, b := parts[0], parts[1]
		return func(f frame, p unsafe.Pointer) {
			a.put(f, unsafe.Add(p, a.offset))
			b.put(f, unsafe.Add(p, b.offset))
		}
	}
	return func(f frame, p unsafe.Pointer) {
		for i := range parts {
			parts[i].put(f, unsafe.Add(p, parts[i].offset))
		}
	}
}

// elemSize returns the size of the elements of an array or slice type, 0 for other types.
func (c *compiler) elemSize(t *typ) uintptr {
	if k := t.Type.Kind(); k != reflect.Array && k != reflect.Slice {
		return 0
	}
	return t.Type.Elem().Size()
}

// composite compiles a composite literal.
func (c *compiler) composite(e *ir.Composite) value {
	t := c.typeOf(e.Type())
	switch t.Type.Kind() {
	case reflect.Map:
		return c.mapLiteral(e, t)
	case reflect.Slice:
		return c.sliceLiteral(e, t)
	}
	fill, r := c.fill(e, t), t.rtype
	offset := c.temporary(t)
	return value{typ: t, into: fill, needsZero: true, addr: func(f frame) unsafe.Pointer {
		// An element may contain the same literal in a recursive call of its own frame only, so one
		// temporary is enough.
		p := unsafe.Add(f, offset)
		typedmemclr(r, p)
		fill(f, p)
		return p
	}}
}

func (c *compiler) sliceLiteral(e *ir.Composite, t *typ) value {
	elem := c.m.describe(t.Type.Elem())
	fill, n, r := c.fill(e, t), int(e.Len), elem.rtype
	return value{typ: t, f: func(f frame) slice {
		p := makeslice(r, n, n)
		fill(f, p)
		return slice{p, n, n}
	}}
}

// newComposite compiles &T{...}.
func (c *compiler) newComposite(e *ir.Composite, t *typ) value {
	of := c.typeOf(e.Type())
	r, size := of.rtype, of.size
	if of.class != classMemory { // a pointer to a slice or a map
		put := put(c.composite(e))
		return value{typ: t, f: func(f frame) unsafe.Pointer {
			p := mallocgc(size, r, true)
			put(f, p)
			return p
		}}
	}
	fill := c.fill(e, of)
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		p := mallocgc(size, r, true)
		fill(f, p)
		return p
	}}
}

// sliceExpr compiles x[lo:hi:max].
func (c *compiler) sliceExpr(e *ir.SliceExpr) value {
	x, s := c.expr(e.X), c.site(e.Pos())
	part := func(e ir.Expr) func(frame) int {
		if e == nil {
			return nil
		}
		return c.index(e).f.(func(frame) int)
	}
	lo, hi, limit := part(e.Lo), part(e.Hi), part(e.Max)
	if lo == nil {
		lo = func(frame) int { return 0 }
	}
	t := c.typeOf(e.Type())
	if x.typ.class == classString {
		get := x.f.(func(frame) string)
		return value{typ: t, f: func(f frame) string {
			v := get(f)
			i, j := lo(f), len(v)
			if hi != nil {
				j = hi(f)
			}
			if uint(j) > uint(len(v)) || uint(i) > uint(j) {
				fail(f, s)
				index := headerOf(f).thread.index
				switch {
				case j == tooLarge:
					return v[:index]
				case i == tooLarge && uint(j) <= uint(len(v)):
					return v[index:j]
				}
			}
			return v[i:j]
		}}
	}
	get := c.elements(x, true, s)
	array := x.typ.Kind() == reflect.Pointer
	size := t.Type.Elem().Size()
	return value{typ: t, f: func(f frame) slice {
		v := get(f)
		i, j, k := lo(f), v.len, v.cap
		if hi != nil {
			j = hi(f)
		}
		if limit != nil {
			k = limit(f)
		}
		if uint(k) > uint(v.cap) || uint(j) > uint(k) || uint(i) > uint(j) {
			panicSlice(f, s, v, slicing{i, j, k, limit != nil, array})
		}
		out := slice{v.ptr, j - i, k - i}
		if k > i { // else the pointer would be past the end
			out.ptr = unsafe.Add(v.ptr, uintptr(i)*size)
		}
		return out
	}}
}

// A slicing is the operation of a slice expression that is out of range.
type slicing struct {
	i, j, k int
	full    bool // all three are given
	array   bool // the operand is an array
}

// panicSlice panics as slicing does that is out of range.
//
//go:noinline
func panicSlice(f frame, s *site, v slice, o slicing) {
	fail(f, s)
	err := o.failure(v, headerOf(f).thread.index)
	if o.array {
		err = withLength(err)
	}
	raise(f, s, err)
}

// failure returns the error of the runtime. A bound that is too large for an int is given by index.
func (o slicing) failure(v slice, index uint64) (err error) {
	defer func() { err, _ = recover().(error) }()
	list := unsafe.Slice((*struct{})(unsafe.Pointer(&zeroes)), v.cap)[:v.len]
	switch {
	case o.k == tooLarge:
		_ = list[:0:index]
	case o.full && uint(o.k) > uint(v.cap):
		_ = list[:0:o.k]
	case o.j == tooLarge && o.full:
		_ = list[:index:o.k]
	case o.j == tooLarge:
		_ = list[:index]
	case o.i == tooLarge && o.full:
		_ = list[index:o.j:o.k]
	case o.i == tooLarge:
		_ = list[index:o.j]
	case o.full:
		_ = list[o.i:o.j:o.k]
	}
	_ = list[o.i:o.j]
	return nil
}

// withLength returns the error of the runtime about the capacity of a slice as that about the length of an
// array. The errors differ in one byte, which follows two words and a bool.
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
func (c *compiler) appendTo(e *ir.Builtin) value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	get := x.f.(func(frame) slice)
	elem := c.m.describe(t.Type.Elem())
	if len(e.Args) == 1 {
		return value{typ: t, f: get}
	}
	if e.Spread {
		return c.appendSlice(t, elem, get, e)
	}
	if len(e.Args) == 2 && elem.class != classMemory {
		return value{typ: t, f: appendScalar(elem, get, c.expr(e.Args[1]))}
	}
	var puts []func(frame, unsafe.Pointer)
	var stage []func(frame)
	for _, a := range e.Args[1:] { // values are computed before the slice grows
		v := c.expr(a)
		if v.form == formConst || v.form == formLocal {
			puts = append(puts, put(v))
			continue
		}
		temporary := access{mode: modeFrame, offset: c.temporary(elem), typ: elem}
		if elem.class == classMemory {
			p, offset, r := put(v), temporary.offset, elem.rtype
			stage = append(stage, func(f frame) {
				typedmemclr(r, unsafe.Add(f, offset))
				p(f, unsafe.Add(f, offset))
			})
		} else {
			stage = append(stage, classes[elem.class].store(temporary, v))
		}
		puts = append(puts, put(c.read(temporary)))
	}
	before := sequence(stage)
	size, r, n, s := elem.size, elem.rtype, len(puts), c.site(e.Pos())
	return value{typ: t, f: func(f frame) slice {
		v := get(f)
		if before != nil {
			before(f)
		}
		at := v.len
		if v.len+n < 0 {
			raise(f, s, runtimeError("growslice: len out of range"))
		}
		if v.len+n > v.cap {
			v = growslice(r, v, n)
		}
		v.len = at + n
		for i, put := range puts {
			put(f, unsafe.Add(v.ptr, uintptr(at+i)*size))
		}
		return v
	}}
}

// appendScalar compiles append of one element that is no struct or array.
func appendScalar(elem *typ, get func(frame) slice, x value) func(frame) slice {
	switch elem.class {
	case classInt:
		return appendOne[int](elem, get, x)
	case classFloat64:
		return appendOne[float64](elem, get, x)
	case classString:
		return appendOne[string](elem, get, x)
	case classPointer:
		return appendOne[unsafe.Pointer](elem, get, x)
	case classUint8:
		return appendOne[uint8](elem, get, x)
	case classInt32:
		return appendOne[int32](elem, get, x)
	case classIface:
		return appendOne[iface](elem, get, x)
	case classSlice:
		return appendOne[slice](elem, get, x)
	}
	put, size, r := put(x), elem.size, elem.rtype
	return func(f frame) slice {
		v := get(f)
		var room [2]uint64 // no pointers in the remaining classes
		put(f, unsafe.Pointer(&room))
		if v.len == v.cap {
			v = growslice(r, v, 1)
		}
		copy(unsafe.Slice((*byte)(unsafe.Add(v.ptr, uintptr(v.len)*size)), size), unsafe.Slice((*byte)(unsafe.Pointer(&room)), size))
		v.len++
		return v
	}
}

func appendOne[T any](elem *typ, get func(frame) slice, x value) func(frame) slice {
	element, r := x.f.(func(frame) T), elem.rtype
	return func(f frame) slice {
		v := get(f)
		k := element(f)
		if v.len == v.cap {
			v = growslice(r, v, 1)
		}
		*at[T](v.ptr, uintptr(v.len)*unsafe.Sizeof(k)) = k
		v.len++
		return v
	}
}

// appendSlice compiles append(x, y...).
func (c *compiler) appendSlice(t, elem *typ, get func(frame) slice, e *ir.Builtin) value {
	y, s, m := c.expr(e.Args[1]), c.site(e.Pos()), c.m
	r, size := elem.rtype, elem.size
	from := elementsOf(y)
	return value{typ: t, f: func(f frame) slice {
		v := get(f)
		w := from(f)
		if w.len == 0 {
			return v
		}
		at := v.len
		if v.len+w.len < 0 {
			raise(f, s, runtimeError("growslice: len out of range"))
		}
		if v.len+w.len > v.cap {
			fail(f, s)
			m.room(v.len+w.len, size, "growslice: len out of range")
			v = growslice(r, v, w.len)
		}
		v.len = at + w.len
		typedslicecopy(r, slice{unsafe.Add(v.ptr, uintptr(at)*size), w.len, w.len}, w)
		return v
	}}
}

// elementsOf returns a slice, or the bytes of a string, which must not be changed.
func elementsOf(y value) func(frame) slice {
	if y.typ.class == classString {
		text := y.f.(func(frame) string)
		return func(f frame) slice {
			s := text(f)
			return slice{unsafe.Pointer(unsafe.StringData(s)), len(s), len(s)}
		}
	}
	return y.f.(func(frame) slice)
}
