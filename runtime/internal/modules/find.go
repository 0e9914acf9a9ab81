package modules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"gosphere/internal/userfile"
)

// Find returns the location of the package with an import path. The error is an *UnknownError if no
// required module provides the package. Packages of main modules come from their folders. If there
// is a vendor folder, it has all others. Otherwise the module is the required one with the longest
// path that has the package.
//
// The order is that of the go command. Selection may use the network and is therefore not begun for
// packages that are in a folder.
func (s *Set) Find(ctx context.Context, report func(string), path string) (*Place, error) {
	defer s.enter(ctx, report)()
	if place := s.main.findLocal(path); place != nil {
		return place, nil
	}
	if s.main.vendor != "" {
		return s.findVendored(path)
	}
	if place := findDirect(ctx, s, path); place != nil {
		s.used[place.Module.Path] = place.Module
		return place, nil
	}
	if err := s.selectAll(ctx); err != nil {
		return nil, err
	}
	return s.findRequired(ctx, path)
}

// findDirect searches the modules that a go.mod file lists, without reading the go.mod files of the
// others, if that is not necessary: since Go 1.17 the file lists all modules that provide a package
// of the build. A requirement that cannot be read, such as a private module, then does not matter
// unless the build needs a package of it. The go command calls this lazy module loading.
//
// It returns nil if the versions of all modules have been selected, or must be.
func findDirect(ctx context.Context, s *Set, path string) *Place {
	if s.selected != nil || len(s.main.modules) != 1 || strings.HasSuffix(s.main.file, "go.work") || !isPrunedVersion(s.main.goVersion) {
		return nil
	}
	listed := map[string]string{}
	for _, m := range s.main.requires {
		if !s.main.excludes[m] {
			listed[m.Path] = m.Version
		}
	}
	place, err := s.locate(ctx, s.main, listed, path)
	if err != nil {
		return nil // selecting all versions reports the reason
	}
	return place
}

// findLocal searches the folders of the main modules. A folder without Go files is skipped, because
// another module may provide the package.
//
// Several main modules of a go.work may contain each other's folders; the first one in the order of
// the file with Go files for the path is taken.
func (m *mainModule) findLocal(path string) *Place {
	for _, root := range m.modules {
		rest, ok := below(path, root.path)
		if !ok {
			continue
		}
		if dir := filepath.Join(root.dir, filepath.FromSlash(rest)); hasGo(dir) {
			return &Place{Dir: dir, Module: module.Version{Path: root.path}, Root: root.dir, GoVersion: languageVersion(root.goVersion)}
		}
	}
	return nil
}

// HasLocal reports whether a main module has the package.
func (s *Set) HasLocal(path string) bool {
	defer s.enter(context.Background(), nil)()
	return s.main.findLocal(path) != nil
}

// FindFolder returns the location and the import path of the package in a folder of a main module.
// For other folders place is nil.
func (s *Set) FindFolder(dir string) (place *Place, path string) {
	defer s.enter(context.Background(), nil)()
	for _, root := range s.main.modules {
		rest, err := filepath.Rel(root.dir, dir)
		if err != nil || rest == ".." || strings.HasPrefix(rest, ".."+string(filepath.Separator)) || inOtherModule(root.dir, filepath.ToSlash(rest)) {
			continue
		}
		path := root.path
		if rest != "." {
			path += "/" + filepath.ToSlash(rest)
		}
		return &Place{Dir: dir, Module: module.Version{Path: root.path}, Root: root.dir, GoVersion: languageVersion(root.goVersion)}, path
	}
	return nil, ""
}

// below returns the rest of an import path after the path of a module, and reports whether the
// package can be in the module. For instance the path a/b/c is below the module a/b with the rest
// c, but not below a/bc.
func below(path, modulePath string) (rest string, ok bool) {
	if path == modulePath {
		return "", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

// hasGo reports whether a folder contains Go files.
func hasGo(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".go") && !e.IsDir()
	})
}

// findVendored searches the vendor folder, whose file modules.txt lists packages by module. In
// modules.txt, "# PATH VERSION" begins a module, "## explicit; go 1.21" has notes on it, and the
// other lines are its packages.
//
// The folder alone does not decide: a package that modules.txt does not list is ignored by the go
// command, for instance one that was added by hand.
func (s *Set) findVendored(path string) (*Place, error) {
	dir := filepath.Join(s.main.vendor, filepath.FromSlash(path))
	data, err := userfile.ReadFile(filepath.Join(s.main.vendor, "modules.txt"), userfile.Source)
	if err != nil {
		return nil, err
	}
	var m module.Version
	goVersion := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# "):
			f := strings.Fields(line)
			m, goVersion = module.Version{Path: f[1]}, ""
			// A line with => has the replacement of a module, which may have no version.
			if len(f) > 2 && f[2] != "=>" {
				m.Version = f[2]
			}
		case strings.HasPrefix(line, "## "):
			for _, note := range strings.Split(line[3:], ";") {
				if v, ok := strings.CutPrefix(strings.TrimSpace(note), "go "); ok {
					goVersion = v
				}
			}
		case line == path && hasGo(dir):
			return &Place{Dir: dir, Module: m, Root: filepath.Join(s.main.vendor, filepath.FromSlash(m.Path)), GoVersion: languageVersion(goVersion)}, nil
		}
	}
	return nil, &UnknownError{Path: path, Vendor: s.main.vendor}
}

// findRequired searches the selected modules and records that the module found is in use, so
// Require refuses to change its version.
//
// A package is in use from the moment it is found, since the cell that imports it is about to be
// compiled.
func (s *Set) findRequired(ctx context.Context, path string) (*Place, error) {
	place, err := s.locate(ctx, s.main, s.selected, path)
	if err == nil {
		s.used[place.Module.Path] = place.Module
	}
	return place, err
}

// locate searches the modules of a selection whose paths are prefixes of the import path, the
// longest first. The search continues with shorter paths if a module has no such package, as
// github.com/a/b may have b/c although the module github.com/a/b/c exists.
//
// The source of a candidate is downloaded to see whether it has the package. This cannot be known
// from its path, and the go command does the same.
func (s *Set) locate(ctx context.Context, main *mainModule, selected map[string]string, path string) (*Place, error) {
	var candidates []string
	for modulePath := range selected {
		if _, ok := below(path, modulePath); ok {
			candidates = append(candidates, modulePath)
		}
	}
	slices.SortFunc(candidates, func(a, b string) int { return len(b) - len(a) })
	for _, modulePath := range candidates {
		m := module.Version{Path: modulePath, Version: selected[modulePath]}
		root, err := s.root(ctx, main.replacement(m))
		if err != nil {
			return nil, err
		}
		rest, _ := below(path, modulePath)
		dir := filepath.Join(root, filepath.FromSlash(rest))
		// In the source of a module version a nested module has been left out, but a folder that replaces
		// the module may contain one.
		if !hasGo(dir) || rest != "" && inOtherModule(root, rest) {
			continue
		}
		summary, err := s.summary(ctx, main, m)
		if err != nil {
			return nil, err
		}
		return &Place{Dir: dir, Module: m, Root: root, GoVersion: languageVersion(summary.goVersion)}, nil
	}
	unknown := &UnknownError{Path: path}
	if len(candidates) > 0 {
		// The longest path is the one that a user would expect to have the package.
		unknown.Known = candidates[0] + "@" + selected[candidates[0]]
	}
	return nil, unknown
}

// inOtherModule reports whether a folder below the root of a module belongs to a nested module. A
// module does not contain the folders of nested modules, although its repository does.
func inOtherModule(root, rest string) bool {
	for dir := filepath.Join(root, filepath.FromSlash(rest)); dir != root; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// root returns the folder of a module version or of a replacement. The second look-up of a folder
// costs no file access.
//
// The folder of a replacement is not verified and not cached: its files may be edited between two
// cells.
func (s *Set) root(ctx context.Context, m module.Version) (string, error) {
	if isFolder(m) {
		return m.Path, nil
	}
	if dir := s.folders[m]; dir != "" {
		return dir, nil
	}
	dir, err := s.folder(ctx, m)
	if err != nil {
		return "", err
	}
	s.folders[m] = dir
	return dir, nil
}

// languageVersion returns a language version in the form of go/types. The default for modules
// without a version is Go 1.16. That is what the go command assumes, too. For instance "1.21.3"
// becomes "go1.21.3".
//
// The version decides which features the type checker permits, and whether the variables of a loop
// are new in each iteration (since Go 1.22).
func languageVersion(v string) string {
	if v == "" {
		return "go1.16"
	}
	return fmt.Sprintf("go%s", release(v))
}
