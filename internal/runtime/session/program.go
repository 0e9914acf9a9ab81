package session

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"gosphere/internal/runtime/source"
)

// programPath is the import path of the program loaded by LoadProgram, as in the go command.
const programPath = "command-line-arguments"

// RunProgram is the text of a cell that runs the program loaded by LoadProgram.
const RunProgram = `import _ "` + programPath + `"`

// LockModules fixes the versions and checksums of modules that cells require to those stored in a
// notebook. If only is set, all other modules are refused.
func (s *Session) LockModules(requires, sums []string, only bool) {
	s.library.set.Lock(requires, sums, only)
}

// ImportFrom sets the folder to which relative import paths refer, and whose go.mod or go.work
// applies, and whose files go:embed directives name. The default is the working directory, which is
// the notebook's folder in Jupyter.
func (s *Session) ImportFrom(dir string) { s.library.folder = dir }

// files returns the folder of the cells.
func (l *library) files() fs.FS { return os.DirFS(cmp.Or(l.folder, ".")) }

// ModuleLock returns the modules that cells have required, with versions, and the checksums of
// everything they use.
func (s *Session) ModuleLock() (requires, sums []string) { return s.library.set.Requirements() }

// LoadProgram loads a main package for RunProgram. path is a folder, of which files may select some
// files, or an import path such as example.com/tool@latest. LoadProgram calls report with lines
// about slow operations.
func (s *Session) LoadProgram(ctx context.Context, path string, files []string, report func(text string)) error {
	l := s.library
	l.report = report
	defer func() { l.report = nil }()
	place := source.Place{Dir: path, GoVersion: "", Local: true}
	if abs, err := filepath.Abs(path); err == nil && isFolder(abs) {
		if _, err := l.set.Open(abs); err != nil {
			return err
		}
		l.opened = abs
		place.Dir = abs
	} else {
		found, err := l.program(ctx, path)
		if err != nil {
			return err
		}
		place = found
	}
	return l.loader.LoadProgram(ctx, programPath, place, files)
}
