package exec

import (
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// mark compiles a mark. Without a debugger it costs one load and comparison.
//
// Functions have marks only if a debugger has asked for them, and a function with marks has all of
// its variables in heap cells. The values that the debugger reads are therefore not in the frame,
// which may be used for another call when the debugger still shows them.
func (c *compiler) mark(s *ir.Mark) func(machine.Frame) {
	k := &machine.Mark{Site: c.m.Host.Site(s, c.fn)}
	any := c.typeOf(s.Call.Type)
	k.Call = c.local(s.Call, any).Address()
	if s.Around != nil {
		k.Around = c.local(s.Around, any).Address()
	}
	for _, l := range s.Vars {
		a := c.local(l, c.typeOf(l.Type))
		k.Variables = append(k.Variables, machine.Variable{Type: a.Type.Type, Address: a.Address()})
	}
	// All marks of a function share one record. Setting it here and not in the prologue leaves
	// functions without marks with a nil Record, which stack walks skip.
	c.record = k.Call
	site, m := c.site(s.Pos()), c.m
	return func(f machine.Frame) {
		if m.Asking.Load() == 0 {
			return
		}
		// The debugger shows the stack from here, so the position is recorded as for a panic.
		machine.Fail(f, site)
		m.Host.Ask(k.Site, machine.Moment{Frame: f, Mark: k})
	}
}
