//go:build !race

package stale_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/scribe"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// notebooks is the number of random notebooks of TestMarksAreThoseOfARunFromTheTop.
var notebooks = flag.Int("notebooks", 25, "number of random notebooks that are edited and run again")

// A client runs cells as a notebook with the marks of stale cells does.
type client struct {
	t       *testing.T
	s       *session.Session
	wrote   map[string]map[string]string // by edited cell, what it has written
	outputs map[string]string            // by cell
	marks   map[string]mark
	plan    []string
}

// A mark is what the session says of a stale cell.
type mark struct {
	ID       string
	Possibly bool
	Why      []string
}

// newClient returns a client of a new session that has told the order of its cells.
func newClient(t *testing.T, ids []string) *client {
	s, err := session.New(sessiontest.Options())
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, s: s, outputs: map[string]string{}, wrote: map[string]map[string]string{}}
	l := session.NewLanguage(s, "")
	data, _ := json.Marshal(map[string]any{"order": ids})
	l.Comms.TakeOpen(protocol.CommOpen{CommID: "c", TargetName: "gosphere.cells", Data: data}, c.take)
	if c.marks == nil {
		t.Fatal("the session does not answer")
	}
	return c
}

// take receives the messages of the session about its cells.
func (c *client) take(content protocol.Content) {
	m, ok := content.(protocol.CommMsg)
	if !ok {
		return
	}
	var state struct {
		Stale []mark
		Plan  []string
	}
	if err := json.Unmarshal(m.Data, &state); err != nil {
		c.t.Fatal(err)
	}
	c.marks, c.plan = map[string]mark{}, state.Plan
	for _, m := range state.Stale {
		c.marks[m.ID] = m
	}
}

// run runs a cell and stores its output.
func (c *client) run(id, source string) {
	var text strings.Builder
	reply := c.s.Execute(context.Background(), protocol.ExecuteRequest{Code: source, StoreHistory: true, Cell: id}, func(content protocol.Content) {
		switch content := content.(type) {
		case protocol.Stream:
			if content.Name == "stdout" {
				text.WriteString(content.Text)
			}
		case protocol.ExecuteResult:
			fmt.Fprint(&text, content.Data["text/plain"])
		case protocol.CommMsg:
			c.take(content)
		}
	})
	c.outputs[id] = text.String() + reply.Evalue
}

// values returns the values of expressions, or the errors of those that have none.
func (c *client) values(expressions []string) map[string]string {
	all := map[string]string{}
	for _, e := range expressions {
		data, reply := c.s.Evaluate(context.Background(), "fmt.Sprint("+e+")", 0, func(protocol.Content) {})
		all[e] = fmt.Sprint(data["text/plain"], reply.Evalue)
	}
	return all
}

// A trace is what the cells of a notebook print in a run from the top, and the values of all
// variables after each.
type trace struct {
	outputs map[string]string
	values  []map[string]string
}

// fromTheTop runs cells in order in a session and returns what they print and change.
func (c *client) fromTheTop(ids, cells, expressions []string) trace {
	var all trace
	for i, source := range cells {
		c.run(ids[i], source)
		all.values = append(all.values, c.values(expressions))
	}
	all.outputs = map[string]string{}
	for id, text := range c.outputs {
		all.outputs[id] = text
	}
	return all
}

// differs reports whether cell i prints or writes something else in another run.
func (a trace) differs(b trace, i int, id string) bool {
	if a.outputs[id] != b.outputs[id] {
		return true
	}
	for e, after := range a.values[i] {
		other := b.values[i][e]
		if i > 0 && a.values[i-1][e] == after && b.values[i-1][e] == other {
			continue // the cell does not write it
		}
		if after != other {
			return true
		}
	}
	return false
}

// counts are the results of comparisons with runs from the top.
type counts struct{ cells, differing, marked, possibly, falsely, falselyPossibly int }

func (n counts) String() string {
	return fmt.Sprintf("%d cells, of which %d would change; %d marked, %d of them falsely; %d marked possibly, %d of them falsely; %.1f %% of the cells that would not change are marked",
		n.cells, n.differing, n.marked, n.falsely, n.possibly, n.falselyPossibly, 100*n.falseShare())
}

// falseShare returns the share of marks among the cells that would not change.
func (n counts) falseShare() float64 {
	return float64(n.falsely+n.falselyPossibly) / float64(max(n.cells-n.differing, 1))
}

// compare compares the marks of a session with a run of the same cells from the top.
func (c *client) compare(ids, cells []string, before, after trace, n *counts) {
	c.t.Helper()
	for i, id := range ids {
		n.cells++
		m, marked := c.marks[id]
		shown := c.outputs[id] != after.outputs[id]
		changes := shown || before.differs(after, i, id)
		if wrote := c.wrote[id]; wrote != nil {
			changes = shown
			for e, value := range wrote {
				changes = changes || after.values[i][e] != value
			}
		}
		switch {
		case shown && !marked:
			c.t.Fatalf("cell %s shows %q, would show %q from the top, and is not marked\n%s", id, c.outputs[id], after.outputs[id], numbered(ids, cells, c.marks))
		case marked && m.Possibly:
			n.possibly++
			if !changes {
				n.falselyPossibly++
			}
		case marked:
			n.marked++
			if !changes {
				n.falsely++
			}
		}
		if changes {
			n.differing++
		}
	}
}

// numbered returns the cells with their marks.
func numbered(ids, cells []string, marks map[string]mark) string {
	var b strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&b, "--- %s %v\n%s\n", id, marks[id].Why, cells[i])
	}
	return b.String()
}

// TestMarksAreThoseOfARunFromTheTop runs random notebooks, edits cells, runs only these, and
// compares the marks with a run of all cells from the top. Each cell that shows something else must
// be marked. Marks of cells that would neither show nor write anything else are counted; they may
// be at most 5 % of these cells. Then it runs the plans of the session until no cell is stale: all
// cells must show what the run from the top shows.
func TestMarksAreThoseOfARunFromTheTop(t *testing.T) {
	var n counts
	for seed := range *notebooks {
		w := scribe.New(uint64(seed) + 1000)
		ids, cells := []string{"setup"}, []string{scribe.Setup}
		for i := range 12 {
			ids, cells = append(ids, fmt.Sprint("c", i+1)), append(cells, w.Cell())
		}
		c := newClient(t, ids)
		before := c.fromTheTop(ids, cells, w.Values())
		if len(c.marks) > 0 {
			t.Fatalf("seed %d: stale after a run from the top: %v\n%s", seed, c.marks, numbered(ids, cells, c.marks))
		}
		for range 1 + w.IntN(2) {
			i := 1 + w.IntN(len(cells)-1)
			if text, ok := w.Edit(cells[i]); ok {
				cells[i] = text
				was := c.values(w.Values())
				c.run(ids[i], text)
				c.wrote[ids[i]] = c.values(w.Values())
				for e, value := range was {
					if c.wrote[ids[i]][e] == value && before.values[i][e] != value {
						delete(c.wrote[ids[i]], e) // another cell has written it
					}
				}
			}
		}
		fresh := newClient(t, ids)
		after := fresh.fromTheTop(ids, cells, w.Values())
		fresh.s.Close()
		c.compare(ids, cells, before, after, &n)
		c.runPlans(cells, ids)
		for _, id := range ids {
			if c.outputs[id] != after.outputs[id] {
				t.Fatalf("seed %d: after all plans cell %s shows %q, want %q\n%s", seed, id, c.outputs[id], after.outputs[id], numbered(ids, cells, c.marks))
			}
		}
		for e, want := range after.values[len(ids)-1] {
			if got := c.values([]string{e})[e]; got != want {
				t.Fatalf("seed %d: after all plans %s is %s, want %s\n%s", seed, e, got, want, numbered(ids, cells, c.marks))
			}
		}
		c.s.Close()
	}
	t.Log(n)
	if n.differing == 0 || n.falseShare() > 0.05 {
		t.Error("want cells that would change, and marks of at most 5 % of the others")
	}
}

// runPlans runs what the session plans until no cell is stale.
func (c *client) runPlans(cells, ids []string) {
	for range 5 {
		plan := c.plan
		if len(plan) == 0 {
			return
		}
		for _, id := range plan {
			c.run(id, cells[slices.Index(ids, id)])
		}
	}
	c.t.Fatalf("stale after five plans: %v\n%s", c.marks, numbered(ids, cells, c.marks))
}
