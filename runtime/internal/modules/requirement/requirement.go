// Package requirement has what a session asks of the modules that its cells require, so that a
// session without modules needs neither the network nor the module cache. Package modules
// implements it.
package requirement

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/mod/module"

	"gosphere/runtime/internal/modules/godebug"
)

// A Set is the modules that the cells of a session require. modules.Set has the descriptions of the
// methods.
type Set interface {
	Open(dir string) (file string, err error)
	Require(ctx context.Context, report func(string), specs ...string) ([]Change, error)
	Find(ctx context.Context, report func(string), path string) (*Place, error)
	FindFolder(dir string) (place *Place, path string)
	HasLocal(path string) bool
	Selected(path string) string
	List(ctx context.Context) ([]Module, error)
	Closure(ctx context.Context, report func(string), paths []string, prefer map[string]string, skip func(path string) bool) ([]Needed, []string, error)
	Lock(requires, sums []string, only bool)
	Requirements() (requires, sums []string)
	Debug() godebug.Module
}

// None is the Set of a session without modules.
type None struct{}

var errNone = errors.New("there are no modules here")

// Open finds no file.
func (None) Open(string) (string, error) { return "", nil }

// Require fails.
func (None) Require(context.Context, func(string), ...string) ([]Change, error) { return nil, errNone }

// Find finds no package.
func (None) Find(_ context.Context, _ func(string), path string) (*Place, error) {
	return nil, &UnknownError{Path: path}
}

// FindFolder finds no package.
func (None) FindFolder(string) (*Place, string) { return nil, "" }

// HasLocal returns false.
func (None) HasLocal(string) bool { return false }

// Selected returns no version.
func (None) Selected(string) string { return "" }

// List returns no modules.
func (None) List(context.Context) ([]Module, error) { return nil, nil }

// Closure fails.
func (None) Closure(context.Context, func(string), []string, map[string]string, func(string) bool) ([]Needed, []string, error) {
	return nil, nil, errNone
}

// Lock does nothing.
func (None) Lock(_, _ []string, _ bool) {}

// Requirements returns none.
func (None) Requirements() (requires, sums []string) { return nil, nil }

// Debug returns the defaults of the toolchain.
func (None) Debug() godebug.Module { return godebug.Module{} }

// A Place is the location of a package's source. It is passed to package source, which reads the
// files.
type Place struct {
	Dir       string         // folder of the package
	Module    module.Version // Version is "" for the main module and for replacements by folders
	Root      string         // folder of the module
	GoVersion string         // language version of the module, such as "go1.21"
}

// An UnknownError reports that no required module provides a package.
type UnknownError struct {
	Path string
	// Known is the required module that should provide the package, or "".
	Known string
	// Vendor is the vendor folder from which all modules come, or "".
	Vendor string
}

// Error returns the reason, without the path of the package unless a module or a vendor folder is
// known. A requirement cannot change a vendor folder, so the error says what can. The go command
// copies only packages that Go files of the module import.
func (e *UnknownError) Error() string {
	if e.Vendor != "" {
		return fmt.Sprintf("%s does not have it: import _ %q in a Go file of the module in %s and run \"go mod tidy\" and \"go mod vendor\" there, or set GOFLAGS=-mod=mod, which ignores vendor folders", e.Vendor, e.Path, filepath.Dir(e.Vendor))
	}
	if e.Known != "" {
		return fmt.Sprintf("module %s is required, but has no package %s", e.Known, e.Path)
	}
	return "no required module provides it"
}

// Missing returns the path of the package if requiring a module may resolve the error, and ""
// otherwise.
func (e *UnknownError) Missing() string {
	if e.Known != "" || e.Vendor != "" {
		return ""
	}
	return e.Path
}

// A Change describes a module whose selected version has changed. For instance requiring a module
// may raise the version of another, which is then not direct.
type Change struct {
	Path, Old, New string // Old is "" for a new module
	Direct         bool   // whether the call has required it
	Note           string // warning of its authors about the version; may be ""
}

// A Module is one module of the selection.
type Module struct {
	Path, Version string
	Replaced      string // replacement; "" if there is none
	Sum           string // h1:…; "" if the module has not been downloaded
	License       string // "" if the source has not been needed yet
	Direct        bool   // whether the go.mod or a cell requires it
	Used          bool   // whether cells use a package of it
}

// A Needed is a module that packages need. Direct modules are written without the comment "//
// indirect".
type Needed struct {
	module.Version
	Replacement module.Version // of the module; its Path is "" if there is none
	Direct      bool           // whether it provides one of the requested packages itself
}
