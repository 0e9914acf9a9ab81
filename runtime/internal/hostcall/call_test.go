package hostcall

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

type mixed struct {
	A int8
	B float32
	C string
	D [1]struct{ E uint16 }
	F complex64
	G [0]int
	H bool
	I any
}

type pair struct {
	X, Y float64
}

func echo[A any](a A) A                                 { return a }
func swap[A, B any](a A, b B) (B, A)                    { return b, a }
func turn[A, B, C any](a A, b B, c C) (C, A, B)         { return c, a, b }
func around[A any](a int8, b A, c float32) (A, float32) { return b, c + float32(a) }

// functions are compiled functions of many shapes.
var functions = []any{
	func() {},
	echo[int8], echo[int16], echo[int32], echo[int64], echo[int], echo[uint8], echo[uint16],
	echo[uint32], echo[uint64], echo[uint], echo[uintptr], echo[bool], echo[float32],
	echo[float64], echo[complex64], echo[complex128], echo[string], echo[[]int], echo[any],
	echo[error], echo[*int], echo[map[string]int], echo[func() int], echo[chan int],
	echo[unsafe.Pointer], echo[struct{}], echo[[0]string], echo[[1]string], echo[[2]string],
	echo[mixed], echo[pair], echo[*mixed], echo[[]mixed], echo[struct{ P, Q pair }],
	swap[int8, string], swap[string, int8], swap[float32, []string], swap[mixed, pair],
	swap[struct{}, int], swap[[0]int, string], swap[any, error], swap[complex128, bool],
	swap[[2]int8, int8], swap[[3]*int, string], swap[pair, [1]pair],
	turn[int, string, float64], turn[bool, uint16, float32], turn[mixed, int, []string],
	turn[any, *int, func() int], turn[[2]int, string, float64], turn[string, string, string],
	around[mixed], around[string], around[[4]string], around[[1][1][1]int32],
	func(a, b, c, d, e, f, g, h, i int) (int, int, int, int, int, int, int, int, int) {
		return i, h, g, f, e, d, c, b, a
	},
	func(a, b, c, d, e, f, g, h, i, j int) int { return a - b*c + d - e + f*g - h + i - j },
	func(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q int) (int, string) {
		return a - b*c + d - e + f*g - h + i - j + k - l + m - n + o - p + q, "seventeen"
	},
	func(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o float64) (float64, float64, int) {
		return a - b*c + d, e + f*g - h + i - j - k + l - m + n - o, 15
	},
	func(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q float64) float32 {
		return float32(a - b*c + d - e + f*g - h + i - j - k + l - m + n - o + p*q)
	},
	func(a, b, c string, x float64, d int, y float32) (string, float64) {
		return a + b + c, x*float64(d) + float64(y)
	},
	func(a, b, c, d []int) (int, []int) { return len(a) + len(b) + len(c), d },
	func(format string, args ...any) string { return fmt.Sprintf(format, args...) },
	func(n int8, xs ...float32) (sum float32) {
		for _, x := range xs {
			sum += x
		}
		return sum + float32(n)
	},
	func(a, b, c, d, e, f, g int, rest ...string) string { return strings.Join(rest, ",") },
	math.Sin, strings.Contains, strings.Repeat, strings.Cut, math.Modf, strings.Fields,
}

func TestCallDoesWhatReflectDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range functions {
		v := reflect.ValueOf(f)
		for range 20 {
			args := randomArguments(random, v.Type())
			compare(t, v, args)
		}
	}
}

func TestManyShapesNeedNoReflect(t *testing.T) {
	if !haveTrampoline {
		t.Skip("this architecture has no trampoline")
	}
	for _, c := range []struct {
		f    any
		want bool
	}{
		{math.Sin, true}, {strings.Cut, true}, {echo[mixed], true}, {echo[[2]string], false},
		{swap[struct{}, int], true}, {func(a, b, c []int) {}, true}, {func() {}, true},
		{func(...[]int) [1]string { return [1]string{} }, true}, {echo[[0]int], true},
	} {
		if got := Of(reflect.TypeOf(c.f)).function.registers; got != c.want {
			t.Errorf("%T: registers suffice: %v, want %v", c.f, got, c.want)
		}
	}
}

// TestCallAgreesWithStubsOfReflect calls functions of random types made by reflect. Their code
// reads the registers and the stack as reflect assigns them.
func TestCallAgreesWithStubsOfReflect(t *testing.T) {
	for seed := range uint64(1500) {
		checkRandomSignature(t, seed)
	}
}

func FuzzCallAgreesWithStubsOfReflect(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(checkRandomSignature)
}

func checkRandomSignature(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	var in, out []reflect.Type
	for range random.IntN(7) {
		in = append(in, randomType(random, 3))
	}
	for range random.IntN(5) {
		out = append(out, randomType(random, 3))
	}
	typ := reflect.FuncOf(in, out, false)
	results := make([]reflect.Value, len(out))
	for i := range out {
		results[i] = randomValue(random, out[i], 3)
	}
	var seen []reflect.Value
	f := reflect.MakeFunc(typ, func(args []reflect.Value) []reflect.Value {
		seen = append([]reflect.Value(nil), args...)
		return results
	})
	args := randomArguments(random, typ)
	got := call(f, args)
	sameValues(t, fmt.Sprintf("seed %d: argument of %v", seed, typ), seen, args)
	sameValues(t, fmt.Sprintf("seed %d: result of %v", seed, typ), got, results)
}

// call calls f by package hostcall.
func call(f reflect.Value, args []reflect.Value) []reflect.Value {
	results := make([]reflect.Value, f.Type().NumOut())
	for i := range results {
		results[i] = reflect.New(f.Type().Out(i)).Elem()
	}
	Of(f.Type()).Call(word(f), pointers(args), pointers(results))
	return results
}

// word returns the word of a func value.
func word(f reflect.Value) unsafe.Pointer {
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	return *(*unsafe.Pointer)(p.UnsafePointer())
}

func pointers(values []reflect.Value) []unsafe.Pointer {
	out := make([]unsafe.Pointer, len(values))
	for i, v := range values {
		if !v.CanAddr() {
			p := reflect.New(v.Type()).Elem()
			p.Set(v)
			v = p
		}
		out[i] = v.Addr().UnsafePointer()
	}
	return out
}

func compare(t *testing.T, f reflect.Value, args []reflect.Value) {
	t.Helper()
	var want []reflect.Value
	if f.Type().IsVariadic() {
		want = f.CallSlice(args)
	} else {
		want = f.Call(args)
	}
	sameValues(t, f.Type().String(), call(f, args), want)
}

func sameValues(t *testing.T, what string, got, want []reflect.Value) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// same reports whether two values are equal, where references must refer to the same object.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Func:
		return a.IsNil() && b.IsNil() || word(a) == word(b)
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return a.UnsafePointer() == b.UnsafePointer()
	case reflect.Interface:
		return a.IsNil() && b.IsNil() || !a.IsNil() && !b.IsNil() && same(a.Elem(), b.Elem())
	}
	return a.Equal(b)
}

func TestArgumentsLargerThanTheSpaceToSaveThem(t *testing.T) {
	typ := reflect.TypeFor[int]()
	for range 60 { // each level ends in padding, so one register carries 8 bytes more
		typ = reflect.StructOf([]reflect.StructField{{Name: "A", Type: typ}, {Name: "B", Type: reflect.TypeFor[struct{}]()}})
	}
	f := reflect.FuncOf([]reflect.Type{typ}, []reflect.Type{typ}, false)
	if Of(f).function.registers {
		t.Errorf("a value of %d bytes is passed in registers", typ.Size())
	}
	arg := reflect.New(typ).Elem()
	*(*int)(arg.Addr().UnsafePointer()) = 42
	got := call(reflect.MakeFunc(f, func(args []reflect.Value) []reflect.Value { return args }), []reflect.Value{arg})
	sameValues(t, "result", got, []reflect.Value{arg})
}
