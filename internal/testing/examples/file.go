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

// An Example is one function of a test file.
type Example struct {
	Name      string
	Declared  string // the whole text
	Body      string // the text between its braces
	Want      string // what its comment promises
	Silent    bool   // it promises nothing and is only declared
	Unordered bool   // the lines may come in any order
}

// A File holds examples as a user would type them in.
type File struct {
	Package  string // import path of what the examples are about
	Dir      string // where they run
	Name     string
	Imports  string // a cell
	Declared string // what the examples need, a cell; it may be empty
	Examples []Example

	source  *source
	tests   testPackage
	inside  bool            // the file belongs to the package itself
	hidden  map[string]bool // the names that only the package itself sees
	missing []string        // what the examples use of them
}

// Files reads the test files of a package that hold examples. Some belong to the package itself.
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

// hidden are the names of package level that a package does not export.
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

// files are those with examples.
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

// Alone is the file with one of its examples and what that one needs.
func (f *File) Alone(e Example) *File {
	only := *f
	only.Examples = []Example{e}
	only.findNeeds()
	return &only
}

// A testPackage is the test files of one package clause.
type testPackage []*source

// A source is one parsed file.
type source struct {
	*ast.File
	path string
	text string
	fset *token.FileSet
}

// readTests parses files. The parser's objects tell which names are those of the package: types are not needed for that.
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

// between is the text between two positions.
func (s *source) between(from, to token.Pos) string {
	return s.text[s.fset.Position(from).Offset:s.fset.Position(to).Offset]
}

// examples are those of the file.
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

// exampleIn returns the example that a declaration is, nil for none.
func exampleIn(d ast.Decl) *ast.FuncDecl {
	function, ok := d.(*ast.FuncDecl)
	if !ok || function.Recv != nil || !strings.HasPrefix(function.Name.Name, "Example") || function.Type.Params.NumFields() > 0 {
		return nil
	}
	return function
}

// Shows reports whether an output is that of the example, judged as go test does. Cells are package main.
func (f *File) Shows(e Example, got string) bool {
	own := filepath.Base(f.Package) + "_test."
	got = strings.TrimSpace(strings.ReplaceAll(got, "\r\n", "\n"))
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

// Beyond tells why an example cannot be played anywhere but in its own package, "" if nothing is known: it uses what the package does
// not export, or imports what cells are not offered. The failure is that of playing it alone.
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
