package packages

import (
	"cmp"
	"slices"
	"strings"
)

// preferred settles package names that several standard packages share, and the few
// where another package than the standard one is meant in a notebook about statistics
// and embeddings. Otherwise rank decides.
var preferred = map[string][]string{
	// rand.Intn, rand.Seed and rand.New(rand.NewSource(1)) are what published code
	// and users' fingers say, and only math/rand has them; the names that v2 and
	// crypto/rand add are found by the caller trying the next path.
	"rand":     {"math/rand", "math/rand/v2", "crypto/rand"},
	"template": {"text/template", "html/template"},
	"scanner":  {"text/scanner", "go/scanner"},
	"pprof":    {"runtime/pprof", "net/http/pprof"},
	"draw":     {"image/draw", "golang.org/x/image/draw", "gonum.org/v1/plot/vg/draw"},
	// In a cell that draws, palette.Heat and palette.Palette are gonum's; Plan9 and
	// WebSafe, all that the standard package has, are found as the second path.
	"palette": {"gonum.org/v1/plot/palette", "image/color/palette"},
}

// PathsNamed returns the paths of the packages called name, the best guess first. A
// caller that knows which names are used of the package should take the first path
// that exports them all: rand.NewPCG is in the second path only.
func (s *Store) PathsNamed(name string) []string { return slices.Clone(s.named[name]) }

// byName groups the paths by package name in the order of PathsNamed.
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

func place(list []string, path string) int {
	if i := slices.Index(list, path); i >= 0 {
		return i
	}
	return len(list)
}

// rank puts the standard library first, as a reader of Go code expects, then what
// this module offers to cells, then gonum and the rest.
func rank(path string) int {
	root, _, _ := strings.Cut(path, "/")
	switch {
	case root == "gosphere":
		return 1
	case !strings.Contains(root, "."):
		return 0
	case root == "gonum.org":
		return 2
	}
	return 3
}
