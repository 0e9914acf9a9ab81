package difference

import (
	"fmt"
	"strings"
)

// statement writes one statement, or a few that belong together.
func (g *generator) statement() string {
	if g.depth < 3 && g.one(3) {
		return g.compound()
	}
	switch g.n(31) {
	case 0, 1, 2:
		return g.define()
	case 3, 4, 5, 6:
		return g.print()
	case 7, 8:
		return g.assign()
	case 9:
		return g.genericUse()
	case 10:
		return g.pointers()
	case 11:
		return g.closures()
	case 12:
		return g.guarded()
	case 13:
		if len(g.functions) > 0 && g.loops == 0 {
			return g.callStatement(pick(g, g.functions))
		}
	case 14:
		return g.mutation()
	case 15, 16:
		if g.loops == 0 && !g.silent {
			return g.flow()
		}
	case 17, 18, 19:
		return g.small()
	case 20:
		return g.constrainedUse()
	case 21:
		return g.numbers()
	case 22:
		if g.helpers != "" {
			return g.uses()
		}
	case 23:
		if g.loops == 0 && !g.silent {
			return g.concurrent()
		}
	case 26, 27, 28, 29:
		if g.loops == 0 {
			return g.forms()
		}
	case 24, 25:
		if g.loops == 0 && !g.silent {
			return g.elements()
		}
	}
	return g.library()
}

// define declares a variable in one of Go's forms.
func (g *generator) define() string {
	t := g.anyOldType()
	name, value := g.name("v"), g.expr(t, 2)
	if t.kind == interfaceKind && g.one(2) {
		if text := g.convertible(t, 1); text != "" {
			value = text
		}
	}
	text := ""
	switch {
	case t.kind != interfaceKind && !g.one(3):
		text = "\t" + name + " := " + value + "\n"
	case g.one(4):
		text = "\tvar " + name + " " + t.text + "\n"
	case g.one(4):
		other := g.name("v")
		u := g.valueType(1)
		if t.kind == interfaceKind {
			text = fmt.Sprintf("\tvar %s, %s %s = %s, %s\n", name, other, t.text, value, g.expr(t, 1))
			u = t
		} else {
			text = fmt.Sprintf("\t%s, %s := %s, %s\n", name, other, value, g.expr(u, 1))
		}
		g.declare(other, u)
	default:
		text = "\tvar " + name + " " + t.text + " = " + value + "\n"
	}
	g.declare(name, t)
	return text
}

var verbs = map[kind][]string{
	boolKind: {"%v", "%t"}, intKind: {"%d", "%v", "%x", "%+d", "%05d", "%c", "%q", "%b"}, uintKind: {"%d", "%v", "%x", "%o", "%08b"},
	floatKind: {"%v", "%g", "%.2f", "%e"}, complexKind: {"%v", "%.1f"}, stringKind: {"%s", "%q", "%v", "%x", "%-6s|", "%.2s"},
	sliceKind: {"%v", "%d", "%q", "%x"}, arrayKind: {"%v", "%d"}, mapKind: {"%v", "%d"}, structKind: {"%v", "%d", "%s", "%x"},
}

// verb returns a random verb for a value of type t. Most verbs print the address of a pointer in an
// interface value nested in another value.
func (g *generator) verb(t *typ) string {
	if t.kind == pointerKind || t.open() {
		return pick(g, []string{"%v", "%+v", "%T"})
	}
	return pick(g, append([]string{"%v", "%+v", "%T", "%#v"}, verbs[t.kind]...))
}

// print prints one or several values.
func (g *generator) print() string {
	var format, values []string
	plain := g.one(3)
	for range 1 + g.n(3) {
		t := g.valueType(2)
		if list := g.variables(func(v variable) bool { return v.typ.printable() }); len(list) > 0 && !g.one(3) {
			t = pick(g, list).typ
		}
		if !t.printable() {
			continue
		}
		values = append(values, g.expr(t, 2))
		format = append(format, g.verb(t))
	}
	if len(values) == 0 {
		return ""
	}
	if plain {
		return fmt.Sprintf("\tfmt.Println(%d, %s)\n", g.number(), strings.Join(values, ", "))
	}
	return fmt.Sprintf("\tfmt.Printf(\"%d %s\\n\", %s)\n", g.number(), strings.Join(format, " "), strings.Join(values, ", "))
}

// settable lists operands that can be assigned to: variables, their fields and elements.
func (g *generator) settable() []variable {
	var list []variable
	for _, v := range g.scope {
		if !v.mutable {
			continue
		}
		list = append(list, v)
		switch v.typ.kind {
		case structKind:
			for _, f := range v.typ.fields {
				list = append(list, variable{v.name + "." + lastName(f.name), f.typ, true})
				if f.typ.kind == arrayKind {
					list = append(list, variable{fmt.Sprintf("%s.%s[%d]", v.name, lastName(f.name), g.n(f.typ.length)), f.typ.elem, true})
				}
			}
		case arrayKind:
			list = append(list, variable{fmt.Sprintf("%s[%d]", v.name, g.n(v.typ.length)), v.typ.elem, true})
		}
	}
	return list
}

// assign writes an assignment of any form.
func (g *generator) assign() string {
	list := g.settable()
	if len(list) == 0 {
		return g.define()
	}
	v := pick(g, list)
	switch {
	case v.typ.numeric() && g.one(3):
		return "\t" + v.name + pick(g, []string{"++", "--", " += " + g.expr(v.typ, 1), " *= " + g.expr(v.typ, 1), " -= " + g.expr(v.typ, 0)}) + "\n"
	case v.typ.integer() && g.one(2):
		return "\t" + v.name + pick(g, []string{" <<= 3", " >>= 1", " |= ", " &^= ", " ^= ", " %= 7 | "})[0:] + g.operand(v.typ) + "\n"
	case v.typ.kind == stringKind && g.one(2):
		return "\t" + v.name + " += " + g.expr(v.typ, 1) + "\n"
	case g.one(3):
		w := pick(g, list)
		if v.name != w.name && !strings.HasPrefix(v.name, w.name) && !strings.HasPrefix(w.name, v.name) {
			return fmt.Sprintf("\t%s, %s = %s, %s\n", v.name, w.name, g.expr(v.typ, 1), g.expr(w.typ, 1))
		}
	}
	value := g.expr(v.typ, 2)
	if v.typ.kind == interfaceKind {
		if text := g.convertible(v.typ, 1); text != "" {
			value = text
		}
	}
	return "\t" + v.name + " = " + value + "\n"
}

func (g *generator) operand(t *typ) string { return "(" + g.leaf(t) + ")" }

// callStatement calls a function and prints its results.
func (g *generator) callStatement(f *function) string {
	call := f.name + "(" + g.arguments(f, 1) + ")"
	if len(f.results) == 0 {
		return "\t" + call + "\n"
	}
	var names []string
	text := ""
	for _, t := range f.results {
		name := g.name("r")
		names = append(names, name)
		if t.printable() {
			text += fmt.Sprintf("\tfmt.Printf(\"%d %%v %%T\\n\", %s, %s)\n", g.number(), name, name)
		}
	}
	text = "\t" + strings.Join(names, ", ") + " := " + call + "\n" + text
	if len(f.results) > 1 && g.one(3) {
		text = "\tfmt.Println(" + call + ")\n" + text
	}
	for i, t := range f.results {
		g.declare(names[i], t)
	}
	return text
}

// pointers writes statements in which a change is visible through another name.
func (g *generator) pointers() string {
	var list []variable
	for _, v := range g.settable() {
		if v.typ.printable() && v.typ.kind != pointerKind {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return g.define()
	}
	v, p := pick(g, list), g.name("p")
	text := fmt.Sprintf("\t%[1]s := &%[2]s\n\t*%[3]s = %[4]s\n\tfmt.Println(%[5]d, %[6]s, *%[7]s == *%[3]s || true)\n", p, v.name, p, g.expr(v.typ, 1), g.number(), v.name, p)
	if !v.typ.comparable() {
		text = strings.Replace(text, fmt.Sprintf(", *%s == *%s || true", p, p), "", 1)
	}
	if v.typ.numeric() {
		text += "\t*" + p + "++\n\tfmt.Println(" + v.name + ")\n"
	}
	if v.typ.kind == structKind && len(v.typ.fields) > 0 {
		f := pick(g, v.typ.fields)
		text += fmt.Sprintf("\t%s.%s = %s\n\tfmt.Printf(\"%d %%+v\\n\", %s)\n", p, lastName(f.name), g.expr(f.typ, 1), g.number(), v.name)
	}
	return text
}

// closures writes functions that share the surrounding variables.
func (g *generator) closures() string {
	fs, t := g.name("fs"), g.basicType()
	switch g.n(4) {
	case 0:
		return fmt.Sprintf("\tvar %[1]s []func() int\n\tfor i := 0; i < 3; i++ {\n\t\tk := i * 2\n\t\t%[1]s = append(%[1]s, func() int { k++; i += 10; defer func() { i -= 10 }(); return i + k })\n\t}\n\tfor i, f := range %[1]s {\n\t\tfmt.Println(%[2]d, i, f(), f())\n\t}\n", fs, g.number())
	case 1:
		return fmt.Sprintf("\tvar %[1]s []func() string\n\tfor i, x := range []%[2]s{%[3]s, %[4]s} {\n\t\t%[1]s = append(%[1]s, func() string { return fmt.Sprint(i, x) })\n\t}\n\tfmt.Println(%[5]d, %[1]s[0](), %[1]s[1]())\n", fs, t.text, g.expr(t, 1), g.expr(t, 1), g.number())
	case 2:
		x := g.name("x")
		g.declare(fs, functionOf(nil, t))
		return fmt.Sprintf("\t%[1]s := %[2]s\n\t%[3]s := func() %[4]s { y := %[1]s; %[1]s = %[5]s; return y }\n\tfmt.Println(%[6]d, %[3]s())\n\tfmt.Println(%[1]s)\n", x, g.expr(t, 1), fs, t.text, g.expr(t, 1), g.number())
	}
	return fmt.Sprintf("\tvar %[1]s func(n int) int\n\t%[1]s = func(n int) int { if n < 2 { return n }; return %[1]s(n-1) + %[1]s(n-2) }\n\tfmt.Println(%[2]d, %[1]s(%[3]d))\n", fs, g.number(), 3+g.n(5))
}

// mutation calls a method with a pointer receiver as a statement.
func (g *generator) mutation() string {
	for range 4 {
		list := g.settable()
		if len(list) == 0 {
			break
		}
		v := pick(g, list)
		for _, m := range v.typ.methods {
			if m.pointer && v.typ.printable() && v.typ.kind != interfaceKind && g.one(2) {
				r := g.name("r")
				call := v.name + "." + m.name
				if g.one(4) {
					f := g.name("m")
					return fmt.Sprintf("\t%[1]s := %[2]s\n\t%[3]s := %[1]s(%[4]s)\n\tfmt.Println(%[5]d, %[3]s)\n\tfmt.Println(%[6]s)\n", f, call, r, g.arguments(&function{params: m.params}, 1), g.number(), v.name)
				}
				return fmt.Sprintf("\t%s := %s(%s)\n\tfmt.Println(%d, %s)\n\tfmt.Println(%s)\n", r, call, g.arguments(&function{params: m.params}, 1), g.number(), r, v.name)
			}
		}
	}
	return g.assign()
}
