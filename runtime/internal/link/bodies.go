package link

import (
	"go/types"
	"reflect"

	"gosphere/runtime/internal/exec"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/lower"
)

// bodies builds the functions of the current unit.
type bodies struct {
	machine       *exec.Machine
	unit          *unit
	declarations  *declarations
	substitutions *substitutions
	main          *types.Package

	marks  bool // whether functions have marks for a debugger
	remark bool // whether functions of packages from source have those of an earlier setting
}

// queue adds a function to be built before the unit is compiled. A queue is used rather than
// recursion, because generic functions may need further instances to any depth.
func (b *bodies) queue(build func() error) { b.unit.queue = append(b.unit.queue, build) }

// add adds a function to the program of the unit.
func (b *bodies) add(f *ir.Func) { b.unit.program.Funcs = append(b.unit.program.Funcs, f) }

// drain builds queued functions. Building a function may queue instances and wrappers that it
// refers to.
func (b *bodies) drain() error {
	for len(b.unit.queue) > 0 {
		build := b.unit.queue[0]
		b.unit.queue = b.unit.queue[1:]
		if err := build(); err != nil {
			return err
		}
	}
	return nil
}

// build builds a function and adds it to the program. env maps the type parameters of an instance;
// it is nil for other functions.
func (b *bodies) build(src *code, ref *ir.FuncRef, env *environment) error {
	made := lower.NewBuilder(&scope{b.declarations, src.checked, src}, src.info, src.fset, src.pkg)
	made.Subst = b.substitutions.of(env)
	// The project's own source of generic functions has no marks: a debugger passes over it like
	// over compiled code. Constants and types are listed for functions of cells alone, where an
	// expression of the debugger can use them. In an instance a type may depend on the type
	// arguments.
	made.Marks, made.MarkNames = b.marks && (src.checked != nil || src.library.source != nil), env == nil && src.checked != nil
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
	b.add(f)
	return nil
}

// call returns a step that calls a function without parameters and results.
func (b *bodies) call(ref *ir.FuncRef) func() {
	return func() { b.machine.CallRef(ref) }
}

// wrapper builds a function whose first parameter is a receiver of type recv. It calls the method f
// through the embedded fields on path. It panics where other functions return an error, because it
// is called while method tables are computed, and whole recovers the panic.
func (b *bodies) wrapper(recv types.Type, f *types.Func, path []int) *ir.FuncRef {
	sig := f.Signature()
	subst := b.substitutions.of(nil)
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
	made := lower.NewBuilder(&scope{b.declarations, b.unit.checked, nil}, &types.Info{}, nil, b.main)
	made.Subst = subst
	fn, err := made.Wrapper(recv, f, path, ref)
	if err != nil {
		panic(converted(err))
	}
	b.add(fn)
	return ref
}
