package link

import (
	"go/types"

	"gosphere/internal/runtime/ir"
)

// instanceOf returns the reference of an instance. A new instance is queued for building. The list
// is searched linearly, because a function has few instances.
//
// For instance, two(1) and two(2) of func two[A any](a A) []A share the instance for int, also if
// they are in different cells, and two("s") has one of its own.
func (d *declarations) instanceOf(f *function, object *types.Func, targs []types.Type) *ir.FuncRef {
	for _, i := range f.instances {
		if sameTypes(i.targs, targs) {
			return i.ref
		}
	}
	i := &instance{targs: targs, ref: &ir.FuncRef{Name: functionName(object)}}
	assign(d.journal, &f.instances, append(f.instances, i))
	d.buildInstance(f, i)
	return i.ref
}

// sameTypes compares by go/types, so that redeclared types count as different.
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
func (d *declarations) buildInstance(f *function, i *instance) {
	env := d.environmentOf(f, i)
	assign(d.journal, &i.ref.Sig, d.instanceSignature(f, i))
	d.bodies.queue(func() error { return d.bodies.build(f.source, i.ref, env) })
}

// instanceSignature returns the signature of an instance, with the receiver as the first parameter.
func (d *declarations) instanceSignature(f *function, i *instance) *types.Signature {
	object := f.source.info.Defs[f.source.decl.Name].(*types.Func)
	return flatSignature(object, d.substitutions.of(d.environmentOf(f, i)))
}

// environmentOf returns the environment that maps the type parameters of a generic function to the
// type arguments of an instance. The scope of the function determines which local types differ
// between its instances.
func (d *declarations) environmentOf(f *function, i *instance) *environment {
	env := &environment{arguments: map[*types.TypeParam]types.Type{}, list: i.targs, scope: f.source.info.Scopes[f.source.decl.Type]}
	env.key = d.universe.keys(i.targs)
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

// rebuildInstances queues all instances for building, because run-time types have changed. The code
// of instances contains run-time types, for instance of type arguments, which a renewal has
// replaced.
func (d *declarations) rebuildInstances() {
	for _, f := range d.latest {
		for _, i := range f.instances {
			d.buildInstance(f, i)
		}
	}
}

// keepInstances rebuilds the instances of a redeclared generic function, so that code compiled
// earlier calls the new version. An instance whose signature has changed is left to the callers
// that were compiled with it.
func (d *declarations) keepInstances(f, old *function) {
	if old == nil || old.ref != nil {
		return
	}
	for _, i := range old.instances {
		if typeParams(f).Len() == len(i.targs) && types.Identical(d.instanceSignature(f, i), i.ref.Sig) {
			f.instances = append(f.instances, i)
			d.buildInstance(f, i)
		}
	}
}
