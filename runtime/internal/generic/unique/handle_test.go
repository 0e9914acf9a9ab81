package unique

import (
	"math"
	"testing"
	standard "unique"
)

func TestHandlesAreEqualWhenValuesAre(t *testing.T) {
	values := []any{1, "a", "b", 1.5, math.Inf(1), [2]int{1, 2}, struct{ A, B string }{"x", "y"}, nil}
	for _, a := range values {
		for _, b := range values {
			if got, want := Make(a) == Make(b), standard.Make(a) == standard.Make(b); got != want {
				t.Errorf("handles of %v and %v: %v, want %v", a, b, got, want)
			}
		}
		if Make(a).Value() != a {
			t.Errorf("value %v", Make(a).Value())
		}
	}
	index := map[Handle[string]]int{Make("k"): 1}
	if index[Make("k")] != 1 {
		t.Error("a handle is no map key")
	}
}
