package session

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// patterns expands patterns such as ./... to the folders below the folder of the cells that have
// tests. Other paths are returned unchanged: the import path of a package in a module names one
// package only. For instance, ./... may become ./geo and ./geo/polar.
func (l *library) patterns(paths []string) (list []string, err error) {
	for _, path := range paths {
		// The loader recognizes a folder by the prefix ./.
		if path == "." {
			path = "./"
		}
		root, ok := strings.CutSuffix(path, "/...")
		if !ok || !strings.HasPrefix(path, ".") {
			list = append(list, path)
			continue
		}
		before := len(list)
		root = filepath.Join(l.folder, filepath.FromSlash(root))
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			// These are the folders that the go command omits. The root itself may be named . or ..
			// here.
			base := d.Name()
			if base == "testdata" || base == "vendor" || len(base) > 1 && base != ".." && (base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			// A folder with a go.mod is another module, which the go command omits as well.
			if mod, _ := filepath.Glob(filepath.Join(name, "go.mod")); len(mod) > 0 && filepath.Clean(name) != filepath.Clean(root) {
				return fs.SkipDir
			}
			if tests, _ := filepath.Glob(filepath.Join(name, "*_test.go")); len(tests) > 0 {
				if l.folder != "" {
					if name, err = filepath.Rel(l.folder, name); err != nil {
						return err
					}
				}
				list = append(list, relative(filepath.ToSlash(name)))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		// Without an error, a misspelled folder would look like tests that pass.
		if len(list) == before {
			return nil, fmt.Errorf("no folder of %s has tests", path)
		}
	}
	return list, nil
}

// relative converts a folder relative to that of the cells to an import path. For instance, a/b
// becomes ./a/b, and ../c stays.
func relative(name string) string {
	if strings.HasPrefix(name, "../") || name == ".." {
		return name
	}
	return "./" + strings.TrimPrefix(strings.TrimPrefix(name, "./"), ".")
}
