package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// An analysis determines what one function changes.
type analysis struct {
	functions functions
	info      *types.Info
	// from are the parameters to whose memory a variable may refer.
	from    map[types.Object]mask
	changed mask
	more    bool // whether from has grown
}

// changes returns the parameters through which a function may change memory, as far as it is known
// of the functions that it calls.
func (set functions) changes(f *function) mask {
	a := &analysis{functions: set, info: f.info, from: map[types.Object]mask{}, changed: f.changed}
	list := parameters(f.object.Signature())
	if f.syntax.Body == nil {
		if readsOnly(f.object) {
			return 0
		}
		for i, v := range list {
			if refers(v.Type()) {
				a.changed |= bit(i)
			}
		}
		return a.changed
	}
	for i, v := range list {
		if refers(v.Type()) {
			a.from[v] = bit(i)
		}
	}
	for a.more = true; a.more; {
		a.more = false
		ast.Inspect(f.syntax.Body, a.node)
	}
	return a.changed
}

// readsOnly reports whether a function in assembly only reads its arguments, according to its name.
func readsOnly(f *types.Func) bool {
	switch path := f.Pkg().Path(); {
	case path == "internal/bytealg":
		return f.Name() != "MakeNoZero"
	case strings.HasPrefix(path, "gonum.org/v1/gonum/internal/asm/"):
		for _, prefix := range []string{"Dot", "Sum", "L1", "L2", "Linf"} {
			if strings.HasPrefix(f.Name(), prefix) {
				return true
			}
		}
	}
	return false
}

// reading are methods of interfaces that only read their receiver and their arguments by the
// customs of Go.
var reading = map[string]bool{
	"Error": true, "String": true, "Len": true, "Less": true, "At": true, "AtVec": true, "Dims": true, "T": true, "Name": true, "Size": true,
	"XY": true, "XYZ": true, "Value": true, "Symmetric": true, "SymmetricDim": true, "Cap": true, "Bounds": true, "ColorModel": true, "RGBA": true,
}

// node records the effects of one node.
func (a *analysis) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			right := n.Rhs[0]
			if len(n.Rhs) == len(n.Lhs) {
				right = n.Rhs[i]
			}
			a.assign(left, a.of(right))
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) > 0 {
				a.assign(name, a.of(n.Values[min(i, len(n.Values)-1)]))
			}
		}
	case *ast.IncDecStmt:
		a.assign(n.X, 0)
	case *ast.RangeStmt:
		for _, left := range []ast.Expr{n.Key, n.Value} {
			if left != nil {
				a.assign(left, a.of(n.X))
			}
		}
		if _, ok := underlying(a.info.TypeOf(n.X)).(*types.Chan); ok {
			a.changed |= a.of(n.X)
		}
	case *ast.TypeSwitchStmt:
		if assign, ok := n.Assign.(*ast.AssignStmt); ok {
			for _, clause := range n.Body.List {
				if object := a.info.Implicits[clause]; object != nil {
					a.bind(object, a.mentioned(assign.Rhs[0]))
				}
			}
		}
	case *ast.SendStmt:
		a.changed |= a.of(n.Chan) | a.of(n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			a.changed |= a.of(n.X)
		}
	case *ast.GoStmt:
		a.changed |= a.mentioned(n.Call)
	case *ast.CallExpr:
		a.call(n)
	}
	return true
}

// bind records that a variable may refer to the memory of parameters.
func (a *analysis) bind(object types.Object, m mask) {
	if object != nil && a.from[object]|m != a.from[object] {
		a.from[object] |= m
		a.more = true
	}
}

// assign records an assignment of a value with the given references.
func (a *analysis) assign(left ast.Expr, m mask) {
	base, through := a.base(left)
	id, ok := base.(*ast.Ident)
	if !ok {
		a.changed |= a.of(base) | m
		return
	}
	object := a.info.ObjectOf(id)
	if object == nil {
		return // _
	}
	if v, ok := object.(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		a.changed |= m // it is kept
		return
	}
	if through {
		a.changed |= a.from[object]
	}
	a.bind(object, m)
}

// base returns the innermost operand of a place, and whether the place is reached by a reference.
func (a *analysis) base(e ast.Expr) (base ast.Expr, through bool) {
	for {
		switch n := e.(type) {
		case *ast.ParenExpr:
			e = n.X
		case *ast.StarExpr:
			e, through = n.X, true
		case *ast.SelectorExpr:
			s := a.info.Selections[n]
			if s == nil {
				return n.Sel, through // a variable of a package
			}
			e, through = n.X, through || s.Indirect()
		case *ast.IndexExpr:
			_, array := underlying(a.info.TypeOf(n.X)).(*types.Array)
			e, through = n.X, through || !array
		case *ast.SliceExpr:
			e = n.X
		default:
			return e, through
		}
	}
}

// of returns the parameters to whose memory the value of an expression may refer.
func (a *analysis) of(e ast.Expr) mask {
	if t := a.info.TypeOf(e); t != nil && !refers(t) {
		return 0
	}
	return a.mentioned(e)
}

// mentioned returns the parameters to whose memory variables in a node may refer.
func (a *analysis) mentioned(n ast.Node) (m mask) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			m |= a.from[a.info.ObjectOf(n)]
		case ast.Expr:
			if t := a.info.TypeOf(n); t != nil && !refers(t) && a.info.Types[n].IsValue() {
				return false // such as an argument that is a number
			}
		}
		return true
	})
	return m
}

// call records the effects of a call.
func (a *analysis) call(n *ast.CallExpr) {
	if a.info.Types[n.Fun].IsType() {
		if t, ok := underlying(a.info.TypeOf(n.Fun)).(*types.Basic); ok && t.Kind() == types.UnsafePointer {
			a.changed |= a.mentioned(n.Args[0])
		}
		return
	}
	arguments := n.Args
	callee := typeutil.Callee(a.info, n)
	switch f := callee.(type) {
	case *types.Builtin:
		switch f.Name() {
		case "append", "copy", "delete", "clear", "close":
			a.changed |= a.of(n.Args[0])
			if base, _ := a.base(n.Args[0]); f.Name() == "append" || f.Name() == "copy" {
				if id, ok := base.(*ast.Ident); ok {
					for _, x := range n.Args[1:] {
						a.bind(a.info.ObjectOf(id), a.of(x))
					}
				}
			}
		case "String", "StringData", "Slice", "SliceData", "Add":
			a.changed |= a.of(n.Args[0])
		}
		return
	case *types.Func:
		selector, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if s := a.info.Selections[selector]; ok && s != nil && s.Kind() == types.MethodVal {
			if types.IsInterface(s.Recv()) {
				a.dynamic(f, selector.X, arguments)
				return
			}
			arguments = append([]ast.Expr{selector.X}, arguments...)
		}
		a.static(f.Origin(), arguments)
		return
	}
	if _, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
		// Its parameters are not followed.
		for _, x := range arguments {
			a.changed |= a.of(x)
		}
		return
	}
	for _, x := range arguments {
		if _, parameter := types.Unalias(a.info.TypeOf(x)).(*types.TypeParam); !parameter {
			a.changed |= a.of(x)
		}
	}
}

// dynamic records the call of a method of an interface.
func (a *analysis) dynamic(f *types.Func, receiver ast.Expr, arguments []ast.Expr) {
	if !reading[f.Name()] {
		a.changed |= a.of(receiver)
		for _, x := range arguments {
			a.changed |= a.of(x)
		}
	}
}

// static records the call of a function that is known.
func (a *analysis) static(f *types.Func, arguments []ast.Expr) {
	known := a.functions[f]
	count := len(parameters(f.Signature()))
	var changed []ast.Expr
	var all mask
	for i, x := range arguments {
		m := a.of(x)
		if i == 0 && f.Signature().Recv() != nil {
			m = a.mentioned(x) // its address may be taken
		}
		all |= m
		if known == nil || known.changed&bit(min(i, count-1)) != 0 {
			a.changed |= m
			changed = append(changed, x)
		}
	}
	for _, x := range changed { // what changes may refer to the other arguments afterward
		base, _ := a.base(ast.Unparen(strip(x)))
		if id, ok := base.(*ast.Ident); ok {
			a.bind(a.info.ObjectOf(id), all)
		}
	}
}

// strip removes the operator of an address.
func strip(e ast.Expr) ast.Expr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return u.X
	}
	return e
}

// underlying returns the underlying type, or nil.
func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// refers reports whether values of a type may refer to memory that can change.
func refers(t types.Type) bool { return refersTo(t, map[types.Type]bool{}) }

func refersTo(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return refersTo(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if refersTo(f.Type(), seen) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if refersTo(v.Type(), seen) {
				return true
			}
		}
		return false
	}
	return true
}
