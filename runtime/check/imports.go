package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strconv"

	"gosphere/internal/modulepath"
	"gosphere/runtime/cell"
	"gosphere/runtime/internal/packages"
)

// readImports processes the import declarations of the cell. A name may be imported repeatedly; the
// last import applies. An import of a package that does not exist is an error of the cell, before
// any type is checked.
//
// All errors are collected, so that a cell with several missing packages is corrected once.
func (w *work) readImports() error {
	var list cell.Errors
	for _, spec := range w.survey.imports {
		if err := w.readImport(spec); err != nil {
			mistake := w.cell.ErrorAt(w.fset.Position(spec.Path.Pos()), err.Error())
			mistake.Hint = w.missingPackage(spec.Path.Value, err)
			list = append(list, mistake)
		}
	}
	if len(list) > 0 {
		return list.Sort()
	}
	return nil
}

// readImport processes one import declaration. It loads the package, because its name is needed if
// the import specifies none.
func (w *work) readImport(spec *ast.ImportSpec) error {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return fmt.Errorf("invalid import path: %s", spec.Path.Value)
	}
	imported, err := importer{w.session.packages}.Import(path)
	if err != nil {
		return &importError{path, err}
	}
	name := imported.Name()
	if spec.Name != nil {
		name = spec.Name.Name
	}
	switch name {
	case "_":
	case ".":
		w.dots = append(w.dots, path)
	default:
		if other, ok := w.imports[name]; ok && other.Path != path {
			return fmt.Errorf("%s redeclared in this block: it is the package %s", name, other.Path)
		}
		w.imports[name] = Import{Name: name, Path: path}
	}
	return nil
}

// An importError is the reason why a package cannot be imported. The reason is kept for hints,
// which depend on its type.
type importError struct {
	path   string
	reason error
}

func (e *importError) Error() string {
	return fmt.Sprintf("could not import %s (%v)", e.path, e.reason)
}

// Unwrap returns the reason.
func (e *importError) Unwrap() error { return e.reason }

// importsFor returns the imports that code of the cell with these names may refer to. They are the
// imports that the cell states, those in force, and packages whose names occur before a dot and
// have no other meaning. For instance for "rand.IntN(len(p.Points))" with a variable p it returns
// an import of rand, and none for p.
//
// Dot imports are added to every file of the cell: whether a name comes from one is known only to
// the type checker.
func (w *work) importsFor(m mentions, hidden map[string]bool) []Import {
	var list []Import
	for name := range m.bases {
		if hidden[name] {
			continue
		}
		if i, ok := w.importOf(name); ok {
			list = append(list, i)
		}
	}
	for _, path := range w.dots {
		list = append(list, Import{Name: ".", Path: path})
	}
	return list
}

// importOf returns the import that a name before a dot denotes in the cell. For an automatic import
// it prefers a package that exports all members that the cell uses. A declaration of the session
// takes precedence over every import that is not stated in this cell. An automatic import may
// change its path in a later cell, for instance from math/rand to math/rand/v2; one that a cell has
// stated may not.
//
// The order of the rules answers what a reader of the cell expects. Something that the cell itself
// states comes first, then declarations, then what earlier cells have stated or used, and a guess
// is last.
func (w *work) importOf(name string) (Import, bool) {
	s := w.session
	if i, ok := w.imports[name]; ok {
		return i, true
	}
	if w.around[name] != nil {
		return Import{}, false
	}
	if w.survey.declared[name] || w.cell.Program && w.survey.variables[name] || s.current[name] != nil {
		return Import{}, false
	}
	inForce, known := s.imports[name]
	if known && (!s.guessed[name] || w.exportsAll(inForce, name)) {
		return Import{Name: name, Path: inForce}, true
	}
	if name == "unsafe" && refusal(s.packages) == nil {
		return Import{Name: name, Path: name, Added: true}, true
	}
	// A name that was guessed before may be that of another package here.
	paths := s.packages.PathsNamed(name)
	for _, path := range paths {
		if w.exportsAll(path, name) {
			return Import{Name: name, Path: path, Added: true}, true
		}
	}
	if known {
		return Import{Name: name, Path: inForce}, true
	}
	for _, path := range paths {
		if imported, err := s.packages.Import(path); err == nil && (isFamiliar(path) || w.nearlyExports(imported, name)) {
			return Import{Name: name, Path: path, Added: true}, true
		}
	}
	return Import{}, false
}

// isFamiliar reports whether an undefined name most likely means the package with a path even if
// the package lacks a member: a package of the standard library or of this program, and not one of
// the other preloaded modules.
//
// Other modules have common names such as message, which are more often undefined variables than
// packages.
func isFamiliar(path string) bool { return packages.IsStandard(path) || modulepath.Contains(path) }

// nearlyExports reports whether a package exports the members that the cell selects from a name, or
// names with a similar spelling. For instance, stat.Meen is a misspelling of a function of gonum,
// and message.Subject is not one of golang.org/x/text/message: the variable message is undefined.
func (w *work) nearlyExports(imported *types.Package, name string) bool {
	exported := exportedNames(imported)
	return !slices.ContainsFunc(w.membersOf(name), func(member string) bool {
		return !slices.Contains(exported, member) && nearest(member, exported) == ""
	})
}

// exportsAll reports whether a package exports all members that the cell selects from the given
// name. For instance, only math/rand/v2 has rand.NewPCG.
//
// A member that does not exist in any package would exclude all of them; importOf then falls back
// on the most likely one, whose error is the best to show.
func (w *work) exportsAll(path, name string) bool {
	imported, err := w.session.packages.Import(path)
	if err != nil {
		return false
	}
	for _, member := range w.membersOf(name) {
		if object := imported.Scope().Lookup(member); object == nil || !object.Exported() {
			return false
		}
	}
	return true
}

// membersOf returns the names that the cell selects from a name. The names are collected once for
// the cell, because importOf asks for several packages.
func (w *work) membersOf(name string) []string {
	if w.members == nil {
		w.members = map[string][]string{}
		for _, file := range []*ast.File{w.cell.Declarations, w.cell.Statements} {
			if file == nil {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if selector, ok := n.(*ast.SelectorExpr); ok {
					if base, ok := selector.X.(*ast.Ident); ok {
						w.members[base.Name] = append(w.members[base.Name], selector.Sel.Name)
					}
				}
				return true
			})
		}
	}
	return w.members[name]
}

// importDeclarations returns import declarations for a file, one for each name. Several
// declarations of one name in a file are an error, hence one for each. Dot imports are
// distinguished by their paths instead. For instance import ( fmt "fmt"; rand "math/rand/v2" ).
func importDeclarations(imports []Import) []ast.Decl {
	if len(imports) == 0 {
		return nil
	}
	group := &ast.GenDecl{Tok: token.IMPORT}
	seen := map[Import]bool{}
	for _, i := range imports {
		// Two imports of one name and path may differ in Added only.
		key := i
		key.Added = false
		if i.Name != "." {
			key.Path = ""
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		path := &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(i.Path)}
		group.Specs = append(group.Specs, &ast.ImportSpec{Name: ast.NewIdent(i.Name), Path: path})
	}
	return []ast.Decl{group}
}

// sortImports sorts imports by name and path and removes duplicates.
//
// The lists come from maps, whose order differs from run to run.
func sortImports(list []Import) []Import {
	sort.Slice(list, func(i, j int) bool {
		if list[i].Name != list[j].Name {
			return list[i].Name < list[j].Name
		}
		return list[i].Path < list[j].Path
	})
	kept := list[:0]
	for _, i := range list {
		if n := len(kept); n == 0 || kept[n-1].Name != i.Name || kept[n-1].Path != i.Path {
			kept = append(kept, i)
		}
	}
	return kept
}

// refusal returns an error if the packages of a session refuse package unsafe.
func refusal(packages Packages) error {
	if p, ok := packages.(interface{ RefusesUnsafe() error }); ok {
		return p.RefusesUnsafe()
	}
	return nil
}

// importer implements types.Importer for the packages of a session.
type importer struct{ packages Packages }

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, refusal(i.packages)
	}
	return i.packages.Import(path)
}
