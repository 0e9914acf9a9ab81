// Package generic holds sources for the generic functions and types of the standard
// library.
//
// Tables of compiled symbols cannot hold generic functions, so cells get them as
// source: the front end type-checks a cell against the standard package, and takes the
// body of a generic function from here to make an instance for its type arguments.
// The packages below this one are ordinary compiled packages, so that their tests
// compare each function with the standard one.
//
// Their code is plain on purpose: no unsafe, no package variables, no types declared in
// functions, no range over functions; constraints and type parameters as the standard
// library has them. They do not repeat what is not generic.
//
// Some functions of the most common element types also exist compiled, see Compiled.
package generic

import (
	"embed"
	"path"
	"strings"
)

//go:embed slices/*.go maps/*.go cmp/*.go iter/*.go sync/*.go sync/atomic/*.go math/rand/v2/*.go errors/*.go
//go:embed weak/*.go runtime/*.go database/sql/*.go reflect/*.go unique/*.go hash/maphash/*.go crypto/hkdf/*.go crypto/pbkdf2/*.go
var sources embed.FS

// Source returns the files with the generic part of a standard package, by file name.
func Source(importPath string) (files map[string]string, ok bool) {
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
