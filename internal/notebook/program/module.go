package program

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"gosphere/internal/golang"
	"gosphere/internal/modulepath"
)

// own is the module of gosphere. No proxy serves it, so a program includes its source.
const own = modulepath.Path

// OwnFolder is the folder of a program that contains the imported source of gosphere.
const OwnFolder = "gosphere"

// A Requirement is a module with its version.
type Requirement struct {
	Path, Version string
	Replacement   string // path and version of the module that replaces it, or ""
	Indirect      bool   // imported only by other modules
}

// Brought lists the imports outside the standard library.
func (e *Exported) Brought() []string {
	var list []string
	for _, path := range e.Imports {
		if first, _, _ := strings.Cut(path, "/"); modulepath.Contains(path) || strings.Contains(first, ".") {
			list = append(list, path)
		}
	}
	return list
}

// Own lists the imports of gosphere itself.
func (e *Exported) Own() []string {
	var list []string
	for _, path := range e.Imports {
		if modulepath.Contains(path) {
			list = append(list, path)
		}
	}
	return list
}

// GoMod returns the go.mod of a program with a module path. If the program imports gosphere, the
// source of gosphere is in a folder of the program.
func (e *Exported) GoMod(name string, requirements []Requirement) ([]byte, error) {
	if len(e.Own()) > 0 {
		requirements = append([]Requirement{{Path: own, Version: "v0.0.0", Replacement: "./" + OwnFolder}}, requirements...)
	}
	return modText(name, requirements)
}

// OwnMod returns the go.mod for the source of gosphere in a program.
func OwnMod(requirements []Requirement) ([]byte, error) {
	direct := slices.Clone(requirements)
	for i := range direct {
		direct[i].Indirect, direct[i].Replacement = false, ""
	}
	return modText(own, direct)
}

// modText returns a go.mod in the form of go mod tidy.
func modText(name string, requirements []Requirement) ([]byte, error) {
	f := new(modfile.File)
	if err := errors.Join(f.AddModuleStmt(name), f.AddGoStmt(golang.Minor)); err != nil {
		return nil, err
	}
	var list []*modfile.Require
	for _, r := range requirements {
		list = append(list, &modfile.Require{Mod: module.Version{Path: r.Path, Version: r.Version}, Indirect: r.Indirect})
	}
	f.SetRequireSeparateIndirect(list)
	for _, r := range requirements {
		path, version, _ := strings.Cut(r.Replacement, "@")
		if r.Replacement == "" {
			continue
		}
		if err := f.AddReplace(r.Path, "", path, version); err != nil {
			return nil, err
		}
	}
	f.SortBlocks()
	f.Cleanup()
	return f.Format()
}

// ModuleName returns the path of the module for a program: name, with a prefix where the go command
// gives the name another meaning. IsStandard reports whether the standard library has a package.
func ModuleName(name string, isStandard func(path string) bool) string {
	if name == "" || name[0] >= '0' && name[0] <= '9' || slices.Contains(reserved, name) || isStandard(name) || name == own {
		name = "notebook-" + name
	}
	return strings.TrimSuffix(name, "-")
}

// reserved are names with a meaning of their own in the go command, which no module can have.
var reserved = []string{"all", "cmd", "main", "std", "tool", "work"}
