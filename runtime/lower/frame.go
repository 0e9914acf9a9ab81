package lower

import (
	"go/ast"
	"go/types"
)

// A Frame tells where a function of the emitted code comes from.
type Frame struct {
	File        string // Cell [3]
	Name        string // as the user knows it; "" for the statements of a cell
	First, Last int    // lines
}

// Frame finds the function behind an engine name.
func (s *Session) Frame(engineName string) (Frame, bool) {
	s.frames.RLock()
	defer s.frames.RUnlock()
	f, ok := s.functionsOf[engineName]
	return f, ok
}

func (s *Session) noteFunction(name string, f Frame) {
	s.frames.Lock()
	defer s.frames.Unlock()
	s.functionsOf[name] = f
}

func (e *emitter) frame(d *ast.FuncDecl) Frame {
	first, last := e.src.fset.Position(d.Pos()), e.src.fset.Position(d.End())
	f := Frame{File: first.Filename, Name: d.Name.Name, First: first.Line, Last: last.Line}
	if d == e.u.checked.Body {
		f.Name = ""
		if list := d.Body.List; len(list) > 0 {
			f.First, f.Last = e.src.fset.Position(list[0].Pos()).Line, e.src.fset.Position(list[len(list)-1].End()).Line
			f.File = e.src.fset.Position(list[0].Pos()).Filename
		}
	} else if d.Recv != nil {
		f.Name = functionKey(d)
	}
	return f
}

// entryCheck emits the check of the stack's depth for functions that may call themselves
// by some way.
func (e *emitter) entryCheck(d *ast.FuncDecl) string {
	if e.recurses(d) {
		return support + ".Enter()\n"
	}
	return ""
}

func (e *emitter) entryCheckLiteral(x *ast.FuncLit) string {
	if e.callsValues(x.Body) {
		return support + ".Enter()\n"
	}
	return ""
}

// callsValues tells whether a body calls something that is not known by name: a function
// value or a method of an interface, or hands a function to compiled code.
func (e *emitter) callsValues(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := e.src.info.Types[n.Fun]
			if !tv.IsType() && !tv.IsBuiltin() {
				found = found || e.unknownCallee(n)
			}
		}
		return !found
	})
	return found
}

func (e *emitter) unknownCallee(x *ast.CallExpr) bool {
	switch f := ast.Unparen(x.Fun).(type) {
	case *ast.FuncLit:
		return false
	case *ast.Ident:
		_, known := e.objectOf(f).(*types.Func)
		return !known
	case *ast.IndexExpr:
		return !isFunctionName(f)
	case *ast.SelectorExpr:
		s := e.src.info.Selections[f]
		if s == nil {
			_, known := e.objectOf(f.Sel).(*types.Func)
			return !known
		}
		if s.Kind() != types.MethodVal {
			return true
		}
		m, ok := s.Obj().(*types.Func)
		return !ok || isInterface(m.Signature().Recv().Type()) && m.Pkg() != nil && m.Pkg().Path() == "main"
	}
	return true
}

// recurses tells whether a function may call itself. A cycle of calls by name lies within
// the declarations of one cell, because nothing can name what is declared later.
func (e *emitter) recurses(d *ast.FuncDecl) bool {
	if e.callsValues(d.Body) {
		return true
	}
	start := e.src.info.Defs[d.Name]
	seen := map[types.Object]bool{}
	var reaches func(body *ast.BlockStmt) bool
	reaches = func(body *ast.BlockStmt) bool {
		found := false
		ast.Inspect(body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || found {
				return !found
			}
			f, ok := e.src.info.Uses[id].(*types.Func)
			if !ok {
				return true
			}
			f = f.Origin()
			if f == start {
				found = true
				return false
			}
			if seen[f] {
				return true
			}
			seen[f] = true
			if other := e.u.declarationOf(f); other != nil && other.Body != nil {
				found = reaches(other.Body)
			}
			return !found
		})
		return found
	}
	return reaches(d.Body)
}

// declarationOf finds the declaration of a function of this cell.
func (u *unit) declarationOf(f *types.Func) *ast.FuncDecl {
	symbol := u.s.symbol(f, u.checked)
	if symbol == nil {
		return nil
	}
	for _, d := range u.checked.Declarations {
		if d.Symbol == symbol {
			syntax, _ := d.Syntax.(*ast.FuncDecl)
			return syntax
		}
	}
	return nil
}
