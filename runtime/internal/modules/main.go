package modules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"gosphere/internal/golang"
	"gosphere/internal/userfile"
	"gosphere/runtime/internal/modules/godebug"
)

// A mainModule holds the initial requirements of a session: those of a go.mod or go.work file, and
// those of cells. Only the file and the cells decide the versions, and only replacements and
// exclusions in the file apply. It is cloned for a change, so a failure leaves the original.
//
// Only the requirements are copied by clone. Replacements, exclusions and folders come from files
// and do not change after Open.
type mainModule struct {
	file      string      // the go.mod or go.work; "" if there is none
	modules   []localRoot // modules whose packages are read from their folders
	goVersion string      // of the go.mod; the oldest of a go.work
	requires  []module.Version
	replaces  map[module.Version]module.Version // keys with Version "" apply to all versions; folders are absolute
	excludes  map[module.Version]bool
	vendor    string // the vendor folder; "" if there is none
	debug     []godebug.Setting
}

// A localRoot is the folder of a main module.
type localRoot struct{ path, dir, goVersion string }

// noFile returns the main module of a session without a go.mod. It has the language version of this
// program, and is pruned.
//
// A pruned main module reads only the go.mod files of its direct requirements if these are pruned,
// which saves many downloads for cells.
func noFile() *mainModule {
	return &mainModule{goVersion: golang.Minor, replaces: map[module.Version]module.Version{}, excludes: map[module.Version]bool{}}
}

// clone returns a copy whose requirements can be changed.
func (m *mainModule) clone() *mainModule {
	c := *m
	c.requires = slices.Clone(m.requires)
	return &c
}

// require sets the version of one requirement.
//
// The last requirement of a cell for a module counts, also if it is for a lower version. Those of
// other modules may still raise it.
func (m *mainModule) require(v module.Version) {
	for i, old := range m.requires {
		if old.Path == v.Path {
			m.requires[i] = v
			return
		}
	}
	m.requires = append(m.requires, v)
}

// isMain reports whether a path is that of a main module, which needs no version.
func (m *mainModule) isMain(path string) bool {
	return slices.ContainsFunc(m.modules, func(r localRoot) bool { return r.path == path })
}

// replacement returns the replacement of a module version, or the version itself.
//
// A replacement of one version takes precedence over one of all versions
// (go.dev/ref/mod#go-mod-file-replace).
func (m *mainModule) replacement(v module.Version) module.Version {
	if r, ok := m.replaces[v]; ok {
		return r
	}
	if r, ok := m.replaces[module.Version{Path: v.Path}]; ok {
		return r
	}
	return v
}

// isFolder reports whether a replacement is a local folder.
func isFolder(m module.Version) bool { return m.Version == "" && filepath.IsAbs(m.Path) }

// readMain reads the go.work or go.mod that governs a folder. It returns nil if there is none. A
// go.work takes precedence over a go.mod, unless GOWORK is off. Since Go 1.14 a vendor folder is
// used unless the flag mod has another value than vendor.
//
// The vendor folder is used only if it has the file modules.txt, because a folder of this name may
// be anything else.
func readMain(dir, mod string) (*mainModule, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	work, err := above(dir, "go.work")
	if err != nil {
		return nil, err
	}
	if work != "" && os.Getenv("GOWORK") != "off" {
		return readWork(work)
	}
	file, err := above(dir, "go.mod")
	if file == "" || err != nil {
		return nil, err
	}
	m := noFile()
	m.file = file
	if err := m.addFile(file, true); err != nil {
		return nil, err
	}
	// noFile has set the version of this program, but a go.mod without a go directive has none and is
	// not pruned.
	m.goVersion = m.modules[0].goVersion
	folder := filepath.Join(filepath.Dir(file), "vendor")
	if _, err := os.Stat(filepath.Join(folder, "modules.txt")); err == nil {
		if mod == "vendor" || mod == "" && m.goVersion != "" && semver.Compare("v"+release(m.goVersion), "v1.14") >= 0 {
			m.vendor = folder
		}
	} else if mod == "vendor" {
		return nil, fmt.Errorf("GOFLAGS=-mod=vendor, but %s is not there", filepath.Join(folder, "modules.txt"))
	}
	return m, nil
}

// above returns the path of a file in a folder or the closest enclosing folder, or "". A folder
// that this user may not search has no such file, but an error of the system is none that says so.
func above(dir, name string) (string, error) {
	for {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if userfile.IsSystem(err) {
			return "", err
		}
		if err == nil && !info.IsDir() {
			return file, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// readWork reads a go.work file and the go.mod files that it uses. Packages of all its modules are
// read from their folders, without versions.
//
// A go.work has neither requirements nor exclusions of its own. It has replacements, which are
// added last and override those of the modules.
func readWork(file string) (*mainModule, error) {
	data, err := userfile.ReadFile(file, userfile.Source)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil, err
	}
	m := noFile()
	m.file = file
	for _, use := range f.Use {
		dir := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(file), dir)
		}
		if err := m.addFile(filepath.Join(dir, "go.mod"), false); err != nil {
			return nil, err
		}
	}
	if f.Go != nil {
		m.goVersion = f.Go.Version
	}
	m.addDebug(f.Godebug, file)
	m.addReplaces(f.Replace, filepath.Dir(file))
	return m, nil
}

// addFile adds a main module. alone reports whether it is the only one, so that its requirements
// have no duplicates.
//
// The exclusions and replacements of a main module apply to the whole selection; those of
// dependencies are ignored.
func (m *mainModule) addFile(file string, alone bool) error {
	data, err := userfile.ReadFile(file, userfile.Source)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(file, data, nil)
	if err != nil {
		return err
	}
	if f.Module == nil {
		return fmt.Errorf("%s: no module path", file)
	}
	root := localRoot{path: f.Module.Mod.Path, dir: filepath.Dir(file)}
	if f.Go != nil {
		root.goVersion = f.Go.Version
	}
	m.modules = append(m.modules, root)
	if alone { // in a workspace, go.work has the settings
		m.addDebug(f.Godebug, file)
	}
	for _, r := range f.Require {
		if alone || !slices.Contains(m.requires, r.Mod) {
			m.requires = append(m.requires, r.Mod)
		}
	}
	for _, e := range f.Exclude {
		m.excludes[e.Mod] = true
	}
	m.addReplaces(f.Replace, filepath.Dir(file))
	return nil
}

// addDebug adds the settings of GODEBUG in a file.
func (m *mainModule) addDebug(list []*modfile.Godebug, file string) {
	for _, g := range list {
		source := fmt.Sprintf("%s:%d", file, g.Syntax.Start.Line)
		m.debug = append(m.debug, godebug.Setting{Key: g.Key, Value: g.Value, Source: source})
	}
}

// Debug returns what the go.mod or go.work file of a set determines about the settings of GODEBUG.
// Without a file, the defaults are those of the toolchain.
func Debug(s *Set) godebug.Module {
	defer s.enter(context.Background(), nil)()
	if s.main.file == "" {
		return godebug.Module{}
	}
	return godebug.Module{GoVersion: cmp.Or(s.main.goVersion, "1.16"), Settings: s.main.debug}
}

// addReplaces adds the replacements of a file in dir. Relative folders become absolute, so that
// they stay valid when the working directory changes.
//
// A replacement without a version is a folder by the syntax of go.mod, whose parser has verified
// that its path is rooted or begins with a dot.
func (m *mainModule) addReplaces(list []*modfile.Replace, dir string) {
	for _, r := range list {
		to := r.New
		if to.Version == "" && !filepath.IsAbs(to.Path) {
			to.Path = filepath.Join(dir, filepath.FromSlash(to.Path))
		}
		m.replaces[r.Old] = to
	}
}

// sumFiles returns the go.sum files of the main modules.
//
// The go command keeps the checksums that the workspace needs in addition in go.work.sum.
func (m *mainModule) sumFiles() []string {
	var list []string
	if strings.HasSuffix(m.file, "go.work") {
		list = append(list, m.file+".sum")
	}
	for _, r := range m.modules {
		list = append(list, filepath.Join(r.dir, "go.sum"))
	}
	return list
}

// goMod returns the go.mod file of a module version or of the folder that replaces it. A folder has
// no checksum.
//
// The go command requires a go.mod in such a folder as well.
func (s *Set) goMod(ctx context.Context, main *mainModule, m module.Version) ([]byte, error) {
	if !isFolder(m) {
		return s.modFile(ctx, m)
	}
	data, err := userfile.ReadFile(filepath.Join(m.Path, "go.mod"), userfile.Source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the replacement folder %s has no go.mod", m.Path)
	}
	return data, err
}

// sortedKeys returns the sorted keys of a map.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
