package session

import (
	"context"
	"io"
)

// BindInput sets the function that asks the user for a line. Cells use it through display.Prompt
// and by reading os.Stdin. The function may be called from any goroutine. If it returns an error,
// the reading cell ends.
func (s *Session) BindInput(ask func(prompt string, password bool) (string, error)) {
	s.guard.Streams.BindInput(ask)
}

// BindQuestions is like BindInput, for a kernel: the context of a question identifies the Execute
// call that the cell belongs to. It must be called before the first cell runs.
func (s *Session) BindQuestions(ask func(ctx context.Context, prompt string, password bool) (string, error)) {
	s.questions = ask
}

// ReadInput makes cells that read os.Stdin read from input, without prompts. A program that runs in
// the session then reads the standard input of the process.
func (s *Session) ReadInput(input io.Reader) { s.guard.Streams.ReadInput(input) }
