package session

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/mod/semver"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
)

// A selection decides which packages of modules that are compiled into this program come from
// source, because the requirements of the session select another version of the module. Packages
// stay compiled where other compiled packages share their types, where the other version is in
// assembly, and once code of the session uses them.
type selection struct {
	mu      sync.Mutex
	reasons map[string]string // why the compiled package is used, by import path; "" for source
	sharing map[string]string // a compiled package of another module with types of the module, or ""
	pinned  map[string]bool   // modules of which compiled packages are in use
	met     []string          // compiled packages that packages from source import
	told    map[string]bool   // modules about which cells were warned
}

func newSelection() *selection {
	return &selection{reasons: map[string]string{}, sharing: map[string]string{}, pinned: map[string]bool{}, told: map[string]bool{}}
}

// compiledVersions are the versions of the modules in this program. Tests replace it.
var compiledVersions = CompiledModules()

// errSelected reports that a compiled package is not used because of the selected version.
var errSelected = errors.New("another version is selected")

// compiled returns a compiled package unless the package comes from source.
func (l *library) compiled(path string) (*types.Package, error) {
	if l.takesSource(path) {
		return nil, errSelected
	}
	return l.Packages.Import(path)
}

// compiledFor returns a compiled package for the import of a package from source. It records the
// import of a module's package, whose version cannot change afterward.
func (l *library) compiledFor(path string) (*types.Package, error) {
	p, err := l.compiled(path)
	if err == nil && moduleOf(compiledVersions, path) != "" {
		s := l.selection
		s.mu.Lock()
		defer s.mu.Unlock()
		if !slices.Contains(s.met, path) {
			s.met = append(s.met, path)
		}
	}
	return p, err
}

// differs returns the module of a package that is compiled into this program, and its selected
// version. Both are "" unless the selected version is another one.
func (l *library) differs(path string) (m, selected string) {
	if m = moduleOf(compiledVersions, path); m == "" {
		return "", ""
	}
	if selected = l.set.Selected(m); selected == "" || selected == compiledVersions[m] {
		return "", ""
	}
	return m, selected
}

// takesSource reports whether a package that is compiled into this program comes from source.
func (l *library) takesSource(path string) bool {
	m, _ := l.differs(path)
	return m != "" && l.reason(path, m) == ""
}

// isChosen reports whether reason has chosen the source of a package. Unlike takesSource it makes
// no decision, so it needs neither network nor the lock of the requirements.
func (l *library) isChosen(path string) bool {
	s := l.selection
	s.mu.Lock()
	defer s.mu.Unlock()
	reason, ok := s.reasons[path]
	return ok && reason == "" && l.loader.Failure(path) != nil
}

// reason returns why the compiled package is used although another version of its module m is
// selected, or "" if the source is used. The decision is kept.
func (l *library) reason(path, m string) string {
	s := l.selection
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.reasons[path]; ok {
		return known
	}
	// The search for assembly comes last, because it may download the module.
	text := ""
	if with := l.sharedBy(m); with != "" {
		text = with + ", also compiled, shares its types"
	} else if s.pinned[m] {
		text = "cells already use it; restart the kernel to change the version"
	} else if name := l.assembly(path); name != "" {
		text = name + " has no body in Go in the other version"
	}
	s.reasons[path] = text
	return text
}

// sharedBy returns a compiled package of another module whose exported types mention those of
// module m, or "". If m came from source, its types would not be those that this package takes and
// returns. The caller holds the lock of the selection.
func (l *library) sharedBy(m string) string {
	s := l.selection
	if known, ok := s.sharing[m]; ok {
		return known
	}
	// Packages of the standard library import no modules, so only paths with a dot and this
	// module's own packages are examined.
	found := ""
	// Decoding all packages takes most of the time to start a small module.
	mentions, quick := l.Packages.(interface {
		MayImport(path, begins string) bool
	})
	for _, path := range l.Packages.Paths() {
		if moduleOf(compiledVersions, path) == m || packages.IsStandard(path) || quick && !mentions.MayImport(path, m) {
			continue
		}
		p, err := l.Packages.Import(path)
		if err == nil && slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return moduleOf(compiledVersions, i.Path()) == m }) {
			found = path
			break
		}
	}
	s.sharing[m] = found
	return found
}

// assembly returns a function of the selected version of a package that has no body, or "". It may
// download the module.
func (l *library) assembly(path string) string {
	place, err := l.find(context.Background(), path)
	if err != nil {
		return ""
	}
	return source.Bodiless(place.Dir)
}

// pin keeps the modules of compiled packages that a checked cell imports. Later requirements do not
// change their version, since variables may have values of their types.
func (l *library) pin(paths []string) {
	s := l.selection
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range append(s.met, paths...) {
		if m := moduleOf(compiledVersions, path); m != "" && l.loader.Package(path) == nil {
			s.pinned[m] = true
		}
	}
}

// differing returns warnings about modules whose selected version is not the one that code of the
// session uses. It warns once for each module, and about imports of packages from source only if
// the selected version is newer than the compiled one.
//
//	warning: gonum.org/v1/gonum v0.1.0 is required, and gosphere uses v0.17.0, which is compiled
//	into this program: gorgonia.org/gorgonia, also compiled, shares its types; …
func (l *library) differing(paths []string) (list []string) {
	s := l.selection
	s.mu.Lock()
	met := slices.Clone(s.met)
	s.mu.Unlock()
	for i, path := range append(slices.Clone(paths), met...) {
		m, selected := l.differs(path)
		if m == "" || s.told[m] || l.loader.Package(path) != nil || i >= len(paths) && semver.Compare(selected, compiledVersions[m]) < 0 {
			continue
		}
		if reason := l.reason(path, m); reason != "" {
			s.told[m] = true
			list = append(list, fmt.Sprintf("warning: %s %s is required, and gosphere uses %s, which is compiled into this program: %s; gosphere build --with %s@%s makes a program with the other", m, selected, compiledVersions[m], reason, m, selected))
		}
	}
	return list
}

// use records the imports of a cell, and reports those of modules whose selected version is not the
// compiled one. checked is nil if the cell does not compile.
func (l *library) use(parsed *cell.Cell, checked *check.Checked, say func(text string)) {
	paths := imported(parsed)
	if checked != nil { // it has automatic imports as well
		for _, i := range checked.Imports {
			paths = append(paths, i.Path)
		}
		defer l.pin(paths)
	}
	for _, text := range l.differing(paths) {
		say(text)
	}
}

// FromSource returns the modules that are compiled into this program but of which packages come
// from source in the selected version.
func (f *Finder) FromSource() (list []string) {
	for _, path := range f.library.loader.Paths() {
		if _, carried := f.library.carriedPlace(path); carried {
			continue // in the version of the program
		}
		if m := moduleOf(compiledVersions, path); m != "" && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}
