package exec_test

import (
	"embed"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/exec"
	"gosphere/runtime/internal/exec/testdata/programs"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/link"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
)

// The programs of testdata/programs run twice: compiled, in the package imported here, and as cells
// from the same files. Both must return the same texts.

//go:embed testdata/programs/*.go
var sources embed.FS

// compiled maps the name of each file to its programs. The file declares them in a variable with
// the name of the file.
var compiled = map[string]map[string]func() string{
	"Callforms": programs.Callforms, "Calls": programs.Calls, "Channels": programs.Channels,
	"Closures": programs.Closures, "Composites": programs.Composites, "Conditions": programs.Conditions, "Conversions": programs.Conversions,
	"Copies": programs.Copies, "Defers": programs.Defers, "Evaluation": programs.Evaluation, "Floats": programs.Floats,
	"Generics": programs.Generics, "Goroutines": programs.Goroutines, "Indices": programs.Indices,
	"Inlined": programs.Inlined, "Integers": programs.Integers, "Interfaces": programs.Interfaces,
	"Iterators": programs.Iterators, "Jumps": programs.Jumps, "Maps": programs.Maps, "Numbers": programs.Numbers,
	"Operands": programs.Operands, "Orders": programs.Orders, "Panics": programs.Panics, "Ranges": programs.Ranges, "Reassigned": programs.Reassigned,
	"Recoveries": programs.Recoveries, "Recursions": programs.Recursions, "Selects": programs.Selects, "Shifts": programs.Shifts, "Slices": programs.Slices,
	"Strings": programs.Strings, "Structs": programs.Structs,
}

// symbols are the objects of compiled packages that the programs use.
var symbols = map[string]any{
	"errors.As": errors.As, "errors.Is": errors.Is, "errors.New": errors.New,
	"fmt.Errorf": fmt.Errorf, "fmt.Fprint": fmt.Fprint, "fmt.Fprintf": fmt.Fprintf, "fmt.Sprint": fmt.Sprint, "fmt.Sprintf": fmt.Sprintf, "fmt.Sprintln": fmt.Sprintln,
	"fmt.Stringer": (*fmt.Stringer)(nil),
	"math.Inf":     math.Inf, "math.NaN": math.NaN,
	"runtime.Goexit":  runtime.Goexit,
	"runtime.GC":      runtime.GC,
	"runtime.Gosched": runtime.Gosched,
	"runtime.Error":   (*runtime.Error)(nil),
	"sort.IsSorted":   sort.IsSorted, "sort.Reverse": sort.Reverse, "sort.Search": sort.Search, "sort.SearchInts": sort.SearchInts,
	"sort.Slice": sort.Slice, "sort.Sort": sort.Sort,
	"strings.FieldsFunc": strings.FieldsFunc, "strings.IndexFunc": strings.IndexFunc,
	"strings.Builder":    (*strings.Builder)(nil),
	"strings.Contains":   strings.Contains,
	"strings.Join":       strings.Join,
	"strings.Map":        strings.Map,
	"strings.Repeat":     strings.Repeat,
	"strings.ToUpper":    strings.ToUpper,
	"strings.TrimPrefix": strings.TrimPrefix, "strings.TrimSuffix": strings.TrimSuffix,
	"sync.Mutex":        (*sync.Mutex)(nil),
	"sync.RWMutex":      (*sync.RWMutex)(nil),
	"sync.Once":         (*sync.Once)(nil),
	"sync.WaitGroup":    (*sync.WaitGroup)(nil),
	"time.After":        time.After,
	"time.Duration":     (*time.Duration)(nil),
	"time.Millisecond":  time.Millisecond,
	"time.Time":         (*time.Time)(nil),
	"sync/atomic.Int64": (*atomic.Int64)(nil),
}

// types of compiled packages, from the archive of the program.
var store = sync.OnceValues(func() (*packages.Store, error) {
	dir := filepath.Join("..", "..", "symbols", "archive")
	shared, err := os.ReadFile(filepath.Join(dir, "shared.bin"))
	if err != nil {
		return nil, err
	}
	platform, err := os.ReadFile(filepath.Join(dir, runtime.GOOS+"_"+runtime.GOARCH+".bin"))
	if err != nil {
		return nil, err
	}
	return packages.Open(string(shared), string(platform))
})

// A host is a minimal machine.Host.
type host struct {
	machine *exec.Machine
	shared  atomic.Bool // whether maps are locked
	polls   atomic.Int64
	ask     func(machine.Moment)
	lock    sync.RWMutex
}

func (h *host) Poll()                                  { h.polls.Add(1) }
func (h *host) Follow(*machine.Thread)                 {}
func (h *host) Site(*ir.Mark, *ir.Func) int            { return 0 }
func (h *host) Ask(_ int, m machine.Moment)            { h.ask(m) }
func (h *host) Panicked(any, []any)                    {}
func (h *host) Overflow(uintptr, []machine.StackFrame) { runtime.Goexit() }
func (h *host) Go(body func())                         { go h.machine.Call(body) }
func (h *host) Done() <-chan struct{}                  { return nil }
func (h *host) Exiting() bool                          { return false }
func (h *host) Await(until <-chan struct{})            { <-until }
func (h *host) NeverBlocks(path, name string) bool     { return path == "fmt" && name == "Sprint" }
func (h *host) Shared() bool                           { return h.shared.Load() }
func (h *host) Room(n, size int, text string) int      { return n }
func (h *host) LockMap(_ uintptr, w bool) (f func()) {
	if w {
		h.lock.Lock()
		return h.lock.Unlock
	}
	h.lock.RLock()
	return h.lock.RUnlock
}

// A session runs cells.
type session struct {
	t       testing.TB
	host    *host
	checker *check.Session
	link    *link.Session
	number  int
	shown   []string
}

func newSession(t testing.TB) *session {
	t.Helper()
	s, err := store()
	if err != nil {
		t.Fatal(err)
	}
	return newSessionWith(t, s, nil)
}

// newSessionWith returns a session that finds packages with s, and their source with source.
func newSessionWith(t testing.TB, s check.Packages, source func(*types.Package) *source.Package) *session {
	c := check.NewSession(s)
	h := &host{}
	out := &session{t: t, host: h, checker: c}
	out.link = link.New(link.Options{
		Symbol: func(path, name string) (reflect.Value, bool) {
			v, ok := symbols[path+"."+name]
			return reflect.ValueOf(v), ok
		},
		Override:       func(path, name string) (v reflect.Value, ok bool) { return },
		OverrideMethod: func(*types.Func) (v reflect.Value, ok bool) { return },
		Import:         s.Import, Source: source, Main: c.Main(), Runtime: h, Verify: true,
		Share: func(string) {},
		Show:  func(v any) { out.show(v) }, ShowAll: func(_, _ bool, values ...any) { out.show(values...) },
	})
	h.machine = out.link.Machine()
	return out
}

// run runs a cell.
func (s *session) run(source string) {
	s.t.Helper()
	s.number++
	parsed, err := cell.Parse(s.number, source)
	if err != nil {
		s.t.Fatal(err)
	}
	checked, err := s.checker.Check(parsed)
	if err != nil {
		s.t.Fatal(err)
	}
	program, err := s.link.Cell(checked)
	if err != nil {
		s.t.Fatal(err)
	}
	s.checker.Commit(checked)
	if program.Body == nil {
		return
	}
	run := program.Body.Start()
	defer run.End()
	for i := range program.Body.Len() {
		if !run.Step(i) {
			return
		}
	}
}

// programs returns the programs of a file as functions of cells.
func (s *session) programs(name string) map[string]func() string {
	s.t.Helper()
	for _, file := range []string{"programs", strings.ToLower(name)} {
		source, err := sources.ReadFile("testdata/programs/" + file + ".go")
		if err != nil {
			s.t.Fatal(err)
		}
		s.run(strings.Replace(string(source), "\npackage programs\n", "\npackage main\n", 1))
	}
	v, ok := s.link.Variable(s.checker.Lookup(name))
	if !ok {
		s.t.Fatalf("the cell has no variable %s", name)
	}
	return v.Interface().(map[string]func() string)
}

// call calls a function of cells in the way that compiled functions are called.
func (s *session) call(f func() string) (text string) {
	s.host.machine.Call(func() { text = f() })
	return text
}

// expected converts the result of a compiled program to the result in cells: the package is main,
// and run-time errors that operations of package exec cannot raise themselves have other types.
var expected = strings.NewReplacer("programs.", "main.", "runtime.boundsError", "runtime error", "runtime.errorString", "runtime error")

var got = strings.NewReplacer("runtime.boundsError", "runtime error", "machine.arrayError", "runtime error", "runtime.errorString", "runtime error", "machine.RuntimeError", "runtime error")

// compare runs the programs of a file in both ways.
func compare(t *testing.T, s *session, name string) {
	t.Helper()
	compareList(t, s, name, s.programs(name))
}

// compareList compares programs of a file that are compiled as cells already.
func compareList(t *testing.T, s *session, name string, list map[string]func() string) {
	t.Helper()
	if len(list) == 0 || len(list) != len(compiled[name]) {
		t.Errorf("%s has %d programs as cells and %d compiled", name, len(list), len(compiled[name]))
	}
	for _, program := range slices.Sorted(maps.Keys(compiled[name])) {
		if raceDetector && program == "elements of maps beside calls" {
			continue // the compiled program is another one there
		}
		want := expected.Replace(compiled[name][program]())
		got := got.Replace(s.call(list[program]))
		if got != want || want == "" {
			t.Errorf("%s: %s returns\n%s", name, program, difference(got, want))
		}
	}
}

// difference returns the first lines in which two texts differ.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %s\nwant    %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d\n%s\nwant\n%s", len(a), len(b), got, want)
}

// TestProgramsMeanWhatCompiledGoMeans runs the programs twice. The second time, garbage is
// collected at almost every allocation, so that values in frames and heap cells that the collector
// does not see are lost.
func TestProgramsMeanWhatCompiledGoMeans(t *testing.T) {
	withoutPointers := []string{"Floats", "Indices", "Integers", "Numbers", "Shifts"}
	for _, name := range slices.Sorted(maps.Keys(compiled)) {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			list := s.programs(name)
			compareList(t, s, name, list)
			if !slices.Contains(withoutPointers, name) {
				defer debug.SetGCPercent(debug.SetGCPercent(1))
				compareList(t, s, name, list)
			}
		})
	}
}

func TestProgramsMeanTheSameWithLockedMaps(t *testing.T) {
	for _, name := range []string{"Maps", "Ranges", "Orders", "Panics", "Generics"} {
		s := newSession(t)
		s.host.shared.Store(true)
		compare(t, s, name)
	}
}

func TestProgramsMeanTheSameWhileTheyPoll(t *testing.T) {
	for _, name := range []string{"Ranges", "Jumps", "Calls", "Goroutines", "Selects"} {
		s := newSession(t)
		s.host.machine.SetStop(true)
		compare(t, s, name)
		if s.host.polls.Load() == 0 {
			t.Errorf("%s has not polled", name)
		}
	}
}

func TestSeveralGoroutinesRunOneMachine(t *testing.T) {
	s := newSession(t)
	list := s.programs("Closures")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for name, f := range list {
				if got, want := s.call(f), expected.Replace(compiled["Closures"][name]()); got != want {
					t.Errorf("%s returns %s, want %s", name, got, want)
				}
			}
		})
	}
	group.Wait()
}

func TestEveryFileOfProgramsRuns(t *testing.T) {
	entries, err := sources.ReadDir("testdata/programs")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		base := strings.TrimSuffix(e.Name(), ".go")
		if name := strings.ToUpper(base[:1]) + base[1:]; base != "programs" && compiled[name] == nil {
			t.Errorf("no test runs %s", e.Name())
		}
	}
}
