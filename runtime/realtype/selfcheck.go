package realtype

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The types that SelfCheck looks at through the mirrored layout.

type probeInner struct{ A *int }

type probeStruct struct {
	probeInner
	Word string `probe:"tag"`
	tail uint16
}

func (probeStruct) First() int       { return 1 }
func (*probeStruct) Second(int) bool { return true }
func (probeStruct) third()           {}

type probeInterface interface {
	First() int
	third()
}

type (
	probeArray [3]*probeStruct
	probeChan  chan<- *int
	probeFunc  func(int, ...string) (bool, error)
	probeMap   map[string]probeStruct
)

// SelfCheck compares this package's idea of how Go lays out types with compiled types.
// It must be called, and return nil, before anything else here is used.
func SelfCheck() error { return selfCheck() }

var selfCheck = sync.OnceValue(func() error {
	for _, check := range []func() bool{checkHeads, checkStruct, checkMethods, checkComposites, checkInterfaces, checkAssertionError, checkForged, checkChannel, checkReflected} {
		if !passes(check) {
			return fmt.Errorf("this build of Go (%s) lays out types in a way this kernel does not know", runtime.Version())
		}
	}
	return nil
})

// passes runs a check; a mirror that is wrong may well make it panic.
func passes(check func() bool) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return check()
}

// checkHeads compares what every type has.
func checkHeads() bool {
	for _, t := range []reflect.Type{
		reflect.TypeFor[int8](), reflect.TypeFor[string](), reflect.TypeFor[any](), reflect.TypeFor[error](),
		reflect.TypeFor[probeStruct](), reflect.TypeFor[*probeStruct](), reflect.TypeFor[probeArray](), reflect.TypeFor[probeChan](),
		reflect.TypeFor[probeFunc](), reflect.TypeFor[probeMap](), reflect.TypeFor[[]probeStruct](), reflect.TypeFor[func()](),
		reflect.TypeFor[struct{ P *int }](), reflect.TypeFor[unsafe.Pointer](), reflect.TypeFor[[2]uint64](),
	} {
		a := abiOf(t)
		pointerShaped := slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Chan, reflect.Func, reflect.Map, reflect.UnsafePointer}, t.Kind()) ||
			t == reflect.TypeFor[struct{ P *int }]()
		if a.size != t.Size() || int(a.align) != t.Align() || int(a.fieldAlign) != t.FieldAlign() || reflect.Kind(a.kind) != t.Kind() ||
			(a.flags&flagNamed != 0) != (t.Name() != "") || (a.equal != nil) != t.Comparable() || a.hash == 0 ||
			(a.flags&flagDirect != 0) != pointerShaped || reflectOf(a) != t || a.ptrBytes%unsafe.Sizeof(uintptr(0)) != 0 || a.ptrBytes > a.size {
			return false
		}
	}
	pointers := abiOf(reflect.TypeFor[probeStruct]())
	return pointers.ptrBytes == 2*unsafe.Sizeof(uintptr(0)) && *pointers.gcData == 0b11 && abiOf(reflect.TypeFor[int]()).ptrBytes == 0
}

// checkStruct compares fields, and names with what newName would write.
func checkStruct() bool {
	s := (*abiStruct)(unsafe.Pointer(abiOf(reflect.TypeFor[probeStruct]())))
	names := []*byte{
		newName("probeInner", "", nameEmbedded), newName("Word", `probe:"tag"`, nameExported), newName("tail", "", 0),
	}
	if len(s.fields) != len(names) {
		return false
	}
	for i, field := range s.fields {
		want := reflect.TypeFor[probeStruct]().Field(i)
		length := 2 + len(want.Name)
		if want.Tag != "" {
			length += 1 + len(want.Tag)
		}
		if field.offset != want.Offset || reflectOf(field.typ) != want.Type ||
			string(unsafe.Slice(field.name, length)) != string(unsafe.Slice(names[i], length)) {
			return false
		}
	}
	return true
}

// checkMethods compares the uncommon part of a type and the methods of an interface.
func checkMethods() bool {
	t := reflect.TypeOf(probeStruct{tail: 1})
	u := &(*body[abiStruct, few])(unsafe.Pointer(abiOf(t))).uncommon
	p := &(*body[abiElem, few])(unsafe.Pointer(abiOf(reflect.PointerTo(t)))).uncommon
	i := (*abiInterface)(unsafe.Pointer(abiOf(reflect.TypeFor[probeInterface]())))
	return u.count == 2 && u.exported == 1 && p.count == 3 && p.exported == 2 && u.offset >= uint32(unsafe.Sizeof(*u)) && len(i.methods) == 2 &&
		reflect.TypeFor[probeInterface]().NumMethod() == 2 && t.NumMethod() == 1
}

// checkComposites compares the parts of the other kinds.
func checkComposites() bool {
	array := (*abiArray)(unsafe.Pointer(abiOf(reflect.TypeFor[probeArray]())))
	channel := (*abiChan)(unsafe.Pointer(abiOf(reflect.TypeFor[probeChan]())))
	function := (*funcHead)(unsafe.Pointer(abiOf(reflect.TypeFor[probeFunc]())))
	mapping := (*abiMap)(unsafe.Pointer(abiOf(reflect.TypeFor[probeMap]())))
	slice := (*abiElem)(unsafe.Pointer(abiOf(reflect.TypeFor[[]probeStruct]())))
	inner := reflect.TypeFor[probeStruct]()
	return array.length == 3 && reflectOf(array.elem) == reflect.PointerTo(inner) && reflectOf(array.slice) == reflect.TypeFor[[]*probeStruct]() &&
		channel.direction == int(reflect.SendDir) && reflectOf(channel.elem) == reflect.TypeFor[*int]() &&
		function.head.in == 2 && function.head.out == 1<<15|2 && reflectOf(function.parameters[3]) == reflect.TypeFor[error]() &&
		reflectOf(mapping.key) == reflect.TypeFor[string]() && reflectOf(mapping.elem) == inner &&
		mapping.hasher != nil && mapping.groupSize == mapping.group.size && reflectOf(slice.elem) == inner
}

// checkInterfaces compares the words of interface values with methods.
func checkInterfaces() bool {
	p := &probeStruct{tail: 7}
	one, two := probeInterface(p), probeInterface(new(probeStruct))
	first, second := (*nonEmptyInterface)(unsafe.Pointer(&one)), (*nonEmptyInterface)(unsafe.Pointer(&two))
	typ := (*abiTable)(first.table).typ
	return typ == abiOf(reflect.TypeFor[*probeStruct]()) && first.data == unsafe.Pointer(p) && first.table == second.table && unsafe.Sizeof(one) == unsafe.Sizeof(*first)
}

// checkAssertionError compares the error of a failed assertion with one made here.
func checkAssertionError() bool {
	failed := func(assertion func()) (text string) {
		defer func() { text = recover().(*runtime.TypeAssertionError).Error() }()
		assertion()
		return ""
	}
	var number any = 1
	want := failed(func() { _ = number.(probeInner) })
	return want == failed(func() {
		panic(assertionError(reflect.TypeFor[any](), abiOf(reflect.TypeFor[int]()), abiOf(reflect.TypeFor[probeInner]()), ""))
	})
}

// checkForged makes a type and uses it through compiled code and through stubs.
func checkForged() bool {
	type layout struct{ X, Y int }
	t, err := Declare("main", "probe", reflect.TypeFor[layout]())
	if err != nil {
		return false
	}
	t.CompleteStruct([]Field{{Name: "x", Type: reflect.TypeFor[int]()}, {Name: "Y", Type: reflect.TypeFor[int](), Tag: "a"}})
	err = t.SetMethods([]Method{{
		Name: "String", Type: reflect.TypeFor[func() string](), OnValue: true,
		Pointer: reflect.ValueOf(func(p *layout) string { return fmt.Sprint("*", p.X) }),
		Value:   reflect.ValueOf(func(v layout) string { return fmt.Sprint(v.X) }),
	}})
	if err != nil {
		return false
	}
	v := Box(t, layout{4, 2})
	stringer, ok := v.(fmt.Stringer)
	real := t.Real()
	return ok && stringer.String() == "*4" && fmt.Sprintf("%T", v) == "main.probe" && reflect.ValueOf(v).Method(0).Call(nil)[0].String() == "*4" &&
		real.Method(0).Func.Call([]reflect.Value{reflect.ValueOf(v)})[0].String() == "4" && real.PkgPath() == "main" &&
		real.Field(0).PkgPath == "main" && real.Field(1).Tag == "a" && reflect.PointerTo(real).Elem() == real && Unbox(t, v) == any(layout{4, 2})
}

// checkChannel looks at the buffer of a channel that has been around once, open and closed.
func checkChannel() bool {
	c := make(chan any, 3)
	for i := range 3 {
		c <- i
	}
	<-c
	c <- 3
	<-c
	head := (*abiChannel)(reflect.ValueOf(c).UnsafePointer())
	holds := func() bool {
		elements := buffered(reflect.ValueOf(c))
		return len(elements) == 2 && elements[0].Interface() == any(2) && elements[1].Interface() == any(3) && head.size == 3 &&
			uintptr(head.elemSize) == unsafe.Sizeof(any(nil)) && head.elem == abiOf(reflect.TypeFor[any]()) && head.sendAt == 1 && head.receiveAt == 2
	}
	open := holds() && head.closed == 0
	close(c)
	return open && holds() && head.closed != 0
}

// checkReflected compares reflect.Value with its mirror, for values held in both ways and for
// a method.
func checkReflected() bool {
	number := 7
	there := reflect.ValueOf(&number).Elem()
	pointer := reflect.ValueOf(&number)
	method := reflect.ValueOf(probeStruct{tail: 1}).Method(0)
	mirror := func(v *reflect.Value) *reflectValue { return (*reflectValue)(unsafe.Pointer(v)) }
	a, b, c := mirror(&there), mirror(&pointer), mirror(&method)
	return unsafe.Sizeof(there) == unsafe.Sizeof(*a) && a.typ == abiOf(reflect.TypeFor[int]()) && a.data == unsafe.Pointer(&number) &&
		a.flag&flagIndirect != 0 && a.flag&flagMethod == 0 && b.typ == abiOf(reflect.TypeFor[*int]()) && b.data == a.data && b.flag&flagIndirect == 0 &&
		c.typ == abiOf(reflect.TypeFor[probeStruct]()) && c.flag&flagMethod != 0 && pointedTo(reflect.TypeFor[atomic.Pointer[probeArray]]()) == reflect.TypeFor[probeArray]()
}
