package override

import (
	"bytes"
	"context"
	"flag"
	htmltemplate "html/template"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"text/template"

	"gosphere/runtime/internal/guard/streams"
)

// An Own has the variables that the standard library keeps for the whole program, for a session in
// a program that is not its own: the command line, the default logger and multiplexer, and the
// standard streams. Cells change these and not those of the program.
type Own struct {
	args                  []string
	stdin, stdout, stderr *os.File
	flags                 *flag.FlagSet
	usage                 func()
	mux                   *http.ServeMux
	logger                *log.Logger
	structured            *slog.Logger
}

// NewOwn returns the variables with the values that a program begins with. The name is that of the
// program.
func NewOwn(name string) *Own {
	o := &Own{args: []string{name}, stdin: fileIn.File, stdout: fileOut.File, stderr: fileErr.File, mux: http.NewServeMux()}
	o.logger = log.New(Traced(streams.Stderr), "", log.LstdFlags)
	o.structured = slog.New(&defaultHandler{o: o})
	o.flags = flag.NewFlagSet(name, flag.ExitOnError)
	o.flags.SetOutput(streams.Stderr)
	o.flags.Usage = func() { o.usage() }
	o.usage = func() {
		_, _ = io.WriteString(o.flags.Output(), "Usage of "+name+":\n")
		o.flags.PrintDefaults()
	}
	return o
}

// Streams returns the variables that cells see in place of os.Stdout and os.Stderr.
func (o *Own) Streams() (stdout, stderr **os.File) { return &o.stdout, &o.stderr }

// Variable returns the variable that stands in for one of the program, addressable.
func (o *Own) Variable(path, name string) (v reflect.Value, ok bool) {
	var at any
	switch path + "." + name {
	case "os.Args":
		at = &o.args
	case "os.Stdin":
		at = &o.stdin
	case "os.Stdout":
		at = &o.stdout
	case "os.Stderr":
		at = &o.stderr
	case "flag.CommandLine":
		at = &o.flags
	case "flag.Usage":
		at = &o.usage
	case "net/http.DefaultServeMux":
		at = &o.mux
	default:
		return v, false
	}
	return reflect.ValueOf(at).Elem(), true
}

// Function returns the function that stands in for one that uses a variable of the program. Most of
// these are methods of the variable with the same name. original is the function that it replaces.
func (o *Own) Function(path, name string, original reflect.Value) (f reflect.Value, ok bool) {
	var receiver func() reflect.Value
	switch path {
	case "flag":
		if name == "Parse" {
			return reflect.ValueOf(func() { _ = parseFlags(o.flags, o.args[1:]) }), true
		}
		receiver = func() reflect.Value { return reflect.ValueOf(o.flags) }
	case "log":
		if name == "Default" {
			return reflect.ValueOf(func() *log.Logger { return o.logger }), true
		}
		if strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic") || name == "Output" {
			return f, false // logSupport has them
		}
		receiver = func() reflect.Value { return reflect.ValueOf(o.logger) }
	case "log/slog":
		switch name {
		case "Default":
			return reflect.ValueOf(func() *slog.Logger { return o.structured }), true
		case "SetDefault":
			return reflect.ValueOf(o.setStructured), true
		}
		receiver = func() reflect.Value { return reflect.ValueOf(o.structured) }
	case "net/http":
		return o.server(name)
	default:
		return f, false
	}
	method := receiver().MethodByName(name)
	if !method.IsValid() || !original.IsValid() || method.Type() != original.Type() {
		return f, false
	}
	return reflect.MakeFunc(original.Type(), func(arguments []reflect.Value) []reflect.Value {
		method := receiver().MethodByName(name)
		if method.Type().IsVariadic() {
			return method.CallSlice(arguments)
		}
		return method.Call(arguments)
	}), true
}

// Registration is like the function of this name, for the multiplexer and the command line of the
// session.
func (o *Own) Registration(path string) func() {
	switch {
	case handlers[path] != nil:
		return sync.OnceFunc(func() {
			for pattern, handler := range handlers[path] {
				o.mux.HandleFunc(pattern, handler)
			}
		})
	case path == "testing/quick":
		return sync.OnceFunc(func() { o.flags.Int(quickChecks, 100, "The default number of iterations for each check") })
	}
	return nil
}

// setStructured implements slog.SetDefault. The default logger of package log then writes to the
// new one, as in a program.
func (o *Own) setStructured(l *slog.Logger) {
	o.structured = l
	if _, isDefault := l.Handler().(*defaultHandler); !isDefault {
		o.logger.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelInfo).Writer())
		o.logger.SetFlags(0)
	}
}

// server returns the functions of net/http that serve the default multiplexer where they get no
// handler.
func (o *Own) server(name string) (f reflect.Value, ok bool) {
	own := func(handler http.Handler) http.Handler {
		if handler == nil {
			return o.mux
		}
		return handler
	}
	functions := map[string]any{
		"Handle":         func(pattern string, h http.Handler) { o.mux.Handle(pattern, h) },
		"HandleFunc":     func(pattern string, h func(http.ResponseWriter, *http.Request)) { o.mux.HandleFunc(pattern, h) },
		"ListenAndServe": func(address string, h http.Handler) error { return http.ListenAndServe(address, own(h)) },
		"ListenAndServeTLS": func(address, certificate, key string, h http.Handler) error {
			return http.ListenAndServeTLS(address, certificate, key, own(h))
		},
		"Serve": func(l net.Listener, h http.Handler) error { return http.Serve(l, own(h)) },
		"ServeTLS": func(l net.Listener, h http.Handler, certificate, key string) error {
			return http.ServeTLS(l, own(h), certificate, key)
		},
	}
	if functions[name] == nil {
		return f, false
	}
	return reflect.ValueOf(functions[name]), true
}

// Method returns the function that stands in for a method of net/http's Server that serves the
// default multiplexer if the server has no handler.
func (o *Own) Method(name string) (f reflect.Value, ok bool) {
	own := func(s *http.Server) *http.Server {
		if s.Handler == nil {
			s.Handler = o.mux
		}
		return s
	}
	functions := map[string]any{
		"(*net/http.Server).ListenAndServe": func(s *http.Server) error { return own(s).ListenAndServe() },
		"(*net/http.Server).ListenAndServeTLS": func(s *http.Server, certificate, key string) error {
			return own(s).ListenAndServeTLS(certificate, key)
		},
		"(*net/http.Server).Serve": func(s *http.Server, l net.Listener) error { return own(s).Serve(l) },
		"(*net/http.Server).ServeTLS": func(s *http.Server, l net.Listener, certificate, key string) error {
			return own(s).ServeTLS(l, certificate, key)
		},
	}
	if functions[name] == nil {
		return f, false
	}
	return reflect.ValueOf(functions[name]), true
}

// MethodType returns the type of the method expression of a method that a session may refuse.
func MethodType(name string) (t reflect.Type, ok bool) {
	switch name {
	case "(*text/template.Template).ParseFiles", "(*text/template.Template).ParseGlob":
		return methodType(reflect.TypeFor[*template.Template](), name), true
	case "(*html/template.Template).ParseFiles", "(*html/template.Template).ParseGlob":
		return methodType(reflect.TypeFor[*htmltemplate.Template](), name), true
	}
	return nil, false
}

func methodType(t reflect.Type, name string) reflect.Type {
	m, _ := t.MethodByName(name[strings.LastIndexByte(name, '.')+1:])
	return m.Type
}

// A defaultHandler is the handler that package slog begins with: it writes lines of package log.
// That of the program writes to the program's logger, and package slog makes no other.
type defaultHandler struct {
	o      *Own
	groups []func(slog.Handler) slog.Handler // attributes and groups, in order
}

// Enabled reports whether a level is written.
func (h *defaultHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}

// Handle writes a record: the level, the message and the attributes.
func (h *defaultHandler) Handle(ctx context.Context, r slog.Record) error {
	var attributes bytes.Buffer
	var text slog.Handler = slog.NewTextHandler(&attributes, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) && builtIn(a) {
			return slog.Attr{}
		}
		return a
	}})
	for _, add := range h.groups {
		text = add(text)
	}
	if err := text.Handle(ctx, r); err != nil {
		return err
	}
	line := r.Level.String() + " " + r.Message
	if rest := strings.TrimSpace(attributes.String()); rest != "" {
		line += " " + rest
	}
	return h.o.logger.Output(4, line)
}

// builtIn reports whether an attribute is one that the handler itself writes.
func builtIn(a slog.Attr) bool {
	_, isLevel := a.Value.Any().(slog.Level)
	return isLevel || a.Value.Kind() == slog.KindTime || a.Key == slog.MessageKey
}

// WithAttrs returns a handler with further attributes.
func (h *defaultHandler) WithAttrs(list []slog.Attr) slog.Handler {
	return h.with(func(text slog.Handler) slog.Handler { return text.WithAttrs(list) })
}

// WithGroup returns a handler whose further attributes are in a group.
func (h *defaultHandler) WithGroup(name string) slog.Handler {
	return h.with(func(text slog.Handler) slog.Handler { return text.WithGroup(name) })
}

func (h *defaultHandler) with(add func(slog.Handler) slog.Handler) slog.Handler {
	return &defaultHandler{h.o, append(h.groups[:len(h.groups):len(h.groups)], add)}
}
