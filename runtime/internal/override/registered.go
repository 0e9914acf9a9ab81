package override

import (
	"expvar"
	"flag"
	"net/http"
	"net/http/pprof"
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

// handlers maps packages to the handlers that they register, by pattern.
var handlers = map[string]map[string]http.HandlerFunc{
	"expvar": {"GET /debug/vars": expvar.Handler().ServeHTTP},
	"net/http/pprof": {
		"GET /debug/pprof/": pprof.Index, "GET /debug/pprof/cmdline": pprof.Cmdline, "GET /debug/pprof/profile": pprof.Profile,
		"GET /debug/pprof/symbol": pprof.Symbol, "GET /debug/pprof/trace": pprof.Trace,
	},
}

// registrations maps packages to functions that register what these packages register, unless it is
// registered already. %test runs with a command line of its own.
var registrations = map[string]func(){
	"expvar": registerOnce("expvar"), "net/http/pprof": registerOnce("net/http/pprof"),
	"testing/quick": func() {
		if flag.Lookup(quickChecks) == nil {
			addFlag(registeredFlag)
		}
	},
}

// registerOnce returns a function that registers the handlers of a package at its first call.
func registerOnce(path string) func() {
	return sync.OnceFunc(func() {
		for pattern, handler := range handlers[path] {
			http.HandleFunc(pattern, handler)
		}
	})
}

// registeredFlag is the flag that testing/quick registered before the first cell.
var registeredFlag *flag.Flag

// Unregister removes the handlers and flags that packages have registered, except the flags of
// package testing, which exist only in tests of this module. Only the first call does something.
var Unregister = sync.OnceFunc(func() {
	unregisterHandlers()
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

// unregisterHandlers replaces the default multiplexer. The handlers of other packages, which
// gosphere build has added to the program, stay reachable through the one before.
func unregisterHandlers() {
	before := http.DefaultServeMux
	http.DefaultServeMux = http.NewServeMux()
	for _, pattern := range patterns(before) {
		if handlers["expvar"][pattern] == nil && handlers["net/http/pprof"][pattern] == nil {
			http.Handle(pattern, before)
		}
	}
}

// patterns returns the patterns of a multiplexer. Package http does not export them, so they are
// read from its index.
func patterns(mux *http.ServeMux) (list []string) {
	add := func(found reflect.Value) {
		for i := range found.Len() {
			if pattern := found.Index(i).Elem().FieldByName("str").String(); !slices.Contains(list, pattern) {
				list = append(list, pattern)
			}
		}
	}
	index := reflect.ValueOf(mux).Elem().FieldByName("index")
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

// Registration returns the function that registers what a package registers in a program that
// imports it, or nil for nothing.
func Registration(path string) func() { return registrations[path] }
