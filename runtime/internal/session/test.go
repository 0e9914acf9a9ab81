package session

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/gotest/suite"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/panics"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/source"
)

// testCalls returns the calls of cells, which determine the positions in test logs. Package testing
// would find the functions of the machine instead.
func testCalls() (list []suite.Call) {
	for _, f := range machine.Callers() {
		if f.File != "" && !f.Func.Wrapper {
			list = append(list, suite.Call{Func: f.Func.Name, File: f.File, Line: f.Line})
		}
	}
	return list
}

// testExit returns the os.Exit of cells. Inside %test it ends the test instead of the cell.
func testExit(exit reflect.Value, tests suite.Runner) reflect.Value {
	of := exit.Interface().(func(int))
	return reflect.ValueOf(func(code int) {
		if r := currentRecord(); r != nil && r.execution.testing.Load() {
			// It returns only if the goroutine does not belong to a test.
			tests.Exit(code)
		}
		of(code)
	})
}

// Test implements %test. It runs the tests declared in cells or in packages.
//
// The flags and the output are those of go test, so that tools that read the output work with it.
func (e *execution) Test(arguments []string) error {
	options, paths, err := e.session.options.Notebook.Tests().Parse(arguments)
	if err != nil {
		return err
	}
	if paths, err = e.session.library.patterns(paths); err != nil {
		return err
	}
	if len(paths) == 0 {
		return e.testCells(options)
	}
	// As in go test, a failing package does not prevent the tests of the next one.
	var failures []error
	for _, path := range paths {
		if err := e.testPackage(path, options); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// testCells runs the tests declared in cells. It takes the lock of compiling, because compiling a
// cell changes the symbols, and releases it before the tests run.
//
// A test is found by name and signature alone, as go test does.
func (e *execution) testCells(options map[string]string) error {
	s := e.session
	s.compiling.Lock()
	d := newDeclared("")
	symbols := slices.DeleteFunc(s.checker.Symbols(), func(symbol *check.Symbol) bool { return symbol.Kind != check.Function })
	// Tests run in the order of the notebook, as go test runs them in the order of the files.
	slices.SortFunc(symbols, func(a, b *check.Symbol) int {
		if a.Cell != b.Cell {
			return a.Cell - b.Cell
		}
		return int(a.Syntax.Pos() - b.Syntax.Pos())
	})
	var examples []suite.Example
	read := map[int]bool{}
	for _, symbol := range symbols {
		f, ok := symbol.Object.(*types.Func)
		if !ok {
			continue
		}
		// To omit the test would look like success.
		if symbol.Broken != nil && testKind(f.Name()) != "" {
			s.compiling.Unlock()
			return fmt.Errorf("%s does not compile any more: %w", f.Name(), symbol.Broken)
		}
		if err := d.add(f); err != nil {
			s.compiling.Unlock()
			return err
		}
		// All examples of a cell are read together.
		if testKind(f.Name()) == "Example" && !read[symbol.Cell] {
			read[symbol.Cell] = true
			examples = append(examples, s.examplesOf(symbol.Cell)...)
		}
	}
	// The functions are values from here on, so compiling can be released before they run.
	tests, err := d.suite(s, nil, examples)
	s.compiling.Unlock()
	if err != nil {
		return err
	}
	tests.Path, tests.Code = "cells", "cell code"
	if tests.Empty() {
		return errors.New("no cell declares a function such as TestX(t *testing.T), ExampleX() or BenchmarkX(b *testing.B); %test ./folder runs the tests of a package")
	}
	return e.runSuite(tests, options)
}

// examplesOf returns the examples of a cell, with the outputs that their comments specify.
func (s *Session) examplesOf(number int) []suite.Example {
	text, ok := s.calls.sources.find(number)
	if !ok {
		return nil
	}
	parsed, err := cell.Parse(number, magics.Blank(text))
	if err != nil {
		return nil
	}
	defer parsed.Forget()
	return s.options.Notebook.Tests().Examples(parsed.Declarations)
}

// testPackage runs the tests of a package from source.
func (e *execution) testPackage(path string, options map[string]string) error {
	s, c := e.session, guard.Current()
	ctx, cancel := whileRunning(c)
	defer cancel()
	s.compiling.Lock()
	tests, err := s.packageSuite(ctx, path)
	s.compiling.Unlock()
	if err != nil {
		// The context was canceled by an interrupt of the cell. Ending the goroutine makes that the
		// outcome of the cell, in place of the error of a download.
		if guard.Stopped() {
			runtime.Goexit()
		}
		return err
	}
	if tests.Empty() {
		c.Write("stdout", fmt.Sprintf("?   \t%s\t[no test files]\n", path))
		return nil
	}
	return e.runSuite(tests, options)
}

// whileRunning returns a context that is canceled when the cell has to stop, because loading the
// packages of a test may download modules. The goroutine ends when the context is canceled, so the
// caller must do so.
func whileRunning(c *guard.Cell) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-c.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// packageSuite loads and compiles the tests of a package.
//
// The package is loaded in a form of its own with its test files. Cells that import it use the form
// without them, as in a program.
func (s *Session) packageSuite(ctx context.Context, path string) (*suite.Suite, error) {
	if err := s.library.open(); err != nil {
		return nil, err
	}
	loaded, err := s.library.loader.LoadTest(ctx, path)
	if err != nil {
		return nil, err
	}
	d := newDeclared(path)
	// The external test package, such as p_test, imports the package and is initialized after it.
	packages := []*source.Package{loaded.Package}
	if loaded.External != nil {
		packages = append(packages, loaded.External)
	}
	var examples []suite.Example
	for _, p := range packages {
		// Only these files have tests, whatever the names of functions in others.
		files := p.TestFiles()
		for _, file := range files {
			for _, declaration := range file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name != "_" && f.Name.Name != "init" {
					if err := d.add(p.Info.Defs[f.Name].(*types.Func)); err != nil {
						return nil, err
					}
				}
			}
		}
		examples = append(examples, s.options.Notebook.Tests().Examples(files...)...)
	}
	tests, err := d.suite(s, packages, examples)
	if err != nil {
		return nil, err
	}
	tests.Path, tests.Dir, tests.Code = path, loaded.Package.Dir, "run from source"
	return tests, nil
}

// runSuite runs a suite and reports the results in the format of go test. A failure is an error, so
// that the cell fails. The last line is, for instance,
//
//	ok  	cells	0.003s	[2 tests, 1 example; cell code]
//
// Goexit ends the goroutine of the magic without an error message; the outcome of the cell is then
// the interrupt itself.
func (e *execution) runSuite(tests *suite.Suite, options map[string]string) error {
	c := guard.Current()
	tests.Within, tests.Describe = e.session.guard.Within, describePanic
	// testExit reads it.
	e.testing.Store(true)
	defer e.testing.Store(false)
	// The text of a stream must be valid UTF-8, but tests may print any bytes.
	result, err := e.session.options.Notebook.Tests().Run(tests, options, c.Done(), func(text string) { c.Write("stdout", strings.ToValidUTF8(text, "\uFFFD")) })
	if errors.Is(err, suite.ErrStopped) { // by an interrupt of the cell
		runtime.Goexit()
	}
	if options["list"] != "" && err == nil {
		return nil
	}
	c.Write("stdout", result.Line)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", tests.Path, err)
	case len(result.Failed) > 0:
		return fmt.Errorf("%s: %s failed", tests.Path, strings.Join(result.Failed, ", "))
	case result.Code != 0:
		return fmt.Errorf("%s: exit status %d", tests.Path, result.Code)
	}
	return nil
}

// describePanic describes a panic in a test and the calls that it unwound.
//
// The text has the form of a compiled test's output. Go's own trace would show the machine in place
// of the cells.
func describePanic(value any) string {
	value = tracedPanic(value, false)
	var calls []string
	if traced, ok := value.(*panics.Traced); ok {
		value, calls = traced.Value, traced.Calls
	}
	report := panics.Describe(value)
	var b strings.Builder
	fmt.Fprintf(&b, "panic: %s\n", report.Text)
	for _, line := range report.Lines() {
		fmt.Fprintln(&b, line)
	}
	for _, call := range calls {
		fmt.Fprintf(&b, "    %s\n", call)
	}
	return b.String()
}

// A declared collects test functions.
type declared struct {
	where string
	list  []*types.Func
}

func newDeclared(where string) *declared { return &declared{where: where} }

// testParameters maps the prefix of a test function's name to the type of its parameter.
var testParameters = map[string]string{"Test": "*testing.T", "Benchmark": "*testing.B", "Fuzz": "*testing.F", "Example": ""}

// testKind returns the prefix that makes a function a test, or "" for other functions. The rule is
// that of package testing: TestSum and Test_sum are tests, and Testing is not, because a lower-case
// letter follows the prefix.
func testKind(name string) string {
	for kind := range testParameters {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLower(r) {
				return kind
			}
		}
	}
	return ""
}

// add adds a function if it is a test function. It returns an error if the signature is wrong, as
// go vet does, because a test that is silently left out looks like one that passes.
func (d *declared) add(f *types.Func) error {
	kind := testKind(f.Name())
	if kind == "" {
		return nil
	}
	want := testParameters[kind]
	if f.Name() == "TestMain" && parameterOf(f) == "*testing.M" {
		want = "*testing.M"
	}
	// An Example with parameters and a function Test without any are ordinary functions to go vet.
	if parameterOf(f) != want || f.Signature().Results().Len() > 0 || f.Signature().TypeParams().Len() > 0 {
		if kind == "Example" || kind == "Test" && f.Signature().Params().Len() == 0 && f.Name() == "Test" {
			return nil
		}
		return fmt.Errorf("wrong signature for %s, must be: func %s(%s %s)", f.Name(), f.Name(), strings.ToLower(want[len("*testing."):]), want)
	}
	d.list = append(d.list, f)
	return nil
}

// parameterOf returns the text of a function's parameter types.
func parameterOf(f *types.Func) string {
	var list []string
	for p := range f.Signature().Params().Variables() {
		list = append(list, types.TypeString(p.Type(), nil))
	}
	return strings.Join(list, ", ")
}

// suite compiles the functions. The caller holds s.compiling. Examples without an output comment
// are omitted: go test compiles them as well but does not run them.
//
// Package gotest runs the functions, whose signatures have been verified by add.
func (d *declared) suite(s *Session, packages []*source.Package, examples []suite.Example) (*suite.Suite, error) {
	outputs := map[string]*suite.Example{}
	for i, e := range examples {
		outputs["Example"+e.Name] = &examples[i]
	}
	list := slices.DeleteFunc(slices.Clone(d.list), func(f *types.Func) bool {
		e := outputs[f.Name()]
		return testKind(f.Name()) == "Example" && (e == nil || e.Output == "" && !e.EmptyOutput)
	})
	tests := &suite.Suite{}
	// Without tests there is no reason to initialize the packages.
	if len(list) == 0 {
		return tests, nil
	}
	first, values, err := s.link.Functions(s.checker.Empty(), packages, list)
	if err != nil {
		return nil, err
	}
	tests.Start = func() {
		for _, start := range first {
			start()
		}
	}
	for i, v := range values {
		f := suite.Function{Name: list[i].Name(), Value: v.Interface()}
		if e := outputs[f.Name]; e != nil {
			f.Output, f.Unordered = e.Output, e.Unordered
		}
		tests.Functions = append(tests.Functions, f)
	}
	return tests, nil
}
