package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// before are the cells above each attempt.
const before = `xs := []float64{3, 1, 2}
n := 3
name := "ann"
m := map[string]int{"a": 1}
type P struct{ X, Y int }
p := P{1, 2}
func f(a, b int) (int, error) { return a + b, nil }
var e any = 5
err := error(nil)`

// firstAttempts are cells that newcomers and agents type first, in the words of Python, JavaScript,
// C or Rust, or with a small mistake, with what leads on: a hint, a value or an output.
var firstAttempts = []struct{ code, want string }{
	{"print(n)", "3"},
	{"print(\"hello\")", "hello"},
	{"printf(\"%d\", n)", "write fmt.Printf"},
	{"println(n)", "3"},
	{"console.log(n)", "print with fmt.Println(x)"},
	{"echo n", "call it as a function: fmt.Println(n)"},
	{"len xs", "call it as a function: len(xs)"},
	{"xs.len", "the length is len(xs)"},
	{"len(n)", "len is for strings, slices, arrays, maps and channels; the digits of a number are len(fmt.Sprint(n))"},
	{"x9 = 5", "a new variable is declared with := , as in x9 := ..."},
	{"x9: int = 5", "the type follows the name without a colon: var x9 int = 5"},
	{"int x9 = 5", "the type follows the name, or is omitted: x9 := 5"},
	{"let x9 = 5", "declare variables with := : x9 := 5"},
	{"const x9 := 5", "a constant is declared with = : const x9 = 5"},
	{"var x9 := 5", "write x9 := 5, or var x9 = 5"},
	{"None", "Go writes nil"},
	{"True", "Go writes true"},
	{"v9 := nil", "nil alone has no type: var x *T, or x := (*T)(nil)"},
	{"null", "Go writes nil"},
	{"def g(x): return x", "functions begin with func, and types follow names: func g(a, b int) int { ... }"},
	{"def g(x):\n    return x", "functions begin with func, and types follow names: func g(a, b int) int { ... }"},
	{"lambda x: x + 1", "a function literal is: func(x int) int { return x + 1 }"},
	{"x => x + 1", "a function literal is: func(x int) int { return x * x }"},
	{"import numpy as np", "numbers are in gonum, which needs no import: stat.Mean(xs, nil), floats.Sum(xs), mat.NewDense(rows, columns, data)"},
	{"import numpy", "numbers are in gonum, which needs no import: stat.Mean(xs, nil), floats.Sum(xs), mat.NewDense(rows, columns, data)"},
	{"from math import sqrt", "packages are imported as a whole: import \"math\", then math.Name"},
	{"import math, os", "paths are quoted, and several are in parentheses: import (\"math\"; \"os\")"},
	{"import pandas as pd\npd.read_csv(\"a.csv\")", "tables are in package table, which needs no import: t, err := table.Read(\"data.csv\")"},
	{"np.mean(xs)", "numbers are in gonum: stat.Mean(xs, nil), floats.Sum(xs), mat.NewDense(rows, columns, data)"},
	{"plt.plot(xs)", "figures are in package figure: figure.Lines(\"x\", \"y\", figure.Series{Name: \"a\", Values: ys})"},
	{"pd.DataFrame()", "tables are in package table: t, err := table.Read(\"data.csv\")"},
	{"f\"{n} items\"", "there are no f-strings: fmt.Sprintf(\"... %v ...\", value)"},
	{"'hello'", "text has double quotes, \"hello\"; single quotes are for one character"},
	{"\"n is \" + n", "convert to text: \"n is \" + fmt.Sprint(n)"},
	{"name * 2", "strings.Repeat(name, 2)"},
	{"\"%d\" % n", "fmt.Sprintf(\"%d\", n)"},
	{"name.upper()", "package strings has it: strings.ToUpper(name)"},
	{"name.split(\",\")", "what one does with texts is in package strings: strings.Split(name, ...)"},
	{"name[0]", "= 97"},
	{"name[-1]", "counting from the end: name[len(name)-1]"},
	{"xs[-1]", "counting from the end: xs[len(xs)-1]"},
	{"xs[1:-1]", "counting from the end: len(xs)-1 in the place of -1"},
	{"xs[::2]", "slices have no step: for i := 0; i < len(xs); i += 2 { ... xs[i] ... }"},
	{"xs + 1", "slices have no arithmetic: for i := range xs { xs[i] += 1 }"},
	{"xs * 2", "slices have no arithmetic: floats.Scale(2, xs) changes all elements"},
	{"xs + xs", "to join them: append(xs, xs...); to add their elements: floats.Add(xs, xs), for []float64"},
	{"[1, 2, 3]", "a list has a type: []int{1, 2, 3}"},
	{"{1: 2}", "a table has a type: map[string]int{\"a\": 1}"},
	{"(1, 2)", "several values have no parentheses: 1, 2; a pair is a struct, or the results of a function"},
	{"[x * 2 for x in xs]", "a list is made by a loop: for _, x := range xs { list = append(list, x * 2) }"},
	{"for x in xs:\n    print(x)", "a loop over elements is: for _, x := range xs {"},
	{"for i in range(3) { fmt.Println(i) }", "a loop over numbers is: for i := range 3 {"},
	{"for i := 0; i < 3; i++\n{\n}", "a body needs braces, the first on the same line: for i := 0; i < 3; i++ {"},
	{"while n > 0 { n-- }", "a loop with a condition is: for n > 0 {"},
	{"if n == 3: print(n)", "a body has braces instead of a colon: if n == 3 { print(n) }"},
	{"if n { fmt.Println(n) }", "a condition is a comparison, such as n != 0 or p != nil"},
	{"if (n == 3) fmt.Println(n)", "a condition has no parentheses, and a body has braces: if n == 3 { fmt.Println(n) }"},
	{"n++ + 1", "n++ is a statement without a value: write n + 1"},
	{"i9 := n++", "x++ is a statement without a value, on a line of its own"},
	{"++n", "write n++"},
	{"n ** 2", "powers are math.Pow(n, 2)"},
	{"n * 0.5", "convert the other side: float64(n) * 0.5"},
	{"not true", "not is written ! : !true"},
	{"n and 3", "and is written &&, or is written ||"},
	{"n == 3 and true", "and is written &&, or is written ||"},
	{"n is None", "compare with nil: n == nil"},
	{"n if n > 0 else 1", "there is no conditional expression: if n > 0 { ... } else { ... }"},
	{"n > 0 ? 1 : 2", "Go has no ?: operator; use if and else"},
	{"1 < n < 5", "compare twice: 1 < n && n < 5"},
	{"sum(xs)", "write floats.Sum(xs) for []float64, or a loop"},
	{"max(xs)", "of a slice: slices.Max(xs)"},
	{"min(1, 2)", "= 1"},
	{"abs(-1)", "write math.Abs"},
	{"sorted(xs)", "write slices.Sorted, or slices.Sort(xs)"},
	{"xs.append(4)", "append gives a new slice: xs = append(xs, ...)"},
	{"append(xs, 4)", "= [3 1 2 4]"},
	{"xs.sort()", "slices.Sort(xs)"},
	{"m.keys()", "a loop gives keys and values: for key, value := range m; also slices.Sorted(maps.Keys(m))"},
	{"\"a\" in m", "for a map: _, found := m[\"a\"]; for a slice: slices.Contains(m, \"a\")"},
	{"m.a", "an entry is m[\"a\"]"},
	{"del m[\"a\"]", "an entry of a map is removed by a call: delete(m, \"a\")"},
	{"p.x", "did you mean p.X?"},
	{"p.Z", "its fields are X, Y"},
	{"new P(1, 2)", "a struct is made with braces: P{1, 2}, a pointer to it with &P{1, 2}"},
	{"P(1, 2)", "a struct is made with braces: P{1, 2}"},
	{"P{X: 1 Y: 2}", "elements are separated by commas, also at the end of a line"},
	{"f(1, 2) + 1", "must(f(1, 2)) is its result without the error; or assign its results first: a, err := f(1, 2)"},
	{"q := f(1, 2)", "q, err := f(1, 2)"},
	{"f(1)", "it is declared as f(a int, b int) (int, error)"},
	{"f(1, 2, 3)", "it is declared as f(a int, b int) (int, error)"},
	{"f(a=1, b=2)", "arguments have no names, only places; == compares"},
	{"try { f(1, 2) } catch {}", "functions return errors: if err != nil { ... }; a panic is caught by defer func() { r := recover(); ... }()"},
	{"raise \"x\"", "return an error, or end with panic(\"x\")"},
	{"throw err", "return an error, or end with panic(err)"},
	{"assert n == 3", "write: if !(n == 3) { panic(\"...\") }"},
	{"with open(\"a\") as g:", "open it and defer its end: g, err := os.Open(...); defer g.Close()"},
	{"open(\"a.txt\")", "write os.Open(name), or os.ReadFile(name)"},
	{"input(\"name\")", "ask with display.Prompt(\"name: \"), or read os.Stdin"},
	{"type(n)", "the type is printed by fmt.Printf(\"%T\", n)"},
	{"str(n)", "text of any value: fmt.Sprint(x); of an int also strconv.Itoa(n)"},
	{"int(\"5\")", "read the number: n, err := strconv.Atoi(text)"},
	{"int(2.5)", "round it first: int(math.Round(2.5))"},
	{"float(n)", "the type is float64"},
	{"list(xs)", "a list is a slice: []int{1, 2, 3}"},
	{"range(3)", "a loop over numbers is: for i := range 3 {"},
	{"print \"hello\"", "call it as a function: fmt.Println(\"hello\")"},
	{"return n", "a cell returns nothing; its last expression is shown"},
	{"class A { }", "types are declared with type: type A struct { ... }; their functions are methods: func (x A) Name() { ... }"},
	{"class A:\n    pass", "types are declared with type: type A struct { ... }; their functions are methods: func (x A) Name() { ... }"},
	{"func g(x) { return x }", "a parameter has a type after its name: x int"},
	{"func g(int x) int { return x }", "the type follows the name: x int"},
	{"func g(x int): int { return x }", "the result type follows the parentheses without a colon: func f(x int) int { ... }"},
	{"func g(x int) { return x }", "the result types follow the parameters: func f() int { ... }"},
	{"fn g(x: i32) -> i32 { x }", "functions begin with func, and types follow names: func g(a, b int) int { ... }"},
	{"var a9 int = \"x\"", "read the number: n, err := strconv.Atoi(text)"},
	{"func h() { u := 1 }", "inside functions and blocks every variable must be used; write _ in the place of u to drop it"},
	{"e + 1", "take the value out with an assertion first: e.(int), with the type that it has"},
	{"name == 'ann'", "text has double quotes, \"ann\"; single quotes are for one character"},
	{"name + 'x'", "one character is a number: compare with 'a' in single quotes, or convert it: string(c)"},
	{"# comment", "comments begin with //"},
	{"/* open", "a comment that begins with /* ends with */"},
	{"n = \"three\"", "n is of type int; n := \"three\" at the top of a cell declares it anew"},
	{"P.X", "a value of the type has the field: v := P{}; v.X"},
	{"p->X", "a dot selects from pointers as well: p.X"},
	{"*p", "only pointers can be dereferenced; remove the *"},
	{"xs.map(func(x float64) float64 { return x })", "slices have no methods: for _, x := range xs { ... }"},
	{"math.pi", "did you mean math.Pi?"},
	{"math.sqrt(2)", "did you mean math.Sqrt?"},
	{"rand.random()", "write rand.Float64()"},
	{"time.sleep(1)", "did you mean time.Sleep?"},
	{"time.Sleep(1.5 * time.Second)", "a duration is an integer: time.Duration(1.5 * float64(time.Second))"},
	{"json.dumps(m)", "write json.Marshal(x)"},
	{"requests.get(\"http://x\")", "a page is read by http.Get(url)"},
	{"help(f)", "%help lists the magics; Shift+Tab on a name shows its documentation"},
	{"dir(p)", "%vars lists the variables, and Tab after a dot the fields and methods"},
	{"pip install x", "modules of Go are added with a line %require MODULE@VERSION"},
	{"import \"fmt\"; fmt.println(n)", "did you mean fmt.Println?"},
	{"fmt.Print(n", "the ( of line 1 is not closed"},
	{"fmt.Println(\"a' )", "the closing quote is missing; strings of several lines are written between back quotes"},
	{"xs.shape", "the length is len(xs)"},
	{"xs.mean()", "stat.Mean(xs, nil)"},
	{"figure.Line(xs)", "did you mean figure.Lines?"},
	{"figure.Lines(\"x\", \"y\", xs)", "a series has a name: figure.Series{Name: \"xs\", Values: xs}"},
	{"m[a]", "no cell that has run declares a"},
	{"m[\"zz\"]", "= 0"},
	{"if err := f(1,2); err != nil {}", "_, err := f(1, 2)"},
	{"use strict", "leave it out: names must always be declared"},
	{"std::cout << n;", "print with fmt.Println(n)"},
	{"System.out.println(n);", "print with fmt.Println(x)"},
	{"let mut x9 = 5;", "declare variables with := : x9 := 5"},
	{"n := 3; n := 4", "the variable exists already: assign with ="},
	{"for _, x := range xs { }", "inside functions and blocks every variable must be used; write _ in the place of x to drop it"},
	{"for x := range xs { fmt.Println(xs[x]) }", "3\n1\n2"},
	{"errors.New(\"x\")", "= x"},
	{"struct { X int }", "a value of the type is a literal: struct{X int}{...}"},
	{"interface{}", "a variable of the type is declared with var: var x ..."},
	{"import \"github.com/nobody/none\"", "write %require github.com/nobody/none@latest in a line above the import"},
	{"type T9 struct { X int, Y int }", "fields are separated by semicolons or lines: type T9 struct { X int; Y int }"},
	{"enum Color { Red }", "constants count up with iota: type Color int; const ( Red Color = iota; ... )"},
	{"async f()", "a call runs at the same time with go: go f()"},
	{"yield n", "a function that yields values has a function as parameter: func(yield func(int) bool) { yield(1) }"},
	{"xs.filter(x => x > 1)", "a function literal is: func(x int) int { return x * x }"},
	{"map[string]int", "a value of the type is a literal: map[string]int{...}"},
	{"make(map)", "a map has types of keys and values: make(map[string]int)"},
	{"[]int", "a value of the type is a literal: []int{...}"},
	{"make([]int)", "a slice has a length: make([]int, 10), or []int{} to append to"},
	{"len", "write its arguments: len(x)"},
	{"x9 == 5", "no cell that has run declares x9"},
}

// TestFirstAttemptsLeadOn runs first attempts. Each ends in a value or an output, or in an error
// whose hint has what to write.
func TestFirstAttemptsLeadOn(t *testing.T) {
	s := sessiontest.New(t)
	for _, c := range firstAttempts {
		run(t, s, "%reset")
		if got := run(t, s, before); got != "" {
			t.Fatal(got)
		}
		if got := run(t, s, c.code); got != c.want || got == "" {
			t.Errorf("%q leads to %q, want %q", c.code, got, c.want)
		}
	}
}

var color = lazyregexp.New("\x1b\\[[0-9;]*m")

// run runs a cell and returns what leads on: the hint below its error, its value after "= ", or
// what it prints.
func run(t *testing.T, s *session.Session, code string) string {
	t.Helper()
	var shown strings.Builder
	reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code}, func(content protocol.Content) {
		switch c := content.(type) {
		case protocol.Stream:
			shown.WriteString(c.Text)
		case protocol.ExecuteResult:
			fmt.Fprintf(&shown, "= %v", c.Data["text/plain"])
		}
	})
	if reply.Status == protocol.OK {
		return strings.TrimSpace(shown.String())
	}
	_, hint, _ := strings.Cut(color.ReplaceAllString(strings.Join(reply.Traceback, "\n"), ""), "hint: ")
	hint, _, _ = strings.Cut(hint, "\n")
	return hint
}
