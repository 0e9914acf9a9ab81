package lower

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"gosphere/runtime/check"
)

// A libraryPackage is a package of the standard library's generic functions and types in
// the project's own source.
type libraryPackage struct {
	types     *types.Package
	info      *types.Info
	fset      *token.FileSet
	functions map[string]*ast.FuncDecl // "Sort", "Pointer.Load"
	names     map[string]string        // engine names of functions that are not generic
	sources   map[string]*source
}

// instance returns the engine name of a generic function with type arguments, and queues
// it to be emitted if this is its first use.
func (u *unit) instance(e *emitter, x *ast.Ident, f *types.Func, arguments []types.Type) string {
	src := u.genericSource(f, e.src.checked)
	if src == nil {
		panic(refuse(x.Pos(), "%s.%s has type parameters, and the program holds no source of it for cells; write the function in a cell, or a package around it without type parameters (ADDING-PACKAGES.md)", f.Pkg().Name(), f.Name()))
	}
	parameters := src.info.Defs[src.declaration.Name].Type().(*types.Signature).TypeParams()
	return u.instanceOf(src, f.Name(), parameters, arguments)
}

// predeclaredAliases writes the arguments of compiled instances as package reflect does.
// Other types with these words in their names have no such instance under either name.
var predeclaredAliases = strings.NewReplacer("byte", "uint8", "rune", "int32")

// compiledInstance names the compiled instance of a generic function of the standard library,
// which works on plain data as the interpreter has it; "" if there is none.
func (u *unit) compiledInstance(f *types.Func, arguments []types.Type) string {
	if u.s.options.Instance == nil || f.Pkg() == nil || f.Pkg().Path() == "main" {
		return ""
	}
	var written []string
	for _, t := range arguments {
		written = append(written, predeclaredAliases.Replace(types.TypeString(t, nil)))
	}
	key := f.Pkg().Path() + "." + f.Name() + "[" + strings.Join(written, ",") + "]"
	name := u.s.addresses[key]
	if name == "" {
		value, found := u.s.options.Instance(f.Pkg().Path(), f.Name(), written)
		if !found {
			return ""
		}
		name = "F" + localMark + strings.TrimPrefix(u.s.global(""), globalMark)
		u.s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{name: value})
		u.s.addresses[key] = name
	}
	return cells + "." + name
}

// instanceOf names the instance of a source for arguments of its type parameters.
func (u *unit) instanceOf(src *source, stem string, parameters *types.TypeParamList, arguments []types.Type) string {
	key := instanceKey{src, u.s.keys(u, arguments)}
	if name, ok := u.s.instances[key]; ok {
		return name
	}
	name := u.s.global(stem)
	set(u.s, u.s.instances, key, name)
	env := &environment{
		arguments: map[*types.TypeParam]types.Type{}, list: arguments, key: key.key,
		scope: src.info.Scopes[src.declaration.Type],
	}
	for i := 0; i < parameters.Len(); i++ {
		env.arguments[parameters.At(i)] = arguments[i]
	}
	u.queue = append(u.queue, func() {
		e := u.emitter(src)
		e.env = env
		text := e.declaration(name, src.declaration)
		u.functions = append(u.functions, text)
	})
	return name
}

// emitQueued emits the instances that emitted code has asked for, and theirs in turn.
func (u *unit) emitQueued() {
	for len(u.queue) > 0 {
		emit := u.queue[0]
		u.queue = u.queue[1:]
		emit()
	}
}

// genericSource finds the declaration of a generic function.
func (u *unit) genericSource(f *types.Func, checked *check.Checked) *source {
	if symbol := u.s.symbol(f, checked); symbol != nil {
		return u.s.generics[symbol]
	}
	if f.Pkg() == nil {
		return nil
	}
	return u.s.librarySource(f.Pkg().Path(), f.Name())
}

// methodFunction is the engine name of a lowered method.
func (u *unit) methodFunction(e *emitter, named *types.Named, f *types.Func) string {
	f = f.Origin()
	symbol := u.s.symbol(f, u.checked) // generic code of an earlier cell calls what the method is now
	if symbol == nil && e.src != nil {
		symbol = u.s.symbol(f, e.src.checked)
	}
	var src *source
	if symbol != nil {
		if name := u.s.functions[symbol]; name != "" {
			return name
		}
		src = u.s.generics[symbol]
	} else {
		src = u.s.librarySource(f.Pkg().Path(), namedOf(f.Signature().Recv().Type()).Obj().Name()+"."+f.Name())
	}
	if src == nil {
		panic(refuse(token.NoPos, "method %s of %s is not available in cells", f.Name(), named))
	}
	var arguments []types.Type
	named = u.s.libraryType(named)
	for i := 0; i < named.TypeArgs().Len(); i++ {
		arguments = append(arguments, named.TypeArgs().At(i))
	}
	stem := named.Obj().Name() + localMark + f.Name()
	parameters := src.info.Defs[src.declaration.Name].Type().(*types.Signature).RecvTypeParams()
	return u.instanceOf(src, stem, parameters, arguments)
}

// libraryForm replaces an instance of a generic type of the standard library by its form
// in the library's own source.
func (s *Session) libraryForm(t types.Type) types.Type {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		if e := s.libraryForm(u.Elem()); e != u.Elem() {
			return types.NewPointer(e)
		}
	case *types.Named:
		if u.TypeArgs().Len() > 0 {
			return s.libraryType(u)
		}
	}
	return t
}

// libraryType is libraryForm for a named type.
func (s *Session) libraryType(t *types.Named) *types.Named {
	o := t.Obj()
	if t.TypeArgs().Len() == 0 || o.Pkg() == nil || o.Pkg().Path() == "main" {
		return t
	}
	p := s.libraryPackage(o.Pkg().Path())
	if p == nil || p.types == o.Pkg() {
		return t
	}
	own := p.types.Scope().Lookup(o.Name())
	if own == nil {
		return t
	}
	origin := types.Unalias(own.Type())
	named, ok := origin.(*types.Named)
	if !ok {
		return t
	}
	var arguments []types.Type
	for i := 0; i < t.TypeArgs().Len(); i++ {
		arguments = append(arguments, t.TypeArgs().At(i))
	}
	return s.instantiate(named, arguments).(*types.Named)
}

// libraryPackage type-checks a package of the library's own sources once; nil if there is none.
func (s *Session) libraryPackage(path string) *libraryPackage {
	if p, ok := s.library[path]; ok {
		return p
	}
	s.library[path] = nil
	if s.options.Generic == nil {
		return nil
	}
	files, ok := s.options.Generic(path)
	if !ok {
		return nil
	}
	p, err := s.checkLibrary(path, files)
	if err != nil {
		panic(fmt.Sprintf("library source of %s: %v", path, err))
	}
	s.library[path] = p
	return p
}

func (s *Session) checkLibrary(path string, files map[string]string) (*libraryPackage, error) {
	p := &libraryPackage{fset: token.NewFileSet(), functions: map[string]*ast.FuncDecl{}, names: map[string]string{}, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{},
		Scopes: map[ast.Node]*types.Scope{},
	}}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var parsed []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(p.fset, path+"/"+name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				p.functions[functionKey(f)] = f
			}
		}
	}
	config := types.Config{Importer: importerFunc(s.options.Import), GoVersion: ""}
	var err error
	p.types, err = config.Check(path, p.fset, parsed, p.info)
	return p, err
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// functionKey is the name of a function, or "Type.Method".
func functionKey(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
}

// librarySource finds a generic function or method in the library's own sources.
func (s *Session) librarySource(path, key string) *source {
	p := s.libraryPackage(path)
	if p == nil || p.functions[key] == nil {
		return nil
	}
	if p.sources == nil {
		p.sources = map[string]*source{}
	}
	src := p.sources[key]
	if src == nil {
		src = &source{declaration: p.functions[key], info: p.info, fset: p.fset}
		p.sources[key] = src
	}
	return src
}

// libraryFunction names a function of a library package that is not generic itself, such
// as a helper of the generic ones.
func (u *unit) libraryFunction(f *types.Func) (string, bool) {
	if f.Pkg() == nil {
		return "", false
	}
	p := u.s.library[f.Pkg().Path()]
	if p == nil || p.types != f.Pkg() {
		return "", false
	}
	if name := p.names[f.Name()]; name != "" {
		return name, true
	}
	src := u.s.librarySource(f.Pkg().Path(), f.Name())
	if src == nil {
		return "", false
	}
	name := u.s.global(f.Name())
	set(u.s, p.names, f.Name(), name)
	u.queue = append(u.queue, func() {
		text := u.emitter(src).declaration(name, src.declaration)
		u.functions = append(u.functions, text)
	})
	return name, true
}
