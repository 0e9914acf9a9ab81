package realtype

import (
	"reflect"
	"sync"
	"testing"
	"unsafe"
)

// callStub calls a stub as a function without arguments.
func callStub(slot int) int {
	code := stubCode(slot)
	closure := &code
	return (*(*func() int)(unsafe.Pointer(&closure)))()
}

func TestEveryStubReachesItsSlot(t *testing.T) {
	world.Lock()
	defer world.Unlock()
	for slot := slotsUsed; slot < stubCount; slot++ {
		setSlot(slot, reflect.ValueOf(func() int { return slot }))
	}
	for slot := slotsUsed; slot < stubCount; slot++ {
		if got := callStub(slot); got != slot {
			t.Fatalf("stub %d reached slot %d", slot, got)
		}
		slots[slot] = nil
	}
}

func TestAUsedUpTableIsRefusedAndChangesNothing(t *testing.T) {
	forged := mustDeclare(t, "late", typ[int]())
	old := onValue("Old", func(*int) int { return 1 }, func(int) int { return 1 })
	if err := forged.SetMethods([]Method{old}); err != nil {
		t.Fatal(err)
	}
	world.Lock()
	used := slotsUsed
	slotsUsed = stubCount - 1
	world.Unlock()
	err := forged.SetMethods([]Method{old, onValue("New", func(*int) {}, func(int) {})})
	wantSame(t, "error", err, "realtype: more than 65536 methods have been declared in this process; restart it")
	wantSame(t, "bodies only", forged.SetMethods([]Method{old}), nil)
	world.Lock()
	slotsUsed = used
	world.Unlock()
	wantSame(t, "methods", forged.Real().NumMethod(), 1)
	wantSame(t, "call", box(forged, 0).(interface{ Old() int }).Old(), 1)
}

func TestBodiesAreReplacedWhileOthersCall(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector cannot see that a stub loads its slot atomically")
	}
	forged := mustDeclare(t, "busy", typ[int]())
	body := func(n int) []Method {
		return []Method{onValue("N", func(*int) int { return n }, func(int) int { return n })}
	}
	if err := forged.SetMethods(body(0)); err != nil {
		t.Fatal(err)
	}
	value := box(forged, 1).(interface{ N() int })
	var group sync.WaitGroup
	for range 4 {
		// Each goroutine calls the stub until it observes the last body.
		group.Go(func() {
			for last := 0; last < 100; {
				n := value.N()
				if n < last {
					t.Errorf("body %d after body %d", n, last)
					return
				}
				last = n
			}
		})
	}
	for n := range 101 {
		if err := forged.SetMethods(body(n)); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
}
