package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// An emitter writes one session-level function, or one instance of a generic one.
type emitter struct {
	u   *unit
	src *source
	env *environment
	fn  *function

	names        map[types.Object]string
	counter      int
	shared       map[*types.Var]bool      // variables that live in a cell of the heap, see function.go
	inHeader     int                      // more than 0 in the header of a statement
	maps         mapMode                  // how operations on maps are emitted
	headerMaps   mapMode                  // and those in the header of the if statement that comes next
	sized        *ast.CallExpr            // the make whose size was checked before its statement
	line         int                      // line that the mark holds here for certain, 0 if unknown
	callback     *ast.FuncLit             // the literal that a compiled function gets to call it often
	handed       *ast.FuncLit             // the literal that a compiled function gets
	calm         map[*ast.Ident][]string  // the prints of the loops around and the kinds of their arguments, if these loops do nothing but compute and print
	replaced     map[*ast.CallExpr]string // calls whose results are in variables
	callingLoops int                      // loops around whose headers call something, while code is emitted that asks
	steadyLine   int                      // line of all that may panic in the loops around, 0 if there are several

	foreigners map[*types.Var]bool // variables whose types are compiled ones, see foreign.go
	jumps      bool                // the function has goto statements, which may make loops
	polled     bool                // the statement being emitted has polled before it stores what took long
	holding    *holding            // the statement being emitted, nil outside of statements

	liftable      map[*types.Var]map[*types.Var]bool // by variables whose literals become functions, see lift.go
	lifted        map[*types.Var]*lifted
	reachable     map[*types.Var]bool // local variables that others can change, see reach.go
	readElsewhere map[*types.Var]bool // and those that literals use
	labels        labels
	made          map[ast.Expr]string // the variables with the results of calls that come before their statement, see order.go
}

// emitter returns an emitter for code of the given source.
func (u *unit) emitter(src *source) *emitter {
	return &emitter{u: u, src: src, names: map[types.Object]string{}, shared: map[*types.Var]bool{}}
}

// typeOf is the type of an expression with type parameters replaced.
func (e *emitter) typeOf(x ast.Expr) types.Type { return e.typ(e.src.info.TypeOf(x)) }

func (e *emitter) typ(t types.Type) types.Type { return e.u.s.substitute(t, e.env) }

func (e *emitter) spell(t types.Type) string { return e.u.spell(t) }

// objectOf is the object that an identifier uses or defines.
func (e *emitter) objectOf(x *ast.Ident) types.Object {
	if o := e.src.info.Uses[x]; o != nil {
		return o
	}
	return e.src.info.Defs[x]
}

// temporary returns a fresh local name.
func (e *emitter) temporary(stem string) string {
	e.counter++
	return fmt.Sprintf("%s%s%d", stem, localMark, e.counter)
}

// x emits an expression; the text can be an operand of any operator.
func (e *emitter) x(x ast.Expr) string {
	tv := e.src.info.Types[x]
	if tv.Value != nil {
		return literal(e, tv.Value, e.typ(tv.Type))
	}
	if tv.IsType() {
		return e.converter(e.typ(tv.Type))
	}
	if name := e.made[x]; name != "" {
		return name
	}
	switch x := x.(type) {
	case *ast.Ident:
		return e.identifier(x)
	case *ast.ParenExpr:
		return e.x(x.X) // operators bring their own parentheses
	case *ast.FuncLit:
		return e.functionLiteral(x)
	case *ast.CompositeLit:
		return e.composite(x, e.typeOf(x))
	case *ast.SelectorExpr:
		return e.selector(x)
	case *ast.IndexExpr:
		return e.index(x)
	case *ast.IndexListExpr:
		return e.x(x.X) // an instance: the function's name leads to it
	case *ast.SliceExpr:
		return e.slice(x)
	case *ast.StarExpr:
		return "(*" + e.x(x.X) + ")"
	case *ast.UnaryExpr:
		return e.unary(x)
	case *ast.BinaryExpr:
		return e.binary(x)
	case *ast.TypeAssertExpr:
		return e.assertion(x, false)
	case *ast.CallExpr:
		return e.call(x)
	}
	panic(refuse(x.Pos(), "this expression cannot be used in cells (%T)", x))
}

func (e *emitter) list(xs []ast.Expr) []string {
	var out []string
	for _, x := range xs {
		out = append(out, e.x(x))
	}
	return out
}

func (e *emitter) identifier(x *ast.Ident) string {
	switch o := e.objectOf(x).(type) {
	case *types.Var:
		return e.variable(o)
	case *types.Func:
		return e.functionValue(x, o)
	case *types.Nil:
		return "nil"
	case nil:
		if x.Name == "_" {
			return "_"
		}
	default:
		_ = o
	}
	if x.Name == "_" {
		return "_"
	}
	panic(refuse(x.Pos(), "%s cannot be used here in a cell", x.Name))
}

// variable emits a use of a variable.
func (e *emitter) variable(v *types.Var) string {
	if name, ok := e.names[v]; ok {
		if e.shared[v] {
			return "(*" + name + ")"
		}
		return name
	}
	if v.Name() == "_" {
		return "_"
	}
	if symbol := e.u.s.symbol(v, e.src.checked); symbol != nil {
		if name := e.u.s.variables[symbol]; name != "" {
			return name
		}
		return e.u.declareVariable(symbol, v)
	}
	if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return e.u.packageVariable(v)
	}
	panic(fmt.Sprintf("variable %s has no name in emitted code", v.Name()))
}

// define gives a local variable its name in emitted code.
func (e *emitter) define(v *types.Var) string {
	if v.Name() == "_" || v.Name() == "" {
		return "_"
	}
	name := e.temporary(v.Name())
	e.names[v] = name
	return name
}

// packageMember emits a variable, function or type of a compiled package.
func (u *unit) packageMember(o types.Object) string {
	path := o.Pkg().Path()
	if path == "testing" && o.Name() == "Main" {
		panic(refuse(token.NoPos, "testing.Main ends the process when the tests are over; call them yourself"))
	}
	if name := u.s.options.Override(path, o.Name()); name != "" {
		return support + "." + name
	}
	u.shares(path + "." + o.Name())
	if _, found := u.s.options.Compiled(path, o.Name()); !found {
		panic(missing(token.NoPos, o))
	}
	return u.packageName(path) + "." + o.Name()
}

// packageVariable emits a variable of a compiled package by its address. The interpreter
// takes those of basic types for constants.
func (u *unit) packageVariable(v *types.Var) string {
	path := v.Pkg().Path()
	value, found := u.s.options.Compiled(path, v.Name())
	if !found {
		panic(missing(token.NoPos, v))
	}
	if !value.CanAddr() {
		return u.packageMember(v)
	}
	key := path + "." + v.Name()
	name := u.s.addresses[key]
	if name == "" {
		name = "V" + localMark + strings.TrimPrefix(u.s.global(""), globalMark)
		u.s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{name: value.Addr()})
		u.s.addresses[key] = name
	}
	return "(*" + cells + "." + name + ")"
}

func (e *emitter) unary(x *ast.UnaryExpr) string {
	switch x.Op {
	case token.AND:
		inner := ast.Unparen(x.X)
		if c, ok := inner.(*ast.CompositeLit); ok {
			before := e.inHeader
			e.inHeader = 0
			defer func() { e.inHeader = before }()
			return "(&" + e.composite(c, e.typeOf(c)) + ")"
		}
		if star, ok := inner.(*ast.StarExpr); ok { // &*p panics for nil, and is p otherwise
			return fmt.Sprintf("%s.NotNilPointer(%s).(%s)", support, e.x(star.X), e.spell(e.typeOf(x)))
		}
		return "(" + address(e.x(inner)) + ")"
	case token.ARROW:
		return "(<-" + e.channel(x.X) + ")"
	}
	return "(" + x.Op.String() + e.x(x.X) + ")"
}

func (e *emitter) binary(x *ast.BinaryExpr) string {
	a, b := e.typeOf(x.X), e.typeOf(x.Y)
	switch x.Op {
	case token.EQL, token.NEQ:
		if e.comparesInterfaces(x.X, x.Y) || e.comparesInterfaces(x.Y, x.X) {
			text := fmt.Sprintf("%s.Equal(%s, %s)", support, e.convert(x.X, universeAny), e.convert(x.Y, universeAny))
			if x.Op == token.NEQ {
				return "(!" + text + ")"
			}
			return text
		}
	case token.SHL, token.SHR:
		// An untyped left operand takes its type from the context, which the
		// interpreter does not do.
		return fmt.Sprintf("(%s %s %s)", e.typedConstant(x.X, e.typeOf(x)), x.Op, e.shiftCount(x.Y))
	}
	left, right := e.beside(x.X, x.Y), e.beside(x.Y, x.X)
	if x.Op == token.LAND || x.Op == token.LOR {
		left = e.firstOperand(x.X, left, types.Typ[types.Bool])
		if _, assertion := ast.Unparen(x.Y).(*ast.TypeAssertExpr); assertion {
			right = "(" + right + " == true)"
		}
	}
	if x.Op == token.EQL || x.Op == token.NEQ {
		left = e.compared(x.X, left)
		if _, structure := a.Underlying().(*types.Struct); structure && e.spell(a) != e.spell(b) {
			right = e.converter(a) + "(" + right + ")" // one of them has no name
		} else {
			right = e.compared(x.Y, right)
		}
	}
	if c, ok := a.Underlying().(*types.Chan); ok && x.Op == token.EQL || ok && x.Op == token.NEQ {
		// The interpreter compares channels of one type only.
		if d, ok := b.Underlying().(*types.Chan); ok && c.Dir() != d.Dir() {
			if c.Dir() == types.SendRecv {
				left = e.converter(b) + "(" + left + ")"
			} else {
				right = e.converter(a) + "(" + right + ")"
			}
		}
	}
	return fmt.Sprintf("(%s %s %s)", e.operandOf(x.Op, x.X, left, false), x.Op, e.operandOf(x.Op, x.Y, right, true))
}

// comparesInterfaces tells whether x is an interface value that is compared with more than nil. What a conversion to an
// interface holds, the interpreter compares with nil itself.
func (e *emitter) comparesInterfaces(x, other ast.Expr) bool {
	if !isInterface(e.typeOf(x)) {
		return false
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	return !isUntypedNil(e.typeOf(other)) || ok && e.isConversion(call)
}

// shiftCount emits the right operand of a shift. The interpreter takes a negative count
// for a large one.
func (e *emitter) shiftCount(x ast.Expr) string {
	tv := e.src.info.Types[x]
	if tv.Value != nil {
		return "uint(" + constant.ToInt(tv.Value).ExactString() + ")"
	}
	b, ok := e.typeOf(x).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUnsigned != 0 {
		switch ast.Unparen(x).(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			// The interpreter would give an operation the type that the shift is assigned to.
			return e.converter(e.typeOf(x)) + "(" + e.x(x) + ")"
		}
		return e.x(x)
	}
	return support + ".Count(int64(" + e.x(x) + "))"
}

// beside emits an operand. A constant beside an operand that is none needs no conversion.
func (e *emitter) beside(x, other ast.Expr) string {
	tv := e.src.info.Types[x]
	if tv.Value == nil || e.src.info.Types[other].Value != nil {
		return e.x(x)
	}
	return bare(e, tv.Value, e.typ(tv.Type))
}

// typedConstant emits x, with a conversion if it is a constant.
func (e *emitter) typedConstant(x ast.Expr, t types.Type) string {
	if tv := e.src.info.Types[x]; tv.Value != nil {
		return literalOf(e, tv.Value, t, true)
	}
	return e.x(x)
}

var universeAny = types.Universe.Lookup("any").Type()

func (e *emitter) index(x *ast.IndexExpr) string {
	if _, generic := e.typeOf(x.X).(*types.Signature); generic {
		return e.x(x.X) // an instance: the function's name leads to it
	}
	switch t := coreType(e.typeOf(x.X)).(type) {
	case *types.Map:
		return e.mapElement(x, t, "get")
	case *types.Pointer:
		return "(*" + e.x(x.X) + ")[" + e.alone(x.Index) + "]"
	}
	return e.x(x.X) + "[" + e.alone(x.Index) + "]"
}

// coreType is the underlying type; type parameters are gone by now.
func coreType(t types.Type) types.Type { return t.Underlying() }

func (e *emitter) slice(x *ast.SliceExpr) string {
	operand := e.x(x.X)
	if _, pointer := coreType(e.typeOf(x.X)).(*types.Pointer); pointer {
		operand = "(*" + operand + ")"
	}
	bound := func(b ast.Expr) string {
		if b == nil {
			return ""
		}
		return e.x(b)
	}
	text := operand + "[" + bound(x.Low) + ":" + bound(x.High)
	if x.Slice3 {
		text += ":" + bound(x.Max)
	}
	return text + "]"
}

// composite emits a composite literal of type t, which may be a pointer when the type is
// left out inside another literal.
func (e *emitter) composite(x *ast.CompositeLit, t types.Type) string {
	prefix := ""
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t, prefix = p.Elem(), "&"
	}
	var parts []string
	switch c := t.Underlying().(type) {
	case *types.Struct:
		for i, element := range x.Elts {
			field := i
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				field = fieldIndex(c, kv.Key.(*ast.Ident).Name)
				element = kv.Value
			}
			f := c.Field(field)
			if f.Name() == "_" {
				continue // nobody can read it
			}
			parts = append(parts, fieldName(f.Name(), field)+": "+e.element(element, e.typ(f.Type())))
		}
	case *types.Map:
		for _, element := range x.Elts {
			kv := element.(*ast.KeyValueExpr)
			key := e.element(kv.Key, c.Key())
			key = e.distinctKey(kv.Key, key, c.Key())
			parts = append(parts, key+": "+e.loaded(kv.Value, e.element(kv.Value, c.Elem()), c.Elem()))
		}
	case *types.Slice:
		parts = e.elements(x, c.Elem())
	case *types.Array:
		parts = e.elements(x, c.Elem())
	}
	text := e.spell(t) + "{" + strings.Join(parts, ", ") + "}"
	if e.inHeader > 0 && prefix == "" {
		return "(" + text + ")" // the brace would begin the body
	}
	return prefix + text
}

// loaded emits a value for an element of a map. The interpreter takes the missing value
// behind a nil pointer for the wish to delete the element.
func (e *emitter) loaded(x ast.Expr, text string, t types.Type) string {
	if _, star := ast.Unparen(x).(*ast.StarExpr); !star {
		return text
	}
	spelled := e.spell(t)
	return "func(v " + spelled + ") " + spelled + " { return v }(" + text + ")"
}

// distinctKey keeps the interpreter from comparing the keys of a literal, where it sees
// constants: 1 and 1.0 are no duplicates in a map of interfaces, and what a generic
// function converts to its type parameters is no constant.
func (e *emitter) distinctKey(x ast.Expr, text string, t types.Type) string {
	converted := false
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && e.env != nil {
		converted = e.src.info.Types[call.Fun].IsType()
	}
	switch {
	case isInterface(t) && (converted || e.src.info.Types[x].Value != nil):
		text = support + ".Same(" + text + ")"
		if !isEmptyInterface(t) {
			text += ".(" + e.spell(t) + ")"
		}
	case converted:
		return "func(k " + e.spell(t) + ") " + e.spell(t) + " { return k }(" + text + ")"
	}
	return text
}

func (e *emitter) elements(x *ast.CompositeLit, t types.Type) []string {
	var parts []string
	at := int64(0)
	for _, element := range x.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			at, _ = constant.Int64Val(constant.ToInt(e.src.info.Types[kv.Key].Value))
			parts = append(parts, fmt.Sprint(at)+": "+e.element(kv.Value, t))
		} else {
			parts = append(parts, numbered(at, e.element(element, t)))
		}
		at++
	}
	return parts
}

// numbered emits an element of an array or a slice, with its index if it may be read from another. The
// interpreter looks for types in elements without an index, takes *p for one, and fails on what it reads from compiled ones.
func numbered(at int64, text string) string {
	if strings.Contains(text, "[") || strings.Contains(text, "(*") {
		return fmt.Sprint(at) + ": " + text
	}
	return text
}

// sliceLiteral emits a slice with elements.
func sliceLiteral(element string, parts []string) string {
	var list []string
	for i, text := range parts {
		list = append(list, numbered(int64(i), text))
	}
	return "[]" + element + "{" + strings.Join(list, ", ") + "}"
}

func (e *emitter) element(x ast.Expr, t types.Type) string {
	if c, ok := x.(*ast.CompositeLit); ok && c.Type == nil {
		return e.composite(c, t)
	}
	text := e.convert(x, t)
	if _, operation := ast.Unparen(x).(*ast.BinaryExpr); operation && e.src.info.Types[x].Value == nil {
		text = bareText(text) // in parentheses the interpreter takes an operand *p for a pointer type
	}
	if _, field := ast.Unparen(x).(*ast.SelectorExpr); field && isInterface(t) && e.src.info.Types[x].Value == nil && e.foreign(x) {
		spelled := e.spell(t) // the interpreter fails on a field of a compiled type there
		return "func(v " + spelled + ") " + spelled + " { return v }(" + text + ")"
	}
	return e.kept(text, t)
}

// kept emits a part of a literal that begins with a variable of the heap. The interpreter takes
// (*p).f, (*p)[:1] and their like for types there.
func (e *emitter) kept(text string, t types.Type) string {
	if len(e.shared) == 0 || !strings.HasPrefix(text, "(*") || strings.IndexByte(text, ')') == len(text)-1 {
		return text
	}
	spelled := e.spell(t)
	return "func(v " + spelled + ") " + spelled + " { return v }(" + text + ")"
}

func fieldIndex(t *types.Struct, name string) int {
	for i := 0; i < t.NumFields(); i++ {
		if t.Field(i).Name() == name {
			return i
		}
	}
	return -1
}
