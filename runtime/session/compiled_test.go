package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gosphere/runtime/testdata/cases"
)

// knownDifferences reads the cases that cells of the compiled engine do not pass yet, by name, with
// the reasons.
func knownDifferences(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/compiled-known.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, ok := strings.Cut(line, " | ")
		if !ok || reason == "" {
			t.Fatalf("%q gives no reason", line)
		}
		known[name] = reason
	}
	return known
}

// TestCompiledCellsMeanTheSame plays every case of runtime/testdata in a session that compiles
// cells. Every fourth case is played under -short.
func TestCompiledCellsMeanTheSame(t *testing.T) {
	var process sync.RWMutex // guards the streams of the process
	known := knownDifferences(t)
	files, err := filepath.Glob("../testdata/*.cells")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	played := 0
	for _, file := range files {
		list, err := cases.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			name := strings.TrimSuffix(filepath.Base(file), ".cells") + "/" + c.Name
			if played++; testing.Short() && played%4 != 0 {
				delete(known, name)
				continue
			}
			reason, expected := known[name]
			delete(known, name)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				slots <- true
				defer func() { <-slots }()
				if streams.MatchString(strings.Join(c.Cells, "\n")) {
					process.Lock()
					defer process.Unlock()
				} else {
					process.RLock()
					defer process.RUnlock()
				}
				difference := playCaseIn(newCompiledSession(t), c)
				switch {
				case expected && difference == "":
					t.Errorf("passes; it was known as: %s", reason)
				case !expected && difference != "":
					t.Error(difference)
				}
			})
		}
	}
	for name := range known {
		t.Errorf("testdata/compiled-known.txt names %q, which is no case", name)
	}
}

// newCompiledSession makes a session that compiles cells.
func newCompiledSession(t testing.TB) *Session {
	t.Helper()
	return newSessionWith(t, func(o *Options) { o.Compiled = true })
}

func TestCompiledCellsPassTheCorpus(t *testing.T) {
	for _, file := range findCorpus(t) {
		for _, c := range readCorpus(t, file) {
			if c.usesClock() {
				continue // TestCorpus plays it again and again on a busy machine
			}
			if verdict, detail := judgeIn(newCompiledSession(t), c); verdict != "" {
				t.Errorf("%s (%s): %s\n%s", c.name, c.category, verdict, detail)
			}
		}
	}
}

func TestFinalizersOfCompiledCellsRunAndMayPanic(t *testing.T) {
	s := newCompiledSession(t)
	defer s.Close()
	for i, code := range []string{
		`import "runtime"
type T struct{ n int; name string }
ran := make(chan int, 2)
func() { p := &T{n: 7}; runtime.SetFinalizer(p, func(p *T) { ran <- p.n }) }()
func() { p := &T{n: 8}; runtime.SetFinalizer(p, func(p *T) { ran <- p.n; panic("late") }) }()`,
		"sum := 0\nfor range 2 { for len(ran) == 0 { runtime.GC() }; sum += <-ran }\nsum",
	} {
		end, _, ok := playCell(s, i+1, code)
		if !ok || end.failure != nil {
			t.Fatalf("cell %d: %v", i+1, end.failure)
		}
		if i == 1 && end.shown.data["text/plain"] != "15" {
			t.Errorf("got %v, want 15", end.shown.data["text/plain"])
		}
	}
}
