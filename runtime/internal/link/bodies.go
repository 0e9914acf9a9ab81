package link

import (
	"go/types"
	"reflect"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/lower"
)

// queue adds a function to be built before the unit is compiled. A queue is used rather than
// recursion, because generic functions may need further instances to any depth.
func (s *Session) queue(build func() error) { s.unit.queue = append(s.unit.queue, build) }

// addBody adds a function to the program of the unit.
func (s *Session) addBody(f *ir.Func) { s.unit.program.Funcs = append(s.unit.program.Funcs, f) }

// drain builds queued functions. Building a function may queue instances and wrappers that it
// refers to.
func (s *Session) drain() error {
	for len(s.unit.queue) > 0 {
		build := s.unit.queue[0]
		s.unit.queue = s.unit.queue[1:]
		if err := build(); err != nil {
			return err
		}
	}
	return nil
}

// build builds a function and adds it to the program. env maps the type parameters of an instance;
// it is nil for other functions.
func (s *Session) build(src *code, ref *ir.FuncRef, env *environment) error {
	made := lower.NewBuilder(&scope{s, src.checked, src}, src.info, src.fset, src.pkg)
	made.Subst = s.substitution(env)
	// The project's own source of generic functions has no marks: a debugger passes over it like
	// over compiled code. Constants and types are listed for functions of cells alone, where an
	// expression of the debugger can use them. In an instance a type may depend on the type
	// arguments.
	made.Marks, made.MarkNames = s.marks && (src.checked != nil || src.library.source != nil), env == nil && src.checked != nil
	made.SharedLoops = src.library.sharesLoops(src.decl.Pos())
	if src.decl.Body == nil && src.library != nil {
		// The call panics rather than the compilation, because most modules with assembly never
		// reach the function on this path.
		missing := src.library.bodiless(src.decl)
		made.Missing = func([]reflect.Value) { panic(missing) }
	}
	f, err := made.Func(src.decl, ref, ref.Name)
	if err != nil {
		return src.library.located(converted(err))
	}
	s.addBody(f)
	return nil
}

// call returns a step that calls a function without parameters and results.
func (s *Session) call(ref *ir.FuncRef) func() {
	return func() { s.machine.CallRef(ref) }
}

// wrapper builds a function whose first parameter is a receiver of type recv. It calls the method f
// through the embedded fields on path. It panics where other functions return an error, because it
// is called while method tables are computed, and whole recovers the panic.
func (s *Session) wrapper(recv types.Type, f *types.Func, path []int) *ir.FuncRef {
	sig := f.Signature()
	subst := s.substitution(nil)
	params := []*types.Var{types.NewParam(0, nil, "", recv)}
	for v := range sig.Params().Variables() {
		params = append(params, types.NewParam(0, nil, "", subst(v.Type())))
	}
	var results []*types.Var
	for v := range sig.Results().Variables() {
		results = append(results, types.NewParam(0, nil, "", subst(v.Type())))
	}
	flat := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), sig.Variadic())
	ref := &ir.FuncRef{Name: "main." + f.Name(), Sig: flat}
	made := lower.NewBuilder(&scope{s, s.unit.checked, nil}, &types.Info{}, nil, s.options.Main)
	made.Subst = subst
	fn, err := made.Wrapper(recv, f, path, ref)
	if err != nil {
		panic(converted(err))
	}
	s.addBody(fn)
	return ref
}
