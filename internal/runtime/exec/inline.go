package exec

import (
	"slices"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// An expansion is a call whose callee runs in the frame of the caller. The arguments that are
// neither constants nor variables of the caller are first stored in the frame. If the function has
// been redeclared since, the call is made as usual with the same arguments.
//
// For instance, with
//
//	func add(a, b int) int { return a + b }
//
// the statement sum += add(i, 1) is compiled like sum += i + 1: a is the variable i of the caller,
// and b the constant.
type expansion struct {
	guard   machine.Guard
	begin   func(machine.Frame) // stores the arguments; may be nil
	clear   func(machine.Frame) // clears results; may be nil
	body    machine.Stmt
	end     func(machine.Frame) // releases what the variables of the callee refer to; may be nil
	call    *machine.CallSite
	results []machine.Slot
}

// expand compiles a call that package ir has marked for inlining. It returns nil if the call has no
// mark, or if the callee cannot be compiled any more.
func expand(c *compiler, e *ir.Call) (x *expansion) {
	if e.Inline == nil || c.fn.Wrapper {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(*Unsupported); !ok {
				panic(r)
			}
			x = nil
		}
	}()
	fn, layout := e.Inline, c.m.signatureOf(e.Ref.Sig)
	// The callee shares the layout of the caller's frame, so its variables get offsets of their own
	// there.
	in := &compiler{m: c.m, fn: fn, layout: c.layout, variables: map[*ir.Local]machine.Access{}, boxes: map[*ir.Local]uintptr{},
		outer: c.site(e.Pos()), constants: map[*ir.Local]machine.Value{}}
	x = &expansion{
		guard: machine.Guard{Fn: machine.FuncOf(e.Ref), Version: fn},
		call:  &machine.CallSite{Fn: machine.FuncOf(e.Ref), Site: in.outer, Results: layout.Results},
	}
	values := make([]machine.Value, len(e.Args))
	for i, a := range e.Args {
		values[i] = c.expr(a)
	}
	for _, r := range fn.Results {
		a := in.declare(r)
		x.results = append(x.results, machine.Slot{Offset: a.Offset, Type: a.Type})
		in.results = x.results
	}
	// Slots from here on belong to the callee. The results are below and remain until the caller
	// has read them.
	own := c.layout.Size
	var begin, clear []func(machine.Frame)
	for i, v := range values {
		v, step := argument(in, c, fn.Params[i], v, e.Args[i])
		if step != nil {
			begin = append(begin, step)
		}
		x.call.Arguments = append(x.call.Arguments, machine.Argument(layout.Params[i].Offset, v))
	}
	for i, r := range fn.Results {
		if r.Name != "" {
			clear = append(clear, machine.Clearer(x.results[i].Offset, x.results[i].Type))
		}
	}
	x.begin, x.clear = machine.Sequence(begin), machine.Sequence(clear)
	x.body = in.block(fn.Body)
	x.end = releaser(c.layout, own)
	return x
}

// argument makes an argument the value of a parameter of an inlined function. It returns the value
// for use by an ordinary call, and the step that stores it in the frame. The step is nil if the
// callee can use the argument itself: a constant, or a variable of the caller that does not change
// during the call. c compiles the callee, and caller the function that it is inlined in.
func argument(c, caller *compiler, p *ir.Local, v machine.Value, e ir.Expr) (machine.Value, func(machine.Frame)) {
	if p == nil {
		p = &ir.Local{Type: e.Type()}
	}
	if v.Form == machine.FormConst && !p.Assigned {
		c.constants[p] = v
		return v, nil
	}
	if l, ok := e.(*ir.LocalExpr); ok && !p.Assigned && !l.Local.Boxed {
		a := caller.local(l.Local, v.Type)
		if a.Mode == machine.ModeFrame || a.Mode == machine.ModeBox && a.Slot == machine.EnvOffset {
			c.variables[p] = a
			return v, nil
		}
	}
	a := c.declare(p)
	return c.read(a), c.storeValue(a, v)
}

// releaser returns a step that clears the pointers in the part of a frame that begins at an offset,
// or nil if there are none. What inlined functions refer to must not live until the caller returns.
func releaser(l *machine.Layout, from uintptr) func(machine.Frame) {
	const word = unsafe.Sizeof(uintptr(0))
	var offsets []uintptr
	for w := range l.Words {
		if w*word >= from {
			offsets = append(offsets, w*word)
		}
	}
	slices.Sort(offsets)
	switch len(offsets) {
	case 0:
		return nil
	case 1:
		at := offsets[0]
		return func(f machine.Frame) { *machine.At[unsafe.Pointer](f, at) = nil }
	}
	return func(f machine.Frame) {
		for _, at := range offsets {
			*machine.At[unsafe.Pointer](f, at) = nil
		}
	}
}

// value compiles the expansion for its single result.
func (x *expansion) value(t *machine.Type) machine.Value {
	r := x.results[0]
	if t.Class == machine.ClassMemory {
		run := x.step()
		return machine.Value{Type: t, Addr: func(f machine.Frame) unsafe.Pointer {
			run(f)
			return unsafe.Add(f, r.Offset)
		}}
	}
	class := machine.Classes[t.Class]
	get := x.body.ValueOf(machine.Result{Slot: r, Class: class})
	if x.clear != nil {
		get = class.Seq(x.clear, machine.Value{F: get})
	}
	return machine.Value{Type: t, F: class.Inline(&x.guard, x.begin, get, class.Call(x.call), x.end)}
}

// step compiles the expansion as a statement that leaves the results in the frame.
func (x *expansion) step() func(machine.Frame) {
	start, results := x.call.Start(), x.results
	slow := func(f machine.Frame) {
		n := start(f)
		for i, r := range x.call.Results {
			r.Type.Mover()(unsafe.Add(f, results[i].Offset), unsafe.Add(n, r.Offset))
		}
		machine.HeaderOf(n).Code.Leave(n)
	}
	run := x.body.AsStep()
	if x.clear != nil {
		run = both(x.clear, run)
	}
	return x.guard.Step(x.begin, run, slow, x.end)
}

// store compiles an expansion whose results are stored in variables of the caller. A nil variable
// discards its result.
func (x *expansion) store(c *compiler, dst []*ir.Local) func(machine.Frame) {
	steps := []func(machine.Frame){x.step()}
	for i, l := range dst {
		if l != nil {
			r := x.results[i]
			steps = append(steps, c.copyTo(c.local(l, c.typeOf(l.Type)), machine.Access{Mode: machine.ModeFrame, Offset: r.Offset, Type: r.Type}))
		}
	}
	return machine.Sequence(steps)
}
