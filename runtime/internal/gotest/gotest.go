// Package gotest runs the tests, examples and benchmarks of a package inside a process that must
// survive them.
//
//	options, paths, err := gotest.Runner{}.Parse([]string{"-run", "Sum", "-v", "./helpers"})
//	result, err := gotest.Runner{}.Run(suite, options, stop, write)
//
// Package testing does the work, so that output and flags are those of go test, with one
// difference: a test that panics or calls os.Exit fails, and later tests still run.
//
// Read options.go (the flags), run.go (a run) and guarded.go (a single test).
//
// go test builds a program and runs it as a process. Here the code under test is run by the
// interpreter of cells, and package testing, which is compiled, is called within the kernel.
// Package testing was not written for that: it keeps state in the process, calls os.Exit, and lets
// a panic end the process. This package sets the state before a run and restores it afterward, and
// wraps every function that it passes to package testing.
//
// The goroutines of a run are that of Run, which waits; one that calls package testing, which
// starts a goroutine for each test; and one that reads the output. Functions under test run on
// goroutines of package testing.
package gotest

import (
	"fmt"
	"go/ast"
	"go/doc"
	"reflect"
	"strings"
	"testing"

	"gosphere/runtime/internal/gotest/suite"
)

// A Runner runs suites.
type Runner struct{}

var _ suite.Runner = Runner{}

// Run runs the tests of a suite that the options select. It returns suite.ErrStopped when stop is
// closed, and ErrBusy during another run.
func (Runner) Run(s *suite.Suite, options map[string]string, stop <-chan struct{}, write func(text string)) (suite.Result, error) {
	of := newTests(s)
	summary, err := of.run(options, stop, write)
	return suite.Result{Line: summary.line(of), Failed: summary.Failed, Code: summary.Code}, err
}

// Examples returns the examples in files.
func (Runner) Examples(files ...*ast.File) (list []suite.Example) {
	for _, e := range doc.Examples(files...) {
		list = append(list, suite.Example{Name: e.Name, Output: e.Output, EmptyOutput: e.EmptyOutput, Unordered: e.Unordered})
	}
	return list
}

// Parse parses flags of go test and the packages between them. For instance "-v ./a -run X ./b" has
// the flags v and run and the packages ./a and ./b.
func (Runner) Parse(arguments []string) (options map[string]string, packages []string, err error) {
	return parse(arguments)
}

// Exit ends the calling goroutine of a run instead of the process. It returns false if there is no
// run. It is the os.Exit of code under test, on any goroutine that the tests have started.
func (Runner) Exit(code int) bool { return exit(code) }

// Methods returns replacements for methods of package testing in code under test, by the names of
// go/types. They guard functions that run on other goroutines, and log with the positions of calls.
func (Runner) Methods(calls func() []suite.Call) map[string]reflect.Value { return methods(calls) }

// tests are the functions of a suite by their kinds.
type tests struct {
	*suite.Suite
	tests      []testing.InternalTest
	benchmarks []testing.InternalBenchmark
	fuzz       []testing.InternalFuzzTarget
	examples   []testing.InternalExample
	main       func(*testing.M) // TestMain; nil for none
}

// newTests sorts the functions of a suite. The types of package testing are compiled ones in cells
// too, so the values have these types.
func newTests(s *suite.Suite) *tests {
	t := &tests{Suite: s}
	for _, f := range s.Functions {
		switch v := f.Value.(type) {
		case func(*testing.T):
			t.tests = append(t.tests, testing.InternalTest{Name: f.Name, F: v})
		case func(*testing.B):
			t.benchmarks = append(t.benchmarks, testing.InternalBenchmark{Name: f.Name, F: v})
		case func(*testing.F):
			t.fuzz = append(t.fuzz, testing.InternalFuzzTarget{Name: f.Name, Fn: v})
		case func(*testing.M):
			t.main = v
		case func():
			t.examples = append(t.examples, testing.InternalExample{Name: f.Name, F: v, Output: f.Output, Unordered: f.Unordered})
		}
	}
	return t
}

// line returns the last line of a run in the format of go test, with the numbers of tests run. For
// instance "ok   ./helpers       0.012s  [3 tests, 1 skipped; cell code]".
func (s Summary) line(of *tests) string {
	verdict := "ok  "
	if len(s.Failed) > 0 || s.Code != 0 {
		verdict = "FAIL"
	}
	var ran []string
	for _, part := range []struct {
		n    int
		what string
	}{{s.Tests, "test"}, {s.Examples, "example"}, {s.Benchmarks, "benchmark"}} {
		switch {
		case part.n == 1:
			ran = append(ran, "1 "+part.what)
		case part.n > 1:
			ran = append(ran, fmt.Sprintf("%d %ss", part.n, part.what))
		}
	}
	if s.Skipped > 0 {
		ran = append(ran, fmt.Sprintf("%d skipped", s.Skipped))
	}
	if len(s.Failed) > 0 {
		ran = append(ran, fmt.Sprintf("%d failed", len(s.Failed)))
	}
	if len(ran) == 0 {
		ran = []string{"no tests to run"}
	}
	return fmt.Sprintf("%s\t%s\t%.3fs\t[%s; %s]\n", verdict, of.Path, s.Took.Seconds(), strings.Join(ran, ", "), of.Code)
}
