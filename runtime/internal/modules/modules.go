// Package modules finds the source of Go modules for cells in the same way as the go command. It
// reads requirements from a go.mod, a go.work or a cell, performs minimal version selection, uses a
// module proxy, verifies checksums, and shares the module cache with the go command. The only
// program that it runs is git, for GOPROXY=direct.
//
//	set := modules.New(modules.FromEnvironment())
//	err := set.Open(folder)                                // the go.mod or go.work of a folder, if there is one
//	changes, err := set.Require(ctx, report, "github.com/x/y@v1.2.3")
//	place, err := set.Find(ctx, report, "github.com/x/y/z") // the folder of a package
//
// # Invariants
//
// No source is used before its checksum has been verified. Files in the cache appear atomically and
// in the format of the go command, so that both can run at the same time. A failed Require changes
// nothing, and the version of a module does not change while cells use its packages.
//
// # Reading order
//
// set.go (the requirements of a session), main.go (go.mod and go.work), graph.go (selection),
// find.go (packages), then cache.go, proxy.go, direct.go and sums.go (where source comes from).
//
// golang.org/x/mod provides the formats and checks; what the go command does with them is internal
// to it and written again here. The references are go.dev/ref/mod, go help environment and go help
// goproxy.
//
// # The module cache
//
// For the module github.com/a/b in version v1.2.0 the cache has these files:
//
//	cache/download/github.com/a/b/@v/v1.2.0.mod      its go.mod
//	cache/download/github.com/a/b/@v/v1.2.0.zip      its source
//	cache/download/github.com/a/b/@v/v1.2.0.ziphash  the checksum of the source, h1:...
//	cache/download/github.com/a/b/@v/v1.2.0.lock     locked while a process unpacks the source
//	github.com/a/b@v1.2.0                            the folder with the source
//
// Selection needs the first file of every module in the graph, and only a package that is imported
// needs the others. So requiring a module with many dependences downloads little.
package modules

import (
	"strings"

	"gosphere/runtime/internal/modules/requirement"
)

// What sets answer.
type (
	// A Place is the location of a package's source.
	Place = requirement.Place
	// An UnknownError reports that no required module provides a package.
	UnknownError = requirement.UnknownError
	// A Change describes a module whose selected version has changed.
	Change = requirement.Change
	// A Module is one module of the selection.
	Module = requirement.Module
	// A Needed is a module that packages need.
	Needed = requirement.Needed
)

// moduleOf guesses the module path of a package on a well-known host. It only serves hints, since
// the sources decide what is a module. For instance the package github.com/a/b/v2/c is in
// github.com/a/b/v2.
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

// isMajor reports whether a path element is a major version suffix such as v2. v0 and v1 are never
// suffixes.
func isMajor(element string) bool {
	if len(element) < 2 || element[0] != 'v' || element[1] < '1' || element[1] > '9' || element == "v1" {
		return false
	}
	return strings.Trim(element[1:], "0123456789") == ""
}
