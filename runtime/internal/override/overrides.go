// Package override implements the functions that replace compiled functions in cells. A function is
// overridden if it would end the process, block an interrupt, use the streams of the process, or
// iterate over maps that other goroutines change. In a browser, functions that start processes are
// overridden as well, so that their errors give the reason.
//
// Read overrides.go, format.go (package fmt and complete encodings), log.go (packages log and
// log/slog), cycles.go (values that contain themselves), codecs.go (encoders and decoders that
// wait for a writer or reader), file.go (the streams of the process as files), register.go
// (overrides for modules), registered.go (handlers and flags that imported packages register),
// traces.go (stack traces that compiled code has got) and processes_js.go (what browsers lack).
//
// Cells run inside the process of the kernel, so what is harmless in a program of its own may end
// the session: os.Exit, a fatal error of the runtime, or a read of the standard input, which does
// not belong to the kernel. When package link meets a compiled function, called or used as a
// value, package session looks it up here, and the override takes the place of the original.
//
// An override has the parameters and results of the original. For a method, the receiver is the
// first parameter. It runs on the goroutine of the cell; guard.Current is nil on a goroutine that
// does not belong to a cell, and then the original applies.
package override

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"log"
	"maps"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/cycles"
	"gosphere/runtime/internal/guard/limits"
	"gosphere/runtime/internal/guard/streams"
	"gosphere/runtime/internal/machine"
)

// overrides maps compiled functions to the names of their overrides. The keys are the import path
// and the name.
var overrides = map[string]string{
	"fmt.Print": "FmtPrint", "fmt.Printf": "FmtPrintf", "fmt.Println": "FmtPrintln",
	"fmt.Scan": "FmtScan", "fmt.Scanf": "FmtScanf", "fmt.Scanln": "FmtScanln",
	"go/ast.Print": "ASTPrint", "os.Exit": "Exit", "syscall.Exit": "Exit", "flag.Parse": "FlagParse", "flag.NewFlagSet": "NewFlagSet",
	"log.Fatal": "LogFatal", "log.Fatalf": "LogFatalf", "log.Fatalln": "LogFatalln",
	"log.Panic": "LogPanic", "log.Panicf": "LogPanicf", "log.Panicln": "LogPanicln",
	"log.Print": "LogPrint", "log.Printf": "LogPrintf", "log.Println": "LogPrintln", "log.Output": "LogOutput",
	"log.New": "LogNew", "log.SetOutput": "LogSetOutput", "log.Writer": "LogWriter", "log/slog.NewLogLogger": "NewLogLogger",
	"log/slog.NewTextHandler": "TextHandler", "log/slog.NewJSONHandler": "JSONHandler",
	"time.Sleep": "Sleep", "time.AfterFunc": "AfterFunc", "context.AfterFunc": "AfterContext",
	"context.WithTimeout": "WithTimeout", "context.WithDeadline": "WithDeadline",
	"context.WithTimeoutCause": "WithTimeoutCause", "context.WithDeadlineCause": "WithDeadlineCause",
	"os/signal.Notify": "Notify", "os/signal.NotifyContext": "NotifyContext", "os/signal.Stop": "SignalStop",
	"os/signal.Reset": "SignalReset", "os/signal.Ignore": "SignalIgnore",
	"reflect.MakeSlice": "ReflectMakeSlice", "reflect.MakeChan": "ReflectMakeChan", "reflect.MakeMapWithSize": "ReflectMakeMapWithSize",
	"reflect.New": "ReflectNew", "reflect.Zero": "ReflectZero",
	"strings.Repeat": "RepeatString", "bytes.Repeat": "RepeatBytes",
	"runtime.SetFinalizer": "SetFinalizer", "runtime.NumGoroutine": "NumGoroutine", "runtime.Stack": "Stack", "runtime.GoroutineProfile": "GoroutineProfile", "runtime/metrics.Read": "ReadMetrics",
	"runtime.Goexit": "Goexit", "runtime.Breakpoint": "Breakpoint",
	"runtime/debug.SetMaxStack": "SetMaxStack", "runtime/debug.SetMaxThreads": "SetMaxThreads",
}

// methodOverrides maps methods of compiled types to the names of their overrides. These methods end
// the process on misuse, call functions of cells from their own goroutines, or iterate over maps.
// Unlocking an unlocked mutex is a fatal error of the runtime, which cannot be recovered.
var methodOverrides = map[string]string{
	"(reflect.Value).Grow": "ReflectGrow", "(*strings.Builder).Grow": "BuilderGrow", "(*bytes.Buffer).Grow": "BufferGrow",
	"(*runtime.Pinner).Pin": "Pin", "(*runtime.Pinner).Unpin": "Unpin",
	"(*runtime/pprof.Profile).Count": "ProfileCount", "(*runtime/pprof.Profile).WriteTo": "ProfileWriteTo",
	"(*sync.WaitGroup).Go": "WaitGroupGo", "(*time.Timer).Stop": "TimerStop", "(*time.Timer).Reset": "TimerReset",
	"(*os.File).Write": "FileWrite", "(*os.File).WriteString": "FileWriteString", "(*os.File).ReadFrom": "FileReadFrom",
	"(*os.File).Read": "FileRead", "(*os.File).WriteTo": "FileWriteTo", "(*os.File).Sync": "FileSync", "(*os.File).Close": "FileClose",
	"(*sync.Mutex).Unlock": "Unlock", "(*sync.RWMutex).Unlock": "WriteUnlock", "(*sync.RWMutex).RUnlock": "ReadUnlock",
	"(*log.Logger).Fatal": "LoggerFatal", "(*log.Logger).Fatalf": "LoggerFatalf", "(*log.Logger).Fatalln": "LoggerFatalln",
	"(*log.Logger).Panic": "LoggerPanic", "(*log.Logger).Panicf": "LoggerPanicf", "(*log.Logger).Panicln": "LoggerPanicln",
	"(*log.Logger).Print": "LoggerPrint", "(*log.Logger).Printf": "LoggerPrintf", "(*log.Logger).Println": "LoggerPrintln",
	"(*log.Logger).Output": "LoggerOutput", "(*log.Logger).SetOutput": "LoggerSetOutput", "(*log.Logger).Writer": "LoggerWriter",
	"(*flag.FlagSet).Parse":           "FlagSetParse",
	"(*encoding/json.Encoder).Encode": "JSONEncode", "(*encoding/json.Decoder).Decode": "JSONDecode",
}

// Overrides are the overrides of a session. Each has the type of the original, and for a method
// that of its method expression.
type Overrides struct {
	support  map[string]reflect.Value // by the names in overrides and the other tables of names
	adapters map[string]adapter
	symbol   Symbol
}

// Method returns the override of a method of a compiled type. name has the form of
// types.Func.FullName, for instance "(*os.File).Write".
func (o *Overrides) Method(name string) (f reflect.Value, ok bool) {
	if adapt := o.adapters[name]; adapt != nil {
		original, ok := o.symbol.method(name)
		if !ok {
			return f, false
		}
		return adapt(original), true
	}
	f, ok = o.support[cmp.Or(methodOverrides[name], registeredNames[name])]
	return f, ok
}

// Function returns the override of a compiled function. The package is given by its import path, so
// a package of cells with the same name is not affected.
func (o *Overrides) Function(path, name string) (f reflect.Value, ok bool) {
	full := path + "." + name
	if adapt := o.adapters[full]; adapt != nil {
		original, ok := o.symbol.find(path, name)
		if !ok || original.Kind() != reflect.Func {
			return f, false
		}
		return adapt(original), true
	}
	f, ok = o.support[cmp.Or(overrides[full], holdingOverrides[full], registeredNames[full])]
	return f, ok
}

// noted returns a function that only pretends to set a limit of the process: a limit below the
// needs of the kernel would end the process and the session. The function returns the previous
// value, beginning with number. For instance debug.SetMaxStack(1000) returns 1000000000, the
// default of the runtime, and a second call returns 1000.
func noted(number int64) func(int) int {
	var last atomic.Int64
	last.Store(number)
	return func(next int) int { return int(last.Swap(int64(next))) }
}

// setMaxStack returns debug.SetMaxStack for cells. Only a number above the limit of cells has an
// effect: a low one would end every cell.
func setMaxStack() func(int) int {
	note := noted(1_000_000_000)
	return func(bytes int) int {
		if t := machine.Current(); t != nil {
			t.RaiseStack(bytes)
		}
		return note(bytes)
	}
}

// functions provides the guard to the overrides, the variables of a session in a program that is
// not its own, or nil, and the tables of the program.
type functions struct {
	*guard.Guard
	own    *Own
	symbol Symbol
}

// logger returns the default logger.
func (g functions) logger() *log.Logger {
	if g.own != nil {
		return g.own.logger
	}
	return log.Default()
}

// New returns the overrides of a session. own is nil if the program is that of the session. symbol
// has the originals.
func New(guarding *guard.Guard, own *Own, symbol Symbol) *Overrides {
	g := functions{guarding, own, symbol}
	functions := map[string]any{
		"WaitGroupGo": g.waitGroupGo,
		"Exit":        exit, "Goexit": runtime.Goexit, "Breakpoint": breakpoint,
		"FlagParse": func() { _ = parseFlags(flag.CommandLine, os.Args[1:]) }, "FlagSetParse": parseFlags, "NewFlagSet": newFlagSet,
		"ASTPrint": func(set *token.FileSet, x any) error {
			cycles.Tree.Refuse(x)
			return ast.Fprint(streams.Stdout, set, x, ast.NotNilFilter)
		},
		"Sleep": sleep, "AfterContext": g.afterContext,
		"Unlock": g.unlock, "WriteUnlock": g.writeUnlock, "ReadUnlock": g.readUnlock,
		"RepeatString": g.repeatString, "RepeatBytes": g.repeatBytes,
		"SetMaxStack": setMaxStack(), "SetMaxThreads": noted(10_000),
		"FmtScan": scan, "FmtScanf": scanf, "FmtScanln": scanln,
	}
	maps.Copy(functions, fileSupport())
	maps.Copy(functions, processSupport())
	for _, more := range registered {
		maps.Copy(functions, more(Tools{g}))
	}
	maps.Copy(functions, g.holdingSupport())
	maps.Copy(functions, g.logSupport())
	maps.Copy(functions, traceSupport())
	maps.Copy(functions, g.timerSupport())
	maps.Copy(functions, g.allocationSupport())
	maps.Copy(functions, g.signalSupport())
	maps.Copy(functions, g.runtimeSupport())
	support := map[string]reflect.Value{}
	for name, f := range functions {
		support[name] = reflect.ValueOf(f)
	}
	return &Overrides{support, g.adapters(), symbol}
}

// exit implements os.Exit in a cell. It ends the cell rather than the process. Exit does not return
// for a cell: it ends the goroutine.
func exit(code int) {
	if c := guard.Current(); c != nil {
		c.Exit(code)
	}
	os.Exit(code)
}

// parseFlags implements (*flag.FlagSet).Parse. Where the original ends the process, it ends the
// cell. The set is in the mode ContinueOnError during the call, so that it returns its errors. The
// exit codes are those of package flag. For instance a cell that calls flag.Parse with an unknown
// flag in os.Args prints the usage and ends with status 2.
func parseFlags(set *flag.FlagSet, arguments []string) error {
	if set == nil || set.ErrorHandling() != flag.ExitOnError {
		return set.Parse(arguments)
	}
	set.Init(set.Name(), flag.ContinueOnError)
	defer set.Init(set.Name(), flag.ExitOnError)
	err := set.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		exit(0)
	case err != nil:
		exit(2)
	}
	return nil
}

// newFlagSet returns a set that prints its usage in the cell that uses it. The original would print
// to the process's standard error.
func newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	set := flag.NewFlagSet(name, handling)
	set.SetOutput(fileValue(os.Stderr).(io.Writer))
	return set
}

// breakpoint implements runtime.Breakpoint without a debugger, which ends a program. The exit code
// of a Go program that a signal ends is 2.
func breakpoint() {
	fmt.Fprintln(streams.Stderr, "SIGTRAP: trace trap")
	exit(2)
}

// sleep implements time.Sleep. If the cell is stopped meanwhile, it ends the goroutine. An
// interrupt cannot end time.Sleep, since the goroutine is inside compiled code. On return the cell
// yields, because other cells may have waited for the execution lock.
func sleep(d time.Duration) {
	c := guard.Current()
	if c == nil {
		time.Sleep(d)
		return
	}
	done := c.Done()
	if done == nil { // in a bubble of package testing/synctest
		time.Sleep(d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		c.Yield()
	case <-done:
		c.StopHere()
	}
}

// afterContext implements context.AfterFunc. The function belongs to the calling cell and may
// panic. The goroutine is one of package context.
func (g functions) afterContext(ctx context.Context, f func()) (stop func() bool) {
	g.Sharing.Share("context.AfterFunc")
	return context.AfterFunc(ctx, func() {
		g.Sharing.Begin(false)
		defer g.Sharing.End()
		g.Guarded(f)
	})
}

// waitGroupGo implements (*sync.WaitGroup).Go for a function that may panic. The goroutine is
// counted before it starts, so that no map operation in between takes itself to be alone.
func (g functions) waitGroupGo(w *sync.WaitGroup, f func()) {
	g.Sharing.Begin(false)
	w.Go(func() {
		defer g.Sharing.End()
		g.Guarded(f)
	})
}

// unlock implements (*sync.Mutex).Unlock. If the mutex is not locked, it panics, while the original
// ends the process. TryLock succeeds only for an unlocked mutex. The test is not atomic with the
// unlocking, but a correct program holds the lock during both.
func (g functions) unlock(m *sync.Mutex) {
	if m.TryLock() {
		m.Unlock()
		g.Misuse("sync: unlock of unlocked mutex")
	}
	m.Unlock()
}

// writeUnlock implements (*sync.RWMutex).Unlock in the same way as unlock. TryRLock succeeds unless
// a writer holds the lock or waits for it.
func (g functions) writeUnlock(m *sync.RWMutex) {
	if m.TryRLock() {
		m.RUnlock()
		g.Misuse("sync: Unlock of unlocked RWMutex")
	}
	m.Unlock()
}

// readUnlock implements (*sync.RWMutex).RUnlock in the same way as unlock. TryLock succeeds only if
// neither a reader nor a writer holds the lock.
func (g functions) readUnlock(m *sync.RWMutex) {
	if m.TryLock() {
		m.Unlock()
		g.Misuse("sync: RUnlock of unlocked RWMutex")
	}
	m.RUnlock()
}

// The functions of package fmt that read os.Stdin.
func scan(a ...any) (int, error)                 { return fmt.Fscan(streams.Stdin, a...) }
func scanln(a ...any) (int, error)               { return fmt.Fscanln(streams.Stdin, a...) }
func scanf(format string, a ...any) (int, error) { return fmt.Fscanf(streams.Stdin, format, a...) }

// repeatString implements strings.Repeat within the memory limit. The number of bytes is reserved
// before the allocation, since the runtime ends the process when memory runs out. Invalid counts,
// and products that overflow, are left to the original, which panics.
func (g functions) repeatString(s string, count int) string {
	if count > 0 && len(s) > 0 && count <= limits.LargestRequest/len(s) {
		g.Memory.Reserve(int64(count) * int64(len(s)))
	}
	return strings.Repeat(s, count)
}

// repeatBytes implements bytes.Repeat within the memory limit.
func (g functions) repeatBytes(b []byte, count int) []byte {
	if count > 0 && len(b) > 0 && count <= limits.LargestRequest/len(b) {
		g.Memory.Reserve(int64(count) * int64(len(b)))
	}
	return bytes.Repeat(b, count)
}
