package guard

import (
	"slices"
	"sync"
	"testing"
)

func TestLockedMapsBehaveLikeMaps(t *testing.T) {
	m := map[any][]int{}
	var key any = "a"
	element := []int{1, 2}
	mapSet(m, &key, &element)
	var got []int
	if !mapGet(m, &key, &got) || !slices.Equal(got, element) {
		t.Errorf("read %v, want %v", got, element)
	}
	var none any
	if mapGet(m, &none, &got) {
		t.Error("found an element under nil")
	}
	mapDelete(m, &key)
	if len(m) != 0 {
		t.Errorf("%d elements after the only one was deleted", len(m))
	}
	var missing map[any][]int
	mapDelete(missing, &key)
	if mapGet(missing, &key, &got) {
		t.Error("found an element in a nil map")
	}
}

func TestLockedMapsPanicLikeMapsAndStayUsable(t *testing.T) {
	panics := func(f func()) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		f()
		return false
	}
	m, bad, good, one := map[any]int{}, any([]int{}), any(1), 1
	for name, f := range map[string]func(){
		"write under a key without a hash":  func() { mapSet(m, &bad, &one) },
		"read under a key without a hash":   func() { mapGet(m, &bad, &one) },
		"delete under a key without a hash": func() { mapDelete(map[any]int(nil), &bad) },
		"write to a nil map":                func() { mapSet(map[any]int(nil), &good, &one) },
	} {
		if !panics(f) {
			t.Errorf("%s does not panic", name)
		}
	}
	mapSet(m, &good, &one) // would hang if a lock had been kept
}

func TestRangeSeesWhatTheBodyDoesToTheMap(t *testing.T) {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i * i
	}
	var k, v int
	seen := 0
	for next := mapRange(m, &k, &v); next(); seen++ {
		if v != k*k {
			t.Fatalf("%d under %d", v, k)
		}
		for i := range 100 {
			if i != k {
				mapDelete(m, &i)
			}
		}
	}
	if seen != 1 {
		t.Errorf("%d turns, want 1: the others were deleted in the first", seen)
	}
}

func TestGoroutinesShareALockedMap(t *testing.T) {
	m := map[int]int{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 2000 {
				k := i % 64
				mapSet(m, &k, &i)
				var got int
				mapGet(m, &k, &got)
				if i%200 == 0 {
					var key, value int
					for next := mapRange(m, &key, &value); next(); {
						mapDelete(m, &key)
					}
				}
			}
		})
	}
	group.Wait()
}

func TestMapsAreLockedWhileGoroutinesOfCellsRun(t *testing.T) {
	g := New()
	run := func(body func()) { g.NewCell(1, func(string, string) {}).Run(body) }
	hold, held := make(chan bool), make(chan bool)
	run(func() {
		if *g.shared != 0 {
			t.Error("locked without a goroutine")
		}
		g.Go(func() { close(held); <-hold })
		if *g.shared == 0 {
			t.Error("not locked beside a goroutine")
		}
	})
	<-held
	run(func() {
		if *g.shared == 0 {
			t.Error("not locked beside a goroutine of an earlier cell")
		}
	})
	close(hold)
}
