package packages

import (
	"cmp"
	"slices"
	"strings"

	"gosphere/internal/modulepath"
)

// preferred orders the packages that share a name, for names shared by several standard packages
// and for the few where a notebook about statistics and embeddings means a package other than the
// standard one. Otherwise rank decides.
var preferred = map[string][]string{
	// Published code and users write rand.Intn, rand.Seed and rand.New(rand.NewSource(1)), which
	// only math/rand exports. For names of v2 and crypto/rand the caller tries the next path.
	"rand":     {"math/rand", "math/rand/v2", "crypto/rand"},
	"template": {"text/template", "html/template"},
	"scanner":  {"text/scanner", "go/scanner"},
	"pprof":    {"runtime/pprof", "net/http/pprof"},
	"draw":     {"image/draw", "golang.org/x/image/draw", "gonum.org/v1/plot/vg/draw"},
	// In cells that draw, palette.Heat and palette.Palette are gonum's. Plan9 and WebSafe, the only
	// names of the standard package, are found in the second path.
	"palette": {"gonum.org/v1/plot/palette", "image/color/palette"},
}

// PathsNamed returns the paths of the packages called name, most likely first. A caller that knows
// which names of the package are used should take the first path that exports all of them:
// rand.NewPCG, for instance, is only in the second path. For instance "template" has text/template
// and html/template.
func (s *Store) PathsNamed(name string) []string { return slices.Clone(s.named[name]) }

// byName groups the paths by package name, in the order of PathsNamed. Ties are broken by the depth
// of the path and then alphabetically, so the order is always the same.
func (s *Store) byName() map[string][]string {
	named := map[string][]string{}
	for _, path := range s.Paths() {
		name := s.entries[path].name
		named[name] = append(named[name], path)
	}
	for name, paths := range named {
		slices.SortStableFunc(paths, func(a, b string) int {
			return cmp.Or(
				cmp.Compare(place(preferred[name], a), place(preferred[name], b)),
				cmp.Compare(rank(a), rank(b)),
				cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")),
				strings.Compare(a, b),
			)
		})
	}
	return named
}

// place returns the index of a path in a list, or the length of the list for a path that is not in
// it.
func place(list []string, path string) int {
	if i := slices.Index(list, path); i >= 0 {
		return i
	}
	return len(list)
}

// IsStandard reports whether a preloaded package belongs to the standard library.
func IsStandard(path string) bool { return rank(path) == 0 }

// rank orders the standard library first, as readers of Go code expect, then packages of this
// module, then gonum and the rest.
func rank(path string) int {
	root, _, _ := strings.Cut(path, "/")
	switch {
	case modulepath.Contains(path):
		return 1
	case !strings.Contains(root, "."):
		return 0
	case root == "gonum.org":
		return 2
	}
	return 3
}
