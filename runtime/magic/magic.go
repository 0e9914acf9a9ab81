// Package magic provides the commands that are not Go: %time, %vars, %cd, %%writefile, !command and
// others.
//
// A line that begins with % is never valid Go, because the operator lacks its left operand. A line
// that begins with ! is a command if a statement can begin there. Package magics replaces such
// lines by calls of this package before the cell is parsed, so that order, checking, errors and
// state are those of an ordinary cell.
package magic

import (
	"fmt"
	"strings"

	"gosphere/runtime/cell/magics"
	"gosphere/runtime/display"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/streams"
)

// A Host provides the parts of a session that the commands need.
type Host interface {
	// Variables lists the variables of the session. Unread is the reason why some of their values
	// are not read, or "" if all are.
	Variables() (list []magics.Variable, unread string)
	// Version describes the program, its packages and its devices, one per line.
	Version() string
	// Source returns the text of the cell with an execution count.
	Source(number int) (text string, ok bool)
	// SetNextInput asks the front end to put text into the cell, if replace is set, or into a new
	// one.
	SetNextInput(text string, replace bool)
	// Modules lists the modules that cells can import, in columns with a header.
	Modules() ([][]string, error)
	// Test runs the tests of cells or packages, with the arguments of go test.
	Test(arguments []string) error
	// Ran describes how the statements of a cell run, such as cell code that calls a compiled
	// package.
	Ran(text string) string
	// MemoryLimit and LimitMemory return and set the maximum memory of cells, in bytes.
	MemoryLimit() int64
	LimitMemory(bytes int64)
}

// An Error is the reason why a command failed. It ends the cell.
type Error struct {
	Command string // with its sign, as in %cd
	Reason  string
}

// Error returns the command and the reason.
func (e *Error) Error() string { return e.Command + ": " + e.Reason }

// FailureName returns the name of the cell's error.
func (e *Error) FailureName() string { return "magic error" }

// Run executes a line magic or a shell line, such as "%cd data" or "!ls", on behalf of the cell
// whose goroutine calls it. If it fails, Run panics with an *Error.
func Run(line string) {
	if command, found := strings.CutPrefix(line, "!"); found {
		if err := shell("!", command); err != nil {
			panic(err)
		}
		return
	}
	name, arguments := magics.Split(strings.TrimPrefix(line, "%"))
	err := magics.Check("%", name)
	if err == nil {
		err = commands[name](invocation{name: "%" + name, arguments: arguments})
	}
	raise("%"+name, err)
}

// RunCell executes a cell magic: the first line, such as "%%writefile a.txt", and the text below
// it.
func RunCell(line, body string) {
	name, arguments := magics.Split(strings.TrimPrefix(line, "%%"))
	err := magics.Check("%%", name)
	if err == nil {
		err = commands[name](invocation{name: "%%" + name, arguments: arguments, body: body})
	}
	raise("%%"+name, err)
}

// raise panics with an *Error for an error.
func raise(command string, err error) {
	if err == nil {
		return
	}
	if known, ok := err.(*Error); ok {
		panic(known)
	}
	panic(&Error{Command: command, Reason: err.Error()})
}

// commands has the functions of the commands that are not converted to Go, by name.
var commands = map[string]func(invocation) error{
	"vars": listVariables, "reset": nothing, "cd": changeDirectory, "env": environment, "require": nothing, "reload": nothing,
	"modules": listModules, "test": runTests, "limit": limitMemory, "stale": listStale, "rerun": rerunStale, "flow": drawFlow, "load": load, "save": save, "writefile": writeFile, "bash": bash,
	"html": showBody(display.HTML), "markdown": showBody(display.Markdown), "latex": showBody(display.LaTeX), "svg": showBody(display.SVG),
	"version": version, "help": help,
}

// nothing is the function of commands that a session runs between cells.
func nothing(invocation) error { return nil }

// help implements %help.
func help(invocation) error {
	say(magics.List())
	return nil
}

// An invocation is one use of a command.
type invocation struct {
	name      string // with its sign
	arguments string // rest of the line, without surrounding blanks
	body      string // text below a cell magic
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

// say prints a line in the cell.
func say(text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = streams.Stdout.WriteString(text)
}
