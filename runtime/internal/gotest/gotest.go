// Package gotest runs the tests, examples and benchmarks of a package inside a process that must
// survive them.
//
//	options, paths, err := gotest.Parse([]string{"-run", "Sum", "-v", "./helpers"})
//	summary, err := suite.Run(options, write)
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
	"strings"
	"testing"
)

// A Suite is the set of tests of a package. The functions in the lists are functions of cells or of
// packages from source, made callable by the session.
type Suite struct {
	Path       string // path printed in the last line
	Dir        string // working directory of the run; "" for the current one
	Code       string // kind of code, such as "cell code", for the last line and benchmarks
	Tests      []testing.InternalTest
	Benchmarks []testing.InternalBenchmark
	Fuzz       []testing.InternalFuzzTarget
	Examples   []testing.InternalExample
	Main       func(*testing.M) // TestMain; nil for none
	// Start initializes the package. It is nil if the package is initialized.
	Start func()
	// Within calls a function of the tests on a goroutine of package testing. It lets the session
	// treat f as code of a cell, which an interrupt can end.
	Within func(f func())
	// Describe returns the text of a panic, in lines that end in a newline.
	Describe func(value any) string
}

// Empty reports whether there is nothing to run.
func (s *Suite) Empty() bool {
	return len(s.Tests)+len(s.Benchmarks)+len(s.Fuzz)+len(s.Examples) == 0
}

// Line returns the last line of a run in the format of go test, with the numbers of tests run. For
// instance "ok   ./helpers       0.012s  [3 tests, 1 skipped; cell code]".
func (s Summary) Line(of *Suite) string {
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
