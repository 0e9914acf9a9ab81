// Package source type-checks packages of modules from their files, for cells that import them.
//
//	loader := source.New(compiled, find)
//	err := loader.Load(ctx, []string{"github.com/x/y"})
//	p := loader.Package("github.com/x/y")
//
// A package that is not preloaded has no compiled form in the program. Its files are checked here,
// then built and run like functions of cells, by the linker. A package whose imports are preloaded
// refers to their compiled form, so values of their types can be exchanged.
//
// Finding the folder of an import path, with the versions of modules, is the task of package
// modules, which this package knows only as the function Find.
//
// # Invariants
//
// Each package keeps its own scope, language version and unexported names, and is checked once. The
// files are those that the go command would select without cgo and with the tags purego, noasm and
// appengine. Either a package and all of its imports become available, or none of them. A dropped
// package remains valid for the code that uses it.
//
// # Reading order
//
// source.go (a package), loader.go, files.go (which files), tests.go, changes.go (edited
// files), receiver.go (names of functions).
//
// # A package
//
// A session that meets the import of a package that is not preloaded calls Load before it checks
// the cell, so that the checker finds the package by its path. Linking a function of the package
// then finds its declaration with Loader.Of and Package.Function, and builds it when it is first
// used. Before a cell uses the package for the first time, the linker runs Initializer and Inits,
// imported packages first.
package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"gosphere/runtime/goembed"
)

// A Package is a type-checked package. It does not change after it has been loaded. When a file is
// edited, the package is loaded again as another Package with other types.
type Package struct {
	Types *types.Package
	Info  *types.Info
	Fset  *token.FileSet
	Files []*ast.File
	Dir   string
	Local bool // whether it belongs to the module in whose folder the cells run
	// Imports are the imported packages that are from source, sorted by path.
	Imports []*Package
	// Embeds are the variables with a go:embed directive.
	Embeds []goembed.Variable

	lists      map[*types.Var]*List
	functions  map[string]*ast.FuncDecl // by "Sort" or "Pointer.Load"
	inits      []*ast.FuncDecl
	linked     map[string]string // targets of go:linkname directives, by local name
	goVersions map[*ast.File]string
	stamps     []stamp         // of the files when they were read
	pragmas    [][]pragma      // of each file
	links      map[string]bool // names that go:linkname directives link, in packages that compilerErrors has checked
	program    bool            // whether it is a package main, which runs once
	file       string          // the file from which the package is made; "" for a folder
}

// Hidden reports whether cells must not import the package, because it is internal to another
// module. Go's rule for internal packages is applied to cells as to a package in the folder where
// they run.
func (p *Package) Hidden() bool { return !mayImport(p.Types.Path(), "", p.Local) }

// Resolve returns the import path that an import in a file of the package means. It differs from
// the path in the import only for relative paths.
func (p *Package) Resolve(path string) string { return relativeTo(p.Types.Path(), path) }

// IsOfCells reports whether the package is made of the cells of a file and not of a folder.
func (p *Package) IsOfCells() bool { return p.file != "" }

// SharesAnyLoops reports whether SharesLoops is true for loops of at least one file.
func (p *Package) SharesAnyLoops() bool {
	return slices.ContainsFunc(p.Files, func(f *ast.File) bool { return olderThan(p.goVersions[f], 22) })
}

// Function returns the declaration of a function, or of a method named as "Type.Method", or nil.
// For instance "Map.Load" for func (m *Map) Load.
func (p *Package) Function(name string) *ast.FuncDecl { return p.functions[name] }

// Inits returns the functions named init, in the order in which they run. That is the order of the
// files, which are sorted by name, and the order within a file.
func (p *Package) Inits() []*ast.FuncDecl { return p.inits }

// Linked returns the target of a go:linkname directive for a variable or a function without a body,
// such as runtime.nanotime, or "".
func (p *Package) Linked(name string) string { return p.linked[name] }

// SharesLoops reports whether the iterations of loops at a position share their variables, as in
// files with a language version before Go 1.22. Since Go 1.22 each iteration has its own copy. The
// version is that of the module, or of a build constraint of the file.
func (p *Package) SharesLoops(pos token.Pos) bool {
	for _, f := range p.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return olderThan(p.goVersions[f], 22)
		}
	}
	return false
}

// Initializer returns the statements that initialize the variables of the package, in the order
// that the language prescribes. go/types has computed the order. The statements assign instead of
// declaring, because the variables exist before: functions of the package may refer to them. For
// instance var a, b = f() becomes a, b = f().
func (p *Package) Initializer() *ast.BlockStmt {
	names := map[types.Object]*ast.Ident{}
	for name, o := range p.Info.Defs {
		if v, ok := o.(*types.Var); ok && v.Parent() == p.Types.Scope() {
			names[v] = name
		}
	}
	body := &ast.BlockStmt{}
	for _, i := range p.Info.InitOrder {
		s := &ast.AssignStmt{TokPos: i.Rhs.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{i.Rhs}}
		for _, v := range i.Lhs {
			name := names[v]
			if name == nil { // the blank identifier
				name = &ast.Ident{NamePos: i.Rhs.Pos(), Name: "_"}
			}
			s.Lhs = append(s.Lhs, name)
		}
		body.List = append(body.List, s)
	}
	// The statements are in the order of initialization and may come from several files, so the
	// first and the last one need not have the outermost positions.
	for _, s := range body.List {
		if body.Lbrace == 0 || s.Pos() < body.Lbrace {
			body.Lbrace = s.Pos()
		}
		body.Rbrace = max(body.Rbrace, s.End())
	}
	return body
}

// List returns the list with which a variable is initialized, or nil.
func (p *Package) List(v *types.Var) *List { return p.lists[v] }

// Doc returns the documentation of a name in the package, or of the package itself if name is "".
func (p *Package) Doc(name string) string {
	for _, f := range p.Files {
		if name == "" {
			if f.Doc != nil {
				return f.Doc.Text()
			}
			continue
		}
		for _, d := range f.Decls {
			if text, found := docOf(d, name); found {
				return text
			}
		}
	}
	return ""
}

// docOf returns the comment of a declaration and reports whether the declaration declares name. A
// comment of the group applies to a name that has none of its own.
func docOf(d ast.Decl, name string) (text string, found bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc.Text(), FunctionName(d) == name
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.Name == name {
					return firstText(spec.Doc, d.Doc), true
				}
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					if id.Name == name {
						return firstText(spec.Doc, d.Doc, spec.Comment), true
					}
				}
			}
		}
	}
	return "", false
}

// firstText returns the text of the first group that has one.
func firstText(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := g.Text(); text != "" {
			return text
		}
	}
	return ""
}
