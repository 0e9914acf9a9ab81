// Package program converts a notebook to an ordinary Go program.
//
// The cells are type-checked one after another, as in a session, and become functions of one
// package main. Their declarations become package-level declarations, variables of their statements
// become package variables, and the value of a last expression is printed. A redeclared name gets a
// number. A cell that cannot be expressed in one program is rejected with the reason.
//
// Read program.go, then cell.go (a cell), embed.go (its embedded files), text.go (its text with
// renamed identifiers), show.go (printing), names.go and types.go.
//
//	exported, err := program.Make(notebook, packages, os.DirFS("."))
//	os.WriteFile("main.go", exported.Source, 0o644)
package program

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	notebooks "gosphere/kernel/nbformat"
	"gosphere/runtime/check"
)

// An Exported is a notebook converted to a Go program.
type Exported struct {
	Source  []byte            // content of main.go
	Imports []string          // import paths, sorted
	Files   map[string]string // embedded files, by slash-separated names relative to main.go
}

// Packages provides the packages that cells may import.
type Packages interface {
	check.Packages
}

// A Loader is implemented by Packages that can fetch the modules of %require and load their
// packages.
type Loader interface {
	Load(requires, paths []string) error
}

// Make converts a notebook. Packages provides the type information of importable packages, and tree
// the files that cells embed. Cells tagged skip-execution are omitted. The error names the first
// cell that cannot be converted.
func Make(notebook *notebooks.Notebook, packages Packages, tree fs.FS) (*Exported, error) {
	w := &writer{packages: packages, tree: tree, files: map[string]string{}, checker: check.NewSession(packages), sources: map[string]string{}, names: newNames(notebook), emitted: map[string]string{}}
	for i, cell := range notebook.Cells {
		var err error
		switch {
		case cell.Type == notebooks.Markdown:
			w.comment(cell.Source)
		case cell.Type != notebooks.Code || strings.TrimSpace(cell.Source) == "":
		case cell.HasTag("skip-execution"):
			w.comment(fmt.Sprintf("Cell %d is left out: it is tagged skip-execution.", i+1))
		default:
			err = w.cell(i+1, cell)
		}
		if err != nil {
			return nil, fmt.Errorf("cell %d (id %s) cannot be exported: %w", i+1, cell.ID, err)
		}
	}
	return w.finish()
}

// A writer collects the parts of the program.
type writer struct {
	checker  *check.Session
	packages Packages
	tree     fs.FS             // files that cells embed
	files    map[string]string // those that have been embedded
	sources  map[string]string // source of cells without magics, by file name
	names    *names
	emitted  map[string]string // text of methods, by type and name

	body     bytes.Buffer    // declarations and functions of cells
	calls    []string        // calls of the cells, in main
	shown    [showForms]bool // functions that print values, by form
	rich     bool            // values are printed by package display
	bytes    bool            // byte slices are printed
	errors   bool            // errors are printed with the errors they wrap
	dynamic  bool            // values in interfaces are printed
	attempts bool            // a cell may panic
	comments string          // text cells, written before the next cell
}

// comment keeps a text for the next cell.
func (w *writer) comment(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		w.comments += strings.TrimRight("// "+line, " ") + "\n"
	}
	w.comments += "//\n"
}

// displayPath is the package that prints values which fmt prints differently from a notebook.
const displayPath = "gosphere/runtime/display"

// finish assembles the program.
func (w *writer) finish() (*Exported, error) {
	marks := w.writeShows()
	if w.attempts {
		fmt.Fprintf(&w.body, "// attempt runs a cell that may panic.\nfunc %s(cell func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n"+
			"\t\t\t%s.Fprintln(%s.Stderr, \"panic:\", r)\n\t\t}\n\t}()\n\tcell()\n}\n\n", w.names.attempt(), w.names.importName("fmt", "fmt"), w.names.importName("os", "os"))
	}
	w.body.WriteString(w.names.mustText())
	var text bytes.Buffer
	text.WriteString("// This program was exported from a notebook by gosphere: each cell is a function, in the order of the notebook.\n" +
		"// Figures are written to the folder that the environment variable GOSPHERE_FIGURES names.\npackage main\n\n")
	paths := append(w.names.paths(), w.withoutName()...)
	slices.Sort(paths)
	text.WriteString(w.names.importText(paths))
	fmt.Fprintf(&text, "func main() {\n\t%s\n}\n\n", strings.Join(w.calls, "\n\t"))
	text.WriteString(marks.Replace(w.body.String()))
	text.WriteString(w.comments)
	source, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the program has a syntax error, which is a defect of gosphere: %w", err)
	}
	return &Exported{Source: w.shortImports(source, paths), Imports: paths, Files: w.files}, nil
}

// withoutName returns the packages that a program imports for their effects: cells have them
// without an import.
func (w *writer) withoutName() (list []string) {
	imports := func(paths ...string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { _, ok := w.names.imports[path]; return ok })
	}
	add := func(path string) {
		if !imports(path) {
			list = append(list, path)
		}
	}
	const table, magic = "gosphere/runtime/table", "gosphere/runtime/magic"
	if imports(displayPath) && imports("gonum.org/v1/plot", "gonum.org/v1/gonum/mat") {
		add(displayPath + "/gonum")
	}
	if imports(table, magic) {
		add(table + "/parquet")
	}
	if imports(magic) || imports("database/sql") && bytes.Contains(w.body.Bytes(), []byte(`"sqlite"`)) {
		add("modernc.org/sqlite")
	}
	return list
}

// shortImports removes names of imports that equal the last element of the path, if that is the
// name of the package. The package of encoding/json/v2, for instance, is json.
func (w *writer) shortImports(source []byte, paths []string) []byte {
	for _, path := range paths {
		last := path[strings.LastIndexByte(path, '/')+1:]
		if p, err := w.packages.Import(path); err != nil || p.Name() != last {
			continue
		}
		source = bytes.Replace(source, []byte("\t"+last+" "+strconv.Quote(path)+"\n"), []byte("\t"+strconv.Quote(path)+"\n"), 1)
		source = bytes.Replace(source, []byte("\t"+last+strings.Repeat(" ", 1)+strconv.Quote(path)), []byte("\t"+strconv.Quote(path)), 1)
	}
	formatted, err := format.Source(source)
	if err != nil {
		return source
	}
	return formatted
}

// paths returns the import paths of the program, sorted.
func (n *names) paths() []string {
	var list []string
	for path := range n.imports {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}
