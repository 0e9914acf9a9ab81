package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"gosphere/runtime/realtype"
)

// A methodTable is the work of giving a real type its methods: functions with the
// receiver as first parameter, one for pointers and, if the value has the method too, one
// for values.
type methodTable struct {
	record  *record
	methods []realtype.Method
	before  []string // the names of the methods that the type had
	// positions of the wrappers among the collected functions; -1 for none
	pointer, value []int
}

// wrappers are the functions behind method tables, as emitted so far, and their names.
type wrappers struct{ text, names []string }

// buildMethodTables emits, evaluates and installs the method tables of all types whose
// methods are new or have changed.
func (u *unit) buildMethodTables() error {
	var w wrappers
	var tables []*methodTable
	for len(u.methodTables) > 0 {
		list := u.methodTables
		u.methodTables = nil
		for _, r := range list {
			if table := u.methodTable(r, &w); table != nil {
				tables = append(tables, table)
			}
		}
		u.emitQueued() // wrappers may call methods of instances that nothing else has called
		u.complete()
	}
	if len(tables) == 0 {
		return nil
	}
	if err := u.evaluateFunctions(w.text...); err != nil {
		return err
	}
	u.s.collected = nil
	if _, err := u.s.engine.Eval(fmt.Sprintf("%s.Collect(%s)", support, strings.Join(w.names, ", "))); err != nil {
		return fmt.Errorf("lower: collecting methods: %w", err)
	}
	for _, t := range tables {
		before := t.record.real.Real()
		if err := t.install(u.s.collected); err != nil {
			return refuse(token.NoPos, "type %s: %v", t.record.display, err)
		}
		if t.record.real.Real() != before {
			u.noteRenewal(t)
		}
	}
	return nil
}

// methodTable emits the wrappers of a type's methods. It returns nil when nothing has
// changed since the last time.
func (u *unit) methodTable(r *record, w *wrappers) *methodTable {
	if isInterface(r.typ) {
		return nil
	}
	if _, pointer := r.typ.Underlying().(*types.Pointer); pointer {
		return nil // a named pointer type has no methods
	}
	onValue := types.NewMethodSet(r.typ)
	all := types.NewMethodSet(types.NewPointer(r.typ))
	if all.Len() == 0 {
		return nil
	}
	e := u.emitter(nil)
	table := &methodTable{record: r}
	var functions []string
	for i := 0; i < all.Len(); i++ {
		selection := all.At(i)
		f := selection.Obj().(*types.Func)
		if u.foreign(f) {
			continue
		}
		// A function promoted through an embedded interface has no name of its own.
		functions = append(functions, f.Name()+" "+e.methodOf("r", types.NewPointer(r.typ), f, selection.Index()).callee)
	}
	signature := strings.Join(functions, ";")
	if r.methods == signature {
		return nil
	}
	old := r.methods
	table.before = methodNames(old)
	r.methods = signature
	u.s.undo = append(u.s.undo, func() { r.methods = old })
	for i := 0; i < all.Len(); i++ {
		if u.foreign(all.At(i).Obj().(*types.Func)) {
			continue
		}
		inValue := onValue.Lookup(all.At(i).Obj().Pkg(), all.At(i).Obj().Name()) != nil
		u.wrap(table, all.At(i), inValue, w)
	}
	return table
}

// foreign tells whether a method is an unexported one of a compiled package, promoted
// through an embedded field, which nobody can call.
func (u *unit) foreign(f *types.Func) bool {
	if f.Exported() || f.Pkg() == nil || f.Pkg().Path() == "main" {
		return false
	}
	p := u.s.library[f.Pkg().Path()]
	return p == nil || p.types != f.Pkg()
}

// wrap emits the wrappers of one method.
func (u *unit) wrap(table *methodTable, selection *types.Selection, onValue bool, w *wrappers) {
	f := selection.Obj().(*types.Func)
	signature := plain(u.s.substitute(selection.Type(), nil).(*types.Signature))
	typ := table.record.typ
	emit := func(receiver types.Type) int {
		name := u.s.global(table.record.display[:nameLength(table.record.display)] + localMark + f.Name())
		target := u.emitter(nil).methodOf("r", receiver, f, selection.Index())
		entry := u.s.passage(target.callee) + "; "
		if _, pointer := receiver.(*types.Pointer); pointer && onValue && len(selection.Index()) == 1 {
			entry += fmt.Sprintf("if r == nil { %s.NilReceiver(%q, %q, %q) }; ", support, table.record.path, table.record.display, f.Name())
		}
		w.text = append(w.text, u.forward("func "+name, "r "+u.spell(receiver), signature, target, entry))
		w.names = append(w.names, name)
		return len(w.names) - 1
	}
	add := func(m realtype.Method, pointer, value int) {
		table.methods = append(table.methods, m)
		table.pointer = append(table.pointer, pointer)
		table.value = append(table.value, value)
	}
	pointer, value := emit(types.NewPointer(typ)), -1
	if onValue {
		value = emit(typ)
	}
	if f.Exported() { // compiled code cannot call the others
		add(realtype.Method{Name: f.Name(), Type: u.real(signature), OnValue: onValue}, pointer, value)
	}
	if hidden := u.methodName(f); hidden != f.Name() {
		add(realtype.Method{Name: hidden, Type: nil, OnValue: onValue, Hidden: true}, pointer, value)
	}
}

func nameLength(display string) int {
	if i := strings.IndexByte(display, '['); i >= 0 {
		return i
	}
	return len(display)
}

// forward emits a function that hands its parameters on to a method. Before the others it
// has the parameter first, which may be empty.
func (u *unit) forward(header, first string, signature *types.Signature, to target, entry string) string {
	parameters := []string{}
	if first != "" {
		parameters = append(parameters, first)
	}
	arguments := []string{}
	for i := 0; i < signature.Params().Len(); i++ {
		name := fmt.Sprintf("a%d", i)
		parameters = append(parameters, name+" "+u.spellParameter(signature, i))
		if signature.Variadic() && i == signature.Params().Len()-1 {
			name += "..."
		}
		arguments = append(arguments, name)
	}
	var results []string
	for i := 0; i < signature.Results().Len(); i++ {
		results = append(results, u.spell(signature.Results().At(i).Type()))
	}
	give := ""
	if len(results) > 0 {
		give = "return "
	}
	return fmt.Sprintf("%s(%s) (%s) { %s%s%s }", header, strings.Join(parameters, ", "), strings.Join(results, ", "),
		entry, give, to.call(strings.Join(to.arguments(signature, arguments), ", ")))
}

// install hands the functions that the interpreter made to the real type.
func (t *methodTable) install(functions []any) error {
	for i := range t.methods {
		m := &t.methods[i]
		m.Pointer = reflect.ValueOf(functions[t.pointer[i]])
		if t.value[i] >= 0 {
			m.Value = reflect.ValueOf(functions[t.value[i]])
		}
		if m.Hidden {
			m.Type = realtype.DropFirst(m.Pointer.Type())
		}
	}
	return t.record.real.SetMethods(t.methods)
}

// methodsChanged puts every type on the list whose method set may hold one of the
// functions that this cell declares.
func (u *unit) methodsChanged() {
	u.renewInstances()
	for _, r := range u.s.real {
		if !isInterface(r.typ) && !slices.Contains(u.methodTables, r) {
			u.methodTables = append(u.methodTables, r)
		}
	}
}
