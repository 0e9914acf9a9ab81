package difference

import "fmt"

// extras writes methods that only compiled packages call: those of fmt and encoding/json.
func (g *generator) extras(t *typ) {
	if t.kind == interfaceKind {
		return
	}
	forms := []string{
		"func ($r) GoString() string { return \"go:$t\" }\n",
		"func ($r) Format(s fmt.State, verb rune) { w, ok := s.Width(); fmt.Fprintf(s, \"$t|%c|%v%d%v\", verb, s.Flag('+'), w, ok) }\n",
		"func ($r) MarshalJSON() ([]byte, error) { return []byte(`{\"of\": \"$t\"}`), nil }\n",
		"func ($r) MarshalText() ([]byte, error) { return []byte(\"text of $t\"), nil }\n",
		"func ($r) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf(\"$t has no JSON\") }\n",
		"func (*$t) UnmarshalJSON(b []byte) error { fmt.Println(\"$t gets\", string(b)); return nil }\n",
		"func (*$t) UnmarshalText(b []byte) error { return errors.New(\"$t refuses \" + string(b)) }\n",
		"func ($r) Is(err error) bool { return err != nil && err.Error() == \"base\" }\n",
		"func ($r) Unwrap() error { return errBase }\n",
	}
	receiver := t.text
	if g.one(3) {
		receiver = "*" + receiver
	}
	for range g.n(3) {
		if !g.one(2) {
			g.declared.WriteString(g.fill(pick(g, forms), "$r", receiver, "$t", t.text, "errBase", "errors.New(\"base\")"))
		}
	}
}

// declareHeld writes variables that hold values in interfaces. Cells may declare them before the
// types have methods.
func (g *generator) declareHeld() {
	var fits []*typ
	for _, t := range g.types {
		if t.closed() && t.printable() {
			fits = append(fits, t)
		}
	}
	if len(fits) == 0 {
		return
	}
	t, name := pick(g, fits), g.top("h")
	globals := g.globals
	g.scope, g.globals, g.silent = nil, nil, true
	form := pick(g, []string{
		"any = $v", "[]any = []any{$v, 1, &[]any{$v}[0]}[:2]", "map[string]any = map[string]any{\"k\": $v}", "struct{ X any } = struct{ X any }{$v}",
		"[2]any = [2]any{1: $v}", "map[any]any = map[any]any{1: $v}", "any = []any{$v}", "any = map[int]any{3: $v}", "any = struct{ X, y any }{$v, 1}",
		"any = []$t{$v}",
	})
	g.declared.WriteString(g.fill("var "+name+" "+form+"\n", "$v", g.literal(t, 1), "$t", t.text))
	g.globals, g.silent = globals, false
	g.held = append(g.held, name)
}

// closed reports whether values contain neither interfaces nor pointers nor functions.
func (t *typ) closed() bool {
	switch t.kind {
	case interfaceKind, pointerKind, functionKind:
		return false
	case sliceKind, arrayKind:
		return t.elem.closed()
	case mapKind:
		return t.key.closed() && t.elem.closed()
	case structKind:
		for _, f := range t.fields {
			if !f.typ.closed() {
				return false
			}
		}
	}
	return true
}

// uses writes a use of a compiled package that calls back, or of a type that such calls examine.
func (g *generator) uses() string {
	t, k := g.printableType(), g.basicType()
	o := g.orderedType()
	name := g.name("")
	text := pick(g, []string{
		// A heap of a type with its own less function.
		"h := &heap$k[$o]{less: func(a, b $o) bool { return a > b }}\n\tfor _, x := range []$o{$x, $y, $x, $z} { heap.Push(h, x) }\n\tif len(h.xs) > 2 { h.xs[2] = $z; heap.Fix(h, 2) }\n\tfor h.Len() > 1 { fmt.Print(heap.Pop(h), \" \") }\n\tfmt.Println(§, h.xs, sort.IsSorted(h))",
		// Embedded structs and pointers as JSON.
		"type inner$n struct { A $t `json:\"a\"`; B *int `json:\",omitempty\"`; c int }\n\ttype outer$n struct { inner$n; *named$k; D map[string]inner$n; E any `json:\"e\"`; F []inner$n `json:\"-\"` }\n\tx := outer$n{inner$n: inner$n{A: $v, c: 1}, named$k: &named$k{\"n\", 4}, E: $w}\n\tb, err := json.MarshalIndent(x, \"\", \" \")\n\tfmt.Println(§, string(b), err)\n\tvar y outer$n\n\terr = json.Unmarshal(b, &y)\n\tfmt.Println(§, err == nil, y.c, y.D == nil, y.F, y.E != nil)\n\tfmt.Printf(\"%T %T %v\\n\", x, x.inner$n, x.named$k.Title())",
		// A template calls methods and functions.
		"tm := template.Must(template.New(\"t\").Funcs(template.FuncMap{\"up\": strings.ToUpper, \"twice\": func(s string) string { return s + s }}).Parse(\"{{range $i, $e := .List}}{{$i}}={{$e.Title | up}} {{$e.Count}};{{else}}none{{end}}{{with .Map}}{{.k}}{{end}}{{.Value}} {{len .List}}{{twice .One.Name}}\"))\n\tvar b strings.Builder\n\terr := tm.Execute(&b, struct { List []named$k; Map map[string]$k0; Value any; One *named$k }{[]named$k{{\"a\", 1}, {\"b\", 2}}, map[string]$k0{\"k\": $c}, $v, &named$k{\"z\", 0}})\n\tfmt.Println(§, b.String(), err)",
		// Keys that are interfaces, structs and arrays.
		"m := map[any]int{$c: 1, $x: 2, [2]$k0{$c, $c}: 3, struct{ K any; N int }{$x, 1}: 4, nil: 5, named$k{\"q\", 1}: 6}\n\tm[$c]++\n\tm[[2]$k0{0: $c, 1: $c}] += 10\n\tm[struct{ K any; N int }{$x, 1}] += 20\n\tm[named$k{Name: \"q\", N: 1}] *= 2\n\t_, ok := m[int16(1)]\n\tdelete(m, any(nil))\n\tfmt.Println(§, len(m), m[$c], m[[2]$k0{$c, $c}], m[named$k{\"q\", 1}], m[&named$k{}], ok)\n\tn := map[interface{ Title() string }]string{named$k{\"a\", 1}: \"v\"}\n\tn[named$k{\"a\", 1}] += \"w\"\n\tfmt.Println(len(n), n[named$k{\"a\", 1}])",
		// Promotion through pointers and interfaces.
		"type wrap$n struct { fmt.Stringer; *named$k; extra $t }\n\ttype more$n struct { wrap$n; error }\n\tw := more$n{wrap$n{stringer$k(\"s\"), &named$k{\"w\", 3}, $v}, errors.New(\"e\")}\n\tf, h := w.Title, (*named$k).Bump\n\tw.Bump()\n\th(w.named$k)\n\tw.Name = \"changed\"\n\tvar s fmt.Stringer = w\n\tvar e error = &w\n\tvar c interface{ Count() int } = w\n\tfmt.Println(§, s.String(), e.Error(), c.Count(), f(), w.Title(), w.N)\n\t_, isError := any(w.wrap$n).(error)\n\tfmt.Printf(\"%T %T %v\\n\", s, w.wrap$n.named$k, isError)",
		// Reading, writing and joining.
		"var b strings.Builder\n\tw := bufio.NewWriter(&b)\n\tfmt.Fprintf(w, \"%v|%T|%+v\\n\", $v, $v, $w)\n\tw.Flush()\n\tsc := bufio.NewScanner(io.TeeReader(strings.NewReader(\"a b\\nc \"+b.String()), upper$k{&b}))\n\tsc.Split(bufio.ScanWords)\n\tn := 0\n\tfor sc.Scan() { n += len(sc.Text()) }\n\tfmt.Println(§, n, b.Len() > 3, strings.HasSuffix(b.String(), strings.ToUpper(b.String()[b.Len()-1:])))\n\terr := errors.Join(os.ErrNotExist, fmt.Errorf(\"x: %w, %w\", io.EOF, fail$k{$x}))\n\tvar target fail$k\n\tfmt.Println(errors.Is(err, io.EOF), errors.As(err, &target), target.code, strings.Count(err.Error(), \"\\n\"))",
		// Nested types of cells in every verb.
		"type leaf$n struct { V $t; n *int }\n\ttype tree$n struct { leaf$n; Kids []tree$n; By map[string]leaf$n; At [2]stringer$k; Any any }\n\tx := tree$n{leaf$n{V: $v}, []tree$n{{Any: stringer$k(\"in\")}}, map[string]leaf$n{\"k\": {V: $w}}, [2]stringer$k{\"p\", \"q\"}, []any{named$k{\"a\", 1}, stringer$k(\"b\")}}\n\tfmt.Printf(\"§ %v\\n%+v\\n%T\\n%s\\n%d\\n\", x, x, x, x.At, x.Any)\n\tfmt.Printf(\"%#v %#v %v\\n\", x.At, x.Kids[0].leaf$n.n == nil, reflect.TypeOf(x).Field(0).Anonymous)\n\ty := x\n\ty.Kids[0].Any = 1\n\ty.At[0] = \"changed\"\n\tfmt.Println(§, x.Kids[0].Any, x.At, reflect.DeepEqual(x, y), reflect.DeepEqual(x.Kids, y.Kids))",
		// Sorting by an interface, searching, and functions as values.
		"xs := byLen$k{\"ccc\", \"a\", \"bb\", \"dd\"}\n\tsort.Stable(sort.Reverse(xs))\n\tfmt.Println(§, xs, sort.Search(4, func(i int) bool { return len(xs[i]) < 2 }))\n\tgroups := map[int][]string{}\n\tfor _, x := range xs { groups[len(x)] = append(groups[len(x)], x) }\n\tfmt.Println(groups, slices.SortedFunc(maps.Values(groups), func(a, b []string) int { return cmp.Compare(len(a[0]), len(b[0])) }))\n\tops := map[string]func($o, $o) $o{\"min\": func(a, b $o) $o { return min(a, b) }, \"last\": func(_, b $o) $o { return b }}\n\tfmt.Println(ops[\"min\"]($x, $y), ops[\"last\"]($x, $z), ops[\"none\"] == nil)",
	})
	return "\t{\n\t" + g.fill(text, "$t", t.text, "$o", o.text, "$k0", k.text, "$k", g.helpers, "$n", name, "$v", g.expr(t, 1), "$w", g.literal(t, 1),
		"$x", g.literal(o, 0), "$y", g.literal(o, 0), "$z", g.expr(o, 1), "$c", g.literal(k, 0)) + "\n\t}\n"
}

// declareHelpers writes the types that uses need.
func (g *generator) declareHelpers() {
	g.helpers = g.top("x")
	o := pick(g, []string{"a < b", "a > b", "len(a) < len(b)"})
	g.declared.WriteString(g.fill(`type heap$k[T cmp.Ordered] struct { xs []T; less func(a, b T) bool }
func (h heap$k[T]) Len() int { return len(h.xs) }
func (h heap$k[T]) Less(i, j int) bool { return h.less(h.xs[i], h.xs[j]) }
func (h heap$k[T]) Swap(i, j int) { h.xs[i], h.xs[j] = h.xs[j], h.xs[i] }
func (h *heap$k[T]) Push(x any) { h.xs = append(h.xs, x.(T)) }
func (h *heap$k[T]) Pop() any { n := len(h.xs) - 1; x := h.xs[n]; h.xs = h.xs[:n]; return x }
type named$k struct { Name string; N int `+"`json:\"n\"`"+` }
func (n named$k) Title() string { return "<" + n.Name + ">" }
func (n named$k) Count() int { if n.N > 9 { return 9 }; return n.N }
func (n *named$k) Bump() { n.N++ }
type stringer$k string
func (s stringer$k) String() string { return "s:" + string(s) }
type upper$k struct { to *strings.Builder }
func (u upper$k) Write(p []byte) (int, error) { return u.to.WriteString(strings.ToUpper(string(p))) }
type fail$k struct { code any }
func (f fail$k) Error() string { return fmt.Sprint("fail ", f.code) }
type byLen$k []string
func (s byLen$k) Len() int { return len(s) }
func (s byLen$k) Less(i, j int) bool { a, b := s[i], s[j]; return $less }
func (s byLen$k) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
`, "$k", g.helpers, "$less", o))
}

// heldUses prints the variables that hold values, and which methods they have.
func (g *generator) heldUses() string {
	text := ""
	for _, name := range g.held {
		text += fmt.Sprintf("\tfmt.Println(%d, %s)\n\tfmt.Printf(\"%%T %%+v\\n\", %s, %s)\n", g.number(), name, name, name)
		text += g.fill("\tswitch x := any(" + name + ").(type) {\n\tcase interface{ String() string }:\n\t\tfmt.Println(§, x.String())\n\tcase error:\n\t\tfmt.Println(§, x.Error())\n\tcase []any:\n\t\t_, ok := x[0].(fmt.Stringer)\n\t\tfmt.Println(§, ok)\n\tcase map[string]any:\n\t\t_, ok := x[\"k\"].(fmt.Stringer)\n\t\tfmt.Println(§, ok)\n\t}\n")
	}
	return text
}
