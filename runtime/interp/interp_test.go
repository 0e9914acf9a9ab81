package interp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/constant"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/interp"
)

// A Shape is an interface of the program that sources implement.
type Shape interface {
	Area() float64
	fmt.Stringer
}

// A Point is a struct of the program.
type Point struct {
	X, Y   float64
	hidden int
}

// Norm returns the distance from the origin.
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// Move changes the point.
func (p *Point) Move(dx, dy float64) { p.X, p.Y = p.X+dx, p.Y+dy; p.hidden++ }

// A Level is a named number of the program.
type Level int

// High is a constant of type Level.
const High Level = 3

var counter = 10

// host is a package of the program's values.
var host = interp.Values("example.com/host", map[string]reflect.Value{
	"Shape": reflect.ValueOf((*Shape)(nil)), "Point": reflect.ValueOf((*Point)(nil)), "Level": reflect.ValueOf((*Level)(nil)),
	"High": reflect.ValueOf(High), "Counter": reflect.ValueOf(&counter).Elem(), "Tau": reflect.ValueOf(constant.MakeFromLiteral("6.283185307179586476925286766559", 0x6, 0)),
	"Total": reflect.ValueOf(func(shapes ...Shape) (sum float64) {
		for _, s := range shapes {
			sum += s.Area()
		}
		return sum
	}),
	"Apply":  reflect.ValueOf(func(f func(int) (int, error), n int) (int, error) { return f(n) }),
	"Origin": reflect.ValueOf(Point{1, 2, 0}),
})

// text has some functions of fmt and strings, as tables of yaegi have them.
var text = interp.Exports{
	"fmt/fmt": {
		"Println": reflect.ValueOf(fmt.Println), "Sprint": reflect.ValueOf(fmt.Sprint), "Sprintf": reflect.ValueOf(fmt.Sprintf), "Errorf": reflect.ValueOf(fmt.Errorf),
		"Stringer": reflect.ValueOf((*fmt.Stringer)(nil)), "_Stringer": reflect.ValueOf((*int)(nil)),
	},
	"strings/strings": {"ToUpper": reflect.ValueOf(strings.ToUpper), "NewReader": reflect.ValueOf(strings.NewReader), "Builder": reflect.ValueOf((*strings.Builder)(nil))},
	"errors/errors":   {"New": reflect.ValueOf(errors.New), "Is": reflect.ValueOf(errors.Is)},
	"time/time":       {"Duration": reflect.ValueOf((*time.Duration)(nil)), "Second": reflect.ValueOf(time.Second), "Sleep": reflect.ValueOf(time.Sleep)},
	"os/os":           {"Exit": reflect.ValueOf(os.Exit)},
}

func open(t testing.TB, o interp.Options, sources ...interp.Source) *interp.Session {
	t.Helper()
	s, err := interp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Use(sources...); err != nil {
		t.Fatal(err)
	}
	return s
}

func eval(t testing.TB, s *interp.Session, source string) any {
	t.Helper()
	v, err := s.Eval(t.Context(), source)
	if err != nil {
		t.Fatalf("%s\n%v", source, err)
	}
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

func TestValuesPassBothWays(t *testing.T) {
	var out bytes.Buffer
	s := open(t, interp.Options{Stdout: &out}, host, text)
	eval(t, s, `import ("example.com/host"; "fmt")
type Square struct{ side float64 }
func (q Square) Area() float64 { return q.side * q.side }
func (q Square) String() string { return fmt.Sprint("square ", q.side) }
func shapes() []host.Shape { return []host.Shape{Square{2}, &Square{3}} }
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
var names = map[string]int{"a": 1}`)
	for source, want := range map[string]any{
		`host.Total(shapes()...)`: 13.0, `host.High + 1`: Level(4), `host.Tau > 6.28`: true, `host.Counter`: 10, `host.Origin.Norm() > 2.2`: true,
		`p := host.Point{X: 3, Y: 4}; p.Move(0, 0); p.Norm()`: 5.0, `fib(20)`: 6765,
		`n, err := host.Apply(func(n int) (int, error) { return n * 2, nil }, 21); if err != nil { panic(err) }; n`: 42,
		`var l host.Level = 2; fmt.Sprintf("%T %v", l, l)`:                                                          "interp_test.Level 2", `shapes()[1].String()`: "square 3",
	} {
		if got := eval(t, s, source); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", source, got, want)
		}
	}
	fib, err := interp.Get[func(int) int](s, "fib")
	if err != nil || fib(15) != 610 {
		t.Fatalf("fib: %v", err)
	}
	eval(t, s, `func fib(n int) int { return -n }`)
	if again, err := interp.Get[func(int) int](s, "fib"); err != nil || again(15) != -15 || fib(5) != 5 {
		t.Errorf("a redeclared function returns %d, the earlier one %d", again(15), fib(5))
	}
	shapes, err := interp.Get[func() []Shape](s, "shapes")
	if err != nil {
		t.Fatal(err)
	}
	if list := shapes(); len(list) != 2 || list[0].Area() != 4 || fmt.Sprint(list[1]) != "square 3" {
		t.Errorf("shapes of a source: %v", list)
	}
	names, ok := s.Lookup("names")
	if !ok || !names.CanAddr() {
		t.Fatalf("names: %v, %v", names, ok)
	}
	names.Interface().(map[string]int)["b"] = 2
	if got := eval(t, s, `len(names)`); got != 2 {
		t.Errorf("a map that the program changed has %v entries", got)
	}
	eval(t, s, `host.Counter++; fmt.Println("hello", host.Counter)`)
	if counter != 11 || out.String() != "hello 11\n" {
		t.Errorf("counter %d, output %q", counter, out.String())
	}
	counter = 10
}

func TestBoundVariablesAreThoseOfTheProgram(t *testing.T) {
	s := open(t, interp.Options{}, host, text)
	n, p, f := 1, Point{X: 1}, func(x int) int { return x + 1 }
	var anything any
	for name, v := range map[string]any{"n": &n, "p": &p, "f": &f, "anything": &anything} {
		if err := s.Bind(name, v); err != nil {
			t.Fatal(err)
		}
	}
	if got := eval(t, s, `n += 41; p.Move(2, 0); g := f; f = func(x int) int { return g(x) * 10 }; anything = n; n`); got != 42 || n != 42 || p.X != 3 || f(1) != 20 || anything != 42 {
		t.Errorf("got %v; n %d, p %v, f(1) %d, anything %v", got, n, p, f(1), anything)
	}
	n = 7
	if got := eval(t, s, `func twice() int { return 2 * n }; twice()`); got != 14 {
		t.Errorf("the program's value is not seen: %v", got)
	}
	for _, c := range []struct {
		name string
		p    any
		want string
	}{{"n", &n, "declares the name already"}, {"q", n, "want a pointer"}, {"q", (*int)(nil), "not nil"}, {"1q", &n, `"1q"`}, {"_", &n, `"_"`}} {
		if err := s.Bind(c.name, c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Bind(%q, %T): %v, want %q", c.name, c.p, err, c.want)
		}
	}
}

func TestErrorsAreTypes(t *testing.T) {
	s := open(t, interp.Options{Stack: 1 << 20, Memory: 64 << 20, Output: 1000}, host, text)
	run := func(source string) error {
		_, err := s.Eval(t.Context(), source)
		return err
	}
	var compile *interp.CompileError
	if err := run("x := 1\ny := z"); !errors.As(err, &compile) || len(compile.Problems) != 1 || compile.Problems[0].Line != 2 || !strings.Contains(compile.Problems[0].Message, "undefined: z") {
		t.Errorf("a source that does not compile: %v, %+v", err, compile)
	}
	if err := run("x"); !errors.As(err, &compile) {
		t.Errorf("a source that failed has declared something: %v", err)
	}
	if err := run(`import "net/http"`); !errors.As(err, &compile) || !strings.Contains(err.Error(), "has not given this package") {
		t.Errorf("a package that the session does not have: %v", err)
	}
	if err := run("%time 1"); !errors.As(err, &compile) {
		t.Errorf("a magic: %v", err)
	}
	failed := errors.New("failed")
	if err := s.Bind("failed", &failed); err != nil {
		t.Fatal(err)
	}
	var panicked *interp.PanicError
	if err := run("func boom() { panic(failed) }\nboom()"); !errors.As(err, &panicked) || !errors.Is(err, failed) || !strings.Contains(panicked.Trace, "boom") {
		t.Errorf("a panic: %v, %+v", err, panicked)
	}
	if err := run("var m map[string]int; m[`a`] = 1"); !errors.As(err, &panicked) || !strings.Contains(err.Error(), "assignment to entry in nil map") {
		t.Errorf("a runtime error: %v", err)
	}
	var exit *interp.ExitError
	if err := run(`import "os"; os.Exit(3)`); !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("os.Exit: %v", err)
	}
	if err := run(`os.Exit(0)`); err != nil {
		t.Errorf("os.Exit(0): %v", err)
	}
	var limit *interp.LimitError
	if err := run(`func deep(n int) int { return deep(n+1) + 1 }; deep(0)`); !errors.As(err, &limit) || limit.What != "stack" {
		t.Errorf("endless recursion: %v", err)
	}
	if err := run("var keep [][]byte\nfor { keep = append(keep, make([]byte, 1<<20)) }"); !errors.As(err, &limit) || limit.What != "memory" {
		t.Errorf("endless memory: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Eval(ctx, "for {}"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an endless loop: %v", err)
	}
	if got := eval(t, s, "1 + 1"); got != 2 {
		t.Errorf("after the errors: %v", got)
	}
	if _, err := interp.Get[func()](s, "deep"); err == nil || !strings.Contains(err.Error(), "func(int) int") {
		t.Errorf("a wrong type: %v", err)
	}
	if _, err := interp.Get[int](s, "nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a missing name: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := run("1"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed session: %v", err)
	}
}

func TestOutputIsLimited(t *testing.T) {
	var out, errs bytes.Buffer
	s := open(t, interp.Options{Stdout: &out, Stderr: &errs, Output: 1000}, text)
	eval(t, s, `import "fmt"; for i := range 1000 { fmt.Println(i) }; println("x")`)
	if out.Len() > 1000 || !strings.Contains(errs.String(), "limit") {
		t.Errorf("%d bytes of output, and %q", out.Len(), errs.String())
	}
}

func TestSessionsAreIndependent(t *testing.T) {
	a, b := open(t, interp.Options{}, text), open(t, interp.Options{}, text)
	eval(t, a, "x := 1")
	eval(t, b, `x := "b"`)
	if eval(t, a, "x") != 1 || eval(t, b, "x") != "b" {
		t.Error("sessions share a variable")
	}
}

func ExampleSession_Eval() {
	s, err := interp.New(interp.Options{Stdout: os.Stdout})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	if err := s.Use(interp.Values("fmt", map[string]reflect.Value{"Println": reflect.ValueOf(fmt.Println)})); err != nil {
		panic(err)
	}
	v, err := s.Eval(context.Background(), `
		func square(x int) int { return x * x }
		fmt.Println("nine is", square(3))
		square(4)`)
	fmt.Println(v, err)
	// Output:
	// nine is 9
	// 16 <nil>
}

var _ io.Writer = (*bytes.Buffer)(nil)
