package link

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"gosphere/runtime/internal/realtype"
)

// typeOf returns the run-time type of a type. It panics with a *Refusal for a type that cannot be
// made.
//
// A panic leaves depth too high. The transaction that is then rolled back resets it.
func (s *Session) typeOf(t types.Type) reflect.Type {
	s.depth++
	r := s.partialType(t)
	s.depth--
	if s.depth == 0 {
		s.complete()
	}
	return r
}

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

var (
	// The type unsafe.Pointer without an import of package unsafe.
	pointerType = reflect.TypeOf(reflect.Value.UnsafePointer).Out(0)
	anyType     = reflect.TypeFor[any]()
	errorType   = reflect.TypeFor[error]()
)

var channelDirection = map[types.ChanDir]reflect.ChanDir{
	types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir,
}

// partialType returns the run-time type of a type. The components of declared types may be
// incomplete until typeOf returns.
//
// Unnamed types are made by package reflect, which returns the type of compiled code if there is
// one, so that a []int of a cell is the []int of package fmt.
func (s *Session) partialType(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if d, ok := types.Default(t).(*types.Basic); ok {
			if r := basicTypes[d.Kind()]; r != nil {
				return r
			}
		}
		return anyType // untyped nil
	case *types.Named:
		return s.named(s.own(t))
	case *types.Pointer:
		// For a forged element type, reflect finds the forged pointer type, which has the methods.
		return reflect.PointerTo(s.partialType(t.Elem()))
	case *types.Slice:
		return reflect.SliceOf(s.partialType(t.Elem()))
	case *types.Array:
		return s.array(t)
	case *types.Map:
		return reflect.MapOf(s.partialType(t.Key()), s.partialType(t.Elem()))
	case *types.Chan:
		return channelOf(t, s.partialType(t.Elem()))
	case *types.Signature:
		return s.signature(t)
	case *types.Interface:
		if t.NumMethods() == 0 {
			return anyType
		}
		return s.unnamedInterface(t)
	case *types.Struct:
		return s.structure(t)
	}
	panic(fmt.Sprintf("no run-time type for %v, a %T", t, t))
}

// isInterface reports whether the underlying type of t is an interface type.
func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// own returns the version of a generic type of the standard library in the project's own source,
// and any other type unchanged. It is needed because structs of cells and modules have fields of
// the original type.
func (s *Session) own(t *types.Named) *types.Named {
	if t.TypeArgs().Len() == 0 || s.libraryType(t) == nil {
		return t
	}
	named, ok := s.substitution(nil)(t).(*types.Named)
	if !ok {
		return t
	}
	return named
}

// named returns the run-time type of a named type: one made by package realtype for types from
// source, and otherwise the one in the symbol tables. Types without a package are error and
// comparable.
//
// For a compiled type the result is the type that compiled code uses, so that values can be passed
// without conversion.
func (s *Session) named(t *types.Named) reflect.Type {
	o := t.Obj()
	if o.Pkg() == nil {
		if o.Name() == "comparable" {
			return anyType
		}
		return errorType
	}
	if s.ours(t) {
		return s.realType(s.record(t)).Real()
	}
	if name := s.compiledName(t); name != "" {
		if symbol, found := s.options.Symbol(o.Pkg().Path(), name); found && symbol.Kind() == reflect.Pointer {
			return symbol.Type().Elem()
		}
	}
	// The type has no exported name, but a compiled symbol may lead to it.
	if r := s.survey.typeOf(t); r != nil {
		return r
	}
	panic(refuse(0, "%s.%s is not in gosphere's symbol tables", o.Pkg().Path(), o.Name()))
}

// realType declares the run-time type of a record. Its components are completed later, because they
// may refer to the type itself.
func (s *Session) realType(r *record) *realtype.Type {
	if r.real != nil {
		return r.real
	}
	// The methods of such an instance have no source that could be compiled for it.
	if named, ok := r.typ.(*types.Named); ok && named.TypeArgs().Len() > 0 && named.NumMethods() > 0 && !s.isSource(named.Obj().Pkg()) && s.libraryPackage(r.path) == nil {
		panic(refuse(0, "%s is an instance of a generic type of compiled code that gosphere does not hold; declare the type yourself, or wrap it in a package without type parameters (docs/modules.md)", s.names.displayed(named)))
	}
	assign(s.journal, &r.real, s.makeType(r))
	s.pending = append(s.pending, r)
	s.fresh = append(s.fresh, r)
	s.again(r)
	return r.real
}

// makeType makes the run-time type of a record, without its components. The number of methods is
// counted for the pointer type, which has them all.
func (s *Session) makeType(r *record) *realtype.Type {
	if isInterface(r.typ) {
		return realtype.DeclareInterface(r.path, r.display)
	}
	methods := types.NewMethodSet(types.NewPointer(r.typ)).Len()
	made, err := realtype.Declare(r.path, r.display, s.layout(r.typ.Underlying()), methods)
	if err != nil {
		panic(refuse(0, "type %s: %v", r.display, err))
	}
	return made
}

// unnamedInterface returns the run-time type of an unnamed interface type with methods. Identical
// types share one, because run-time types are compared by their addresses. reflect cannot make
// interface types with methods.
func (s *Session) unnamedInterface(t *types.Interface) reflect.Type {
	key := s.key(t)
	r := s.records[key]
	if r == nil {
		r = s.addRecord(key, &record{typ: t, display: s.interfaceText(t), path: ""})
	}
	return s.realType(r).Real()
}

// interfaceText returns the text of an unnamed interface type as gc formats it.
func (s *Session) interfaceText(t *types.Interface) string {
	name := func(t *types.Named) string {
		if s.ours(t) {
			r := s.record(t)
			return realtype.Text(r.path, r.display)
		}
		return s.named(t).String()
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

// complete sets the components of declared types until none is incomplete. Setting a component may
// declare further types.
//
// For instance, of type Even struct { Odd *Odd } and type Odd struct { Even *Even } both are
// declared, with the layout of a pointer, before either has its field.
func (s *Session) complete() {
	// Each record is removed first: completing a component calls of, which may append to the list.
	for len(s.pending) > 0 {
		r := s.pending[0]
		s.pending = s.pending[1:]
		switch t := r.typ.Underlying().(type) {
		case *types.Struct:
			r.real.CompleteStructOf(packageOf(t), s.fields(t))
		case *types.Slice:
			r.real.CompleteElem(s.partialType(t.Elem()))
		case *types.Array:
			r.real.CompleteElem(s.partialType(t.Elem()))
		case *types.Pointer:
			r.real.CompleteElem(s.partialType(t.Elem()))
		case *types.Chan:
			r.real.CompleteElem(s.partialType(t.Elem()))
		case *types.Map:
			r.real.CompleteKey(s.partialType(t.Key()))
			r.real.CompleteElem(s.partialType(t.Elem()))
		case *types.Signature:
			r.real.CompleteFunc(s.signature(t))
		case *types.Interface:
			var methods []realtype.InterfaceMethod
			for m := range t.Methods() {
				methods = append(methods, realtype.InterfaceMethod{Name: methodName(m), Type: s.signature(plain(m.Signature()))})
			}
			r.real.CompleteInterface(methods)
		}
	}
}

// methodName returns the name of a method in method lists. Unexported methods have a hidden name,
// so that compiled code cannot find them. The hidden name contains the package path, so that
// unexported methods of two packages differ, as the specification requires.
func methodName(f *types.Func) string {
	if f.Exported() {
		return f.Name()
	}
	return realtype.HiddenName(f.Pkg().Path(), f.Name())
}

// plain returns a signature without its receiver.
func plain(t *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic())
}

// channelOf returns the run-time type of a channel. The limit on the element size is that of gc and
// package reflect.
func channelOf(t *types.Chan, elem reflect.Type) reflect.Type {
	if elem.Size() >= 1<<16 {
		panic(refuse(0, "channel element type too large (>64kB): %v; send pointers", elem))
	}
	return reflect.ChanOf(channelDirection[t.Dir()], elem)
}

// array returns the run-time type of an array. The size must be representable.
func (s *Session) array(t *types.Array) reflect.Type {
	elem := s.partialType(t.Elem())
	if size := elem.Size(); size > 0 && uint64(t.Len()) > mostBytes/uint64(size) {
		panic(refuse(0, "the array type %s is larger than any memory; use a slice", s.names.displayed(t)))
	}
	return reflect.ArrayOf(int(t.Len()), elem)
}

// mostBytes is the maximum size of an array, as in gc.
const mostBytes = 1 << 50

// mostParameters is the maximum number of parameters and results in reflect.FuncOf.
const mostParameters = 128

// signature returns the run-time type of a function type.
func (s *Session) signature(t *types.Signature) reflect.Type {
	if n := t.Params().Len() + t.Results().Len(); n > mostParameters {
		panic(refuse(0, "a function has %d parameters and results, the limit is %d; pass a struct", n, mostParameters))
	}
	var in, out []reflect.Type
	for v := range t.Params().Variables() {
		in = append(in, s.partialType(v.Type()))
	}
	for v := range t.Results().Variables() {
		out = append(out, s.partialType(v.Type()))
	}
	return reflect.FuncOf(in, out, t.Variadic())
}

// fields returns the fields of a struct with their run-time types.
func (s *Session) fields(t *types.Struct) []realtype.Field {
	var fields []realtype.Field
	for i := range t.NumFields() {
		f := t.Field(i)
		fields = append(fields, realtype.Field{Name: f.Name(), Tag: t.Tag(i), Embedded: f.Embedded(), Type: s.partialType(f.Type())})
	}
	return fields
}

// packageOf returns the import path of the package that the unexported fields of a struct belong
// to. All of them belong to one package, because a struct type is written in one place.
func packageOf(t *types.Struct) string {
	for f := range t.Fields() {
		if !f.Exported() && f.Pkg() != nil {
			return f.Pkg().Path()
		}
	}
	return "main"
}

// structure returns the run-time type of an unnamed struct. If it has embedded fields, it may have
// methods.
//
// reflect.StructOf serves for most structs, but it accepts neither unexported fields of other
// packages nor all embedded ones.
func (s *Session) structure(t *types.Struct) reflect.Type {
	real, err := realtype.UnnamedStruct(packageOf(t), s.layout(t), s.fields(t))
	if err != nil {
		panic(refuse(0, "%v", err))
	}
	// Such a type has promoted methods and a table for them, like a declared type. For instance,
	// struct{ sync.Mutex } has Lock and Unlock.
	if types.NewMethodSet(types.NewPointer(t)).Len() > 0 {
		key := s.key(t)
		if s.records[key] == nil {
			s.again(s.addRecord(key, &record{typ: t, display: "struct", path: "main", real: real}))
		}
	}
	return real.Real()
}

// keys joins the keys of several types.
func (s *Session) keys(list []types.Type) string {
	var b strings.Builder
	for i, t := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.key(t))
	}
	return b.String()
}

// texts formats type arguments in the form of instance names.
func (s *Session) texts(list []types.Type) string {
	var texts []string
	for _, t := range list {
		texts = append(texts, s.names.displayed(t))
	}
	return strings.Join(texts, ",")
}

// completeInterfaces updates the parameter and result types of interface methods, some of which may
// have been remade. A type implements an interface only if these types are the same.
func (s *Session) completeInterfaces() {
	for _, r := range s.records {
		if r.real != nil && isInterface(r.typ) {
			s.pending = append(s.pending, r)
		}
	}
	s.complete()
}
