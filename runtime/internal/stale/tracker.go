// Package stale knows which cells of a session no longer show what a run from the top would show.
//
// A Tracker is told of each cell before and after it runs. It records what the cell reads, with the
// state of each name at that time, and what it writes (package graph), with a fingerprint of the
// new value (package fingerprint). A possible write, such as that of a slice that is passed to a
// function, counts if the fingerprint before the cell differs from that after it.
//
// The cells have an order: that of the client's document, or that of their first runs. The value of
// a name that a cell should have seen is that of the nearest cell above it that writes the name. A
// cell is stale if it has seen another one, or if that cell is stale. The comparison is by
// fingerprints, so a cell that runs again with the same result makes no other cell stale. Where a
// fingerprint does not cover the value, the cell is possibly stale.
//
// Read tracker.go (cells as they run), marks.go (which are stale), plan.go (what to run again) and
// picture.go (the graph as SVG).
package stale

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"gosphere/runtime/check"
	"gosphere/runtime/graph"
	"gosphere/runtime/internal/fingerprint"
)

// A Run is one run of a cell.
type Run struct {
	ID     string // of the client; "" if there is none
	Number int    // execution count
	Source string
}

// anonymous is the beginning of the IDs of cells for which the client has none.
const anonymous = "#"

// A write is the state that a run of a cell has given to a name.
type write struct {
	of      *graph.Cell // of the run; see graph.Cell.Needs
	cell    *cell
	print   fingerprint.Print
	symbol  *check.Symbol // of a variable
	certain bool          // whether the cell has written the name for certain
	on      extent
	degree  Degree // whether the value may be another one, of the last evaluation

	// parts are the fingerprints of the fields, and typ is the type that has them.
	parts []fingerprint.Part
	typ   reflect.Type
	// paths are the fields that the cell has written, if it has left the others as they were in
	// below: the write of the nearest cell above, of the last evaluation.
	paths []graph.Path
	below *write
}

// An extent says on what a value depends.
type extent int

const (
	onAll  extent = iota // all that the cell reads
	onSome               // the names that graph.Cell.Needs returns
	onText               // only the text of the cell
)

// A written is a write with its name.
type written struct {
	name int
	*write
}

// A read is a name that a run has used.
type read struct {
	name    int
	saw     *write // its state when the run began; nil if it had none
	certain bool
	why     string       // see graph.Effect
	held    bool         // only a function literal in a variable mentions it
	places  []string     // which the cell assigns to, if it reads nothing else of the variable
	paths   []graph.Path // that it reads; none for the whole
	left    bool         // whether only a part of it has been written, so that the rest is what it was
	degree  Degree       // of the last evaluation
}

// A cell is a cell of a session as it has run last.
type cell struct {
	Run
	reads  []read
	writes []written
	spared []written // names that the cell might have written
	failed bool      // it did not compile
	same   bool      // the last run has read and written the same as the one before

	state state // of the last evaluation
}

// A Tracker follows the cells of one session. Its methods may be called from any goroutine.
type Tracker struct {
	mu        sync.Mutex
	follower  *graph.Follower
	runs      int
	anonymous int     // number of cells without an ID of the client
	cells     []*cell // in order
	byID      map[string]*cell
	numbers   map[string]int // of names
	names     []string
	current   []*write // states of the names in the session
	base      []*write // states from cells that are forgotten
	end       []*write // states below the last cell, if all cells have run as in the order
	scratch   []*write
}

// maxCells bounds the number of cells that are followed. The first ones are forgotten.
const maxCells = 2000

// New returns a tracker of a session without declarations.
func New() *Tracker {
	t := &Tracker{follower: graph.NewFollower()}
	t.forget()
	return t
}

// Reset forgets all cells and names, as %reset does.
func (t *Tracker) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follower.Reset()
	t.forget()
}

func (t *Tracker) forget() {
	t.cells, t.byID, t.numbers = nil, map[string]*cell{}, map[string]int{}
	t.names, t.current, t.base, t.end = nil, nil, nil, nil
}

// number returns the number of a name.
func (t *Tracker) number(name string) int {
	n, ok := t.numbers[name]
	if !ok {
		n = len(t.names)
		t.numbers[name] = n
		t.names, t.current, t.base, t.end = append(t.names, name), append(t.current, nil), append(t.base, nil), append(t.end, nil)
	}
	return n
}

// A Running is a cell that is running.
type Running struct {
	tracker *Tracker
	run     Run
	graph   *graph.Cell
	reads   []read
	writes  []candidate
	vague   bool // it starts goroutines, which may write later
}

// A candidate is a name that a cell may write.
type candidate struct {
	name    int
	symbol  *check.Symbol // of a variable; nil for others
	certain bool
	print   fingerprint.Print // of the latest write before the cell, or of the text of a declaration
	on      extent
	partly  bool   // whether something of the old value may be left, so that the cell depends on it
	before  *write // the latest one before the cell
	by      string // see graph.Effect
	paths   []graph.Path
}

// Begin records what a cell that the session has committed reads and may write. No other cell may
// have begun since.
func (t *Tracker) Begin(run Run, checked *check.Checked) *Running {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs++
	g := t.follower.Add(t.runs, checked)
	r := &Running{tracker: t, run: run, graph: g}
	if len(g.Reads) > 0 {
		r.reads = make([]read, len(g.Reads))
	}
	for i, e := range g.Reads {
		n := t.number(e.Name.Text)
		r.reads[i] = read{name: n, saw: t.current[n], certain: e.Certain, why: e.Why, held: e.Held, places: e.Places, paths: e.Paths}
	}
	if n := len(g.Defines) + len(g.Changes); n > 0 {
		r.writes = make([]candidate, 0, n)
	}
	for _, n := range g.Defines {
		c := candidate{name: t.number(n.Text), symbol: n.Symbol(), certain: true}
		c.text(g, n)
		r.writes = append(r.writes, c)
	}
	for _, u := range g.Unknown {
		r.vague = r.vague || strings.HasSuffix(u.What, "starts a goroutine")
	}
	for _, e := range g.Changes {
		c := candidate{name: t.number(e.Name.Text), symbol: e.Name.Symbol(), certain: e.Certain}
		c.text(g, e.Name)
		c.partly, c.before, c.paths, c.by = !e.Whole, t.current[c.name], e.Paths, e.By
		if now := c.before; !c.certain && now != nil && now.symbol == c.symbol {
			c.print = now.print // no cell has changed the variable since
		}
		r.writes = append(r.writes, c)
	}
	return r
}

// text gives a function, type or constant, and a variable that holds a function literal, the
// fingerprint of the text.
func (c *candidate) text(g *graph.Cell, n *graph.Name) {
	hash, ok := g.Texts[n.Text]
	if ok || n.Kind != check.Variable {
		c.print, c.on = fingerprint.Print{Hash: hash, Exact: ok}, onText
	} else if g.Divided() {
		c.on = onSome
	}
}

// End records what the cell has written. value returns the variable of a symbol; it is nil if
// goroutines may be changing variables. failed reports that the statements have not reached their
// end, so that old values may be left. The result has the cells that have become stale.
func (r *Running) End(value func(*check.Symbol) (reflect.Value, bool), failed bool) Change {
	t := r.tracker
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(r.reads)+len(r.writes) == 0 && t.byID[r.run.ID] == nil {
		return Change{Marks: t.marks()} // it is like a text
	}
	c := t.enter(r.run)
	r.again(c)
	old, was := c.writes, c.reads
	c.same = !c.failed && !c.state.isNew && len(c.spared) == 0
	c.writes, c.spared, c.failed = make([]written, 0, len(r.writes)), nil, false
	var after fingerprint.Reader
	for _, simple := range []bool{true, false} { // large variables must not use up the bound
		for _, w := range r.writes {
			w.partly = w.partly || failed && w.before != nil
			if simple != isSimple(w.symbol) {
				continue
			}
			state := &write{cell: c, print: w.print, symbol: w.symbol, certain: w.certain && (!r.vague || w.on == onText), of: r.graph, on: w.on, paths: w.paths}
			if w.on != onText {
				state.look(value, &after)
				if !w.certain && !r.vague {
					if w.print.Equal(state.print) {
						c.spared = append(c.spared, written{w.name, state})
						continue // it was not written
					}
					state.certain = w.print.Exact && state.print.Exact
				}
				if r.vague {
					state.print.Exact, state.parts, state.paths = false, nil, nil
				}
			}
			r.depend(w, c, was)
			state = keep(old, w.name, state)
			c.same = c.same && slices.ContainsFunc(old, func(o written) bool { return o.write == state })
			c.writes = append(c.writes, written{w.name, state})
			t.current[w.name] = state
		}
	}
	c.reads = r.reads
	c.same = c.same && len(c.writes) == len(old) && len(c.spared) == 0 && len(c.reads) == len(was)
	for i := range c.reads {
		c.same = c.same && slices.ContainsFunc(was, func(o read) bool { return o.name == c.reads[i].name && o.saw == c.reads[i].saw })
	}
	return t.changed(c)
}

// look sets the fingerprints of the new value.
func (w *write) look(value func(*check.Symbol) (reflect.Value, bool), by *fingerprint.Reader) {
	w.print = fingerprint.Print{}
	if value == nil {
		return
	}
	if v, ok := value(w.symbol); ok {
		w.print, w.parts = by.Parts(v)
		w.typ = v.Type()
	}
}

// depend records that the cell has read a name that it has written in part: what it has left
// depends on what was there. was are the reads of its last run. If the cell has assigned to the
// same places once more, what was there is what was there before the last run.
func (r *Running) depend(w candidate, c *cell, was []read) {
	if !w.partly || w.on == onText || slices.ContainsFunc(r.reads, func(o read) bool { return o.name == w.name }) {
		return
	}
	now := read{name: w.name, saw: w.before, certain: true, left: true}
	by := slices.IndexFunc(r.reads, func(o read) bool { return len(o.places) > 0 && r.tracker.names[o.name] == w.by })
	before := slices.IndexFunc(was, func(o read) bool { return o.left && o.name == w.name })
	if by >= 0 && before >= 0 && now.saw != nil && now.saw.cell == c && r.reads[by].saw != nil && r.reads[by].saw.cell != c {
		now.saw = was[before].saw
	}
	r.reads = append(r.reads, now)
}

// keep returns the write of the earlier run if it has given the name the same value, so that the
// cells that have seen it need not be looked at. Otherwise it returns the new one.
func keep(old []written, name int, now *write) *write {
	for _, o := range old {
		if o.name == name && o.print.Equal(now.print) && (o.symbol == now.symbol || now.on == onText) {
			o.certain, o.of, o.on, o.paths = now.certain, now.of, now.on, now.paths
			return o.write
		}
	}
	return now
}

// again corrects the reads of a cell that has run before and whose own writes it has read, in order
// to assign to the same parts of the variables once more.
func (r *Running) again(c *cell) {
	for i := range r.reads {
		now := &r.reads[i]
		if len(now.places) == 0 || now.saw == nil || now.saw.cell != c {
			continue
		}
		for _, before := range c.reads {
			if before.name == now.name && len(before.places) > 0 && !slices.ContainsFunc(before.places, func(p string) bool { return !slices.Contains(now.places, p) }) {
				now.saw = before.saw
			}
		}
	}
}

// isSimple reports whether a variable is a number, a bool or a string, or no variable.
func isSimple(s *check.Symbol) bool {
	if s == nil || s.Object == nil {
		return true
	}
	_, basic := s.Object.Type().Underlying().(*types.Basic)
	return basic
}

// Failed records that a cell did not compile. It has changed nothing, and it may compile after any
// change of a name in its text.
func (t *Tracker) Failed(run Run) Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.enter(run)
	c.reads, c.writes, c.spared, c.failed, c.same = nil, nil, nil, true, false
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(run.Source, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if seen[word] || token.IsKeyword(word) || !token.IsIdentifier(word) || len(seen) > 1000 {
			continue
		}
		seen[word] = true
		n := t.number(word)
		c.reads = append(c.reads, read{name: n, saw: t.current[n]})
	}
	return t.changed(c)
}

// enter returns the cell of a run, which it adds below the others if it has not run before.
func (t *Tracker) enter(run Run) *cell {
	c := t.byID[run.ID]
	if c == nil {
		if run.ID == "" {
			t.anonymous++
			run.ID = anonymous + strconv.Itoa(t.anonymous)
		}
		c = &cell{}
		t.byID[run.ID] = c
		c.state.isNew = true
		t.cells = append(t.cells, c)
		if len(t.cells) > maxCells {
			t.drop(t.cells[0])
			t.cells = slices.Delete(t.cells, 0, 1)
		}
	}
	c.Run = run
	return c
}

// drop forgets a cell at the beginning of the order. What it has read is forgotten as well: its
// writes refer to it, and through the reads of each cell they would keep all cells before.
func (t *Tracker) drop(c *cell) {
	c.reads, c.spared = nil, nil
	delete(t.byID, c.ID)
	for _, w := range c.writes {
		w.below = nil
		t.base[w.name] = w.write
	}
}

// Order sets the order of the cells by their IDs. Cells with other IDs are removed, as by a client
// that has deleted them. Cells without an ID stay below the others.
func (t *Tracker) Order(ids []string) Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.cells
	t.cells = make([]*cell, 0, len(old))
	kept := map[*cell]bool{}
	for _, id := range ids {
		if c := t.byID[id]; c != nil && id != "" && !kept[c] {
			kept[c] = true
			t.cells = append(t.cells, c)
		}
	}
	for _, c := range old {
		switch {
		case kept[c]:
		case strings.HasPrefix(c.ID, anonymous):
			t.cells = append(t.cells, c)
		default:
			delete(t.byID, c.ID)
		}
	}
	return t.changed(nil)
}
