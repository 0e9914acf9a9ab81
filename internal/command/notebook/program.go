package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"gosphere/internal/command/process"
	"gosphere/internal/lazyregexp"
	"gosphere/internal/modulepath"
	"gosphere/internal/notebook/export"
	"gosphere/internal/notebook/imports"
	goprogram "gosphere/internal/notebook/program"
	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/session"
)

// unfit matches characters that do not occur in names of modules.
var unfit = lazyregexp.New(`[^a-z0-9]+`)

// program writes a folder with main.go, go.mod and go.sum.
func (e *Export) program(notebook *nbformat.Notebook, stdout io.Writer) error {
	exported, finder, err := e.makeProgram(notebook)
	if err != nil {
		return err
	}
	folder := e.Output
	if folder == "" {
		folder = e.stem() + "-go"
	}
	name := strings.Trim(unfit.ReplaceAllString(strings.ToLower(filepath.Base(e.stem())), "-"), "-")
	files, err := e.moduleFiles(exported, finder, name)
	var unbuilt *unbuiltError
	if errors.As(err, &unbuilt) { // gosphere runs the program as it is
		files, err = programFiles(exported), nil
	}
	if err != nil {
		return err
	}
	if err := e.spareModule(folder, files); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Join(folder, filepath.FromSlash(file.Name))
		if err := userfile.CheckBelow(folder, file.Name); err != nil {
			return err
		}
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o755), userfile.Write(name, file.Content))
	}
	switch {
	case err != nil:
	case unbuilt != nil:
		_, err = fmt.Fprintf(stdout, "wrote %s; run it with: gosphere run %s\n%v\n", folder, filepath.Join(folder, "main.go"), unbuilt)
	default:
		_, err = fmt.Fprintf(stdout, "wrote %s; run it with: go -C %s run .\n", folder, folder)
	}
	return err
}

// An unbuiltError is the reason why only gosphere can run a program: its module would have to
// include source of gosphere that is not here.
type unbuiltError struct {
	imports []string
	missing error
}

// Error returns what building the program needs.
func (u *unbuiltError) Error() string {
	return fmt.Sprintf("to build it with the go command, export again with the source of gosphere, because it imports %s: %v", strings.Join(u.imports, ", "), u.missing)
}

// programFiles returns the files of a program without a module.
func programFiles(exported *goprogram.Exported) []export.File {
	files := []export.File{{Name: "main.go", Content: export.Seal("go", exported.Source)}}
	for _, name := range slices.Sorted(maps.Keys(exported.Files)) {
		files = append(files, export.File{Name: name, Content: []byte(exported.Files[name])})
	}
	return files
}

// makeProgram exports the notebook.
func (e *Export) makeProgram(notebook *nbformat.Notebook) (*goprogram.Exported, *session.Finder, error) {
	dir, err := filepath.Abs(filepath.Dir(e.File))
	if err != nil {
		return nil, nil, err
	}
	compiled, err := process.Preloaded.Open()
	if err != nil {
		return nil, nil, err
	}
	packages, err := imports.Of(compiled, notebook, dir)
	if err != nil {
		return nil, nil, err
	}
	exported, err := goprogram.Make(notebook, packages, userfile.DirFS(dir))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", e.File, err)
	}
	return exported, packages.Finder, nil
}

// moduleFiles returns the files of the program: main.go, go.mod, go.sum, and the source of the
// packages of gosphere that it imports.
func (e *Export) moduleFiles(exported *goprogram.Exported, finder *session.Finder, name string) ([]export.File, error) {
	module := goprogram.ModuleName(name, func(path string) bool {
		_, err := finder.Library().Import(path)
		return err == nil
	})
	local, err := addLocal(exported, finder, module)
	if err != nil {
		return nil, err
	}
	imports, versions := exported.Brought(), session.CompiledModules()
	source, missing := process.FindSource(e.Source, os.Executable)
	switch {
	case missing == nil && (source.Folder != "" || len(exported.Own()) > 0):
		folder, done, err := sourceFolder(source)
		if err != nil {
			return nil, err
		}
		defer done()
		source.Folder = folder
		addVersions(versions, filepath.Join(folder, "go.mod"))
	case missing == nil:
	case e.Source != "":
		return nil, missing
	case len(exported.Own()) > 0:
		if len(local) > 0 { // gosphere finds them only by the module
			return nil, fmt.Errorf("the program imports %s, whose source the export must include: %w", strings.Join(exported.Own(), ", "), missing)
		}
		return nil, &unbuiltError{exported.Own(), missing}
	}
	for _, p := range finder.Carried() {
		versions[p.Path] = p.Version
	}
	for _, m := range finder.FromSource() {
		delete(versions, m) // the selected version was used
	}
	var own []export.File
	if len(exported.Own()) > 0 {
		files, further, err := ownSource(source.Folder, exported.Own())
		if err != nil {
			return nil, err
		}
		own, imports = files, append(imports, further...)
	}
	needed, sums, err := finder.Closure(context.Background(), imports, versions, modulepath.Path)
	if err != nil {
		return nil, err
	}
	requirements := requirementsOf(needed, exported.Brought())
	mod, err := exported.GoMod(module, requirements)
	if err != nil {
		return nil, err
	}
	files := slices.Insert(programFiles(exported), 1, export.File{Name: "go.mod", Content: export.Seal("go", mod)})
	files = slices.Insert(files, 2, local...)
	if len(needed) > 0 {
		files = append(files, export.File{Name: "go.sum", Content: []byte(strings.Join(sums, "\n") + "\n")})
	}
	if own != nil {
		mod, err := goprogram.OwnMod(requirements)
		if err != nil {
			return nil, err
		}
		files = append(append(files, own...), export.File{Name: goprogram.OwnFolder + "/go.mod", Content: mod})
	}
	return files, nil
}

// requirementsOf returns the requirements for modules. Those that provide none of the imports are
// indirect.
func requirementsOf(needed []session.Needed, imports []string) (list []goprogram.Requirement) {
	for _, m := range needed {
		r := goprogram.Requirement{Path: m.Path, Version: m.Version.Version, Indirect: true}
		if m.Replacement.Path != "" {
			r.Replacement = m.Replacement.String()
		}
		for _, path := range imports {
			r.Indirect = r.Indirect && path != m.Path && !strings.HasPrefix(path, m.Path+"/")
		}
		list = append(list, r)
	}
	return list
}

// sourceFolder returns the folder of a source, unpacked if it is an archive, and a function that
// removes temporary files.
func sourceFolder(source process.Source) (folder string, done func(), err error) {
	if source.Folder != "" {
		return source.Folder, func() {}, nil
	}
	if folder, err = os.MkdirTemp("", "gosphere-source-"); err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(folder) }
	if err := source.Unpack(context.Background(), folder); err != nil {
		done()
		return "", nil, err
	}
	return folder, done, nil
}

// addVersions adds the requirements of a go.mod file to versions, except for modules that it
// already contains.
func addVersions(versions map[string]string, name string) {
	text, err := userfile.ReadFile(name, userfile.Source)
	if err != nil {
		return
	}
	mod, err := modfile.ParseLax(name, text, nil)
	if err != nil {
		return
	}
	for _, r := range mod.Require {
		if versions[r.Mod.Path] == "" {
			versions[r.Mod.Path] = r.Mod.Version
		}
	}
}

// spareModule returns an error, before anything is written, if the export would replace a file of a
// program that was edited.
func (e *Export) spareModule(folder string, files []export.File) error {
	module := false // go.mod was written by an export; go.sum, which has no comments to hold a seal, then counts as the go command's
	for _, file := range files {
		path := filepath.Join(folder, file.Name)
		if module && (filepath.Ext(file.Name) != ".go" && file.Name != "go.mod" || strings.HasPrefix(file.Name, goprogram.OwnFolder+"/")) {
			continue
		}
		old, err := e.spare(outputFile{path: path, content: file.Content})
		if err != nil {
			return err
		}
		module = module || file.Name == "go.mod" && old != nil
	}
	return nil
}
