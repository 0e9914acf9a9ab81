// Package link turns checked cells into running code. It builds the typed representation (package
// ir), resolves names across cells, gives types their run-time types (package realtype), and has
// the machine (package exec) compile the result.
//
// # Invariants
//
// A cell is compiled as a unit: either all of its declarations take effect or none do
// (transaction.go). While a unit is compiled, maps and fields must be changed with set and assign,
// which record how to undo the change. A method that is redeclared, and a function that is only
// checked again, keep their ir.FuncRef if the signature is unchanged, so that code compiled earlier
// calls the new version. A function that is redeclared gets a new ir.FuncRef; package check checks
// its callers again, and they are built again. Existing function values keep the old ir.FuncRef.
// Two identical types have the same run-time type, even if different cells or checks mention them.
//
// # Reading order
//
// link.go (the steps for a cell), transaction.go, names.go and instances.go (functions and
// variables), bodies.go, records.go, universe.go, erased.go and key.go (types), surveyed.go,
// methods.go (method tables), library.go and subst.go (generics), packages.go and embed.go
// (packages from source), functions.go (functions as values), host.go (services for the machine),
// display.go (texts of types), relations.go (types for the verifier).
package link

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"reflect"
	"runtime/debug"
	"sync"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/exec"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/lower"
	"gosphere/runtime/internal/realtype"
	"gosphere/runtime/internal/source"
)

// Options configure a session.
type Options struct {
	// Symbol returns an exported object of a compiled package: a nil pointer for a type, and an
	// addressable value for a variable.
	Symbol func(path, name string) (reflect.Value, bool)
	// Override returns the function that overrides a compiled function in cells. OverrideMethod
	// does so for a method of a compiled type; the function's first parameter is the receiver.
	Override       func(path, name string) (reflect.Value, bool)
	OverrideMethod func(f *types.Func) (reflect.Value, bool)
	// Import returns the types of a compiled package. Generic returns the sources of a generic
	// package of the standard library. Instance returns compiled instances of generic functions and
	// may be nil.
	Import   func(path string) (*types.Package, error)
	Generic  func(path string) (map[string]string, bool)
	Instance func(path, name string, typeArguments []string) (reflect.Value, bool)
	// Source returns a package that is checked from its source and runs like cell code, or nil for
	// other packages.
	Source func(pkg *types.Package) *source.Package
	// Registration returns what the initialization of a compiled package registers for the whole
	// program, such as handlers, or nil for nothing. It is called before code that imports it runs.
	Registration func(path string) func()
	// Show is called with the value of a cell's last expression. ShowAll is called with all results
	// of a last call. fails reports that the last result is an error, and tellsSize that the first
	// is a number of bytes written.
	Show    func(v any)
	ShowAll func(fails, tellsSize bool, values ...any)
	// Share is called with the paths of packages whose functions cells use, and with the qualified
	// names of these functions.
	Share func(name string)
	// Files returns the folder whose files the go:embed directives of cells name.
	Files func() fs.FS
	// Main is the package of all cells.
	Main *types.Package
	// Verify enables the verification of each program before it is compiled. A violation ends the
	// cell.
	Verify bool
	// Trace, if not nil, is called with each program before it is compiled.
	Trace func(p *ir.Program)
	// Runtime provides the remaining services of machine.Host.
	Runtime Runtime
}

// A Session holds the declarations of all cells so far, as running code. Its fields are in the
// order of the files whose methods use them.
type Session struct {
	options *Options
	machine *exec.Machine
	unit    *unit // the unit being compiled; between cells it only has the symbols of the session
	journal *journal
	names   *typeNames
	survey  *survey

	// Functions and variables of all cells. The function that is current for a symbol is in the
	// symbol.
	latest    map[any]*function // the newest function of each name, by nameOf, for redeclarations
	variables map[*check.Symbol]*ir.Global
	marks     bool // whether functions have marks for a debugger
	remark    bool // whether functions of packages from source have those of an earlier setting

	// Packages that run from source. Three kinds of packages exist: compiled ones, for which the
	// symbol tables have everything; those of modules, which run from source as a whole; and generic
	// packages of the standard library, of which only the generic functions and types run from
	// source, because compiled code has no instances for types of cells.
	library map[string]*libraryPackage         // the project's own source, by path; nil for a package that has none
	sources map[*types.Package]*libraryPackage // packages of modules

	// Run-time types. Package realtype makes the types that cells declare. Records are kept for the
	// life of the session, because a value of any type may still exist.
	objects map[any]*types.Named // the newest of each type that a cell declares, by keyOf
	records map[any]*record      // by *check.Symbol, *types.TypeName or, for instances and unnamed types, key
	count   int
	pending []*record // records whose components are incomplete, until the outermost call of typeOf returns
	depth   int       // of nested requests
	fresh   []*record // made for the current cell; they may change, since no code has looked up their methods

	// Method tables. Goroutines of cells read tables at dynamic calls without a lock.
	outdated []*record // records whose method tables are missing or outdated
	tables   sync.Map  // methodKey to *ir.FuncRef

	// Types that replace those of generic code.
	context *types.Context // avoids duplicates of instances
	made    int            // requests to it
	locals  map[localKey]*types.Named
}

// A function is a declared function or method, generic or not.
type function struct {
	symbol    *check.Symbol // nil for library packages
	ref       *ir.FuncRef   // nil for generic functions
	source    *code         // nil for functions of cells that are built and not built again
	instances []*instance
}

// An instance is a generic function with type arguments.
type instance struct {
	targs []types.Type
	ref   *ir.FuncRef
}

// A code is the syntax of a function, with the type information of its most recent check. The
// information belongs to one check: objects of two checks of the same declaration are different, so
// code is always built with the check that it came from.
type code struct {
	decl    *ast.FuncDecl
	info    *types.Info
	fset    *token.FileSet
	pkg     *types.Package
	checked *check.Checked     // nil for library packages
	library *libraryPackage    // nil for cells
	kept    map[*function]bool // generic functions that the code uses
}

// keep keeps a generic function for the case that the code is built again.
func (c *code) keep(f *function) {
	if c.kept == nil {
		c.kept = map[*function]bool{}
	}
	c.kept[f] = true
}

// A unit is a cell that is being compiled.
type unit struct {
	checked *check.Checked
	program *ir.Program
	// queue holds functions that are still to be built.
	queue []func() error
	// declared contains the functions of the cell and those that are checked again with it.
	declared map[*check.Symbol]bool
	replaced map[*check.Symbol]*function // generic functions that these replace
	before   snapshot
	filled   map[*record]bool          // types whose method tables have been filled
	within   map[*types.Var]*ir.Global // variables of a call that the cell can access
	renewed  []Renewal
	follow   map[*check.Symbol]bool // see Program.Follow
}

// A snapshot holds the lists of records as they were before a unit.
type snapshot struct{ fresh, outdated []*record }

// A Refusal is the error for valid Go code that cells cannot run. Its text suggests an alternative.
type Refusal struct {
	Pos      token.Pos
	Message  string
	Position token.Position // of Pos, in an error of Session.Cell
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// refuse returns a Refusal. Code below compile may panic with it; whole recovers it.
func refuse(pos token.Pos, format string, arguments ...any) *Refusal {
	return &Refusal{Pos: pos, Message: fmt.Sprintf(format, arguments...)}
}

// A Defect is an error in this program rather than in the cell.
type Defect struct{ Text, Stack string }

// Error returns the text, marked as an internal error.
func (d *Defect) Error() string { return "internal error: " + d.Text }

// New returns a session without declarations.
func New(options Options) *Session {
	s := &Session{
		options: &options, unit: new(unit), journal: new(journal), names: &typeNames{numbers: map[*types.TypeName]int{}},
		latest: map[any]*function{}, variables: map[*check.Symbol]*ir.Global{},
		library: map[string]*libraryPackage{}, sources: map[*types.Package]*libraryPackage{},
		objects: map[any]*types.Named{}, records: map[any]*record{},
		context: types.NewContext(), locals: map[localKey]*types.Named{},
	}
	s.survey = &survey{options: s.options, unit: s.unit, done: map[string]bool{}, types: map[string]reflect.Type{}}
	s.machine = exec.New(&host{options.Runtime, s})
	return s
}

// Mark sets whether functions compiled from now on have marks, at which a debugger can stop them.
// The next cell also recompiles the functions of packages from source.
func (s *Session) Mark(marks bool) { s.marks, s.remark = marks, marks != s.marks }

// Marks reports the setting of Mark.
func (s *Session) Marks() bool { return s.marks }

// Machine returns the machine.
func (s *Session) Machine() *exec.Machine { return s.machine }

// A Program is a compiled cell, none of which has run yet.
type Program struct {
	// First must be called before the body. It initializes packages from source.
	First []func()
	// Body holds the statements, which include calls of functions named init. It is nil if there
	// are none.
	Body *exec.Body
	// Last must be called after the body. It contains the function main, if the cell declares one.
	Last    []func()
	Renewed []Renewal
	// Follow has the functions whose earlier callers call their new versions.
	Follow map[*check.Symbol]bool
}

// Cell compiles a checked cell. If the cell needs an unsupported feature, the error is a *Refusal.
// For a wrong go:embed directive it is of type cell.Errors, and otherwise a *Defect. After an error
// the session is unchanged. Otherwise the caller must commit the check.
func (s *Session) Cell(c *check.Checked) (p *Program, err error) {
	return s.cell(c, nil)
}

// Within is like Cell for statements that can access the variables of a call in progress. Variables
// with an invalid value are not accessible; valid values must be addressable.
func (s *Session) Within(c *check.Checked, variables []*types.Var, values []reflect.Value) (*Program, error) {
	within := map[*types.Var]*ir.Global{}
	for i, v := range variables {
		if i < len(values) && values[i].IsValid() {
			within[v] = &ir.Global{Name: v.Name(), Type: v.Type(), Address: values[i].Addr().UnsafePointer()}
		}
	}
	return s.cell(c, within)
}

// cell implements Cell and Within.
func (s *Session) cell(c *check.Checked, within map[*types.Var]*ir.Global) (p *Program, err error) {
	err = s.whole(unit{checked: c, within: within}, func() (err error) {
		if p, err = s.compile(c); err == nil && within == nil {
			s.dropReplaced(c)
		}
		return err
	})
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		refusal.Position = c.Fset.Position(refusal.Pos)
	}
	return p, err
}

// whole compiles a unit, all of it or nothing. A panic counts as a failure, so that a defect in
// this program leaves the session as it was. Commit must follow in any case, since Begin opened a
// unit of the machine.
func (s *Session) whole(u unit, compile func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = asError(r)
		}
		if err != nil {
			// The error of the cell matters less than a session that could not be restored.
			if failure := s.rollback(); failure != nil {
				err = failure
			}
		}
		s.machine.Commit()
		*s.unit, *s.journal = unit{}, journal{}
		// Types of variables are resolved between units, too, which needs the symbols of the session.
		if u.checked != nil {
			s.unit.checked = u.checked.Before()
		}
	}()
	u.program, u.declared, u.replaced, u.filled, u.follow = &ir.Program{}, map[*check.Symbol]bool{}, map[*check.Symbol]*function{}, map[*record]bool{}, map[*check.Symbol]bool{}
	s.trim()
	u.before = snapshot{s.fresh, s.outdated}
	*s.unit, *s.journal = u, journal{open: true}
	s.machine.Begin()
	return compile()
}

// compile compiles a checked cell within a unit. It declares all functions first, because they may
// refer to each other, and compiles the statements last, because they may need any of them.
func (s *Session) compile(c *check.Checked) (*Program, error) {
	// Types get their numbers before any type is formatted.
	s.names.number(c.Info)
	s.markAgain()
	var inits []*ir.FuncRef
	var last []func()
	s.declare(c)
	// Types must have their new method tables before code that mentions these types is compiled.
	if err := s.fill(); err != nil {
		return nil, err
	}
	for _, d := range c.Declarations {
		syntax, ok := d.Syntax.(*ast.FuncDecl)
		if !ok {
			continue
		}
		f := functionFor(d.Symbol)
		// A generic function is built for each instance when one is used.
		if f.ref == nil {
			continue
		}
		if syntax.Recv == nil && syntax.Name.Name == "init" {
			f.ref.Name = fmt.Sprintf("main.init.%d", len(inits)) // as gc numbers them
		}
		if err := s.build(f.source, f.ref, nil); err != nil {
			return nil, err
		}
		// A function that is checked again has run already, so that neither init nor main runs
		// twice.
		if syntax.Recv == nil && !d.Again {
			switch syntax.Name.Name {
			case "init":
				inits = append(inits, f.ref)
			case "main":
				last = append(last, s.call(f.ref))
			}
		}
	}
	first, mains, err := s.startPackages(c)
	if err != nil {
		return nil, err
	}
	run, err := s.finish(c, inits)
	if err != nil {
		return nil, err
	}
	return &Program{First: first, Body: run, Last: append(last, mains...), Renewed: s.unit.renewed, Follow: s.unit.follow}, nil
}

// asError converts a recovered value to an error. Everything that is not a refusal is a defect.
func asError(r any) error {
	if e, ok := r.(error); ok {
		var refusal *Refusal
		if errors.As(e, &refusal) {
			return refusal
		}
		if converted := converted(e); converted != e {
			return converted
		}
	}
	return &Defect{fmt.Sprint(r), string(debug.Stack())}
}

// converted converts errors of packages build and exec to refusals.
func converted(err error) error {
	var a *lower.Unsupported
	if errors.As(err, &a) {
		return &Refusal{Pos: a.Pos, Message: a.Message}
	}
	var b *exec.Unsupported
	if errors.As(err, &b) {
		return &Refusal{Pos: b.Pos, Message: b.Message}
	}
	return err
}

// finish builds the statements of a cell, compiles everything that the cell needs, and fills method
// tables.
func (s *Session) finish(c *check.Checked, inits []*ir.FuncRef) (run *exec.Body, err error) {
	u := s.unit
	embedded, err := s.embeds(c)
	if err != nil {
		return nil, err
	}
	if c.Body != nil && len(c.Body.Body.List) > 0 {
		b := lower.NewBuilder(&scope{s, c, nil}, c.Info, c.Fset, s.options.Main)
		b.Subst = s.substitution(nil)
		b.Value, b.Results = c.Value, c.Results
		b.Inits, b.Embedded = inits, embedded
		if c.Initialized != nil {
			b.Initialized = c.Initialized
		}
		b.Show, b.ShowAll = s.showValue, s.showAll
		for statement, looks := range c.After {
			if b.After == nil {
				b.After = map[ast.Stmt][]lower.Look{}
			}
			for _, look := range looks {
				see := func(values []reflect.Value) { look.See(values[0]) }
				b.After[statement] = append(b.After[statement], lower.Look{Variable: look.Variable, See: see})
			}
		}
		// Statements that a debugger evaluates within a call cannot stop.
		b.Marks, b.MarkNames = s.marks && u.within == nil, true
		if u.program.Body, err = b.Body(c.Body); err != nil {
			return nil, converted(err)
		}
	}
	if run, err = s.settle(); err == nil {
		s.markUsed()
	}
	return run, err
}

// settle compiles the functions that have been built, and fills method tables, until no work is
// left. Each step may add functions or types to compile. The loop ends, because functions and types
// are built once in each unit, and the type checker rejects generic code with infinitely many
// instances.
func (s *Session) settle() (run *exec.Body, err error) {
	u := s.unit
	for {
		if err := s.drain(); err != nil {
			return nil, err
		}
		if len(u.program.Funcs) == 0 && u.program.Body == nil && len(s.outdated) == 0 {
			return run, nil
		}
		// The program is replaced before it is compiled: compiling may request wrappers, which
		// belong to the next round.
		program := u.program
		u.program = &ir.Program{}
		if s.options.Verify {
			if err := ir.Verify(program, relations{s}); err != nil {
				return nil, err
			}
		}
		if s.options.Trace != nil {
			s.options.Trace(program)
		}
		statements, err := s.machine.Compile(program)
		if err != nil {
			return nil, converted(err)
		}
		// Only one round has statements, since a cell has one body.
		if statements != nil {
			run = statements
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// Variable returns a session variable as an addressable value. The caller must hold the execution
// lock while it reads the value.
func (s *Session) Variable(symbol *check.Symbol) (v reflect.Value, ok bool) {
	g := s.variables[symbol]
	if g == nil {
		return reflect.Value{}, false
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	v = s.machine.Variable(g)
	return v, v.IsValid()
}

// BindVariable makes a session variable, which no code may have used, the one that p points to.
func (s *Session) BindVariable(symbol *check.Symbol, p reflect.Value) bool {
	d := s
	g := d.variables[symbol]
	if g == nil {
		v, ok := symbol.Object.(*types.Var)
		if !ok {
			return false
		}
		g = &ir.Global{Name: v.Name(), Type: d.substitution(nil)(v.Type())}
		d.variables[symbol] = g
	}
	g.Address = p.UnsafePointer()
	return true
}

// Reset forgets all session variables. It also clears them, so that compiled code that refers to
// them does not keep their contents alive. Functions remain, and their code refers to the cleared
// variables until it is checked again.
func (s *Session) Reset() {
	for _, g := range s.variables {
		if v := s.machine.Variable(g); v.IsValid() {
			v.SetZero()
		}
	}
	clear(s.variables)
}

// Close retires the types of the session: compiled code that calls a method of one calls the given
// function instead, which must not return. The session must not be used afterward.
func (s *Session) Close(instead func()) {
	var types []*realtype.Type
	for _, r := range s.records {
		if r.real != nil {
			types = append(types, r.real)
		}
	}
	realtype.Retire(types, instead)
}

// showValue returns the statement that shows the value of a cell. A call whose only result is an
// error shows nothing unless the error is not nil.
func (s *Session) showValue(x ir.Expr) ir.Stmt {
	if s.unit.checked.OnlyFails() {
		return ir.CallHook(func(values []reflect.Value) {
			if v := values[0]; v.IsValid() {
				s.options.ShowAll(true, false, v.Interface())
				return
			}
			s.options.ShowAll(true, false, nil)
		}, x)
	}
	return ir.CallHook(s.showHook, x)
}

func (s *Session) showHook(values []reflect.Value) {
	v := values[0]
	if !v.IsValid() {
		s.options.Show(nil)
		return
	}
	s.options.Show(v.Interface())
}

// showAll returns the statement that shows all results of a call.
func (s *Session) showAll(call *ir.Call) ir.Stmt {
	fails, size := s.unit.checked.ResultsShown()
	return ir.CallHook(func(values []reflect.Value) {
		list := make([]any, len(values))
		for i, v := range values {
			if v.IsValid() {
				list[i] = v.Interface()
			}
		}
		s.options.ShowAll(fails, size, list...)
	}, call)
}
