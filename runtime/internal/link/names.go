package link

import (
	"go/ast"
	"go/types"
	"weak"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/ir"
)

// A scope resolves names for a builder, for code that was checked at one time. A body may be built
// long after its check, for instance when a later cell needs a new instance. Names in it must then
// be resolved by the old check.
type scope struct {
	*Session
	checked *check.Checked
	code    *code // that is built; nil for statements of cells
}

// FuncRef returns the reference of a function with a body in source.
func (s *scope) FuncRef(f *types.Func, targs []types.Type) *ir.FuncRef {
	ref, known := s.funcRef(f, targs, s.checked)
	if known != nil && s.code != nil && known.ref == nil {
		s.code.keep(known)
	}
	return ref
}

// Global returns the session variable for a variable of a cell, or nil.
func (s *scope) Global(v *types.Var) *ir.Global { return s.globalOf(v, s.checked) }

// symbol returns the symbol of an object of the session, or nil.
func (s *Session) symbol(o types.Object, checked *check.Checked) *check.Symbol {
	if checked == nil {
		checked = s.unit.checked
	}
	if checked == nil || o == nil {
		return nil
	}
	return checked.SymbolOf(o)
}

// globalOf returns the session variable for a variable, or nil. Variables of a call that the cell
// can access take precedence. A variable gets its record at the first use, and its memory when the
// machine compiles that use.
func (s *Session) globalOf(v *types.Var, checked *check.Checked) *ir.Global {
	// The debugger's objects belong to one evaluation and have no symbol.
	if g := s.unit.within[v]; g != nil {
		return g
	}
	if p := s.sourcePackage(v.Pkg()); p != nil {
		return s.packageVariable(p, v)
	}
	symbol := s.symbol(v, checked)
	if symbol == nil || symbol.Kind != check.Variable {
		return nil
	}
	g := s.variables[symbol]
	if g == nil {
		g = &ir.Global{Name: v.Name(), Type: s.substitution(nil)(v.Type())}
		set(s.journal, s.variables, symbol, g)
	}
	return g
}

// dropReplaced forgets the variables whose names a cell has declared anew with another type or
// meaning, so that their values can be collected. Code that still refers to one, such as a
// goroutine or the value of a function, has its address and keeps it alive. It also forgets the
// check of functions that the cell has declared, unless they are generic and can be built again.
func (s *Session) dropReplaced(c *check.Checked) {
	for symbol, old := range s.unit.replaced {
		symbol.Linked = weak.Make(old)
	}
	for symbol := range s.unit.declared {
		if f := functionFor(symbol); f != nil && f.ref != nil {
			f.source = nil
		}
	}
	latest := map[string]*check.Symbol{}
	for _, v := range c.Variables {
		latest[v.Symbol.Name] = v.Symbol
	}
	for _, declared := range c.Declarations {
		if !declared.Again && declared.Symbol.Receiver == nil {
			latest[declared.Symbol.Name] = declared.Symbol
		}
	}
	for symbol := range s.variables {
		if now := latest[symbol.Name]; now != nil && now != symbol {
			delete(s.variables, symbol)
		}
	}
}

// funcRef returns the reference of a function with a body in source, and the function. Both are nil
// for other functions. A compiled instance takes precedence over the source of a generic function,
// because it is faster. f may be a function of the check of any cell. An instance of a method is
// identified by the origin of the method and the type arguments of the receiver.
func (s *Session) funcRef(f *types.Func, targs []types.Type, checked *check.Checked) (*ir.FuncRef, *function) {
	f = f.Origin()
	if _, ok := s.options.compiledInstance(f, targs); ok {
		return nil, nil
	}
	known := s.functionOf(f, checked)
	if known == nil {
		return nil, nil
	}
	// Code of a cell that names a function without a body is refused. In code of packages, whose
	// checked is nil, the call panics when it is reached.
	if src := known.source; checked != nil && src != nil && src.decl.Body == nil && src.library != nil {
		panic(src.library.bodiless(src.decl))
	}
	if known.ref != nil {
		return known.ref, known
	}
	return s.instanceOf(known, f, targs), known
}

// functionOf returns a function declared in a cell or in a package from source, or nil. It panics
// with a refusal if a later cell has broken the function.
func (s *Session) functionOf(f *types.Func, checked *check.Checked) *function {
	// The current check knows the newest declaration of a symbol. The check of the code itself
	// knows symbols that the current cell shadows.
	for _, c := range []*check.Checked{s.unit.checked, checked} {
		if c == nil {
			continue
		}
		if symbol := c.SymbolOf(f); symbol != nil {
			if known := functionFor(symbol); known != nil {
				// A cell that repairs the function declares it, or has it checked again.
				if symbol.Broken != nil && !s.unit.declared[symbol] {
					panic(refuse(0, "%s cannot be used: %v", symbol.Name, symbol.Broken))
				}
				return known
			}
		}
	}
	return s.libraryFunction(f)
}

// functionFor returns the function of a symbol, or nil. It lives as long as the symbol, so that
// code that is built again finds the functions of its own check. A generic function that has been
// replaced lives as long as generic code that uses it: its source leads to its symbol, so that the
// two would keep each other alive.
func functionFor(symbol *check.Symbol) *function {
	switch linked := symbol.Linked.(type) {
	case *function:
		return linked
	case weak.Pointer[function]:
		return linked.Value()
	}
	return nil
}

// declare records the functions of a cell before any is built, so that they can refer to each other
// in any order.
//
// For instance, after func g() int { return 1 } and func h() int { return g() }, a cell that
// declares g again gives it a new reference, and h, which is checked again, is built with it under
// its own reference. A function value that holds the old g keeps it. A cell that declares a method
// of a type again gives the new code to the reference of the method, so all callers have it at
// once.
func (s *Session) declare(c *check.Checked) {
	for _, of := range c.Declarations {
		syntax, ok := of.Syntax.(*ast.FuncDecl)
		if !ok {
			if spec, ok := of.Syntax.(*ast.TypeSpec); ok {
				s.declared(c.Info.Defs[spec.Name].(*types.TypeName))
			}
			continue
		}
		object := c.Info.Defs[syntax.Name].(*types.Func)
		src := &code{decl: syntax, info: c.Info, fset: c.Fset, pkg: s.options.Main, checked: c}
		if recv := object.Signature().Recv(); recv != nil {
			s.methodsChanged(recv.Type())
		}
		s.unit.declared[of.Symbol] = true
		// The symbol of a redeclared function is new, but its name stays.
		key := s.nameOf(of.Symbol)
		old := s.latest[key]
		f := &function{symbol: of.Symbol, source: src}
		if old != nil && old.symbol != of.Symbol && old.ref == nil {
			s.unit.replaced[old.symbol] = old
		}
		assign[any](s.journal, &of.Symbol.Linked, f)
		set(s.journal, s.latest, key, f)
		if isGeneric(object) {
			// Instances of a redeclared function are made again when its callers, which are checked
			// again, request them.
			if (of.Again || of.Symbol.Receiver != nil) && s.keepInstances(f, old) {
				s.unit.follow[of.Symbol] = true
			}
			continue
		}
		f.ref = &ir.FuncRef{Name: functionName(object), Sig: flatSignature(object, s.substitution(nil))}
		// Callers compiled earlier call the new version of a redeclared method, or of a function
		// that is only checked again. They keep calling the old version of a function whose name
		// has been declared anew.
		shared := of.Again || of.Symbol.Receiver != nil
		if before := s.sameFunction(old, f.ref); before != nil && shared {
			assign(s.journal, &before.Sig, f.ref.Sig)
			f.ref = before
			s.unit.follow[of.Symbol] = true
		}
	}
}

// nameOf returns a key that is the same for successive declarations of a function, or of a method
// of a type.
func (s *Session) nameOf(symbol *check.Symbol) any {
	if symbol.Receiver != nil {
		return [2]any{symbol.Receiver, symbol.Name}
	}
	return symbol.Name
}

// sameFunction returns the reference that callers compiled earlier use for a function of this name,
// if the signature is unchanged. Otherwise it returns nil. Keys decide, because the types of two
// checks are different objects.
func (s *Session) sameFunction(old *function, now *ir.FuncRef) *ir.FuncRef {
	if old != nil && old.ref != nil && s.key(old.ref.Sig) == s.key(now.Sig) {
		return old.ref
	}
	return nil
}

// isGeneric reports whether a function has type parameters, of its own or of its receiver.
func isGeneric(f *types.Func) bool {
	return f.Signature().TypeParams().Len() > 0 || f.Signature().RecvTypeParams().Len() > 0
}

// functionName returns the name of a function in stack traces. For instance "main.f",
// "main.(*T).m", "main.Map[...]". gc writes type arguments in stack traces in the same way.
func functionName(f *types.Func) string {
	pkg := "main."
	if f.Pkg() != nil && f.Pkg().Name() != "main" {
		pkg = f.Pkg().Path() + "."
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return pkg + f.Name() + instanceMark(f.Signature().TypeParams())
	}
	t, pointer := types.Unalias(recv.Type()), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, ok := t.(*types.Named)
	if !ok {
		return pkg + f.Name() + instanceMark(f.Signature().TypeParams())
	}
	name := named.Obj().Name() + instanceMark(named.TypeParams())
	if pointer {
		name = "(*" + name + ")"
	}
	return pkg + name + "." + f.Name() + instanceMark(f.Signature().TypeParams())
}

// instanceMark returns the text that represents the type arguments of an instance in stack traces.
func instanceMark(params *types.TypeParamList) string {
	if params.Len() == 0 {
		return ""
	}
	return "[...]"
}

// flatSignature returns the signature of a function with the receiver as the first parameter. In
// the representation a method is an ordinary function.
func flatSignature(f *types.Func, subst func(types.Type) types.Type) *types.Signature {
	sig := f.Signature()
	var params, results []*types.Var
	if recv := sig.Recv(); recv != nil {
		params = append(params, types.NewParam(recv.Pos(), recv.Pkg(), recv.Name(), subst(recv.Type())))
	}
	for v := range sig.Params().Variables() {
		params = append(params, types.NewParam(v.Pos(), v.Pkg(), v.Name(), subst(v.Type())))
	}
	for v := range sig.Results().Variables() {
		results = append(results, types.NewParam(v.Pos(), v.Pkg(), v.Name(), subst(v.Type())))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), sig.Variadic())
}

// holdInterfaces reports whether an interface value may be reachable from a session variable. It
// looks at types alone, so it may be wrong in one direction: a variable that could hold an
// interface value need not hold one.
func (s *Session) holdInterfaces() bool {
	seen := map[types.Type]bool{}
	for _, g := range s.variables {
		if g.Address != nil && holdsInterface(g.Type, seen) {
			return true
		}
	}
	return false
}

// holdsInterface reports whether an interface value may be reachable from a value of a type. A
// function counts, because it may have captured anything. seen ends the recursion of recursive
// types.
func holdsInterface(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	case *types.Pointer:
		return holdsInterface(t.Elem(), seen)
	case *types.Slice:
		return holdsInterface(t.Elem(), seen)
	case *types.Array:
		return holdsInterface(t.Elem(), seen)
	case *types.Chan:
		return holdsInterface(t.Elem(), seen)
	case *types.Map:
		return holdsInterface(t.Key(), seen) || holdsInterface(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if holdsInterface(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
