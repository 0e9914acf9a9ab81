package examples

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An Example is one example function of a test file.
type Example struct {
	Name      string
	Declared  string // source of the declaration
	Body      string // source between its braces
	Want      string // expected output, from its comment
	Silent    bool   // has no expected output and is only declared
	Unordered bool   // the lines may be in any order
}

// A File holds examples in the form in which a user would type them.
type File struct {
	Package  string // import path of the package that the examples are for
	Dir      string // working directory
	Name     string
	Imports  string // a cell with imports
	Declared string // a cell with the declarations that the examples need; it may be empty
	Examples []Example

	source  *source
	tests   testPackage
	inside  bool            // the file belongs to the package itself
	hidden  map[string]bool // names visible only inside the package
	missing []string        // those of them that the examples use
}

// Files reads the test files of a package that contain examples. Some belong to the package itself.
func (p Package) Files() ([]*File, error) {
	inside, err := readTests(p.Dir, p.TestGoFiles)
	if err != nil {
		return nil, err
	}
	outside, err := readTests(p.Dir, p.XTestGoFiles)
	if err != nil {
		return nil, err
	}
	list := append(inside.files(p), outside.files(p)...)
	if !slices.ContainsFunc(list, func(f *File) bool { return f.inside }) {
		return list, nil
	}
	hidden, err := p.hidden()
	for _, f := range list {
		if f.inside {
			f.hidden = hidden
			f.findNeeds()
		}
	}
	return list, err
}

// hidden returns the package-level names that a package does not export.
func (p Package) hidden() (map[string]bool, error) {
	sources, err := readTests(p.Dir, p.GoFiles)
	names := map[string]bool{}
	for _, s := range sources {
		for name := range s.Scope.Objects {
			names[name] = names[name] || !ast.IsExported(name)
		}
	}
	return names, err
}

// files returns the files with examples.
func (t testPackage) files(p Package) []*File {
	var list []*File
	for _, source := range t {
		f := &File{Package: p.ImportPath, Dir: p.Dir, Name: filepath.Base(source.path), source: source, tests: t}
		f.inside = !strings.HasSuffix(source.File.Name.Name, "_test")
		if f.Examples = source.examples(); len(f.Examples) > 0 {
			f.findNeeds()
			list = append(list, f)
		}
	}
	return list
}

// Alone returns the file with one of its examples and the declarations that it needs.
func (f *File) Alone(e Example) *File {
	only := *f
	only.Examples = []Example{e}
	only.findNeeds()
	return &only
}

// A testPackage is the test files with one package clause.
type testPackage []*source

// A source is one parsed file.
type source struct {
	*ast.File
	path string
	text string
	fset *token.FileSet
}

// readTests parses files. The parser's objects suffice to find package-level names; types are not
// needed.
func readTests(dir string, names []string) (testPackage, error) {
	var t testPackage
	for _, name := range names {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		t = append(t, &source{File: syntax, path: path, text: string(text), fset: fset})
	}
	return t, nil
}

// between returns the source between two positions.
func (s *source) between(from, to token.Pos) string {
	return s.text[s.fset.Position(from).Offset:s.fset.Position(to).Offset]
}

// examples returns the examples of the file.
func (s *source) examples() []Example {
	functions := map[string]*ast.FuncDecl{}
	for _, d := range s.Decls {
		if function := exampleIn(d); function != nil {
			functions[function.Name.Name] = function
		}
	}
	var list []Example
	for _, e := range doc.Examples(s.File) {
		if function := functions["Example"+e.Name]; function != nil {
			list = append(list, Example{
				Name: function.Name.Name, Declared: s.between(function.Pos(), function.End()),
				Body: s.between(function.Body.Lbrace+1, function.Body.Rbrace),
				Want: e.Output, Silent: e.Output == "" && !e.EmptyOutput, Unordered: e.Unordered,
			})
		}
	}
	return list
}

// exampleIn returns a declaration as an example, or nil if it is none.
func exampleIn(d ast.Decl) *ast.FuncDecl {
	function, ok := d.(*ast.FuncDecl)
	if !ok || function.Recv != nil || !strings.HasPrefix(function.Name.Name, "Example") || function.Type.Params.NumFields() > 0 {
		return nil
	}
	return function
}

// Shows reports whether an output is the expected one, by the rules of go test. Cells are in
// package main.
func (f *File) Shows(e Example, got string) bool {
	own := filepath.Base(f.Package) + "_test."
	got = strings.TrimSpace(strings.ReplaceAll(got, "\r\n", "\n"))
	// Package go-cmp writes non-breaking spaces for some of its spaces in every second process, so
	// that nothing depends on its format, but not in its own tests.
	if strings.HasPrefix(f.Package, "github.com/google/go-cmp/") {
		got = strings.ReplaceAll(got, "\u00a0", " ")
	}
	want := strings.ReplaceAll(strings.TrimSpace(e.Want), own, "main.")
	if e.Unordered {
		got, want = sorted(got), sorted(want)
	}
	return got == want
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Beyond returns the reason why an example can run only in its own package: it uses names that the
// package does not export, or imports packages that cells are not offered. It returns "" if no
// reason is known. The failure is that of playing the example alone.
func (f *File) Beyond(e Example, failure string, offered []string) string {
	if !strings.HasPrefix(failure, "compile error") {
		return ""
	}
	alone := f.Alone(e)
	if len(alone.missing) > 0 || f.inside && strings.Contains(failure, "cannot refer to unexported") {
		return "use what their package does not export"
	}
	for _, m := range importPath.FindAllStringSubmatch(alone.Imports, -1) {
		if !slices.Contains(offered, m[1]) {
			return "need " + m[1] + ", which is not preloaded"
		}
	}
	return ""
}

var importPath = regexp.MustCompile(`"([^"]+)"`)
