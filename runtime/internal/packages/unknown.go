package packages

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/spelling"
)

// An UnknownPackage is the error of Import for a path that is not in the archive.
type UnknownPackage struct {
	Path string
	Near []string // preloaded paths that may have been meant, best first
	// Driver is the driver of database/sql, in the program, that replaces the package, or "".
	Driver string
}

// Error suggests packages that may have been meant, or says where the available ones are listed and
// how to add more. It does not name the path, which the checker writes before this text.
func (e *UnknownPackage) Error() string {
	if len(e.Near) > 0 {
		return "it is not preloaded; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	if e.Driver != "" {
		return fmt.Sprintf("it is not preloaded, but its driver is in the program: sql.Open(%q, ...) needs no import", e.Driver)
	}
	text := "it is not preloaded; there are the standard library and the modules that %modules lists"
	if domain, _, _ := strings.Cut(e.Path, "/"); strings.Contains(domain, ".") && domain[0] != '.' {
		text += "; `gosphere build --with MODULE@VERSION` makes a program with more"
	}
	return text
}

// unknown returns the error for a path that is not in the archive.
func (s *Store) unknown(path string) error {
	return &UnknownPackage{Path: path, Near: near(path, s.Paths()), Driver: s.Driver(path)}
}

// Driver returns the name of the driver of database/sql that replaces the driver package at path,
// or "" if there is none. For the common SQLite packages it is the driver sqlite, if it is in
// Drivers.
func (s *Store) Driver(path string) string {
	switch path {
	case "modernc.org/sqlite", "github.com/mattn/go-sqlite3", "github.com/glebarez/go-sqlite", "github.com/ncruces/go-sqlite3/driver":
		if s.Drivers != nil && slices.Contains(s.Drivers(), "sqlite") {
			return "sqlite"
		}
	}
	return ""
}

// moduleParts maps well-known hosts to the number of path elements of their modules.
var moduleParts = map[string]int{
	"github.com": 3, "gitlab.com": 3, "bitbucket.org": 3, "codeberg.org": 3, "golang.org": 3, "gonum.org": 3, "google.golang.org": 2,
	"gopkg.in": 2, "modernc.org": 2, "gorgonia.org": 2, "go.uber.org": 2, "k8s.io": 2,
}

var majorVersion = lazyregexp.New(`^v[2-9]\d*$|^v1\d+$`)

// ModuleOf returns the module of a package by the convention of its host: for github.com/a/b/c it
// is github.com/a/b. For other hosts it returns the path itself.
func ModuleOf(path string) string {
	parts := strings.Split(path, "/")
	n := moduleParts[parts[0]]
	if n == 0 || len(parts) < n {
		return path
	}
	if len(parts) > n && majorVersion.MatchString(parts[n]) {
		n++
	}
	return strings.Join(parts[:n], "/")
}

// mostNear is the maximum number of packages that an error suggests.
const mostNear = 3

// near returns the known paths with the same last element, then those with a similar spelling. A
// misspelling may differ in two letters, or in fewer for a short path. For instance for
// "encoding/jsn" it is encoding/json, and for "x/rand" the packages named rand.
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
