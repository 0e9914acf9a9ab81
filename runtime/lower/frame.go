package lower

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"
)

// A Frame tells where a function of the emitted code comes from.
type Frame struct {
	File        string // Cell [3]
	Name        string // as the user knows it; "" for the statements of a cell
	First, Last int    // lines
	Literal     bool   // it is a literal in that function
	// Calls has the line on which the function mentions another one of a cell, by that one's
	// name, 0 if there are several.
	Calls map[string]int
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
	f := Frame{File: first.Filename, Name: d.Name.Name, First: first.Line, Last: last.Line, Calls: e.calls(d.Body)}
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

// calls finds the lines on which a body mentions functions and methods of cells.
func (e *emitter) calls(body *ast.BlockStmt) map[string]int {
	lines := map[string]int{}
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		f, ok := e.src.info.Uses[id].(*types.Func)
		if !ok || f.Pkg() == nil || f.Pkg().Path() != "main" {
			return true
		}
		name, line := f.Name(), e.lineOf(id)
		if r := f.Signature().Recv(); r != nil {
			name = e.u.s.baseName(r.Type()) + "." + name
		}
		if known, ok := lines[name]; ok && known != line {
			line = 0
		}
		lines[name] = line
		return true
	})
	return lines
}

// baseName is the name of the type that declares a method, without type arguments.
func (s *Session) baseName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// entryCheck emits the check of the stack's depth for functions that may call themselves
// by some way.
func (e *emitter) entryCheck(name string, d *ast.FuncDecl) string {
	if e.recurses(d) {
		return e.u.s.entry(name)
	}
	return ""
}

func (e *emitter) entryCheckLiteral(x *ast.FuncLit) string {
	if !e.callsValues(x.Body) {
		return ""
	}
	name := e.u.s.global("literal")
	e.noteLiteral(name, x)
	return e.u.s.entry(name)
}

// noteLiteral lets traces know a literal in the function being emitted by a name.
func (e *emitter) noteLiteral(name string, x *ast.FuncLit) {
	outermost := e.fn
	for outermost.outer != nil {
		outermost = outermost.outer
	}
	around, _ := e.u.s.Frame(outermost.name) // none around statements
	first, last := e.src.fset.Position(x.Pos()), e.src.fset.Position(x.End())
	e.u.s.noteFunction(name, Frame{File: first.Filename, Name: around.Name, First: first.Line, Last: last.Line, Literal: true, Calls: e.calls(x.Body)})
}

// entry emits a check of its own for each function, which so is known by name.
func (s *Session) entry(name string) string { return s.check(s.options.Entry(name)) + "\n" }

// passage is entry for what only calls the method named.
func (s *Session) passage(callee string) string {
	text := s.passages[callee]
	if text == "" {
		text = s.check(s.options.Passage(callee))
		s.passages[callee] = text
	}
	return text
}

// check emits an operation without a result. What it is on does not matter.
func (s *Session) check(run func()) string {
	o := s.operation("E", reflect.TypeFor[[0]int](), func(_, _ reflect.Value) { run() })
	return strings.TrimSuffix(o.on(stopFlag), ".V")
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
		id, name := f.X.(*ast.Ident) // an instance, or an element that holds a function
		if !name {
			return true
		}
		_, known := e.objectOf(id).(*types.Func)
		return !known
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
