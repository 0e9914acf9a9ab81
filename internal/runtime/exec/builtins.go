package exec

import (
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// builtin compiles a call of a predeclared function that has a result.
func (c *compiler) builtin(e *ir.Builtin) machine.Value {
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
		return machine.Value{Type: c.pointerType(), F: machine.Load[unsafe.Pointer](machine.Access{Mode: machine.ModeFrame, Offset: c.defersAt})}
	case "complex", "real", "imag":
		return c.complexPart(e)
	case "Add", "Slice", "SliceData", "String", "StringData":
		return c.unsafeFunction(e)
	}
	unsupported(e.Pos(), "internal: %s has no value", e.Name)
	return machine.Value{}
}

// builtinStep compiles a call of a predeclared function as a statement.
func (c *compiler) builtinStep(e *ir.Builtin) func(machine.Frame) {
	s := c.site(e.Pos())
	switch e.Name {
	case "panic":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) machine.Iface)
		return func(f machine.Frame) {
			v := get(f)
			machine.Raise(f, s, *(*any)(unsafe.Pointer(&v)))
		}
	case "plainError":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) string)
		return func(f machine.Frame) { machine.Raise(f, s, machine.PlainError(get(f))) }
	case "runtimeError":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) string)
		return func(f machine.Frame) { machine.Raise(f, s, machine.RuntimeError(get(f))) }
	case "close":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) unsafe.Pointer)
		return func(f machine.Frame) { ch := get(f); machine.Fail(f, s); machine.ChanClose(ch) }
	case "delete":
		return c.deleteElem(e, s)
	case "clear":
		return c.clearValue(e)
	case "print", "println":
		return c.print(e)
	}
	x := c.builtin(e)
	// The remaining functions have a result, which is discarded.
	if x.Type.Class == machine.ClassMemory {
		addr := x.Addr
		return func(f machine.Frame) { addr(f) }
	}
	return machine.Classes[x.Type.Class].Drop(x)
}

// deleteElem compiles delete. The site is recorded first, because a key that is not hashable
// panics.
func (c *compiler) deleteElem(e *ir.Builtin, s *machine.Site) func(machine.Frame) {
	m := c.expr(e.Args[0])
	get, key, r, vm := m.F.(func(machine.Frame) unsafe.Pointer), c.inMemory(c.expr(e.Args[1])), m.Type.RType, c.m
	return func(f machine.Frame) {
		v := get(f)
		k := key(f)
		machine.Fail(f, s)
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), true)()
		}
		machine.MapDelete(r, v, k)
	}
}

// clearValue compiles clear for a slice or a map.
func (c *compiler) clearValue(e *ir.Builtin) func(machine.Frame) {
	x := c.expr(e.Args[0])
	if x.Type.Class == machine.ClassSlice {
		get := x.F.(func(machine.Frame) machine.Slice)
		t := x.Type.Type
		return func(f machine.Frame) {
			v := get(f)
			reflect.NewAt(t, unsafe.Pointer(&v)).Elem().Clear()
		}
	}
	get, r, vm := x.F.(func(machine.Frame) unsafe.Pointer), x.Type.RType, c.m
	return func(f machine.Frame) {
		v := get(f)
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), true)()
		}
		machine.MapClear(r, v)
	}
}

// length compiles len and cap. It has separate closures for slices and strings in local variables,
// which occur in most loops.
func (c *compiler) length(e *ir.Builtin) machine.Value {
	x := c.expr(e.Args[0])
	out := machine.Value{Type: c.intType()}
	capacity := e.Name == "cap"
	switch x.Type.Class {
	case machine.ClassString:
		get := x.F.(func(machine.Frame) string)
		out.F = func(f machine.Frame) int { return len(get(f)) }
		if x.Form == machine.FormLocal {
			slot := x.Slot
			out.F = func(f machine.Frame) int { return len(*machine.At[string](f, slot)) }
		}
	case machine.ClassSlice:
		get := x.F.(func(machine.Frame) machine.Slice)
		switch {
		case capacity:
			out.F = func(f machine.Frame) int { return get(f).Cap }
		case x.Form == machine.FormLocal:
			slot := x.Slot
			out.F = func(f machine.Frame) int { return machine.At[machine.Slice](f, slot).Len }
		default:
			out.F = func(f machine.Frame) int { return get(f).Len }
		}
	case machine.ClassMemory:
		// The length of an array is known, but its evaluation may have effects.
		addr, n := x.Addr, x.Type.Type.Len()
		out.F = func(f machine.Frame) int { addr(f); return n }
	default:
		get := x.F.(func(machine.Frame) unsafe.Pointer)
		switch {
		case x.Type.Type.Kind() == reflect.Map:
			out.F = func(f machine.Frame) int { return machine.MapLen(get(f)) }
		// A nil pointer to an array does not panic here.
		case x.Type.Type.Kind() == reflect.Pointer:
			n := x.Type.Type.Elem().Len()
			out.F = func(f machine.Frame) int { get(f); return n }
		case capacity:
			out.F = func(f machine.Frame) int { return machine.ChanCap(get(f)) }
		default:
			out.F = func(f machine.Frame) int { return machine.ChanLen(get(f)) }
		}
	}
	return out
}

// makeValue compiles make. Large requests are checked with the host first: an allocation that fails
// would end the process.
func (c *compiler) makeValue(e *ir.Builtin) machine.Value {
	t, s := c.typeOf(e.Type()), c.site(e.Pos())
	sizes := make([]func(machine.Frame) int, len(e.Args))
	for i, a := range e.Args {
		sizes[i] = c.index(a).F.(func(machine.Frame) int)
	}
	r, m := t.RType, c.m
	switch t.Type.Kind() {
	case reflect.Map:
		hint := func(machine.Frame) int { return 0 }
		if len(sizes) > 0 {
			hint = sizes[0]
		}
		entry := t.Type.Key().Size() + t.Type.Elem().Size()
		return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
			n := hint(f)
			machine.Fail(f, s)
			// The size of make for a map is a hint: the runtime ignores a negative one that is not
			// constant.
			return machine.MakeMap(r, max(m.Room(n, entry, ""), 0), nil)
		}}
	case reflect.Chan:
		size := func(machine.Frame) int { return 0 }
		if len(sizes) > 0 {
			size = sizes[0]
		}
		entry := t.Type.Elem().Size()
		return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
			n := size(f)
			machine.Fail(f, s)
			return machine.MakeChan(r, m.Room(n, entry, "makechan: size out of range"))
		}}
	}
	elem, size, length := machine.RTypeOf(t.Type.Elem()), t.Type.Elem().Size(), sizes[0]
	if len(sizes) == 1 {
		return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
			n := length(f)
			machine.Fail(f, s)
			m.Room(n, size, "makeslice: len out of range")
			return machine.Slice{Ptr: machine.MakeSlice(elem, n, n), Len: n, Cap: n}
		}}
	}
	capacity := sizes[1]
	return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		n := length(f)
		k := capacity(f)
		machine.Fail(f, s)
		// MakeSlice checks that the length is not larger than the capacity.
		m.Room(k, size, "makeslice: cap out of range")
		return machine.Slice{Ptr: machine.MakeSlice(elem, n, k), Len: n, Cap: k}
	}}
}

// newValue compiles new(T), and new(x), which gives the new variable the value of x.
func (c *compiler) newValue(e *ir.Builtin) machine.Value {
	t := c.typeOf(e.Type())
	elem := c.m.Describe(t.Type.Elem())
	size, r := max(elem.Size, 0), elem.RType
	if len(e.Args) == 0 {
		return machine.Value{Type: t, F: func(machine.Frame) unsafe.Pointer { return machine.Malloc(size, r, true) }}
	}
	put := machine.Put(c.expr(e.Args[0]))
	return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		p := machine.Malloc(size, r, true)
		put(f, p)
		return p
	}}
}

// copySlice compiles copy.
func (c *compiler) copySlice(e *ir.Builtin) machine.Value {
	x := c.expr(e.Args[0])
	to, from, r := x.F.(func(machine.Frame) machine.Slice), elementsOf(c.expr(e.Args[1])), machine.RTypeOf(x.Type.Type.Elem())
	return machine.Value{Type: c.intType(), F: func(f machine.Frame) int {
		dst := to(f)
		src := from(f)
		return machine.TypedCopy(r, dst, src)
	}}
}

// extreme compiles min and max. With more than two arguments it chains the comparisons.
func (c *compiler) extreme(e *ir.Builtin) machine.Value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		x = machine.Value{Type: t, F: extremeOf(e.Name == "min", x, c.expr(a))}
	}
	return x
}

// extremeOf selects the instance of extremeInteger for the class of the operands.
func extremeOf(least bool, x, y machine.Value) any {
	switch x.F.(type) {
	case func(machine.Frame) int:
		return extremeInteger[int](least, x, y)
	case func(machine.Frame) int8:
		return extremeInteger[int8](least, x, y)
	case func(machine.Frame) int16:
		return extremeInteger[int16](least, x, y)
	case func(machine.Frame) int32:
		return extremeInteger[int32](least, x, y)
	case func(machine.Frame) int64:
		return extremeInteger[int64](least, x, y)
	case func(machine.Frame) uint:
		return extremeInteger[uint](least, x, y)
	case func(machine.Frame) uint8:
		return extremeInteger[uint8](least, x, y)
	case func(machine.Frame) uint16:
		return extremeInteger[uint16](least, x, y)
	case func(machine.Frame) uint32:
		return extremeInteger[uint32](least, x, y)
	case func(machine.Frame) uint64:
		return extremeInteger[uint64](least, x, y)
	case func(machine.Frame) uintptr:
		return extremeInteger[uintptr](least, x, y)
	case func(machine.Frame) float32:
		return extremeInteger[float32](least, x, y)
	case func(machine.Frame) float64:
		return extremeInteger[float64](least, x, y)
	}
	return extremeInteger[string](least, x, y)
}

// extremeInteger compiles min or max of two operands, which may also be floats or strings. Go's own
// min and max serve, so that NaN and negative zero have the results that they have in compiled
// code. The first operand is stored in a variable, so that it is evaluated before the second one.
func extremeInteger[T machine.Ordered](least bool, x, y machine.Value) any {
	a, b := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	if least {
		if x.Form == machine.FormLocal {
			slot := x.Slot
			return func(f machine.Frame) T { v := *machine.At[T](f, slot); return min(v, b(f)) }
		}
		return func(f machine.Frame) T { v := a(f); return min(v, b(f)) }
	}
	if x.Form == machine.FormLocal {
		slot := x.Slot
		return func(f machine.Frame) T { v := *machine.At[T](f, slot); return max(v, b(f)) }
	}
	return func(f machine.Frame) T { v := a(f); return max(v, b(f)) }
}

// complexPart compiles complex, real and imag.
func (c *compiler) complexPart(e *ir.Builtin) machine.Value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	if e.Name == "complex" {
		y := c.expr(e.Args[1])
		if t.Class == machine.ClassComplex64 {
			a, b := x.F.(func(machine.Frame) float32), y.F.(func(machine.Frame) float32)
			return machine.Value{Type: t, F: func(f machine.Frame) complex64 { v := a(f); return complex(v, b(f)) }}
		}
		a, b := x.F.(func(machine.Frame) float64), y.F.(func(machine.Frame) float64)
		return machine.Value{Type: t, F: func(f machine.Frame) complex128 { v := a(f); return complex(v, b(f)) }}
	}
	isReal := e.Name == "real"
	if get, ok := x.F.(func(machine.Frame) complex64); ok {
		if isReal {
			return machine.Value{Type: t, F: func(f machine.Frame) float32 { return real(get(f)) }}
		}
		return machine.Value{Type: t, F: func(f machine.Frame) float32 { return imag(get(f)) }}
	}
	get := x.F.(func(machine.Frame) complex128)
	if isReal {
		return machine.Value{Type: t, F: func(f machine.Frame) float64 { return real(get(f)) }}
	}
	return machine.Value{Type: t, F: func(f machine.Frame) float64 { return imag(get(f)) }}
}

// unsafeFunction compiles the functions of package unsafe.
func (c *compiler) unsafeFunction(e *ir.Builtin) machine.Value {
	t, s := c.typeOf(e.Type()), c.site(e.Pos())
	x := c.expr(e.Args[0])
	switch e.Name {
	case "SliceData":
		get := x.F.(func(machine.Frame) machine.Slice)
		return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer { return get(f).Ptr }}
	case "StringData":
		get := x.F.(func(machine.Frame) string)
		return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(get(f))) }}
	}
	pointer, number := x.F.(func(machine.Frame) unsafe.Pointer), c.index(e.Args[1]).F.(func(machine.Frame) int)
	switch e.Name {
	case "Add":
		return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer { p := pointer(f); return unsafe.Add(p, number(f)) }}
	case "String":
		return machine.Value{Type: t, F: func(f machine.Frame) string {
			p := pointer(f)
			n := number(f)
			machine.Fail(f, s) // Go's own function panics if the length is negative or the pointer nil
			return unsafe.String((*byte)(p), n)
		}}
	}
	size := t.Type.Elem().Size()
	return machine.Value{Type: t, F: func(f machine.Frame) machine.Slice {
		p := pointer(f)
		n := number(f)
		// The last condition is that of compiled Go: the slice may end at the end of the address
		// space, but not beyond it.
		if n < 0 || size > 0 && uintptr(n) > math.MaxInt/size || uintptr(n)*size > -uintptr(p) && p != nil {
			machine.Raise(f, s, machine.RuntimeError("unsafe.Slice: len out of range"))
		}
		if p == nil && n > 0 {
			machine.Raise(f, s, machine.RuntimeError("unsafe.Slice: ptr is nil and len is not zero"))
		}
		return machine.Slice{Ptr: p, Len: n, Cap: n}
	}}
}

// print compiles print and println, which write to standard error.
func (c *compiler) print(e *ir.Builtin) func(machine.Frame) {
	unpack := make([]func(machine.Frame) reflect.Value, len(e.Args))
	for i, a := range e.Args {
		unpack[i] = c.unpack(c.expr(a))
	}
	separator, last := "", ""
	if e.Name == "println" {
		separator, last = " ", "\n"
	}
	return func(f machine.Frame) {
		args := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			args[i] = get(f)
		}
		printValues(args, separator)
		printText(last)
	}
}

// printText is the destination of print and println. The session replaces it.
var printText = func(text string) { print(text) }

// PrintTo sets the function that receives the output of print and println.
func PrintTo(write func(text string)) { printText = write }

// printValues prints values with a single write, so that the values of one call are not mixed with
// the output of other goroutines.
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

// printed returns the text that print writes for a value. It is that of the runtime, which differs
// from the text of package fmt: a slice of length 1 is printed as [1/4] followed by its address.
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
		return "[" + strconv.Itoa(v.Len()) + "/" + strconv.Itoa(v.Cap()) + "]0x" + strconv.FormatUint(uint64(v.Pointer()), 16)
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return "0x" + strconv.FormatUint(uint64(v.Pointer()), 16)
}

// printedFloat returns a number in the form that the runtime prints, such as +1.500000e+000.
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
	// The runtime always prints three digits of the exponent.
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
