package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// postponed emits a call that runs later, by defer or go: function, receiver and
// arguments are evaluated now, and what is left is a closure without parameters.
func (e *emitter) postponed(x *ast.CallExpr, list string) (closure, callee string, direct bool) {
	if literal, ok := ast.Unparen(x.Fun).(*ast.FuncLit); ok && len(x.Args) == 0 && e.signatureOf(x.Fun).Results().Len() == 0 {
		captured := e.captured(literal)
		text := e.deferredLiteral(literal, list)
		if len(captured) == 0 {
			return e.apart(text, "func()"), "", true
		}
		var parameters, arguments []string
		for _, v := range captured {
			parameters = append(parameters, e.names[v]+" *"+e.spell(e.typ(v.Type())))
			arguments = append(arguments, e.names[v])
		}
		return fmt.Sprintf("func(%s) func() { return %s }(%s)", strings.Join(parameters, ", "), text, strings.Join(arguments, ", ")), "", true
	}
	p := &postponement{e: e}
	call, direct := p.call(x, list)
	return fmt.Sprintf("func(%s) func() { return func() { %s } }(%s)", strings.Join(p.parameters, ", "), call, strings.Join(p.arguments, ", ")), p.callee, direct
}

// A postponement collects what must be evaluated before the call.
type postponement struct {
	e                     *emitter
	parameters, arguments []string
	callee                string // engine name of the function to call, "" if it is known later
}

// keep evaluates text now and gives the name under which the call finds it later.
func (p *postponement) keep(text string, t types.Type) string {
	name := p.e.temporary("q")
	p.parameters = append(p.parameters, name+" "+p.e.spell(t))
	p.arguments = append(p.arguments, text)
	return name
}

func (p *postponement) call(x *ast.CallExpr, list string) (text string, direct bool) {
	e := p.e
	tv := e.src.info.Types[x.Fun]
	if tv.IsBuiltin() {
		return p.builtin(x), true
	}
	if tv.IsType() {
		panic(refuse(x.Pos(), "a conversion cannot be deferred in cells; call a function"))
	}
	signature := e.signatureOf(x.Fun)
	to, direct := p.target(x.Fun, signature, list)
	if e.u.isFunction(to.callee) {
		p.callee = to.callee
	}
	var arguments []string
	if len(x.Args) == 1 {
		if tuple, ok := e.typeOf(x.Args[0]).(*types.Tuple); ok {
			return p.spread(x, to, signature, tuple), direct
		}
	}
	for i, a := range x.Args {
		t := e.typ(parameter(signature, i, x.Ellipsis.IsValid()))
		name := p.keep(e.convert(a, t), t)
		if x.Ellipsis.IsValid() && i == len(x.Args)-1 {
			name += "..."
		}
		arguments = append(arguments, name)
	}
	if last := signature.Params().Len() - 1; signature.Variadic() && !x.Ellipsis.IsValid() && len(arguments) > last {
		element := e.spell(e.typ(variadicElement(signature.Params().At(last).Type())))
		arguments = append(arguments[:last:last], sliceLiteral(element, arguments[last:])+"...")
	}
	return to.call(strings.Join(to.arguments(signature, arguments), ", ")), direct
}

// spread postpones f(g()) by keeping the results of g in a function.
func (p *postponement) spread(x *ast.CallExpr, to target, signature *types.Signature, tuple *types.Tuple) string {
	e := p.e
	var names, arguments, kinds []string
	for i := 0; i < tuple.Len(); i++ {
		name := e.temporary("q")
		names = append(names, name+" "+e.spell(tuple.At(i).Type()))
		kinds = append(kinds, name)
		arguments = append(arguments, e.convertText(name, tuple.At(i).Type(), e.typ(parameter(signature, i, false))))
	}
	_ = kinds
	text := fmt.Sprintf("func(%s) func() { return func() { %s } }(%s)", strings.Join(names, ", "), to.call(strings.Join(to.arguments(signature, arguments), ", ")), e.x(x.Args[0]))
	thunk := p.keep(text, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	return thunk + "()"
}

// target evaluates the function value or the receiver now.
func (p *postponement) target(fun ast.Expr, signature *types.Signature, list string) (to target, direct bool) {
	e := p.e
	fun = ast.Unparen(fun)
	switch f := fun.(type) {
	case *ast.FuncLit:
		name := p.keep(e.deferredLiteralValue(f, list), signature)
		return target{callee: name, value: true}, true
	case *ast.Ident:
		if to, g := e.named(f); g != nil {
			return to, !e.u.recovers(g)
		}
	case *ast.IndexExpr, *ast.IndexListExpr: // an instance, or an element, which is read now
		if to, g := e.named(fun); g != nil {
			return to, false
		}
	case *ast.SelectorExpr:
		s := e.src.info.Selections[f]
		if s == nil {
			if to, g := e.named(f); g != nil {
				return to, true // compiled code does not recover for us
			}
		} else if s.Kind() == types.MethodVal {
			found, _ := e.selection(f)
			g, ok := found.object.(*types.Func)
			return p.method(f), ok && !e.u.recovers(g) && !isInterface(g.Signature().Recv().Type())
		}
	}
	return target{callee: p.keep(e.x(fun), signature), value: true}, false
}

// isFunction tells whether text is the engine name of a function of cells.
func (u *unit) isFunction(text string) bool {
	return strings.Contains(text, globalMark) && !strings.ContainsAny(text, ".( ")
}

// recovers tells whether a function may call recover itself.
func (u *unit) recovers(f *types.Func) bool {
	if symbol := u.s.symbol(f.Origin(), u.checked); symbol != nil {
		return u.s.recovering[symbol]
	}
	return false
}

// callsRecover tells whether a body calls recover, not counting literals in it.
func callsRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}

// reachesRecover tells whether a body that does not call recover itself holds a literal
// that does, or names a function that does.
func (e *emitter) reachesRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			if literal, ok := n.Call.Fun.(*ast.FuncLit); ok { // it has the list of this function
				found = found || e.reachesRecover(literal.Body)
				return false
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		case *ast.Ident:
			f, ok := e.src.info.Uses[n].(*types.Func)
			found = found || ok && e.u.recovers(f)
		}
		return !found
	})
	return found
}

// method keeps the receiver: a copy of it, or its address.
func (p *postponement) method(x *ast.SelectorExpr) target {
	e := p.e
	found, recv := e.selection(x)
	f := found.object.(*types.Func)
	place, t := e.methodPlace(e.x(x.X), recv, found.index)
	if isInterface(t) {
		return target{callee: p.keep(support+".Live("+place+").("+e.spell(t)+")", t) + "." + e.interfaceMethod(t, f)}
	}
	_, pointer := t.Underlying().(*types.Pointer)
	_, wantsPointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	named := namedOf(t)
	receiver := types.Type(named)
	switch {
	case wantsPointer && !pointer:
		place, receiver = address(place), types.NewPointer(named)
	case wantsPointer:
		receiver = types.NewPointer(named)
	case pointer:
		place = "*" + place
	}
	return e.methodOf(p.keep(place, receiver), receiver, f, []int{0})
}

// builtin postpones a predeclared function.
func (p *postponement) builtin(x *ast.CallExpr) string {
	e := p.e
	name := ""
	if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
		name = id.Name
	}
	switch name {
	case "panic":
		return support + ".Panic(" + p.keep(e.convert(x.Args[0], universeAny), universeAny) + ")"
	case "close", "clear":
		value := p.keep(e.x(x.Args[0]), e.typeOf(x.Args[0]))
		if name == "clear" {
			return support + ".Clear(" + value + ")"
		}
		return "close(" + value + ")"
	case "delete":
		key := coreType(e.typeOf(x.Args[0])).(*types.Map).Key()
		m := coreType(e.typeOf(x.Args[0])).(*types.Map)
		return e.removal(m, p.keep(e.x(x.Args[0]), e.typeOf(x.Args[0])), p.keep(e.convert(x.Args[1], key), key))
	case "print", "println":
		var names []string
		for _, a := range x.Args {
			names = append(names, p.keep(e.convert(a, universeAny), universeAny))
		}
		return support + "." + strings.ToUpper(name[:1]) + name[1:] + "Error(" + strings.Join(names, ", ") + ")"
	case "copy":
		return "copy(" + p.keep(e.x(x.Args[0]), e.typeOf(x.Args[0])) + ", " + p.keep(e.x(x.Args[1]), e.typeOf(x.Args[1])) + ")"
	case "recover":
		// As if this function called it, unless it panics itself.
		return support + ".RecoverLast(" + e.fn.deferredOwner() + ", " + e.recoverList() + ")"
	}
	panic(refuse(x.Pos(), "%s cannot be deferred in cells; put it into a function literal", name))
}

// deferredOwner is the list of deferred calls of the function being emitted.
func (f *function) deferredOwner() string { return f.deferred }

// deferredLiteralValue emits a deferred literal with parameters, with a factory for heap
// variables like any literal.
func (e *emitter) deferredLiteralValue(x *ast.FuncLit, list string) string {
	return e.factory(e.captured(x), x, nil, nil, e.deferredLiteral(x, list))
}

// deferral emits a defer statement.
func (e *emitter) deferral(x *ast.DeferStmt) string {
	list := e.fn.deferredOwner()
	closure, callee, direct := e.postponed(x.Call, list)
	if direct {
		return support + ".Push(" + list + ", " + closure + ")"
	}
	// A named function may call recover itself, so the list must be found at run time.
	return fmt.Sprintf("%s.PushCall(%s, %s, %q)", support, list, closure, callee)
}

// goStatement emits a go statement: the support package starts the goroutine, and guards
// it against panics.
func (e *emitter) goStatement(x *ast.GoStmt) string {
	closure, _, _ := e.postponed(x.Call, "")
	return support + ".Go(" + closure + ")"
}
