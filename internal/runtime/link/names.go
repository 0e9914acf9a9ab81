package link

import (
	"go/ast"
	"go/types"

	"gosphere/internal/runtime/build"
	"gosphere/internal/runtime/check"
	"gosphere/internal/runtime/ir"
)

// A scope resolves names for a builder, for code that was checked at one time.
type scope struct {
	*Session
	checked *check.Checked
}

// FuncRef returns the reference of a function with a body in source.
func (s *scope) FuncRef(f *types.Func, targs []types.Type) *ir.FuncRef {
	return s.Session.funcRef(f, targs, s.checked)
}

// Global returns the session variable for a variable of a cell, or nil.
func (s *scope) Global(v *types.Var) *ir.Global { return s.Session.globalOf(v, s.checked) }

// FuncRef returns the reference of a function with a body in source, as seen by the current cell.
func (s *Session) FuncRef(f *types.Func, targs []types.Type) *ir.FuncRef {
	return s.funcRef(f, targs, s.unit.checked)
}

// Global returns the session variable for a variable of the current cell, or nil.
func (s *Session) Global(v *types.Var) *ir.Global { return s.globalOf(v, s.unit.checked) }

// symbol returns the symbol of an object of the session, or nil.
func (s *Session) symbol(o types.Object, checked *check.Checked) *check.Symbol {
	if checked == nil && s.unit != nil {
		checked = s.unit.checked
	}
	if checked == nil || o == nil {
		return nil
	}
	return checked.SymbolOf(o)
}

// globalOf returns the session variable for a variable, or nil. Variables of a call that the cell
// can access take precedence.
func (s *Session) globalOf(v *types.Var, checked *check.Checked) *ir.Global {
	if s.unit != nil && s.unit.within[v] != nil {
		return s.unit.within[v]
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
		set(s, s.variables, symbol, g)
	}
	return g
}

// funcRef returns the reference of a function with a body in source, or nil. A compiled instance
// takes precedence over the source of a generic function, because it is faster.
func (s *Session) funcRef(f *types.Func, targs []types.Type, checked *check.Checked) *ir.FuncRef {
	f = f.Origin()
	if s.hasInstance(f, targs) {
		return nil
	}
	known := s.functionOf(f, checked)
	if known == nil {
		return nil
	}
	if src := known.source; checked != nil && src.decl.Body == nil && src.library != nil {
		panic(src.library.bodiless(src.decl))
	}
	if known.ref != nil {
		return known.ref
	}
	return s.instanceOf(known, f, targs)
}

// functionOf returns a function declared in a cell or in a package from source, or nil. It panics
// with a refusal if a later cell has broken the function.
func (s *Session) functionOf(f *types.Func, checked *check.Checked) *function {
	for _, c := range []*check.Checked{s.checkedNow(), checked} {
		if c == nil {
			continue
		}
		if symbol := c.SymbolOf(f); symbol != nil {
			if known := s.functions[symbol]; known != nil {
				if symbol.Broken != nil && !s.unit.declared[symbol] {
					panic(refuse(0, "%s cannot be used: %v", symbol.Name, symbol.Broken))
				}
				return known
			}
		}
	}
	return s.libraryFunction(f)
}

// checkedNow returns the check of the current cell, or nil between cells.
func (s *Session) checkedNow() *check.Checked {
	if s.unit == nil {
		return nil
	}
	return s.unit.checked
}

// instanceOf returns the reference of an instance. A new instance is queued for building.
func (s *Session) instanceOf(f *function, object *types.Func, targs []types.Type) *ir.FuncRef {
	for _, i := range f.instances {
		if sameTypes(i.targs, targs) {
			return i.ref
		}
	}
	i := &instance{targs: targs, ref: &ir.FuncRef{Name: functionName(object)}}
	assign(s, &f.instances, append(f.instances, i))
	s.buildInstance(f, i)
	return i.ref
}

func sameTypes(a, b []types.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !types.Identical(a[i], b[i]) {
			return false
		}
	}
	return true
}

// buildInstance queues an instance for building.
func (s *Session) buildInstance(f *function, i *instance) {
	env := s.environmentOf(f, i)
	assign(s, &i.ref.Sig, s.instanceSignature(f, i))
	s.unit.queue = append(s.unit.queue, func() error { return s.build(f.source, i.ref, env) })
}

// instanceSignature returns the signature of an instance, with the receiver as the first parameter.
func (s *Session) instanceSignature(f *function, i *instance) *types.Signature {
	object := f.source.info.Defs[f.source.decl.Name].(*types.Func)
	return s.flatSignature(object, s.substitution(s.environmentOf(f, i)))
}

// environmentOf returns the environment that maps the type parameters of a generic function to the
// type arguments of an instance.
func (s *Session) environmentOf(f *function, i *instance) *environment {
	env := &environment{arguments: map[*types.TypeParam]types.Type{}, list: i.targs, scope: f.source.info.Scopes[f.source.decl.Type]}
	env.key = s.universe.keys(i.targs)
	parameters := typeParams(f)
	for n := range parameters.Len() {
		env.arguments[parameters.At(n)] = i.targs[n]
	}
	return env
}

// typeParams returns the type parameters of a function, or those of a method's receiver.
func typeParams(f *function) *types.TypeParamList {
	object := f.source.info.Defs[f.source.decl.Name].(*types.Func)
	if object.Signature().Recv() != nil {
		return object.Signature().RecvTypeParams()
	}
	return object.Signature().TypeParams()
}

// rebuildInstances queues all instances for building, because run-time types have changed.
func (s *Session) rebuildInstances() {
	for _, f := range s.latest {
		for _, i := range f.instances {
			s.buildInstance(f, i)
		}
	}
}

// flatSignature returns the signature of a function with the receiver as the first parameter.
func (s *Session) flatSignature(f *types.Func, subst func(types.Type) types.Type) *types.Signature {
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

// declare records the functions of a cell before any is built, so that they can refer to each other
// in any order.
func (s *Session) declare(c *check.Checked) {
	for _, d := range c.Declarations {
		syntax, ok := d.Syntax.(*ast.FuncDecl)
		if !ok {
			if spec, ok := d.Syntax.(*ast.TypeSpec); ok {
				s.universe.declared(c.Info.Defs[spec.Name].(*types.TypeName))
			}
			continue
		}
		object := c.Info.Defs[syntax.Name].(*types.Func)
		src := &code{decl: syntax, info: c.Info, fset: c.Fset, pkg: s.options.Main, checked: c}
		if recv := object.Signature().Recv(); recv != nil {
			s.universe.methodsChanged(recv.Type())
		}
		s.unit.declared[d.Symbol] = true
		key := s.nameOf(d.Symbol)
		old := s.latest[key]
		f := &function{source: src}
		set[any](s, s.functions, d.Symbol, f)
		set(s, s.latest, key, f)
		if isGeneric(object) {
			if d.Again || d.Symbol.Receiver != nil {
				s.keepInstances(f, old)
			}
			continue
		}
		f.ref = &ir.FuncRef{Name: functionName(object), Sig: s.flatSignature(object, s.substitution(nil))}
		// Callers compiled earlier call the new version of a redeclared method, or of a function
		// that is only checked again. They keep calling the old version of a function whose name
		// has been declared anew.
		shared := d.Again || d.Symbol.Receiver != nil
		if before := sameFunction(old, f.ref); before != nil && shared {
			assign(s, &before.Sig, f.ref.Sig)
			f.ref = before
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

// keepInstances rebuilds the instances of a redeclared generic function, so that code compiled
// earlier calls the new version.
func (s *Session) keepInstances(f, old *function) {
	if old == nil || old.ref != nil {
		return
	}
	for _, i := range old.instances {
		if typeParams(f).Len() == len(i.targs) && types.Identical(s.instanceSignature(f, i), i.ref.Sig) {
			f.instances = append(f.instances, i)
			s.buildInstance(f, i)
		}
	}
}

// sameFunction returns the reference that callers compiled earlier use for a function of this name,
// if the signature is unchanged. Otherwise it returns nil.
func sameFunction(old *function, now *ir.FuncRef) *ir.FuncRef {
	if old != nil && old.ref != nil && types.Identical(old.ref.Sig, now.Sig) {
		return old.ref
	}
	return nil
}

func isGeneric(f *types.Func) bool {
	return f.Signature().TypeParams().Len() > 0 || f.Signature().RecvTypeParams().Len() > 0
}

// functionName returns the name of a function in stack traces.
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
		return pkg + f.Name()
	}
	name := named.Obj().Name() + instanceMark(named.TypeParams())
	if pointer {
		name = "(*" + name + ")"
	}
	return pkg + name + "." + f.Name()
}

// instanceMark returns the text that represents the type arguments of an instance in stack traces.
func instanceMark(params *types.TypeParamList) string {
	if params.Len() == 0 {
		return ""
	}
	return "[...]"
}

// Wrapper returns the reference of a function that calls a method through embedded fields.
func (s *Session) Wrapper(recv types.Type, sel *types.Selection) *ir.FuncRef {
	return s.wrapper(recv, sel.Obj().(*types.Func), sel.Index())
}

// wrapper builds a function whose first parameter is a receiver of type recv. It calls the method f
// through the embedded fields on path.
func (s *Session) wrapper(recv types.Type, f *types.Func, path []int) *ir.FuncRef {
	sig := f.Signature()
	subst := s.substitution(nil)
	params := []*types.Var{types.NewParam(0, nil, "", recv)}
	for v := range sig.Params().Variables() {
		params = append(params, types.NewParam(0, nil, "", subst(v.Type())))
	}
	var results []*types.Var
	for v := range sig.Results().Variables() {
		results = append(results, types.NewParam(0, nil, "", subst(v.Type())))
	}
	flat := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), sig.Variadic())
	ref := &ir.FuncRef{Name: "main." + f.Name(), Sig: flat}
	b := build.NewBuilder(s, &types.Info{}, nil, s.options.Main)
	b.Subst = subst
	fn, err := b.Wrapper(recv, f, path, ref)
	if err != nil {
		panic(converted(err))
	}
	s.unit.program.Funcs = append(s.unit.program.Funcs, fn)
	return ref
}
