package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// selector builds x.f in all its meanings, as a value.
func (b *builder) selector(e *ast.SelectorExpr) ir.Expr { return b.selectorAs(e, nil) }

// selectorAs builds x.f as a value of type t, or of the type of x.f if t is nil. Type arguments
// that follow x.f determine t for a method with type parameters.
func (b *builder) selectorAs(e *ast.SelectorExpr, t types.Type) ir.Expr {
	if t == nil {
		t = functionType(b, e, e.Sel)
	}
	selection := b.info.Selections[e]
	if selection == nil { // qualified identifier of a package
		switch o := b.info.Uses[e.Sel].(type) {
		case *types.Var:
			return b.global(o, e.Pos())
		case *types.Func:
			return b.funcValue(o, b.instanceArgs(e.Sel), functionType(b, e, e.Sel), e.Pos())
		}
		unsupported(e.Pos(), "%s cannot be used here", e.Sel.Name)
	}
	if selection.Kind() == types.MethodExpr {
		return b.methodExpr(e, t)
	}
	x := b.expr(e.X)
	o, path := b.lookup(b.info.TypeOf(e.X), selection)
	if _, ok := o.(*types.Var); ok {
		return b.fieldPath(x, path, e.Sel.Pos())
	}
	m := b.method(x, selected{o.(*types.Func), path, b.instanceArgs(e.Sel)}, e.Pos())
	// The receiver is evaluated immediately. For instance, t.Set becomes bind main.(*T).Set{&t}.
	return &ir.Bind{Typed: ir.Typed{T: t, P: e.Pos()}, Ref: m.ref, Recv: m.recv, Method: m.call}
}

// lookup returns the field or method that a selector of an operand of a type denotes, and the path
// of fields to it. The selection of the checker decides, except in an instance of generic code,
// where the type of the operand depends on type arguments: there the selection of the generic body
// may lead elsewhere.
//
// The type must be that of the check. That of a built operand would be wrong: a type whose methods
// change has a new object in each check.
func (b *Builder) lookup(t types.Type, s *types.Selection) (types.Object, []int) {
	made := b.substitute(t)
	if made == t || types.Identical(made, t) {
		return s.Obj(), s.Index()
	}
	// true means addressable, which includes methods with a pointer receiver: the checker has
	// verified the selection.
	o, path, _ := types.LookupFieldOrMethod(made, true, s.Obj().Pkg(), s.Obj().Name())
	if o == nil {
		return s.Obj(), s.Index()
	}
	return o, path
}

// fieldPath selects a field through embedded fields. For instance, o.N with N promoted through
// Middle and *Inner becomes (*o.Middle.Inner).N.
//
// Each pointer on the way becomes a Deref of its own, so that a nil one panics at its field, as in
// compiled Go.
func (b *builder) fieldPath(x ir.Expr, path []int, pos token.Pos) ir.Expr {
	for _, i := range path {
		x = b.field(x, i, pos)
	}
	return x
}

// field selects a field of a struct, or of the struct that a pointer refers to.
func (b *builder) field(x ir.Expr, i int, pos token.Pos) ir.Expr {
	t := x.Type()
	if p, ok := ir.Under(t).(*types.Pointer); ok {
		t = p.Elem()
		x = &ir.Deref{Typed: ir.Typed{T: t, P: pos}, X: x}
	}
	f := ir.Under(t).(*types.Struct).Field(i)
	return &ir.Field{Typed: ir.Typed{T: f.Type(), P: pos}, X: x, Index: i}
}

// A selected is a method that a selector denotes.
type selected struct {
	f     *types.Func
	path  []int        // through embedded fields; the last element is that of the method
	targs []types.Type // of a method with type parameters of its own
}

// A method describes a method for a call or a method value.
type method struct {
	ref  *ir.FuncRef    // if the method has a body in source
	call *ir.MethodCall // otherwise: a method of a compiled type or an interface
	recv ir.Expr        // for ref: the receiver in the form that the method takes
}

// method resolves a method through embedded fields and adjusts the receiver.
//
// For instance, d.Inc() with d of type *Derived, which embeds Base, becomes
//
//	call main.(*Base).Inc(&(*d).Base)
func (b *builder) method(x ir.Expr, s selected, pos token.Pos) method {
	f := s.f
	x = b.fieldPath(x, s.path[:len(s.path)-1], pos)
	t := x.Type()
	if ir.IsInterface(t) {
		return method{call: &ir.MethodCall{Recv: x, Func: f}}
	}
	recv := f.Signature().Recv().Type()
	switch wantPointer, have := ir.IsPointer(recv), ir.IsPointer(t); {
	// The receiver is addressable here, and usage has given its variable a heap cell.
	case wantPointer && !have:
		x = addr(x, types.NewPointer(t), pos)
	// A value method called with a pointer copies the value, and panics for a nil pointer.
	case !wantPointer && have && !isNamedPointer(t):
		x = &ir.Deref{Typed: ir.Typed{T: ir.Under(t).(*types.Pointer).Elem(), P: pos}, X: x}
	}
	if ref := b.methodRef(x.Type(), s); ref != nil {
		return method{ref: ref, recv: x}
	}
	if len(s.targs) > 0 {
		unsupported(pos, "%s.%s has type parameters, and gosphere holds no source of it; write the function yourself, or a package around it without type parameters (docs/modules.md)",
			f.Pkg().Name(), f.Name())
	}
	return method{call: &ir.MethodCall{Recv: x, Func: f}}
}

func isNamedPointer(t types.Type) bool {
	_, named := types.Unalias(t).(*types.Named)
	return named
}

// methodRef returns the reference of a method with a body in source, or nil. The receiver's type
// arguments identify the instance, followed by those of the method.
func (b *builder) methodRef(recv types.Type, s selected) *ir.FuncRef {
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	var targs []types.Type
	if named, ok := types.Unalias(recv).(*types.Named); ok {
		for t := range named.TypeArgs().Types() {
			targs = append(targs, t)
		}
	}
	return b.env.FuncRef(s.f.Origin(), append(targs, s.targs...))
}

// methodExpr builds a method expression of type t, which is a function with the receiver as its
// first parameter.
//
// For instance, T.Get, (*T).Set and fmt.Stringer.String become
//
//	func main.(T).Get
//	func main.(*T).Set
//	literal main.f.func1{}
func (b *builder) methodExpr(e *ast.SelectorExpr, t types.Type) ir.Expr {
	selection := b.info.Selections[e]
	recv := b.substitute(selection.Recv())
	o, path := b.lookup(selection.Recv(), selection)
	s := selected{o.(*types.Func), path, b.instanceArgs(e.Sel)}
	// The method is already a function with this receiver as its first parameter.
	if len(path) == 1 && !ir.IsInterface(recv) && ir.IsPointer(s.f.Signature().Recv().Type()) == ir.IsPointer(recv) {
		if ref := b.methodRef(recv, s); ref != nil {
			return &ir.FuncExpr{Typed: ir.Typed{T: t, P: e.Pos()}, Ref: ref}
		}
	}
	return b.methodLiteral(recv, s, t, e.Pos())
}

// methodLiteral builds a function literal that calls a method of its first parameter. For instance,
// fmt.Stringer.String becomes a literal with the statement return call dynamic $0.String().
func (b *builder) methodLiteral(recv types.Type, s selected, t types.Type, pos token.Pos) ir.Expr {
	in := b.Builder.newBuilder(b, b.literalName(methodWrapper), pos, pos)
	sig := ir.Under(t).(*types.Signature)
	in.wrapper(recv, sig, s, pos)
	return &ir.FuncLit{Typed: ir.Typed{T: t, P: pos}, Func: in.fn}
}

// wrapper fills in a function that takes a receiver and the parameters of a method, and calls the
// method.
func (b *builder) wrapper(recv types.Type, sig *types.Signature, s selected, pos token.Pos) {
	f, path := s.f, s.path
	for v := range sig.Params().Variables() {
		l := b.newLocal(v.Name(), v.Type(), pos)
		b.fn.Params = append(b.fn.Params, l)
	}
	for v := range sig.Results().Variables() {
		b.fn.Results = append(b.fn.Results, b.newLocal("", v.Type(), pos))
	}
	b.fn.Sig, b.fn.Wrapper = sig, true
	// A pointer method promoted through an embedded value needs the address of that part, hence a
	// heap cell for the whole receiver.
	receiver := b.fn.Params[0]
	if f.Signature().Recv() != nil && !ir.IsInterface(recv) && !ir.IsPointer(recv) {
		receiver.Boxed = b.wantsAddress(recv, f, path)
	}
	b.fn.Body = b.block(pos, func() {
		b.checkReceiver(receiver, f, path, pos)
		m := b.method(ir.Use(receiver), s, pos)
		call := &ir.Call{Typed: ir.Typed{T: ir.ResultType(sig), P: pos}, Ref: m.ref, Method: m.call}
		if m.ref != nil {
			call.Args = append(call.Args, m.recv)
		}
		for _, l := range b.fn.Params[1:] {
			call.Args = append(call.Args, ir.Use(l))
		}
		if sig.Results().Len() == 0 {
			b.add(&ir.Eval{At: ir.At{P: pos}, X: call})
			return
		}
		b.add(&ir.Return{At: ir.At{P: pos}, Values: []ir.Expr{call}})
	})
}

// wantsAddress reports whether calling a method of a value takes the address of a part of the
// value.
func (b *builder) wantsAddress(recv types.Type, f *types.Func, path []int) bool {
	t := recv
	for _, i := range path[:len(path)-1] {
		if p, ok := ir.Under(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		t = ir.Under(t).(*types.Struct).Field(i).Type()
		// A pointer on the path leads to memory that has an address.
		if ir.IsPointer(t) {
			return false
		}
	}
	return !ir.IsInterface(t) && ir.IsPointer(f.Signature().Recv().Type())
}

// Wrapper builds a function that calls the method f of a receiver, through the embedded fields on
// path. The first parameter of the function is a receiver of type recv.
func (b *Builder) Wrapper(recv types.Type, f *types.Func, path []int, ref *ir.FuncRef) (fn *ir.Func, err error) {
	defer rescue(&err)
	in := b.newBuilder(nil, ref.Name, token.NoPos, token.NoPos)
	in.fn.Ref = ref
	// A wrapper has no syntax. The nil maps of the empty usage can be read.
	in.usage = &usage{}
	in.wrapper(recv, ref.Sig, selected{f: f, path: path}, token.NoPos)
	return in.fn, nil
}

// checkReceiver builds a check that panics with Go's message if a value method is called through a
// nil pointer in an interface value. gc calls runtime.panicwrap in the wrappers that it generates,
// for the same case.
func (b *builder) checkReceiver(receiver *ir.Local, f *types.Func, path []int, pos token.Pos) {
	p, ok := receiver.Type.(*types.Pointer)
	if !ok || len(path) != 1 || ir.IsPointer(f.Signature().Recv().Type()) || ir.IsInterface(p.Elem()) {
		return
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok {
		return
	}
	name := named.Obj().Name()
	text := "value method " + named.Obj().Pkg().Path() + "." + name + "." + f.Name() + " called using nil *" + name + " pointer"
	cond := &ir.Compare{Typed: ir.Typed{T: types.Typ[types.Bool], P: pos}, Op: token.EQL, X: ir.Use(receiver), Y: ir.ZeroOf(receiver.Type, pos)}
	b.add(&ir.If{At: ir.At{P: pos}, Cond: cond, Then: b.block(pos, func() {
		message := &ir.Const{Typed: ir.Typed{T: types.Typ[types.String], P: pos}, Value: constant.MakeString(text)}
		b.add(&ir.Eval{At: ir.At{P: pos}, X: &ir.Builtin{Typed: ir.Typed{T: types.NewTuple(), P: pos}, Name: "plainError", Args: []ir.Expr{message}}})
	}), Else: nil})
}
