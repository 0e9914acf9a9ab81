package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A platform is one target of the build.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// goList runs `go list` for a platform in the module's folder.
func (p platform) goList(dir string, args ...string) ([]byte, error) {
	command := exec.Command("go", append([]string{"list"}, args...)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w\n%s", p, err, stderr.Bytes())
	}
	return out, nil
}

var hidden = regexp.MustCompile(`(^|/)(internal|vendor)(/|$)`)

// standard returns the public packages of the standard library on the platform.
func (p platform) standard(dir string) ([]string, error) {
	out, err := p.goList(dir, "std")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range strings.Fields(string(out)) {
		if !hidden.MatchString(name) && omitted[name] == "" {
			paths = append(paths, name)
		}
	}
	return paths, nil
}

// A source is the description of one package by `go list`.
type source struct {
	ImportPath, Name, Dir string
	GoFiles, EmbedFiles   []string
	Imports               []string // as in the files; those of the standard library after ImportMap
	ImportMap             map[string]string
	Standard              bool
	Module                *struct{ Path, Version, GoVersion string }
	Error                 *struct{ Err string }
}

// A loaded is one package with its checked syntax.
type loaded struct {
	types     *types.Package
	files     []*ast.File
	variables bool // whether it has variables or init functions
}

// A universe is the set of all packages needed on one platform, type-checked from source without
// function bodies. Checking from source needs no compiled packages of other platforms, and provides
// syntax for the documentation and types for the tables in one pass.
type universe struct {
	platform platform
	fset     *token.FileSet
	packages map[string]*loaded
	sources  map[string]*source
}

// load lists the packages with all their dependencies and checks them.
func (p platform) load(dir string, paths []string) (*universe, error) {
	out, err := p.goList(dir, append([]string{"-deps", "-json=ImportPath,Name,Dir,GoFiles,EmbedFiles,Imports,ImportMap,Standard,Module,Error", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	u := &universe{
		platform: p,
		fset:     token.NewFileSet(),
		packages: map[string]*loaded{"unsafe": {types: types.Unsafe}},
		sources:  map[string]*source{},
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for { // -deps lists every package after its imports
		s := &source{}
		if err := decoder.Decode(s); errors.Is(err, io.EOF) {
			return u, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", p, err)
		}
		if s.Error != nil {
			return nil, fmt.Errorf("%s for %s: %s", s.ImportPath, p, s.Error.Err)
		}
		u.sources[s.ImportPath] = s
		if err := u.check(s, slices.Contains(paths, s.ImportPath)); err != nil {
			return nil, err
		}
	}
}

// check parses and type-checks one package. Comments are kept if it is documented.
func (u *universe) check(s *source, documented bool) error {
	mode := parser.SkipObjectResolution
	if documented {
		mode = parser.ParseComments // go/doc needs the resolved objects
	}
	var files []*ast.File
	for _, name := range s.GoFiles {
		text, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			return err
		}
		// Relative names make errors and positions equal on every machine.
		file, err := parser.ParseFile(u.fset, path.Join(s.ImportPath, name), text, mode)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	if s.ImportPath == "unsafe" {
		u.packages["unsafe"].files = files
		return nil
	}
	config := types.Config{
		IgnoreFuncBodies: true,
		Importer:         importer{u, s},
		Sizes:            types.SizesFor("gc", u.platform.arch),
	}
	pkg, err := config.Check(s.ImportPath, u.fset, files, nil)
	if err != nil {
		return fmt.Errorf("%s for %s: %w", s.ImportPath, u.platform, err)
	}
	u.packages[s.ImportPath] = &loaded{types: pkg, variables: hasVariables(pkg, files)}
	if documented {
		u.packages[s.ImportPath].files = files
	}
	return nil
}

// An importer resolves the imports of one package, which `go list` maps where the standard library
// uses vendored copies.
type importer struct {
	*universe
	of *source
}

// Import returns a package that was checked before.
func (i importer) Import(name string) (*types.Package, error) {
	if mapped, ok := i.of.ImportMap[name]; ok {
		name = mapped
	}
	if p := i.packages[name]; p != nil {
		return p.types, nil
	}
	return nil, fmt.Errorf("%s is imported by %s but was not listed before it", name, i.of.ImportPath)
}
