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
package gotest

import (
	"fmt"
	"strings"
	"testing"
)

// A Suite is the set of tests of a package.
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
	// Within calls a function of the tests on a goroutine of package testing.
	Within func(f func())
	// Describe returns the text of a panic, in lines that end in a newline.
	Describe func(value any) string
}

// Empty reports whether there is nothing to run.
func (s *Suite) Empty() bool {
	return len(s.Tests)+len(s.Benchmarks)+len(s.Fuzz)+len(s.Examples) == 0
}

// Line returns the last line of a run in the format of go test, with the numbers of tests run.
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
