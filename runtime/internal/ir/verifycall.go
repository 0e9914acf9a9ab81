package ir

import (
	"go/token"
	"go/types"
)

// called verifies calls and method values.
func (v *verifier) called(x Expr, pos token.Pos) {
	switch x := x.(type) {
	case *Call:
		v.call(x, pos)
	case *Bind:
		v.bind(x, pos)
	case *Builtin:
		v.builtin(x, pos)
	default:
		v.rule(false, pos, "an expression %T is unknown", x)
	}
}

// call verifies that a call has one callee, arguments of the types of its parameters, and the type
// of its results. An inlined version must belong to the callee and have a form that can be inlined.
func (v *verifier) call(x *Call, pos token.Pos) {
	ways := 0
	for _, set := range []bool{x.Ref != nil, x.Extern != nil, x.Method != nil, x.Value != nil} {
		if set {
			ways++
		}
	}
	if !v.rule(ways == 1, pos, "a call of %d functions", ways) {
		return
	}
	var sig *types.Signature
	switch {
	case x.Ref != nil:
		sig = x.Ref.Sig
		if f := x.Inline; f != nil {
			v.rule(f.Ref == x.Ref && f.Cost > 0 && !f.Defers && !f.Recovers, pos, "%s is inlined as %s", x.Ref.Name, f.Name)
		}
	case x.Extern != nil:
		sig, _ = v.underOne(x.Extern, pos).(*types.Signature)
	case x.Method != nil:
		sig = v.method(x.Method, pos)
	default:
		sig, _ = v.underOne(x.Value, pos).(*types.Signature)
	}
	if v.err != nil || !v.rule(sig != nil, pos, "a call of what is not a function") {
		return
	}
	v.arguments(x.Args, sig, pos)
	v.same(x.T, ResultType(sig), pos, "the value of a call")
}

// arguments verifies the arguments of a call. In f(g()) they are the temporaries to which the
// builder has assigned the results of g.
func (v *verifier) arguments(args []Expr, sig *types.Signature, pos token.Pos) {
	params := sig.Params()
	if !v.rule(len(args) == params.Len(), pos, "%d arguments of a function with %d parameters", len(args), params.Len()) {
		return
	}
	for i, a := range args {
		v.value(a, params.At(i).Type(), pos, "an argument")
	}
}

// method verifies a method of an interface or a compiled type. It returns the signature without
// receiver, or nil after an error.
//
// The lookup of go/types suffices, because a MethodCall is only for interface types and compiled
// types, which gain no methods in a session.
func (v *verifier) method(m *MethodCall, pos token.Pos) *types.Signature {
	if !v.rule(m.Func != nil, pos, "a method is missing") {
		return nil
	}
	t := v.one(m.Recv, pos)
	if t == nil {
		return nil
	}
	// The receiver counts as addressable here, because the builder has taken its address where a
	// pointer method needs that.
	o, _, _ := types.LookupFieldOrMethod(t, true, m.Func.Pkg(), m.Func.Name())
	_, found := o.(*types.Func)
	if !v.rule(found, pos, "a %s has no method %s", TypeText(t), m.Func.Name()) {
		return nil
	}
	sig := m.Func.Signature()
	return types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
}

// bind verifies a method value. Its type is the signature of the method without the receiver, which
// is the first parameter of a method with a body in source.
//
// A variadic method keeps that property in the method value, which matters to package reflect.
func (v *verifier) bind(x *Bind, pos token.Pos) {
	if !v.rule((x.Ref != nil) != (x.Method != nil), pos, "a method value has no method or two") {
		return
	}
	var sig *types.Signature
	if x.Ref != nil {
		params := x.Ref.Sig.Params()
		if !v.rule(params.Len() > 0, pos, "the method of a method value has no receiver") {
			return
		}
		v.value(x.Recv, params.At(0).Type(), pos, "a receiver")
		var rest []*types.Var
		for i := 1; i < params.Len(); i++ {
			rest = append(rest, params.At(i))
		}
		sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(rest...), x.Ref.Sig.Results(), x.Ref.Sig.Variadic())
	} else if sig = v.method(x.Method, pos); sig == nil {
		return
	}
	v.same(Under(x.T), sig, pos, "a method value")
}

// builtin verifies a call of a predeclared function.
func (v *verifier) builtin(x *Builtin, pos token.Pos) {
	var args []types.Type
	for _, a := range x.Args {
		if t := v.one(a, pos); t != nil {
			args = append(args, t)
		}
	}
	if v.err != nil {
		return
	}
	rule, known := builtins[x.Name]
	if !v.rule(known, pos, "no predeclared function is named %s", x.Name) {
		return
	}
	v.rule(x.Name != "recover" || v.fn.Recovers, pos, "a call of recover in a function that does not say that it has any")
	n := len(args)
	if v.rule(n >= rule.least && (n <= rule.most || rule.most < 0), pos, "%s with %d arguments", x.Name, n) {
		v.rule(rule.holds(v, x, args), pos, "%s of %s gives no %s", x.Name, typesText(args), TypeText(x.T))
	}
}

// typesText returns the list of types in an error.
func typesText(list []types.Type) string {
	text := ""
	for i, t := range list {
		if i > 0 {
			text += ", "
		}
		text += TypeText(t)
	}
	return "(" + text + ")"
}

// A builtinRule describes the arguments that a predeclared function requires.
//
// A rule examines types only. Values such as a negative constant size have been rejected by the
// type checker.
type builtinRule struct {
	least, most int // number of arguments; most is negative if there is no limit
	holds       func(v *verifier, x *Builtin, args []types.Type) bool
}

// builtins maps the names of predeclared functions to their rules. "defers", "plainError" and
// "runtimeError" exist only in the representation.
var builtins = map[string]builtinRule{
	"append": {1, -1, appendRule},
	"cap":    {1, 1, lengthRule},
	"clear":  {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return IsSlice(args[0]) || isMap(args[0]) }},
	"close": {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool {
		_, ok := Under(args[0]).(*types.Chan)
		return ok
	}},
	"complex": {2, 2, func(v *verifier, x *Builtin, args []types.Type) bool {
		return isKind(x.T, types.IsComplex) && v.allAre(args, args[0])
	}},
	"copy": {2, 2, func(v *verifier, x *Builtin, args []types.Type) bool {
		return IsSlice(args[0]) && v.elementsOf(args[1], args[0])
	}},
	// The builtin "defers" yields the list of deferred calls of its function, for defer statements
	// in bodies of range-over-func loops. "plainError" and "runtimeError" make the values of panics
	// that gc's runtime raises at such loops.
	"defers": {0, 0, func(v *verifier, x *Builtin, args []types.Type) bool { return isUnsafePointer(x.T) }},
	"delete": {2, 2, deleteRule},
	"imag":   {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return isKind(args[0], types.IsComplex) }},
	"len":    {1, 1, lengthRule},
	"make":   {0, 2, makeRule},
	"max": {1, -1, func(v *verifier, x *Builtin, args []types.Type) bool {
		return isKind(x.T, types.IsOrdered) && v.allAre(args, x.T)
	}},
	"min": {1, -1, func(v *verifier, x *Builtin, args []types.Type) bool {
		return isKind(x.T, types.IsOrdered) && v.allAre(args, x.T)
	}},
	"new": {0, 1, func(v *verifier, x *Builtin, args []types.Type) bool {
		return IsPointer(x.T) && v.allAre(args, Under(x.T).(*types.Pointer).Elem())
	}},
	"panic":      {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return IsInterface(args[0]) }},
	"plainError": {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return IsText(args[0]) }},
	"print":      {0, -1, func(v *verifier, x *Builtin, args []types.Type) bool { return true }},
	"println":    {0, -1, func(v *verifier, x *Builtin, args []types.Type) bool { return true }},
	"real":       {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return isKind(args[0], types.IsComplex) }},
	"recover":    {0, 0, func(v *verifier, x *Builtin, args []types.Type) bool { return IsInterface(x.T) }},

	"runtimeError": {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return IsText(args[0]) }},

	"Add": {2, 2, func(v *verifier, x *Builtin, args []types.Type) bool {
		return isUnsafePointer(args[0]) && isInteger(args[1])
	}},
	"Slice": {2, 2, func(v *verifier, x *Builtin, args []types.Type) bool {
		return IsPointer(args[0]) && isInteger(args[1]) && IsSlice(x.T)
	}},
	"SliceData": {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return IsSlice(args[0]) && IsPointer(x.T) }},
	"String": {2, 2, func(v *verifier, x *Builtin, args []types.Type) bool {
		return IsPointer(args[0]) && isInteger(args[1]) && IsText(x.T)
	}},
	"StringData": {1, 1, func(v *verifier, x *Builtin, args []types.Type) bool { return IsText(args[0]) && IsPointer(x.T) }},
}

func isMap(t types.Type) bool {
	_, ok := Under(t).(*types.Map)
	return ok
}

func isUnsafePointer(t types.Type) bool {
	basic, ok := Under(t).(*types.Basic)
	return ok && basic.Kind() == types.UnsafePointer
}

// allAre reports whether all types of a list are identical to t.
func (v *verifier) allAre(list []types.Type, t types.Type) bool {
	for _, other := range list {
		if !v.identical(other, t) {
			return false
		}
	}
	return true
}

// elementsOf reports whether x is a slice or string with the element type of a slice type. Element
// types are compared by their underlying types, because append([]byte, string...) and copy accept a
// named byte type.
func (v *verifier) elementsOf(x, slice types.Type) bool {
	elem := elemType(x)
	return elem != nil && (IsSlice(x) || IsText(x)) && IsSlice(slice) && v.identical(Under(elem), Under(elemType(slice)))
}

// appendRule reports whether append returns the type of its first argument, and the others are
// elements or, with Spread, a slice or string of elements.
func appendRule(v *verifier, x *Builtin, args []types.Type) bool {
	if !IsSlice(x.T) || !v.identical(args[0], x.T) {
		return false
	}
	if x.Spread {
		return len(args) == 2 && v.elementsOf(args[1], x.T)
	}
	return v.allAre(args[1:], elemType(x.T))
}

// lengthRule reports whether len or cap has an argument with a length, and returns int.
//
// Lengths that are constant have become a Const, so len of an array appears only if its operand has
// calls or receives from a channel.
func lengthRule(v *verifier, x *Builtin, args []types.Type) bool {
	switch t := Under(args[0]).(type) {
	case *types.Map, *types.Chan:
	default:
		if elemType(t) == nil {
			return false
		}
	}
	return v.identical(x.T, types.Typ[types.Int])
}

// deleteRule reports whether delete has a map and a key of its key type.
func deleteRule(v *verifier, x *Builtin, args []types.Type) bool {
	m, ok := Under(args[0]).(*types.Map)
	return ok && v.identical(args[1], m.Key())
}

// makeRule reports whether make has integer sizes: one or two for a slice, at most one for a map or
// a channel.
func makeRule(v *verifier, x *Builtin, args []types.Type) bool {
	for _, t := range args {
		if !isInteger(t) {
			return false
		}
	}
	switch Under(x.T).(type) {
	case *types.Slice:
		return len(args) > 0
	case *types.Map, *types.Chan:
		return len(args) < 2
	}
	return false
}
