package machine_test

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// directResults are the results that typed calls have, with the function that compiles the call and
// makes it.
var directResults = []struct {
	t    reflect.Type
	call func(*machine.Caller, []any, machine.Frame) (result any, ok bool)
}{
	{reflect.TypeFor[int](), directly[int, int]}, {reflect.TypeFor[int32](), directly[int32, int32]},
	{reflect.TypeFor[uint8](), directly[uint8, uint8]}, {reflect.TypeFor[celsius](), directly[float64, celsius]},
	{reflect.TypeFor[string](), directly[string, string]}, {reflect.TypeFor[bool](), directly[bool, bool]},
	{reflect.TypeFor[error](), directly[machine.Iface, error]}, {reflect.TypeFor[*int](), directly[unsafe.Pointer, *int]},
	{reflect.TypeFor[[]string](), directly[machine.Slice, []string]},
}

// directly compiles and makes a call whose result is a value of type T of the class R.
func directly[R, T any](c *machine.Caller, operands []any, f machine.Frame) (any, bool) {
	call, ok := machine.DirectOf[R](c, operands).(func(machine.Frame) R)
	if !ok {
		return nil, false
	}
	r := call(f)
	return *(*T)(unsafe.Pointer(&r)), true
}

// operandsOf stores values in a new frame and calls f with functions that read them there.
func operandsOf(t *testing.T, m *machine.Machine, values []any, f func(machine.Frame, []any)) {
	t.Helper()
	var types []reflect.Type
	for _, v := range values {
		types = append(types, typeIn(v))
	}
	enter(t, m, types, func(frame machine.Frame, code *machine.Code, slots []machine.Slot) {
		var operands []any
		for i, s := range slots {
			in(frame, s).Set(reflect.ValueOf(values[i]))
			operands = append(operands, read(s).F)
		}
		f(frame, operands)
		code.Leave(frame)
	})
}

// callees calls f with each kind of callee of a function type that takes args and returns results:
// a compiled function, a func value of a compiled function and one of cells.
func callees(t *testing.T, m *machine.Machine, f reflect.Type, args, results []reflect.Value, call func(kind string, target machine.Target)) {
	compiled := reflect.MakeFunc(f, func(in []reflect.Value) []reflect.Value {
		for i, v := range in {
			if !reflect.DeepEqual(v.Interface(), args[i].Interface()) {
				t.Errorf("argument %d of a compiled %v is %v, want %v", i, f, v, args[i])
			}
		}
		if _, outside := machine.Current().Outside(); !outside {
			t.Errorf("a compiled %v runs as code of cells", f)
		}
		var out []reflect.Value
		for i, r := range results {
			v := reflect.New(f.Out(i)).Elem()
			v.Set(r)
			out = append(out, v)
		}
		return out
	})
	call("compiled", machine.Target{Type: f, Fixed: word(compiled)})
	call("func value", machine.Target{Type: f, Value: func(machine.Frame) unsafe.Pointer { return word(compiled) }})
	of := word(goFunc(newClosure(t, m, f, args, results), f))
	call("cells", machine.Target{Type: f, Value: func(machine.Frame) unsafe.Pointer { return of }})
}

// TestTypedCallsPassArgumentsAndResults makes every call with up to two parameters that has a typed
// form.
func TestTypedCallsPassArgumentsAndResults(t *testing.T) {
	m, h := newMachine()
	site := &machine.Site{}
	made := 0
	for _, r := range directResults {
		var result any
		for _, v := range samples {
			if typeIn(v) == r.t {
				result = v
			}
		}
		check := func(values ...any) {
			var types []reflect.Type
			var args []reflect.Value
			for _, v := range values {
				types, args = append(types, typeIn(v)), append(args, reflect.ValueOf(v))
			}
			f := reflect.FuncOf(types, []reflect.Type{r.t}, false)
			operandsOf(t, m, values, func(frame machine.Frame, operands []any) {
				callees(t, m, f, args, []reflect.Value{reflect.ValueOf(result)}, func(kind string, target machine.Target) {
					m.SetStop(true)
					before := h.polls.Load()
					got, ok := r.call(&machine.Caller{Target: target, M: m, Site: site}, operands, frame)
					m.SetStop(false)
					if !ok {
						return
					}
					made++
					if !reflect.DeepEqual(got, result) {
						t.Errorf("%s: %v returns %v, want %v", kind, f, got, result)
					}
					if polls := h.polls.Load() - before; polls != 1 {
						t.Errorf("%s: a call of %v polls %d times", kind, f, polls)
					}
					if _, outside := machine.Current().Outside(); outside {
						t.Errorf("%s: after a call of %v the goroutine counts as outside", kind, f)
					}
				})
			})
		}
		check()
		for _, a := range samples {
			check(a)
			for _, b := range samples {
				check(a, b)
			}
		}
	}
	// Per result: none, eight classes and a declared one, and six by eight of two.
	if want := 9 * 3 * (1 + 9 + 7*9); made < want*9/10 {
		t.Errorf("only %d typed calls, want about %d", made, want)
	}
}

// TestPairsPassArgumentsAndResults makes the calls of functions that return an int and an error.
func TestPairsPassArgumentsAndResults(t *testing.T) {
	m, _ := newMachine()
	results := []reflect.Value{reflect.ValueOf(7), reflect.ValueOf(samples[4])}
	pointer, text, list := samples[5], "text", samples[6]
	made := 0
	for _, values := range [][]any{{text}, {list}, {pointer, text}, {pointer, list}, {pointer, 'x'}, {samples[4], text}, {samples[4], list}, {text, list}, {text, 'y'}, {1.5}, {1, 2}} {
		var types []reflect.Type
		var args []reflect.Value
		for _, v := range values {
			types, args = append(types, typeIn(v)), append(args, reflect.ValueOf(v))
		}
		f := reflect.FuncOf(types, []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[error]()}, false)
		operandsOf(t, m, values, func(frame machine.Frame, operands []any) {
			callees(t, m, f, args, results, func(kind string, target machine.Target) {
				call := (&machine.Caller{Target: target, M: m, Site: &machine.Site{}}).Pair(operands)
				if call == nil {
					return
				}
				made++
				n, v := call(frame)
				if err := *(*error)(unsafe.Pointer(&v)); n != 7 || err != samples[4] {
					t.Errorf("%s: %v returns %d, %v", kind, f, n, err)
				}
			})
		})
	}
	if made != 27 {
		t.Errorf("%d typed calls, want 27", made)
	}
}

// A method of an interface value is called by the entry of its method table.
func TestMethodsOfInterfaceValues(t *testing.T) {
	m, h := newMachine()
	b := &strings.Builder{}
	var w io.StringWriter = b
	var s fmt.Stringer = b
	find := func(v any) func(machine.Frame) (fn, receiver unsafe.Pointer) {
		return func(machine.Frame) (fn, receiver unsafe.Pointer) {
			i := *(*machine.Iface)(reflect.ValueOf(v).UnsafePointer())
			if i.Tab == nil {
				return nil, nil
			}
			return unsafe.Add(i.Tab, machine.TableCode), i.Data
		}
	}
	writes := machine.Target{Type: reflect.TypeOf((*strings.Builder).WriteString), Find: find(&w), HasReceiver: true, Method: "WriteString", Offset: machine.TableCode}
	shows := machine.Target{Type: reflect.TypeOf((*strings.Builder).String), Find: find(&s), HasReceiver: true, Method: "String", Offset: machine.TableCode}
	calls := func(frame machine.Frame, operands []any) (n int, text any) {
		n, _ = (&machine.Caller{Target: writes, M: m, Site: &machine.Site{}}).Pair(operands)(frame)
		text, _ = directly[string, string](&machine.Caller{Target: shows, M: m, Site: &machine.Site{}}, nil, frame)
		return n, text
	}
	operandsOf(t, m, []any{"text"}, func(frame machine.Frame, operands []any) {
		if n, text := calls(frame, operands); n != 4 || text != "text" {
			t.Errorf("the compiled methods return %d and %q", n, text)
		}
		// Methods that the session implements replace those of the table.
		m.Methods.Clear()
		method := func(f reflect.Type, run func(*machine.Code, machine.Frame)) *ir.FuncRef {
			ref := &ir.FuncRef{}
			var code *machine.Code
			code, _, _ = newCode(m, f, func(n machine.Frame) { run(code, n) })
			machine.FuncOf(ref).Code.Store(code)
			return ref
		}
		h.methods = map[string]*ir.FuncRef{
			"WriteString": method(writes.Type, func(c *machine.Code, n machine.Frame) {
				if in(n, c.Params[0]).Interface() != b {
					t.Error("the method has another receiver")
				}
				in(n, c.Results[0]).SetInt(int64(10 * in(n, c.Params[1]).Len()))
			}),
			"String": method(shows.Type, func(c *machine.Code, n machine.Frame) { in(n, c.Results[0]).SetString("cells") }),
		}
		if n, text := calls(frame, operands); n != 40 || text != "cells" {
			t.Errorf("the methods of cells return %d and %q", n, text)
		}
		w = nil
		if got := fmt.Sprint(panicOf(func() { calls(frame, operands) })); !strings.Contains(got, "nil pointer dereference") {
			t.Errorf("the call of a method of nil panics with %v", got)
		}
	})
}

// A method with two parameters of a compiled type and of one of cells.
func TestMethodsWithTwoParameters(t *testing.T) {
	m, h := newMachine()
	var v placer = &placed{}
	if n, err := v.put("", nil); n != 0 || err != nil { // without a call, the linker leaves out the method
		t.Fatal(n, err)
	}
	target := machine.Target{Type: reflect.TypeOf((*placed).put), HasReceiver: true, Method: "put", Offset: machine.TableCode,
		Find: func(machine.Frame) (fn, receiver unsafe.Pointer) {
			i := *(*machine.Iface)(unsafe.Pointer(&v))
			return unsafe.Add(i.Tab, machine.TableCode), i.Data
		}}
	operandsOf(t, m, []any{"key", samples[6]}, func(frame machine.Frame, operands []any) {
		c := &machine.Caller{Target: target, M: m, Site: &machine.Site{}}
		if n, _ := c.Pair(operands)(frame); n != 5 || v.(*placed).key != "key" {
			t.Errorf("the compiled method returns %d and its receiver has the key %q", n, v.(*placed).key)
		}
		h.methods = map[string]*ir.FuncRef{"put": {}}
		var code *machine.Code
		code, _, _ = newCode(m, target.Type, func(n machine.Frame) {
			if got := fmt.Sprint(in(n, code.Params[1]), in(n, code.Params[2])); got != "key [a b]" {
				t.Errorf("the method of cells has the arguments %s", got)
			}
			in(n, code.Results[0]).SetInt(-1)
		})
		machine.FuncOf(h.methods["put"]).Code.Store(code)
		m.Methods.Clear()
		c = &machine.Caller{Target: target, M: m, Site: &machine.Site{}}
		if n, _ := c.Pair(operands)(frame); n != -1 {
			t.Errorf("the method of cells returns %d", n)
		}
	})
}

type placer interface {
	put(key string, list []string) (int, error)
}

type placed struct{ key string }

func (p *placed) put(key string, list []string) (int, error) {
	p.key = key
	return len(key) + len(list), nil
}

// TestCompiledCodeIsOutsideAfterItHasCalledCells calls back from a compiled function.
func TestCompiledCodeIsOutsideAfterItHasCalledCells(t *testing.T) {
	m, _ := newMachine()
	inside, after := true, false
	cl := newClosure(t, m, reflect.TypeFor[func() int](), nil, []reflect.Value{reflect.ValueOf(3)})
	run := cl.Code.Run
	cl.Code.Run = func(f machine.Frame) { _, inside = machine.Current().Outside(); run(f) }
	callback := goFunc(cl, reflect.TypeFor[func() int]()).Interface().(func() int)
	f := func() int { n := callback(); _, after = machine.Current().Outside(); return n + 1 }
	enter(t, m, nil, func(frame machine.Frame, _ *machine.Code, _ []machine.Slot) {
		c := &machine.Caller{Target: machine.Target{Type: reflect.TypeOf(f), Fixed: word(reflect.ValueOf(f))}, M: m, Site: &machine.Site{}}
		if n, _ := directly[int, int](c, nil, frame); n != 4 || inside || !after {
			t.Errorf("the call returns %d; outside in the function of cells: %v, and after it: %v", n, inside, after)
		}
	})
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestBriefFunctionsAreNotOutside calls a function that always returns quickly, after which code
// does not poll.
func TestBriefFunctionsAreNotOutside(t *testing.T) {
	m, h := newMachine()
	outside := false
	f := func() int { _, outside = machine.Current().Outside(); return 1 }
	target := machine.Target{Type: reflect.TypeOf(f), Fixed: word(reflect.ValueOf(f))}
	enter(t, m, nil, func(frame machine.Frame, _ *machine.Code, _ []machine.Slot) {
		m.SetStop(true)
		for _, brief := range []bool{true, false} {
			before := h.polls.Load()
			directly[int, int](&machine.Caller{Target: target, M: m, Site: &machine.Site{Brief: brief}}, nil, frame)
			if polled := h.polls.Load() != before; outside == brief || polled == brief {
				t.Errorf("brief %v: outside %v, polled %v", brief, outside, polled)
			}
		}
	})
}
