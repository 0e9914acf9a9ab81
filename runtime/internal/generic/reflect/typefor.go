// Package reflect holds the generic functions of the standard package reflect.
package reflect

import "reflect"

// TypeFor returns the type T.
//
// The pointer serves interface types: the type of a nil interface value could not be determined.
func TypeFor[T any]() reflect.Type {
	return reflect.TypeOf((*T)(nil)).Elem()
}

// TypeAssert returns v.Interface().(T) and reports whether the assertion succeeded.
//
// The standard function avoids the allocation that Interface may need. Its results are the same.
func TypeAssert[T any](v reflect.Value) (T, bool) {
	if v.Kind() == reflect.Invalid {
		panic(&reflect.ValueError{Method: "reflect.TypeAssert", Kind: reflect.Invalid})
	}
	t, ok := v.Interface().(T)
	return t, ok
}
