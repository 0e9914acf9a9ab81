package link

import (
	"go/types"
	"reflect"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/realtype"
)

// fillMethods gives types their methods. The functions in a method table call the latest code, so a
// table needs to be filled again only if the method set may have changed.
func (u *universe) fillMethods() error {
	list := u.methods
	u.methods = nil
	done := map[*record]bool{}
	type table struct {
		record  *record
		methods []method
	}
	var tables []table
	for _, r := range list {
		if done[r] {
			continue
		}
		done[r] = true
		tables = append(tables, table{r, u.methodsOf(r)})
	}
	if len(tables) == 0 {
		return nil
	}
	// Wrappers must be compiled before the tables refer to them.
	if err := u.s.drain(); err != nil {
		return err
	}
	program := u.s.unit.program
	u.s.unit.program = &ir.Program{}
	if _, err := u.s.machine.Compile(program); err != nil {
		return converted(err)
	}
	renewed := false
	for _, t := range tables {
		before := t.record.real.Real()
		u.s.unit.filled[t.record] = true
		var methods []realtype.Method
		for _, m := range t.methods {
			methods = append(methods, m.real(u))
		}
		if err := t.record.real.SetMethods(methods); err != nil {
			return refuse(0, "type %s: %v", t.record.display, err)
		}
		now := t.record.real.Real()
		if now != before {
			renewed = true
			u.noteRenewal(t.record, before, t.methods)
		}
		for _, m := range t.methods {
			name := methodName(m.f)
			u.store(methodKey{reflect.PointerTo(now), name}, m.pointer)
			if m.value != nil {
				u.store(methodKey{now, name}, m.value)
			}
		}
	}
	if renewed {
		u.unused()
		u.completeInterfaces()
		u.s.machine.Forget()
		u.s.rebuildInstances()
	}
	return nil
}

// A Renewal describes a type that has gained methods while interface values may hold values of it.
// Such values keep the methods with which they were made.
type Renewal struct {
	Type    string
	Methods []string // the new methods
}

// noteRenewal records that a type has been remade with additional methods.
func (u *universe) noteRenewal(r *record, before reflect.Type, methods []method) {
	renewal := Renewal{Type: r.display}
	for _, m := range methods {
		if _, had := u.tables.Load(methodKey{reflect.PointerTo(before), methodName(m.f)}); !had {
			renewal.Methods = append(renewal.Methods, m.f.Name())
		}
	}
	if len(renewal.Methods) > 0 && !r.told && u.s.holdsInterfaces() {
		assign(u.s, &r.told, true)
		u.s.unit.renewed = append(u.s.unit.renewed, renewal)
	}
}

// holdsInterfaces reports whether an interface value may be reachable from a session variable.
func (s *Session) holdsInterfaces() bool {
	seen := map[types.Type]bool{}
	for _, g := range s.variables {
		if g.Address != nil && holdsInterface(g.Type, seen) {
			return true
		}
	}
	return false
}

// holdsInterface reports whether an interface value may be reachable from a value of a type.
func holdsInterface(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	case *types.Pointer:
		return holdsInterface(t.Elem(), seen)
	case *types.Slice:
		return holdsInterface(t.Elem(), seen)
	case *types.Array:
		return holdsInterface(t.Elem(), seen)
	case *types.Chan:
		return holdsInterface(t.Elem(), seen)
	case *types.Map:
		return holdsInterface(t.Key(), seen) || holdsInterface(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if holdsInterface(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// store records the function of a method, and undoes that if the current unit fails.
func (u *universe) store(key methodKey, ref *ir.FuncRef) {
	old, had := u.tables.Swap(key, ref)
	u.s.undo(func() {
		if had {
			u.tables.Store(key, old)
		} else {
			u.tables.Delete(key)
		}
	})
}

// A method is a method of a type whose functions have not yet been converted to values.
type method struct {
	f              *types.Func
	signature      reflect.Type
	pointer, value *ir.FuncRef
}

// methodsOf returns the methods of a type, as functions whose first parameter is the receiver.
func (u *universe) methodsOf(r *record) []method {
	var list []method
	pointer := types.NewPointer(r.typ)
	if isPointerKind(r.typ) {
		return nil
	}
	onValue := map[string]bool{}
	values := types.NewMethodSet(r.typ)
	for i := range values.Len() {
		onValue[values.At(i).Obj().Id()] = true
	}
	set := types.NewMethodSet(pointer)
	for i := range set.Len() {
		s := set.At(i)
		f := s.Obj().(*types.Func)
		if !f.Exported() && !u.s.isSource(f.Pkg()) {
			continue // compiled code cannot call a method of this name
		}
		m := method{f: f, signature: u.Of(plain(s.Type().(*types.Signature)))}
		m.pointer = u.methodFunc(pointer, f, s.Index())
		if onValue[f.Id()] {
			m.value = u.methodFunc(r.typ, f, s.Index())
		}
		list = append(list, m)
	}
	return list
}

func isPointerKind(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// methodFunc returns a function that calls a method of its first parameter.
func (u *universe) methodFunc(recv types.Type, f *types.Func, path []int) *ir.FuncRef {
	_, havePointer := recv.(*types.Pointer)
	if declared := f.Signature().Recv(); len(path) == 1 && declared != nil {
		if _, wantPointer := declared.Type().(*types.Pointer); wantPointer == havePointer {
			named, _ := types.Unalias(deref(recv)).(*types.Named)
			var targs []types.Type
			if named != nil {
				targs = typeArgs(named)
			}
			if ref := u.s.FuncRef(f.Origin(), targs); ref != nil {
				return ref
			}
		}
	}
	return u.s.wrapper(recv, f, path)
}

func deref(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// real converts a method to an entry of a method table.
func (m method) real(u *universe) realtype.Method {
	out := realtype.Method{Name: methodName(m.f), Type: m.signature, OnValue: m.value != nil}
	out.Pointer = u.s.machine.FuncValue(m.pointer, u.Of(m.pointer.Sig))
	if m.value != nil {
		out.Value = u.s.machine.FuncValue(m.value, u.Of(m.value.Sig))
	}
	return out
}

// markUsed records that code that may look up the methods of types is about to run. From then on
// the runtime may have cached the method sets.
func (u *universe) markUsed() {
	for _, r := range u.fresh {
		r.real.MarkUsed()
	}
	u.fresh = nil
}

// unused records that types have been remade. Package realtype counts them as unused until they are
// marked.
func (u *universe) unused() {
	for _, r := range u.records {
		if r.real != nil {
			u.fresh = append(u.fresh, r)
		}
	}
}

// completeInterfaces updates the parameter and result types of interface methods, some of which may
// have been remade.
func (u *universe) completeInterfaces() {
	for _, r := range u.records {
		if r.real != nil && isInterface(r.typ) {
			u.pending = append(u.pending, r)
		}
	}
	u.complete()
}
