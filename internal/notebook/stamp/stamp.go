// Package stamp finds the cells of a notebook whose outputs no longer belong to their source, and
// those that must run before them.
//
// When gosphere runs a notebook, it stores a stamp in the metadata of each code cell: a hash of the
// source, of the modules, and of the stamps of the cells on which the cell depends (package graph).
// A cell is current if its stamp is that of the notebook as it is. A cell that uses what is outside
// the session, such as files, processes or the network, depends on all such cells above it. What
// these read counts as unchanged.
//
//	p := stamp.New(notebook, graph.Build(notebook, packages))
//	err := run.Run(ctx, session, notebook, run.Options{Plan: …})
//	p.Stamp(…)
package stamp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
)

// A Notebook is the stamps of the code cells of a notebook.
type Notebook struct {
	notebook *nbformat.Notebook
	cells    []*cell
	byNumber map[int]*cell
}

// A cell is a code cell that runs.
type cell struct {
	*graph.Cell
	of      *nbformat.Cell
	needs   map[int]bool // numbers of the cells on which it depends directly
	outside bool         // it uses what is outside the session
	always  bool         // its stamp is never current
	stamp   string
}

// New returns the stamps of a notebook with a graph.
func New(notebook *nbformat.Notebook, g *graph.Graph) *Notebook {
	n := &Notebook{notebook: notebook, byNumber: map[int]*cell{}}
	base := modulesOf(notebook)
	defined := map[string][]int{} // cells that define or change a name, in order
	var outside []int
	for _, c := range g.Cells {
		x := &cell{Cell: c, of: notebook.Cells[c.Number-1], needs: map[int]bool{}}
		n.cells, n.byNumber[c.Number] = append(n.cells, x), x
		x.outside, x.always = uses(c), strings.Contains(c.Source, "//go:embed") || slices.ContainsFunc(c.Imports, local)
		for _, name := range namesOf(c) {
			for _, number := range defined[name] {
				x.needs[number] = true
			}
		}
		if seesAll(c.Source) {
			for _, above := range n.cells[:len(n.cells)-1] {
				x.needs[above.Number] = true
			}
		}
		if x.outside {
			for _, number := range outside {
				x.needs[number] = true
			}
			outside = append(outside, c.Number)
		}
		for _, d := range c.Defines {
			defined[d.Text] = append(defined[d.Text], c.Number)
		}
		for _, e := range c.Changes {
			defined[e.Name.Text] = append(defined[e.Name.Text], c.Number)
		}
		if c.Checked == nil {
			for _, name := range c.Declares {
				defined[name] = append(defined[name], c.Number)
			}
		}
		if c.Reset {
			defined, outside = map[string][]int{}, []int{c.Number}
		}
		n.seal(x, base)
	}
	return n
}

// modulesOf returns what the metadata of a notebook say of its modules.
func modulesOf(notebook *nbformat.Notebook) string {
	own, _ := notebook.Metadata["gosphere"].(map[string]any)
	own = maps.Clone(own)
	delete(own, "check") // tolerances
	text, err := json.Marshal(own)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// local reports whether an import is of a folder or a notebook beside the notebook, whose contents
// no stamp has.
func local(i graph.Import) bool {
	return strings.HasPrefix(i.Path, ".") || strings.HasSuffix(i.Path, ".ipynb")
}

// namesOf returns the names of other cells on which a cell depends. For a cell that does not
// compile, these are all words of its text.
func namesOf(c *graph.Cell) (list []string) {
	if c.Checked == nil {
		return strings.FieldsFunc(c.Source, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	for _, u := range c.Uses {
		list = append(list, u.Name.Text)
	}
	for _, e := range c.Reads {
		list = append(list, e.Name.Text)
	}
	for _, e := range c.Changes {
		list = append(list, e.Name.Text)
	}
	return list
}

// seal computes the stamp of a cell. Those of the cells above it are known.
func (n *Notebook) seal(x *cell, base string) {
	h := sha256.New()
	tags, _ := x.of.Metadata["tags"].([]any)
	fmt.Fprintln(h, base, len(x.Source), x.Source, tags)
	for _, number := range slices.Sorted(maps.Keys(x.needs)) {
		fmt.Fprintln(h, n.byNumber[number].stamp)
		x.always = x.always || n.byNumber[number].always
	}
	x.stamp = hex.EncodeToString(h.Sum(nil))[:32]
}

// stored returns the stamp in the metadata of a cell, or "".
func stored(c *nbformat.Cell) string {
	own, _ := c.Metadata["gosphere"].(map[string]any)
	text, _ := own["ran"].(string)
	return text
}

// current reports whether the outputs of a cell belong to the notebook as it is.
func (x *cell) current() bool { return !x.always && stored(x.of) == x.stamp }

// Doubtful reports whether a cell does not compile that has run without an error.
func (n *Notebook) Doubtful() bool {
	return slices.ContainsFunc(n.cells, func(x *cell) bool {
		return x.Checked == nil && x.of.ExecutionCount > 0 && !slices.ContainsFunc(x.of.Outputs, func(o nbformat.Output) bool { return o.Type == nbformat.ErrorOutput })
	})
}

// Old returns the numbers of the cells with a stored stamp whose outputs are older than the source
// of the cell or of a cell on which it depends.
func (n *Notebook) Old() (numbers []int) {
	for _, x := range n.cells {
		if !x.always && stored(x.of) != "" && !x.current() {
			numbers = append(numbers, x.Number)
		}
	}
	return numbers
}

// Plan returns for each code cell that would run in a whole run, by its number, whether it must run
// and whether it replaces its outputs.
func (n *Notebook) Plan() map[int]Step {
	plan := map[int]Step{}
	_, widgets := n.notebook.Metadata["widgets"] // their states are stored together
	for _, x := range slices.Backward(n.cells) {
		step := plan[x.Number]
		if widgets || !x.current() {
			step = Step{Run: true, Shows: true}
		}
		plan[x.Number] = step
		if !step.Run {
			continue
		}
		for number := range x.needs {
			needed := plan[number]
			needed.Run = true
			plan[number] = needed
		}
	}
	return plan
}

// Stale returns the number of cells whose outputs a plan replaces.
func Stale(plan map[int]Step) (count int) {
	for _, s := range plan {
		if s.Shows {
			count++
		}
	}
	return count
}

// A Step says what happens to a cell.
type Step struct {
	Run   bool // the cell runs
	Shows bool // its outputs replace the stored ones
}

// Stamp stores the stamps of the cells that have run; ran reports whether one has, by its number.
func (n *Notebook) Stamp(ran func(number int) bool) {
	for _, x := range n.cells {
		own, _ := x.of.Metadata["gosphere"].(map[string]any)
		own = maps.Clone(own)
		if delete(own, "ran"); ran(x.Number) && !x.always {
			if own == nil {
				own = map[string]any{}
			}
			own["ran"] = x.stamp
		}
		switch {
		case len(own) > 0:
			if x.of.Metadata == nil {
				x.of.Metadata = map[string]any{}
			}
			x.of.Metadata["gosphere"] = own
		case x.of.Metadata != nil:
			delete(x.of.Metadata, "gosphere")
		}
	}
}

// outsidePackages are packages whose functions use what is outside the session.
var outsidePackages = map[string]bool{
	"os": true, "os/exec": true, "os/signal": true, "syscall": true, "net": true, "net/http": true, "flag": true, "log": true, "log/slog": true,
	"math/rand": true, "math/rand/v2": true, "database/sql": true, "expvar": true, "runtime": true, "runtime/debug": true, "testing": true, "plugin": true,
	"gosphere/runtime/magic": true, "gosphere/runtime/widget": true, "gosphere/runtime/comm": true, "io": true, "bufio": true, "context": true,
}

// outsideWords begin the names of functions that use files or change a package, by the customs of
// Go.
var outsideWords = []string{"Save", "Write", "Create", "Mkdir", "Remove", "Rename", "Open", "Read", "Load", "Set", "Register", "Handle", "Serve", "Listen", "Dial", "Seed", "Download", "Store", "Close", "Flush"}

// uses reports whether a cell may use or change what is outside the session: by a magic, by a
// function of a compiled package, by assigning to a variable of one, or in a way that is not known.
func uses(c *graph.Cell) (found bool) {
	if c.Checked == nil || len(c.Unknown) > 0 || c.Reset {
		return true
	}
	for id, object := range c.Checked.Info.Uses {
		if object.Pkg() == nil || object.Pkg() == c.Checked.Package {
			continue
		}
		switch object := object.(type) {
		case *types.Func:
			found = found || outsidePackages[object.Pkg().Path()] || slices.ContainsFunc(outsideWords, func(w string) bool { return strings.HasPrefix(id.Name, w) })
		case *types.Var:
			found = found || !object.IsField()
		}
		if found {
			return true
		}
	}
	return hasMagic(c.Source)
}

// seesAll reports whether a cell has a magic whose output depends on all cells above it.
func seesAll(source string) bool {
	for line := range strings.Lines(source) {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "%vars", "%save", "%test", "%stale", "%flow", "%rerun":
			return true
		}
	}
	return false
}

// hasMagic reports whether a line of a cell may be a command.
func hasMagic(source string) bool {
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!") {
			return true
		}
	}
	return false
}
