package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// call emits a call, a conversion or a use of a builtin.
func (e *emitter) call(x *ast.CallExpr) string {
	if text, ok := e.replaced[x]; ok {
		return text
	}
	tv := e.src.info.Types[x.Fun]
	switch {
	case tv.IsType():
		return e.conversion(x)
	case tv.IsBuiltin():
		return e.builtin(x)
	}
	if text := e.callerHere(x); text != "" {
		return text
	}
	if f := e.formula(x); f != nil {
		return e.inlined(x, f)
	}
	if o := e.computation(x); o != "" {
		return e.computed(o, x)
	}
	signature := e.signatureOf(x.Fun)
	if len(x.Args) == 1 {
		if tuple, ok := e.typeOf(x.Args[0]).(*types.Tuple); ok {
			return e.spreadCall(x, signature, tuple)
		}
	}
	to := e.target(x.Fun)
	return to.call(strings.Join(to.arguments(signature, e.arguments(x, signature)), ", "))
}

func (e *emitter) signatureOf(fun ast.Expr) *types.Signature {
	signature, ok := e.typeOf(fun).Underlying().(*types.Signature)
	if !ok {
		panic(refuse(fun.Pos(), "this call cannot be made in cells"))
	}
	return signature
}

// target finds what a call calls.
func (e *emitter) target(fun ast.Expr) target {
	fun = ast.Unparen(fun)
	if to, f := e.named(fun); f != nil {
		return to
	}
	switch f := fun.(type) {
	case *ast.Ident:
		if v, ok := e.objectOf(f).(*types.Var); ok && e.lifted[v] != nil {
			return target{callee: e.lifted[v].name, receiver: e.lifted[v].arguments(e), declared: true}
		}
	case *ast.SelectorExpr:
		if s := e.src.info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
			found, recv := e.selection(f)
			return e.methodOf(e.x(f.X), recv, found.object.(*types.Func), found.index)
		}
	case *ast.FuncLit:
		// Called on the spot: no variable can change before it has run.
		return target{callee: e.literalText(f)}
	}
	_, function := e.calledObject(fun).(*types.Func)
	return target{callee: e.x(fun), value: !function}
}

// parameter is the type of argument i.
func parameter(signature *types.Signature, i int, spread bool) types.Type {
	last := signature.Params().Len() - 1
	if signature.Variadic() && i >= last {
		t := signature.Params().At(last).Type()
		if spread {
			return t
		}
		return variadicElement(t)
	}
	return signature.Params().At(i).Type()
}

func (e *emitter) arguments(x *ast.CallExpr, signature *types.Signature) []string {
	var out []string
	if last := signature.Params().Len() - 1; signature.Variadic() && !x.Ellipsis.IsValid() && len(x.Args) > last && !e.isCompiled(x.Fun) {
		// The interpreter takes one argument that is a slice itself for all of them.
		for i := 0; i < last; i++ {
			out = append(out, e.convert(x.Args[i], signature.Params().At(i).Type()))
		}
		element := e.typ(variadicElement(signature.Params().At(last).Type()))
		var rest []string
		for _, a := range x.Args[last:] {
			rest = append(rest, e.element(a, element))
		}
		return append(out, sliceLiteral(e.spell(element), rest)+"...")
	}
	for i, a := range x.Args {
		if e.fromLibrary(x.Fun) {
			e.callback = asCallback(a)
		}
		if e.isCompiled(x.Fun) {
			e.handed, _ = ast.Unparen(a).(*ast.FuncLit)
		}
		text := e.convert(a, parameter(signature, i, x.Ellipsis.IsValid()))
		if x.Ellipsis.IsValid() && i == len(x.Args)-1 {
			text += "..."
		}
		out = append(out, text)
	}
	return out
}

// fromLibrary tells whether a call is of a function of another package.
func (e *emitter) fromLibrary(fun ast.Expr) bool {
	f, ok := e.calledObject(fun).(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() != "main"
}

// asCallback is a literal with parameters and results, as those that compare and map; nil for
// anything else.
func asCallback(x ast.Expr) *ast.FuncLit {
	literal, ok := ast.Unparen(x).(*ast.FuncLit)
	if !ok || literal.Type.Params.NumFields() == 0 || literal.Type.Results.NumFields() == 0 {
		return nil
	}
	return literal
}

// isCompiled tells whether a call is of a function or method of a compiled package.
func (e *emitter) isCompiled(fun ast.Expr) bool {
	f, ok := e.calledObject(fun).(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() == "main" || e.src.checked == nil {
		return false
	}
	return f.Signature().TypeParams().Len() == 0 && f.Signature().RecvTypeParams().Len() == 0
}

// spreadCall emits f(g()) for a g with several results. A function value is evaluated
// before g is called.
func (e *emitter) spreadCall(x *ast.CallExpr, signature *types.Signature, tuple *types.Tuple) string {
	if hasCall(e, &ast.ExprStmt{X: x.Fun}) {
		name := e.temporary("f")
		inner := e.spread(target{callee: name, value: true}, signature, x.Args[0], tuple)
		give := ""
		if signature.Results().Len() > 0 {
			give = "return "
		}
		return fmt.Sprintf("func(%s %s) %s { %s%s }(%s)", name, e.spell(signature), e.results(signature), give, inner, e.x(x.Fun))
	}
	return e.spread(e.target(x.Fun), signature, x.Args[0], tuple)
}

// spread emits the call with the results as parameters of a literal in between.
func (e *emitter) spread(to target, signature *types.Signature, x ast.Expr, tuple *types.Tuple) string {
	var parameters, arguments []string
	for i := 0; i < tuple.Len(); i++ {
		name := e.temporary("q")
		parameters = append(parameters, name+" "+e.spell(tuple.At(i).Type()))
		arguments = append(arguments, e.convertText(name, tuple.At(i).Type(), e.typ(parameter(signature, i, false))))
	}
	if last := signature.Params().Len() - 1; signature.Variadic() && len(arguments) > last {
		element := e.spell(e.typ(variadicElement(signature.Params().At(last).Type())))
		arguments = append(arguments[:last:last], sliceLiteral(element, arguments[last:])+"...")
	}
	give := ""
	if signature.Results().Len() > 0 {
		give = "return "
	}
	return fmt.Sprintf("func(%s) %s { %s%s }(%s)", strings.Join(parameters, ", "), e.results(signature),
		give, to.call(strings.Join(to.arguments(signature, arguments), ", ")), e.x(x))
}

func (e *emitter) results(signature *types.Signature) string {
	var list []string
	for i := 0; i < signature.Results().Len(); i++ {
		list = append(list, e.spell(signature.Results().At(i).Type()))
	}
	if len(list) == 0 {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// builtin emits a use of a predeclared function.
func (e *emitter) builtin(x *ast.CallExpr) string {
	name := ""
	switch f := ast.Unparen(x.Fun).(type) {
	case *ast.Ident:
		name = e.objectOf(f).Name()
	case *ast.SelectorExpr:
		return e.unsafeBuiltin(x, f.Sel.Name)
	}
	if len(x.Args) == 1 {
		if tuple, ok := e.typeOf(x.Args[0]).(*types.Tuple); ok {
			return e.spreadBuiltin(name, x, tuple)
		}
	}
	switch name {
	case "append":
		return e.appendTo(x)
	case "panic":
		// The interpreter's own panic wraps the value.
		return support + ".Panic(" + e.convert(x.Args[0], universeAny) + ")"
	case "recover":
		return e.recovered()
	case "make":
		if c, ok := coreType(e.typeOf(x.Args[0])).(*types.Chan); ok && c.Dir() != types.SendRecv {
			both := e.spell(types.NewChan(types.SendRecv, c.Elem()))
			return e.converter(e.typeOf(x.Args[0])) + "(make(" + strings.Join(append([]string{both}, e.sizes(x)...), ", ") + "))"
		}
		return "make(" + strings.Join(append([]string{e.spell(e.typeOf(x.Args[0]))}, e.sizes(x)...), ", ") + ")"
	case "new":
		if e.src.info.Types[x.Args[0]].IsType() {
			return "new(" + e.spell(e.typeOf(x.Args[0])) + ")"
		}
		t := e.spell(e.typeOf(x).Underlying().(*types.Pointer).Elem())
		return fmt.Sprintf("func(v %s) *%s { return &v }(%s)", t, t, e.convert(x.Args[0], e.typeOf(x).Underlying().(*types.Pointer).Elem()))
	case "delete":
		m := coreType(e.typeOf(x.Args[0])).(*types.Map)
		return e.removal(m, e.x(x.Args[0]), e.convert(x.Args[1], m.Key()))
	case "min", "max":
		return e.extreme(x, name)
	case "clear":
		return support + ".Clear(" + e.x(x.Args[0]) + ")"
	case "print", "println":
		var out []string
		for _, a := range x.Args {
			out = append(out, e.convert(a, universeAny))
		}
		return support + "." + strings.ToUpper(name[:1]) + name[1:] + "Error(" + strings.Join(out, ", ") + ")"
	case "complex":
		return e.complexNumber(x)
	}
	operands := e.list(x.Args)
	if _, ok := coreType(e.typeOf(x.Args[0])).(*types.Chan); ok {
		operands[0] = e.channel(x.Args[0])
	}
	if name == "len" || name == "cap" {
		if p, ok := coreType(e.typeOf(x.Args[0])).(*types.Pointer); ok {
			if a, ok := p.Elem().Underlying().(*types.Array); ok {
				return fmt.Sprintf("func(interface{}) int { return %d }(%s)", a.Len(), operands[0])
			}
		}
		if _, star := ast.Unparen(x.Args[0]).(*ast.StarExpr); star && isArray(e.typeOf(x.Args[0])) {
			operands[0] += "[:]" // the pointer must not be nil
		}
	}
	return name + "(" + strings.Join(operands, ", ") + ")"
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// spreadBuiltin emits copy(f()) and its like.
func (e *emitter) spreadBuiltin(name string, x *ast.CallExpr, tuple *types.Tuple) string {
	var parameters, arguments []string
	for i := 0; i < tuple.Len(); i++ {
		q := e.temporary("q")
		parameters = append(parameters, q+" "+e.spell(tuple.At(i).Type()))
		arguments = append(arguments, q)
	}
	result, give := "", ""
	switch name {
	case "print", "println":
		for i := range arguments {
			arguments[i] = e.convertText(arguments[i], tuple.At(i).Type(), universeAny)
		}
		name = support + "." + strings.ToUpper(name[:1]) + name[1:] + "Error"
	case "delete":
		m := coreType(tuple.At(0).Type()).(*types.Map)
		arguments[1] = e.convertText(arguments[1], tuple.At(1).Type(), m.Key())
		return e.spreadRemoval(m, parameters, arguments, x)
	case "append":
		element := coreType(tuple.At(0).Type()).(*types.Slice).Elem()
		for i := 1; i < tuple.Len(); i++ {
			arguments[i] = e.convertText(arguments[i], tuple.At(i).Type(), element)
		}
		arguments = []string{arguments[0], sliceLiteral(e.spell(element), arguments[1:]) + "..."}
	}
	if name == "append" || name == "copy" || name == "complex" {
		result, give = " "+e.spell(e.typeOf(x)), "return "
	}
	return fmt.Sprintf("func(%s)%s { %s%s(%s) }(%s)", strings.Join(parameters, ", "), result, give, name, strings.Join(arguments, ", "), e.x(x.Args[0]))
}

// complexNumber gives both parts of complex(a, b) the type that the result asks for.
func (e *emitter) complexNumber(x *ast.CallExpr) string {
	part := types.Type(types.Typ[types.Float64])
	if b := e.typeOf(x).Underlying().(*types.Basic); b.Kind() == types.Complex64 {
		part = types.Typ[types.Float32]
	}
	var out []string
	for _, a := range x.Args {
		if tv := e.src.info.Types[a]; tv.Value != nil {
			out = append(out, literalOf(e, tv.Value, part, true))
			continue
		}
		out = append(out, e.x(a))
	}
	return "complex(" + strings.Join(out, ", ") + ")"
}

// appendTo emits append. The interpreter spreads a single argument that is itself a slice
// of the right kind, and takes a declared function for its syntax, so that such an argument
// goes into a slice of its own.
func (e *emitter) appendTo(x *ast.CallExpr) string {
	t := e.typeOf(x)
	element := t.Underlying().(*types.Slice).Elem()
	first := e.convert(x.Args[0], t)
	if len(x.Args) == 1 {
		return first
	}
	if x.Ellipsis.IsValid() {
		rest := e.typeOf(x.Args[1])
		if b, ok := rest.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return "append(" + first + ", []uint8(" + e.x(x.Args[1]) + ")...)"
		}
		return "append(" + first + ", " + e.convert(x.Args[1], t) + "...)"
	}
	var out []string
	for _, a := range x.Args[1:] {
		out = append(out, e.element(a, element))
	}
	if len(out) == 1 {
		switch e.typeOf(x.Args[1]).Underlying().(type) {
		case *types.Slice, *types.Basic:
			_, slice := element.Underlying().(*types.Slice)
			if !slice && !isInterface(element) {
				return "append(" + first + ", " + out[0] + ")"
			}
		default:
			if !e.u.isFunction(out[0]) {
				return "append(" + first + ", " + out[0] + ")"
			}
		}
	}
	// It also appends several arguments one by one, and a later one may be read from the
	// place to which an earlier one went.
	return "append(" + first + ", " + sliceLiteral(e.spell(element), out) + "...)"
}

// extreme emits min and max by a compiled function for the kind of the operands.
func (e *emitter) extreme(x *ast.CallExpr, name string) string {
	t := e.typeOf(x)
	b := t.Underlying().(*types.Basic)
	if b.Info()&types.IsUntyped != 0 {
		b = types.Default(b).(*types.Basic)
	}
	kind := e.spell(b)
	var out []string
	for _, a := range x.Args {
		if tv := e.src.info.Types[a]; tv.Value != nil {
			out = append(out, literalOf(e, tv.Value, b, true))
			continue
		}
		out = append(out, kind+"("+e.x(a)+")")
	}
	text := support + "." + strings.ToUpper(name[:1]) + name[1:] + "_" + kind + "(" + strings.Join(out, ", ") + ")"
	if e.spell(t) == kind {
		return text
	}
	return e.spell(t) + "(" + text + ")"
}

// function emits a function's name: of a cell, an instance of a generic one, or of a
// compiled package.
func (e *emitter) function(x *ast.Ident, f *types.Func) string {
	if instance, ok := e.src.info.Instances[x]; ok {
		var arguments []types.Type
		for i := 0; i < instance.TypeArgs.Len(); i++ {
			arguments = append(arguments, e.typ(instance.TypeArgs.At(i)))
		}
		if name := e.u.compiledInstance(f, arguments); name != "" {
			return name
		}
		return e.u.instance(e, x, f.Origin(), arguments)
	}
	if symbol := e.u.s.symbol(f, e.src.checked); symbol != nil {
		if name := e.u.s.functions[symbol]; name != "" {
			return name
		}
		if symbol.Broken != nil {
			panic(refuse(x.Pos(), "%s cannot be used: %v", f.Name(), symbol.Broken))
		}
		panic(fmt.Sprintf("function %s was never emitted", f.Name()))
	}
	if name, ok := e.u.libraryFunction(f); ok {
		return name
	}
	if next := e.following(x, f); next != "" {
		return next
	}
	return e.u.packageMember(f)
}

// callerHere emits runtime.Caller(0), "" for other calls.
func (e *emitter) callerHere(x *ast.CallExpr) string {
	f, ok := e.calledObject(x.Fun).(*types.Func)
	if !ok || f.FullName() != "runtime.Caller" {
		return ""
	}
	if n := e.src.info.Types[x.Args[0]].Value; n == nil || n.ExactString() != "0" {
		return ""
	}
	at := e.src.fset.Position(x.Pos())
	return fmt.Sprintf("%s.CallerHere(%q, %d)", support, at.Filename, at.Line)
}
