// Package reflected makes the type information of packages from values of package reflect, for
// programs that give compiled functions, variables, types and constants to cells without the export
// data of their packages. Reflection knows no names of parameters, no generic functions, and no
// untyped constants but those given as such.
package reflected

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A Universe holds packages made from values, and the types that these mention. Its methods may be
// called from any goroutine.
type Universe struct {
	base func(path string) (*types.Package, error)

	mu       sync.Mutex // guards the fields below
	packages map[string]*Package
	types    map[reflect.Type]types.Type
	named    map[string]map[string]reflect.Type // types that are in no base package, by path and name
}

// A Package is one package made from values.
type Package struct {
	Types   *types.Package
	exports map[string]reflect.Value
}

// New returns an empty universe. Types of other packages are taken from base where it has them, so
// that they are identical to those that cells import; base may be nil.
func New(base func(path string) (*types.Package, error)) *Universe {
	if base == nil {
		base = func(path string) (*types.Package, error) { return nil, fmt.Errorf("no package %s", path) }
	}
	return &Universe{base: base, packages: map[string]*Package{}, types: map[reflect.Type]types.Type{}, named: map[string]map[string]reflect.Type{}}
}

// Add adds a package, or further exports to one that was added before. A value is
//
//   - a function;
//   - an addressable value, which is a variable;
//   - a nil pointer to a type, which is that type;
//   - a constant.Value, which is an untyped constant;
//   - any other value of a basic type, which is a constant of that type;
//   - any other value, which is a variable with this value.
//
// These are the forms of yaegi's Exports. Names that are not exported are ignored, which includes
// yaegi's wrappers of interfaces. It is an error if a name has another value already, or a type
// that Go cannot write.
func (u *Universe) Add(path, name string, exports map[string]reflect.Value) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.packageOf(path)
	if name != "" {
		p.Types.SetName(name)
	}
	for _, n := range slices.Sorted(maps.Keys(exports)) {
		v := exports[n]
		if !token.IsExported(n) || strings.HasPrefix(n, "_") {
			continue
		}
		if !token.IsIdentifier(n) {
			return fmt.Errorf("%s.%s is no identifier", path, n)
		}
		if !v.IsValid() {
			return fmt.Errorf("%s.%s has no value", path, n)
		}
		if _, known := p.exports[n]; known {
			return fmt.Errorf("%s.%s is there already", path, n)
		}
		object, value, err := u.object(p.Types, n, v)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", path, n, err)
		}
		if p.Types.Scope().Lookup(n) == nil {
			p.Types.Scope().Insert(object)
		}
		if value.IsValid() {
			p.exports[n] = value
		}
	}
	return nil
}

// packageOf returns the package with a path, which it makes if there is none.
func (u *Universe) packageOf(importPath string) *Package {
	p := u.packages[importPath]
	if p == nil {
		name := path.Base(importPath)
		if !token.IsIdentifier(name) { // such as yaml.v3, go-cmp or v2
			name = strings.Map(func(r rune) rune {
				if r == '-' || r == '.' {
					return '_'
				}
				return r
			}, name)
		}
		p = &Package{Types: types.NewPackage(importPath, name), exports: map[string]reflect.Value{}}
		p.Types.MarkComplete()
		u.packages[importPath] = p
	}
	return p
}

// object returns the object of an export, and the value as a symbol table has it: none for a
// constant, and a nil pointer for a type.
func (u *Universe) object(in *types.Package, name string, v reflect.Value) (o types.Object, symbol reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if c, ok := constantOf(v); ok {
		return types.NewConst(token.NoPos, in, name, untyped(c), c), reflect.Value{}, nil
	}
	t := v.Type()
	switch {
	case v.CanAddr():
		return types.NewVar(token.NoPos, in, name, u.typeOf(t)), v, nil
	case t.Kind() == reflect.Func:
		signature, ok := u.typeOf(t).(*types.Signature)
		if !ok { // a value of a named function type
			return u.variable(in, name, v)
		}
		return types.NewFunc(token.NoPos, in, name, signature), v, nil
	case t.Kind() == reflect.Pointer && v.IsNil():
		typ := u.typeOf(t.Elem())
		if named, ok := typ.(*types.Named); ok && named.Obj().Pkg() == in && named.Obj().Name() == name {
			return named.Obj(), v, nil
		}
		return types.NewTypeName(token.NoPos, in, name, types.NewAlias(types.NewTypeName(token.NoPos, in, name, nil), typ)), v, nil
	}
	if c := basicConstant(v); c != nil {
		return types.NewConst(token.NoPos, in, name, u.typeOf(t), c), reflect.Value{}, nil
	}
	return u.variable(in, name, v)
}

// variable returns a variable with a value of its own.
func (u *Universe) variable(in *types.Package, name string, v reflect.Value) (types.Object, reflect.Value, error) {
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	return types.NewVar(token.NoPos, in, name, u.typeOf(v.Type())), own, nil
}

// constantOf returns the constant that a value holds, if it does.
func constantOf(v reflect.Value) (c constant.Value, ok bool) {
	if !v.CanInterface() {
		return nil, false
	}
	c, ok = v.Interface().(constant.Value)
	return c, ok && c != nil
}

func untyped(c constant.Value) types.Type {
	switch c.Kind() {
	case constant.Bool:
		return types.Typ[types.UntypedBool]
	case constant.String:
		return types.Typ[types.UntypedString]
	case constant.Int:
		return types.Typ[types.UntypedInt]
	case constant.Float:
		return types.Typ[types.UntypedFloat]
	case constant.Complex:
		return types.Typ[types.UntypedComplex]
	}
	panic("a constant of an unknown kind")
}

// basicConstant returns the value of a basic type as a constant, or nil. A number that is not
// finite is no constant.
func basicConstant(v reflect.Value) constant.Value {
	switch {
	case v.Kind() == reflect.Bool:
		return constant.MakeBool(v.Bool())
	case v.Kind() == reflect.String:
		return constant.MakeString(v.String())
	case v.CanInt():
		return constant.MakeInt64(v.Int())
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		return constant.MakeUint64(v.Uint())
	case v.CanFloat():
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return constant.MakeFloat64(f)
		}
	}
	return nil
}

// Import returns a package that was added.
func (u *Universe) Import(path string) (*types.Package, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.packages[path]
	if p == nil || len(p.exports) == 0 && p.Types.Scope().Len() == 0 {
		return nil, false
	}
	return p.Types, true
}

// Paths returns the paths of the packages that were added, sorted.
func (u *Universe) Paths() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var paths []string
	for path, p := range u.packages {
		if p.Types.Scope().Len() > 0 {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Symbol returns the value of a name, in the form of a symbol table: a nil pointer for a type, and
// an addressable value for a variable. Types that exports only mention have one, too.
func (u *Universe) Symbol(path, name string) (v reflect.Value, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if p := u.packages[path]; p != nil {
		if v, ok = p.exports[name]; ok {
			return v, true
		}
	}
	if t, known := u.named[path][name]; known {
		return reflect.Zero(reflect.PointerTo(t)), true
	}
	return v, false
}

// Type returns the type that cells know a run-time type by. It panics for a type that Go cannot
// write.
func (u *Universe) Type(t reflect.Type) types.Type {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.typeOf(t)
}
