package interp

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// EvalFS evaluates the package in a folder of a file system: its files that end in .go, except
// tests and files whose build constraints exclude this platform. All files see each other's
// declarations. Positions in errors have the names of the files. The declarations become those of
// the session, as if they had been given to Eval; a function main of a package main runs.
//
// Files that import different packages under one name are refused, and so are files of several
// packages.
func (s *Session) EvalFS(ctx context.Context, files fs.FS, dir string) error {
	source, begins, err := join(files, dir)
	if err != nil {
		return fmt.Errorf("interp: %w", err)
	}
	_, err = s.Eval(ctx, source)
	var wrong *CompileError
	if errors.As(err, &wrong) {
		locate(wrong, begins)
	}
	return err
}

// A begin is the line of a joined source before the first line of a file.
type begin struct {
	line int
	file string
}

// locate sets the positions of problems to those in their files.
func locate(e *CompileError, begins []begin) {
	var text strings.Builder
	for i := range e.Problems {
		p := &e.Problems[i]
		for _, b := range slices.Backward(begins) {
			if p.Line > b.line {
				p.File, p.Line = b.file, p.Line-b.line
				break
			}
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		if p.File != "" {
			fmt.Fprintf(&text, "%s:%d:%d: ", p.File, p.Line, p.Column)
		}
		text.WriteString(p.Message)
	}
	e.text = text.String()
}

// join returns the files of a package as one source: the imports of all, and each file without its
// package clause and imports, after a line directive.
func join(files fs.FS, dir string) (source string, begins []begin, err error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return "", nil, err
	}
	imports := map[string]string{} // paths by name
	var clauses, bodies strings.Builder
	name := ""
	for _, entry := range entries {
		file := path.Join(dir, entry.Name())
		if entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(entry.Name(), "_") || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return "", nil, err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", nil, err
		}
		if !included(entry.Name(), syntax) {
			continue
		}
		if name != "" && syntax.Name.Name != name {
			return "", nil, fmt.Errorf("%s is of package %s, and other files are of package %s", file, syntax.Name.Name, name)
		}
		name = syntax.Name.Name
		if err := addImports(&clauses, imports, file, syntax); err != nil {
			return "", nil, err
		}
		blank(text, fset, syntax)
		begins = append(begins, begin{strings.Count(bodies.String(), "\n") + 2, file})
		fmt.Fprintf(&bodies, "\n//line %s:1\n%s\n", file, text)
	}
	if name == "" {
		return "", nil, fmt.Errorf("%s has no Go files for %s/%s", dir, runtime.GOOS, runtime.GOARCH)
	}
	for i := range begins {
		begins[i].line += strings.Count(clauses.String(), "\n")
	}
	return clauses.String() + bodies.String(), begins, nil
}

// addImports adds the imports of a file, each once.
func addImports(to *strings.Builder, known map[string]string, file string, syntax *ast.File) error {
	for _, spec := range syntax.Imports {
		at, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		key := name
		switch name {
		case "":
			key = "import " + at
		case "_", ".":
			key = name + at
		}
		if other, seen := known[key]; seen {
			if other != at {
				return fmt.Errorf("%s imports %s as %s, and another file %s: give them different names", file, at, name, other)
			}
			continue
		}
		known[key] = at
		fmt.Fprintf(to, "import %s %q\n", name, at)
	}
	return nil
}

// blank overwrites the package clause and the imports of a file with spaces, so that all other
// positions remain.
func blank(text []byte, fset *token.FileSet, syntax *ast.File) {
	clear := func(from, to token.Pos) {
		for i := fset.PositionFor(from, false).Offset; i < min(fset.PositionFor(to, false).Offset, len(text)); i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	clear(syntax.Package, syntax.Name.End())
	for _, d := range syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			clear(g.Pos(), g.End())
		}
	}
}

// included reports whether the build constraints of a file permit this platform, in its name and in
// its comments.
func included(name string, syntax *ast.File) bool {
	permitted := func(tag string) bool {
		switch tag {
		case runtime.GOOS, runtime.GOARCH, "gc":
			return true
		case "unix":
			return slices.Contains([]string{"linux", "darwin", "freebsd", "netbsd", "openbsd"}, runtime.GOOS)
		}
		release, isRelease := strings.CutPrefix(tag, "go1.")
		n, err := strconv.Atoi(release)
		var own int
		_, _ = fmt.Sscanf(runtime.Version(), "go1.%d", &own)
		return isRelease && err == nil && n <= own
	}
	parts := strings.Split(strings.TrimSuffix(name, ".go"), "_")
	for _, part := range parts[max(1, len(parts)-2):] {
		if (slices.Contains(systems, part) || slices.Contains(architectures, part)) && !permitted(part) {
			return false
		}
	}
	for _, group := range syntax.Comments {
		if group.Pos() > syntax.Package {
			break
		}
		for _, c := range group.List {
			if expression, err := constraint.Parse(c.Text); err == nil && constraint.IsGoBuild(c.Text) && !expression.Eval(permitted) {
				return false
			}
		}
	}
	return true
}

// systems and architectures are the ends of file names that are build constraints.
var (
	systems       = strings.Fields("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows")
	architectures = strings.Fields("386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")
)
