package realtype

import (
	"reflect"
	"runtime"
	"unsafe"
)

// An abiAssertionError mirrors runtime.TypeAssertionError. The fields of the original are
// unexported, but its Error method composes the text from them.
type abiAssertionError struct {
	static, concrete, asserted *abiType
	missingMethod              string
}

// assertionError returns the error of a failed assertion.
func assertionError(static reflect.Type, concrete, asserted *abiType, missing string) *runtime.TypeAssertionError {
	e := new(runtime.TypeAssertionError)
	*(*abiAssertionError)(unsafe.Pointer(e)) = abiAssertionError{abiOf(static), concrete, asserted, missing}
	return e
}

// AssertionError returns the error of a failed assertion of an operand of the static type. concrete
// is the dynamic type of the operand, or nil for a nil operand.
func AssertionError(static, concrete, asserted reflect.Type) error {
	switch to := abiOf(asserted); {
	case concrete == nil && asserted.Kind() == reflect.Interface:
		return assertionError(nil, nil, to, "") // Go's message does not include the static type here
	case concrete == nil:
		return assertionError(static, nil, to, "")
	case asserted.Kind() == reflect.Interface:
		return assertionError(static, abiOf(concrete), to, missingMethod(concrete, asserted))
	default:
		return assertionError(static, abiOf(concrete), to, "")
	}
}

// missingMethod returns the name of the first method of the interface type that a type lacks.
func missingMethod(have, target reflect.Type) string {
	for i := range target.NumMethod() {
		want := target.Method(i)
		m, ok := have.MethodByName(want.Name)
		if !ok && nameRank(want.Name) == 0 {
			return want.Name
		}
		if !ok {
			// Reflection lists no unexported or hidden methods, so the first of those is named
			// without a check.
			return plainName(want.Name)
		}
		method := m.Type
		if have.Kind() != reflect.Interface {
			method = withoutReceiver(method)
		}
		if method != want.Type {
			return want.Name
		}
	}
	return ""
}

// withoutReceiver returns a function type without its first parameter.
//
// reflect's Method.Type of a concrete type has the receiver as its first parameter, and that of an
// interface type has none.
func withoutReceiver(t reflect.Type) reflect.Type {
	in := make([]reflect.Type, 0, t.NumIn())
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	out := make([]reflect.Type, t.NumOut())
	for i := range out {
		out[i] = t.Out(i)
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}
