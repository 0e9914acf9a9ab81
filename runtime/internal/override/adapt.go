package override

import (
	"io"
	"reflect"
	"strings"
)

// Most packages of the standard library are in a program only if its tables have them. The
// overrides of their functions and methods are made from the originals in the tables, so that this
// package need not import them.

// A Symbol returns an exported object of a compiled package, as symbols.Find does.
type Symbol func(path, name string) (reflect.Value, bool)

// find is the Symbol for a nil one as well, which has no packages.
func (s Symbol) find(path, name string) (reflect.Value, bool) {
	if s == nil {
		return reflect.Value{}, false
	}
	return s(path, name)
}

// method returns the function of the method expression with a name in the form of
// types.Func.FullName, whose type is exported.
func (s Symbol) method(name string) (f reflect.Value, ok bool) {
	of, pointer := strings.CutPrefix(name, "(*")
	if !pointer {
		return f, false
	}
	of, name, ok = strings.Cut(of, ").")
	at := strings.LastIndexByte(of, '.')
	if !ok || at < 0 {
		return f, false
	}
	v, ok := s.find(of[:at], of[at+1:])
	if !ok || v.Kind() != reflect.Pointer {
		return f, false
	}
	m, ok := v.Type().MethodByName(name)
	return m.Func, ok
}

// An adapter makes the override of a function or method from the original, whose type it has.
type adapter func(original reflect.Value) reflect.Value

// around returns a function of the type of the original, whose calls are those of call.
func around(call func(original reflect.Value, in []reflect.Value) []reflect.Value) adapter {
	return func(original reflect.Value) reflect.Value {
		return reflect.MakeFunc(original.Type(), func(in []reflect.Value) []reflect.Value { return call(original, in) })
	}
}

// forward calls a function with the arguments that one of the same type has got.
func forward(f reflect.Value, in []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(in)
	}
	return f.Call(in)
}

// failing returns a function that has an error as its only result.
func failing(call func(in []reflect.Value) error) adapter {
	return around(func(_ reflect.Value, in []reflect.Value) []reflect.Value {
		err := call(in)
		return []reflect.Value{reflect.ValueOf(&err).Elem()}
	})
}

// adapters returns the adapters of a session by the names of functions, in the form PATH.NAME, and
// of methods, in the form of types.Func.FullName.
func (g functions) adapters() map[string]adapter {
	list := map[string]adapter{"testing/synctest.Test": around(synctestTest)}
	g.addCodecs(list)
	g.addTemplates(list)
	addPatterns(list, g.symbol)
	addChecked(list)
	return list
}

// A gobEncoder is an encoder of package encoding/gob, and a gobDecoder a decoder.
type (
	gobEncoder interface {
		Encode(v any) error
		EncodeValue(v reflect.Value) error
	}
	gobDecoder interface {
		Decode(v any) error
		DecodeValue(v reflect.Value) error
	}
)

// addCodecs adds the adapters of package encoding/gob.
func (g functions) addCodecs(list map[string]adapter) {
	list["encoding/gob.NewEncoder"] = around(func(original reflect.Value, in []reflect.Value) []reflect.Value {
		w, _ := in[0].Interface().(io.Writer)
		return original.Call([]reflect.Value{reflect.ValueOf(unheldWriter{w})})
	})
	list["encoding/gob.NewDecoder"] = around(func(original reflect.Value, in []reflect.Value) []reflect.Value {
		r, _ := in[0].Interface().(io.Reader)
		return original.Call([]reflect.Value{reflect.ValueOf(readerOf(r))})
	})
	list["(*encoding/gob.Encoder).Encode"] = failing(func(in []reflect.Value) error {
		e, v := in[0].Interface().(gobEncoder), in[1].Interface()
		return g.encode(v, func() error { return e.Encode(v) })
	})
	list["(*encoding/gob.Decoder).Decode"] = failing(func(in []reflect.Value) error {
		d, v := in[0].Interface().(gobDecoder), in[1].Interface()
		return g.code(true, v, func() error { return d.Decode(v) })
	})
	list["(*encoding/gob.Encoder).EncodeValue"] = failing(func(in []reflect.Value) error {
		e, v := in[0].Interface().(gobEncoder), in[1].Interface().(reflect.Value)
		return g.encode(valueOf(v), func() error { return e.EncodeValue(v) })
	})
	list["(*encoding/gob.Decoder).DecodeValue"] = failing(func(in []reflect.Value) error {
		d, v := in[0].Interface().(gobDecoder), in[1].Interface().(reflect.Value)
		return g.code(true, valueOf(v), func() error { return d.DecodeValue(v) })
	})
}

// addTemplates adds the adapters of packages text/template and html/template.
func (g functions) addTemplates(list map[string]adapter) {
	for _, path := range []string{"text/template", "html/template"} {
		list["(*"+path+".Template).Execute"] = failing(func(in []reflect.Value) error {
			w, _ := in[1].Interface().(io.Writer)
			return g.execute(in[0].Interface().(templateSet), w, in[2].Interface())
		})
		list["(*"+path+".Template).ExecuteTemplate"] = failing(func(in []reflect.Value) error {
			w, _ := in[1].Interface().(io.Writer)
			return g.executeNamed(in[0].Interface().(templateSet), w, in[2].String(), in[3].Interface())
		})
	}
}
