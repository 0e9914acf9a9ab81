package notebook

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/modulepath"
	"gosphere/internal/notebook/export"
	goprogram "gosphere/internal/notebook/program"
	"gosphere/runtime/session"
)

// A localSource copies packages that exist only on this machine into an exported program: those in
// folders beside the notebook and in its own module, and other notebooks.
type localSource struct {
	module  string            // path of the program's module
	folders map[string]string // folders of the packages in the program, by import path
	files   []export.File
	imports []string // of the packages, from other modules and gosphere
}

// addLocal adds the local packages of a program to it: it rewrites their imports in main.go and
// returns their files.
func addLocal(exported *goprogram.Exported, finder *session.Finder, module string) ([]export.File, error) {
	packages, err := finder.Local(exported.Imports)
	if err != nil || len(packages) == 0 {
		return nil, err
	}
	l := &localSource{module: module, folders: folderNames(packages)}
	for _, p := range packages {
		if err := l.add(p); err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Path, err)
		}
	}
	if exported.Source, err = l.rewritten(exported.Source, nil); err != nil {
		return nil, err
	}
	if exported.Source, err = format.Source(exported.Source); err != nil {
		return nil, err
	}
	exported.Imports = slices.DeleteFunc(exported.Imports, func(path string) bool { return l.folders[path] != "" })
	for _, path := range l.imports {
		if !slices.Contains(exported.Imports, path) {
			exported.Imports = append(exported.Imports, path)
		}
	}
	return l.files, nil
}

var unfitFolder = lazyregexp.New(`[^A-Za-z0-9_.-]+`)

// folderNames chooses the folders of packages in the program. Paths of a module lose their common
// beginning, and relative paths the dots. A folder internal is renamed, because a program outside
// the module may not import it.
func folderNames(packages []*session.LocalPackage) map[string]string {
	common := -1
	var first []string
	for _, p := range packages {
		elements := strings.Split(p.Path, "/")
		switch {
		case strings.HasPrefix(elements[0], "."):
		case common < 0:
			first, common = elements, len(elements)-1
		default:
			common = min(common, len(elements)-1)
			for i := range common {
				if elements[i] != first[i] {
					common = i
					break
				}
			}
		}
	}
	folders, taken := map[string]string{}, map[string]bool{goprogram.OwnFolder: true}
	for _, p := range packages {
		elements := strings.Split(p.Path, "/")
		if strings.HasPrefix(elements[0], ".") {
			elements = strings.Split(path.Clean(strings.Join(elements, "/")), "/")
			for elements[0] == ".." {
				elements = elements[1:]
			}
		} else {
			elements = elements[common:]
		}
		for i, name := range elements {
			name = strings.Trim(unfitFolder.ReplaceAllString(name, "-"), "-._")
			if name == "internal" || name == "vendor" || name == "testdata" || name == "" {
				name = "local" + name
			}
			elements[i] = name
		}
		if last := len(elements) - 1; p.OfCells {
			elements[last], _, _ = strings.Cut(elements[last], ".")
		}
		folder := strings.Join(elements, "/")
		for i := 2; taken[folder]; i++ {
			folder = strings.Join(elements, "/") + strconv.Itoa(i)
		}
		folders[p.Path], taken[folder] = folder, true
	}
	return folders
}

// add adds the files of a package.
func (l *localSource) add(p *session.LocalPackage) error {
	folder := l.folders[p.Path]
	texts, err := p.Texts()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if path.Ext(name) == ".go" {
			if text, err = l.rewritten(text, p); err != nil {
				return err
			}
			if p.SharesLoops {
				text = withOldLoops(text)
			}
			text = export.Seal("go", text)
		}
		l.files = append(l.files, export.File{Name: folder + "/" + name, Content: text})
	}
	return nil
}

// rewritten returns a Go file with the paths that local packages have in the program. It records
// imports from other modules. in is nil for the program itself, whose imports are resolved already.
func (l *localSource) rewritten(text []byte, in *session.LocalPackage) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range slices.Backward(f.Imports) {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if in != nil {
			imported = in.Resolved(imported)
		}
		first, _, _ := strings.Cut(imported, "/")
		if folder := l.folders[imported]; folder != "" {
			start, end := fset.Position(spec.Path.Pos()).Offset, fset.Position(spec.Path.End()).Offset
			text = slices.Concat(text[:start], []byte(strconv.Quote(l.module+"/"+folder)), text[end:])
		} else if in != nil && (strings.Contains(first, ".") || modulepath.Contains(imported)) {
			l.imports = append(l.imports, imported)
		}
	}
	return text, nil
}

var buildLine = lazyregexp.New(`(?m)^//go:build (.*)$`)

// withOldLoops keeps the meaning of a file of a module from before Go 1.22, whose loops share their
// variables between iterations: its build constraint sets the language version.
func withOldLoops(text []byte) []byte {
	at := buildLine.FindSubmatchIndex(text)
	if at == nil || bytes.Contains(text[:at[0]], []byte("\npackage ")) {
		return append([]byte("//go:build go1.21\n\n"), text...)
	}
	return slices.Concat(text[:at[0]], []byte("//go:build ("), text[at[2]:at[3]], []byte(") && go1.21"), text[at[1]:])
}
