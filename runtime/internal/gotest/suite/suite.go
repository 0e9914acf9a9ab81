// Package suite describes tests of cells and packages from source, so that a session without %test
// needs no package testing. Package gotest runs them.
package suite

import (
	"errors"
	"go/ast"
	"reflect"
)

// A Suite is the set of tests of a package.
type Suite struct {
	Path string // path printed in the last line
	Dir  string // working directory of the run; "" for the current one
	Code string // kind of code, such as "cell code", for the last line and benchmarks
	// Functions are tests, benchmarks, fuzz tests, examples and TestMain, which differ in the types
	// of their values.
	Functions []Function
	// Start initializes the package. It is nil if the package is initialized.
	Start func()
	// Within calls a function of the tests on a goroutine of package testing. It lets the session
	// treat f as code of a cell, which an interrupt can end.
	Within func(f func())
	// Describe returns the text of a panic, in lines that end in a newline.
	Describe func(value any) string
}

// A Function is a function of cells or of packages from source, made callable by the session.
type Function struct {
	Name      string
	Value     any    // such as a func(*testing.T)
	Output    string // that an example expects
	Unordered bool   // the lines of the output
}

// Empty reports whether there is nothing to run.
func (s *Suite) Empty() bool {
	for _, f := range s.Functions {
		if f.Name != "TestMain" {
			return false
		}
	}
	return true
}

// An Example is what the comments of an example say about its output.
type Example struct {
	Name        string // of the function, without Example
	Output      string
	EmptyOutput bool // the comment expects no output
	Unordered   bool
}

// A Call is one call in progress.
type Call struct {
	Func, File string
	Line       int
}

// A Result is what has come of a run.
type Result struct {
	Line   string   // the last line, in the format of go test
	Failed []string // top-level tests, examples and benchmarks that failed
	Code   int      // exit status of the equivalent test program of go test
}

// ErrStopped is returned by a run that was stopped.
var ErrStopped = errors.New("the run was stopped")

// A Runner runs suites. gotest.Runner has the descriptions of the methods.
type Runner interface {
	// Examples returns the examples in files.
	Examples(files ...*ast.File) []Example
	// Parse parses flags of go test and the packages between them.
	Parse(arguments []string) (options map[string]string, packages []string, err error)
	// Run runs the tests that the options select.
	Run(s *Suite, options map[string]string, stop <-chan struct{}, write func(text string)) (Result, error)
	// Exit ends the calling goroutine of a run instead of the process, or returns false.
	Exit(code int) bool
	// Methods returns replacements for methods of package testing, by the names of go/types. calls
	// lists the calls in progress of the code under test on the calling goroutine, innermost first.
	Methods(calls func() []Call) map[string]reflect.Value
}
