// Package archivetest makes small archives of packages for tests of programs that have their own.
package archivetest

import (
	"testing"

	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
)

// Types returns type information without packages that was recorded with a release of Go.
func Types(t testing.TB, release string) string {
	t.Helper()
	made, err := packages.Segment{GoVersion: release, Platform: "linux/amd64"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

// Source returns the source of a package that is a module of its own. The name of the package is
// name, and files are by name.
func Source(t testing.TB, path, name, version string, files map[string][]byte) string {
	t.Helper()
	made, err := source.Pack([]source.Carried{{Path: path, Name: name, Module: path, Version: version, GoVersion: "go1.21", Files: files}})
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}
