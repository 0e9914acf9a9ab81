// Package realtype makes real run-time types for the types that cells declare, and
// moves values between them and the interpreter.
//
// For every type that mentions a cell type there are two run-time types with one
// memory layout. The interpreter works with the layout type, bare data without name,
// tags, embedding or methods. Interface values hold the real type: named, with its
// true fields and methods, so that fmt, encoding/json, errors.As, reflect, type
// switches and map keys are Go's own code on real Go types. Changing from one to the
// other changes the type word of an interface value and nothing else; pointers, maps
// and slices stay shared.
//
// This is the only package that depends on how the Go runtime lays out types.
// SelfCheck compares its idea of that layout with compiled types and must pass before
// anything here is used.
//
// A named type is declared from its layout, then completed, then given methods:
//
//	point, err := realtype.Declare("main", "Point", reflect.TypeFor[struct{ X, Y int }]())
//	point.CompleteStruct([]realtype.Field{{Name: "x", Type: integer}, {Name: "y", Type: integer}})
//	err = point.SetMethods(methods)
//	boxed := realtype.Box(point, struct{ X, Y int }{1, 2}) // fmt.Printf("%T", boxed) prints main.Point
//
// Read abi.go first (the mirrored layout), then forge.go and complete.go (types),
// methods.go and stubs.go (methods), renew.go (methods added late), convert.go and
// typeswitch.go (values).
package realtype

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// A Type describes one type in both forms. A Type made by NewDescriptor is empty
// until Set; the named ones come from Declare. Its methods may be called from any
// goroutine, except that a type must be declared and completed by one.
type Type struct {
	forms atomic.Pointer[forms]
	// used is set by the first conversion of a value: from then on compiled code may
	// have tested the type for methods.
	used atomic.Bool

	// The rest is written by Declare and Complete..., and afterwards only under world.
	role    role
	pkgPath string
	name    string // "" for an unnamed struct
	fields  []Field
	// completed tells that fields are those of the user and no longer the layout's.
	completed bool
	tables    [2]*methodTable // of the type, and of the pointer to it
	methods   []Method        // sorted, as the tables hold them
	slots     map[slotKey]int // of every method that the type ever had
	large     bool            // it has the most room for methods
}

// forms are the two types of one Type. They change together when the type is renewed.
type forms struct {
	real, layout   reflect.Type
	realT, layoutT *abiType
}

// A role tells how a Type came about.
type role uint8

const (
	descriptor   role = iota // of a composite type, filled by Set
	namedType                // from Declare
	layoutType               // from DeclareLayout: both forms are one type for the interpreter
	interfaceOf              // from DeclareInterface: both forms are one type
	unnamedForge             // a struct that reflect.StructOf cannot make
)

// world guards the registry and everything that changes types. Values are converted
// without it.
var world struct {
	sync.Mutex
	descriptors []*Type
	forged      []*Type
	unnamed     map[string]*Type // by identity of the struct, see structKey
	pinned      []any            // the collector does not see pointers inside itabs, so forged types stay for ever
}

// owners maps the *abiType of each forged type, renewed or not, to its *Type.
var owners sync.Map

// Real returns the type that interface values hold. It changes when methods are added
// to a type whose values were already in use (see SetMethods), so callers ask again
// after SetMethods and keep no copy across it.
func (t *Type) Real() reflect.Type {
	if f := t.forms.Load(); f != nil {
		return f.real
	}
	return nil
}

// Layout returns the type that the interpreter uses. It never changes once it is set.
func (t *Type) Layout() reflect.Type {
	if f := t.forms.Load(); f != nil {
		return f.layout
	}
	return nil
}

// NewDescriptor returns an empty Type for a composite type such as []T, to be filled by Set.
func NewDescriptor() *Type { return new(Type) }

// Set fills a descriptor. The two types must have one memory layout.
func (t *Type) Set(real, layout reflect.Type) {
	world.Lock()
	defer world.Unlock()
	if t.forms.Load() == nil {
		world.descriptors = append(world.descriptors, t)
	}
	t.setForms(real, layout)
}

func (t *Type) setForms(real, layout reflect.Type) {
	t.forms.Store(&forms{real: real, layout: layout, realT: abiOf(real), layoutT: abiOf(layout)})
}

// String returns the name of the real type.
func (t *Type) String() string {
	if f := t.forms.Load(); f != nil {
		return f.real.String()
	}
	return "empty descriptor"
}
