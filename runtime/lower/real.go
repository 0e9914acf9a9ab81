package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"hash/fnv"
	"reflect"
	"strings"

	"gosphere/runtime/realtype"
)

var (
	anyType     = reflect.TypeFor[any]()
	errorType   = reflect.TypeFor[error]()
	pointerType = reflect.TypeOf(reflect.Value.UnsafePointer).Out(0)
)

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.UnsafePointer: pointerType,
}

var channelDirection = map[types.ChanDir]reflect.ChanDir{
	types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir,
}

// descriptor names the descriptor of t in emitted code. The descriptor is empty until the
// unit is evaluated, so the order in which types and functions are emitted is free.
func (u *unit) descriptor(t types.Type) string { return cells + "." + u.describe(t).name }

func (u *unit) describe(t types.Type) *descriptor {
	key := u.s.key(u, t)
	d := u.s.descriptors[key]
	if d == nil {
		d = &descriptor{name: "D" + localMark + strings.TrimPrefix(u.s.global(""), globalMark), typ: t, value: realtype.NewDescriptor()}
		u.s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{d.name: reflect.ValueOf(d.value)})
		set(u.s, u.s.descriptors, key, d)
	}
	if !d.filled {
		u.descriptors = append(u.descriptors, d)
	}
	return d
}

// layout asks the interpreter for the type it uses.
func (u *unit) layout(t types.Type) reflect.Type {
	text := u.spell(t)
	if l, ok := u.s.layouts[text]; ok {
		return l
	}
	u.declareTypes()
	u.s.collected = nil
	if _, err := u.s.engine.Eval(fmt.Sprintf("%s.Collect((*%s)(nil))", support, text)); err != nil {
		panic(fmt.Sprintf("layout of %s: %v", text, err))
	}
	l := reflect.TypeOf(u.s.collected[0]).Elem()
	u.s.layouts[text] = l
	return l
}

// real is the type that interface values of static type t hold.
func (u *unit) real(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if d, ok := types.Default(t).(*types.Basic); ok {
			return basicTypes[d.Kind()]
		}
	case *types.Named:
		return u.realNamed(t)
	case *types.Pointer:
		return reflect.PointerTo(u.real(t.Elem()))
	case *types.Slice:
		return reflect.SliceOf(u.real(t.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), u.real(t.Elem()))
	case *types.Map:
		return reflect.MapOf(u.real(t.Key()), u.real(t.Elem()))
	case *types.Chan:
		return reflect.ChanOf(channelDirection[t.Dir()], u.real(t.Elem()))
	case *types.Signature:
		return u.realSignature(t)
	case *types.Interface:
		if t.Empty() {
			return anyType
		}
		return u.s.unnamedInterface(u, t).declareInterface(u).Real()
	case *types.Struct:
		if !u.s.boxed(t) {
			return u.layout(t)
		}
		return u.realStruct(t)
	}
	panic(fmt.Sprintf("no real type for a %T", t))
}

func (u *unit) realNamed(t *types.Named) reflect.Type {
	if u.s.ours(t) {
		return u.realRecord(u.s.record(u, t)).Real()
	}
	o := t.Obj()
	if o.Pkg() == nil {
		return errorType
	}
	symbol, found := u.s.options.Compiled(o.Pkg().Path(), u.s.compiledName(t))
	if found && symbol.Kind() == reflect.Pointer {
		return symbol.Type().Elem()
	}
	if n := u.s.unnamedType(t); n != nil {
		return n.is
	}
	panic(missing(token.NoPos, o))
}

func (u *unit) realSignature(t *types.Signature) reflect.Type {
	var in, out []reflect.Type
	for i := 0; i < t.Params().Len(); i++ {
		in = append(in, u.real(t.Params().At(i).Type()))
	}
	for i := 0; i < t.Results().Len(); i++ {
		out = append(out, u.real(t.Results().At(i).Type()))
	}
	return reflect.FuncOf(in, out, t.Variadic())
}

func (u *unit) fields(t *types.Struct) []realtype.Field {
	var fields []realtype.Field
	for i := 0; i < t.NumFields(); i++ {
		f := t.Field(i)
		fields = append(fields, realtype.Field{Name: f.Name(), Tag: t.Tag(i), Embedded: f.Embedded(), Type: u.real(f.Type())})
	}
	return fields
}

// realStruct is the real type of an unnamed struct. One that embeds has the promoted
// methods, so it needs a record like a named type.
func (u *unit) realStruct(t *types.Struct) reflect.Type {
	key := ""
	if types.NewMethodSet(types.NewPointer(t)).Len() > 0 {
		key = u.s.key(u, t)
		if r := u.s.records[key]; r != nil && r.real != nil {
			return r.real.Real()
		}
	}
	real, err := realtype.UnnamedStruct(u.layout(t), u.fields(t))
	if err != nil {
		panic(refuse(token.NoPos, "%v", err))
	}
	if key != "" {
		r := u.s.records[key]
		if r == nil {
			r = u.s.addRecord(key, &record{display: "struct", path: "main", typ: t})
		}
		r.real, r.complete = real, true
		u.s.undo = append(u.s.undo, func() { r.real, r.methods = nil, "" })
		u.methodTables = append(u.methodTables, r)
		u.s.real = append(u.s.real, r)
	}
	return real.Real()
}

// realRecord declares the real type of a record. Its parts are completed later, because
// they may mention the type itself.
func (u *unit) realRecord(r *record) *realtype.Type {
	if isInterface(r.typ) {
		return r.declareInterface(u)
	}
	if r.real != nil {
		return r.real
	}
	real, err := realtype.DeclareLarge(r.path, r.display, u.layout(r.typ), types.NewMethodSet(types.NewPointer(r.typ)).Len())
	if err != nil {
		panic(refuse(token.NoPos, "type %s: %v", r.display, err))
	}
	r.real = real
	u.s.undo = append(u.s.undo, func() { r.real, r.complete = nil, false })
	u.incomplete = append(u.incomplete, r)
	u.methodTables = append(u.methodTables, r)
	u.s.real = append(u.s.real, r)
	return real
}

// complete fills in the parts of declared real types until none is left.
func (u *unit) complete() {
	u.finishLayouts()
	defer u.finishLayouts()
	for len(u.incomplete) > 0 {
		r := u.incomplete[0]
		u.incomplete = u.incomplete[1:]
		if r.complete {
			continue
		}
		r.complete = true
		switch t := r.underlying().(type) {
		case *types.Struct:
			r.real.CompleteStruct(u.fields(t))
		case *types.Slice:
			r.real.CompleteElem(u.real(t.Elem()))
		case *types.Array:
			r.real.CompleteElem(u.real(t.Elem()))
		case *types.Pointer:
			r.real.CompleteElem(u.real(t.Elem()))
		case *types.Chan:
			r.real.CompleteElem(u.real(t.Elem()))
		case *types.Map:
			r.real.CompleteKey(u.real(t.Key()))
			r.real.CompleteElem(u.real(t.Elem()))
		case *types.Signature:
			r.real.CompleteFunc(u.realSignature(t))
		case *types.Interface:
			u.completeInterface(r, t)
		}
	}
}

// declareInterface makes the real type of an interface declared in a cell and exports it:
// the interpreter treats it like any compiled interface.
func (r *record) declareInterface(u *unit) *realtype.Type {
	if r.real != nil {
		return r.real
	}
	path, name := r.path, r.display
	if t, unnamed := r.typ.(*types.Interface); unnamed {
		path, name = "", u.interfaceText(t)
	}
	real, err := realtype.DeclareInterface(path, name)
	if err != nil {
		panic(refuse(token.NoPos, "type %s: %v", r.display, err))
	}
	r.real = real
	u.s.undo = append(u.s.undo, func() { r.real, r.complete = nil, false })
	u.incomplete = append(u.incomplete, r)
	u.s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{r.layoutName(): reflect.Zero(reflect.PointerTo(real.Real()))})
	return real
}

// interfaceText is the text of an unnamed interface type as the compiler writes it. It needs no real types of cells, because
// the interface may stand in a type that its methods mention.
func (u *unit) interfaceText(t *types.Interface) string {
	name := func(t *types.Named) string {
		if u.s.ours(t) {
			r := u.s.record(u, t)
			return realtype.Text(r.path, r.display)
		}
		return u.realNamed(t).String()
	}
	method := func(m *types.Func) string {
		if m.Exported() {
			return m.Name()
		}
		return m.Pkg().Name() + "." + m.Name()
	}
	field := func(f *types.Var) string {
		if f.Embedded() {
			return ""
		}
		return f.Name() + " "
	}
	return typeText{name, method, field}.spell(t)
}

func (u *unit) completeInterface(r *record, t *types.Interface) {
	var methods []realtype.InterfaceMethod
	for i := 0; i < t.NumMethods(); i++ {
		m := t.Method(i)
		signature := plain(m.Type().(*types.Signature))
		method := realtype.InterfaceMethod{Name: u.methodName(m)}
		if u.s.boxed(signature) {
			method.Type = u.layout(signature)
		} else {
			method.Type = u.real(signature)
		}
		methods = append(methods, method)
	}
	r.real.CompleteInterface(methods)
}

// plain is a signature without its receiver.
func plain(t *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic())
}

// methodName is the name under which interface values offer a method to emitted code.
// Compiled code must not see methods that are unexported, and cannot call those that
// speak of cell types, so these have a second entry under a hidden name.
func (u *unit) methodName(f *types.Func) string {
	signature := plain(f.Type().(*types.Signature))
	switch {
	case u.s.boxed(signature):
		// Signatures over different cell types can have one layout.
		h := fnv.New32a()
		h.Write([]byte(u.s.key(u, signature)))
		return fmt.Sprintf("%s%s%x", realtype.HiddenName(f.Name()), localMark, h.Sum32())
	case !f.Exported():
		return realtype.HiddenName(f.Name())
	}
	return f.Name()
}

// fillDescriptors gives the descriptors of the unit their types.
func (u *unit) fillDescriptors() {
	for len(u.descriptors) > 0 {
		d := u.descriptors[0]
		u.descriptors = u.descriptors[1:]
		if d.filled {
			continue
		}
		real := u.real(d.typ)
		d.value.Set(real, u.layout(d.typ))
		d.filled = true
	}
}
