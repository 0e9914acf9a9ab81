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
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// overrides are the compiled symbols that emitted code replaces by support functions.
var overrides = map[string]string{
	"fmt.Print": "FmtPrint", "fmt.Printf": "FmtPrintf", "fmt.Println": "FmtPrintln",
	"fmt.Scan": "FmtScan", "fmt.Scanf": "FmtScanf", "fmt.Scanln": "FmtScanln",
	"go/ast.Print": "ASTPrint", "os.Exit": "Exit", "syscall.Exit": "Exit", "flag.Parse": "FlagParse", "flag.NewFlagSet": "NewFlagSet",
	"log.Fatal": "LogFatal", "log.Fatalf": "LogFatalf", "log.Fatalln": "LogFatalln",
	"time.Sleep": "Sleep", "time.AfterFunc": "AfterFunc", "context.AfterFunc": "AfterContext",
	"strings.Repeat": "RepeatString", "bytes.Repeat": "RepeatBytes",
	"runtime.Goexit": "Goexit", "runtime.Breakpoint": "Breakpoint",
	"runtime.Caller": "Caller", "runtime.Callers": "Callers", "runtime.Stack": "RuntimeStack",
	"runtime/debug.Stack": "DebugStack", "runtime/debug.PrintStack": "PrintStack",
	"runtime/debug.SetMaxStack": "SetMaxStack", "runtime/debug.SetMaxThreads": "SetMaxThreads",
}

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

// Support lists what emitted code may call.
func (g *Guard) Support() map[string]reflect.Value {
	functions := map[string]any{
		"Poll": g.Poll, "Drain": g.drain,
		"NewDefers": NewDefers, "Do": g.Do, "Push": Push, "PushCall": PushCall,
		"Recover": g.Recover, "RecoverLast": g.RecoverLast, "Claim": g.Claim,
		"Go": g.Go, "WaitGroupGo": g.waitGroupGo,
		"BadIndex": badIndex, "NilReceiver": nilReceiver, "BadSlice": badSlice, "NotReady": notReady,
		"Complex": func(re, im float64) complex128 { return complex(re, im) },
		"Panic":   func(value any) { panic(value) },
		"Clear":   clearValue, "PrintError": printError, "PrintlnError": printlnError,
		"Exit": exit, "Goexit": runtime.Goexit, "Breakpoint": breakpoint,
		"LogFatal":      func(a ...any) { _ = log.Output(2, fmt.Sprint(a...)); exit(1) },
		"LogFatalf":     func(format string, a ...any) { _ = log.Output(2, fmt.Sprintf(format, a...)); exit(1) },
		"LogFatalln":    func(a ...any) { _ = log.Output(2, fmt.Sprintln(a...)); exit(1) },
		"LoggerFatal":   func(l *log.Logger, a ...any) { _ = l.Output(2, fmt.Sprint(a...)); exit(1) },
		"LoggerFatalf":  func(l *log.Logger, format string, a ...any) { _ = l.Output(2, fmt.Sprintf(format, a...)); exit(1) },
		"LoggerFatalln": func(l *log.Logger, a ...any) { _ = l.Output(2, fmt.Sprintln(a...)); exit(1) },
		"FlagParse":     func() { _ = parseFlags(flag.CommandLine, os.Args[1:]) }, "FlagSetParse": parseFlags, "NewFlagSet": newFlagSet,
		"ASTPrint": func(set *token.FileSet, x any) error { return ast.Fprint(Stdout, set, x, ast.NotNilFilter) },
		"Choose":   choose, "Sleep": sleep, "AfterFunc": g.afterFunc, "AfterContext": g.afterContext,
		"MapGet": mapGet, "MapSet": mapSet, "MapDelete": mapDelete, "MapRange": mapRange,
		"Unlock": unlock, "WriteUnlock": writeUnlock, "ReadUnlock": readUnlock,
		"Room": g.room, "RepeatString": g.repeatString, "RepeatBytes": g.repeatBytes,
		"SetMaxStack": noted(1_000_000_000), "SetMaxThreads": noted(10_000),
		"FmtScan": scan, "FmtScanf": scanf, "FmtScanln": scanln,
	}
	maps.Copy(functions, fileSupport())
	maps.Copy(functions, g.callersSupport())
	maps.Copy(functions, g.holdingSupport())
	support := map[string]reflect.Value{}
	for name, f := range functions {
		support[name] = reflect.ValueOf(f)
	}
	addExtremes[int](support)
	addExtremes[int8](support)
	addExtremes[int16](support)
	addExtremes[int32](support)
	addExtremes[int64](support)
	addExtremes[uint](support)
	addExtremes[uint8](support)
	addExtremes[uint16](support)
	addExtremes[uint32](support)
	addExtremes[uint64](support)
	addExtremes[uintptr](support)
	addExtremes[float32](support)
	addExtremes[float64](support)
	addExtremes[string](support)
	return support
}

// addExtremes adds min and max for one kind of operands.
func addExtremes[T cmp.Ordered](support map[string]reflect.Value) {
	kind := reflect.TypeFor[T]().String()
	support["Min_"+kind] = reflect.ValueOf(func(first T, rest ...T) T {
		for _, v := range rest {
			first = min(first, v)
		}
		return first
	})
	support["Max_"+kind] = reflect.ValueOf(func(first T, rest ...T) T {
		for _, v := range rest {
			first = max(first, v)
		}
		return first
	})
}

// badIndex panics as an access with this index does in compiled Go.
func badIndex(index, length int, unsigned bool) {
	if unsigned {
		_ = make([]struct{}, length)[uint(index)]
	}
	_ = make([]struct{}, length)[index]
}

// nilReceiver panics as a call of a method on values through an interface that holds a nil
// pointer does.
func nilReceiver(path, typ, method string) {
	panic(plainError(fmt.Sprintf("value method %s.%s.%s called using nil *%s pointer", path, typ, method, typ)))
}

// notReady panics when a function over which a loop ranges calls the body though the body
// has been left (2), runs or has panicked (1), or the loop is over (3), or hides its panic (-1).
func notReady(state int) {
	text := "range function continued iteration after "
	switch state {
	case 1:
		text += "loop body panic"
	case 2:
		text += "function for loop body returned false"
	case 3:
		text += "whole loop exit"
	default:
		text = "range function recovered a loop body panic and did not resume panicking"
	}
	panic(boundsError{text})
}

// badSlice panics as a slice expression with these bounds does: low, high, maximum and
// capacity. The limit is called capacity or length after the kind of operand.
// The bits of unsigned tell which bounds have no sign.
func badSlice(bounds []int, three bool, kind string, unsigned int) {
	high, most, capacity := bounds[1], bounds[2], bounds[3]
	number := func(i int) string {
		if unsigned&(1<<i) != 0 {
			return strconv.FormatUint(uint64(bounds[i]), 10)
		}
		return strconv.Itoa(bounds[i])
	}
	negative := func(i int) bool { return bounds[i] < 0 && unsigned&(1<<i) == 0 }
	limit := func(i int, text string) string {
		if negative(i) {
			return text
		}
		return fmt.Sprintf("%s with %s %d", text, kind, capacity)
	}
	text := ""
	switch {
	case three && (most < 0 || most > capacity):
		text = limit(2, "[::"+number(2)+"]")
	case three && (high < 0 || high > most):
		text = "[:" + number(1) + ":" + number(2) + "]"
		if negative(1) {
			text = "[:" + number(1) + ":]"
		}
	case !three && (high < 0 || high > capacity):
		text = limit(1, "[:"+number(1)+"]")
	case negative(0) && three:
		text = "[" + number(0) + "::]"
	case negative(0):
		text = "[" + number(0) + ":]"
	case three:
		text = "[" + number(0) + ":" + number(1) + ":]"
	default:
		text = "[" + number(0) + ":" + number(1) + "]"
	}
	panic(boundsError{"slice bounds out of range " + text})
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
		c.stopHere(0)
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
