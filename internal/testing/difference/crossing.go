package difference

import (
	"fmt"
	"strings"
)

// crossedTypes are declarations that the values of the crossing need.
const crossedTypes = `type E$m int
const ( E0$m E$m = iota; E1$m; E2$m )
func (e E$m) String() string { return [...]string{"zero", "one", "two"}[e] }
type P$m struct { X, Y int; name string }
func (p P$m) Sum() int { return p.X + p.Y }
func (p *P$m) Move(n int) *P$m { p.X += n; return p }
type Q$m struct { P$m; tags []string; next *Q$m }
type L$m []E$m
func (l L$m) Len() int { return len(l) }
type M$m map[string]P$m
type F$m func(int) string
func (f F$m) Call(n int) string { return f(n) + "!" }
type I$m interface { Sum() int }
type C$m chan int
type A$m [3]P$m
type N$m struct{ v *int }
type G$m[T any] struct { one T; list []T }
func (g G$m[T]) First() T { return g.one }
type S$m string
func (s S$m) Upper() S$m { return S$m(strings.ToUpper(string(s))) }
type R$m float64
func (r R$m) Error() string { return fmt.Sprintf("R%.1f", float64(r)) }
type B$m []byte
var number$m = 7
func print$m(v any, depth int) {
	x := reflect.ValueOf(v)
	switch {
	case !x.IsValid(): fmt.Print("nil")
	case x.Kind() == reflect.Func || x.Kind() == reflect.Chan || x.Kind() == reflect.UnsafePointer: fmt.Print(x.IsNil())
	case x.Kind() == reflect.Pointer && x.IsNil(): fmt.Print("nil")
	case x.Kind() == reflect.Pointer && depth < 3: fmt.Print("&"); print$m(x.Elem().Interface(), depth+1)
	case x.Kind() == reflect.Struct && depth < 3: for i := range x.NumField() { if x.Type().Field(i).IsExported() { print$m(x.Field(i).Interface(), depth+1); fmt.Print(",") } }; if _, ok := v.(fmt.Stringer); ok { fmt.Print(v) }
	case (x.Kind() == reflect.Slice || x.Kind() == reflect.Array) && depth < 3: fmt.Print(x.Len()); for i := range x.Len() { print$m(x.Index(i).Interface(), depth+1); fmt.Print(";") }
	case x.Kind() == reflect.Map && depth < 3: for _, k := range x.MapKeys() { print$m(k.Interface(), depth+1); fmt.Print(":"); print$m(x.MapIndex(k).Interface(), depth+1) }
	default: fmt.Printf("%v", v)
	}
}
func show$m(values ...any) { for _, v := range values { fmt.Printf("%T:", v); print$m(v, 0); fmt.Print(" ") }; fmt.Println() }
func caught$m() { if r := recover(); r != nil { fmt.Println("panicked") } }
`

// crossedValues are values of all kinds of types, each with another value of the same type.
var crossedValues = []struct{ typ, value, other string }{
	{"bool", "number$m > 3", "false"}, {"int", "number$m * 2", "-1"}, {"int8", "int8(number$m) << 4", "127"}, {"uint8", "uint8(number$m) - 9", "'a'"},
	{"int16", "int16(number$m) * 8191", "3"}, {"uint32", "^uint32(number$m)", "1 << 31"}, {"int64", "int64(number$m) << 60", "-1 << 63"}, {"uint64", "uint64(number$m) << 61", "1<<64 - 1"},
	{"uintptr", "uintptr(number$m)", "0"}, {"float32", "float32(number$m) / 3", "1e-40"}, {"float64", "float64(number$m) / 3", "math.Copysign(0, -1)"}, {"complex128", "complex(float64(number$m), -0.5)", "2i"},
	{"complex64", "complex64(complex(float32(number$m), 1))", "1"}, {"string", "strings.Repeat(\"é\\xff\", number$m % 3)", "\"\""}, {"rune", "rune(0x4e16 + number$m)", "'x'"},
	{"E$m", "E$m(number$m % 3)", "E2$m"}, {"S$m", "S$m(fmt.Sprint(number$m))", "\"s\""}, {"R$m", "R$m(number$m) / 2", "-0.25"}, {"B$m", "B$m(\"ab\\xff\")", "nil"},
	{"P$m", "P$m{number$m, 2, \"p\"}", "P$m{Y: 1}"}, {"*P$m", "&P$m{number$m, 3, \"q\"}", "nil"}, {"**P$m", "func() **P$m { p := &P$m{X: number$m}; return &p }()", "new(*P$m)"},
	{"Q$m", "Q$m{P$m{1, number$m, \"\"}, []string{\"t\"}, nil}", "Q$m{tags: nil}"}, {"*Q$m", "&Q$m{P$m: P$m{X: number$m}, next: &Q$m{}}", "new(Q$m)"}, {"L$m", "L$m{E1$m, E$m(number$m % 2)}", "nil"},
	{"M$m", "M$m{\"k\": {X: number$m}}", "M$m{}"}, {"F$m", "F$m(func(n int) string { return fmt.Sprint(n + number$m) })", "strings.Repeat$f"}, {"I$m", "I$m(P$m{number$m, 1, \"\"})", "&P$m{X: 2}"},
	{"I$m", "I$m(&Q$m{P$m: P$m{X: number$m}})", "nil"}, {"C$m", "make(C$m, number$m)", "nil"}, {"A$m", "A$m{1: {X: number$m}}", "A$m{}"}, {"N$m", "N$m{&number$m}", "N$m{}"},
	{"G$m[int]", "G$m[int]{number$m, []int{1}}", "G$m[int]{}"}, {"G$m[P$m]", "G$m[P$m]{one: P$m{X: number$m}}", "G$m[P$m]{list: []P$m{{}}}"}, {"*G$m[string]", "&G$m[string]{one: \"g\"}", "nil"},
	{"any", "any(number$m)", "nil"}, {"any", "any(P$m{X: number$m})", "any([]int{1})"}, {"any", "any(E$m(number$m % 3))", "3.5"}, {"error", "error(R$m(number$m))", "nil"}, {"error", "errors.New(\"e\")", "io.EOF"},
	{"[]int", "[]int{1, number$m, 3}", "nil"}, {"[]string", "strings.Fields(\"a b c\")", "[]string{}"}, {"[][]P$m", "[][]P$m{{{X: number$m}}, nil}", "nil"}, {"[]any", "[]any{1, \"a\", nil, E1$m}", "[]any{}"},
	{"[2]string", "[2]string{\"x\", fmt.Sprint(number$m)}", "[2]string{}"}, {"[0]int", "[0]int{}", "[0]int{}"}, {"[2][2]E$m", "[2][2]E$m{{E1$m}, {1: E2$m}}", "[2][2]E$m{}"}, {"map[E$m][]int", "map[E$m][]int{E1$m: {number$m}}", "nil"},
	{"map[any]string", "map[any]string{E1$m: \"e\"}", "map[any]string{}"}, {"struct{ a, b int }", "struct{ a, b int }{number$m, 2}", "struct{ a, b int }{}"}, {"struct{ X any; Y *int }", "struct{ X any; Y *int }{number$m, nil}", "struct{ X any; Y *int }{}"},
	{"func() int", "func() int { return number$m }", "P$m{1, 2, \"\"}.Sum"}, {"<-chan E$m", "func() chan E$m { c := make(chan E$m, 1); c <- E1$m; return c }()", "nil"}, {"time.Duration", "time.Duration(number$m) * time.Second", "time.Millisecond"},
	{"*bytes.Buffer", "bytes.NewBufferString(\"b\")", "new(bytes.Buffer)"},
}

// places are the contexts in which a value of type T can occur: V is the value, W another one. Each
// is a block.
var places = []string{
	"x := V; show(x)", "var x T = V; show(x)", "var x T; show(x); x = V; show(x)", "x, y := V, W; x, y = y, x; show(x, y)", "var x any = V; _, ok := x.(T); show(x, ok)",
	"show(V, W)", "show([]T{V, W})", "show([...]T{1: V})", "show(map[string]T{\"k\": V})", "show(struct{ F T }{V})", "x := struct{ F T; G *T }{F: V}; x.G = &x.F; *x.G = W; show(x.F)",
	"p := new(T); *p = V; show(*p)", "x := V; p := &x; pp := &p; **pp = W; show(x, *p)", "xs := []T{W}; xs[0] = V; show(xs[0], len(xs))", "m := map[int]T{}; m[1] = V; y, ok := m[2]; show(m[1], y, ok)",
	"show(func() T { return V }())", "show(func() (x T) { x = V; return }())", "show(func() (x T, n int) { defer func() { x = W }(); return V, 1 }())", "show(func(x T) T { x = W; return x }(V))", "show(func(xs ...T) int { return len(xs) }(V, W))",
	"f := func(x T) any { return x }; show(f(V))", "x := V; f := func() T { return x }; x = W; show(f())", "x := V; func() { x = W }(); show(x)", "c := make(chan T, 2); c <- V; c <- W; close(c); for x := range c { show(x) }",
	"c := make(chan T, 1); select { case c <- V: default: }; x, ok := <-c; show(x, ok)", "for i, x := range []T{V, W} { show(i, x) }", "for _, x := range [2]T{V, W} { x = W; show(x) }", "for k, x := range map[string]T{\"k\": V} { show(k, x) }",
	"for x := range func(yield func(T) bool) { _ = yield(V) && yield(W) } { show(x) }", "switch x := any(V).(type) { case T: show(x, 1); default: show(x, 2) }", "switch x := any(W).(type) { case nil: show(x, 0); case T: show(x, 1); case error, fmt.Stringer: show(x, 2); default: show(x, 3) }",
	"if x := V; true { show(x) } else { show(x, W) }", "defer func(x T) { show(x) }(V)", "func() { defer func() { show(recover()) }(); panic(V) }()", "done := make(chan bool); go func(x T) { show(x); close(done) }(V); <-done",
	"x := V; y := x; show(any(x) == any(y))", "x := V; show(x == W, x != W)", "var i fmt.Stringer; i, ok := any(V).(fmt.Stringer); show(i, ok)", "e, ok := any(V).(error); show(e, ok)", "x := id(V); show(x)", "show(id([]T{V, W})[1])",
	"xs := append([]T{V}, W); ys := append(xs[:1:1], V); show(xs, ys)", "xs := make([]T, 1, 4); copy(xs, []T{V, W}); clear(xs[1:]); show(xs)", "m := map[any]T{1: V}; delete(m, 1); show(len(m)); m[\"a\"] = W; show(m[\"a\"])",
	"type local struct{ T0 T }; show(local{V}.T0, &local{W})", "type alias = T; var x alias = V; show(x)", "x := [2]struct{ a []T }{}; x[1].a = append(x[1].a, V); show(x[1].a, len(x[0].a))", "fs := map[string]func(T) []T{\"f\": func(x T) []T { return []T{x} }}; show(fs[\"f\"](V))",
	"var x interface{ any } = V; y := []any{x, W}; show(y...)", "b, err := json.Marshal(map[string]any{\"v\": V}); show(string(b), err != nil)", "show(fmt.Sprintf(\"%T %T\", V, []T{W}))", "show(reflect.TypeOf(V) == reflect.TypeOf(W), reflect.TypeFor[T]())",
	"x := V; p := &x; q := p; *q = W; show(*p, p == q)", "a := [2]T{V}; b := a; b[0] = W; show(a, b)", "x := struct{ a T; b [1]T }{V, [1]T{W}}; y := x; y.b[0] = V; show(x.b, y.b, x.a)",
}

// Crossing returns a program for each value, with the value in every context.
func Crossing() []string {
	var programs []string
	for i, v := range crossedValues {
		m := mark(i)
		var body strings.Builder
		for n, place := range places {
			text := crossed(place, v.typ, v.value, v.other)
			fmt.Fprintf(&body, "\tfmt.Print(%d, \" \")\n\tfunc() { defer caught$m(); %s }()\n", n, text)
		}
		all := crossedTypes + "func id$m[T any](x T) T { return x }\n"
		text := strings.ReplaceAll(all+"func run$m() {\n"+body.String()+"}\n", "$m", m)
		text = strings.ReplaceAll(text, "strings.Repeat$f", "func(n int) string { return strings.Repeat(\"f\", n) }")
		var list strings.Builder
		for _, path := range []string{"bytes", "encoding/json", "errors", "fmt", "io", "math", "reflect", "strings", "time"} {
			if strings.Contains(text, path[strings.LastIndex(path, "/")+1:]+".") {
				fmt.Fprintf(&list, "\t%q\n", path)
			}
		}
		programs = append(programs, fmt.Sprintf("// cells: %d\n", i%ways)+"package main\n\nimport (\n"+list.String()+")\n\n"+text)
	}
	return programs
}

// crossed inserts a type and its values into a context, where they are words of one capital letter.
func crossed(place, typ, value, other string) string {
	var b strings.Builder
	letter := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	for i := 0; i < len(place); i++ {
		alone := (i == 0 || !letter(place[i-1]) && place[i-1] != '%' && place[i-1] != '.') && (i == len(place)-1 || !letter(place[i+1]))
		switch {
		case alone && place[i] == 'T':
			b.WriteString(typ)
		case alone && place[i] == 'V':
			b.WriteString("(" + typ + ")(" + value + ")")
		case alone && place[i] == 'W':
			b.WriteString("(" + typ + ")(" + other + ")")
		default:
			b.WriteByte(place[i])
		}
	}
	return strings.NewReplacer("show(", "show$m(", "id(", "id$m(").Replace(b.String())
}
