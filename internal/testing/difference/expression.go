package difference

import (
	"fmt"
	"strings"
)

// expr writes an expression of exactly type t, at most depth operations deep.
func (g *generator) expr(t *typ, depth int) string {
	if depth <= 0 || g.one(4) {
		return g.leaf(t)
	}
	for range 3 {
		if text := g.operation(t, depth-1); text != "" {
			return text
		}
	}
	return g.leaf(t)
}

// leaf returns a variable of type t, a part of one, or a literal.
func (g *generator) leaf(t *typ) string {
	list := g.places(t)
	if len(list) > 0 && !g.one(4) {
		return pick(g, list)
	}
	g.leaves++
	defer func() { g.leaves-- }()
	depth := 2
	if g.leaves > deepest {
		depth = 0
	}
	return g.literal(t, depth)
}

// deepest is the maximum nesting of literals that are leaves of expressions.
const deepest = 6

// places lists operands that can be read without a call: variables, fields, elements of arrays.
func (g *generator) places(t *typ) []string {
	var list []string
	for _, v := range g.variables(func(variable) bool { return true }) {
		switch {
		case v.typ.text == t.text:
			list = append(list, v.name)
		case v.typ.kind == structKind:
			for _, f := range v.typ.fields {
				if f.typ.text == t.text {
					list = append(list, v.name+"."+f.name)
				}
			}
		case v.typ.kind == arrayKind && v.typ.elem.text == t.text:
			list = append(list, fmt.Sprintf("%s[%d]", v.name, g.n(v.typ.length)))
		}
	}
	return list
}

// convertible writes a value of any type that can be assigned to interface t.
func (g *generator) convertible(t *typ, depth int) string {
	var fits []*typ
	for _, c := range g.types {
		if c.kind == interfaceKind {
			continue
		}
		if !c.printable() && (t == anyType || t == errorType) {
			continue // its output would contain addresses
		}
		if c.implements(t) {
			fits = append(fits, c)
		} else if p := pointerTo(c); p.implements(t) && (len(t.methods) > 0 && c.kind != functionKind) {
			fits = append(fits, p)
		}
	}
	switch {
	case t == anyType && g.one(2):
		return g.expr(g.basicType(), depth)
	case t == anyType:
		return g.expr(g.printableType(), depth)
	case t == errorType && g.one(2):
		return pick(g, []string{`errors.New("plain")`, `fmt.Errorf("wrapped %w", errors.New("inner"))`, "error(nil)", `fmt.Errorf("n %d", 3)`})
	case len(fits) > 0 && !g.one(8):
		return g.expr(pick(g, fits), depth)
	}
	return ""
}

// printableType returns a declared or composite type whose values may be in interfaces that are
// printed.
func (g *generator) printableType() *typ {
	for range 5 {
		if t := g.valueType(1); t.printable() && t.kind != interfaceKind && t.kind != pointerKind {
			return t
		}
	}
	return stringType
}

// literal writes a value without variables.
func (g *generator) literal(t *typ, depth int) string {
	switch t.kind {
	case boolKind:
		return g.typed(t, pick(g, []string{"true", "false"}))
	case intKind:
		limits := map[int][]string{8: {"127", "-128"}, 16: {"32767", "-32768"}, 32: {"2147483647", "-2147483648"}, 64: {"9223372036854775807", "-9223372036854775808"}}[t.bits]
		return g.typed(t, pick(g, append([]string{"0", "1", "2", "-1", "3", "7", "'a'", "100", "-5"}, limits...)))
	case uintKind:
		limit := map[int]string{8: "255", 16: "65535", 32: "4294967295", 64: "18446744073709551615"}[t.bits]
		return g.typed(t, pick(g, []string{"0", "1", "2", "3", "0x1F", "'b'", limit}))
	case floatKind:
		return g.typed(t, pick(g, []string{"0", "1", "-1.5", "0.1", "2.5e3", "1e10", "3", "1.0 / 3", "-0.25"}))
	case complexKind:
		return g.typed(t, pick(g, []string{"0", "1 + 2i", "-2.5i", "3", "1i * 1i"}))
	case stringKind:
		return g.typed(t, pick(g, []string{`""`, `"a"`, `"héllo"`, "`raw\\n`", `"日本" + "語"`, `"x\x00\xffy"`, `"tab\t\"q\""`, `"zz"`}))
	case pointerKind:
		if t.elem.kind == structKind || t.elem.kind == sliceKind || t.elem.kind == mapKind || t.elem.kind == arrayKind {
			return "&" + g.literal(t.elem, max(depth-1, 1))
		}
		return "new(" + t.elem.text + ")"
	case functionKind:
		return g.functionLiteral(t, depth)
	case interfaceKind:
		if depth > 0 {
			if text := g.convertible(t, depth-1); text != "" {
				return t.text + "(" + text + ")"
			}
		}
		return t.text + "(nil)"
	}
	return g.composite(t, depth)
}

func (g *generator) typed(t *typ, text string) string { return t.text + "(" + text + ")" }

func (g *generator) composite(t *typ, depth int) string {
	count := g.n(3)
	if depth <= 0 {
		count = 0
	}
	var parts []string
	switch t.kind {
	case sliceKind:
		if g.one(8) {
			return t.text + "(nil)"
		}
		for range count {
			parts = append(parts, g.element(t.elem, depth-1))
		}
		if count > 0 && g.one(6) {
			parts[0] = "2: " + parts[0]
		}
	case arrayKind:
		for range min(count, t.length) {
			parts = append(parts, g.element(t.elem, depth-1))
		}
	case mapKind:
		for range min(count, 1) {
			parts = append(parts, g.element(t.key, depth-1)+": "+g.element(t.elem, depth-1))
		}
	case structKind:
		for _, f := range t.fields {
			if depth > 0 && !g.one(3) {
				parts = append(parts, lastName(f.name)+": "+g.expr(f.typ, depth-1))
			}
		}
	}
	return "(" + t.text + "{" + strings.Join(parts, ", ") + "})"
}

// element writes an element of a literal, sometimes without its type.
func (g *generator) element(t *typ, depth int) string {
	if t.kind == structKind || t.kind == sliceKind || t.kind == mapKind || t.kind == arrayKind {
		if text := g.composite(t, depth); g.one(2) && !strings.HasSuffix(text, "(nil)") {
			return strings.TrimSuffix(strings.TrimPrefix(text, "("+t.text), ")")
		}
	}
	return g.expr(t, depth)
}

// functionLiteral writes a function literal that may use the surrounding variables.
func (g *generator) functionLiteral(t *typ, depth int) string {
	scope := len(g.scope)
	var params []string
	for _, p := range t.params {
		name := g.name("a")
		params = append(params, name+" "+p.text)
		g.scope = append(g.scope, variable{name, p, false})
	}
	body := ""
	if len(t.results) > 0 {
		body = "return " + g.expr(t.results[0], min(depth, 1))
	}
	g.scope = g.scope[:scope]
	result := ""
	if len(t.results) > 0 {
		result = " " + t.results[0].text
	}
	text := "func(" + strings.Join(params, ", ") + ")" + result + " { " + body + " }"
	if t.named {
		return t.text + "(" + text + ")"
	}
	return text
}

// number returns the next number of a print statement.
func (g *generator) number() int {
	g.line++
	return g.line
}

// arguments writes the arguments for a call of f.
func (g *generator) arguments(f *function, depth int) string {
	var list []string
	for i, p := range f.params {
		if f.variadic && i == len(f.params)-1 {
			if g.one(3) {
				list = append(list, g.expr(sliceOf(p), depth)+"...")
				break
			}
			for range g.n(3) {
				list = append(list, g.expr(p, depth))
			}
			break
		}
		if p.kind == interfaceKind && g.one(2) {
			if text := g.convertible(p, depth); text != "" {
				list = append(list, text)
				continue
			}
		}
		list = append(list, g.expr(p, depth))
	}
	return strings.Join(list, ", ")
}
