package override

import (
	"context"
	"encoding/asn1"
	"encoding/xml"
	"fmt"
	"go/ast"
	htmltemplate "html/template"
	"log/slog"
	"reflect"
	"runtime/trace"
	"text/template"

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
// checkedFunctions are the compiled functions and methods that need no other override, by the names
// in checkedOverrides.
var checkedFunctions = map[string]struct {
	walk     cycles.Walk
	original any
}{
	"XMLMarshal": {cycles.Encode, xml.Marshal}, "XMLMarshalIndent": {cycles.Encode, xml.MarshalIndent},
	"XMLEncode": {cycles.Encode, (*xml.Encoder).Encode}, "XMLEncodeElement": {cycles.Encode, (*xml.Encoder).EncodeElement},
	"ASNMarshal": {cycles.Encode, asn1.Marshal}, "ASNMarshalWithParams": {cycles.Encode, asn1.MarshalWithParams},
	"TextHTMLEscaper": {cycles.Format, template.HTMLEscaper}, "TextJSEscaper": {cycles.Format, template.JSEscaper}, "TextURLQueryEscaper": {cycles.Format, template.URLQueryEscaper},
	"HTMLHTMLEscaper": {cycles.Format, htmltemplate.HTMLEscaper}, "HTMLJSEscaper": {cycles.Format, htmltemplate.JSEscaper}, "HTMLURLQueryEscaper": {cycles.Format, htmltemplate.URLQueryEscaper},
	"TraceLogf": {cycles.Format, trace.Logf}, "ASTFprint": {cycles.Tree, ast.Fprint},
}

// checkedOverrides maps compiled functions and methods to names in checkedFunctions, or to those
// that checkedSupport makes for package log/slog. A name may occur once only among all overrides.
var checkedOverrides = map[string]string{
	"encoding/xml.Marshal": "XMLMarshal", "encoding/xml.MarshalIndent": "XMLMarshalIndent",
	"(*encoding/xml.Encoder).Encode": "XMLEncode", "(*encoding/xml.Encoder).EncodeElement": "XMLEncodeElement",
	"encoding/asn1.Marshal": "ASNMarshal", "encoding/asn1.MarshalWithParams": "ASNMarshalWithParams",
	"text/template.HTMLEscaper": "TextHTMLEscaper", "text/template.JSEscaper": "TextJSEscaper", "text/template.URLQueryEscaper": "TextURLQueryEscaper",
	"html/template.HTMLEscaper": "HTMLHTMLEscaper", "html/template.JSEscaper": "HTMLJSEscaper", "html/template.URLQueryEscaper": "HTMLURLQueryEscaper",
	"runtime/trace.Logf": "TraceLogf", "go/ast.Fprint": "ASTFprint",
	"log/slog.Debug": "SlogDebug", "log/slog.Info": "SlogInfo", "log/slog.Warn": "SlogWarn", "log/slog.Error": "SlogError", "log/slog.Log": "SlogLog",
	"log/slog.DebugContext": "SlogDebugContext", "log/slog.InfoContext": "SlogInfoContext", "log/slog.WarnContext": "SlogWarnContext", "log/slog.ErrorContext": "SlogErrorContext",
	"log/slog.LogAttrs": "SlogLogAttrs", "log/slog.With": "SlogWith",
	"(*log/slog.Logger).Debug": "LoggerDebug", "(*log/slog.Logger).Info": "LoggerInfo", "(*log/slog.Logger).Warn": "LoggerWarn", "(*log/slog.Logger).Error": "LoggerError",
	"(*log/slog.Logger).Log": "LoggerLog", "(*log/slog.Logger).LogAttrs": "LoggerLogAttrs", "(*log/slog.Logger).With": "LoggerWith",
	"(*log/slog.Logger).DebugContext": "LoggerDebugContext", "(*log/slog.Logger).InfoContext": "LoggerInfoContext",
	"(*log/slog.Logger).WarnContext": "LoggerWarnContext", "(*log/slog.Logger).ErrorContext": "LoggerErrorContext",
}

// A group of attributes is searched attribute by attribute, so that the error names the argument
// and not the group. Groups cannot contain themselves, because a group copies its attributes.
//
// checkedSupport returns the overrides of checkedFunctions and of package log/slog.
//
// The functions of package log/slog use the default logger, whose handler formats attributes with
// %+v as long as no other one is set. With formats its arguments at once if the handler does.
func checkedSupport() map[string]any {
	support := map[string]any{}
	for name, f := range checkedFunctions {
		support[name] = checking(f.original, func(arguments []any) { f.walk.Refuse(arguments...) })
	}
	for name, f := range map[string]any{
		"Debug": slog.Debug, "Info": slog.Info, "Warn": slog.Warn, "Error": slog.Error, "Log": slog.Log, "LogAttrs": slog.LogAttrs, "With": slog.With,
		"DebugContext": slog.DebugContext, "InfoContext": slog.InfoContext, "WarnContext": slog.WarnContext, "ErrorContext": slog.ErrorContext,
	} {
		support["Slog"+name] = checking(f, func(arguments []any) { refuseLogged(slog.Default(), arguments) })
	}
	for name, f := range map[string]any{
		"Debug": (*slog.Logger).Debug, "Info": (*slog.Logger).Info, "Warn": (*slog.Logger).Warn, "Error": (*slog.Logger).Error, "Log": (*slog.Logger).Log,
		"LogAttrs": (*slog.Logger).LogAttrs, "With": (*slog.Logger).With, "DebugContext": (*slog.Logger).DebugContext, "InfoContext": (*slog.Logger).InfoContext,
		"WarnContext": (*slog.Logger).WarnContext, "ErrorContext": (*slog.Logger).ErrorContext,
	} {
		support["Logger"+name] = checking(f, func(arguments []any) {
			if l, ok := arguments[0].(*slog.Logger); ok && l != nil {
				refuseLogged(l, arguments[1:])
			}
		})
	}
	return support
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

// checking returns a function that calls check with the arguments, those of a variadic parameter
// each for itself, and then the original. Reflection makes these functions slower by about a
// microsecond, which does not matter for encoders and loggers.
func checking(original any, check func([]any)) any {
	f := reflect.ValueOf(original)
	return reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value {
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
		if f.Type().IsVariadic() {
			return f.CallSlice(in)
		}
		return f.Call(in)
	}).Interface()
}
