package hostcall

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// TestCollectorSeesArgumentsAndResults runs the tests of this package again with a collector that
// runs constantly and overwrites freed memory.
func TestCollectorSeesArgumentsAndResults(t *testing.T) {
	if os.Getenv("HOSTCALL_STRESS") != "" {
		t.Skip("this is the run under stress")
	}
	run := exec.Command(os.Args[0], "-test.run", "TestFresh|TestStack|TestCallAgrees|TestCallMethod|TestPanic|Entry", "-test.short")
	run.Env = append(os.Environ(), "HOSTCALL_STRESS=1", "GOGC=1", "GODEBUG=clobberfree=1")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

type node struct {
	next *node
	text string
}

// fresh returns objects without other references.
func fresh(n int, seed *node) (*node, string, []*node, any, map[string]*node, func() *node) {
	text := strings.Repeat("x", n) + seed.text
	first := &node{&node{nil, text}, text}
	return first, text + "!", []*node{first, {first, text}}, first,
		map[string]*node{text: first}, func() *node { return first }
}

func TestFreshResultsSurviveCollections(t *testing.T) {
	f := reflect.ValueOf(fresh)
	s, fn := Of(f.Type()), word(f)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for n := range 300 {
				seed := &node{text: fmt.Sprint("seed", n)}
				var r struct {
					p *node
					s string
					l []*node
					i any
					m map[string]*node
					f func() *node
				}
				s.Call(fn, []unsafe.Pointer{unsafe.Pointer(&n), unsafe.Pointer(&seed)}, []unsafe.Pointer{
					unsafe.Pointer(&r.p), unsafe.Pointer(&r.s), unsafe.Pointer(&r.l),
					unsafe.Pointer(&r.i), unsafe.Pointer(&r.m), unsafe.Pointer(&r.f)})
				if n%16 == 0 {
					runtime.GC()
				}
				want := strings.Repeat("x", n) + seed.text
				if r.p.next.text != want || r.s != want+"!" || r.l[1].next != r.p || r.i != any(r.p) ||
					r.m[want] != r.p || r.f() != r.p {
					t.Errorf("call %d: %+v", n, r)
				}
			}
		})
	}
	wait.Wait()
}

//go:noinline
func deep(depth int, n *node, text string, x float64) (*node, string, float64) {
	var space [256]byte
	space[depth%256] = byte(depth)
	if depth == 0 {
		runtime.GC()
		return &node{n, text}, text + "!", x
	}
	a, b, c := deep(depth-1, n, text, x)
	runtime.KeepAlive(&space)
	return a, b, c + float64(space[depth%256])*0
}

func TestStackMayGrowInTheFunctionCalled(t *testing.T) {
	f := reflect.ValueOf(deep)
	s, fn := Of(f.Type()), word(f)
	for _, depth := range []int{0, 1, 10, 100, 3000} {
		done := make(chan struct{})
		go func() { // on a stack of the initial size
			defer close(done)
			n, text, x := &node{text: "start"}, strings.Repeat("ab", 3), 2.5
			var p *node
			var r string
			var y float64
			s.Call(fn, []unsafe.Pointer{unsafe.Pointer(&depth), unsafe.Pointer(&n), unsafe.Pointer(&text), unsafe.Pointer(&x)},
				[]unsafe.Pointer{unsafe.Pointer(&p), unsafe.Pointer(&r), unsafe.Pointer(&y)})
			if p.next != n || p.text != text || r != "ababab!" || y != 2.5 {
				t.Errorf("depth %d: %v %q %v", depth, p, r, y)
			}
		}()
		<-done
	}
}

func TestPanicPassesThroughCall(t *testing.T) {
	want := errors.New("failure")
	calls := map[string]any{
		"registers": func(n *node) int { panic(want) },
		"stack":     func(n [2]*node) int { panic(want) },
	}
	for name, f := range calls {
		for range 50 {
			func() {
				defer func() {
					if got := recover(); got != want {
						t.Errorf("%s: recovered %v", name, got)
					}
				}()
				call(reflect.ValueOf(f), []reflect.Value{reflect.New(reflect.TypeOf(f).In(0)).Elem()})
			}()
		}
	}
}

func TestGoexitPassesThroughCall(t *testing.T) {
	for _, f := range []any{func() { runtime.Goexit() }, func([2]int) { runtime.Goexit() }} {
		order := make(chan string, 3)
		go func() {
			defer close(order)
			defer func() { order <- fmt.Sprint("deferred ", recover()) }()
			v := reflect.ValueOf(f)
			var args []reflect.Value
			if v.Type().NumIn() > 0 {
				args = append(args, reflect.New(v.Type().In(0)).Elem())
			}
			call(v, args)
			order <- "returned"
		}()
		var got []string
		for s := range order {
			got = append(got, s)
		}
		if !slices.Equal(got, []string{"deferred <nil>"}) {
			t.Errorf("%T: %v", f, got)
		}
	}
}

func TestCallOfNilFunctionPanicsAsInGo(t *testing.T) {
	for _, f := range []any{(func())(nil), (func([2]int))(nil)} {
		func() {
			defer func() {
				err, _ := recover().(runtime.Error)
				if err == nil || !strings.Contains(err.Error(), "nil pointer dereference") {
					t.Errorf("%T: recovered %v", f, err)
				}
			}()
			s := Of(reflect.TypeOf(f))
			s.Call(nil, make([]unsafe.Pointer, s.typ.NumIn()), nil)
		}()
	}
}

func TestCallOfOtherCountsPanics(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "1 arguments and 0 results for func(int, string)") {
			t.Errorf("recovered %v", got)
		}
	}()
	Of(reflect.TypeFor[func(int, string)]()).Call(nil, make([]unsafe.Pointer, 1), nil)
}

func TestUnwantedResultsAreDropped(t *testing.T) {
	f := func() (int, string, [2]int) { return 1, "two", [2]int{3, 4} }
	var s string
	for _, v := range []reflect.Value{reflect.ValueOf(f), reflect.ValueOf(fresh)} {
		results := make([]unsafe.Pointer, v.Type().NumOut())
		results[1] = unsafe.Pointer(&s)
		args := pointers(randomArguments(newRandom(), v.Type()))
		if v.Type().NumIn() == 2 {
			seed := &node{text: "seed"}
			args[1] = unsafe.Pointer(&seed)
		}
		s = ""
		Of(v.Type()).Call(word(v), args, results)
		if s == "" {
			t.Errorf("%v: the result that was wanted is empty", v.Type())
		}
	}
}

func TestStackTracesLeadThroughTheTrampoline(t *testing.T) {
	var names []string
	f := reflect.ValueOf(func(int, float64) {
		pcs := make([]uintptr, 50)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			names = append(names, frame.Function[strings.LastIndex(frame.Function, ".")+1:])
		}
	})
	call(f, []reflect.Value{reflect.ValueOf(1), reflect.ValueOf(2.0)})
	if !slices.Contains(names, "TestStackTracesLeadThroughTheTrampoline") || !slices.Contains(names, "tRunner") {
		t.Errorf("the trace is %v", names)
	}
}
