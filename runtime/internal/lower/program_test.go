package lower

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"gosphere/runtime/internal/ir"
)

// build returns the program for a source text, which is a file of package main without its package
// clause. Variables at the top level are session variables. A function named cell contains the
// statements of the cell; its outermost variables are session variables as well.
func build(t testing.TB, source string) *ir.Program {
	t.Helper()
	p, err := tryBuild(source)
	if err != nil {
		t.Fatalf("%s\n%v", source, err)
	}
	return p
}

func tryBuild(source string) (*ir.Program, error) {
	return tryBuildWith(source, func(*Builder, *ast.FuncDecl) {})
}

// tryBuildWith is like tryBuild with builders that setup prepares. setup receives the function
// cell, or nil if there is none.
func tryBuildWith(source string, setup func(*Builder, *ast.FuncDecl)) (*ir.Program, error) {
	e := &testEnv{setup: setup, fset: token.NewFileSet(), refs: map[string]*ir.FuncRef{}, globals: map[*types.Var]*ir.Global{}, decls: map[*types.Func]*ast.FuncDecl{}}
	// The package clause is on the first line, so that lines of the text keep their numbers.
	file, err := parser.ParseFile(e.fset, "cell.go", "package main; "+source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	e.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{},
	}
	config := types.Config{Importer: importer{}, Sizes: ir.Sizes}
	if e.pkg, err = config.Check("main", e.fset, []*ast.File{file}, e.info); err != nil {
		return nil, err
	}
	return e.program(file)
}

// A testEnv is the ir.Env for the declarations of one file.
type testEnv struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	decls   map[*types.Func]*ast.FuncDecl
	refs    map[string]*ir.FuncRef
	globals map[*types.Var]*ir.Global
	body    *types.Scope // of the function cell
	cell    *ast.FuncDecl
	setup   func(*Builder, *ast.FuncDecl)
	queue   []func() error
	out     ir.Program
}

func (e *testEnv) program(file *ast.File) (*ir.Program, error) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			e.decls[e.info.Defs[f.Name].(*types.Func)] = f
			if f.Name.Name == "cell" {
				e.cell = f
				e.body = e.info.Scopes[f.Type]
			}
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f == e.cell {
			continue
		}
		object := e.info.Defs[f.Name].(*types.Func)
		if object.Signature().TypeParams().Len() > 0 || object.Signature().RecvTypeParams().Len() > 0 {
			continue // built when an instance is needed
		}
		e.FuncRef(object, nil)
	}
	if e.cell != nil {
		f, err := e.builder().Body(e.cell)
		if err != nil {
			return nil, err
		}
		e.out.Body = f
	}
	for len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		if err := next(); err != nil {
			return nil, err
		}
	}
	return &e.out, nil
}

func (e *testEnv) builder() *Builder {
	b := NewBuilder(e, e.info, e.fset, e.pkg)
	e.setup(b, e.cell)
	return b
}

// FuncRef returns the reference of a function of the file and queues it to be built.
func (e *testEnv) FuncRef(f *types.Func, targs []types.Type) *ir.FuncRef {
	f = f.Origin()
	decl := e.decls[f]
	if decl == nil {
		return nil
	}
	name := functionName(f)
	if len(targs) > 0 {
		name += fmt.Sprint(texts(targs))
	}
	if ref := e.refs[name]; ref != nil {
		return ref
	}
	sig := f.Signature()
	var parameters *types.TypeParamList
	if parameters = sig.TypeParams(); sig.Recv() != nil {
		parameters = sig.RecvTypeParams()
	}
	subst := substitution{}
	for i, t := range targs {
		subst[parameters.At(i)] = t
	}
	ref := &ir.FuncRef{Name: name, Sig: flat(sig, subst)}
	e.refs[name] = ref
	e.queue = append(e.queue, func() error {
		b := e.builder()
		b.Subst = subst.of
		built, err := b.Func(decl, ref, name)
		if err == nil {
			e.out.Funcs = append(e.out.Funcs, built)
		}
		return err
	})
	return ref
}

// Global returns the session variable for a variable of the file or of the function cell.
func (e *testEnv) Global(v *types.Var) *ir.Global {
	if v.Parent() == nil || v.Parent() != e.pkg.Scope() && v.Parent() != e.body {
		return nil
	}
	if e.globals[v] == nil {
		e.globals[v] = &ir.Global{Name: v.Name(), Type: v.Type()}
	}
	return e.globals[v]
}

func functionName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return "main." + f.Name()
	}
	t, pointer := recv.Type(), ""
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = p.Elem(), "*"
	}
	return "main.(" + pointer + types.Unalias(t).(interface{ Obj() *types.TypeName }).Obj().Name() + ")." + f.Name()
}

func texts(list []types.Type) (out []string) {
	for _, t := range list {
		out = append(out, ir.TypeText(t))
	}
	return out
}

// flat returns a signature with the receiver as the first parameter.
func flat(sig *types.Signature, s substitution) *types.Signature {
	params := variables(sig.Params(), s)
	if recv := sig.Recv(); recv != nil {
		params = append([]*types.Var{types.NewParam(0, nil, recv.Name(), s.of(recv.Type()))}, params...)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(variables(sig.Results(), s)...), sig.Variadic())
}

func variables(t *types.Tuple, s substitution) (out []*types.Var) {
	for v := range t.Variables() {
		out = append(out, types.NewParam(v.Pos(), v.Pkg(), v.Name(), s.of(v.Type())))
	}
	return out
}

// A substitution maps type parameters to types.
type substitution map[types.Type]types.Type

func (s substitution) of(t types.Type) types.Type {
	if t == types.Universe.Lookup("any").Type() {
		return t // go/types writes what it denotes as interface{}
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if a := s[t]; a != nil {
			return a
		}
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		var arguments []types.Type
		for a := range t.TypeArgs().Types() {
			arguments = append(arguments, s.of(a))
		}
		out, err := types.Instantiate(nil, t.Origin(), arguments, false)
		if err != nil {
			panic(err)
		}
		return out
	case *types.Pointer:
		return types.NewPointer(s.of(t.Elem()))
	case *types.Slice:
		return types.NewSlice(s.of(t.Elem()))
	case *types.Array:
		return types.NewArray(s.of(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), s.of(t.Elem()))
	case *types.Map:
		return types.NewMap(s.of(t.Key()), s.of(t.Elem()))
	case *types.Tuple:
		if t.Len() == 0 {
			return t
		}
		return types.NewTuple(variables(t, s)...)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, types.NewTuple(variables(t.Params(), s)...), types.NewTuple(variables(t.Results(), s)...), t.Variadic())
	default:
		return t
	}
	return t
}

// compiledPackages lists the packages that test sources may import.
var compiledPackages = map[string]string{
	"fmt":    "package fmt\nfunc Println(a ...any) (n int, err error)\nfunc Sprint(a ...any) string\ntype Stringer interface{ String() string }",
	"errors": "package errors\nfunc New(text string) error\nvar ErrUnsupported error",
	"sync":   "package sync\ntype Mutex struct{ state int32 }\nfunc (m *Mutex) Lock()\nfunc (m *Mutex) Unlock()",
	"iter":   "package iter\ntype Seq[V any] func(yield func(V) bool)\ntype Seq2[K, V any] func(yield func(K, V) bool)",
	"slices": "package slices\nfunc Max[S ~[]E, E any](x S) E { return x[0] }",
	"unsafe": "",
}

type importer struct{}

// Import checks the source of a package.
func (importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	source, ok := compiledPackages[path]
	if !ok {
		return nil, fmt.Errorf("no package %s", path)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path+".go", source, 0)
	if err != nil {
		return nil, err
	}
	config := types.Config{IgnoreFuncBodies: true}
	return config.Check(path, fset, []*ast.File{file}, nil)
}
