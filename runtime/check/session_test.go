package check_test

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// checkCell parses, checks and commits one cell.
func checkCell(s *check.Session, number int, source string) (*check.Checked, error) {
	c, err := cell.Parse(number, source)
	if err != nil {
		return nil, err
	}
	checked, err := s.Check(c)
	if err != nil {
		return nil, err
	}
	s.Commit(checked)
	return checked, nil
}

// outline formats the results that a test compares: declarations, variables with their types and
// versions, the value, and dropped functions.
func outline(c *check.Checked) string {
	var parts []string
	for _, d := range c.Declarations {
		name := d.Symbol.Name
		if d.Symbol.Receiver != nil {
			name = d.Symbol.Receiver.Name + "." + name
		}
		text := fmt.Sprintf("%s#%d", name, d.Symbol.Version)
		if d.Again {
			text += " again"
		}
		parts = append(parts, text)
	}
	for _, v := range c.Variables {
		text := fmt.Sprintf("var %s#%d %s", v.Symbol.Name, v.Symbol.Version, v.Symbol.Object.Type())
		if !v.New {
			text += " kept"
		}
		parts = append(parts, text)
	}
	if c.Value != nil {
		parts = append(parts, "value "+c.Info.Types[c.Value].Type.String())
	}
	for _, s := range c.Dropped {
		parts = append(parts, "dropped "+s.Name)
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "main.", "")
}

// A step is one cell of a session with its expected outline or, after "error: ", the first line of
// the expected error.
type step struct{ source, want string }

// runSteps plays a session and compares every step.
func runSteps(t *testing.T, steps []step) {
	t.Helper()
	s := check.NewSession(store(t))
	for i, step := range steps {
		got := ""
		checked, err := checkCell(s, i+1, step.source)
		if err != nil {
			got = "error: " + strings.Join(strings.Split(err.Error(), "\n"), " | ")
		} else {
			got = outline(checked)
			verify(t, s, checked)
		}
		if got != step.want {
			t.Errorf("cell %d\n%s\ngot  %s\nwant %s", i+1, step.source, got, step.want)
		}
	}
}

func TestSessions(t *testing.T) {
	cases := map[string][]step{
		"values": {
			{"1 + 2*3", "value int"},
			{"7 / 2 * 2.0", "value float64"},
			{"x := 3\nx == 3", "var x#1 int; value bool"},
			{"func f() (int, error) { return 1, nil }\nf()", "f#1"},
			{"func g() {}\ng()", "g#1"},
			{"nil", "value untyped nil"},
			{"max(1, 2.5)", "value float64"},
			{"float64(3)", "value float64"},
			{"1 << 100", "error: Cell [9]:1:1: cannot use 1 << 100 (untyped int constant 1267650600228229401496703205376) as int value (overflows)"},
			{"int", "error: Cell [10]:1:1: int (type) is not an expression"},
			{"f", "value func() (int, error)"},
			{"x\nx", "error: Cell [12]:1:1: x (variable of type int) is not used"},
			{"(x)", "value int"},
			{"'a'", "value rune"},
			{"var s uint = 3\n1 << s", "var s#1 uint; value int"},
			{"len(\"abc\")", "value int"},
			{"func() int { x }()", "error: Cell [17]:1:14: x (variable of type int) is not used | Cell [17]:1:16: missing return"},
			{"struct{ A int }{1}", "value struct{A int}"},
		},
		"variables live on": {
			{"x := 3", "var x#1 int"},
			{"var y = x * 2", "var y#1 int"},
			{"x = 4\ny++", ""},
			{"x, z := 1, \"s\"", "var x#1 int kept; var z#1 string"},
			{"x := 2.5", "var x#2 float64"},
			{"x := x + 1", "var x#2 float64 kept"},
			{"x := fmt.Sprint(x)\nx", "var x#3 string; value string"},
			{"a, err := strconv.Atoi(\"1\")\nb, err := strconv.Atoi(\"2\")", "var a#1 int; var err#1 error; var b#1 int"},
			{"c, err := strconv.Atoi(\"3\")", "var c#1 int; var err#1 error kept"},
			{"x := 1\nx := 2", "error: Cell [10]:2:3: no new variables on left side of :="},
			{"_ = x", ""},
			{"var _, q = 1, 2", "var q#1 int"},
			{"w = 1", "error: Cell [13]:1:1: undefined: w"},
			{"p(later)\nlater := 1\nfunc p(int) {}", "error: Cell [14]:1:3: undefined: later"},
		},
		"unused at the top level only": {
			{"x := 3\nimport \"os\"", "var x#1 int"},
			{"{\n\ty := 1\n}", "error: Cell [2]:2:2: declared and not used: y"},
			{"func f() { z := 1 }", "error: Cell [3]:1:12: declared and not used: z"},
		},
		"functions see variables of their cell": {
			{"scale := 10\nfunc f(x int) int { return x * scale }\nf(2)", "f#1; var scale#1 int; value int"},
			{"scale := 2.5\nfunc g() float64 { return scale }", "g#1; var scale#2 float64; dropped f"},
			{"f(1)", "error: Cell [3]:1:1: f no longer compiles: Cell [1]:2:28: invalid operation: x * scale (mismatched types int and float64)"},
			{"scale := int(scale)\nfunc f2() int { return scale }\nf(1) + f2()", "f#1 again; f2#1; var scale#3 int; value int; dropped g"},
			{"type T struct{ n int }\nt := &T{1}\nfunc get() int { return t.n }", "T#1; get#1; var t#1 *T"},
			{"t.n + get()", "value int"},
			{"fmt.Println(scale)\nscale := \"s\"\nfunc h() string { return scale }", "h#1; var scale#4 string; dropped f; dropped f2"},
			{"func k() int { return undefinedHere + u }\nu := 1", "error: Cell [8]:1:23: undefined: undefinedHere"},
		},
		"methods see variables of their cell": {
			{"type C struct{ n int }\nlimit := 3\nfunc (c C) Over() bool { return c.n > limit }\ncs := []C{{1}, {9}}\ncs[1].Over()", "C#1; C.Over#1; var limit#1 int; var cs#1 []C; value bool"},
			{"limit := 7\ncs[0].Over()", "var limit#1 int kept; value bool"},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) { runSteps(t, steps) })
	}
}

func TestRedefinitions(t *testing.T) {
	cases := map[string][]step{
		"function": {
			{"func g(x int) int { return x * 2 }\nfunc f(x int) int { return g(x) + 1 }\nfunc e() int { return f(1) }", "g#1; f#1; e#1"},
			{"func g(x int) int { return x * 100 }", "f#1 again; e#1 again; g#2"},
			{"func g(x string) string { return x }", "g#3; dropped e; dropped f"},
			{"func f(x int) int { return x }", "e#1 again; f#2"},
			{"e() + f(1)", "value int"},
		},
		"constants": {
			{"const A = 10\nconst B = A * 2\nfunc f() int { return B }", "f#1"},
			{"const A = 20", "f#1 again"},
			{"B == 40", "value bool"},
			{"const (\n\tX = iota\n\tY\n\tZ\n)\nfunc z() [Z]int { return [2]int{} }", "z#1"},
			{"const Y = 7", ""},
			{"var arr [Y]int\nvar brr [Z]int", "var arr#1 [7]int; var brr#1 [2]int"},
			{"type M [A]int\nvar m M", "M#1; var m#1 M"},
			{"const A = 3", "f#1 again; M#2 again"},
			{"const K float64 = 2\nK", "value float64"},
		},
		"type": {
			{"type T struct{ A int }\ntype U struct{ t T }\nfunc (t T) Get() int { return t.A }\nfunc make1() T { return T{1} }\nt := T{1}\nu := U{t}", "T#1; U#1; T.Get#1; make1#1; var t#1 T; var u#1 U"},
			{"type T struct {\n\tA int\n\tB string\n}", "U#2 again; T.Get#2 again; T#2; dropped make1"},
			{"T{1, \"x\"}.Get()", "value int"},
			{"t.Get() + u.t.A", "value int"},
			{"t = T{}", "error: Cell [5]:1:5: cannot use T{} (value of struct type T) as T (of cell 1) value in assignment"},
			{"u2 := U{T{2, \"y\"}}\nu2.t.B", "var u2#1 U; value string"},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) { runSteps(t, steps) })
	}
}

func TestMethodsOfLaterCells(t *testing.T) {
	cases := map[string][]step{
		"replaced": {
			{"type T struct{ A int }\nfunc (t T) M() int { return t.A }", "T#1; T.M#1"},
			{"t := T{3}\nfunc useT() int { return t.M() }", "useT#1; var t#1 T"},
			{"func (t T) M() int { return t.A * 100 }", "useT#1 again; T.M#2"},
			{"useT() + t.M()", "value int"},
			{"func (t T) M() string { return \"\" }", "T#1 again; T.M#3; dropped useT"},
			{"t.M() + T{}.M()", "value string"},
			{"t = T{}", ""},
		},
		"added": {
			{"type Vec struct{ X, Y float64 }\nv := Vec{1, 2}\nvs := map[string][]*Vec{}\nfunc mk() Vec { return v }", "Vec#1; mk#1; var v#1 Vec; var vs#1 map[string][]*Vec"},
			{"func (v Vec) Dot(w Vec) float64 { return v.X*w.X + v.Y*w.Y }\nv.Dot(mk())", "Vec#1 again; mk#1 again; Vec.Dot#1; value float64"},
			{"v.Dot(v) + vs[\"a\"][0].Dot(mk())", "value float64"},
			{"type Dotter interface{ Dot(Vec) float64 }\nvar d Dotter = v\nd.Dot(v)", "Dotter#1; var d#1 Dotter; value float64"},
			{"func (v *Vec) Scale(k float64) { v.X *= k }\nv.Scale(2)\nd = v", "Vec#1 again; mk#1 again; Vec.Dot#1 again; Dotter#1 again; Vec.Scale#1"},
			{"w := Vec{}\nw.Scale(d.Dot(w))", "var w#1 Vec"},
			{"func (v Vec) Nope() int { return \"\" }", "error: Cell [7]:1:34: cannot use \"\" (untyped string constant) as int value in return statement"},
			{"v.Nope()", "error: Cell [8]:1:3: v.Nope undefined (type Vec has no field or method Nope)"},
		},
		"of a generic type": {
			{"type Box[T any] struct{ v T }\nb := Box[int]{1}", "Box#1; var b#1 Box[int]"},
			{"func (b Box[E]) Get() E { return b.v }\nb.Get() + 1", "Box#1 again; Box.Get#1; value int"},
			{"func (b Box[E]) Get() E { return b.v }", "Box.Get#2"},
			{"b.Get()", "value int"},
			{"type Pair[K comparable, V any] struct { Key K; Val V }\nfunc MakePair[K comparable, V any](k K, v V) Pair[K, V] { return Pair[K, V]{k, v} }\np := MakePair(\"a\", b)", "Pair#1; MakePair#1; var p#1 Pair[string, Box[int]]"},
			{"func (b *Box[E]) Set(e E) { b.v = e }\np.Val.Set(3)\np.Val.Get()", "Box#1 again; Box.Get#2 again; Box.Set#1; value int"},
			{"func MakePair[K comparable, V any](k K, v V) Pair[K, V] { return Pair[K, V]{} }", "MakePair#2"},
		},
		"recursive": {
			{"type List struct {\n\tnext *List\n\tv int\n}\ntype Holder struct{ l *List }\nl := &List{v: 1}\nh := Holder{l}", "List#1; Holder#1; var l#1 *List; var h#1 Holder"},
			{"func (l *List) Len() int { if l == nil { return 0 }; return 1 + l.next.Len() }\nh.l.Len()", "List#1 again; Holder#1 again; List.Len#1; value int"},
			{"l = h.l.next\nl.Len()", "value int"},
		},
		"not local": {
			{"func (x int) M() {}", "error: Cell [1]:1:9: cannot define new methods on non-local type int"},
			{"func (b strings.Builder) M() {}", "error: Cell [2]:1:9: cannot define new methods on non-local type strings.Builder"},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) { runSteps(t, steps) })
	}
}
