package lower

import (
	"fmt"
	"go/ast"
	"go/types"
)

// When the interpreter calls a function by its name it hands over nothing for an argument
// that package reflect takes for zero, and negative zero is one. It looks only at what is no
// interface. So a parameter of a floating-point type is the real part of a complex number
// that is not zero, which is the cheapest, and one with numbers of such types inside is an
// interface value. Function values have Go's own signatures.

// anything carries arguments that only an assertion can take out again.
const anything = "interface{}"

// carrier is the type of the parameter that carries an argument which may hold negative
// zeros; "" for other types.
func carrier(t types.Type) string {
	switch b, _ := t.Underlying().(*types.Basic); {
	case b == nil:
	case b.Kind() == types.Float64:
		return "complex128"
	case b.Kind() == types.Float32:
		return "complex64"
	}
	if holdsFloats(t) {
		return anything
	}
	return ""
}

// holdsFloats tells whether values of a type are or hold floating-point numbers, not counting
// what they point to.
func holdsFloats(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Array:
		return t.Len() > 0 && holdsFloats(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if holdsFloats(f.Type()) {
				return true
			}
		}
	}
	return false
}

// carried emits the argument for a parameter of type t of a function that is called by its name.
func carried(text string, t types.Type) string {
	switch carrier(t) {
	case "complex128":
		return "complex(" + text + ", 1)"
	case "complex64":
		return "complex(" + text + ", float32(1))"
	case anything:
		if b, ok := t.Underlying().(*types.Basic); ok { // of a constant, which has a type only here
			return b.Name() + "(" + text + ")"
		}
	}
	return text
}

// delivered emits the value of a parameter that carries an argument of type t.
func (u *unit) delivered(name string, t types.Type) string {
	switch carrier(t) {
	case "":
		return name
	case anything:
		return name + ".(" + u.spell(t) + ")"
	}
	if number := u.spell(t); number != "float64" && number != "float32" { // a compiled type keeps its name
		return number + "(real(" + name + "))"
	}
	return "real(" + name + ")"
}

// parameter spells a parameter of a declared function, and gives what must be done first
// to have its value in the variable of the program.
func (e *emitter) parameter(v *types.Var, spelled string) (text, enter string) {
	name, enter := e.parameterName(v)
	t := e.typ(v.Type())
	carried := carrier(t)
	if e.fn.name == "" || carried == "" {
		return name + " " + spelled, enter
	}
	if v.Name() == "" || v.Name() == "_" {
		return name + " " + carried, ""
	}
	p := e.temporary("p")
	return p + " " + carried, name + " := " + e.u.delivered(p, t) + "\n" + enter
}

// arguments prepares the arguments of a call for the function that it calls. When the interpreter calls what a field holds, it
// wraps what becomes an empty interface value in a type of its own, which everybody would see; it leaves those alone that are one.
func (t target) arguments(signature *types.Signature, list []string) []string {
	if !t.declared && !t.value {
		return list
	}
	out := append([]string(nil), list...)
	for i := range out {
		if signature.Variadic() && i >= signature.Params().Len()-1 {
			break
		}
		if p := signature.Params().At(i).Type(); t.declared {
			out[i] = carried(out[i], p)
		} else if isEmptyInterface(p) {
			out[i] = anything + "(" + out[i] + ")"
		}
	}
	return out
}

// named finds the function that an expression names, if it is one of cells.
func (e *emitter) named(fun ast.Expr) (to target, f *types.Func) {
	var id *ast.Ident
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if e.src.info.Selections[x] != nil {
			return target{}, nil
		}
		id = x.Sel
	case *ast.IndexExpr:
		return e.named(x.X)
	case *ast.IndexListExpr:
		return e.named(x.X)
	default:
		return target{}, nil
	}
	f, ok := e.objectOf(id).(*types.Func)
	if !ok {
		return target{}, nil
	}
	text := e.function(id, f)
	return target{callee: text, declared: e.u.isFunction(text)}, f
}

// functionValue emits a function that is not called where it is named.
func (e *emitter) functionValue(x *ast.Ident, f *types.Func) string {
	text := e.function(x, f)
	if !e.u.isFunction(text) {
		return text
	}
	signature := f.Signature()
	if instance, ok := e.src.info.Instances[x]; ok {
		signature = instance.Type.(*types.Signature)
	}
	signature = plain(e.typ(signature).(*types.Signature))
	if e.standsBehind(text) {
		return e.u.valueForm(text, signature)
	}
	for i := range signature.Params().Len() {
		if carrier(signature.Params().At(i).Type()) != "" {
			return e.u.valueForm(text, signature)
		}
	}
	return text
}

// standsBehind tells whether a function is emitted behind the closure that names it. As a value the
// interpreter would take it for one that does nothing; a function that calls it comes before.
func (e *emitter) standsBehind(name string) bool {
	closure, outermost := false, e.fn
	for ; ; outermost = outermost.outer {
		closure = closure || outermost.literal || outermost.deferred != "" || len(outermost.yields) > 0
		if outermost.outer == nil {
			break
		}
	}
	_, emitted := e.u.s.Frame(name)
	return closure && (!emitted || name == outermost.name)
}

// valueForm names the function that stands for a declared one as a value.
func (u *unit) valueForm(name string, signature *types.Signature) string {
	if value := u.s.valueForms[name]; value != "" {
		return value
	}
	value := u.s.global("value")
	set(u.s, u.s.valueForms, name, value)
	u.functions = append(u.functions, u.forward(fmt.Sprintf("func %s", value), "", signature, target{callee: name, declared: true}, ""))
	return value
}
