package override

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"

	"gosphere/runtime/internal/guard/cycles"
)

// Compiled functions that format or encode a value that contains itself use up their stack, which
// ends the process. These overrides panic instead. Functions that have another override, such as
// those of package fmt, call package cycles there.
//
// A walk before each call costs less than the call, which visits the same parts, and nothing for
// types that cannot contain themselves. encoding/json, reflect.DeepEqual and go-cmp find cycles by
// themselves and need no override. Functions that only keep a value, such as those of package
// sync/atomic and container/list, must accept it.

// The escapers of templates format their arguments with fmt.Sprint before they escape the text, and
// ast.Fprint follows pointers with a list of those that it has met, but not slices and maps.
//
// checked are the compiled functions and methods that need no other override, with the search that
// fits them. addChecked adds those of package log/slog.
var checked = map[string]cycles.Walk{
	"encoding/xml.Marshal": cycles.Encode, "encoding/xml.MarshalIndent": cycles.Encode,
	"(*encoding/xml.Encoder).Encode": cycles.Encode, "(*encoding/xml.Encoder).EncodeElement": cycles.Encode,
	"encoding/asn1.Marshal": cycles.Encode, "encoding/asn1.MarshalWithParams": cycles.Encode,
	"text/template.HTMLEscaper": cycles.Format, "text/template.JSEscaper": cycles.Format, "text/template.URLQueryEscaper": cycles.Format,
	"html/template.HTMLEscaper": cycles.Format, "html/template.JSEscaper": cycles.Format, "html/template.URLQueryEscaper": cycles.Format,
	"runtime/trace.Logf": cycles.Format, "go/ast.Fprint": cycles.Tree,
}

// logged are the functions of package log/slog, and methods of its loggers, that have attributes.
var logged = strings.Fields("Debug Info Warn Error Log LogAttrs With DebugContext InfoContext WarnContext ErrorContext")

// addChecked adds the adapters of functions that refuse values that contain themselves.
//
// A group of attributes is searched attribute by attribute, so that the error names the argument
// and not the group. Groups cannot contain themselves, because a group copies its attributes.
//
// The functions of package log/slog use the default logger, whose handler formats attributes with
// %+v as long as no other one is set. With formats its arguments at once if the handler does.
func addChecked(list map[string]adapter) {
	for name, walk := range checked {
		list[name] = checking(func(arguments []any) { walk.Refuse(arguments...) })
	}
	for _, name := range logged {
		list["log/slog."+name] = checking(func(arguments []any) { refuseLogged(slog.Default(), arguments) })
		list["(*log/slog.Logger)."+name] = checking(func(arguments []any) {
			if l, ok := arguments[0].(*slog.Logger); ok && l != nil {
				refuseLogged(l, arguments[1:])
			}
		})
	}
}

// refuseLogged panics if an attribute contains itself, unless the handler writes JSON, which
// reports that. Handlers of cells format attributes with functions that are overridden, too, but
// the call cannot know which handlers wrap others.
func refuseLogged(l *slog.Logger, arguments []any) {
	if _, ok := l.Handler().(*slog.JSONHandler); ok {
		return
	}
	for i, a := range arguments {
		if _, ok := a.(context.Context); ok {
			continue
		}
		for _, v := range attributes(a) {
			if err := cycles.Format.Find(fmt.Sprintf("argument %d", i+1), v); err != nil {
				panic(err)
			}
		}
	}
}

// attributes returns the values of an argument of a logging function. A slog.Attr has a method
// String, which handlers do not call, so the search must begin at its value.
func attributes(a any) []any {
	var list []any
	switch a := a.(type) {
	case slog.Attr:
		return attributes(a.Value)
	case slog.Value:
		if a.Kind() == slog.KindGroup {
			return attributes(a.Group())
		}
		return []any{a.Any()}
	case []slog.Attr:
		for _, attribute := range a {
			list = append(list, attributes(attribute)...)
		}
		return list
	}
	return []any{a}
}

// checking calls check with the arguments, those of a variadic parameter each for itself, and then
// the original. Reflection makes these functions slower by about a microsecond, which does not
// matter for encoders and loggers.
func checking(check func([]any)) adapter {
	return around(func(f reflect.Value, in []reflect.Value) []reflect.Value {
		var arguments []any
		for i, v := range in {
			if f.Type().IsVariadic() && i == len(in)-1 {
				for j := range v.Len() {
					arguments = append(arguments, v.Index(j).Interface())
				}
				continue
			}
			arguments = append(arguments, v.Interface())
		}
		check(arguments)
		return forward(f, in)
	})
}
