package reflected

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
)

// basics are the predeclared types by kind.
var basics = map[reflect.Kind]types.BasicKind{
	reflect.Bool: types.Bool, reflect.Int: types.Int, reflect.Int8: types.Int8, reflect.Int16: types.Int16, reflect.Int32: types.Int32, reflect.Int64: types.Int64,
	reflect.Uint: types.Uint, reflect.Uint8: types.Uint8, reflect.Uint16: types.Uint16, reflect.Uint32: types.Uint32, reflect.Uint64: types.Uint64, reflect.Uintptr: types.Uintptr,
	reflect.Float32: types.Float32, reflect.Float64: types.Float64, reflect.Complex64: types.Complex64, reflect.Complex128: types.Complex128,
	reflect.String: types.String, reflect.UnsafePointer: types.UnsafePointer,
}

// typeOf implements Type. The caller holds the lock.
func (u *Universe) typeOf(t reflect.Type) types.Type {
	if known, ok := u.types[t]; ok {
		return known
	}
	if t.Name() != "" {
		return u.namedType(t)
	}
	made := u.underlying(t)
	u.types[t] = made
	return made
}

// programPath is the path that package main of the program has here. That of sources is "main".
const programPath = "program/main"

// pathOf returns the path of a package of the program.
func pathOf(path string) string {
	if path == "main" {
		return programPath
	}
	return path
}

// namedType returns a type with a name: a predeclared one, that of a base package, or one of our
// own.
func (u *Universe) namedType(t reflect.Type) types.Type {
	if t.PkgPath() == "" {
		if t == reflect.TypeFor[error]() {
			return types.Universe.Lookup("error").Type()
		}
		return types.Typ[basics[t.Kind()]]
	}
	path := pathOf(t.PkgPath())
	if own := u.packages[path]; own == nil {
		if base, err := u.base(path); err == nil {
			if o, ok := base.Scope().Lookup(t.Name()).(*types.TypeName); ok {
				u.types[t] = o.Type()
				return o.Type()
			}
		}
	}
	p := u.packageOf(path)
	named := types.NewNamed(types.NewTypeName(token.NoPos, p.Types, t.Name(), nil), nil, nil)
	u.types[t] = named // before its parts, which may mention it
	if u.named[path] == nil {
		u.named[path] = map[string]reflect.Type{}
	}
	u.named[path][t.Name()] = t
	named.SetUnderlying(u.underlying(t))
	if t.Kind() != reflect.Interface {
		u.addMethods(named, t)
	}
	return named
}

// addMethods declares the exported methods of a type. A method that only the pointer has gets a
// pointer receiver.
func (u *Universe) addMethods(named *types.Named, t reflect.Type) {
	pointer := reflect.PointerTo(t)
	for i := range pointer.NumMethod() {
		m := pointer.Method(i)
		receiver := types.Type(types.NewPointer(named))
		if _, byValue := t.MethodByName(m.Name); byValue {
			receiver = named
		}
		s := u.signature(m.Type, 1)
		s = types.NewSignatureType(types.NewVar(token.NoPos, named.Obj().Pkg(), "", receiver), nil, nil, s.Params(), s.Results(), s.Variadic())
		named.AddMethod(types.NewFunc(token.NoPos, named.Obj().Pkg(), m.Name, s))
	}
}

// underlying returns a type without its name.
func (u *Universe) underlying(t reflect.Type) types.Type {
	if basic, ok := basics[t.Kind()]; ok {
		return types.Typ[basic]
	}
	switch t.Kind() {
	case reflect.Array:
		return types.NewArray(u.typeOf(t.Elem()), int64(t.Len()))
	case reflect.Chan:
		direction := map[reflect.ChanDir]types.ChanDir{reflect.BothDir: types.SendRecv, reflect.SendDir: types.SendOnly, reflect.RecvDir: types.RecvOnly}
		return types.NewChan(direction[t.ChanDir()], u.typeOf(t.Elem()))
	case reflect.Func:
		return u.signature(t, 0)
	case reflect.Interface:
		return u.interfaceType(t)
	case reflect.Map:
		return types.NewMap(u.typeOf(t.Key()), u.typeOf(t.Elem()))
	case reflect.Pointer:
		return types.NewPointer(u.typeOf(t.Elem()))
	case reflect.Slice:
		return types.NewSlice(u.typeOf(t.Elem()))
	case reflect.Struct:
		return u.structType(t)
	}
	panic(fmt.Sprintf("the type %s cannot be used in cells", t))
}

// signature returns a function type without its first parameters.
func (u *Universe) signature(t reflect.Type, skip int) *types.Signature {
	var parameters, results []*types.Var
	for i := skip; i < t.NumIn(); i++ {
		parameters = append(parameters, types.NewParam(token.NoPos, nil, "", u.typeOf(t.In(i))))
	}
	for i := range t.NumOut() {
		results = append(results, types.NewParam(token.NoPos, nil, "", u.typeOf(t.Out(i))))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(parameters...), types.NewTuple(results...), t.IsVariadic())
}

// interfaceType returns an interface. A method that is not exported belongs to the package of the
// type, which a type of cells cannot implement.
func (u *Universe) interfaceType(t reflect.Type) types.Type {
	var methods []*types.Func
	for i := range t.NumMethod() {
		m := t.Method(i)
		var in *types.Package
		if m.PkgPath != "" {
			in = u.packageFor(pathOf(m.PkgPath))
		}
		methods = append(methods, types.NewFunc(token.NoPos, in, m.Name, u.signature(m.Type, 0)))
	}
	return types.NewInterfaceType(methods, nil).Complete()
}

func (u *Universe) structType(t reflect.Type) types.Type {
	var fields []*types.Var
	var tags []string
	for i := range t.NumField() {
		f := t.Field(i)
		var in *types.Package
		if f.PkgPath != "" {
			in = u.packageFor(pathOf(f.PkgPath))
		}
		fields = append(fields, types.NewField(token.NoPos, in, f.Name, u.typeOf(f.Type), f.Anonymous))
		tags = append(tags, string(f.Tag))
	}
	return types.NewStruct(fields, tags)
}

// packageFor returns the package to which a name that is not exported belongs.
func (u *Universe) packageFor(path string) *types.Package {
	if u.packages[path] == nil {
		if base, err := u.base(path); err == nil {
			return base
		}
	}
	return u.packageOf(path).Types
}
