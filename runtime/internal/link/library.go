package link

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/source"
)

// A libraryPackage is a package that runs from source: a package of a module, or the project's own
// source of generic functions and types of the standard library.
type libraryPackage struct {
	types     *types.Package
	info      *types.Info
	fset      *token.FileSet
	decls     map[string]*ast.FuncDecl // by "Sort" or "Pointer.Load"; only for the project's own source
	functions map[string]*function

	source *source.Package // nil for the project's own source
	sourceState
}

// ours reports whether a type is made from source, which means that a cell or a package from source
// declares it.
//
// An instance of a generic type of compiled code is made from source if the project has a source of
// it, and otherwise if no compiled symbol has the instance.
func (s *Session) ours(t *types.Named) bool {
	o := t.Obj()
	if o.Pkg() == nil {
		return false
	}
	if o.Pkg().Path() == "main" || s.sourcePackage(o.Pkg()) != nil {
		return true
	}
	if t.TypeArgs().Len() > 0 {
		return s.compiledName(t) == "" && (s.libraryPackage(o.Pkg().Path()) != nil || s.survey.typeOf(t) == nil)
	}
	return s.library[o.Pkg().Path()] != nil && s.library[o.Pkg().Path()].types == o.Pkg()
}

// compiledName returns the name of a type in its compiled package, or "" if it has none. An
// instance of a generic type has a name only if the package declares an alias for it.
func (s *Session) compiledName(t *types.Named) string {
	o := t.Obj()
	if t.TypeArgs().Len() == 0 {
		return o.Name()
	}
	path := o.Pkg().Path()
	if s.isSource(o.Pkg()) || s.libraryPackage(path) != nil {
		return ""
	}
	scope := o.Pkg().Scope()
	for _, name := range scope.Names() {
		// The alias makes the instance available in the symbol tables under a name without
		// brackets.
		alias, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !alias.IsAlias() || !types.Identical(alias.Type(), t) {
			continue
		}
		if _, found := s.options.Symbol(path, name); found {
			return name
		}
	}
	return ""
}

// libraryType returns the version of a generic type of the standard library in the project's own
// source, or nil. For instance, a variable of type atomic.Pointer[T] has the type that is declared
// there, because compiled code has no atomic.Pointer for a type of a cell.
func (s *Session) libraryType(t *types.Named) *types.Named {
	o := t.Obj()
	if o.Pkg() == nil || o.Pkg().Path() == "main" || s.sourcePackage(o.Pkg()) != nil {
		return nil
	}
	p := s.libraryPackage(o.Pkg().Path())
	if p == nil || p.types == o.Pkg() {
		return nil
	}
	own := p.types.Scope().Lookup(o.Name())
	if own == nil {
		return nil
	}
	named, _ := types.Unalias(own.Type()).(*types.Named)
	return named
}

// libraryFunction returns a function of a package from source, or nil.
//
// For instance, it returns slices.Sort from the project's own source, and every function of a
// module that is not compiled into the program. It returns nil for strings.ToUpper, which is
// compiled, and for functions of cells, which functionOf finds.
func (s *Session) libraryFunction(f *types.Func) *function {
	if f.Pkg() == nil || f.Pkg().Path() == "main" {
		return nil
	}
	p := s.sourcePackage(f.Pkg())
	if p == nil {
		p = s.libraryPackage(f.Pkg().Path())
	}
	if p == nil {
		return nil
	}
	// p.types and f.Pkg() differ for the standard library: f comes from export data, and p from the
	// project's source of the generic part of the same package.
	if p.types != f.Pkg() && f.Signature().Recv() == nil && f.Signature().TypeParams().Len() == 0 {
		return nil // compiled
	}
	key := f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		named, ok := types.Unalias(deref(recv.Type())).(*types.Named)
		if !ok {
			return nil
		}
		key = named.Obj().Name() + "." + f.Name()
		if p.types != f.Pkg() && named.Origin().TypeParams().Len() == 0 {
			// The type is compiled. A method with type parameters is there as a function whose first
			// parameter is the receiver, since no other package can declare a method of the type.
			if f.Signature().TypeParams().Len() == 0 {
				return nil
			}
			key = named.Obj().Name() + "_" + f.Name()
		}
	}
	// A function without a body may be one of the runtime, which is called as a compiled function.
	decl := p.declaration(key)
	if decl == nil || decl.Body == nil && p.source != nil && s.linkedFunction(p, f).IsValid() {
		return nil
	}
	known := p.functions[key]
	if known == nil {
		known = &function{source: &code{decl: decl, info: p.info, fset: p.fset, pkg: p.types, library: p}}
		// The entry precedes the build, since the function may call itself.
		set(s.journal, p.functions, key, known)
		object := p.info.Defs[decl.Name].(*types.Func)
		if !isGeneric(object) {
			known.ref = &ir.FuncRef{Name: functionName(object), Sig: flatSignature(object, s.substitution(nil))}
			s.queue(func() error { return s.build(known.source, known.ref, nil) })
		}
	}
	return known
}

// libraryPackage returns a package of the project's own source, or nil if there is none. It
// type-checks the package at the first use. It is nil during the check as well, which ends the
// recursion of packages that use each other's sources.
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
		panic(&Defect{Text: "library source of " + path + ": " + err.Error()})
	}
	s.library[path] = p
	return p
}

// checkLibrary type-checks a package of the project's own source.
func (s *Session) checkLibrary(path string, files map[string]string) (*libraryPackage, error) {
	p := &libraryPackage{fset: token.NewFileSet(), decls: map[string]*ast.FuncDecl{}, functions: map[string]*function{}, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{},
		Scopes: map[ast.Node]*types.Scope{},
	}}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names) // positions must not depend on the order of the map
	var parsed []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(p.fset, path+"/"+name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				p.decls[source.FunctionName(f)] = f
			}
		}
	}
	// Other packages are imported as compiled, so this package's references to their generic types
	// are replaced later, when a function is built.
	config := types.Config{Importer: importerFunc(s.options.Import)}
	var err error
	p.types, err = config.Check(path, p.fset, parsed, p.info)
	return p, err
}

// importerFunc makes a function a types.Importer.
type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// compiledName converts a type argument to the form in the names of compiled instances, which
// package reflect determines. go/types writes byte and rune where reflection has uint8 and int32:
// map[string][]byte becomes map[string][]uint8.
func compiledName(written string) string {
	var b strings.Builder
	for written != "" {
		n := strings.IndexFunc(written, func(r rune) bool { return !partOfName(r) })
		if n < 0 {
			n = len(written)
		}
		switch name := written[:n]; name {
		case "byte":
			b.WriteString("uint8")
		case "rune":
			b.WriteString("int32")
		default:
			b.WriteString(name)
		}
		next := min(n+1, len(written))
		b.WriteString(written[n:next])
		written = written[next:]
	}
	return b.String()
}

// partOfName reports whether a rune may be part of a name with its package path. A type in a list
// or after a bracket, a star or a blank begins a name.
func partOfName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' || r == '/' || r == '-'
}
