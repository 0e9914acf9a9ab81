package session

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"sync"

	"gosphere/kernel/comm"
	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	inner "gosphere/runtime/internal/session"
	"gosphere/runtime/internal/stale"
)

// flowTarget is the target of the comms by which clients are told of stale cells.
//
// The client opens the comm, with the IDs of its cells in order, and sends them again when they
// change:
//
//	{"order": ["a1", "b2"]}
//
// After each cell that runs, and after each message of the client, it gets the cells that are
// stale, those to run again in their order, and those that a later cell has overtaken:
//
//	{"stale": [{"id": "b2", "number": 4, "possibly": false, "why": ["[3] changed x"]}],
//	 "plan": ["b2"], "later": []}
const flowTarget = "gosphere.cells"

// A flow connects what a session knows of stale cells with its clients. It implements
// inner.Follower and the interface that package magic asks for.
type flow struct {
	tracker *stale.Tracker

	mu      sync.Mutex      // guards the fields below
	comms   map[string]bool // open ones of clients that mark cells
	off     bool            // whether other clients get no line
	ordered bool            // whether a client has told the order of its cells
}

func newFlow() *flow { return &flow{tracker: stale.New(), comms: map[string]bool{}} }

// Begin implements inner.Follower.
func (f *flow) Begin(c inner.Followed, checked *check.Checked) (end func(v inner.Values, failed bool)) {
	running := f.tracker.Begin(runOf(c), checked)
	return func(values inner.Values, failed bool) { f.changed(c, running.End(values, failed)) }
}

// Failed implements inner.Follower.
func (f *flow) Failed(c inner.Followed) { f.changed(c, f.tracker.Failed(runOf(c))) }

// Reset implements inner.Follower.
func (f *flow) Reset() { f.tracker.Reset() }

func runOf(c inner.Followed) stale.Run {
	return stale.Run{ID: c.ID, Number: c.Number, Source: c.Source}
}

// changed tells the clients of the stale cells after a cell has run.
func (f *flow) changed(c inner.Followed, change stale.Change) {
	f.mu.Lock()
	told, off := f.tell(change.Marks, c.Publish), f.off
	f.mu.Unlock()
	if text := line(c, change); text != "" && !told && !off {
		c.Publish(protocol.DisplayData{Data: protocol.MimeBundle{
			"text/plain": text,
			"text/html":  `<small style="opacity: .65">` + html.EscapeString(text) + `</small>`,
		}, Metadata: map[string]any{}})
	}
}

// line returns what is said after a cell that has made others stale, or that is stale itself, or
// "".
func line(c inner.Followed, change stale.Change) string {
	var others []stale.Mark
	for _, m := range change.New {
		if m.Number != c.Number {
			others = append(others, m)
		} else if !m.Reasons[0].Pending {
			return "stale: this cell, since " + m.Reasons[0].Text() + " (%stale lists all, %rerun stale runs them again)"
		}
	}
	if len(others) == 0 {
		return ""
	}
	return "stale: " + stale.Names(others) + " (%stale says why, %rerun stale runs them again)"
}

// tell sends the stale cells to the clients that mark them, and reports whether there are any.
func (f *flow) tell(marks []stale.Mark, publish func(protocol.Content)) bool {
	if len(f.comms) == 0 {
		return false
	}
	type marked struct {
		ID       string   `json:"id"`
		Number   int      `json:"number"`
		Possibly bool     `json:"possibly"`
		Why      []string `json:"why"`
	}
	state := struct {
		Stale []marked `json:"stale"`
		Plan  []string `json:"plan"`
		Later []marked `json:"later"`
	}{[]marked{}, []string{}, []marked{}}
	convert := func(m stale.Mark) marked {
		x := marked{ID: m.ID, Number: m.Number, Possibly: m.Degree == stale.Possibly, Why: []string{}}
		for _, r := range m.Reasons {
			x.Why = append(x.Why, r.Text())
		}
		return x
	}
	for _, m := range marks {
		state.Stale = append(state.Stale, convert(m))
	}
	for _, m := range f.tracker.Later() {
		state.Later = append(state.Later, convert(m))
	}
	for _, r := range f.tracker.Plan() {
		state.Plan = append(state.Plan, r.ID)
	}
	data, err := json.Marshal(state)
	if err != nil {
		return false // strings and numbers always have a form in JSON
	}
	for id := range f.comms {
		publish(protocol.CommMsg{CommID: id, Data: data})
	}
	return true
}

// serve has clients open comms for the stale cells.
func (f *flow) serve(table *comm.Table) {
	table.Register(flowTarget, func(m protocol.CommOpen, publish func(protocol.Content)) {
		forget := func(close protocol.CommClose, _ func(protocol.Content)) {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.comms, close.CommID)
		}
		take := func(m protocol.CommMsg, publish func(protocol.Content)) { f.take(m.Data, publish) }
		if table.Add(m.CommID, m.TargetName, take, forget) != nil {
			return
		}
		f.mu.Lock()
		f.comms[m.CommID] = true
		f.mu.Unlock()
		f.take(m.Data, publish)
	})
}

// take sets the order of the cells from a message of a client and answers with the stale ones.
func (f *flow) take(data json.RawMessage, publish func(protocol.Content)) {
	var message struct{ Order []string }
	if json.Unmarshal(data, &message) != nil {
		return // of another version of the client
	}
	marks := f.tracker.Marks()
	f.mu.Lock()
	defer f.mu.Unlock()
	if message.Order != nil {
		marks = f.tracker.Order(message.Order).Marks
		f.ordered = true
	}
	f.tell(marks, publish)
}

// Stale implements %stale.
func (f *flow) Stale(arguments string) (string, error) {
	switch arguments {
	case "on", "off":
		f.mu.Lock()
		defer f.mu.Unlock()
		f.off = arguments == "off"
		return "", nil
	case "":
	default:
		return "", fmt.Errorf("unknown argument %q, want on, off or none", arguments)
	}
	var b strings.Builder
	marks := f.tracker.Marks()
	for _, m := range marks {
		word := "stale"
		if m.Degree == stale.Possibly {
			word = "possibly stale"
		}
		write(&b, word, m)
	}
	for _, m := range f.tracker.Later() {
		write(&b, "overtaken", m)
	}
	switch {
	case b.Len() == 0:
		return "no cell is stale", nil
	case len(marks) > 0:
		b.WriteString("%rerun stale runs the stale cells again.\n")
	}
	return b.String(), nil
}

// write writes a mark with its reasons.
func write(b *strings.Builder, word string, m stale.Mark) {
	fmt.Fprintf(b, "[%d] %s: %s\n", m.Number, word, m.Title())
	for i, r := range m.Reasons {
		if i == 3 {
			fmt.Fprintf(b, "    and %d more\n", len(m.Reasons)-i)
			break
		}
		fmt.Fprintf(b, "    %s\n", r.Text())
	}
}

// Picture implements %flow.
func (f *flow) Picture() (svg, text string) {
	return f.tracker.Picture()
}

// isRerun reports whether a cell consists of %rerun stale.
func isRerun(source string) bool {
	words := strings.Fields(source)
	return len(words) == 2 && words[0] == "%rerun" && words[1] == "stale"
}

// maxRounds bounds how often %rerun stale looks for cells that its own cells have made stale.
const maxRounds = 10

// rerun implements %rerun stale. The outputs of the cells are shown below the cell that asks.
func (s *Session) rerun(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	code := request.Code
	request.Code, request.Cell = "", ""
	reply := s.inner.Execute(ctx, request, func(content protocol.Content) {
		if input, ok := content.(protocol.ExecuteInput); ok {
			input.Code = code
			content = input
		}
		publish(content)
	})
	s.inner.Settle()
	if reply.Status == protocol.Failed {
		return reply
	}
	say := func(text string) { publish(protocol.Stream{Name: "stdout", Text: text}) }
	shown := func(content protocol.Content) {
		switch content := content.(type) {
		case protocol.ExecuteInput:
		case protocol.ExecuteResult:
			publish(protocol.DisplayData{Data: content.Data, Metadata: content.Metadata})
		default:
			publish(content)
		}
	}
	for round := range maxRounds {
		plan := s.flow.tracker.Plan()
		if len(plan) == 0 && round == 0 {
			say("no cell is stale\n")
		}
		for _, run := range plan {
			say(fmt.Sprintf("[%d] %s\n", run.Number, run.Title()))
			r := s.inner.Execute(ctx, protocol.ExecuteRequest{Code: run.Source, Count: run.Number, Cell: run.ID}, shown)
			s.inner.Settle()
			if r.Status == protocol.Failed {
				r.ExecutionCount = reply.ExecutionCount
				return r
			}
		}
	}
	if left := s.flow.tracker.Marks(); len(left) > 0 {
		say("still stale: " + stale.Names(left) + "\n")
	}
	return reply
}
