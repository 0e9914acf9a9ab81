package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// A range-over-func loop becomes a call of the function, whose argument is the body as a function
// literal. The literal returns false to end the loop. A statement that leaves the body in another
// way stores a number in a variable of the enclosing function, and the code after the call performs
// the corresponding exit.

// An iteration is a range-over-func loop whose body is being built.
//
// A loop over a function f with a body that may return becomes, in short:
//
//	f(func(v T) bool { ...; if leaving { exit = 1; return false }; return true })
//	if exit == 1 { return }
type iteration struct {
	outer *builder  // builder of the function that contains the loop
	state *ir.Local // whether the body may run; one of ir's states
	exit  *ir.Local // number of the exit to take after the call; 0 for none
	exits []func()  // build the statements that perform the exits
	label *ast.Ident
	// labels are the labels that the body declares.
	labels map[string]bool
}

// rangeFunc builds a range statement over a function.
func (b *builder) rangeFunc(s *ast.RangeStmt, name *ast.Ident) {
	b.add(b.block(s.Pos(), func() {
		b.ordered(s.X)
		f := b.save(b.expr(s.X))
		clear(b.hoisted)
		it := &iteration{outer: b, label: name, labels: declaredLabels(s.Body)}
		it.state, it.exit = b.boxedInt("state", s.Pos()), b.boxedInt("exit", s.Pos())
		// The body is built before the call, since building it collects the exits.
		literal := b.iteratorBody(s, it, f.Type())
		sig := ir.Under(f.Type()).(*types.Signature)
		b.add(&ir.Eval{At: ir.At{P: s.Pos()}, X: &ir.Call{Typed: ir.Typed{T: ir.ResultType(sig), P: s.Pos()}, Value: f, Args: []ir.Expr{literal}}})
		// If the function has returned while the body is in the state running, it has recovered a
		// panic of the body.
		b.checkState(it.state, ir.StateRunning, "range function recovered a loop body panic and did not resume panicking", s.Pos())
		// The function may have kept the body and call it later, which must panic.
		b.set(ir.Use(it.state), ir.IntConst(ir.StateExited, s.Pos()), s.Pos())
		for i, exit := range it.exits {
			cond := &ir.Compare{Typed: ir.Typed{T: types.Typ[types.Bool], P: s.Pos()}, Op: token.EQL, X: ir.Use(it.exit), Y: ir.IntConst(int64(i+1), s.Pos())}
			b.add(&ir.If{At: ir.At{P: s.Pos()}, Cond: cond, Then: b.block(s.Pos(), exit), Else: nil})
		}
	}))
}

// boxedInt declares an int variable that function literals share. The declaration allocates a new
// cell each time the loop is entered, so that bodies of different executions do not share a state.
func (b *builder) boxedInt(name string, pos token.Pos) *ir.Local {
	l := b.newLocal(name, types.Typ[types.Int], pos)
	l.Boxed = true
	b.add(&ir.Declare{At: ir.At{P: pos}, Local: l, X: nil})
	return l
}

// checkState builds a check that panics with a runtime error if the state has a value. The state is
// running from then on, so that a function that recovers the error panics when it returns.
func (b *builder) checkState(state *ir.Local, value int64, text string, pos token.Pos) {
	b.add(&ir.If{At: ir.At{P: pos}, Cond: compareState(token.EQL, state, value, pos), Then: b.block(pos, func() {
		if value != ir.StateRunning {
			b.set(ir.Use(state), ir.IntConst(ir.StateRunning, pos), pos)
		}
		message := &ir.Const{Typed: ir.Typed{T: types.Typ[types.String], P: pos}, Value: constant.MakeString(text)}
		b.add(&ir.Eval{At: ir.At{P: pos}, X: &ir.Builtin{Typed: ir.Typed{T: types.NewTuple(), P: pos}, Name: "runtimeError", Args: []ir.Expr{message}}})
	}), Else: nil})
}

// compareState returns a comparison of the state of an iteration.
func compareState(op token.Token, state *ir.Local, value int64, pos token.Pos) ir.Expr {
	return &ir.Compare{Typed: ir.Typed{T: types.Typ[types.Bool], P: pos}, Op: op, X: ir.Use(state), Y: ir.IntConst(value, pos)}
}

// iteratorBody builds the function that the iterator function calls for each iteration.
func (b *builder) iteratorBody(s *ast.RangeStmt, it *iteration, t types.Type) ir.Expr {
	yield := ir.Under(ir.Under(t).(*types.Signature).Params().At(0).Type()).(*types.Signature)
	in := b.Builder.newBuilder(b, b.literalName(rangeBody), s.Pos(), s.End())
	in.iterator, in.fn.Iteration = it, true
	// Labels are those of the enclosing function as the source sees it: a goto in the body may name
	// them.
	in.labels = b.labels
	in.labelIDs = b.labelIDs
	var params []*types.Var
	for p := range yield.Params().Variables() {
		l := in.newLocal("", p.Type(), s.Pos())
		in.fn.Params = append(in.fn.Params, l)
		params = append(params, types.NewParam(s.Pos(), nil, "", p.Type()))
	}
	in.fn.Results = []*ir.Local{in.newLocal("", types.Typ[types.Bool], s.Pos())}
	in.fn.Sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(types.NewParam(s.Pos(), nil, "", types.Typ[types.Bool])), false)
	state := in.capture(it.state, nil)
	in.fn.State = state
	if b.called != nil {
		in.around = in.capture(b.called, nil)
	}
	in.fn.Body = in.block(s.Body.Pos(), func() {
		notReady := compareState(token.NEQ, state, ir.StateReady, s.Pos())
		in.add(&ir.If{At: ir.At{P: s.Pos()}, Cond: notReady, Then: in.block(s.Pos(), func() {
			in.checkState(state, ir.StateDone, "range function continued iteration after function for loop body returned false", s.Pos())
			in.checkState(state, ir.StateExited, "range function continued iteration after whole loop exit", s.Pos())
			in.checkState(state, ir.StateRunning, "range function continued iteration after loop body panic", s.Pos())
		})})
		// If the body panics, the state stays running. The check after the call finds that if the
		// function recovers the panic.
		in.set(ir.Use(state), ir.IntConst(ir.StateRunning, s.Pos()), s.Pos())
		for i, e := range []ast.Expr{s.Key, s.Value} {
			if e != nil && !isBlank(e) {
				in.iterationVar(s, e, in.fn.Params[i])
			}
		}
		in.loopBody(s.Body)
		in.endTurn(state, true, s.Body.End())
	})
	return &ir.FuncLit{Typed: ir.Typed{T: yieldType(t), P: s.Pos()}, Func: in.fn}
}

func yieldType(t types.Type) types.Type {
	return ir.Under(t).(*types.Signature).Params().At(0).Type()
}

// iterationVar sets an iteration variable from a parameter, or makes the parameter the variable.
func (b *builder) iterationVar(s *ast.RangeStmt, e ast.Expr, from *ir.Local) {
	if v := b.declares(e, s.Tok); v != nil {
		if t := b.substitute(v.Type()); types.Identical(t, from.Type) && !b.needsCell(v, t) {
			from.Name, from.Var = v.Name(), v
			b.vars[v] = from
			return
		}
		b.add(&ir.Declare{At: ir.At{P: e.Pos()}, Local: b.declareVar(v), X: b.convert(ir.Use(from), b.substitute(v.Type()))})
		return
	}
	b.orderedPlace(e)
	place := b.expr(e)
	b.set(place, b.convert(ir.Use(from), place.Type()), e.Pos())
	clear(b.hoisted)
}

// endTurn builds the return from the body. again reports whether the loop continues.
func (b *builder) endTurn(state *ir.Local, again bool, pos token.Pos) {
	next := int64(ir.StateReady)
	if !again {
		next = ir.StateDone
	}
	b.set(ir.Use(state), ir.IntConst(next, pos), pos)
	b.add(&ir.Return{At: ir.At{P: pos}, Values: []ir.Expr{ir.BoolConst(again, pos)}})
}

// shared returns the local in this function for a local that the code for an iteration created in
// an enclosing function. A local of an enclosing function reaches b by a chain of captures, one in
// each function in between. Captures by identity are reused, because some of these locals have no
// types.Var by which variable could find them.
func (b *builder) shared(l *ir.Local, owner *builder) *ir.Local {
	if b == owner {
		return l
	}
	for _, c := range b.fn.Captures {
		if c.Outer == b.up.shared(l, owner) {
			return c
		}
	}
	return b.capture(b.up.shared(l, owner), l.Var)
}

// leave ends the loop. exit builds the statement with which the code after the call continues, in
// the enclosing function. The exit is built later and in another function, so it is a closure.
func (b *builder) leave(pos token.Pos, exit func()) {
	it := b.iterator
	it.exits = append(it.exits, exit)
	b.set(ir.Use(b.shared(it.exit, it.outer)), ir.IntConst(int64(len(it.exits)), pos), pos)
	b.endTurn(b.shared(it.state, it.outer), false, pos)
}

// leaveIterator builds a return statement in the body of a range-over-func loop. The values are
// stored in the results of the function that the source returns from.
//
// For instance, return i, t in the body becomes
//
//	$6 = i
//	$7 = t
//	n = $6
//	s = $7
//	exit = 3
//	state = 2
//	return false
//
// where n and s are the results of the function, and state 2 is ir.StateDone.
func (b *builder) leaveIterator(s *ast.ReturnStmt) {
	root := b
	for root.iterator != nil {
		root = root.iterator.outer
	}
	results := root.fn.Results
	if len(s.Results) > 0 {
		values := b.results(s, results)
		for i, x := range values {
			results[i].Boxed = true // the results are now shared with the body
			// All values are computed before any result changes, because they may read the results.
			values[i] = b.save(x)
		}
		for i, x := range values {
			b.set(ir.Use(b.shared(results[i], root)), x, s.Pos())
		}
	}
	b.leave(s.Pos(), func() { b.iterator.outer.returnStored(s.Pos()) })
}

// returnStored builds a return statement whose results have already been stored. With nested loops
// it leaves one loop after another: each exit returns from the body of the next outer loop.
func (b *builder) returnStored(pos token.Pos) {
	if b.iterator == nil {
		b.add(&ir.Return{At: ir.At{P: pos}, Values: nil})
		return
	}
	b.leave(pos, func() { b.iterator.outer.returnStored(pos) })
}

// jumpOut builds a break or continue statement in the body of a range-over-func loop whose target
// is that loop or an enclosing statement.
func (b *builder) jumpOut(s *ast.BranchStmt) {
	it := b.iterator
	// An unlabeled break or continue that no statement inside the body has taken belongs to the
	// loop itself.
	mine := s.Label == nil || it.label != nil && it.label.Name == s.Label.Name
	state := b.shared(it.state, it.outer)
	switch {
	case mine && s.Tok == token.CONTINUE:
		b.endTurn(state, true, s.Pos())
	case mine:
		b.endTurn(state, false, s.Pos())
	default:
		b.leave(s.Pos(), func() { it.outer.branch(s) })
	}
}

// declaredLabels returns the labels that a block declares.
func declaredLabels(body *ast.BlockStmt) map[string]bool {
	labels := map[string]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt:
			labels[n.Label.Name] = true
		}
		return true
	})
	return labels
}

// deferList returns a variable that holds the list of deferred calls of the function. It is set
// when the function begins. A body that defers captures the variable, since Defer statements need
// the list of the function that the source sees.
func (b *builder) deferList() *ir.Local {
	if b.defers == nil {
		b.defers = b.newLocal("defers", types.Typ[types.UnsafePointer], b.fn.Pos)
	}
	return b.defers
}
