package override

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"weak"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/symtab"
)

// logSupport returns the overrides of packages log and log/slog. Loggers that write the position of
// the call would find the machine, which calls them, in place of the function of cells. The names
// are those of [overrides] and [methodOverrides].
//
// Fatal ends the cell and not the process, and Panic panics after the line has been written, as the
// originals do.
func (g functions) logSupport() map[string]any {
	fatal := func(l *log.Logger, s string) { _ = write(l, 1, s); exit(1) }
	fail := func(l *log.Logger, s string) { _ = write(l, 1, s); panic(s) }
	support := map[string]any{
		"LogOutput":    func(depth int, s string) error { return write(g.logger(), depth, s) },
		"LoggerOutput": write,
		"TextHandler":  textHandler, "JSONHandler": jsonHandler,
	}
	for name, format := range map[string]func(...any) string{"": g.sprint, "ln": g.sprintln} {
		support["LogPrint"+name] = func(a ...any) { _ = write(g.logger(), 1, format(a...)) }
		support["LogFatal"+name] = func(a ...any) { fatal(g.logger(), format(a...)) }
		support["LogPanic"+name] = func(a ...any) { fail(g.logger(), format(a...)) }
		support["LoggerPrint"+name] = func(l *log.Logger, a ...any) { _ = write(l, 1, format(a...)) }
		support["LoggerFatal"+name] = func(l *log.Logger, a ...any) { fatal(l, format(a...)) }
		support["LoggerPanic"+name] = func(l *log.Logger, a ...any) { fail(l, format(a...)) }
	}
	support["LogPrintf"] = func(format string, a ...any) { _ = write(g.logger(), 1, g.sprintf(format, a...)) }
	support["LogFatalf"] = func(format string, a ...any) { fatal(g.logger(), g.sprintf(format, a...)) }
	support["LogPanicf"] = func(format string, a ...any) { fail(g.logger(), g.sprintf(format, a...)) }
	support["LoggerPrintf"] = func(l *log.Logger, format string, a ...any) { _ = write(l, 1, g.sprintf(format, a...)) }
	support["LoggerFatalf"] = func(l *log.Logger, format string, a ...any) { fatal(l, g.sprintf(format, a...)) }
	support["LoggerPanicf"] = func(l *log.Logger, format string, a ...any) { fail(l, g.sprintf(format, a...)) }
	return support
}

// write implements [log.Logger.Output]. If the logger writes positions, the line is written by a
// logger without them, and the position becomes the beginning of the text: it follows all other
// parts of the header but the prefix of [log.Lmsgprefix].
//
// The parts of the header that depend on time are left to package log, which writes them in its own
// format.
func write(l *log.Logger, depth int, text string) error {
	flags, prefix := l.Flags(), l.Prefix()
	if flags&(log.Lshortfile|log.Llongfile) == 0 {
		return l.Output(2, text)
	}
	_, file, line, ok := symtab.Caller(depth - 1)
	if !ok {
		file = "???"
	}
	if flags&log.Lshortfile != 0 {
		file = path.Base(file)
	}
	if flags&log.Lmsgprefix != 0 {
		text, prefix = prefix+text, ""
	}
	text = fmt.Sprintf("%s:%d: %s", file, line, text)
	// A logger serializes what it writes.
	mu := lockOf(l)
	mu.Lock()
	defer mu.Unlock()
	return log.New(l.Writer(), prefix, flags&^(log.Lshortfile|log.Llongfile)).Output(2, text)
}

// writing has a lock for each logger that has written positions. A program may make a logger for
// each request, so an entry ends with its logger.
var writing sync.Map // weak.Pointer[log.Logger] to *sync.Mutex

// lockOf returns the lock of a logger.
func lockOf(l *log.Logger) *sync.Mutex {
	key := weak.Make(l)
	mu, known := writing.LoadOrStore(key, new(sync.Mutex))
	if !known {
		runtime.AddCleanup(l, func(key weak.Pointer[log.Logger]) { writing.Delete(key) }, key)
	}
	return mu.(*sync.Mutex)
}

// textHandler implements [slog.NewTextHandler].
func textHandler(w io.Writer, options *slog.HandlerOptions) *slog.TextHandler {
	return slog.NewTextHandler(w, withPositions(options))
}

// jsonHandler implements [slog.NewJSONHandler].
func jsonHandler(w io.Writer, options *slog.HandlerOptions) *slog.JSONHandler {
	return slog.NewJSONHandler(w, withPositions(options))
}

// withPositions returns options with which a handler writes the position of the call in cells. A
// handler runs while the call is in progress.
//
// The attribute is replaced before the user's own ReplaceAttr sees it, which therefore gets what it
// would get in a compiled program.
func withPositions(options *slog.HandlerOptions) *slog.HandlerOptions {
	if options == nil || !options.AddSource {
		return options
	}
	own := *options
	own.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if s, ok := a.Value.Any().(*slog.Source); ok && len(groups) == 0 && a.Key == slog.SourceKey && inMachine(s.Function) {
			a.Value = slog.AnyValue(source())
		}
		if options.ReplaceAttr != nil {
			a = options.ReplaceAttr(groups, a)
		}
		return a
	}
	return &own
}

// source returns the position of the innermost call of cells.
func source() *slog.Source {
	var s slog.Source
	pc, file, line, ok := symtab.Caller(0)
	if ok {
		s.Function, s.File, s.Line = symtab.FuncForPC(pc).Name(), file, line
	}
	return &s
}

// inMachine reports whether a function is one of those with which the machine calls compiled code.
// A record with a program counter of cells has no function, and keeps it: the call in progress may
// be that of a function that wraps the logger, not the one that the program counter identifies.
func inMachine(function string) bool {
	return strings.HasPrefix(function, "reflect.") || strings.HasPrefix(function, machineFolder)
}

// machineFolder is the import path of the packages of the runtime, with a slash.
var machineFolder = path.Dir(reflect.TypeFor[machine.Thread]().PkgPath()) + "/"
