package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	sources "gosphere/runtime/internal/source"
)

// Added packages with generic functions or types run from source, because compiled code has no
// instances for the types of cells. A package then exists twice if compiled packages import it as
// well. This must not show: no compiled package may share its types or its variables with cells.
// Compiled packages that would do so run from source, too.

// A division says which packages run from source and which are compiled.
type division struct {
	*universe
	fromSource map[string]bool
	compiled   []string        // with tables
	kept       map[string]bool // packages that must stay compiled
	always     []string        // packages that run from source in any case
}

// divide divides the added packages, and adds the packages that those from source import. preloaded
// are the other packages that cells import. Packages stay compiled if preloaded ones import them,
// or if they have functions in assembly. Those in always run from source in any case; they have no
// types or variables that compiled packages could share.
func (u *universe) divide(preloaded, added, always []string) *division {
	d := &division{universe: u, kept: u.reach(preloaded), always: always}
	for path, s := range u.sources {
		if !s.Standard && !d.kept[path] && sources.Bodiless(s.Dir) != "" {
			d.kept[path] = true
		}
	}
	for again := true; again; { // at most once for each package, which is then kept
		again = false
		d.fromSource, d.compiled = map[string]bool{}, slices.Concat(preloaded, added)
		for _, p := range added {
			if !d.kept[p] && isGeneric(u.packages[p].types) {
				d.fromSource[p] = true
			}
		}
		for _, p := range always {
			d.fromSource[p] = true
		}
		for changed := true; changed && !again; {
			changed = d.addImports()
			if blocked := d.blocked(); blocked != "" {
				d.kept[blocked], again = true, true
				break
			}
			changed = d.addImporters() || changed
		}
	}
	d.compiled = slices.DeleteFunc(d.compiled, func(p string) bool { return d.fromSource[p] })
	slices.Sort(d.compiled)
	d.compiled = slices.Compact(d.compiled)
	return d
}

// isGeneric reports whether a package exports a function, a type or a method with type parameters.
func isGeneric(p *types.Package) bool {
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Func:
			if o.Exported() && o.Signature().TypeParams().Len() > 0 {
				return true
			}
		case *types.TypeName:
			if o.Exported() && (hasTypeParams(o.Type()) || hasGenericMethod(o.Type())) {
				return true
			}
		}
	}
	return false
}

// hasGenericMethod reports whether a declared type has an exported method with type parameters.
func hasGenericMethod(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	for m := range named.Methods() {
		if m.Exported() && m.Signature().TypeParams().Len() > 0 {
			return true
		}
	}
	return false
}

// addImports adds the imports of the packages from source: to the tables if cells may import them,
// and else to the packages from source. It reports whether there were any of the second kind.
func (d *division) addImports() (changed bool) {
	for _, p := range slices.Sorted(maps.Keys(d.fromSource)) {
		for _, i := range d.sources[p].Imports {
			s := d.sources[i]
			if i == "C" || s == nil || s.Standard || d.fromSource[i] || slices.Contains(d.compiled, i) {
				continue
			}
			if hidden.MatchString(i) && !d.kept[i] {
				d.fromSource[i], changed = true, true
			} else if !hidden.MatchString(i) {
				d.compiled = append(d.compiled, i)
			}
		}
	}
	return changed
}

// blocked returns a package from source that cannot be: it imports an internal package that is
// kept, or shares types or variables with a kept package. It returns "" if there is none.
func (d *division) blocked() string {
	for _, p := range slices.Sorted(maps.Keys(d.fromSource)) {
		if slices.ContainsFunc(d.sources[p].Imports, func(i string) bool {
			return d.kept[i] && hidden.MatchString(i) && !d.sources[i].Standard
		}) {
			return p
		}
	}
	for _, p := range slices.Sorted(maps.Keys(d.kept)) {
		for _, i := range d.sources[p].Imports {
			if d.fromSource[i] && !slices.Contains(d.always, i) && (d.packages[i].variables || d.mentions(p, i)) {
				return i
			}
		}
	}
	return ""
}

// addImporters adds the compiled packages that share types or variables with those from source. It
// reports whether there were any.
func (d *division) addImporters() (changed bool) {
	roots := slices.DeleteFunc(slices.Clone(d.compiled), func(p string) bool { return d.fromSource[p] })
	for p := range d.reach(roots) {
		if d.fromSource[p] || d.kept[p] || d.sources[p].Standard {
			continue
		}
		for _, i := range d.sources[p].Imports {
			if d.fromSource[i] && (d.packages[i].variables || d.mentions(p, i)) {
				d.fromSource[p], changed = true, true
			}
		}
	}
	return changed
}

// reach returns packages and all that they import, directly or indirectly.
func (u *universe) reach(paths []string) map[string]bool {
	found := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		s := u.sources[path]
		if s == nil || found[path] {
			return
		}
		found[path] = true
		for _, i := range s.Imports {
			visit(i)
		}
	}
	for _, p := range paths {
		visit(p)
	}
	return found
}

// mentions reports whether the exported types of a package mention those of another.
func (u *universe) mentions(path, other string) bool {
	var b bytes.Buffer
	if err := gcexportdata.Write(&b, token.NewFileSet(), u.packages[path].types); err != nil {
		return true
	}
	read := map[string]*types.Package{}
	if _, err := gcexportdata.Read(&b, token.NewFileSet(), read, path); err != nil {
		return true
	}
	return read[other] != nil
}

// hasVariables reports whether a package has variables or init functions, which a second copy of
// the package would have again.
func hasVariables(p *types.Package, files []*ast.File) bool {
	for _, name := range p.Scope().Names() {
		if _, ok := p.Scope().Lookup(name).(*types.Var); ok {
			return true
		}
	}
	return slices.ContainsFunc(files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			function, ok := d.(*ast.FuncDecl)
			return ok && function.Recv == nil && function.Name.Name == "init"
		})
	})
}

// checksums returns the h1 sums of the go.sum of the module that contains a folder, by "PATH
// VERSION".
func checksums(dir string) (map[string]string, error) {
	command := exec.Command("go", "env", "GOMOD")
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(strings.TrimSpace(string(out))), "go.sum"))
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 {
			sums[fields[0]+" "+fields[1]] = fields[2]
		}
	}
	return sums, nil
}

// carried returns the packages from source with their files. sums are those of modules.
func (d *division) carried(sums map[string]string) (list []sources.Carried, err error) {
	for _, p := range slices.Sorted(maps.Keys(d.fromSource)) {
		s := d.sources[p]
		c := sources.Carried{Path: p, Name: s.Name, GoVersion: "go1.16", Files: map[string][]byte{}}
		if m := s.Module; m != nil {
			c.Module, c.Version, c.Sum = m.Path, m.Version, sums[m.Path+" "+m.Version]
			if v := languageVersion.FindString(m.GoVersion); v != "" {
				c.GoVersion = "go" + v
			}
		}
		entries, err := os.ReadDir(s.Dir)
		if err != nil {
			return nil, err
		}
		names := slices.Clone(s.EmbedFiles)
		for _, e := range entries { // the loader selects among files for other systems and tags
			if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") && e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}
		for _, name := range names {
			if c.Files[path.Clean(name)], err = os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(name))); err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

var languageVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+`)
