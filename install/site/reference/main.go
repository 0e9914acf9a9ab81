// Reference writes a Markdown page for each Go package in some folders: the package comment,
// constants, variables, functions and types with their documentation.
//
//	go run ./install/site/reference -out DIR asymvlm plotting
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is the path of the module whose packages are documented.
const module = "gosphere"

func main() {
	log.SetFlags(0)
	log.SetPrefix("reference: ")
	out := flag.String("out", "", "folder of the pages")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(out string, roots []string) error {
	packages, err := read(roots)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var index bytes.Buffer
	index.WriteString("# Packages\n\nCells import these packages by themselves; programs import them by their paths.\n\n| package | |\n|---|---|\n")
	var names []string
	for _, p := range packages {
		name := pageName(p.ImportPath)
		names = append(names, name)
		fmt.Fprintf(&index, "| [%s](%s) | %s |\n", strings.TrimPrefix(p.ImportPath, module+"/"), name, strings.ReplaceAll(p.Synopsis(p.Doc), "|", `\|`))
		if err := os.WriteFile(filepath.Join(out, name), page{p, packages}.markdown(), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(&index, "\n```{toctree}\n:hidden:\n\n%s\n```\n", strings.Join(names, "\n"))
	return os.WriteFile(filepath.Join(out, "index.md"), index.Bytes(), 0o644)
}

// pageName returns the name of a package's page.
func pageName(importPath string) string {
	return strings.ReplaceAll(strings.TrimPrefix(importPath, module+"/"), "/", "-") + ".md"
}

// A described is the documentation of a package with the positions of its source.
type described struct {
	*doc.Package
	files *token.FileSet
}

// read returns the packages in the folders in the order of their paths. It omits commands and
// packages for tests.
func read(roots []string) ([]described, error) {
	var packages []described
	for _, root := range roots {
		err := filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if name := d.Name(); name == "testdata" || name == "internal" || strings.HasSuffix(name, "test") || name == "golden" {
				return fs.SkipDir
			}
			p, err := describe(folder)
			if err == nil && p.Package != nil && p.Name != "main" {
				packages = append(packages, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(packages, func(a, b described) int { return cmp.Compare(a.ImportPath, b.ImportPath) })
	return packages, nil
}

// describe returns the documentation of the package in a folder, or none if there are no Go files.
func describe(folder string) (described, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return described{}, err
	}
	files := token.NewFileSet()
	var syntax []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			return described{}, err
		}
		// Files of other platforms declare the same names again.
		if platform := strings.TrimSuffix(path.Base(name), ".go"); !strings.HasSuffix(platform, "_other") && !constrained(file) {
			syntax = append(syntax, file)
		}
	}
	if len(syntax) == 0 {
		return described{}, nil
	}
	p, err := doc.NewFromFiles(files, syntax, module+"/"+filepath.ToSlash(folder))
	return described{p, files}, err
}

// constrained reports whether a file is for some builds only.
func constrained(file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() < file.Package && strings.HasPrefix(group.List[0].Text, "//go:build") {
			return true
		}
	}
	return false
}

// A page is one package among all that have pages.
type page struct {
	described
	all []described
}

// markdown returns the page.
func (p page) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n```go\nimport \"%s\"\n```\n\n", strings.TrimPrefix(p.ImportPath, module+"/"), p.ImportPath)
	b.Write(p.text(p.Doc, 2))
	p.values(&b, "Constants", p.Consts)
	p.values(&b, "Variables", p.Vars)
	if len(p.Funcs) > 0 {
		b.WriteString("\n## Functions\n")
	}
	for _, f := range p.Funcs {
		p.function(&b, "###", f)
	}
	if len(p.Types) > 0 {
		b.WriteString("\n## Types\n")
	}
	for _, t := range p.Types {
		fmt.Fprintf(&b, "\n### %s\n\n", t.Name)
		p.declaration(&b, t.Decl)
		b.Write(p.text(t.Doc, 5))
		for _, v := range slices.Concat(t.Consts, t.Vars) {
			p.declaration(&b, v.Decl)
			b.Write(p.text(v.Doc, 5))
		}
		for _, f := range slices.Concat(t.Funcs, t.Methods) {
			p.function(&b, "####", f)
		}
	}
	return b.Bytes()
}

func (p page) values(b *bytes.Buffer, heading string, values []*doc.Value) {
	for i, v := range values {
		if i == 0 {
			fmt.Fprintf(b, "\n## %s\n\n", heading)
		}
		p.declaration(b, v.Decl)
		b.Write(p.text(v.Doc, 5))
	}
}

func (p page) function(b *bytes.Buffer, level string, f *doc.Func) {
	name := f.Name
	if f.Recv != "" {
		name = strings.TrimPrefix(f.Recv, "*") + "." + name
	}
	fmt.Fprintf(b, "\n%s %s\n\n", level, name)
	p.declaration(b, f.Decl)
	b.Write(p.text(f.Doc, 5))
}

// declaration writes the source of a declaration.
func (p page) declaration(b *bytes.Buffer, d ast.Decl) {
	var source bytes.Buffer
	if err := format.Node(&source, p.files, d); err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(b, "```go\n%s\n```\n\n", source.Bytes())
}

// text returns a comment in Markdown. Names in brackets lead to their pages.
func (p page) text(text string, level int) []byte {
	printer := p.Printer()
	printer.HeadingLevel = level
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(link *comment.DocLink) string {
		name := strings.ToLower(strings.TrimPrefix(cmp.Or(link.Recv, ""), "*") + link.Name)
		switch {
		case link.ImportPath == "":
			return "#" + name
		case strings.HasPrefix(link.ImportPath, module+"/"):
			if slices.ContainsFunc(p.all, func(other described) bool { return other.ImportPath == link.ImportPath }) {
				return pageName(link.ImportPath)
			}
			return "index.md"
		}
		return link.DefaultURL("https://pkg.go.dev")
	}
	return append(printer.Markdown(p.Parser().Parse(text)), '\n')
}
