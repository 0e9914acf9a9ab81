package session

import (
	"os"
	"reflect"
	"sync"
	"testing"

	"gosphere/runtime/generic"
	"gosphere/runtime/packages"
	"gosphere/runtime/symbols"
)

var loadPackages = sync.OnceValues(func() (*packages.Store, error) { return packages.Open(symbols.Archive()) })

var loadTables = sync.OnceValue(func() map[string]map[string]reflect.Value { return symbols.Tables() })

// newTestSession makes a session with all preloaded packages.
func newTestSession(t testing.TB) *Session {
	t.Helper()
	store, err := loadPackages()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Tables: loadTables(), Packages: store, Generic: genericSource, Instance: generic.Compiled})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SHARED_MAPS") != "" { // every operation on maps locks, as if goroutines ran
		s.guard.Share()
	}
	return s
}

func genericSource(path string) (map[string]string, bool) { return generic.Source(path) }
