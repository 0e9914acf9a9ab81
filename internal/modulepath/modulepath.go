// Package modulepath holds the import path of this module, which code compares with the paths of
// packages. make rename changes it together with all imports.
package modulepath

import "strings"

// Path is the path of this module.
const Path = "gosphere"

// Contains reports whether a package belongs to this module.
func Contains(path string) bool {
	return path == Path || strings.HasPrefix(path, Path+"/")
}
