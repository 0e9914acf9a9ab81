package realtype

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Box gives a value of the layout type its real type. A value that has the real type
// already is returned as it is, and nil becomes the nil of a pointer-shaped type. Any
// other value is a defect of the front end, for which Box panics.
func Box(t *Type, v any) any {
	f := t.forms.Load()
	if !t.used.Load() {
		t.used.Store(true)
	}
	word := (*emptyInterface)(unsafe.Pointer(&v))
	if word.typ == f.layoutT {
		word.typ = f.realT
		return v
	}
	return t.boxOther(f, v)
}

func (t *Type) boxOther(f *forms, v any) any {
	word := (*emptyInterface)(unsafe.Pointer(&v))
	switch {
	case f.real.Kind() == reflect.Interface && (v == nil || reflect.TypeOf(v).Implements(f.real)):
		return v
	case v == nil && f.realT.flags&flagDirect != 0, v != nil && t.has(word.typ):
		word.typ = f.realT
		return v
	case v != nil && isTwin(reflect.TypeOf(v), f):
		word.typ = f.realT
		return v
	}
	panic(fmt.Sprintf("realtype: value of type %T where %v is expected for %v", v, f.layout, f.real))
}

// isTwin reports whether a compiled type is the one that a real type stands for: compiled functions
// give instances such as iter.Seq[string], for which cells have a type of their own.
func isTwin(t reflect.Type, f *forms) bool {
	return t.String() == f.real.String() && t.Kind() == f.layout.Kind() && t.ConvertibleTo(f.layout)
}

// A missed value is what Unbox returns when the type is another one. It is not empty,
// because the interpreter looks at the first field of any struct that it asserts.
type missed struct{ _ int }

// Unbox gives a value of the real type its layout type. For a value of another type it
// returns a value that no assertion accepts.
func Unbox(t *Type, v any) any {
	f := t.forms.Load()
	word := (*emptyInterface)(unsafe.Pointer(&v))
	if word.typ == f.realT || t.has(word.typ) {
		word.typ = f.layoutT
		return v
	}
	return missed{}
}

// Reinterpret returns v, a struct or a pointer, as a value of a type with the same memory layout: types whose fields differ in
// their names only, and pointers to such.
func Reinterpret(to reflect.Type, v any) any {
	from := reflect.ValueOf(v)
	if from.Kind() == reflect.Pointer {
		return reflect.NewAt(to.Elem(), from.UnsafePointer()).Convert(to).Interface()
	}
	if from.Type().Size() != to.Size() {
		panic(fmt.Sprintf("realtype: %s and %s have not the same size", from.Type(), to))
	}
	copied := reflect.New(to)
	reflect.NewAt(from.Type(), copied.UnsafePointer()).Elem().Set(from)
	return copied.Elem().Interface()
}

// Is tells whether a value has the real type.
func Is(t *Type, v any) bool { return t.has(typeWord(v)) }

// Must is Unbox for the assertion v.(T) of an operand of type any: it panics with a
// *runtime.TypeAssertionError where the assertion would.
func Must(t *Type, v any) any { return MustFrom(t, reflect.TypeFor[any](), v) }

// MustFrom is Must for an operand of any interface type, which the text of the panic names.
func MustFrom(t *Type, static reflect.Type, v any) any {
	if !Is(t, v) {
		panic(assertionError(static, typeWord(v), t.forms.Load().realT, ""))
	}
	(*emptyInterface)(unsafe.Pointer(&v)).typ = t.forms.Load().layoutT
	return v
}

// MustImplement returns v if its type implements the interface and panics as the
// assertion v.(I) does otherwise. The static type is that of the operand.
func MustImplement(target, static reflect.Type, v any) any {
	if v == nil { // Go does not name the static type here
		panic(assertionError(nil, nil, abiOf(target), ""))
	}
	have := reflect.TypeOf(v)
	if have.Implements(target) {
		return v
	}
	panic(assertionError(static, abiOf(have), abiOf(target), missingMethod(have, target)))
}

// missingMethod names the first method of the interface that a type lacks.
func missingMethod(have, target reflect.Type) string {
	for i := range target.NumMethod() {
		want := target.Method(i)
		m, ok := have.MethodByName(want.Name)
		if !ok && nameRank(want.Name) == 0 {
			return want.Name
		}
		if !ok {
			// Reflection shows no methods that are unexported or hidden, so the first
			// of those is named without looking.
			return want.Name[len(hiddenPrefixOf(want.Name)):]
		}
		method := m.Type
		if have.Kind() != reflect.Interface {
			method = DropFirst(method)
		}
		if method != want.Type {
			return want.Name
		}
	}
	return ""
}

func hiddenPrefixOf(name string) string {
	if nameRank(name) == 2 {
		return hiddenPrefix
	}
	return ""
}

// Equal is a == b for interface values. It panics for types that cannot be compared,
// as Go does.
func Equal(a, b any) bool {
	pair := settled(func() [2]any { return [2]any{Current(a), Current(b)} })
	return pair[0] == pair[1]
}
