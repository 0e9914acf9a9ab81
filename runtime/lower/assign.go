package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A place is what an assignment assigns to.
type place struct {
	text string
	// set is the call that stores into a map, without the value and the last parenthesis.
	set string
	typ types.Type // nil for the blank identifier
	// fresh variables are declared by the assignment; shared ones live on the heap.
	// inferred ones have the type of the value they get.
	fresh, shared, inferred bool
	element                 bool // of a map
	kept                    bool // others know the place of the variable, which must stay
	session                 bool // is a variable of the session
}

// definedPlace is the place of a name that a statement declares.
func (e *emitter) definedPlace(name *ast.Ident) place {
	v, ok := e.src.info.Defs[name].(*types.Var)
	if !ok || name.Name == "_" {
		if u, ok := e.src.info.Uses[name].(*types.Var); ok && name.Name != "_" {
			return place{text: e.variable(u), typ: e.typ(u.Type()), kept: e.isKept(name)}
		}
		return place{text: "_"}
	}
	if e.isSession(v) {
		return place{text: e.variable(v), typ: e.typ(v.Type()), session: true}
	}
	return place{typ: e.typ(v.Type()), fresh: true, shared: e.shared[v], text: "?" + name.Name}
}

// bindFresh gives fresh variables their names, which must happen after the right-hand
// sides are emitted: x := x uses the outer x.
func (e *emitter) bindFresh(left []place, names []*ast.Ident) {
	for i := range left {
		if left[i].fresh {
			left[i].text = e.define(e.src.info.Defs[names[i]].(*types.Var))
		}
	}
}

func (e *emitter) assignment(s *ast.AssignStmt) string {
	switch s.Tok {
	case token.DEFINE, token.ASSIGN:
		var left []place
		var before string
		for _, x := range s.Lhs {
			p := e.placeOf(x, s.Tok)
			if len(s.Lhs) > 1 && !p.fresh && p.typ != nil {
				if p.set != "" {
					p = e.settleElement(x, s.Lhs, &before)
				} else {
					p.text = e.settle(x, s.Lhs, &before)
				}
			}
			left = append(left, p)
		}
		names := identifiers(s.Lhs)
		if call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); ok && len(s.Lhs) > len(s.Rhs) && !anyCall(e, s.Lhs) {
			return e.unpack(left, names, call, before) // the call may change what the places depend on
		}
		return before + e.assignTo(left, names, s.Rhs)
	}
	operator := strings.TrimSuffix(s.Tok.String(), "=")
	right := ""
	if operator == "<<" || operator == ">>" {
		return e.change(s.Lhs[0], s.Tok, e.shiftCount(s.Rhs[0]))
	}
	if tv := e.src.info.Types[s.Rhs[0]]; tv.Value != nil {
		right = bare(e, tv.Value, e.typeOf(s.Lhs[0]))
	} else {
		right = e.alone(s.Rhs[0])
	}
	if _, variable := ast.Unparen(s.Lhs[0]).(*ast.Ident); !variable && !e.isMapIndex(s.Lhs[0]) && hasCall(e, s) {
		// The call may change what the place depends on, and there is one place only.
		before := ""
		text := e.settle(s.Lhs[0], variablesIn(s.Lhs[0]), &before)
		return "{\n" + before + text + " " + s.Tok.String() + " " + right + "\n}"
	}
	return e.change(s.Lhs[0], s.Tok, right)
}

// variablesIn lists the identifiers in an expression.
func variablesIn(x ast.Expr) []ast.Expr {
	var list []ast.Expr
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			list = append(list, id)
		}
		return true
	})
	return list
}

// settle emits a place of an assignment to several places: what the place depends on is
// evaluated before anything is assigned.
func (e *emitter) settle(x ast.Expr, all []ast.Expr, before *string) string {
	keep := func(text string, y ast.Expr) string {
		if e.steady(y, all) {
			return text
		}
		name := e.temporary("k")
		*before += name + " := " + text + "\n"
		return name
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		switch t := coreType(e.typeOf(x.X)).(type) {
		case *types.Array:
			return e.settle(x.X, all, before) + "[" + keep(e.x(x.Index), x.Index) + "]"
		case *types.Pointer:
			return "(*" + keep(e.x(x.X), x.X) + ")[" + keep(e.x(x.Index), x.Index) + "]"
		case *types.Map:
			base := keep(e.x(x.X), x.X)
			return base + "[" + keep(e.convert(x.Index, t.Key()), x.Index) + "]"
		}
		base := keep(e.x(x.X), x.X)
		return base + "[" + keep(e.x(x.Index), x.Index) + "]"
	case *ast.StarExpr:
		return "(*" + keep(e.x(x.X), x.X) + ")"
	case *ast.SelectorExpr:
		if s := e.src.info.Selections[x]; s != nil {
			found, recv := e.selection(x)
			base := ""
			if _, pointer := recv.Underlying().(*types.Pointer); pointer {
				base = keep(e.x(x.X), x.X)
			} else {
				base = e.settle(x.X, all, before)
			}
			text, _ := e.path(base, recv, found.index)
			return text
		}
	}
	return e.x(x)
}

// steady tells whether an expression keeps its value while the places are assigned: a
// constant, or a variable that is none of them and that only this function can reach.
func (e *emitter) steady(x ast.Expr, assigned []ast.Expr) bool {
	x = ast.Unparen(x)
	if e.src.info.Types[x].Value != nil {
		return true
	}
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := e.objectOf(id).(*types.Var)
	if !ok || e.shared[v] {
		return false
	}
	for _, y := range assigned {
		if other, ok := ast.Unparen(y).(*ast.Ident); ok && e.objectOf(other) == types.Object(v) {
			return false
		}
	}
	return true
}

func identifiers(list []ast.Expr) []*ast.Ident {
	names := make([]*ast.Ident, len(list))
	for i, x := range list {
		names[i], _ = x.(*ast.Ident)
	}
	return names
}

func (e *emitter) placeOf(x ast.Expr, tok token.Token) place {
	if id, ok := x.(*ast.Ident); ok {
		if tok == token.DEFINE {
			return e.definedPlace(id)
		}
		if id.Name == "_" {
			return place{text: "_"}
		}
	}
	if p, ok := e.mapPlace(x); ok {
		return p
	}
	session := false
	if id, ok := x.(*ast.Ident); ok {
		v, ok := e.objectOf(id).(*types.Var)
		session = ok && e.isSession(v)
	}
	return place{text: e.x(x), typ: e.typeOf(x), element: e.isMapIndex(x), kept: e.isKept(x), session: session}
}

// settleElement is settle for an element of a map that a function stores.
func (e *emitter) settleElement(x ast.Expr, all []ast.Expr, before *string) place {
	i := ast.Unparen(x).(*ast.IndexExpr)
	m := coreType(e.typeOf(i.X)).(*types.Map)
	var parts []string
	for n, text := range []string{e.x(i.X), e.convert(i.Index, m.Key())} {
		if !e.steady([]ast.Expr{i.X, i.Index}[n], all) {
			name := e.temporary("k")
			*before += "var " + name + " " + e.spell([]types.Type{m, m.Key()}[n]) + "\n" + name + " = " + text + "\n"
			text = name
		}
		parts = append(parts, text)
	}
	parts[1] = carried(parts[1], m.Key())
	return place{set: e.u.mapHelper("set", e.mapType(m)) + "(" + strings.Join(parts, ", "), typ: e.typeOf(x)}
}

// assign emits an assignment to places that exist already or are declared in a var
// declaration.
func (e *emitter) assign(left []place, right []ast.Expr) string { return e.assignTo(left, nil, right) }

func (e *emitter) assignTo(left []place, names []*ast.Ident, right []ast.Expr) string {
	if len(right) == 1 && len(left) > 1 {
		return e.unpack(left, names, right[0], "")
	}
	values := make([]string, len(right))
	for i, x := range right {
		if left[i].typ == nil {
			values[i] = e.discarded(x)
			continue
		}
		values[i] = e.convert(x, left[i].typ)
		if left[i].element {
			values[i] = e.loaded(x, values[i], left[i].typ)
		}
		left[i].inferred = e.infers(x, left[i].typ)
	}
	if names != nil {
		e.bindFresh(left, names)
	}
	if len(left) == 1 && e.detaches(left[0], right[0]) {
		t := e.temporary("t")
		return t + " := " + values[0] + "\n" + e.storeOne(left[0], t)
	}
	if len(left) == 1 {
		if text := e.storeLater(left[0], right[0], values[0]); text != "" {
			return text
		}
	}
	return e.store(left, values)
}

// discarded emits a value that is assigned to the blank identifier.
func (e *emitter) discarded(x ast.Expr) string {
	if t := e.typeOf(x); isUntypedNil(t) {
		return "0"
	}
	switch ast.Unparen(x).(type) {
	case *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr:
		if e.src.info.Types[x].Value == nil {
			return support + ".Same(" + e.x(x) + ")" // the interpreter would not look
		}
	}
	return e.x(x)
}

// blankValue emits the evaluation of an expression whose value nobody wants.
func (e *emitter) blankValue(x ast.Expr) string { return "_ = " + e.discarded(x) }

// store emits the assignment of values to places, one for one. Several values are all
// evaluated before the first is stored.
func (e *emitter) store(left []place, values []string) string {
	if len(left) == 1 {
		return e.storeOne(left[0], values[0])
	}
	// The interpreter does not keep the values apart, so each goes through a variable of
	// its own, except for one that nothing before it can change.
	var lines, temporaries []string
	for i, l := range left {
		if l.typ == nil {
			temporaries = append(temporaries, "")
			lines = append(lines, "_ = "+values[i])
			continue
		}
		if l.fresh && !l.shared && l.inferred {
			temporaries = append(temporaries, "")
			lines = append(lines, l.text+" := "+values[i])
			continue
		}
		t := e.temporary("t")
		temporaries = append(temporaries, t)
		lines = append(lines, e.storeOne(place{text: t, typ: l.typ, fresh: true, inferred: l.inferred}, values[i]))
	}
	for i, l := range left {
		if temporaries[i] != "" {
			lines = append(lines, e.storeOne(l, temporaries[i]))
		}
	}
	return strings.Join(lines, "\n")
}

// infers tells whether x := value gives the variable the type t.
func (e *emitter) infers(x ast.Expr, t types.Type) bool {
	from := e.typeOf(x)
	if e.isDeclared(x) {
		return false // the variable could hold no other function
	}
	if tv := e.src.info.Types[x]; tv.Value != nil {
		b, ok := t.(*types.Basic)
		return ok && b.Info()&types.IsUntyped == 0
	}
	return from != nil && !isUntypedNil(from) && types.Identical(from, t)
}

// storeOne declares or assigns one variable.
func (e *emitter) storeOne(l place, value string) string {
	switch {
	case l.fresh && l.text == "_":
		return "_ = " + value
	case l.fresh && l.shared:
		return l.text + " := new(" + e.spell(l.typ) + ")\n*" + l.text + " = " + value
	case l.fresh && l.inferred:
		return l.text + " := " + value
	case l.fresh:
		return "var " + l.text + " " + e.spell(l.typ) + "\n" + l.text + " = " + value
	}
	if l.set != "" {
		return l.set + ", " + carried(value, l.typ) + ")"
	}
	return l.text + " = " + value
}

// unpack emits the assignment of several results: of a call, a map index, an assertion
// or a receive. What is to run before the results are stored may stand between.
func (e *emitter) unpack(left []place, names []*ast.Ident, x ast.Expr, between string) string {
	x = ast.Unparen(x)
	if a, ok := x.(*ast.TypeAssertExpr); ok && e.tests(a) {
		return e.unpackTest(left, names, a)
	}
	value, kinds := e.results2(x)
	if names != nil {
		e.bindFresh(left, names)
	}
	if i, ok := x.(*ast.IndexExpr); ok && left[0].typ == nil && left[1].typ == nil {
		return support + ".Same(" + e.x(i) + ")" // the interpreter would not look
	}
	misses := canMiss(x) && left[0].typ != nil
	converts := misses
	for i, l := range left {
		if l.typ != nil && !l.fresh || l.fresh && l.shared {
			converts = true // only temporaries and fresh plain variables can be defined together
		}
		if l.typ != nil && isInterface(l.typ) && !isInterface(kinds[i]) {
			converts = true
		}
	}
	var texts []string
	if !converts {
		for _, l := range left {
			texts = append(texts, l.text)
		}
		return define(texts) + value
	}
	var lines []string
	for i, l := range left {
		if l.typ == nil && !misses {
			texts = append(texts, "_")
			continue
		}
		t := e.temporary("t")
		texts = append(texts, t)
		if l.typ != nil {
			lines = append(lines, e.storeOne(l, e.convertText(t, kinds[i], l.typ)))
		}
	}
	if misses {
		// Where nothing is found the interpreter leaves the value of the last turn.
		lines = append([]string{"if !" + texts[1] + " {\n" + texts[0] + " = " + e.zero(kinds[0]) + "\n}"}, lines...)
	}
	return define(texts) + value + "\n" + between + e.pollBeforeStore(x) + strings.Join(lines, "\n")
}

// canMiss tells whether an expression with two results is an assertion or a map index.
func canMiss(x ast.Expr) bool {
	switch x.(type) {
	case *ast.TypeAssertExpr, *ast.IndexExpr:
		return true
	}
	return false
}

// define writes the left side of an assignment to new names and blanks.
func define(texts []string) string {
	for _, t := range texts {
		if t != "_" {
			return strings.Join(texts, ", ") + " := "
		}
	}
	return strings.Join(texts, ", ") + " = "
}

// results2 emits an expression with several results, and gives their types.
func (e *emitter) results2(x ast.Expr) (string, []types.Type) {
	t := e.typeOf(x)
	if r, ok := x.(*ast.UnaryExpr); ok && r.Op == token.ARROW {
		if tuple, ok := t.(*types.Tuple); ok {
			t = tuple.At(0).Type()
		}
		return "<-" + e.channel(r.X), []types.Type{t, types.Typ[types.Bool]} // in parentheses it would have one result
	}
	if tuple, ok := t.(*types.Tuple); ok {
		kinds := make([]types.Type, tuple.Len())
		for i := range kinds {
			kinds[i] = tuple.At(i).Type()
		}
		if a, ok := x.(*ast.TypeAssertExpr); ok {
			return e.assertion(a, true), kinds
		}
		if i, ok := x.(*ast.IndexExpr); ok && e.isMap(i.X) {
			return e.mapElement(i, coreType(e.typeOf(i.X)).(*types.Map), "find"), kinds
		}
		return e.x(x), kinds
	}
	kinds := []types.Type{t, types.Typ[types.Bool]}
	if a, ok := x.(*ast.TypeAssertExpr); ok {
		return e.assertion(a, true), kinds
	}
	if i, ok := x.(*ast.IndexExpr); ok && e.isMap(i.X) {
		return e.mapElement(i, coreType(e.typeOf(i.X)).(*types.Map), "find"), kinds
	}
	return e.x(x), kinds
}
