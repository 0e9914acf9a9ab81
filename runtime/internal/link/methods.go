package link

import (
	"go/types"
	"reflect"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/realtype"
)

// A methodKey identifies a method of a run-time type.
type methodKey struct {
	typ  reflect.Type
	name string
}

// again schedules the method table of a type to be filled again. Interface types have method lists,
// which are part of the type, and no tables.
func (s *Session) again(r *record) {
	if r.real != nil && !isInterface(r.typ) {
		s.outdated = append(s.outdated, r)
	}
}

// methodOf returns the function that implements a method of a type, or nil.
func (s *Session) methodOf(t reflect.Type, name string) *ir.FuncRef {
	if found, ok := s.tables.Load(methodKey{t, name}); ok {
		return found.(*ir.FuncRef)
	}
	return nil
}

// fill gives types their methods. The functions in a method table call the latest code, so a table
// needs to be filled again only if the method set may have changed. It also handles the
// consequences of a renewal, since only here can types get new run-time types.
func (s *Session) fill() error {
	list := s.outdated
	s.outdated = nil
	done := map[*record]bool{}
	// The methods of all types are collected first, because that may build wrappers, which are then
	// compiled together.
	var tables []methodTable
	for _, r := range list {
		// A type is scheduled once for each declared method.
		if done[r] {
			continue
		}
		done[r] = true
		// The record may be older than a method. An instance also depends on methods of types that
		// its generic type embeds.
		if now := s.newest(r.typ); now != r.typ {
			assign(s.journal, &r.typ, now)
		}
		tables = append(tables, methodTable{r, s.methodsOf(r)})
	}
	if len(tables) == 0 {
		return nil
	}
	// Wrappers must be compiled before the tables refer to them.
	if err := s.drain(); err != nil {
		return err
	}
	unit, machine := s.unit, s.machine
	program := unit.program
	unit.program = &ir.Program{}
	if _, err := machine.Compile(program); err != nil {
		return converted(err)
	}
	renewed, err := s.set(tables)
	if err != nil {
		return err
	}
	if renewed {
		s.unused()
		s.completeInterfaces()
		// The order matters: interface types must mention the new types before the machine resolves
		// types again, and instances are built with both.
		machine.Forget()
		s.rebuildInstances()
	}
	return nil
}

// A methodTable has the methods of one type.
type methodTable struct {
	record  *record
	methods []method
}

// set sets the methods of types and reports whether a type has been renewed. The runtime remembers
// which methods a used type has. If such a type gains one, SetMethods gives it a new run-time type.
func (s *Session) set(tables []methodTable) (renewed bool, err error) {
	unit := s.unit
	before := s.realTypes()
	for _, t := range tables {
		unit.filled[t.record] = true
		var methods []realtype.Method
		for _, f := range t.methods {
			methods = append(methods, s.tableEntry(f))
		}
		if err := t.record.real.SetMethods(methods); err != nil {
			return false, refuse(0, "type %s: %v", t.record.display, err)
		}
	}
	s.keepEarlier(before)
	for _, t := range tables {
		now := t.record.real.Real()
		if old := before[t.record]; now != old {
			// Real returns the new type from here on; code that is compiled later in this unit
			// contains it.
			renewed = true
			s.noteRenewal(t.record, old, t.methods)
		}
		for _, f := range t.methods {
			name := methodName(f.f)
			// Dynamic calls by the machine look the function up here and call it without the stub.
			s.store(methodKey{reflect.PointerTo(now), name}, f.pointer)
			if f.value != nil {
				s.store(methodKey{now, name}, f.value)
			}
			for _, old := range t.record.earlier {
				s.replace(methodKey{reflect.PointerTo(old), name}, f.pointer)
				s.replace(methodKey{old, name}, f.value)
			}
		}
	}
	return renewed, nil
}

// replace gives a method of an earlier run-time type the function that has replaced it, if the type
// has the method with this signature. Package realtype does so for calls by compiled code.
func (s *Session) replace(key methodKey, now *ir.FuncRef) {
	old := s.methodOf(key.typ, key.name)
	if now != nil && old != nil && old != now && s.sameSignature(old, now) {
		s.store(key, now)
	}
}

// sameSignature reports whether two methods have identical parameters and results. The receivers
// are the first parameters.
func (s *Session) sameSignature(a, b *ir.FuncRef) bool {
	return s.key(a.Sig) == s.key(b.Sig)
}

// A Renewal describes a type that has gained methods while interface values may hold values of it.
// Such values keep the methods with which they were made.
type Renewal struct {
	Type    string
	Methods []string // the new methods
	Changed []string // methods with another receiver or signature
}

// noteRenewal records that a type has been remade with additional methods. There is no warning if
// no session variable can hold an interface value, since then none with the old methods can be
// reached.
func (s *Session) noteRenewal(r *record, before reflect.Type, methods []method) {
	renewal := Renewal{Type: r.display}
	for _, f := range methods {
		name := methodName(f.f)
		switch old := s.methodOf(reflect.PointerTo(before), name); {
		case old == nil:
			renewal.Methods = append(renewal.Methods, f.f.Name())
		case !s.sameSignature(old, f.pointer), (s.methodOf(before, name) == nil) != (f.value == nil):
			renewal.Changed = append(renewal.Changed, f.f.Name())
		}
	}
	// One warning for each type is enough: the advice is the same for the next method.
	if len(renewal.Methods)+len(renewal.Changed) > 0 && !r.told && s.holdInterfaces() {
		assign(s.journal, &r.told, true)
		unit := s.unit
		unit.renewed = append(unit.renewed, renewal)
	}
}

// store records the function of a method, and undoes that if the current unit fails.
func (s *Session) store(key methodKey, ref *ir.FuncRef) {
	old, had := s.tables.Swap(key, ref)
	// The entry in the run-time table itself is restored by rollback, which fills the table again.
	s.journal.undo(func() {
		if had {
			s.tables.Store(key, old)
		} else {
			s.tables.Delete(key)
		}
	})
}

// A method is a method of a type whose functions have not yet been converted to values. pointer
// takes a receiver of type *T, and value one of type T. value is nil for a method with a pointer
// receiver.
type method struct {
	f              *types.Func
	signature      reflect.Type
	pointer, value *ir.FuncRef
}

// methodsOf returns the methods of a type, as functions whose first parameter is the receiver. For
// a type T with methods (T) Get and (*T) Set, Get has functions for receivers of type T and *T, and
// Set only for *T.
func (s *Session) methodsOf(r *record) []method {
	var list []method
	pointer := types.NewPointer(r.typ)
	// The specification does not allow methods of a type whose underlying type is a pointer.
	if isPointerKind(r.typ) {
		return nil
	}
	// Id distinguishes unexported methods of the same name in different packages.
	onValue := map[string]bool{}
	values := types.NewMethodSet(r.typ)
	for i := range values.Len() {
		onValue[values.At(i).Obj().Id()] = true
	}
	set := types.NewMethodSet(pointer)
	for i := range set.Len() {
		selection := set.At(i)
		f := selection.Obj().(*types.Func)
		// Compiled code cannot call unexported methods of other packages. A method with type parameters
		// implements no method of an interface, and reflection does not list it.
		if !f.Exported() && !s.isSource(f.Pkg()) || f.Signature().TypeParams().Len() > 0 {
			continue
		}
		entry := method{f: f, signature: s.typeOf(plain(selection.Type().(*types.Signature)))}
		entry.pointer = s.methodFunc(pointer, f, selection.Index())
		if onValue[f.Id()] {
			entry.value = s.methodFunc(r.typ, f, selection.Index())
		}
		list = append(list, entry)
	}
	return list
}

func isPointerKind(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// methodFunc returns a function that calls a method of its first parameter. A declared method whose
// receiver already has the required form serves itself; for others, such as promoted ones, a
// wrapper is built. For instance, for the receiver *T a wrapper dereferences the pointer and calls
// (T) Get, and for a struct that embeds T it selects the field first.
func (s *Session) methodFunc(recv types.Type, f *types.Func, path []int) *ir.FuncRef {
	_, havePointer := recv.(*types.Pointer)
	if declared := f.Signature().Recv(); len(path) == 1 && declared != nil {
		if _, wantPointer := declared.Type().(*types.Pointer); wantPointer == havePointer {
			named, _ := types.Unalias(deref(recv)).(*types.Named)
			var targs []types.Type
			if named != nil {
				targs = typeArgs(named)
			}
			if ref, _ := s.funcRef(f.Origin(), targs, s.unit.checked); ref != nil {
				return ref
			}
		}
	}
	return s.wrapper(recv, f, path)
}

// deref returns the element type of a pointer type, and other types unchanged.
func deref(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// tableEntry converts a method to an entry of a method table. The entry has function values,
// because compiled code calls methods through the table, too.
func (s *Session) tableEntry(f method) realtype.Method {
	u, machine := s, s.machine
	out := realtype.Method{Name: methodName(f.f), Type: f.signature, OnValue: f.value != nil}
	out.Pointer = machine.FuncValue(f.pointer, u.typeOf(f.pointer.Sig))
	if f.value != nil {
		out.Value = machine.FuncValue(f.value, u.typeOf(f.value.Sig))
	}
	return out
}
