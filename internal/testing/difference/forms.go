package difference

import (
	"fmt"
	"strings"
)

// forms writes a statement in one of the forms that differ in omitted or nested parts: headers
// without some of their parts, counts of shifts, strings as bytes and characters, functions in
// variables, pointers to pointers, and parts of results of interface methods.
func (g *generator) forms() string {
	switch g.n(8) {
	case 0, 1:
		return g.openFor()
	case 2:
		return g.openSwitch()
	case 3, 4:
		return g.shift()
	case 5:
		return g.stringParts()
	case 6:
		return g.functionVariable()
	}
	return g.indirect()
}

// openFor writes a for statement with any of its parts omitted, which ends after some iterations.
func (g *generator) openFor() string {
	t := g.integerType()
	i, n, fs, label := g.name("i"), g.name("n"), g.name("fs"), g.name("L")
	before, init := "", ""
	switch g.n(5) {
	case 0:
		init = i + " := " + g.typed(t, fmt.Sprint(g.n(3)))
	case 1:
		before, init = "\tvar "+i+" "+t.text+"\n", i+" = "+g.typed(t, fmt.Sprint(g.n(3)))
	case 2:
		init = fmt.Sprintf("%s, %s := %s, %s", i, g.name("j"), g.typed(t, "0"), g.expr(g.basicType(), 1))
	case 3:
		before = "\t" + i + " := " + g.typed(t, "1") + "\n"
	default:
		before, init = "\tvar "+i+" "+t.text+"\n", fmt.Sprintf("%s = func() %s { fmt.Println(%d); return 1 }()", i, t.text, g.number())
	}
	condition := pick(g, []string{"", "", i + " < 5", "func() bool { return " + i + " != 4 }()", i + " < 3 || " + i + "%2 == 0"})
	post := pick(g, []string{"", "", i + "++", i + " += 1", fmt.Sprintf("func() { %s++; fmt.Println(%d) }()", i, g.number())})
	body := ""
	if post == "" {
		body = "\t\t" + i + "++\n"
	}
	switch g.n(4) {
	case 0:
		body += fmt.Sprintf("\t\t%s = append(%[1]s, func() string { %[2]s += 2; return fmt.Sprint(%[2]s) })\n", fs, i)
	case 1:
		body += fmt.Sprintf("\t\tif %s == 2 {\n\t\t\tcontinue %s\n\t\t}\n", i, label)
	case 2:
		body += fmt.Sprintf("\t\tfor {\n\t\t\tif %s > 1 {\n\t\t\t\tbreak %s\n\t\t\t}\n\t\t\tcontinue %s\n\t\t}\n", n, label, label)
	}
	return fmt.Sprintf("\t{\n\tvar %[1]s []func() string\n\t%[2]s := 0\n%[3]s%[4]s:\n\tfor %[5]s; %[6]s; %[7]s {\n\t\t%[2]s++\n\t\tif %[2]s > 4 {\n\t\t\tbreak %[4]s\n\t\t}\n%[8]s\t\tfmt.Println(%[9]d, %[2]s, %[10]s)\n\t}\n"+
		"\tfor _, f := range %[1]s {\n\t\tfmt.Println(%[11]d, f())\n\t}\n\t}\n", fs, n, before, label, init, condition, post, body, g.number(), i, g.number())
}

// integerType returns a random integer type.
func (g *generator) integerType() *typ {
	t := g.basicType()
	for !t.integer() {
		t = g.basicType()
	}
	return t
}

// openSwitch writes a switch with an init statement, a default clause anywhere and cases that are
// not constant.
func (g *generator) openSwitch() string {
	t := g.orderedType()
	x, y := g.name("c"), g.name("c")
	tag := pick(g, []string{x, "", "any(" + x + ")", "func() " + t.text + " { fmt.Println(" + fmt.Sprint(g.number()) + "); return " + x + " }()"})
	test := func() string {
		if tag == "" {
			return pick(g, []string{x + " > " + y, x + " == " + y, x + " <= " + y, "true"})
		}
		return pick(g, []string{x, y, x + " + " + y, "func() " + t.text + " { fmt.Println(" + fmt.Sprint(g.number()) + "); return " + y + " }()"})
	}
	var clauses []string
	for range 1 + g.n(3) {
		values := test()
		if g.one(3) {
			values += ", " + test()
		}
		clauses = append(clauses, fmt.Sprintf("\tcase %s:\n\t\tfmt.Println(%d, %s)\n", values, g.number(), x))
	}
	if g.one(2) {
		at := g.n(len(clauses) + 1)
		clauses = append(clauses[:at], append([]string{fmt.Sprintf("\tdefault:\n\t\tfmt.Println(%d, %s)\n", g.number(), y)}, clauses[at:]...)...)
	}
	for i := range len(clauses) - 1 {
		if g.one(4) {
			clauses[i] += "\t\tfallthrough\n"
		}
	}
	return fmt.Sprintf("\t{\n\t%s := %s\n\tswitch %s := %s; %s {\n%s\t}\n\tfmt.Println(%d, %s)\n\t}\n", y, g.expr(t, 1), x, g.expr(t, 1), tag, strings.Join(clauses, ""), g.number(), y)
}

// shift writes shifts whose counts are expressions of other types.
func (g *generator) shift() string {
	t, u := g.integerType(), g.integerType()
	x, n := g.name("v"), g.name("s")
	small := func() string {
		return pick(g, []string{n + " & 7", "(" + n + "|1) & 3", n + "*(" + n + "+1)&3", n + " % (" + n + "|1) & 7", n + " - (" + n + " - 2)", "(" + n + " ^ (" + n + " &^ 5)) & 7", n})
	}
	value := func() string {
		return pick(g, []string{x, "(" + x + " + 1)", "^" + x, x + " * 3", "(" + x + " & (" + x + " | 9))"})
	}
	op := func() string { return pick(g, []string{" << ", " >> "}) }
	text := fmt.Sprintf("\t{\n\t%s, %s := %s, %s\n\t%[2]s = %[2]s & 3\n", x, n, g.typed(t, g.leaf(t)), g.typed(u, g.leaf(u)))
	for range 1 + g.n(3) {
		k := g.name("v")
		text += pick(g, []string{
			fmt.Sprintf("\t%s := %s%s(%s)\n\tfmt.Printf(\"%d %%v %%[1]T\\n\", %[1]s)\n", k, value(), op(), small(), g.number()),
			fmt.Sprintf("\tfmt.Println(%d, (%s%s(%s))%s(%s))\n", g.number(), value(), op(), small(), op(), small()),
			fmt.Sprintf("\t%s %s (%s)\n\tfmt.Println(%d, %[1]s)\n", x, strings.TrimSpace(op())+"=", small(), g.number()),
			fmt.Sprintf("\tvar %s %s = 1 << (%s)\n\tfmt.Println(%d, %[1]s)\n", k, t.text, small(), g.number()),
			fmt.Sprintf("\t%s := []%s{%s}[(%s%s(%s))&0] + %s\n\tfmt.Println(%d, %[1]s)\n", k, t.text, value(), value(), op(), small(), value(), g.number()),
			fmt.Sprintf("\tfmt.Println(%d, %s%s(%s) == %s, %s%s(%s)*2 + %s)\n", g.number(), value(), op(), small(), x, value(), op(), small(), x),
		})
	}
	return text + "\t}\n"
}

// stringParts splits strings into bytes and characters.
func (g *generator) stringParts() string {
	s := g.name("s")
	text := fmt.Sprintf("\t{\n\t%s := %s + %s\n", s, g.expr(stringType, 1), pick(g, []string{`"é\xff世"`, `"\xe4\xb8"`, `"ab"`, `string(rune(0x10FFFF))`, `""`}))
	for range 1 + g.n(3) {
		text += g.fill(pick(g, []string{
			"\tfor i, r := range $s {\n\t\tfmt.Println(§, i, r, string(r), $s[i])\n\t}\n",
			"\tfor i := range $s {\n\t\tfmt.Println(§, i, $s[i:])\n\t\tif i > 2 {\n\t\t\tbreak\n\t\t}\n\t}\n",
			"\tfor _, r := range $s {\n\t\tif r > 'b' {\n\t\t\tcontinue\n\t\t}\n\t\tfmt.Printf(\"§ %c %[1]U\\n\", r)\n\t}\n",
			"\tfor i := 0; i < len($s); i++ {\n\t\tfmt.Print($s[i], \" \")\n\t}\n\tfmt.Println(§)\n",
			"\tb := []byte($s)\n\tfor i := range b {\n\t\tb[i] ^= 1\n\t}\n\tfmt.Printf(\"§ %q %x\\n\", b, $s)\n",
			"\tq := []rune($s)\n\tslices.Reverse(q)\n\tfmt.Printf(\"§ %q %d\\n\", string(q), len(q))\n",
			"\tfmt.Println(§, append([]byte(\"x\"), $s...), strings.ToUpper($s), $s < \"b\", $s == string([]byte($s)))\n",
			"\tfor _, c := range []byte($s) {\n\t\tfmt.Print(c, \"-\")\n\t}\n\tfmt.Println(§)\n",
			"\tif m := map[string]int{$s: 1}; m[$s] == 1 {\n\t\tm[$s+\"x\"]++\n\t\tfmt.Println(§, len(m))\n\t}\n",
		}), "$s", s)
	}
	// Each declares names of its own kind at most once in a block.
	return strings.ReplaceAll(strings.ReplaceAll(text, "\tb := ", "\tvar b = "), "\tq := ", "\tvar q = ") + "\t}\n"
}

// functionVariable writes variables that hold functions, methods and function literals alternately.
func (g *generator) functionVariable() string {
	t := functionOf([]*typ{intType}, intType)
	p, box := g.name("p"), g.name("box")
	values := []string{"id" + g.mark + "[int]", "func(n int) int { return n * 2 }", box + ".get", box + ".add", "(*" + box + "T).add2(" + box + ")", p}
	values[4] = "func(n int) int { return (*" + box + "T)(" + box + ").N + n }"
	list := values[:2]
	text := fmt.Sprintf("\t{\n\ttype %[1]sT struct{ N int; get func(int) int }\n\t%[1]s := &%[1]sT{N: %[2]d, get: func(n int) int { return n + 1 }}\n", box, g.n(9))
	list = append(append([]string{}, list...), box+".get", values[4])
	text += fmt.Sprintf("\t%s := %s\n\tfmt.Println(%d, %[1]s(3))\n", p, pick(g, list), g.number())
	for range 1 + g.n(3) {
		next := pick(g, append(list, p))
		text += pick(g, []string{
			fmt.Sprintf("\tif %s(1) %s 2 {\n\t\t%[1]s = %[3]s\n\t}\n", p, pick(g, []string{">", "<", "!="}), next),
			fmt.Sprintf("\t%s, %s.N = %s, %s(2)\n", p, box, next, p),
			fmt.Sprintf("\tfunc() { %s = %s }()\n", p, next),
			fmt.Sprintf("\t%s.get, %s = %s, %s.get\n", box, p, next, box),
			fmt.Sprintf("\tvar held any = %s\n\t%[1]s = held.(%[2]s)\n\t_ = held\n", next, t.text),
		})
		text = strings.Replace(text, "held", g.name("held"), -1)
		text += fmt.Sprintf("\tfmt.Println(%d, %s(4), %s.N, %[2]s == nil)\n", g.number(), p, box)
	}
	return text + "\t}\n"
}

// indirect writes pointers to pointers, and parts of composite values that interface methods
// return.
func (g *generator) indirect() string {
	t, p, i := g.valueType(1), g.name("p"), g.name("maker")
	if !t.printable() || t.kind == pointerKind {
		t = g.basicType()
	}
	return g.fill("\t{\n\tx := $v\n\t$p := &x\n\tpp := &$p\n\tppp := &pp\n\t**pp = $w\n\tfmt.Println(§, x)\n\ty := $v\n\t*pp = &y\n\t***ppp = $w\n\tfmt.Println(§, x, *$p, $p == *pp)\n"+
		"\tlist := []**$t{pp, nil}\n\tif q := list[0]; q != nil && *q == $p {\n\t\tfmt.Println(§, **q)\n\t}\n\tif list[1] == nil {\n\t\tz := $p\n\t\tlist[1] = &z\n\t}\n\t**list[1] = $v\n\tfmt.Println(§, y)\n"+
		"\ttype $iT interface { Get() struct{ List []$t; At [2]$t } ; Map() map[string]*$t }\n\tvar $i $iT = nil\n\tfmt.Println(§, $i == nil)\n\tfs := map[string]func() struct{ List []$t; At [2]$t }{\"f\": func() struct{ List []$t; At [2]$t } { return struct{ List []$t; At [2]$t }{[]$t{$v}, [2]$t{1: $w}} }}\n"+
		"\tfmt.Println(§, fs[\"f\"]().List[0], fs[\"f\"]().At, len(fs[\"f\"]().At[1:1:2]))\n\t}\n",
		"$t", t.text, "$v", g.typed(t, g.literal(t, 1)), "$w", g.expr(t, 1), "$p", p, "$i", i)
}

// declareEnum writes a type with constants of it, which cells may declare before its methods, and
// init functions.
func (g *generator) declareEnum() {
	under := g.integerType()
	for under.named {
		under = g.integerType()
	}
	t := &typ{text: g.top("E"), kind: under.kind, base: under.base, bits: under.bits, named: true}
	g.giveMethods(t)
	fmt.Fprintf(&g.declared, "type %s %s\n", t.text, under.text)
	g.types = append(g.types, t)
	var lines []string
	first := pick(g, []string{"iota", "iota + 1", "1 << iota", "iota * 3 & 7"})
	for i := range 2 + g.n(3) {
		line := g.top("k")
		g.globals = append(g.globals, variable{line, t, false})
		if i == 0 {
			line += " " + t.text + " = " + first
		}
		lines = append(lines, line)
	}
	fmt.Fprintf(&g.declared, "const (\n\t%s\n)\n", strings.Join(lines, "\n\t"))
	name := g.top("g")
	fmt.Fprintf(&g.declared, "var %[1]s = map[%[2]s]int{}\nfunc init() { %[1]s[%[3]s]++; %[1]s[%[4]s] += 5 }\n", name, t.text, g.globals[len(g.globals)-1].name, g.typed(t, "1"))
	g.globals = append(g.globals, variable{name, mapOf(t, intType), false})
}
