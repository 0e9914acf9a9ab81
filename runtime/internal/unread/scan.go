package unread

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"gosphere/runtime/check"
)

// An event is a use of an error variable, or a mention of a function, which may use one.
type event struct {
	pos    token.Pos
	symbol *check.Symbol // a variable, function or method; nil for a function that is not known
	write  *Write        // nil for a read
	counts bool          // whether a write stores what a call or a channel has produced
}

// A scan collects the events of a cell in the order in which they happen.
type scan struct {
	checked *check.Checked
	events  []event
	// literal are the variables that function literals mention or whose address is taken.
	literal map[*check.Symbol]bool

	top    ast.Stmt // the statement at the top level of the cell
	inside bool     // whether the syntax belongs to a function literal
	jumps  bool     // whether a goto may lead to an earlier statement
}

func newScan(c *check.Checked) *scan {
	s := &scan{checked: c, literal: map[*check.Symbol]bool{}}
	for _, s.top = range c.Body.Body.List {
		s.visit(s.top)
	}
	if s.jumps {
		s.repeat(0, c.Body.End())
	}
	slices.SortStableFunc(s.events, func(a, b event) int { return cmp.Compare(a.pos, b.pos) })
	return s
}

// visit scans a piece of syntax, which may be nil.
func (s *scan) visit(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, s.node)
}

// node scans a node and reports whether its children must be scanned as well.
func (s *scan) node(n ast.Node) bool {
	first := len(s.events)
	switch n := n.(type) {
	case *ast.AssignStmt:
		s.assign(n)
		return false
	case *ast.ValueSpec:
		s.declare(n)
		return false
	case *ast.ForStmt:
		for _, part := range []ast.Node{n.Init, n.Cond, n.Post, n.Body} {
			s.visit(part)
		}
		s.repeat(first, n.End())
		return false
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			s.store([]ast.Expr{n.Key, n.Value}, nil, n)
		}
		s.visit(n.X)
		s.visit(n.Body)
		s.repeat(first, n.End())
		return false
	case *ast.DeferStmt: // it runs at the end of the cell
		s.visit(n.Call)
		s.repeat(first, s.checked.Body.End())
		return false
	case *ast.FuncLit:
		outer := s.inside
		s.inside = true
		s.visit(n.Body)
		s.inside = outer
		return false
	case *ast.UnaryExpr:
		if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
			if _, symbol := s.variable(id); symbol != nil {
				s.literal[symbol] = true
			}
		}
	case *ast.BranchStmt:
		s.jumps = s.jumps || n.Tok == token.GOTO
		return false // a label is no variable
	case *ast.Ident:
		s.mention(n)
	}
	return true
}

// repeat adds the reads since the first event again, at a later position.
func (s *scan) repeat(first int, at token.Pos) {
	for _, e := range slices.Clone(s.events[first:]) {
		if e.write == nil {
			s.events = append(s.events, event{pos: at, symbol: e.symbol})
		}
	}
}

// assign scans an assignment, whose right side is evaluated first.
func (s *scan) assign(n *ast.AssignStmt) {
	for _, x := range n.Rhs {
		s.visit(x)
	}
	if s.inside || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		for _, x := range n.Lhs {
			s.visit(x)
		}
		return
	}
	s.store(n.Lhs, n.Rhs, n)
}

// declare scans a declaration of variables.
func (s *scan) declare(n *ast.ValueSpec) {
	for _, x := range n.Values {
		s.visit(x)
	}
	names := make([]ast.Expr, len(n.Names))
	for i, name := range n.Names {
		names[i] = name
	}
	s.store(names, n.Values, n)
}

// store scans the left side of an assignment.
func (s *scan) store(left, right []ast.Expr, n ast.Node) {
	for i, x := range left {
		if x == nil {
			continue
		}
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok {
			s.visit(x)
			continue
		}
		variable, symbol := s.variable(id)
		if symbol == nil {
			continue
		}
		w := &Write{Statement: s.top, Variable: variable, Symbol: symbol, Line: s.checked.Fset.Position(id.Pos()).Line}
		if _, declares := s.top.(*ast.DeclStmt); !declares {
			w.nested = n != ast.Node(s.top)
		}
		produced := len(right) == 1
		if len(right) == len(left) {
			produced = s.mayFail(right[i])
		}
		s.events = append(s.events, event{pos: n.End(), symbol: symbol, write: w, counts: produced})
	}
}

// mention records the use of a name.
func (s *scan) mention(id *ast.Ident) {
	switch object := s.checked.Info.Uses[id].(type) {
	case *types.Var:
		if _, symbol := s.variable(id); symbol != nil {
			if s.inside {
				s.literal[symbol] = true
			}
			s.events = append(s.events, event{pos: id.Pos(), symbol: symbol})
		} else if _, function := object.Type().Underlying().(*types.Signature); function {
			s.events = append(s.events, event{pos: id.Pos()})
		}
	case *types.Func:
		if recv := object.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			s.events = append(s.events, event{pos: id.Pos()})
		} else if symbol := s.checked.SymbolOf(object); symbol != nil {
			s.events = append(s.events, event{pos: id.Pos(), symbol: symbol})
		}
	}
}

// failure is the interface that the types of error variables implement.
var failure = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// variable returns the variable of the session that an identifier denotes if it is an error
// variable, and nil otherwise.
func (s *scan) variable(id *ast.Ident) (*types.Var, *check.Symbol) {
	v, ok := s.checked.Info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || !types.IsInterface(v.Type()) || !types.Implements(v.Type(), failure) {
		return nil, nil
	}
	symbol := s.checked.SymbolOf(v)
	if symbol == nil || symbol.Kind != check.Variable {
		return nil, nil
	}
	return v, symbol
}

// mayFail reports whether the error that an expression returns may be a failure. A variable such as
// ErrEmpty, which later cells compare errors with, is set to a new error instead.
func (s *scan) mayFail(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.ARROW
	case *ast.CallExpr:
		if s.checked.Info.Types[x.Fun].IsType() {
			return false
		}
		name := nameOf(x.Fun)
		return !strings.HasPrefix(strings.ToLower(name), "new") && !strings.Contains(strings.ToLower(name), "error") && name != "Join" && name != "Wrap"
	}
	return false
}

// nameOf returns the name of the function that a call names, or "".
func nameOf(function ast.Expr) string {
	switch f := ast.Unparen(function).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return nameOf(f.X)
	}
	return ""
}
