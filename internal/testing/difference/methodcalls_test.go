package difference

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// receivers has expressions for receivers of the types of the packages through which a program
// reaches the runtime, by type. New makes each for one call.
var receivers = map[reflect.Type][]string{
	reflect.TypeFor[reflect.Value](): {
		"reflect.Value{}", "reflect.ValueOf(1)", `reflect.ValueOf("text")`, "reflect.ValueOf(S$m{1, 2})", "reflect.ValueOf(&S$m{1, 2})", "reflect.ValueOf(&S$m{1, 2}).Elem()",
		"reflect.ValueOf((*S$m)(nil))", `reflect.ValueOf(M$m{"a": 1})`, "reflect.ValueOf([]int{1, 2})", "reflect.ValueOf(&[]int{1, 2}).Elem()", "reflect.ValueOf(&[3]int{1}).Elem()", "reflect.ValueOf(channel$m())",
		"reflect.ValueOf(function$m)", "reflect.ValueOf(S$m.Sum)", "reflect.ValueOf(S$m{1, 2}).Method(0)", "reflect.ValueOf(new(any)).Elem()", "reflect.ValueOf(new(I$m)).Elem()", "reflect.ValueOf(N$m(3))", "reflect.ValueOf(new(N$m)).Elem()",
		"reflect.ValueOf(1.5)", "reflect.ValueOf(2i)", "reflect.ValueOf(true)", `reflect.ValueOf([]byte("ab"))`, "reflect.ValueOf(G$m[string]{}).Field(0)", "reflect.ValueOf(&S$m{1, 2}).Elem().Field(1)", "reflect.ValueOf(uint8(7))",
		"reflect.ValueOf(iterate$m)",
	},
	reflect.TypeFor[reflect.Type](): {
		"reflect.TypeFor[int]()", "reflect.TypeFor[S$m]()", "reflect.TypeFor[*S$m]()", "reflect.TypeFor[M$m]()", "reflect.TypeFor[[]S$m]()", "reflect.TypeFor[[3]N$m]()", "reflect.TypeFor[chan<- S$m]()",
		"reflect.TypeFor[func(S$m, ...int) error]()", "reflect.TypeFor[I$m]()", "reflect.TypeFor[any]()", "reflect.TypeFor[N$m]()", "reflect.TypeFor[G$m[string]]()", "reflect.TypeFor[struct{ S$m; x int }]()", "reflect.TypeFor[func(func(int) bool)]()",
		"reflect.TypeFor[unsafe.Pointer]()", "reflect.TypeFor[complex64]()",
	},
	reflect.TypeFor[*reflect.MapIter]():            {"new(reflect.MapIter)", "started$m()", `reflect.ValueOf(M$m{"a": 1}).MapRange()`},
	reflect.TypeFor[reflect.StructTag]():           {"reflect.StructTag(`a:\"x\" b:y`)"},
	reflect.TypeFor[reflect.Kind]():                {"reflect.Kind(77)", "reflect.Map"},
	reflect.TypeFor[reflect.ChanDir]():             {"reflect.ChanDir(0)", "reflect.BothDir"},
	reflect.TypeFor[reflect.Method]():              {"reflect.TypeFor[S$m]().Method(0)"},
	reflect.TypeFor[reflect.StructField]():         {"reflect.TypeFor[S$m]().Field(1)"},
	reflect.TypeFor[*reflect.ValueError]():         {`&reflect.ValueError{Method: "x"}`},
	reflect.TypeFor[*runtime.Frames]():             {"runtime.CallersFrames(nil)", "callers$m()"},
	reflect.TypeFor[*runtime.Func]():               {"(*runtime.Func)(nil)", "runtime.FuncForPC(reflect.ValueOf(function$m).Pointer())"},
	reflect.TypeFor[*runtime.MemProfileRecord]():   {"new(runtime.MemProfileRecord)"},
	reflect.TypeFor[*runtime.BlockProfileRecord](): {"new(runtime.BlockProfileRecord)"},
	reflect.TypeFor[*runtime.StackRecord]():        {"new(runtime.StackRecord)"},
	reflect.TypeFor[*runtime.PanicNilError]():      {"new(runtime.PanicNilError)"},
	reflect.TypeFor[*runtime.TypeAssertionError](): {"new(runtime.TypeAssertionError)", "assertion$m()"},
	reflect.TypeFor[*runtime.Pinner]():             {"new(runtime.Pinner)"},
	reflect.TypeFor[runtime.Cleanup]():             {"runtime.Cleanup{}", "runtime.AddCleanup(new([4]int), func(int) {}, 1)"},
	reflect.TypeFor[*debug.BuildInfo]():            {"new(debug.BuildInfo)"},
}

// argumentsFor has arguments for parameters of a type: harmless, extreme and wrong ones.
var argumentsFor = map[reflect.Type][]string{
	reflect.TypeFor[int]():                 {"0", "1", "-1", "99"},
	reflect.TypeFor[int64]():               {"5", "-1 << 40"},
	reflect.TypeFor[uint64]():              {"5", "1 << 40"},
	reflect.TypeFor[float64]():             {"2.5", "1e300"},
	reflect.TypeFor[complex128]():          {"2i", "1e300"},
	reflect.TypeFor[bool]():                {"true"},
	reflect.TypeFor[string]():              {`"a"`, `"Sum"`, `"A"`, `""`},
	reflect.TypeFor[any]():                 {"nil", "new(int)", "3"},
	reflect.TypeFor[[]byte]():              {"nil", `[]byte("z")`},
	reflect.TypeFor[[]int]():               {"nil", "[]int{0}", "[]int{1, 5}"},
	reflect.TypeFor[uintptr]():             {"0"},
	reflect.TypeFor[unsafe.Pointer]():      {"nil"},
	reflect.TypeFor[reflect.Value]():       {"reflect.ValueOf(9)", "reflect.Value{}", `reflect.ValueOf("a")`, "reflect.ValueOf(S$m{3, 4})"},
	reflect.TypeFor[[]reflect.Value]():     {"nil", "[]reflect.Value{reflect.ValueOf(2)}", "[]reflect.Value{reflect.ValueOf(2), reflect.ValueOf([]int{3})}", `[]reflect.Value{reflect.ValueOf("x")}`},
	reflect.TypeFor[reflect.Type]():        {"reflect.TypeFor[int]()", "reflect.TypeFor[I$m]()", "reflect.TypeFor[S$m]()", "reflect.TypeFor[[]rune]()", "nil"},
	reflect.TypeFor[*reflect.MapIter]():    {"new(reflect.MapIter)", "started$m()"},
	reflect.TypeFor[func(string) bool]():   {`func(s string) bool { return s == "A" }`, "nil"},
	reflect.TypeFor[runtime.StackRecord](): {"runtime.StackRecord{}"},
}

const methodCallDeclarations = `
type S$m struct { A int ` + "`a:\"x\"`" + `; b int }
func (s S$m) Sum(n ...int) int { return s.A + s.b + len(n) }
func (s *S$m) Set(n int) { s.A = n }
type M$m map[string]int
func (m M$m) Size() int { return len(m) }
type N$m int
func (n N$m) String() string { return "N" }
type G$m[T any] struct { V T }
func (g G$m[T]) Get() T { return g.V }
type I$m interface { Sum(...int) int }
func function$m(n int) int { return n + 1 }
func iterate$m(yield func(int, string) bool) { _ = yield(1, "a") && yield(2, "b") }
func channel$m() chan int { c := make(chan int, 3); c <- 5; close(c); return c }
func started$m() *reflect.MapIter { i := reflect.ValueOf(M$m{"a": 1}).MapRange(); i.Next(); return i }
func callers$m() *runtime.Frames { return runtime.CallersFrames([]uintptr{reflect.ValueOf(function$m).Pointer() + 1}) }
func assertion$m() (err *runtime.TypeAssertionError) {
	defer func() { err = recover().(*runtime.TypeAssertionError) }()
	var x any = 1
	_ = x.(I$m)
	return nil
}
func show$m(x any) string {
	switch x := x.(type) {
	case reflect.Value:
		if !x.IsValid() { return "invalid" }
		text := x.Kind().String() + " " + x.Type().String()
		switch x.Kind() {
		case reflect.Func, reflect.Chan, reflect.Pointer, reflect.UnsafePointer:
			if x.CanInterface() { text += fmt.Sprint(" nil ", x.IsNil()) }
			return text
		}
		return text + " " + fmt.Sprint(x) + fmt.Sprint(x.CanSet(), x.CanAddr())
	case []reflect.Value:
		text := "list"
		for _, v := range x { text += " " + show$m(v) }
		return text
	case reflect.Type: return x.String()
	case reflect.Method: return fmt.Sprint(x.Name, x.PkgPath, x.Type, x.Index)
	case uintptr: return fmt.Sprint(x != 0)
	case unsafe.Pointer: return fmt.Sprint(x != nil)
	case runtime.Frame: return x.Function
	case *reflect.MapIter, [2]uintptr: return "opaque"
	}
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Func && v.Type().CanSeq() && !v.IsNil() {
		text := "sequence"
		for a := range v.Seq() { text += " " + show$m(a.Interface()) }
		return text
	}
	if v.Kind() == reflect.Func && v.Type().CanSeq2() && !v.IsNil() {
		text := "sequence"
		for a, b := range v.Seq2() { text += " " + show$m(a.Interface()) + ":" + show$m(b.Interface()) }
		return text
	}
	return fmt.Sprint(x)
}
func try$m(name string, f func() []any) {
	defer func() {
		if r := recover(); r != nil { fmt.Println(name, "panics:", r) }
	}()
	text := ""
	for _, x := range f() { text += " " + show$m(x) }
	fmt.Println(name + text)
}
`

// methodCalls returns statements that call each exported method of the types of receivers with each
// of the arguments, and their number.
func methodCalls() (list []string) {
	types := slices.SortedFunc(maps.Keys(receivers), func(a, b reflect.Type) int { return cmp.Compare(a.String(), b.String()) })
	for _, t := range types {
		values := receivers[t]
		for i := range t.NumMethod() {
			m := t.Method(i)
			if !m.IsExported() || m.Name == "FileLine" { // the file has another name
				continue
			}
			first := 1
			if t.Kind() == reflect.Interface {
				first = 0
			}
			variants := 1
			for p := first; p < m.Type.NumIn(); p++ {
				variants = max(variants, len(argumentsFor[m.Type.In(p)]))
			}
			for _, value := range values {
				for variant := range variants {
					var arguments []string
					for p := first; p < m.Type.NumIn(); p++ {
						some := argumentsFor[m.Type.In(p)]
						if len(some) == 0 {
							panic("no arguments for " + m.Type.In(p).String())
						}
						arguments = append(arguments, some[(variant+p-first)%len(some)])
					}
					list = append(list, methodCall(t, m, value, strings.Join(arguments, ", ")))
				}
			}
		}
	}
	return list
}

func methodCall(t reflect.Type, m reflect.Method, value, arguments string) string {
	call := fmt.Sprintf("(%s).%s(%s)", value, m.Name, arguments)
	if m.Type.IsVariadic() {
		call = fmt.Sprintf("(%s).%s(%s...)", value, m.Name, arguments)
	}
	name := strings.ReplaceAll(call, "$m", "")
	switch m.Type.NumOut() {
	case 0:
		return fmt.Sprintf("try$m(%q, func() []any { %s; return nil })", name, call)
	case 1:
		return fmt.Sprintf("try$m(%q, func() []any { return []any{%s} })", name, call)
	}
	return fmt.Sprintf("try$m(%q, func() []any { a, b := %s; return []any{a, b} })", name, call)
}

var addresses = regexp.MustCompile(`0x[0-9a-f]+`)

// TestMethodsOfTypesThatReachTheRuntime calls the methods of the types of packages reflect, runtime
// and runtime/debug on values of cells with right and wrong arguments: some of them, or all if
// GOSPHERE_CROSSING=all.
func TestMethodsOfTypesThatReachTheRuntime(t *testing.T) {
	needGo(t)
	imports := []string{"fmt", "reflect", "runtime", "runtime/debug", "unsafe"}
	calls := methodCalls()
	if os.Getenv("GOSPHERE_CROSSING") != "all" {
		var some []string
		for i := 3; i < len(calls); i += 17 {
			some = append(some, calls[i])
		}
		calls = some
	}
	const inOne = 250
	var programs []string
	cells := [][]string{{`import ("` + strings.Join(imports, `"; "`) + `")`, strings.ReplaceAll(methodCallDeclarations, "$m", "")}}
	for first := 0; first < len(calls); first += inOne {
		body := strings.Join(calls[first:min(first+inOne, len(calls))], "\n")
		source := "package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\nvar _, _ = debug.Stack, unsafe.Sizeof(1)\n" +
			methodCallDeclarations + "func run$m() {\n" + body + "\n}\n"
		programs = append(programs, strings.ReplaceAll(source, "$m", mark(len(programs))))
		cells[0] = append(cells[0], strings.ReplaceAll(body, "$m", ""))
	}
	outputs, ok, err := Compiled(programs)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := inWorkersOf("each", cells)
	if err != nil {
		t.Fatal(err)
	}
	failures := 0
	for i := range programs {
		if !ok[i] || len(outcomes[0].Parts) < i+3 {
			t.Fatalf("program %d: compiled %t; cells: %s", i, ok[i], outcomes[0].Failure)
		}
		got := strings.Split(addresses.ReplaceAllString(outcomes[0].Parts[i+2], "0x"), "\n")
		for n, want := range strings.Split(addresses.ReplaceAllString(marks.ReplaceAllString(outputs[i], ""), "0x"), "\n") {
			if n >= len(got) || got[n] != want {
				if failures++; failures <= mostShown {
					t.Errorf("got:  %s\nwant: %s", strings.Join(got[min(n, len(got)):min(n+1, len(got))], ""), want)
				}
			}
		}
	}
	t.Logf("%d calls, %d failures", len(calls), failures)
}
