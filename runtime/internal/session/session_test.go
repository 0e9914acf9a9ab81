package session

import (
	"context"
	"database/sql"
	"os"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/engine"
	"gosphere/runtime/internal/generic"
	"gosphere/runtime/internal/notebook"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
	"gosphere/runtime/symbols"
)

var loadPackages = sync.OnceValues(func() (*packages.Store, error) {
	store, err := packages.Open(symbols.Archives()...)
	if err == nil {
		store.Drivers = sql.Drivers
	}
	return store, err
})

// newTestSession returns a session with all preloaded packages.
func newTestSession(t testing.TB) *Session {
	t.Helper()
	return newSessionWith(t, func(*Options) {})
}

// newSessionWith returns a session with changed options.
func newSessionWith(t testing.TB, change func(*Options)) *Session {
	t.Helper()
	store, err := loadPackages()
	if err != nil {
		t.Fatal(err)
	}
	carried, err := source.OpenStore(symbols.Source())
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Notebook: notebook.Notebook{}, Symbol: symbols.Find, Packages: store, Generic: genericSource, Instance: generic.Compiled, Carried: carried, Verify: true}
	if os.Getenv("GOSPHERE_TEST_OWN") == "" {
		options.Process = TakeProcess(symbols.Find) // again, because cells of earlier tests may have changed it
	}
	if options.Skeletons, err = engine.NewSkeletons(RunOperation); err != nil {
		t.Fatal(err)
	}
	change(&options)
	s, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if os.Getenv("SHARED_MAPS") != "" { // every operation on maps locks, as if goroutines ran
		s.guard.Sharing.Share("net/http")
	}
	switch os.Getenv("DEBUGGED") { // cells are compiled to stop, though nothing stops them
	case "stops":
		debugged(s, false)
	case "panics":
		debugged(s, true)
	}
	return s
}

// debugged attaches a debugger that wants cells to be able to stop.
func debugged(s *Session, panics bool) {
	s.debuggee.BindDebugger(func(string) string { return "cell" }, func(n protocol.DebugNotice) {
		if n.Kind == protocol.DebugStopped {
			go func() { _ = s.debuggee.Resume(n.Thread, protocol.DebugContinue) }()
		}
	})
	s.debuggee.Attach()
	s.debuggee.SetBreakpoints("another cell", "_ = 1", []protocol.DebugBreakpoint{{Line: 1}})
	s.debuggee.StopOnPanic(panics)
}

// play runs a cell with a given number, without the messages that front ends receive in addition.
func (s *Session) play(number int, code string, publish func(protocol.Content)) ending {
	return s.playRequest(number, protocol.ExecuteRequest{Code: code, Silent: true}, publish)
}

// playRequest is play for the code and the file of a request.
func (s *Session) playRequest(number int, request protocol.ExecuteRequest, publish func(protocol.Content)) ending {
	e := s.calls.begin(context.Background(), request, publish)
	defer s.calls.end(e)
	e.number = number
	return s.run(e, request.Code)
}

func genericSource(path string) (map[string]string, bool) { return generic.Source(path) }
