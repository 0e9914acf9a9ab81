package machine

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// A Shape describes how functions of a type are entered from compiled code. Types with parameters
// and results of the same classes share typed entries, because the calling convention depends on
// layout alone. make is nil if there is no typed entry.
//
// A func value of cells must be callable by compiled code that knows nothing of cells. Its code
// therefore has to take its arguments from the registers of the signature. Frequent signatures have
// code compiled here. Others share the general entry, which takes about 10 ns more. Package reflect
// makes the func values of functions with parameters or results on the stack.
type Shape struct {
	make func(cl *Closure) unsafe.Pointer
	typ  reflect.Type
}

// GoFunc returns the func value of a closure.
func (s *Shape) GoFunc(cl *Closure) unsafe.Pointer {
	if s.make != nil {
		return s.make(cl)
	}
	if layout := cl.Sig.layout(); layout != nil {
		return layout.NewFunc(unsafe.Pointer(cl))
	}
	cl.made = s.typ
	f := reflect.MakeFunc(s.typ, handler(cl))
	return *(*unsafe.Pointer)(NewFuncCell(f))
}

// shapes caches the shape of each function type, for all machines of the process.
var shapes sync.Map // reflect.Type to *Shape

// ShapeOf returns the shape of a function type.
//
// A variadic function has a slice as its last parameter and needs no case of its own.
func ShapeOf(t reflect.Type) *Shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*Shape)
	}
	s := &Shape{typ: t}
	if t.NumOut() <= 1 {
		var in []Class
		for p := range t.Ins() {
			in = append(in, classOfKind[p.Kind()])
		}
		result := noResult
		for r := range t.Outs() {
			result = classOfKind[r.Kind()]
		}
		s.make = typedEntry(in, result)
	}
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*Shape)
}

// typedEntry returns a function that makes func values with parameters and a result of these
// classes, or nil if there is no typed entry.
func typedEntry(in []Class, result Class) func(*Closure) unsafe.Pointer {
	switch len(in) {
	case 0:
		return enter0(result)
	case 1:
		return enter1(in[0], result)
	case 2:
		return enterTwo(in[0], in[1], result)
	case 3:
		return enterThree(in, result)
	}
	return nil
}

// noResult is used as the class of the result of a function that has none.
const noResult = ClassMemory + 1

// leave releases the frame of a call whose results have been read, and then the thread: a released
// thread and its frames belong to the next goroutine that acquires one.
func leave(n Frame, t *Thread, before State) {
	HeaderOf(n).Code.Leave(n)
	t.frame, t.site = before.frame, before.site
	if before.outside || before.fresh {
		t.end(before)
	}
}

// end is finish and leave for functions with one result, which it returns.
func end[R any](n Frame, t *Thread, before State) R {
	if before.fresh {
		finishFresh(n, t, before)
		r := *At[R](n, HeaderOf(n).Code.Results[0].Offset)
		leave(n, t, before)
		return r
	}
	code := HeaderOf(n).Code
	r := ValueForm[R](code)(n)
	if before.adopted {
		HeaderOf(n).Deferred = nil
	}
	// This is leave without its call, which sort.Slice would notice.
	code.Leave(n)
	t.frame, t.site = before.frame, before.site
	if before.outside {
		t.moves.out()
	}
	return r
}

// endNone is like end for functions without a result.
func endNone(n Frame, t *Thread, before State) {
	if before.fresh {
		finishFresh(n, t, before)
		leave(n, t, before)
		return
	}
	code := HeaderOf(n).Code
	code.Run(n)
	if before.adopted {
		HeaderOf(n).Deferred = nil
	}
	code.Leave(n)
	t.frame, t.site = before.frame, before.site
	if before.outside {
		t.moves.out()
	}
}

// valueOf returns the pointer that a func value consists of.
//
// own makes ClosureOf recognize the value.
func valueOf[F any](f F) unsafe.Pointer { return own(*(*unsafe.Pointer)(unsafe.Pointer(&f))) }

// enter0 returns a function that makes func values without parameters and with a result of class r.
// It returns nil for classes without a typed entry. A typed entry avoids the allocations and
// conversions of reflect.MakeFunc.
//
//go:noinline
func enter0(r Class) func(*Closure) unsafe.Pointer {
	switch r {
	case noResult:
		return func(cl *Closure) unsafe.Pointer {
			return valueOf(func() { n, t, b := cl.begin(); endNone(n, t, b) })
		}
	case ClassInt:
		return enter0r[int]
	case ClassFloat64:
		return enter0r[float64]
	case ClassString:
		return enter0r[string]
	case ClassBool:
		return enter0r[bool]
	case ClassIface:
		return enter0r[Iface]
	case ClassPointer:
		return enter0r[unsafe.Pointer]
	case ClassSlice:
		return enter0r[Slice]
	}
	return nil
}

// enter0r is the typed entry without parameters and with a result of type R. The closure captures
// only cl, so that cl is the word after the code address.
func enter0r[R any](cl *Closure) unsafe.Pointer {
	return valueOf(func() R { n, t, b := cl.begin(); return end[R](n, t, b) })
}

// enter1 is like enter0 for functions with one parameter of class a.
func enter1(a, r Class) func(*Closure) unsafe.Pointer {
	switch a {
	case ClassInt:
		return enter1a[int](r)
	case ClassInt32:
		if r == ClassInt32 { // strings.Map
			return enter1r[int32, int32]
		}
		return enter1a[int32](r)
	case ClassUint8:
		return enter1a[uint8](r)
	case ClassFloat64:
		return enter1a[float64](r)
	case ClassString:
		return enter1a[string](r)
	case ClassBool:
		return enter1a[bool](r)
	case ClassIface:
		return enter1a[Iface](r)
	case ClassPointer:
		return enter1a[unsafe.Pointer](r)
	case ClassSlice:
		return enter1a[Slice](r)
	}
	return nil
}

// enter1a selects the entry for the class of the result.
func enter1a[A any](r Class) func(*Closure) unsafe.Pointer {
	switch r {
	case noResult:
		return func(cl *Closure) unsafe.Pointer {
			return valueOf(func(a A) {
				n, t, b := cl.begin()
				*At[A](n, cl.Sig.Params[0].Offset) = a
				endNone(n, t, b)
			})
		}
	case ClassInt:
		return enter1r[A, int]
	case ClassFloat64:
		return enter1r[A, float64]
	case ClassString:
		return enter1r[A, string]
	case ClassBool:
		return enter1r[A, bool]
	case ClassIface:
		return enter1r[A, Iface]
	case ClassPointer:
		return enter1r[A, unsafe.Pointer]
	case ClassSlice:
		return enter1r[A, Slice]
	}
	return nil
}

// enter1r is the typed entry with one parameter.
func enter1r[A, R any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A) R {
		n, t, b := cl.begin()
		*At[A](n, cl.Sig.Params[0].Offset) = a
		return end[R](n, t, b)
	})
}

// enterTwo is like enter0 for functions with two parameters.
func enterTwo(a, b, r Class) func(*Closure) unsafe.Pointer {
	switch a {
	case ClassInt:
		return enter2a[int](b, r)
	case ClassFloat64:
		return enter2a[float64](b, r)
	case ClassString:
		return enter2a[string](b, r)
	case ClassIface:
		return enter2a[Iface](b, r)
	case ClassPointer:
		return enter2a[unsafe.Pointer](b, r)
	case ClassSlice:
		return enter2a[Slice](b, r)
	}
	return nil
}

// enter2a selects the entry for the class of the second parameter.
func enter2a[A any](b, r Class) func(*Closure) unsafe.Pointer {
	switch b {
	case ClassInt:
		return enter2b[A, int](r)
	case ClassFloat64:
		return enter2b[A, float64](r)
	case ClassString:
		return enter2b[A, string](r)
	case ClassIface:
		return enter2b[A, Iface](r)
	case ClassPointer:
		return enter2b[A, unsafe.Pointer](r)
	case ClassSlice:
		return enter2b[A, Slice](r)
	}
	return nil
}

// enter2b selects the entry for the class of the result.
func enter2b[A, B any](r Class) func(*Closure) unsafe.Pointer {
	switch r {
	case noResult:
		return func(cl *Closure) unsafe.Pointer {
			return valueOf(func(x A, y B) {
				n, t, b := cl.begin()
				*At[A](n, cl.Sig.Params[0].Offset), *At[B](n, cl.Sig.Params[1].Offset) = x, y
				endNone(n, t, b)
			})
		}
	case ClassInt:
		return enter2r[A, B, int]
	case ClassFloat64:
		return enter2r[A, B, float64]
	case ClassString:
		return enter2r[A, B, string]
	case ClassBool:
		return enter2r[A, B, bool]
	case ClassIface:
		return enter2r[A, B, Iface]
	case ClassPointer:
		return enter2r[A, B, unsafe.Pointer]
	}
	return nil
}

// enter2r is the typed entry with two parameters.
func enter2r[A, B, R any](cl *Closure) unsafe.Pointer {
	return valueOf(func(x A, y B) R {
		n, t, b := cl.begin()
		*At[A](n, cl.Sig.Params[0].Offset), *At[B](n, cl.Sig.Params[1].Offset) = x, y
		return end[R](n, t, b)
	})
}

// enterThree is like enter0 for methods of sort.Interface, whose first parameter is the receiver.
func enterThree(in []Class, r Class) func(*Closure) unsafe.Pointer {
	switch {
	case !slices.Equal(in, []Class{ClassPointer, ClassInt, ClassInt}):
		return nil
	case r == noResult:
		return func(cl *Closure) unsafe.Pointer {
			return valueOf(func(x unsafe.Pointer, i, j int) {
				n, t, b := cl.begin()
				*At[unsafe.Pointer](n, cl.Sig.Params[0].Offset) = x
				*At[int](n, cl.Sig.Params[1].Offset), *At[int](n, cl.Sig.Params[2].Offset) = i, j
				endNone(n, t, b)
			})
		}
	case r == ClassBool:
		return func(cl *Closure) unsafe.Pointer {
			return valueOf(func(x unsafe.Pointer, i, j int) bool {
				n, t, b := cl.begin()
				*At[unsafe.Pointer](n, cl.Sig.Params[0].Offset) = x
				*At[int](n, cl.Sig.Params[1].Offset), *At[int](n, cl.Sig.Params[2].Offset) = i, j
				return end[bool](n, t, b)
			})
		}
	}
	return nil
}
