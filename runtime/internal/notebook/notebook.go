// Package notebook has what a session of a notebook needs beyond the evaluation of Go: modules,
// cells of other notebooks, display forms, warnings and tests.
package notebook

import (
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/display"
	"gosphere/runtime/internal/collect"
	"gosphere/runtime/internal/gotest"
	"gosphere/runtime/internal/gotest/suite"
	"gosphere/runtime/internal/modules"
	"gosphere/runtime/internal/modules/godebug"
	"gosphere/runtime/internal/modules/requirement"
	"gosphere/runtime/internal/source"
	"gosphere/runtime/vet"
)

// A Notebook implements session.Notebook.
type Notebook struct{}

// Modules returns a set without requirements, with the settings of the environment.
func (Notebook) Modules() requirement.Set { return set{modules.New(modules.FromEnvironment())} }

// A set is a set of modules with the function Debug as a method.
type set struct{ *modules.Set }

// Debug returns what go.mod or go.work determines about the settings of GODEBUG.
func (s set) Debug() godebug.Module { return modules.Debug(s.Set) }

// Cells reads a notebook or a file of cells as a package.
func (Notebook) Cells(file string, compiled check.Packages) (place source.Place, note string, err error) {
	return collect.Package(file, compiled)
}

// timedCode follows the result of a benchmark, which is not that of a compiled program.
const timedCode = "(cell code)"

// Bundle returns the display forms of a value.
func (Notebook) Bundle(v any) (data protocol.MimeBundle, metadata map[string]any) {
	data, metadata = display.Bundle(v)
	if result, ok := v.(testing.BenchmarkResult); ok {
		data["text/plain"] = result.String() + "\t" + timedCode
	}
	return data, metadata
}

// Warnings reports probable mistakes in a checked cell, by lines from 1.
func (Notebook) Warnings(c *check.Checked, report func(line int, message string)) {
	for _, w := range vet.Warnings(c) {
		report(w.Line, w.Message)
	}
}

// Tests returns the runner of tests.
func (Notebook) Tests() suite.Runner { return gotest.Runner{} }
