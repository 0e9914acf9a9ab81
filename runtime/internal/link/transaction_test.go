//go:build !race

package link_test

import (
	"strings"
	"testing"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// refused is a statement that type-checks but is refused.
const refused = `matrix := device.Matrix[float64]{}; _ = matrix.Row(0)`

const imports = "import (\"fmt\"; \"gosphere/asymvlm/device\")\nvar _ device.Device\n"

// after plays cells, a cell that is refused, and further cells.
func after(t *testing.T, before, bad string, steps ...step) {
	t.Helper()
	list := []step{{code: imports + before}, {code: strings.ReplaceAll(bad, "BAD", refused), fails: "device.Matrix[float64]"}}
	play(t, append(list, steps...))
}

func TestARefusedCellLeavesNoType(t *testing.T) {
	after(t, "", "type T struct { A int; Next *T }\nfunc (t T) M() int { BAD; return 1 }",
		step{code: "fmt.Println(1 + 1)", prints: "2\n"},
		step{code: "var t T", fails: "undefined: T"},
		step{code: "type T struct { B string; Next *T }\nfunc (t T) String() string { return \"T:\" + t.B }"},
		step{code: "fmt.Printf(\"%v %+v %T\\n\", T{B: \"x\"}, &T{B: \"y\"}, T{})", prints: "T:x T:y main.T\n"})
}

func TestARefusedCellLeavesNoMethod(t *testing.T) {
	after(t, "type S struct{ N int }\nfunc (s S) String() string { return \"first\" }\nvar kept fmt.Stringer = S{1}",
		"func (s S) String() string { BAD; return \"second\" }",
		step{code: "fmt.Println(kept, S{2}, S{3}.String())", prints: "first first first\n"},
		step{code: "func (s S) String() string { return \"third\" }"},
		step{code: "fmt.Println(kept, S{2}, S{3}.String())", prints: "third third third\n"})
}

func TestARefusedCellAddsNoMethodToATypeThatHasNone(t *testing.T) {
	after(t, "type S struct{ N int }\nvar kept any = S{1}", "func (s S) String() string { BAD; return \"string\" }",
		step{code: "_, is := any(S{2}).(fmt.Stringer)\nfmt.Println(kept, S{2}, is)", prints: "{1} {2} false\n"},
		step{code: "func (s S) String() string { return \"late\" }", prints: keeps("S", "String")},
		step{code: "_, is = any(S{2}).(fmt.Stringer)\nfmt.Println(S{2}, is)", prints: "late true\n"})
}

func TestARefusedCellLeavesFunctionsAsTheyWere(t *testing.T) {
	after(t, "func g() int { return 1 }\nfunc h() int { return g() }", "func g() int { BAD; return 2 }",
		step{code: "fmt.Println(g(), h())", prints: "1 1\n"},
		step{code: "func g() int { return 3 }\nfmt.Println(g())", prints: "3\n"})
}

func TestARefusedCellLeavesInstancesAsTheyWere(t *testing.T) {
	after(t, "type Box[A any] struct { X A; Next *Box[A] }\nfunc (b Box[A]) String() string { return fmt.Sprint(\"box \", b.X) }\nfunc two[A any](a A) []A { return []A{a, a} }",
		"b := Box[int]{1, nil}\nxs := two(b)\nfunc f() { BAD }",
		step{code: "var v any = Box[int]{2, nil}\n_, is := v.(Box[int])\nfmt.Println(v, is, two(3), two(Box[int]{4, nil}))", prints: "box 2 true [3 3] [box 4 box 4]\n"})
	after(t, "func two[A any](a A) []A { return []A{a, a} }\nvar first = two(1)", "func two[A any](a A) []A { BAD; return nil }\nvar second = two(2)",
		step{code: "fmt.Println(first, two(3), two(\"s\"))", prints: "[1 1] [3 3] [s s]\n"})
	after(t, "", "func two[A any](a A) A { type pair struct { X, Y A }; BAD; return pair{a, a}.Y }\nvar x = two(1)",
		step{code: "func two[A any](a A) any { type pair struct { X, Y A }; return pair{a, a} }\nfmt.Printf(\"%v %T\\n\", two(2), two(\"s\"))", prints: "{2 2} main.pair[string]\n"})
}

func TestARefusedCellLeavesEmbeddersAsTheyWere(t *testing.T) {
	after(t, "type E struct{ X int }\nfunc (e E) Hello() string { return fmt.Sprint(\"hello \", e.X) }\ntype O struct{ E }\nvar o any = O{E{1}}",
		"type F struct { E; name string }\nfunc (f F) Bad() { BAD }\nfunc (e E) Other() {}",
		step{code: "type F struct { E }\ntype Heller interface { Hello() string }\nvar q any = F{E{2}}\nh, is := q.(Heller)\nfmt.Println(h.Hello(), is, o.(Heller).Hello())", prints: "hello 2 true hello 1\n"},
		step{code: "_, other := any(O{}).(interface{ Other() })\nfmt.Println(other)", prints: "false\n"})
}

func TestARefusedCellAfterAnotherLeavesAsMuch(t *testing.T) {
	play(t, []step{
		{code: imports + "type T struct { N int }\nfunc (t *T) Add(n int) { t.N += n }\nvar p = &T{1}"},
		{code: "func (t *T) Add(n int) { " + refused + " }", fails: "device.Matrix"},
		{code: "type U struct { *T }\nfunc (u U) Get() int { " + refused + "; return 0 }", fails: "device.Matrix"},
		{code: "var adder interface{ Add(int) } = p\nadder.Add(2)\np.Add(3)\nfmt.Println(p.N)", prints: "6\n"},
		{code: "type U struct { *T }\nfunc (u U) Get() int { return u.N }\nvar u = U{p}\nadder = u\nadder.Add(4)\nfmt.Println(u.Get())", prints: "10\n"},
	})
}

// keeps is the warning about a type that gains its first method in a later cell.
func keeps(t, method string) string {
	return "warning: values of type " + t + " that interface values hold already keep the methods that they were made with, without " + method + "; make them again\n"
}

func TestATypeMayGainMethodsInSeveralCells(t *testing.T) {
	play(t, []step{
		{code: "import \"fmt\"\ntype S struct{ N int }\nvar kept any = S{1}"},
		{code: "func (s S) A() {}", prints: keeps("S", "A")},
		{code: "_, is := any(S{2}).(fmt.Stringer)\nfmt.Println(S{2}, is)", prints: "{2} false\n"},
		{code: "func (s S) String() string { return \"late\" }"},
		{code: "_, is = any(S{2}).(fmt.Stringer)\nfmt.Println(S{2}, is)", prints: "late true\n"},
	})
}
