package guard

import (
	"os"
	"unsafe"
)

// What follows serves code that package exec runs. It asks for less than interpreted code does:
// limits on recursion, deferred calls and traces are the machine's own.

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

// OnStop has a function called with each change of the stop flag.
func (g *Guard) OnStop(changed func(stop bool)) { g.onStop = changed }

// Shared reports whether several goroutines may run code of cells.
func (g *Guard) Shared() bool { return *g.shared != 0 }

// Done returns a channel that is closed when the cell has to stop.
func (c *Cell) Done() <-chan struct{} { return c.done }

// NotePanic sets the frames of a panic that is about to leave the machine, innermost first.
func (g *Guard) NotePanic(frames []Frame, line int) {
	g.trace.clear()
	*g.line = line
	for _, f := range frames {
		g.trace.add(g, f)
	}
}

// Overflow ends the calling goroutine, whose calls are nested too deeply.
func (g *Guard) Overflow(frames []Frame) {
	g.trace.clear()
	g.overflowed(frames)
}

// StandIns returns how the process's streams become interface values and how they are found in
// them: a pointer to an os.File becomes one to a File if it is a stream.
func StandIns() (box, unbox func(p unsafe.Pointer) unsafe.Pointer) {
	box = func(p unsafe.Pointer) unsafe.Pointer {
		if s := streamOf((*os.File)(p)); s != nil && p != nil {
			return unsafe.Pointer(s)
		}
		return nil
	}
	unbox = func(p unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer((*File)(p).File) }
	return box, unbox
}

// LockMap takes the lock of the map at an address, unless the goroutine holds it, and returns what gives it back.
func LockMap(p uintptr, write bool) (release func()) {
	lock := &mapLocks[(p>>4^p>>12)%uintptr(len(mapLocks))]
	if write {
		return writeLock(lock)
	}
	return readLock(lock)
}

// Room returns n if there is memory for n elements of a size, and panics otherwise.
func (g *Guard) Room(n, size int, tooMuch string) int { return g.room(n, size, tooMuch) }

// sharingPackages names the packages and functions that call functions of cells from goroutines of their
// own.
var sharingPackages = map[string]bool{
	"net/http": true, "net/http/httptest": true, "net/rpc": true, "os/exec": true, "testing": true,
	"gonum.org/v1/gonum/optimize": true, "runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}

// Uses notes that a cell uses a package or function.
func (g *Guard) Uses(name string) {
	if sharingPackages[name] {
		g.Share(name)
	}
}

// Contain runs a function of cells that nothing waits for, such as a finalizer, on a goroutine that
// must go on. A panic is reported on stderr of the latest cell.
func (g *Guard) Contain(f func()) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if c := g.latest.Load(); c != nil {
			c.Write("stderr", "panic in a finalizer: "+ReportPanic(Value(value)).Text+"\n")
		}
	}()
	f()
}
