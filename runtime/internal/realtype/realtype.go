// Package realtype makes run-time types for the types that cells declare. They are named and have
// fields, tags, embedding and methods. As a result, fmt, encoding/json, errors.As, reflect, type
// switches and map keys run Go's own code on genuine Go types.
//
// This is the only package that depends on the memory layout of Go's run-time types. SelfCheck
// compares the expected layout with compiled types. It must succeed before any other function of
// the package is used.
//
// A named type is declared from a type with the same layout, then completed, and then given
// methods:
//
//	point, err := realtype.Declare("main", "Point", reflect.TypeFor[struct{ X, Y int }](), 1)
//	point.CompleteStruct([]realtype.Field{{Name: "x", Type: integer}, {Name: "y", Type: integer}})
//	err = point.SetMethods(methods)
//	v := reflect.New(point.Real()) // fmt.Printf("%T", v.Elem()) prints main.Point
//
// # Invariants
//
// A run-time type is immutable once code that may look up its methods has run, except that method
// bodies can be replaced; any other change makes a new type. Forged types are never freed, because
// the runtime keeps pointers to them that the collector does not see. Changes of types and of the
// registry hold the lock world; reads of Type.Real do not.
//
// # Reading order
//
// abi.go (the mirrored layout), forge.go and complete.go (types), unnamed.go (unnamed structs),
// methods.go and stubs.go (methods), renew.go (methods added later), selfcheck.go. assert.go,
// embed.go, frame.go and retype.go are independent of these.
package realtype

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// A Type is a type of cells and its current run-time type. The methods may be called from any
// goroutine, except that a type must be declared and completed by one goroutine.
type Type struct {
	real   atomic.Pointer[abiType]
	layout reflect.Type // has the memory layout of the real type
	// used is set when code that may look up methods of the type is about to run.
	used atomic.Bool

	// The following fields are set by Declare and the Complete methods, and afterward change only
	// under world.
	role      role
	pkgPath   string
	owner     string // package of the unexported fields of a struct, if set
	name      string // "" for an unnamed struct
	fields    []Field
	completed bool            // whether the fields are those declared by the user
	tables    [2]*methodTable // of the type and of the pointer to it
	methods   []Method        // sorted, as in the tables
	slots     map[slotKey]int // of every method that the type has ever had
	room      int             // capacity of the tables
}

// A role says how a Type was made.
type role uint8

const (
	namedType     role = iota // by Declare
	interfaceType             // by DeclareInterface
	plainStruct               // by package reflect, for UnnamedStruct
	forgedStruct              // by UnnamedStruct, if reflect.StructOf cannot make it
)

// world guards the registry and all changes of types.
var world struct {
	sync.Mutex
	forged  []*Type
	unnamed map[string]*Type  // by structKey
	pinned  []any             // keeps forged types alive: the collector does not see the pointers in itabs
	layouts map[*abiType]bool // structs whose equality StructLayout has set
}

// owners maps the *abiType of each forged type to its *Type, including those that have been
// renewed. It is a sync.Map because substitute looks types up on goroutines that do not hold world.
// Each type is stored once and read often.
var owners sync.Map

// Real returns the run-time type. It changes if methods are added to a type that is in use, so
// callers must not keep the result across calls of SetMethods.
func (t *Type) Real() reflect.Type { return reflectOf(t.real.Load()) }

// String returns the name of the run-time type.
func (t *Type) String() string { return t.Real().String() }
