package difference

import (
	"fmt"
	"strings"
)

// panics are statements, most of which panic.
var panics = []string{
	"panic(%s)",
	"var m map[string]%s; m[\"a\"] = %s",
	"var e any = %s; _ = e.(fmt.Formatter)",
	"var e any = %s; _ = e.(func())",
	"xs := []int{1, 2, 3}; i := 5; _ = fmt.Sprint(%s); fmt.Println(xs[i])",
	"a, b := 1, 0; _ = fmt.Sprint(%s); fmt.Println(a / b)",
	"var p *struct{ X int }; _ = fmt.Sprint(%s); fmt.Println(p.X)",
	"xs := []int{1, 2}; n := 4; _ = fmt.Sprint(%s); fmt.Println(xs[1:n])",
	"s := \"abc\"; n := 7; _ = fmt.Sprint(%s); fmt.Println(s[n])",
	"panic(fmt.Errorf(\"with %%w\", fmt.Errorf(\"%%v\", %s)))",
	"n := -1; _ = fmt.Sprint(%s); _ = make([]int, n)",
	"n := -1; _ = fmt.Sprint(%s); fmt.Println(1 << n)",
	"xs := []int{1}; _ = fmt.Sprint(%s); _ = [2]int(xs)",
	"var f func(); _ = fmt.Sprint(%s); f()",
	"var e error; _ = fmt.Sprint(%s); fmt.Println(e.Error())",
	"x := any([]int{}); _ = fmt.Sprint(%s); fmt.Println(x == x)",
	"m := map[any]int{}; _ = fmt.Sprint(%s); m[[]int{}] = 1",
	"ch := make(chan int); _ = fmt.Sprint(%s); close(ch); close(ch)",
}

// panicking writes a statement from panics.
func (g *generator) panicking() string {
	form := pick(g, panics)
	t := g.printableType()
	if strings.Count(strings.ReplaceAll(form, "%%", ""), "%s") == 2 {
		return fmt.Sprintf("\t{ "+form+" }\n", t.text, g.expr(t, 1))
	}
	return fmt.Sprintf("\t{ "+form+" }\n", g.expr(t, 1))
}

// guarded writes a function that recovers from a panic in it.
func (g *generator) guarded() string {
	scope := len(g.scope)
	defer func() { g.scope = g.scope[:scope] }()
	handler := fmt.Sprintf("\tdefer func() {\n\t\tr := recover()\n\t\tfmt.Println(%d, r)\n\t\tif e, ok := r.(error); ok { fmt.Println(e.Error()) } else { fmt.Printf(\"%%T\\n\", r) }\n\t}()\n", g.number())
	body := g.panicking()
	loops := g.loops
	g.loops = 2
	defer func() { g.loops = loops }()
	if g.one(2) {
		body = g.block(1) + body
	}
	if g.one(3) {
		body = fmt.Sprintf("\tfor i := range 2 { defer fmt.Println(%d, \"deferred\", i) }\n", g.number()) + body
	}
	if g.one(3) {
		t := g.valueType(1)
		return fmt.Sprintf("\tfmt.Println(func() (out %s, err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil { err = fmt.Errorf(\"got %%v\", r) }\n\t}()\n\tout = %s\n%s\treturn out, nil\n\t}())\n", t.text, g.expr(t, 1), body)
	}
	if g.one(5) {
		body = "\tdefer func() { panic(fmt.Sprint(\"again \", recover())) }()\n" + body
	}
	return "\tfunc() {\n" + handler + body + "\t}()\n"
}

// library writes a use of a package that examines types and methods at run time.
func (g *generator) library() string {
	switch g.n(7) {
	case 0:
		return g.json()
	case 1:
		return g.errors()
	case 2, 3:
		return g.sorting()
	case 4:
		return g.slicing()
	case 5:
		return g.mapping()
	}
	return g.interfaces()
}

func (g *generator) json() string {
	t := g.printableType()
	b, err := g.name("b"), g.name("err")
	text := fmt.Sprintf("\t%[1]s, %[2]s := json.Marshal(%[3]s)\n\tfmt.Println(%[4]d, string(%[1]s), %[2]s)\n", b, err, g.expr(t, 1), g.number())
	if g.one(2) {
		v := g.name("v")
		text += fmt.Sprintf("\tvar %[1]s %[2]s\n\tfmt.Println(json.Unmarshal(%[3]s, &%[1]s) == nil)\n\tfmt.Printf(\"%[4]d %%+v\\n\", %[1]s)\n", v, t.text, b, g.number())
	}
	return text
}

func (g *generator) errors() string {
	var fits []*typ
	for _, t := range g.types {
		if t.has("Error") && t.kind != interfaceKind {
			fits = append(fits, t)
		}
	}
	e, target := g.name("e"), g.name("as")
	if len(fits) == 0 {
		return fmt.Sprintf("\t%[1]s := errors.New(\"base\")\n\tfmt.Println(%[2]d, errors.Is(fmt.Errorf(\"a: %%w\", %[1]s), %[1]s), errors.Join(%[1]s, nil, %[1]s))\n", e, g.number())
	}
	t, u := pick(g, fits), pick(g, fits)
	text := fmt.Sprintf("\tvar %[1]s error = fmt.Errorf(\"a: %%w\", %[2]s)\n\tvar %[3]s %[4]s\n\tfmt.Println(%[5]d, errors.As(%[1]s, &%[3]s), %[3]s)\n", e, g.expr(t, 1), target, u.text, g.number())
	if t.comparable() && t.printable() {
		text += fmt.Sprintf("\tfmt.Println(errors.Is(%[1]s, %[2]s), errors.Unwrap(%[1]s) == error(%[3]s))\n", e, g.expr(t, 1), g.expr(t, 0))
	}
	return text
}

func (g *generator) sorting() string {
	t, xs := g.basicType(), g.name("xs")
	for !t.ordered() {
		t = g.basicType()
	}
	list := fmt.Sprintf("\t%s := []%s{%s, %s, %s}\n", xs, t.text, g.expr(t, 1), g.expr(t, 1), g.expr(t, 1))
	list += pick(g, []string{
		fmt.Sprintf("\tsort.Slice(%[1]s, func(i, j int) bool { return %[1]s[i] < %[1]s[j] })\n", xs),
		fmt.Sprintf("\tslices.Sort(%s)\n", xs),
		fmt.Sprintf("\tslices.SortFunc(%s, func(a, b %s) int { return cmp.Compare(b, a) })\n", xs, t.text),
		fmt.Sprintf("\tslices.Reverse(%[1]s)\n\tfmt.Println(slices.Max(%[1]s), slices.Index(%[1]s, %[1]s[1]))\n", xs),
	})
	return list + fmt.Sprintf("\tfmt.Println(%d, %s)\n", g.number(), xs)
}

// slicing writes slices that share an array.
func (g *generator) slicing() string {
	t, a, b := g.valueType(1), g.name("sa"), g.name("sb")
	value := func() string { return g.expr(t, 1) }
	text := fmt.Sprintf("\t%[1]s := make([]%[2]s, 3, 8)\n\t%[1]s[0], %[1]s[2] = %[3]s, %[4]s\n", a, t.text, value(), value())
	text += pick(g, []string{
		fmt.Sprintf("\t%s := append(%s[:1], %s)\n", b, a, value()),
		fmt.Sprintf("\t%s := append(%s[:1:1], %s)\n", b, a, value()),
		fmt.Sprintf("\t%[1]s := %[2]s[1:]\n\tcopy(%[1]s, %[2]s)\n", b, a),
		fmt.Sprintf("\t%[1]s := append(%[2]s, %[3]s, %[4]s)\n\t%[1]s[1] = %[5]s\n", b, a, value(), value(), value()),
		fmt.Sprintf("\t%[1]s := [3]%[2]s(%[3]s)\n\t%[3]s[0] = %[1]s[2]\n", b, t.text, a),
		fmt.Sprintf("\t%[1]s := %[2]s[1:2]\n\tclear(%[1]s)\n\t%[1]s = %[1]s[:3]\n", b, a),
		fmt.Sprintf("\t%[1]s := (*[2]%[2]s)(%[3]s)\n\t%[1]s[1] = %[4]s\n", b, t.text, a, value()),
	})
	return text + fmt.Sprintf("\tfmt.Println(%[1]d, %[2]s, len(%[2]s), cap(%[2]s), len(%[3]s), cap(%[3]s))\n\tfmt.Printf(\"%%v\\n\", %[3]s[:])\n", g.number(), a, b)
}

func (g *generator) mapping() string {
	k, t, m := g.keyType(), g.valueType(1), g.name("m")
	v, ok := g.name("v"), g.name("ok")
	text := fmt.Sprintf("\t%[1]s := map[%[2]s]%[3]s{}\n\t%[1]s[%[4]s] = %[5]s\n", m, k.text, t.text, g.expr(k, 1), g.expr(t, 1))
	text += fmt.Sprintf("\t%[1]s, %[2]s := %[3]s[%[4]s]\n\tfmt.Println(%[5]d, %[1]s, %[2]s, len(%[3]s))\n", v, ok, m, g.expr(k, 1), g.number())
	switch {
	case t.numeric():
		text += fmt.Sprintf("\t%[1]s[%[2]s] += %[3]s\n\t%[1]s[%[2]s]++\n", m, g.literal(k, 1), g.expr(t, 1))
	case t.kind == sliceKind:
		text += fmt.Sprintf("\t%[1]s[%[2]s] = append(%[1]s[%[2]s], %[3]s)\n", m, g.literal(k, 0), g.expr(t.elem, 1))
	}
	if g.one(2) {
		text += fmt.Sprintf("\tdelete(%s, %s)\n", m, g.expr(k, 1))
	}
	return text + fmt.Sprintf("\tfmt.Println(%[1]d, %[2]s)\n\tfmt.Printf(\"%%T %%d\\n\", %[2]s, len(%[2]s))\n", g.number(), m)
}

// interfaces writes method calls through a declared interface.
func (g *generator) interfaces() string {
	var list []*typ
	for _, t := range g.types {
		if t.kind == interfaceKind {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return g.print()
	}
	i, x := pick(g, list), g.name("x")
	value := g.convertible(i, 2)
	if value == "" {
		return g.print()
	}
	text := fmt.Sprintf("\tvar %s %s = %s\n", x, i.text, value)
	for _, m := range i.methods {
		call := x + "." + m.name
		if g.one(4) {
			call = "(" + i.text + "." + m.name + ")(" + strings.TrimSuffix(x+", "+g.arguments(&function{params: m.params}, 1), ", ") + ")"
		} else {
			call += "(" + g.arguments(&function{params: m.params}, 1) + ")"
		}
		text += fmt.Sprintf("\tfmt.Println(%d, %s)\n", g.number(), call)
	}
	g.declare(x, i)
	return text + fmt.Sprintf("\tfmt.Printf(\"%%T\\n\", %[1]s)\n\tfmt.Println(%[2]s == %[3]s, any(%[1]s) != nil)\n", x, x, x)
}
