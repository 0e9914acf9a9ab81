package program

import (
	"go/scanner"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"gosphere/internal/notebook/format"
	"gosphere/internal/runtime/check"
)

// names gives every package-level thing of the program a name of its own.
type names struct {
	mentioned map[string]bool          // every identifier of the notebook
	taken     map[string]bool          // names of the program
	symbols   map[*check.Symbol]string // the present name of a symbol
	imports   map[string]string        // local name by import path; "_" for its effects only
	attempts  string                   // the name of the function that runs cells which may panic; "" before it is needed
}

func newNames(notebook *format.Notebook) *names {
	n := &names{mentioned: map[string]bool{}, taken: map[string]bool{"main": true, "init": true, "_": true}, symbols: map[*check.Symbol]string{}, imports: map[string]string{}}
	for _, name := range types.Universe.Names() {
		n.taken[name] = true // another cell may mean the predeclared one
	}
	for _, cell := range notebook.Cells {
		if cell.Type == format.Code {
			n.mention(cell.Source)
		}
	}
	return n
}

// mention notes the identifiers of a text.
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

// fresh returns the name itself if it is free, and else one with a number that nothing in the notebook mentions.
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

// own returns a name that no cell mentions.
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

// declare gives a symbol a new name; earlier text keeps the old one.
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

// importApart returns the local name of a package that a cell imports with a dot: where it is new, one that nothing in the notebook
// hides, for its cells do not expect any.
func (n *names) importApart(path, name string) string {
	if known := n.imports[path]; known == "" || known == "_" {
		n.imports[path] = n.own(name)
	}
	return n.imports[path]
}

// importForEffects imports a package that nothing names.
func (n *names) importForEffects(path string) {
	if n.imports[path] == "" {
		n.imports[path] = "_"
	}
}

// usesGosphere reports whether the program needs gosphere's module anyway.
func (n *names) usesGosphere() bool {
	for path := range n.imports {
		if strings.HasPrefix(path, "gosphere/") {
			return true
		}
	}
	return false
}

// usesModules reports whether the program imports more than the standard library.
func (n *names) usesModules() bool {
	for path := range n.imports {
		if first, _, _ := strings.Cut(path, "/"); first == own || strings.Contains(first, ".") {
			return true
		}
	}
	return false
}

// importText writes the import declaration, the standard library first; "" where nothing is imported.
func (n *names) importText(paths []string) string {
	var standard, others strings.Builder
	for _, path := range paths {
		group := &standard
		if first, _, _ := strings.Cut(path, "/"); first == own || strings.Contains(first, ".") {
			group = &others
		}
		group.WriteString("\t" + n.imports[path] + " " + strconv.Quote(path) + "\n")
	}
	if standard.Len() > 0 && others.Len() > 0 {
		standard.WriteString("\n")
	}
	if standard.Len()+others.Len() == 0 {
		return ""
	}
	return "import (\n" + standard.String() + others.String() + ")\n\n"
}
