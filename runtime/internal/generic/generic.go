// Package generic holds source code of the generic functions and types of the standard library, and
// of the packages of this module that cells import.
//
// Tables of compiled symbols cannot contain generic functions, so cells get them as source. A cell
// is type-checked against the standard package. To make an instance, the body of the generic
// function is taken from here. The packages below this one are ordinary compiled packages, so that
// their tests can compare each function with the standard one.
//
// # Invariants
//
// The code is deliberately plain: it uses no unsafe, no package variables, no types declared in
// functions and no range over functions. Constraints and type parameters are those of the standard
// library. Only the generic parts of packages are included.
//
// Some functions also exist in compiled form for the most common element types; see Compiled.
//
// The rules have these reasons. Package variables would need an initialization, and would exist
// once more beside those of the compiled package. A type that is declared in a function with type
// parameters is another type in each instance, which the front end would have to make. A range over
// a function is compiled to a function literal with checks of its state, so calling the function
// directly is faster in cells.
//
// Where a function needs package unsafe, or a standard type without its type parameter, it calls
// package erased, which is compiled.
//
// The functions have the results, the panics and the order of calls of the standard ones, but not
// their algorithms. Instances of cells run as closures: a loop turn costs several nanoseconds and a
// call more, so fewer and simpler steps count for more than they do in compiled code.
package generic

import (
	"embed"
	"path"
	"strings"

	"gosphere/internal/modulepath"
)

//go:embed slices/*.go maps/*.go cmp/*.go iter/*.go sync/*.go sync/atomic/*.go math/rand/v2/*.go errors/*.go
//go:embed weak/*.go runtime/*.go database/sql/*.go reflect/*.go unique/*.go hash/maphash/*.go encoding/json/v2/*.go encoding/json/jsontext/*.go crypto/hkdf/*.go crypto/pbkdf2/*.go table/*.go must/*.go
var sources embed.FS

// folders are the folders of packages of this module.
var folders = map[string]string{modulepath.Path + "/runtime/table": "table", modulepath.Path + "/runtime/must": "must"}

// Source returns the files with the generic part of a package, by file name.
func Source(importPath string) (files map[string]string, ok bool) {
	if folder, own := folders[importPath]; own {
		importPath = folder
	} else if importPath == "table" || importPath == "must" {
		return nil, false
	}
	entries, err := sources.ReadDir(importPath)
	if err != nil {
		return nil, false
	}
	files = make(map[string]string)
	for _, entry := range entries {
		if entry.IsDir() || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		text, err := sources.ReadFile(path.Join(importPath, entry.Name()))
		if err != nil {
			return nil, false
		}
		files[entry.Name()] = string(text)
	}
	return files, len(files) > 0
}
