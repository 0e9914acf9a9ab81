//go:build !race

package debug_test

import (
	"testing"

	"github.com/google/go-dap"
)

// The console reads a call of a method with type parameters, a key of a promoted field and a
// function whose type arguments are inferred like a cell does.
func TestTranscriptOfStepsThroughMethodsWithTypeParameters(t *testing.T) {
	c := dial(t)
	c.ended(c.execute(`type List[T any] struct{ items []T }
func (l List[T]) Map[U any](f func(T) U) []U {
	var out []U
	for _, x := range l.items {
		y := f(x)
		out = append(out, y)
	}
	return out
}
type Base struct{ ID int }
func (b *Base) Tag[S ~string](s S) S { return s + S(fmt.Sprint(b.ID)) }
type User struct{ Base; Name string }
func double[T int | float64](t T) T { return 2 * t }`), "ok")
	cell := `l := List[int]{[]int{3, 4}}
u := User{ID: 7, Name: "n"}
halves := l.Map(func(n int) float64 {
	return float64(n) / 2
})
fmt.Println(u.Tag("t"), halves)`
	c.attach()
	c.breakIn(cell, dap.SourceBreakpoint{Line: 3})
	id := c.execute(cell)
	frames := c.at("Cell [2]:3")
	c.evaluates(frames[0].Id, "u.Tag(\"x\")", `string "x7"`)
	c.evaluates(frames[0].Id, "User{ID: 1, Name: \"a\"}", `User {Base:{ID:1} Name:"a"}`)
	c.evaluates(frames[0].Id, "[]func(int) int{double}[0](4)", "int 8")
	c.evaluates(frames[0].Id, "l.Map[string](strconv.Itoa)", `[]string ["3" "4"]`)
	c.evaluates(frames[0].Id, "l.Map", "cannot use generic function l.Map without instantiation")
	frames = c.walk([2]string{"stepIn", "List.Map:3 Cell [2]:3"}, [2]string{"next", "List.Map:4 Cell [2]:3"},
		[2]string{"next", "List.Map:5 Cell [2]:3"})
	if got := c.variables(frames[0].Id, "Locals"); got != "l List[int] = {items:[3 4]}; f func(int) float64 = func(int) float64; out []float64 = []; x int = 3" {
		t.Errorf("locals are %s", got)
	}
	frames = c.walk([2]string{"stepIn", "func literal:4 List.Map:5 Cell [2]:3"}, [2]string{"stepOut", "List.Map:6 Cell [2]:3"})
	c.evaluates(frames[0].Id, "y", "float64 1.5")
	c.evaluates(frames[0].Id, "List[float64]{[]float64{y}}.Map(func(f float64) bool { return f > x })", "invalid operation: f > x (mismatched types float64 and int)")
	c.evaluates(frames[0].Id, "List[float64]{[]float64{y}}.Map(func(f float64) bool { return f > 1 })", "[]bool [true]")
	frames = c.walk([2]string{"stepOut", "Cell [2]:6"}, [2]string{"stepIn", "Base.Tag:11 Cell [2]:6"})
	if got := c.variables(frames[0].Id, "Locals"); got != `b *Base = &{ID:7}; s string = "t"` {
		t.Errorf("locals are %s", got)
	}
	c.ask("continue", map[string]any{"threadId": c.thread}, nil)
	c.ended(id, "ok")
}
