package override

import (
	"bytes"
	"reflect"
	"strings"

	"gosphere/runtime/internal/guard/limits"
)

// allocationSupport returns the overrides of functions that allocate as much as their arguments
// say. The runtime ends the process when memory runs out, so the bytes are reserved within the
// memory limit first, as for make in cells. Arguments that the originals refuse are left to them.
func (g functions) allocationSupport() map[string]any {
	return map[string]any{
		"ReflectMakeSlice": func(t reflect.Type, length, capacity int) reflect.Value {
			if t.Kind() == reflect.Slice {
				g.reserve(capacity, t.Elem())
			}
			return reflect.MakeSlice(t, length, capacity)
		},
		"ReflectMakeChan": func(t reflect.Type, buffer int) reflect.Value {
			if t.Kind() == reflect.Chan {
				g.reserve(buffer, t.Elem())
			}
			return reflect.MakeChan(t, buffer)
		},
		"ReflectMakeMapWithSize": func(t reflect.Type, n int) reflect.Value {
			if t.Kind() == reflect.Map {
				g.reserve(n, t.Key())
				g.reserve(n, t.Elem())
			}
			return reflect.MakeMapWithSize(t, n)
		},
		"ReflectNew": func(t reflect.Type) reflect.Value {
			if t != nil {
				g.reserve(1, t)
			}
			return reflect.New(t)
		},
		"ReflectZero": func(t reflect.Type) reflect.Value {
			if t != nil {
				g.reserve(1, t)
			}
			return reflect.Zero(t)
		},
		"ReflectGrow": func(v reflect.Value, n int) {
			if v.Kind() == reflect.Slice {
				g.reserve(n, v.Type().Elem())
			}
			v.Grow(n)
		},
		"BuilderGrow": func(b *strings.Builder, n int) { g.reserveBytes(n, 1); b.Grow(n) },
		"BufferGrow":  func(b *bytes.Buffer, n int) { g.reserveBytes(n, 1); b.Grow(n) },
	}
}

// reserve reserves the memory of n values of a type.
func (g functions) reserve(n int, t reflect.Type) { g.reserveBytes(n, int(t.Size())) }

// leastReserved is the number of bytes from which a reservation is worth its time.
const leastReserved = 64 << 10

// reserveBytes reserves the memory of n values of a size.
func (g functions) reserveBytes(n, size int) {
	if n > 0 && size > 0 && n <= limits.LargestRequest/size && n*size >= leastReserved {
		g.Memory.Reserve(int64(n) * int64(size))
	}
}
