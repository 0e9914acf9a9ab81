package session

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
)

// Modules lists the modules that cells can import, as rows of a table: those that the session
// requires, and those that are compiled into the program. The last column says how the packages
// run.
//
// Indirect modules that no package comes from are omitted. They take part in the selection only,
// and a list with them would be several times as long.
func (e *execution) Modules() ([][]string, error) {
	l := e.session.library
	if err := l.open(); err != nil {
		return nil, err
	}
	list, err := l.set.List(context.Background())
	if err != nil {
		return nil, err
	}
	compiled, sums := l.compiledModules(), compiledSums()
	license := func(path string) string { return e.session.options.Licenses[path] }
	rows := [][]string{{"module", "version", "license", "sum", "packages"}}
	for _, m := range list {
		if !m.Direct && !m.Used {
			continue
		}
		version, code := m.Version, "from source"
		if m.Replaced != "" {
			version += " => " + m.Replaced
		}
		if at := compiled[m.Path]; at != "" {
			code = l.codeOf(m.Path, m.Version, at)
			delete(compiled, m.Path)
			if m.Version == at {
				m.Sum, m.License = sums[m.Path], license(m.Path)
			}
		}
		rows = append(rows, []string{m.Path, version, m.License, m.Sum, code})
	}
	for _, p := range l.carried.Packages() {
		if slices.ContainsFunc(rows, func(row []string) bool { return row[0] == p.Module }) {
			continue
		}
		code := "from source, in the program"
		if compiled[p.Module] != "" {
			code = "compiled in; some from source, in the program"
		}
		delete(compiled, p.Module)
		rows = append(rows, []string{p.Module, p.Version, license(p.Module), p.Sum, code})
	}
	for _, path := range slices.Sorted(maps.Keys(compiled)) {
		rows = append(rows, []string{path, compiled[path], license(path), sums[path], "compiled in"})
	}
	return rows, nil
}

// codeOf describes how the packages of a module run of which a version is compiled into the
// program.
func (l *library) codeOf(module, selected, compiled string) string {
	switch {
	case selected == compiled:
		return "compiled in"
	case slices.ContainsFunc(l.loader.Paths(), func(path string) bool { return moduleOf(compiledVersions, path) == module }):
		return "from source"
	case l.isPinned(module):
		return "compiled in, version " + compiled
	}
	return "not used yet"
}

// isPinned reports whether cells use compiled packages of a module.
func (l *library) isPinned(module string) bool {
	l.selection.mu.Lock()
	defer l.selection.mu.Unlock()
	return l.selection.pinned[module]
}

// compiledModules returns the versions of the modules that are compiled into the program and of
// which cells can import packages, by path.
func (l *library) compiledModules() map[string]string {
	list := map[string]string{}
	for _, path := range l.Packages.Paths() {
		if m := moduleOf(compiledVersions, path); m != "" {
			list[m] = compiledVersions[m]
		}
	}
	return list
}

// compiledSums returns the checksums of the modules that are compiled into the program, by path.
func compiledSums() map[string]string {
	list := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			list[m.Path] = m.Sum
		}
	}
	return list
}
