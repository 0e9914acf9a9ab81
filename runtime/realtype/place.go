package realtype

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// The functions here do what those in convert.go do, from one place in memory to another: so
// emitted code needs no call through package reflect.

// Boxing returns Box for values of the layout type in from. What it makes, an interface
// value of type any or of a type with methods, goes to the place to.
func Boxing(t *Type, target reflect.Type) func(from, to reflect.Value) {
	if target == reflect.TypeFor[any]() { // others may not be complete yet
		return func(from, to reflect.Value) { *(*any)(to.Addr().UnsafePointer()) = Box(t, from.Interface()) }
	}
	var known atomic.Pointer[methodInterface] // of the type that values had last
	return func(from, to reflect.Value) {
		boxed := Box(t, from.Interface())
		word := (*emptyInterface)(unsafe.Pointer(&boxed))
		if k := known.Load(); k != nil && k.typ == word.typ {
			*(*nonEmptyInterface)(to.Addr().UnsafePointer()) = nonEmptyInterface{k.table, word.data}
			return
		}
		to.Set(reflect.ValueOf(boxed))
		known.Store(&methodInterface{word.typ, (*nonEmptyInterface)(to.Addr().UnsafePointer()).table})
	}
}

// A methodInterface is a type with its table of methods for some interface type.
type methodInterface struct {
	typ   *abiType
	table unsafe.Pointer
}

// Unboxing returns MustFrom for the interface value in from: the value in it goes to the place to.
func Unboxing(t *Type, static reflect.Type) func(from, to reflect.Value) {
	return func(from, to reflect.Value) {
		v := from.Interface()
		if f := t.forms.Load(); typeWord(v) == f.realT {
			(*emptyInterface)(unsafe.Pointer(&v)).typ = f.layoutT
		} else {
			v = MustFrom(t, static, v)
		}
		to.Set(reflect.ValueOf(v))
	}
}

// Testing returns Unbox for the interface value in from: the first field of to gets the value
// in it or, if that is of another type, zero, and the second field whether it is of the type.
func Testing(t *Type) func(from, to reflect.Value) {
	return func(from, to reflect.Value) {
		v, f := from.Interface(), t.forms.Load()
		word := (*emptyInterface)(unsafe.Pointer(&v))
		if word.typ != f.realT && !t.has(word.typ) {
			to.SetZero()
			return
		}
		word.typ = f.layoutT
		to.Field(0).Set(reflect.ValueOf(v))
		to.Field(1).SetBool(true)
	}
}
