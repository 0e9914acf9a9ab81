package hostcall

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"unsafe"
)

var leaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
	reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[int](),
	reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
	reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
	reflect.TypeFor[complex64](), reflect.TypeFor[complex128](), reflect.TypeFor[string](),
	reflect.TypeFor[[]string](), reflect.TypeFor[any](), reflect.TypeFor[error](),
	reflect.TypeFor[*int](), reflect.TypeFor[map[string]int](), reflect.TypeFor[func() int](),
	reflect.TypeFor[chan int](), reflect.TypeFor[unsafe.Pointer](), reflect.TypeFor[struct{}](),
}

// randomType returns a type of at most the given depth.
func randomType(random *rand.Rand, depth int) reflect.Type {
	switch n := random.IntN(10); {
	case depth > 0 && n == 0:
		return reflect.ArrayOf(random.IntN(3), randomType(random, depth-1))
	case depth > 0 && n <= 2:
		var fields []reflect.StructField
		for i := range random.IntN(4) {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: randomType(random, depth-1)})
		}
		return reflect.StructOf(fields)
	}
	return leaves[random.IntN(len(leaves))]
}

func randomArguments(random *rand.Rand, f reflect.Type) []reflect.Value {
	args := make([]reflect.Value, f.NumIn())
	for i := range args {
		args[i] = randomValue(random, f.In(i), 3)
	}
	return args
}

// randomValue returns an addressable value of a type.
func randomValue(random *rand.Rand, t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if t.Kind() == reflect.Int {
			v.SetInt(random.Int64N(100)) // counts of functions of the library
			break
		}
		v.SetInt(int64(random.Uint64()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(random.Uint64())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(random.NormFloat64())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(random.NormFloat64(), random.NormFloat64()))
	case reflect.String:
		v.SetString(strings.Repeat("é%v", random.IntN(4)))
	case reflect.Slice:
		for range random.IntN(4) {
			v = reflect.Append(v, randomValue(random, t.Elem(), depth-1))
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(randomValue(random, t.Elem(), depth-1))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(randomValue(random, t.Field(i).Type, depth-1))
		}
	default:
		setReference(random, v)
	}
	return v
}

// setReference sets a pointer, interface, map, channel or function, or leaves it nil.
func setReference(random *rand.Rand, v reflect.Value) {
	if random.IntN(4) == 0 {
		return
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Interface:
		if t == reflect.TypeFor[error]() {
			v.Set(reflect.ValueOf(errors.New("an error")))
		} else {
			v.Set(reflect.ValueOf(random.IntN(1000)))
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
	case reflect.UnsafePointer:
		v.SetPointer(unsafe.Pointer(new(int)))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
	case reflect.Chan:
		v.Set(reflect.MakeChan(t, 1))
	case reflect.Func:
		n := random.IntN(1000)
		v.Set(reflect.ValueOf(func() int { return n }))
	}
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }
