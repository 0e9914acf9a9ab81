package session

import (
	"context"
	"io"

	"gosphere/runtime/guard"
)

// BindInput tells the session how to ask the user for a line. Cells ask with
// display.Prompt, and when they read os.Stdin. The function may be called from any
// goroutine; an error of it is the end of a cell that reads.
func (s *Session) BindInput(ask func(prompt string, password bool) (string, error)) {
	s.guard.BindInput(ask)
}

// BindQuestions is BindInput for a kernel: it tells as well which call of Execute the cell
// belongs to, by its context. It is called before the first cell runs.
func (s *Session) BindQuestions(ask func(ctx context.Context, prompt string, password bool) (string, error)) {
	s.questions = ask
}

// ReadInput lets cells that read os.Stdin read another input as it is, without questions:
// a program that runs in the session reads what the process is given.
func (s *Session) ReadInput(input io.Reader) { s.guard.ReadInput(input) }

// askerOf finds what asks for the calling goroutine's cell for package display.
func askerOf() func(prompt string, password bool) (string, error) {
	c := guard.Current()
	if c == nil {
		return nil
	}
	return c.Ask
}
