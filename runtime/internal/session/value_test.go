package session

import (
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// inspected returns the plain text of an inspection of a name.
func inspected(s *Session, name string) string {
	reply := s.Inspect(protocol.InspectRequest{Code: name, CursorPos: len(name)})
	text, _ := reply.Data["text/plain"].(string)
	return text
}

func TestInspectShowsValuesAndSizes(t *testing.T) {
	s := newTestSession(t)
	failures := printed(s, `
import ("fmt"; "time"; "math/big"; "gonum.org/v1/gonum/mat")
type Point struct { X, y int; Next *Point }
func (p Point) String() string { for {} }
type Celsius float64
type Stack[T any] struct { items []T }
number := 42
text := "a\nb"
rows := [][]float64{{1, 2, 3}, {4, 5, 6}}
ragged := [][]int{{1}, {}}
table := map[string]int{"b": 2, "a": 1}
point := Point{1, 2, nil}
pointer := &point
points := []Point{{3, 4, pointer}}
temperature := Celsius(21.5)
var shape fmt.Stringer = point
stack := Stack[Celsius]{[]Celsius{1}}
wait := 90 * time.Second
large := big.NewInt(1).Lsh(big.NewInt(1), 70)
matrix := mat.NewDense(2, 3, nil)
long := make([]int, 100000)
var nothing error
var empty []int
add := func(a, b int) int { return a + b }
point.Next = &point`)
	if failures != "" {
		t.Fatal(failures)
	}
	for name, want := range map[string]string{
		"number": " = 42", "text": `= "a\nb" // length 3`,
		"rows": "= [[1 2 3] [4 5 6]] // 2×3", "ragged": "= [[1] []] // length 2",
		"table": `= map["a":1 "b":2] // length 2`, "point": "= {X:1 y:2 Next:&{X:1 y:2 Next:&{…}}}",
		"pointer": "= &{X:1 y:2 Next:&{X:1 y:2 Next:&…}}", "points": "= [{X:3 y:4 Next:&{X:1 y:2 Next:&…}}]",
		"temperature": "= 21.5", "shape": "= {X:1 y:2 ", "stack": "= {items:[1]}",
		"wait": "= 1m30s", "large": "= 1180591620717411303424", "matrix": "// 2×3",
		"long": "… // length 100000", "nothing": "= nil", "empty": "= []", "add": "= func(int, int) int",
	} {
		if got := inspected(s, name); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", name, got, want)
		}
	}
}

func TestInspectFollowsAssignments(t *testing.T) {
	s := newTestSession(t)
	printed(s, "n := 1")
	for i := range 3 {
		if got := inspected(s, "n"); !strings.Contains(got, "= "+string(rune('1'+i))+"\n") {
			t.Errorf("got %q after %d changes", got, i)
		}
		if failures := printed(s, "n++"); failures != "" {
			t.Error(failures)
		}
	}
}

// Reading a map while a goroutine writes it would end the process.
func TestInspectShowsOnlyNumbersWhileGoroutinesRun(t *testing.T) {
	s := newTestSession(t)
	printed(s, `m, n := map[int]int{}, 7
stop := make(chan bool)
done := make(chan bool)
go func() { for { select { case <-stop: close(done); return; default: m[len(m)] = 1 } } }()`)
	for range 100 {
		if got := inspected(s, "m"); strings.Contains(got, "=") {
			t.Fatalf("got %q", got)
		}
		if got := inspected(s, "n"); !strings.Contains(got, "= 7") {
			t.Fatalf("got %q", got)
		}
	}
	if failures := printed(s, "close(stop); <-done"); failures != "" {
		t.Error(failures)
	}
}

func TestValuesThatCannotBeDisplayedFailTheirCell(t *testing.T) {
	s := newTestSession(t)
	const bad = "figure.Lines(`x`, `y`, figure.Series{X: []float64{1}, Values: []float64{1, 2}})"
	for _, c := range []struct{ code, place string }{
		{"\n" + bad, "Cell [1], line 2"},
		{"func f() *figure.Figure { return " + bad + " }\nf()", "Cell [1], line 2"},
		{"display.Show(1, " + bad + ")\nfmt.Print(`not run`)", "Cell [1], line 1"},
		{"f := " + bad + "\n1, f", "Cell [1], line 2"},
		{"func both() (int, *figure.Figure) { return 1, " + bad + " }\nboth()", "Cell [1], line 2"},
	} {
		end, output := play(s, 1, c.code)
		f := end.failure
		if f == nil || f.name != "display error" || !strings.HasPrefix(f.value, "figure: series") || strings.Contains(output, "not run") || !slices.Contains(f.traceback, c.place) {
			t.Errorf("%s: %v %q", c.code, f, output)
		} else if text := strings.Join(f.traceback, "\n"); strings.Count(text, "figure: series") != 1 || end.shown != nil {
			t.Errorf("%s:\n%s", c.code, text)
		}
	}
}
