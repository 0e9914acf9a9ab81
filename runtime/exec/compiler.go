package exec

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"unsafe"

	"gosphere/runtime/ir"
)

// A compiler compiles one function.
type compiler struct {
	record    func(frame) unsafe.Pointer // see Code.record
	m         *Machine
	fn        *ir.Func
	layout    *layout
	variables map[*ir.Local]access
	params    []slot
	results   []slot
	boxes     map[*ir.Local]uintptr // where the pointers to heap cells are
	defersAt  uintptr               // where the list of deferred calls is
}

// A signature is what the types of a function say of its frames.
type signature struct {
	params, results []slot
	size            uintptr
	words           map[uintptr]bool
}

// signatureOf returns the layout of parameters and results.
func (m *Machine) signatureOf(t *types.Signature) *signature {
	if known := m.layouts[t]; known != nil {
		return known
	}
	l := newLayout()
	s := &signature{}
	for p := range t.Params().Variables() {
		pt := m.typeOf(p.Type())
		s.params = append(s.params, slot{l.add(pt), pt})
	}
	for r := range t.Results().Variables() {
		rt := m.typeOf(r.Type())
		s.results = append(s.results, slot{l.add(rt), rt})
	}
	s.size, s.words = l.size, l.words
	m.layouts[t] = s
	return s
}

// compile compiles a function.
func (m *Machine) compile(fn *ir.Func) *Code {
	c, code := m.newCompiler(fn)
	prologue := c.prologue()
	body := c.block(fn.Body)
	code.record = c.record
	code.run = c.runner(prologue, body, c.epilogue())
	c.layout.finish(code)
	return code
}

// runner makes one function of the parts of a function.
func (c *compiler) runner(prologue []func(frame), body code, epilogue []func(frame)) func(frame) {
	begin, end := sequence(prologue), sequence(epilogue)
	run := body.asStep()
	if c.fn.Defers {
		body := run
		offset := c.defersAt
		run = func(f frame) { runDeferring(f, offset, body) }
	}
	switch {
	case begin == nil && end == nil:
		return run
	case end == nil:
		return func(f frame) { begin(f); run(f) }
	case begin == nil:
		return func(f frame) { run(f); end(f) }
	}
	return func(f frame) { begin(f); run(f); end(f) }
}

// parameter makes a parameter a variable of the function.
func (c *compiler) parameter(l *ir.Local, s slot) []func(frame) {
	if l == nil {
		return nil
	}
	if !l.Boxed {
		c.variables[l] = access{mode: modeFrame, offset: s.offset, typ: s.typ}
		return nil
	}
	c.declare(l)
	box, t, move := c.boxes[l], s.typ, s.typ.mover()
	return []func(frame){func(f frame) {
		p := mallocgc(t.size, t.rtype, true)
		move(p, unsafe.Add(f, s.offset))
		*at[unsafe.Pointer](f, box) = p
	}}
}

// result makes a result a variable of the function, which is zero first.
func (c *compiler) result(l *ir.Local, s slot) []func(frame) {
	if !l.Boxed {
		c.variables[l] = access{mode: modeFrame, offset: s.offset, typ: s.typ}
		return []func(frame){clearer(s.offset, s.typ)}
	}
	c.declare(l)
	return []func(frame){c.newBox(l)}
}

// epilogue copies results out of their heap cells.
func (c *compiler) epilogue() (steps []func(frame)) {
	for i, l := range c.fn.Results {
		if !l.Boxed {
			continue
		}
		box, to, move := c.boxes[l], c.results[i].offset, c.results[i].typ.mover()
		steps = append(steps, func(f frame) { move(unsafe.Add(f, to), *at[unsafe.Pointer](f, box)) })
	}
	return steps
}

// captured makes the captures of a function literal variables. Pointers to heap cells are copied to
// the frame; other values stay in the closure.
func (c *compiler) captured() (steps []func(frame)) {
	layout := c.m.environment(c.fn)
	for i, l := range c.fn.Captures {
		from := layout.slots[i]
		if !l.Boxed {
			c.variables[l] = access{mode: modeBox, slot: envOffset, offset: from.offset, typ: from.typ}
			continue
		}
		c.declare(l)
		box, offset := c.boxes[l], from.offset
		steps = append(steps, func(f frame) {
			*at[unsafe.Pointer](f, box) = *at[unsafe.Pointer](headerOf(f).env, offset)
		})
	}
	return steps
}

// declare gives a variable or temporary its place.
func (c *compiler) declare(l *ir.Local) access {
	t := c.typeOf(l.Type)
	var a access
	if l.Boxed {
		offset := c.layout.add(c.m.typeOf(types.Typ[types.UnsafePointer]))
		c.boxes[l] = offset
		a = access{mode: modeBox, slot: offset, typ: t}
	} else {
		a = access{mode: modeFrame, offset: c.layout.add(t), typ: t}
	}
	c.variables[l] = a
	return a
}

// temporary returns the offset of a new temporary of a type.
func (c *compiler) temporary(t *typ) uintptr { return c.layout.add(t) }

// newBox is a step that makes a new heap cell for a variable.
func (c *compiler) newBox(l *ir.Local) func(frame) {
	t := c.typeOf(l.Type)
	box, size, r := c.boxes[l], t.size, t.rtype
	return func(f frame) { *at[unsafe.Pointer](f, box) = mallocgc(size, r, true) }
}

// clearer is a step that sets a variable in the frame to zero.
func clearer(offset uintptr, t *typ) func(frame) {
	if t.class != classMemory {
		return classes[t.class].store(access{mode: modeFrame, offset: offset, typ: t}, zero(t))
	}
	r := t.rtype
	if t.size == 0 {
		return func(frame) {}
	}
	return func(f frame) { typedmemclr(r, unsafe.Add(f, offset)) }
}

// zero is the zero value of a type.
func zero(t *typ) value {
	if t.class != classMemory {
		return constantOf(t, classes[t.class].zero())
	}
	var p unsafe.Pointer
	if t.size <= uintptr(len(zeroes)) {
		p = unsafe.Pointer(&zeroes)
	} else {
		p = mallocgc(t.size, t.rtype, true)
	}
	return value{typ: t, addr: func(frame) unsafe.Pointer { return p }}
}

// site describes a position.
func (c *compiler) site(pos token.Pos) *site {
	s := &site{fn: c.fn}
	if c.fn.Fset != nil && pos.IsValid() {
		p := c.fn.Fset.Position(pos)
		s.line, s.file = p.Line, p.Filename
	}
	return s
}

// callSite is the site of a call that may lead to compiled code, which it names.
func (c *compiler) callSite(e *ir.Call) *site {
	s := c.site(e.Pos())
	switch {
	case e.Extern != nil:
		s.what, s.brief = nameOf(e.Extern.Func), c.m.host.Brief(e.Extern.Func)
	case e.Method != nil:
		s.what, s.brief = nameOf(e.Method.Func), c.m.host.Brief(e.Method.Func)
	}
	return s
}

// nameOf is the name of a compiled function as stack traces of Go write it.
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

// waitSite is the site of an operation that may wait.
func (c *compiler) waitSite(pos token.Pos, what string) *site {
	s := c.site(pos)
	s.what = what
	return s
}

// unsupported refuses a construct.
func unsupported(pos token.Pos, format string, arguments ...any) {
	panic(&Unsupported{pos, fmt.Sprintf(format, arguments...)})
}

func itoa(n int) string { return strconv.Itoa(n) }
