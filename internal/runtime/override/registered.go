package override

import (
	"expvar"
	"flag"
	"net/http"
	"net/http/pprof"
	"os"
	"sync"
)

// All packages of the standard library are part of this program, and some of them register handlers
// or flags for the whole program when it is initialized. A compiled program has those of the
// packages that it imports: a server of net/http must not show its profiles to everyone unless its
// program imports net/http/pprof. Unregister therefore removes what was registered before the first
// cell, and Registration adds it when a cell or a package from source imports the package.

// quickChecks is the flag of testing/quick.
const quickChecks = "quickchecks"

// registrations maps packages to functions that register what these packages register, unless it is
// registered already. %test runs with a command line of its own.
var registrations = map[string]func(){
	"expvar": sync.OnceFunc(func() { http.Handle("GET /debug/vars", expvar.Handler()) }),
	"net/http/pprof": sync.OnceFunc(func() {
		http.HandleFunc("GET /debug/pprof/", pprof.Index)
		http.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		http.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		http.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		http.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}),
	"testing/quick": func() {
		if flag.Lookup(quickChecks) == nil {
			addFlag(registeredFlag)
		}
	},
}

// registeredFlag is the flag that testing/quick registered before the first cell.
var registeredFlag *flag.Flag

// Unregister removes the handlers and flags that packages have registered, except the flags of
// package testing, which exist only in tests of this module. Only the first call does something.
var Unregister = sync.OnceFunc(func() {
	http.DefaultServeMux = http.NewServeMux()
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

// addFlag adds a flag of another command line to that of the program.
func addFlag(f *flag.Flag) {
	flag.Var(f.Value, f.Name, f.Usage)
	flag.Lookup(f.Name).DefValue = f.DefValue // Var takes the present value
}

// Registration returns the function that registers what a package registers in a program that
// imports it, or nil for nothing.
func Registration(path string) func() { return registrations[path] }
