package override

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/symtab"
)

// Package net/http names, in its panic about conflicting patterns, the lines that have registered
// them. It would find the machine there, so the overrides of the functions that register patterns
// keep the lines of cells.
func addPatterns(list map[string]adapter, symbol Symbol) {
	for _, name := range []string{"Handle", "HandleFunc"} {
		list["net/http."+name] = around(func(original reflect.Value, in []reflect.Value) []reflect.Value {
			var mux any
			if v, ok := symbol.find("net/http", "DefaultServeMux"); ok {
				mux = v.Interface()
			}
			registering(mux, in[0].String(), func() { original.Call(in) })
			return nil
		})
		list["(*net/http.ServeMux)."+name] = around(func(original reflect.Value, in []reflect.Value) []reflect.Value {
			registering(in[0].Interface(), in[1].String(), func() { original.Call(in) })
			return nil
		})
	}
}

// A registration is a pattern of a multiplexer.
type registration struct {
	mux     any // a *http.ServeMux
	pattern string
}

// registeredLines holds the lines of cells that have registered patterns.
var registeredLines sync.Map // registration to string

// registeredAt matches a pattern and its position in the error of package net/http.
var registeredAt = lazyregexp.New(`pattern ("(?:[^"\\]|\\.)*") \(registered at [^)]*\)`)

// registering calls a function that registers a pattern. If the function panics with an error that
// names positions, registering panics with one that names those of cells.
func registering(mux any, pattern string, register func()) {
	_, file, line, ok := symtab.Caller(0)
	place := fmt.Sprintf("%s:%d", file, line)
	ended := false
	defer func() {
		if ended {
			return
		}
		value := recover()
		if err, isError := value.(error); isError && ok {
			value = errors.New(namingCells(err.Error(), mux, place))
		}
		panic(value)
	}()
	register()
	ended = true
	if ok {
		registeredLines.Store(registration{mux, pattern}, place)
	}
}

// namingCells replaces the positions in the text of an error. The first is that of the pattern that
// is being registered.
func namingCells(text string, mux any, place string) string {
	first := true
	return registeredAt.ReplaceAllStringFunc(text, func(part string) string {
		quoted := registeredAt.FindStringSubmatch(part)[1]
		at := any(place)
		if !first {
			var pattern string
			_, _ = fmt.Sscanf(quoted, "%q", &pattern)
			known := false
			if at, known = registeredLines.Load(registration{mux, pattern}); !known {
				return part // a compiled package has registered it
			}
		}
		first = false
		return fmt.Sprintf("pattern %s (registered at %s)", quoted, at)
	})
}
