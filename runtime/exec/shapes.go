package exec

import (
	"reflect"
	"sync"
	"unsafe"
)

// A shape is how functions of a type are entered from compiled code, and how compiled functions of
// the type are called. Types whose parameters and results are passed alike share one: the calling
// convention does not know names.
type shape struct {
	make func(cl *closure) unsafe.Pointer
	typ  reflect.Type
}

// goFunc returns the func value of a closure.
func (s *shape) goFunc(cl *closure) unsafe.Pointer {
	if s.make != nil && cl.bound == nil {
		return s.make(cl)
	}
	cl.made = s.typ
	f := reflect.MakeFunc(s.typ, handler(cl))
	return *(*unsafe.Pointer)(newFuncCell(f))
}

var shapes sync.Map // reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{typ: t}
	var in []class
	simple := t.NumOut() <= 1
	for i := range t.NumIn() {
		in = append(in, classOfKind[t.In(i).Kind()])
	}
	result := noResult
	if t.NumOut() == 1 {
		result = classOfKind[t.Out(0).Kind()]
	}
	if simple {
		switch len(in) {
		case 0:
			s.make = enter0(result)
		case 1:
			s.make = enter1(in[0], result)
		case 2:
			s.make = enter2(in[0], in[1], result)
		}
	}
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*shape)
}

// noResult stands for the class of a result that there is not.
const noResult = classMemory + 1

// end reads the result of a function that was entered from compiled code.
func end[R any](cl *closure, n frame, t *Thread, before entryState) R {
	finish(n, t, before)
	r := *at[R](n, cl.sig.results[0].offset)
	headerOf(n).code.leave(n)
	return r
}

func endNone(n frame, t *Thread, before entryState) {
	finish(n, t, before)
	headerOf(n).code.leave(n)
}

// valueOf returns the pointer that a func value is.
func valueOf[F any](f F) unsafe.Pointer { return own(*(*unsafe.Pointer)(unsafe.Pointer(&f))) }

func enter0(r class) func(*closure) unsafe.Pointer {
	switch r {
	case noResult:
		return func(cl *closure) unsafe.Pointer {
			return valueOf(func() { n, t, b := cl.begin(); endNone(n, t, b) })
		}
	case classInt:
		return enter0r[int]
	case classFloat64:
		return enter0r[float64]
	case classString:
		return enter0r[string]
	case classBool:
		return enter0r[bool]
	case classIface:
		return enter0r[iface]
	case classPointer:
		return enter0r[unsafe.Pointer]
	case classSlice:
		return enter0r[slice]
	}
	return nil
}

func enter0r[R any](cl *closure) unsafe.Pointer {
	return valueOf(func() R { n, t, b := cl.begin(); return end[R](cl, n, t, b) })
}

func enter1(a, r class) func(*closure) unsafe.Pointer {
	switch a {
	case classInt:
		return enter1a[int](r)
	case classInt32:
		return enter1a[int32](r)
	case classUint8:
		return enter1a[uint8](r)
	case classFloat64:
		return enter1a[float64](r)
	case classString:
		return enter1a[string](r)
	case classBool:
		return enter1a[bool](r)
	case classIface:
		return enter1a[iface](r)
	case classPointer:
		return enter1a[unsafe.Pointer](r)
	case classSlice:
		return enter1a[slice](r)
	}
	return nil
}

func enter1a[A any](r class) func(*closure) unsafe.Pointer {
	switch r {
	case noResult:
		return func(cl *closure) unsafe.Pointer {
			return valueOf(func(a A) {
				n, t, b := cl.begin()
				*at[A](n, cl.sig.params[0].offset) = a
				endNone(n, t, b)
			})
		}
	case classInt:
		return enter1r[A, int]
	case classFloat64:
		return enter1r[A, float64]
	case classString:
		return enter1r[A, string]
	case classBool:
		return enter1r[A, bool]
	case classIface:
		return enter1r[A, iface]
	case classPointer:
		return enter1r[A, unsafe.Pointer]
	case classSlice:
		return enter1r[A, slice]
	}
	return nil
}

func enter1r[A, R any](cl *closure) unsafe.Pointer {
	return valueOf(func(a A) R {
		n, t, b := cl.begin()
		*at[A](n, cl.sig.params[0].offset) = a
		return end[R](cl, n, t, b)
	})
}

func enter2(a, b, r class) func(*closure) unsafe.Pointer {
	switch a {
	case classInt:
		return enter2a[int](b, r)
	case classFloat64:
		return enter2a[float64](b, r)
	case classString:
		return enter2a[string](b, r)
	case classIface:
		return enter2a[iface](b, r)
	case classPointer:
		return enter2a[unsafe.Pointer](b, r)
	case classSlice:
		return enter2a[slice](b, r)
	}
	return nil
}

func enter2a[A any](b, r class) func(*closure) unsafe.Pointer {
	switch b {
	case classInt:
		return enter2b[A, int](r)
	case classFloat64:
		return enter2b[A, float64](r)
	case classString:
		return enter2b[A, string](r)
	case classIface:
		return enter2b[A, iface](r)
	case classPointer:
		return enter2b[A, unsafe.Pointer](r)
	case classSlice:
		return enter2b[A, slice](r)
	}
	return nil
}

func enter2b[A, B any](r class) func(*closure) unsafe.Pointer {
	switch r {
	case noResult:
		return func(cl *closure) unsafe.Pointer {
			return valueOf(func(x A, y B) {
				n, t, b := cl.begin()
				*at[A](n, cl.sig.params[0].offset), *at[B](n, cl.sig.params[1].offset) = x, y
				endNone(n, t, b)
			})
		}
	case classInt:
		return enter2r[A, B, int]
	case classFloat64:
		return enter2r[A, B, float64]
	case classString:
		return enter2r[A, B, string]
	case classBool:
		return enter2r[A, B, bool]
	case classIface:
		return enter2r[A, B, iface]
	case classPointer:
		return enter2r[A, B, unsafe.Pointer]
	}
	return nil
}

func enter2r[A, B, R any](cl *closure) unsafe.Pointer {
	return valueOf(func(x A, y B) R {
		n, t, b := cl.begin()
		*at[A](n, cl.sig.params[0].offset), *at[B](n, cl.sig.params[1].offset) = x, y
		return end[R](cl, n, t, b)
	})
}
