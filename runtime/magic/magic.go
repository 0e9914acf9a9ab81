// Package magic gives cells the few commands that are not Go: %time, %vars, %cd,
// %%writefile, !command and their like.
//
// A line that begins with % can never be Go, since no operand can stand before the
// operator; a line that begins with ! is a command where a statement can begin. Expand
// makes calls of such lines before the cell is parsed, so that everything else, order,
// checking, errors and state, is that of an ordinary cell. Blank takes them away for
// those who only look at the Go of a cell.
//
// Read line.go (which lines are magics), expand.go (what becomes of them), table.go (the
// commands) and the files of the commands.
package magic

import (
	"fmt"
	"strings"

	"gosphere/internal/runtime/guard"
)

// A Host is what the commands need of the session whose cell runs.
type Host interface {
	// Variables lists the variables of the session, and tells why some of their values are not read, "" where all are.
	Variables() (list []Variable, unread string)
	// Version describes the program, its packages and its devices, a line each.
	Version() string
	// Source returns the text of the cell with an execution count.
	Source(number int) (text string, ok bool)
	// SetNextInput asks the front end to put text into the cell itself or into a new one.
	SetNextInput(text string, replace bool)
	// Modules lists the modules that cells can import, in columns under a header.
	Modules() ([][]string, error)
	// Test runs the tests of cells or packages, with arguments as go test has them.
	Test(arguments []string) error
	// Ran says what statements of a cell run, such as cell code that calls a compiled package.
	Ran(text string) string
	// MemoryLimit and LimitMemory tell and set how much memory cells may use, in bytes.
	MemoryLimit() int64
	LimitMemory(bytes int64)
}

// A Variable is a variable of the session.
type Variable struct {
	Name, Type string
	Size       string // such as "length 3" or "2×5"; empty for a single value
	Value      string // its beginning; empty if it cannot be read now
	Unread     bool   // others may write it meanwhile
}

// An Error is why a command failed. It ends the cell.
type Error struct {
	Command string // with its sign, as in %cd
	Reason  string
}

// Error returns the command and the reason.
func (e *Error) Error() string { return e.Command + ": " + e.Reason }

// FailureName is what the cell's error is called.
func (e *Error) FailureName() string { return "magic error" }

// Run carries out a line magic or a shell line, such as "%cd data" or "!ls", on behalf of
// the cell whose goroutine calls it. If it fails, Run panics with an *Error.
func Run(line string) {
	if command, found := strings.CutPrefix(line, "!"); found {
		if err := shell("!", command); err != nil {
			panic(err)
		}
		return
	}
	name, arguments := split(strings.TrimPrefix(line, "%"))
	c, err := find("%", name)
	if err == nil {
		err = c.run(invocation{name: "%" + name, arguments: arguments})
	}
	raise("%"+name, err)
}

// RunCell carries out a cell magic: the first line, such as "%%writefile a.txt", and the
// text below it.
func RunCell(line, body string) {
	name, arguments := split(strings.TrimPrefix(line, "%%"))
	c, err := find("%%", name)
	if err == nil {
		err = c.run(invocation{name: "%%" + name, arguments: arguments, body: body})
	}
	raise("%%"+name, err)
}

// raise panics with an error as an *Error.
func raise(command string, err error) {
	if err == nil {
		return
	}
	if known, ok := err.(*Error); ok {
		panic(known)
	}
	panic(&Error{Command: command, Reason: err.Error()})
}

// An invocation is one use of a command.
type invocation struct {
	name      string // with its sign
	arguments string // the rest of the line without blanks around it
	body      string // of a cell magic
}

// split cuts a line into the name of the command and its arguments.
func split(line string) (name, arguments string) {
	line = strings.TrimSpace(line)
	if cut := strings.IndexAny(line, " \t"); cut >= 0 {
		return line[:cut], strings.TrimSpace(line[cut:])
	}
	return line, ""
}

// host returns the session of the calling goroutine's cell.
func host() (Host, error) {
	if c := guard.Current(); c != nil {
		if h, ok := c.Attached.(Host); ok {
			return h, nil
		}
	}
	return nil, fmt.Errorf("works in cells only")
}

// say writes a line to the cell.
func say(text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = guard.Stdout.WriteString(text)
}
