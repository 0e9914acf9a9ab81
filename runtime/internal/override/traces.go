package override

import (
	"io"
	"log"
	"log/slog"

	"gosphere/runtime/internal/symtab"
)

// Compiled code that recovers a panic of a function of cells gets its stack trace from the runtime,
// which shows the calls of the machine. Where the trace leaves compiled code, the calls of cells
// take their place: in what loggers write, which is where the servers of net/http report panics of
// handlers, and in the errors of gonum/mat.

// traceSupport returns the overrides of functions through which such traces reach cells.
func traceSupport() map[string]any {
	return map[string]any{
		"LogNew":          func(w io.Writer, prefix string, flags int) *log.Logger { return log.New(Traced(w), prefix, flags) },
		"LogSetOutput":    func(w io.Writer) { log.SetOutput(Traced(w)) },
		"LogWriter":       func() io.Writer { return untraced(log.Writer()) },
		"LoggerSetOutput": func(l *log.Logger, w io.Writer) { l.SetOutput(Traced(w)) },
		"LoggerWriter":    func(l *log.Logger) io.Writer { return untraced(l.Writer()) },
		"NewLogLogger": func(h slog.Handler, level slog.Level) *log.Logger {
			l := slog.NewLogLogger(h, level)
			l.SetOutput(Traced(l.Writer()))
			return l
		},
	}
}

// A tracedWriter writes to another writer and shows the calls of cells in stack traces.
type tracedWriter struct{ to io.Writer }

// Write implements [io.Writer].
func (w tracedWriter) Write(text []byte) (int, error) {
	shown := symtab.Translate(text)
	n, err := w.to.Write(shown)
	if n == len(shown) {
		n = len(text)
	}
	return min(n, len(text)), err
}

// Traced returns a writer for a logger that shows the calls of cells in stack traces. A logger
// recognizes io.Discard.
func Traced(w io.Writer) io.Writer {
	if _, done := w.(tracedWriter); done || w == nil || w == io.Discard {
		return w
	}
	return tracedWriter{w}
}

func untraced(w io.Writer) io.Writer {
	if t, ok := w.(tracedWriter); ok {
		return t.to
	}
	return w
}
