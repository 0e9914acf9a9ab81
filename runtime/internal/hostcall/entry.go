package hostcall

import (
	"math"
	"reflect"
	"unsafe"
)

// A Func is the memory of a func value whose function is not compiled: a call of the func value
// calls the handler of the package with Closure. Its code, the entry, is in assembly and the same
// for all function types.
type Func struct {
	code uintptr
	// Closure is the word after the code, as in the func values of compiled closures.
	Closure unsafe.Pointer
	layout  *Layout
}

// A Layout describes functions of a type that are called with arguments and results in a block of
// memory, such as the frame of a function of cells.
type Layout struct {
	// argumentPointers has bit i set if integer register i holds a pointer when the function is
	// called. argumentInts is the number of integer registers with arguments. hasFloats reports
	// whether floating-point registers are used before or after the call. The entry reads these
	// fields.
	argumentPointers uint64
	argumentInts     uint8
	hasFloats        bool

	in, out []move // with offsets in the block
}

// A Place is where an argument or result is in a block.
type Place struct {
	Offset uintptr
	Type   reflect.Type
}

// NewLayout returns the layout of functions with these parameters and results. It returns nil if
// some of them are on the stack, or if the architecture has no entry: package reflect has to make
// such func values.
func NewLayout(params, results []Place) *Layout {
	in, ok := assign(params)
	out, fits := assign(results)
	if !ok || !fits || !haveTrampoline {
		return nil
	}
	l := &Layout{in: in.moves, out: out.moves, argumentInts: uint8(in.ints), hasFloats: in.floats+out.floats > 0}
	for _, m := range l.in {
		if m.kind == movePointer {
			l.argumentPointers |= 1 << m.register
		}
	}
	return l
}

// assign assigns registers to the values at places in a block.
func assign(places []Place) (a assignment, ok bool) {
	for i, p := range places {
		first := len(a.moves)
		if !a.add(i, p.Type) {
			return a, false
		}
		for k := range a.moves[first:] {
			a.moves[first+k].offset += p.Offset
		}
	}
	return a, true
}

// NewFunc returns the word of a func value that calls the handler with closure.
func (l *Layout) NewFunc(closure unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(&Func{entryCode, closure, l})
}

// EntryCode is the code address of the func values that NewFunc returns, which is their first word.
// The closure is their second word.
func EntryCode() uintptr { return entryCode }

// A Call is a call of a func value. It is valid until the handler returns.
type Call struct {
	layout *Layout
	in     *words
	// These are the contents of registers at the end of the call. An integer register with a
	// pointer has 0 in ints, and any other has nil in pointers. floats is nil unless the layout
	// has floats.
	ints     [intRegisters]uintptr
	pointers [intRegisters]unsafe.Pointer
	floats   *[floatRegisters]float64
}

// words are the contents of registers at the beginning of a call. Integer registers without a
// pointer have nil in pointers. Registers without an argument have any content.
type words struct {
	ints     [intRegisters]uintptr
	pointers [intRegisters]unsafe.Pointer
	floats   [floatRegisters]float64
}

// handler is called by the entry.
var handler func(closure unsafe.Pointer, c *Call)

// Handle sets the handler. It is called once, before the first func value is made. The handler must
// not keep the Call.
func Handle(f func(closure unsafe.Pointer, c *Call)) { handler = f }

// Arguments stores the arguments in a block of memory.
func (c *Call) Arguments(block unsafe.Pointer) {
	in := c.in
	for i := range c.layout.in {
		m := &c.layout.in[i]
		to := unsafe.Add(block, m.offset)
		switch m.kind {
		case movePointer:
			*(*unsafe.Pointer)(to) = in.pointers[m.register]
		case move64:
			*(*uintptr)(to) = in.ints[m.register]
		case move32:
			*(*uint32)(to) = uint32(in.ints[m.register])
		case move16:
			*(*uint16)(to) = uint16(in.ints[m.register])
		case move8:
			*(*uint8)(to) = uint8(in.ints[m.register])
		case moveFloat64:
			*(*float64)(to) = in.floats[m.register]
		case moveFloat32:
			*(*uint32)(to) = uint32(math.Float64bits(in.floats[m.register]))
		}
	}
}

// Results reads the results from a block of memory.
func (c *Call) Results(block unsafe.Pointer) {
	for i := range c.layout.out {
		m := &c.layout.out[i]
		from := unsafe.Add(block, m.offset)
		switch m.kind {
		case movePointer:
			c.pointers[m.register] = *(*unsafe.Pointer)(from)
		case move64:
			c.ints[m.register] = *(*uintptr)(from)
		case move32:
			c.ints[m.register] = uintptr(*(*uint32)(from))
		case move16:
			c.ints[m.register] = uintptr(*(*uint16)(from))
		case move8:
			c.ints[m.register] = uintptr(*(*uint8)(from))
		case moveFloat64:
			c.floats[m.register] = *(*float64)(from)
		case moveFloat32:
			c.floats[m.register] = math.Float64frombits(uint64(*(*uint32)(from)))
		}
	}
}
