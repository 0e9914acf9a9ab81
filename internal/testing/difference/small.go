package difference

import (
	"fmt"
	"strings"
)

// fill replaces the placeholders of a text, which begin with $, by values, and each § by the next
// number of a print statement.
func (g *generator) fill(text string, values ...string) string {
	for strings.Contains(text, "§") {
		text = strings.Replace(text, "§", fmt.Sprint(g.number()), 1)
	}
	return strings.NewReplacer(values...).Replace(text)
}

// orderedType returns a random type whose values can be added and compared with <.
func (g *generator) orderedType() *typ {
	t := g.basicType()
	for !t.ordered() {
		t = g.basicType()
	}
	return t
}

// declareDecision writes a function that only compares and returns.
func (g *generator) declareDecision() {
	t := g.orderedType()
	f := &function{name: g.top("d"), params: []*typ{t, t}, results: []*typ{t}}
	values := []string{"p0", "p1", "p0 + p1", "p1 + p0 + p0", g.literal(t, 0)}
	if t.numeric() {
		values = append(values, "-p0", "p0 - p1", "p1*2 - p0", "p0 + 1")
	}
	if t.integer() {
		values = append(values, "p0 ^ p1", "p1 &^ p0", "p0 % 7", "p1 << 3")
	}
	if g.one(4) {
		u := pick(g, basicsTypes)
		f.results, values = []*typ{u}, []string{g.literal(u, 0), g.literal(u, 0), g.typed(u, g.literal(u, 0))}
	}
	conditions := []string{"p0 < p1", "p0 >= p1", "p0 == p1", "p0 + p1 > p1", "!(p0 <= p1) && p1 != p0", "p1 > " + g.literal(t, 0) + " || p0 == p1"}
	if t.integer() {
		conditions = append(conditions, "p0&1 == 0", "p1 > 2")
	}
	value, condition := func() string { return pick(g, values) }, func() string { return pick(g, conditions) }
	body := g.fill(pick(g, []string{
		"if $c { return $v }; return $w",
		"if $c { return $v } else if $d { return $w } else { return $x }",
		"if $c { return $v } else { return $w }",
		"if $c { if $d { return $v }; return $w }; if $e { return $x }; return $v",
		"switch { case $c: return $v; case $d: return $w }; return $x",
		"return $v",
	}), "$c", condition(), "$d", condition(), "$e", condition(), "$v", value(), "$w", value(), "$x", value())
	fmt.Fprintf(&g.declared, "func %s(p0, p1 %s) %s { %s }\n", f.name, t.text, f.results[0].text, body)
	g.functions = append(g.functions, f)
	g.decisions = append(g.decisions, f)
}

// declareRecord writes a struct with short methods, which are candidates for inlining.
func (g *generator) declareRecord() {
	t, r := g.orderedType(), g.top("R")
	for !t.numeric() {
		t = g.orderedType()
	}
	g.declared.WriteString(g.fill("type $R struct { X, Y $t; N int }\n"+
		"func (r $R) Low() $t { if r.X < r.Y { return r.X }; return r.Y }\n"+
		"func (r $R) Dot(o $R) $t { return r.X*o.X + r.Y*o.Y }\n"+
		"func (r $R) Less(o $R) bool { return r.X < o.X || r.X == o.X && r.N < o.N }\n"+
		"func (r $R) Size() int { if r.N < 0 { return -r.N } else if r.N > 100 { return 100 }; return r.N }\n"+
		"func (r $R) Plus(o $R) $R { return $R{r.X + o.X, r.Y + o.Y, r.N + o.N} }\n"+
		"func (r *$R) Grow(x $t) $t { r.X += x; r.N++; return r.X }\n", "$R", r, "$t", t.text))
	g.records = append(g.records, record{r, t})
}

// A record is a declared struct type and the type of its fields X and Y.
type record struct {
	name string
	typ  *typ
}

// small writes calls that are candidates for inlining.
func (g *generator) small() string {
	switch n := g.n(7); {
	case n == 0 && len(g.records) > 0:
		return g.recordUse()
	case n < 3 && len(g.decisions) > 0:
		return g.decisionUse(pick(g, g.decisions))
	case n > 4:
		return g.aliases()
	}
	return g.literals()
}

// aliases writes a variable shared by pointers and function literals, and assigns to it.
func (g *generator) aliases() string {
	t := g.printableType()
	if list := g.variables(func(v variable) bool { return v.typ.kind == structKind && v.typ.printable() && !v.typ.open() }); len(list) > 0 && g.one(2) {
		t = pick(g, list).typ
	}
	value := func() string {
		if g.one(2) {
			return strings.TrimSuffix(strings.TrimPrefix(g.literal(t, 2), "("), ")")
		}
		return g.expr(t, 2)
	}
	changes := []string{
		"w = $x", "func() { w = $x }()", "call(func() { w = $x })", "for range func(yield func() bool) { yield() } { w = $x }", "w, v = v, w", "*p = $x",
		"w = id$m(v)", "w = *list[0]", "func(q *$t) { *q = $x }(&w)", "w = any(v).($t)", "if v := $x; len(list) > 0 { w = v }", "for i := range 2 { if i == 1 { w = $x } }",
		"m[\"k\"] = &v; *m[\"k\"] = $x", "w, _ = func() ($t, error) { return $x, nil }()", "box.in = $x; w = box.in", "func() { defer func() { w = $x; recover() }(); panic(1) }()",
		"v = $x", "q := &w; w = $x; call(func() { *q = $x })", "switch y := any(w).(type) { case $t: y = $x; call(func() { y = v }); v = y }", "done := make(chan int); go func() { w = $x; close(done) }(); <-done",
	}
	for _, f := range t.fields {
		name := lastName(f.name)
		changes = append(changes, g.fill("p.$f = $y", "$f", name, "$y", g.expr(f.typ, 1)), g.fill("call(func() { w.$f = $y; in := &w; in.$f = v.$f })", "$f", name, "$y", g.expr(f.typ, 1)))
	}
	text := "\tfunc() {\n\tw, v := $a, $b\n\tp, list, m, box, call := &w, []*$t{&w}, map[string]*$t{}, struct{ in $t }{}, func(f func()) { f() }\n\tread := func() $t { return w }\n"
	for range 1 + g.n(4) {
		text += "\t{ " + g.fill(pick(g, changes), "$x", value()) + " }\n"
		if g.one(2) {
			text += "\tfmt.Println(§, w, *p, v)\n"
		}
	}
	return g.fill(text+"\tfmt.Println(§, w, *p, read(), *list[0], v, len(m), box.in)\n\tcall(func() {})\n\t}()\n",
		"$t", t.text, "$m", g.mark, "$a", g.expr(t, 1), "$b", g.expr(t, 1))
}

// decisionUse calls a decision in every kind of statement that can use its result.
func (g *generator) decisionUse(f *function) string {
	t, u := f.params[0], f.results[0]
	again := "$y, $x = $x, $y"
	if t == u {
		again = pick(g, []string{"$x = $f($x, $y)", "$y += $f($x, $y)", "$y = $f($f($x, $v), $y)", "if i > 0 { $x = $f($y, $x) }"})
	}
	more := pick(g, []string{
		"func() { $r := $f($y, $x); $r = $f($x, $x); fmt.Println(§, $r) }()",
		"fmt.Println(§, func() $u { return $f($x, $y) }())",
		"fmt.Println(§, func() (out $u) { defer func() { out = $f($y, $y) }(); return $f($x, $y) }())",
		"switch $f($x, $y) { case $f($y, $x): fmt.Println(§) ; default: fmt.Println(§, \"other\") }",
		"list := []$u{$f($x, $y), $f($y, $x)}; list[0] = $f($y, $y); fmt.Println(§, list)",
		"m := map[string]$u{}; m[\"k\"] = $f($x, $y); var held any = $f($y, $x); held = $f($x, $x); fmt.Println(§, m, held)",
		"p := &$x; *p = $v; z := $f(*p, $y); fmt.Println(§, z)",
	})
	return g.fill("\t{\n\t$x, $y := $v, $w\n\tfor i := range 4 {\n\t\t$again\n\t\t_ = i\n\t\tz := $f($x, $y)\n\t\tfmt.Println(§, $x, $y, z)\n\t}\n\t$more\n\t}\n",
		"$again", strings.NewReplacer("$x", "x0", "$y", "y0", "$f", f.name, "$v", g.literal(t, 0)).Replace(again),
		"$more", g.fill(more, "$x", "x0", "$y", "y0", "$f", f.name, "$v", g.literal(t, 0), "$u", u.text, "$r", "r0"),
		"$x", "x0", "$y", "y0", "$f", f.name, "$v", g.expr(t, 1), "$w", g.expr(t, 1))
}

// recordUse calls the methods of a record on variables, fields, elements and pointers.
func (g *generator) recordUse() string {
	r := pick(g, g.records)
	place := pick(g, []string{"a", "list[1]", "box.In", "(*p)", "p", "m[\"k\"]", "$R{1, 2, 3}", "f()"})
	return g.fill("\t{\n\ta, b := $R{$v, $w, $n}, $R{X: $w, N: 3}\n\tlist, m, p := []$R{a, b, a.Plus(b)}, map[string]$R{\"k\": b}, &$R{N: -7}\n"+
		"\tbox := struct{ In $R; Out *$R }{b, p}\n\tf := func() $R { b.N++; return b }\n\tbest := a\n\tfor _, x := range list {\n\t\tif best.Less(x) { best = x }\n\t\tx.Grow(1)\n\t\ts := x.Size()\n\t\ts += x.Size()\n\t\tfmt.Println(§, x.Low(), x.Dot(a), s)\n\t}\n"+
		"\tgrow := list[0].Grow\n\tgrow(2)\n\tlow := "+place+".Low()\n\tdot := "+place+".Dot(b)\n\tdot += b.Dot(box.In)\n\tbox.Out.Grow(dot)\n\tfmt.Println(§, low, dot, best, list, m, *p, box.In, f())\n\t}\n",
		"$R", r.name, "$v", g.literal(r.typ, 0), "$w", g.literal(r.typ, 0), "$n", fmt.Sprint(g.n(9)-4))
}

// literals writes function literals that are held by a variable and called.
func (g *generator) literals() string {
	t := g.orderedType()
	text := pick(g, []string{
		// It changes a captured variable.
		"total, seen := $v, 0\n\tadd := func(x $t) $t { seen++; total += x; return total }\n\tfor i := range 3 {\n\t\tif i == 1 { continue }\n\t\ttotal = add($w)\n\t\tadd(total)\n\t}\n\tlast := add($v)\n\tfmt.Println(§, total, seen, last)",
		// It calls itself.
		"var walk func(n int) int\n\tdepth, calls, x := 0, 0, $v\n\twalk = func(n int) int { calls++; if n > depth { depth = n; x = $w }; if n < 2 { return n }; return walk(n-1) + walk(n-2) }\n\tn := walk(6)\n\tfmt.Println(§, n, calls, depth, x)",
		// Each iteration has its own variable.
		"var fs []func() int\n\tfor i := 0; i < 4; i++ {\n\t\tstep := func(k int) int { i += k; return i }\n\t\tif i == 1 { step(1) }\n\t\tfs = append(fs, func() int { return i * 10 })\n\t\tfmt.Println(§, step(0), i)\n\t}\n\tfor _, f := range fs { fmt.Println(§, f()) }",
		// Arrays and structs.
		"arr, s := [3]$t{}, struct{ A $t; N int; In struct{ L []$t } }{}\n\tput := func(i int, x $t) int { arr[i] = x; s.A = x; s.N += i; s.In.L = append(s.In.L, x); return s.N }\n\told, was := arr, s\n\tfor i := range 3 { put(i, $v) }\n\tput(0, $w)\n\tfmt.Println(§, arr, s, old, was)",
		// Several results.
		"count := 0\n\tsplit := func(x int) (q, r int) { count++; q = x / 2; if x < 0 { return -1, q }; r = x % 2; return }\n\ta, b := split($i)\n\tb, a = split(a + 7)\n\t_, c := split(-b)\n\tfmt.Println(split(c))\n\tfmt.Println(§, a, b, c, count)",
		// Calls in headers, conditions and literals.
		"n := 0\n\tnext := func() int { n++; return n }\n\tfor next() < 4 {\n\t\tfmt.Println(§)\n\t}\n\tswitch next() {\n\tcase 9: fmt.Println(§)\n\tcase next(): fmt.Println(§)\n\tcase 5, next() - 2: fmt.Println(§)\n\t}\n\txs := []int{next(), next(), next()}\n\tif k := next(); k > 3 && next() > k || next() == 0 { fmt.Println(§, k) }\n\tx := [...]int{10, 20, 30}[next()%3]\n\tx += next() * next()\n\tfmt.Println(§, n, xs, x)\n\tfmt.Println(next()-next()*2, next() > next() || next() == next())\n\tfunc() { defer fmt.Println(next()); fmt.Println(next()) }()",
		// A captured variable changes later, and is captured by another function literal.
		"base := $v\n\tget := func() $t { return base }\n\tset := func(x $t) { base = x }\n\ta := get()\n\tset($w)\n\tb := get()\n\tbase += b\n\tboth := func() []$t { return []$t{get(), base} }\n\tfmt.Println(§, a, b, both())",
		// It is also passed on, deferred, or assigned twice.
		"n := 1\n\ttwice := func(k int) int { n *= 2; return n + k }\n\tother := twice\n\tfmt.Println(§, twice(1), other(1))\n\tfunc() { defer twice(0); n++ }()\n\ttwice = func(k int) int { return k - n }\n\tfmt.Println(§, twice(3), other(4))\n\tfmt.Println(n)",
		// It panics.
		"at := \"\"\n\txs := []int{1, 2}\n\tfetch := func(i int) int { at += fmt.Sprint(i); if i > 9 { panic(at) }; return xs[i] / (i - 1) }\n\tfor _, i := range []int{0, 1, 2, 10} {\n\t\tfunc() { defer func() { r := recover(); _, isError := r.(error); fmt.Println(§, i, isError) }(); fmt.Println(fetch(i)) }()\n\t}\n\tfmt.Println(§, at)",
		// A parameter shadows, a pointer is shared, a label is left.
		"x, p := $v, new($t)\n\tmix := func(x $t, q *$t) bool { *q = x; x = *p; return x == *q }\n\tsame := mix($w, p)\n\tother := $v\n$l:\n\tfor i := range 3 {\n\t\tfor {\n\t\t\tif mix(x, &other) || i == 1 { continue $l }\n\t\t\tx = other\n\t\t\tbreak $l\n\t\t}\n\t}\n\tfmt.Println(§, x, *p, same, other)",
		// It is itself inside a function literal, and in a table of functions.
		"outer := func(k int) int {\n\t\tsum := k\n\t\tinner := func(j int) { sum += j; k-- }\n\t\tfor k > 0 { inner(k) }\n\t\treturn sum + k\n\t}\n\ttable := map[string]func(int) int{\"o\": outer, \"d\": func(n int) int { return outer(n) * 2 }}\n\tfmt.Println(§, outer(4), table[\"o\"](3), table[\"d\"](2))",
	})
	return "\t{\n\t" + g.fill(text, "$t", t.text, "$v", g.literal(t, 0), "$w", g.expr(t, 1), "$i", g.literal(intType, 0), "$l", g.name("L")) + "\n\t}\n"
}
