package modules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// prunedFrom is the first language version whose go.mod files list all modules needed to build the
// packages of the module. The requirements of their requirements need not be read then; see "module
// graph pruning" in go help modules.
const prunedFrom = "v1.17"

// A summary contains the parts of a go.mod file that version selection uses. Replacements and
// exclusions of dependencies have no effect and are not kept.
//
// It is cached by the module version that the go.mod belongs to. The file of a version never
// changes.
type summary struct {
	path       string // the path in the module directive
	goVersion  string // such as "1.21"; "" if there is none
	requires   []module.Version
	deprecated string
}

// isPruned reports whether the file lists all needed modules.
func (s *summary) isPruned() bool { return isPrunedVersion(s.goVersion) }

func isPrunedVersion(goVersion string) bool {
	return goVersion != "" && semver.Compare("v"+release(goVersion), prunedFrom) >= 0
}

// release returns the numbers at the start of a language version, for instance 1.21 for 1.21rc2.
func release(goVersion string) string {
	for i, c := range goVersion {
		if c != '.' && (c < '0' || c > '9') {
			return strings.TrimRight(goVersion[:i], ".")
		}
	}
	return goVersion
}

// summarize parses the go.mod file of a dependency. ParseLax ignores directives that this version
// does not know, as the go command does for dependencies.
//
// The go.mod of a main module is parsed strictly instead, because an ignored directive there would
// be one that the user relies on.
func summarize(name string, data []byte) (*summary, error) {
	f, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return nil, err
	}
	s := &summary{}
	if f.Module != nil {
		s.path, s.deprecated = f.Module.Mod.Path, f.Module.Deprecated
	}
	if f.Go != nil {
		s.goVersion = f.Go.Version
	}
	for _, r := range f.Require {
		s.requires = append(s.requires, r.Mod)
	}
	return s, nil
}

// A graph is a version selection in progress. parents holds, for each module version, the first one
// that required it, for messages.
//
// read has both kinds of nodes: a module may first be reached from a pruned one, and later from one
// that needs its whole graph.
type graph struct {
	ctx      context.Context
	set      *Set
	main     *mainModule
	selected map[string]string // versions by module path
	read     map[graphNode]bool
	parents  map[module.Version]module.Version
}

// A graphNode is a step of add that has been done: reading the go.mod file of a module version and,
// if whole is set, also those of all modules that it requires, recursively.
type graphNode struct {
	module.Version
	whole bool
}

// build selects a version of each module: the highest that any go.mod file in the graph requires.
// This is minimal version selection (research.swtch.com/vgo-mvs): the result is determined by the
// go.mod files alone and does not change when newer versions are published.
//
// The functions of package mvs of the go command would do the same, but are internal to it.
func (s *Set) build(ctx context.Context, main *mainModule) (map[string]string, error) {
	g, err := readGraph(ctx, s, main)
	if err != nil {
		return nil, err
	}
	return g.selected, nil
}

// readGraph reads the go.mod files that a selection depends on.
//
// The requirements of the main module are recorded before any of them is read, so that chain
// reports the shortest reason for a version.
func readGraph(ctx context.Context, s *Set, main *mainModule) (*graph, error) {
	g := &graph{ctx: ctx, set: s, main: main, selected: map[string]string{}, read: map[graphNode]bool{}, parents: map[module.Version]module.Version{}}
	for _, m := range main.requires {
		g.want(m, module.Version{})
	}
	for _, m := range main.requires {
		if err := g.add(m, !isPrunedVersion(main.goVersion)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// want records that a module version is required. The first module that requires a version is kept
// as its parent, for chain.
//
// An excluded version is ignored, as the go command does since Go 1.16; it is not replaced by the
// next higher one.
func (g *graph) want(m, by module.Version) {
	if g.main.excludes[m] || g.main.isMain(m.Path) {
		return
	}
	if _, ok := g.parents[m]; !ok {
		g.parents[m] = by
	}
	if old, ok := g.selected[m.Path]; !ok || semver.Compare(m.Version, old) > 0 {
		g.selected[m.Path] = m.Version
	}
}

// add reads the requirements of a module version, which may be an earlier version of a main module.
// If whole is set, it also reads the requirements of these, recursively. For a pruned module its
// requirements are recorded as wanted, but their own go.mod files are not read: since Go 1.17 the
// list in go.mod is complete.
//
// Marking the node before it is read makes cycles end, which occur between modules.
func (g *graph) add(m module.Version, whole bool) error {
	if g.main.excludes[m] || g.read[graphNode{m, whole}] || g.read[graphNode{m, true}] {
		return nil
	}
	g.read[graphNode{m, whole}] = true
	if err := g.ctx.Err(); err != nil {
		return err
	}
	summary, err := g.set.summary(g.ctx, g.main, m)
	if err != nil {
		return fmt.Errorf("%w%s", err, g.chain(m))
	}
	for _, r := range summary.requires {
		g.want(r, m)
	}
	all := whole || !summary.isPruned()
	if !all {
		return nil
	}
	for _, r := range summary.requires {
		if err := g.add(r, all); err != nil {
			return err
		}
	}
	return nil
}

// chain returns the chain of requirements that lead to a module, for error messages. For instance
// it ends an error with "(required by github.com/a/b@v1.2.0, by github.com/c/d@v0.3.0)".
//
// The number of elements is bounded, because parents may form a cycle as well.
func (g *graph) chain(m module.Version) string {
	var list []string
	for by := g.parents[m]; by.Path != "" && len(list) < 10; by = g.parents[by] {
		list = append(list, by.String())
	}
	if len(list) == 0 {
		return ""
	}
	return " (required by " + strings.Join(list, ", by ") + ")"
}

// summary returns the summary of the go.mod file of a module version or of its replacement. A
// module that calls itself differently is a fork or has moved, and its packages would have two
// paths.
//
// With a replacement the go.mod may have another path, which is the usual reason to replace a
// module by a fork.
func (s *Set) summary(ctx context.Context, main *mainModule, m module.Version) (*summary, error) {
	actual := main.replacement(m)
	if found := s.summaries[actual]; found != nil {
		return found, nil
	}
	data, err := s.goMod(ctx, main, actual)
	if err != nil {
		return nil, err
	}
	found, err := summarize(actual.String()+"/go.mod", data)
	if err != nil {
		return nil, err
	}
	if actual == m && found.path != "" && found.path != m.Path {
		return nil, fmt.Errorf("%s calls itself %s: require it by that path", m, found.path)
	}
	s.summaries[actual] = found
	return found, nil
}

// compareVersions orders module versions by path and version. It is the order of lines in go.sum.
//
// The suffix /go.mod is not part of a semantic version and is removed for the comparison.
func compareVersions(a, b module.Version) int {
	if c := strings.Compare(a.Path, b.Path); c != 0 {
		return c
	}
	if c := semver.Compare(strings.TrimSuffix(a.Version, "/go.mod"), strings.TrimSuffix(b.Version, "/go.mod")); c != 0 {
		return c
	}
	return strings.Compare(a.Version, b.Version)
}

// buildList returns the selected versions, sorted by path.
func buildList(selected map[string]string) []module.Version {
	var list []module.Version
	for path, version := range selected {
		list = append(list, module.Version{Path: path, Version: version})
	}
	slices.SortFunc(list, compareVersions)
	return list
}
