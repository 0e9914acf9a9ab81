package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// block compiles a list of statements.
func (c *compiler) block(b *ir.Block) operation.Stmt {
	if b == nil {
		return operation.Stmt{}
	}
	list := make([]operation.Stmt, len(b.List))
	// Only labels of this list are targets: a goto to an outer label returns from the block with
	// its Control.
	targets := map[operation.Control]int{}
	for i, s := range b.List {
		list[i] = c.stmt(s)
		if l, ok := s.(*ir.Labeled); ok && l.Label.Jumped {
			targets[operation.Jump(operation.DoGoto, l.Label.ID)] = i
		}
	}
	if len(targets) == 0 {
		return operation.Series(list)
	}
	return c.jumps(list, targets)
}

// jumps compiles a block that contains targets of goto statements. It polls at every jump, because
// jumps may form a loop.
//
// Blocks without targets do not pay for this form, in which each statement returns a Control that
// is compared.
func (c *compiler) jumps(list []operation.Stmt, targets map[operation.Control]int) operation.Stmt {
	runs := make([]func(machine.Frame) operation.Control, len(list))
	for i, s := range list {
		runs[i] = s.AsRun()
	}
	m, s := c.m, c.site(token.NoPos)
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		for i := 0; i < len(runs); i++ {
			result := runs[i](f)
			if result == operation.Next {
				continue
			}
			target, found := targets[result]
			if !found {
				return result
			}
			if m.Stop.Load() != 0 {
				m.Poll(f, s)
			}
			i = target - 1
		}
		return operation.Next
	}}
}

// stmt compiles a statement.
func (c *compiler) stmt(s ir.Stmt) operation.Stmt {
	switch s := s.(type) {
	case *ir.Declare:
		return operation.StepOf(c.declaration(s))
	case *ir.Assign:
		if c.definer != nil && c.fn.KeepsState(s) {
			return operation.Stmt{}
		}
		return operation.StepOf(c.assign(s))
	case *ir.AssignOp:
		return operation.StepOf(c.assignOp(s))
	case *ir.AssignAll:
		return operation.StepOf(c.assignAll(s))
	case *ir.Eval:
		return operation.StepOf(c.eval(s.X))
	case *ir.Send:
		return operation.StepOf(c.send(s))
	case *ir.Go:
		return operation.StepOf(c.goStmt(s))
	case *ir.Defer:
		return operation.StepOf(c.deferStmt(s))
	case *ir.Hook:
		return operation.StepOf(c.hook(s))
	case *ir.Mark:
		return operation.StepOf(c.mark(s))
	case *ir.Return:
		return c.returnStmt(s)
	case *ir.Break:
		return jumpTo(operation.Jump(operation.DoBreak, s.Label.ID))
	case *ir.Continue:
		return jumpTo(operation.Jump(operation.DoContinue, s.Label.ID))
	case *ir.Goto:
		return jumpTo(operation.Jump(operation.DoGoto, s.Label.ID))
	}
	return c.structured(s)
}

// jumpTo returns a statement that does nothing but jump. Each enclosing statement passes the
// Control on until one that it names ends the jump.
func jumpTo(target operation.Control) operation.Stmt {
	return operation.Stmt{Run: func(machine.Frame) operation.Control { return target }}
}

// structured compiles a statement that contains other statements, or refuses an unknown one.
func (c *compiler) structured(s ir.Stmt) operation.Stmt {
	switch s := s.(type) {
	case *ir.Block:
		return c.block(s)
	case *ir.Labeled:
		return c.stmt(s.Body)
	case *ir.If:
		if c.unchecked && c.fn.IsState(s.Cond) {
			return operation.Stmt{}
		}
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
	return operation.Stmt{}
}

// eval compiles an expression statement.
func (c *compiler) eval(e ir.Expr) func(machine.Frame) {
	switch e := e.(type) {
	case *ir.Call:
		return c.callStep(e)
	case *ir.Builtin:
		return c.builtinStep(e)
	}
	x := c.expr(e)
	if x.Type.Class == machine.ClassMemory {
		addr := x.Addr
		return func(f machine.Frame) { addr(f) }
	}
	return operation.Classes[x.Type.Class].Drop(x)
}

// declaration compiles a Declare statement.
//
// A variable in the frame has to be cleared, because the slot may hold the value of an earlier
// iteration.
func (c *compiler) declaration(s *ir.Declare) func(machine.Frame) {
	l := s.Local
	a := c.local(l, c.typeOf(l.Type))
	c.noteCallee(l, s.X)
	if !l.Boxed {
		if s.X == nil {
			return operation.Clearer(a.Offset, a.Type)
		}
		x := c.expr(s.X)
		// The value cannot read the variable, whose scope begins after the statement.
		switch at := a.Offset; {
		case x.InFrame != nil:
			return x.InFrame(at)
		case x.Into != nil:
			put := operation.PutAnywhere(x)
			return func(f machine.Frame) { put(f, unsafe.Add(f, at)) }
		}
		return c.storeValue(a, x)
	}
	if s.X == nil {
		return c.newBox(l)
	}
	// In a loop, the value may use the variable of the previous iteration, so the new cell is
	// stored last.
	x := c.expr(s.X)
	put, box := operation.Put(x), c.boxes[l]
	size, r := a.Type.Size, a.Type.RType
	return func(f machine.Frame) {
		p := machine.Malloc(size, r, true)
		put(f, p)
		*machine.At[unsafe.Pointer](f, box) = p
	}
}

// storeIn compiles the storing of an expression's value in a variable.
func (c *compiler) storeIn(a operation.Access, e ir.Expr) func(machine.Frame) {
	return c.storeValue(a, c.expr(e))
}

// storeValue compiles the storing of a value in a variable. A struct or an array is computed
// completely before the variable changes, because the expression may read the variable.
//
// For a scalar the order of value and destination is decided in machine.store: the value is first,
// as ir.Assign demands.
func (c *compiler) storeValue(a operation.Access, x operation.Value) func(machine.Frame) {
	if a.Type.Class != machine.ClassMemory {
		return operation.Classes[a.Type.Class].Store(a, x)
	}
	from, to, move := x.Addr, a.Address(), a.Type.Mover()
	if x.Into != nil && from == nil {
		from = c.inTemporary(x)
	}
	return func(f machine.Frame) {
		p := from(f)
		move(to(f), p)
	}
}

// inTemporary compiles the address of a value of ClassMemory that has only the form Into.
func (c *compiler) inTemporary(x operation.Value) func(machine.Frame) unsafe.Pointer {
	offset, into, r := c.temporary(x.Type), x.Into, x.Type.RType
	return func(f machine.Frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		machine.TypedClear(r, p)
		into(f, p)
		return p
	}
}

// assign compiles dst = x.
//
// An assignment to an element of a slice is the most frequent statement of numerical loops after
// the loop itself, hence its own form.
func (c *compiler) assign(s *ir.Assign) func(machine.Frame) {
	switch dst := s.Dst.(type) {
	case nil:
		return c.eval(s.X)
	case *ir.LocalExpr:
		c.noteCallee(dst.Local, s.X)
	case *ir.MapElem:
		return c.assignMapElem(dst, s.X)
	case *ir.Elem:
		x, t := c.typeOf(dst.X.Type()), c.typeOf(dst.Type())
		// One closure computes the operands, checks the index and stores the value.
		if x.Class == machine.ClassSlice && t.Class != machine.ClassMemory {
			return operation.Classes[t.Class].StoreElem(c.expr(dst.X), c.index(dst.I), c.expr(s.X), c.site(dst.Pos()))
		}
	}
	if c.typeOf(s.Dst.Type()).Class == machine.ClassString {
		if x := chain(s.X); len(x) > 1 && sameVariable(s.Dst, x[0]) {
			return c.appendText(c.place(s.Dst), x[0], x[1:], s.X.Pos())
		}
	}
	return c.storeIn(c.place(s.Dst), s.X)
}

// sameVariable reports whether two expressions are the same variable.
func sameVariable(x, y ir.Expr) bool {
	switch x := x.(type) {
	case *ir.LocalExpr:
		y, ok := y.(*ir.LocalExpr)
		return ok && x.Local == y.Local
	case *ir.GlobalExpr:
		y, ok := y.(*ir.GlobalExpr)
		return ok && x.Global == y.Global
	}
	return false
}

// assignOp compiles dst op= x.
func (c *compiler) assignOp(s *ir.AssignOp) func(machine.Frame) {
	if dst, ok := s.Dst.(*ir.MapElem); ok {
		return c.assignOpMapElem(dst, s)
	}
	return c.operate(s, c.place(s.Dst))
}

// operate compiles an operation that changes a variable.
func (c *compiler) operate(s *ir.AssignOp, a operation.Access) func(machine.Frame) {
	if a.Type.Class == machine.ClassString {
		return c.appendText(a, nil, chain(s.X), s.Pos())
	}
	y, site := c.expr(s.X), c.site(s.Pos())
	if s.Op == token.SHL || s.Op == token.SHR {
		return c.shiftInPlace(s.Op, a, y, site)
	}
	return operation.NumberOps(a.Type.Class).Assign(s.Op, a, y, site)
}

// shiftInPlace compiles dst <<= count and dst >>= count. The count is computed first, because its
// calls may change the variable. The address of the variable is computed once and kept in a
// temporary, as the count is.
func (c *compiler) shiftInPlace(op token.Token, a operation.Access, count operation.Value, s *machine.Site) func(machine.Frame) {
	if a.Mode == operation.ModeFrame {
		x := c.read(a)
		return operation.Classes[a.Type.Class].Store(a, operation.Value{Type: a.Type, F: operation.NumberOps(a.Type.Class).Shift(op, x, count, s)})
	}
	computed := func(machine.Frame) {}
	if count.Form != operation.FormConst && count.Form != operation.FormLocal {
		kept := operation.Access{Mode: operation.ModeFrame, Offset: c.temporary(count.Type), Type: count.Type}
		computed, count = operation.Classes[count.Type.Class].Store(kept, count), c.read(kept)
	}
	pointer := c.temporary(c.pointerType())
	address := a.Address()
	inTemporary := operation.Access{Mode: operation.ModeBox, Slot: pointer, Type: a.Type}
	x := c.read(inTemporary)
	store := operation.Classes[a.Type.Class].Store(inTemporary, operation.Value{Type: a.Type, F: operation.NumberOps(a.Type.Class).Shift(op, x, count, s)})
	return func(f machine.Frame) {
		computed(f)
		*machine.At[unsafe.Pointer](f, pointer) = address(f)
		store(f)
	}
}

// assignAll compiles the assignment of several values.
//
// The builder has replaced other destinations by temporaries, from which it assigns in further
// statements.
func (c *compiler) assignAll(s *ir.AssignAll) func(machine.Frame) {
	if call, ok := s.X.(*ir.Call); ok {
		return c.callAll(call, s.Dst)
	}
	value, ok := s.Dst[0], s.Dst[1]
	var run func(f machine.Frame, to unsafe.Pointer) bool
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
	to := func(machine.Frame) unsafe.Pointer { return nil }
	if value != nil {
		to = c.local(value, c.typeOf(value.Type)).Address()
	}
	if ok == nil {
		return func(f machine.Frame) { run(f, to(f)) }
	}
	found := c.local(ok, c.typeOf(ok.Type)).Address()
	return func(f machine.Frame) {
		result := run(f, to(f))
		*(*bool)(found(f)) = result
	}
}

// returnStmt compiles a return statement.
//
// The forms in Tail avoid the Control: the value of the return statement becomes the value of the
// function's closure.
func (c *compiler) returnStmt(s *ir.Return) operation.Stmt {
	switch {
	case len(s.Values) == 0:
		return operation.Stmt{Run: func(machine.Frame) operation.Control { return operation.DoReturn }, Tail: operation.Tail{Drop: func() func(machine.Frame) { return func(machine.Frame) {} }}}
	// return f(), where f has several results
	case len(s.Values) == 1 && len(c.fn.Results) > 1:
		return leavingAfter(c.callAll(s.Values[0].(*ir.Call), c.fn.Results))
	case len(s.Values) == 1:
		l := c.fn.Results[0]
		to, x := c.local(l, c.typeOf(l.Type)), c.expr(s.Values[0])
		returns := leavingAfter(c.storeValue(to, x))
		if x.Type.Class != machine.ClassMemory {
			// In this form the result is not stored in the frame. finish uses it only if nothing
			// else reads the result.
			returns.Value = func(operation.Result) operation.Value { return x }
		}
		return returns
	}
	// All values are computed before the results change, because an expression may read a result.
	var steps []func(machine.Frame)
	var moves []func(machine.Frame)
	for i, e := range s.Values {
		l := c.fn.Results[i]
		a := c.local(l, c.typeOf(l.Type))
		if isConstant(e) {
			moves = append(moves, c.storeIn(a, e))
			continue
		}
		temporary := &ir.Local{Type: l.Type}
		ta := c.local(temporary, a.Type)
		steps = append(steps, c.storeIn(ta, e))
		moves = append(moves, c.copyTo(a, ta))
	}
	return leavingAfter(operation.Sequence(append(steps, moves...)))
}

// leavingAfter returns a statement that runs a step and returns from the function.
func leavingAfter(step func(machine.Frame)) operation.Stmt {
	return operation.Stmt{Run: func(f machine.Frame) operation.Control { step(f); return operation.DoReturn }, Tail: operation.Tail{Drop: func() func(machine.Frame) { return step }}}
}

// isConstant reports whether an expression reads no variables.
func isConstant(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Const, *ir.Zero:
		return true
	}
	return false
}

// copyTo compiles the copying of a variable to another.
func (c *compiler) copyTo(to, from operation.Access) func(machine.Frame) {
	if to.Type.Class != machine.ClassMemory {
		return operation.Classes[to.Type.Class].Store(to, c.read(from))
	}
	a, b, move := to.Address(), from.Address(), to.Type.Mover()
	return func(f machine.Frame) { move(a(f), b(f)) }
}

// alwaysReturns reports whether a block ends in a return statement.
//
// It is a sufficient condition. A block that ends in a panic or an endless loop is not recognized,
// and is compiled without the form.
func alwaysReturns(b *ir.Block) bool {
	if b == nil || len(b.List) == 0 {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ir.Return:
		return true
	case *ir.Block:
		return alwaysReturns(last)
	}
	return false
}
