// Package graph determines which cells of a notebook use what other cells define or change. It runs
// nothing: it type-checks the cells one after another, as a session would, and follows the uses of
// each name.
//
// A cell defines names, reads variables and changes variables. A change is certain if the cell
// assigns to the variable, to a field of it or to an element of it. It is possible if the cell
// gives something else the means to change it: a pointer, a slice or a map that is passed to a
// function, a method with a pointer receiver, or another variable that may refer to the same
// memory. The effects of functions of cells are those of their bodies; a cell that mentions a
// function has them.
//
// Effects that the types do not determine are not guessed: a cell with a call of a function value,
// or with a goroutine, has the reason in Cell.Unknown.
//
// Read graph.go (the result), build.go (the cells in order), effects.go (what syntax reads and
// changes), portion.go (fields of variables), alias.go (variables that share memory) and stale.go
// (which cells to run again).
//
//	g := graph.Build(notebook, packages)
//	for _, c := range g.Cells {
//		fmt.Println(c.Number, c.Defines, c.Reads, c.Changes)
//	}
package graph

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// A Graph is what the cells of a notebook define, use and change.
type Graph struct {
	Cells []*Cell // the code cells in order
}

// A Cell is one code cell.
type Cell struct {
	Number int // index in the notebook, from 1, including text cells
	ID     string
	Source string

	// Errors are the mistakes for which the cell does not compile. All that follows is then empty,
	// except Declares.
	Errors cell.Errors
	// Declares are the names that the cell declares according to its syntax.
	Declares []string

	Defines []*Name   // in the order of their positions
	Uses    []Use     // names of other cells that the text of the cell mentions, each once
	Reads   []Effect  // variables of other cells that its statements may read, also in functions
	Changes []Effect  // variables that its statements change, except those that it defines
	Unknown []Unknown // effects that the types do not determine
	Imports []Import  // packages that the cell states
	Reset   bool      // whether the cell consists of %reset
	Checked *check.Checked

	// Texts has hashes of the texts of functions, types and constants that the cell declares, and
	// of function literals that it assigns to variables. They do not depend on comments and white
	// space. Only a Follower sets it.
	Texts map[string]uint64

	builder *builder
	parts   []part
	needs   map[string]map[string]bool

	quick bool // whether positions and uses are left out
}

// A Name is one declaration of a name in one cell. A name that two cells declare is two Names.
type Name struct {
	Text     string // with the receiver for a method, such as Point.Norm
	Kind     check.Kind
	Cell     int // number of the declaring cell
	Line     int // of the declaration, from 1
	Column   int // in code points, from 1
	Type     string
	Used     bool // whether anything but its declaration mentions it
	Replaced int  // number of the cell that declares it again, or 0

	symbol *check.Symbol
}

// String returns the text.
func (n *Name) String() string { return n.Text }

// Symbol returns the declaration as the checker knows it.
func (n *Name) Symbol() *check.Symbol { return n.symbol }

// KindName returns the word for the kind of the name, such as variable.
func (n *Name) KindName() string {
	switch n.Kind {
	case check.Constant:
		return "constant"
	case check.Function:
		return "function"
	case check.Method:
		return "method"
	case check.Type:
		return "type"
	}
	return "variable"
}

// A Use is a name of an earlier cell that a cell mentions.
type Use struct {
	Name         *Name
	Line, Column int // of the first mention
}

// String returns the text of the name.
func (u Use) String() string { return u.Name.Text }

// An Effect is a variable that a cell reads or changes.
type Effect struct {
	Name    *Name
	Certain bool
	Updates bool // whether a change is in terms of the old value, as in x++
	Whole   bool // whether a change leaves nothing of the old value
	// Why says how the variable is reached, if that is not the cell's own text: through the
	// function f, or by a pointer that p holds. It is "" otherwise.
	Why string
	// By is the variable whose change possibly is a change of this one, which may refer to the same
	// memory; or "".
	By           string
	Line, Column int // in the cell, of what reads or changes it

	// Paths are the fields of the variable that are read or changed; empty for the whole variable. A
	// cell that changes a variable reads the whole of it, since it leaves the other fields as they
	// were.
	Paths []Path

	// The next two are set only by a Follower. Held reports that only a function literal which a
	// variable holds mentions the name: the variable itself matters, and its value does not.
	// Places are set if the cell reads the variable only in order to assign to these parts of it,
	// such as p.N.
	Held   bool
	Places []string
}

// String returns the name, with a question mark if the effect is only possible.
func (e Effect) String() string {
	if e.Certain {
		return e.Name.Text
	}
	return e.Name.Text + "?"
}

// An Unknown is an operation whose effects the types do not determine.
type Unknown struct {
	What         string // such as "calls the function value f"
	Line, Column int
}

// An Import is an import declaration of a cell.
type Import struct {
	Name, Path   string // Name is "" for the name of the package
	Used         bool   // whether this cell or a later one uses the package by this import
	Line, Column int
}

// Cell returns the cell with a number, or nil.
func (g *Graph) Cell(number int) *Cell {
	i := slices.IndexFunc(g.Cells, func(c *Cell) bool { return c.Number == number })
	if i < 0 {
		return nil
	}
	return g.Cells[i]
}

// Named returns the declarations of a name, in the order of their cells.
func (g *Graph) Named(text string) (list []*Name) {
	for _, c := range g.Cells {
		for _, n := range c.Defines {
			if n.Text == text {
				list = append(list, n)
			}
		}
	}
	return list
}

// String returns the graph as text, one line for each cell, for tests and for logs.
func (g *Graph) String() string {
	var b strings.Builder
	for _, c := range g.Cells {
		fmt.Fprintf(&b, "%d:", c.Number)
		write(&b, "defines", c.Defines)
		write(&b, "uses", c.Uses)
		write(&b, "reads", c.Reads)
		write(&b, "changes", c.Changes)
		for _, u := range c.Unknown {
			fmt.Fprintf(&b, " (%s)", u.What)
		}
		for _, e := range c.Errors {
			fmt.Fprintf(&b, " error %d:%d %s", e.Line, e.Column, e.Message)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// write writes a list with its title, unless it is empty.
func write[T fmt.Stringer](b *strings.Builder, title string, list []T) {
	for i, e := range list {
		if i == 0 {
			b.WriteString(" " + title)
		}
		b.WriteString(" " + e.String())
	}
}

// Place returns the line and column of a position in a cell that compiles.
func (c *Cell) Place(pos token.Pos) (line, column int) {
	if c.quick {
		return 0, 0
	}
	e := c.Checked.Cell.ErrorAt(c.Checked.Fset.Position(pos), "")
	return e.Line, e.Column
}
