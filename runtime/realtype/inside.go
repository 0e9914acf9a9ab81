package realtype

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// What is inside of compiled types may be in use by goroutines of compiled code. So structs
// are looked into while their locks are held, and one word of an interface value is exchanged
// if it is still what it was: both types have one layout, so any value fits either.

// abiTable is the beginning of an interface table.
type abiTable struct {
	inter, typ *abiType
}

// reflectValue mirrors reflect.Value.
type reflectValue struct {
	typ  *abiType
	data unsafe.Pointer
	flag uintptr
}

// Bits of reflectValue.flag.
const (
	flagIndirect = 1 << 7 // data points to the value
	flagMethod   = 1 << 9 // a method, by its number among those of the type
)

func (r *refresher) walkStruct(v reflect.Value) (changed bool) {
	address, t := v.Addr().UnsafePointer(), v.Type()
	switch {
	case t == reflect.TypeFor[sync.Map]():
		r.walkShared((*sync.Map)(address))
		return false
	case t == reflect.TypeFor[sync.Pool]():
		r.pools = true
		return false
	case t == reflect.TypeFor[reflect.Value]():
		return r.walkReflected((*reflectValue)(address))
	case pointedTo(t) != nil:
		r.walkAtomic(v)
		return false
	case !compiled(t):
		return r.walkFields(v)
	}
	release, ok := lockAll(v)
	if !ok {
		r.missed[t.String()] = true
		return false
	}
	defer release()
	outside := r.inside
	defer func() { r.inside = outside }()
	r.inside = outside || !carriers[t.PkgPath()]
	return r.walkFields(v)
}

func (r *refresher) walkFields(v reflect.Value) (changed bool) {
	for i := range v.NumField() {
		changed = r.walk(accessible(v.Field(i))) || changed
	}
	return changed
}

// accessible is a field as if it were exported.
func accessible(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
}

// lockAll takes the locks among the fields of a struct, without waiting.
func lockAll(v reflect.Value) (release func(), ok bool) {
	var held []sync.Locker
	release = func() {
		for _, lock := range held {
			lock.Unlock()
		}
	}
	for i := range v.NumField() {
		var lock tryLocker
		switch at := v.Field(i).Addr().UnsafePointer(); v.Field(i).Type() {
		case reflect.TypeFor[sync.Mutex]():
			lock = (*sync.Mutex)(at)
		case reflect.TypeFor[sync.RWMutex]():
			lock = (*sync.RWMutex)(at)
		default:
			continue
		}
		if !taken(lock) {
			release()
			return nil, false
		}
		held = append(held, lock)
	}
	return release, true
}

type tryLocker interface {
	sync.Locker
	TryLock() bool
}

// taken takes a lock unless somebody holds it for longer than a moment.
func taken(lock tryLocker) bool {
	for range 100 {
		if lock.TryLock() {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// walkAtomic goes on behind an atomic.Pointer.
func (r *refresher) walkAtomic(v reflect.Value) {
	for i := range v.NumField() {
		if field := v.Field(i); field.Kind() == reflect.UnsafePointer {
			if p := atomic.LoadPointer((*unsafe.Pointer)(field.Addr().UnsafePointer())); p != nil {
				r.later(reflect.NewAt(pointedTo(v.Type()), p).Elem())
			}
		}
	}
}

// walkReflected brings a reflect.Value up to date, but for a method, which stays that of the
// type in which it has its number.
func (r *refresher) walkReflected(v *reflectValue) (changed bool) {
	if v.typ == nil {
		return false
	}
	if now := canonical(v.typ); now != v.typ && v.flag&flagMethod == 0 {
		v.typ, changed = now, true
	}
	t := reflectOf(v.typ)
	switch {
	case !r.leads(t):
	case v.flag&flagIndirect != 0:
		r.later(reflect.NewAt(t, v.data).Elem())
	default:
		copied := reflect.New(t).Elem()
		*(*unsafe.Pointer)(copied.Addr().UnsafePointer()) = v.data
		r.walk(copied)
	}
	return changed
}

// replace exchanges the type of the value that an interface holds. It tells whether it has:
// somebody else may have stored something meanwhile.
func replace(v reflect.Value, before unsafe.Pointer, held, now any) bool {
	whole := reflect.New(v.Type())
	whole.Elem().Set(reflect.ValueOf(now))
	if v.NumMethod() > 0 && (*abiTable)(before).typ != typeWord(held) || v.NumMethod() == 0 && (*abiType)(before) != typeWord(held) {
		return false
	}
	return atomic.CompareAndSwapPointer((*unsafe.Pointer)(v.Addr().UnsafePointer()), before, *(*unsafe.Pointer)(whole.UnsafePointer()))
}

// replaceType stores the newest form of the reflect.Type that an interface holds.
func replaceType(v reflect.Value, t reflect.Type) bool {
	old := abiOf(t)
	now := canonical(old)
	if now == old {
		return false
	}
	data := &(*emptyInterface)(v.Addr().UnsafePointer()).data
	return atomic.CompareAndSwapPointer(data, unsafe.Pointer(old), unsafe.Pointer(now))
}
