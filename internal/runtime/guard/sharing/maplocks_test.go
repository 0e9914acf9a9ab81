package sharing

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestNothingIsHeldWhileNobodyShares(t *testing.T) {
	m := map[string]int{"a": 1}
	new(Goroutines).LockMaps(true, m)()
	defer new(Goroutines).LockMaps(false, m, nil, 3)()
	if holders.some.Load() != 0 {
		t.Error("a lock is held")
	}
}

func TestTypesThatReachMaps(t *testing.T) {
	type list struct {
		Next *list
		N    int
	}
	type tree struct {
		Children []*tree
		Names    map[string]bool
	}
	for _, c := range []struct {
		value any
		want  bool
	}{{3, false}, {"s", false}, {[]int{}, false}, {list{}, false}, {tree{}, true}, {[]any{}, true}, {json.Encoder{}, true}} {
		if got := reachesMaps(reflect.TypeOf(c.value)); got != c.want {
			t.Errorf("%T reaches maps: %t, want %t", c.value, got, c.want)
		}
	}
}
