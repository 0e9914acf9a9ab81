package exec_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/builtin"
)

func TestPrintWritesInTheFormOfTheRuntime(t *testing.T) {
	var out strings.Builder
	builtin.PrintTo(func(text string) { out.WriteString(text) })
	defer builtin.PrintTo(func(text string) { print(text) })
	newSession(t).run(`
func two() (int8, string) { return -3, "s" }
print(1, "a", true)
println()
println(1.5, -2e-9, 1i, uint8(7), 'x', 1e100)
println(two())
var zero float64
println(1/zero, -1/zero, zero/zero, nil == []int(nil))
var m map[int]int
println(m, (*int)(nil), []string(nil), any(nil), error(nil))
defer println("deferred", 2)
`)
	want := "1atrue\n+1.500000e+000 -2.000000e-009 (+0.000000e+000+1.000000e+000i) 7 120 +1.000000e+100\n-3 s\n+Inf -Inf NaN true\n0x0 0x0 [0/0]0x0 (0x0,0x0) (0x0,0x0)\ndeferred 2\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPanicsCarryTheirValueAndTheCalls(t *testing.T) {
	s := newSession(t)
	s.run("type T struct{}\nfunc (t *T) fall(n int) int {\n\tif n == 0 {\n\t\tpanic(n)\n\t}\n\treturn t.fall(n - 1)\n}\nfunc start() {\n\tfunc() {\n\t\tnew(T).fall(1)\n\t}()\n}")
	defer func() {
		p, ok := recover().(*machine.Panic)
		if !ok || p.Value != 0 {
			t.Fatalf("got the panic %v", p)
		}
		var calls []string
		for _, f := range p.Frames {
			calls = append(calls, fmt.Sprint(f.Func.Name, ":", f.Line))
		}
		want := "main.(*T).fall:4 main.(*T).fall:6 main.start.func1:10 main.start:11 cell:1"
		if got := strings.Join(calls, " "); got != want {
			t.Errorf("got the calls\n%s\nwant\n%s", got, want)
		}
	}()
	s.run("start()")
	t.Error("the cell has not panicked")
}

func TestASessionGoesOnAfterAPanic(t *testing.T) {
	s := newSession(t)
	s.run("n := 1\nfunc f() string { return \"after\" }\nvar g = f")
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			s.run("n++; n /= n - n")
		}()
	}
	if got := s.variable("n"); got != 4 {
		t.Errorf("n is %v, want 4", got)
	}
	if got := s.call(s.variable("g").(func() string)); got != "after" {
		t.Errorf("f returns %q", got)
	}
}

func TestValuesOfCellsAreShownInTheirTypes(t *testing.T) {
	s := newSession(t)
	s.run("type T struct{ N int }\nfunc two() (int, error) { return 3, nil }")
	for code, want := range map[string]string{"T{1}": "main.T {1}", "two()": "int 3, <nil> <nil>", "any(uint8(5))": "uint8 5", "error(nil)": "<nil> <nil>", "[]T{{2}}": "[]main.T [{2}]"} {
		s.shown = nil
		s.run(code)
		if got := strings.Join(s.shown, ", "); got != want {
			t.Errorf("%s shows %q, want %q", code, got, want)
		}
	}
}

func TestMarksGiveVariablesThatCanBeChanged(t *testing.T) {
	s := newSession(t)
	s.link.Mark(true)
	s.run("func f(n int) (r int) {\n\tk := n * 2\n\tfor i := range 2 {\n\t\tr += k + i\n\t}\n\treturn r\n}")
	var seen []string
	s.host.ask = func(m machine.Moment) {
		if m.Call() == nil {
			m.SetCall("call of f")
		}
		var values []string
		for _, v := range m.Variables() {
			if v.IsValid() {
				values = append(values, fmt.Sprint(v.Interface()))
			}
		}
		seen = append(seen, fmt.Sprint(m.Call(), m.Depth(), values))
		if len(values) == 4 && values[3] == "1" { // in the second iteration
			m.Variables()[2].SetInt(100)
		}
	}
	s.host.machine.SetAsking(true)
	s.link.Mark(false)
	s.run("x := f(3)")
	if got := s.variable("x"); got != 107 {
		t.Errorf("f returns %v after %v", got, seen)
	}
	s.host.machine.SetAsking(false)
	before := len(seen)
	s.run("x = f(3)")
	if got := s.variable("x"); got != 13 || len(seen) != before || before < 4 {
		t.Errorf("f returns %v, and the host was asked at %v", got, seen)
	}
}

// variable returns the value of a session variable.
func (s *session) variable(name string) any {
	s.t.Helper()
	v, ok := s.link.Variable(s.checker.Lookup(name))
	if !ok {
		s.t.Fatalf("no variable %s", name)
	}
	return v.Interface()
}

// show records a value that a cell shows.
func (s *session) show(values ...any) {
	for _, v := range values {
		s.shown = append(s.shown, fmt.Sprint(reflect.TypeOf(v), " ", v))
	}
}

func TestInlinedFunctionsAreCallsInStacks(t *testing.T) {
	s := newSession(t)
	s.run("func third(xs []int) int {\n\treturn xs[2]\n}\nfunc second(xs []int) int {\n\treturn third(xs) + 1\n}\nfunc start(xs []int) (n int) {\n\tfor range 3 {\n\t\tn += second(xs)\n\t}\n\treturn n\n}")
	defer func() {
		p, ok := recover().(*machine.Panic)
		if !ok {
			t.Fatalf("got the panic %v", p)
		}
		var calls []string
		for _, f := range p.Frames {
			calls = append(calls, fmt.Sprint(f.Func.Name, ":", f.Line))
		}
		want := "main.third:2 main.second:5 main.start:9 cell:1"
		if got := strings.Join(calls, " "); got != want {
			t.Errorf("got the calls\n%s\nwant\n%s", got, want)
		}
	}()
	s.run("start([]int{1, 2})")
	t.Error("the cell has not panicked")
}

func TestInlinedFunctionsCanBeRedeclared(t *testing.T) {
	s := newSession(t)
	s.run("func one(n int, p []int) int { return n + len(p) }\nfunc two(n int) (a, b int) { return n, one(n, []int{n}) }\ntype pair struct{ a, b int }\nfunc (p pair) sum() pair { return pair{p.a + p.b, 1} }\nvar out string\nfunc calls() string { a, b := two(5); return fmt.Sprint(one(1, nil), a, b, pair{3, 4}.sum(), one(a, []int{1, 2})) }")
	for _, c := range []struct{ cell, want string }{
		{"", "1 5 6 {7 1} 7"},
		{"func one(n int, p []int) int { return n * 10 * (len(p) + 1) }", "10 5 100 {7 1} 150"},
		{"func two(n int) (a, b int) { return -n, one(1, nil) }\nfunc (p pair) sum() pair { return pair{p.b, p.a} }", "10 -5 10 {4 3} -150"},
		{"func one(n int, p []int) int { return n + len(p) }", "1 -5 1 {4 3} -3"},
	} {
		if c.cell != "" {
			s.run(c.cell)
		}
		s.run("out = calls()")
		if got := s.variable("out"); got != c.want {
			t.Errorf("after %q the calls return %s, want %s", c.cell, got, c.want)
		}
	}
}
