package difference

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A History is a random sequence of cells that declare types and make values of them, then declare
// methods and functions again and use the older values. A stage ends with uses; its oracle is a
// compiled program with the declarations of that stage. All values are set before the uses of a
// stage. The uses are those that mean the same as in compiled Go according to docs/limits.md: an
// older interface value, function literal or function value is used as long as the method that it
// holds keeps its form and the type that declares it.
//
// Programs of Generate do not show the faults that this generator is for, because no value in them
// is older than a method of its type, and no function is compiled twice: each declares everything
// before its first statement. With any of these undone, histories differ within 200: that the
// checker's selection decides and session variables have the types of the check (build), and that
// records, type arguments and signatures have the newest types (link). A method that is declared
// again after one of another form is left to TestMethodsThatChangeBetweenCells.
type History struct {
	rand      *rand.Rand
	types     []*historyType
	variables []*historyVariable
	functions []string // their current declarations
	count     int      // of versions
	pending   string   // declarations for the next cell

	Steps    []HistoryStep
	Programs []string // one for each stage, with $m after package-level names
}

// A HistoryStep is a cell. Its output must be that of the use with this number in the program of
// the stage, or empty if the number is negative.
type HistoryStep struct {
	Code       string
	Stage, Use int
}

// A historyType is a declared type. In texts, @ is a value.
type historyType struct {
	typ, decl, receiver, value string
	see, bump, set             string
	methods                    map[string]*historyMethod
	embedded                   *historyType
	viaPointer, field          bool // embedded by pointer; has a field Q
	reference                  bool // whether copies share their content
}

type historyMethod struct {
	form
	name, text string
	forms      int // number of changes of its form
}

// A historyVariable holds a value of a type.
type historyVariable struct {
	name, decl, set string
	of              *historyType
	expr            string
	pointer, place  bool
	held            *heldMethod
}

// A heldMethod is the method that an older function, function literal, interface value or method
// value calls. It can be compared with compiled Go as long as each version of the method keeps what
// the holder was compiled with: its form and the type that provides it, and for a function, which
// is compiled again, only the form of the call. A version of another form ends that, even if a
// later one has the earlier form: cells warn that the holder keeps the method.
type heldMethod struct {
	name, call string
	from       *historyType
	form
	forms    int // of the method when it was held
	function bool
}

var methodNames = []string{"M", "N", "Q"}

var historyForms = []form{
	{result: "string"}, {result: "int"}, {params: "n int", args: "3", result: "string"}, {params: "s string, n ...int", args: `"a", 1, 2`, result: "string"},
	{generic: "[Y any]", params: "n Y", args: "3", result: "string"},
}

// NewHistory returns the history of a seed.
func NewHistory(seed uint64) *History {
	h := &History{rand: rand.New(rand.NewPCG(seed, 0x243f6a8885a308d3))}
	h.functions = []string{h.function(0), h.function(1)}
	for i := range 2 + h.rand.IntN(3) {
		h.types = append(h.types, h.newType(i))
	}
	for _, t := range h.types {
		for _, name := range methodNames {
			if h.rand.IntN(2) == 0 {
				h.method(t, name)
			}
		}
	}
	for range 4 + h.rand.IntN(5) {
		h.variable()
	}
	h.begin()
	for stage := range 3 + h.rand.IntN(3) {
		if stage > 0 {
			h.change()
		}
		h.uses(stage)
	}
	return h
}

func (h *History) one(in int) bool { return h.rand.IntN(in) == 0 }

func (h *History) function(i int) string {
	h.count++
	return fmt.Sprintf("func f%d$m() string { return \"f%d\" }\n", i, h.count)
}

func (h *History) newType(i int) *historyType {
	t := &historyType{methods: map[string]*historyMethod{}, see: "@.n", bump: "@.n++", set: "@.n = 4"}
	name := fmt.Sprintf("T%d$m", i)
	t.typ, t.receiver = name, name
	if i > 0 && !h.one(3) {
		return h.embedding(t, name, h.types[h.rand.IntN(i)])
	}
	switch h.rand.IntN(9) {
	case 4:
		t.decl, t.value, t.see, t.bump, t.set = "type "+name+" [2]int", name+"{4}", "@[0]", "@[0]++", "@[0] = 4"
	case 5:
		t.decl, t.value, t.see, t.bump, t.set = "type "+name+" map[string]int", name+`{"n": 4}`, `@["n"]`, `@["n"]++`, `@["n"] = 4`
		t.reference = true
	case 6:
		t.decl, t.value, t.see = "type "+name+" func() int", name+"(func() int { return 4 })", "@()"
		t.bump, t.set = "@ = func() int { return 5 }", "@ = func() int { return 4 }"
	case 0:
		t.decl, t.value, t.see, t.bump, t.set = "type "+name+" int", name+"(4)", "int(@)", "@++", "@ = 4"
	case 1:
		t.decl, t.value, t.see, t.bump, t.set = "type "+name+" []int", name+"{4}", "len(@)", "@ = append(@, 1)", "@ = "+name+"{4}"
	case 2:
		t.decl, t.typ, t.receiver = "type "+name+"[P any] struct{ n int; p P; Q string }", name+"[string]", name+"[P]"
		t.value, t.field = name+`[string]{n: 4, Q: "field"}`, true
	case 3:
		t.decl = "type U" + name + " struct{ n int }\ntype " + name + " = U" + name
		t.value = name + "{n: 4}"
	default:
		t.decl, t.value, t.field = "type "+name+" struct{ n int; Q string }", name+`{n: 4, Q: "field"}`, true
	}
	return t
}

func (h *History) embedding(t *historyType, name string, e *historyType) *historyType {
	t.embedded, t.viaPointer = e, h.one(3)
	base, _, _ := strings.Cut(e.typ, "[")
	star, value, inner := "", e.value, "@."+base
	if t.viaPointer {
		star, value, inner = "*", "new("+e.value+")", "(*@."+base+")"
	}
	t.decl = fmt.Sprintf("type %s struct{ z int; %s%s }", name, star, e.typ)
	t.value = fmt.Sprintf("%s{%s: %s}", name, base, value)
	if e.see != "@.n" { // which is promoted
		t.see, t.bump, t.set = strings.ReplaceAll(e.see, "@", inner), strings.ReplaceAll(e.bump, "@", inner), strings.ReplaceAll(e.set, "@", inner)
	}
	return t
}

// method declares the next version of a method, unless a field of the type has its name.
func (h *History) method(t *historyType, name string) string {
	if name == "Q" && t.field {
		return ""
	}
	f := historyForms[h.rand.IntN(len(historyForms))]
	if old := t.methods[name]; old != nil && h.one(2) {
		f = old.form // with another body, and perhaps another receiver
	}
	f.pointer = h.one(2)
	h.count++
	x, star := "x", ""
	if f.pointer {
		x, star = "(*x)", "*"
	}
	result := fmt.Sprintf(`"%s%d " + fmt.Sprint(%s) + f%d$m()`, name, h.count, t.see, h.rand.IntN(2))
	if f.result == "int" {
		result = fmt.Sprintf("%d + len(fmt.Sprint(%s))", 100*h.count, t.see)
	}
	text := fmt.Sprintf("func (x %s%s) %s%s(%s) %s { %s; return %s }\n", star, t.receiver, name, f.generic, f.params, f.result, t.bump, result)
	forms := 0
	if old := t.methods[name]; old != nil {
		if forms = old.forms; old.form != f {
			forms++
		}
	}
	t.methods[name] = &historyMethod{f, name, strings.ReplaceAll(text, "@", x), forms}
	return t.methods[name].text
}

// member returns the method that a selector means, or a form of a field, and whether it needs an
// address. It returns nil if there is none.
func (t *historyType) member(name string) (f *form, address bool) {
	if m := t.methods[name]; m != nil {
		return &m.form, m.pointer
	}
	if name == "Q" && t.field {
		return promotedField, false
	}
	if t.embedded == nil {
		return nil, false
	}
	f, address = t.embedded.member(name)
	return f, address && !t.viaPointer
}

var historyVariables = []historyVariable{
	{name: "v", decl: "var # T = V", set: "!#", expr: "#", place: true},
	{name: "s", decl: "var # = []T{V}", set: "!#[0]", expr: "#[0]", place: true},
	{name: "a", decl: "var # = [2]T{1: V}", set: "!#[1]", expr: "#[1]", place: true},
	{name: "m", decl: `var # = map[string]T{"k": V}`, set: `#["k"] = V`, expr: `#["k"]`},
	{name: "p", decl: "var # = &[]T{V}[0]", set: "!(*#)", expr: "#", pointer: true},
	{name: "q", decl: "var # = &[]T{V}[0]", set: "!(*#)", expr: "(*#)", place: true},
	{name: "f", decl: "var # = struct{ F T; P *T }{F: V}", set: "!#.F", expr: "#.F", place: true},
	{name: "g", decl: "var # = &struct{ a int; P *T }{P: &[]T{V}[0]}", set: "!(*#.P)", expr: "#.P", pointer: true},
	{name: "e", decl: "var # = struct{ z int; E struct{ T2 []T } }{}", set: "#.E.T2 = append(#.E.T2[:0], V)", expr: "#.E.T2[0]", place: true},
	{name: "l", decl: "var # = func() func() *T { x := V; return func() *T { return &x } }()", set: "!(*#())", expr: "#()", pointer: true},
	{name: "i", decl: "var # any = V", expr: "#.(T)"},
	{name: "j", decl: "var # any = &[]T{V}[0]", set: "!(*#.(*T))", expr: "#.(*T)", pointer: true},
	{name: "c", decl: "var # = make(chan T, 1)", set: "select { case <-#: default: }; # <- V", expr: "func() T { x := <-#; # <- x; return x }()"},
	{name: "b", decl: "type B#[X any] struct{ x []X }\nvar # = B#[T]{[]T{V}}", set: "!#.x[0]", expr: "#.x[0]", place: true},
}

// historyHolders are variables and functions that call a method M with the form F in later stages.
var historyHolders = []historyVariable{
	{name: "ip", decl: "var #p = V\nvar # interface{ M F } = &#p", set: "!#p", expr: "#.M(A)"},
	{name: "mp", decl: "var #p = V\nvar # = (&#p).M", set: "!#p", expr: "#(A)"},
	{name: "lp", decl: "var #p = V\nvar # = func() any { return (&#p).M(A) }", set: "!#p", expr: "#()"},
	{name: "iv", decl: "var # interface{ M F } = V", expr: "#.M(A)", place: true},
	{name: "mv", decl: "var #p = V\nvar # = #p.M", set: "!#p", expr: "#(A)", place: true},
	{name: "me", decl: "var #p = V\nvar # = (*T).M", set: "!#p", expr: "#(&#p, A)"},
	{name: "fp", decl: "var #p = V\nfunc #() any { return (&#p).M(A) }", set: "!#p", expr: "#()", pointer: true},
	{name: "fv", decl: "var #p = V\nfunc #() any { return #p.M(A) }", set: "!#p", expr: "#()", pointer: true},
	{name: "fi", decl: "var #p = V\nfunc #() any { var x interface{ M F } = &#p; return x.M(A) }", set: "!#p", expr: "#()", pointer: true},
}

// holder returns a variable or function that holds a method, or nil if the type drawn has none.
// Those whose place is set need a method of the value, whose copies share nothing; those whose
// pointer is set are functions.
func (h *History) holder() *historyVariable {
	v := historyHolders[h.rand.IntN(len(historyHolders))]
	v.of = h.types[h.rand.IntN(len(h.types))]
	name := methodNames[h.rand.IntN(len(methodNames))]
	from, m, address := v.of.provider(name)
	bound := v.place || v.name == "mp"
	if m == nil || !m.implements() || v.place && address || bound && v.of.shared() {
		return nil
	}
	v.held = &heldMethod{name: name, from: from, form: m.form, forms: m.forms, function: v.pointer}
	h.count++
	number := fmt.Sprintf("%s%d$m", v.name, h.count)
	fill := strings.NewReplacer("#p", "p"+number, "#", number, "M", name, "F", "("+m.params+") "+m.result, "A", m.args, "V", "("+v.of.value+")", "T", v.of.typ)
	v.name, v.decl, v.set, v.held.call = number, fill.Replace(v.decl), fill.Replace(v.set), fill.Replace(v.expr)
	return &v
}

// comparable reports whether a holder still means what it would mean in a compiled program.
func (v *historyVariable) comparable() bool {
	if v.held == nil {
		return true
	}
	from, m, _ := v.of.provider(v.held.name)
	if m == nil {
		return false
	}
	if v.held.function {
		return m.implements() && m.params == v.held.params && m.result == v.held.result
	}
	return from == v.held.from && m.form == v.held.form && m.forms == v.held.forms
}

// provider returns the type that declares a method that a type has, and the method. It returns nil
// for a field.
func (t *historyType) provider(name string) (from *historyType, m *historyMethod, address bool) {
	if m := t.methods[name]; m != nil {
		return t, m, m.pointer
	}
	if name == "Q" && t.field || t.embedded == nil {
		return nil, nil, false
	}
	from, m, address = t.embedded.provider(name)
	return from, m, address && !t.viaPointer
}

func (h *History) variable() *historyVariable {
	if h.one(3) {
		if v := h.holder(); v != nil {
			h.variables = append(h.variables, v)
			return v
		}
	}
	v := historyVariables[h.rand.IntN(len(historyVariables))]
	v.of = h.types[h.rand.IntN(len(h.types))]
	h.count++
	name := fmt.Sprintf("%s%d$m", v.name, h.count)
	fill := func(s string) string {
		s = word.ReplaceAllStringFunc(s, func(s string) string {
			switch s {
			case "T":
				return v.of.typ
			case "V":
				return "(" + v.of.value + ")"
			}
			return s
		})
		return strings.ReplaceAll(s, "#", name)
	}
	v.name, v.decl, v.expr, v.set = name, fill(v.decl), fill(v.expr), fill(v.set)
	if v.set == "" && v.of.shared() { // uses can change it
		v.set = strings.ReplaceAll(v.of.set, "@", v.expr)
	}
	h.variables = append(h.variables, &v)
	return &v
}

// begin declares everything in new cells.
func (h *History) begin() {
	h.cell(strings.Join(h.functions, ""))
	for _, t := range h.types {
		h.cell(t.decl + "\n" + t.declaredMethods())
	}
	for _, v := range h.variables {
		h.cell(v.decl + "\n")
	}
}

func (t *historyType) declaredMethods() string {
	var b strings.Builder
	for _, name := range methodNames {
		if m := t.methods[name]; m != nil {
			b.WriteString(m.text)
		}
	}
	return b.String()
}

// cell adds declarations to the next cell, or ends it.
func (h *History) cell(declarations string) {
	h.pending += declarations
	if !h.one(3) {
		h.flush()
	}
}

func (h *History) flush() {
	if h.pending != "" {
		h.Steps = append(h.Steps, HistoryStep{h.pending, len(h.Programs), -1})
	}
	h.pending = ""
}

// change declares some things again.
func (h *History) change() {
	h.flush()
	for range 1 + h.rand.IntN(3) {
		t := h.types[h.rand.IntN(len(h.types))]
		switch h.rand.IntN(8) {
		case 0:
			i := h.rand.IntN(2)
			h.functions[i] = h.function(i)
			h.cell(h.functions[i])
		case 1:
			h.cell(t.decl + "\n") // unchanged; the type keeps its methods
		case 2:
			h.cell(h.variable().decl + "\n")
		default:
			text := h.method(t, methodNames[h.rand.IntN(3)])
			if h.one(4) {
				text = t.decl + "\n" + t.declaredMethods()
			}
			h.cell(text)
		}
		h.flush()
	}
	// What is no longer comparable stays in the session.
	h.variables = slices.DeleteFunc(h.variables, func(v *historyVariable) bool { return !v.comparable() })
	if h.one(6) {
		h.Steps = append(h.Steps, HistoryStep{"%reset", len(h.Programs), -1})
		h.begin()
	}
}

// uses sets all values and calls members on them.
func (h *History) uses(stage int) {
	var sets, body strings.Builder
	for _, v := range h.variables {
		set := v.set
		if place, ok := strings.CutPrefix(set, "!"); ok {
			if set = place + " = " + v.of.value; h.one(2) {
				set = strings.ReplaceAll(v.of.set, "@", place)
			}
		}
		sets.WriteString(set + "\n")
	}
	h.pending += sets.String()
	if h.one(2) {
		h.flush()
	}
	var late strings.Builder
	number := 0
	for range 12 + h.rand.IntN(12) {
		v := h.variables[h.rand.IntN(len(h.variables))]
		use, declared := h.useOf(v, fmt.Sprintf("%d_%d$m", stage, number))
		if use == "" {
			continue
		}
		fmt.Fprintf(&body, "\tfmt.Println(\"== %d\")\n\tfunc() { %s }()\n", number, use)
		late.WriteString(declared)
		if h.one(2) {
			use = "func() { " + use + " }()"
		}
		h.Steps = append(h.Steps, HistoryStep{h.pending + declared + use, len(h.Programs), number})
		h.pending = ""
		number++
	}
	h.flush()
	var program strings.Builder
	program.WriteString("package main\n\nimport \"fmt\"\n\n" + strings.Join(h.functions, ""))
	for _, t := range h.types {
		program.WriteString(t.decl + "\n" + t.declaredMethods())
	}
	for _, v := range h.variables {
		program.WriteString(v.decl + "\n")
	}
	program.WriteString(late.String() + "func run$m() {\n\tfmt.Print()\n" + sets.String() + body.String() + "}\n")
	h.Programs = append(h.Programs, program.String())
}

// shared reports whether copies of a value have parts in common.
func (t *historyType) shared() bool {
	return t.reference || t.embedded != nil && (t.viaPointer || t.embedded.shared())
}

// useOf returns statements that use a variable, and a declaration that they need. There are none if
// the value has no member of the name drawn.
func (h *History) useOf(v *historyVariable, suffix string) (use, declared string) {
	if v.held != nil {
		if h.one(2) {
			return "fmt.Println(" + v.held.call + ")", ""
		}
		return fmt.Sprintf("w := func() any { return %s }; fmt.Println(w())", v.held.call), ""
	}
	name := methodNames[h.rand.IntN(len(methodNames))]
	f, address := v.of.member(name)
	if f == nil {
		return "", ""
	}
	return h.use(v, name, f, address, suffix)
}

// use returns statements that use a member of the value of a variable, and a declaration that they
// need.
func (h *History) use(v *historyVariable, name string, f *form, address bool, suffix string) (use, declared string) {
	call, see := "."+name, strings.ReplaceAll(v.of.see, "@", "x")
	if !f.field {
		call += "(" + f.args + ")"
	}
	pointer := v.expr
	switch {
	case v.place:
		pointer = "&" + v.expr
	case !v.pointer:
		pointer = "p"
	}
	prefix := ""
	if pointer == "p" {
		prefix = "y := " + v.expr + "; p := &y; "
	}
	iface := fmt.Sprintf("interface{ %s(%s) %s }", name, f.params, f.result)
	choices := []string{
		fmt.Sprintf("%sfmt.Println((%s)%s)", prefix, pointer, call),
		fmt.Sprintf("%sx := *%s; fmt.Println(x%s); fmt.Println(%s)", prefix, pointer, call, see),
		fmt.Sprintf("%sz := %s; fmt.Println(z%s); x := *z; fmt.Println(%s)", prefix, pointer, call, see),
		fmt.Sprintf("%sfor _, x := range []%s{*%s} { fmt.Println(x%s) }", prefix, v.of.typ, pointer, call),
		fmt.Sprintf("%sw := func() any { return (%s)%s }; fmt.Println(w())", prefix, pointer, call),
	}
	if v.place || v.pointer || !address {
		choices = append(choices, fmt.Sprintf("fmt.Println(%s%s)", v.expr, call), fmt.Sprintf("w := func() any { return %s%s }; fmt.Println(w())", v.expr, call))
	}
	if v.place || v.pointer {
		if h.one(5) {
			declared = fmt.Sprintf("func d%s() any { return %s%s }\n", suffix, v.expr, call)
			return fmt.Sprintf("fmt.Println(d%s())", suffix), declared
		}
	}
	if f.implements() {
		choices = append(choices,
			fmt.Sprintf("%sw := (%s).%s; fmt.Println(w(%s))", prefix, pointer, name, f.args),
			fmt.Sprintf("%sfmt.Println((*%s).%s(%s, %s))", prefix, v.of.typ, name, pointer, f.args),
			fmt.Sprintf("%svar x %s = %s; fmt.Println(x%s)", prefix, iface, pointer, call),
			fmt.Sprintf("%svar x any = %s; fmt.Println(x.(%s)%s)", prefix, pointer, iface, call))
		if !address {
			choices = append(choices, fmt.Sprintf("%svar x any = *%s; _, ok := x.(%s); fmt.Println(ok, x.(%s)%s)", prefix, pointer, iface, iface, call))
		}
		if h.one(5) {
			declared = fmt.Sprintf("func g%s[X %s](xs ...X) any { for _, x := range xs { return x%s }; return nil }\n", suffix, iface, call)
			return fmt.Sprintf("%sfmt.Println(g%s(%s))", prefix, suffix, pointer), declared
		}
	}
	return choices[h.rand.IntN(len(choices))], ""
}
