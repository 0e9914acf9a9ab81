package guard

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Compiled functions walk over maps by themselves: fmt.Println, json.Marshal, and what
// shows the value of a cell. While goroutines share maps, the functions of this file hold
// the locks of all maps that the arguments reach for as long as such a call lasts. Cell
// code that the call comes back to (a String method) may use those maps meanwhile.

// holders are the goroutines that hold locks of maps in compiled calls.
var holders struct {
	some  atomic.Int32 // number of calls in progress
	mu    sync.Mutex   // guards locks
	locks map[uintptr]*[len(mapLocks)]bool
}

// holdsLock tells whether the calling goroutine holds a lock in a compiled call.
func holdsLock(lock *sync.RWMutex) bool {
	if holders.some.Load() == 0 {
		return false
	}
	holders.mu.Lock()
	defer holders.mu.Unlock()
	held := holders.locks[goroutine()]
	for i := range mapLocks {
		if &mapLocks[i] == lock {
			return held != nil && held[i]
		}
	}
	return false
}

// Hold locks the maps that values reach, for compiled code that reads them or, with
// writing, changes them, until release is called. It does nothing while no other goroutine
// runs code of cells.
func (g *Guard) Hold(writing bool, values ...any) (release func()) {
	if !g.shares() {
		return func() {}
	}
	h := &hold{writing: writing, goroutine: goroutine(), values: values}
	h.acquire()
	return h.release
}

// shares tells whether goroutines may share maps.
func (g *Guard) shares() bool {
	return g.shared.Load()
}

// A hold is one compiled call with the locks that it holds.
type hold struct {
	writing   bool
	goroutine uintptr
	values    []any
	taken     []int
	nodes     int
}

// acquire takes the locks. After a while it gives up: what has them may wait for this call.
func (h *hold) acquire() {
	for attempt := time.Duration(0); attempt < 50; attempt++ {
		if h.take(h.values) {
			break
		}
		h.release() // another call holds what this one wants, and may want what it has
		time.Sleep(attempt * 100 * time.Microsecond)
	}
}

// maxHeldNodes bounds how much of a value is looked through: what is larger takes longer
// to look through than a notebook should wait.
const maxHeldNodes = 100000

// take locks the maps of all values and tells whether it got all.
func (h *hold) take(values []any) bool {
	for _, v := range values {
		if v != nil && !h.reach(reflect.ValueOf(v), 0) {
			return false
		}
	}
	return true
}

// reach locks the maps that a value holds, each before it looks inside.
func (h *hold) reach(v reflect.Value, depth int) bool {
	if h.nodes++; h.nodes > maxHeldNodes || depth > 100 || !v.IsValid() || !reachesMaps(v.Type()) {
		return true
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || h.reach(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if !h.reach(v.Field(i), depth+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !h.reach(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		return v.IsNil() || h.lock(lockOf(v)) && h.entries(v, depth)
	}
	return true
}

func (h *hold) entries(v reflect.Value, depth int) bool {
	if !reachesMaps(v.Type().Elem()) {
		return true
	}
	for entries := v.MapRange(); entries.Next(); {
		if !h.reach(entries.Value(), depth+1) {
			return false
		}
	}
	return true
}

// lock takes a lock that this goroutine does not have, if it is free or soon will be.
func (h *hold) lock(lock *sync.RWMutex) bool {
	if holdsLock(lock) {
		return true
	}
	for range 200 {
		if h.writing && lock.TryLock() || !h.writing && lock.TryRLock() {
			holders.mu.Lock()
			defer holders.mu.Unlock()
			for i := range mapLocks {
				if &mapLocks[i] == lock {
					h.note(i)
				}
			}
			return true
		}
		runtime.Gosched()
	}
	return false
}

// note marks a lock as one of this goroutine's. The caller holds holders.mu.
func (h *hold) note(lock int) {
	if holders.locks == nil {
		holders.locks = map[uintptr]*[len(mapLocks)]bool{}
	}
	held := holders.locks[h.goroutine]
	if held == nil {
		held = new([len(mapLocks)]bool)
		holders.locks[h.goroutine] = held
	}
	held[lock] = true
	h.taken = append(h.taken, lock)
	holders.some.Add(1)
}

// release gives the locks back that this call has taken.
func (h *hold) release() {
	holders.mu.Lock()
	defer holders.mu.Unlock()
	held := holders.locks[h.goroutine]
	for _, lock := range h.taken {
		held[lock] = false
		holders.some.Add(-1)
		if h.writing {
			mapLocks[lock].Unlock()
		} else {
			mapLocks[lock].RUnlock()
		}
	}
	if held != nil && *held == [len(mapLocks)]bool{} {
		delete(holders.locks, h.goroutine)
	}
	h.taken, h.nodes = nil, 0
}

var typesReachMaps sync.Map // reflect.Type to bool

// reachesMaps tells whether values of a type can hold maps.
func reachesMaps(t reflect.Type) bool {
	if known, ok := typesReachMaps.Load(t); ok {
		return known.(bool)
	}
	reaches := leadsToMaps(t, map[reflect.Type]bool{})
	typesReachMaps.Store(t, reaches)
	return reaches
}

// leadsToMaps is reachesMaps without those types that are looked at already.
func leadsToMaps(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Map, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leadsToMaps(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if leadsToMaps(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// HoldCurrent is Hold for reading, in the cell of the calling goroutine.
func HoldCurrent(value any) (release func()) {
	if c := Current(); c != nil {
		return c.guard.Hold(false, value)
	}
	return func() {}
}

// sprint formats values while their maps are held. What prints writes the text afterwards: the
// writer may take its time.
func (g *Guard) sprint(values ...any) string {
	if g.shares() {
		defer g.Hold(false, values...)()
	}
	return fmt.Sprint(values...)
}

func (g *Guard) sprintln(values ...any) string {
	if g.shares() {
		defer g.Hold(false, values...)()
	}
	return fmt.Sprintln(values...)
}

func (g *Guard) sprintf(format string, values ...any) string {
	if g.shares() {
		defer g.Hold(false, values...)()
	}
	return fmt.Sprintf(format, values...)
}

func (g *Guard) errorf(format string, values ...any) error {
	defer g.Hold(false, values...)()
	return fmt.Errorf(format, values...)
}

// holdingOverrides are the compiled functions that walk over maps, and holdingSupport the
// functions that stand for them.
var holdingOverrides = map[string]string{
	"fmt.Sprint": "FmtSprint", "fmt.Sprintf": "FmtSprintf", "fmt.Sprintln": "FmtSprintln", "fmt.Errorf": "FmtErrorf",
	"fmt.Fprint": "FmtFprint", "fmt.Fprintf": "FmtFprintf", "fmt.Fprintln": "FmtFprintln",
	"log.Print": "LogPrint", "log.Printf": "LogPrintf", "log.Println": "LogPrintln",
	"encoding/json.NewEncoder": "JSONNewEncoder", "encoding/json.NewDecoder": "JSONNewDecoder",
	"encoding/gob.NewEncoder": "GobNewEncoder", "encoding/gob.NewDecoder": "GobNewDecoder",
	"encoding/json.Marshal": "JSONMarshal", "encoding/json.MarshalIndent": "JSONMarshalIndent", "encoding/json.Unmarshal": "JSONUnmarshal",
	"reflect.DeepEqual": "DeepEqual",
}

func (g *Guard) holdingSupport() map[string]any {
	sprint, sprintf, sprintln := g.sprint, g.sprintf, g.sprintln
	functions := map[string]any{
		"FmtSprint": sprint, "FmtSprintf": sprintf, "FmtSprintln": sprintln,
		"FmtPrint":    func(a ...any) (int, error) { return io.WriteString(Stdout, sprint(a...)) },
		"FmtPrintf":   func(format string, a ...any) (int, error) { return io.WriteString(Stdout, sprintf(format, a...)) },
		"FmtPrintln":  func(a ...any) (int, error) { return io.WriteString(Stdout, sprintln(a...)) },
		"FmtFprint":   func(w io.Writer, a ...any) (int, error) { return w.Write([]byte(sprint(a...))) },
		"FmtFprintf":  func(w io.Writer, format string, a ...any) (int, error) { return w.Write([]byte(sprintf(format, a...))) },
		"FmtFprintln": func(w io.Writer, a ...any) (int, error) { return w.Write([]byte(sprintln(a...))) },
		"FmtErrorf":   g.errorf,
		"LogPrint":    func(a ...any) { _ = log.Output(2, sprint(a...)) },
		"LogPrintf":   func(format string, a ...any) { _ = log.Output(2, sprintf(format, a...)) },
		"LogPrintln":  func(a ...any) { _ = log.Output(2, sprintln(a...)) },
		"JSONMarshal": func(v any) ([]byte, error) { defer g.Hold(false, v)(); return json.Marshal(v) },
		"JSONMarshalIndent": func(v any, prefix, indent string) ([]byte, error) {
			defer g.Hold(false, v)()
			return json.MarshalIndent(v, prefix, indent)
		},
		"JSONUnmarshal": func(data []byte, v any) error { defer g.Hold(true, v)(); return json.Unmarshal(data, v) },
		"DeepEqual":     func(x, y any) bool { defer g.Hold(false, x, y)(); return reflect.DeepEqual(x, y) },
	}
	maps.Copy(functions, g.streamSupport())
	return functions
}
