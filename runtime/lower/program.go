package lower

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"runtime/debug"
	"strings"

	"gosphere/runtime/check"
)

// A Program is a cell that the engine has compiled. Nothing of it has run yet.
type Program struct {
	// Run is the engine name of the function that holds the statements, which call the cell's
	// functions named init where check.Checked.Initialized stands, and Main that of the cell's
	// func main; "" where there is none.
	Run, Main string

	closed bool // the statements make no function that could run when the cell's goroutines have ended

	// Renewed are the types that got other methods after interfaces held values of them.
	Renewed []Renewal

	// Literals tells that the cell's goroutines may run function literals of its statements
	// after these have ended.
	Literals bool
	from, to int // the engine's marks around their piece, if it holds nothing else
}

// Functions lists the engine names of the functions to call, in order.
func (p *Program) Functions() []string { return []string{p.Run, p.Main} }

// A unit is one cell on its way into the engine.
type unit struct {
	s       *Session
	checked *check.Checked
	value   ast.Expr
	results ast.Expr
	inits   []string // the engine names of the cell's functions named init

	within []*types.Var // local variables of a stopped function that the statements see, nil for a cell

	types     []string // declarations of struct types
	variables []string
	functions []string
	queue     []func() // instances still to be emitted

	descriptors    []*descriptor
	unfinished     []*record // layout types whose parts are missing
	incomplete     []*record // real types whose parts are missing
	methodTables   []*record // real types whose methods are missing
	changedMethods bool
	newTypes       map[*record]bool // that the cell declares first
	forgotten      bool             // instances for cell types were forgotten, see again.go
	renewed        []Renewal        // the types that have another real type now
	later          []func()         // work that needs the real types
}

// Cell lowers a checked cell and has the engine compile it. On an error the session knows
// what it knew before; the error is a *Refusal if the cell asks for something that cells
// cannot do, and otherwise a defect of this package.
func (s *Session) Cell(c *check.Checked) (p *Program, err error) { return s.Within(c, nil) }

// Within is Cell for statements that see local variables of a stopped function. Emitted code
// gets pointers to them, in this order, from the support function Local.
func (s *Session) Within(c *check.Checked, variables []*types.Var) (p *Program, err error) {
	u := &unit{s: s, checked: c, value: c.Value, results: c.Results, within: variables}
	for _, i := range c.Imports {
		s.imported[i.Path] = true
	}
	err = s.attempt(func() error {
		p = &Program{}
		s.number(c)
		u.name(p)
		u.emitDeclarations()
		if c.Body != nil && len(c.Body.Body.List) > 0 {
			p.Run = u.emitBody()
			p.Literals, p.closed = literalsIn(c.Body)
		}
		u.emitQueued()
		alone := p.closed && len(u.variables) == 0 && len(u.functions) == 1
		before := s.engine.Mark()
		if err := u.evaluate(); err != nil {
			return err
		}
		if alone {
			p.from, p.to = before, s.engine.Mark()
		}
		p.Renewed = u.renewed
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Release lets go of what only the statements of a cell needed, when they have ended, and with
// them all goroutines that run their literals: they are run once. Where the cell comes from stays known for the functions that it has made.
func (s *Session) Release(p *Program) {
	if p.Run == "" {
		return
	}
	s.engine.Forget(p.Run, p.from, p.to)
	if p.closed {
		s.frames.Lock()
		defer s.frames.Unlock()
		delete(s.functionsOf, p.Run)
	}
}

// literalsIn tells whether a function holds function literals, and whether each is called where
// it stands, maybe by go or defer, so that no variable can hold it.
func literalsIn(d *ast.FuncDecl) (some, called bool) {
	called = true
	onTheSpot := map[*ast.FuncLit]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				onTheSpot[f] = true
			}
		case *ast.FuncLit:
			some = true
			called = called && onTheSpot[n]
		}
		return called
	})
	return some, called
}

// attempt takes back what f has changed in the session if it fails.
func (s *Session) attempt(f func() error) (err error) {
	s.undo = nil
	defer func() {
		if r := recover(); r != nil {
			err = asError(r)
		}
		if err != nil {
			for i := len(s.undo) - 1; i >= 0; i-- {
				s.undo[i]()
			}
		}
		s.undo = nil
	}()
	return f()
}

// Value reads a session variable, in its real type as interface values hold it. No cell may
// run meanwhile.
func (s *Session) Value(symbol *check.Symbol) (value any, ok bool) {
	name := s.variables[symbol]
	object, isVariable := symbol.Object.(*types.Var)
	if name == "" || !isVariable {
		return nil, false
	}
	err := s.attempt(func() error {
		u := &unit{s: s}
		text := u.emitter(nil).convertText(name, object.Type(), universeAny)
		u.emitQueued()
		if err := u.evaluate(); err != nil {
			return err
		}
		read, err := s.engine.Eval(text)
		if err == nil && read.IsValid() && read.CanInterface() {
			value = read.Interface()
		}
		return err
	})
	return value, err == nil
}

// Reset sets all session variables to zero, so that nothing keeps what they hold. No cell
// may run meanwhile.
func (s *Session) Reset() {
	for _, name := range s.variables {
		if address, err := s.engine.Eval("&" + name); err == nil && address.Kind() == reflect.Pointer && !address.IsNil() {
			address.Elem().SetZero()
		}
	}
	clear(s.variables)
	clear(s.pointers)
	s.holds.Clear()
}

// A Defect is an error of this package or of the interpreter, not of the cell.
type Defect struct {
	Text  string
	Stack string
}

// Error begins with whose error it is.
func (d *Defect) Error() string { return "internal error: " + d.Text }

func asError(r any) error {
	if e, ok := r.(error); ok {
		var refusal *Refusal
		if errors.As(e, &refusal) {
			return refusal
		}
	}
	return &Defect{fmt.Sprint(r), string(debug.Stack())}
}

// name gives everything that the cell declares its engine name, so that functions can
// mention each other in any order.
func (u *unit) name(p *Program) {
	s := u.s
	for _, d := range u.checked.Declarations {
		switch syntax := d.Syntax.(type) {
		case *ast.TypeSpec:
			t := u.checked.Info.Defs[syntax.Name].(*types.TypeName)
			s.symbolOf[t] = d.Symbol
			u.declareType(d.Symbol, t)
		case *ast.FuncDecl:
			f := u.checked.Info.Defs[syntax.Name].(*types.Func)
			s.symbolOf[f] = d.Symbol
			if syntax.Body != nil {
				set(s, s.recovering, d.Symbol, callsRecover(syntax.Body))
			}
			stem := f.Name()
			if receiver := f.Signature().Recv(); receiver != nil {
				named := namedOf(receiver.Type())
				stem = named.Obj().Name() + localMark + stem
				u.declareMethod(named.Origin())
			}
			if generic(f) {
				set(s, s.generics, d.Symbol, u.source(syntax))
				set(s, s.functions, d.Symbol, "")
				continue
			}
			name := s.global(stem)
			set(s, s.functions, d.Symbol, name)
			if syntax.Recv == nil && !d.Again {
				switch syntax.Name.Name {
				case "main":
					p.Main = name
				case "init":
					u.inits = append(u.inits, name)
				}
			}
		}
	}
	for _, v := range u.checked.Variables {
		if object, ok := v.Symbol.Object.(*types.Var); ok && v.New {
			u.declareVariable(v.Symbol, object)
		}
	}
}

func generic(f *types.Func) bool {
	return f.Signature().TypeParams().Len() > 0 || f.Signature().RecvTypeParams().Len() > 0
}

func (u *unit) source(d *ast.FuncDecl) *source {
	return &source{declaration: d, info: u.checked.Info, checked: u.checked, fset: u.checked.Fset}
}

// declareVariable gives a session variable its global.
func (u *unit) declareVariable(symbol *check.Symbol, v *types.Var) string {
	name := u.s.global(v.Name())
	set(u.s, u.s.variables, symbol, name)
	u.variables = append(u.variables, "var "+name+" "+u.spell(v.Type()))
	return name
}

// noteQuiet notes which functions of the cell cannot start goroutines.
func (u *unit) noteQuiet() {
	var functions []*ast.FuncDecl
	symbols := map[*ast.FuncDecl]*check.Symbol{}
	for _, d := range u.checked.Declarations {
		if f, ok := d.Syntax.(*ast.FuncDecl); ok && f.Body != nil {
			functions = append(functions, f)
			symbols[f] = d.Symbol
			for _, known := range []map[*check.Symbol]bool{u.s.quiet, u.s.effects} { // of an earlier form of the function
				if old, ok := known[d.Symbol]; ok {
					delete(known, d.Symbol)
					u.s.undo = append(u.s.undo, func() { known[d.Symbol] = old })
				}
			}
		}
	}
	for _, f := range functions {
		quiet := !generic(u.checked.Info.Defs[f.Name].(*types.Func)) && u.emitter(u.source(f)).quiet(f.Body)
		set(u.s, u.s.quiet, symbols[f], quiet)
		effects := &effectsWalk{e: u.emitter(u.source(f)), seen: map[*types.Func]bool{}}
		set(u.s, u.s.effects, symbols[f], generic(u.checked.Info.Defs[f.Name].(*types.Func)) || effects.any(f.Body))
		if u.s.stops { // calls are calls, so that they can be stepped into
			set(u.s, u.s.formulas, symbols[f], nil)
			continue
		}
		set(u.s, u.s.formulas, symbols[f], u.formulaOf(f))
	}
}

func (u *unit) emitDeclarations() {
	u.noteQuiet()
	for _, d := range u.checked.Declarations {
		switch syntax := d.Syntax.(type) {
		case *ast.TypeSpec:
			if t := u.checked.Info.Defs[syntax.Name].(*types.TypeName); !t.IsAlias() && syntax.TypeParams == nil {
				u.spell(t.Type())
			}
		case *ast.FuncDecl:
			if name := u.s.functions[d.Symbol]; name != "" {
				text := u.emitter(u.source(syntax)).declaration(name, syntax) // adds functions of its own
				u.functions = append(u.functions, text)
			}
		}
	}
}

// emitBody emits the statements as a function without parameters.
func (u *unit) emitBody() string {
	name := u.s.global("cell")
	e := u.emitter(u.source(u.checked.Body))
	body := u.checked.Body
	e.findShared(body)
	e.findLifted(body)
	e.findReachable(body)
	u.s.noteFunction(name, e.frame(body))
	signature := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	e.fn = &function{signature: signature}
	text := e.whole(signature, signature, body.Body, e.locals()) // adds functions of its own
	u.functions = append(u.functions, "func "+name+text)
	return name
}

// evaluate hands the unit to the engine: types first, because real types need their
// layout and functions need the real interface types, then functions, then the methods of
// real types, which are functions that the engine has made.
func (u *unit) evaluate() error {
	u.declareTypes()
	u.complete()
	if err := u.evaluateFunctions(); err != nil {
		return err
	}
	u.fillDescriptors()
	u.runLater()
	u.complete()
	if u.changedMethods {
		u.methodsChanged()
	}
	if err := u.buildMethodTables(); err != nil {
		return err
	}
	u.fillDescriptors()
	u.complete()
	return nil
}

func (u *unit) runLater() {
	for len(u.later) > 0 {
		f := u.later[0]
		u.later = u.later[1:]
		f()
	}
}

// declareTypes evaluates the type declarations emitted so far.
func (u *unit) declareTypes() {
	if len(u.types) == 0 {
		return
	}
	text := strings.Join(u.types, "\n")
	u.types = nil
	if _, err := u.s.engine.Eval(text); err != nil {
		panic(fmt.Sprintf("declaring types: %v\n%s", err, text))
	}
}

// evaluateFunctions evaluates the emitted variables and functions, and more, in one piece:
// the interpreter resolves what is declared later only within one piece.
func (u *unit) evaluateFunctions(more ...string) error {
	u.declareTypes()
	u.complete()
	text := strings.Join(append(append(u.variables, u.functions...), more...), "\n")
	u.variables, u.functions = nil, nil
	if text == "" {
		return nil
	}
	if Trace != nil {
		Trace(text)
	}
	if _, err := u.s.engine.Eval(text); err != nil {
		return &Defect{Text: err.Error(), Stack: text}
	}
	return nil
}

// Trace receives the emitted text of each cell if it is set; for tests.
var Trace func(text string)
