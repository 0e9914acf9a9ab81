package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/ir"
)

// block compiles a list of statements.
func (c *compiler) block(b *ir.Block) code {
	if b == nil {
		return code{}
	}
	list := make([]code, len(b.List))
	targets := map[control]int{}
	for i, s := range b.List {
		list[i] = c.stmt(s)
		if l, ok := s.(*ir.Labeled); ok && l.Label.Jumped {
			targets[jump(doGoto, l.Label.ID)] = i
		}
	}
	if len(targets) == 0 {
		return series(list)
	}
	return c.jumps(list, targets)
}

// jumps compiles a block with targets of goto statements, which may jump backward.
func (c *compiler) jumps(list []code, targets map[control]int) code {
	runs := make([]func(frame) control, len(list))
	for i, s := range list {
		runs[i] = s.asRun()
	}
	m, s := c.m, c.site(token.NoPos)
	return code{run: func(f frame) control {
		for i := 0; i < len(runs); i++ {
			result := runs[i](f)
			if result == next {
				continue
			}
			target, found := targets[result]
			if !found {
				return result
			}
			if m.stop.Load() != 0 {
				m.poll(f, s)
			}
			i = target - 1
		}
		return next
	}}
}

// stmt compiles a statement.
func (c *compiler) stmt(s ir.Stmt) code {
	switch s := s.(type) {
	case *ir.Declare:
		return stepOf(c.declaration(s))
	case *ir.Assign:
		return stepOf(c.assign(s))
	case *ir.AssignOp:
		return stepOf(c.assignOp(s))
	case *ir.AssignAll:
		return stepOf(c.assignAll(s))
	case *ir.Eval:
		return stepOf(c.eval(s.X))
	case *ir.Send:
		return stepOf(c.send(s))
	case *ir.Go:
		return stepOf(c.goStmt(s))
	case *ir.Defer:
		return stepOf(c.deferStmt(s))
	case *ir.Hook:
		return stepOf(c.hook(s))
	case *ir.Mark:
		return stepOf(c.mark(s))
	case *ir.Return:
		return c.returnStmt(s)
	case *ir.Break:
		return jumpTo(jump(doBreak, s.Label.ID))
	case *ir.Continue:
		return jumpTo(jump(doContinue, s.Label.ID))
	case *ir.Goto:
		return jumpTo(jump(doGoto, s.Label.ID))
	}
	return c.structured(s)
}

func jumpTo(target control) code {
	return code{run: func(frame) control { return target }}
}

func (c *compiler) structured(s ir.Stmt) code {
	switch s := s.(type) {
	case *ir.Block:
		return c.block(s)
	case *ir.Labeled:
		return c.stmt(s.Body)
	case *ir.If:
		return c.ifStmt(s)
	case *ir.For:
		return c.forStmt(s)
	case *ir.RangeInt:
		return c.rangeInt(s)
	case *ir.RangeSlice:
		return c.rangeSlice(s)
	case *ir.RangeString:
		return c.rangeString(s)
	case *ir.RangeMap:
		return c.rangeMap(s)
	case *ir.RangeChan:
		return c.rangeChan(s)
	case *ir.Switch:
		return c.switchStmt(s)
	case *ir.Select:
		return c.selectStmt(s)
	}
	unsupported(s.Pos(), "a statement of the form %T is not supported", s)
	return code{}
}

// eval compiles an expression statement.
func (c *compiler) eval(e ir.Expr) func(frame) {
	switch e := e.(type) {
	case *ir.Call:
		return c.callStep(e)
	case *ir.Builtin:
		return c.builtinStep(e)
	}
	x := c.expr(e)
	if x.typ.class == classMemory {
		addr := x.addr
		return func(f frame) { addr(f) }
	}
	return classes[x.typ.class].drop(x)
}

// declaration compiles the beginning of a variable's life.
func (c *compiler) declaration(s *ir.Declare) func(frame) {
	l := s.Local
	a := c.local(l, c.typeOf(l.Type))
	if !l.Boxed {
		if s.X == nil {
			return clearer(a.offset, a.typ)
		}
		return c.storeIn(a, s.X)
	}
	if s.X == nil {
		return c.newBox(l)
	}
	// The value may use the variable that the cell in the frame holds now, in a loop.
	x := c.expr(s.X)
	put, box := put(x), c.boxes[l]
	size, r := a.typ.size, a.typ.rtype
	return func(f frame) {
		p := mallocgc(size, r, true)
		put(f, p)
		*at[unsafe.Pointer](f, box) = p
	}
}

// storeIn compiles storing the value of an expression in a variable.
func (c *compiler) storeIn(a access, e ir.Expr) func(frame) {
	x := c.expr(e)
	if a.typ.class != classMemory {
		return classes[a.typ.class].store(a, x)
	}
	from, to, move := x.addr, a.address(), a.typ.mover()
	if x.into != nil && from == nil {
		from = c.inTemporary(x)
	}
	return func(f frame) {
		p := from(f)
		move(to(f), p)
	}
}

// inTemporary gives a value of classMemory that is only stored an address.
func (c *compiler) inTemporary(x value) func(frame) unsafe.Pointer {
	offset, into, r := c.temporary(x.typ), x.into, x.typ.rtype
	return func(f frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		typedmemclr(r, p)
		into(f, p)
		return p
	}
}

// assign compiles dst = x.
func (c *compiler) assign(s *ir.Assign) func(frame) {
	switch dst := s.Dst.(type) {
	case nil:
		return c.eval(s.X)
	case *ir.MapElem:
		return c.assignMapElem(dst, s.X)
	case *ir.Elem:
		x, t := c.typeOf(dst.X.Type()), c.typeOf(dst.Type())
		if x.class == classSlice && t.class != classMemory {
			return classes[t.class].storeElem(c.expr(dst.X), c.index(dst.I), c.expr(s.X), c.site(dst.Pos()))
		}
	}
	return c.storeIn(c.place(s.Dst), s.X)
}

// assignOp compiles dst op= x.
func (c *compiler) assignOp(s *ir.AssignOp) func(frame) {
	if dst, ok := s.Dst.(*ir.MapElem); ok {
		return c.assignOpMapElem(dst, s)
	}
	return c.operate(s, c.place(s.Dst))
}

// operate compiles an operation on a variable in place.
func (c *compiler) operate(s *ir.AssignOp, a access) func(frame) {
	y, site := c.expr(s.X), c.site(s.Pos())
	if a.typ.class == classString {
		get, address := y.f.(func(frame) string), a.address()
		return func(f frame) {
			text := get(f)
			p := (*string)(address(f))
			*p += text
		}
	}
	if s.Op == token.SHL || s.Op == token.SHR {
		return c.shiftInPlace(s.Op, a, y, site)
	}
	return numberOps(a.typ.class).assign(s.Op, a, y, site)
}

// shiftInPlace evaluates the address of the variable once, in a temporary.
func (c *compiler) shiftInPlace(op token.Token, a access, count value, s *site) func(frame) {
	if a.mode == modeFrame {
		x := c.read(a)
		return classes[a.typ.class].store(a, value{typ: a.typ, f: numberOps(a.typ.class).shift(op, x, count, s)})
	}
	pointer := c.temporary(c.pointerType())
	address := a.address()
	inTemporary := access{mode: modeBox, slot: pointer, typ: a.typ}
	x := c.read(inTemporary)
	store := classes[a.typ.class].store(inTemporary, value{typ: a.typ, f: numberOps(a.typ.class).shift(op, x, count, s)})
	return func(f frame) {
		*at[unsafe.Pointer](f, pointer) = address(f)
		store(f)
	}
}

// assignAll compiles the assignment of several values.
func (c *compiler) assignAll(s *ir.AssignAll) func(frame) {
	if call, ok := s.X.(*ir.Call); ok {
		return c.callAll(call, s.Dst)
	}
	value, ok := s.Dst[0], s.Dst[1]
	var run func(f frame, to unsafe.Pointer) bool
	switch x := s.X.(type) {
	case *ir.Assert:
		run = c.assertOk(x)
	case *ir.MapElem:
		run = c.mapElemOk(x)
	case *ir.Recv:
		run = c.receiveOk(x)
	default:
		unsupported(s.Pos(), "internal: several values of a %T", s.X)
	}
	to := func(frame) unsafe.Pointer { return nil }
	if value != nil {
		to = c.local(value, c.typeOf(value.Type)).address()
	}
	if ok == nil {
		return func(f frame) { run(f, to(f)) }
	}
	found := c.local(ok, c.typeOf(ok.Type)).address()
	return func(f frame) {
		result := run(f, to(f))
		*(*bool)(found(f)) = result
	}
}

// returnStmt compiles a return statement.
func (c *compiler) returnStmt(s *ir.Return) code {
	leave := func(frame) control { return doReturn }
	switch {
	case len(s.Values) == 0:
		return code{run: leave}
	case len(s.Values) == 1 && len(c.fn.Results) > 1:
		step := c.callAll(s.Values[0].(*ir.Call), c.fn.Results)
		return code{run: func(f frame) control { step(f); return doReturn }}
	case len(s.Values) == 1:
		l := c.fn.Results[0]
		step := c.storeIn(c.local(l, c.typeOf(l.Type)), s.Values[0])
		return code{run: func(f frame) control { step(f); return doReturn }}
	}
	// All values are computed before the results change: an expression may read a result.
	var steps []func(frame)
	var moves []func(frame)
	for i, e := range s.Values {
		l := c.fn.Results[i]
		a := c.local(l, c.typeOf(l.Type))
		if isConstant(e) {
			moves = append(moves, c.storeIn(a, e))
			continue
		}
		temporary := &ir.Local{Type: l.Type}
		ta := c.local(temporary, a.typ)
		steps = append(steps, c.storeIn(ta, e))
		moves = append(moves, c.copyTo(a, ta))
	}
	run := sequence(append(steps, moves...))
	return code{run: func(f frame) control { run(f); return doReturn }}
}

func isConstant(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Const, *ir.Zero:
		return true
	}
	return false
}

// copyTo compiles copying a variable to another.
func (c *compiler) copyTo(to, from access) func(frame) {
	if to.typ.class != classMemory {
		return classes[to.typ.class].store(to, c.read(from))
	}
	a, b, move := to.address(), from.address(), to.typ.mover()
	return func(f frame) { move(a(f), b(f)) }
}
