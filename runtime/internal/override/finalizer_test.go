package override

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

// The blocks are at the ends of spans as well, where nothing may follow.
func TestTheBeginOfABlockIsFound(t *testing.T) {
	if blockSizeOffset() == 0 {
		t.Fatal("the size of blocks is not known")
	}
	type small struct{ a, b *int }
	type medium struct{ list [100]*int }
	type large struct{ list [1000]*int }
	type huge struct{ list [10000]*int }
	var kept []any
	for range 2000 {
		m, l, h, s := new(medium), new(large), new(huge), new(small)
		array := make([]small, 100)
		kept = append(kept, m, l, s, array)
		for _, test := range []struct {
			name string
			p    unsafe.Pointer
			t    reflect.Type
			want bool
		}{
			{"a medium value", unsafe.Pointer(m), reflect.TypeFor[medium](), true},
			{"a large value", unsafe.Pointer(l), reflect.TypeFor[large](), true},
			{"a huge value", unsafe.Pointer(h), reflect.TypeFor[huge](), true},
			{"a small value", unsafe.Pointer(s), reflect.TypeFor[small](), true},
			{"the first element of an array", unsafe.Pointer(&array[0]), reflect.TypeFor[small](), true},
			{"the second element of an array", unsafe.Pointer(&array[1]), reflect.TypeFor[small](), false},
			{"a field of a small value", unsafe.Pointer(&s.b), reflect.TypeFor[*int](), false},
			{"a field of a medium value", unsafe.Pointer(&m.list[1]), reflect.TypeFor[*int](), false},
			{"a field of a huge value", unsafe.Pointer(&h.list[1]), reflect.TypeFor[*int](), false},
		} {
			if base, begins := beginsBlock(test.p, test.t); base == 0 || begins != test.want {
				t.Fatalf("%s: base %#x, begins %t, want %t", test.name, base, begins, test.want)
			}
		}
	}
	runtime.KeepAlive(kept)
}
