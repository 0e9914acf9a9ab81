package realtype

import (
	"fmt"
	"go/token"
	"hash/fnv"
	"path"
	"reflect"
	"regexp"
	"unsafe"
)

const (
	// maxMethods is what a type can have.
	maxMethods = 512
	// A method may need a hidden twin (see HiddenName).
	maxEntries = 2 * maxMethods
	// fewEntries is the room that most types have. The room for a table follows the type in
	// memory, so it is fixed when the type is made: a type that needs more is made anew. time.Time,
	// the largest type that cells commonly embed, has 50 methods.
	fewEntries = 256
	// maxParameters is the room for parameters and results of a named function type.
	maxParameters = 24
)

// A methodTable is the room for methods that belongs to one forged type.
type methodTable struct {
	uncommon *abiUncommon
	entries  []abiMethod
}

type (
	few  = [fewEntries]abiMethod
	many = [maxEntries]abiMethod
)

// body is a forged type of any kind but func: the type, then the uncommon part where
// the runtime expects it, then the methods.
type body[Head any, Entries few | many] struct {
	head     Head
	uncommon abiUncommon
	entries  Entries
}

// funcBody is the same for function types, whose parameters follow the uncommon part.
type funcBody[Entries few | many] struct {
	funcHead
	entries Entries
}

type funcHead struct {
	head       abiFunc
	uncommon   abiUncommon
	parameters [maxParameters]*abiType
}

// copyType makes a copy of a type with room for methods. Size, collector data,
// equality and the way it is held in interfaces come with the copy.
func copyType[Entries few | many](source *abiType) (*abiType, *methodTable) {
	switch reflect.Kind(source.kind) {
	case reflect.Struct:
		return copyAs[abiStruct, Entries](source)
	case reflect.Pointer, reflect.Slice:
		return copyAs[abiElem, Entries](source)
	case reflect.Array:
		return copyAs[abiArray, Entries](source)
	case reflect.Chan:
		return copyAs[abiChan, Entries](source)
	case reflect.Map:
		return copyAs[abiMap, Entries](source)
	case reflect.Interface:
		return copyAs[abiInterface, Entries](source)
	case reflect.Func:
		return copyFunc[Entries](source)
	}
	return copyAs[abiType, Entries](source)
}

func copyAs[Head any, Entries few | many](source *abiType) (*abiType, *methodTable) {
	b := &body[Head, Entries]{head: *(*Head)(unsafe.Pointer(source))}
	world.pinned = append(world.pinned, b)
	b.uncommon.offset = uint32(unsafe.Offsetof(b.entries) - unsafe.Offsetof(b.uncommon))
	return (*abiType)(unsafe.Pointer(&b.head)), &methodTable{&b.uncommon, listOf(&b.entries)}
}

func listOf[Entries few | many](entries *Entries) []abiMethod {
	return unsafe.Slice((*abiMethod)(unsafe.Pointer(entries)), unsafe.Sizeof(*entries)/unsafe.Sizeof(abiMethod{}))
}

func copyFunc[Entries few | many](source *abiType) (*abiType, *methodTable) {
	b := &funcBody[Entries]{funcHead: funcHead{head: *(*abiFunc)(unsafe.Pointer(source))}}
	world.pinned = append(world.pinned, b)
	setParameters(&b.funcHead, reflectOf(source))
	b.uncommon.offset = uint32(unsafe.Offsetof(b.entries) - unsafe.Offsetof(b.uncommon))
	return &b.head.abiType, &methodTable{&b.uncommon, listOf(&b.entries)}
}

func setParameters(b *funcHead, signature reflect.Type) {
	for i := range signature.NumIn() {
		b.parameters[i] = abiOf(signature.In(i))
	}
	for i := range signature.NumOut() {
		b.parameters[signature.NumIn()+i] = abiOf(signature.Out(i))
	}
}

// forge makes a new type with the layout of source, and the pointer to it. The text is
// what reflect.Type.String gives; named tells whether it is a name.
func forge[Entries few | many](source *abiType, pkgPath, text string, named bool) (*abiType, [2]*methodTable) {
	typ, table := copyType[Entries](source)
	typ.flags = typ.flags&^(flagExtraStar|flagNamed) | flagUncommon
	if named {
		typ.flags |= flagNamed
	}
	typ.hash = nextHash(text)
	typ.name = nameOffset(text, exportedFlag(text))

	pointer, pointerTable := copyType[Entries](abiOf(reflect.TypeFor[*byte]()))
	pointer.flags = pointer.flags&^(flagExtraStar|flagNamed) | flagUncommon
	pointer.hash = nextHash("*" + text)
	pointer.name = nameOffset("*"+text, 0)
	pointer.ptrToThis = 0
	(*abiElem)(unsafe.Pointer(pointer)).elem = typ
	typ.ptrToThis = addReflectOff(unsafe.Pointer(pointer))

	table.uncommon.pkgPath = nameOffset(pkgPath, 0)
	pointerTable.uncommon.pkgPath = table.uncommon.pkgPath
	return typ, [2]*methodTable{table, pointerTable}
}

var hashes uint32

// nextHash returns a hash that differs for types with one name: compiled type switches
// compare hashes before they compare types.
func nextHash(text string) uint32 {
	hashes++
	h := fnv.New32a()
	fmt.Fprint(h, text, hashes)
	return h.Sum32()
}

func exportedFlag(name string) byte {
	if token.IsExported(name) {
		return nameExported
	}
	return 0
}

// Declare makes the named type pkgPath.name with the given layout. Its parts are those
// of the layout until they are completed; as the layout is known, a type that mentions
// itself needs no special treatment. Every call makes a new type, also for a name that
// was declared before. The name of an instance has its type arguments in brackets.
func Declare(pkgPath, name string, layout reflect.Type) (*Type, error) {
	return declare(&Type{role: namedType, pkgPath: pkgPath, name: name}, layout)
}

// DeclareLarge is Declare for a type that will have so many methods, hidden ones not counted. A
// type that gets more than it has room for is made anew, which those that hold values of it notice.
func DeclareLarge(pkgPath, name string, layout reflect.Type, methods int) (*Type, error) {
	return declare(&Type{role: namedType, pkgPath: pkgPath, name: name, large: 2*methods > fewEntries}, layout)
}

// DeclareLayout makes a layout type for a recursive type that the interpreter cannot
// lay out by itself, such as type State func(*Machine) State. The shape is any type of
// the same kind and memory layout: what the type says about itself behind a pointer,
// slice, map, channel or function is replaced by another type of equal size (*byte for
// *Event, []*byte for []Event, func() for func(Event)); an array, struct field or map
// key or element of the type's own kind by a type of its shape.
//
// The result is completed with layout types, after which its Layout is handed to the
// interpreter as a compiled type and to Declare as the layout of the real type. All its
// fields count as exported, so that the interpreter may write them.
func DeclareLayout(pkgPath, name string, shape reflect.Type) (*Type, error) {
	return declare(&Type{role: layoutType, pkgPath: pkgPath, name: name}, shape)
}

func declare(t *Type, layout reflect.Type) (*Type, error) {
	switch layout.Kind() {
	case reflect.Interface:
		return nil, fmt.Errorf("realtype: %s.%s is an interface, which DeclareInterface makes", t.pkgPath, t.name)
	case reflect.Func:
		if n := layout.NumIn() + layout.NumOut(); n > maxParameters {
			return nil, fmt.Errorf("realtype: type %s.%s has %d parameters and results, a cell type can have %d", t.pkgPath, t.name, n, maxParameters)
		}
	}
	world.Lock()
	defer world.Unlock()
	t.makeReal(layout)
	if t.role == layoutType {
		layout = t.Real()
		t.setForms(layout, layout)
	}
	return t, nil
}

// forgeReal makes a real type for t from a layout. Nobody knows it yet.
func (t *Type) forgeReal(layout reflect.Type) (*forms, [2]*methodTable) {
	text, named := Text(t.pkgPath, t.name), true
	if t.role == unnamedForge {
		text, named = structText(t.fields), false
	}
	if t.pkgPath == "" {
		text, named = t.name, false
	}
	make := forge[few]
	if t.large {
		make = forge[many]
	}
	real, tables := make(abiOf(layout), t.pkgPath, text, named)
	return &forms{real: reflectOf(real), layout: layout, realT: real, layoutT: abiOf(layout)}, tables
}

// Text is what reflection shows of a named type: *atomic.Pointer[int] has the name of its package, not the path. In the standard
// library and in cells the name is the last part of the path, but for the number of a version.
func Text(pkgPath, name string) string {
	pkg := path.Base(pkgPath)
	if version.MatchString(pkg) {
		pkg = path.Base(path.Dir(pkgPath))
	}
	return pkg + "." + name
}

var version = regexp.MustCompile(`^v[0-9]+$`)

// makeReal forges the first real type of t.
func (t *Type) makeReal(layout reflect.Type) {
	f, tables := t.forgeReal(layout)
	t.publish(f, tables)
	world.forged = append(world.forged, t)
}

// publish makes a forged type the current one.
func (t *Type) publish(f *forms, tables [2]*methodTable) {
	t.tables = tables
	owners.Store(f.realT, t)
	t.forms.Store(f)
}

// DeclareInterface makes the named interface type pkgPath.name, empty until it is
// completed. Without a package the name is the text of an unnamed interface type.
// Interfaces have one form: the real type is the layout.
func DeclareInterface(pkgPath, name string) (*Type, error) {
	world.Lock()
	defer world.Unlock()
	t := &Type{role: interfaceOf, pkgPath: pkgPath, name: name}
	t.makeReal(reflect.TypeFor[any]())
	real := t.Real()
	if pkgPath == "" {
		pkgPath = unnamedPackage // of unexported methods
	}
	(*abiInterface)(unsafe.Pointer(abiOf(real))).pkgPath = newName(pkgPath, "", 0)
	t.setForms(real, real)
	return t, nil
}
