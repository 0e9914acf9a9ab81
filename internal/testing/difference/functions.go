package difference

import (
	"fmt"
	"strings"
)

// declareMethods writes the methods of a type.
func (g *generator) declareMethods(t *typ) {
	if t.kind == interfaceKind {
		return
	}
	for _, m := range t.methods {
		if m.promoted {
			continue
		}
		receiver := t.text
		if m.pointer {
			receiver = "*" + receiver
		}
		fmt.Fprintf(&g.declared, "func (r %s) %s%s {\n%s}\n", receiver, m.name, m.signature(), g.methodBody(t, m))
	}
}

// methodBody writes a short body, because methods are called from everywhere.
func (g *generator) methodBody(t *typ, m *method) string {
	g.scope = nil
	for i, p := range m.params {
		g.declare(fmt.Sprintf("p%d", i), p)
	}
	if m.name == "String" || m.name == "Error" {
		return g.textBody(t, m)
	}
	value := "r"
	if m.pointer {
		value = "(*r)"
		if g.one(3) {
			value = "r"
		}
	}
	if t.kind != functionKind {
		g.scope = append(g.scope, variable{value, t, false})
		if value == "r" && m.pointer {
			g.scope[len(g.scope)-1].typ = pointerTo(t)
		}
	}
	var b strings.Builder
	if m.pointer && t.kind == structKind && len(t.fields) > 0 && g.one(2) {
		if f := pick(g, t.fields); f.typ.kind != pointerKind {
			fmt.Fprintf(&b, "\tr.%s = %s\n", lastName(f.name), g.expr(f.typ, 1))
		}
	} else if m.pointer && t.base != "" && g.one(2) {
		fmt.Fprintf(&b, "\t*r = %s\n", g.expr(t, 1))
	}
	if g.one(2) {
		b.WriteString(g.statement())
	}
	fmt.Fprintf(&b, "\treturn %s\n", g.expr(m.result, 2))
	return b.String()
}

// lastName returns the name of an embedded field, which is that of its type.
func lastName(name string) string { return strings.TrimPrefix(name, "*") }

func (g *generator) textBody(t *typ, m *method) string {
	r := "r"
	if m.pointer {
		r = "(*r)"
	}
	switch {
	case t.base != "":
		return fmt.Sprintf("\treturn \"%s:\" + fmt.Sprint(%s(%s))\n", t.text, t.base, r)
	case t.kind == structKind && len(t.fields) > 0 && t.fields[0].typ.base != "" && !t.fields[0].typ.named:
		return fmt.Sprintf("\treturn fmt.Sprintf(\"%s<%%v>\", %s.%s)\n", t.text, r, t.fields[0].name)
	case t.kind == sliceKind || t.kind == mapKind:
		return fmt.Sprintf("\treturn \"%s#\" + strconv.Itoa(len(%s))\n", t.text, r)
	}
	return fmt.Sprintf("\treturn \"%s!\"\n", t.text)
}

func (g *generator) declareFunction() {
	f := &function{name: g.top("f"), variadic: g.one(5)}
	g.scope = nil
	var params []string
	for i := range g.n(4) {
		t := g.anyOldType()
		f.params = append(f.params, t)
		g.declare(fmt.Sprintf("p%d", i), t)
		params = append(params, fmt.Sprintf("p%d %s", i, t.text))
	}
	if f.variadic {
		t := g.valueType(1)
		f.params = append(f.params, t)
		g.declare("rest", sliceOf(t))
		params = append(params, "rest ..."+t.text)
	}
	named := g.one(3)
	var results []string
	for i := range g.n(3) {
		t := g.valueType(2)
		f.results = append(f.results, t)
		text := t.text
		if named {
			g.declare(fmt.Sprintf("out%d", i), t)
			text = fmt.Sprintf("out%d %s", i, text)
		}
		results = append(results, text)
	}
	var b strings.Builder
	recovers := named && len(results) > 0 && g.one(2)
	if recovers {
		fmt.Fprintf(&b, "\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Println(\"caught\", r)\n\t\t\tout0 = %s\n\t\t}\n\t}()\n", g.expr(f.results[0], 1))
	}
	for range 1 + g.n(4) {
		b.WriteString(g.statement())
	}
	if recovers && g.one(2) {
		b.WriteString(g.panicking())
	}
	if named && g.one(2) {
		b.WriteString("\treturn\n")
	} else if len(results) > 0 {
		var list []string
		for _, t := range f.results {
			list = append(list, g.expr(t, 2))
		}
		fmt.Fprintf(&b, "\treturn %s\n", strings.Join(list, ", "))
	}
	fmt.Fprintf(&g.declared, "func %s(%s) (%s) {\n%s}\n", f.name, strings.Join(params, ", "), strings.Join(results, ", "), b.String())
	g.functions = append(g.functions, f)
}

// declareFormula writes a function whose body is one operation on its parameters.
func (g *generator) declareFormula() {
	t := g.basicType()
	for !t.numeric() && t.kind != stringKind {
		t = g.basicType()
	}
	f := &function{name: g.top("o"), params: []*typ{t, t}, results: []*typ{t}}
	operations := []string{"p0 + p1", "p1 + p0 + p0"}
	if t.numeric() {
		operations = append(operations, "p0 - p1", "p0 * (p1 - p0)", "-p0 + p1*2")
	}
	if t.integer() {
		operations = append(operations, "p0 & p1", "p0 ^ p1 ^ 3", "(p0 + p1) / 3", "p0 - p1 % 5", "p1 &^ p0")
	}
	if t.ordered() && g.one(3) {
		f.results, operations = []*typ{boolType}, []string{"p0 < p1", "p0 + p1 >= p0", "p0 == p1", "p0 != p1 + p1"}
	}
	fmt.Fprintf(&g.declared, "func %s(p0, p1 %s) %s { return %s }\n", f.name, t.text, f.results[0].text, pick(g, operations))
	g.functions = append(g.functions, f)
}

func (g *generator) declareConstants() {
	t := pick(g, g.types)
	if !t.integer() || t.base == "" {
		t = intType
	}
	var lines []string
	form := pick(g, []string{"iota", "iota + 1", "1 << iota", "iota * 3 % 5", "iota ^ 1"})
	for i := range 3 {
		name := g.top("c")
		line := name
		if i == 0 {
			line += " " + t.text + " = " + form
		}
		lines = append(lines, line)
		g.globals = append(g.globals, variable{name, t, false})
	}
	fmt.Fprintf(&g.declared, "const (\n\t%s\n)\n", strings.Join(lines, "\n\t"))
}

// declareGlobal writes a variable that is never assigned, because the order of evaluation of a call
// and a variable is unspecified.
func (g *generator) declareGlobal() {
	t := g.valueType(2)
	name := g.top("g")
	g.scope = nil
	g.silent = true // it is evaluated before the first cell or program of the batch runs
	fmt.Fprintf(&g.declared, "var %s %s = %s\n", name, t.text, g.literal(t, 2))
	g.silent = false
	g.globals = append(g.globals, variable{name, t, false})
}

// declareGenericType writes one of several forms of generic types, with a use of each.
func (g *generator) declareGenericType() {
	name := g.top("G")
	t, other := g.valueType(1), g.valueType(1)
	shape := g.n(3)
	switch shape {
	case 0:
		fmt.Fprintf(&g.declared, "type %s[T any] struct { Items []T; last *T }\n"+
			"func (s *%[1]s[T]) Push(x ...T) *%[1]s[T] { s.Items = append(s.Items, x...); if n := len(s.Items); n > 0 { s.last = &s.Items[n-1] }; return s }\n"+
			"func (s %[1]s[T]) Len() int { return len(s.Items) }\n"+
			"func (s %[1]s[T]) Map(f func(T) T) (out []T) { for _, x := range s.Items { out = append(out, f(x)) }; return }\n"+
			"func (s %[1]s[T]) All() func(func(int, T) bool) { return func(yield func(int, T) bool) { for i, x := range s.Items { if !yield(i, x) { return } } } }\n", name)
	case 1:
		fmt.Fprintf(&g.declared, "type %s[K comparable, V any] struct { Key K; Value V }\n"+
			"func (p %[1]s[K, V]) Swap() %[1]s[string, K] { return %[1]s[string, K]{fmt.Sprint(p.Value), p.Key} }\n"+
			"func (p *%[1]s[K, V]) Set(v V) { p.Value = v }\n"+
			"func (p %[1]s[K, V]) String() string { return fmt.Sprintf(\"%%v=>%%v\", p.Key, p.Value) }\n", name)
	default:
		fmt.Fprintf(&g.declared, "type %s[T ~int | ~float64 | ~string] []T\n"+
			"func (s %[1]s[T]) Sum() (t T) { for _, x := range s { t += x }; return }\n"+
			"func (s %[1]s[T]) Max() T { return slices.Max(append(s, s.Sum())) }\n", name)
	}
	g.generics = append(g.generics, genericType{name: name, shape: shape, t: t, other: other})
}

// A genericType is a declared generic type with type arguments for it.
type genericType struct {
	name     string
	shape    int
	t, other *typ
}

// genericUse writes statements with a declared generic type.
func (g *generator) genericUse() string {
	if len(g.generics) == 0 {
		return ""
	}
	x, v := pick(g, g.generics), g.name("v")
	t := x.t
	for !t.comparable() && g.one(2) {
		t = g.basicType()
	}
	n := g.number()
	literal := func(t *typ) string { return g.expr(t, 1) }
	sharp := "#"
	if t.open() {
		sharp = "" // it would print addresses
	}
	return []string{
		fmt.Sprintf("\tvar %[1]s %[2]s[%[3]s]\n\t%[1]s.Push(%[4]s).Push(%[5]s, %[6]s)\n\tfmt.Println(%[7]d, %[1]s.Len(), %[1]s.Items, *%[1]s.last)\n\tfmt.Printf(\"%%T %%v\\n\", %[1]s, %[1]s.Map(func(x %[3]s) %[3]s { return x }))\n\tfor i, x := range %[1]s.All() {\n\t\tif i == 1 {\n\t\t\tbreak\n\t\t}\n\t\tfmt.Println(i, x)\n\t}\n",
			v, x.name, t.text, literal(t), literal(t), literal(t), n),
		fmt.Sprintf("\t%[1]s := %[2]s[%[3]s, %[4]s]{%[5]s, %[6]s}\n\t%[1]s.Set(%[7]s)\n\tfmt.Println(%[8]d, %[1]s, %[1]s.Swap(), %[1]s.Swap().Swap())\n\tfmt.Printf(\"%%T %%+v %%%[9]sv\\n\", %[1]s.Swap(), %[1]s, %[1]s.Key)\n",
			v, x.name, t.text, x.other.text, literal(t), literal(x.other), literal(x.other), n, sharp),
		fmt.Sprintf("\t%[1]s := %[2]s[%[3]s]{%[4]s, %[5]s}\n\tfmt.Println(%[6]d, %[1]s.Sum(), %[1]s.Max(), len(%[1]s))\n\tfmt.Printf(\"%%T %%v\\n\", %[1]s, %[1]s)\n",
			v, x.name, t.text, literal(t), literal(t), n),
	}[x.shape]
}
