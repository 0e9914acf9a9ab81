package guard

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// sharing returns a guard that believes goroutines share maps.
func sharing() *Guard {
	g := New()
	g.Share("net/http")
	return g
}

func TestCompiledCallsWaitForWriters(t *testing.T) {
	g := sharing()
	m := map[string]any{"inner": map[string]int{"a": 1}}
	inner := m["inner"].(map[string]int)
	functions := g.holdingSupport()
	sprint := functions["FmtSprint"].(func(...any) string)
	marshal := functions["JSONMarshal"].(func(any) ([]byte, error))
	unmarshal := functions["JSONUnmarshal"].(func([]byte, any) error)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 300 {
				set(inner, fmt.Sprint(i%7), i)
				sprint(m, struct{ X any }{[]any{m}})
				if _, err := marshal(m); err != nil {
					t.Error(err)
				}
				if err := unmarshal([]byte(`{"b": 2, "c": 3}`), &inner); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if len(holders.locks) != 0 || holders.some.Load() != 0 {
		t.Errorf("%d goroutines still hold locks", len(holders.locks))
	}
}

// reader reads the map that is being printed, as a String method may.
type reader struct{ m map[string]int }

func (r reader) String() string {
	value := get(r.m, "a") + 1
	set(r.m, "a", value)
	return fmt.Sprint(value)
}

func TestCallsBackMayUseTheMapsThatAreHeld(t *testing.T) {
	g := sharing()
	m := map[string]int{"a": 1}
	sprint := g.holdingSupport()["FmtSprint"].(func(...any) string)
	if got := sprint(m, reader{m}); got != "map[a:1] 2" {
		t.Errorf("got %q", got)
	}
	set(m, "b", 2) // would hang if a lock had been kept
}

func TestNothingIsHeldWhileNobodyShares(t *testing.T) {
	m := map[string]int{"a": 1}
	New().Hold(true, m)()
	defer New().Hold(false, m, nil, 3)()
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
