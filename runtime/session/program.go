package session

import (
	"context"
	"errors"
	"go/token"
	"io"

	"gosphere/kernel/protocol"
	inner "gosphere/runtime/internal/session"
	"gosphere/runtime/internal/source"
)

// A Program is a Go program, with the behavior that the compiler would give it.
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

// A ProgramError is the error of a program that does not compile.
type ProgramError struct {
	Mistakes []Mistake // sorted by position
	// Imports reports whether the mistakes are imports without a package or files to embed that do
	// not exist. The go command finds these before it compiles the program.
	Imports bool
}

// A Mistake is one error of a program.
type Mistake struct {
	token.Position
	Message string
}

// Error returns the mistakes, one on a line, as the compiler prints them.
func (e *ProgramError) Error() string {
	list := make([]source.Mistake, len(e.Mistakes))
	for i, m := range e.Mistakes {
		list[i] = source.Mistake(m)
	}
	return (&source.ProgramError{Mistakes: list, Imports: e.Imports}).Error()
}

// LoadProgram loads a program, which RunProgram runs. report gets the names of modules while they
// are fetched. If the program does not compile, the error is a *ProgramError.
func (s *Session) LoadProgram(ctx context.Context, p Program, report func(text string)) error {
	err := s.inner.LoadProgram(ctx, inner.Program(p), report)
	var broken *source.ProgramError
	if !errors.As(err, &broken) {
		return err
	}
	public := &ProgramError{Imports: broken.Imports}
	for _, m := range broken.Mistakes {
		public.Mistakes = append(public.Mistakes, Mistake(m))
	}
	return public
}

// RunProgram runs the loaded program.
func (s *Session) RunProgram(ctx context.Context, publish func(protocol.Content)) protocol.ExecuteReply {
	return s.inner.Execute(ctx, protocol.ExecuteRequest{Code: inner.RunProgram, StopOnError: true}, publish)
}
