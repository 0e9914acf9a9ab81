package session

import (
	"errors"
	"fmt"
	"go/ast"
	"reflect"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/gotest/suite"
	"gosphere/runtime/internal/modules/requirement"
	"gosphere/runtime/internal/source"
	"gosphere/runtime/internal/sqltext"
)

// A Notebook has what cells of notebooks need beyond the evaluation of Go. Package notebook
// implements it. Its methods may be called from any goroutine.
type Notebook interface {
	// Modules returns a set of modules without requirements.
	Modules() requirement.Set
	// Cells reads a notebook or a file of cells as a package. The note says how many cells have
	// statements, which are not run. It is "" if there are none.
	Cells(file string, compiled check.Packages) (place source.Place, note string, err error)
	// Bundle returns the display forms of a value. A value with an error has only a text.
	Bundle(v any) (data protocol.MimeBundle, metadata map[string]any, err error)
	// Warnings reports probable mistakes in a checked cell, by lines from 1.
	Warnings(c *check.Checked, report func(line int, message string))
	// CheckSQL returns the first mistake in the statements of a cell of %%sql, or nil. It gets the
	// variables that these name.
	CheckSQL(c magics.SQLCell, variables map[string]any) *sqltext.Problem
	// CompleteSQL returns what can be written at an offset of the statements, and the offset of what
	// it replaces. Names has all variables of the session, whose kind is "table" or "variable".
	CompleteSQL(c magics.SQLCell, at int, names map[string]string, variables map[string]any) (matches []protocol.TypedMatch, start int)
	// Tests returns the runner of tests.
	Tests() suite.Runner
}

// plain is the Notebook of sessions without one.
type plain struct{}

var errPlain = errors.New("the program gives its sources no notebooks and no tests")

// Modules returns the empty set.
func (plain) Modules() requirement.Set { return requirement.None{} }

// Cells fails.
func (plain) Cells(string, check.Packages) (place source.Place, note string, err error) {
	return place, "", errPlain
}

// Bundle returns the text of a value.
func (plain) Bundle(v any) (data protocol.MimeBundle, metadata map[string]any, err error) {
	return protocol.MimeBundle{"text/plain": fmt.Sprint(v)}, map[string]any{}, nil
}

// Warnings reports none.
func (plain) Warnings(*check.Checked, func(line int, message string)) {}

// CheckSQL finds nothing.
func (plain) CheckSQL(magics.SQLCell, map[string]any) *sqltext.Problem { return nil }

// CompleteSQL finds nothing.
func (plain) CompleteSQL(_ magics.SQLCell, at int, _ map[string]string, _ map[string]any) ([]protocol.TypedMatch, int) {
	return nil, at
}

// Tests returns a runner that runs none.
func (plain) Tests() suite.Runner { return noTests{} }

type noTests struct{}

// Examples finds none.
func (noTests) Examples(...*ast.File) []suite.Example { return nil }

// Parse fails.
func (noTests) Parse([]string) (options map[string]string, packages []string, err error) {
	return nil, nil, errPlain
}

// Run fails.
func (noTests) Run(*suite.Suite, map[string]string, <-chan struct{}, func(text string)) (suite.Result, error) {
	return suite.Result{}, errPlain
}

// Exit returns false.
func (noTests) Exit(int) bool { return false }

// Methods returns none.
func (noTests) Methods(func() []suite.Call) map[string]reflect.Value { return nil }
