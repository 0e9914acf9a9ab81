package difference

import (
	"fmt"
	"strings"
)

// operation writes an operation with a result of type t. It returns "" if the chosen operation does
// not exist for the type.
func (g *generator) operation(t *typ, depth int) string {
	switch g.n(12) {
	case 0:
		return g.callOf(t, depth)
	case 1, 2:
		return g.methodCall(t, depth)
	case 3:
		if g.silent {
			return ""
		}
		return pick(g, []string{
			"id" + g.mark + "(" + g.expr(t, depth) + ")",
			"id" + g.mark + "[" + t.text + "](" + g.expr(t, depth) + ")",
			fmt.Sprintf("trace%s(%d, %s)", g.mark, g.number(), g.expr(t, depth)),
		})
	case 4:
		return g.throughContainer(t, depth)
	case 5:
		if t.kind == interfaceKind || t.kind == functionKind {
			return ""
		}
		return "any(" + g.expr(t, depth) + ").(" + t.text + ")"
	case 6:
		return "func() " + t.text + " { return " + g.expr(t, depth) + " }()"
	}
	switch t.kind {
	case boolKind:
		return g.boolean(t, depth)
	case intKind, uintKind, floatKind, complexKind:
		return g.number2(t, depth)
	case stringKind:
		return g.text(t, depth)
	case sliceKind:
		return g.sliceValue(t, depth)
	case interfaceKind:
		if text := g.convertible(t, depth); text != "" {
			return t.text + "(" + text + ")"
		}
	case pointerKind:
		return g.literal(t, depth)
	case structKind, arrayKind, mapKind:
		return g.composite(t, depth+1)
	}
	return ""
}

// callOf calls a declared function with one result of type t. There are no calls inside loops, so
// that run times do not multiply.
func (g *generator) callOf(t *typ, depth int) string {
	if g.loops > 0 || g.silent {
		return ""
	}
	for _, f := range g.functions {
		if len(f.results) == 1 && f.results[0].text == t.text && g.one(2) {
			return f.name + "(" + g.arguments(f, min(depth, 1)) + ")"
		}
	}
	return ""
}

// methodCall calls a method of a visible variable directly, or through a method value or
// expression. Methods may print.
func (g *generator) methodCall(t *typ, depth int) string {
	if g.silent {
		return ""
	}
	list := g.variables(func(v variable) bool { return v.typ.named && v.typ.kind != interfaceKind })
	if len(list) == 0 {
		return ""
	}
	v := pick(g, list)
	for _, m := range v.typ.methods {
		if m.result.text != t.text || m.pointer || g.one(3) {
			continue
		}
		arguments := g.arguments(&function{params: m.params}, depth)
		switch g.n(5) {
		case 0:
			return "(" + v.name + "." + m.name + ")(" + arguments + ")"
		case 1:
			if arguments != "" {
				arguments = ", " + arguments
			}
			return "(" + v.typ.text + "." + m.name + ")(" + v.name + arguments + ")"
		case 2:
			return "id" + g.mark + "(" + v.name + "." + m.name + ")(" + arguments + ")"
		}
		return v.name + "." + m.name + "(" + arguments + ")"
	}
	return ""
}

// throughContainer stores a value in a container and reads it back.
func (g *generator) throughContainer(t *typ, depth int) string {
	x := g.expr(t, depth)
	switch g.n(6) {
	case 0:
		return "[]" + t.text + "{" + g.leaf(t) + ", " + x + "}[1]"
	case 1:
		return "map[string]" + t.text + "{\"k\": " + x + "}[\"" + pick(g, []string{"k", "l"}) + "\"]"
	case 2:
		return "struct{ X " + t.text + " }{" + x + "}.X"
	case 3:
		return "(*&[]" + t.text + "{" + x + "}[0])"
	case 4:
		return "[2]" + t.text + "{1: " + x + "}[1]"
	}
	return "(*func() *" + t.text + " { v := " + x + "; return &v }())"
}

func (g *generator) boolean(t *typ, depth int) string {
	switch g.n(5) {
	case 0:
		return "(" + g.expr(t, depth) + pick(g, []string{" && ", " || "}) + g.expr(t, depth) + ")"
	case 1:
		return "!" + g.expr(t, depth)
	case 2:
		if u := g.valueType(1); u.comparable() {
			return g.typed(t, g.expr(u, depth)+pick(g, []string{" == ", " != "})+g.expr(u, depth))
		}
	case 3:
		if u := g.basicType(); u.comparable() {
			return g.typed(t, "any("+g.expr(u, depth)+") == any("+g.expr(g.basicType(), depth)+")")
		}
	}
	if u := g.basicType(); u.ordered() {
		return g.typed(t, g.expr(u, depth)+pick(g, []string{" < ", " <= ", " > ", " >= "})+g.expr(u, depth))
	}
	return ""
}

func (g *generator) number2(t *typ, depth int) string {
	x, y := g.expr(t, depth), g.expr(t, depth)
	if t.integer() {
		switch g.n(12) {
		case 0:
			return "(" + x + pick(g, []string{" / ", " % "}) + "(" + y + " | 1))"
		case 1:
			return "(" + x + pick(g, []string{" << ", " >> "}) + "(uint8(" + g.expr(intType, 0) + ") % 70))"
		case 2:
			return "(" + x + pick(g, []string{" & ", " | ", " ^ ", " &^ "}) + y + ")"
		case 3:
			return pick(g, []string{"-", "^", "+"}) + "(" + x + ")"
		case 4:
			return g.typed(t, "len("+g.expr(pick(g, []*typ{stringType, sliceOf(intType), arrayOf(3, intType)}), depth)+")")
		case 5, 6:
			if u := g.basicType(); u.integer() {
				return g.typed(t, g.expr(u, depth))
			}
		case 7:
			return "(" + x + pick(g, []string{" + 1", " - 3", " * 2", " & 0xF", " << 3", " >> 1", " / 3", " % 7"}) + ")"
		case 8:
			return "(1 << (uint8(" + g.leaf(intType) + ") % 8)) + " + x
		}
	}
	switch g.n(6) {
	case 0:
		if t.kind == floatKind {
			if u := g.basicType(); u.integer() || u.kind == floatKind {
				return g.typed(t, g.expr(u, depth))
			}
		}
		if t.kind == complexKind {
			part := map[int]string{128: "float64", 64: "float32"}[t.bits]
			return g.typed(t, "complex("+part+"("+g.expr(floatType, depth)+"), "+part+"(1.5))")
		}
	case 1:
		if t.ordered() {
			return pick(g, []string{"min", "max"}) + "(" + x + ", " + y + ")"
		}
	}
	return "(" + x + pick(g, []string{" + ", " - ", " * "}) + y + ")"
}

func (g *generator) text(t *typ, depth int) string {
	switch g.n(9) {
	case 0:
		return g.typed(t, "strings.ToUpper(string("+g.expr(t, depth)+"))")
	case 1:
		return g.typed(t, "strings.Repeat(\"ab\", "+fmt.Sprint(g.n(3))+")")
	case 2:
		return g.typed(t, "strconv.Itoa("+g.expr(intType, depth)+")")
	case 3:
		return g.typed(t, "fmt.Sprintf(\""+pick(g, []string{"%v", "%T", "%+v", "%#v"})+"\", "+g.expr(g.printableType(), depth)+")")
	case 4:
		return g.typed(t, "[]byte("+g.expr(t, depth)+")")
	case 5:
		return g.typed(t, "[]rune("+g.expr(t, depth)+")")
	case 6:
		return g.typed(t, "rune("+g.expr(byteType, depth)+")")
	case 7:
		if u := pick(g, []*typ{stringType, t}); u != t {
			return g.typed(t, g.expr(u, depth))
		}
	}
	return "(" + g.expr(t, depth) + " + " + g.expr(t, depth) + ")"
}

func (g *generator) sliceValue(t *typ, depth int) string {
	x := g.expr(t, depth)
	switch g.n(6) {
	case 0:
		return "append(" + x + ", " + g.expr(t.elem, depth) + ", " + g.expr(t.elem, depth) + ")"
	case 1:
		return "append(" + x + ", " + g.expr(t, depth) + "...)"
	case 2:
		return "append(" + t.text + "{}, " + g.expr(t.elem, depth) + ")[" + pick(g, []string{":1", "0:", "1:", ":0:1", ":"}) + "]"
	case 3:
		if t.elem == byteType {
			return g.typed(t, g.expr(stringType, depth))
		}
		if t.elem == runeType {
			return g.typed(t, g.expr(stringType, depth))
		}
		return g.typed(t, "slices.Clone("+x+")")
	case 4:
		return fmt.Sprintf("make(%s, %d, %d)", t.text, g.n(3), 3+g.n(3))
	}
	return strings.Replace(g.composite(t, depth+1), "(nil)", "{}", 1)
}
