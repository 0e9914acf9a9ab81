// Package sessiontest makes sessions for the tests of other rooms, with all that the program
// preloads. Only tests import it: it brings the tables of symbols along, which weigh several
// megabytes. The tests inside package session make their own.
package sessiontest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"gosphere/internal/runtime/engine"
	"gosphere/internal/runtime/generic"
	"gosphere/internal/runtime/packages"
	"gosphere/internal/runtime/session"
	"gosphere/internal/runtime/source"
	"gosphere/runtime/symbols"
	"gosphere/kernel/protocol"
)

// Packages returns the type information and documentation of the preloaded packages, none of it
// read yet.
func Packages(t testing.TB) *packages.Store {
	t.Helper()
	store, err := packages.Open(symbols.Archives()...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Options returns what the program gives a session to work with, for tests whose sessions do not
// live as long as they do. Each session has packages of its own, as in the program, so that reading
// them counts where times are measured.
func Options() (session.Options, error) {
	store, err := packages.Open(symbols.Archives()...)
	if err != nil {
		return session.Options{}, err
	}
	carried, err := source.OpenStore(symbols.Source())
	if err != nil {
		return session.Options{}, err
	}
	skeletons, err := engine.NewSkeletons(session.RunOperation)
	if err != nil {
		return session.Options{}, err
	}
	return session.Options{
		Process: session.TakeProcess(), Skeletons: skeletons, Symbol: symbols.Find, Packages: store, Generic: generic.Source, Instance: generic.Compiled, Carried: carried,
		Version: func() string { return "gosphere under test" },
	}, nil
}

// New returns a session that is closed when the test ends.
func New(t testing.TB) *session.Session {
	t.Helper()
	return newWith(t, func(*session.Options) {})
}

func newWith(t testing.TB, change func(*session.Options)) *session.Session {
	t.Helper()
	options, err := Options()
	if err != nil {
		t.Fatal(err)
	}
	options.Verify = true
	change(&options)
	s, err := session.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Printed executes a cell and returns what it prints on stdout and stderr, in their order. An error
// is the cell's, in the form "name: value".
func Printed(s *session.Session, code string) (string, error) {
	var mu sync.Mutex // goroutines of cells publish too
	var text strings.Builder
	reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code}, func(content protocol.Content) {
		if stream, ok := content.(protocol.Stream); ok {
			mu.Lock()
			defer mu.Unlock()
			text.WriteString(stream.Text)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	if reply.Status == protocol.Failed {
		return text.String(), fmt.Errorf("%s: %s", reply.Ename, reply.Evalue)
	}
	return text.String(), nil
}
