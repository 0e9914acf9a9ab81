package link

import (
	"go/token"
	"go/types"
)

// An environment maps the type parameters of generic code to types.
//
// For instance, in the instance Map[int, string] of func Map[A, B any](...), arguments maps A to
// int and B to string.
type environment struct {
	arguments map[*types.TypeParam]types.Type
	list      []types.Type // the arguments in order
	key       string       // of the list
	scope     *types.Scope // scope of the generic function; types declared in it differ between instances
}

// A localKey identifies a type that is declared in a generic function, for one instance of the
// function.
type localKey struct {
	name *types.TypeName
	key  string
}

// mostInstances is the number of requests after which instances are made anew. The context keeps
// the instances of types whose declarations were checked again long ago, and these their checks.
const mostInstances = 2000

// trim forgets instances if there are many. It must be called between units.
func (s *Session) trim() {
	if s.made > mostInstances {
		s.context, s.made = types.NewContext(), 0
	}
}

// substitution returns a function that replaces type parameters, types declared in generic
// functions, and generic types of the standard library that have a source in this project.
func (s *Session) substitution(env *environment) func(types.Type) types.Type {
	// The cache is by pointer and per environment. A builder calls the function for each
	// expression, mostly with the same few types.
	known := map[types.Type]types.Type{}
	return func(t types.Type) types.Type {
		if t == nil {
			return nil
		}
		if r, ok := known[t]; ok {
			return r
		}
		r := (&substituter{s: s, env: env}).typ(t)
		known[t] = r
		return r
	}
}

var anyName = types.Universe.Lookup("any").Type()

// A substituter replaces types for one environment, which is nil outside instances.
//
// It is made for each call of the function that substitution returns and has no state.
type substituter struct {
	s      *Session
	env    *environment
	newest bool // whether to replace types of cells by their newest objects
}

// newest returns a type with the newest objects of the types of cells in it. They have the methods
// that were declared last; go/types cannot add a method to a type, so a new method makes a new
// object.
func (s *Session) newest(t types.Type) types.Type {
	return (&substituter{s: s, newest: true}).typ(t)
}

// typ returns a type with the substitutions applied. It returns the same type if there are none, so
// that identical types stay identical pointers and caches are effective. Generic code is built once
// for each instance, with all types replaced, so that no later pass knows type parameters.
//
// Recursion ends at named types without type arguments, so a recursive type cannot make it endless.
func (w *substituter) typ(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if w.env != nil {
			if a, ok := w.env.arguments[t]; ok {
				return a
			}
		}
	// An alias may have type parameters of its own, which Unalias has substituted.
	case *types.Alias:
		// The name any stays, since go/types writes the type that it denotes as interface{}.
		if t == anyName {
			return t
		}
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
		if k, e := w.typ(t.Key()), w.typ(t.Elem()); k != t.Key() || e != t.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Tuple:
		return w.tuple(t)
	case *types.Signature:
		p, r := w.tuple(t.Params()), w.tuple(t.Results())
		// The signature of an instance has no type parameters, even if they do not occur in it.
		if p != t.Params() || r != t.Results() || t.TypeParams().Len() > 0 {
			return types.NewSignatureType(nil, nil, nil, p, r, t.Variadic())
		}
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		return w.interfaceType(t)
	}
	return t
}

// named substitutes in a named type, which may be declared in the generic function or be a generic
// type of the standard library. types.Instantiate serves for all but the first: go/types knows no
// types that depend on type parameters of the function around them.
func (w *substituter) named(t *types.Named) types.Type {
	if t.TypeArgs().Len() == 0 {
		if w.newest {
			return w.s.newestNamed(t)
		}
		return w.local(t)
	}
	origin, changed := t.Origin(), false
	if w.newest {
		origin = w.s.newestNamed(origin)
		changed = origin != t.Origin()
	}
	arguments := make([]types.Type, t.TypeArgs().Len())
	for i := range arguments {
		arguments[i] = w.typ(t.TypeArgs().At(i))
		changed = changed || arguments[i] != t.TypeArgs().At(i)
	}
	if w.declares(t.Obj()) {
		return w.localGeneric(origin, arguments)
	}
	if own := w.s.libraryType(t); own != nil {
		origin, changed = own, changed || own != t.Origin()
	}
	if !changed {
		return t
	}
	return w.s.instantiate(origin, arguments)
}

// instantiate returns an instance of a generic type. The type checker has already verified the
// arguments.
func (s *Session) instantiate(origin types.Type, arguments []types.Type) types.Type {
	s.made++
	t, err := types.Instantiate(s.context, origin, arguments, false)
	if err != nil {
		panic(refuse(token.NoPos, "cannot make an instance of %s: %v", origin, err))
	}
	return t
}

// declares reports whether a type is declared inside the generic function of the environment.
func (w *substituter) declares(o *types.TypeName) bool {
	if w.env == nil || w.env.scope == nil {
		return false
	}
	for scope := o.Parent(); scope != nil; scope = scope.Parent() {
		if scope == w.env.scope {
			return true
		}
	}
	return false
}

// local returns a distinct type for each instance of the generic function that declares t. Other
// types are returned unchanged. go/types has one object for all instances, so the name of the type
// and the type arguments of the function identify it.
func (w *substituter) local(t *types.Named) types.Type {
	if !w.declares(t.Obj()) {
		return t
	}
	key := localKey{t.Obj(), w.env.key}
	return w.s.localType(t, key, w.s.texts(w.env.list), w)
}

// localGeneric is like local for an instance of a generic type that is declared in a generic
// function.
func (w *substituter) localGeneric(origin *types.Named, arguments []types.Type) types.Type {
	// The parameters of both the function and the type are replaced: in func F[A any]() with a
	// local type P[B any] struct { X A; Y B }, P[int] of F[string] is struct { X string; Y int }.
	inner := &environment{arguments: map[*types.TypeParam]types.Type{}, list: w.env.list, key: w.env.key, scope: w.env.scope}
	for parameter, a := range w.env.arguments {
		inner.arguments[parameter] = a
	}
	for i := range origin.TypeParams().Len() {
		inner.arguments[origin.TypeParams().At(i)] = arguments[i]
	}
	key := localKey{origin.Obj(), w.env.key + "\x00" + w.s.keys(arguments)}
	text := w.s.texts(w.env.list) + ";" + w.s.texts(arguments)
	return w.s.localType(origin, key, text, &substituter{s: w.s, env: inner})
}

// localType returns the type that a declaration in a generic function denotes in one instance of
// the function. Its name includes the type arguments. For instance, the type inner of func local[A
// any](a A) any { type inner struct { X A }; … } is inner[int] in local(1) and inner[string] in
// local("a"), as gc names it.
func (s *Session) localType(t *types.Named, key localKey, arguments string, w *substituter) types.Type {
	if n := s.locals[key]; n != nil {
		return n
	}
	o := t.Obj()
	name := types.NewTypeName(o.Pos(), o.Pkg(), o.Name()+"["+arguments+"]", nil)
	// The type is registered before its underlying type is substituted, because it may refer to
	// itself.
	n := types.NewNamed(name, nil, nil)
	set(s.journal, s.locals, key, n)
	s.names.numbers[name] = s.names.numbers[o]
	n.SetUnderlying(w.typ(t.Underlying()))
	return n
}

// tuple substitutes in a list of parameters or results.
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

// structure substitutes in a struct type.
func (w *substituter) structure(t *types.Struct) types.Type {
	changed := false
	fields, tags := make([]*types.Var, t.NumFields()), make([]string, t.NumFields())
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

// interfaceType substitutes in an unnamed interface type. Type sets occur only in constraints,
// which no value has.
func (w *substituter) interfaceType(t *types.Interface) types.Type {
	changed := false
	var methods []*types.Func
	for m := range t.Methods() {
		sig := m.Signature()
		n := w.typ(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())).(*types.Signature)
		changed = changed || n.Params() != sig.Params() || n.Results() != sig.Results()
		methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), n))
	}
	if !changed {
		return t
	}
	return types.NewInterfaceType(methods, nil).Complete()
}
