package guard

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// A stream holds back the first bytes of an incomplete character, because messages carry text
// rather than bytes.
type stream struct {
	mu   sync.Mutex
	rest string
}

// send passes on the complete characters of a text, or all bytes if cells may print bytes.
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

// writeText writes text that may contain invalid UTF-8. It replaces invalid bytes and warns about
// that once per cell.
func (c *Cell) writeText(name, text string) {
	valid := strings.ToValidUTF8(text, "\uFFFD")
	c.Write(name, valid)
	if valid != text && c.replaced.CompareAndSwap(false, true) {
		c.Write("stderr", "warning: the cell has printed bytes that are not UTF-8, which are shown as \uFFFD; write them to a file to keep them\n")
	}
}

// KeepBytes lets cells print arbitrary bytes unchanged from now on. By default, invalid UTF-8 is
// replaced, because messages to front ends carry text.
func (g *Guard) KeepBytes() { g.bytes.Store(true) }

// wholeCharacters returns the length of text without an incomplete character at its end.
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

// Flush sends the bytes of an incomplete character at the end of a cell, and reports how much
// output was dropped.
func (c *Cell) Flush() {
	defer c.quota.close(c)
	c.guard.flushCaptures(c)
	c.out.flush(c, "stdout")
	c.err.flush(c, "stderr")
}

// flush sends the incomplete character that is held back.
func (s *stream) flush(c *Cell, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != "" {
		c.writeText(name, s.rest)
		s.rest = ""
	}
}

// A Writer writes to a stream of the calling goroutine's cell, or to the process's stream if the
// goroutine has no cell. Print functions and loggers write to it.
type Writer struct {
	name     string
	process  *os.File
	variable **os.File // os.Stdout or os.Stderr, which a cell may assign; nil if that is irrelevant
}

// Stdout and Stderr are the streams of the calling goroutine's cell.
var (
	Stdout = &Writer{"stdout", os.Stdout, &os.Stdout}
	Stderr = &Writer{"stderr", os.Stderr, &os.Stderr}
)

// Write sends p to the cell of the calling goroutine. If the cell has been stopped, Write ends the
// goroutine, so that a printing loop stops immediately.
func (w *Writer) Write(p []byte) (int, error) { return w.write(string(p), true) }

// WriteString is like Write for a string.
func (w *Writer) WriteString(s string) (int, error) { return w.write(s, true) }

// write implements Write. If look is set, text that others have written to the process's
// descriptors is forwarded first. Otherwise nothing can have been written there since the last
// check.
func (w *Writer) write(text string, look bool) (int, error) {
	if w.variable != nil && *w.variable != w.process {
		return (*w.variable).WriteString(text) // the cell has assigned the variable
	}
	c := Current()
	if c == nil {
		return w.process.WriteString(text)
	}
	if c.stopped.Load() {
		c.StopHere()
	}
	c.Yield()
	defer c.Yield() // publishing may have waited
	if look {
		c.guard.drain() // keeps the order of output
	}
	s := &c.out
	if w.name == "stderr" {
		s = &c.err
	}
	s.send(c, w.name, text)
	return len(text), nil
}

// Sync does nothing: text is sent immediately.
func (w *Writer) Sync() error { return nil }

// Close does nothing.
func (w *Writer) Close() error { return nil }

// NewWriter returns a writer for a stream whose fallback is a fixed file of the process.
func NewWriter(name string, process *os.File) *Writer { return &Writer{name: name, process: process} }

// Name returns the name of the process's stream.
func (w *Writer) Name() string { return w.process.Name() }

// Fd returns the descriptor of the process's stream, for programs that check whether it is a
// terminal.
func (w *Writer) Fd() uintptr { return w.process.Fd() }

var _ io.StringWriter = (*Writer)(nil)
