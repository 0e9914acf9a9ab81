package std_test

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/runtime/interp"
	"gosphere/runtime/interp/std"
	"gosphere/runtime/symbols"
)

// ofSession declares what a session may keep: types with methods, generic functions, variables, a
// goroutine that never ends, and changes of what a program has once.
const ofSession = `
type T int
func (t T) Twice() T { return 2 * t }
type L[E any] struct{ list []E }
func (l *L[E]) Add(e E) int { l.list = append(l.list, e); return len(l.list) }
func all[E any](list ...E) []E { return list }
var s fmt.Stringer = time.Duration(1)
var big = make([]byte, 1<<16)
go func() { for { time.Sleep(time.Millisecond) } }()
n := flag.Int("n", 1, "a number")
flag.CommandLine.Parse([]string{"-n", "3"})
log.SetPrefix("session ")
log.SetOutput(io.Discard)
slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
new(L[string]).Add(fmt.Sprint(*n, s, len(big), len(all(1, 2)), sort.IsSorted(sort.IntSlice{1})))
fmt.Print(%d)
T(%[1]d).Twice()`

// runSession evaluates ofSession in a session of its own.
func runSession(t *testing.T, n int) {
	var out bytes.Buffer
	s, err := interp.New(interp.Options{Stdout: &out})
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	if err := s.Use(std.Core); err != nil {
		t.Error(err)
		return
	}
	v, err := s.Eval(t.Context(), fmt.Sprintf(ofSession, n))
	if err != nil || v.Int() != int64(2*n) || out.String() != fmt.Sprint(n) {
		t.Errorf("session %d: %v, %v, %q", n, v, err, out.String())
	}
}

// state describes a variable of the process, with what it leads to directly.
func state(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || depth == 0 {
			return fmt.Sprint(v.IsNil())
		}
		at := ""
		if v.Kind() == reflect.Pointer {
			at = fmt.Sprint(v.Pointer(), " ")
		}
		return at + state(v.Elem(), depth-1)
	case reflect.Map, reflect.Slice:
		return fmt.Sprint(v.Pointer(), " ", v.Len())
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprint(v.Pointer())
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			fields = append(fields, state(v.Field(i), depth))
		}
		return "{" + strings.Join(fields, " ") + "}"
	case reflect.Array:
		var elements []string
		for i := range v.Len() {
			elements = append(elements, state(v.Index(i), depth))
		}
		return "[" + strings.Join(elements, " ") + "]"
	}
	return fmt.Sprint(v)
}

// variables describes every exported variable of the standard library.
func variables() map[string]string {
	all := map[string]string{}
	symbols.Each(func(path, name string, v reflect.Value) {
		if first, _, _ := strings.Cut(path, "/"); v.CanAddr() && !strings.Contains(first, ".") && first != "gosphere" {
			all[path+"."+name] = state(v, 3)
		}
	})
	return all
}

// A thousand sessions one after another, and fifty at once, leave the process as it was: its
// goroutines, the exported variables of the standard library, and its memory, but for what Go's
// runtime cannot free of types.
func TestAThousandSessionsLeaveTheProcessAsItWas(t *testing.T) {
	const sessions, typesKept, perType = 1000, 3, 2 << 10
	goroutines := runtime.NumGoroutine()
	for n := range 50 {
		runSession(t, n)
	}
	settle := func(goroutines int) (memory int64) {
		for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%d goroutines after the sessions, %d before\n%s", runtime.NumGoroutine(), goroutines, stacks[:runtime.Stack(stacks, true)])
			}
		}
		for range 3 {
			runtime.GC()
		}
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int64(now.HeapAlloc)
	}
	memory, before := settle(goroutines), variables()
	for n := range sessions {
		runSession(t, n)
	}
	var group sync.WaitGroup
	for n := range 50 {
		group.Go(func() { runSession(t, n) })
	}
	group.Wait()
	now, after := settle(goroutines), variables()
	if len(before) < 300 {
		t.Errorf("only %d variables are compared", len(before))
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] != after[name] {
			t.Errorf("%s is %s, was %s", name, after[name], before[name])
		}
	}
	if most := memory + memory/20 + (sessions+50)*typesKept*perType; now > most {
		t.Errorf("the heap has %d bytes after the sessions, %d before, and at most %d are expected", now, memory, most)
	}
	t.Logf("%d variables; %d bytes before, %d after, which is %d a session", len(before), memory, now, (now-memory)/(sessions+50))
}

// Functions and variables of a closed session stay valid. Its code is not kept for method calls by
// the program.
func TestWhatRemainsOfAClosedSession(t *testing.T) {
	s := open(t, interp.Options{})
	eval(t, s, "type T struct{ n int }\nfunc (t T) String() string { return fmt.Sprint(t.n) }\nvar t fmt.Stringer = T{3}\nfunc twice(n int) int { return 2 * n }")
	stringer, err := interp.Get[fmt.Stringer](s, "t")
	if err != nil || stringer.String() != "3" {
		t.Fatal(stringer, err)
	}
	twice, err := interp.Get[func(int) int](s, "twice")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if n := twice(4); n != 8 {
		t.Errorf("twice(4) is %d", n)
	}
	defer func() {
		if p := recover(); p != interp.ErrClosed {
			t.Errorf("panic %v", p)
		}
	}()
	t.Errorf("String gives %q", stringer.String())
}
