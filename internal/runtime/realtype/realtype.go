// Package realtype makes run-time types for the types that cells declare: named, with their
// fields, tags, embedding and methods, so that fmt, encoding/json, errors.As, reflect, type
// switches and map keys are Go's own code on real Go types.
//
// This is the only package that depends on how the Go runtime lays out types. SelfCheck compares
// its idea of that layout with compiled types and must pass before anything here is used.
//
// A named type is declared from a type of the same layout, then completed, then given methods:
//
//	point, err := realtype.Declare("main", "Point", reflect.TypeFor[struct{ X, Y int }](), 1)
//	point.CompleteStruct([]realtype.Field{{Name: "x", Type: integer}, {Name: "y", Type: integer}})
//	err = point.SetMethods(methods)
//	v := reflect.New(point.Real()) // fmt.Printf("%T", v.Elem()) prints main.Point
//
// Read abi.go first (the mirrored layout), then forge.go and complete.go (types), unnamed.go
// (structs without a name), methods.go and stubs.go (methods), renew.go (methods added late).
package realtype

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// A Type is a type of cells that has a run-time type. Its methods may be called from any goroutine,
// except that a type must be declared and completed by one.
type Type struct {
	real   atomic.Pointer[abiType]
	layout reflect.Type // has the memory layout of the real type
	// used is set when code that may test the type for methods is about to run.
	used atomic.Bool

	// The rest is written by Declare and Complete..., and afterward only under world.
	role      role
	pkgPath   string
	name      string // "" for an unnamed struct
	fields    []Field
	completed bool            // the fields are those that the user declared
	tables    [2]*methodTable // of the type, and of the pointer to it
	methods   []Method        // sorted, as the tables hold them
	slots     map[slotKey]int // of every method that the type ever had
	large     bool            // it has the most room for methods
}

// A role says how a Type was made.
type role uint8

const (
	namedType     role = iota // by Declare
	interfaceType             // by DeclareInterface
	plainStruct               // by reflect, for UnnamedStruct
	forgedStruct              // by UnnamedStruct, because reflect.StructOf cannot make it
)

// world guards the registry and everything that changes types.
var world struct {
	sync.Mutex
	forged  []*Type
	unnamed map[string]*Type // by identity of the struct, see structKey
	pinned  []any            // the collector does not see pointers inside itabs, so forged types stay for ever
}

// owners maps the *abiType of each forged type, renewed or not, to its *Type.
var owners sync.Map

// Real returns the run-time type. It changes when methods are added to a type that is in use (see
// SetMethods), so callers ask again after SetMethods.
func (t *Type) Real() reflect.Type { return reflectOf(t.real.Load()) }

// String returns the name of the run-time type.
func (t *Type) String() string { return t.Real().String() }
