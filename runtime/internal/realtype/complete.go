package realtype

import (
	"cmp"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// A Field is one field of a struct, as declared by the user.
//
// For an embedded field, Name is the name of its type.
type Field struct {
	Name, Tag string
	Embedded  bool
	Type      reflect.Type
}

// CompleteStruct sets the names, tags and types of the fields. It panics if their number differs
// from that of the layout, except that a layout without size may have fields although the type has
// none.
func (t *Type) CompleteStruct(fields []Field) { t.CompleteStructOf(t.pkgPath, fields) }

// CompleteStructOf is like CompleteStruct for a type whose unexported fields belong to a package
// other than that of the type, as those of a type that is declared as time.Time.
func (t *Type) CompleteStructOf(owner string, fields []Field) {
	world.Lock()
	defer world.Unlock()
	t.fields, t.owner = slices.Clone(fields), owner
	t.completed = true
	t.completeStruct(t.real.Load())
}

// completeStruct sets the fields of a run-time type. It replaces the list of fields as a whole,
// because the layout's list may be shared with a compiled type.
func (t *Type) completeStruct(real *abiType) {
	s := (*abiStruct)(unsafe.Pointer(real))
	if len(t.fields) != len(s.fields) && (len(t.fields) != 0 || s.size != 0) {
		panic(fmt.Sprintf("realtype: %v has %d fields, its layout has %d", t, len(t.fields), len(s.fields)))
	}
	fields := make([]abiField, len(t.fields))
	allExported := true
	for i, field := range t.fields {
		flags := exportedFlag(field.Name)
		allExported = allExported && flags != 0
		if field.Embedded {
			flags |= nameEmbedded
		}
		fields[i] = abiField{name: newName(field.Name, field.Tag, flags), typ: abiOf(field.Type), offset: s.fields[i].offset}
	}
	// Structs of several packages can be identical if no field is unexported. reflect compares
	// packages whenever there is one, so it is set only if needed.
	if s.pkgPath = nil; !allExported {
		s.pkgPath = newName(cmp.Or(t.owner, t.pkgPath), "", 0)
	}
	s.fields = fields
}

// CompleteElem sets the element type of a slice, array, pointer, channel or map type.
func (t *Type) CompleteElem(elem reflect.Type) {
	world.Lock()
	defer world.Unlock()
	completeElem(t.real.Load(), elem)
}

// completeElem sets the element type of a run-time type.
func completeElem(real *abiType, elem reflect.Type) {
	e := abiOf(elem)
	switch kind := reflect.Kind(real.kind); kind {
	case reflect.Array:
		a := (*abiArray)(unsafe.Pointer(real))
		a.elem, a.slice = e, abiOf(reflect.SliceOf(elem))
	case reflect.Chan:
		(*abiChan)(unsafe.Pointer(real)).elem = e
	case reflect.Map:
		(*abiMap)(unsafe.Pointer(real)).elem = e
	case reflect.Pointer, reflect.Slice:
		(*abiElem)(unsafe.Pointer(real)).elem = e
	default:
		panic(fmt.Sprintf("realtype: %v of kind %v has no element type", reflectOf(real), kind))
	}
}

// CompleteKey sets the key type of a map type.
func (t *Type) CompleteKey(key reflect.Type) {
	world.Lock()
	defer world.Unlock()
	completeKey(t.real.Load(), key)
}

// completeKey sets the key type of a run-time type. The hasher stays that of the layout. It fits,
// because the layout of the key determines which bytes are hashed.
func completeKey(real *abiType, key reflect.Type) {
	if kind := reflect.Kind(real.kind); kind != reflect.Map {
		panic(fmt.Sprintf("realtype: %v of kind %v has no key type", reflectOf(real), kind))
	}
	(*abiMap)(unsafe.Pointer(real)).key = abiOf(key)
}

// CompleteFunc sets the parameters and results of a named function type to those of the signature.
func (t *Type) CompleteFunc(signature reflect.Type) {
	world.Lock()
	defer world.Unlock()
	completeFunc(t.real.Load(), signature)
}

// completeFunc sets the signature of a run-time type. The counts must be those of the layout,
// because the executor has chosen registers by the layout.
func completeFunc(real *abiType, signature reflect.Type) {
	old := reflectOf(real)
	if old.Kind() != reflect.Func || signature.Kind() != reflect.Func || old.IsVariadic() != signature.IsVariadic() ||
		old.NumIn() != signature.NumIn() || old.NumOut() != signature.NumOut() {
		panic(fmt.Sprintf("realtype: %v cannot have the signature %v", old, signature))
	}
	setParameters((*funcHead)(unsafe.Pointer(real)), signature)
}

// An InterfaceMethod is one method of an interface type. Its type has no receiver.
type InterfaceMethod struct {
	Name string
	Type reflect.Type
}

// CompleteInterface sets the methods of an interface type, in any order. They include the methods
// of embedded interfaces.
func (t *Type) CompleteInterface(methods []InterfaceMethod) {
	world.Lock()
	defer world.Unlock()
	methods = slices.Clone(methods)
	slices.SortFunc(methods, func(a, b InterfaceMethod) int { return compareNames(a.Name, b.Name) })
	real := (*abiInterface)(unsafe.Pointer(t.real.Load()))
	// The methods are replaced without a new run-time type. The runtime's tables for pairs of an
	// interface and a concrete type were computed from the old list, so an interface type is
	// completed before values of it exist.
	real.methods = make([]abiInterfaceMethod, len(methods))
	for i, m := range methods {
		real.methods[i] = abiInterfaceMethod{name: nameOffset(m.Name, exportedFlag(m.Name)), typ: addReflectOff(unsafe.Pointer(abiOf(m.Type)))}
	}
	// Non-empty interface values begin with a method table and empty ones with a type, so the two
	// need different functions for comparison.
	like := reflect.TypeFor[any]()
	if len(methods) > 0 {
		like = reflect.TypeFor[error]()
	}
	real.equal = abiOf(like).equal
}

// HiddenName returns the name under which types list an unexported method of a package. Reflection
// does not list it, and no compiled type has a method of this name, so compiled code never finds
// it.
func HiddenName(pkgPath, name string) string { return hiddenPrefix + pkgPath + "." + name }

const hiddenPrefix = "Ψ"

// plainName returns the name of a method without the prefix that HiddenName adds. A package path
// may contain dots, but a method name does not.
func plainName(name string) string {
	if strings.HasPrefix(name, hiddenPrefix) {
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	return name
}

// compareNames orders methods as gc does: exported methods precede others. Hidden methods come
// last. The runtime fills method tables of interfaces by walking the sorted methods of the
// interface and of the type once. Both lists must have the same order, or it would miss methods.
func compareNames(a, b string) int {
	if d := nameRank(a) - nameRank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// nameRank returns the position of a method's group in the order of compareNames.
func nameRank(name string) int {
	switch {
	case strings.HasPrefix(name, hiddenPrefix):
		return 2
	case token.IsExported(name):
		return 0
	}
	return 1
}
