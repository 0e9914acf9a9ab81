package assist_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/session"
)

// newSession returns a session that knows the types of all preloaded packages, but none of their
// compiled objects. The tables of these would have to be compiled again for the race detector.
func newSession(t *testing.T) *session.Session {
	t.Helper()
	dir := filepath.Join("..", "..", "symbols", "archive")
	var archive []byte
	for _, name := range []string{"shared.bin", runtime.GOOS + "_" + runtime.GOARCH + ".bin"} {
		part, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		archive = append(archive, part...)
	}
	store, err := packages.Open(string(archive))
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Options{Symbol: func(path, name string) (v reflect.Value, ok bool) { return }, Packages: store, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Completion, inspection, completeness checks and interrupts come from other goroutines than the
// one that executes. The test asserts nothing about timing; it is meant for the race detector.
func TestHelpIsGivenWhileCellsRun(t *testing.T) {
	s := newSession(t)
	var asking sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		// This goroutine sends requests until all cells have run.
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				s.Complete(protocol.CompleteRequest{Code: "strings.Fi", CursorPos: 10})
				s.Inspect(protocol.InspectRequest{Code: "total", CursorPos: 3})
				s.IsComplete(protocol.IsCompleteRequest{Code: "for {"})
			}
		})
	}
	for i := range 60 {
		code := fmt.Sprintf("type T%d struct{ A, B int }\nfunc f%d() T%d { return T%d{%d, 1} }\ntotal := f%d().A\ntotal", i%7, i, i%7, i%7, i, i)
		var result string
		reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
			if r, ok := content.(protocol.ExecuteResult); ok {
				result = r.Data["text/plain"].(string)
			}
		})
		if reply.Status != protocol.OK || result != fmt.Sprint(i) {
			t.Fatalf("cell %d: %s %s, result %q", i, reply.Status, reply.Evalue, result)
		}
	}
	close(done)
	asking.Wait()
	if reply := s.Complete(protocol.CompleteRequest{Code: "tot", CursorPos: 3}); !strings.Contains(strings.Join(reply.Matches, " "), "total") {
		t.Errorf("completion of tot gives %q", reply.Matches)
	}
}
