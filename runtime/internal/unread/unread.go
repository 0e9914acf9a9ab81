// Package unread finds error variables that a cell sets and that nothing reads.
//
// Go rejects a variable that a function sets and never uses. Cells are exempt, since a later cell
// may use the variable, so x, err := f() would hide every failure of f. The session therefore looks
// at such a variable when its statement has run.
//
// The analysis follows the order of the text. A write counts if a call or a channel has produced
// the error; what errors.New and functions of such names return is not a failure. A read is any use
// of the variable that may come after the write: in a later statement, in a loop around the write,
// in a function literal of the cell, or in a function that a later statement mentions. A call of a
// function value may read all variables that function literals or functions of any cell mention. A
// use counts even if its statement does not run. Some unread errors are therefore not found, among
// them those that declared functions store in variables of the session.
package unread

import (
	"go/ast"
	"go/types"
	"slices"

	"gosphere/runtime/check"
)

// A Write sets an error variable that no later part of the cell reads before it is set again.
type Write struct {
	Statement ast.Stmt   // at the top level of the cell
	Variable  *types.Var // as the statements of the cell know it
	Symbol    *check.Symbol
	Line      int // in the cell, of the assignment

	// Replaced reports whether the cell sets the variable again, so that a later cell cannot read
	// the error.
	Replaced bool

	nested bool // whether it may not run
}

// A Finder examines the cells of a session, one after another.
type Finder struct {
	// captured are the variables that function literals mention or whose address has been taken.
	captured map[*check.Symbol]bool
}

// A Found is what a cell does with error variables.
type Found struct {
	Writes []Write         // that nothing in the cell reads
	Read   []*check.Symbol // of the open variables, those that the cell reads before it sets them
	Lost   []*check.Symbol // those that the cell sets before it reads them
}

// Find examines a checked cell that the session has not committed. The open variables are those
// that hold unread errors of earlier cells.
func (f *Finder) Find(c *check.Checked, open []*check.Symbol) Found {
	if c.Body == nil || c.Cell == nil || c.Cell.Program { // the rules of Go apply to a program
		return Found{}
	}
	s := newScan(c)
	for symbol := range s.literal {
		if f.captured == nil {
			f.captured = map[*check.Symbol]bool{}
		}
		f.captured[symbol] = true
	}
	if len(open) == 0 && !slices.ContainsFunc(s.events, func(e event) bool { return e.counts }) {
		return Found{}
	}
	w := &walk{finder: f, scan: s, open: slices.Clone(open)}
	for _, e := range s.events {
		w.step(e)
	}
	for symbol := range s.literal { // a literal may run at any time
		w.read(symbol)
		w.Writes = slices.DeleteFunc(w.Writes, func(w Write) bool { return w.Symbol == symbol })
	}
	return w.Found
}

// A walk goes through the events of a cell.
type walk struct {
	finder *Finder
	scan   *scan
	open   []*check.Symbol // variables that have been neither read nor set
	Found
}

func (w *walk) step(e event) {
	switch {
	case e.write != nil:
		w.write(e)
	case e.symbol != nil && e.symbol.Kind == check.Variable:
		w.read(e.symbol)
	default:
		for _, symbol := range w.candidates() {
			if w.mayRead(e.symbol, symbol) {
				w.read(symbol)
			}
		}
	}
}

// write notes that a variable is set.
func (w *walk) write(e event) {
	if !e.write.nested {
		for i := range w.Writes {
			w.Writes[i].Replaced = w.Writes[i].Replaced || w.Writes[i].Symbol == e.symbol
		}
		w.take(e.symbol, &w.Lost)
	}
	if e.counts {
		// Only the last value that a statement stores can be seen after it.
		w.Writes = slices.DeleteFunc(w.Writes, func(old Write) bool { return old.Symbol == e.symbol && old.Statement == e.write.Statement })
		w.Writes = append(w.Writes, *e.write)
	}
}

// read notes that a variable is read.
func (w *walk) read(symbol *check.Symbol) {
	w.Writes = slices.DeleteFunc(w.Writes, func(w Write) bool { return w.Symbol == symbol && !w.Replaced })
	w.take(symbol, &w.Read)
}

// take moves a variable from the open ones to a list.
func (w *walk) take(symbol *check.Symbol, to *[]*check.Symbol) {
	if i := slices.Index(w.open, symbol); i >= 0 {
		w.open = slices.Delete(w.open, i, i+1)
		*to = append(*to, symbol)
	}
}

// candidates are the variables whose reads matter.
func (w *walk) candidates() []*check.Symbol {
	list := slices.Clone(w.open)
	for _, write := range w.Writes {
		if !write.Replaced {
			list = append(list, write.Symbol)
		}
	}
	return list
}

// mayRead reports whether a function may read a variable. The function is nil if it is not known.
func (w *walk) mayRead(function, variable *check.Symbol) bool {
	if function != nil {
		return w.scan.checked.Reaches(function, variable)
	}
	return w.finder.captured[variable] || w.scan.checked.UsedByFunctions(variable)
}
