package override

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/symtab"
)

// Package net/http names, in its panic about conflicting patterns, the lines that have registered
// them. It would find the machine there, so the overrides of the functions that register patterns
// keep the lines of cells.
func patternSupport() map[string]any {
	return map[string]any{
		"HTTPHandle": func(pattern string, handler http.Handler) {
			registering(http.DefaultServeMux, pattern, func() { http.Handle(pattern, handler) })
		},
		"HTTPHandleFunc": func(pattern string, handler func(http.ResponseWriter, *http.Request)) {
			registering(http.DefaultServeMux, pattern, func() { http.HandleFunc(pattern, handler) })
		},
		"MuxHandle": func(mux *http.ServeMux, pattern string, handler http.Handler) {
			registering(mux, pattern, func() { mux.Handle(pattern, handler) })
		},
		"MuxHandleFunc": func(mux *http.ServeMux, pattern string, handler func(http.ResponseWriter, *http.Request)) {
			registering(mux, pattern, func() { mux.HandleFunc(pattern, handler) })
		},
	}
}

// A registration is a pattern of a multiplexer.
type registration struct {
	mux     *http.ServeMux
	pattern string
}

// registeredLines holds the lines of cells that have registered patterns.
var registeredLines sync.Map // registration to string

// registeredAt matches a pattern and its position in the error of package net/http.
var registeredAt = lazyregexp.New(`pattern ("(?:[^"\\]|\\.)*") \(registered at [^)]*\)`)

// registering calls a function that registers a pattern. If the function panics with an error that
// names positions, registering panics with one that names those of cells.
func registering(mux *http.ServeMux, pattern string, register func()) {
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
func namingCells(text string, mux *http.ServeMux, place string) string {
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
