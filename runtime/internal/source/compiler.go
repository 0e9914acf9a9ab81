package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// compilerErrors returns the errors that the compiler reports for a package and go/types does not:
// functions without a body, misused directives, types that are too large, and unnamed interface
// types that refer to themselves. A program with such an error must not run, because go build
// refuses it.
func (p *Package) compilerErrors(tree fs.FS, only []string) []error {
	if list := p.interfaceCycles(); list != nil {
		return list
	}
	list := p.directiveErrors()
	if only != nil || !hasAssembly(tree) {
		list = append(list, p.missingBodies()...)
	}
	return append(list, p.sizeErrors()...)
}

// errorAt returns an error of the form that go/types uses.
func (p *Package) errorAt(pos token.Pos, message string) error {
	return types.Error{Fset: p.Fset, Pos: pos, Msg: message}
}

// missingBodies returns an error for each function without a body. A function that a directive
// links to another one may have none.
func (p *Package) missingBodies() (list []error) {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || function.Body != nil || function.Recv == nil && p.links[function.Name.Name] {
				continue
			}
			if !isImported(function) {
				list = append(list, p.errorAt(namePos(function), "missing function body"))
			}
		}
	}
	return list
}

// namePos returns the position that the compiler shows for a function: that of its name or of its
// receiver.
func namePos(f *ast.FuncDecl) token.Pos {
	if f.Recv != nil {
		return f.Recv.Pos()
	}
	return f.Name.Pos()
}

// isImported reports whether the host of a WebAssembly module provides a function.
func isImported(f *ast.FuncDecl) bool {
	if runtime.GOARCH != "wasm" || f.Doc == nil {
		return false
	}
	for _, c := range f.Doc.List {
		if strings.HasPrefix(c.Text, "//go:wasmimport ") {
			return true
		}
	}
	return false
}

// hasAssembly reports whether a folder has assembly for this platform, in which functions without a
// body may be written.
func hasAssembly(tree fs.FS) bool {
	names, _ := fs.Glob(tree, "*.s") // the pattern is valid
	context := platform(nil)
	context.OpenFile = func(name string) (io.ReadCloser, error) { return tree.Open(filepath.Base(name)) }
	return slices.ContainsFunc(names, func(name string) bool {
		selected, err := context.MatchFile(".", name)
		return selected && err == nil
	})
}

// interfaceCycles returns an error for unnamed interface types whose methods refer to the type
// itself, which only embedding can express. For instance
//
//	type I interface{ m(interface{ I }) }
//
// The compiler writes unnamed types out, and such a type would have no end.
func (p *Package) interfaceCycles() (list []error) {
	c := cycles{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			node, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			if t, ok := types.Unalias(p.Info.TypeOf(node)).(*types.Interface); ok && c.found(t) {
				list = append(list, p.errorAt(node.Pos(), "invalid recursive type: anonymous interface refers to itself (see https://go.dev/issue/56103)"))
				for t := range c {
					c[t] = false // reported
				}
			}
			return false
		})
	}
	return list
}

// cycles holds the interface types that have been visited, with whether a further visit is an
// error: while the methods of a type are visited, or after a cycle was found in them.
type cycles map[*types.Interface]bool

// found visits the methods of an interface type and reports whether they refer to it.
func (c cycles) found(t *types.Interface) bool {
	if cyclic, ok := c[t]; ok {
		return cyclic
	}
	if t.NumMethods() == 0 {
		return false
	}
	c[t] = true
	for m := range t.Methods() {
		if c.visit(m.Type()) {
			return true
		}
	}
	c[t] = false
	return false
}

// visit reports whether an unnamed type contains a cycle. A named type ends the search, because it
// is written as its name.
func (c cycles) visit(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Array:
		return c.visit(t.Elem())
	case *types.Slice:
		return c.visit(t.Elem())
	case *types.Pointer:
		return c.visit(t.Elem())
	case *types.Chan:
		return c.visit(t.Elem())
	case *types.Map:
		return c.visit(t.Key()) || c.visit(t.Elem())
	case *types.Signature:
		return c.visit(t.Params()) || c.visit(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if c.visit(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if c.visit(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		return c.found(t)
	}
	return false
}
