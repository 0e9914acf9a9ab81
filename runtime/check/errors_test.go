package check_test

import (
	"strings"
	"testing"

	"gosphere/runtime/check"
)

// The cell that precedes each of the mistakes.
const beforeMistakes = `import "fmt"
type T struct{ n int; Name string }
func (t T) Get() int { return t.n }
func (t *T) Set(v int) { t.n = v }
type Shape interface{ Area() float64 }
type Number interface{ ~int | ~float64 }
func Sum[E Number](xs ...E) (s E) { for _, x := range xs { s += x }; return }
func two() (int, error) { return 1, nil }
func none() {}
const limit = 10
n, text, list := 1, "s", []int{1}
var any1 any = 1
ch := make(<-chan int)`

// Cells with a mistake, and the error in the form "line:column: message".
var mistakes = []struct{ source, want string }{
	{"undefinedVar + 1", "1:1: undefined: undefinedVar"},
	{"var s string = 3", "1:16: cannot use 3 (untyped int constant) as string value in variable declaration"},
	{"func mr(x int) int { if x > 0 { return 1 } }", "1:44: missing return"},
	{"var s fmt.Stringer = T{}", "1:22: cannot use T{} (value of struct type T) as fmt.Stringer value in variable declaration: T does not implement fmt.Stringer (missing method String)"},
	{"two(1)", "1:5: too many arguments in call to two\n\thave (number)\n\twant ()"},
	{"limit = 2", "1:1: cannot assign to limit (neither addressable nor a map index expression)"},
	{"var i int = 2.5", "1:13: cannot use 2.5 (untyped float constant) as int value in variable declaration (truncated)"},
	{"func rc() (int, error) { return 1 }", "1:33: not enough return values\n\thave (number)\n\twant (int, error)"},
	{"T{}.Nope()", "1:5: T{}.Nope undefined (type T has no field or method Nope)"},
	{"T{}.get()", "1:5: T{}.get undefined (type T has no field or method get, but does have method Get)"},
	{"fmt.Nope(1)", "1:5: undefined: fmt.Nope"},
	{"fmt.println(1)", "1:5: undefined: fmt.println (but have Println)"},
	{"text == 1", "1:9: invalid operation: text == 1 (mismatched types string and untyped int)"},
	{"var p, q, r = two()", "1:15: assignment mismatch: 3 variables but two returns 2 values"},
	{"n = 2.5", "1:5: cannot use 2.5 (untyped float constant) as int value in assignment (truncated)"},
	{"n = two()", "1:5: assignment mismatch: 1 variable but two returns 2 values"},
	{"x := none()", "1:6: none() (no value) used as value"},
	{"none() + 1", "1:1: none() (no value) used as value"},
	{"T{}.Set(1)", "1:5: cannot call pointer method Set on T"},
	{"Sum(\"a\")", "1:1: string does not satisfy Number (string missing in ~int | ~float64)"},
	{"Sum[int](1.5)", "1:10: cannot use 1.5 (untyped float constant) as int value in argument to Sum[int] (truncated)"},
	{"Sum()", "1:1: in call to Sum, cannot infer E (declared at Cell [1]:7:10)"},
	{"break", "1:1: break not in for, switch, or select statement"},
	{"continue", "1:1: continue not in for statement"},
	{"goto nowhere", "1:6: label nowhere not declared"},
	{"here:\nfor {\n}", "1:1: label here declared and not used"},
	{"return 1", "1:8: too many return values\n\thave (number)\n\twant ()"},
	{"list.foo", "1:6: list.foo undefined (type []int has no field or method foo)"},
	{"list[\"a\"]", "1:6: cannot convert \"a\" (untyped string constant) to type int"},
	{"[2]int{}[5]", "1:10: invalid argument: index 5 out of bounds [0:2]"},
	{"n()", "1:1: invalid operation: cannot call n (variable of type int): int is not a function"},
	{"*n", "1:2: invalid operation: cannot indirect n (variable of type int)"},
	{"&limit", "1:2: invalid operation: cannot take address of limit (untyped int constant 10)"},
	{"ch <- 1", "1:4: invalid operation: cannot send to receive-only channel <-chan int ch (variable of type <-chan int)"},
	{"any1.(Shape).Foo()", "1:14: any1.(Shape).Foo undefined (type Shape has no field or method Foo)"},
	{"text.(string)", "1:1: invalid operation: text (variable of type string) is not an interface"},
	{"switch n {\ncase 1:\ncase 1:\n}", "3:6: duplicate case 1 (constant of type int) in expression switch"},
	{"T{1}", "1:4: too few values in struct literal of type T"},
	{"T{nope: 1}", "1:3: unknown field nope in struct literal of type T"},
	{"T{n: 1, n: 2}", "1:9: duplicate field name n in struct literal"},
	{"map[string]int{\"a\": 1, \"a\": 2}", "1:24: duplicate key \"a\" in map literal"},
	{"var t T\nt.n = \"x\"", "2:7: cannot use \"x\" (untyped string constant) as int value in assignment"},
	{"1 / 0", "1:5: invalid operation: division by zero"},
	{"var u uint8 = 256", "1:15: cannot use 256 (untyped int constant) as uint8 value in variable declaration (overflows)"},
	{"for i := range 3 {\n\ti := i\n}", "2:2: declared and not used: i"},
	{"if n {\n}", "1:4: non-boolean condition in if statement"},
	{"n++ + 1", "1:5: expected ';', found '+'"},
	{"type X struct{ X }", "1:6: invalid recursive type: X refers to itself"},
	{"type J interface{ M() interface{ J } }", "1:8: invalid recursive type: anonymous interface refers to itself"},
	{"type K interface{ M() interface{ N() []func(struct{ m map[string]interface{ K } }) } }", "1:8: invalid recursive type: anonymous interface refers to itself"},
	{"func f() {}\nfunc f() {}", "2:6: f redeclared in this block"},
	{"f := 1\nfunc f() {}", "1:1: f redeclared in this block"},
	{"func (t T) M() {}\nfunc (t T) M() {}", "2:12: method T.M already declared at Cell [2]:1:12"},
	{"func (t T) Name() {}", "1:12: field and method with the same name Name"},
	{"func (t Nope) M() {}", "1:9: undefined: Nope"},
	{"func main() int { return 1 }", "1:6: func main must have no arguments and no return values"},
	{"defer n", "1:8: expression in defer must be function call"},
	{"go n", "1:5: expression in go must be function call"},
	{"len(5)", "1:5: invalid argument: 5 (untyped int constant) for built-in len"},
	{"len(list", "1:9: unexpected end of the cell, expecting )"},
	{"append(list, \"a\")", "1:14: cannot use \"a\" (untyped string constant) as int value in argument to append"},
	{"x, y := 1", "1:9: assignment mismatch: 2 variables but 1 value"},
	{"import \"no/such/package\"", "1:8: could not import no/such/package (it is not preloaded; there are the standard library and the modules that %modules lists)"},
}

// TestMistakesAreReportedInTheWordsOfGo checks one cell with a mistake after a cell of
// declarations.
func TestMistakesAreReportedInTheWordsOfGo(t *testing.T) {
	for _, c := range mistakes {
		s := check.NewSession(store(t))
		mustCheck(t, s, 1, beforeMistakes)
		checked, err := checkCell(s, 2, c.source)
		if err == nil {
			t.Errorf("%q passes: %s, want %s", c.source, outline(checked), c.want)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), "Cell [2]:"); got != c.want && !strings.HasPrefix(got, c.want+"\n\tCell [2]:") {
			t.Errorf("%q\ngot  %q\nwant %q", c.source, got, c.want)
		}
	}
}
