package realtype

import (
	"fmt"
	"go/token"
	"hash/fnv"
	"path"
	"reflect"
	"sync"
	"unsafe"

	"gosphere/internal/lazyregexp"
)

const (
	// maxMethods is the maximum number of methods of a type.
	maxMethods = 1024
	// fewMethods is the method table capacity of most types, and someMethods that of types with
	// more methods. The table follows the type in memory, so its capacity is fixed when the type is
	// made; a type that needs more is remade. time.Time, the largest type that cells commonly embed,
	// has 50 methods.
	fewMethods  = 8
	someMethods = 128
	// maxParameters is the maximum number of parameters and results of a named function type.
	maxParameters = 24
)

// A methodTable is the method table that belongs to one forged type. It is the space after the type
// in memory as Go values, so that no code of this package computes addresses of entries.
type methodTable struct {
	uncommon *abiUncommon
	entries  []abiMethod
}

type (
	few  = [fewMethods]abiMethod
	some = [someMethods]abiMethod
	many = [maxMethods]abiMethod
)

// A body is a forged type of any kind except func: the type, followed by the uncommon part at the
// position that the runtime expects, and the methods.
type body[Head any, Entries few | some | many] struct {
	head     Head
	uncommon abiUncommon
	entries  Entries
}

// A funcBody is the body of a function type, whose parameters follow the uncommon part.
type funcBody[Entries few | some | many] struct {
	funcHead
	entries Entries
}

type funcHead struct {
	head       abiFunc
	uncommon   abiUncommon
	parameters [maxParameters]*abiType
}

// copyType returns a copy of a type with space for methods. The copy has the same size, pointer
// data, equality function and representation in interface values.
func copyType[Entries few | some | many](source *abiType) (*abiType, *methodTable) {
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

// copyAs is like copyType for all kinds except func. Head is the mirror of the kind; its size
// decides where the runtime looks for the uncommon part.
func copyAs[Head any, Entries few | some | many](source *abiType) (*abiType, *methodTable) {
	b := &body[Head, Entries]{head: *(*Head)(unsafe.Pointer(source))}
	world.pinned = append(world.pinned, b)
	b.uncommon.offset = uint32(unsafe.Offsetof(b.entries) - unsafe.Offsetof(b.uncommon))
	return (*abiType)(unsafe.Pointer(&b.head)), &methodTable{&b.uncommon, listOf(&b.entries)}
}

// listOf returns the array as a slice, for all capacities.
func listOf[Entries few | some | many](entries *Entries) []abiMethod {
	return unsafe.Slice((*abiMethod)(unsafe.Pointer(entries)), unsafe.Sizeof(*entries)/unsafe.Sizeof(abiMethod{}))
}

// copyFunc is like copyType for function types. The array of parameters has a fixed length, because
// the entries follow it and their offset is a constant of the type.
func copyFunc[Entries few | some | many](source *abiType) (*abiType, *methodTable) {
	b := &funcBody[Entries]{funcHead: funcHead{head: *(*abiFunc)(unsafe.Pointer(source))}}
	world.pinned = append(world.pinned, b)
	setParameters(&b.funcHead, reflectOf(source))
	b.uncommon.offset = uint32(unsafe.Offsetof(b.entries) - unsafe.Offsetof(b.uncommon))
	return &b.head.abiType, &methodTable{&b.uncommon, listOf(&b.entries)}
}

// setParameters sets the types of parameters and results. The runtime reads as many as the counts
// in head say.
func setParameters(b *funcHead, signature reflect.Type) {
	for i := range signature.NumIn() {
		b.parameters[i] = abiOf(signature.In(i))
	}
	for i := range signature.NumOut() {
		b.parameters[signature.NumIn()+i] = abiOf(signature.Out(i))
	}
}

// forge makes a new type with the layout of source, and the type of pointers to it. text is the
// result of reflect.Type.String. named reports whether text is a name.
func forge[Entries few | some | many](source *abiType, pkgPath, text string, named bool) (*abiType, [2]*methodTable) {
	typ, table := copyType[Entries](source)
	typ.flags = typ.flags&^(flagExtraStar|flagNamed) | flagUncommon
	if named {
		typ.flags |= flagNamed
	}
	// A copied flag such as flagDirect stays: it depends on the layout alone.
	typ.hash = nextHash(text)
	typ.name = nameOffset(text, exportedFlag(text))

	// The pointer type is forged as well, since pointer methods belong to it. typ.ptrToThis lets
	// reflect and the runtime find it; they would make a pointer type without methods otherwise.
	// The offset in the copy is that of **byte and must not remain.
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

// nextHash returns a hash that differs even for types of the same name. Compiled type switches
// compare hashes before they compare types.
func nextHash(text string) uint32 {
	hashes++
	h := fnv.New32a()
	fmt.Fprint(h, text, hashes)
	return h.Sum32()
}

// exportedFlag returns nameExported for an exported name. Names in cells are Go identifiers, for
// which package token decides by the first letter.
func exportedFlag(name string) byte {
	if token.IsExported(name) {
		return nameExported
	}
	return 0
}

// Declare makes the named type pkgPath.name with the layout of another type and space for the given
// number of methods. A type that gets more methods than it has space for is remade (see
// SetMethods).
//
// The components are those of the layout until they are completed. Because the layout is known, a
// type that refers to itself needs no special treatment. Every call makes a new type, even for a
// name that was declared before. The name of an instance includes its type arguments in brackets.
//
// Declare returns an error for a function type with more than 24 parameters and results, and for an
// interface type, which DeclareInterface makes.
func Declare(pkgPath, name string, layout reflect.Type, methods int) (*Type, error) {
	switch layout.Kind() {
	case reflect.Interface:
		return nil, fmt.Errorf("realtype: %s.%s is an interface, which DeclareInterface makes", pkgPath, name)
	case reflect.Func:
		if n := layout.NumIn() + layout.NumOut(); n > maxParameters {
			return nil, fmt.Errorf("realtype: type %s.%s has %d parameters and results, the limit is %d", pkgPath, name, n, maxParameters)
		}
	}
	world.Lock()
	defer world.Unlock()
	t := &Type{role: namedType, pkgPath: pkgPath, name: name, layout: layout, room: roomFor(methods)}
	t.makeReal()
	return t, nil
}

// DeclareInterface makes the named interface type pkgPath.name, which is empty until it is
// completed. If pkgPath is "", name is the text of an unnamed interface type.
func DeclareInterface(pkgPath, name string) *Type {
	world.Lock()
	defer world.Unlock()
	t := &Type{role: interfaceType, pkgPath: pkgPath, name: name, layout: reflect.TypeFor[any](), room: fewMethods}
	t.makeReal()
	if pkgPath == "" {
		pkgPath = "main" // package of unexported methods
	}
	(*abiInterface)(unsafe.Pointer(t.real.Load())).pkgPath = newName(pkgPath, "", 0)
	return t
}

// roomFor returns the capacity of the tables of a type with a number of methods.
func roomFor(methods int) int {
	switch {
	case methods <= fewMethods:
		return fewMethods
	case methods <= someMethods:
		return someMethods
	}
	return maxMethods
}

// forgeReal makes a new run-time type for t without publishing it.
func (t *Type) forgeReal() (*abiType, [2]*methodTable) {
	text, named := Text(t.pkgPath, t.name), true
	if t.role == forgedStruct {
		text, named = structText(t.fields), false
	}
	if t.pkgPath == "" {
		text, named = t.name, false
	}
	make := forge[few]
	switch t.room {
	case someMethods:
		make = forge[some]
	case maxMethods:
		make = forge[many]
	}
	return make(abiOf(t.layout), t.pkgPath, text, named)
}

// makeReal makes the first run-time type of t.
func (t *Type) makeReal() {
	real, tables := t.forgeReal()
	t.publish(real, tables)
	world.forged = append(world.forged, t)
}

// publish makes a forged type the current run-time type of t. The owner is stored first: a
// goroutine that reads the new type from t.real finds its owner.
func (t *Type) publish(real *abiType, tables [2]*methodTable) {
	t.tables = tables
	owners.Store(real, t)
	t.real.Store(real)
}

// Text returns the text that reflection shows for a named type, such as *atomic.Pointer[int]. It
// contains the name of the package, not the import path. The name is the one set by NamePackage, or
// else the last element of the path that is not a version number.
func Text(pkgPath, name string) string {
	if pkg, ok := packageNames.Load(pkgPath); ok {
		return pkg.(string) + "." + name
	}
	pkg := path.Base(pkgPath)
	if version.MatchString(pkg) {
		pkg = path.Base(path.Dir(pkgPath))
	}
	return pkg + "." + name
}

// packageNames maps import paths to package names.
var packageNames sync.Map

// NamePackage sets the name of a package, which may differ from the last element of its path.
func NamePackage(pkgPath, name string) { packageNames.Store(pkgPath, name) }

var version = lazyregexp.New(`^v[0-9]+$`)
