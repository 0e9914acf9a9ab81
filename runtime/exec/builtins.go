package exec

import (
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"gosphere/runtime/ir"
)

// builtin compiles a predeclared function with a result.
func (c *compiler) builtin(e *ir.Builtin) value {
	switch e.Name {
	case "append":
		return c.appendTo(e)
	case "len", "cap":
		return c.length(e)
	case "make":
		return c.makeValue(e)
	case "new":
		return c.newValue(e)
	case "min", "max":
		return c.extreme(e)
	case "copy":
		return c.copySlice(e)
	case "recover":
		return c.recovered(e)
	case "defers":
		return value{typ: c.pointerType(), f: load[unsafe.Pointer](access{mode: modeFrame, offset: c.defersAt})}
	case "complex", "real", "imag":
		return c.complexPart(e)
	case "Add", "Slice", "SliceData", "String", "StringData":
		return c.unsafeFunction(e)
	}
	unsupported(e.Pos(), "internal: %s has no value", e.Name)
	return value{}
}

// builtinStep compiles a predeclared function as a statement.
func (c *compiler) builtinStep(e *ir.Builtin) func(frame) {
	s := c.site(e.Pos())
	switch e.Name {
	case "panic":
		get := c.expr(e.Args[0]).f.(func(frame) iface)
		return func(f frame) {
			v := get(f)
			raise(f, s, *(*any)(unsafe.Pointer(&v)))
		}
	case "plainError":
		get := c.expr(e.Args[0]).f.(func(frame) string)
		return func(f frame) { raise(f, s, plainError(get(f))) }
	case "runtimeError":
		get := c.expr(e.Args[0]).f.(func(frame) string)
		return func(f frame) { raise(f, s, runtimeError(get(f))) }
	case "close":
		get := c.expr(e.Args[0]).f.(func(frame) unsafe.Pointer)
		return func(f frame) { ch := get(f); fail(f, s); chanclose(ch) }
	case "delete":
		return c.deleteElem(e, s)
	case "clear":
		return c.clearValue(e)
	case "print", "println":
		return c.print(e)
	}
	x := c.builtin(e)
	if x.typ.class == classMemory {
		addr := x.addr
		return func(f frame) { addr(f) }
	}
	return classes[x.typ.class].drop(x)
}

func (c *compiler) deleteElem(e *ir.Builtin, s *site) func(frame) {
	m := c.expr(e.Args[0])
	get, key, r, machine := m.f.(func(frame) unsafe.Pointer), c.inMemory(c.expr(e.Args[1])), m.typ.rtype, c.m
	return func(f frame) {
		v := get(f)
		k := key(f)
		fail(f, s)
		if machine.host.Shared() {
			defer machine.host.LockMap(uintptr(v), true)()
		}
		mapdelete(r, v, k)
	}
}

func (c *compiler) clearValue(e *ir.Builtin) func(frame) {
	x := c.expr(e.Args[0])
	if x.typ.class == classSlice {
		get := x.f.(func(frame) slice)
		t := x.typ.Type
		return func(f frame) {
			v := get(f)
			reflect.NewAt(t, unsafe.Pointer(&v)).Elem().Clear()
		}
	}
	get, r, machine := x.f.(func(frame) unsafe.Pointer), x.typ.rtype, c.m
	return func(f frame) {
		v := get(f)
		if machine.host.Shared() {
			defer machine.host.LockMap(uintptr(v), true)()
		}
		mapclear(r, v)
	}
}

// length compiles len and cap.
func (c *compiler) length(e *ir.Builtin) value {
	x := c.expr(e.Args[0])
	out := value{typ: c.intType()}
	capacity := e.Name == "cap"
	switch x.typ.class {
	case classString:
		get := x.f.(func(frame) string)
		out.f = func(f frame) int { return len(get(f)) }
		if x.form == formLocal {
			slot := x.slot
			out.f = func(f frame) int { return len(*at[string](f, slot)) }
		}
	case classSlice:
		get := x.f.(func(frame) slice)
		switch {
		case capacity:
			out.f = func(f frame) int { return get(f).cap }
		case x.form == formLocal:
			slot := x.slot
			out.f = func(f frame) int { return at[slice](f, slot).len }
		default:
			out.f = func(f frame) int { return get(f).len }
		}
	case classMemory:
		addr, n := x.addr, x.typ.Type.Len()
		out.f = func(f frame) int { addr(f); return n }
	default:
		get := x.f.(func(frame) unsafe.Pointer)
		switch {
		case x.typ.Type.Kind() == reflect.Map:
			out.f = func(f frame) int { return maplen(get(f)) }
		case x.typ.Type.Kind() == reflect.Pointer:
			n := x.typ.Type.Elem().Len()
			out.f = func(f frame) int { get(f); return n }
		case capacity:
			out.f = func(f frame) int { return chancap(get(f)) }
		default:
			out.f = func(f frame) int { return chanlen(get(f)) }
		}
	}
	return out
}

// makeValue compiles make.
func (c *compiler) makeValue(e *ir.Builtin) value {
	t, s := c.typeOf(e.Type()), c.site(e.Pos())
	sizes := make([]func(frame) int, len(e.Args))
	for i, a := range e.Args {
		sizes[i] = c.index(a).f.(func(frame) int)
	}
	r, m := t.rtype, c.m
	switch t.Type.Kind() {
	case reflect.Map:
		hint := func(frame) int { return 0 }
		if len(sizes) > 0 {
			hint = sizes[0]
		}
		entry := t.Type.Key().Size() + t.Type.Elem().Size()
		return value{typ: t, f: func(f frame) unsafe.Pointer {
			n := hint(f)
			fail(f, s)
			return makemap(r, max(m.room(n, entry, ""), 0), nil)
		}}
	case reflect.Chan:
		size := func(frame) int { return 0 }
		if len(sizes) > 0 {
			size = sizes[0]
		}
		entry := t.Type.Elem().Size()
		return value{typ: t, f: func(f frame) unsafe.Pointer {
			n := size(f)
			fail(f, s)
			return makechan(r, m.room(n, entry, "makechan: size out of range"))
		}}
	}
	elem, size, length := rtypeOf(t.Type.Elem()), t.Type.Elem().Size(), sizes[0]
	if len(sizes) == 1 {
		return value{typ: t, f: func(f frame) slice {
			n := length(f)
			fail(f, s)
			m.room(n, size, "makeslice: len out of range")
			return slice{makeslice(elem, n, n), n, n}
		}}
	}
	capacity := sizes[1]
	return value{typ: t, f: func(f frame) slice {
		n := length(f)
		k := capacity(f)
		fail(f, s)
		m.room(k, size, "makeslice: cap out of range")
		return slice{makeslice(elem, n, k), n, k}
	}}
}

// newValue compiles new.
func (c *compiler) newValue(e *ir.Builtin) value {
	t := c.typeOf(e.Type())
	elem := c.m.describe(t.Type.Elem())
	size, r := max(elem.size, 0), elem.rtype
	if len(e.Args) == 0 {
		return value{typ: t, f: func(frame) unsafe.Pointer { return mallocgc(size, r, true) }}
	}
	put := put(c.expr(e.Args[0]))
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		p := mallocgc(size, r, true)
		put(f, p)
		return p
	}}
}

// copySlice compiles copy.
func (c *compiler) copySlice(e *ir.Builtin) value {
	x := c.expr(e.Args[0])
	to, from, r := x.f.(func(frame) slice), elementsOf(c.expr(e.Args[1])), rtypeOf(x.typ.Type.Elem())
	return value{typ: c.intType(), f: func(f frame) int {
		dst := to(f)
		src := from(f)
		return typedslicecopy(r, dst, src)
	}}
}

// extreme compiles min and max.
func (c *compiler) extreme(e *ir.Builtin) value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		x = value{typ: t, f: extremeOf(e.Name == "min", x, c.expr(a))}
	}
	return x
}

func extremeOf(least bool, x, y value) any {
	switch x.f.(type) {
	case func(frame) int:
		return extremeInteger[int](least, x, y)
	case func(frame) int8:
		return extremeInteger[int8](least, x, y)
	case func(frame) int16:
		return extremeInteger[int16](least, x, y)
	case func(frame) int32:
		return extremeInteger[int32](least, x, y)
	case func(frame) int64:
		return extremeInteger[int64](least, x, y)
	case func(frame) uint:
		return extremeInteger[uint](least, x, y)
	case func(frame) uint8:
		return extremeInteger[uint8](least, x, y)
	case func(frame) uint16:
		return extremeInteger[uint16](least, x, y)
	case func(frame) uint32:
		return extremeInteger[uint32](least, x, y)
	case func(frame) uint64:
		return extremeInteger[uint64](least, x, y)
	case func(frame) uintptr:
		return extremeInteger[uintptr](least, x, y)
	case func(frame) float32:
		return extremeInteger[float32](least, x, y)
	case func(frame) float64:
		return extremeInteger[float64](least, x, y)
	}
	return extremeInteger[string](least, x, y)
}

func extremeInteger[T ordered](least bool, x, y value) any {
	a, b := x.f.(func(frame) T), y.f.(func(frame) T)
	if least {
		return func(f frame) T { v := a(f); return min(v, b(f)) }
	}
	return func(f frame) T { v := a(f); return max(v, b(f)) }
}

// complexPart compiles complex, real and imag.
func (c *compiler) complexPart(e *ir.Builtin) value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	if e.Name == "complex" {
		y := c.expr(e.Args[1])
		if t.class == classComplex64 {
			a, b := x.f.(func(frame) float32), y.f.(func(frame) float32)
			return value{typ: t, f: func(f frame) complex64 { v := a(f); return complex(v, b(f)) }}
		}
		a, b := x.f.(func(frame) float64), y.f.(func(frame) float64)
		return value{typ: t, f: func(f frame) complex128 { v := a(f); return complex(v, b(f)) }}
	}
	isReal := e.Name == "real"
	if get, ok := x.f.(func(frame) complex64); ok {
		if isReal {
			return value{typ: t, f: func(f frame) float32 { return real(get(f)) }}
		}
		return value{typ: t, f: func(f frame) float32 { return imag(get(f)) }}
	}
	get := x.f.(func(frame) complex128)
	if isReal {
		return value{typ: t, f: func(f frame) float64 { return real(get(f)) }}
	}
	return value{typ: t, f: func(f frame) float64 { return imag(get(f)) }}
}

// unsafeFunction compiles the functions of package unsafe.
func (c *compiler) unsafeFunction(e *ir.Builtin) value {
	t, s := c.typeOf(e.Type()), c.site(e.Pos())
	x := c.expr(e.Args[0])
	switch e.Name {
	case "SliceData":
		get := x.f.(func(frame) slice)
		return value{typ: t, f: func(f frame) unsafe.Pointer { return get(f).ptr }}
	case "StringData":
		get := x.f.(func(frame) string)
		return value{typ: t, f: func(f frame) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(get(f))) }}
	}
	pointer, number := x.f.(func(frame) unsafe.Pointer), c.index(e.Args[1]).f.(func(frame) int)
	switch e.Name {
	case "Add":
		return value{typ: t, f: func(f frame) unsafe.Pointer { p := pointer(f); return unsafe.Add(p, number(f)) }}
	case "String":
		return value{typ: t, f: func(f frame) string {
			p := pointer(f)
			n := number(f)
			fail(f, s)
			return unsafe.String((*byte)(p), n)
		}}
	}
	size := t.Type.Elem().Size()
	return value{typ: t, f: func(f frame) slice {
		p := pointer(f)
		n := number(f)
		if n < 0 || size > 0 && uintptr(n) > math.MaxInt/size {
			raise(f, s, runtimeError("unsafe.Slice: len out of range"))
		}
		if p == nil && n > 0 {
			raise(f, s, runtimeError("unsafe.Slice: ptr is nil and len is not zero"))
		}
		return slice{p, n, n}
	}}
}

// print compiles print and println, which write to standard error.
func (c *compiler) print(e *ir.Builtin) func(frame) {
	unpack := make([]func(frame) reflect.Value, len(e.Args))
	for i, a := range e.Args {
		unpack[i] = c.unpack(c.expr(a))
	}
	separator, last := "", ""
	if e.Name == "println" {
		separator, last = " ", "\n"
	}
	return func(f frame) {
		args := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			args[i] = get(f)
		}
		printValues(args, separator)
		printText(last)
	}
}

// printText is where print and println write; the session sets it.
var printText = func(text string) { print(text) }

// PrintTo sets where print and println write.
func PrintTo(write func(text string)) { printText = write }

func printValues(args []reflect.Value, separator string) {
	text := ""
	for i, v := range args {
		if i > 0 {
			text += separator
		}
		text += printed(v)
	}
	printText(text)
}

// printed writes a value as print does.
func printed(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return printedFloat(v.Float())
	case reflect.Complex64, reflect.Complex128:
		z := v.Complex()
		return "(" + printedFloat(real(z)) + printedFloat(imag(z)) + "i)"
	case reflect.Interface:
		words := *(*[2]uintptr)(v.Addr().UnsafePointer())
		return "(0x" + strconv.FormatUint(uint64(words[0]), 16) + ",0x" + strconv.FormatUint(uint64(words[1]), 16) + ")"
	case reflect.Slice:
		return "[" + itoa(v.Len()) + "/" + itoa(v.Cap()) + "]0x" + strconv.FormatUint(uint64(v.Pointer()), 16)
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return "0x" + strconv.FormatUint(uint64(v.Pointer()), 16)
}

// printedFloat writes a number in the form of the runtime: +1.500000e+000.
func printedFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	text := strconv.FormatFloat(v, 'e', 6, 64)
	if v >= 0 && !math.Signbit(v) {
		text = "+" + text
	}
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '+' || text[i] == '-' {
			for len(text)-i-1 < 3 {
				text = text[:i+1] + "0" + text[i+1:]
			}
			break
		}
	}
	return text
}

// room asks the host for the memory of n elements where that is much. It returns n, or 0 for a hint
// that is too large, for which text is empty.
func (m *Machine) room(n int, size uintptr, text string) int {
	const small = 1 << 16
	if n <= 0 || size == 0 || uintptr(n) <= small/size {
		return n
	}
	return m.host.Room(n, int(size), text)
}
