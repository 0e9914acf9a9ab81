package machine_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// holder has pointers in each place of a composite type.
type holder struct {
	_    int
	list [2]struct {
		b byte
		p *int
	}
	any any
}

// kept are types whose values refer to an object, with a function that makes such a value.
var kept = []struct {
	t     reflect.Type
	value func(*int) any
}{
	{reflect.TypeFor[*int](), func(p *int) any { return p }},
	{reflect.TypeFor[[]int](), func(p *int) any { return unsafe.Slice(p, 1) }},
	{reflect.TypeFor[string](), func(p *int) any { return unsafe.String((*byte)(unsafe.Pointer(p)), 8) }},
	{reflect.TypeFor[any](), func(p *int) any { return p }},
	{reflect.TypeFor[fmt.Stringer](), func(p *int) any { return (*shown)(p) }},
	{reflect.TypeFor[map[int]*int](), func(p *int) any { return map[int]*int{1: p} }},
	{reflect.TypeFor[func() int](), func(p *int) any { return func() int { return *p } }},
	{reflect.TypeFor[unsafe.Pointer](), func(p *int) any { return unsafe.Pointer(p) }},
	{reflect.TypeFor[holder](), func(p *int) any { h := holder{any: 1}; h.list[1].p = p; return h }},
	{reflect.TypeFor[holder](), func(p *int) any { return holder{any: p} }},
	{reflect.TypeFor[[3]any](), func(p *int) any { return [3]any{2: p} }},
	{reflect.TypeFor[struct{ _, p *int }](), func(p *int) any { return struct{ _, p *int }{p: p} }},
}

type shown int

func (s *shown) String() string { return fmt.Sprint(int(*s)) }

// TestTheCollectorSeesFrames stores an object in a variable of each type that may refer to it. The
// object lives as long as the call, and no longer.
func TestTheCollectorSeesFrames(t *testing.T) {
	for _, c := range kept {
		m, _ := newMachine()
		enter(t, m, []reflect.Type{reflect.TypeFor[int8](), c.t, reflect.TypeFor[int]()}, func(f machine.Frame, code *machine.Code, slots []machine.Slot) {
			var freed atomic.Bool
			func() {
				object := new([8]int) // too large for the allocator of tiny objects, which keeps neighbors
				runtime.AddCleanup(object, func(int) { freed.Store(true) }, 0)
				p := &object[0]
				in(f, slots[1]).Set(reflect.ValueOf(c.value(p)))
			}()
			in(f, slots[0]).SetInt(-1)
			in(f, slots[2]).SetInt(-1)
			for range 3 {
				runtime.GC()
				runtime.Gosched()
			}
			if freed.Load() {
				t.Errorf("an object that only a variable of type %v refers to is freed during the call", c.t)
			}
			code.Leave(f)
			for range 100 {
				if freed.Load() {
					return
				}
				runtime.GC()
				runtime.Gosched()
			}
			t.Errorf("a free frame keeps the object of a variable of type %v", c.t)
		})
	}
}

func TestFramesAreReusedWithoutPointers(t *testing.T) {
	m, _ := newMachine()
	var types []reflect.Type
	for _, c := range kept {
		types = append(types, c.t)
	}
	enter(t, m, types, func(f machine.Frame, code *machine.Code, slots []machine.Slot) {
		for i, c := range kept {
			in(f, slots[i]).Set(reflect.ValueOf(c.value(new(int))))
		}
		code.Leave(f)
		again := code.Enter(machine.Current().Base(), nil)
		if again != f {
			t.Error("the frame is not reused")
		}
		for i, s := range slots {
			if s.Type.Class == machine.ClassMemory || s.Type.Class == machine.ClassString || s.Type.Class == machine.ClassSlice {
				continue // words without pointers may have any value
			}
			if v := in(again, s); !v.IsZero() {
				t.Errorf("variable %d of type %v begins as %v", i, s.Type.Type, v)
			}
		}
		other := code.Enter(again, nil)
		if other == again {
			t.Error("a nested call has the frame of its caller")
		}
		code.Leave(other)
		code.Leave(again)
	})
}

// TestFunctionsThatShareAnEntryOfTheCacheKeepTheirFrames alternates between functions whose frames
// evict each other.
func TestFunctionsThatShareAnEntryOfTheCacheKeepTheirFrames(t *testing.T) {
	m, _ := newMachine()
	a, _, as := newCode(m, reflect.TypeFor[func()](), nil, reflect.TypeFor[int]())
	b, _, bs := newCode(m, reflect.TypeFor[func()](), nil, reflect.TypeFor[string]())
	b.Slot = a.Slot + 256
	m.Call(func() {
		base := machine.Current().Base()
		for i := range 100 {
			f := a.Enter(base, nil)
			in(f, as[0]).SetInt(int64(i))
			g := b.Enter(f, nil)
			in(g, bs[0]).SetString("text")
			h := a.Enter(g, nil)
			in(h, as[0]).SetInt(-1)
			for _, x := range []struct {
				frame machine.Frame
				code  *machine.Code
			}{{f, a}, {g, b}, {h, a}} {
				if got := machine.HeaderOf(x.frame); got.Code != x.code || got.Thread != machine.Current() {
					t.Fatalf("round %d: a frame of another function or thread", i)
				}
			}
			a.Leave(h)
			b.Leave(g)
			if got := in(f, as[0]).Int(); got != int64(i) {
				t.Fatalf("round %d: the variable is %d", i, got)
			}
			a.Leave(f)
		}
	})
}

// TestFramesMoveToOtherThreads evicts a frame on one goroutine, which goes on, and uses it on
// another one.
func TestFramesMoveToOtherThreads(t *testing.T) {
	m, _ := newMachine()
	a, _, _ := newCode(m, reflect.TypeFor[func()](), nil, reflect.TypeFor[*int]())
	b, _, _ := newCode(m, reflect.TypeFor[func()](), nil)
	b.Slot = a.Slot + 256
	moved := 0
	for range 50 {
		m.Call(func() {
			base := machine.Current().Base()
			first := a.Enter(base, nil)
			a.Leave(first)
			b.Leave(b.Enter(base, nil))
			done := make(chan bool)
			go m.Call(func() {
				f := a.Enter(machine.Current().Base(), nil)
				if machine.HeaderOf(f).Thread != machine.Current() {
					t.Error("a frame belongs to another thread")
				}
				if f == first {
					moved++
				}
				a.Leave(f)
				b.Leave(b.Enter(machine.Current().Base(), nil))
				close(done)
			})
			<-done
		})
	}
	if moved == 0 { // the pool may lose some
		t.Error("no frame has moved")
	}
}

func TestFramesPollWhenTheyAreEntered(t *testing.T) {
	m, h := newMachine()
	m.SetStop(true)
	enter(t, m, nil, func(f machine.Frame, code *machine.Code, _ []machine.Slot) { code.Leave(f) })
	m.SetStop(false)
	enter(t, m, nil, func(f machine.Frame, code *machine.Code, _ []machine.Slot) { code.Leave(f) })
	if got := h.polls.Load(); got != 1 {
		t.Errorf("%d polls, want 1", got)
	}
}

// TestGoroutinesHaveThreadsOfTheirOwn runs more goroutines than the table of threads has entries,
// so that some share one.
func TestGoroutinesHaveThreadsOfTheirOwn(t *testing.T) {
	m, _ := newMachine()
	begin, done := make(chan bool), make(chan *machine.Thread)
	const n = 600
	for range n {
		go m.Call(func() {
			first := machine.Current()
			done <- first
			<-begin
			if machine.Current() != first {
				first = nil
			}
			done <- first
		})
	}
	var threads []*machine.Thread
	for range n {
		threads = append(threads, <-done)
	}
	close(begin)
	for range n {
		if <-done == nil {
			t.Error("a goroutine has another thread than before")
		}
	}
	different := map[*machine.Thread]bool{}
	for _, thread := range threads {
		different[thread] = true
	}
	if len(different) != n || slices.Contains(threads, nil) {
		t.Errorf("%d goroutines have %d threads", n, len(different))
	}
}
