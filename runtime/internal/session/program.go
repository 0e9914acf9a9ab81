package session

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/internal/userfile"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/modules/godebug"
	"gosphere/runtime/internal/source"
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
func (l *library) files() fs.FS {
	switch {
	case l.embedded == nil:
		return userfile.DirFS(cmp.Or(l.folder, "."))
	case l.embedded.Files == nil:
		return noFiles{}
	}
	return l.embedded.Files
}

// noFiles is the folder of a session that may read no files.
type noFiles struct{}

// Open fails.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// ModuleLock returns the modules that cells have required, with versions, and the checksums of
// everything they use.
func (s *Session) ModuleLock() (requires, sums []string) { return s.library.set.Requirements() }

// A Program is a package main that is run as a whole, and not as cells.
type Program struct {
	// Path is a folder, or an import path such as example.com/tool@latest.
	Path string
	// Files selects files of the folder; nil stands for those that the build constraints select.
	Files []string
	// Text is the text of the only file if it is not on disk.
	Text []byte
	// Stdout and Stderr are the standard streams of the program.
	Stdout, Stderr io.Writer
}

// LoadProgram loads a program for RunProgram, and makes the session run it as a compiled program
// would run: a panic in any goroutine and a deadlock end it, and its output has no limit. An error
// of its files is a *source.ProgramError. LoadProgram calls report with lines about slow
// operations.
func (s *Session) LoadProgram(ctx context.Context, p Program, report func(text string)) error {
	l := s.library
	l.report = report
	defer func() { l.report = nil }()
	place := source.Place{Dir: p.Path, Local: true}
	if abs, err := filepath.Abs(p.Path); err == nil && isFolder(abs) {
		if _, err := l.set.Open(abs); err != nil {
			return err
		}
		l.opened = abs
		place.Dir = abs
		// The go command gives files that are named one by one the language version of the toolchain.
		if own, _ := l.set.FindFolder(abs); own != nil && p.Files == nil {
			place.GoVersion = own.GoVersion
		}
		if p.Text != nil {
			place.Tree = source.OneFile(filepath.Base(p.Files[0]), p.Text)
		}
	} else {
		found, err := l.program(ctx, p.Path)
		if err != nil {
			return err
		}
		place = found
	}
	loaded, err := l.loader.LoadProgram(ctx, programPath, place, p.Files)
	if err != nil {
		return err
	}
	if err := l.applySettings(loaded, place); err != nil {
		return err
	}
	s.guard.AsProgram(s.link.Machine().Waits)
	// A program has the process for itself, and compiled Go permits 1 GB.
	s.link.Machine().Stack.CompareAndSwap(0, 200<<20)
	s.guard.Streams.WriteTo(p.Stdout, p.Stderr)
	return nil
}

// applySettings makes the settings of GODEBUG of a program take effect.
func (l *library) applySettings(p *source.Package, place source.Place) error {
	module := l.set.Debug()
	if !place.Local { // its module has no requirements of its own to add to
		module = godebug.Module{GoVersion: strings.TrimPrefix(place.GoVersion, "go")}
	}
	var directives []godebug.Setting
	for _, d := range p.Directives("//go:debug ") {
		s, err := godebug.Parse(d.Text, d.Position)
		if err != nil {
			return err
		}
		directives = append(directives, s)
	}
	settings, err := godebug.Settings(module, directives)
	if err != nil {
		return err
	}
	return godebug.Apply(settings)
}

// programFailure converts the outcome of a program to a failure whose traceback is the text that a
// compiled program prints. It returns nil for an outcome that compiled programs do not have.
func programFailure(o guard.Outcome) *failure {
	trace := func(name, head, state string) *failure {
		lines := []string{head}
		if state != "" {
			lines = append(append(lines, "", "goroutine 1 ["+state+"]:"), o.Calls...)
		}
		return &failure{name: name, value: head, traceback: lines}
	}
	switch o.Kind {
	case guard.Fatal:
		return trace("fatal error", "fatal error: "+o.Text, o.State)
	case guard.Overflowed:
		f := trace("fatal error", "fatal error: stack overflow", "running")
		f.traceback = slices.Insert(f.traceback, 0, "runtime: goroutine stack exceeds "+o.Text+" limit")
		return f
	case guard.Panicked:
		if o.Panic.Name != "" {
			return nil
		}
		return trace("panic", "panic: "+o.Chain, "running")
	}
	return nil
}

// inProgram reports whether the cell of the record is a program.
func (r *record) inProgram() bool { return r.execution.session.guard.IsProgram() }
