package machine_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

type (
	celsius float64
	pair    struct {
		text string
		n    int
	}
)

// samples are values of the types that signatures of the tests consist of: each class with typed
// entries, declared types, and classes without.
var samples = []any{
	42, "text", 1.5, true, errors.New("error"), new(int), []string{"a", "b"}, int32('x'), uint8(200), // with typed entries
	celsius(36.6), pair{"a", 1}, int8(-3), 2 + 3i, map[string]int{"k": 1}, [2]string{"x", "y"},
}

// interfaces has the types of samples that are values of an interface type in signatures.
var interfaces = map[reflect.Type]reflect.Type{reflect.TypeOf(errors.New("")): reflect.TypeFor[error]()}

func typeIn(v any) reflect.Type {
	if t, ok := interfaces[reflect.TypeOf(v)]; ok {
		return t
	}
	return reflect.TypeOf(v)
}

// signatures calls f with function types of up to three parameters and two results, each with
// arguments and results.
func signatures(f func(t reflect.Type, args, results []reflect.Value)) {
	each := func(in ...any) {
		var types []reflect.Type
		var args []reflect.Value
		for _, v := range in {
			types, args = append(types, typeIn(v)), append(args, reflect.ValueOf(v))
		}
		f(reflect.FuncOf(types, nil, false), args, nil)
		for i, r := range samples {
			f(reflect.FuncOf(types, []reflect.Type{typeIn(r)}, false), args, []reflect.Value{reflect.ValueOf(r)})
			if s := samples[(i+4)%len(samples)]; len(in) != 2 {
				f(reflect.FuncOf(types, []reflect.Type{typeIn(r), typeIn(s)}, false), args, []reflect.Value{reflect.ValueOf(r), reflect.ValueOf(s)})
			}
		}
	}
	each()
	for _, a := range samples {
		each(a)
		for _, b := range samples {
			each(a, b)
		}
		each(a, 7, a)
	}
}

// newClosure returns a closure of a function of cells that checks its arguments and returns
// results. before is the number of parameters that are not arguments.
func newClosure(t *testing.T, m *machine.Machine, f reflect.Type, args, results []reflect.Value) *machine.Closure {
	cl := &machine.Closure{M: m}
	var code *machine.Code
	code, cl.Sig, _ = newCode(m, f, func(n machine.Frame) {
		if machine.HeaderOf(n).Code != code {
			t.Errorf("%v runs in the frame of another function", f)
		}
		for i, s := range code.Params {
			if got := in(n, s); !reflect.DeepEqual(got.Interface(), args[i].Interface()) {
				t.Errorf("parameter %d of %v is %v, want %v", i, f, got, args[i])
			}
		}
		for i, s := range code.Results {
			in(n, s).Set(results[i])
		}
	})
	cl.Code = code
	return cl
}

// goFunc returns the func value of a closure.
func goFunc(cl *machine.Closure, t reflect.Type) reflect.Value {
	v := reflect.New(t)
	*(*unsafe.Pointer)(v.UnsafePointer()) = cl.GoFunc(t)
	return v.Elem()
}

func word(v reflect.Value) unsafe.Pointer { return *(*unsafe.Pointer)(machine.NewFuncCell(v)) }

// TestCompiledCodeCallsFunctionsOfCells calls a function of each type as compiled code does, on a
// goroutine without a thread and on one that runs cells.
func TestCompiledCodeCallsFunctionsOfCells(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	m, _ := newMachine()
	count := 0
	signatures(func(f reflect.Type, args, results []reflect.Value) {
		count++
		cl := newClosure(t, m, f, args, results)
		v := goFunc(cl, f)
		if machine.ClosureOf(word(v)) != cl {
			t.Errorf("the closure of a %v is not found in the func value", f)
		}
		check := func() {
			for i, got := range v.Call(args) {
				if !reflect.DeepEqual(got.Interface(), results[i].Interface()) {
					t.Errorf("result %d of %v is %v, want %v", i, f, got, results[i])
				}
			}
		}
		check()
		if machine.Current() != nil {
			t.Fatalf("a call of %v leaves a thread", f)
		}
		m.Call(func() {
			before := machine.Current()
			check()
			if machine.Current() != before {
				t.Errorf("a call of %v changes the thread", f)
			}
		})
	})
	if count < 3000 {
		t.Errorf("only %d types of functions", count)
	}
}

// TestMethodValuesPassTheirReceiver binds the first parameter of each function that has one.
func TestMethodValuesPassTheirReceiver(t *testing.T) {
	m, _ := newMachine()
	signatures(func(f reflect.Type, args, results []reflect.Value) {
		if len(args) == 0 || len(args) == 2 && len(results) == 1 && f.Out(0).Kind() != reflect.String {
			return // as many are enough
		}
		cl := newClosure(t, m, f, args, results)
		receiver := reflect.New(f.In(0))
		receiver.Elem().Set(args[0])
		cl.Bound = &machine.BoundReceiver{Type: m.Describe(f.In(0)), At: receiver.UnsafePointer()}
		var rest []reflect.Type
		for i := 1; i < f.NumIn(); i++ {
			rest = append(rest, f.In(i))
		}
		var out []reflect.Type
		for i := range f.NumOut() {
			out = append(out, f.Out(i))
		}
		bound := reflect.FuncOf(rest, out, false)
		cl.Sig.Params = cl.Code.Params[1:]
		for i, got := range goFunc(cl, bound).Call(args[1:]) {
			if !reflect.DeepEqual(got.Interface(), results[i].Interface()) {
				t.Errorf("result %d of %v is %v, want %v", i, f, got, results[i])
			}
		}
	})
}

func TestCompiledFunctionsHaveNoClosure(t *testing.T) {
	made := reflect.MakeFunc(reflect.TypeFor[func(int8) int8](), func(in []reflect.Value) []reflect.Value { return in })
	n := 3
	for _, f := range []any{strings.ToUpper, fmt.Println, func() int { return n }, strings.NewReader("").Len, made.Interface()} {
		if machine.ClosureOf(word(reflect.ValueOf(f))) != nil {
			t.Errorf("%T is taken for a function of cells", f)
		}
	}
	if machine.ClosureOf(nil) != nil {
		t.Error("nil is taken for a function of cells")
	}
}

// TestAPanicOfACalledFunctionReachesCompiledCode recovers it there. The next calls work as before.
func TestAPanicOfACalledFunctionReachesCompiledCode(t *testing.T) {
	m, _ := newMachine()
	for _, f := range []reflect.Type{reflect.TypeFor[func()](), reflect.TypeFor[func() int](), reflect.TypeFor[func() pair]()} {
		fail := true
		cl := newClosure(t, m, f, nil, nil)
		cl.Code.Run = func(machine.Frame) {
			if fail {
				panic("failed")
			}
		}
		call := func() (value any) {
			defer func() { value = recover() }()
			goFunc(cl, f).Call(nil)
			return nil
		}
		for range 2 {
			fail = true
			if got := call(); got != "failed" || machine.Current() != nil {
				t.Errorf("a call of %v panics with %v and leaves the thread %v", f, got, machine.Current())
			}
			fail = false
			if got := call(); got != nil {
				t.Errorf("a later call of %v panics with %v", f, got)
			}
		}
	}
}
