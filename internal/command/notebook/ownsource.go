package notebook

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/modulepath"
	"gosphere/internal/notebook/export"
	"gosphere/internal/notebook/program"
)

// ownSource reads the packages of gosphere that a program needs, as files of the program's folder,
// and returns their imports from other modules.
func ownSource(source string, paths []string) (files []export.File, imports []string, err error) {
	seen := map[string]bool{}
	for queue := slices.Clone(paths); len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if seen[path] {
			continue
		}
		seen[path] = true
		if first, _, _ := strings.Cut(path, "/"); modulepath.Contains(path) {
			found, further, err := ownPackage(source, strings.TrimPrefix(path, modulepath.Path+"/"))
			if err != nil {
				return nil, nil, err
			}
			files, queue = append(files, found...), append(queue, further...)
		} else if strings.Contains(first, ".") {
			imports = append(imports, path)
		}
	}
	for _, name := range []string{"LICENSE", "install/licenses/NOTICE"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return nil, nil, err
		}
		files = append(files, export.File{Name: program.OwnFolder + "/" + filepath.Base(name), Content: text})
	}
	slices.Sort(imports)
	return files, imports, nil
}

// ownPackage reads one package: its files except tests, and its subfolders that are not packages.
func ownPackage(source, rest string) (files []export.File, imports []string, err error) {
	folder := filepath.Join(source, filepath.FromSlash(rest))
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			sources, _ := filepath.Glob(filepath.Join(name, "*.go"))
			if name != folder && (len(sources) > 0 || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".go") {
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range f.Imports {
				if path, err := strconv.Unquote(spec.Path.Value); err == nil {
					imports = append(imports, path)
				}
			}
		}
		relative, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		files = append(files, export.File{Name: program.OwnFolder + "/" + filepath.ToSlash(relative), Content: text})
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading the source of gosphere/%s: %w", rest, err)
	}
	return files, imports, nil
}
