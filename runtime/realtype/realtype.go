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
package realtype

import "reflect"

// A Type describes one type in both forms. A Type made by NewDescriptor is empty
// until Set; the named ones come from Declare.
type Type struct {
	real, layout reflect.Type
	// further fields are private to the package
}

// Real returns the type that interface values hold.
func (t *Type) Real() reflect.Type { return t.real }

// Layout returns the type that the interpreter uses.
func (t *Type) Layout() reflect.Type { return t.layout }

// The rest of the interface (B implements it; A codes against it):
//
//	func SelfCheck() error
//	func NewDescriptor() *Type                                 // empty: for composite types, filled by Set
//	func (t *Type) Set(real, layout reflect.Type)
//	func Declare(pkgPath, name string, layout reflect.Type) (*Type, error)   // named type; parts are completed later, so recursion is no special case
//	func (t *Type) CompleteStruct(fields []Field)              // Field{Name, Tag string; Embedded bool; Type reflect.Type}
//	func (t *Type) CompleteElem(elem reflect.Type)             // slice, array, pointer, chan, map
//	func (t *Type) CompleteKey(key reflect.Type)               // map
//	func (t *Type) CompleteFunc(signature reflect.Type)        // named func type
//	func DeclareInterface(pkgPath, name string) (*Type, error) // real == layout
//	func (t *Type) CompleteInterface(methods []InterfaceMethod) // InterfaceMethod{Name string; Type reflect.Type}
//	func Struct(layout reflect.Type, fields []Field) (reflect.Type, error)   // unnamed struct, one per identical type
//	func (t *Type) SetMethods(methods []Method) error          // may be called again: slots are kept for ever, bodies replaced
//	    // Method{Name string; Type reflect.Type /* without receiver, real types */; OnValue, Hidden bool;
//	    //        Pointer, Value reflect.Value /* funcs with receiver *S resp. S first, as the interpreter made them */}
//	func HiddenName(name string) string                        // "Ψ"+name, see frontend.md section 2 item 10
//	func DropFirst(t reflect.Type) reflect.Type                // a func type without its first parameter
//	func Box(t *Type, v any) any                               // layout -> real; panics on a value of another type (a defect of the front end)
//	func Unbox(t *Type, v any) any                             // real -> layout, or a private value that no assertion accepts
//	func Must(t *Type, v any) any                              // Unbox that panics like a failed x.(T): *runtime.TypeAssertionError text
//	func Is(t *Type, v any) bool
//	func Equal(a, b any) bool                                  // == of interface values (panics for uncomparable types as Go does)
//	func NewSwitch(clauses func() [][]reflect.Type) *Switch    // type switch table, built at first use, nil stands for case nil
//	func Pick(s *Switch, v any) int                            // clause counted from 1, 0 for none; cached per dynamic type, safe for concurrent use
