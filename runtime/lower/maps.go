package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Two goroutines that use one map at once would end the process. Package guard has functions
// that lock, which cost five times as much as the interpreter's own operations. A flag
// tells whether a second goroutine may run code of cells. Where nothing in a statement can
// start one, the statement is emitted twice, for both values of the flag; so that a loop
// looks at the flag once. Elsewhere the locking form is used, unless the statement can be
// taken apart.

// A mapMode says how operations on maps are emitted.
type mapMode int

const (
	mapsUndecided mapMode = iota // locking, but statements inside may be emitted twice
	mapsLocking
	mapsPlain
)

// split emits a statement, if necessary in both modes.
func (e *emitter) split(s ast.Stmt, emit func() string) string {
	if e.maps != mapsUndecided || !e.usesMaps(s) {
		return emit()
	}
	if !declares(s) && (e.quiet(s) || e.callsLast(s)) {
		return e.both(emit)
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		if text, ok := e.splitAssignment(s); ok {
			return text
		}
	case *ast.IfStmt:
		if e.headerSplits(s) {
			return e.both(func() string {
				e.headerMaps, e.maps = e.maps, mapsUndecided
				return emit()
			})
		}
	}
	return emit()
}

// both emits the same code for both values of the flag.
func (e *emitter) both(emit func() string) string {
	line, header := e.line, e.headerMaps
	defer func() { e.maps, e.headerMaps = mapsUndecided, header }()
	e.maps = mapsLocking
	locking := emit()
	e.line, e.maps = line, mapsPlain
	plain := emit()
	return "if " + sharedFlag + " != 0 {\n" + locking + "\n} else {\n" + plain + "\n}"
}

// declares tells whether what a statement declares is visible behind it.
func declares(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.DeclStmt, *ast.LabeledStmt:
		return true
	}
	return false
}

// splitAssignment emits an assignment that declares variables or assigns the result of a
// call, if it can be taken apart.
func (e *emitter) splitAssignment(s *ast.AssignStmt) (string, bool) {
	if s.Tok == token.DEFINE {
		return e.splitDefinition(s)
	}
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || !e.quiet(s.Lhs[0]) || isShift(s.Tok) || isBlank(s.Lhs[0]) {
		return "", false
	}
	if e.src.info.Types[s.Rhs[0]].Value != nil {
		return "", false
	}
	t := e.typeOf(s.Lhs[0])
	value := place{text: e.temporary("t"), typ: t}
	assign := func() string { return e.assignTo([]place{value}, nil, s.Rhs) }
	text := "var " + value.text + " " + e.spell(t) + "\n"
	if e.usesMaps(s.Rhs[0]) && e.isLastCall(s.Rhs[0]) {
		text += e.both(assign)
	} else {
		text += assign()
	}
	text += "\n" + e.pollBeforeStore(s.Rhs[0])
	return "{\n" + text + e.both(func() string { return e.change(s.Lhs[0], s.Tok, value.text) }) + "\n}", true
}

func isShift(tok token.Token) bool { return tok == token.SHL_ASSIGN || tok == token.SHR_ASSIGN }

func (e *emitter) splitDefinition(s *ast.AssignStmt) (string, bool) {
	for _, x := range s.Rhs {
		if !e.quiet(x) && (len(s.Rhs) > 1 || !e.isLastCall(x)) {
			return "", false
		}
	}
	var text strings.Builder
	left := make([]place, len(s.Lhs))
	fresh := map[*types.Var]string{}
	for i, x := range s.Lhs {
		id := x.(*ast.Ident)
		left[i] = e.definedPlace(id)
		if left[i].fresh {
			name := e.temporary(id.Name)
			fresh[e.src.info.Defs[id].(*types.Var)] = name
			fmt.Fprintf(&text, "var %s %s\n", name, e.spell(left[i].typ))
			left[i] = place{text: name, typ: left[i].typ}
		}
	}
	text.WriteString(e.both(func() string { return e.assignTo(append([]place(nil), left...), nil, s.Rhs) }))
	for _, x := range s.Lhs {
		v, ok := e.src.info.Defs[x.(*ast.Ident)].(*types.Var)
		if !ok || fresh[v] == "" {
			continue
		}
		if !e.shared[v] {
			e.names[v] = fresh[v]
			continue
		}
		heap := e.define(v)
		fmt.Fprintf(&text, "\n%s := new(%s)\n*%s = %s", heap, e.spell(e.typ(v.Type())), heap, fresh[v])
	}
	return text.String(), true
}

// maxSplitBody bounds how much code is emitted twice because of an if statement's header.
const maxSplitBody = 120 // nodes of the syntax tree

// headerSplits tells whether an if statement is to be emitted twice because of its header.
func (e *emitter) headerSplits(s *ast.IfStmt) bool {
	if s.Init != nil && (!e.quiet(s.Init)) || !e.quiet(s.Cond) || !e.usesMaps(s.Cond) && (s.Init == nil || !e.usesMaps(s.Init)) {
		return false
	}
	nodes := 0
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.LabeledStmt, *ast.FuncLit:
			nodes += maxSplitBody
		}
		nodes++
		return true
	})
	return nodes < maxSplitBody
}

// usesMaps tells whether the code itself, without its function literals, does something
// with a map that another goroutine may disturb.
func (e *emitter) usesMaps(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IndexExpr:
			found = found || e.isMapIndex(n)
		case *ast.RangeStmt:
			found = found || e.isMap(n.X)
		case *ast.CallExpr:
			id, ok := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || ok && id.Name == "delete" && e.src.info.Types[n.Fun].IsBuiltin()
		}
		return !found
	})
	return found
}

func (e *emitter) isMap(x ast.Expr) bool {
	tv := e.src.info.Types[x]
	if !tv.IsValue() {
		return false
	}
	_, ok := coreType(e.typ(tv.Type)).(*types.Map)
	return ok
}

// isMapIndex tells whether an expression is an element of a map.
func (e *emitter) isMapIndex(x ast.Expr) bool {
	i, ok := ast.Unparen(x).(*ast.IndexExpr)
	return ok && e.isMap(i.X)
}

// mapHelper names a function of emitted code for one operation on one type of maps.
func (u *unit) mapHelper(operation string, m *types.Map) string {
	spelled := u.spell(m)
	key := operation + " " + spelled
	if name := u.s.mapHelpers[key]; name != "" {
		return name
	}
	name := u.s.global(operation)
	set(u.s, u.s.mapHelpers, key, name)
	k, v := u.spell(m.Key()), u.spell(m.Elem())
	head := fmt.Sprintf("func %s(m %s, k %s", name, spelled, k)
	text := fmt.Sprintf("kp := new(%s)\n*kp = k\n", k)
	if c := carrier(m.Key()); c != "" {
		head = fmt.Sprintf("func %s(m %s, k %s", name, spelled, c)
		text = fmt.Sprintf("kp := new(%s)\n*kp = %s\n", k, u.delivered("k", m.Key()))
	}
	switch operation {
	case "get":
		head += ") " + v
		text += fmt.Sprintf("vp := new(%s)\n%s.MapGet(m, kp, vp)\nreturn *vp\n", v, support)
	case "find":
		head += ") (" + v + ", bool)"
		text += fmt.Sprintf("vp := new(%s)\nok := %s.MapGet(m, kp, vp)\nreturn *vp, ok\n", v, support)
	case "set":
		value := "v"
		if c := carrier(m.Elem()); c != "" {
			head, value = head+", v "+c+")", u.delivered("v", m.Elem())
		} else {
			head += ", v " + v + ")"
		}
		text += fmt.Sprintf("vp := new(%s)\n*vp = %s\n%s.MapSet(m, kp, vp)\n", v, value, support)
	case "remove":
		head += ")"
		text += support + ".MapDelete(m, kp)\n"
	}
	u.functions = append(u.functions, head+" {\n"+text+"}")
	return name
}

// mapElement emits a read of a map, or of an element and whether it is there.
func (e *emitter) mapElement(x *ast.IndexExpr, m *types.Map, operation string) string {
	base, key := e.x(x.X), e.convert(x.Index, m.Key())
	if e.maps == mapsPlain {
		return base + "[" + key + "]"
	}
	return e.u.mapHelper(operation, e.mapType(m)) + "(" + base + ", " + carried(key, m.Key()) + ")"
}

func (e *emitter) mapType(m *types.Map) *types.Map { return e.typ(m).(*types.Map) }

// removal emits delete of a key.
func (e *emitter) removal(m *types.Map, base, key string) string {
	if e.maps == mapsPlain {
		return "delete(" + base + ", " + key + ")"
	}
	return e.u.mapHelper("remove", e.mapType(m)) + "(" + base + ", " + carried(key, m.Key()) + ")"
}

// mapPlace is the place of an element that an assignment stores by a function; ok is false
// where it can be assigned to directly.
func (e *emitter) mapPlace(x ast.Expr) (p place, ok bool) {
	if e.maps == mapsPlain || !e.isMapIndex(x) {
		return place{}, false
	}
	i := ast.Unparen(x).(*ast.IndexExpr)
	m := coreType(e.typeOf(i.X)).(*types.Map)
	set := e.u.mapHelper("set", e.mapType(m)) + "(" + e.x(i.X) + ", " + carried(e.convert(i.Index, m.Key()), m.Key())
	return place{set: set, typ: e.typeOf(x)}, true
}

// change emits x op= value, or x = value.
func (e *emitter) change(x ast.Expr, tok token.Token, value string) string {
	if e.maps == mapsPlain || !e.isMapIndex(x) {
		return e.x(x) + " " + tok.String() + " " + value
	}
	if tok == token.ASSIGN {
		p, _ := e.mapPlace(x)
		return e.storeOne(p, value)
	}
	i := ast.Unparen(x).(*ast.IndexExpr)
	m := e.mapType(coreType(e.typeOf(i.X)).(*types.Map))
	base, key := e.temporary("m"), e.temporary("k")
	read := fmt.Sprintf("%s(%s, %s)", e.u.mapHelper("get", m), base, carried(key, m.Key()))
	changed := fmt.Sprintf("(%s %s (%s))", read, strings.TrimSuffix(tok.String(), "="), value)
	return fmt.Sprintf("{\nvar %s %s\n%s = %s\nvar %s %s\n%s = %s\n%s(%s, %s, %s)\n}",
		base, e.spell(m), base, e.x(i.X), key, e.spell(m.Key()), key, e.convert(i.Index, m.Key()),
		e.u.mapHelper("set", m), base, carried(key, m.Key()), carried(changed, m.Elem()))
}

// rangeMap emits a range statement over a map that goroutines may share.
func (e *emitter) rangeMap(s *ast.RangeStmt, m *types.Map, label string) string {
	k, v, next := e.temporary("k"), e.temporary("v"), e.temporary("next")
	before := fmt.Sprintf("%s := new(%s)\n%s := new(%s)\n%s := %s.MapRange(%s, %s, %s)\n",
		k, e.spell(e.typ(m.Key())), v, e.spell(e.typ(m.Elem())), next, support, e.x(s.X), k, v)
	j := &jump{label: label, loop: true}
	e.enter(j)
	take := func(x ast.Expr, t types.Type, from string) string {
		name, first := e.rangeVariable(x, s.Tok, t)
		if name == "" || name == "_" {
			return ""
		}
		return fmt.Sprintf("var %s %s\n%s = *%s\n%s", name, e.spell(e.typ(t)), name, from, first)
	}
	first := ""
	if e.assignsBoth(s) {
		settled, store := e.secondPlace(s, "(*"+v+")", e.typ(m.Elem()))
		first = settled + take(s.Key, m.Key(), k) + store
	} else {
		first = take(s.Key, m.Key(), k) + take(s.Value, m.Elem(), v)
	}
	body := e.loopBody(s.Body)
	return "{\n" + before + e.exit(j, "for "+next+"() {\n"+e.poll(s)+first+body+"}") + "\n}"
}

// spreadRemoval emits delete(f()).
func (e *emitter) spreadRemoval(m *types.Map, parameters, arguments []string, x *ast.CallExpr) string {
	return fmt.Sprintf("func(%s) { %s }(%s)", strings.Join(parameters, ", "), e.removal(m, arguments[0], arguments[1]), e.x(x.Args[0]))
}

// shares tells the session's owner about packages, or functions of packages, that run code
// of cells on goroutines of their own.
func (u *unit) shares(name string) {
	if sharing[name] && u.s.options.Share != nil {
		u.s.options.Share(name)
	}
}
