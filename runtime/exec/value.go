package exec

import (
	"reflect"
	"unsafe"
)

// A value is a compiled expression.
type value struct {
	typ *typ
	// f is a func(frame) T for the class of the type, except for classMemory.
	f any
	// addr computes the address of a value of classMemory. The memory is a variable, or a
	// temporary that lasts until the expression is evaluated again in the same call.
	addr func(frame) unsafe.Pointer
	// into stores a value of classMemory in memory that is zero and that the expression does not
	// read; nil where addr is as good.
	into func(frame, unsafe.Pointer)
	// needsZero reports whether into relies on memory that is zero.
	needsZero bool

	form  form
	slot  uintptr // formLocal: where in the frame
	konst any     // formConst: a T
}

// A form is what a user of a value can know about it to save a call.
type form uint8

const (
	formOther form = iota
	formLocal
	formConst
)

// address returns the address function of a value of classMemory.
func (v value) address() func(frame) unsafe.Pointer { return v.addr }

// constantOf returns the value that is always k, which has the Go type of the class.
func constantOf(t *typ, k any) value {
	return classes[t.class].constant(t, k)
}

// operations are what every class that is not memory can do.
type operations interface {
	constant(t *typ, k any) value
	zero() any
	load(a access) any
	store(a access, x value) func(frame)
	loadElem(x, index value, s *site) any
	storeElem(x, index, v value, s *site) func(frame)
	// argument stores a value in another frame.
	argument(offset uintptr, x value) func(f, to frame)
	// put stores a value at an address.
	put(x value) func(frame, unsafe.Pointer)
	seq(steps func(frame), x value) any
	drop(x value) func(frame)
	equal(x, y value) func(frame) bool
	call(call func(frame) frame, offset uintptr) any
	read(p func(frame) unsafe.Pointer) any
	unpack(x value) func(frame) reflect.Value
	// over compiles a loop over the elements of a slice.
	over(get func(frame) slice, index, elem uintptr, l *loop) code
}

// scalar are the Go types of the classes.
type class1[T comparable] struct{}

var classes = [...]operations{
	classBool: class1[bool]{}, classInt: class1[int]{}, classInt8: class1[int8]{}, classInt16: class1[int16]{},
	classInt32: class1[int32]{}, classInt64: class1[int64]{}, classUint: class1[uint]{}, classUint8: class1[uint8]{},
	classUint16: class1[uint16]{}, classUint32: class1[uint32]{}, classUint64: class1[uint64]{},
	classUintptr: class1[uintptr]{}, classFloat32: class1[float32]{}, classFloat64: class1[float64]{},
	classComplex64: class1[complex64]{}, classComplex128: class1[complex128]{}, classString: class1[string]{},
	classPointer: class1[unsafe.Pointer]{}, classIface: class1[iface]{}, classSlice: class1[slice]{},
	classMemory: nil,
}

func (class1[T]) constant(t *typ, k any) value {
	v := k.(T)
	return value{typ: t, form: formConst, konst: k, f: func(frame) T { return v }}
}

func (class1[T]) zero() any         { return *new(T) }
func (class1[T]) load(a access) any { return load[T](a) }

func (class1[T]) store(a access, x value) func(frame) { return store[T](a, x) }

func (class1[T]) loadElem(x, index value, s *site) any { return loadElem[T](x, index, s) }

func (class1[T]) storeElem(x, index, v value, s *site) func(frame) {
	return storeElem[T](x, index, v, s)
}

func (class1[T]) argument(offset uintptr, x value) func(f, to frame) {
	switch x.form {
	case formConst:
		k := x.konst.(T)
		return func(_, to frame) { *at[T](to, offset) = k }
	case formLocal:
		from := x.slot
		return func(f, to frame) { *at[T](to, offset) = *at[T](f, from) }
	}
	get := x.f.(func(frame) T)
	return func(f, to frame) { *at[T](to, offset) = get(f) }
}

func (class1[T]) put(x value) func(frame, unsafe.Pointer) {
	get := x.f.(func(frame) T)
	return func(f frame, to unsafe.Pointer) { *(*T)(to) = get(f) }
}

func (class1[T]) seq(steps func(frame), x value) any {
	get := x.f.(func(frame) T)
	return func(f frame) T {
		steps(f)
		return get(f)
	}
}

func (class1[T]) drop(x value) func(frame) {
	get := x.f.(func(frame) T)
	return func(f frame) { get(f) }
}

func (class1[T]) equal(x, y value) func(frame) bool {
	if x.form == formLocal && y.form == formConst {
		slot, k := x.slot, y.konst.(T)
		return func(f frame) bool { return *at[T](f, slot) == k }
	}
	a, b := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return a(f) == k }
	}
	return func(f frame) bool { return a(f) == b(f) }
}

// call reads the single result of a call, whose frame it gives back.
func (class1[T]) call(call func(frame) frame, offset uintptr) any {
	return func(f frame) T {
		n := call(f)
		v := *at[T](n, offset)
		headerOf(n).code.leave(n)
		return v
	}
}

func (class1[T]) read(p func(frame) unsafe.Pointer) any {
	return func(f frame) T { return *(*T)(p(f)) }
}

func (class1[T]) unpack(x value) func(frame) reflect.Value {
	get, t := x.f.(func(frame) T), x.typ.Type
	return func(f frame) reflect.Value {
		v := get(f)
		return reflect.NewAt(t, unsafe.Pointer(&v)).Elem()
	}
}

// read makes a value of what an address function leads to.
func read(t *typ, p func(frame) unsafe.Pointer) value {
	if t.class == classMemory {
		return value{typ: t, addr: p}
	}
	return value{typ: t, f: classes[t.class].read(p)}
}

// argument compiles storing a value in a new frame.
func argument(offset uintptr, x value) func(f, to frame) {
	if x.typ.class == classMemory {
		put, r := put(x), x.typ.rtype
		if x.needsZero {
			return func(f, to frame) {
				typedmemclr(r, unsafe.Add(to, offset))
				put(f, unsafe.Add(to, offset))
			}
		}
		return func(f, to frame) { put(f, unsafe.Add(to, offset)) }
	}
	return classes[x.typ.class].argument(offset, x)
}

// put compiles storing a value in memory that nothing else refers to.
func put(x value) func(frame, unsafe.Pointer) {
	if x.typ.class != classMemory {
		return classes[x.typ.class].put(x)
	}
	if x.into != nil {
		return x.into
	}
	addr := x.addr
	move := x.typ.mover()
	return func(f frame, to unsafe.Pointer) { move(to, addr(f)) }
}

// mover returns a function that copies values of the type.
func (t *typ) mover() func(to, from unsafe.Pointer) {
	r := t.rtype
	switch {
	case t.size == 0:
		return func(_, _ unsafe.Pointer) {}
	case !t.hasPointers && t.size == 8 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*uint64)(to) = *(*uint64)(from) }
	case !t.hasPointers && t.size == 16 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*[2]uint64)(to) = *(*[2]uint64)(from) }
	case !t.hasPointers && t.size == 24 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*[3]uint64)(to) = *(*[3]uint64)(from) }
	case !t.hasPointers && t.size == 32 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*[4]uint64)(to) = *(*[4]uint64)(from) }
	case !t.hasPointers:
		n := t.size
		return func(to, from unsafe.Pointer) {
			copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
		}
	}
	return func(to, from unsafe.Pointer) { typedmemmove(r, to, from) }
}
