// Package program makes an ordinary Go program of a notebook.
//
// The cells are type-checked one after another as a session does, and written down as functions of one package main: what they
// declare becomes package-level declarations, variables of their statements become package variables, and the value of a last
// expression is printed. A name that is declared again as something else gets a number. What cannot be said in one program is
// refused with the cell and the reason.
//
// Read program.go, then cell.go (one cell), text.go (its text with other names), show.go (what is printed), names.go and types.go.
//
//	exported, err := program.Make(notebook, packages)
//	os.WriteFile("main.go", exported.Source, 0o644)
package program

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"

	notebooks "gosphere/internal/notebook/format"
	"gosphere/internal/runtime/check"
)

// An Exported is a notebook as a Go program.
type Exported struct {
	Source  []byte   // the text of main.go
	Imports []string // import paths, sorted
}

// Packages are what cells may import.
type Packages interface {
	check.Packages
}

// A Loader is implemented by Packages that fetch modules, which %require names, and load packages of them.
type Loader interface {
	Load(requires, paths []string) error
}

// Make exports a notebook. Packages give the type information of what its cells may import. Cells tagged skip-execution are
// left out. The error names the first cell that no program can hold.
func Make(notebook *notebooks.Notebook, packages Packages) (*Exported, error) {
	w := &writer{packages: packages, checker: check.NewSession(packages), sources: map[string]string{}, names: newNames(notebook), emitted: map[string]string{}}
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
	sources  map[string]string // texts of the cells without magics, by the names of their files
	names    *names
	emitted  map[string]string // texts of methods, by type and name

	body     bytes.Buffer    // declarations and functions of cells
	calls    []string        // of the cells, in main
	shown    [showForms]bool // the functions that print values, by form
	rich     bool            // by package display
	bytes    bool            // slices of bytes too
	errors   bool            // errors with what they wrap
	dynamic  bool            // what interface values hold too
	attempts bool            // a cell may panic
	comments string          // of text cells, before the next cell
}

// comment keeps a text for the next cell.
func (w *writer) comment(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		w.comments += strings.TrimRight("// "+line, " ") + "\n"
	}
	w.comments += "//\n"
}

// displayPath is the package that prints values which fmt does not print as a notebook shows them.
const displayPath = "gosphere/runtime/display"

// finish puts the parts together.
func (w *writer) finish() (*Exported, error) {
	marks := w.writeShows()
	if w.attempts {
		fmt.Fprintf(&w.body, "// attempt runs a cell that may panic.\nfunc %s(cell func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n"+
			"\t\t\t%s.Fprintln(%s.Stderr, \"panic:\", r)\n\t\t}\n\t}()\n\tcell()\n}\n\n", w.names.attempt(), w.names.importName("fmt", "fmt"), w.names.importName("os", "os"))
	}
	var text bytes.Buffer
	text.WriteString("// This program was exported from a notebook by gosphere: each cell is a function, in the order of the notebook.\n" +
		"// Figures are written to the folder that the environment variable GOSPHERE_FIGURES names.\npackage main\n\n")
	paths := w.names.paths()
	text.WriteString(w.names.importText(paths))
	fmt.Fprintf(&text, "func main() {\n\t%s\n}\n\n", strings.Join(w.calls, "\n\t"))
	text.WriteString(marks.Replace(w.body.String()))
	text.WriteString(w.comments)
	source, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the program has a syntax error, which is a defect of gosphere: %w", err)
	}
	return &Exported{Source: shortImports(source, paths), Imports: paths}, nil
}

// shortImports leaves names of imports out that the paths end in anyway.
func shortImports(source []byte, paths []string) []byte {
	for _, path := range paths {
		last := path[strings.LastIndexByte(path, '/')+1:]
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
