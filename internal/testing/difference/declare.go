package difference

import (
	"fmt"
	"strings"
)

// declarations writes all package-level declarations, in an order in which each depends only on
// earlier ones.
func (g *generator) declarations() {
	g.makePool()
	fmt.Fprintf(&g.declared, "func id%s[T any](x T) T { return x }\n", g.mark)
	fmt.Fprintf(&g.declared, "func trace%s[T any](n int, x T) T { fmt.Println(\"trace\", n); return x }\n", g.mark)
	for range 1 + g.n(3) {
		g.declareBasic()
	}
	for range 1 + g.n(4) {
		switch g.n(5) {
		case 0:
			g.declareInterface()
		case 1:
			g.declareComposite()
		default:
			g.declareStruct()
		}
	}
	if g.one(2) {
		g.declareInterface()
	}
	if g.one(3) {
		g.declareConstants()
	}
	if g.one(2) {
		g.declareEnum()
	}
	if g.one(2) {
		g.declareGenericType()
	}
	for range g.n(3) {
		g.declareGlobal()
	}
	for range g.n(3) {
		g.declareHeld()
	}
	if g.one(2) {
		g.declareConstrained()
	}
	if g.one(2) {
		g.declareHelpers()
	}
	for range g.n(2) {
		g.declareRecord()
	}
	for _, t := range g.types {
		g.declareMethods(t)
		g.extras(t)
	}
	if g.one(2) {
		g.declareNode() // after the methods, which cells declare before the functions
	}
	for range g.n(3) {
		g.declareDecision()
	}
	for range 2 + g.n(3) {
		g.declareFunction()
	}
	for range g.n(3) {
		g.declareFormula()
	}
}

// makePool chooses the methods of the program before its types.
func (g *generator) makePool() {
	for i := range 4 {
		m := &method{name: fmt.Sprintf("M%d", i), result: pick(g, basicsTypes)}
		if g.one(4) {
			m.name = fmt.Sprintf("m%d", i)
		}
		for range g.n(3) {
			m.params = append(m.params, pick(g, basicsTypes))
		}
		g.pool = append(g.pool, m)
	}
}

// giveMethods chooses the methods of a type. Their bodies are written later.
func (g *generator) giveMethods(t *typ) {
	for _, m := range g.pool {
		if g.one(2) {
			copied := *m
			copied.pointer = g.one(3)
			t.methods = append(t.methods, &copied)
		}
	}
	special := &method{name: "String", result: stringType}
	if g.one(4) {
		special.name = "Error"
	}
	if g.one(2) {
		special.pointer = g.one(4)
		t.methods = append(t.methods, special)
	}
}

func (g *generator) declareBasic() {
	under := pick(g, basicsTypes)
	t := &typ{text: g.top("B"), kind: under.kind, base: under.base, bits: under.bits, named: true}
	g.giveMethods(t)
	fmt.Fprintf(&g.declared, "type %s %s\n", t.text, under.text)
	g.types = append(g.types, t)
}

func (g *generator) declareComposite() {
	under := g.valueType(2)
	for under.kind != sliceKind && under.kind != mapKind && under.kind != arrayKind || under.named {
		under = sliceOf(g.valueType(1))
	}
	if g.one(5) {
		under = functionOf([]*typ{g.basicType()}, g.basicType())
	}
	t := *under
	t.text, t.named = g.top("C"), true
	g.giveMethods(&t)
	fmt.Fprintf(&g.declared, "type %s %s\n", t.text, under.text)
	g.types = append(g.types, &t)
}

func (g *generator) declareInterface() {
	t := &typ{text: g.top("I"), kind: interfaceKind, named: true}
	for _, m := range g.pool {
		if g.one(2) {
			t.methods = append(t.methods, m)
		}
	}
	if len(t.methods) == 0 {
		t.methods = append(t.methods, g.pool[0])
	}
	var lines []string
	for _, m := range t.methods {
		lines = append(lines, m.name+m.signature())
	}
	fmt.Fprintf(&g.declared, "type %s interface { %s }\n", t.text, strings.Join(lines, "; "))
	g.types = append(g.types, t)
}

// signature writes parameters named p0, p1, ... and the result.
func (m *method) signature() string {
	var params []string
	for i, p := range m.params {
		params = append(params, fmt.Sprintf("p%d %s", i, p.text))
	}
	return "(" + strings.Join(params, ", ") + ") " + m.result.text
}

var tags = []string{"`json:\"a,omitempty\"`", "`json:\"-\"`", "`json:\"other\"`", "`xml:\"x\" json:\",string\"`"}

func (g *generator) declareStruct() {
	t := &typ{text: g.top("S"), kind: structKind, named: true}
	var lines []string
	for i := range g.n(5) {
		f := field{name: string(rune('A' + i)), typ: g.valueType(2)}
		if g.one(3) {
			f.name = string(rune('a' + i))
		}
		if g.one(8) {
			f.typ = g.anyOldType()
		}
		line := f.name + " " + f.typ.text
		if len(g.types) > 0 && g.one(4) {
			if inner := pick(g, g.types); inner.named && g.unused(t, inner) {
				f = field{name: inner.text, typ: inner, embedded: true}
				line = inner.text
				if inner.kind == structKind && g.one(4) {
					f.typ = pointerTo(inner)
					line = "*" + inner.text
				}
			}
		}
		if g.one(5) {
			line += " " + pick(g, tags)
		}
		t.fields = append(t.fields, f)
		lines = append(lines, line)
	}
	g.giveMethods(t)
	g.promote(t)
	fmt.Fprintf(&g.declared, "type %s struct {\n\t%s\n}\n", t.text, strings.Join(lines, "\n\t"))
	g.types = append(g.types, t)
}

func (g *generator) unused(t, inner *typ) bool {
	for _, f := range t.fields {
		if f.name == inner.text || f.embedded {
			return false // with a single embedded field no method is ambiguous
		}
	}
	return true
}

// promote records the methods promoted from embedded fields.
func (g *generator) promote(t *typ) {
	for _, f := range t.fields {
		if !f.embedded {
			continue
		}
		inner, behind := f.typ, false
		if inner.kind == pointerKind {
			inner, behind = inner.elem, true
		}
		for _, m := range inner.methods {
			if t.find(m.name) == nil {
				copied := *m
				copied.pointer = m.pointer && !behind && inner.kind != interfaceKind
				copied.promoted = true
				t.methods = append(t.methods, &copied)
			}
		}
	}
}
