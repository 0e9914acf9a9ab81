package exec

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// A compiler compiles one function.
//
// A compiler is used by one goroutine and discarded afterward. The closures that it returns keep
// only offsets, types and the closures of operands, so that no part of the compiler or of the
// representation is read while code runs. The exception is the Func in a Code or a Site, which
// stack traces and inlining refer to.
type compiler struct {
	record func(machine.Frame) unsafe.Pointer // see machine.Code.Record
	m      *Machine
	fn     *ir.Func
	layout *machine.Layout
	// The access to each local that has a location. The temporaries of package lower are not listed in
	// advance: local declares one at its first use, which by the invariants of the representation is
	// its definition.
	variables map[*ir.Local]operation.Access
	params    []machine.Slot
	// A parameter or result that is not Boxed is used where the caller has stored it or reads it.
	results  []machine.Slot
	boxes    map[*ir.Local]uintptr // offsets of the pointers to heap cells
	defersAt uintptr               // offset of the list of deferred calls
	// kept are the deferred calls if each defer statement runs at most once, and once is the list of
	// the statements; nil for other functions.
	kept *machine.Kept
	once []*ir.Defer
	// literals are function literals that have been compiled.
	literals map[*ir.Func]*machine.Code

	// The following fields are set for a function that is inlined in another one. The body is compiled
	// anew at each call that is inlined, because its offsets are those of the caller's frame.
	outer     *machine.Site                 // of the call
	constants map[*ir.Local]operation.Value // variables with known values, such as parameters with constant arguments
	level     int                           // the number of calls of fn itself around it; fn.Levels in a function other than fn
	caller    *compiler                     // of the function that fn is inlined in
	definer   *compiler                     // of the function that evaluates fn, if fn is a known literal
	// unchecked reports whether the iterator function returns at once when the body of a
	// range-over-func loop, fn, returns false.
	unchecked bool
	leaving   *ir.Call // the call in a condition, if the statement returns when the call returns false

	plain bool // calls of func values are not inlined
	// callees are the function literals that variables hold, or are expected to hold.
	callees map[*ir.Local]*callee
	// budget is the number of nodes that calls of func values may still add to the function with the
	// frame.
	budget *int
}

// signatureOf returns the layout of the parameters and results of a signature. The layout depends
// on nothing else, so callers can store arguments before they know which version of the function
// they call.
//
// For instance, all functions of type func(int) string have an int and a string after the header,
// at the same offsets.
func (m *Machine) signatureOf(t *types.Signature) *machine.Signature {
	if known := m.layouts[t]; known != nil {
		return known
	}
	l := machine.NewLayout()
	s := &machine.Signature{}
	for p := range t.Params().Variables() {
		pt := m.typeOf(p.Type())
		s.Params = append(s.Params, machine.Slot{Offset: l.Add(pt), Type: pt})
	}
	for r := range t.Results().Variables() {
		rt := m.typeOf(r.Type())
		s.Results = append(s.Results, machine.Slot{Offset: l.Add(rt), Type: rt})
	}
	s.Size, s.Words = l.Size, l.Words
	m.layouts[t] = s
	return s
}

// compile compiles a function.
//
// The order of the steps matters. The prologue declares parameters, captures and results, which the
// body refers to. The epilogue reads locations that the prologue has assigned. The layout is
// finished last, when the body has requested all of its temporaries, because Finish makes the
// pointer map of the frame.
func (m *Machine) compile(fn *ir.Func) *machine.Code { return m.compilePlain(fn, false) }

// compilePlain compiles a function. If plain is set, calls of func values are not inlined, which
// keeps the code small where it rarely runs.
func (m *Machine) compilePlain(fn *ir.Func, plain bool) *machine.Code {
	c, code := m.newCompiler(fn)
	c.plain = plain
	prologue := c.prologue()
	body := c.block(fn.Body)
	code.Record = c.record
	c.finish(code, prologue, body, c.epilogue())
	// Each call allocates a frame, so its size is checked once, here.
	c.reserve(fn.Pos, c.layout.Size)
	c.layout.Finish(code)
	return code
}

// finish combines the parts of a function. A function with one result gets two forms: Value returns
// the result, and Run stores it in the frame. Value is the faster form, which most calls use. For
// instance, the Value of func next(i int) int { return i + 1 } is the compiled expression i + 1
// itself.
func (c *compiler) finish(code *machine.Code, prologue []func(machine.Frame), body operation.Stmt, epilogue []func(machine.Frame)) {
	single := len(c.results) == 1 && c.results[0].Type.Class != machine.ClassMemory
	if !single {
		code.Run = c.runner(prologue, body.AsStep(), epilogue)
		return
	}
	r := operation.Result{Slot: c.results[0], Class: operation.Classes[c.results[0].Type.Class]}
	var get any
	// Deferred calls, and results in heap cells, can change the result after the body. It is
	// therefore read from the frame at the end.
	if c.fn.Defers || len(epilogue) > 0 {
		code.Run = c.runner(prologue, body.AsStep(), epilogue)
		// A recovered panic leaves the body without a value, and a deferred function literal may assign
		// to a named result after the return statement has run ("Defer statements" in the specification).
		get = r.Class.Seq(code.Run, r.Load())
	} else {
		get = body.ValueOf(r).F
		if begin := operation.Sequence(prologue); begin != nil {
			get = r.Class.Seq(begin, operation.Value{F: get})
		}
		code.Run = r.Class.Store(operation.Access{Mode: operation.ModeFrame, Offset: r.Offset, Type: r.Type}, operation.Value{Type: r.Type, F: get})
	}
	// A func value is one pointer, so an interface value holds it directly in its data word. Code can
	// thus have one untyped field for all classes. Callers restore the type with the class of the
	// result, which both sides take from the signature.
	code.Value = (*machine.Iface)(unsafe.Pointer(&get)).Data
}

// runner returns one function that runs the parts of a function in order.
//
// The combinations have separate closures, so that a function without prologue and epilogue costs
// no test for them. The prologue runs outside RunDeferring: it makes no calls that deferred calls
// would have to observe, and boxed parameters have to exist before the first defer statement. The
// epilogue runs after the deferred calls and not in them, because they may still change boxed
// results. It does not run if the function panics, since no caller reads the results then.
func (c *compiler) runner(prologue []func(machine.Frame), run func(machine.Frame), epilogue []func(machine.Frame)) func(machine.Frame) {
	begin, end := operation.Sequence(prologue), operation.Sequence(epilogue)
	switch {
	case c.kept != nil:
		c.kept.Body = run
		run = c.kept.Run
	case c.fn.Defers:
		body := run
		offset := c.defersAt
		run = func(f machine.Frame) { machine.RunDeferring(f, offset, body) }
	}
	switch {
	case begin == nil && end == nil:
		return run
	case end == nil:
		return func(f machine.Frame) { begin(f); run(f) }
	case begin == nil:
		return func(f machine.Frame) { run(f); end(f) }
	}
	return func(f machine.Frame) { begin(f); run(f); end(f) }
}

// parameter makes a parameter a variable of the function. A boxed parameter is copied to a new heap
// cell.
//
// The copy leaves the argument in the frame as well. Leave clears it, so an object that only the
// argument refers to can live until the call returns, even if the variable has been set to nil.
func (c *compiler) parameter(l *ir.Local, s machine.Slot) []func(machine.Frame) {
	if l == nil {
		return nil
	}
	if !l.Boxed {
		c.variables[l] = operation.Access{Mode: operation.ModeFrame, Offset: s.Offset, Type: s.Type}
		return nil
	}
	c.declare(l)
	box, t, move := c.boxes[l], s.Type, s.Type.Mover()
	return []func(machine.Frame){func(f machine.Frame) {
		p := machine.Malloc(t.Size, t.RType, true)
		move(p, unsafe.Add(f, s.Offset))
		*machine.At[unsafe.Pointer](f, box) = p
	}}
}

// result makes a result a variable of the function. It is cleared first unless nothing can read it
// before a return statement sets it. That is the case if it has no name and no deferred call can
// recover a panic.
//
// Clearing is needed for words without pointers, too: a frame is reused, and only the pointers in
// it are zero when it is entered.
func (c *compiler) result(l *ir.Local, s machine.Slot) []func(machine.Frame) {
	if !l.Boxed {
		c.variables[l] = operation.Access{Mode: operation.ModeFrame, Offset: s.Offset, Type: s.Type}
		if l.Name == "" && !c.fn.Defers {
			return nil
		}
		return []func(machine.Frame){operation.Clearer(s.Offset, s.Type)}
	}
	c.declare(l)
	return []func(machine.Frame){c.newBox(l)}
}

// epilogue compiles the steps that copy boxed results from their heap cells to the frame, where the
// caller reads them. A result is boxed, for instance, if a deferred function literal sets it.
//
// The deferred calls may have captured the cell, and the frame is cleared when the caller has read
// the results, so the results cannot stay in the cell alone.
func (c *compiler) epilogue() (steps []func(machine.Frame)) {
	for i, l := range c.fn.Results {
		if !l.Boxed {
			continue
		}
		box, to, move := c.boxes[l], c.results[i].Offset, c.results[i].Type.Mover()
		steps = append(steps, func(f machine.Frame) { move(unsafe.Add(f, to), *machine.At[unsafe.Pointer](f, box)) })
	}
	return steps
}

// captured makes variables of the captures of a function literal. They are reached through the
// closure, which holds pointers to heap cells, and copies of variables that are never assigned to.
//
// The two modes differ in the number of loads. A copy is at an offset of the block of captures,
// which the frame refers to at EnvOffset like to a heap cell: ModeBox serves with the block as the
// cell. A variable with a heap cell of its own is one load further, which is ModeCapture. Neither
// needs a copy in the frame, so that a call of a literal costs the same for any number of captures.
//
// env is the offset in the frame of the pointer to the captured variables.
func (c *compiler) captured(env uintptr) {
	layout := c.m.environment(c.fn)
	for i, l := range c.fn.Captures {
		from := layout.slots[i]
		if l.Boxed {
			c.variables[l] = operation.Access{Mode: operation.ModeCapture, Env: env, Slot: from.Offset, Type: c.typeOf(l.Type)}
		} else {
			c.variables[l] = operation.Access{Mode: operation.ModeBox, Slot: env, Offset: from.Offset, Type: from.Type}
		}
	}
}

// localCaptures copies captured variables that are read often, and are copies themselves, to the
// frame. Many operations read variables in the frame without a call, such as the index of a slice
// in a function that is passed to sort.Slice.
func (c *compiler) localCaptures() (steps []func(machine.Frame)) {
	for _, l := range c.fn.Captures {
		if l.Boxed || l.Uses < 2 && !c.fn.Loops {
			continue
		}
		from := c.variables[l]
		switch from.Type.Class {
		case machine.ClassMemory, machine.ClassIface:
			continue
		}
		to := operation.Access{Mode: operation.ModeFrame, Offset: c.layout.Add(from.Type), Type: from.Type}
		steps = append(steps, c.storeValue(to, c.read(from)))
		c.variables[l] = to
	}
	return steps
}

// declare assigns a location in the frame to a variable or temporary. For a boxed variable it is
// the location of the pointer to the heap cell.
//
// The slot of a heap cell has the type unsafe.Pointer, so that the collector follows it and Leave
// clears it. It is nil until a Declare statement has run. The debugger relies on that to recognize
// variables that are not yet declared.
func (c *compiler) declare(l *ir.Local) operation.Access {
	t := c.typeOf(l.Type)
	var a operation.Access
	if l.Boxed {
		offset := c.layout.Add(c.m.typeOf(types.Typ[types.UnsafePointer]))
		c.boxes[l] = offset
		a = operation.Access{Mode: operation.ModeBox, Slot: offset, Type: t}
	} else {
		a = operation.Access{Mode: operation.ModeFrame, Offset: c.layout.Add(t), Type: t}
	}
	c.variables[l] = a
	return a
}

// temporary returns the offset of a new temporary of a type. Temporaries are not shared between
// expressions. Sharing would save memory, but a temporary must survive the evaluation of operands
// that follow it.
//
// The price is that large functions have large frames. A frame is allocated once and then reused,
// so the size costs memory but no time, except that Leave clears each word with pointers.
func (c *compiler) temporary(t *machine.Type) uintptr { return c.layout.Add(t) }

// newBox returns a step that allocates a new heap cell for a variable. The old cell, if any, is
// left to the closures that have captured it.
//
// Since Go 1.22 each iteration of a loop has its own variables, and each execution of a declaration
// always had one. A statement that is executed twice must not reuse the cell of the first time,
// which a closure or a pointer may refer to.
func (c *compiler) newBox(l *ir.Local) func(machine.Frame) {
	t := c.typeOf(l.Type)
	box, size, r := c.boxes[l], t.Size, t.RType
	return func(f machine.Frame) { *machine.At[unsafe.Pointer](f, box) = machine.Malloc(size, r, true) }
}

// site returns the site for a position.
//
// Positions are resolved now, so that a panic needs no file set, and so that another goroutine can
// sample a stack without a lock (see Thread.Observed). Sites are never compared, so each operation
// that may fail has one of its own.
func (c *compiler) site(pos token.Pos) *machine.Site {
	s := &machine.Site{Fn: c.fn, Outer: c.outer}
	if c.fn.Fset != nil && pos.IsValid() {
		p := c.fn.Fset.Position(pos)
		s.Line, s.File = p.Line, p.Filename
	}
	return s
}

// callSite returns the site of a call that may enter compiled code. It names the callee for stack
// reports.
//
// A brief call needs neither the accounting of Thread.Out and In nor a poll, because the session
// never has to take the execution lock from a cell during such a call. Package schedule lists these
// functions.
func (c *compiler) callSite(e *ir.Call, pos token.Pos) *machine.Site {
	s := c.site(pos)
	switch {
	case e.Extern != nil:
		s.What, s.Brief = nameOf(e.Extern.Func), c.m.Host.NeverBlocks(e.Extern.Func)
	case e.Method != nil:
		s.What, s.Brief = nameOf(e.Method.Func), c.m.Host.NeverBlocks(e.Method.Func)
	}
	return s
}

// nameOf returns the name of a compiled function in the form of Go's stack traces, such as
// os.ReadFile or net/http.(*Client).Get.
//
// FullName is not used for methods, since it puts the receiver into parentheses in all cases:
// (net/http.Client).Get.
func nameOf(f *types.Func) string {
	recv := f.Signature().Recv()
	if f.Pkg() == nil || recv == nil {
		return f.FullName()
	}
	t, format := types.Unalias(recv.Type()), "%s.%s.%s"
	if p, ok := t.(*types.Pointer); ok {
		t, format = types.Unalias(p.Elem()), "%s.(*%s).%s"
	}
	named, ok := t.(*types.Named)
	if !ok {
		return f.Name()
	}
	return fmt.Sprintf(format, f.Pkg().Path(), named.Obj().Name(), f.Name())
}

// waitSite returns the site of an operation that may wait.
//
// The session warns about a cell whose goroutines all wait. Timed excludes waits that may end
// without a goroutine of the cell, for which the warning would be wrong.
func (c *compiler) waitSite(pos token.Pos, what string, channels ...types.Type) *machine.Site {
	s := c.site(pos)
	s.What = what
	s.Timed = slices.ContainsFunc(channels, timed)
	return s
}

// timed reports whether a channel is of the type of those of timers, tickers or contexts: any
// channel of time.Time, and <-chan struct{}, which ctx.Done returns. Such a wait may end although
// no goroutine of the cell can end it.
func timed(channel types.Type) bool {
	ch, ok := channel.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	elem := types.Unalias(ch.Elem())
	if named, ok := elem.(*types.Named); ok {
		o := named.Obj()
		return o.Pkg() != nil && o.Pkg().Path() == "time" && o.Name() == "Time"
	}
	empty, ok := elem.(*types.Struct)
	return ok && empty.NumFields() == 0 && ch.Dir() == types.RecvOnly
}

// unsupported panics with an *Unsupported, which Compile returns as an error.
//
// A panic saves an error result in each of the functions of this package. It never occurs while
// code runs: the tree is compiled completely before its first closure is called.
func unsupported(pos token.Pos, format string, arguments ...any) {
	panic(&Unsupported{pos, fmt.Sprintf(format, arguments...)})
}

// typeOf returns the description of a type of the program.
func (c *compiler) typeOf(t types.Type) *machine.Type { return c.m.typeOf(t) }

// typeOf returns the description of a type. It caches by identity of the types.Type, which avoids
// the lookup of the run-time type.
//
// Forget drops the cache when a type of cells has gained methods and has a new run-time type.
func (m *Machine) typeOf(t types.Type) *machine.Type {
	if known := m.types[t]; known != nil {
		return known
	}
	real, err := m.Host.Type(t)
	if err != nil {
		panic(&Unsupported{Message: err.Error()})
	}
	described := m.Describe(real)
	m.types[t] = described
	return described
}
