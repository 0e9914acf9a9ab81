package guard

import (
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
	"sync"
	"sync/atomic"
	"time"
)

// overrides are the compiled functions that support functions replace in cells.
var overrides = map[string]string{
	"fmt.Print": "FmtPrint", "fmt.Printf": "FmtPrintf", "fmt.Println": "FmtPrintln",
	"fmt.Scan": "FmtScan", "fmt.Scanf": "FmtScanf", "fmt.Scanln": "FmtScanln",
	"go/ast.Print": "ASTPrint", "os.Exit": "Exit", "syscall.Exit": "Exit", "flag.Parse": "FlagParse", "flag.NewFlagSet": "NewFlagSet",
	"log.Fatal": "LogFatal", "log.Fatalf": "LogFatalf", "log.Fatalln": "LogFatalln",
	"time.Sleep": "Sleep", "time.AfterFunc": "AfterFunc", "context.AfterFunc": "AfterContext",
	"strings.Repeat": "RepeatString", "bytes.Repeat": "RepeatBytes",
	"runtime.Goexit": "Goexit", "runtime.Breakpoint": "Breakpoint",
	"runtime/debug.SetMaxStack": "SetMaxStack", "runtime/debug.SetMaxThreads": "SetMaxThreads",
}

// methodOverrides are methods of compiled types that support functions replace in cells: they end
// the process on misuse, call functions of cells from goroutines of their own, or walk over maps.
var methodOverrides = map[string]string{
	"(*sync.WaitGroup).Go": "WaitGroupGo",
	"(*os.File).Write":     "FileWrite", "(*os.File).WriteString": "FileWriteString", "(*os.File).ReadFrom": "FileReadFrom",
	"(*os.File).Read": "FileRead", "(*os.File).WriteTo": "FileWriteTo", "(*os.File).Sync": "FileSync", "(*os.File).Close": "FileClose",
	"(*sync.Mutex).Unlock": "Unlock", "(*sync.RWMutex).Unlock": "WriteUnlock", "(*sync.RWMutex).RUnlock": "ReadUnlock",
	"(*log.Logger).Fatal": "LoggerFatal", "(*log.Logger).Fatalf": "LoggerFatalf", "(*log.Logger).Fatalln": "LoggerFatalln",
	"(*flag.FlagSet).Parse":           "FlagSetParse",
	"(*encoding/json.Encoder).Encode": "JSONEncode", "(*encoding/json.Decoder).Decode": "JSONDecode",
	"(*encoding/gob.Encoder).Encode": "GobEncode", "(*encoding/gob.Decoder).Decode": "GobDecode",
	"(*encoding/gob.Encoder).EncodeValue": "GobEncodeValue", "(*encoding/gob.Decoder).DecodeValue": "GobDecodeValue",
	"(*text/template.Template).Execute": "TextExecute", "(*text/template.Template).ExecuteTemplate": "TextExecuteNamed",
	"(*html/template.Template).Execute": "HTMLExecute", "(*html/template.Template).ExecuteTemplate": "HTMLExecuteNamed",
}

// OverrideMethod names the support function that stands for a method of a compiled type, given as
// types.Func.FullName writes it; "" if there is none.
func OverrideMethod(name string) string { return methodOverrides[name] }

// Override names the support function that stands for a compiled symbol; "" if there is none.
func Override(path, name string) string {
	return cmp.Or(overrides[path+"."+name], holdingOverrides[path+"."+name])
}

// noted makes a function that sets a limit of the process by name only: one below what the kernel
// needs would end it, with everything that the session holds. It gives the number that was set last.
func noted(number int64) func(int) int {
	var last atomic.Int64
	last.Store(number)
	return func(next int) int { return int(last.Swap(int64(next))) }
}

// Support lists the functions that stand for compiled ones in cells.
func (g *Guard) Support() map[string]reflect.Value {
	functions := map[string]any{
		"WaitGroupGo": g.waitGroupGo,
		"Exit":        exit, "Goexit": runtime.Goexit, "Breakpoint": breakpoint,
		"LogFatal":      func(a ...any) { _ = log.Output(2, fmt.Sprint(a...)); exit(1) },
		"LogFatalf":     func(format string, a ...any) { _ = log.Output(2, fmt.Sprintf(format, a...)); exit(1) },
		"LogFatalln":    func(a ...any) { _ = log.Output(2, fmt.Sprintln(a...)); exit(1) },
		"LoggerFatal":   func(l *log.Logger, a ...any) { _ = l.Output(2, fmt.Sprint(a...)); exit(1) },
		"LoggerFatalf":  func(l *log.Logger, format string, a ...any) { _ = l.Output(2, fmt.Sprintf(format, a...)); exit(1) },
		"LoggerFatalln": func(l *log.Logger, a ...any) { _ = l.Output(2, fmt.Sprintln(a...)); exit(1) },
		"FlagParse":     func() { _ = parseFlags(flag.CommandLine, os.Args[1:]) }, "FlagSetParse": parseFlags, "NewFlagSet": newFlagSet,
		"ASTPrint": func(set *token.FileSet, x any) error { return ast.Fprint(Stdout, set, x, ast.NotNilFilter) },
		"Sleep":    sleep, "AfterFunc": g.afterFunc, "AfterContext": g.afterContext,
		"Unlock": unlock, "WriteUnlock": writeUnlock, "ReadUnlock": readUnlock,
		"RepeatString": g.repeatString, "RepeatBytes": g.repeatBytes,
		"SetMaxStack": noted(1_000_000_000), "SetMaxThreads": noted(10_000),
		"FmtScan": scan, "FmtScanf": scanf, "FmtScanln": scanln,
	}
	maps.Copy(functions, fileSupport())
	maps.Copy(functions, g.holdingSupport())
	support := map[string]reflect.Value{}
	for name, f := range functions {
		support[name] = reflect.ValueOf(f)
	}
	return support
}

// exit is os.Exit in a cell: it ends the cell and not the process.
func exit(code int) {
	if c := Current(); c != nil {
		c.exit(code)
	}
	os.Exit(code)
}

// parseFlags is (*flag.FlagSet).Parse, in whose place the cell ends where the process would.
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

// newFlagSet makes a set that explains itself in the cell that asks.
func newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	set := flag.NewFlagSet(name, handling)
	set.SetOutput(fileValue(os.Stderr).(io.Writer))
	return set
}

// breakpoint is runtime.Breakpoint without a debugger, which ends a program.
func breakpoint() {
	fmt.Fprintln(Stderr, "SIGTRAP: trace trap")
	exit(2)
}

// sleep is time.Sleep that ends with the cell.
func sleep(d time.Duration) {
	c := Current()
	if c == nil {
		time.Sleep(d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		c.LetOthers()
	case <-c.done:
		c.stopHere()
	}
}

// afterFunc is time.AfterFunc whose function belongs to the calling cell and may panic.
func (g *Guard) afterFunc(d time.Duration, f func()) *time.Timer {
	c := Current()
	g.Share("time.AfterFunc") // it may run at any time
	return time.AfterFunc(d, func() {
		if c != nil {
			c.join()
		}
		g.begin(false)
		defer g.end()
		g.guarded(f)
	})
}

// afterContext is context.AfterFunc whose function belongs to the calling cell and may panic.
func (g *Guard) afterContext(ctx context.Context, f func()) (stop func() bool) {
	g.Share("context.AfterFunc")
	return context.AfterFunc(ctx, func() {
		g.begin(false)
		defer g.end()
		g.guarded(f)
	})
}

// join labels a goroutine that the runtime started as one of the cell's.
func (c *Cell) join() { c.enter() }

// waitGroupGo is (*sync.WaitGroup).Go with a function that may panic.
func (g *Guard) waitGroupGo(w *sync.WaitGroup, f func()) {
	g.begin(false)
	w.Go(func() {
		defer g.end()
		g.guarded(f)
	})
}

// A misuse is what ends a compiled program and is a panic here.
type misuse string

func (e misuse) Error() string { return string(e) }

// unlock is (*sync.Mutex).Unlock. For a mutex that is not locked it panics where Go ends
// the process.
func unlock(m *sync.Mutex) {
	if m.TryLock() {
		m.Unlock()
		panic(misuse("sync: unlock of unlocked mutex"))
	}
	m.Unlock()
}

func writeUnlock(m *sync.RWMutex) {
	if m.TryRLock() {
		m.RUnlock()
		panic(misuse("sync: Unlock of unlocked RWMutex"))
	}
	m.Unlock()
}

func readUnlock(m *sync.RWMutex) {
	if m.TryLock() {
		m.Unlock()
		panic(misuse("sync: RUnlock of unlocked RWMutex"))
	}
	m.RUnlock()
}
