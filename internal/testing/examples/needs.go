package examples

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A need is a declaration that examples use, and its file.
type need struct {
	file *source
	decl ast.Decl
}

// findNeeds sets the parts of the package's test files that the examples of a file use:
// declarations, and the imports of all of them. The rest of these files is for tests, and often
// cannot run in cells.
func (f *File) findNeeds() {
	var queue []need
	f.missing = nil
	for _, d := range f.source.Decls {
		if e := exampleIn(d); e != nil && slices.ContainsFunc(f.Examples, func(wanted Example) bool { return wanted.Name == e.Name.Name }) {
			queue = append(queue, need{f.source, d})
		}
	}
	needed := map[ast.Decl]bool{}
	imports := map[string]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if needed[n.decl] {
			continue
		}
		needed[n.decl] = true
		names := n.file.packageLevel(n.decl)
		n.file.addImports(names, imports)
		for name := range names {
			if f.hidden[name] {
				f.missing = append(f.missing, name)
			}
		}
		for _, other := range f.tests {
			for _, d := range other.Decls {
				if exampleIn(d) == nil && (declaresOneOf(d, names) || f.initializes(other, d, names)) {
					queue = append(queue, need{other, d})
				}
			}
		}
	}
	f.Imports, f.Declared = "", ""
	if f.inside { // users import the package with a dot
		f.Imports = fmt.Sprintf("import . %q\n", f.Package)
	}
	for _, other := range f.tests {
		for _, d := range other.Decls {
			if needed[d] && exampleIn(d) == nil {
				f.Declared += other.between(d.Pos(), d.End()) + "\n"
			}
		}
	}
	for _, spec := range slices.Sorted(maps.Keys(imports)) {
		f.Imports += "import " + spec + "\n"
	}
}

// initializes reports whether a declaration is an init function that uses a variable with one of
// these names.
func (f *File) initializes(file *source, d ast.Decl, names map[string]bool) bool {
	function, ok := d.(*ast.FuncDecl)
	if !ok || function.Recv != nil || function.Name.Name != "init" {
		return false
	}
	for name := range file.packageLevel(d) {
		if !names[name] {
			continue
		}
		for _, other := range f.tests {
			if slices.ContainsFunc(other.Decls, func(d ast.Decl) bool {
				g, ok := d.(*ast.GenDecl)
				return ok && g.Tok == token.VAR && declaresOneOf(d, map[string]bool{name: true})
			}) {
				return true
			}
		}
	}
	return false
}

// packageLevel returns the names that a declaration uses and that are not declared in a scope
// inside it.
func (s *source) packageLevel(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	for _, id := range s.Unresolved {
		if d.Pos() <= id.Pos() && id.Pos() < d.End() {
			names[id.Name] = true
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Obj == s.Scope.Lookup(id.Name) {
			names[id.Name] = true
		}
		return true
	})
	return names
}

// declaresOneOf reports whether a declaration declares one of these names, or a method of one.
func declaresOneOf(d ast.Decl, names map[string]bool) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return names[receiver(d)]
		}
		return names[d.Name.Name]
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if names[spec.Name.Name] {
					return true
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return names[id.Name] }) {
					return true
				}
			}
		}
	}
	return false
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) (name string) {
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

var version = regexp.MustCompile(`^v\d+$`)

// addImports adds the imports with these names, and the imports without an explicit name. The name
// of a package is taken to be the last element of its path.
func (s *source) addImports(names, imports map[string]bool) {
	for _, spec := range s.Imports {
		at := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(at)
		if version.MatchString(name) {
			name = path.Base(path.Dir(at))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." || name == "_" || names[name] {
			imports[s.between(spec.Pos(), spec.Path.End())] = true
		}
	}
}
