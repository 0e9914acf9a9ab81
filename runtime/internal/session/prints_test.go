package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestPrintsOfLoopsShowWhatOtherPrintsShow compares prints in loops that only compute and print,
// with a fixed number of arguments, with the same prints outside loops.
func TestPrintsOfLoopsShowWhatOtherPrintsShow(t *testing.T) {
	s := newTestSession(t)
	if _, reply := printing(s, `import ("errors"; "fmt"; "io"; "math"; "strconv"; "strings"; "time")
type Temp float64
func (t Temp) String() string { return "hot" }
type Point struct{ X, y int }
const big = 1 << 40
var none error
var shape fmt.Stringer
type Level int
func (l Level) String() string { return "level" }
type Two struct{ A, B int }
func pair() Two { return Two{4, 5} }
level, n, x, word, numbers, words, table := Level(1), 2, 1.5, "word", []int{1, 2}, []string{"a"}, map[string]int{"a": 3}
grid, boxes := [][]int{{1}, {2}}, [1]Point{{6, 7}}
point, temp, list := &Point{1, 2}, Temp(3), []any{1, "two", nil}
func two() (int, string) { return 1, "b" }`); reply.Status != "ok" {
		t.Fatal(reply.Evalue)
	}
	arguments := []string{
		"1", "'a'", "1.5", "2i", `"text"`, "nil", "true", "big", "math.Pi", "point", "*point", "temp", "&temp", "none", "shape", "list", "list...",
		"two()", "len(list)", "[]Temp{1, 2}", "map[string]Point{\"a\": {1, 2}}", "struct{ A any }{temp}", "errors.New(\"e\")", "time.Second",
		"uint8(200)", "-0.0", "[2]bool{true}", "any(temp)", "1, 2", "nil, temp", `"a", 'b', 3.0`, "1, temp, nil, 4", "point == nil, \"x\"", "io.EOF", "",
		"n", "word, n", "n, word, x", "x, x", "point.X, n", "numbers[1], words[0]", "table[\"a\"], n*2 - 1", "x / 3, -n, +x", "word + \"!\", len(word)", "strings.ToUpper(word), n",
		"1 << n, 7", "n << 2, n", "n, 1 << 3", "int(x), n", "float64(n), x", "min(n, 3), x", "max(x, 1, 2), n", "level, n", "Level(2), word", "string(word[0]), n", "word[1:], n",
		"*&n, n", "(n), (word)", "^n, n", "n == 2, n", "'a' + 1, n", "1.0, n", "2.0 * x, n", "big, n", "math.MaxInt64, n", "cap(numbers), n", "strconv.Itoa(n), n", "math.Sqrt(x), n",
		"n % 2, n ^ 1, n &^ 1", "any(n), n", "pair().A, n", "grid[1][0], n", "boxes[0].X, n", "func() int { return n }(), n", "word, word, word", "big / 3, x", "\"a\" + \"b\", n",
	}
	for _, list := range arguments {
		for _, print := range []string{"fmt.Println(%s)", "fmt.Print(%s)"} {
			call := fmt.Sprintf(print, list)
			want, reply := printing(s, call)
			got, inLoop := printing(s, "for range 2 {\n\t"+call+"\n}")
			if reply.Status != inLoop.Status || got != want+want {
				t.Errorf("%s prints %q (%s %s), in a loop %q (%s %s)", call, want, reply.Status, reply.Evalue, got, inLoop.Status, inLoop.Evalue)
			}
		}
	}
	for _, call := range []string{`fmt.Printf("%%\n")`, `fmt.Printf("%d %s\n", n, word)`, `fmt.Printf("%5.2f\n", x)`, `fmt.Printf("%v%%\n", n*2)`, `fmt.Printf(word)`, `fmt.Printf("%T %T\n", n, x)`, `fmt.Printf("%[1]d %[1]x\n", n)`, `fmt.Printf("%v|%T\n", temp, temp)`, `fmt.Printf("%d %s\n", 'a', none)`, `fmt.Printf("%v %v %v\n", 1, nil, point)`} {
		want, _ := printing(s, call)
		if got, reply := printing(s, "for range 2 {\n\t"+call+"\n}"); want == "" || got != want+want {
			t.Errorf("%s prints %q, in a loop %q %s", call, want, got, reply.Evalue)
		}
	}
}

// Output of compiled functions that print to the streams of the process reaches the cell even if
// descriptors are not captured.
func TestCompiledPrintersReachTheCell(t *testing.T) {
	s := newTestSession(t)
	for _, c := range []struct{ code, want string }{
		{`import "go/ast"; ast.Print(nil, 7)`, "     0  7\n"},
		{`import "flag"; set := flag.NewFlagSet("x", flag.ContinueOnError); set.Int("n", 1, "a number"); set.PrintDefaults()`, "  -n int\n    \ta number (default 1)\n"},
		{`import ("fmt"; "os"); fmt.Fprintln(set.Output(), set.Output() == os.Stderr)`, "true\n"},
		{`fmt.Fprintln(flag.CommandLine.Output(), "here")`, "here\n"},
		{`import "runtime/debug"; debug.PrintStack()`, "goroutine"},
	} {
		if text, reply := printing(s, c.code); reply.Status != "ok" || !strings.HasPrefix(text, c.want) {
			t.Errorf("%s\nprints %q, %s; want %q", c.code, text, reply.Evalue, c.want)
		}
	}
}
