package erased

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"reflect"
)

// AppendFormat is jsontext.AppendFormat for a string.
func AppendFormat(dst []byte, src string, opts ...jsontext.Options) ([]byte, error) {
	return jsontext.AppendFormat(dst, src, opts...)
}

// AppendQuote is jsontext.AppendQuote for a string.
func AppendQuote(dst []byte, src string) ([]byte, error) { return jsontext.AppendQuote(dst, src) }

// AppendUnquote is jsontext.AppendUnquote for a string.
func AppendUnquote(dst []byte, src string) ([]byte, error) { return jsontext.AppendUnquote(dst, src) }

// Option returns the value that opts has for the option that setter sets. setter is a function from
// the type of the value to json.Options.
func Option(opts json.Options, setter any) (value any, ok bool) {
	switch setter := setter.(type) {
	case func(bool) json.Options:
		value, ok = json.GetOption(opts, setter)
	case func(int) json.Options:
		value, ok = json.GetOption(opts, setter)
	case func(int64) json.Options:
		value, ok = json.GetOption(opts, setter)
	case func(string) json.Options:
		value, ok = json.GetOption(opts, setter)
	case func(*json.Marshalers) json.Options:
		value, ok = json.GetOption(opts, setter)
	case func(*json.Unmarshalers) json.Options:
		value, ok = json.GetOption(opts, setter)
	default:
		panic(fmt.Sprintf("json: GetOption: no option has a setter of type %T", setter))
	}
	return value, ok
}

// The functions of json.Marshalers and json.Unmarshalers belong to a type that only their type
// argument names. Here the type argument is any, for which package json calls a function for every
// value, with a pointer to it. The functions below return errors.ErrUnsupported for values of other
// types, after which package json goes on as if there were no function.

// MarshalFunc returns a marshaler for values of a type.
func MarshalFunc(t reflect.Type, fn func(any) ([]byte, error)) *json.Marshalers {
	checkArgument(t, true)
	return json.MarshalToFunc(func(e *jsontext.Encoder, pointer any) error {
		v, ok := castTo(t, pointer)
		if !ok {
			return errors.ErrUnsupported
		}
		text, err := fn(v)
		if errors.Is(err, errors.ErrUnsupported) {
			err = errors.New("marshal function of type func(T) ([]byte, error) may not return errors.ErrUnsupported")
		}
		if err == nil {
			if err = e.WriteValue(text); errors.As(err, new(*jsontext.SyntacticError)) {
				return &json.SemanticError{GoType: t, Err: err}
			}
		}
		return located(t, err)
	})
}

// MarshalToFunc returns a marshaler for values of a type that writes to an encoder.
func MarshalToFunc(t reflect.Type, fn func(*jsontext.Encoder, any) error) *json.Marshalers {
	checkArgument(t, true)
	return json.MarshalToFunc(func(e *jsontext.Encoder, pointer any) error {
		v, ok := castTo(t, pointer)
		if !ok {
			return errors.ErrUnsupported
		}
		before := at(e)
		return located(t, oneValue(fn(e, v), before, at(e)))
	})
}

// UnmarshalFunc returns an unmarshaler for values of a type.
func UnmarshalFunc(t reflect.Type, fn func([]byte, any) error) *json.Unmarshalers {
	checkArgument(t, false)
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, pointer any) error {
		v, ok := castTo(t, pointer)
		if !ok {
			return errors.ErrUnsupported
		}
		text, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err = fn(text, v); errors.Is(err, errors.ErrUnsupported) {
			err = errors.New("unmarshal function of type func([]byte, T) error may not return errors.ErrUnsupported")
		}
		if err = located(t, err); err != nil {
			if semantic, ok := err.(*json.SemanticError); ok && semantic.JSONKind == 0 {
				semantic.JSONKind = text.Kind()
			}
		}
		return err
	})
}

// UnmarshalFromFunc returns an unmarshaler for values of a type that reads from a decoder.
func UnmarshalFromFunc(t reflect.Type, fn func(*jsontext.Decoder, any) error) *json.Unmarshalers {
	checkArgument(t, false)
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, pointer any) error {
		v, ok := castTo(t, pointer)
		if !ok {
			return errors.ErrUnsupported
		}
		before := at(d)
		return located(t, oneValue(fn(d, v), before, at(d)))
	})
}

// A place is how much of the text has been read or written: the depth of the nesting, and the
// number of values and names in the innermost object or array.
type place struct {
	depth  int
	length int64
}

func at(coder interface {
	StackDepth() int
	StackIndex(int) (jsontext.Kind, int64)
}) place {
	depth := coder.StackDepth()
	_, length := coder.StackIndex(depth)
	return place{depth, length}
}

// oneValue returns the error of a function that has been called between two places. It must read or
// write one value, and none if it returns errors.ErrUnsupported. Package json makes the same test,
// but its error would name the type any.
func oneValue(err error, before, after place) error {
	switch {
	case err == nil && after != place{before.depth, before.length + 1}:
		return errors.New("must read or write exactly one value")
	case errors.Is(err, errors.ErrUnsupported) && after != before:
		return errors.New("unsupported calls must not read or write any tokens")
	}
	return err
}

// castTo returns the value of type t that a function for t is called with, given a pointer to the
// value in the data. It is the pointer itself if t is an interface or pointer type.
func castTo(t reflect.Type, pointer any) (any, bool) {
	p := reflect.ValueOf(pointer)
	switch t.Kind() {
	case reflect.Interface:
		return pointer, p.Type().Implements(t)
	case reflect.Pointer:
		return pointer, p.Type() == t
	}
	if p.Type().Elem() != t {
		return nil, false
	}
	return p.Elem().Interface(), true
}

// checkArgument panics for the types that package json does not accept.
func checkArgument(t reflect.Type, marshal bool) {
	pointer := t.Kind() == reflect.Pointer && t.Name() == ""
	switch {
	case t.Kind() == reflect.Interface, pointer, marshal && t.Kind() != reflect.Pointer:
	case marshal:
		panic(fmt.Sprintf("input type %v must be an interface type, an unnamed pointer type, or a non-pointer type", t))
	default:
		panic(fmt.Sprintf("input type %v must be an interface type or an unnamed pointer type", t))
	}
}

// located adds the type to an error, which package json would call any. Errors of the text and of
// reading or writing stay.
func located(t reflect.Type, err error) error {
	if err == nil || errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if semantic, ok := err.(*json.SemanticError); ok {
		if semantic.GoType == nil {
			semantic.GoType = t
		}
		return semantic
	}
	if errors.As(err, new(*jsontext.SyntacticError)) {
		return err
	}
	return &json.SemanticError{GoType: t, Err: err}
}
