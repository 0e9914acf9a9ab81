// Package symtab assigns program counters to positions in functions of cells. It implements the
// functions of package runtime that return or resolve program counters, and the identity of
// functions in package reflect.
//
// Functions of cells have no machine code of their own. Their program counters are therefore
// addresses at which a process never has code. Each identifies a function, a file and a line in a
// table that only grows. The runtime does not know these addresses: compiled code that resolves one
// gets no function.
//
// Package override replaces the functions of package runtime in cells by those of this package.
//
// # Reading order
//
// symtab.go, stack.go (the text of stack traces), translate.go (traces that compiled code has got),
// source.go and printable.go.
package symtab

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// first is the program counter of the first position. It is in the upper half of the address space,
// which belongs to the operating system. Each position has size addresses, since programs subtract
// 1 from the program counter of a call to get an address inside the calling instruction.
const (
	first = ^uintptr(0)>>1 + 1
	size  = 16
)

// A position is what a program counter identifies. The names are those of compiled Go.
//
// It is comparable, because the table finds a position by its value: a call that is executed a
// thousand times must have one program counter.
type position struct {
	function, file string
	line           int
	// begins reports whether the position is the entry of the function rather than a call in it.
	begins bool
}

// table holds the positions in use. byPosition has the index of each.
var table struct {
	sync.RWMutex
	positions  []position
	entries    []uintptr // program counters of the entries of their functions
	byPosition map[position]int
}

// entry returns the program counter of the entry of a function of m. The suffix is added to its
// name.
//
// All versions of a function with one position share their entry, as do all closures of a literal
// in compiled Go.
func entry(m *machine.Machine, f *ir.Func, suffix string) uintptr {
	p := position{function: name(f) + suffix, begins: true}
	if f.Fset != nil && f.Pos.IsValid() {
		at := f.Fset.Position(f.Pos)
		p.file, p.line = inFile(m, at.Filename, at.Line)
	}
	return add(p, 0)
}

// call returns the program counter to which a call returns, as runtime.Callers reports it, with the
// position of the call.
func call(f machine.StackFrame) (pc uintptr, file string, line int) {
	if f.Func == nil {
		file, line = runtime.FuncForPC(panics - 1).FileLine(panics - 1)
		return panics, file, line
	}
	var m *machine.Machine
	if t := machine.Current(); t != nil { // nil for calls that have ended
		m = t.Machine()
	}
	file, line = inFile(m, f.File, f.Line)
	return add(position{function: name(f.Func), file: file, line: line}, entry(m, f.Func, "")) + 1, file, line
}

// panics is the program counter in the runtime's function for panics to which deferred calls
// return.
var panics = func() (pc uintptr) {
	defer func() {
		recover()
		var pcs [1]uintptr
		runtime.Callers(2, pcs[:]) // without Callers and this function
		pc = pcs[0]
	}()
	panic("")
}()

// add returns the program counter of a position. The entry of the function is the position itself
// if entry is 0.
func add(p position, entry uintptr) uintptr {
	table.Lock()
	defer table.Unlock()
	i, ok := table.byPosition[p]
	if !ok {
		if table.byPosition == nil {
			table.byPosition = map[position]int{}
		}
		i = len(table.positions)
		table.byPosition[p] = i
		table.positions = append(table.positions, p)
		if entry == 0 {
			entry = first + uintptr(i)*size
		}
		table.entries = append(table.entries, entry)
	}
	return first + uintptr(i)*size
}

// lookup returns the position of a program counter and the entry of its function.
func lookup(pc uintptr) (p position, entry uintptr, ok bool) {
	table.RLock()
	defer table.RUnlock()
	if pc < first || (pc-first)/size >= uintptr(len(table.positions)) {
		return position{}, 0, false
	}
	i := (pc - first) / size
	return table.positions[i], table.entries[i], true
}

// name returns the name of a function in the form of package runtime. The statements of a cell are
// those of the function main.
func name(f *ir.Func) string {
	root := f
	for root.Parent != nil {
		root = root.Parent
	}
	if literal, ok := strings.CutPrefix(f.Name, ir.CellName); ok && root.Name == ir.CellName {
		return "main.main" + literal
	}
	return f.Name
}

// calls returns the calls of cells on the calling goroutine, innermost first, without those that
// are not in the source.
func calls() []machine.StackFrame { return visible(machine.Callers()) }

// visible returns the calls that are in the source.
func visible(calls []machine.StackFrame) (list []machine.StackFrame) {
	for _, f := range calls {
		switch {
		case f.Func == nil || !f.Func.Wrapper:
			list = append(list, f)
		case len(list) > 0 && f.Entered: // compiled code has called the function through a wrapper
			list[len(list)-1].Entered = true
		}
	}
	return list
}

// outermost returns the program counters that follow those of calls: those in the functions of the
// runtime that start a goroutine. Programs that search the callers ignore the last one, since it is
// always runtime.goexit in compiled Go.
//
// Calls of compiled code between those of cells, such as sort.Slice, are missing.
func outermost(calls []machine.StackFrame) []uintptr {
	if len(calls) == 0 || calls[len(calls)-1].Func == nil {
		return nil
	}
	if last := name(calls[len(calls)-1].Func); last == "main.main" || strings.HasPrefix(last, "main.init") {
		return *beginnings.Load()
	}
	// Programs look for the function that runs a test, to find the file of the test.
	if list := lowest(); strings.HasPrefix(runtime.FuncForPC(list[0]-1).Name(), "testing.") {
		return list
	}
	return (*beginnings.Load())[1:]
}

// beginnings are the program counters to which the main function and the first function of a
// goroutine return: those in runtime.main and runtime.goexit.
var beginnings atomic.Pointer[[]uintptr]

// runtime.main initializes this package, but at another line than the one that calls main.
func init() { NoteMain() }

// NoteMain must be called on the goroutine of the function main. The position in runtime.main that
// traces show is from then on that of the call of main.
func NoteMain() {
	if list := lowest(); beginnings.Load() == nil || runtime.FuncForPC(list[0]-1).Name() == "runtime.main" {
		beginnings.Store(&list)
	}
}

// lowest returns the program counters of the first two functions of the calling goroutine, the last
// of which is runtime.goexit. A deep stack is searched from its other end, so all of it is read.
func lowest() []uintptr {
	pcs := make([]uintptr, 64)
	for {
		n := runtime.Callers(0, pcs)
		if n < len(pcs) {
			return slices.Clone(pcs[n-2 : n])
		}
		pcs = make([]uintptr, 4*len(pcs))
	}
}

// Caller implements [runtime.Caller].
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	list := calls()
	if skip >= 0 && skip < len(list) {
		pc, file, line = call(list[skip])
		return pc, file, line, true
	}
	below := outermost(list)
	if skip -= len(list); skip < 0 || skip >= len(below) {
		return 0, "", 0, false
	}
	frame, _ := runtime.CallersFrames(below[skip : skip+1]).Next()
	return frame.PC, frame.File, frame.Line, true
}

// Callers implements [runtime.Callers]. The first call is that of Callers itself.
func Callers(skip int, pc []uintptr) int {
	all := calls()
	list := []uintptr{reflect.ValueOf(runtime.Callers).Pointer() + 1}
	for _, f := range all {
		at, _, _ := call(f)
		list = append(list, at)
	}
	list = append(list, outermost(all)...)
	return copy(pc, list[min(max(skip, 0), len(list)):])
}

// FuncForPC implements [runtime.FuncForPC].
//
// The result has the layout that the runtime gives to functions without an entry in its tables, so
// that the methods of runtime.Func work on it.
func FuncForPC(pc uintptr) *runtime.Func {
	p, entry, ok := lookup(pc)
	if !ok {
		return runtime.FuncForPC(pc)
	}
	f := &inlinedFunc{ones: ^uint32(0), entry: entry, name: p.function, file: p.file, line: int32(p.line)}
	return (*runtime.Func)(unsafe.Pointer(f))
}

// inlinedFunc is the form that a [runtime.Func] has for an inlined function: the type funcinl of
// package runtime. The names and positions of such a function are in the value itself.
type inlinedFunc struct {
	ones      uint32 // all bits are set, which distinguishes the two forms
	entry     uintptr
	name      string
	file      string
	line      int32
	startLine int32
}

// CallersFrames implements [runtime.CallersFrames].
//
// The frames are resolved at once and stored where the runtime keeps those that it has resolved
// ahead. Next then returns them without consulting its tables.
func CallersFrames(callers []uintptr) *runtime.Frames {
	var list []runtime.Frame
	own := false
	for _, pc := range callers {
		if p, entry, ok := lookup(pc); ok {
			own = true
			list = append(list, runtime.Frame{PC: pc - 1, Func: FuncForPC(pc), Function: p.function, File: p.file, Line: p.line, Entry: entry})
			continue
		}
		frames := runtime.CallersFrames([]uintptr{pc})
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.PC != 0 {
				list = append(list, f)
			}
		}
	}
	frames := runtime.CallersFrames(callers)
	if own {
		*frames = runtime.Frames{}
		*(*[]runtime.Frame)(unsafe.Add(unsafe.Pointer(frames), framesOffset)) = list
	}
	return frames
}

// framesOffset is the offset of the frames that a [runtime.Frames] returns before it resolves
// further program counters.
var framesOffset = func() uintptr {
	field, ok := reflect.TypeFor[runtime.Frames]().FieldByName("frames")
	if !ok || field.Type != reflect.TypeFor[[]runtime.Frame]() {
		panic("symtab: this build of Go (" + runtime.Version() + ") has another form of runtime.Frames")
	}
	return field.Offset
}()

// Pointer implements the method Pointer of [reflect.Value]. Functions of cells share their machine
// code, so the program counter of the entry takes the place of the address of the code.
func Pointer(v reflect.Value) uintptr {
	if pc := code(v); pc != 0 {
		return pc
	}
	return v.Pointer()
}

// UnsafePointer implements the method UnsafePointer of [reflect.Value].
func UnsafePointer(v reflect.Value) unsafe.Pointer {
	if pc := code(v); pc != 0 {
		// The address belongs to no object, so the collector ignores it.
		return *(*unsafe.Pointer)(unsafe.Pointer(&pc))
	}
	return v.UnsafePointer()
}

// code returns the program counter of the entry of a function of cells, or 0 for other values. The
// code of a method value is a function of its own, as in compiled Go.
func code(v reflect.Value) uintptr {
	if v.Kind() != reflect.Func || v.IsNil() || !v.CanInterface() {
		return 0
	}
	cl := machine.ClosureOf(*(*unsafe.Pointer)(machine.NewFuncCell(v)))
	switch {
	case cl == nil:
		return 0
	case cl.Bound != nil:
		return entry(cl.M, cl.Func(), "-fm")
	}
	return entry(cl.M, cl.Func(), "")
}
