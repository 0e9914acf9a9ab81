package guard

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// A stream holds back the beginning of a character whose end has not been written yet,
// because messages carry text and not bytes.
type stream struct {
	mu   sync.Mutex
	rest string
}

// send hands on the whole characters of a text, or all of its bytes if those need not be text.
func (s *stream) send(c *Cell, name, text string) {
	if c.guard.bytes.Load() {
		c.Write(name, text)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != "" {
		text = s.rest + text
		s.rest = ""
	}
	cut := wholeCharacters(text)
	if cut < len(text) {
		s.rest = strings.Clone(text[cut:])
	}
	if cut > 0 {
		c.writeText(name, text[:cut])
	}
}

// writeText writes what may have bytes that are not UTF-8. The first time it replaces some, it
// says so.
func (c *Cell) writeText(name, text string) {
	valid := strings.ToValidUTF8(text, "\uFFFD")
	c.Write(name, valid)
	if valid != text && c.replaced.CompareAndSwap(false, true) {
		c.Write("stderr", "warning: the cell has printed bytes that are not UTF-8, which are shown as \uFFFD; write them to a file to keep them\n")
	}
}

// KeepBytes lets cells print any bytes as they are from now on. Without it bytes that are not
// UTF-8 are replaced, because messages to pages carry text.
func (g *Guard) KeepBytes() { g.bytes.Store(true) }

// wholeCharacters is the length of text without the beginning of a character at its end.
func wholeCharacters(text string) int {
	for back := 1; back <= utf8.UTFMax && back <= len(text); back++ {
		if b := text[len(text)-back]; utf8.RuneStart(b) {
			if utf8.FullRuneInString(text[len(text)-back:]) {
				return len(text)
			}
			return len(text) - back
		}
	}
	return len(text)
}

// Flush sends what is left of an unfinished character at the end of a cell, and tells how
// much the cell has printed in vain.
func (c *Cell) Flush() {
	defer c.quota.close(c)
	c.guard.flushCaptures(c)
	c.out.flush(c, "stdout")
	c.err.flush(c, "stderr")
}

// flush sends the unfinished character that is held back.
func (s *stream) flush(c *Cell, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != "" {
		c.writeText(name, s.rest)
		s.rest = ""
	}
}

// A Writer writes to a stream of the cell whose goroutine calls it, or to the process's
// own where no cell runs. Printing functions and loggers write to it.
type Writer struct {
	name     string
	process  *os.File
	variable **os.File // os.Stdout or os.Stderr, which a cell may set; nil if that does not matter
}

// Stdout and Stderr are the streams of the calling goroutine's cell.
var (
	Stdout = &Writer{"stdout", os.Stdout, &os.Stdout}
	Stderr = &Writer{"stderr", os.Stderr, &os.Stderr}
)

// Write sends p to the cell of the calling goroutine. In a cell that was stopped it ends
// the goroutine: a loop that prints stops at once.
func (w *Writer) Write(p []byte) (int, error) { return w.write(string(p), true) }

// WriteString is Write for a string.
func (w *Writer) WriteString(s string) (int, error) { return w.write(s, true) }

// write is Write. What others have written to the process's descriptors comes before the text
// if look is set; otherwise nothing can have been written there since the last look.
func (w *Writer) write(text string, look bool) (int, error) {
	if w.variable != nil && *w.variable != w.process {
		return (*w.variable).WriteString(text) // the cell has put a file of its own there
	}
	c := Current()
	if c == nil {
		return w.process.WriteString(text)
	}
	if c.stopped.Load() {
		c.StopHere()
	}
	c.LetOthers()
	defer c.LetOthers() // publishing may have waited
	if look {
		c.guard.drain() // what was written before comes before
	}
	s := &c.out
	if w.name == "stderr" {
		s = &c.err
	}
	s.send(c, w.name, text)
	return len(text), nil
}

// Sync does nothing: text is sent at once.
func (w *Writer) Sync() error { return nil }

// Close does nothing.
func (w *Writer) Close() error { return nil }

// NewWriter returns a writer of a stream that stays with a file of the process.
func NewWriter(name string, process *os.File) *Writer { return &Writer{name: name, process: process} }

// Name is the name of the process's stream.
func (w *Writer) Name() string { return w.process.Name() }

// Fd is the descriptor of the process's stream, for programs that ask whether it is a terminal.
func (w *Writer) Fd() uintptr { return w.process.Fd() }

var _ io.StringWriter = (*Writer)(nil)
