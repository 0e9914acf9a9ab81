package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"gosphere/runtime/realtype"
)

// The interpreter lays out a recursive type only if the recursion is a plain pointer in a
// struct field, and then with a placeholder inside, which is not the same type everywhere.
// So the layout type of every recursive type is made by realtype, and the interpreter gets
// it as a compiled type.

// forge makes the layout type of a recursive type. Its parts are completed before
// functions are evaluated.
func (s *Session) forge(u *unit, r *record) {
	if r.forged != nil {
		return
	}
	forged, err := realtype.DeclareLayout(r.path, r.id, u.shape(r.underlying(), 0))
	if err != nil {
		panic(refuse(token.NoPos, "type %s: %v", r.display, err))
	}
	r.forged = forged
	s.undo = append(s.undo, func() { r.forged = nil })
	u.unfinished = append(u.unfinished, r)
	s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{r.layoutName(): reflect.Zero(reflect.PointerTo(forged.Layout()))})
}

// channel emits the channel of an operation. The interpreter knows a recursive channel type
// as a compiled type, which it does not take for a channel; so it is with channels in recursive types.
func (e *emitter) channel(x ast.Expr) string {
	text := e.x(x)
	if !e.foreign(x) {
		return text
	}
	c := coreType(e.typeOf(x)).(*types.Chan)
	return "(" + e.converter(types.NewChan(c.Dir(), c.Elem())) + "(" + text + "))"
}

// shape is a type with the memory layout of t that says nothing about other cell types.
// At depth 0 it has also the kind of t.
func (u *unit) shape(t types.Type, depth int) reflect.Type {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return basicTypes[t.Kind()]
	case *types.Pointer:
		return reflect.TypeFor[*byte]()
	case *types.Slice:
		return reflect.TypeFor[[]*byte]()
	case *types.Map:
		if depth > 0 {
			return reflect.TypeFor[map[int]int]()
		}
		return reflect.MapOf(u.shape(t.Key(), 1), u.shape(t.Elem(), 1))
	case *types.Chan:
		if depth > 0 {
			return reflect.TypeFor[chan int]()
		}
		return reflect.ChanOf(channelDirection[t.Dir()], u.shape(t.Elem(), 1))
	case *types.Signature:
		if depth > 0 {
			return reflect.TypeFor[func()]()
		}
		return u.signatureShape(t)
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), u.shape(t.Elem(), 1))
	case *types.Interface:
		if t.Empty() {
			return anyType
		}
		return errorType
	case *types.Struct:
		var fields []reflect.StructField
		for i := 0; i < t.NumFields(); i++ {
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: u.shape(t.Field(i).Type(), 1)})
		}
		return reflect.StructOf(fields)
	}
	panic(fmt.Sprintf("no shape for a %T", t))
}

func (u *unit) signatureShape(t *types.Signature) reflect.Type {
	var in, out []reflect.Type
	for i := 0; i < t.Params().Len(); i++ {
		if t.Variadic() && i == t.Params().Len()-1 {
			in = append(in, reflect.TypeFor[[]*byte]())
			continue
		}
		in = append(in, u.shape(t.Params().At(i).Type(), 1))
	}
	for i := 0; i < t.Results().Len(); i++ {
		out = append(out, u.shape(t.Results().At(i).Type(), 1))
	}
	return reflect.FuncOf(in, out, t.Variadic())
}

// finishLayouts completes the layout types made so far.
func (u *unit) finishLayouts() {
	for len(u.unfinished) > 0 {
		r := u.unfinished[0]
		u.unfinished = u.unfinished[1:]
		switch t := r.underlying().(type) {
		case *types.Struct:
			var fields []realtype.Field
			for i := 0; i < t.NumFields(); i++ {
				fields = append(fields, realtype.Field{Name: fieldName(t.Field(i).Name(), i), Type: u.layout(t.Field(i).Type())})
			}
			r.forged.CompleteStruct(fields)
		case *types.Slice:
			r.forged.CompleteElem(u.layout(t.Elem()))
		case *types.Array:
			r.forged.CompleteElem(u.layout(t.Elem()))
		case *types.Pointer:
			r.forged.CompleteElem(u.layout(t.Elem()))
		case *types.Chan:
			r.forged.CompleteElem(u.layout(t.Elem()))
		case *types.Map:
			r.forged.CompleteKey(u.layout(t.Key()))
			r.forged.CompleteElem(u.layout(t.Elem()))
		case *types.Signature:
			r.forged.CompleteFunc(u.layoutSignature(t))
		}
	}
}

func (u *unit) layoutSignature(t *types.Signature) reflect.Type {
	var in, out []reflect.Type
	for i := 0; i < t.Params().Len(); i++ {
		in = append(in, u.layout(t.Params().At(i).Type()))
	}
	for i := 0; i < t.Results().Len(); i++ {
		out = append(out, u.layout(t.Results().At(i).Type()))
	}
	return reflect.FuncOf(in, out, t.Variadic())
}
