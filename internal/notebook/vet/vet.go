// Package vet reports what is wrong or doubtful in a notebook without running it: cells that do not
// compile, names that are used above their definition, results that depend on the order in which
// cells are run, errors that nothing reads, definitions and imports that nothing uses, and outputs
// that do not belong to the cells as they are.
//
// The findings follow from the types of all cells (package graph), from the stored execution counts
// and outputs, and from the warnings that a session prints for a single cell.
//
// Read vet.go (the rules), then cells.go (rules for one cell), fix.go and sarif.go.
//
//	for _, f := range vet.Notebook(notebook, packages, vet.Options{}) {
//		fmt.Println(f.Cell, f.Line, f.Rule, f.Message)
//	}
package vet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gosphere/internal/notebook/stamp"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/check"
	"gosphere/runtime/graph"
)

// A Rule is a kind of finding.
type Rule struct {
	Name string // such as defined-below
	Text string // what the rule finds, in one sentence
	Note bool   // whether its findings are notes, which do not make the exit status 1
}

// Rules are the kinds of findings, in the order in which a page lists them.
var Rules = []Rule{
	{"does-not-compile", "A cell does not compile in the order of the notebook.", false},
	{"defined-below", "A cell uses a name that only a cell below it defines.", false},
	{"unknown-magic", "A line begins with a magic that does not exist.", false},
	{"defined-twice", "Two cells define a function, type or constant of one name, or a variable of two types, and a cell between them uses it.", false},
	{"order", "A cell uses a variable that a cell below it changes: run again, it gives another result.", false},
	{"runs-once", "A cell changes a variable of an earlier cell in terms of its old value: run twice, it changes it twice.", true},
	{"ignored-error", "An error is neither read nor discarded by an assignment to _.", false},
	{"unused", "Nothing uses a variable, function, type or constant.", true},
	{"unused-import", "Nothing uses an import.", false},
	{"dead-cell", "A cell only defines what nothing uses.", true},
	{"not-locked", "A cell imports a module whose version the notebook does not store.", false},
	{"stored-order", "The stored outputs are of a run in another order, or some cells were not run.", false},
	{"old-output", "A stored output is older than the source of its cell, or of a cell on which it depends.", false},
	{"stored-error", "A stored output is an error, although the cell has no tag raises-exception.", false},
	{"suspicious", "The cell compiles but is most likely a mistake, as go vet reports it.", false},
}

// rule returns the rule with a name.
func rule(name string) Rule {
	return Rules[slices.IndexFunc(Rules, func(r Rule) bool { return r.Name == name })]
}

// A Finding is one finding in a notebook.
type Finding struct {
	Rule         Rule
	Cell         int    // number in the notebook, from 1, including text cells
	ID           string // of the cell
	Line, Column int    // in the cell, from 1; the column counts code points
	Message      string
	Hint         string // what to write instead; may be ""

	fix func(*nbformat.Notebook) // removes the cause; nil if that is not safe
}

// Fixable reports whether Fix can remove the cause.
func (f Finding) Fixable() bool { return f.fix != nil }

// text returns the message with its hint.
func (f Finding) text() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + " (" + f.Hint + ")"
}

// String returns the finding as a line without its file, such as
//
//	cell 3:1:5: order: x changes here: …
func (f Finding) String() string {
	return fmt.Sprintf("cell %d:%d:%d: %s: %s", f.Cell, f.Line, f.Column, f.Rule.Name, f.text())
}

// Options configure the rules.
type Options struct {
	// Locked reports whether the version of the package with an import path is determined without
	// the cells: it is compiled into the program, in the module of the notebook, or stored in the
	// metadata. If it is nil, all are.
	Locked func(path string) bool
	// Off are the names of rules that are not applied.
	Off []string
}

// Notebook returns the findings in a notebook, by cell and position. Packages are those that cells
// may import.
func Notebook(notebook *nbformat.Notebook, packages check.Packages, options Options) []Finding {
	v := &vetter{notebook: notebook, graph: graph.Build(notebook, packages), options: options}
	for _, c := range v.graph.Cells {
		v.errors(c)
		v.definitions(c)
		v.effects(c)
		v.imports(c)
		if c.Checked != nil {
			v.ignoredErrors(c)
			v.suspicious(c)
		}
	}
	v.unused()
	v.stored()
	v.findings = slices.DeleteFunc(v.findings, func(f Finding) bool {
		return slices.Contains(options.Off, f.Rule.Name) || ignores(notebook.Cells[f.Cell-1].Source, f.Rule.Name)
	})
	slices.SortStableFunc(v.findings, func(a, b Finding) int {
		return cmp.Or(a.Cell-b.Cell, a.Line-b.Line, a.Column-b.Column)
	})
	return v.findings
}

// ignores reports whether a cell has a comment of the form
//
//	//vet:ignore RULE, reason
//
// on a line of its own, which turns a rule off for the cell.
func ignores(source, name string) bool {
	for line := range strings.Lines(source) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "//vet:ignore "); ok {
			if ruled, _, _ := strings.Cut(text, ","); strings.TrimSpace(ruled) == name {
				return true
			}
		}
	}
	return false
}

// A vetter collects the findings of one notebook.
type vetter struct {
	notebook *nbformat.Notebook
	graph    *graph.Graph
	options  Options
	findings []Finding
}

// A spot is a place in a cell.
type spot struct {
	cell         *graph.Cell
	line, column int
}

// add adds a finding.
func (v *vetter) add(name string, at spot, message, hint string) *Finding {
	v.findings = append(v.findings, Finding{Rule: rule(name), Cell: at.cell.Number, ID: at.cell.ID, Line: at.line, Column: at.column, Message: message, Hint: hint})
	return &v.findings[len(v.findings)-1]
}

// errors reports why a cell does not compile. Cells that use names of a cell which does not compile
// are not reported.
func (v *vetter) errors(c *graph.Cell) {
	if v.source(c).HasTag("raises-exception") {
		return
	}
	for _, e := range c.Errors {
		name, undefined := strings.CutPrefix(e.Message, "undefined: ")
		switch {
		case strings.HasPrefix(e.Message, "unknown magic"):
			v.add("unknown-magic", spot{c, e.Line, e.Column}, e.Message, e.Hint)
		case undefined && v.brokenBefore(c, name):
		case undefined && v.definesBelow(c, name) != 0:
			v.add("defined-below", spot{c, e.Line, e.Column}, fmt.Sprintf("%s is used here and defined below, in cell %d", name, v.definesBelow(c, name)), "move the definition above this cell")
		default:
			v.add("does-not-compile", spot{c, e.Line, e.Column}, e.Message, e.Hint)
		}
	}
}

// brokenBefore reports whether an earlier cell that does not compile declares a name.
func (v *vetter) brokenBefore(c *graph.Cell, name string) bool {
	return slices.ContainsFunc(v.graph.Cells, func(other *graph.Cell) bool {
		return other.Number < c.Number && len(other.Errors) > 0 && slices.Contains(other.Declares, name)
	})
}

// definesBelow returns the number of the first cell below c that declares a name, or 0.
func (v *vetter) definesBelow(c *graph.Cell, name string) int {
	for _, other := range v.graph.Cells {
		if other.Number > c.Number && slices.Contains(other.Declares, name) {
			return other.Number
		}
	}
	return 0
}

// definitions reports names that an earlier cell has defined with another meaning, if a cell
// between them uses the earlier meaning. Names that each cell defines for itself, such as err, are
// not reported.
func (v *vetter) definitions(c *graph.Cell) {
	for _, n := range c.Defines {
		all := v.graph.Named(n.Text)
		i := slices.Index(all, n)
		if i <= 0 {
			continue
		}
		old := all[i-1]
		if old.Kind == check.Variable && n.Kind == check.Variable && old.Type == n.Type {
			if by := v.readerOf(old, c.Number); by != 0 {
				v.add("order", spot{c, n.Line, n.Column}, fmt.Sprintf("%s is defined again here (first in cell %d): cell %d, which uses it, gives another result when it is run again", n.Text, old.Cell, by), "use another name, or define it once")
			}
			continue
		}
		if by := v.readerOf(old, c.Number); by != 0 || old.Kind != check.Variable || n.Kind != check.Variable {
			message := fmt.Sprintf("%s %s is defined again here (first in cell %d)", n.KindName(), n.Text, old.Cell)
			if by != 0 {
				message += fmt.Sprintf(": cell %d, which uses it, has another meaning when it is run again", by)
			}
			v.add("defined-twice", spot{c, n.Line, n.Column}, message, "use another name, or keep one definition")
		}
	}
}

// readerOf returns the number of the first cell between the definition of a name and the cell with
// a number that reads the name, itself or in a function that it calls, or 0.
func (v *vetter) readerOf(n *graph.Name, before int) int {
	for _, c := range v.graph.Cells {
		if c.Number >= before {
			return 0
		}
		if c.Number > n.Cell && slices.ContainsFunc(c.Reads, func(e graph.Effect) bool { return e.Name == n && e.Certain }) {
			return c.Number
		}
	}
	return 0
}

// effects reports changes of variables that other cells use.
func (v *vetter) effects(c *graph.Cell) {
	for _, e := range c.Changes {
		if !e.Certain {
			continue
		}
		way := ""
		if e.Why != "" {
			way = " " + e.Why
		}
		if by := v.readerOf(e.Name, c.Number); by != 0 {
			v.add("order", spot{c, e.Line, e.Column}, fmt.Sprintf("%s changes here%s: cell %d above, which uses it, gives another result when it is run again", e.Name.Text, way, by), "change a copy with another name, or move the change above its uses")
			continue
		}
		if e.Updates {
			v.add("runs-once", spot{c, e.Line, e.Column}, fmt.Sprintf("%s of cell %d changes here%s in terms of its old value: when this cell is run twice, it changes twice", e.Name.Text, e.Name.Cell, way), "define the variable in this cell, or change a copy")
		}
	}
}

// unused reports names that nothing uses, and cells that define nothing else. Exported names are
// for other notebooks, and errors have a rule of their own.
func (v *vetter) unused() {
	mentioned := map[string]bool{} // in cells that do not compile, of which the uses are not known
	for _, c := range v.graph.Cells {
		if c.Checked == nil {
			for word := range strings.FieldsFuncSeq(c.Source, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
				mentioned[word] = true
			}
		}
	}
	for _, c := range v.graph.Cells {
		if c.Checked == nil {
			continue
		}
		var idle []*graph.Name
		for _, n := range c.Defines {
			if !n.Used && !mentioned[n.Text] && n.Kind != check.Method && n.Type != "error" && !isExported(n.Text) && n.Text != "main" && !hasParameters(v.source(c)) {
				idle = append(idle, n)
			}
		}
		if len(idle) > 0 && len(idle) == len(c.Defines) && onlyDefines(c) {
			names := make([]string, len(idle))
			for i, n := range idle {
				names[i] = n.Text
			}
			v.add("dead-cell", spot{c, 1, 1}, "this cell only defines "+strings.Join(names, ", ")+", which nothing uses", "remove the cell")
			continue
		}
		for _, n := range idle {
			v.add("unused", spot{c, n.Line, n.Column}, fmt.Sprintf("nothing uses the %s %s", n.KindName(), n.Text), "")
		}
	}
}

// isExported reports whether a name begins with an upper-case letter.
func isExported(name string) bool { return name != "" && strings.ToLower(name[:1]) != name[:1] }

// hasParameters reports whether a cell holds parameters of the notebook.
func hasParameters(c *nbformat.Cell) bool {
	return c.HasTag("parameters") || c.HasTag("injected-parameters")
}

// source returns the cell of the notebook.
func (v *vetter) source(c *graph.Cell) *nbformat.Cell { return v.notebook.Cells[c.Number-1] }

// stored reports outputs of a run in another order, and stored errors.
func (v *vetter) stored() {
	for _, number := range stamp.New(v.notebook, v.graph).Old() {
		c := v.graph.Cell(number)
		v.add("old-output", spot{c, 1, 1}, "the output is older than the source of this cell or of a cell on which it depends", "run the notebook with gosphere run --changed")
	}
	var ran, last int
	var first *graph.Cell
	var missing []*graph.Cell
	for _, c := range v.graph.Cells {
		source := v.source(c)
		for _, o := range source.Outputs {
			if o.Type == nbformat.ErrorOutput && !source.HasTag("raises-exception") {
				v.add("stored-error", spot{c, 1, 1}, fmt.Sprintf("the stored output is an error: %s: %s", o.Ename, o.Evalue), "run the notebook again")
				break
			}
		}
		switch count := source.ExecutionCount; {
		case count == 0:
			missing = append(missing, c)
		case count < last:
			if first == nil {
				first = c
			}
			ran++
		default:
			last = count
			ran++
		}
	}
	switch {
	case ran == 0:
	case first != nil:
		v.add("stored-order", spot{first, 1, 1}, "this cell was run before a cell above it: the stored outputs are of another order", "run the notebook from the top and save it")
	case len(missing) > 0:
		v.add("stored-order", spot{missing[0], 1, 1}, fmt.Sprintf("the notebook was stored with outputs, but %d of %d cells, this one first, were not run", len(missing), len(v.graph.Cells)), "run the notebook from the top and save it")
	}
}
