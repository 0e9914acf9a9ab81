package realtype

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// The types that SelfCheck examines through the mirrored layout.

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

// SelfCheck compares the layout of types that this package assumes with that of the runtime, field
// by field and in use. It must return nil before any other function of the package is used.
//
// The fields are compared first: using a type whose layout is wrong can end the process.
func SelfCheck() error { return selfCheck() }

var selfCheck = sync.OnceValue(func() error {
	if stubCount == 0 {
		return fmt.Errorf("sources run on amd64, arm64 and wasm, and not on %s", runtime.GOARCH)
	}
	for _, check := range []func() bool{
		checkMirrors, checkHeads, checkStruct, checkMethods, checkComposites, checkAssertionError, checkForged, checkKinds, checkEmbedded,
	} {
		if !passes(check) {
			return fmt.Errorf("this build of Go (%s) lays out types in a way that gosphere does not know", runtime.Version())
		}
	}
	return nil
})

// passes runs a check. A wrong mirror may make the check panic, which counts as a failure.
func passes(check func() bool) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return check()
}

// checkHeads compares the part that all types have.
//
// The types differ in every flag that is compared, so that a flag at another bit is noticed.
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

// checkStruct compares fields, and names with the encoding of newName.
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

// checkMethods compares the uncommon part of a type and the methods of an interface type. The probe
// has exported and unexported methods with both kinds of receivers, so the counts distinguish all
// four.
func checkMethods() bool {
	t := reflect.TypeOf(probeStruct{tail: 1})
	u := &(*body[abiStruct, few])(unsafe.Pointer(abiOf(t))).uncommon
	p := &(*body[abiElem, few])(unsafe.Pointer(abiOf(reflect.PointerTo(t)))).uncommon
	i := (*abiInterface)(unsafe.Pointer(abiOf(reflect.TypeFor[probeInterface]())))
	return u.count == 2 && u.exported == 1 && p.count == 3 && p.exported == 2 && u.offset >= uint32(unsafe.Sizeof(*u)) && len(i.methods) == 2 &&
		reflect.TypeFor[probeInterface]().NumMethod() == 2 && t.NumMethod() == 1
}

// checkComposites compares the components of other kinds.
func checkComposites() bool {
	array := (*abiArray)(unsafe.Pointer(abiOf(reflect.TypeFor[probeArray]())))
	// The constant 1<<15 is the bit for a variadic function.
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

// checkAssertionError compares the error of a failed assertion with one made by this package.
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

// checkForged makes a type and uses it in compiled code and through stubs. Its String method has
// different bodies for the pointer and the value, to show that a call through an interface passes
// the address of the value and that Method.Func passes the value.
func checkForged() bool {
	type layout struct{ X, Y int }
	t, err := Declare("main", "probe", reflect.TypeFor[layout](), 1)
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
	real := t.Real()
	v := any(layout{4, 2})
	(*emptyInterface)(unsafe.Pointer(&v)).typ = abiOf(real)
	stringer, ok := v.(fmt.Stringer)
	return ok && stringer.String() == "*4" && fmt.Sprintf("%T", v) == "main.probe" && reflect.ValueOf(v).Method(0).Call(nil)[0].String() == "*4" &&
		real.Method(0).Func.Call([]reflect.Value{reflect.ValueOf(v)})[0].String() == "4" && real.PkgPath() == "main" &&
		real.Field(0).PkgPath == "main" && real.Field(1).Tag == "a" && reflect.PointerTo(real).Elem() == real
}
