package machine_test

import (
	"maps"
	"reflect"
	"sync/atomic"
	"testing"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// A host is a session without cells. Methods that no test needs are missing.
type host struct {
	machine.Host
	polls   atomic.Int64
	methods map[string]*ir.FuncRef // by name, for all types
}

func (h *host) Poll()                       { h.polls.Add(1) }
func (h *host) Follow(*machine.Thread)      {}
func (h *host) Panicked(any, []any)         {}
func (h *host) Done() <-chan struct{}       { return nil }
func (h *host) Exiting() bool               { return false }
func (h *host) Room(n, _ int, _ string) int { return n }

func (h *host) Method(_ reflect.Type, name string) *ir.FuncRef { return h.methods[name] }

func newMachine() (*machine.Machine, *host) {
	h := &host{}
	return &machine.Machine{Host: h}, h
}

// newCode returns a function of a type whose body is run, and its signature. The frame has further
// variables of the given types.
func newCode(m *machine.Machine, t reflect.Type, run func(machine.Frame), locals ...reflect.Type) (*machine.Code, *machine.Signature, []machine.Slot) {
	l, s := machine.NewLayout(), &machine.Signature{}
	add := func(t reflect.Type) machine.Slot {
		d := m.Describe(t)
		return machine.Slot{Offset: l.Add(d), Type: d}
	}
	for i := range t.NumIn() {
		s.Params = append(s.Params, add(t.In(i)))
	}
	for i := range t.NumOut() {
		s.Results = append(s.Results, add(t.Out(i)))
	}
	s.Size, s.Words = l.Size, maps.Clone(l.Words)
	var slots []machine.Slot
	for _, local := range locals {
		slots = append(slots, add(local))
	}
	c := &machine.Code{Fn: &ir.Func{Name: "f"}, Slot: machine.Slots.Add(1), Params: s.Params, Results: s.Results, Run: run}
	c.Begins = &machine.Site{Fn: c.Fn, Line: 1}
	if len(s.Results) == 1 && s.Results[0].Type.Class != machine.ClassMemory {
		get := operation.Classes[s.Results[0].Type.Class].Seq(func(f machine.Frame) { c.Run(f) }, read(s.Results[0]))
		c.Value = (*machine.Iface)(unsafe.Pointer(&get)).Data
	}
	l.Finish(c)
	return c, s, slots
}

// read returns the value of a slot.
func read(s machine.Slot) operation.Value {
	return operation.Access{Mode: operation.ModeFrame, Offset: s.Offset, Type: s.Type}.Read()
}

// in returns the variable of a slot in a frame.
func in(f machine.Frame, s machine.Slot) reflect.Value {
	return reflect.NewAt(s.Type.Type, unsafe.Add(f, s.Offset)).Elem()
}

// enter calls f with a frame of a new function whose variables have the given types.
func enter(t *testing.T, m *machine.Machine, locals []reflect.Type, f func(machine.Frame, *machine.Code, []machine.Slot)) {
	t.Helper()
	code, _, slots := newCode(m, reflect.TypeFor[func()](), nil, locals...)
	m.Call(func() { f(code.Enter(machine.Current().Base(), nil), code, slots) })
	if machine.Current() != nil {
		t.Error("the goroutine keeps its thread")
	}
}
