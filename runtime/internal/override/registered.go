package override

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"sync"
)

// All packages of the standard library are part of this program, and some of them register handlers
// or flags for the whole program when it is initialized. A compiled program has those of the
// packages that it imports: a server of net/http must not show its profiles to everyone unless its
// program imports net/http/pprof. Unregister therefore removes what was registered before the first
// cell, and Registration adds it when a cell or a package from source imports the package.

// quickChecks is the flag of testing/quick.
const quickChecks = "quickchecks"

// handlers maps packages to the handlers that they register, by pattern: functions of net/http that
// handle requests, or functions that return a handler.
var handlers = map[string]map[string]string{
	"expvar": {"GET /debug/vars": "Handler"},
	"net/http/pprof": {
		"GET /debug/pprof/": "Index", "GET /debug/pprof/cmdline": "Cmdline", "GET /debug/pprof/profile": "Profile",
		"GET /debug/pprof/symbol": "Symbol", "GET /debug/pprof/trace": "Trace",
	},
}

// register registers the handlers of a package with a *http.ServeMux.
func (s Symbol) register(mux reflect.Value, path string) {
	for pattern, name := range handlers[path] {
		f, ok := s.find(path, name)
		if !ok {
			continue
		}
		method := "HandleFunc"
		if f.Type().NumIn() == 0 {
			method, f = "Handle", f.Call(nil)[0]
		}
		mux.MethodByName(method).Call([]reflect.Value{reflect.ValueOf(pattern), f})
	}
}

// registeredHandlers has the packages whose handlers the default multiplexer has, by path.
var registeredHandlers sync.Map

// Registration returns the function that registers what a package registers in a program that
// imports it, unless it is registered already, or nil for nothing. %test runs with a command line
// of its own.
func Registration(path string, symbol Symbol) func() {
	switch {
	case handlers[path] != nil:
		return func() {
			mux, ok := symbol.find("net/http", "DefaultServeMux")
			if _, done := registeredHandlers.LoadOrStore(path, true); ok && !done {
				symbol.register(mux, path)
			}
		}
	case path == "testing/quick":
		return func() {
			if flag.Lookup(quickChecks) == nil {
				addFlag(registeredFlag)
			}
		}
	}
	return nil
}

// registeredFlag is the flag that testing/quick registered before the first cell.
var registeredFlag *flag.Flag

// unregistered is done once Unregister has been called.
var unregistered sync.Once

// Unregister removes the handlers and flags that packages have registered, except the flags of
// package testing, which exist only in tests of this module. Only the first call does something.
func Unregister(symbol Symbol) {
	unregistered.Do(func() {
		unregisterHandlers(symbol)
		before := flag.CommandLine
		registeredFlag = before.Lookup(quickChecks)
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
		flag.CommandLine.Usage = func() { flag.Usage() } // the variable, which programs set
		before.VisitAll(func(f *flag.Flag) {
			if f.Name != quickChecks {
				addFlag(f)
			}
		})
		if before.Parsed() { // in tests, whose arguments have been parsed
			_ = flag.CommandLine.Parse(nil)
		}
	})
}

// unregisterHandlers replaces the default multiplexer. The handlers of other packages, which
// gosphere build has added to the program, stay reachable through the one before.
func unregisterHandlers(symbol Symbol) {
	mux, ok := symbol.find("net/http", "DefaultServeMux")
	if !ok {
		return
	}
	before := reflect.ValueOf(mux.Interface())
	mux.Set(reflect.New(mux.Type().Elem()))
	for _, pattern := range patterns(before) {
		if handlers["expvar"][pattern] == "" && handlers["net/http/pprof"][pattern] == "" {
			mux.MethodByName("Handle").Call([]reflect.Value{reflect.ValueOf(pattern), before})
		}
	}
}

// patterns returns the patterns of a *http.ServeMux. Package http does not export them, so they are
// read from its index.
func patterns(mux reflect.Value) (list []string) {
	add := func(found reflect.Value) {
		for i := range found.Len() {
			if pattern := found.Index(i).Elem().FieldByName("str").String(); !slices.Contains(list, pattern) {
				list = append(list, pattern)
			}
		}
	}
	index := mux.Elem().FieldByName("index")
	for entry := index.FieldByName("segments").MapRange(); entry.Next(); {
		add(entry.Value())
	}
	add(index.FieldByName("multis"))
	return list
}

// addFlag adds a flag of another command line to that of the program.
func addFlag(f *flag.Flag) {
	flag.Var(f.Value, f.Name, f.Usage)
	flag.Lookup(f.Name).DefValue = f.DefValue // Var takes the present value
}
