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

	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
	"gosphere/runtime/symbols"
)

// Preloaded are the packages of the program.
var Preloaded = session.Packages{Symbol: symbols.Find, Archives: symbols.Archives, Source: symbols.Source}

// Packages returns the type information and documentation of the preloaded packages, none of it
// read yet.
func Packages(t testing.TB) session.Library {
	t.Helper()
	compiled, err := Preloaded.Open()
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Library()
}

// Options returns the options of a session with what the program has. Each session has packages of
// its own, as in the program, so that reading them counts where times are measured.
func Options() session.Options {
	return session.Options{Packages: Preloaded, Version: func() string { return "gosphere under test" }}
}

// New returns a session that is closed when the test ends.
func New(t testing.TB) *session.Session {
	t.Helper()
	options := Options()
	options.Verify = true
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
