package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// usage records, for one declaration, the properties that decide which variables need heap cells.
// It is computed in one walk over the syntax before the declaration is built. The analysis is
// conservative and ignores the order of statements: a variable that is captured and assigned
// anywhere gets a heap cell, even if the assignment precedes the literal. The verifier of package
// ir checks the result.
type usage struct {
	info      *types.Info
	substFunc func(types.Type) types.Type
	lookup    func(types.Type, *types.Selection) (types.Object, []int)
	// A variable is captured if an identifier in another node refers to it.
	owner     map[*types.Var]ast.Node // the *ast.FuncDecl or *ast.FuncLit that declares it
	addressed map[*types.Var]bool
	captured  map[*types.Var]bool
	assigned  map[*types.Var]int // number of assignments after the declaration

	sharedLoops bool // see Builder
}

// boxed reports whether a variable needs a heap cell. It does if its address is taken, or if a
// function literal captures it and it is assigned after its declaration. A captured variable that
// never changes is copied instead.
//
// For instance, n and r need a heap cell in
//
//	n := 1
//	p := &n
//	defer func() { r = recover().(int) }()
//
// and a parameter c that a literal only reads, as in go func() { c <- 1 }(), does not.
//
// Compiled Go decides by an escape analysis, which may leave a captured variable on the stack. The
// rule here is simpler and errs on the side of a heap cell, which costs an allocation for each
// execution of the declaration.
func (u *usage) boxed(v *types.Var) bool {
	return u.addressed[v] || u.captured[v] && u.assigned[v] > 0
}

// findUsage computes the usage of a declaration.
func (b *Builder) findUsage(decl *ast.FuncDecl) *usage {
	u := &usage{info: b.info, substFunc: b.substitute, lookup: b.lookup, owner: map[*types.Var]ast.Node{}, addressed: map[*types.Var]bool{}, captured: map[*types.Var]bool{}, assigned: map[*types.Var]int{}, sharedLoops: b.SharedLoops}
	u.function(decl, decl.Recv, decl.Type, decl.Body)
	return u
}

// function visits a function and the function literals inside it.
//
// recv is nil for a function literal. A variable is in owner before its uses are visited, since Go
// requires a declaration before the use.
func (u *usage) function(node ast.Node, recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) {
	for _, list := range []*ast.FieldList{recv, typ.Params, typ.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if v, ok := u.info.Defs[name].(*types.Var); ok {
					u.owner[v] = node
					if list == typ.Results {
						// Deferred literals read results after that, so they must not have a copy.
						u.assigned[v]++ // return statements assign to it
					}
				}
			}
		}
	}
	if body == nil {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			u.function(n, nil, n.Type, n.Body)
			return false
		case *ast.RangeStmt:
			u.rangeStmt(n, node)
			return false
		// The variable of a type switch has no identifier of its own in each clause; go/types
		// records an implicit object.
		case *ast.CaseClause:
			if v, ok := u.info.Implicits[n].(*types.Var); ok {
				u.owner[v] = node
			}
		case *ast.Ident:
			u.ident(n, node)
		default:
			u.statement(n)
		}
		return true
	})
}

// ident records a declaration or a use of a variable.
//
// A use in a function literal of a literal captures the variable for both, which the builder
// resolves one level after the other.
func (u *usage) ident(n *ast.Ident, node ast.Node) {
	if v, ok := u.info.Defs[n].(*types.Var); ok {
		u.owner[v] = node
	}
	if v, ok := u.info.Uses[n].(*types.Var); ok && u.owner[v] != nil && u.owner[v] != node {
		u.captured[v] = true
	}
}

// rangeStmt visits a range statement. The body of a range-over-func loop becomes a function
// literal, so variables of the enclosing function that it uses are captured.
func (u *usage) rangeStmt(n *ast.RangeStmt, node ast.Node) {
	overFunc := isFuncType(u.substFunc(u.info.TypeOf(n.X)))
	// The parts of the statement have different owners, so each is visited as a body by itself.
	walk := func(in ast.Node, owner ast.Node) {
		if in == nil {
			return
		}
		u.function(owner, nil, &ast.FuncType{}, &ast.BlockStmt{List: []ast.Stmt{asStmt(in)}})
	}
	walk(n.X, node)
	inner := node
	if overFunc {
		inner = n
	}
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e == nil {
			continue
		}
		// Otherwise each iteration declares the variable anew, and setting it is not an assignment
		// after the declaration.
		if n.Tok != token.DEFINE || u.sharedLoops {
			u.assign(e)
		}
		walk(e, inner)
	}
	walk(n.Body, inner)
}

// asStmt wraps an expression as a statement, so that function can visit it.
func asStmt(n ast.Node) ast.Stmt {
	if s, ok := n.(ast.Stmt); ok {
		return s
	}
	return &ast.ExprStmt{X: n.(ast.Expr)}
}

func isFuncType(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// statement records assignments and address operations.
func (u *usage) statement(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			// In a short variable declaration only the variables that exist already are assigned.
			if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE && u.info.Defs[id] != nil {
				continue
			}
			u.assign(e)
		}
	case *ast.IncDecStmt:
		u.assign(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			u.address(n.X)
		}
	// Slicing an array takes its address, as the section "Slice expressions" of the specification
	// says.
	case *ast.SliceExpr:
		if _, ok := u.substFunc(u.info.TypeOf(n.X)).Underlying().(*types.Array); ok {
			u.address(n.X)
		}
	case *ast.SelectorExpr:
		u.selector(n)
	}
}

// selector records the address that a call or value of a method with a pointer receiver takes. In
// x.m() no operator shows that.
func (u *usage) selector(n *ast.SelectorExpr) {
	s := u.info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	t := u.substFunc(u.info.TypeOf(n.X))
	if ir.IsInterface(t) {
		return
	}
	if _, pointer := ir.Under(t).(*types.Pointer); pointer {
		return
	}
	o, _ := u.lookup(u.info.TypeOf(n.X), s)
	f, ok := o.(*types.Func)
	if !ok {
		return
	}
	if recv := f.Signature().Recv(); recv != nil && ir.IsPointer(recv.Type()) {
		u.address(n.X)
	}
}

// root returns the variable that a place is part of, or nil. Only that variable can need a heap
// cell: a place in other memory has an address already.
func (u *usage) root(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := u.info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			s := u.info.Selections[x]
			// A field reached through a pointer, explicit or embedded, is in other memory than the
			// variable. Elements of slices are as well.
			if s == nil || s.Kind() != types.FieldVal || ir.IsPointer(u.substFunc(u.info.TypeOf(x.X))) || s.Indirect() && pathHasPointer(s) {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			t := u.substFunc(u.info.TypeOf(x.X))
			if t == nil {
				return nil
			}
			if _, array := t.Underlying().(*types.Array); !array {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

// pathHasPointer reports whether the path to a field contains an embedded pointer.
func pathHasPointer(s *types.Selection) bool {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return true
		}
		t = st.Field(i).Type()
		if ir.IsPointer(t) {
			return true
		}
	}
	return false
}

// assign records an assignment to a variable or to a part of it.
func (u *usage) assign(e ast.Expr) {
	if v := u.root(e); v != nil {
		u.assigned[v]++
	}
}

// address records that the address of a place is taken.
func (u *usage) address(e ast.Expr) {
	if v := u.root(e); v != nil {
		u.addressed[v] = true
	}
}
