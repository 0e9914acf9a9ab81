package link

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/linked"
	"gosphere/runtime/internal/lower"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/realtype"
	"gosphere/runtime/internal/source"
)

// A sourceState holds the variables and the initialization of a package from source.
//
// The variables are made at their first use. The fields after mu change when a cell runs, and not
// when it is compiled, since a cell that is refused initializes nothing. Cells of several shells
// may run while the package is initialized, so mu guards these fields.
//
// The initialization is part of a cell and can be interrupted, fail or wait like any of its
// statements, which is why its state has more than two values.
type sourceState struct {
	variables map[*types.Var]*ir.Global
	start     []*ir.FuncRef // initialize the variables, then call functions named init; nil until they are built

	mu      sync.Mutex
	running chan struct{} // closed at the end of the initialization; nil before it begins
	started bool          // whether it has ended normally
	failed  string        // how it has ended otherwise; "" if it has not
}

// ended returns how the initialization has ended. If it has not begun, all results are zero. If it
// has not ended, running is not nil.
func (s *sourceState) ended() (started bool, failed string, running <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started || s.failed != "" {
		return s.started, s.failed, nil
	}
	return false, "", s.running
}

// sourcePackage returns a package that is checked from its source, or nil. The package of cells is
// not among them: each cell is checked and compiled on its own, by the session.
//
// The result is cached by the types.Package. A reloaded package has a new one, and thus new
// variables and functions.
func (s *Session) sourcePackage(pkg *types.Package) *libraryPackage {
	if pkg == nil || s.options.Source == nil || pkg == s.options.Main {
		return nil
	}
	if p := s.sources[pkg]; p != nil {
		return p
	}
	found := s.options.Source(pkg)
	if found == nil {
		return nil
	}
	p := &libraryPackage{types: pkg, info: found.Info, fset: found.Fset, functions: map[string]*function{}, source: found}
	p.variables = map[*types.Var]*ir.Global{}
	// The texts of types show the name of the package, which need not be the last element of its
	// path.
	realtype.NamePackage(pkg.Path(), pkg.Name())
	s.names.number(found.Info)
	s.sources[pkg] = p
	return p
}

// isSource reports whether a package is that of cells or is checked from its source.
func (s *Session) isSource(pkg *types.Package) bool {
	return pkg != nil && (pkg.Path() == "main" || s.sourcePackage(pkg) != nil)
}

// declaration returns the declaration of a function, or of a method named as "Type.Method".
func (p *libraryPackage) declaration(key string) *ast.FuncDecl {
	if p.source != nil {
		return p.source.Function(key)
	}
	return p.decls[key]
}

// sharesLoops reports whether the loops at a position share their variables between iterations.
func (p *libraryPackage) sharesLoops(pos token.Pos) bool {
	return p != nil && p.source != nil && p.source.SharesLoops(pos)
}

// located adds the package and the position to a refusal in a package from source. They become part
// of the message, as in "package example.com/x, file.go:12: ...", since the position of the error
// is that of a cell.
func (p *libraryPackage) located(err error) error {
	var refusal *Refusal
	if p == nil || p.source == nil || !errors.As(err, &refusal) {
		return err
	}
	where := ""
	if at := p.fset.Position(refusal.Pos); at.IsValid() {
		where = fmt.Sprintf(", %s:%d", filepath.Base(at.Filename), at.Line)
	}
	if p.types.Name() == "main" { // the file is the user's own
		return refuse(token.NoPos, "%s: %s", strings.TrimPrefix(where, ", "), refusal.Message)
	}
	return refuse(token.NoPos, "package %s%s: %s", p.types.Path(), where, refusal.Message)
}

// prefix returns what stands before the names of functions of the package in stack traces and
// messages. That is main for a program, whatever its path.
func (p *libraryPackage) prefix() string {
	if p.types.Name() == "main" {
		return "main"
	}
	return p.types.Path()
}

// bodiless returns the refusal of a function without a body. A cell that names the function is
// refused. If only code of a module names it, the call panics instead, because the module may never
// call it.
func (p *libraryPackage) bodiless(decl *ast.FuncDecl) error {
	const text = "%s has no body in Go: it is written in assembly or linked from elsewhere"
	name := p.prefix() + "." + decl.Name.Name
	return p.located(refuse(decl.Pos(), text, name))
}

// markAgain queues the functions of packages from source after a change of Mark. It is not repeated
// if the unit fails: the functions then keep the code that they have. Functions of cells are
// checked and compiled again by package session.
//
// Functions that no cell has needed yet have no reference and are built with marks when they are
// needed.
func (s *Session) markAgain() {
	if !s.remark {
		return
	}
	s.remark = false
	for _, p := range s.sources {
		for _, f := range p.functions {
			if f.ref != nil {
				s.queue(func() error { return s.build(f.source, f.ref, nil) })
			}
			for _, i := range f.instances {
				s.buildInstance(f, i)
			}
		}
	}
}

// packageVariable returns a package-level variable of a package from source, or nil for a local
// variable.
//
// The journal undoes the entry if the cell is refused. Otherwise a later cell would find a variable
// whose initialization was never built.
func (s *Session) packageVariable(p *libraryPackage, v *types.Var) *ir.Global {
	if v.Parent() != p.types.Scope() {
		return nil
	}
	if target := p.source.Linked(v.Name()); target != "" && !linked.IsZero(target) {
		panic(p.located(refuse(v.Pos(), "the variable %s is linked from elsewhere by go:linkname", v.Name())))
	}
	g := p.variables[v]
	if g == nil {
		g = &ir.Global{Name: v.Name(), Type: s.substitution(nil)(v.Type())}
		s.storeContents(p, v, g)
		set(s.journal, p.variables, v, g)
	}
	return g
}

// linkedFunction returns the function of the runtime that implements a function without a body,
// converted to the type that the package declares. The result is invalid if there is none.
func (s *Session) linkedFunction(p *libraryPackage, f *types.Func) reflect.Value {
	for _, function := range linked.Functions(p.source.Linked(f.Name())) {
		if retyped, ok := realtype.Retyped(function, s.typeOf(plain(f.Signature()))); ok {
			return retyped
		}
	}
	return reflect.Value{}
}

// startPackages builds the initialization of the packages from source that a cell imports. first
// must be called before the cell's statements, and last, which contains the function main of a
// program, after them.
func (s *Session) startPackages(c *check.Checked) (first, last []func(), err error) {
	if s.options.Source == nil {
		return nil, nil, nil
	}
	var list []*source.Package
	paths := importPaths(c)
	// For a compiled package, Source returns nil: it was initialized when the program started. The
	// type checker has reported packages that cannot be imported.
	for _, path := range paths {
		if pkg, err := s.options.Import(path); err == nil {
			list = append(list, s.options.Source(pkg))
		}
	}
	first, last, err = s.start(list)
	return append(s.registrations(paths), first...), last, err
}

// registrations returns what compiled packages register, see Options.Registration.
func (s *Session) registrations(paths []string) (list []func()) {
	if s.options.Registration == nil {
		return nil
	}
	for _, path := range paths {
		if register := s.options.Registration(path); register != nil {
			list = append(list, register)
		}
	}
	return list
}

// start implements startPackages for a list of packages and all their imports. Elements may be nil.
// The order is that of the section "Package initialization" of the Go specification: imports first,
// each package once.
//
// The functions are returned and not called, since the cell may still be refused.
func (s *Session) start(list []*source.Package) (first, last []func(), err error) {
	seen := map[*source.Package]bool{}
	var visit func(p *source.Package) error
	visit = func(p *source.Package) error {
		if p == nil || seen[p] {
			return nil
		}
		seen[p] = true
		for _, imported := range p.Imports {
			if err := visit(imported); err != nil {
				return err
			}
		}
		library := s.sourcePackage(p.Types)
		// A package is initialized once in a session, even if several cells import it. A debugger
		// may be stopped in the initialization, which its evaluation must not wait for.
		started, failed, running := library.ended()
		if started || running != nil && s.unit.within != nil {
			return nil
		}
		if failed != "" {
			return library.unusable(failed)
		}
		if library.start == nil {
			if err := s.buildStart(library); err != nil {
				return err
			}
		}
		for _, imported := range p.Types.Imports() {
			first = append(first, s.registrations([]string{imported.Path()})...)
		}
		first = append(first, func() { s.startPackage(library) })
		if main, ok := p.Types.Scope().Lookup("main").(*types.Func); ok && p.Types.Name() == "main" {
			last = append(last, s.call(s.libraryFunction(main).ref))
		}
		return nil
	}
	for _, p := range list {
		if err := visit(p); err != nil {
			return nil, nil, err
		}
	}
	return first, last, nil
}

// importPaths returns the paths that a cell imports or uses. An import for side effects, such as
// import _ "example.com/driver", is not used by the code, but its package must be initialized.
func importPaths(c *check.Checked) []string {
	var paths []string
	for _, i := range c.Imports {
		paths = append(paths, i.Path)
	}
	if c.Cell != nil && c.Cell.Declarations != nil {
		for _, spec := range c.Cell.Declarations.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// buildStart builds the initialization of a package. Its functions have the names that gc gives
// them: p.init initializes the variables, and p.init.0 is the first function named init.
func (s *Session) buildStart(p *libraryPackage) error {
	var start []*ir.FuncRef
	none := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	if body := p.source.Initializer(); len(body.List) > 0 {
		ref := &ir.FuncRef{Name: p.prefix() + ".init", Sig: none}
		b := lower.NewBuilder(&scope{s, nil, nil}, p.info, p.fset, p.types)
		b.Subst, b.SharedLoops = s.substitution(nil), p.sharesLoops(body.Pos())
		f, err := b.Initializer(body, ref, ref.Name)
		if err != nil {
			return p.located(converted(err))
		}
		s.addBody(f)
		start = append(start, ref)
	}
	for i, decl := range p.source.Inits() {
		ref := &ir.FuncRef{Name: fmt.Sprintf("%s.init.%d", p.prefix(), i), Sig: none}
		if err := s.build(&code{decl: decl, info: p.info, fset: p.fset, pkg: p.types, library: p}, ref, nil); err != nil {
			return err
		}
		start = append(start, ref)
	}
	// Not nil means built, even if there is nothing to do.
	if start == nil {
		start = []*ir.FuncRef{}
	}
	assign(s.journal, &p.start, start)
	return nil
}

// unusable returns the refusal of a package whose initialization has failed.
func (p *libraryPackage) unusable(failed string) error {
	return refuse(token.NoPos, "package %s: its initialization %s; restart the kernel to initialize it again", p.types.Path(), failed)
}

// startPackage initializes a package unless another cell has done so. It runs on the goroutine of
// the cell. If another cell is initializing the package, startPackage waits for the end. A panic
// ends a compiled program. Here it leaves a package that is initialized in part, which later cells
// must neither use nor initialize again.
//
// The check is repeated here, because the cell may have been compiled before another one finished
// the initialization.
func (s *Session) startPackage(p *libraryPackage) {
	p.mu.Lock()
	running, begins := p.running, p.running == nil
	if begins {
		running = make(chan struct{})
		p.running = running
	}
	p.mu.Unlock()
	if begins {
		s.initialize(p)
		return
	}
	if _, _, unfinished := p.ended(); unfinished != nil {
		s.options.Runtime.Await(running)
	}
	if _, failed, _ := p.ended(); failed != "" {
		panic(p.unusable(failed))
	}
}

// initialize initializes a package and records the end, also if the goroutine ends.
func (s *Session) initialize(p *libraryPackage) {
	failed := "was interrupted in an earlier cell"
	defer func() {
		value := recover() // nil if the goroutine ends
		if value != nil {
			cause := value
			if p, ok := value.(*machine.Panic); ok {
				cause = p.Value
			}
			failed = fmt.Sprintf("panicked in an earlier cell (%v)", cause)
		}
		p.mu.Lock()
		p.started, p.failed = failed == "", failed
		close(p.running)
		p.mu.Unlock()
		if value != nil {
			panic(value)
		}
	}()
	for _, ref := range p.start {
		s.machine.CallRef(ref)
	}
	failed = ""
}
