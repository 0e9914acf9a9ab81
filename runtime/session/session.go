// Package session runs cells and keeps their state. The way of a cell is in run.go: parse,
// check, compile, evaluate, show.
//
// Read execute.go (requests), run.go, skeleton.go (what the interpreter evaluates), host.go (what
// running code asks of its session) and frames.go (stack traces), failure.go (errors as the user
// reads them), renewed.go and kept.go (warnings about values made before), debug.go and look.go
// (the debugger).
//
// Execute may be called while another Execute is in progress, as the shells of a kernel do.
// Cells are then compiled one after another, and their statements take turns (package guard):
// one runs while another waits in compiled code. They share variables as goroutines do.
//
// A Session satisfies what kernel/server asks of a language without naming it: Execute,
// Complete, Inspect, IsComplete, Interrupt and Info.
package session

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"reflect"
	"sync"

	"gosphere/runtime/assist"
	"gosphere/runtime/check"
	"gosphere/runtime/comm"
	"gosphere/runtime/display"
	"gosphere/runtime/engine"
	"gosphere/runtime/guard"
	"gosphere/runtime/ir"
	"gosphere/runtime/link"
	"gosphere/runtime/realtype"
)

// Options say what a session works with.
type Options struct {
	// Symbol finds what a compiled package exports, as symbols.Find does.
	Symbol func(path, name string) (reflect.Value, bool)
	// Packages gives out the type information of the same packages.
	Packages assist.Packages
	// Generic finds the sources of the standard library's generic packages; nil for none.
	Generic func(path string) (map[string]string, bool)
	// Instance finds compiled instances of their functions; nil for none.
	Instance func(path, name string, typeArguments []string) (reflect.Value, bool)
	// Version describes the program for %version, a line for each part; nil for none.
	Version func() string
	// Verify has the program of each cell verified before it is compiled, as tests do.
	Verify bool
	// Trace is called with each program before it is compiled, as documents show them; nil for none.
	Trace func(p *ir.Program)
}

// A Session holds the variables, functions and types of its cells.
type Session struct {
	options   Options
	checker   *check.Session
	link      *link.Session
	library   *library
	engine    *engine.Engine
	guard     *guard.Guard
	assistant *assist.Assistant
	unbind    func()
	comms     comm.Host
	debuggee  *Debuggee

	rest     *rest   // nil keeps memory
	sources  sources // the texts of the cells so far
	warnings warnings
	kept     kept
	reports  reports

	compiling sync.Mutex // held while a cell is checked and compiled: one at a time
	cells     int        // evaluated so far; guarded by compiling
	questions func(ctx context.Context, prompt string, password bool) (string, error)

	mu    sync.Mutex // guards what follows, and the changing fields of calls
	count int
	calls map[*call]struct{} // in progress
}

// New makes a session.
func New(options Options) (*Session, error) {
	if err := realtype.SelfCheck(); err != nil {
		return nil, err
	}
	s := &Session{options: options, guard: guard.New(), calls: map[*call]struct{}{}}
	s.library = newLibrary(options.Packages)
	s.checker = check.NewSession(s.library)
	s.engine = engine.New()
	if err := s.prepareSkeletons(); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	s.warnings.off = os.Getenv("GOSPHERE_WARNINGS") == "off"
	s.debuggee = newDebuggee(s)
	s.link = s.newLink()
	s.assistant = assist.New(s.checker, s.library)
	s.assistant.Value = s.value
	s.comms = comm.Host{Publish: s.publisherOf, Run: s.callback}
	unbind, unbindInput, unbindComms := display.Bind(s.publisherOf), display.BindInput(askerOf), comm.Bind(s.commsOf)
	s.unbind = func() { unbind(); unbindInput(); unbindComms() }
	display.HoldBy(guard.HoldCurrent)
	log.SetOutput(guard.Stderr) // also the way of slog's default
	flag.CommandLine.SetOutput(guard.Stderr)
	return s, nil
}

// LimitPace sets how many bytes a second a cell may print in the long run; at first there
// is no limit. No cell may run.
func (s *Session) LimitPace(bytes int64) { s.guard.LimitPace(bytes) }

// CaptureDescriptors sends to cells what reaches the process's descriptors 1 and 2 without
// passing a writer: output of child processes and of variables that hold os.Stdout. The
// process's own stderr is the Log of what it returns. Only the kernel does this, because
// nothing else in the process can use the descriptors then.
func (s *Session) CaptureDescriptors() (*guard.Descriptors, error) {
	return s.guard.CaptureDescriptors()
}
