package lower

import (
	"go/token"
	"go/types"
)

// An environment gives the type parameters of the generic code that is being emitted
// their types. Types are compared by the types.Context of the session, so that one
// instance is one *types.Named.
type environment struct {
	arguments map[*types.TypeParam]types.Type
	// The rest is for types declared inside the generic function: the arguments in order,
	// their spelling, and the function's scope.
	list  []types.Type
	key   string
	scope *types.Scope

	newest bool // types of the session are replaced by their newest objects, see again.go
}

// substitute replaces type parameters, and types declared inside generic functions by
// their instances.
func (s *Session) substitute(t types.Type, env *environment) types.Type {
	if env == nil || t == nil {
		return t
	}
	return (&substituter{s, env}).typ(t)
}

type substituter struct {
	s   *Session
	env *environment
}

func (w *substituter) typ(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if a, ok := w.env.arguments[t]; ok {
			return a
		}
	case *types.Alias:
		return w.typ(types.Unalias(t))
	case *types.Named:
		return w.named(t)
	case *types.Pointer:
		if e := w.typ(t.Elem()); e != t.Elem() {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := w.typ(t.Elem()); e != t.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := w.typ(t.Elem()); e != t.Elem() {
			return types.NewArray(e, t.Len())
		}
	case *types.Chan:
		if e := w.typ(t.Elem()); e != t.Elem() {
			return types.NewChan(t.Dir(), e)
		}
	case *types.Map:
		k, e := w.typ(t.Key()), w.typ(t.Elem())
		if k != t.Key() || e != t.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Tuple:
		return w.tuple(t)
	case *types.Signature:
		p, r := w.tuple(t.Params()), w.tuple(t.Results())
		if p != t.Params() || r != t.Results() {
			return types.NewSignatureType(nil, nil, nil, p, r, t.Variadic())
		}
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		return w.interfaceType(t)
	}
	return t
}

func (w *substituter) named(t *types.Named) types.Type {
	if t.TypeArgs().Len() == 0 {
		if w.env.newest {
			return w.s.newest(t)
		}
		return w.s.localInstance(t, w)
	}
	origin := t.Origin()
	if w.env.newest {
		origin = w.s.newest(origin)
	}
	changed := origin != t.Origin()
	arguments := make([]types.Type, t.TypeArgs().Len())
	for i := range arguments {
		arguments[i] = w.typ(t.TypeArgs().At(i))
		changed = changed || arguments[i] != t.TypeArgs().At(i)
	}
	if w.env.declares(t.Obj()) {
		return w.s.localGenericInstance(t, arguments, w)
	}
	if !changed {
		return t
	}
	return w.s.instantiate(origin, arguments)
}

// instantiate makes an instance of a generic type whose arguments are already checked.
func (s *Session) instantiate(origin types.Type, arguments []types.Type) types.Type {
	t, err := types.Instantiate(s.context, origin, arguments, false)
	if err != nil {
		panic(refuse(token.NoPos, "cannot make an instance of %s: %v", origin, err))
	}
	return t
}

func (w *substituter) tuple(t *types.Tuple) *types.Tuple {
	changed := false
	variables := make([]*types.Var, t.Len())
	for i := range variables {
		v := t.At(i)
		n := w.typ(v.Type())
		if variables[i] = v; n != v.Type() {
			changed = true
			variables[i] = types.NewParam(v.Pos(), v.Pkg(), v.Name(), n)
		}
	}
	if !changed {
		return t
	}
	return types.NewTuple(variables...)
}

func (w *substituter) structure(t *types.Struct) types.Type {
	changed := false
	fields := make([]*types.Var, t.NumFields())
	tags := make([]string, t.NumFields())
	for i := range fields {
		f := t.Field(i)
		n := w.typ(f.Type())
		tags[i] = t.Tag(i)
		if fields[i] = f; n != f.Type() {
			changed = true
			fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), n, f.Embedded())
		}
	}
	if !changed {
		return t
	}
	return types.NewStruct(fields, tags)
}

func (w *substituter) interfaceType(t *types.Interface) types.Type {
	changed := false
	var methods []*types.Func
	for i := 0; i < t.NumMethods(); i++ {
		m := t.Method(i)
		signature := m.Type().(*types.Signature)
		n := w.typ(types.NewSignatureType(nil, nil, nil, signature.Params(), signature.Results(), signature.Variadic())).(*types.Signature)
		if n.Params() != signature.Params() || n.Results() != signature.Results() {
			changed = true
		}
		methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), n))
	}
	if !changed {
		return t
	}
	return types.NewInterfaceType(methods, nil).Complete()
}
