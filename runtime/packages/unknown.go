package packages

import (
	"slices"
	"strings"

	"gosphere/runtime/spelling"
)

// An UnknownPackage is the error of Import for a path that is not in the archive.
type UnknownPackage struct {
	Path    string
	Near    []string // preloaded paths that the user may have meant, best first
	Modules []string // what is preloaded beside the standard library
}

// Error tells what may have been meant, or what there is and the way to have more. The path is
// told by the checker, which puts this behind it.
func (e *UnknownPackage) Error() string {
	if len(e.Near) > 0 {
		return "it is not preloaded; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	text := "it is not preloaded; there are the standard library, " + strings.Join(e.Modules, ", ")
	if domain, _, _ := strings.Cut(e.Path, "/"); strings.Contains(domain, ".") {
		text += "; `gosphere build --with MODULE@VERSION` makes a program with more"
	}
	return text
}

// unknown describes a path that is not in the archive.
func (s *Store) unknown(path string) error {
	e := &UnknownPackage{Path: path}
	for _, known := range s.Paths() {
		module := moduleOf(known)
		if module != "" && !slices.ContainsFunc(e.Modules, func(m string) bool { return module == m || strings.HasPrefix(module, m+"/") }) {
			e.Modules = append(e.Modules, module)
		}
	}
	e.Near = near(path, s.Paths())
	return e
}

// moduleOf guesses the module of a package outside the standard library, for people: the
// first three parts of its path, one for packages of this program.
func moduleOf(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case parts[0] == "gosphere":
		return "gosphere"
	case !strings.Contains(parts[0], "."):
		return ""
	}
	return strings.Join(parts[:min(len(parts), 3)], "/")
}

// mostNear is how many packages an error proposes.
const mostNear = 3

// near returns the known paths with the same last part, then those that differ in few letters.
func near(path string, known []string) []string {
	var same, similar []string
	last := path[strings.LastIndexByte(path, '/')+1:]
	limit := min(2, len(path)/4)
	for _, k := range known {
		switch {
		case last != "" && k[strings.LastIndexByte(k, '/')+1:] == last:
			same = append(same, k)
		case spelling.Distance(path, k) <= limit:
			similar = append(similar, k)
		}
	}
	found := append(same, similar...)
	return found[:min(len(found), mostNear)]
}
