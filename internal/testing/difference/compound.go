package difference

import (
	"fmt"
	"strings"
)

// compound writes a statement that contains others.
func (g *generator) compound() string {
	switch g.n(9) {
	case 0:
		return g.ifStatement()
	case 1, 2:
		return g.switchStatement()
	case 3, 4:
		return g.typeSwitch()
	case 5:
		return g.selectStatement()
	}
	if g.loops >= 2 {
		return g.ifStatement()
	}
	g.loops++
	defer func() { g.loops-- }()
	switch g.n(4) {
	case 0:
		return g.labeled()
	case 1:
		return g.forStatement()
	}
	return g.rangeStatement()
}

func (g *generator) ifStatement() string {
	scope := len(g.scope)
	defer func() { g.scope = g.scope[:scope] }()
	init := ""
	if g.one(2) {
		t, name := g.basicType(), g.name("c")
		init = name + " := " + g.expr(t, 1) + "; "
		g.declare(name, t)
	}
	text := "\tif " + init + g.expr(boolType, 2) + " {\n" + g.block(1+g.n(2)) + "\t}"
	if g.one(3) {
		text += " else if " + g.expr(boolType, 1) + " {\n" + g.block(1) + "\t}"
	}
	if g.one(2) {
		text += " else {\n" + g.block(1) + "\t}"
	}
	return text + "\n"
}

func (g *generator) switchStatement() string {
	t := g.basicType()
	tag := g.expr(t, 1)
	if g.one(3) {
		t, tag = boolType, ""
	} else if g.one(5) {
		tag = "any(" + tag + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tswitch %s {\n", tag)
	clauses := 1 + g.n(3)
	for i := range clauses {
		values := g.expr(t, 1)
		if g.one(3) {
			values += ", " + g.expr(t, 1)
		}
		fmt.Fprintf(&b, "\tcase %s:\n\t\tfmt.Println(%d)\n%s", values, g.number(), g.block(1))
		switch {
		case g.one(4) && i < clauses-1:
			b.WriteString("\t\tfallthrough\n")
		case g.one(6):
			fmt.Fprintf(&b, "\t\tif %s {\n\t\t\tbreak\n\t\t}\n\t\tfmt.Println(%d)\n", g.expr(boolType, 1), g.number())
		}
	}
	if g.one(2) {
		fmt.Fprintf(&b, "\tdefault:\n\t\tfmt.Println(%d)\n%s", g.number(), g.block(1))
	}
	return b.String() + "\t}\n"
}

// typeSwitch writes a type switch, and assertions in both forms.
func (g *generator) typeSwitch() string {
	x, v := g.name("x"), g.name("y")
	var b strings.Builder
	value := g.convertible(anyType, 2)
	fmt.Fprintf(&b, "\tvar %s any = %s\n", x, value)
	fmt.Fprintf(&b, "\tswitch %s := %s.(type) {\n", v, x)
	seen := map[string]bool{}
	for range 2 + g.n(4) {
		t := g.anyOldType()
		if g.one(3) && len(g.types) > 0 {
			t = pick(g, g.types)
		}
		if seen[t.text] {
			continue
		}
		seen[t.text] = true
		if u := g.valueType(1); g.one(5) && !seen[u.text] {
			seen[u.text] = true
			fmt.Fprintf(&b, "\tcase %s, %s:\n\t\tfmt.Printf(\"%d %%T\\n\", %s)\n", t.text, u.text, g.number(), v)
			continue
		}
		scope := len(g.scope)
		g.declare(v, t)
		fmt.Fprintf(&b, "\tcase %s:\n\t\tfmt.Printf(\"%d %%T\\n\", %s)\n%s", t.text, g.number(), v, g.block(1))
		g.scope = g.scope[:scope]
	}
	if g.one(2) && !seen["nil"] {
		fmt.Fprintf(&b, "\tcase nil:\n\t\tfmt.Println(%d, %s)\n", g.number(), v)
	}
	fmt.Fprintf(&b, "\tdefault:\n\t\tfmt.Printf(\"%d %%T\\n\", %s)\n\t}\n", g.number(), v)
	for range 2 {
		t, w, ok := g.anyOldType(), g.name("w"), g.name("ok")
		if len(g.types) > 0 && g.one(2) {
			t = pick(g, g.types)
		}
		fmt.Fprintf(&b, "\tif %[1]s, %[2]s := %[3]s.(%[4]s); %[2]s {\n\t\tfmt.Printf(\"%[5]d %%T\\n\", %[1]s)\n\t} else {\n\t\tfmt.Println(%[2]s)\n\t}\n", w, ok, x, t.text, g.number())
	}
	return b.String()
}

func (g *generator) forStatement() string {
	i := g.name("i")
	scope := len(g.scope)
	defer func() { g.scope = g.scope[:scope] }()
	g.scope = append(g.scope, variable{i, intType, false})
	body := g.block(1 + g.n(2))
	header := pick(g, []string{
		"%[1]s := 0; %[1]s < %[2]d; %[1]s++", "%[1]s := %[2]d; %[1]s > 0; %[1]s--", "%[1]s, j := 0, %[2]d; %[1]s < j; %[1]s, j = %[1]s+1, j-1",
	})
	if g.one(3) {
		body += fmt.Sprintf("\t\tif %s == 1 {\n\t\t\t%s\n\t\t}\n\t\tfmt.Println(%d)\n", i, pick(g, []string{"continue", "break"}), g.number())
	}
	return "\tfor " + fmt.Sprintf(header, i, 2+g.n(2)) + " {\n" + body + "\t}\n"
}

// rangeStatement ranges over any kind of operand, maps by their sorted keys.
func (g *generator) rangeStatement() string {
	scope := len(g.scope)
	defer func() { g.scope = g.scope[:scope] }()
	k, v := g.name("k"), g.name("x")
	t := g.valueType(1)
	var over string
	key, value := intType, t
	switch g.n(8) {
	case 0:
		over, value = g.expr(stringType, 1), runeType
	case 1:
		over = g.expr(sliceOf(t), 2)
	case 2:
		over = g.expr(arrayOf(2, t), 1)
	case 3:
		over = "&" + arrayOf(2, t).text + "{" + g.expr(t, 1) + "}"
	case 4:
		over, value = fmt.Sprint(1+g.n(3)), nil
	case 5:
		over, value = g.typed(basic("uint8", uintKind, 8), fmt.Sprint(1+g.n(3))), nil
		key = byteType
	case 6:
		key = pick(g, []*typ{intType, stringType, runeType})
		over = "slices.Sorted(maps.Keys(map[" + key.text + "]" + t.text + "{" + g.literal(key, 1) + ": " + g.expr(t, 1) + "}))"
		key, value = intType, key
	default:
		over = fmt.Sprintf("func(yield func(int, %s) bool) {\n\t\tfor i := range 3 {\n\t\t\tif !yield(i*i, %s) {\n\t\t\t\tfmt.Println(%d, \"stopped\")\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}", t.text, g.expr(t, 1), g.number())
	}
	header := k
	g.scope = append(g.scope, variable{k, key, g.one(3)})
	if value != nil && !g.one(4) {
		header += ", " + v
		g.scope = append(g.scope, variable{v, value, true})
	}
	g.depth++
	body := g.block(1 + g.n(3))
	g.depth--
	if g.one(3) {
		body += "\t\tif " + g.expr(boolType, 1) + " {\n\t\t\t" + pick(g, []string{"continue", "break"}) + "\n\t\t}\n"
	}
	return "\tfor " + header + " := range " + over + " {\n" + body + fmt.Sprintf("\t\tfmt.Println(%d, %s)\n", g.number(), k) + "\t}\n"
}

// labeled writes two loops with jumps to the outer one.
func (g *generator) labeled() string {
	label, i, j := g.name("L"), g.name("i"), g.name("j")
	inner := pick(g, []string{
		"for %[3]s := range 3", "for %[3]s := 0; %[3]s < 3; %[3]s++", "for _, %[3]s := range []int{0, 1, 2}",
		"for %[3]s := range func(yield func(int) bool) { _ = yield(0) && yield(1) && yield(2) }",
	})
	jump := pick(g, []string{
		"if %[3]s == 1 { %[4]s %[1]s }", "switch { case %[3]s == %[2]s: %[4]s %[1]s }",
		"select { default: if %[3]s == 1 { %[4]s %[1]s } }", "switch any(%[3]s).(type) { case int: if %[3]s > 0 { %[4]s %[1]s }; default: }",
	})
	text := "%[1]s:\n\tfor %[2]s := 0; %[2]s < 3; %[2]s++ {\n\t\t" + inner + " {\n" + strings.ReplaceAll(g.block(1), "%", "%%") +
		"\t\t\t" + jump + fmt.Sprintf("\n\t\t\tfmt.Println(%d, %%[2]s, %%[3]s)\n\t\t}\n\t\tfmt.Println(%%[2]s)\n\t}\n", g.number())
	return fmt.Sprintf(text, label, i, j, pick(g, []string{"break", "continue"}))
}

func (g *generator) selectStatement() string {
	c, d, t := g.name("ch"), g.name("ch"), g.valueType(1)
	x, ok := g.name("x"), g.name("ok")
	text := fmt.Sprintf("\t%[1]s := make(chan %[2]s, 2)\n\t%[3]s := make(chan %[2]s)\n", c, t.text, d)
	if g.one(2) {
		text += fmt.Sprintf("\t%s <- %s\n", c, g.expr(t, 1))
	} else if g.one(2) {
		text += "\tclose(" + c + ")\n"
	} else {
		return text + fmt.Sprintf("\tselect {\n\tcase %[1]s <- %[2]s:\n\t\tfmt.Println(%[3]d, len(%[1]s))\n\tcase <-%[4]s:\n\t}\n\tfmt.Println(<-%[1]s)\n", c, g.expr(t, 1), g.number(), d)
	}
	show := fmt.Sprintf("fmt.Printf(\"%d %%v %%T\\n\", %s, %s)", g.number(), x, x)
	return text + pick(g, []string{
		fmt.Sprintf("\tselect {\n\tcase %[1]s, %[2]s := <-%[3]s:\n\t\t%[4]s\n\t\tfmt.Println(%[2]s)\n\tcase <-%[5]s:\n\t}\n", x, ok, c, show, d),
		fmt.Sprintf("\tvar %[1]s %[2]s\n\tselect {\n\tcase %[1]s = <-%[3]s:\n\tcase %[4]s <- %[5]s:\n\t}\n\t%[6]s\n", x, t.text, c, d, g.expr(t, 1), show),
		fmt.Sprintf("\tselect {\n\tcase %s := <-%s:\n\t\t%s\n\tdefault:\n\t\tfmt.Println(\"default\")\n\t}\n", x, c, show),
	})
}
