package guard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// An Ask asks the user for one line, under a prompt.
type Ask = func(prompt string, password bool) (string, error)

// A source is where the input of a session's cells comes from: somebody who is asked for
// each line, or a reader that is read as it is.
type source struct {
	ask    atomic.Pointer[Ask]
	reader atomic.Pointer[io.Reader]
}

// BindInput tells the guard who answers when a cell wants input.
func (g *Guard) BindInput(ask Ask) { g.source.ask.Store(&ask) }

// ReadInput lets cells read r when they read os.Stdin; BindInput then serves Ask alone.
func (g *Guard) ReadInput(r io.Reader) { g.source.reader.Store(&r) }

// ErrNoInput says that nobody is there to answer, as when a notebook runs without a page.
var ErrNoInput = errors.New("nobody can answer here")

// endOfInput is the answer of terminal clients to Ctrl-D.
const endOfInput = "\x04"

// input is what a cell has been answered and has not read yet, and what it printed last.
type input struct {
	asking sync.Mutex // held from question to answer; guards rest
	rest   []byte

	mu   sync.Mutex // guards line
	line string     // what follows the last end of a line on stdout
}

// longestPrompt bounds the text before a question.
const longestPrompt = 4 << 10

// printed notes what the cell printed.
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

// prompt is the line that the cell has begun on stdout. The answer ends it.
func (i *input) prompt() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	line := i.line
	i.line = ""
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// A Reader reads the input of the cell whose goroutine calls it, or of the process where
// no cell runs.
type Reader struct {
	Process  *os.File
	variable **os.File // os.Stdin, which a cell may set; nil if that does not matter
}

// Stdin is the input of the calling goroutine's cell.
var Stdin = &Reader{os.Stdin, &os.Stdin}

// Read gives the rest of the last answer, or asks for a line. An empty answer is an empty
// line if the cell has asked for it with a text that waits on the current line; a cell that
// reads on without asking would never end otherwise, so that there an empty answer is the
// end of the input. It is no io.RuneScanner, as os.Stdin is none: package fmt reads the
// two differently.
func (r *Reader) Read(p []byte) (int, error) {
	if r.variable != nil && *r.variable != r.Process {
		return (*r.variable).Read(p) // the cell has put a file of its own there
	}
	c := Current()
	if c == nil {
		return r.Process.Read(p)
	}
	return c.read(p)
}

// Close does nothing.
func (r *Reader) Close() error { return nil }

// Name is the name of the process's stream.
func (r *Reader) Name() string { return r.Process.Name() }

// Fd is the descriptor of the process's stream, for programs that ask whether it is a terminal.
func (r *Reader) Fd() uintptr { return r.Process.Fd() }

func (c *Cell) read(p []byte) (int, error) {
	c.endIfStopped()
	if r := c.guard.source.reader.Load(); r != nil {
		n, err := (*r).Read(p)
		c.endIfStopped()
		return n, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	c.input.asking.Lock()
	defer c.input.asking.Unlock()
	if len(c.input.rest) == 0 {
		if forChild() {
			return 0, io.EOF
		}
		prompt := c.input.prompt()
		answer, err := c.Ask(prompt, false)
		switch {
		case errors.Is(err, io.EOF), err == nil && answer == "" && prompt == "":
			return 0, io.EOF
		case err != nil:
			c.refuse(err)
		}
		c.input.rest = append([]byte(answer), '\n')
	}
	n := copy(p, c.input.rest)
	c.input.rest = c.input.rest[n:]
	return n, nil
}

// AskBy sets who answers the questions of this cell, in the place of who answers those of all.
// It is called before Run.
func (c *Cell) AskBy(ask Ask) { c.ask = ask }

// Ask asks the user for one line on behalf of the cell; the answer Ctrl-D is io.EOF. In a
// cell that was stopped it ends the goroutine.
func (c *Cell) Ask(prompt string, password bool) (string, error) {
	c.endIfStopped()
	ask := c.ask
	if all := c.guard.source.ask.Load(); ask == nil && all != nil {
		ask = *all
	}
	if ask == nil {
		return "", ErrNoInput
	}
	answer, err := ask(prompt, password)
	c.endIfStopped()
	c.LetOthers()
	if err == nil && answer == endOfInput {
		return "", io.EOF
	}
	return answer, err
}

// endIfStopped ends the calling goroutine if its cell was told to stop.
func (c *Cell) endIfStopped() {
	if c.stopped.Load() {
		c.StopHere()
	}
}

// refuse ends a cell that reads where nobody can answer. An error from Read would go
// unseen in the many programs that ignore it: they would compute with zeros, or try again
// for ever.
func (c *Cell) refuse(reason error) {
	text := fmt.Sprintf("the cell reads input, but %v: set the value in the code or in a parameters cell, "+
		"run the cell where it can be answered, or use display.Prompt, which returns this as an error", reason)
	c.unanswered.CompareAndSwap(nil, &text)
	c.Stop()
	c.StopHere()
}

// forChild reports whether the input is read for a child process (exec.Cmd with Stdin set to
// os.Stdin). Package exec reads ahead of what the child wants and waits for the end, so that
// each child would make a question; children find the end of the input instead.
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
