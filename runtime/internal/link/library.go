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

// packages are those that run from source. They decide which code is compiled and which is not.
//
// Three kinds of packages exist: compiled ones, for which the symbol tables have everything; those
// of modules, which run from source as a whole; and generic packages of the standard library, of
// which only the generic functions and types run from source, because compiled code has no
// instances for types of cells.
type packages struct {
	options       *Options
	journal       *journal
	universe      *universe
	substitutions *substitutions
	declarations  *declarations
	bodies        *bodies
	survey        *survey

	library map[string]*libraryPackage         // the project's own source, by path; nil for a package that has none
	sources map[*types.Package]*libraryPackage // packages of modules
}

// ours reports whether a type is made from source, which means that a cell or a package from source
// declares it.
//
// An instance of a generic type of compiled code is made from source if the project has a source of
// it, and otherwise if no compiled symbol has the instance.
func (l *packages) ours(t *types.Named) bool {
	o := t.Obj()
	if o.Pkg() == nil {
		return false
	}
	if o.Pkg().Path() == "main" || l.sourcePackage(o.Pkg()) != nil {
		return true
	}
	if t.TypeArgs().Len() > 0 {
		return l.compiledName(t) == "" && (l.libraryPackage(o.Pkg().Path()) != nil || l.survey.typeOf(t) == nil)
	}
	return l.library[o.Pkg().Path()] != nil && l.library[o.Pkg().Path()].types == o.Pkg()
}

// compiledName returns the name of a type in its compiled package, or "" if it has none. An
// instance of a generic type has a name only if the package declares an alias for it.
func (l *packages) compiledName(t *types.Named) string {
	o := t.Obj()
	if t.TypeArgs().Len() == 0 {
		return o.Name()
	}
	path := o.Pkg().Path()
	if l.isSource(o.Pkg()) || l.libraryPackage(path) != nil {
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
		if _, found := l.options.Symbol(path, name); found {
			return name
		}
	}
	return ""
}

// libraryType returns the version of a generic type of the standard library in the project's own
// source, or nil. For instance, a variable of type atomic.Pointer[T] has the type that is declared
// there, because compiled code has no atomic.Pointer for a type of a cell.
func (l *packages) libraryType(t *types.Named) *types.Named {
	o := t.Obj()
	if o.Pkg() == nil || o.Pkg().Path() == "main" || l.sourcePackage(o.Pkg()) != nil {
		return nil
	}
	p := l.libraryPackage(o.Pkg().Path())
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
func (l *packages) libraryFunction(f *types.Func) *function {
	if f.Pkg() == nil || f.Pkg().Path() == "main" {
		return nil
	}
	p := l.sourcePackage(f.Pkg())
	if p == nil {
		p = l.libraryPackage(f.Pkg().Path())
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
	if decl == nil || decl.Body == nil && p.source != nil && l.linkedFunction(p, f).IsValid() {
		return nil
	}
	known := p.functions[key]
	if known == nil {
		known = &function{source: &code{decl: decl, info: p.info, fset: p.fset, pkg: p.types, library: p}}
		// The entry precedes the build, since the function may call itself.
		set(l.journal, p.functions, key, known)
		object := p.info.Defs[decl.Name].(*types.Func)
		if !isGeneric(object) {
			known.ref = &ir.FuncRef{Name: functionName(object), Sig: flatSignature(object, l.substitutions.of(nil))}
			l.bodies.queue(func() error { return l.bodies.build(known.source, known.ref, nil) })
		}
	}
	return known
}

// libraryPackage returns a package of the project's own source, or nil if there is none. It
// type-checks the package at the first use. It is nil during the check as well, which ends the
// recursion of packages that use each other's sources.
func (l *packages) libraryPackage(path string) *libraryPackage {
	if p, ok := l.library[path]; ok {
		return p
	}
	l.library[path] = nil
	if l.options.Generic == nil {
		return nil
	}
	files, ok := l.options.Generic(path)
	if !ok {
		return nil
	}
	p, err := l.checkLibrary(path, files)
	if err != nil {
		panic(&Defect{Text: "library source of " + path + ": " + err.Error()})
	}
	l.library[path] = p
	return p
}

// checkLibrary type-checks a package of the project's own source.
func (l *packages) checkLibrary(path string, files map[string]string) (*libraryPackage, error) {
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
	config := types.Config{Importer: importerFunc(l.options.Import)}
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
