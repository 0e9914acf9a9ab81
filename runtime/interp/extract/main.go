// Command extract makes packages importable by sources that package interp evaluates. It writes a
// Go file with their functions, variables and types, and a file with their export data beside it:
//
//	//go:generate go run gosphere/runtime/interp/extract -name Model example.com/me/model
//
// The Go file, which -o names, declares a variable for Session.Use. The packages must be importable
// from its folder. They are those of the platform for which the go command builds (GOOS, GOARCH);
// where they differ between platforms, run it for each, with the platform at the end of the file's
// name.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/packages"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("extract: ")
	out := flag.String("o", "library.go", "Go file to write")
	name := flag.String("name", "Library", "name of the variable")
	hidden := flag.String("hidden", "", "further packages, separated by commas, that sources cannot import")
	in := flag.String("package", "", "name of the package of the file (default: that of its folder)")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: extract [flags] PACKAGE...\n\nPackages are import paths or patterns of the go command.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *name, *in, flag.Args(), strings.FieldsFunc(*hidden, func(r rune) bool { return r == ',' })); err != nil {
		log.Fatal(err)
	}
}

// run writes both files.
func run(out, name, in string, patterns, hidden []string) error {
	dir := filepath.Dir(out)
	if in == "" {
		listed, err := goList(dir, "-e", "-f", "{{.Name}}", ".")
		if err != nil {
			return err
		}
		if in = strings.TrimSpace(string(listed)); in == "" {
			in = "main"
		}
	}
	if !token.IsIdentifier(name) || !token.IsIdentifier(in) {
		return fmt.Errorf("%q and %q must be identifiers", name, in)
	}
	list, err := load(dir, patterns, hidden)
	if err != nil {
		return err
	}
	archive := strings.TrimSuffix(out, ".go") + ".bin"
	data, err := encode(list)
	if err != nil {
		return err
	}
	code, err := render(in, name, filepath.Base(archive), list, hidden)
	if err != nil {
		return err
	}
	if err := os.WriteFile(archive, data, 0o666); err != nil {
		return err
	}
	return os.WriteFile(out, code, 0o666)
}

// goList runs `go list`.
func goList(dir string, arguments ...string) ([]byte, error) {
	command := exec.Command("go", append([]string{"list"}, arguments...)...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	listed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	return listed, nil
}

// closed matches packages that a file of another module cannot import.
var closed = lazyregexp.New(`(^|/)(internal|vendor)(/|$)`)

// load returns the packages that patterns match, sorted by path, from the export data of the
// compiler.
func load(dir string, patterns, hidden []string) ([]*types.Package, error) {
	listed, err := goList(dir, slices.Concat([]string{"-export", "-deps", "-json=ImportPath,Export,DepOnly,Name"}, patterns, hidden)...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var wanted []string
	for decoder := json.NewDecoder(bytes.NewReader(listed)); decoder.More(); {
		var p struct {
			ImportPath, Export, Name string
			DepOnly                  bool
		}
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && p.Name != "main" && (!closed.MatchString(p.ImportPath) || slices.Contains(hidden, p.ImportPath) || len(patterns) == 1) {
			wanted = append(wanted, p.ImportPath)
		}
	}
	slices.Sort(wanted)
	fset, known := token.NewFileSet(), map[string]*types.Package{}
	var list []*types.Package
	for _, path := range wanted {
		if path == "unsafe" {
			return nil, fmt.Errorf("package unsafe has no export data; sources that are trusted with it can be given values made with it")
		}
		p, err := read(fset, known, path, exports[path])
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no packages that can be imported", strings.Join(patterns, " "))
	}
	return list, nil
}

// read reads the export data of a package.
func read(fset *token.FileSet, known map[string]*types.Package, path, file string) (*types.Package, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	//lint:ignore SA1019 the go command of this release writes archives, which Read does not accept
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := gcexportdata.Read(r, fset, known, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// encode returns the export data of packages without positions, which would contain folders of this
// machine. Packages that they mention are included, but sources cannot import these.
func encode(list []*types.Package) ([]byte, error) {
	segment := packages.Segment{}
	for _, p := range list {
		var data bytes.Buffer
		if err := gcexportdata.Write(&data, token.NewFileSet(), p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path(), err)
		}
		segment.Packages = append(segment.Packages, packages.Package{Path: p.Path(), Name: p.Name(), Types: data.Bytes()})
	}
	return segment.Encode()
}

// render returns the Go file.
func render(in, name, archive string, list []*types.Package, hidden []string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by gosphere/runtime/interp/extract. DO NOT EDIT.\n\n//lint:file-ignore SA1019 sources may use deprecated names\n\npackage %s\n\nimport (\n\t_ \"embed\"\n\n", in)
	fmt.Fprintf(&b, "\t%q\n\n", "gosphere/runtime/interp")
	tables := make([]string, len(list))
	for i, p := range list {
		local := fmt.Sprintf("p%d", i)
		tables[i] = table(p, local)
		if !strings.Contains(tables[i], local+".") {
			local = "_"
		}
		fmt.Fprintf(&b, "\t%s %q\n", local, p.Path())
	}
	fmt.Fprintf(&b, ")\n\n//go:embed %s\nvar archiveOf%s string\n\n// %s has %d packages for sources.\nvar %s = interp.Tables(archiveOf%s,\n", archive, name, name, len(list)-len(hidden), name, name)
	for _, t := range tables {
		b.WriteString(t)
	}
	b.WriteString(")")
	if len(hidden) > 0 {
		var open []string
		for _, p := range list {
			if !slices.Contains(hidden, p.Path()) {
				open = append(open, fmt.Sprintf("%q", p.Path()))
			}
		}
		fmt.Fprintf(&b, ".Only(\n%s,\n)", strings.Join(open, ",\n"))
	}
	b.WriteString("\n")
	return format.Source(b.Bytes())
}

// table returns the table of a package as a Go expression. Generic functions and types, and
// interfaces that are only constraints, have no values.
func table(p *types.Package, local string) string {
	var functions, variables, named []string
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name); o := o.(type) {
		case *types.Func:
			if o.Exported() && o.Signature().TypeParams().Len() == 0 {
				functions = append(functions, fmt.Sprintf("%q, %s.%s", name, local, name))
			}
		case *types.Var:
			if o.Exported() {
				variables = append(variables, fmt.Sprintf("%q, &%s.%s", name, local, name))
			}
		case *types.TypeName:
			if o.Exported() && !generic(o.Type()) {
				named = append(named, fmt.Sprintf("%q, (*%s.%s)(nil)", name, local, name))
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "&interp.Table{Path: %q", p.Path())
	for _, group := range []struct {
		field string
		list  []string
	}{{"Functions", functions}, {"Variables", variables}, {"Types", named}} {
		if len(group.list) > 0 {
			fmt.Fprintf(&b, ", %s: []any{\n%s,\n}", group.field, strings.Join(group.list, ",\n"))
		}
	}
	b.WriteString("},\n")
	return b.String()
}

// generic reports whether a type has parameters or is only a constraint.
func generic(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		if t.TypeParams().Len() > 0 {
			return true
		}
	case *types.Alias:
		if t.TypeParams().Len() > 0 {
			return true
		}
	}
	i, ok := t.Underlying().(*types.Interface)
	return ok && !i.IsMethodSet()
}
