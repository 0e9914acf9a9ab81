package machine_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// deferring returns a function whose body and deferred calls are given. Each deferred call gets the
// list that it is in.
func deferring(m *machine.Machine, body func(machine.Frame), calls ...func(*machine.Defers)) *machine.Code {
	var code *machine.Code
	var slots []machine.Slot
	code, _, slots = newCode(m, reflect.TypeFor[func()](), func(f machine.Frame) {
		offset := slots[0].Offset
		machine.RunDeferring(f, offset, func(f machine.Frame) {
			d := (*machine.Defers)(*machine.At[unsafe.Pointer](f, offset))
			for _, call := range calls {
				d.Calls = append(d.Calls, func() { call(d) })
			}
			body(f)
		})
	}, reflect.TypeFor[unsafe.Pointer]())
	return code
}

func TestDeferredCallsRunInReverse(t *testing.T) {
	m, _ := newMachine()
	var log []string
	add := func(text string) func(*machine.Defers) {
		return func(d *machine.Defers) { log = append(log, fmt.Sprint(text, " ", d.Panic != nil)) }
	}
	recovering := func(d *machine.Defers) { add("recover")(d); d.Panic = nil }
	replacing := func(d *machine.Defers) { add("replace")(d); panic("second") }
	fail := func(machine.Frame) { panic("first") }
	for _, c := range []struct {
		name  string
		body  func(machine.Frame)
		calls []func(*machine.Defers)
		value any
		log   []string
	}{
		{"no panic", func(machine.Frame) {}, []func(*machine.Defers){add("a"), add("b")}, nil, []string{"b false", "a false"}},
		{"a panic", fail, []func(*machine.Defers){add("a"), add("b")}, "first", []string{"b true", "a true"}},
		{"a recovered panic", fail, []func(*machine.Defers){add("a"), recovering, add("b")}, nil, []string{"b true", "recover true", "a false"}},
		{"a replaced panic", fail, []func(*machine.Defers){add("a"), replacing, add("b")}, "second", []string{"b true", "replace true", "a true"}},
		{"a panic in a deferred call", func(machine.Frame) {}, []func(*machine.Defers){add("a"), replacing}, "second", []string{"replace false", "a true"}},
		{"a panic after a recovered one", fail, []func(*machine.Defers){recovering, replacing, recovering}, nil, []string{"recover true", "replace false", "recover true"}},
	} {
		log = nil
		code := deferring(m, c.body, c.calls...)
		value := panicOf(func() { m.Run(code) })
		if p, ok := value.(*machine.Panic); ok {
			value = p.Value
		}
		if value != c.value || !slices.Equal(log, c.log) {
			t.Errorf("%s: the calls are %q and the panic is %v, want %q and %v", c.name, log, value, c.log, c.value)
		}
		if machine.Current() != nil {
			t.Fatalf("%s leaves a thread", c.name)
		}
	}
}

// TestDeferredCallsSeeTheCallsOfThePanic takes a stack trace in a deferred call. As in compiled Go,
// the calls that have led to the panic follow those of the deferred call, also once it has
// recovered. The next deferred call does not see them.
func TestDeferredCallsSeeTheCallsOfThePanic(t *testing.T) {
	m, _ := newMachine()
	failing, _, _ := newCode(m, reflect.TypeFor[func()](), nil)
	failing.Fn.Name = "failing"
	failing.Run = func(f machine.Frame) { machine.Raise(f, &machine.Site{Fn: failing.Fn, Line: 9}, "failed") }
	deferred, _, _ := newCode(m, reflect.TypeFor[func()](), nil)
	deferred.Fn.Name = "deferred"
	var traces []string
	deferred.Run = func(f machine.Frame) {
		d := machine.HeaderOf(f).Deferred
		d.Panic = nil
		machine.Fail(f, &machine.Site{Fn: deferred.Fn, Line: 2})
		var calls []string
		for _, c := range machine.Callers() {
			if c.Func == nil {
				calls = append(calls, "panic")
				continue
			}
			calls = append(calls, fmt.Sprint(c.Func.Name, ":", c.Line))
		}
		traces = append(traces, strings.Join(calls, " "))
	}
	var outer *machine.Code
	call := func(d *machine.Defers) {
		deferred.Resume(deferred.Enter(d.Frame, nil), d.Frame, &machine.Site{Fn: outer.Fn, Line: 6}, d)
	}
	outer = deferring(m, func(f machine.Frame) {
		failing.Run(failing.Enter(f, &machine.Site{Fn: outer.Fn, Line: 4}))
	}, call, call)
	outer.Fn.Name = "outer"
	m.Run(outer)
	if want := []string{"deferred:2 panic failing:9 outer:4", "deferred:2 outer:6"}; !slices.Equal(traces, want) {
		t.Errorf("the calls are %q, want %q", traces, want)
	}
}

func TestDeferredCallsRunWhenTheGoroutineEnds(t *testing.T) {
	m, _ := newMachine()
	ran, after := make(chan string, 4), false
	code := deferring(m, func(machine.Frame) { runtime.Goexit() },
		func(*machine.Defers) { ran <- "a" }, func(d *machine.Defers) { ran <- "b"; panic("in a deferred call") })
	done := make(chan bool)
	go func() {
		defer close(done)
		m.Run(code)
		after = true
	}()
	<-done
	close(ran)
	var log []string
	for text := range ran {
		log = append(log, text)
	}
	if !slices.Equal(log, []string{"b", "a"}) || after {
		t.Errorf("the deferred calls are %q, and the code after the call has run: %v", log, after)
	}
}

// TestPanicsCarryTheCallsOfCells panics two calls deep, in an inlined function, with compiled code
// in between.
func TestPanicsCarryTheCallsOfCells(t *testing.T) {
	m, _ := newMachine()
	inner, _, _ := newCode(m, reflect.TypeFor[func()](), nil)
	inner.Fn.Name = "inner"
	inlined := &ir.Func{Name: "inlined"}
	inner.Run = func(f machine.Frame) {
		machine.PanicNil(f, &machine.Site{Fn: inlined, Line: 3, Outer: &machine.Site{Fn: inner.Fn, Line: 5}})
	}
	outer, _, _ := newCode(m, reflect.TypeFor[func()](), nil)
	outer.Fn.Name = "outer"
	outer.Run = func(f machine.Frame) {
		machine.HeaderOf(f).Thread.Out(f, &machine.Site{Fn: outer.Fn, Line: 8, What: "compiled.Function"})
		m.Run(inner)
	}
	value := panicOf(func() { m.Run(outer) })
	p, ok := value.(*machine.Panic)
	if !ok {
		t.Fatalf("the panic is %v", value)
	}
	var calls []string
	for _, f := range p.Frames {
		calls = append(calls, fmt.Sprint(f.Func.Name, ":", f.Line))
	}
	if want := []string{"inlined:3", "inner:5", "outer:8"}; !slices.Equal(calls, want) {
		t.Errorf("the calls are %q, want %q", calls, want)
	}
	if err, ok := p.Value.(runtime.Error); !ok || err.Error() != "runtime error: invalid memory address or nil pointer dereference" {
		t.Errorf("the value is %v", p.Value)
	}
	if machine.Current() != nil {
		t.Error("the panic leaves a thread")
	}
}

// The functions that panic raise the errors of compiled Go.
func TestPanicsHaveTheErrorsOfTheRuntime(t *testing.T) {
	m, _ := newMachine()
	list, index, zero, negative := []int{1, 2}, 2, 0, -1
	s := &machine.Site{}
	enter(t, m, nil, func(f machine.Frame, _ *machine.Code, _ []machine.Slot) {
		for _, c := range []struct{ got, want func() }{
			{func() { machine.PanicIndex(f, s, 2, 2) }, func() { _ = list[index] }},
			{func() { machine.PanicIndex(f, s, -1, 2) }, func() { _ = list[negative] }},
			{func() { machine.PanicIndex(f, s, machine.KeepLarge(f, 1<<63+1), 2) }, func() { _ = list[uint64(1<<63+1)+uint64(zero)] }},
			{func() { machine.PanicDivide(f, s) }, func() { _ = 1 / zero }},
			{func() { machine.PanicShift(f, s, -1) }, func() { _ = 1 << negative }},
			{func() { machine.PanicNil(f, s) }, func() { *[]*int{nil}[zero] = 1 }},
			{func() { machine.PanicArray(f, s, machine.Slice{Len: 2}, 3) }, func() { _ = [3]int(list) }},
		} {
			got, want := panicOf(c.got), panicOf(c.want)
			var runtimeError runtime.Error
			if err, ok := got.(error); !ok || !errors.As(err, &runtimeError) || err.Error() != fmt.Sprint(want) {
				t.Errorf("the panic is %v, want %v", got, want)
			}
		}
		if got := machine.LargeIndex(f); got != 0 {
			t.Errorf("the large index %d is left", got)
		}
	})
}

// TestWaitsPollWhenTheCellIsStopped waits for a channel on which nothing arrives before the cell is
// stopped.
func TestWaitsPollWhenTheCellIsStopped(t *testing.T) {
	m, h := newMachine()
	done, c := make(chan struct{}), make(chan int, 1)
	stopped := &stoppedHost{host: h, done: done, stop: func() { c <- 7 }}
	m.Host = stopped
	close(done)
	enter(t, m, []reflect.Type{reflect.TypeFor[int]()}, func(f machine.Frame, _ *machine.Code, slots []machine.Slot) {
		typ := machine.RTypeOf(reflect.TypeFor[chan int]())
		ok := m.Wait(f, &machine.Site{}, machine.SelectCase{Dir: machine.SelectRecv, Type: typ, Ch: word(reflect.ValueOf(c)), Val: unsafe.Add(f, slots[0].Offset)})
		if got := in(f, slots[0]).Int(); !ok || got != 7 || h.polls.Load() == 0 {
			t.Errorf("received %d, %v after %d polls", got, ok, h.polls.Load())
		}
	})
}

// TestWaitsAllocateNothing exchanges values over channels without a buffer, so that one of the two
// goroutines waits each time.
func TestWaitsAllocateNothing(t *testing.T) {
	m, h := newMachine()
	m.Host = &stoppedHost{host: h, done: make(chan struct{})}
	ask, answer := make(chan int), make(chan int)
	defer close(ask)
	go func() {
		for v := range ask {
			answer <- v + 1
		}
	}()
	typ := machine.RTypeOf(reflect.TypeFor[chan int]())
	enter(t, m, []reflect.Type{reflect.TypeFor[int]()}, func(f machine.Frame, _ *machine.Code, slots []machine.Slot) {
		at, s := unsafe.Add(f, slots[0].Offset), &machine.Site{}
		to, from := word(reflect.ValueOf(ask)), word(reflect.ValueOf(answer))
		exchange := func() {
			m.Wait(f, s, machine.SelectCase{Dir: machine.SelectSend, Type: typ, Ch: to, Val: at})
			m.Wait(f, s, machine.SelectCase{Dir: machine.SelectRecv, Type: typ, Ch: from, Val: at})
		}
		const rounds = 1000
		n := testing.AllocsPerRun(rounds, exchange)
		if got := in(f, slots[0]).Int(); got != rounds+1 {
			t.Errorf("the value is %d after %d exchanges", got, rounds+1)
		}
		if n != 0 {
			t.Errorf("%v allocations for each exchange", n)
		}
	})
}

// A stoppedHost is the host of a cell that has been stopped. The first poll calls stop instead of
// ending the goroutine.
type stoppedHost struct {
	*host
	done chan struct{}
	stop func()
}

func (h *stoppedHost) Done() <-chan struct{} { return h.done }

func (h *stoppedHost) Poll() {
	if h.polls.Add(1) == 1 {
		h.stop()
	}
}
