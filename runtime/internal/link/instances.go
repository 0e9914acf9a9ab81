package link

import (
	"go/types"
	"slices"

	"gosphere/runtime/internal/ir"
)

// instanceOf returns the reference of an instance. A new instance is queued for building. The list
// is searched linearly, because a function has few instances.
//
// For instance, two(1) and two(2) of func two[A any](a A) []A share the instance for int, also if
// they are in different cells, and two("s") has one of its own.
func (s *Session) instanceOf(f *function, object *types.Func, targs []types.Type) *ir.FuncRef {
	for _, i := range f.instances {
		if sameTypes(i.targs, targs) {
			return i.ref
		}
	}
	i := &instance{targs: targs, ref: &ir.FuncRef{Name: functionName(object)}}
	assign(s.journal, &f.instances, append(f.instances, i))
	s.buildInstance(f, i)
	return i.ref
}

// sameTypes compares by go/types, so that types of another check count as different.
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
	assign(s.journal, &i.ref.Sig, s.instanceSignature(f, i))
	s.queue(func() error { return s.build(f.source, i.ref, env) })
}

// instanceSignature returns the signature of an instance, with the receiver as the first parameter.
func (s *Session) instanceSignature(f *function, i *instance) *types.Signature {
	object := f.source.info.Defs[f.source.decl.Name].(*types.Func)
	return flatSignature(object, s.substitution(s.environmentOf(f, i)))
}

// environmentOf returns the environment that maps the type parameters of a generic function to the
// type arguments of an instance. The scope of the function determines which local types differ
// between its instances.
func (s *Session) environmentOf(f *function, i *instance) *environment {
	env := &environment{arguments: map[*types.TypeParam]types.Type{}, scope: f.source.info.Scopes[f.source.decl.Type]}
	// The instance may be older than a method of a type argument.
	for _, t := range i.targs {
		env.list = append(env.list, s.newest(t))
	}
	env.key = s.keys(env.list)
	for n, parameter := range typeParams(f) {
		env.arguments[parameter] = env.list[n]
	}
	return env
}

// typeParams returns the type parameters of a function. For a method, those of the receiver precede
// its own.
func typeParams(f *function) []*types.TypeParam {
	sig := f.source.info.Defs[f.source.decl.Name].(*types.Func).Signature()
	return slices.AppendSeq(slices.Collect(sig.RecvTypeParams().TypeParams()), sig.TypeParams().TypeParams())
}

// rebuildInstances queues all instances for building, because run-time types have changed. The code
// of instances contains run-time types, for instance of type arguments, which a renewal has
// replaced. An instance whose type arguments no longer satisfy the constraints stays as it is, for
// the function values that call it.
func (s *Session) rebuildInstances() {
	for _, f := range s.latest {
		for _, i := range f.instances {
			if s.satisfied(f, i) {
				s.buildInstance(f, i)
			}
		}
	}
}

// satisfied reports whether the type arguments of an instance satisfy the constraints, with the
// methods that their types have now.
func (s *Session) satisfied(f *function, i *instance) bool {
	arguments := s.environmentOf(f, i).arguments
	bounds := &substituter{s: s, env: &environment{arguments: arguments}}
	for _, p := range typeParams(f) {
		if constraint, ok := bounds.typ(p.Constraint()).Underlying().(*types.Interface); ok && !types.Satisfies(arguments[p], constraint) {
			return false
		}
	}
	return true
}

// keepInstances rebuilds the instances of a redeclared generic function, so that code compiled
// earlier calls the new version. An instance whose signature has changed is left to the callers
// that were compiled with it. The result reports whether there is none of these.
func (s *Session) keepInstances(f, old *function) (all bool) {
	if old == nil || old.ref != nil {
		return false
	}
	for _, i := range old.instances {
		if len(typeParams(f)) == len(i.targs) && s.satisfied(f, i) && s.key(s.instanceSignature(f, i)) == s.key(i.ref.Sig) {
			f.instances = append(f.instances, i)
			s.buildInstance(f, i)
		}
	}
	return len(f.instances) == len(old.instances)
}
