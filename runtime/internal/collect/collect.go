// Package collect converts the declarations in the cells of a notebook to a package, which other
// notebooks import.
//
// For instance, a notebook that declares Load in cell 1 and again in cell 4, and whose other cells
// have statements, becomes a package with the second Load.
//
// The package is checked and compiled like one from source files. The notebook's statements are not
// run, so importing it has no effects other than the initialization of the package.
package collect

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/internal/generic"
	"gosphere/runtime/internal/source"
)

// Compiled provides the packages that are compiled into the program.
type Compiled interface {
	// Import returns a package by its path.
	Import(path string) (*types.Package, error)
	// PathsNamed returns the paths of the packages with a name, the most likely one first.
	PathsNamed(name string) []string
}

// A collection is a notebook that becomes a package.
type collection struct {
	compiled Compiled
	name     string // name of the package
	shown    string // name of the file, for positions
	cells    []*collected
	declared map[string]*cellPart // by name, methods as T.M; the last declaration wins
	imports  []imports
	left     int // number of cells with statements, which are not run
}

// A collected is one cell of the notebook.
type collected struct {
	number int
	text   string
	parts  []*cellPart
}

// A cellPart is a declaration in the text of a cell, with the bytes that it takes there.
type cellPart struct {
	start, end int
	names      []string
	uses       selections
	must       bool // whether they may call the predeclared must
	dropped    bool // a later cell redeclares it
}

// An imports is one import of a cell.
type imports struct {
	cell       int
	name, path string // name is "" unless the import specifies one
}

// Package reads a notebook or a file of cells as a package. The note says how many cells have
// statements, which are not run. It is "" if there are none.
func Package(file string, compiled Compiled) (place source.Place, note string, err error) {
	texts, err := readCells(file)
	if err != nil {
		return source.Place{}, "", err
	}
	c := &collection{compiled: compiled, name: packageName(file), shown: filepath.Base(file), declared: map[string]*cellPart{}}
	// All cells are read before the first file is written, because a later cell may declare a name
	// again or have an import that an earlier one uses.
	for i, text := range texts {
		if err := c.add(i+1, text); err != nil {
			return source.Place{}, "", err
		}
	}
	if c.left > 0 {
		have := "have"
		if c.left == 1 {
			have = "has"
		}
		note = fmt.Sprintf("%s: imported are the declarations of its cells; statements, which %d of them %s, are not run", c.shown, c.left, have)
	}
	return source.Place{Dir: filepath.Dir(file), File: file, Local: true, Files: c.files()}, note, nil
}

// readCells returns the texts of the cells of a file. Cells without code, and those tagged
// skip-execution, have an empty text so that the others keep their numbers.
func readCells(file string) (texts []string, err error) {
	var notebook *nbformat.Notebook
	if strings.HasSuffix(file, ".ipynb") {
		if notebook, err = nbformat.ReadFile(file); err != nil {
			return nil, err
		}
	} else {
		data, err := userfile.ReadFile(file, userfile.Source)
		if err != nil {
			return nil, err
		}
		notebook, _ = nbformat.FromScript(string(data))
	}
	for _, c := range notebook.Cells {
		text := ""
		if c.Type == nbformat.Code && !c.HasTag("skip-execution") {
			text = magics.Blank(c.Source)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// notInNames matches characters that identifiers cannot contain.
var notInNames = lazyregexp.New(`[^A-Za-z0-9_]+`)

// packageName derives a valid package name from the name of a file. For instance, my-tools.ipynb
// becomes the package my_tools, and 01-sphere.ipynb the package n01_sphere.
func packageName(file string) string {
	base := filepath.Base(file)
	base, _, _ = strings.Cut(base, ".")
	name := notInNames.ReplaceAllString(base, "_")
	switch {
	case name == "" || name[0] >= '0' && name[0] <= '9': // a name such as 01-sphere.ipynb
		return "n" + name
	case name == "main" || name == "_" || token.IsKeyword(name):
		return name + "_"
	}
	return name
}

// add records the declarations and imports of a cell.
func (c *collection) add(number int, text string) error {
	in := &collected{number: number, text: text}
	c.cells = append(c.cells, in)
	// A cell of comments alone has no statements to be reported as not run.
	states := false
	for _, piece := range cell.Pieces(text) {
		code := text[piece.Start:piece.End]
		switch piece.Kind {
		case cell.PackageClause: // replaced by the name of the notebook's package
		case cell.Statement:
			states = true
		default:
			if err := c.declaration(in, piece, code); err != nil {
				return err
			}
		}
	}
	if states {
		c.left++
	}
	return nil
}

// declaration records one declaration, or the imports of one import declaration.
func (c *collection) declaration(in *collected, piece cell.Piece, code string) error {
	// The syntax is only surveyed here. The package is parsed again from the text of files, which
	// has the positions.
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("%s, cell %d: %w", c.shown, in.number, err)
	}
	if piece.Kind == cell.Import {
		for _, spec := range file.Imports {
			i := imports{cell: in.number}
			if i.path, err = strconv.Unquote(spec.Path.Value); err != nil {
				return err
			}
			if spec.Name != nil {
				i.name = spec.Name.Name
			}
			c.imports = append(c.imports, i)
		}
		return nil
	}
	p := &cellPart{start: piece.Start, end: piece.End, uses: selections{}}
	for _, d := range file.Decls {
		p.names = append(p.names, declaredNames(d)...)
	}
	// Any x.y may refer to a package x. If x is a variable, an import is at worst superfluous.
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == source.Must {
			p.must = true
		}
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				p.uses.add(x.Name, selector.Sel.Name)
			}
		}
		return true
	})
	// A later declaration replaces an earlier one, as it does when the cells run. One that declares
	// only some of the same names is kept and leads to a compile error.
	for _, name := range p.names {
		if before := c.declared[name]; before != nil && slices.Equal(before.names, p.names) {
			before.dropped = true
		}
		c.declared[name] = p
	}
	in.parts = append(in.parts, p)
	return nil
}

// declaredNames returns the names that a declaration adds to a package. It omits _ and init.
func declaredNames(d ast.Decl) (names []string) {
	add := func(name string) {
		if name != "_" && name != "init" {
			names = append(names, name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(source.FunctionName(d))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(id.Name)
				}
			}
		}
	}
	return names
}

// files returns a Go file for each cell. Everything but the declarations is replaced by spaces, so
// that positions stay the same.
//
// For instance, the second cell of tools.ipynb, n := 3 followed by func F() int { return 3 },
// becomes
//
//	package tools
//	//line tools.ipynb, cell 2:1:1
//
//	func F() int { return 3 }
func (c *collection) files() (list []source.File) {
	for _, in := range c.cells {
		kept := blanked(in.text)
		uses, any := selections{}, false
		for _, p := range in.parts {
			if p.dropped {
				continue
			}
			any = true
			copy(kept[p.start:p.end], in.text[p.start:p.end])
			for name, members := range p.uses {
				for member := range members {
					uses.add(name, member)
				}
			}
		}
		if !any {
			continue
		}
		name := fmt.Sprintf("%s, cell %d", c.shown, in.number)
		// The package clause and the imports are on a line of their own, and the line directive
		// makes the text after it line 1 of the cell.
		text := "package " + c.name + c.clauses(in.number, uses) + "\n//line " + name + ":1:1\n" + string(kept)
		list = append(list, source.File{Name: name, Text: text})
	}
	return append(list, c.must()...)
}

// must returns the file with the functions of must, if a declaration may call it and the
// notebook does not declare the name.
func (c *collection) must() []source.File {
	calls := slices.ContainsFunc(c.cells, func(in *collected) bool {
		return slices.ContainsFunc(in.parts, func(p *cellPart) bool { return p.must && !p.dropped })
	})
	if !calls || c.declared[source.Must] != nil {
		return nil
	}
	texts, _ := generic.Source(source.MustPath)
	for name, text := range texts {
		_, text, _ = strings.Cut(text, "\npackage "+source.Must+"\n")
		return []source.File{{Name: source.MustPath + "/" + name, Text: "package " + c.name + "\n" + text}}
	}
	return nil
}

// blanked returns text with every byte except line ends replaced by a space.
func blanked(text string) []byte {
	b := []byte(text)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return b
}

// clauses writes the imports that the declarations of a cell use. Imports of this and earlier cells
// take precedence over those of later cells, which take precedence over packages that cells know
// without an import. In a notebook an import is in force for all later cells, but each file of a
// package needs its own.
func (c *collection) clauses(number int, uses selections) string {
	chosen := map[string]imports{} // by the likely name of the package
	note := func(i imports, replace bool) {
		for _, name := range c.likely(i, uses) {
			if _, known := chosen[name]; !known || replace {
				chosen[name] = i
			}
		}
	}
	for _, i := range c.imports {
		if i.cell <= number {
			note(i, true)
		}
	}
	for _, i := range c.imports {
		note(i, false)
	}
	// Cells use packages such as fmt without an import.
	for name, members := range uses {
		if _, known := chosen[name]; known || c.declared[name] != nil {
			continue
		}
		if paths := c.compiled.PathsNamed(name); len(paths) > 0 {
			best := slices.IndexFunc(paths, func(path string) bool { return c.exportsAll(path, members) })
			chosen[name] = imports{path: paths[max(best, 0)]}
		}
	}
	var list []string
	for _, i := range chosen {
		clause := "; import " + i.name + " " + strconv.Quote(i.path)
		if !slices.Contains(list, clause) {
			list = append(list, clause)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

// exportsAll reports whether a compiled package exports all members. For instance, only
// math/rand/v2 has rand.IntN.
func (c *collection) exportsAll(path string, members map[string]bool) bool {
	p, err := c.compiled.Import(path)
	if err != nil {
		return false
	}
	for member := range members {
		if object := p.Scope().Lookup(member); object == nil || !object.Exported() {
			return false
		}
	}
	return true
}

// likely returns the used names that an import may provide. Without a name in the import it is the
// name of the compiled package, or a guess from the path, because a package from source is not
// loaded yet. A blank or dot import is needed in any case, so it is chosen under a key that is no
// name. For instance, gopkg.in/yaml.v3 may provide yaml if the cell uses that name.
func (c *collection) likely(i imports, uses selections) (names []string) {
	switch i.name {
	case "_", ".":
		return []string{i.name + i.path}
	case "":
	default:
		if uses[i.name] != nil {
			return []string{i.name}
		}
		return nil
	}
	last := path.Base(i.path)
	if uses[last] != nil {
		return []string{last}
	}
	for name := range uses {
		compiled := slices.Contains(c.compiled.PathsNamed(name), i.path) // as in math/rand/v2
		// As in go-yaml, gopkg.in/yaml.v3 or chi/v5.
		if compiled || strings.Contains(i.path, name) && strings.Contains(i.path, ".") {
			names = append(names, name)
		}
	}
	return names
}

// selections are the names that precede a dot, each with the names that follow it.
type selections map[string]map[string]bool

// add records the selector expression name.member.
func (s selections) add(name, member string) {
	if s[name] == nil {
		s[name] = map[string]bool{}
	}
	s[name][member] = true
}
