package source

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/userfile"
	"gosphere/runtime/goembed"
)

// tags select files without assembly in packages that offer the choice. The last is the old name of
// the same convention, from App Engine, where neither assembly nor package unsafe was allowed. A
// function that is written in assembly cannot be run from source.
var tags = []string{"purego", "noasm", "appengine"}

// A selection determines which files of a folder belong to a package. It depends on what is loaded:
// an import of cells, a program with chosen files, or tests.
//
// The zero value selects the files of an import, without tags.
type selection struct {
	tags    []string
	only    []string // file names; nil for all
	program bool     // whether the package is main
	tests   testFiles
}

// A testFiles says which test files to include. A package with tests exists in two forms: for other
// packages without its test files, and for its tests with those of the same package. Files of
// package p_test form a package of their own.
type testFiles int

const (
	noTests  testFiles = iota
	inside             // files of the package, including test files in the same package
	external           // only test files in the package with the suffix _test
)

// platform returns the build context that selects files: without cgo, for the current operating
// system and architecture. Cgo is off because no C compiler is available; many packages have
// alternatives in Go.
//
// The release tags of build.Default are those of the Go version of this program, which its type
// checker understands.
func platform(tags []string) *build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.Compiler = runtime.GOOS, runtime.GOARCH, false, "gc"
	c.BuildTags = slices.Clone(tags)
	return &c
}

// IsCells reports whether an import path names a notebook or a file of cells. The path of such a
// package is that of the file, as in import "./other.ipynb".
func IsCells(path string) bool {
	return strings.HasSuffix(path, ".ipynb") || strings.HasSuffix(path, ".cells.go")
}

// parseAll parses the files of a folder, or the given files of a notebook. The text of a notebook's
// cells has been extracted by the caller.
func (p *Package) parseAll(path string, place Place, s selection) error {
	if place.File == "" {
		return p.parse(path, place, s)
	}
	for _, file := range place.Files {
		f, err := parser.ParseFile(p.Fset, file.Name, file.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("package %s: %w", path, err)
		}
		p.Files = append(p.Files, f)
	}
	if p.Files == nil {
		return fmt.Errorf("package %s: no cell declares a function, type, constant or variable", path)
	}
	return nil
}

// parse parses the files of a package. In messages, files have the import path of the package as
// the folder. Positions with import paths keep messages short and independent of the module cache;
// the files of a program, which its author edits, have their real path.
//
// A package without any file for this platform says why, since the usual cause is cgo.
func (p *Package) parse(path string, place Place, s selection) error {
	program, dir, tree := s.program, place.Dir, place.tree()
	// left collects the reasons for the message if no file remains.
	names, left, err := choose(tree, s)
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) && wrong.Path == "." {
		wrong.Path = dir // it says which folder is missing
	}
	if err != nil {
		return err
	}
	name := ""
	for _, file := range names {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		shown := path + "/" + file
		if s.tests == external {
			shown = strings.TrimSuffix(path, externalSuffix) + "/" + file
		}
		if program {
			shown, text = filepath.Join(dir, file), withoutMark(text)
		}
		f, err := parser.ParseFile(p.Fset, shown, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("package %s: %w", path, err)
		}
		if slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }) {
			left = append(left, file+" because it needs cgo")
			continue
		}
		// The go command ignores files of a package named documentation.
		if f.Name.Name == "documentation" || !s.tests.has(file, f.Name.Name) {
			continue
		}
		if name != "" && f.Name.Name != name {
			return fmt.Errorf("package %s: its files are of package %s and of package %s", path, name, f.Name.Name)
		}
		name = f.Name.Name
		p.Files = append(p.Files, f)
		p.pragmas = append(p.pragmas, pragmasOf(p.Fset, f, text))
	}
	switch {
	// A package need not have external tests.
	case len(p.Files) == 0 && s.tests == external:
		return errNoTests
	case len(p.Files) == 0 && len(left) > 0:
		return fmt.Errorf("package %s has no file for %s/%s without cgo: left out are %s", path, runtime.GOOS, runtime.GOARCH, strings.Join(left, ", "))
	case program && name != "main" && len(p.Files) > 0:
		return fmt.Errorf("package %s is not a main package: its clause is package %s, and a program is package main", path, name)
	case len(p.Files) == 0:
		return fmt.Errorf("package %s: no Go files in %s", path, dir)
	case name == "main" && !program && s.tests == noTests:
		return fmt.Errorf("%s is a program, not an importable package", path)
	}
	return nil
}

// choose returns the names of the files of a package, and the reasons why other files
// are omitted. MatchFile applies the constraints of the file name, such as _linux, and of
// //go:build lines. The names are sorted, because ReadDir sorts them. The order decides that of
// init functions.
func choose(tree fs.FS, s selection) (names, left []string, err error) {
	for _, file := range s.only {
		names = append(names, filepath.Base(file))
	}
	if s.only != nil {
		return names, nil, nil
	}
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, nil, err
	}
	context := platform(s.tags)
	context.OpenFile = func(name string) (io.ReadCloser, error) { return tree.Open(filepath.Base(name)) }
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || s.tests == noTests && isTest(e.Name()) || s.tests == external && !isTest(e.Name()) {
			continue
		}
		if ok, err := context.MatchFile(".", e.Name()); err != nil {
			return nil, nil, err
		} else if !ok {
			left = append(left, e.Name()+" by its build constraints")
			continue
		}
		names = append(names, e.Name())
	}
	return names, left, nil
}

// Bodiless returns the name of a function without a body in the package in a folder, or "". Such a
// function is written in assembly or linked from elsewhere.
func Bodiless(dir string) string {
	tree := userfile.DirFS(dir)
	names, _, err := choose(tree, selection{tags: tags})
	if err != nil {
		return ""
	}
	assembly, _ := fs.Glob(tree, "*.s") // the pattern is valid
	for _, file := range names {
		text, err := fs.ReadFile(tree, file)
		// The compiler permits functions without a body in packages with assembly, and where a directive
		// names another function.
		if err != nil || assembly == nil && !bytes.Contains(text, []byte("//go:linkname")) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), text, parser.SkipObjectResolution)
		if err != nil {
			continue // loading the package reports the error
		}
		for _, d := range f.Decls {
			if function, ok := d.(*ast.FuncDecl); ok && function.Body == nil {
				return function.Name.Name
			}
		}
	}
	return ""
}

// collect records the functions and the directives in the files. Functions named init are apart,
// because a package may have several.
func (p *Package) collect(tree fs.FS) error {
	for _, f := range p.Files {
		nodes := make([]ast.Node, len(f.Decls))
		for i, d := range f.Decls {
			nodes[i] = d
			switch function, ok := d.(*ast.FuncDecl); {
			case !ok:
			case function.Recv == nil && function.Name.Name == "init":
				p.inits = append(p.inits, function)
			default:
				p.functions[FunctionName(function)] = function
			}
		}
		// The files are read now, so that an edit between loading and initialization has no effect.
		embeds, err := goembed.Variables(p.Fset, f.Comments, nodes, p.Info, tree)
		if wrong := (*goembed.Error)(nil); errors.As(err, &wrong) {
			if p.program {
				return embedMistake(p.Fset, f.Comments, wrong)
			}
			return fmt.Errorf("%v: %w", p.Fset.Position(wrong.Pos), err)
		}
		p.Embeds = append(p.Embeds, slices.DeleteFunc(embeds, func(e goembed.Variable) bool { return e.Var.Name() == "_" })...)
		for _, group := range f.Comments {
			for _, c := range group.List {
				p.directive(c.Text)
			}
		}
	}
	return nil
}

// directive records a go:linkname directive that refers to another package's function or variable.
// Only the direction to another package is recorded, as in
//
//	//go:linkname nanotime runtime.nanotime
//	func nanotime() int64
//
// which asks for a function of the runtime.
func (p *Package) directive(text string) {
	rest, ok := strings.CutPrefix(text, "//go:linkname ")
	if !ok {
		return
	}
	names := strings.Fields(rest)
	if len(names) != 2 {
		return
	}
	if f := p.functions[names[0]]; f != nil && f.Body != nil {
		return // it provides the function to others
	}
	p.linked[names[0]] = names[1]
}

// olderThan reports whether a language version such as "go1.21" is older than Go 1.minor. A version
// may have a suffix, such as go1.21rc2 or go1.21.3.
func olderThan(version string, minor int) bool {
	rest, ok := strings.CutPrefix(version, "go1.")
	if !ok {
		return version == "go1"
	}
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(strings.TrimRight(digits, "abcdefghijklmnopqrstuvwxyz"))
	return err == nil && n < minor
}
