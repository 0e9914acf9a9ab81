package atomic

import (
	"math/rand/v2"
	"sync"
	standard "sync/atomic"
	"testing"
)

func TestPointerAgreesInEverySequenceOfCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []*int{nil, new(int), new(int), new(int)}
	for range 200 {
		var own Pointer[int]
		var std standard.Pointer[int]
		for range 20 {
			a, b := values[r.IntN(4)], values[r.IntN(4)]
			switch r.IntN(4) {
			case 0:
				own.Store(a)
				std.Store(a)
			case 1:
				if own.Swap(a) != std.Swap(a) {
					t.Fatal("Swap disagrees")
				}
			case 2:
				if own.CompareAndSwap(a, b) != std.CompareAndSwap(a, b) {
					t.Fatal("CompareAndSwap disagrees")
				}
			}
			if own.Load() != std.Load() {
				t.Fatal("Load disagrees")
			}
		}
	}
}

func TestNoSwapIsLost(t *testing.T) {
	type node struct{ next *node }
	var list Pointer[node]
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 500 {
				n := new(node)
				for {
					n.next = list.Load()
					if list.CompareAndSwap(n.next, n) {
						break
					}
				}
			}
		})
	}
	group.Wait()
	length := 0
	for n := list.Load(); n != nil; n = n.next {
		length++
	}
	if length != 2000 {
		t.Errorf("%d nodes, want 2000", length)
	}
}
