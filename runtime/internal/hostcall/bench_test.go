package hostcall

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

func BenchmarkFloat(b *testing.B) {
	x, y := 2.0, 0.0
	f := reflect.ValueOf(math.Sqrt)
	b.Run("hostcall", func(b *testing.B) {
		s, fn := Of(f.Type()), word(f)
		args, results := []unsafe.Pointer{unsafe.Pointer(&x)}, []unsafe.Pointer{unsafe.Pointer(&y)}
		for b.Loop() {
			s.Call(fn, args, results)
		}
	})
	b.Run("reflect", func(b *testing.B) {
		args := []reflect.Value{reflect.ValueOf(x)}
		for b.Loop() {
			y = f.Call(args)[0].Float()
		}
	})
}

func BenchmarkStrings(b *testing.B) {
	text, prefix, found := "a text", "a t", false
	f := reflect.ValueOf(strings.HasPrefix)
	b.Run("hostcall", func(b *testing.B) {
		s, fn := Of(f.Type()), word(f)
		args := []unsafe.Pointer{unsafe.Pointer(&text), unsafe.Pointer(&prefix)}
		results := []unsafe.Pointer{unsafe.Pointer(&found)}
		for b.Loop() {
			s.Call(fn, args, results)
		}
	})
	b.Run("reflect", func(b *testing.B) {
		args := []reflect.Value{reflect.ValueOf(text), reflect.ValueOf(prefix)}
		for b.Loop() {
			found = f.Call(args)[0].Bool()
		}
	})
	if !found {
		b.Fatal("the prefix was not found")
	}
}
