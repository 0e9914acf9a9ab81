package difference

import "fmt"

// flow writes statements that test the order of execution: goroutines that pass values, iterators
// with deferred calls, loops that are left from inside, and values that are copied when passed.
func (g *generator) flow() string {
	scope := len(g.scope)
	defer func() { g.scope = g.scope[:scope] }()
	switch g.n(8) {
	case 0:
		return g.pipeline()
	case 1:
		return g.workers()
	case 2:
		return g.iterator()
	case 3:
		return g.copiedArrays()
	case 4:
		return g.structMap()
	case 5:
		return g.manyResults()
	case 6:
		return g.adapters()
	}
	return g.channelLoop()
}

// pipeline writes goroutines that pass values from one to the next.
func (g *generator) pipeline() string {
	t, in, out := g.basicType(), g.name("in"), g.name("out")
	size := g.n(3)
	return fmt.Sprintf("\t%[1]s, %[2]s := make(chan %[3]s, %[4]d), make(chan %[3]s)\n"+
		"\tgo func() {\n\t\tdefer close(%[1]s)\n\t\tfor i := range 3 {\n\t\t\tif i == 1 {\n\t\t\t\t%[1]s <- %[5]s\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\t%[1]s <- %[6]s\n\t\t}\n\t}()\n"+
		"\tgo func() {\n\t\tdefer close(%[2]s)\n\t\tfor x := range %[1]s {\n\t\t\t%[2]s <- x\n\t\t\t%[2]s <- %[7]s\n\t\t}\n\t}()\n"+
		"\tfor x := range %[2]s {\n\t\tfmt.Println(%[8]d, x)\n\t}\n\tx, ok := <-%[1]s\n\tfmt.Println(x, ok)\n",
		in, out, t.text, size, g.literal(t, 1), g.literal(t, 1), g.literal(t, 1), g.number())
}

// workers writes concurrent goroutines, each with its own variable.
func (g *generator) workers() string {
	t, list, done := g.valueType(1), g.name("list"), g.name("done")
	return fmt.Sprintf("\t%[1]s, %[2]s := make([]%[3]s, 4), make(chan struct{})\n"+
		"\tfor i := range %[1]s {\n\t\tgo func() {\n\t\t\tdefer func() { recover(); %[2]s <- struct{}{} }()\n\t\t\tif i == 2 {\n\t\t\t\tpanic(i)\n\t\t\t}\n\t\t\t%[1]s[i] = %[4]s\n\t\t}()\n\t}\n"+
		"\tfor range %[1]s {\n\t\t<-%[2]s\n\t}\n\tfmt.Printf(\"%[5]d %%v\\n\", %[1]s)\n",
		list, done, t.text, g.literal(t, 1), g.number())
}

// iterator writes a range over a function whose body defers, breaks and returns.
func (g *generator) iterator() string {
	t, seq := g.basicType(), g.name("seq")
	leave := pick(g, []string{"break", "continue", "return x, i", "continue outer", "break outer", "i += 10", "panic(i)"})
	return fmt.Sprintf("\t%[1]s := func(n int) func(func(int, %[2]s) bool) {\n\t\treturn func(yield func(int, %[2]s) bool) {\n\t\t\tdefer fmt.Println(%[3]d, \"over\", n)\n"+
		"\t\t\tfor i := range n {\n\t\t\t\tif !yield(i, %[4]s) {\n\t\t\t\t\treturn\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t}\n"+
		"\tfmt.Println(func() (out %[2]s, n int) {\n\t\tdefer func() {\n\t\t\tif r := recover(); r != nil {\n\t\t\t\tn = -1\n\t\t\t}\n\t\t}()\n"+
		"\touter:\n\t\tfor i, x := range %[1]s(3) {\n\t\t\tdefer func() { fmt.Println(%[5]d, i, x) }()\n\t\t\tfor j := range %[1]s(2) {\n\t\t\t\tif i+j == 2 {\n\t\t\t\t\t%[6]s\n\t\t\t\t}\n\t\t\t\tif i > 5 { break outer }\n\t\t\t\tn += i*10 + j\n\t\t\t}\n\t\t}\n\t\treturn out, n\n\t}())\n",
		seq, t.text, g.number(), g.expr(t, 1), g.number(), leave)
}

// copiedArrays writes arrays and structs that contain arrays, whose copies change independently.
func (g *generator) copiedArrays() string {
	t, a, b := g.valueType(1), g.name("arr"), g.name("box")
	value := func() string { return g.expr(t, 1) }
	text := fmt.Sprintf("\t%[1]s := [2]%[2]s{%[3]s}\n\t%[4]s := struct{ A [2]%[2]s; M map[string][2]%[2]s }{%[1]s, map[string][2]%[2]s{\"k\": %[1]s}}\n", a, t.text, value(), b)
	text += pick(g, []string{
		fmt.Sprintf("\tfor i, x := range %[1]s {\n\t\t%[1]s[1-i] = %[2]s\n\t\tfmt.Println(%[3]d, i, x)\n\t}\n", a, value(), g.number()),
		fmt.Sprintf("\tfunc(v [2]%[1]s, p *[2]%[1]s) { v[0], p[1] = %[2]s, %[3]s }(%[4]s, &%[4]s)\n", t.text, value(), value(), a),
		fmt.Sprintf("\tcopied := %[1]s\n\tcopied.A[0] = %[2]s\n\tcopied.M[\"k\"] = copied.A\n\tfmt.Println(%[3]d, copied)\n", b, value(), g.number()),
		fmt.Sprintf("\tlist := [][2]%[1]s{%[2]s, %[2]s}\n\tfor _, x := range list {\n\t\tx[0] = %[3]s\n\t}\n\tlist[1][0] = %[3]s\n\tfmt.Println(%[4]d, list, %[5]s.A)\n", t.text, a, value(), g.number(), b),
		fmt.Sprintf("\tvar held any = %[1]s\n\t%[1]s[0] = %[2]s\n\tfmt.Println(%[3]d, held)\n", a, value(), g.number()),
	})
	return "\t{\n" + text + fmt.Sprintf("\tfmt.Println(%d, %s, %s)\n\t}\n", g.number(), a, b)
}

// structMap writes a map whose elements are structs or pointers to them.
func (g *generator) structMap() string {
	t, k, m := g.valueType(1), g.keyType(), g.name("m")
	return fmt.Sprintf("\t{\n\ttype item struct { X %[1]s; N int; Next *item }\n\t%[2]s := map[%[3]s]item{%[4]s: {X: %[5]s, N: 1}}\n"+
		"\tp := map[string]*item{\"a\": {N: 2}, \"b\": nil}\n\tfor key, it := range %[2]s {\n\t\tit.N += 5\n\t\tfmt.Println(%[6]d, it.N, %[2]s[key].N)\n\t\tit.Next = p[\"a\"]\n\t\t%[2]s[key] = it\n\t}\n"+
		"\tp[\"a\"].N++\n\tp[\"a\"].X = %[5]s\n\tfor _, it := range %[2]s {\n\t\tfmt.Println(%[7]d, it.N, it.Next.N, it.X, p[\"b\"] == nil, p[\"c\"] == p[\"b\"])\n\t}\n\tfmt.Println(len(%[2]s), %[2]s[%[8]s].N)\n\t}\n",
		t.text, m, k.text, g.literal(k, 1), g.expr(t, 1), g.number(), g.number(), g.literal(k, 1))
}

// manyResults writes functions whose results are operations of every kind.
func (g *generator) manyResults() string {
	f, list := g.name("many"), "[]int{1, 2, 3}"
	t := g.basicType()
	operations := []string{
		"len(xs)", "cap(xs[:2:2])", "xs[0] - 1", "-xs[1]", "copy(make([]int, 2), xs)", "xs[len(xs)-1]", "func() int { return xs[0] + cap(xs) }()",
		"min(xs[0], 2)", "int(xs[1])", "any(xs[0]).(int)", "*p", "*p + 1", "(*p) * 2",
	}
	a, b, c := pick(g, operations[:9]), pick(g, operations), pick(g, operations[:9])
	return fmt.Sprintf("\t%[1]s := func(xs []int, p *int) (int, %[2]s, int, []int, int) { return %[3]s, %[4]s, %[5]s, append(xs[:1:1], 7), %[6]s }\n\t{\n\tn := 4\n"+
		"\tfmt.Println(%[1]s(%[7]s, &n))\n\tvar q %[2]s\n\tvar rest []int\n\tn, q, n, rest, _ = %[1]s(%[7]s, &n)\n\tfmt.Println(%[8]d, n, q, rest)\n\t}\n",
		f, t.text, a, g.expr(t, 1), b, c, list, g.number())
}

// channelLoop writes a loop around a select statement that is left by a label.
func (g *generator) channelLoop() string {
	c, label, t := g.name("ch"), g.name("L"), g.basicType()
	jump := pick(g, []string{"break", "continue"})
	return fmt.Sprintf("\t%[1]s := make(chan %[2]s, 3)\n\tturns%[1]s := 0\n%[3]s:\n\tfor {\n\t\tturns%[1]s++\n\t\tfor i := range 2 {\n\t\t\tselect {\n\t\t\tcase %[1]s <- %[4]s:\n\t\t\t\tif turns%[1]s > 1 {\n\t\t\t\t\t%[5]s %[3]s\n\t\t\t\t}\n"+
		"\t\t\tdefault:\n\t\t\t\tfmt.Println(%[6]d, i, len(%[1]s))\n\t\t\t\tbreak %[3]s\n\t\t\t}\n\t\t}\n\t\tif turns%[1]s > 4 {\n\t\t\tbreak\n\t\t}\n\t}\n\tclose(%[1]s)\n\tfor x := range %[1]s {\n\t\tfmt.Println(x, turns%[1]s)\n\t}\n",
		c, t.text, label, g.literal(t, 1), jump, g.number())
}
