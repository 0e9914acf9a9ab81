package weak

import (
	"runtime"
	"testing"
	standard "weak"
)

func TestWeakPointersAreEqualWhenTheirVariablesAre(t *testing.T) {
	type pair struct{ A, B int }
	list := []pair{{1, 2}, {3, 4}}
	pointers := []*int{nil, &list[0].A, &list[0].B, &list[1].A, new(int)}
	for _, a := range pointers {
		for _, b := range pointers {
			if got, want := Make(a) == Make(b), standard.Make(a) == standard.Make(b); got != want {
				t.Errorf("pointers to %p and %p are equal: %v, want %v", a, b, got, want)
			}
		}
		if got := Make(a).Value(); got != a {
			t.Errorf("value %p, want %p", got, a)
		}
	}
	if (Pointer[int]{}).Value() != nil {
		t.Error("the zero value points to something")
	}
	runtime.KeepAlive(list)
}

//go:noinline
func collected() Pointer[[64]int] { return Make(new([64]int)) }

func TestWeakPointersKeepNothing(t *testing.T) {
	p := collected()
	runtime.GC()
	if p.Value() != nil {
		t.Error("the variable is still there")
	}
	kept := new([64]int)
	q := Make(kept)
	runtime.GC()
	if q.Value() != kept {
		t.Error("a variable in use is gone")
	}
	runtime.KeepAlive(kept)
}
