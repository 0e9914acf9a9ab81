package ir

import (
	"fmt"
	"go/token"
	"go/types"
)

// Relations define the type relations of a session, which are wider than those of go/types: a type
// that is redeclared with the same definition is the same type, and types gain methods in later
// cells.
//
// Package link implements them. Tests of the builder use plainRelations.
type Relations interface {
	Identical(a, b types.Type) bool
	Implements(t, iface types.Type) bool
}

// plainRelations are the relations of go/types.
type plainRelations struct{}

// Identical reports whether two types are identical.
func (plainRelations) Identical(a, b types.Type) bool { return types.Identical(a, b) }

// Implements reports whether a value of type t can be assigned to a variable of an interface type.
func (plainRelations) Implements(t, iface types.Type) bool { return types.AssignableTo(t, iface) }

// Verify checks that a program follows the rules stated at the declarations of the nodes: types of
// operands, places, targets of jumps, owners of locals, heap cells. It returns the first violation
// as an error that names the function, the line and the rule. If r is nil, the relations of
// go/types apply.
//
// It is a check of the builder and not of programs: a violation is a defect of this repository. The
// session does not run it outside tests, since it takes about as long as building.
func Verify(p *Program, r Relations) error {
	if r == nil {
		r = plainRelations{}
	}
	v := &verifier{relations: r, seen: map[*Func]bool{}, generic: map[types.Type]bool{}}
	for _, f := range p.Funcs {
		v.function(f, nil)
	}
	if p.Body != nil {
		v.function(p.Body, nil)
		v.fn = p.Body // which the error names
		v.rule(len(p.Body.Params)+len(p.Body.Results) == 0, p.Body.Pos, "the statements of a cell have no parameters and results")
	}
	return v.err
}

// A verifier walks over functions and keeps the first error. Later errors are mostly consequences
// of the first.
//
// The first four fields live as long as the verifier. The others belong to the function that is
// being verified.
type verifier struct {
	relations Relations
	err       error
	seen      map[*Func]bool
	generic   map[types.Type]bool // whether types seen before have type parameters

	fn       *Func
	ids      map[int]*Label
	targets  map[*Label]bool // enclosing statements; true for loops
	labeled  map[*Label]bool // labels that goto statements may name here
	declared map[*Local]bool // by a Declare statement or as a loop variable
	captured map[*Local]bool // by function literals
	assigned map[*Local]token.Pos
}

// rule records an error if the condition does not hold, and returns the condition. The caller need
// not stop, but must not use what the rule has found to be missing.
func (v *verifier) rule(holds bool, pos token.Pos, format string, arguments ...any) bool {
	if !holds && v.err == nil {
		where := ""
		if v.fn != nil && v.fn.Fset != nil && pos.IsValid() {
			where = fmt.Sprintf(", line %d", v.fn.Fset.Position(pos).Line)
		}
		name := "?"
		if v.fn != nil {
			name = v.fn.Name
		}
		v.err = fmt.Errorf("%s%s: %s", name, where, fmt.Sprintf(format, arguments...))
	}
	return holds
}

// function verifies a function. parent is the function that encloses a function literal.
func (v *verifier) function(f, parent *Func) {
	if v.err != nil {
		return
	}
	// A function literal is verified in the middle of its enclosing function, whose state is restored
	// afterward. Copying the struct saves the state at once. The maps of the outer function are not
	// changed meanwhile, because the inner one gets its own.
	outer := *v
	defer func() {
		err := v.err
		*v = outer
		v.err = err
	}()
	v.fn, v.ids, v.targets, v.labeled = f, map[int]*Label{}, map[*Label]bool{}, map[*Label]bool{}
	v.declared, v.captured, v.assigned = map[*Local]bool{}, map[*Local]bool{}, map[*Local]token.Pos{}
	if !v.rule(f != nil, 0, "a function is missing") {
		return
	}
	v.rule(!v.seen[f], f.Pos, "the function stands at two places")
	v.seen[f] = true
	// Stack traces and Title follow the parents.
	v.rule(f.Parent == parent, f.Pos, "the function does not know the function around it")
	for i, l := range f.Locals {
		v.rule(l != nil && l.Index == i && l.Type != nil, f.Pos, "local %d has another index or no type", i)
	}
	v.signature(f)
	for _, l := range f.Captures {
		v.capture(l, parent)
	}
	if !v.rule(f.Body != nil, f.Pos, "the function has no body") {
		return
	}
	v.block(f.Body)
	v.cells(f)
	if v.err == nil {
		v.flow(f)
	}
}

// position verifies that a node has a position if its function has one. Inside a declared function
// the position must be within the function. The limit does not apply to the body of a cell, because
// that also holds the initializers of the cell's variables.
//
// A position outside the function would show the wrong line in a stack trace, and would stop the
// debugger at a line of another cell.
func (v *verifier) position(pos token.Pos, node any) bool {
	root := v.fn
	for root.Parent != nil {
		root = root.Parent
	}
	if !root.Pos.IsValid() {
		return true
	}
	return v.rule(pos.IsValid(), v.fn.Pos, "a %T has no position", node) &&
		v.rule(root.Ref == nil || pos >= root.Pos && pos <= root.End, v.fn.Pos, "a %T has a position outside %s", node, root.Name)
}

// signature verifies that the parameters and results match the signature.
//
// The executor derives the layout of parameters and results from the signature alone, so a
// disagreement would make it read memory as another type.
func (v *verifier) signature(f *Func) {
	if !v.rule(f.Sig != nil, f.Pos, "the function has no signature") {
		return
	}
	for _, part := range []struct {
		name   string
		locals []*Local
		types  *types.Tuple
	}{{"parameters", f.Params, f.Sig.Params()}, {"results", f.Results, f.Sig.Results()}} {
		if !v.rule(len(part.locals) == part.types.Len(), f.Pos, "the function has %d %s, its signature %d", len(part.locals), part.name, part.types.Len()) {
			continue
		}
		for i, l := range part.locals {
			if v.own(l, f.Pos) {
				v.same(l.Type, part.types.At(i).Type(), f.Pos, part.name)
				v.rule(l.Outer == nil, l.Pos, "%s is a capture and one of the %s", l.Name, part.name)
			}
		}
	}
	if f.Ref != nil {
		v.same(f.Ref.Sig, f.Sig, f.Pos, "the signatures of the function and its reference")
	}
}

// capture verifies that a capture matches a variable of the enclosing function.
//
// A capture of a function literal in a literal is a capture in each of them, which is why only the
// directly enclosing function is examined.
func (v *verifier) capture(l *Local, parent *Func) {
	if !v.own(l, v.fn.Pos) || !v.rule(parent != nil && l.Outer != nil, l.Pos, "the capture %s has no variable", l.Name) {
		return
	}
	v.rule(owns(parent, l.Outer), l.Pos, "the capture %s has a variable that is not of %s", l.Name, parent.Name)
	v.rule(l.Boxed == l.Outer.Boxed, l.Pos, "the capture %s and its variable disagree about the heap cell", l.Name)
	v.same(l.Type, l.Outer.Type, l.Pos, "a capture and its variable")
}

// owns reports whether a local is in the list of a function, at its index.
func owns(f *Func, l *Local) bool {
	return l.Index >= 0 && l.Index < len(f.Locals) && f.Locals[l.Index] == l
}

// own verifies that a local belongs to the current function.
func (v *verifier) own(l *Local, pos token.Pos) bool {
	if !v.rule(l != nil, pos, "a local is missing") {
		return false
	}
	return v.rule(owns(v.fn, l), pos, "the local %q is of another function", l.Name)
}

// cells verifies that variables shared with function literals or pointers have heap cells. The heap
// cell of a parameter or result is made when the function is entered, that of a capture is shared,
// and any other needs a Declare statement. A captured variable without one is copied, so neither
// the variable nor the copy may change.
//
// It runs after the body has been visited, when the assignments and captures are known. An
// assignment may follow the function literal that captures the variable.
func (v *verifier) cells(f *Func) {
	given := map[*Local]bool{}
	for _, list := range [][]*Local{f.Params, f.Results, f.Captures} {
		for _, l := range list {
			given[l] = true
		}
	}
	for _, l := range f.Locals {
		if l == nil {
			continue
		}
		v.rule(!l.Boxed || given[l] || v.declared[l], l.Pos, "%s has a heap cell that nothing makes", l.Name)
		v.rule(l.Outer == nil || given[l], l.Pos, "%s is a variable of another function and is not among the captures", l.Name)
		pos, changes := v.assigned[l]
		v.rule(!changes || l.Boxed || l.Outer == nil, pos, "an assignment to the copy %s of a captured variable", l.Name)
		v.rule(!changes || l.Boxed || !v.captured[l], pos, "an assignment to %s, which a function literal has a copy of", l.Name)
	}
}

// same verifies that two types are identical under the relations of the session.
func (v *verifier) same(a, b types.Type, pos token.Pos, what string) bool {
	return v.rule(a != nil && b != nil && v.identical(a, b), pos, "%s: %s where %s is required", what, TypeText(a), TypeText(b))
}

// identical reports whether two types are identical. go/types is asked first, because the relations
// of a session compare keys, which takes longer.
func (v *verifier) identical(a, b types.Type) bool {
	return types.Identical(a, b) || v.relations.Identical(a, b)
}

// ground verifies that a type has no type parameters and is not untyped.
//
// A type parameter that is left would reach Host.Type in the executor, which has no run-time type
// for it.
func (v *verifier) ground(t types.Type, pos token.Pos) bool {
	if !v.rule(t != nil, pos, "a type is missing") {
		return false
	}
	// The same few types occur at most nodes, so the answer is kept.
	found, known := v.generic[t]
	if !known {
		found = hasTypeParam(t)
		v.generic[t] = found
	}
	return v.rule(!found, pos, "the type %s has a type parameter", TypeText(t)) &&
		v.rule(!IsUntyped(t), pos, "the type %s is not the type of a value", TypeText(t))
}

// hasTypeParam reports whether a type mentions a type parameter. It examines the type arguments of
// a named type but not its definition, which may be recursive.
func hasTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if hasTypeParam(a) {
				return true
			}
		}
	case *types.Map:
		return hasTypeParam(t.Key()) || hasTypeParam(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return hasTypeParam(t.Elem())
	case *types.Tuple:
		for p := range t.Variables() {
			if hasTypeParam(p.Type()) {
				return true
			}
		}
	case *types.Signature:
		return hasTypeParam(t.Params()) || hasTypeParam(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if hasTypeParam(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if hasTypeParam(m.Type()) {
				return true
			}
		}
	}
	return false
}
