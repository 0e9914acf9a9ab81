package stale

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosphere/runtime/graph"
	"gosphere/runtime/internal/fingerprint"
)

// A Degree says how sure it is that a cell is stale.
type Degree int

// The degrees, in ascending order.
const (
	Fresh    Degree = iota // the cell shows what a run from the top would show
	Possibly               // a value that it uses may differ
	Stale                  // a value that it uses differs
)

// A state is the result of an evaluation for one cell.
type state struct {
	degree  Degree
	reasons []Reason
	isNew   bool // whether the cell has not been evaluated yet
}

// A Reason is a name for which a cell is stale.
type Reason struct {
	Name string
	// By is the execution count of the cell whose value the cell should have used, or 0 if no cell
	// above it defines the name.
	By int
	// Pending reports whether that cell is stale itself.
	Pending bool
	// Saw is the execution count of the cell whose value it has used, or 0.
	Saw int
	// Own reports whether it has used the value that it has given itself in an earlier run.
	Own bool
	// Why says how the cell uses the name; see graph.Effect.
	Why string
}

// A Mark is a cell that is stale.
type Mark struct {
	Run
	Degree  Degree
	Reasons []Reason
}

// A Change is what the marks have become after a cell has run.
type Change struct {
	Marks []Mark // all cells that are stale, in order
	New   []Mark // those that were not stale before
}

// changed evaluates the cells after c has run, or after any change if c is nil.
func (t *Tracker) changed(c *cell) (change Change) {
	if c != nil && c.same {
		change.Marks = t.marks()
		return change
	}
	if c != nil && c.state.isNew && c == t.cells[len(t.cells)-1] {
		t.evaluate(c, t.end) // nothing above it changes
		if c.state.degree > Fresh {
			change.New = []Mark{t.mark(c)}
		}
		change.Marks = t.marks()
		return change
	}
	was := make([]Degree, len(t.cells))
	for i, other := range t.cells {
		was[i] = other.state.degree
	}
	t.evaluateAll()
	for i, other := range t.cells {
		if other.state.degree > Fresh && was[i] == Fresh {
			change.New = append(change.New, t.mark(other))
		}
	}
	change.Marks = t.marks()
	return change
}

// evaluateAll evaluates all cells in order.
func (t *Tracker) evaluateAll() {
	copy(t.end, t.base)
	for _, c := range t.cells {
		t.evaluate(c, t.end)
	}
}

// evaluate determines the state of a cell below others that provide the given states, and adds what
// the cell provides.
func (t *Tracker) evaluate(c *cell, provided []*write) {
	c.state = state{reasons: c.state.reasons[:0]}
	for i := range c.reads {
		r := &c.reads[i]
		p := provided[r.name]
		degree, pending := compare(r, p)
		r.degree = degree
		if degree == Fresh {
			continue
		}
		reason := Reason{Name: t.names[r.name], Pending: pending, Why: r.why}
		if p != nil {
			reason.By = p.cell.Number
		}
		if r.saw != nil {
			reason.Saw, reason.Own = r.saw.cell.Number, r.saw.cell == c
		}
		c.state.degree = max(c.state.degree, degree)
		c.state.reasons = append(c.state.reasons, reason)
	}
	for _, w := range c.writes {
		w.degree = t.degreeOf(c, w)
		if p := provided[w.name]; p != w.write {
			w.below = p
		}
		provided[w.name] = w.write
	}
	for _, w := range c.spared {
		// Run again, the cell may write it.
		if w.degree = min(t.degreeOf(c, w), Possibly); w.degree > Fresh {
			if p := provided[w.name]; p != nil {
				w.print = p.print
			}
			provided[w.name] = w.write
		}
	}
}

// degreeOf returns whether a value that the cell has written may be another one, since what it
// depends on is.
func (t *Tracker) degreeOf(c *cell, w written) (degree Degree) {
	switch {
	case w.on == onText, c.state.degree == Fresh:
		return Fresh
	case w.on == onAll:
		return c.state.degree
	}
	needs, known := w.of.Needs(t.names[w.name])
	if !known {
		return c.state.degree
	}
	for _, r := range c.reads {
		if r.degree > degree && needs[t.names[r.name]] {
			degree = r.degree
		}
	}
	return degree
}

// compare returns whether a read has seen another state than p. pending reports whether the reason
// is that the cell of p is stale.
func compare(r *read, p *write) (degree Degree, pending bool) {
	if r.held && p != nil && r.saw != nil && p.symbol == r.saw.symbol {
		return Fresh, false
	}
	if r.left && p == nil {
		return Fresh, false // a cell below defines it, and changes with this one
	}
	if inside := r.within(p); inside != p && r.saw != nil && r.equal(r.saw, inside) {
		p = inside // the cells between write other fields
	} else {
		degree = r.differs(p)
	}
	if degree == Fresh && p != nil && p.degree > Fresh {
		degree, pending = p.degree, true
	}
	if degree == Stale && !r.certain {
		degree = Possibly
	}
	return degree, pending
}

// within returns the write that has given the fields which a read uses their values: p or one below
// it, if p has only written other fields. It does not look below for fields that refer to other
// memory, which may be that of the others.
func (r *read) within(p *write) *write {
	for p != nil && p.below != nil && graph.Disjoint(r.paths, p.paths) && !slices.ContainsFunc(r.paths, func(path graph.Path) bool { return !path.Plain }) {
		p = p.below
	}
	return p
}

// differs returns whether the value of p is another one than the read has seen.
func (r *read) differs(p *write) Degree {
	switch {
	case r.saw == p:
		return Fresh
	case p == nil || r.saw == nil:
		return Stale
	case r.equal(r.saw, p):
		return Fresh
	case r.exact(p) && r.exact(r.saw):
		return Stale
	}
	return Possibly
}

// equal reports whether two writes have given what a read uses equal values for certain.
func (r *read) equal(a, b *write) bool {
	if len(r.paths) == 0 || a.typ == nil || a.typ != b.typ {
		return a.print.Equal(b.print)
	}
	return !slices.ContainsFunc(r.paths, func(path graph.Path) bool {
		p, q := a.part(path), b.part(path)
		return !p.Equal(q)
	})
}

// exact reports whether the fingerprints of what a read uses cover all of it.
func (r *read) exact(w *write) bool {
	return !slices.ContainsFunc(r.paths, func(path graph.Path) bool { return !w.part(path).Exact }) && (len(r.paths) > 0 || w.print.Exact)
}

// part returns the fingerprint of a field, or of the smallest part that has one and contains it.
func (w *write) part(path graph.Path) fingerprint.Print {
	for n := len(path.Fields); n > 0; n-- {
		for _, p := range w.parts {
			if p.Fields == path.Fields[:n] {
				return p.Print
			}
		}
	}
	return w.print
}

// marks returns the marks of all cells that are stale.
func (t *Tracker) marks() (list []Mark) {
	for _, c := range t.cells {
		if c.state.degree > Fresh {
			list = append(list, t.mark(c))
		}
	}
	return list
}

// mark returns the mark of a cell.
func (t *Tracker) mark(c *cell) Mark {
	return Mark{c.Run, c.state.degree, slices.Clone(c.state.reasons)}
}

// Marks returns the cells that are stale, in order.
func (t *Tracker) Marks() []Mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks()
}

// Later returns the cells that are not stale and have used a value that a cell below them has
// changed since: run again by itself, such a cell would show something else, but a run from the top
// would not.
func (t *Tracker) Later() (list []Mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.cells {
		if c.state.degree > Fresh || c.failed {
			continue
		}
		m := Mark{Run: c.Run}
		for _, r := range c.reads {
			now := t.current[r.name]
			if !r.certain || now == nil || now == r.saw || now.cell == c || r.saw == nil || r.equal(now, r.saw) || !now.certain {
				continue
			}
			m.Reasons = append(m.Reasons, Reason{Name: t.names[r.name], By: now.cell.Number, Saw: r.saw.cell.Number, Why: r.why})
		}
		if len(m.Reasons) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// Text returns a reason as part of a sentence about the cell.
func (r Reason) Text() string {
	var text string
	switch {
	case r.Pending:
		text = fmt.Sprintf("%s is of %s, which is stale", r.Name, cellName(r.By))
	case r.By == 0:
		text = fmt.Sprintf("no cell above defines %s", r.Name)
	case r.Saw == 0:
		text = fmt.Sprintf("%s defines %s", cellName(r.By), r.Name)
	case r.Own:
		text = fmt.Sprintf("it used the %s that it had changed before, which is not the one of %s above it", r.Name, cellName(r.By))
	case r.Saw > r.By:
		text = fmt.Sprintf("it used the %s of %s, which is not the one of %s above it", r.Name, cellName(r.Saw), cellName(r.By))
	default:
		text = fmt.Sprintf("%s changed %s", cellName(r.By), r.Name)
	}
	if r.Why != "" {
		text += ", used " + r.Why
	}
	return text
}

// cellName returns the name of a cell by its execution count.
func cellName(number int) string { return fmt.Sprintf("[%d]", number) }

// Title returns the first line of a cell that says something, abridged.
func (r Run) Title() string {
	for line := range strings.Lines(r.Source) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "//") {
			return short(line)
		}
	}
	return short(strings.TrimSpace(r.Source))
}

// short cuts a line to 60 characters.
func short(line string) string {
	line, _, _ = strings.Cut(line, "\n")
	if r := []rune(line); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return line
}

// Names lists cells by their execution counts, such as "[3], [4] and possibly [7]".
func Names(list []Mark) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Mark) int { return cmp.Compare(b.Degree, a.Degree) })
	var b strings.Builder
	for i, m := range list {
		last := i == len(list)-1
		switch {
		case i == 0:
		case last:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		if m.Degree == Possibly && (i == 0 || list[i-1].Degree != Possibly) {
			b.WriteString("possibly ")
		}
		b.WriteString(cellName(m.Number))
	}
	return b.String()
}
