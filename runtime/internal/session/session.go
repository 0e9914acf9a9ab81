// Package session runs cells and keeps their state. A cell passes through the steps in run.go:
// parse, check, compile, evaluate, show.
//
// # Reading order
//
// execute.go (requests), calls.go (requests in progress), run.go, skeleton.go (the functions that
// yaegi evaluates), host.go (services for running code) and frames.go (stack traces), failure.go
// (errors in the form that users see), warnings.go, renewed.go and staleclosures.go (warnings about
// probable mistakes and older values), unread.go (errors that no cell reads), modules.go,
// selected.go and reload.go (packages from source), magic.go and test.go (magics), debug.go,
// variables.go and console.go (the debugger), value.go (values for inspection), follow.go (who
// follows the cells). comm.go, input.go and program.go connect a session with a kernel or a
// command.
//
// # Concurrency
//
// Execute may be called while another Execute is in progress, as the shells of a kernel do.
// Session.compiling serializes the compilation of cells. Only the cell that holds the execution
// lock (package guard/schedule) runs statements; a cell that waits in compiled code loses the lock
// to another one. Cells share variables as goroutines do. The lock of Session.calls guards only the
// table of calls and is never held while cells run.
//
// # Invariants
//
// A cell that is refused or does not compile changes no declaration: package check commits a cell
// only after package link has accepted it. The statements of a cell run on a goroutine of package
// guard, and the values that it shows are converted to display forms there.
//
// A Session has the methods Execute, Complete, Inspect, IsComplete, Interrupt and Info of the
// Interpreter of package kernel by way of runtime/internal/language.
package session

import (
	"context"
	"flag"
	"go/token"
	"io/fs"
	"log"
	"os"
	"reflect"
	"sync"

	"gosphere/runtime/check"
	"gosphere/runtime/comm"
	"gosphere/runtime/internal/assist"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/limits"
	"gosphere/runtime/internal/guard/schedule"
	"gosphere/runtime/internal/guard/streams"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/link"
	"gosphere/runtime/internal/machine/builtin"
	"gosphere/runtime/internal/override"
	"gosphere/runtime/internal/realtype"
	"gosphere/runtime/internal/source"
	"gosphere/runtime/internal/symtab"
)

// Options configure a session.
type Options struct {
	// Process is the process, if it belongs to the session. If it is nil, the session changes no
	// variable of the process: cells have a command line, a default logger and a default
	// multiplexer of their own.
	Process *Process
	// Notebook has what cells of notebooks need beyond Go; nil for nothing.
	Notebook Notebook
	// Skeletons make the functions that run the operations of cells; nil stands for a loop.
	Skeletons Skeletons
	// Offers are values that cells offer to the packages that they import, such as progress bars of
	// long work; see package host.
	Offers []any
	// Embedded restricts a session that a program evaluates Go with; nil restricts nothing.
	Embedded *Embedded
	// Symbol returns an exported object of a compiled package, as symbols.Find does.
	Symbol func(path, name string) (reflect.Value, bool)
	// Packages provides the type information of the same packages.
	Packages assist.Packages
	// Generic returns the sources of the standard library's generic packages. It may be nil.
	Generic func(path string) (map[string]string, bool)
	// Instance returns compiled instances of their functions. It may be nil.
	Instance func(path, name string, typeArguments []string) (reflect.Value, bool)
	// Carried has packages from source that need no module. It may be nil.
	Carried *source.Store
	// Licenses are those of the modules that are compiled into the program, by path.
	Licenses map[string]string
	// Version returns the text of %version, one line for each component. It may be nil.
	Version func() string
	// Follower is notified of the cells. It may be nil.
	Follower Follower
	// Verify has package ir verify the program of each cell before it is compiled. Tests set it.
	Verify bool
	// Stack limits the stack of each goroutine of a cell, in bytes. If it is 0, the limit is 30 MB,
	// and 200 MB for a program.
	Stack uintptr
	// Trace, if not nil, is called with each program before it is compiled.
	Trace func(p *ir.Program)
}

// A Session holds the variables, functions and types of its cells.
//
// The fields are the parts that a cell passes through. library loads the packages that it imports,
// checker determines its names and types, link compiles it, and guard runs the function that calls
// the compiled operations. failures describes what went wrong. values and debuggee read variables,
// follows has the cells that the follower does not know yet, and assistant answers requests about
// code, such as completion. calls has the requests in progress.
type Session struct {
	options   Options
	checker   *check.Session
	link      *link.Session
	library   *library
	guard     *guard.Guard
	assistant *assist.Assistant
	comms     comm.Host
	calls     calls
	values    *values
	follows   follows
	failures  *failures
	debuggee  *Debuggee

	rest *idleTrimmer // returns memory to the system between cells; nil if it is never returned
	// The fields warnings and staleClosures are used only while compiling is held.
	warnings      warnings
	staleClosures staleClosures
	unread        unreadErrors

	// compiling is taken before the execution lock. A running cell that waits for it, as %vars
	// does, loses the execution lock as in any other call of compiled code, so that the holder of
	// compiling can acquire it.
	compiling sync.Mutex    // held while a cell is checked and compiled
	positions []*token.File // of cells that declare something; guarded by compiling
	questions func(ctx context.Context, prompt string, password bool) (string, error)
}

// Embedded are the restrictions of a session that a program evaluates Go with. Its sources have no
// magics, and its imports fetch no modules.
type Embedded struct {
	Files fs.FS // that go:embed directives name; nil for none
}

// A Process is a program whose only purpose is to run cells. What belongs to the whole program may
// change for them.
type Process struct{ _ byte }

// TakeProcess makes the process one for cells: the default logger and the command line write to the
// cells that use them, handlers and flags that packages have registered are removed until a cell
// imports these packages, the garbage collector gets a limit, and GOMAXPROCS is raised while calls
// that cannot be stopped occupy processors. Nothing undoes it. symbol has the packages of the
// program, as in Options.
func TakeProcess(symbol func(path, name string) (reflect.Value, bool)) *Process {
	override.Unregister(symbol)
	log.SetOutput(override.Traced(streams.Stderr)) // also used by slog's default handler
	flag.CommandLine.SetOutput(streams.Stderr)
	limits.SetCollector()
	schedule.PermitProcessors()
	return new(Process)
}

// The predeclared print and println write to the standard error of the process in compiled code,
// and to that of the cell of the calling goroutine here.
func init() {
	builtin.PrintTo(func(text string) { _, _ = streams.Stderr.WriteString(text) })
}

// New returns a new session. It binds the outputs of packages display and comm until Close.
func New(options Options) (*Session, error) {
	// With an unknown release of Go, types of cells would corrupt memory.
	if err := realtype.SelfCheck(); err != nil {
		return nil, err
	}
	symtab.NoteMain()
	s := &Session{options: options, guard: guard.New(), calls: calls{all: map[*call]struct{}{}, ended: func() {}}}
	if options.Skeletons == nil {
		s.options.Skeletons = loops{}
	}
	if options.Notebook == nil {
		s.options.Notebook = plain{}
	}
	s.library = newLibrary(options.Packages, options.Carried, s.options.Notebook)
	s.library.embedded = options.Embedded
	s.checker = check.NewSession(s.library)
	if options.Embedded != nil {
		s.checker.Plain()
	}
	s.warnings.off = os.Getenv("GOSPHERE_WARNINGS") == "off"
	s.unread.off = s.warnings.off || options.Embedded != nil
	s.debuggee = newDebuggee(s)
	s.link = s.newLink()
	s.assistant = assist.New(s.checker, s.library)
	s.values = &values{link: s.link, guard: s.guard, calls: &s.calls, compiling: &s.compiling}
	s.failures = &failures{checker: s.checker, values: s.values, sources: &s.calls.sources}
	s.assistant.Value = s.values.value
	s.comms = comm.Host{Publish: s.publisherOf, Run: s.callback}
	return s, nil
}

// LimitRate sets the rate, in bytes per second, at which a cell may print in the long run. By
// default there is no limit. It must not be called while a cell runs.
func (s *Session) LimitRate(bytes int64) { s.guard.Streams.LimitRate(bytes) }

// CaptureDescriptors redirects output to the process's file descriptors 1 and 2 to cells. This
// covers output of child processes and of variables that hold the original os.Stdout. The process
// itself can write to the Log of the result. Only the kernel uses this, because nothing else in the
// process can use the descriptors afterward.
func (s *Session) CaptureDescriptors() (*streams.Descriptors, error) {
	return s.guard.Streams.CaptureDescriptors()
}
