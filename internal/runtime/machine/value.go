package machine

import (
	"go/token"
	"reflect"
	"unsafe"
)

// A Value is a compiled expression.
type Value struct {
	Type *Type
	// F is a func(Frame) T for the class of the type. It is nil for ClassMemory.
	F any
	// Addr computes the address of a value of ClassMemory. The memory is a variable, or a temporary
	// that is valid until the expression is evaluated again in the same call.
	Addr func(Frame) unsafe.Pointer
	// Into stores a value of ClassMemory in zeroed memory that the expression does not read. It is
	// nil if copying from Addr is as fast.
	Into func(Frame, unsafe.Pointer)
	// NeedsZero reports whether Into relies on zeroed memory.
	NeedsZero bool

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
}

// An Elem is an element of a slice or string that is in a variable of the frame. Some operations
// read it themselves, which saves a call.
type Elem struct {
	slot  uintptr
	index func(Frame) int // nil if the index is near a variable
	near  Near
	site  *Site
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
	if x.Type.Class != ClassInt || x.Form != FormLocal || y.Form != FormConst {
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

// near returns the description of an int that is a variable in the frame or near one, or nil.
func (v Value) near() *Near {
	if v.Form == FormLocal {
		return &Near{slot: v.Slot}
	}
	return v.Near
}

// SumOf describes x op y if it is a sum whose right operand is in the frame. It returns nil for
// other operations.
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
func (v Value) Address() func(Frame) unsafe.Pointer { return v.Addr }

// ConstantOf returns the value that is always k, which has the Go type of the class.
func ConstantOf(t *Type, k any) Value {
	return Classes[t.Class].constant(t, k)
}

// Operations is the set of operations that every class except ClassMemory has.
type Operations interface {
	constant(t *Type, k any) Value
	zero() any
	Load(a Access) any
	Store(a Access, x Value) func(Frame)
	LoadElem(x, index Value, s *Site) Value
	StoreElem(x, index, v Value, s *Site) func(Frame)
	// argument stores a value in another frame.
	argument(offset uintptr, x Value) func(f, to Frame)
	// put stores a value at an address.
	put(x Value) func(Frame, unsafe.Pointer)
	Seq(steps func(Frame), x Value) any
	Drop(x Value) func(Frame)
	Equal(x, y Value) func(Frame) bool
	Call(cs *CallSite) any
	Inline(g *Guard, begin func(Frame), get, slow any, end func(Frame)) any
	unlessLeft(run func(Frame) Control, offset uintptr, then any) any
	Choose(cond func(Frame) bool, yes, no any) any
	read(p func(Frame) unsafe.Pointer) any
	Unpack(x Value) func(Frame) reflect.Value
	// Over compiles a loop over the elements of a slice.
	Over(get func(Frame) Slice, index, elem uintptr, l *Loop) Stmt
}

// class1 implements Operations for the Go type that represents a class. The generic methods are
// instantiated for each class, so each closure is compiled for its Go type and handles values
// without boxing.
type class1[T comparable] struct{}

// Classes holds the operations of each class except [ClassMemory]. The index is the class.
var Classes = [...]Operations{
	ClassBool: class1[bool]{}, ClassInt: class1[int]{}, ClassInt8: class1[int8]{}, ClassInt16: class1[int16]{},
	ClassInt32: class1[int32]{}, ClassInt64: class1[int64]{}, ClassUint: class1[uint]{}, ClassUint8: class1[uint8]{},
	ClassUint16: class1[uint16]{}, ClassUint32: class1[uint32]{}, ClassUint64: class1[uint64]{},
	ClassUintptr: class1[uintptr]{}, classFloat32: class1[float32]{}, ClassFloat64: class1[float64]{},
	ClassComplex64: class1[complex64]{}, classComplex128: class1[complex128]{}, ClassString: class1[string]{},
	ClassPointer: class1[unsafe.Pointer]{}, ClassIface: class1[Iface]{}, ClassSlice: class1[Slice]{},
	ClassMemory: nil,
}

// constant returns the value that is always k. F must exist for constants as well, since most users
// of a value do not look at its form.
func (class1[T]) constant(t *Type, k any) Value {
	v := k.(T)
	return Value{Type: t, Form: FormConst, Const: k, F: func(Frame) T { return v }}
}

func (class1[T]) zero() any         { return *new(T) }
func (class1[T]) Load(a Access) any { return Load[T](a) }

func (class1[T]) Store(a Access, x Value) func(Frame) { return store[T](a, x) }

// LoadElem compiles the reading of an element of a slice or string. The type of the value is not
// set.
func (class1[T]) LoadElem(x, index Value, s *Site) Value {
	v := Value{F: loadElem[T](x, index, s)}
	if x.Form == FormLocal {
		v.Elem = &Elem{slot: x.Slot, site: s}
		if n := index.near(); n != nil {
			v.Elem.near = *n
		} else {
			v.Elem.index = index.F.(func(Frame) int)
		}
	}
	return v
}

func (class1[T]) StoreElem(x, index, v Value, s *Site) func(Frame) {
	return storeElem[T](x, index, v, s)
}

// argument compiles the storing of a value in a new frame. The memory of the frame is written
// directly. The pointers in it are zero, so no old value is lost.
func (class1[T]) argument(offset uintptr, x Value) func(f, to Frame) {
	switch x.Form {
	case FormConst:
		k := x.Const.(T)
		return func(_, to Frame) { *At[T](to, offset) = k }
	case FormLocal:
		from := x.Slot
		return func(f, to Frame) { *At[T](to, offset) = *At[T](f, from) }
	}
	get := x.F.(func(Frame) T)
	return func(f, to Frame) { *At[T](to, offset) = get(f) }
}

func (class1[T]) put(x Value) func(Frame, unsafe.Pointer) {
	get := x.F.(func(Frame) T)
	return func(f Frame, to unsafe.Pointer) { *(*T)(to) = get(f) }
}

func (class1[T]) Seq(steps func(Frame), x Value) any {
	get := x.F.(func(Frame) T)
	return func(f Frame) T {
		steps(f)
		return get(f)
	}
}

func (class1[T]) Drop(x Value) func(Frame) {
	get := x.F.(func(Frame) T)
	return func(f Frame) { get(f) }
}

func (class1[T]) Equal(x, y Value) func(Frame) bool {
	if x.Form == FormLocal && y.Form == FormConst {
		slot, k := x.Slot, y.Const.(T)
		return func(f Frame) bool { return *At[T](f, slot) == k }
	}
	a, b := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return a(f) == k }
	}
	return func(f Frame) bool { return a(f) == b(f) }
}

func (class1[T]) read(p func(Frame) unsafe.Pointer) any {
	return func(f Frame) T { return *(*T)(p(f)) }
}

func (class1[T]) Unpack(x Value) func(Frame) reflect.Value {
	get, t := x.F.(func(Frame) T), x.Type.Type
	return func(f Frame) reflect.Value {
		v := get(f)
		return reflect.NewAt(t, unsafe.Pointer(&v)).Elem()
	}
}

// Read returns the value at a computed address. The result is not FormLocal: the address may differ
// from one evaluation to the next.
func Read(t *Type, p func(Frame) unsafe.Pointer) Value {
	if t.Class == ClassMemory {
		return Value{Type: t, Addr: p}
	}
	return Value{Type: t, F: Classes[t.Class].read(p)}
}

// Argument compiles the storing of a value in a new frame.
func Argument(offset uintptr, x Value) func(f, to Frame) {
	if x.Type.Class == ClassMemory {
		put := PutAnywhere(x)
		return func(f, to Frame) { put(f, unsafe.Add(to, offset)) }
	}
	return Classes[x.Type.Class].argument(offset, x)
}

// Put compiles the storing of a value in zeroed memory that nothing else refers to. Zeroed memory
// lets composite literals store only the elements that are not zero.
func Put(x Value) func(Frame, unsafe.Pointer) {
	if x.Type.Class != ClassMemory {
		return Classes[x.Type.Class].put(x)
	}
	if x.Into != nil {
		return x.Into
	}
	addr := x.Addr
	move := x.Type.Mover()
	return func(f Frame, to unsafe.Pointer) { move(to, addr(f)) }
}

// PutAnywhere is like Put for memory that need not be zero.
func PutAnywhere(x Value) func(Frame, unsafe.Pointer) {
	put := Put(x)
	if !x.NeedsZero {
		return put
	}
	r := x.Type.RType
	return func(f Frame, to unsafe.Pointer) {
		TypedClear(r, to)
		put(f, to)
	}
}

// Mover returns a function that copies values of the type. Types without pointers of up to 32 bytes
// are copied by typed assignments; only types with pointers need write barriers.
func (t *Type) Mover() func(to, from unsafe.Pointer) {
	r := t.RType
	switch {
	case t.Size == 0:
		return func(_, _ unsafe.Pointer) {}
	case !t.hasPointers && t.Size == 8 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*uint64)(to) = *(*uint64)(from) }
	case !t.hasPointers && t.Size == 16 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*[2]uint64)(to) = *(*[2]uint64)(from) }
	case !t.hasPointers && t.Size == 24 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*[3]uint64)(to) = *(*[3]uint64)(from) }
	case !t.hasPointers && t.Size == 32 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*[4]uint64)(to) = *(*[4]uint64)(from) }
	case !t.hasPointers:
		// copy without write barriers is allowed only for types without pointers.
		n := t.Size
		return func(to, from unsafe.Pointer) {
			copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
		}
	}
	return func(to, from unsafe.Pointer) { TypedMove(r, to, from) }
}
