package program

import (
	"go/scanner"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"gosphere/internal/modulepath"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/check"
)

// names assigns a unique name to every package-level object of the program.
type names struct {
	mentioned map[string]bool          // all identifiers of the notebook
	taken     map[string]bool          // names in the program
	symbols   map[*check.Symbol]string // current name of a symbol
	imports   map[string]string        // local name by import path; "_" for imports for side effects
	musts     map[int]string           // names of functions for must, by their number of results
	attempts  string                   // name of the function that runs cells which may panic; "" until needed
}

func newNames(notebook *nbformat.Notebook) *names {
	n := &names{mentioned: map[string]bool{}, taken: map[string]bool{"main": true, "init": true, "_": true}, symbols: map[*check.Symbol]string{}, imports: map[string]string{}}
	for _, name := range types.Universe.Names() {
		n.taken[name] = true // another cell may refer to the predeclared name
	}
	for _, cell := range notebook.Cells {
		if cell.Type == nbformat.Code {
			n.mention(cell.Source)
		}
	}
	return n
}

// mention records the identifiers of a text.
func (n *names) mention(source string) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return
		}
		if kind == token.IDENT {
			n.mentioned[literal] = true
		}
	}
}

// fresh returns the name itself if it is free, else the name with a number that does not occur in
// the notebook.
func (n *names) fresh(name string) string {
	if !n.taken[name] {
		n.taken[name] = true
		return name
	}
	for i := 2; ; i++ {
		if numbered := name + "_" + strconv.Itoa(i); !n.taken[numbered] && !n.mentioned[numbered] {
			n.taken[numbered] = true
			return numbered
		}
	}
}

// own returns a name that does not occur in any cell.
func (n *names) own(name string) string {
	if n.mentioned[name] {
		n.taken[name] = true
	}
	return n.fresh(name)
}

// attempt returns the name of the function that runs cells which may panic, always the same.
func (n *names) attempt() string {
	if n.attempts == "" {
		n.attempts = n.own("attempt")
	}
	return n.attempts
}

// declare gives a symbol a new name. Text already written keeps the old one.
func (n *names) declare(symbol *check.Symbol) string {
	n.symbols[symbol] = n.fresh(symbol.Name)
	return n.symbols[symbol]
}

// importName returns the local name of a package.
func (n *names) importName(path, name string) string {
	if known := n.imports[path]; known != "" && known != "_" {
		return known
	}
	n.imports[path] = n.fresh(name)
	return n.imports[path]
}

// importApart returns the local name of a package that a cell imports with a dot. A new one does
// not occur in the notebook, so that no declaration hides it.
func (n *names) importApart(path, name string) string {
	if known := n.imports[path]; known == "" || known == "_" {
		n.imports[path] = n.own(name)
	}
	return n.imports[path]
}

// importForEffects imports a package for its side effects.
func (n *names) importForEffects(path string) {
	if n.imports[path] == "" {
		n.imports[path] = "_"
	}
}

// usesGosphere reports whether the program needs gosphere's module anyway.
func (n *names) usesGosphere() bool {
	for path := range n.imports {
		if modulepath.Contains(path) {
			return true
		}
	}
	return false
}

// usesModules reports whether the program imports packages outside the standard library.
func (n *names) usesModules() bool {
	for path := range n.imports {
		if first, _, _ := strings.Cut(path, "/"); modulepath.Contains(path) || strings.Contains(first, ".") {
			return true
		}
	}
	return false
}

// importText returns the import declaration, with the standard library first, or "" if nothing is
// imported.
func (n *names) importText(paths []string) string {
	var standard, others strings.Builder
	for _, path := range paths {
		group := &standard
		if first, _, _ := strings.Cut(path, "/"); modulepath.Contains(path) || strings.Contains(first, ".") {
			group = &others
		}
		name := n.imports[path]
		if name == "" { // imported for its effects
			name = "_"
		}
		group.WriteString("\t" + name + " " + strconv.Quote(path) + "\n")
	}
	if standard.Len() > 0 && others.Len() > 0 {
		standard.WriteString("\n")
	}
	if standard.Len()+others.Len() == 0 {
		return ""
	}
	return "import (\n" + standard.String() + others.String() + ")\n\n"
}
