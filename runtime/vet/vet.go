// Package vet reports code that compiles but is most likely a mistake: printf verbs that do not
// match, copied locks, unreachable code, unused results. It only warns and never rejects a cell.
//
// The analyses are those of go vet that apply to a single cell, and a few of our own (notebook.go).
// They analyze the cell as the user wrote it, with the types found by package check, before
// anything is compiled.
//
//	for _, w := range vet.Warnings(checked) { fmt.Println(w.Line, w.Message) }
//
// The analyses come from golang.org/x/tools/go/analysis. Its drivers load packages with the go
// command, which a user's machine may not have, so this package has a driver of its own.
//
// Read vet.go, then notebook.go.
package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/waitgroup"

	"gosphere/runtime/check"
)

// analyzers are the analyses of go vet that examine one file and are cheap. Analyses of packages,
// assembly, build tags and tests are omitted. Those that check how Go programs are organized, such
// as tests or unused parameters, would only distract in a notebook.
var analyzers = []*analysis.Analyzer{
	appends.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, copylock.Analyzer, defers.Analyzer,
	httpresponse.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, stringintconv.Analyzer,
	structtag.Analyzer, timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer, waitgroup.Analyzer,
	notebook,
}

// A Warning is a finding at a position of a cell. The text does not name the package main, which
// the author of a cell has not written.
type Warning struct {
	Line, Column int // from 1; the column counts bytes
	Message      string
}

// Warnings returns the findings in a cell that has passed the type checker, in the order of their
// positions. It returns none for a whole program, which runs as go run would run it. The caller
// must prevent other checks meanwhile (check.Session.Undisturbed), because analyses look names up
// in the package that all cells share. The analyses share the inspector, so the syntax is traversed
// once for most of them.
func Warnings(c *check.Checked) []Warning {
	if c.Cell.Program {
		return nil
	}
	d := &driver{checked: c, results: map[*analysis.Analyzer]any{}, facts: map[types.Object][]analysis.Fact{}}
	d.files = []*ast.File{withoutImports(c.Cell.Declarations), withoutImports(c.Cell.Statements)}
	d.info = withFileScopes(c.Info, d.files)
	for _, a := range analyzers {
		d.run(a)
	}
	slices.SortStableFunc(d.warnings, func(a, b Warning) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return slices.Compact(d.warnings)
}

// withoutImports returns the file as the checker has seen it. The checker has built import
// declarations of its own, so those of the cell have no type information, which some analyses
// expect.
func withoutImports(f *ast.File) *ast.File {
	kept := *f
	kept.Decls = slices.DeleteFunc(slices.Clone(f.Decls), func(d ast.Decl) bool {
		group, ok := d.(*ast.GenDecl)
		return ok && group.Tok == token.IMPORT
	})
	return &kept
}

// withFileScopes returns the information with the scopes of the files, in which analyses search for
// imports. The checker's scopes belong to the files that it has made. The scope of a file is the
// parent of the scope of any function in it.
func withFileScopes(info *types.Info, files []*ast.File) *types.Info {
	with := *info
	with.Scopes = maps.Clone(info.Scopes)
	for _, file := range files {
		with.Scopes[file] = types.NewScope(types.Universe, file.FileStart, file.FileEnd, "file")
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && info.Scopes[f.Type] != nil {
				with.Scopes[file] = info.Scopes[f.Type].Parent()
				break
			}
		}
	}
	return &with
}

// A driver runs analyses over one cell, each after the analyses that it requires. One driver serves
// one cell on one goroutine, and an analysis that several others require runs once.
type driver struct {
	checked  *check.Checked
	files    []*ast.File
	info     *types.Info
	results  map[*analysis.Analyzer]any
	facts    map[types.Object][]analysis.Fact
	warnings []Warning
}

// run runs an analysis once and returns its result. An analysis that fails is ignored, because it
// must not prevent the cell from running. A panic counts as a failure: cells contain things that
// never occur in files, such as objects of the session without syntax in this package.
//
// Facts are what an analysis has learned about an object, for instance that a function of the cell
// wraps fmt.Printf. They are kept for this cell only, so wrappers in earlier cells or in packages
// are not recognized.
func (d *driver) run(a *analysis.Analyzer) (result any) {
	if result, ok := d.results[a]; ok {
		return result
	}
	defer func() {
		if recover() != nil {
			result = nil
		}
		d.results[a] = result
	}()
	pass := &analysis.Pass{
		Analyzer: a, Fset: d.checked.Fset, Files: d.files, Pkg: d.checked.Package, TypesInfo: d.info,
		TypesSizes: types.SizesFor("gc", runtime.GOARCH),
		ResultOf:   map[*analysis.Analyzer]any{},
		Report:     d.report,
		ReadFile:   func(string) ([]byte, error) { return []byte(d.checked.Cell.Source), nil },
		ImportObjectFact: func(o types.Object, fact analysis.Fact) bool {
			for _, known := range d.facts[o] {
				if reflect.TypeOf(known) == reflect.TypeOf(fact) {
					reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
					return true
				}
			}
			return false
		},
		ExportObjectFact:  func(o types.Object, fact analysis.Fact) { d.facts[o] = append(d.facts[o], fact) },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	for _, needed := range a.Requires {
		pass.ResultOf[needed] = d.run(needed)
	}
	result, err := a.Run(pass)
	if err != nil {
		return nil
	}
	return result
}

// report records a finding whose position is in the text of the cell. A position outside the text
// is that of code which was added to the cell.
func (d *driver) report(found analysis.Diagnostic) {
	position := d.checked.Fset.Position(found.Pos)
	if lines := strings.Count(d.checked.Cell.Source, "\n") + 1; position.Line < 1 || position.Line > lines {
		return
	}
	d.warnings = append(d.warnings, Warning{position.Line, position.Column, strings.ReplaceAll(found.Message, "main.", "")})
}
