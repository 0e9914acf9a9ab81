package streams

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gosphere/runtime/internal/guard/eventloop"
)

// Write writes text to the stream stdout or stderr of the cell.
func (s *Streams) Write(stream, text string) {
	if d := s.process.direct.Load(); d != nil {
		_, _ = io.WriteString(d.of(stream), text)
		return
	}
	if stream == "stdout" {
		s.input.printed(text)
	}
	ok, note := s.quota.Take(text)
	if note != "" {
		s.write("stderr", note)
	}
	if ok {
		s.slowDown(len(text))
		s.write(stream, text)
		eventloop.Turn()
	}
}

// slowDown waits if the cell prints too fast, and reports that once. Stopping the cell ends the
// wait.
func (s *Streams) slowDown(n int) {
	wait, note := s.rate.Wait(n, s.process.rate)
	if note != "" {
		s.write("stderr", note)
	}
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.cell.Done():
	}
}

// A stream holds back the first bytes of an incomplete character, because messages carry text
// rather than bytes.
type stream struct {
	mu   sync.Mutex
	rest string
}

// send passes on the complete characters of a text, or all bytes if cells may print bytes.
func (s *stream) send(of *Streams, name, text string) {
	if of.process.bytes.Load() {
		of.Write(name, text)
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
		of.writeText(name, text[:cut])
	}
}

// writeText writes text that may contain invalid UTF-8. It replaces invalid bytes and warns about
// that once per cell.
func (s *Streams) writeText(name, text string) {
	valid := strings.ToValidUTF8(text, "\uFFFD")
	s.Write(name, valid)
	if valid != text && s.replaced.CompareAndSwap(false, true) {
		s.Write("stderr", "warning: the cell has printed bytes that are not UTF-8, which are shown as \uFFFD; write them to a file to keep them\n")
	}
}

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
func (s *Streams) Flush() {
	s.process.flushCaptures(s)
	s.out.flush(s, "stdout")
	s.err.flush(s, "stderr")
	if note := s.quota.Close(); note != "" {
		s.write("stderr", note)
	}
}

// flush sends the incomplete character that is held back.
func (s *stream) flush(of *Streams, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != "" {
		of.writeText(name, s.rest)
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
func (w *Writer) Write(p []byte) (int, error) { return w.WriteString(string(p)) }

// WriteString is like Write for a string.
func (w *Writer) WriteString(text string) (int, error) {
	s := current()
	if variable := w.variableOf(s); variable != nil && *variable != w.process {
		return (*variable).WriteString(text) // the cell has assigned the variable
	}
	if s == nil {
		return w.process.WriteString(text)
	}
	s.cell.EndIfStopped()
	if d := s.process.direct.Load(); d != nil {
		return io.WriteString(d.of(w.name), text)
	}
	s.cell.Yield()
	defer s.cell.Yield() // publishing may have waited
	s.process.drain()    // keeps the order of output
	to := &s.out
	if w.name == "stderr" {
		to = &s.err
	}
	to.send(s, w.name, text)
	return len(text), nil
}

// variableOf returns os.Stdout or os.Stderr as the code of a cell sees it, or nil if it is
// irrelevant.
func (w *Writer) variableOf(s *Streams) **os.File {
	if w.variable == nil || s == nil {
		return w.variable
	}
	own := s.process.own.Load()
	switch {
	case own == nil:
		return w.variable
	case w.name == "stderr":
		return own.stderr
	}
	return own.stdout
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
