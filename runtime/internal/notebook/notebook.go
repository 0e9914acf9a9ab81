// Package notebook has what a session of a notebook needs beyond the evaluation of Go: modules,
// cells of other notebooks, display forms, warnings and tests.
package notebook

import (
	"errors"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/display"
	"gosphere/runtime/internal/collect"
	"gosphere/runtime/internal/gotest"
	"gosphere/runtime/internal/gotest/suite"
	"gosphere/runtime/internal/modules"
	"gosphere/runtime/internal/modules/godebug"
	"gosphere/runtime/internal/modules/requirement"
	"gosphere/runtime/internal/source"
	"gosphere/runtime/internal/sqltext"
	"gosphere/runtime/magic"
	"gosphere/runtime/table"
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

// Bundle returns the display forms of a value, or the reason why it has none.
func (Notebook) Bundle(v any) (data protocol.MimeBundle, metadata map[string]any, err error) {
	data, metadata, err = display.Forms(v)
	if result, ok := v.(testing.BenchmarkResult); ok {
		data["text/plain"] = result.String() + "\t" + timedCode
	}
	return data, metadata, err
}

// Warnings reports probable mistakes in a checked cell, by lines from 1.
func (Notebook) Warnings(c *check.Checked, report func(line int, message string)) {
	for _, w := range vet.Warnings(c) {
		report(w.Line, w.Message)
	}
}

// CheckSQL returns the first mistake in the statements of a cell of %%sql, or nil.
func (Notebook) CheckSQL(c magics.SQLCell, variables map[string]any) *sqltext.Problem {
	var problem *table.SQLError
	if err := magic.CheckSQL(c, variables); !errors.As(err, &problem) {
		return nil
	}
	return &sqltext.Problem{At: problem.At, Message: problem.Message, Hint: problem.Hint}
}

// CompleteSQL returns what can be written at an offset of the statements of a cell of %%sql.
func (Notebook) CompleteSQL(c magics.SQLCell, at int, names map[string]string, variables map[string]any) ([]protocol.TypedMatch, int) {
	return magic.CompleteSQL(c, at, names, variables)
}

// Tests returns the runner of tests.
func (Notebook) Tests() suite.Runner { return gotest.Runner{} }
