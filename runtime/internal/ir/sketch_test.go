package ir

import (
	"go/token"
	"go/types"
	"reflect"
)

// A sketch is a function that a test builds. Its locals have indexes in the order in which they are
// added, and its signature follows from its parameters and results.
type sketch struct{ *Func }

// declared returns a function that can be called by its name.
func declared(name string) sketch {
	return sketch{&Func{Name: name, Ref: &FuncRef{Name: name, Sig: emptySig}, Sig: emptySig, Body: &Block{}}}
}

// statements returns the function of the statements of a cell.
func statements() sketch {
	return sketch{&Func{Name: CellName, Sig: emptySig, Body: &Block{}}}
}

// nested returns the function of a literal in s.
func (s sketch) nested(name string) sketch {
	return sketch{&Func{Name: s.Name + "." + name, Sig: emptySig, Parent: s.Func, Body: &Block{}}}
}

func (s sketch) local(name string, t types.Type) *Local {
	l := &Local{Name: name, Type: t, Index: len(s.Locals)}
	s.Locals = append(s.Locals, l)
	return l
}

func (s sketch) boxed(name string, t types.Type) *Local {
	l := s.local(name, t)
	l.Boxed = true
	return l
}

func (s sketch) param(name string, t types.Type) *Local {
	l := s.local(name, t)
	s.Params = append(s.Params, l)
	return l
}

func (s sketch) result(name string, t types.Type) *Local {
	l := s.local(name, t)
	s.Results = append(s.Results, l)
	return l
}

func (s sketch) capture(outer *Local) *Local {
	l := s.local(outer.Name, outer.Type)
	l.Outer, l.Boxed = outer, outer.Boxed
	s.Captures = append(s.Captures, l)
	return l
}

// does completes a function with its statements.
func (s sketch) does(body ...Stmt) *Func {
	tuple := func(list []*Local) *types.Tuple {
		var vars []*types.Var
		for _, l := range list {
			vars = append(vars, types.NewParam(0, nil, l.Name, l.Type))
		}
		return types.NewTuple(vars...)
	}
	s.Sig = types.NewSignatureType(nil, nil, nil, tuple(s.Params), tuple(s.Results), false)
	if s.Ref != nil {
		s.Ref.Sig = s.Sig
	}
	s.Body.List = body
	return s.Func
}

// literal returns the expression that evaluates a nested function.
func literal(f *Func) *FuncLit { return &FuncLit{of(f.Sig), f} }

// callTo returns a call of a function by its name.
func callTo(f *Func, args ...Expr) *Call {
	return &Call{Typed: of(ResultType(f.Ref.Sig)), Ref: f.Ref, Args: args}
}

// programOf returns a program of functions, without statements of a cell.
func programOf(funcs ...*Func) *Program { return &Program{Funcs: funcs} }

func blockOf(list ...Stmt) *Block { return &Block{List: list} }

func sum(x, y Expr) Expr { return &Binary{of(x.Type()), token.ADD, x, y} }

func equal(x, y Expr) Expr { return &Compare{of(boolType), token.EQL, x, y} }

func set(l *Local, x Expr) Stmt { return &Assign{Dst: Use(l), X: x} }

func discard(x Expr) Stmt { return &Assign{X: x} }

func returns(values ...Expr) Stmt { return &Return{Values: values} }

// eachNode calls visit with a pointer to each statement, expression and local below a value, in the
// order of the fields and each before its parts. It does not enter function literals.
func eachNode(v reflect.Value, visit func(node reflect.Value)) {
	switch v.Kind() {
	case reflect.Interface:
		eachNode(v.Elem(), visit)
	case reflect.Slice:
		for i := range v.Len() {
			eachNode(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachNode(v.Field(i), visit)
			}
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != reflect.TypeFor[Func]().PkgPath() {
			return
		}
		switch v.Interface().(type) {
		case *Func, *FuncRef, *Global, *Label:
			return
		}
		visit(v)
		if v.Type() == reflect.TypeFor[*Local]() {
			return
		}
		eachNode(v.Elem(), visit)
	}
}

// A listing is a source file with short lines.
type listing struct {
	fset *token.FileSet
	file *token.File
	line int // of the node that was numbered last
}

func newListing() *listing {
	fset := token.NewFileSet()
	file := fset.AddFile("cell", 10, 5000)
	for offset := range 1000 {
		file.AddLine(5 * offset)
	}
	return &listing{fset, file, 0}
}

// next returns the position of the next line.
func (l *listing) next() token.Pos {
	l.line++
	return l.file.LineStart(l.line)
}

// number sets the positions of functions and of everything in them. A function and each of its
// statements begin a new line, and an expression has the line of its statement.
func (l *listing) number(funcs ...*Func) {
	for _, f := range funcs {
		f.Fset, f.Pos = l.fset, l.next()
		eachNode(reflect.ValueOf(f.Body.List), func(node reflect.Value) {
			if at := node.Elem().FieldByName("At"); at.IsValid() {
				at.FieldByName("P").SetInt(int64(l.next()))
			}
			if typed := node.Elem().FieldByName("Typed"); typed.IsValid() {
				typed.FieldByName("P").SetInt(int64(l.file.LineStart(l.line)))
			}
			if lit, ok := node.Interface().(*FuncLit); ok && lit.Func != nil {
				l.number(lit.Func)
			}
		})
		f.End = l.file.LineStart(l.line)
	}
}

// numbered returns a program whose functions have positions.
func numbered(p *Program) *Program {
	l := newListing()
	l.number(p.Funcs...)
	if p.Body != nil {
		l.number(p.Body)
	}
	return p
}
