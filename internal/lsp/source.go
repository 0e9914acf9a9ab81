package lsp

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/module"

	"gosphere/internal/lsp/protocol"
	"gosphere/internal/notebook/imports"
	"gosphere/internal/userfile"
	"gosphere/runtime/session"
)

// declarationInSource returns the position of an object in the source of its package, if that is on
// this machine: in the folder of the document, in the module cache, or in Go's own tree.
func (d *document) declarationInSource(object types.Object) []protocol.Location {
	found := []protocol.Location{}
	path := "builtin" // which documents predeclared names
	if p, isImport := object.(*types.PkgName); isImport {
		path = p.Imported().Path()
	} else if object.Pkg() != nil {
		path = object.Pkg().Path()
	}
	for _, dir := range d.sourceFolders(path) {
		if l := declarationIn(dir, object); l != nil {
			return append(found, *l)
		}
	}
	return found
}

// sourceFolders returns the folders in which the source of a package may be.
func (d *document) sourceFolders(path string) (list []string) {
	dir := filepath.Dir(d.path)
	if strings.HasPrefix(path, ".") {
		return []string{filepath.Join(dir, filepath.FromSlash(path))}
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		list = append(list, filepath.Join(goRoot(), "src", filepath.FromSlash(path)))
	}
	// The longest module path that contains the package decides.
	for p := path; p != "."; p = pathAbove(p) {
		for _, version := range d.versions(p) {
			escaped, err := module.EscapePath(p)
			if err != nil {
				continue
			}
			escapedVersion, err := module.EscapeVersion(version)
			if err != nil {
				continue
			}
			list = append(list, filepath.Join(moduleCache(), filepath.FromSlash(escaped)+"@"+escapedVersion, filepath.FromSlash(strings.TrimPrefix(path, p))))
		}
	}
	return list
}

// pathAbove returns a slash-separated path without its last element, or ".".
func pathAbove(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "."
	}
	return p[:i]
}

// versions returns the versions of a module that the document may use: those that its notebook
// stores, and the one that is compiled into the program.
func (d *document) versions(path string) (list []string) {
	requires, _ := imports.Stored(d.stored)
	for _, r := range requires {
		if p, version, ok := strings.Cut(strings.ReplaceAll(r, " ", "@"), "@"); ok && p == path {
			list = append(list, version)
		}
	}
	for _, c := range d.cells {
		for line := range strings.Lines(c.text) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "%require "); ok {
				for word := range strings.FieldsSeq(rest) {
					if p, version, ok := strings.Cut(word, "@"); ok && p == path {
						list = append(list, version)
					}
				}
			}
		}
	}
	if version := session.CompiledModules()[path]; version != "" {
		list = append(list, version)
	}
	return list
}

// moduleCache returns the folder of downloaded modules, as the go command finds it.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	return filepath.Join(build.Default.GOPATH, "pkg", "mod")
}

// goRoot returns the folder of Go on this machine, or "". The program needs no Go, so it may be
// missing.
var goRoot = sync.OnceValue(func() string {
	if dir := os.Getenv("GOROOT"); dir != "" {
		return dir
	}
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	return ""
})

// declarationIn returns the position of the declaration of an object in a folder, or nil. For a
// package it is the clause of its first file.
func declarationIn(dir string, object types.Object) *protocol.Location {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil
	}
	context := build.Default
	for _, name := range names {
		if match, err := context.MatchFile(dir, filepath.Base(name)); err != nil || !match || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := userfile.ReadFile(name, userfile.Source)
		if err != nil {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		id := declaringName(file, object)
		if id == nil {
			continue
		}
		start := fset.Position(id.Pos()).Offset
		return &protocol.Location{URI: uriOf(name), Range: protocol.Range{
			Start: positionOf(string(text), start), End: positionOf(string(text), start+len(id.Name)),
		}}
	}
	return nil
}

// declaringName returns the name that declares an object in a file, or nil.
func declaringName(file *ast.File, object types.Object) *ast.Ident {
	if _, isImport := object.(*types.PkgName); isImport {
		return file.Name
	}
	receiver := ownerOf(object)
	if f, ok := object.(*types.Func); ok {
		if r := f.Signature().Recv(); r != nil {
			t := r.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := types.Unalias(t).(*types.Named); ok {
				receiver = named.Obj().Name()
			}
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == object.Name() && receiverName(d) == receiver {
				return d.Name
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if id := nameInSpec(spec, object, receiver); id != nil {
					return id
				}
			}
		}
	}
	return nil
}

// receiverName returns the name of the type to which a method belongs, or "".
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// nameInSpec returns the name that declares an object in a declaration: a type, variable, constant,
// a method of an interface, or a field.
func nameInSpec(spec ast.Spec, object types.Object, receiver string) *ast.Ident {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		if i := slices.IndexFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == object.Name() }); i >= 0 && !isField(object) {
			return spec.Names[i]
		}
	case *ast.TypeSpec:
		if _, isType := object.(*types.TypeName); isType && spec.Name.Name == object.Name() {
			return spec.Name
		}
		var fields *ast.FieldList
		switch t := spec.Type.(type) {
		case *ast.StructType:
			if isField(object) && spec.Name.Name == receiver {
				fields = t.Fields
			}
		case *ast.InterfaceType:
			if spec.Name.Name == receiver {
				fields = t.Methods
			}
		}
		if fields == nil {
			return nil
		}
		for _, f := range fields.List {
			for _, id := range f.Names {
				if id.Name == object.Name() {
					return id
				}
			}
		}
	}
	return nil
}

// isField reports whether an object is a field of a struct.
func isField(object types.Object) bool {
	v, ok := object.(*types.Var)
	return ok && v.IsField()
}

// ownerOf returns the name of the struct type of a package that has a field, or "".
func ownerOf(object types.Object) string {
	if !isField(object) || object.Pkg() == nil {
		return ""
	}
	scope := object.Pkg().Scope()
	for _, name := range scope.Names() {
		structure, ok := scope.Lookup(name).Type().Underlying().(*types.Struct)
		if _, isType := scope.Lookup(name).(*types.TypeName); !ok || !isType {
			continue
		}
		for field := range structure.Fields() {
			if field == object {
				return name
			}
		}
	}
	return ""
}
