package streams

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
)

// ErrNoInput reports that no user can answer, as when a notebook runs without a front end.
var ErrNoInput = errors.New("there is no front end that can answer")

// endOfInput is the answer that terminal clients send for Ctrl-D.
const endOfInput = "\x04"

// input holds the unread part of the last answer and the current line of output.
type input struct {
	asking sync.Mutex // held from question to answer; guards rest
	rest   []byte

	mu   sync.Mutex // guards line
	line string     // text on stdout since the last line end
}

// longestPrompt bounds the text that is kept as a prompt.
const longestPrompt = 4 << 10

// printed records text that the cell has printed.
func (i *input) printed(text string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		i.line, text = "", text[end+1:]
	}
	if len(i.line)+len(text) <= longestPrompt {
		i.line += text
	}
}

// prompt returns the line that the cell has begun on stdout. The answer ends that line.
func (i *input) prompt() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	line := i.line
	i.line = ""
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// A Reader reads the input of the calling goroutine's cell, or of the process if the goroutine has
// no cell.
type Reader struct {
	Process  *os.File
	variable **os.File // os.Stdin, which a cell may assign; nil if that is irrelevant
}

// Stdin is the input of the calling goroutine's cell.
var Stdin = &Reader{os.Stdin, &os.Stdin}

// Read returns the rest of the last answer, or asks for a line.
//
// An empty answer is an empty line if the cell has printed a prompt on the current line. Otherwise
// it is the end of the input, because a cell that reads without prompting would never end.
//
// Reader does not implement io.RuneScanner because os.Stdin does not, and package fmt reads the two
// kinds differently.
func (r *Reader) Read(p []byte) (int, error) {
	if r.variable != nil && *r.variable != r.Process {
		return (*r.variable).Read(p) // the cell has assigned os.Stdin
	}
	s := current()
	if s == nil {
		return r.Process.Read(p)
	}
	return s.read(p)
}

// Close does nothing.
func (r *Reader) Close() error { return nil }

// Name returns the name of the process's stream.
func (r *Reader) Name() string { return r.Process.Name() }

// Fd returns the descriptor of the process's stream, for programs that check whether it is a
// terminal.
func (r *Reader) Fd() uintptr { return r.Process.Fd() }

// read implements Reader.Read for the cell. It holds the lock asking while it waits for an answer,
// so that several goroutines of a cell ask one after another.
func (s *Streams) read(p []byte) (int, error) {
	s.cell.EndIfStopped()
	if r := s.process.reader.Load(); r != nil {
		n, err := (*r).Read(p)
		s.cell.EndIfStopped()
		return n, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	s.input.asking.Lock()
	defer s.input.asking.Unlock()
	if len(s.input.rest) == 0 {
		if forChild() {
			return 0, io.EOF
		}
		prompt := s.input.prompt()
		answer, err := s.Ask(prompt, false)
		switch {
		case errors.Is(err, io.EOF), err == nil && answer == "" && prompt == "":
			return 0, io.EOF
		case err != nil:
			s.refuse(err)
		}
		s.input.rest = append([]byte(answer), '\n')
	}
	n := copy(p, s.input.rest)
	s.input.rest = s.input.rest[n:]
	return n, nil
}

// AskBy sets the function that answers the questions of this cell, instead of that of the session.
// It must be called before Run.
func (s *Streams) AskBy(ask Ask) { s.ask = ask }

// Ask asks the user for one line on behalf of the cell. If the answer is Ctrl-D, the error is
// io.EOF. If the cell has been stopped, Ask ends the goroutine.
func (s *Streams) Ask(prompt string, password bool) (string, error) {
	s.cell.EndIfStopped()
	ask := s.ask
	if all := s.process.ask.Load(); ask == nil && all != nil {
		ask = *all
	}
	if ask == nil {
		return "", ErrNoInput
	}
	answer, err := ask(prompt, password)
	s.cell.EndIfStopped()
	s.cell.Yield()
	if err == nil && answer == endOfInput {
		return "", io.EOF
	}
	return answer, err
}

// refuse ends a cell that reads input when no user can answer. Read does not return an error
// instead, because many programs ignore it: they would compute with zeros or retry forever.
func (s *Streams) refuse(reason error) {
	text := fmt.Sprintf("the cell reads input, but %v: set the value in the code or in a parameters cell, "+
		"run the cell where it can be answered, or use display.Prompt, which returns this as an error", reason)
	s.cell.EndUnanswered(text)
}

// forChild reports whether the input is read for a child process (an exec.Cmd whose Stdin is
// os.Stdin). Package os/exec reads ahead and waits for the end of the input, so every child process
// would cause a question. Child processes get an empty input instead.
func forChild() bool {
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "os/exec.") {
			return true
		}
		if !more {
			return false
		}
	}
}
