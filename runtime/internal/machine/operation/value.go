package operation

import (
	"go/token"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// A Value is a compiled expression.
type Value struct {
	Type *machine.Type
	// F is a func(Frame) T for the class of the type. It is nil for ClassMemory.
	F any
	// Addr computes the address of a value of ClassMemory. The memory is a variable, or a temporary
	// that is valid until the expression is evaluated again in the same call.
	Addr func(machine.Frame) unsafe.Pointer
	// Into stores a value of ClassMemory in zeroed memory that the expression does not read. It is
	// nil if copying from Addr is as fast.
	Into func(machine.Frame, unsafe.Pointer)
	// NeedsZero reports whether Into relies on zeroed memory.
	NeedsZero bool
	// InFrame, if not nil, makes a step that stores a value of ClassMemory at an offset in the frame,
	// where the expression does not read.
	InFrame func(offset uintptr) func(machine.Frame)
	// Kept is set if Addr stores a value of ClassMemory always at this offset in the frame.
	Kept *uintptr

	Form  Form
	Slot  uintptr // FormLocal: offset in the frame
	Const any     // FormConst: a T
	// Elem is set for an element of a slice or string in a local variable.
	Elem *Elem
	// Sum is set for x + y where y is a variable in the frame.
	Sum *Sum
	// Product is set for x * y.
	Product *Product
	// Near is set for an int variable in the frame plus a constant.
	Near *Near
	// Test is set for a condition on variables in the frame.
	Test *Test
	// Negated is the operand of !x.
	Negated func(machine.Frame) bool
	// Pointed is set for a variable at a pointer in the frame, such as a field of a struct.
	Pointed *Pointed
	// To, if not nil, makes a step that computes the value into a variable of the frame. It returns
	// nil if there is none.
	To func(to Destination) func(machine.Frame)
}

// An Elem is an element of a slice or string that is in a variable of the frame. Some operations
// read it themselves, which saves a call.
//
// The bounds are checked by the operation that reads it, with the site of the index expression.
type Elem struct {
	slot  uintptr
	index func(machine.Frame) int // nil if the index is near a variable
	near  Near
	site  *machine.Site
}

// A Sum holds the operands of an addition whose right operand is in the frame.
type Sum struct {
	left any // a func(Frame) T; nil if the left operand is in the frame as well
	a, b uintptr
}

// A Product holds the operands of a multiplication.
type Product struct{ x, y Value }

// ProductOf describes x op y if it is a product. It returns nil for other operations.
func ProductOf(op token.Token, x, y Value) *Product {
	if op != token.MUL {
		return nil
	}
	return &Product{x, y}
}

// A Near is the sum of an int variable in the frame and a constant, such as the index i-1.
type Near struct {
	slot uintptr
	plus int
}

// NearOf describes x op y if x is an int variable in the frame and y is a constant that is added or
// subtracted. It returns nil for other operations.
func NearOf(op token.Token, x, y Value) *Near {
	if x.Type.Class != machine.ClassInt || x.Form != FormLocal || y.Form != FormConst {
		return nil
	}
	switch k := y.Const.(int); op {
	case token.ADD:
		return &Near{x.Slot, k}
	case token.SUB:
		return &Near{x.Slot, -k}
	}
	return nil
}

// Int returns the sum.
func (n *Near) Int(f machine.Frame) int { return *machine.At[int](f, n.slot) + n.plus }

// NearInt returns the description of an int that is a variable in the frame or near one, or nil for
// other values.
func (v Value) NearInt() *Near {
	if v.Type.Class != machine.ClassInt {
		return nil
	}
	return v.near()
}

// near returns the description of an int that is a variable in the frame or near one, or nil.
func (v Value) near() *Near {
	if v.Form == FormLocal {
		return &Near{slot: v.Slot}
	}
	return v.Near
}

// SumOf describes x op y if it is a sum whose right operand is in the frame. It returns nil for
// other operations.
//
// It is used for sums with a constant, as in x + y + 1, which are frequent in the indices of
// stencils.
func SumOf(op token.Token, x, y Value) *Sum {
	switch {
	case op != token.ADD || y.Form != FormLocal:
		return nil
	case x.Form == FormLocal:
		return &Sum{nil, x.Slot, y.Slot}
	}
	return &Sum{left: x.F, b: y.Slot}
}

// A Form says what a user of a value can know about it to save a call.
type Form uint8

// The forms of values.
const (
	formOther Form = iota
	FormLocal      // a variable in the frame
	FormConst
)

// Address returns the address function of a value of ClassMemory.
func (v Value) Address() func(machine.Frame) unsafe.Pointer { return v.Addr }

// ConstantOf returns the value that is always k, which has the Go type of the class.
func ConstantOf(t *machine.Type, k any) Value {
	return Classes[t.Class].constant(t, k)
}

// Operations is the set of operations that every class except ClassMemory has.
type Operations interface {
	constant(t *machine.Type, k any) Value
	zero() any
	Load(a Access) any
	Store(a Access, x Value) func(machine.Frame)
	LoadElem(x, index Value, s *machine.Site) Value
	StoreElem(x, index, v Value, s *machine.Site) func(machine.Frame)
	// argument stores a value in another frame.
	argument(offset uintptr, x Value) func(f, to machine.Frame)
	// put stores a value at an address.
	put(x Value) func(machine.Frame, unsafe.Pointer)
	Seq(steps func(machine.Frame), x Value) any
	Drop(x Value) func(machine.Frame)
	Equal(x, y Value) func(machine.Frame) bool
	Call(cs *CallSite) any
	Inline(g *Guard, begin func(machine.Frame), get, slow any, end func(machine.Frame)) any
	InlineValue(g *ValueGuard, begin func(machine.Frame), get, slow any, end func(machine.Frame)) any
	InlineKnown(begin func(machine.Frame), get any, end func(machine.Frame)) any
	unlessLeft(run func(machine.Frame) Control, offset uintptr, then any) any
	Choose(cond, yes, no Value) any
	read(p func(machine.Frame) unsafe.Pointer) any
	Unpack(x Value) func(machine.Frame) reflect.Value
	// Over compiles a loop over the elements of a slice.
	Over(get func(machine.Frame) machine.Slice, index, elem uintptr, l *Loop) Stmt
}

// class1 implements Operations for the Go type that represents a class. The generic methods are
// instantiated for each class, so each closure is compiled for its Go type and handles values
// without boxing.
type class1[T comparable] struct{}

// Classes holds the operations of each class except [ClassMemory]. The index is the class.
var Classes = [...]Operations{
	machine.ClassBool: class1[bool]{}, machine.ClassInt: class1[int]{}, machine.ClassInt8: class1[int8]{}, machine.ClassInt16: class1[int16]{},
	machine.ClassInt32: class1[int32]{}, machine.ClassInt64: class1[int64]{}, machine.ClassUint: class1[uint]{}, machine.ClassUint8: class1[uint8]{},
	machine.ClassUint16: class1[uint16]{}, machine.ClassUint32: class1[uint32]{}, machine.ClassUint64: class1[uint64]{},
	machine.ClassUintptr: class1[uintptr]{}, machine.ClassFloat32: class1[float32]{}, machine.ClassFloat64: class1[float64]{},
	machine.ClassComplex64: class1[complex64]{}, machine.ClassComplex128: class1[complex128]{}, machine.ClassString: class1[string]{},
	machine.ClassPointer: class1[unsafe.Pointer]{}, machine.ClassIface: class1[machine.Iface]{}, machine.ClassSlice: class1[machine.Slice]{},
	machine.ClassMemory: nil,
}

// constant returns the value that is always k. F must exist for constants as well, since most users
// of a value do not look at its form.
func (class1[T]) constant(t *machine.Type, k any) Value {
	v := k.(T)
	return Value{Type: t, Form: FormConst, Const: k, F: func(machine.Frame) T { return v }}
}

func (class1[T]) zero() any         { return *new(T) }
func (class1[T]) Load(a Access) any { return Load[T](a) }

func (class1[T]) Store(a Access, x Value) func(machine.Frame) { return store[T](a, x) }

// LoadElem compiles the reading of an element of a slice or string. The type of the value is not
// set.
func (class1[T]) LoadElem(x, index Value, s *machine.Site) Value {
	v := Value{F: loadElem[T](x, index, s)}
	if x.Form == FormLocal {
		v.Elem = &Elem{slot: x.Slot, site: s}
		if n := index.near(); n != nil {
			v.Elem.near = *n
		} else {
			v.Elem.index = index.F.(func(machine.Frame) int)
		}
	}
	return v
}

func (class1[T]) StoreElem(x, index, v Value, s *machine.Site) func(machine.Frame) {
	return storeElem[T](x, index, v, s)
}

// argument compiles the storing of a value in a new frame. The memory of the frame is written
// directly. The pointers in it are zero, so no old value is lost.
func (class1[T]) argument(offset uintptr, x Value) func(f, to machine.Frame) {
	switch x.Form {
	case FormConst:
		k := x.Const.(T)
		return func(_, to machine.Frame) { *(*T)(unsafe.Add(to, offset)) = k }
	case FormLocal:
		from := x.Slot
		return func(f, to machine.Frame) { *(*T)(unsafe.Add(to, offset)) = *(*T)(unsafe.Add(f, from)) }
	}
	if n := x.Near; n != nil {
		from, plus := n.slot, n.plus
		return func(f, to machine.Frame) { *machine.At[int](to, offset) = *machine.At[int](f, from) + plus }
	}
	get := x.F.(func(machine.Frame) T)
	return func(f, to machine.Frame) { *(*T)(unsafe.Add(to, offset)) = get(f) }
}

func (class1[T]) put(x Value) func(machine.Frame, unsafe.Pointer) {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame, to unsafe.Pointer) { *(*T)(to) = get(f) }
}

func (class1[T]) Seq(steps func(machine.Frame), x Value) any {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame) T {
		steps(f)
		return get(f)
	}
}

func (class1[T]) Drop(x Value) func(machine.Frame) {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame) { get(f) }
}

func (class1[T]) Equal(x, y Value) func(machine.Frame) bool {
	if x.Form == FormLocal && y.Form == FormConst {
		slot, k := x.Slot, y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, slot)) == k }
	}
	a, b := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f machine.Frame) bool { return a(f) == k }
	}
	return func(f machine.Frame) bool { return a(f) == b(f) }
}

func (class1[T]) read(p func(machine.Frame) unsafe.Pointer) any {
	return func(f machine.Frame) T { return *(*T)(p(f)) }
}

func (class1[T]) Unpack(x Value) func(machine.Frame) reflect.Value {
	get, t := x.F.(func(machine.Frame) T), x.Type.Type
	return func(f machine.Frame) reflect.Value {
		v := get(f)
		return reflect.NewAt(t, unsafe.Pointer(&v)).Elem()
	}
}

// Read returns the value at a computed address. The result is not FormLocal: the address may differ
// from one evaluation to the next.
func Read(t *machine.Type, p func(machine.Frame) unsafe.Pointer) Value {
	if t.Class == machine.ClassMemory {
		return Value{Type: t, Addr: p}
	}
	return Value{Type: t, F: Classes[t.Class].read(p)}
}

// Argument compiles the storing of a value in a new frame.
func Argument(offset uintptr, x Value) func(f, to machine.Frame) {
	if x.Type.Class == machine.ClassMemory {
		put := PutAnywhere(x)
		return func(f, to machine.Frame) { put(f, unsafe.Add(to, offset)) }
	}
	return Classes[x.Type.Class].argument(offset, x)
}

// Put compiles the storing of a value in zeroed memory that nothing else refers to. Zeroed memory
// lets composite literals store only the elements that are not zero.
//
// The memory may be on the heap or in a frame. Typed stores have write barriers in both cases.
func Put(x Value) func(machine.Frame, unsafe.Pointer) {
	if x.Type.Class != machine.ClassMemory {
		return Classes[x.Type.Class].put(x)
	}
	if x.Into != nil {
		return x.Into
	}
	addr := x.Addr
	move := x.Type.Mover()
	return func(f machine.Frame, to unsafe.Pointer) { move(to, addr(f)) }
}

// PutAnywhere is like Put for memory that need not be zero.
func PutAnywhere(x Value) func(machine.Frame, unsafe.Pointer) {
	put := Put(x)
	if !x.NeedsZero {
		return put
	}
	r := x.Type.RType
	return func(f machine.Frame, to unsafe.Pointer) {
		machine.TypedClear(r, to)
		put(f, to)
	}
}

// Operands returns the functions of values, as calls of compiled code take them.
func Operands(values []Value) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v.F
	}
	return list
}
