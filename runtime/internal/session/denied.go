package session

import (
	"errors"
	"reflect"
)

// opening are functions of packages that compute which open files. A session without package os
// refuses them.
var opening = map[string]bool{
	"text/template.ParseFiles": true, "text/template.ParseGlob": true, "html/template.ParseFiles": true, "html/template.ParseGlob": true,
	"(*text/template.Template).ParseFiles": true, "(*text/template.Template).ParseGlob": true,
	"(*html/template.Template).ParseFiles": true, "(*html/template.Template).ParseGlob": true,
}

var errNoFiles = errors.New("the program gives no files to its sources")

// denied reports whether a session with these options refuses a function or method, and returns a
// function that makes one of the same type which only fails.
func denied(o *Options, name string) (deny func(t reflect.Type) reflect.Value, ok bool) {
	if o.Embedded == nil || !opening[name] {
		return nil, false
	}
	if _, err := o.Packages.Import("os"); err == nil {
		return nil, false
	}
	return func(t reflect.Type) reflect.Value {
		return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			results := make([]reflect.Value, t.NumOut())
			for i := range results {
				results[i] = reflect.Zero(t.Out(i))
			}
			results[len(results)-1] = reflect.ValueOf(&errNoFiles).Elem()
			return results
		})
	}, true
}
