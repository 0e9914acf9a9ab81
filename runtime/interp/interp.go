// Package interp evaluates Go in Go programs.
//
//	s, err := interp.New(interp.Options{Stdout: os.Stdout})
//	err = s.Use(std.Core)
//	_, err = s.Eval(ctx, `func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }`)
//	fib, err := interp.Get[func(int) int](s, "fib")
//	fmt.Println(fib(20))
//
// Sources are checked by go/types and compiled to closures. Types of sources are real Go types:
// values, functions and interfaces pass between the program and its sources without conversion, and
// a type of a source that has the methods of an interface of the program implements it.
//
// A session keeps what its sources declare. Each source is a package file without its package
// clause, or a file with the clause "package main", or like a cell of a notebook: declarations and
// statements in any order, which may end in an expression. Packages that a source mentions are
// imported without a declaration if their names are unambiguous.
//
// # What sources may do
//
// A source can use the packages passed to [Session.Use], and nothing else. A
// session without packages has no files, network, processes or environment. [Options] limit memory,
// stack and output; the context of [Session.Eval] limits the time. A session changes no variable of
// the process: sources that may use log, flag, os or net/http have a logger, a command line,
// standard streams and a multiplexer of their own. Sources run in the process of the program, so
// these are limits for mistakes and not a sandbox for strangers who attack: package unsafe, and
// values of the program that give access to more, belong only to sources that are trusted. Compiled
// packages that call functions of sources on goroutines of their own, as package testing does, end
// the program when such a function panics.
package interp

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/generic"
	archive "gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/reflected"
	"gosphere/runtime/internal/session"
)

// Options configure a session. The zero value has no packages, no input and no output.
type Options struct {
	Stdin          io.Reader // nil is empty
	Stdout, Stderr io.Writer // nil discards

	// Files are those that go:embed directives name; nil refuses them.
	Files fs.FS

	// Memory limits the memory in bytes by which the process may grow during an Eval, Stack the
	// stack of each goroutine of the sources, and Output what one Eval may print. 0 stands for four
	// fifths of the machine's memory, 30 MB and 64 MB.
	Memory, Stack, Output int64
}

// A Session evaluates Go. What it declares stays until Close. Sessions are independent of each
// other and of the program. The methods of a Session may be called from any goroutine; one source
// is evaluated at a time, and functions of sources may be called meanwhile.
type Session struct {
	options  Options
	session  session.Evaluator
	packages *packages
	turn     chan struct{} // holds one token during an Eval

	mu     sync.Mutex // guards bound and closed
	bound  int        // variables bound so far
	closed bool
}

// New returns a session. The error says why this build of Go, or this platform, cannot run sources.
func New(o Options) (*Session, error) {
	s := &Session{options: o, packages: newPackages(), turn: make(chan struct{}, 1)}
	inner, err := session.New(session.Options{
		Symbol: s.packages.symbol, Packages: s.packages, Generic: generic.Source, Stack: uintptr(max(0, o.Stack)), Embedded: &session.Embedded{Files: o.Files},
	})
	if err != nil {
		return nil, fmt.Errorf("interp: %w", err)
	}
	s.session = session.Evaluator{Session: inner}
	stdin := o.Stdin
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	s.session.ReadInput(stdin)
	s.session.KeepBytes()
	s.session.LimitMemory(o.Memory)
	s.session.LimitOutput(o.Output)
	return s, nil
}

// Use makes packages importable. It is an error to give a name of a package a second value. Give
// libraries that mention types of the same packages to the first call, so that these are the same
// types.
func (s *Session) Use(sources ...Source) error {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int { // libraries first, because values may mention their types
		_, first := a.(*Library)
		_, second := b.(*Library)
		switch {
		case first && !second:
			return -1
		case second && !first:
			return 1
		}
		return 0
	})
	for _, source := range sources {
		if err := source.addTo(s.packages); err != nil {
			return fmt.Errorf("interp: %w", err)
		}
	}
	return nil
}

// Eval evaluates a source and returns the value of its last expression, or the zero Value if it
// ends otherwise. Nothing is declared if the source does not compile. The error is a *CompileError,
// *PanicError, *ExitError or *LimitError, or the cause of ctx, which ends the statements at their
// next loop, call or wait.
func (s *Session) Eval(ctx context.Context, source string) (reflect.Value, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return reflect.Value{}, context.Cause(ctx)
	}
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return reflect.Value{}, errClosed
	}
	result, err := s.session.Eval(ctx, source, s.write, nil)
	if err != nil {
		return reflect.Value{}, s.errorOf(ctx, err)
	}
	if !result.Given {
		return reflect.Value{}, nil
	}
	if result.Value == nil {
		return reflect.Zero(reflect.TypeFor[any]()), nil
	}
	return reflect.ValueOf(result.Value), nil
}

var errClosed = errors.New("interp: the session is closed")

// write passes output to the program. Errors of its writers are ignored, as those of a terminal
// are.
func (s *Session) write(stream, text string) {
	to := s.options.Stdout
	if stream == "stderr" {
		to = s.options.Stderr
	}
	if to != nil {
		_, _ = io.WriteString(to, text)
	}
}

// Lookup returns a declared variable, addressable, or a declared function. ok is false for other
// names, and for generic functions, which have no value.
func (s *Session) Lookup(name string) (v reflect.Value, ok bool) {
	if !token.IsIdentifier(name) {
		return reflect.Value{}, false
	}
	kind, declared := s.session.Kind(name)
	if !declared {
		return reflect.Value{}, false
	}
	switch kind {
	case check.Variable:
		if v, ok = s.session.Variable(name); ok {
			return v, true
		}
		// It is allocated when code uses it.
		p, err := s.Eval(context.Background(), "&"+name)
		if err != nil || p.Kind() != reflect.Pointer {
			return reflect.Value{}, false
		}
		return p.Elem(), true
	case check.Function:
		v, err := s.Eval(context.Background(), name)
		return v, err == nil && v.Kind() == reflect.Func
	}
	return reflect.Value{}, false
}

// Get returns a declared variable or function as a value of type T, to which it must be assignable:
//
//	fib, err := interp.Get[func(int) int](s, "fib")
//
// A function is the declaration that is the latest when Get is called. It may be called after the
// session is closed.
func Get[T any](s *Session, name string) (value T, err error) {
	v, ok := s.Lookup(name)
	if !ok {
		return value, fmt.Errorf("interp: the session declares no variable or function %s", name)
	}
	want := reflect.TypeFor[T]()
	if !v.Type().AssignableTo(want) {
		return value, fmt.Errorf("interp: %s has type %s, want %s", name, v.Type(), want)
	}
	reflect.ValueOf(&value).Elem().Set(v)
	return value, nil
}

// bindings is the import path of the types of bound variables, and bindingsName the name under
// which sources see it. It has a letter that no keyboard has, so that it is free.
const bindings, bindingsName = "gosphere/bindings", "bindingsˑ"

// Bind declares a variable that is the one p points to: both sides see what the other assigns. The
// program must take care of concurrent uses. It is an error if the session declares the name
// already.
func (s *Session) Bind(name string, p any) error {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("interp: Bind of %s: got %T, want a pointer to a variable that is not nil", name, p)
	}
	if !token.IsIdentifier(name) || name == "_" {
		return fmt.Errorf("interp: Bind: %q is no name of a variable", name)
	}
	if _, declared := s.session.Kind(name); declared {
		return fmt.Errorf("interp: Bind of %s: the session declares the name already", name)
	}
	s.mu.Lock()
	s.bound++
	typeName := fmt.Sprintf("T%d", s.bound)
	s.mu.Unlock()
	if err := s.packages.add(bindings, "bindings", map[string]reflect.Value{typeName: reflect.Zero(v.Type())}); err != nil {
		return fmt.Errorf("interp: Bind of %s: %w", name, err)
	}
	source := fmt.Sprintf("import %s %q\nvar %s %s.%s", bindingsName, bindings, name, bindingsName, typeName)
	if _, err := s.Eval(context.Background(), source); err != nil {
		return fmt.Errorf("interp: Bind of %s: %w", name, err)
	}
	if !s.session.BindVariable(name, v) {
		return fmt.Errorf("interp: Bind of %s: the variable could not be declared", name)
	}
	return nil
}

// Close ends the session: further calls of Eval fail. Functions and variables of sources stay
// valid. Methods of types that sources declare panic with [ErrClosed] when the program calls them
// through an interface, so that the code of the session can be collected. Goroutines that sources
// have started end at their next poll.
//
// What Go's runtime cannot free remains after Close: 1 to 2 kB for each type that the sources
// declare, and the entries of its methods. A process can have 65,536 entries, of which a method
// with a value receiver takes two and one with a pointer receiver one; after that, types with
// methods are refused.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.session.Interrupt()
		s.session.Close()
	}
	return nil
}

// packages are those that a session may import.
type packages struct {
	universe *reflected.Universe

	mu        sync.Mutex // guards the fields below
	libraries []*Library
	// stores have the types of libraries. Those that Use has added before a session imports
	// anything have one store, so that their types of a package are the same.
	stores map[*exportData]*archive.Store
}

func newPackages() *packages {
	p := &packages{stores: map[*exportData]*archive.Store{}}
	p.universe = reflected.New(p.fromLibraries)
	return p
}

func (p *packages) all() []*Library {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.libraries
}

// add adds values as a package.
func (p *packages) add(path, name string, exports map[string]reflect.Value) error {
	for _, l := range p.all() {
		if l.has(path) {
			return fmt.Errorf("package %s is there already, with export data", path)
		}
	}
	return p.universe.Add(path, name, exports)
}

// read returns a package of a library.
func (p *packages) read(l *Library, path string) (*types.Package, error) {
	store, err := p.storeOf(l)
	if err != nil {
		return nil, err
	}
	return store.Import(path)
}

// storeOf returns the store of a library, and makes one for all libraries that have none yet.
func (p *packages) storeOf(l *Library) (*archive.Store, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.stores[l.data]; known != nil {
		return known, nil
	}
	var list []*exportData
	for _, other := range p.libraries {
		if p.stores[other.data] == nil && !slices.Contains(list, other.data) {
			list = append(list, other.data)
		}
	}
	store, err := storeWith(list)
	if err != nil {
		return nil, fmt.Errorf("reading export data: %w", err)
	}
	for _, d := range list {
		p.stores[d] = store
	}
	return store, nil
}

// fromLibraries returns a package that has export data.
func (p *packages) fromLibraries(path string) (*types.Package, error) {
	for _, l := range p.all() {
		if l.has(path) {
			return p.read(l, path)
		}
	}
	return nil, fmt.Errorf("the session has no package %s", path)
}

// Import returns the package with an import path.
func (p *packages) Import(path string) (*types.Package, error) {
	if found, ok := p.universe.Import(path); ok {
		return found, nil
	}
	for _, l := range p.all() {
		if l.permits(path) {
			return p.read(l, path)
		}
	}
	if path == "unsafe" {
		for _, l := range p.all() {
			if l.permits(path) {
				return types.Unsafe, nil
			}
		}
	}
	return nil, errors.New("the program has not given this package to the session")
}

// ImportAny is like Import, and returns packages that sources may not import as well: generic
// functions of the standard library use them.
func (p *packages) ImportAny(path string) (*types.Package, error) {
	if found, ok := p.universe.Import(path); ok {
		return found, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return p.fromLibraries(path)
}

// PathsNamed returns the paths of packages with a name.
func (p *packages) PathsNamed(name string) (paths []string) {
	for _, l := range p.all() {
		for _, path := range l.store.PathsNamed(name) {
			if l.permits(path) {
				paths = append(paths, path)
			}
		}
	}
	for _, path := range p.universe.Paths() {
		if found, ok := p.universe.Import(path); ok && found.Name() == name && path != bindings {
			paths = append(paths, path)
		}
	}
	return paths
}

// Paths returns the paths of all packages.
func (p *packages) Paths() []string {
	paths := p.universe.Paths()
	for _, l := range p.all() {
		for _, path := range l.store.Paths() {
			if l.permits(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Doc returns the documentation of a name of a package.
func (p *packages) Doc(path, name string) string {
	for _, l := range p.all() {
		if l.permits(path) {
			return l.store.Doc(path, name)
		}
	}
	return ""
}

// symbol returns the value of a name of a package. Types of packages that may not be imported have
// one as well, because permitted packages mention them.
func (p *packages) symbol(path, name string) (reflect.Value, bool) {
	if v, ok := p.universe.Symbol(path, name); ok {
		return v, true
	}
	for _, l := range p.all() {
		if v, ok := l.find(path, name); ok {
			return v, true
		}
	}
	return reflect.Value{}, false
}
