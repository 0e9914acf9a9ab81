package session

import (
	"errors"
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"gosphere/internal/abridge"
	"gosphere/internal/lazyregexp"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/link"
)

// A failure is a cell's error in the form of Jupyter's error message.
type failure struct {
	name      string // ename
	value     string // evalue
	traceback []string

	outcome *guard.Outcome // of the statements, nil if the cell was not run
	err     error          // why it was not compiled, nil for an interrupt
}

func (f *failure) String() string { return f.name + ": " + f.value }

// interruptFailure returns the failure of an interrupted cell, under the name that ipykernel sends.
func interruptFailure() *failure {
	return &failure{name: "KeyboardInterrupt", value: "the cell was interrupted", traceback: []string{"KeyboardInterrupt: the cell was interrupted"}}
}

// interruptedProgram is the text for a program at its time limit, above the calls that it was in.
const interruptedProgram = "the program was interrupted"

// failures describe errors of cells for users.
type failures struct {
	checker *check.Session
	values  *values
	reports reports
	sources *sources
}

// of converts an error from before the evaluation to a failure. number and source are those of the
// cell. An error of an unexpected type is an internal error. The types are, in this order, errors
// of the parser, the checker and magics; valid Go that cells cannot run; and defects of the
// compiler and of the skeletons.
//
// An internal error is never reported as an error of the cell, because the user could not correct
// it there.
func (d *failures) of(err error, number int, source string) *failure {
	f := d.describe(err, number, source)
	f.value = abridge.Text(f.value)
	for i, line := range f.traceback {
		f.traceback[i] = abridge.Text(line)
	}
	f.err = err
	return f
}

// describe implements of.
func (d *failures) describe(err error, number int, source string) *failure {
	var list cell.Errors
	if errors.As(err, &list) {
		return compileFailure(list, source)
	}
	var one cell.Error
	if errors.As(err, &one) {
		return compileFailure(cell.Errors{one}, source)
	}
	var refusal *link.Refusal
	switch found := errors.As(err, &refusal); {
	case found && d.values.guard.IsProgram(): // its position is in the cell that runs the program
		return &failure{name: "not supported", value: refusal.Message, traceback: []string{"not supported: " + refusal.Message}}
	case found && refusal.Position.Filename == cell.FileName(number):
		f := compileFailure(cell.Errors{(&cell.Cell{Number: number, Source: source}).ErrorAt(refusal.Position, refusal.Message)}, source)
		f.name = "not supported"
		return f
	case found: // a declaration of an earlier cell
		return &failure{name: "not supported", value: refusal.Message, traceback: []string{"Cell [" + fmt.Sprint(number) + "]: " + refusal.Message}}
	}
	var defect *link.Defect
	if errors.As(err, &defect) {
		return d.internal(defect.Text, source, defect.Stack)
	}
	return d.internal(err.Error(), source, "")
}

// compileFailure formats compile errors, each with its source line and a caret at its column.
//
//	Cell [1], line 2, column 13: undefined: conter
//	    fmt.Println(conter)
//	                ^
//	    hint: did you mean counter?
func compileFailure(list cell.Errors, source string) *failure {
	f := &failure{name: "compile error"}
	lines := strings.Split(source, "\n")
	var messages []string
	for _, e := range list {
		messages = append(messages, e.Message)
		f.traceback = append(f.traceback, fmt.Sprintf("%s, line %d, column %d: %s", cell.FileName(e.Cell), e.Line, e.Column, e.Message))
		if e.Line >= 1 && e.Line <= len(lines) {
			// A tab counts as one column, so it is shown as one character above the caret.
			text := strings.ReplaceAll(lines[e.Line-1], "\t", " ")
			f.traceback = append(f.traceback, "    "+text, "    "+strings.Repeat(" ", max(e.Column-1, 0))+"^")
		}
		if e.Hint != "" {
			f.traceback = append(f.traceback, "    hint: "+e.Hint)
		}
	}
	f.value = strings.Join(messages, "\n")
	return f
}

// earlier returns the name of a redeclared type, followed by the cells that it may come from, in
// the form that errors of the checker use. It returns, for instance, "T (of cell 3 or 5)".
func (d *failures) earlier(name string) string {
	var numbers []string
	for _, number := range d.checker.Earlier(name) {
		numbers = append(numbers, strconv.Itoa(number))
	}
	if len(numbers) == 0 {
		return name
	}
	return fmt.Sprintf("%s (of cell %s)", name, strings.Join(numbers, " or "))
}

// anotherScope matches the runtime's message about a value whose type has been redeclared with the
// same name, by a later cell or inside a function.
var anotherScope = lazyregexp.New(`is \*?main\.(\w+)\S*, not .* \(types from different scopes\)$`)

// ofOutcome converts the outcome of a cell to a failure. It returns nil if the cell succeeded. For
// instance, a division by zero in cell 3 has the name "runtime error", the value "integer divide by
// zero", and a traceback that begins with
//
//	panic: runtime error: integer divide by zero
//
// The names are those that a reader of Go knows, except for the interrupt: front ends of Jupyter
// recognize KeyboardInterrupt.
func (d *failures) ofOutcome(o guard.Outcome) *failure {
	if d.values.guard.IsProgram() {
		if f := programFailure(o); f != nil {
			return f
		}
	}
	switch o.Kind {
	case guard.Interrupted:
		f := interruptFailure()
		if d.values.guard.IsProgram() { // it took longer than its time limit
			f.value, f.traceback = interruptedProgram, []string{interruptedProgram}
		}
		f.traceback = append(f.traceback, stoppedAt(o.Place)...)
		return f
	case guard.Unanswered:
		return &failure{name: "input error", value: o.Text, traceback: append([]string{"input error: " + o.Text}, stoppedAt(o.Place)...)}
	case guard.Exited:
		// A cell that calls os.Exit(0) has succeeded.
		if o.Code == 0 {
			return nil
		}
		text := fmt.Sprintf("exit status %d", o.Code)
		return &failure{name: "exit", value: text, traceback: []string{text}}
	case guard.Overflowed:
		f := &failure{name: "runtime error", value: "stack overflow", traceback: []string{"runtime error: stack overflow"}}
		f.traceback = append(f.traceback, o.Calls...)
		f.traceback = append(f.traceback, "    hint: these calls nest without end, or take more than the "+o.Text+" of stack that a cell has, which debug.SetMaxStack raises")
		return f
	case guard.MemoryExceeded:
		return &failure{name: "out of memory", value: o.Text, traceback: append([]string{"out of memory: " + o.Text}, stoppedAt(o.Place)...)}
	case guard.Panicked:
		text := o.Panic.Text
		if o.Panic.Name != "" {
			f := &failure{name: o.Panic.Name, value: text, traceback: []string{o.Panic.Name + ": " + text}}
			if o.Panic.Placed {
				f.traceback = append(f.traceback, d.withSource(o.Calls)...)
			}
			return f
		}
		f := &failure{name: "panic", value: text}
		if o.Panic.Runtime {
			f.name = "runtime error"
			f.value = strings.TrimPrefix(text, "runtime error: ")
		}
		f.traceback = append([]string{"panic: " + text}, o.Panic.Lines()...)
		f.traceback = append(f.traceback, d.withSource(o.Calls)...)
		if m := anotherScope.FindStringSubmatch(text); m != nil {
			f.traceback = append(f.traceback, fmt.Sprintf("    hint: the value is a %s, declared again since; make it again with the new type", d.earlier(m[1])))
		}
		if f.value == nilPointer {
			f.traceback = append(f.traceback, d.unreadError()...)
		}
		return f
	}
	return nil
}

// inCell matches the line of a traceback that describes a call in a cell.
var inCell = lazyregexp.New(`^Cell \[(\d+)\], line (\d+)(?:,|$)`)

// withSource adds the line of the source to each call in a cell, as compile errors have it. Cells
// that are not in the history have none.
func (d *failures) withSource(calls []string) []string {
	var list []string
	for _, call := range calls {
		list = append(list, call)
		m := inCell.FindStringSubmatch(call)
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[1])
		line, _ := strconv.Atoi(m[2])
		source, _ := d.sources.find(number)
		if lines := strings.Split(source, "\n"); line >= 1 && line <= len(lines) {
			if text := strings.TrimSpace(lines[line-1]); text != "" {
				list = append(list, "    "+text)
			}
		}
	}
	return list
}

// nilPointer is the runtime's message for a nil pointer dereference.
const nilPointer = "invalid memory address or nil pointer dereference"

// unreadError returns a hint that shows the value of the variable err if it is an error. Functions
// usually return a nil pointer together with an error, so a cell that ignores err often fails at
// the next dereference, such as resp.Body after resp, err := http.Get(url). It runs after the cell
// has ended, and reads nothing if the variable may be changing.
func (d *failures) unreadError() []string {
	symbol := d.checker.Lookup("err")
	// It must not wait: while another cell is compiled, the failure is shown without the hint.
	if symbol == nil || symbol.Object == nil || !types.Identical(symbol.Object.Type(), types.Universe.Lookup("error").Type()) || !d.values.compiling.TryLock() {
		return nil
	}
	defer d.values.compiling.Unlock()
	defer d.values.guard.Sharing.Hold()()
	if !d.values.guard.Sharing.Quiet() { // goroutines may write it concurrently
		return []string{"    hint: err may hold an error; a cell with err alone shows it"}
	}
	if text, _ := d.values.outline(symbol, true); text != "" && text != "nil" {
		return []string{unreadHint("err") + text}
	}
	return nil
}

// unreadHint returns the hint of unreadError without the value.
func unreadHint(variable string) string {
	return "    hint: " + variable + " is not nil, it holds: "
}
