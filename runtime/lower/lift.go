package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Calling a function through a value costs the interpreter as much as two calls by a name. So
// a literal in a function that one variable holds for good, and which is only called, becomes
// a function of its own: it gets what it captures as its first parameters, by pointers where
// anybody assigns to it.

// maxCaptured is how many captured variables a lifted literal may have, as each costs its calls.
const maxCaptured = 6

// A lifted literal is one that has become a function.
type lifted struct {
	name     string
	captured []*types.Var
	assigned map[*types.Var]bool // the captured variables that it gets as pointers
	pointers map[*types.Var]string
}

// arguments are what a call hands over before the arguments of the program.
func (l *lifted) arguments(e *emitter) string {
	var list []string
	for _, v := range l.captured {
		if l.assigned[v] {
			list = append(list, l.pointers[v])
		} else {
			list = append(list, e.variable(v))
		}
	}
	return strings.Join(list, ", ")
}

// findLifted finds the literals of a function that can be lifted.
func (e *emitter) findLifted(root ast.Node) {
	if e.env != nil || e.src.checked == nil || e.u.s.stops {
		return
	}
	w := &liftWalk{e: e, literals: map[*types.Var]*ast.FuncLit{}, unfit: map[*types.Var]bool{}, assigned: map[*types.Var]bool{}}
	ast.Inspect(root, w.visit)
	for v, literal := range w.literals {
		if !w.unfit[v] && w.fits(v, literal) {
			if e.liftable == nil {
				e.liftable = map[*types.Var]map[*types.Var]bool{}
			}
			e.liftable[v] = w.assigned
		}
	}
}

// A liftWalk looks at all uses of variables in a function.
type liftWalk struct {
	e        *emitter
	path     []ast.Node
	literals map[*types.Var]*ast.FuncLit // the only values of variables that are declared with them
	unfit    map[*types.Var]bool         // variables of which more is asked than to be called
	assigned map[*types.Var]bool         // variables that change after their declaration, or may
}

func (w *liftWalk) visit(n ast.Node) bool {
	if n == nil {
		w.path = w.path[:len(w.path)-1]
		return true
	}
	w.path = append(w.path, n)
	info := w.e.src.info
	switch n := n.(type) {
	case *ast.AssignStmt:
		if literal := onlyLiteral(n); literal != nil && n.Tok == token.DEFINE {
			if v, ok := info.Defs[n.Lhs[0].(*ast.Ident)].(*types.Var); ok {
				w.literals[v] = literal
			}
		}
		for _, x := range n.Lhs {
			w.changes(x)
		}
	case *ast.IncDecStmt:
		w.changes(n.X)
	case *ast.RangeStmt:
		w.changes(n.Key)
		w.changes(n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.changes(n.X)
		}
	case *ast.SelectorExpr:
		if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
			w.changes(n.X) // it may take the address
		}
	case *ast.BlockStmt:
		w.declared(n.List)
	case *ast.Ident:
		if v, ok := info.Uses[n].(*types.Var); ok && !w.isCalled() {
			w.unfit[v] = true
		}
	}
	return true
}

// onlyLiteral is the literal that a statement assigns to a name and nothing else.
func onlyLiteral(s *ast.AssignStmt) *ast.FuncLit {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return nil
	}
	if _, name := s.Lhs[0].(*ast.Ident); !name {
		return nil
	}
	literal, _ := s.Rhs[0].(*ast.FuncLit)
	return literal
}

// declared finds var f func(); f = func() { ... }, which is how literals call themselves.
func (w *liftWalk) declared(list []ast.Stmt) {
	for i := range len(list) - 1 {
		d, ok := list[i].(*ast.DeclStmt)
		if !ok {
			continue
		}
		spec, ok := d.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		if !ok || len(d.Decl.(*ast.GenDecl).Specs) != 1 || len(spec.Names) != 1 || len(spec.Values) > 0 {
			continue
		}
		v, ok := w.e.src.info.Defs[spec.Names[0]].(*types.Var)
		if s, assigns := list[i+1].(*ast.AssignStmt); ok && assigns && s.Tok == token.ASSIGN && onlyLiteral(s) != nil &&
			w.e.src.info.Uses[s.Lhs[0].(*ast.Ident)] == types.Object(v) {
			w.literals[v] = onlyLiteral(s)
		}
	}
}

// changes notes the variable that an expression assigns to.
func (w *liftWalk) changes(x ast.Expr) {
	if id, ok := ast.Unparen(x).(*ast.Ident); x != nil && ok {
		if v, ok := w.e.src.info.Uses[id].(*types.Var); ok {
			w.assigned[v] = true
		}
	}
}

// isCalled tells whether the identifier at the end of the path is called, neither by go nor
// by defer, or is where a literal is assigned.
func (w *liftWalk) isCalled() bool {
	n := len(w.path)
	id := w.path[n-1]
	switch parent := w.path[n-2].(type) {
	case *ast.CallExpr:
		switch w.path[n-3].(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return false
		}
		return parent.Fun == id && !parent.Ellipsis.IsValid() && w.inLiteralOf(id.(*ast.Ident))
	case *ast.AssignStmt:
		v, _ := w.e.src.info.Uses[id.(*ast.Ident)].(*types.Var)
		literal := onlyLiteral(parent)
		return literal != nil && literal == w.literals[v]
	}
	return false
}

// inLiteralOf tells whether a call is in the function that declares the variable, or in the
// literal that the variable holds.
func (w *liftWalk) inLiteralOf(id *ast.Ident) bool {
	v := w.e.src.info.Uses[id].(*types.Var)
	for i := len(w.path) - 1; i >= 0; i-- {
		if literal, ok := w.path[i].(*ast.FuncLit); ok {
			return literal == w.literals[v] || literal.Pos() < v.Pos() && v.Pos() < literal.End()
		}
	}
	return true
}

// fits tells whether a literal can stand alone: it makes no functions, defers nothing, and
// needs few pointers, which none of its loops goes through.
func (w *liftWalk) fits(v *types.Var, literal *ast.FuncLit) bool {
	e := w.e
	signature, ok := types.Unalias(v.Type()).(*types.Signature)
	if !ok || signature.Variadic() || e.isSession(v) || e.shared[v] {
		return false
	}
	fits, loops := true, 0
	var path []ast.Node
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		if n == nil {
			if isLoop(path[len(path)-1]) {
				loops--
			}
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if isLoop(n) {
			loops++
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt, *ast.LabeledStmt, *ast.SelectStmt:
			fits = false
		case *ast.RangeStmt:
			if t := e.typeOf(n.X); t != nil {
				_, function := coreType(t).(*types.Signature)
				fits = fits && !function
			}
		case *ast.Ident:
			if used, ok := e.src.info.Uses[n].(*types.Var); ok && loops > 0 && e.isCaptured(used, literal) && used != v && w.byPointer(used) {
				fits = false
			}
		}
		return true
	})
	return fits && !callsRecover(literal.Body) && len(e.capturedBy(literal, v)) <= maxCaptured
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// byPointer tells whether a lifted literal must get a captured variable as a pointer.
func (w *liftWalk) byPointer(v *types.Var) bool { return byPointer(w.e.typ(v.Type()), w.assigned[v]) }

func byPointer(t types.Type, assigned bool) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return assigned || carrier(t) != ""
}

// isCaptured tells whether a variable of the function is declared outside of a literal.
func (e *emitter) isCaptured(v *types.Var, x *ast.FuncLit) bool {
	if v.IsField() || e.isSession(v) || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() || v.Parent() == types.Universe {
		return false
	}
	return v.Pos() < x.Pos() || v.Pos() >= x.End()
}

// capturedBy lists the variables that a literal captures but for the one that holds it.
func (e *emitter) capturedBy(x *ast.FuncLit, holder *types.Var) []*types.Var {
	var list []*types.Var
	seen := map[*types.Var]bool{holder: true}
	ast.Inspect(x.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := e.src.info.Uses[id].(*types.Var); ok && !seen[v] && e.isCaptured(v, x) {
				seen[v] = true
				list = append(list, v)
			}
		}
		return true
	})
	return list
}

// liftedStatement emits the statement that gives a variable the literal which is lifted; ok
// is false for other statements.
func (e *emitter) liftedStatement(s ast.Stmt) (text string, ok bool) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		literal := onlyLiteral(s)
		if literal == nil {
			return "", false
		}
		if v, ok := e.objectOf(s.Lhs[0].(*ast.Ident)).(*types.Var); ok && e.liftable[v] != nil {
			return e.lift(v, literal), true
		}
	case *ast.DeclStmt:
		if spec, ok := s.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); ok && len(spec.Names) == 1 {
			v, ok := e.src.info.Defs[spec.Names[0]].(*types.Var)
			return "", ok && e.liftable[v] != nil
		}
	}
	return "", false
}

// lift emits a literal as a function, and the pointers that its calls need.
func (e *emitter) lift(v *types.Var, x *ast.FuncLit) string {
	l := &lifted{name: e.u.s.global("literal"), captured: e.capturedBy(x, v), assigned: map[*types.Var]bool{}, pointers: map[*types.Var]string{}}
	if e.lifted == nil {
		e.lifted = map[*types.Var]*lifted{}
	}
	e.lifted[v] = l
	outside := map[*types.Var]string{}
	var before strings.Builder
	var parameters []string
	for _, c := range l.captured {
		t, own := e.spell(e.typ(c.Type())), e.temporary(c.Name())
		if !byPointer(e.typ(c.Type()), e.liftable[v][c]) {
			parameters = append(parameters, own+" "+t)
			defer e.rename(c, own, false)()
			continue
		}
		l.assigned[c], l.pointers[c] = true, own
		parameters = append(parameters, own+" *"+t)
		if outside[c] = e.names[c]; !e.shared[c] {
			outside[c] = e.temporary(c.Name())
			fmt.Fprintf(&before, "%s := &%s\n", outside[c], e.names[c])
		}
		defer e.rename(c, own, true)()
	}
	text := e.liftedText(l, x)
	l.pointers = outside
	if len(parameters) > 0 && !strings.HasPrefix(text, "()") {
		parameters = append(parameters, "")
	}
	e.u.functions = append(e.u.functions, "func "+l.name+"("+strings.Join(parameters, ", ")+text[1:])
	return before.String()
}

// rename gives a variable another name until the function that it returns is called.
func (e *emitter) rename(v *types.Var, name string, pointer bool) (back func()) {
	old, shared := e.names[v], e.shared[v]
	e.names[v], e.shared[v] = name, pointer
	return func() { e.names[v], e.shared[v] = old, shared }
}

// liftedText emits parameters, results and body of a lifted literal.
func (e *emitter) liftedText(l *lifted, x *ast.FuncLit) string {
	signature := e.typeOf(x).(*types.Signature)
	header, maps, next, calm := e.inHeader, e.maps, e.headerMaps, e.calm
	e.inHeader, e.maps, e.headerMaps, e.calm = 0, mapsUndecided, mapsUndecided, nil
	defer func() { e.inHeader, e.maps, e.headerMaps, e.calm = header, maps, next, calm }()
	e.noteLiteral(l.name, x)
	e.fn = &function{signature: signature, outer: e.fn, literal: true, name: l.name}
	defer func() { e.fn = e.fn.outer }()
	entry := ""
	if e.callsValues(x.Body) {
		entry = e.u.s.entry(l.name)
	}
	return e.whole(e.src.info.TypeOf(x).(*types.Signature), signature, x.Body, entry)
}
