package override

import (
	"io"
	"reflect"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"
	"unsafe"

	"gosphere/runtime/internal/symtab"
)

// finalizable is the set of addresses of variables that have a finalizer of a cell. The runtime
// ends the process if a variable gets a second one, and cannot be asked whether it has one.
//
// An address is removed before its finalizer runs. The variable is still there at that time, so no
// other variable can have got the address.
//
// The keys are stored in the map itself. A sync.Map would store each in an allocation of its own,
// which the runtime puts into one block with small variables, so that the block and its variables
// were never released.
var finalizable = addresses{set: map[uintptr]bool{}}

// addresses is a set of addresses for several goroutines.
type addresses struct {
	mutex sync.Mutex
	set   map[uintptr]bool
}

// add reports whether the address was not in the set yet.
func (a *addresses) add(address uintptr) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.set[address] {
		return false
	}
	a.set[address] = true
	return true
}

func (a *addresses) remove(address uintptr) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.set, address)
}

// setFinalizer implements runtime.SetFinalizer for functions of cells. The runtime ends the process
// if the arguments are wrong, and takes legal ones to be wrong: for a pointer to a type of cells it
// cannot see that a named and an unnamed pointer type are assignable. All conditions are therefore
// tested here, and the runtime gets a function whose parameter has the type of the pointer.
//
// The function runs on a goroutine of the runtime, which a panic must not end.
func (g functions) setFinalizer(object, finalizer any) {
	v := reflect.ValueOf(object)
	switch {
	case !v.IsValid():
		g.Misuse("runtime.SetFinalizer: first argument is nil")
	case v.Kind() != reflect.Pointer:
		g.Misuse("runtime.SetFinalizer: first argument is " + v.Type().String() + ", not pointer")
	case v.IsNil():
		g.Misuse("runtime.SetFinalizer: pointer not in allocated block")
	}
	base, begins := beginsBlock(v.UnsafePointer(), v.Type().Elem())
	switch {
	case base == 0:
		return // it is no memory of the collector, which never releases it
	case !begins:
		g.Misuse("runtime.SetFinalizer: pointer not at beginning of allocated block")
	case finalizer == nil:
		finalizable.remove(v.Pointer())
		runtime.SetFinalizer(object, nil)
		return
	}
	f := reflect.ValueOf(finalizer)
	if f.Kind() != reflect.Func {
		g.Misuse("runtime.SetFinalizer: second argument is " + f.Type().String() + ", not a function")
	}
	mismatch := "runtime.SetFinalizer: cannot pass " + v.Type().String() + " to finalizer " + f.Type().String()
	switch {
	case f.Type().IsVariadic():
		g.Misuse(mismatch + " because dotdotdot")
	case f.Type().NumIn() != 1 || !v.Type().AssignableTo(f.Type().In(0)):
		g.Misuse(mismatch)
	}
	address := v.Pointer()
	if !finalizable.add(address) {
		g.Misuse("runtime.SetFinalizer: finalizer already set")
	}
	wrapped := reflect.MakeFunc(reflect.FuncOf([]reflect.Type{v.Type()}, nil, false), func(args []reflect.Value) []reflect.Value {
		finalizable.remove(address) // the function may set another one
		g.Contain(func() { f.Call(args) })
		return nil
	})
	runtime.SetFinalizer(object, wrapped.Interface())
}

// findObject returns the start of the block of the heap that has an address, or 0, and the span of
// the block. The runtime keeps this function for programs that link to it. It ends the process if
// the address is in a part of the heap that is not in use, so it may only be called with pointers.
//
//go:linkname findObject runtime.findObject
func findObject(p, base, offset uintptr) (start uintptr, span unsafe.Pointer, index uintptr)

// The runtime stores the type of an object in a word in front of it, if the object has pointers and
// a size between these limits. The object then begins after the word, and not where its block
// begins.
const (
	largestWithoutHeader = 512
	leastWithoutHeader   = 32 << 10
	headerSize           = 8
)

// beginsBlock returns the start of the block of the heap that has an address, or 0 for other
// memory, and reports whether the runtime accepts a finalizer for a pointer with this address to a
// value of type t.
func beginsBlock(p unsafe.Pointer, t reflect.Type) (base uintptr, begins bool) {
	base, span, _ := findObject(uintptr(p), 0, 0)
	if base == 0 || uintptr(p) == base {
		return base, true
	}
	pointers := hasPointers(t)
	if !pointers && t.Size() < 16 {
		return base, true // it may be a part of a block of small values
	}
	size := t.Size()
	if offset := blockSizeOffset(); offset > 0 {
		size = *(*uintptr)(unsafe.Add(span, offset))
	}
	return base, pointers && uintptr(p) == base+headerSize && size > largestWithoutHeader && size <= leastWithoutHeader
}

// blockSizeOffset returns the offset of the size of blocks in a span, or 0 if it cannot be found.
// It is the only word of a span that is the size for blocks of several sizes.
var blockSizeOffset = sync.OnceValue(func() uintptr {
	const spanSize = 128 // not more than the size of a span
	var found []uintptr
	probes := map[uintptr][]byte{}
	for _, size := range []uintptr{64, 1024, 4096, 16384} { // size classes of the runtime
		probes[size] = make([]byte, size)
	}
	for offset := unsafe.Sizeof(uintptr(0)); offset < spanSize; offset += unsafe.Sizeof(uintptr(0)) {
		fits := true
		for size, block := range probes {
			_, span, _ := findObject(uintptr(unsafe.Pointer(&block[0])), 0, 0)
			fits = fits && span != nil && *(*uintptr)(unsafe.Add(span, offset)) == size
		}
		if fits {
			found = append(found, offset)
		}
	}
	runtime.KeepAlive(probes)
	if len(found) != 1 {
		return 0
	}
	return found[0]
})

// hasPointers reports whether values of a type have pointers.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if hasPointers(field.Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}

// runtimeSupport returns the overrides of functions of the runtime that end the process, or that
// count the goroutines of the process. Those of the session itself are not the cells' own: a lesson
// on goroutines prints 1 at its beginning, and tests for leaks compare numbers.
func (g functions) runtimeSupport() map[string]any {
	return map[string]any{
		"SetFinalizer": g.setFinalizer,
		"NumGoroutine": g.Goroutines,
		"Pin":          pin, "Unpin": unpin,
		"ReadMetrics": g.readMetrics,
		"Stack": func(buf []byte, all bool) int {
			if all {
				return symtab.AllStacks(buf, g.Name())
			}
			return symtab.StackOf(buf)
		},
		"GoroutineProfile": func(records []runtime.StackRecord) (int, bool) { return symtab.GoroutineProfile(g.Name(), records) },
		// The compressed form stays that of the process, as the other profiles.
		"ProfileWriteTo": func(p *pprof.Profile, w io.Writer, detail int) error {
			if p.Name() == "goroutine" && detail > 0 {
				return symtab.WriteGoroutines(w, g.Name(), detail)
			}
			return p.WriteTo(w, detail)
		},
		"ProfileCount": func(p *pprof.Profile) int {
			if p.Name() == "goroutine" {
				return g.Goroutines()
			}
			return p.Count()
		},
	}
}

// readMetrics implements metrics.Read. The numbers of goroutines, all and by state, are those of
// the cells. The number of those created so far remains that of the process.
func (g functions) readMetrics(list []metrics.Sample) {
	metrics.Read(list)
	states := sync.OnceValue(func() map[string]uint64 {
		count := map[string]uint64{}
		for _, trace := range symtab.Goroutines(g.Name()) {
			switch state := symtab.GoroutineState(trace); state {
			case "running", "runnable":
				count[state]++
			case "syscall":
				count["not-in-go"]++
			default:
				count["waiting"]++
			}
		}
		return count
	})
	for i := range list {
		name, ok := strings.CutPrefix(list[i].Name, "/sched/goroutines")
		if !ok || list[i].Value.Kind() != metrics.KindUint64 {
			continue
		}
		switch name, _ = strings.CutSuffix(name, ":goroutines"); name {
		case "":
			setScalar(&list[i].Value, uint64(g.Goroutines()))
		case "/running", "/runnable", "/waiting", "/not-in-go":
			setScalar(&list[i].Value, states()[name[1:]])
		}
	}
}

// setScalar sets the number in a value, which has the layout of metricValue. The package has no
// function that makes a value.
func setScalar(v *metrics.Value, n uint64) { (*metricValue)(unsafe.Pointer(v)).scalar = n }

type metricValue struct {
	kind   metrics.ValueKind
	scalar uint64
}
