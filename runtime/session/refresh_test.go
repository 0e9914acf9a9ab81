package session

import (
	"flag"
	"runtime"
	"strings"
	"testing"
)

// In every case the first cells make a value of T where only the case knows, the next one
// gives T a method, and the last one shows the value.
var holders = []struct{ name, imports, make, show string }{
	{"variable", "", "v := any(T(1))", "fmt.Print(v)"},
	{"plain data", "", "v := T(1)", "fmt.Print(v)"},
	{"closed channel", "", "c := make(chan any, 1); c <- T(1); close(c)", "fmt.Print(<-c)"},
	{"closed channel of structs", "", "c := make(chan struct{ n int; v any }, 2); c <- struct{ n int; v any }{7, T(1)}; close(c)", "fmt.Print((<-c).v)"},
	{"result of a function", "", "f := func() func() any { var v any = T(1); return func() any { return v } }()", "fmt.Print(f())"},
	{"captured parameter", "", "func keep(v any) func() { return func() { fmt.Print(v) } }\nf := keep(T(1))", "f()"},
	{"captured result", "", "func keep() (v any, f func()) { v = T(1); f = func() { fmt.Print(v) }; return }\n_, f := keep()", "f()"},
	{"captured in a loop", "", "var fs []func(); for i := range 2 { v := any(T(i)); fs = append(fs, func() { fmt.Print(v) }) }", "fs[1]()"},
	{"captured loop variable", "", "var f func(); for _, v := range []any{T(1)} { f = func() { fmt.Print(v) } }", "f()"},
	{"captured in the head of a statement", "", "func run(f func()) func() { return f }\nvar f func(); if v := any(T(1)); func() bool { f = run(func() { fmt.Print(v) }); return true }() {}", "f()"},
	{"captured by an assertion", "", "func keep(x any) func() { switch v := x.(type) { case fmt.Stringer: return nil; default: return func() { fmt.Print(v) } } }\nf := keep(T(1))", "f()"},
	{"captured struct", "", "func keep(v struct{ x any }) func() { return func() { fmt.Print(v.x) } }\nf := keep(struct{ x any }{T(1)})", "f()"},
	{"captured pointer", "", "type node struct { v any; next *node }\nfunc keep(n *node) func() { return func() { fmt.Print(n.next.v) } }\nf := keep(&node{nil, &node{T(1), nil}})", "f()"},
	{"captured map", "", "func keep(m map[string]any) func() { return func() { fmt.Print(m[\"k\"]) } }\nf := keep(map[string]any{\"k\": T(1)})", "f()"},
	{"captured plain data", "", "func keep(v T) func() { return func() { fmt.Print(v) } }\nf := keep(T(1))", "f()"},
	{"captured slice of plain data", "", "func keep(v []T) func() { return func() { fmt.Print(v[0]) } }\nf := keep([]T{1})", "f()"},
	{"assigned after it was captured", "", "func keep() func() { var v any; f := func() { fmt.Print(v) }; g := []func(){f}; v = T(1); return g[0] }\nf := keep()", "f()"},
	{"captured by a function in a function", "", "func keep(v any) func() func() { return func() func() { return func() { fmt.Print(v) } } }\nf := keep(T(1))", "f()()"},
	{"captured by a function that is in a struct", "", "func keep(v any) any { return struct{ f func() }{func() { fmt.Print(v) }} }\nf := keep(T(1))", "f.(struct{ f func() }).f()"},
	{"captured in a function that jumps", "", "func keep(v any) (f func()) { n := 0\nagain: w := v; f = func() { fmt.Print(w) }; n++; if n < 2 { goto again }; return f }\nf := keep(T(1))", "f()"},
	{"captured in a generic function", "", "func keep[V any](v V) func() { return func() { fmt.Print(v) } }\nf := keep[any](T(1))", "f()"},
	{"captured by the standard library's source", `"slices"`, "func keep() func(func(any) bool) { return slices.Values([]any{T(1)}) }\nf := keep()", "for v := range f { fmt.Print(v) }"},
	{"method value", "", "type holder struct{ v any }\nfunc (h holder) show() { fmt.Print(h.v) }\nfunc keep(h holder) func() { return h.show }\nf := keep(holder{T(1)})", "f()"},
	{"method value of a pointer", "", "type holder struct{ v any }\nfunc (h *holder) show() { fmt.Print(h.v) }\nf := (&holder{T(1)}).show", "f()"},
	{"method value of an interface", "", "type shower interface{ show() }\ntype holder struct{ v any }\nfunc (h holder) show() { fmt.Print(h.v) }\nf := shower(holder{T(1)}).show", "f()"},
	{"once", `"sync"`, "f := sync.OnceValue(func() any { return T(1) }); f()", "fmt.Print(f())"},
	{"context", `"context"`, "ctx := context.WithoutCancel(context.WithValue(context.Background(), 1, T(1)))", "fmt.Print(ctx.Value(1))"},
	{"atomic value", `"sync/atomic"`, "var a atomic.Value; a.Store(T(1))", "fmt.Print(a.Load()); a.Store(T(2)); fmt.Print(a.Load())"},
	{"atomic pointer", `"sync/atomic"`, "var a atomic.Pointer[any]; func() { v := any(T(1)); a.Store(&v) }()", "fmt.Print(*a.Load())"},
	{"joined errors", `"errors"`, "func (T) Error() string { return \"e\" }\nerr := errors.Join(fmt.Errorf(\"x: %w\", T(1)))", "var s fmt.Stringer; fmt.Print(errors.As(err, &s), s.String())"},
	{"list", `"container/list"`, "l := list.New(); l.PushBack(T(1))", "fmt.Print(l.Front().Value)"},
	{"flags", `"flag"`, "func (T) Set(string) error { return nil }\nfunc (T) String() string { return \"\" }\nset := flag.NewFlagSet(\"a\", flag.ContinueOnError); set.Var(T(1), \"t\", \"\")", "_, ok := set.Lookup(\"t\").Value.(flag.Getter); fmt.Print(ok)"},
	{"the program's flags", `"flag"`, "func (T) Set(string) error { return nil }\nfunc (T) String() string { return \"\" }\nflag.CommandLine = flag.NewFlagSet(\"a\", flag.ContinueOnError); flag.Var(T(1), \"t\", \"\")", "_, ok := flag.Lookup(\"t\").Value.(flag.Getter); fmt.Print(ok)"},
	{"pool", `"sync"`, "p := sync.Pool{New: func() any { return T(1) }}; p.Put(T(1))", "fmt.Print(p.Get())"},
	{"reflection", `"reflect"`, "v := reflect.ValueOf([]any{T(1)}); t := reflect.TypeOf(T(1))", "fmt.Print(v, t.NumMethod(), t == reflect.TypeFor[T]())"},
	{"captured in a loop over a function", `"slices"`, "var f func(); for v := range slices.Values([]any{T(1)}) { f = func() { fmt.Print(v) } }", "f()"},
	{"captured from a channel", "", "c := make(chan any, 1); c <- T(1); var f func(); func() { select { case v := <-c: f = func() { fmt.Print(v) } } }()", "f()"},
	{"captured by a deferred function", "", "var f func(); func() { v := any(T(1)); defer func() { w := v; f = func() { fmt.Print(w) } }() }()", "f()"},
	{"captured receiver", "", "type node struct{ v any }\nfunc (n *node) keep() func() { return func() { fmt.Print(n.v) } }\nf := (&node{T(1)}).keep()", "f()"},
	{"captured receiver of a generic type", "", "type box[V any] struct{ v V }\nfunc (b box[V]) keep() func() { return func() { fmt.Print(b.v) } }\nf := box[any]{T(1)}.keep()", "f()"},
	{"captured by the value of a variable of the session", "", "var f = func() func() { v := any(T(1)); return func() { fmt.Print(v) } }()", "f()"},
	{"field with a function", "", "type node struct { f func() }\nn := func() *node { v := any(T(1)); return &node{f: func() { fmt.Print(v) }} }()", "n.f()"},
	{"captured with others", "", "func keep(n int, s string, v any, e error) (func(), func()) { return func() { fmt.Print(n, s); fmt.Print(v, e) }, func() { v = 0 } }\nf, _ := keep(7, \"s\", T(1), nil)", "f()"},
	{"argument of a compiled function", `"strings"`, "func keep(v any) func(string) string { return func(s string) string { return strings.Map(func(r rune) rune { fmt.Print(v); return r }, s) } }\nf := keep(T(1))", "f(\"a\")"},
	{"what a goroutine has left", "", "var f func(); done := make(chan bool); go func() { v := any(T(1)); f = func() { fmt.Print(v) }; done <- true }(); <-done", "f()"},
}

const holderMethods = `func (t T) String() string { return "T" + strings.Repeat("!", int(t)) }
func (t T) Get() any { return 7 }`

func TestValuesGetTheirNewMethodsWhoeverHoldsThem(t *testing.T) {
	want := map[string]string{
		"atomic value": "T!T!!", "joined errors": "trueT!", "flags": "true", "the program's flags": "true",
		"reflection": "[T!] 2 true", "captured with others": "7sT! <nil>",
	}
	for _, h := range holders {
		t.Run(h.name, func(t *testing.T) {
			s := newTestSession(t)
			defer s.Close()
			program := flag.CommandLine // which a case replaces
			defer func() { flag.CommandLine = program }()
			declarations, statements := "", h.make
			if i := strings.LastIndex(h.make, "\n"); i >= 0 && !strings.HasPrefix(h.make[i+1:], "again") {
				declarations, statements = h.make[:i], h.make[i+1:]
			}
			methods := holderMethods
			if strings.Contains(declarations, "String()") {
				methods = strings.SplitN(methods, "\n", 2)[1]
			}
			before := printed(s, "import (\n\"fmt\"\n\"strings\"\n"+h.imports+")\ntype T int", declarations, statements, "fmt.Sprint(T(0))")
			if before != "" {
				t.Fatalf("before: %s", before)
			}
			waitForQuiet(s)
			got := printed(s, methods)
			if got != "" {
				t.Fatalf("the cell with the method says %s", got)
			}
			wanted := want[h.name]
			if wanted == "" {
				wanted = "T!"
			}
			if got := printed(s, h.show); got != wanted {
				t.Errorf("got %q, want %q", got, wanted)
			}
		})
	}
}

// waitForQuiet returns when the goroutines of cells have ended, which have only a few steps to go.
func waitForQuiet(s *Session) {
	for !s.guard.Quiet() {
		runtime.Gosched()
	}
}

const lateMethod = `func (T) String() string { return "text" }`

// waiting declares a function that starts a goroutine, which uses no variables of the session until it
// is told to: cells are compiled meanwhile.
const waiting = `func wait(p *any) (begin, done chan bool) {
	begin, done = make(chan bool), make(chan bool)
	started := make(chan bool)
	go func(p *any, started, begin, done chan bool) { started <- true; <-begin; *p = any(*p); done <- true }(p, started, begin, done)
	<-started
	return begin, done
}`

// While a goroutine of cells runs nobody may touch what it uses. The cell that finds none
// does it.
func TestValuesGetTheirNewMethodsWhenGoroutinesHaveEnded(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	got := printed(s, "import \"fmt\"\ntype T int", waiting, "v, w := any(T(1)), any(T(2)); begin, done := wait(&w)", "fmt.Sprint(v)", lateMethod)
	want := "warning: goroutines are running, so interface values made before this cell keep the methods that T (String) had then, until a cell runs after they have ended\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := printed(s, "fmt.Println(v)"); got != "1\n" {
		t.Errorf("before it ends: %q", got)
	}
	printed(s, "begin <- true; <-done")
	waitForQuiet(s)
	if got := printed(s, "fmt.Println(v, w)"); got != "text text\n" {
		t.Errorf("afterwards: %q", got)
	}
}

func TestAMethodGainedBesideTimersIsWarnedOf(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	got := printed(s, "import (\n\"fmt\"\n\"time\"\n)\ntype T int\nfunc (T) hidden() {}", "v := any(T(1)); time.AfterFunc(time.Hour, func() {})", "fmt.Sprint(v)",
		lateMethod+"\nfunc (T) more(T) {}")
	want := "warning: time.AfterFunc, which this session has used, may call its functions at any time, so interface values made before this cell keep the methods that T (String, more) had then; make them again\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The usual way of a notebook says nothing: a type, its use, a method, its use.
func TestMethodsAddedLaterAreNoMatterForWarnings(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	got := printed(s, "import (\n\"fmt\"\n\"sort\"\n\"os\"\n\"bufio\"\n)\ntype T int", "ts := []T{3, 1, 2}; w := bufio.NewWriter(os.Stdout)",
		"sort.Slice(ts, func(i, j int) bool { return ts[i] < ts[j] }); fmt.Fprintln(w, ts)", lateMethod, "fmt.Fprintln(w, ts); w.Flush()")
	if got != "[1 2 3]\n[text text text]\n" {
		t.Errorf("got %q", got)
	}
}
