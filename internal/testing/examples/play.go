package examples

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// patience is the time limit of one cell.
const patience = 2 * time.Minute

// A Way is a way to convert examples to cells.
type Way int

// Statements are the bodies, entered one after another; Calls follow a cell with the functions.
const (
	Statements Way = iota
	Calls
	Ways
)

// String returns the way as a suffix to the name of an example.
func (w Way) String() string { return [...]string{"as statements", "called"}[w] }

// An Outcome is the result of an example.
type Outcome struct {
	Example Example
	Failure string // error of a cell, "" for none
	Got     string
	OK      bool
}

// Play runs the examples of a file in one session. If they do not compile together, they are run
// separately: an example may use a name for a variable that others import, and a declaration of the
// file may be impossible in cells for only one of the examples.
func (f *File) Play(options session.Options, way Way) ([]Outcome, error) {
	outcomes, err := f.together(options, way)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		if len(f.Examples) > 1 && !o.OK && (strings.HasPrefix(o.Failure, "compile error") || strings.HasPrefix(o.Failure, "not supported")) {
			alone, err := f.Alone(o.Example).together(options, way)
			if err != nil {
				return nil, err
			}
			outcomes[i] = alone[0]
		}
	}
	return outcomes, nil
}

// together runs all examples in one session.
func (f *File) together(options session.Options, way Way) ([]Outcome, error) {
	s, err := session.New(options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var common string
	for _, code := range []string{f.Imports, f.Declared} {
		if common == "" {
			_, common = run(s, code)
		}
	}
	var outcomes []Outcome
	for _, e := range f.Examples {
		o := Outcome{Example: e, Failure: common}
		switch {
		case common != "":
		case way == Statements && e.Silent: // its functions may wait for a network
			o.OK = true
		case way == Statements:
			o.Got, o.Failure = run(s, e.Body)
		default:
			if _, o.Failure = run(s, e.Declared); o.Failure == "" && !e.Silent {
				o.Got, o.Failure = run(s, e.Name+"()")
			}
		}
		o.OK = o.OK || o.Failure == "" && f.Shows(e, o.Got)
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// run runs one cell and returns its standard output and its error.
func run(s *session.Session, code string) (printed, failure string) {
	var mu sync.Mutex // goroutines of cells also publish
	var text strings.Builder
	publish := func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if stream, ok := content.(protocol.Stream); ok && stream.Name == "stdout" {
			text.WriteString(stream.Text)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reply := s.Execute(ctx, protocol.ExecuteRequest{Code: code, StoreHistory: true}, publish)
	mu.Lock()
	defer mu.Unlock()
	switch {
	case ctx.Err() != nil:
		failure = fmt.Sprintf("not finished after %v", patience)
	case reply.Status == protocol.Failed:
		failure = fmt.Sprintf("%s: %s", reply.Ename, reply.Evalue)
	}
	return text.String(), failure
}
