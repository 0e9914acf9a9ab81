package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"gosphere/internal/license"
	"gosphere/internal/userfile"
)

// A Set holds the requirements of one session and the versions selected from them. Its methods may
// be called from any goroutine; they run one at a time. selected depends on main only. summaries
// and folders are caches of verified contents, so they survive a change of the requirements.
//
// A single lock over a download is no obstacle: a session compiles one cell at a time, and a call
// in progress can be interrupted by its context.
type Set struct {
	environment Environment
	client      *http.Client
	sums        *sums

	mu         sync.Mutex
	locked     map[string]string // versions stored by a notebook, by path; may be nil
	onlyLocked bool
	main       *mainModule
	selected   map[string]string           // versions by path; nil until they are needed
	summaries  map[module.Version]*summary // of go.mod files
	folders    map[module.Version]string   // of source
	used       map[string]module.Version   // module versions whose packages were found, by path
	progress   func(text string)           // of the call in progress
	now        context.Context             // of the call in progress
}

// New returns a set without requirements.
func New(environment Environment) *Set {
	s := &Set{environment: environment, client: newClient(), main: noFile(), summaries: map[module.Version]*summary{}, folders: map[module.Version]string{}, used: map[string]module.Version{}}
	s.sums = &sums{set: s, fixed: map[module.Version]string{}, found: map[module.Version]string{}}
	return s
}

// enter begins a call that may use the network. report, which may be nil, receives lines about slow
// operations. leave ends it.
//
// The context is stored, against the usual rule, for the client of the checksum database (see
// context). It is valid only while the lock is held.
func (s *Set) enter(ctx context.Context, report func(string)) (leave func()) {
	s.mu.Lock()
	s.now, s.progress = ctx, report
	return func() { s.now, s.progress = nil, nil; s.mu.Unlock() }
}

// report passes a line about a slow operation to the caller.
func (s *Set) report(text string) {
	if s.progress != nil {
		s.progress(text)
	}
}

// context returns the context of the call in progress. The client of the checksum database needs
// it, because its interface has no context parameter.
func (s *Set) context() context.Context {
	if s.now != nil {
		return s.now
	}
	return context.Background()
}

// isCached reports whether a module version, or only its go.mod file, has been downloaded before.
//
// The existence of .ziphash shows that the archive was verified by this program or by the go
// command.
func (s *Set) isCached(m module.Version) bool {
	suffix := ".ziphash"
	if version, only := strings.CutSuffix(m.Version, "/go.mod"); only {
		m.Version, suffix = version, ".mod"
	}
	name, err := s.file(m, suffix)
	if err != nil {
		return false
	}
	_, err = os.Stat(name)
	return err == nil
}

// Open reads the requirements from the go.work or go.mod of a folder or the closest enclosing
// folder. It returns the name of the file, or "" if there is none. Earlier requirements of cells
// are dropped. Checksums of its go.sum become binding.
//
// Modules that are in use are not checked here: the session opens its folder before the first cell.
func (s *Set) Open(dir string) (file string, err error) {
	defer s.enter(context.Background(), nil)()
	m, err := readMain(dir, s.environment.Mod)
	if err != nil {
		return "", err
	}
	if m == nil {
		m = noFile()
	}
	for _, name := range m.sumFiles() {
		data, err := userfile.ReadFile(name, userfile.Source)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		s.sums.fix(data)
	}
	s.main, s.selected = m, nil
	return m.file, nil
}

// A ConflictError reports that packages of a module are in use in another version. Types of two
// versions of a package would be different types with the same name.
//
// A session cannot unload a package whose types its variables have.
type ConflictError struct {
	Path, Used, Wanted string
}

// Error returns the versions and how to change them.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("packages of %s %s are in use, and this would need %s: restart the kernel to change the version", e.Path, e.Used, e.Wanted)
}

// Require adds requirements of the form PATH@VERSION, PATH@latest or PATH, and returns the changes.
// A version may also be a branch, a commit or a prefix such as v1. After an error the requirements
// are unchanged. The order matters: all specifications are resolved, then the whole selection is
// made and compared with the versions in use, and only then the requirements change. A higher
// version that another module requires prevails over the one given here, as with go get. A later
// call for the same module replaces its requirement, and can also lower the version.
//
// Working on a copy of the main module makes the call atomic, although each step may fail or be
// interrupted.
func (s *Set) Require(ctx context.Context, report func(string), specs ...string) ([]Change, error) {
	defer s.enter(ctx, report)()
	main := s.main.clone()
	if main.vendor != "" {
		return nil, fmt.Errorf("modules come from %s: change %s and its vendor folder with the go command", main.vendor, main.file)
	}
	if err := s.selectAll(ctx); err != nil {
		return nil, err
	}
	direct := map[string]bool{}
	for _, spec := range specs {
		m, err := s.resolve(ctx, main, spec)
		if err != nil {
			return nil, err
		}
		if main.isMain(m.Path) {
			return nil, fmt.Errorf("%s is the module of %s itself", m.Path, main.file)
		}
		main.require(m)
		direct[m.Path] = true
	}
	selected, err := s.build(ctx, main)
	if err != nil {
		return nil, err
	}
	// In the order of paths, so that the error is always the same.
	for _, path := range sortedKeys(s.used) {
		if now := selected[path]; now != s.used[path].Version {
			return nil, &ConflictError{path, s.used[path].Version, now}
		}
	}
	var changes []Change
	for _, m := range buildList(selected) {
		if old := s.selected[m.Path]; old != m.Version {
			change := Change{Path: m.Path, Old: old, New: m.Version, Direct: direct[m.Path]}
			// Authors' notes about a version do not concern its replacement.
			if change.Direct && main.replacement(m) == m {
				change.Note = s.noteOf(ctx, m)
			}
			changes = append(changes, change)
		}
	}
	s.main, s.selected = main, selected
	return changes, nil
}

// resolve returns the module version that a requirement specifies. A complete version needs no
// source, so it works without a network if it is in the cache. A module that is replaced by a
// folder gets the version that the go command writes in this case.
//
// The result is always a canonical version: branches and prefixes must not become requirements,
// since they denote another version tomorrow.
func (s *Set) resolve(ctx context.Context, main *mainModule, spec string) (module.Version, error) {
	path, query, given := strings.Cut(spec, "@")
	if err := module.CheckPath(path); err != nil {
		return module.Version{}, err
	}
	if !given || query == "" {
		query = "latest"
	}
	// A go.mod decides instead of the notebook.
	if s.locked != nil && main.file == "" {
		locked, known := s.locked[path]
		if known && query == "latest" {
			query = locked
		}
		if s.onlyLocked && query != locked {
			return module.Version{}, fmt.Errorf("%s@%s: the notebook is locked, and %s", path, query, lockText(path, locked))
		}
	}
	// The check also rejects a version whose major version does not fit the path.
	if err := module.Check(path, query); err == nil && module.CanonicalVersion(query) == query {
		return module.Version{Path: path, Version: query}, nil
	}
	// No source needs to be asked, since the folder decides the content.
	if to := main.replacement(module.Version{Path: path}); isFolder(to) {
		return module.Version{Path: path, Version: "v0.0.0-00010101000000-000000000000"}, nil
	}
	version, err := s.query(ctx, path, query)
	if err != nil {
		return module.Version{}, fmt.Errorf("%s@%s: %w%s", path, query, err, s.parentHint(ctx, path, err))
	}
	return module.Version{Path: path, Version: version}, nil
}

// lockText says in which version a locked notebook has a module, if any.
func lockText(path, version string) string {
	if version == "" {
		return "its modules do not include " + path
	}
	return "has " + path + " in version " + version
}

// Lock fixes the versions of modules that cells require without a version to those stored in a
// notebook, and makes the stored checksums binding. If only is set, all other modules and versions
// are refused. A go.mod next to the notebook takes precedence. It is called before the first cell.
//
// The checksums make the result reproducible, even if a tag was moved or a proxy serves another
// archive.
func (s *Set) Lock(requires, sums []string, only bool) {
	defer s.enter(context.Background(), nil)()
	s.locked, s.onlyLocked = map[string]string{}, only
	for _, r := range requires {
		path, version, _ := strings.Cut(r, "@")
		s.locked[path] = version
	}
	s.sums.fix([]byte(strings.Join(sums, "\n")))
}

// parentHint returns a hint if a path is that of a package rather than a module. A common mistake
// is to require github.com/a/b/c, a package of github.com/a/b.
//
// It asks only after a definite answer that the module does not exist, and only for well-known
// hosts, whose module paths have a known form.
func (s *Set) parentHint(ctx context.Context, path string, err error) string {
	if !errors.Is(err, errAbsent) {
		return ""
	}
	if root := moduleOf(path); root != path {
		if _, err := s.query(ctx, root, "latest"); err == nil {
			return fmt.Sprintf("; it may be a package of the module %s", root)
		}
	}
	return ""
}

// query asks the sources of a module for the version that a query denotes. A query is latest, a
// branch, a commit or a prefix of a version. Without a network, latest is answered from the cache,
// so that a notebook that ran once runs again. For instance "v1" is the newest version v1.x.y,
// "main" the newest commit of that branch as a pseudo-version, and "4f5b1e2" that commit.
//
// Queries such as upgrade, patch and comparisons are not supported; they refer to a go.mod that
// cells do not have.
func (s *Set) query(ctx context.Context, path, query string) (version string, err error) {
	s.report(fmt.Sprintf("looking up %s@%s", path, query))
	err = s.try(path, func(from source) error {
		version, err = queryFrom(ctx, from, path, query)
		return err
	})
	if err != nil && query == "latest" {
		if cached := s.newestCached(path); cached != "" {
			s.report(fmt.Sprintf("using %s@%s from the module cache (%v)", path, cached, err))
			return cached, nil
		}
	}
	return version, err
}

// queryFrom asks one source for the version that a query denotes. Without a matching version in the
// list, latest means the latest commit, as for modules without tags.
//
// A list contains tagged versions only. The proxy resolves every other name, which is a request
// that it may have to answer from the repository.
func queryFrom(ctx context.Context, from source, path, query string) (string, error) {
	if query == "latest" || isPrefix(query) {
		data, err := from.text(ctx, path, "list")
		if err != nil {
			return "", err
		}
		if best := newest(strings.Fields(string(data)), path, query); best != "" {
			return best, nil
		}
		if query != "latest" {
			return "", fmt.Errorf("%w: no version matches", errAbsent)
		}
	}
	name := ""
	if query != "latest" {
		escaped, err := module.EscapeVersion(query)
		if err != nil {
			return "", err
		}
		name = escaped + ".info"
	}
	data, err := from.text(ctx, path, name)
	if err != nil {
		return "", err
	}
	i, err := parseInfo(data)
	return i.Version, err
}

// isPrefix reports whether a query is a prefix of a version, such as v1 or v1.2.
func isPrefix(query string) bool {
	return semver.IsValid(query) && strings.Count(query, ".") < 2
}

// newest returns the highest version in a list that matches a query. Releases take precedence over
// prereleases. For instance of v1.2.0, v1.10.0 and v2.0.0-rc1, the newest is v1.10.0.
//
// Versions with +incompatible count like others here, although the go command avoids them for
// latest if the newest compatible version has a go.mod.
func newest(versions []string, path, query string) string {
	best := ""
	for _, v := range versions {
		if !semver.IsValid(v) || module.Check(path, v) != nil || query != "latest" && v != query && !strings.HasPrefix(v, query+".") {
			continue
		}
		released, bestReleased := semver.Prerelease(v) == "", best != "" && semver.Prerelease(best) == ""
		if best == "" || released && !bestReleased || released == bestReleased && semver.Compare(v, best) > 0 {
			best = v
		}
	}
	return best
}

// newestCached returns the newest version of a module in the module cache, or "". A .ziphash exists
// only for modules whose source was downloaded and verified.
//
// The file list of a proxy is not used, since it can name versions that are not in the cache.
func (s *Set) newestCached(path string) string {
	dir, err := s.downloads(path)
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var versions []string
	for _, e := range entries {
		if escaped, ok := strings.CutSuffix(e.Name(), ".ziphash"); ok {
			if v, err := module.UnescapeVersion(escaped); err == nil {
				versions = append(versions, v)
			}
		}
	}
	return newest(versions, path, "latest")
}

// List returns the selected modules, sorted by path.
//
// The sum and the license are those of the replacement, whose source is used.
func (s *Set) List(ctx context.Context) ([]Module, error) {
	defer s.enter(ctx, nil)()
	if err := s.selectAll(ctx); err != nil {
		return nil, err
	}
	var list []Module
	for _, v := range buildList(s.selected) {
		m := Module{Path: v.Path, Version: v.Version}
		actual := s.main.replacement(v)
		if actual != v {
			m.Replaced = actual.String()
		}
		s.sums.mu.Lock()
		m.Sum = s.sums.found[actual]
		s.sums.mu.Unlock()
		if dir := s.folders[actual]; dir != "" {
			m.License = license.Of(dir)
		}
		m.Direct = slices.ContainsFunc(s.main.requires, func(r module.Version) bool { return r.Path == v.Path })
		_, m.Used = s.used[v.Path]
		list = append(list, m)
	}
	return list, nil
}

// Requirements returns the requirements of cells, and the lines of a go.sum for the modules that
// were used. Both are nil if a go.mod or go.work governs the session. A notebook stores them. For
// instance "github.com/a/b@v1.2.0" and "github.com/a/b v1.2.0 h1:...".
//
// Only requirements are stored and not the selection: selection has the same result from them, as
// long as the go.mod files are the same, which their checksums guarantee.
func (s *Set) Requirements() (requires, sums []string) {
	defer s.enter(context.Background(), nil)()
	if s.main.file != "" {
		return nil, nil
	}
	for _, m := range s.main.requires {
		requires = append(requires, m.Path+"@"+m.Version)
	}
	return requires, s.sums.lines()
}

// selectAll selects versions unless that has been done since the requirements changed.
func (s *Set) selectAll(ctx context.Context) error {
	if s.selected != nil {
		return nil
	}
	selected, err := s.build(ctx, s.main)
	if err != nil {
		return err
	}
	// A package may have been found before by the version in the go.mod file alone.
	for _, path := range sortedKeys(s.used) {
		if used, now := s.used[path], selected[path]; now != used.Version {
			return fmt.Errorf("%s requires %s %s, but another requirement needs %s: update the file with go mod tidy", s.main.file, path, used.Version, now)
		}
	}
	s.selected = selected
	return nil
}
