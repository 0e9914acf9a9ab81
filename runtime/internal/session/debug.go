package session

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/internal/debug"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/lower"
)

// A Debuggee provides the operations that a debugger needs from a session. Package debug implements
// stops, steps and breakpoints. The Debuggee compiles cells with marks at which they can stop, and
// evaluates expressions.
//
// Cells are compiled with marks only while there is a reason to stop, which is a breakpoint or the
// option to stop at panics: marks make code slower. When that changes, all functions of earlier
// cells are recompiled before the next cell runs. Calls in progress and existing function values
// keep their code.
//
// The debugger cannot stop in a function value that was made before there was a reason to stop,
// because its code has no marks.
type Debuggee struct {
	*debug.Debugger
	session *Session
	path    func(text string) string // returns the source path of the text of a cell; nil until BindDebugger

	mu         sync.Mutex             // guards the following fields
	texts      map[*token.File]string // texts, as sent by the client, of the cells that later cells can refer to
	references debug.References
}

// newDebuggee returns the debuggee of a session.
func newDebuggee(s *Session) *Debuggee {
	d := &Debuggee{session: s, texts: map[*token.File]string{}}
	d.Debugger = debug.New(d)
	s.guard.DebugBy(d.Debugger)
	return d
}

// Debuggee returns the operations of the session for a debugger.
func (s *Session) Debuggee() *Debuggee { return s.debuggee }

// BindDebugger sets the function that returns the source path of a cell's text, and the function
// that receives debug events.
func (d *Debuggee) BindDebugger(path func(text string) string, notify func(protocol.DebugNotice)) {
	d.path = path
	d.NotifyBy(func(n protocol.DebugNotice) {
		// References are valid only while the cell is stopped (Debug Adapter Protocol, "Lifetime of
		// Objects References").
		if n.Kind == protocol.DebugStopped {
			d.mu.Lock()
			d.references.Renew()
			d.mu.Unlock()
		}
		notify(n)
	})
}

// Detach ends debugging.
func (d *Debuggee) Detach() {
	d.Debugger.Detach()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.references.Clear()
}

// prepare recompiles the functions of earlier cells if the debugger needs marks in them, or no
// longer does. If that fails, they stay unchanged, and it is not attempted again until the setting
// changes again: the error would be the same before every cell. The caller is compiling a cell and
// holds the execution lock.
//
// The check is committed, because the functions have new objects in package check.
func (d *Debuggee) prepare() error {
	s := d.session
	if !d.changes() {
		return nil
	}
	// Mark applies to functions compiled from now on.
	s.link.Mark(d.Wanted())
	// The functions form a cell that declares them all again.
	checked, err := s.checker.FunctionsAgain()
	if err != nil {
		return err
	}
	if _, err = s.link.Cell(checked); err == nil {
		s.checker.Commit(checked)
	}
	return err
}

// changes reports whether prepare has work to do.
func (d *Debuggee) changes() bool { return d.Wanted() != d.session.link.Marks() }

// filesOf returns the two files of a parsed cell.
func filesOf(c *cell.Cell) []*token.File {
	return []*token.File{c.Fset.File(c.Declarations.FileStart), c.Fset.File(c.Statements.FileStart)}
}

// note records the text of a cell that is about to be compiled. The client identifies a text by its
// path.
//
// Text and cell are associated by the token files of the parsed cell, since marks know positions
// and not cells.
func (d *Debuggee) note(c *cell.Cell, text string) {
	if d.path == nil {
		return
	}
	d.mu.Lock()
	for _, file := range filesOf(c) {
		d.texts[file] = text
	}
	d.mu.Unlock()
	d.Known(d.path(text), text)
}

// forget drops the text of a cell that no later cell can refer to.
func (d *Debuggee) forget(c *cell.Cell) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, file := range filesOf(c) {
		delete(d.texts, file)
	}
}

// addSite assigns a number to a mark of a function. The code of the mark passes the number to Ask,
// so that the debugger finds the position without a search.
func (d *Debuggee) addSite(m *ir.Mark, f *ir.Func) int {
	position := f.Fset.Position(m.Pos())
	d.mu.Lock()
	text := d.texts[f.Fset.File(m.Pos())]
	d.mu.Unlock()
	// A position in a package from source has the file on disk as its path, which the client can
	// open.
	site := &debug.Site{Position: debug.Position{Line: position.Line, Column: position.Column}, Cell: position.Filename, Function: m.Function, Detail: m}
	if file := d.session.library.file(position.Filename); file != "" {
		site.Path, site.Cell = file, ""
	} else if d.path != nil && text != "" { // a package that the program carries has no file
		site.Path = d.path(text)
	}
	if site.Function == "" {
		site.Function = site.Cell
	}
	return d.Add(site)
}

// Lines returns the lines of a cell that can have breakpoints. For instance, lines with only a
// comment or a closing brace are not among them.
func (d *Debuggee) Lines(text string) []int {
	var lines []int
	for _, p := range d.Places(text) {
		lines = append(lines, p.Line)
	}
	return lines
}

// Places returns the positions at which a cell can stop: the first statement of each line.
//
// The text may be of a cell that has not run, because clients set breakpoints while they edit. It
// is parsed as a cell would be, without being checked.
func (d *Debuggee) Places(text string) []debug.Position {
	fset := token.NewFileSet()
	if f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution); err == nil && f.Name.Name != "main" {
		return placesIn(fset, f) // the file of a package from source
	}
	code, _ := cutQuestions(text)
	expansion, err := expand(d.session.checker, 0, code)
	if err != nil {
		return nil
	}
	c, err := cell.Parse(0, expansion.Source)
	if err != nil {
		return nil
	}
	defer c.Forget()
	return placesIn(c.Fset, c.Declarations, c.Statements)
}

// placesIn implements Places for parsed files. It finds the same statements as package lower, which
// makes the marks, because both use lower.CanStop.
func placesIn(fset *token.FileSet, files ...*ast.File) []debug.Position {
	first := map[int]int{}
	add := func(n ast.Node) {
		at := fset.Position(n.Pos())
		if column, known := first[at.Line]; !known || at.Column < column {
			first[at.Line] = at.Column
		}
	}
	list := func(statements []ast.Stmt) {
		for _, s := range statements {
			if l, ok := s.(*ast.LabeledStmt); ok {
				s = l.Stmt
			}
			if lower.CanStop(s) {
				add(s)
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				list(n.List)
			case *ast.CaseClause:
				list(n.Body)
			case *ast.CommClause:
				list(n.Body)
			}
			return true
		})
	}
	var places []debug.Position
	for line, column := range first {
		places = append(places, debug.Position{Line: line, Column: column})
	}
	slices.SortFunc(places, func(a, b debug.Position) int { return a.Line - b.Line })
	return places
}

// Wait blocks the calling goroutine until the channel is closed. The cell does not hold the
// execution lock meanwhile.
func (d *Debuggee) Wait(until <-chan struct{}) { d.session.guard.Rest(until) }

// Aside runs f while the calling goroutine's cell releases the execution lock.
func (d *Debuggee) Aside(f func()) { guard.WithoutLock(f) }

// Print writes text to the stdout of the calling goroutine's cell.
func (d *Debuggee) Print(text string) {
	if c := guard.Current(); c != nil {
		c.Write("stdout", text)
	}
}

// Goroutine describes the calling goroutine. A client shows the names, such as Cell [3] for the
// statements of a cell and goroutine of Cell [3] for a goroutine that they have started. A
// goroutine is Quiet if it runs an evaluation of the debugger itself, which must not stop.
func (d *Debuggee) Goroutine() debug.Goroutine {
	c := guard.Current()
	if c == nil {
		return debug.Goroutine{Name: "goroutine"}
	}
	r, _ := c.Attached.(*record)
	g := debug.Goroutine{Name: cell.FileName(c.Number), Main: c.OnStatements(), Detail: r, Quiet: r != nil && r.quiet}
	if !g.Main {
		g.Name = "goroutine of " + g.Name
	}
	return g
}

// EvaluateIn evaluates an expression with the variables of a frame, for conditions and for the
// messages of logpoints.
//
// It runs as a cell of its own: a condition that panics or does not end must not affect the cell
// that is stopped.
func (d *Debuggee) EvaluateIn(f *debug.Frame, expression string) (debug.Value, error) {
	found, _, err := d.evaluation(f, expression, onlyExpression).run(false)
	if err != nil {
		return debug.Value{}, err
	}
	return debug.Value{Of: reflect.ValueOf(found.value), Expression: expression}, nil
}

// An evaluationKind says which texts an evaluation accepts: onlyExpression is for conditions of
// breakpoints and for values that a client shows, anyStatement for its console, and declaration for
// copying a value to a session variable.
type evaluationKind int

const (
	onlyExpression evaluationKind = iota
	anyStatement                  // except declarations
	declaration                   // of a session variable
)

// An evaluation is Go code that a debugger runs in its own cell. It is compiled and run like a
// cell, so that an expression can call functions, be interrupted and panic.
type evaluation struct {
	d    *Debuggee
	f    *debug.Frame // provides variables; nil for none
	text string
	kind evaluationKind
}

func (d *Debuggee) evaluation(f *debug.Frame, text string, kind evaluationKind) *evaluation {
	return &evaluation{d, f, text, kind}
}

// run runs the evaluation. It returns the value, and in printed any output that no frame's cell
// could receive. If forms is set, the value includes its display forms.
//
// While an evaluation runs, the stopped cell waits without the execution lock, so the evaluation
// can acquire it.
func (x *evaluation) run(forms bool) (value *shown, printed string, err error) {
	s := x.d.session
	var output strings.Builder
	var writing sync.Mutex
	publish := func(content protocol.Content) {
		if stream, ok := content.(protocol.Stream); ok {
			writing.Lock()
			defer writing.Unlock()
			output.WriteString(stream.Text)
		}
	}
	if x.f != nil {
		// Output goes to the cell that is stopped, since the user sees it there.
		if r, ok := x.f.Goroutine().Detail.(*record); ok && r != nil {
			publish = r.publish
		}
	}
	// A silent request has no execution count and is not in the history.
	e := s.calls.begin(context.Background(), protocol.ExecuteRequest{Silent: true}, publish)
	defer s.calls.end(e)
	c, r := s.newCell(e)
	defer c.Discard()
	r.quiet, r.bare = true, !forms
	if !s.calls.setCell(e, c) {
		return nil, "", errors.New("interrupted")
	}
	step, err := x.compile(e, c)
	if err != nil {
		return nil, "", err
	}
	var failure *failure
	if step != nil {
		failure = s.evaluate(c, r, step)
	}
	// The lock is released before the value is described, because describing acquires it again.
	c.ReleaseLock()
	if failure != nil {
		return nil, "", errors.New(failure.String())
	}
	if value = r.shown.Swap(nil); value == nil {
		value = &shown{}
		if x.kind == onlyExpression {
			err = fmt.Errorf("%s has no value", x.text)
		}
	}
	writing.Lock()
	defer writing.Unlock()
	return value, output.String(), err
}

// compile compiles the text to a function. On success the cell holds the execution lock.
func (x *evaluation) compile(e *call, c *guard.Cell) (step func(), err error) {
	s := x.d.session
	s.compiling.Lock()
	defer s.compiling.Unlock()
	parsed, err := cell.Parse(0, x.text)
	if err != nil {
		return nil, plainError(err)
	}
	keep := false
	defer func() {
		if !keep {
			parsed.Forget()
		}
	}()
	if err := x.allowed(parsed); err != nil {
		return nil, err
	}
	// The text is checked as if it stood at the place where the frame is stopped.
	objects, variables, values := x.around()
	checked, err := s.checker.CheckWithin(parsed, objects)
	if err != nil {
		return nil, plainError(err)
	}
	if !c.AcquireLock() {
		return nil, errors.New("interrupted")
	}
	program, err := s.link.Within(checked, variables, values)
	if err != nil {
		return nil, errors.New(s.failures.of(err, 0, x.text).String())
	}
	// Other evaluations leave no trace: the check is not committed, and the positions of the text
	// are forgotten.
	if x.kind == declaration {
		keep = true
		s.checker.Commit(checked)
	}
	if step, err = stepOf(program, s.options.Skeletons); err != nil {
		return nil, err
	}
	s.calls.setRunning(e)
	return step, nil
}

// allowed returns an error if the text contains constructs that its kind does not permit. For
// instance, x = 3 is allowed in the console of a debugger, and x := 3 is not.
//
// A declaration of an evaluation would end with it, which a user of a console would not expect. A
// clear refusal is better.
func (x *evaluation) allowed(c *cell.Cell) error {
	list := c.Body.Body.List
	if x.kind == onlyExpression && (len(list) != 1 || c.Value == nil || len(c.Declarations.Decls) > 0) {
		return fmt.Errorf("%s is no expression", x.text)
	}
	declares := len(c.Declarations.Decls) > 0
	for _, statement := range list {
		switch statement := statement.(type) {
		case *ast.AssignStmt:
			declares = declares || statement.Tok == token.DEFINE
		case *ast.DeclStmt:
			declares = true
		}
	}
	if declares && x.kind != declaration {
		return errors.New("a debugger declares nothing: assign with =, or declare in a cell")
	}
	return nil
}

// around returns the objects that the text can refer to in its frame. It also returns the variables
// among them, with their values. The other objects are types and constants that the function
// declares.
func (x *evaluation) around() (objects []types.Object, variables []*types.Var, values []reflect.Value) {
	if x.f == nil {
		return nil, nil, nil
	}
	values = x.f.Variables()
	mark := x.f.Site().Detail.(*ir.Mark)
	for _, v := range mark.Vars {
		// The objects are new for each evaluation, with the names and types of the frame's
		// variables. link.Within maps them to their memory.
		object := types.NewVar(token.NoPos, x.d.session.checker.Main(), v.Name, v.Type)
		objects, variables = append(objects, object), append(variables, object)
	}
	return append(objects, mark.Names...), variables, values
}

// plainError returns an error in the text of an evaluation without its position, which would refer
// to text that the user does not see.
func plainError(err error) error {
	var list cell.Errors
	var one cell.Error
	switch {
	case errors.As(err, &list):
		var messages []string
		for _, e := range list {
			messages = append(messages, e.Message)
		}
		return errors.New(strings.Join(messages, "\n"))
	case errors.As(err, &one):
		return errors.New(one.Message)
	}
	return err
}
