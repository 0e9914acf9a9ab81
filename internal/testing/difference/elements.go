package difference

import "strings"

// A node is a declared struct that contains itself in channels, functions and maps.
type node struct {
	name             string // name of the type
	step, deep, copy string // declared functions of it
}

// declareNode writes a recursive struct, with a function and methods on it.
func (g *generator) declareNode() {
	n := node{name: g.top("N"), step: g.top("n"), deep: g.top("n"), copy: g.top("n")}
	fields := []string{"C chan *$N", "F func(*$N) *$N", "M map[string]*$N", "L []func(*$N, int) *$N", "A [2]func(*$N) *$N", "K []*$N", "V map[int]func(*$N) $N"}
	g.rand.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	g.declared.WriteString(g.fill("type $N struct { X int; "+strings.Join(fields, "; ")+" }\n"+
		"func (n *$N) Up(by int) *$N { n.X += by; return n }\n"+
		"func (n $N) Show(at int) { fmt.Println(\"node\", at, n.X, len(n.M), len(n.K), cap(n.C)) }\n"+
		"func (n $N) Sum() int { s := n.X; for _, k := range n.K { s += k.Sum() }; return s }\n"+
		"func $step(n *$N) *$N { if n == nil { return &$N{X: 1} }; n.X++; return n }\n"+
		"func $deep(n *$N, k int) *$N { if k == 0 { return n }; return $deep(n.Up(k), k-1) }\n"+
		"func $copy(n *$N) $N { return *n }\n", "$N", n.name, "$step", n.step, "$deep", n.deep, "$copy", n.copy))
	g.nodes = append(g.nodes, n)
}

// elements writes calls of elements and fields of recursive structs, in statements of every kind.
func (g *generator) elements() string {
	if len(g.nodes) == 0 {
		return g.define()
	}
	n := pick(g, g.nodes)
	var b strings.Builder
	b.WriteString("n := &$N{X: $x % 50, C: make(chan *$N, 2), M: map[string]*$N{}, V: map[int]func(*$N) $N{1: $copy}}\n\tn.F, n.A[1] = $step, $step\n\tn.L = append(n.L, $deep)\n\tn.K = append(n.K, $step(nil))\n")
	for range 2 + g.n(3) {
		b.WriteString("\t{\n\t" + pick(g, elementUses) + "\n\t}\n")
	}
	b.WriteString("\tfmt.Println(§, n.X, n.Sum(), len(n.L), len(n.K), len(n.M))")
	return g.fill("\tfunc() {\n\t"+b.String()+"\n\t}()\n", "$N", n.name, "$step", n.step, "$deep", n.deep, "$copy", n.copy, "$x", g.literal(intType, 0))
}

// elementUses are statements that each run in their own function with a node n, all of whose fields
// are set.
var elementUses = []string{
	// Deferred calls and go statements with elements and fields.
	"defer n.F(n)",
	"defer n.L[0](n, 2)",
	"defer n.A[1](n).Show(§)",
	"for i := range 2 { defer n.L[i*0](n.Up(i), i) }",
	"func() { wait := make(chan bool); defer func() { <-wait }(); go func() { n.A[1](n); close(wait) }() }()",
	"go func(c chan *$N, f func(*$N) *$N) { c <- f(n) }(n.C, n.F)\n\tfmt.Println(§, (<-n.C).X)",
	"func() { fs := map[string]func(*$N) *$N{\"f\": $step}; defer fs[\"f\"](n); defer func() { fs[\"f\"](n.F(n)) }() }()",
	"func() { fs := []func(chan *$N, *$N){func(c chan *$N, x *$N) { c <- x.Up(5) }}; go fs[0](n.C, n) ; fmt.Println(§, (<-n.C).X) }()",
	"func() { defer func() { fmt.Println(§, recover() != nil) }(); defer n.A[0](n) }()",
	// Recursive calls through elements and fields.
	"n.L[0] = func(m *$N, k int) *$N { if k < 1 { return m }; return n.L[0](m.Up(1), k-1) }\n\tfmt.Println(§, n.L[0](n, 4).X)",
	"n.A[0] = func(m *$N) *$N { if m.X%7 == 0 { return m }; return n.A[0](m.Up(1)) }\n\tfmt.Println(§, n.A[0](n).X)",
	"n.V[2] = func(m *$N) $N { if len(m.K) > 3 { return *m }; m.K = append(m.K, $step(nil)); return n.V[2](m) }\n\tn.V[2](n).Show(§)",
	"fs := map[int]func(int) int{}\n\tfs[0] = func(k int) int { if k < 2 { return k }; return fs[0](k-1) + fs[0](k-2) }\n\tn.X += fs[0](6)",
	"n.F = func(m *$N) *$N { if m.X > 60 { return m }; m.X += 9; return n.F(m) }\n\tn.F(n).Show(§)",
	// Appends of one declared function, of method values and expressions.
	"n.L = append(n.L, (*$N).Up)\n\tfmt.Println(§, n.L[len(n.L)-1](n, 3).X)",
	"ups := append([]func(int) *$N(nil), n.Up)\n\tups = append(ups, n.K[0].Up)\n\tfmt.Println(§, ups[0](1).X, ups[1](2).X)",
	"shows := append([]func($N, int){}, $N.Show)\n\tshows[0](*n, §)\n\tdefer shows[0](*n, §)",
	"sums := append(make([]func() int, 0, 1), n.Sum)\n\tn.X++\n\tfmt.Println(§, sums[0](), n.Sum())",
	"sums := map[string]func($N) int{\"s\": $N.Sum}\n\tfmt.Println(§, sums[\"s\"](*n), (*$N).Sum(n))",
	"one := append([]func(*$N) *$N{}, $step)\n\tone = append(one, n.F, n.A[1])\n\tfor _, f := range one { defer f(n) }",
	// Elements passed on, and compared.
	"n.M[\"self\"] = n\n\tfmt.Println(§, n.M[\"self\"].M[\"self\"] == n, n.M[\"none\"] == nil, n.V[1](n).C == n.C)",
	"n.C <- n\n\tselect { case m := <-n.C: m.M[\"got\"] = m.K[0]; fmt.Println(§, m == n); default: fmt.Println(§) }",
	"var show interface{ Kids() []*$N }\n\t_, ok := any(n).(interface{ Kids() []*$N })\n\tfmt.Println(§, show == nil, ok)",
}
