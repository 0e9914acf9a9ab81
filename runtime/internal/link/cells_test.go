//go:build !race

package link_test

import (
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/session"
)

// newSession returns a session that compiles cells.
func newSession(t *testing.T) *session.Session {
	t.Helper()
	options := sessiontest.Options()
	s, err := session.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A step is a cell and its expected output. fails is part of the error of a cell that is refused.
type step struct{ code, prints, fails string }

func play(t *testing.T, steps []step) {
	t.Helper()
	s := newSession(t)
	for _, c := range steps {
		got, err := sessiontest.Printed(s, c.code)
		switch {
		case c.fails != "":
			if err == nil || !contains(err.Error(), c.fails) {
				t.Errorf("%s\nends with %v, want an error with %q", c.code, err, c.fails)
			}
		case err != nil || got != c.prints:
			t.Errorf("%s\nprints %q, %v; want %q", c.code, got, err, c.prints)
		}
	}
}
