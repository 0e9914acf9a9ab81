package session

import (
	"context"
	"path/filepath"

	"gosphere/runtime/source"
)

// programPath is the import path of the program that LoadProgram has loaded, as in the go command.
const programPath = "command-line-arguments"

// RunProgram is a cell that runs the program that LoadProgram has loaded.
const RunProgram = `import _ "` + programPath + `"`

// LockModules gives modules that cells require the versions and checksums that a notebook has stored. With only,
// everything else is refused.
func (s *Session) LockModules(requires, sums []string, only bool) {
	s.library.set.Lock(requires, sums, only)
}

// ModuleLock returns the modules that cells have required, with versions, and the checksums of what they use.
func (s *Session) ModuleLock() (requires, sums []string) { return s.library.set.Requirements() }

// LoadProgram loads a package main for RunProgram: that in a folder, of which files may name some, or that with
// an import path such as example.com/tool@latest. Report gets lines about what takes time.
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
