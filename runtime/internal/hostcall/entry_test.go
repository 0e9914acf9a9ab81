package hostcall

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// A handled is the closure of the func values of these tests.
type handled struct {
	handle func(c *Call)
}

func init() { Handle(func(closure unsafe.Pointer, c *Call) { (*handled)(closure).handle(c) }) }

// blockOf returns a struct type with the parameters and results of a function type, and their
// places in it.
func blockOf(f reflect.Type) (block reflect.Type, params, results []Place) {
	var fields []reflect.StructField
	for t := range f.Ins() {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("A", len(fields)), Type: t})
	}
	for t := range f.Outs() {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("R", len(fields)), Type: t})
	}
	block = reflect.StructOf(fields)
	for i := range fields {
		p := Place{block.Field(i).Offset, fields[i].Type}
		if i < f.NumIn() {
			params = append(params, p)
		} else {
			results = append(results, p)
		}
	}
	return block, params, results
}

// collects makes functions of makeFunc collect garbage before they read their arguments, and after
// they have returned their results.
var collects bool

// makeFunc is reflect.MakeFunc by way of the entry. It returns false for function types without a
// layout.
func makeFunc(f reflect.Type, fn func(args []reflect.Value) []reflect.Value) (reflect.Value, bool) {
	block, params, results := blockOf(f)
	layout := NewLayout(params, results)
	if layout == nil {
		return reflect.Value{}, false
	}
	return funcValue(f, layout, func(c *Call) {
		if collects {
			runtime.GC() // the arguments have no other references
			defer runtime.GC()
		}
		b := reflect.New(block)
		c.Arguments(b.UnsafePointer())
		var args []reflect.Value
		for i := range params {
			args = append(args, b.Elem().Field(i))
		}
		for i, r := range fn(args) {
			b.Elem().Field(len(params) + i).Set(r)
		}
		c.Results(b.UnsafePointer())
	}), true
}

// funcValue returns a func value that is handled by handle.
func funcValue(f reflect.Type, layout *Layout, handle func(c *Call)) reflect.Value {
	v := reflect.New(f)
	*(*unsafe.Pointer)(v.UnsafePointer()) = layout.NewFunc(unsafe.Pointer(&handled{handle}))
	return v.Elem()
}

func makeTyped[F any](t *testing.T, fn func(args []reflect.Value) []reflect.Value) F {
	t.Helper()
	v, ok := makeFunc(reflect.TypeFor[F](), fn)
	if !ok {
		t.Skip("this build has no entry")
	}
	return v.Interface().(F)
}

// TestEntryDoesWhatMakeFuncDoes calls functions of random types, by package reflect and by this
// one, which assign registers independently of the entry.
func TestEntryDoesWhatMakeFuncDoes(t *testing.T) {
	if !haveTrampoline {
		t.Skip("this build has no entry")
	}
	entered := 0
	for seed := range uint64(2000) {
		if checkRandomEntry(t, seed) {
			entered++
		}
	}
	if entered < 700 {
		t.Errorf("only %d function types have a layout", entered)
	}
}

func FuzzEntryDoesWhatMakeFuncDoes(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomEntry(t, seed) })
}

// checkRandomEntry reports whether the function type has a layout.
func checkRandomEntry(t *testing.T, seed uint64) bool {
	random := rand.New(rand.NewPCG(seed, 11))
	var in, out []reflect.Type
	for range random.IntN(6) {
		in = append(in, randomType(random, 2))
	}
	for range random.IntN(4) {
		out = append(out, randomType(random, 2))
	}
	typ := reflect.FuncOf(in, out, false)
	results := make([]reflect.Value, len(out))
	for i := range out {
		results[i] = randomValue(random, out[i], 3)
	}
	var seen []reflect.Value
	fn := func(args []reflect.Value) []reflect.Value {
		seen = append([]reflect.Value(nil), args...)
		return results
	}
	f, ok := makeFunc(typ, fn)
	args := randomArguments(random, typ)
	check := func(what string, f func() []reflect.Value) {
		got := f()
		sameValues(t, fmt.Sprintf("seed %d, %s: argument of %v", seed, what, typ), seen, args)
		sameValues(t, fmt.Sprintf("seed %d, %s: result of %v", seed, what, typ), got, results)
	}
	check("MakeFunc", func() []reflect.Value { return reflect.MakeFunc(typ, fn).Call(args) })
	if ok {
		check("entry and reflect", func() []reflect.Value { return f.Call(args) })
		check("entry and trampoline", func() []reflect.Value { return call(f, args) })
	}
	return ok
}

// TestEntryIsCalledByCompiledCode calls func values as the compiler compiles the calls.
func TestEntryIsCalledByCompiledCode(t *testing.T) {
	reversed := func(args []reflect.Value) []reflect.Value { slices.Reverse(args); return args }
	a, b, c, d, e, f := makeTyped[func(int8, float32, uint16, string, bool, [1]float64) ([1]float64, bool, string, uint16, float32, int8)](t, reversed)(-3, 1.5, 65535, "text", true, [1]float64{2.5})
	if a != [1]float64{2.5} || !b || c != "text" || d != 65535 || e != 1.5 || f != -3 {
		t.Error(a, b, c, d, e, f)
	}
	joined := makeTyped[func(string, ...any) string](t, func(args []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(fmt.Sprintf(args[0].String(), args[1].Interface().([]any)...))}
	})
	if got := joined("%d %v %s", 1, 2.5, "x"); got != "1 2.5 x" {
		t.Errorf("variadic: %q", got)
	}
	failure := errors.New("failure")
	p, z, err := makeTyped[func(error, complex128, *int) (*int, complex128, error)](t, reversed)(failure, 1+2i, nil)
	if p != nil || z != 1+2i || err != failure {
		t.Error(p, z, err)
	}
	if got := makeTyped[func(mixed) mixed](t, reversed)(mixed{A: -1, B: 2, C: "c", H: true, I: 7}); got.A != -1 || got.B != 2 || got.C != "c" || !got.H || got.I != 7 {
		t.Errorf("%+v", got)
	}
}

func TestLayoutsNeedRegisters(t *testing.T) {
	if !haveTrampoline {
		t.Skip("this build has no entry")
	}
	for _, c := range []struct {
		f    any
		want bool
	}{
		{func() {}, true}, {func(mixed) pair { return pair{} }, true}, {func(string, ...any) {}, true},
		{func([2]int) {}, false}, {func() [2]string { return [2]string{} }, false},
		{func() (a, b, c, d, e, f []int) { return }, false}, {func([0]int, [1]string) {}, true},
	} {
		_, params, results := blockOf(reflect.TypeOf(c.f))
		if got := NewLayout(params, results) != nil; got != c.want {
			t.Errorf("%T has a layout: %v, want %v", c.f, got, c.want)
		}
	}
}

// TestEntryKeepsFreshValues passes objects to which nothing else refers, and returns such objects,
// while signals of profiles and traces interrupt the goroutines. Memory that is freed too early is
// found under stress; see TestCollectorSeesArgumentsAndResults.
func TestEntryKeepsFreshValues(t *testing.T) {
	collects = true
	defer func() { collects = false }()
	var profile, events bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	if trace.Start(&events) == nil {
		defer trace.Stop()
	}
	type pieces = func(*node, string, []*node, any, float64) (float64, any, []*node, string, *node)
	f := makeTyped[pieces](t, func(args []reflect.Value) []reflect.Value {
		p, s, l := args[0].Interface().(*node), args[1].String(), args[2].Interface().([]*node)
		// The results are new objects.
		var a any = &node{nil, strings.Clone(args[3].Interface().(*node).text)}
		return []reflect.Value{args[4], reflect.ValueOf(&a).Elem(), reflect.ValueOf(slices.Clone(l)),
			reflect.ValueOf(strings.Clone(s)), reflect.ValueOf(&node{p.next, strings.Clone(p.text)})}
	})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for n := range 12 {
				text := strings.Repeat("x", n+1)
				x, a, l, s, p := f(&node{&node{nil, text}, text}, text+"!", []*node{{nil, text}}, &node{nil, text}, 2.5)
				if x != 2.5 || a.(*node).text != text || l[0].text != text || s != text+"!" || p.next.text != text {
					t.Errorf("call %d: %v %v %v %v %v", n, x, a, l, s, p)
				}
			}
		})
	}
	wait.Wait()
}

func TestEntryGrowsTheStack(t *testing.T) {
	f := makeTyped[func(int, *node, string, float64) (*node, string, float64)](t, func(args []reflect.Value) []reflect.Value {
		p, s, x := deep(int(args[0].Int()), args[1].Interface().(*node), args[2].String(), args[3].Float())
		return []reflect.Value{reflect.ValueOf(p), reflect.ValueOf(s), reflect.ValueOf(x)}
	})
	for _, depth := range []int{0, 1, 10, 100, 3000} {
		done := make(chan struct{})
		go func() { // on a stack of the initial size
			defer close(done)
			n := &node{text: "start"}
			if p, r, y := f(depth, n, strings.Repeat("ab", 3), 2.5); p.next != n || r != "ababab!" || y != 2.5 {
				t.Errorf("depth %d: %v %q %v", depth, p, r, y)
			}
		}()
		<-done
	}
}

func TestPanicsAndGoexitPassThroughTheEntry(t *testing.T) {
	want := errors.New("failure")
	failing := makeTyped[func(int, float64) string](t, func([]reflect.Value) []reflect.Value { panic(want) })
	for range 50 {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("recovered %v", got)
				}
			}()
			failing(1, 2)
		}()
	}
	leaving := makeTyped[func(*node) int](t, func([]reflect.Value) []reflect.Value { runtime.Goexit(); return nil })
	order := make(chan string, 3)
	go func() {
		defer close(order)
		defer func() { order <- fmt.Sprint("deferred ", recover()) }()
		leaving(nil)
		order <- "returned"
	}()
	if got := fmt.Sprint(<-order, <-order); got != "deferred <nil>" {
		t.Error(got)
	}
}

func TestStackTracesLeadThroughTheEntry(t *testing.T) {
	var names []string
	f := makeTyped[func(float64, string) string](t, func(args []reflect.Value) []reflect.Value {
		pcs := make([]uintptr, 50)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			names = append(names, frame.Function[strings.LastIndex(frame.Function, ".")+1:])
		}
		return args[1:]
	})
	f(1, "")
	if !slices.Contains(names, "entry") || !slices.Contains(names, "TestStackTracesLeadThroughTheEntry") || !slices.Contains(names, "tRunner") {
		t.Errorf("the trace is %v", names)
	}
}

func TestEntryAllocatesNothing(t *testing.T) {
	_, params, results := blockOf(reflect.TypeFor[func(string, float64) string]())
	layout := NewLayout(params, results)
	if layout == nil {
		t.Skip("this build has no entry")
	}
	type block struct {
		s string
		x float64
		r string
	}
	b := new(block)
	f := funcValue(reflect.TypeFor[func(string, float64) string](), layout, func(c *Call) {
		c.Arguments(unsafe.Pointer(b))
		b.r = b.s
		c.Results(unsafe.Pointer(b))
	}).Interface().(func(string, float64) string)
	if n := testing.AllocsPerRun(100, func() { f("text", 2) }); n != 0 {
		t.Errorf("%v allocations for a call", n)
	}
}
