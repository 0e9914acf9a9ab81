package override

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"

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
	mux                   func() reflect.Value // the variable of the default multiplexer; invalid without net/http
	logger                *log.Logger
	structured            *slog.Logger
	symbol                Symbol
}

// NewOwn returns the variables with the values that a program begins with. The name is that of the
// program, and symbol has its packages.
func NewOwn(name string, symbol Symbol) *Own {
	o := &Own{args: []string{name}, stdin: fileIn.File, stdout: fileOut.File, stderr: fileErr.File, symbol: symbol}
	o.mux = sync.OnceValue(o.newMux)
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
		v = o.mux()
		return v, v.IsValid()
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
		return o.server(name, original)
	default:
		return f, false
	}
	method := receiver().MethodByName(name)
	if !method.IsValid() || !original.IsValid() || method.Type() != original.Type() {
		return f, false
	}
	return around(func(_ reflect.Value, in []reflect.Value) []reflect.Value {
		return forward(receiver().MethodByName(name), in)
	})(original), true
}

// Registration is like the function of this name, for the multiplexer and the command line of the
// session.
func (o *Own) Registration(path string) func() {
	switch {
	case handlers[path] != nil:
		return sync.OnceFunc(func() {
			if mux := o.mux(); mux.IsValid() {
				o.symbol.register(mux, path)
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

// newMux returns a variable with a new *http.ServeMux.
func (o *Own) newMux() (v reflect.Value) {
	t, ok := o.symbol.find("net/http", "ServeMux")
	if !ok {
		t, ok = o.symbol.find("net/http", "DefaultServeMux")
	}
	if !ok {
		return v
	}
	v = reflect.New(t.Type()).Elem()
	v.Set(reflect.New(t.Type().Elem()))
	return v
}

// errNoMux is the panic of a function of net/http that needs the default multiplexer, if the tables
// of a program have the function alone.
var errNoMux = errors.New("net/http has no default multiplexer here: the program gives its sources neither ServeMux nor DefaultServeMux")

// server returns the functions of net/http that serve the default multiplexer where they get no
// handler, or register with it.
func (o *Own) server(name string, original reflect.Value) (f reflect.Value, ok bool) {
	if !original.IsValid() {
		return f, false
	}
	var call func(original reflect.Value, in []reflect.Value) []reflect.Value
	switch name {
	case "Handle", "HandleFunc":
		call = func(_ reflect.Value, in []reflect.Value) []reflect.Value {
			return o.muxOr().MethodByName(name).Call(in)
		}
	case "ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS":
		call = func(original reflect.Value, in []reflect.Value) []reflect.Value {
			for i, v := range in {
				if v.Type().Name() == "Handler" && v.IsNil() {
					in[i] = o.muxOr()
				}
			}
			return original.Call(in)
		}
	default:
		return f, false
	}
	return around(call)(original), true
}

// muxOr returns the default multiplexer, or panics.
func (o *Own) muxOr() reflect.Value {
	mux := o.mux()
	if !mux.IsValid() {
		panic(errNoMux)
	}
	return mux
}

// Method returns the function that stands in for a method of net/http's Server that serves the
// default multiplexer if the server has no handler.
func (o *Own) Method(name string) (f reflect.Value, ok bool) {
	switch name {
	case "(*net/http.Server).ListenAndServe", "(*net/http.Server).ListenAndServeTLS", "(*net/http.Server).Serve", "(*net/http.Server).ServeTLS":
	default:
		return f, false
	}
	original, ok := o.symbol.method(name)
	if !ok {
		return f, false
	}
	return around(func(original reflect.Value, in []reflect.Value) []reflect.Value {
		if server := in[0]; !server.IsNil() {
			if handler := server.Elem().FieldByName("Handler"); handler.IsNil() {
				handler.Set(o.muxOr())
			}
		}
		return original.Call(in)
	})(original), true
}

// MethodType returns the type of the method expression of a method.
func (s Symbol) MethodType(name string) (t reflect.Type, ok bool) {
	f, ok := s.method(name)
	if !ok {
		return nil, false
	}
	return f.Type(), true
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
