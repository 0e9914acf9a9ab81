// Package json holds the generic functions of the standard package encoding/json/v2.
package json

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"reflect"

	"gosphere/runtime/internal/generic/erased"
)

// GetOption returns the value that opts has for the option that setter sets.
func GetOption[T any](opts json.Options, setter func(T) json.Options) (T, bool) {
	value, ok := erased.Option(opts, setter)
	return value.(T), ok
}

// MarshalFunc returns a marshaler for values of type T.
func MarshalFunc[T any](fn func(T) ([]byte, error)) *json.Marshalers {
	return erased.MarshalFunc(reflect.TypeFor[T](), func(v any) ([]byte, error) { return fn(v.(T)) })
}

// MarshalToFunc returns a marshaler for values of type T that writes to an encoder.
func MarshalToFunc[T any](fn func(*jsontext.Encoder, T) error) *json.Marshalers {
	return erased.MarshalToFunc(reflect.TypeFor[T](), func(e *jsontext.Encoder, v any) error { return fn(e, v.(T)) })
}

// UnmarshalFunc returns an unmarshaler for values of type T, which is a pointer or an interface.
func UnmarshalFunc[T any](fn func([]byte, T) error) *json.Unmarshalers {
	return erased.UnmarshalFunc(reflect.TypeFor[T](), func(b []byte, v any) error { return fn(b, v.(T)) })
}

// UnmarshalFromFunc returns an unmarshaler for values of type T that reads from a decoder.
func UnmarshalFromFunc[T any](fn func(*jsontext.Decoder, T) error) *json.Unmarshalers {
	return erased.UnmarshalFromFunc(reflect.TypeFor[T](), func(d *jsontext.Decoder, v any) error { return fn(d, v.(T)) })
}
