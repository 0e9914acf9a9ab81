package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// assignStmt builds assignments and short variable declarations.
func (b *builder) assignStmt(s *ast.AssignStmt) {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		b.assignOp(s, opOf(s.Tok), s.Lhs[0], s.Rhs[0])
	case len(s.Lhs) == 1:
		b.assignOne(s)
	case len(s.Rhs) == 1:
		b.assignTuple(s)
	default:
		b.assignParallel(s)
	}
}

// operators maps the token of an assignment operation to that of its operation.
var operators = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

func opOf(t token.Token) token.Token { return operators[t] }

// assignOp builds x op= y. For instance, in m[f()] += g() both calls are made first and in this
// order, and the element is read afterward.
func (b *builder) assignOp(s ast.Stmt, op token.Token, dst, e ast.Expr) {
	b.orderedPlace(dst, e)
	x := b.expr(dst)
	// A division reads the element of a map before it evaluates its operand, but after the calls.
	if _, ok := x.(*ir.MapElem); ok && (op == token.QUO || op == token.REM) && b.scan(e).calls {
		b.hoist(e)
	}
	var y ir.Expr
	if op == token.SHL || op == token.SHR {
		// The count of a shift has a type of its own.
		y = b.shiftCount(e)
	} else {
		y = b.exprTo(e, x.Type())
	}
	b.add(&ir.AssignOp{At: ir.At{P: s.Pos()}, Op: op, Dst: x, X: y})
}

// orderedPlace is like ordered, for an assignment to dst. The operands of a place are evaluated
// after the value, so calls among them must come first.
//
// For instance, s[next()] = next() becomes
//
//	$2 = call main.next()
//	$3 = call main.next()
//	s[$2] = $3
func (b *builder) orderedPlace(dst ast.Expr, values ...ast.Expr) {
	// In f()[i] = g(), for instance, f is called before g although the element is located after g.
	// In s[i:][j] = g() the slice expression is evaluated before g, because gc computes it ahead of
	// the statement.
	if b.scan(dst).calls || b.isEarly(dst) && b.anyCalls(values) {
		b.hoist(dst)
		for _, e := range values {
			b.hoist(e)
		}
		return
	}
	b.ordered(values...)
}

// incDec builds x++ and x--.
func (b *builder) incDec(s *ast.IncDecStmt) {
	b.orderedPlace(s.X)
	x := b.expr(s.X)
	op := token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	b.add(&ir.AssignOp{At: ir.At{P: s.Pos()}, Op: op, Dst: x, X: &ir.Const{Typed: ir.Typed{T: x.Type(), P: s.Pos()}, Value: constant.MakeInt64(1)}})
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}

// declares returns the variable that an expression on the left of := declares, or nil.
func (b *builder) declares(e ast.Expr, tok token.Token) *types.Var {
	if id, ok := e.(*ast.Ident); ok && tok == token.DEFINE {
		v, _ := b.info.Defs[id].(*types.Var)
		return v
	}
	return nil
}

// assignOne builds an assignment of one value.
func (b *builder) assignOne(s *ast.AssignStmt) {
	dst, e := s.Lhs[0], s.Rhs[0]
	if isBlank(dst) {
		b.ordered(e)
		b.add(&ir.Assign{At: ir.At{P: s.Pos()}, Dst: nil, X: b.expr(e)})
		return
	}
	if v := b.declares(dst, s.Tok); v != nil {
		b.ordered(e)
		b.define(dst.(*ast.Ident), b.valueFor(dst.(*ast.Ident), e))
		return
	}
	b.orderedPlace(dst, e)
	place := b.expr(dst)
	b.set(place, b.exprTo(e, place.Type()), s.Pos())
}

// assignTuple builds a, b = f(). The section "Assignment statements" of the specification has two
// phases: the operands of the places are evaluated first, then the values are assigned from left to
// right. places and store are these phases. Of the operands, gc makes the calls ahead of that of f
// and reads the variables after it.
func (b *builder) assignTuple(s *ast.AssignStmt) {
	for _, e := range s.Lhs {
		if !isBlank(e) && b.declares(e, s.Tok) == nil && (b.scan(e).calls || b.isEarly(e)) {
			b.hoist(e)
		}
	}
	values := b.tuple(s.Rhs[0])
	places := b.places(s)
	b.store(s, places, values)
}

// assignParallel builds a, b = x, y. All operands are evaluated before any assignment.
//
// For instance, p.X, i = i, p.X becomes
//
//	$5 = i
//	$6 = (*p).X
//	(*p).X = $5
//	i = $6
func (b *builder) assignParallel(s *ast.AssignStmt) {
	var list []ast.Expr
	for _, e := range s.Lhs {
		if !isBlank(e) && b.declares(e, s.Tok) == nil {
			// A variable has no operands that a call could change.
			if _, simple := ast.Unparen(e).(*ast.Ident); !simple {
				list = append(list, e)
			}
		}
	}
	targets := make([]types.Type, len(list))
	for _, e := range s.Lhs {
		targets = append(targets, destination(b, e, s.Tok))
	}
	orderedTo(b, append(list, s.Rhs...), targets)
	if declaresOnly(b, s) {
		// The values cannot use the new variables, so each can be set as soon as its value is
		// known.
		for i, e := range s.Lhs {
			if isBlank(e) {
				b.add(&ir.Assign{At: ir.At{P: s.Pos()}, Dst: nil, X: b.valueFor(e.(*ast.Ident), s.Rhs[i])})
				continue
			}
			b.define(e.(*ast.Ident), b.valueFor(e.(*ast.Ident), s.Rhs[i]))
		}
		return
	}
	places := b.places(s)
	values := make([]ir.Expr, len(s.Rhs))
	for i, e := range s.Rhs {
		var x ir.Expr
		switch id, ok := s.Lhs[i].(*ast.Ident); {
		case places[i] != nil:
			x = b.exprTo(e, places[i].Type())
		case ok:
			x = b.valueFor(id, e)
		default:
			x = b.expr(e)
		}
		// The values are saved, because an assignment may change a variable that a later value
		// reads, as in a, b = b, a.
		if _, isConst := x.(*ir.Const); !isConst {
			x = b.save(x)
		}
		values[i] = x
	}
	b.store(s, places, values)
}

// destination returns the type that a value is converted to when it is assigned to e, or nil if
// there is no conversion.
func destination(b *builder, e ast.Expr, tok token.Token) types.Type {
	if isBlank(e) || b.declares(e, tok) != nil {
		return nil
	}
	return b.typeOf(e)
}

// declaresOnly reports whether a statement only declares variables of the function, and has no
// other destinations.
func declaresOnly(b *builder, s *ast.AssignStmt) bool {
	for _, e := range s.Lhs {
		v := b.declares(e, s.Tok)
		if v == nil && !isBlank(e) || v != nil && b.env.Global(v) != nil {
			return false
		}
	}
	return true
}

// places builds the places on the left of an assignment and evaluates their operands now. Blank
// identifiers and declared variables have the entry nil. For instance, in i, s[i] = 1, 2 the index
// is saved in a temporary before i changes:
//
//	$4 = i
//	i = 1
//	s[$4] = 2
func (b *builder) places(s *ast.AssignStmt) []ir.Expr {
	list := make([]ir.Expr, len(s.Lhs))
	assigned := b.usage.assignedIn(s.Lhs...)
	for i, e := range s.Lhs {
		if isBlank(e) || b.declares(e, s.Tok) != nil {
			continue
		}
		if b.scan(e).calls {
			b.hoist(e)
		}
		list[i] = b.fixed(b.expr(e), assigned)
	}
	return list
}

// assignedIn returns the variables that the places on the left of an assignment are parts of. A
// place that is no part of a variable has the entry nil, which keeps operands without a variable in
// temporaries as well.
func (u *usage) assignedIn(places ...ast.Expr) map[*types.Var]bool {
	list := map[*types.Var]bool{}
	for _, e := range places {
		list[u.root(e)] = true
	}
	return list
}

// fixed evaluates the operands of a place into temporaries. Later assignments then cannot change
// which variable the place denotes. assigned are the variables that the statement changes. For
// instance, in i, a[i] = 1, 2 the index is the value of i before the statement.
func (b *builder) fixed(x ir.Expr, assigned map[*types.Var]bool) ir.Expr {
	switch x := x.(type) {
	case *ir.Deref:
		return &ir.Deref{Typed: x.Typed, X: keptUnless(b, x.X, assigned)}
	case *ir.Field:
		return &ir.Field{Typed: x.Typed, X: b.fixed(x.X, assigned), Index: x.Index}
	case *ir.Elem:
		if isArray(x.X.Type()) {
			return &ir.Elem{Typed: x.Typed, X: b.fixed(x.X, assigned), I: keptUnless(b, x.I, assigned)}
		}
		return &ir.Elem{Typed: x.Typed, X: keptUnless(b, x.X, assigned), I: keptUnless(b, x.I, assigned)}
	case *ir.MapElem:
		return &ir.MapElem{Typed: x.Typed, X: keptUnless(b, x.X, assigned), Key: keptUnless(b, x.Key, assigned), CommaOk: false}
	}
	return x
}

// keptUnless is like kept, but also leaves variables that no other function can change and that are
// not among those that the statement assigns to.
func keptUnless(b *builder, x ir.Expr, assigned map[*types.Var]bool) ir.Expr {
	if l, ok := x.(*ir.LocalExpr); ok && !l.Local.Boxed && !assigned[l.Local.Var] {
		return x
	}
	return b.kept(x)
}

// kept evaluates an operand into a temporary, unless it is a constant.
func (b *builder) kept(x ir.Expr) ir.Expr {
	switch x.(type) {
	case *ir.Const, *ir.Zero:
		return x
	}
	return b.save(x)
}

// store assigns values to places, from left to right.
func (b *builder) store(s *ast.AssignStmt, places, values []ir.Expr) {
	for i, e := range s.Lhs {
		switch {
		case places[i] != nil:
			b.set(places[i], b.convert(values[i], places[i].Type()), s.Pos())
		case !isBlank(e):
			b.define(e.(*ast.Ident), values[i])
		}
	}
}

// isEarly reports whether a place has operands that gc computes ahead of the statement. A function
// literal is not entered, since its body does not run now.
func (b *builder) isEarly(dst ast.Expr) bool {
	found := false
	ast.Inspect(dst, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			if b.info.Types[n.(ast.Expr)].Value == nil {
				found = true
			}
		}
		return !found
	})
	return found
}

// anyCalls reports whether evaluating one of the expressions makes calls.
func (b *builder) anyCalls(list []ast.Expr) bool {
	for _, e := range list {
		if b.scan(e).calls {
			return true
		}
	}
	return false
}
