package assist

import (
	"strings"
	"testing"

	"gosphere/runtime/check"
)

// namesOf returns the members of a session variable.
func namesOf(a *Assistant, name string) string {
	var list []string
	for _, m := range members(a.session.Lookup(name).Object.Type()) {
		list = append(list, m.Name())
	}
	return strings.Join(list, " ")
}

func TestMembersOfAllKindsOfTypes(t *testing.T) {
	a := assistant(t, `type In struct{ a, b int }
func (i In) Val() {}
func (i *In) Ptr() {}
type Mid struct{ In; b string }
type Out struct{ *Mid; c func() }
type Named int
func (n Named) Half() Named { return n / 2 }
type Shape interface{ Area() float64; Name() string }
type Both interface{ Shape; More() }
type Box[T any] struct{ v T }
func (b *Box[T]) Get() T { return b.v }
type Loop struct{ *Loop; x int }
in, pin, mid, out := In{}, &In{}, Mid{}, Out{}
var shape Shape
var both Both
var pshape *Shape
var num Named
var box Box[string]
var loop Loop
var builder strings.Builder
var unnamed struct{ f, g int }
var list []int
var err error`)
	cases := map[string]string{
		"in":      "Ptr Val a b",
		"pin":     "Ptr Val a b",
		"mid":     "In Ptr Val a b",
		"out":     "In Mid Ptr Val a b c",
		"num":     "Half",
		"shape":   "Area Name",
		"both":    "Area More Name",
		"pshape":  "",
		"box":     "Get v",
		"loop":    "Loop x",
		"builder": "Cap Grow Len Reset String Write WriteByte WriteRune WriteString",
		"unnamed": "f g",
		"list":    "",
		"err":     "Error",
	}
	for name, want := range cases {
		if got := namesOf(a, name); got != want {
			t.Errorf("%s has the members %q, want %q", name, got, want)
		}
	}
}

func TestKindsAreThoseThatHaveIcons(t *testing.T) {
	a := assistant(t, "type S struct{}\ntype I interface{}\ntype N int\nconst c = 1\nfunc f() {}\nv := 1\nvar g func()")
	cases := map[string]string{"S": "struct", "I": "interface", "N": "class", "c": "constant", "f": "function", "v": "variable", "g": "variable"}
	for name, want := range cases {
		if got := kindOf(a.session.Lookup(name).Object); got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
}

func TestInspectionsFollowRedefinitions(t *testing.T) {
	a := assistant(t, "// f is old.\nfunc f() int { return 1 }\nx := 1", "// f is new.\nfunc f() string { return \"\" }\nx := \"s\"", "type T struct{ n int }", "// M is late.\nfunc (t T) M() {}")
	for code, want := range map[string]string{
		"f":         "func f() string\n\nf is new.\n\ndeclared in Cell [2], line 2",
		"x":         "var x string\n\ndeclared in Cell [2], line 3",
		"T{}.M":     "func (t T) M()\n\nM is late.\n\ndeclared in Cell [4], line 2",
		"T":         "type T struct{ n int }\n\ndeclared in Cell [3], line 1",
		"y := 1\ny": "var y int\n\ndeclared in line 1",
	} {
		if got := a.Inspect(code, len(code), 0).Plain; got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

func TestValuesAreAskedForVariablesOnly(t *testing.T) {
	a := assistant(t, "x := 1\nconst c = 2\nfunc f() {}")
	var asked []string
	a.Value = func(s *check.Symbol) (any, bool) { asked = append(asked, s.Name); return nil, false }
	for _, code := range []string{"x", "c", "f", "math.Pi", "y := 1\ny"} {
		a.Inspect(code, len(code), 0)
	}
	if got := strings.Join(asked, " "); got != "x" {
		t.Errorf("asked for the values of %s, want x", got)
	}
}
