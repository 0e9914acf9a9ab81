// Package modules finds the source of Go modules for cells, as the go command does: requirements from
// a go.mod, a go.work or a cell, minimal version selection, a module proxy, checksums, and the module
// cache that the go command uses too. It runs no program but git, and that only for GOPROXY=direct.
//
//	set := modules.New(modules.FromEnvironment())
//	err := set.Open(folder)                                // the go.mod or go.work of a folder, if there is one
//	changes, err := set.Require(ctx, "github.com/x/y@v1.2.3")
//	place, err := set.Find(ctx, "github.com/x/y/z")        // the folder of a package
//
// Read set.go (what a session requires), graph.go (selection), find.go (packages), then cache.go,
// proxy.go, direct.go and sums.go (where source comes from).
package modules

import (
	"fmt"
	"strings"

	"golang.org/x/mod/module"
)

// A Place is where the source of a package is.
type Place struct {
	Dir       string         // the folder of the package
	Module    module.Version // Version is "" for the main module and for replacements by folders
	Root      string         // the folder of the module
	GoVersion string         // the language version of the module, such as "go1.21"
}

// An UnknownError says that no required module provides a package.
type UnknownError struct {
	Path string
	// Known is the module of the requirements that should have it, "" for none.
	Known string
}

// Error says what to write.
func (e *UnknownError) Error() string {
	if e.Known != "" {
		return fmt.Sprintf("module %s is required, but has no package %s", e.Known, e.Path)
	}
	return "no required module provides it"
}

// NamesNoModule reports whether requiring a module may help.
func (e *UnknownError) NamesNoModule() bool { return e.Known == "" }

// moduleOf guesses the module path of a package of a well-known host.
func moduleOf(path string) string {
	parts := strings.Split(path, "/")
	n := len(parts)
	switch parts[0] {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org":
		n = min(n, 3)
		if len(parts) > 3 && isMajor(parts[3]) {
			n = 4
		}
	case "golang.org":
		n = min(n, 3)
	case "gopkg.in", "go.uber.org", "rsc.io":
		n = min(n, 2)
		if len(parts) > 2 && parts[0] == "gopkg.in" && !strings.Contains(parts[1], ".v") {
			n = 3
		}
	}
	return strings.Join(parts[:n], "/")
}

// isMajor reports whether a path element is a major version suffix such as v2.
func isMajor(element string) bool {
	if len(element) < 2 || element[0] != 'v' || element[1] < '1' || element[1] > '9' || element == "v1" {
		return false
	}
	return strings.Trim(element[1:], "0123456789") == ""
}
