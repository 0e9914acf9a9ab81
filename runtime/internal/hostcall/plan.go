package hostcall

import (
	"reflect"
	"unsafe"
)

// A plan describes how the arguments and results of a call are passed.
type plan struct {
	args, results int
	registers     bool // no argument or result is on the stack
	in, out       []move
	// pointers has bit i set if integer register i holds a pointer after the call.
	pointers uint64
	// floats reports whether floating-point registers are used before or after the call.
	floats bool
}

// A move is the part of an argument or result that one register holds.
type move struct {
	offset   uintptr // in the value
	value    uint16  // index of the argument or result
	register uint8   // integer register, or floating-point register for kinds from moveFloat64 on
	kind     moveKind
}

// A moveKind is the type of a word for the purpose of a move. Integers have kinds by size, because
// the calling convention does not define the upper bits of a register that holds a small integer.
// The order matters: floating-point kinds come last.
type moveKind uint8

const (
	movePointer moveKind = iota
	move64
	move32
	move16
	move8
	moveFloat64
	moveFloat32
)

// planOf assigns registers to the arguments and results of a function type. If method is set, the
// first integer register holds a receiver.
func planOf(t reflect.Type, method bool) plan {
	p := plan{args: t.NumIn(), results: t.NumOut()}
	var in, out assignment
	if method {
		in.ints, in.spill = 1, wordSize
	}
	// Arguments and results are assigned independently: both begin with the first register of each
	// kind.
	ok := haveTrampoline
	for i := range p.args {
		ok = ok && in.add(i, t.In(i))
	}
	for i := range p.results {
		ok = ok && out.add(i, t.Out(i))
	}
	p.in, p.out = in.moves, out.moves
	p.registers = ok && in.ints <= intRegisters && in.spill <= spillSize
	p.floats = in.floats+out.floats > 0
	for _, m := range out.moves {
		if m.kind == movePointer {
			p.pointers |= 1 << m.register
		}
	}
	return p
}

const wordSize = unsafe.Sizeof(uintptr(0))

// An assignment counts the registers that have been assigned to values.
type assignment struct {
	moves        []move
	ints, floats int
	spill        uintptr // bytes that the callee may need to save its arguments
}

// add assigns registers to a whole value. It reports false if the value must be passed on the
// stack.
func (a *assignment) add(value int, t reflect.Type) bool {
	if value > 1<<16-1 {
		return false
	}
	// The calling convention reserves spill space for each argument in memory that belongs to the
	// caller, laid out like the arguments on a stack. Without arguments and results on the stack
	// this space begins at the bottom of the trampoline's frame.
	align := uintptr(t.Align())
	a.spill = (a.spill+align-1)&^(align-1) + t.Size()
	// A value without bytes would only affect the alignment of arguments on the stack. If part
	// fails after it has assigned some words, the plan is not used, so they need not be taken back.
	return t.Size() == 0 || a.part(value, t, 0)
}

// part assigns registers to the part of a value at offset. The rules are those of "Function call
// argument and result passing" in abi-internal.md: structs are passed field by field, arrays of one
// element like the element, and longer arrays on the stack. For instance struct{ s string; x
// float64 } uses two integer registers and one floating-point register.
func (a *assignment) part(value int, t reflect.Type, offset uintptr) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || t.Len() == 1 && a.part(value, t.Elem(), offset)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !a.part(value, f.Type, offset+f.Offset) {
				return false
			}
		}
		return true
	case reflect.Complex64:
		return a.words(value, offset, moveFloat32, moveFloat32)
	case reflect.Complex128:
		return a.words(value, offset, moveFloat64, moveFloat64)
	case reflect.Float32:
		return a.words(value, offset, moveFloat32)
	case reflect.Float64:
		return a.words(value, offset, moveFloat64)
	case reflect.String:
		return a.words(value, offset, movePointer, move64)
	case reflect.Slice:
		return a.words(value, offset, movePointer, move64, move64)
	case reflect.Interface:
		// As in Go's own pointer maps, the type word does not count as a pointer.
		return a.words(value, offset, move64, movePointer)
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Map, reflect.Func:
		return a.words(value, offset, movePointer)
	}
	return a.words(value, offset, integer(t.Size()))
}

// integer returns the kind of an integer or Boolean of a size.
func integer(size uintptr) moveKind {
	switch size {
	case 1:
		return move8
	case 2:
		return move16
	case 4:
		return move32
	}
	return move64
}

// words assigns registers to consecutive words of a value.
func (a *assignment) words(value int, offset uintptr, kinds ...moveKind) bool {
	for _, k := range kinds {
		next, limit, size := &a.ints, intRegisters, wordSize
		if k >= moveFloat64 {
			next, limit = &a.floats, floatRegisters
		}
		if k == moveFloat32 {
			size = 4
		}
		if *next >= limit {
			return false
		}
		a.moves = append(a.moves, move{offset, uint16(value), uint8(*next), k})
		*next++
		offset += size
	}
	return true
}

// load moves arguments to registers. Pointers are also stored in r.pointers, so that the collector
// sees them even if the memory of the arguments changes during the call. args[i] may be nil for a
// value without size, because such a value has no moves.
func (p *plan) load(r *registers, args []unsafe.Pointer) {
	r.resultPointers = p.pointers
	r.hasFloats = p.floats
	for i := range p.in {
		m := &p.in[i]
		from := unsafe.Add(args[m.value], m.offset)
		switch m.kind {
		case movePointer:
			word := *(*unsafe.Pointer)(from)
			r.pointers[m.register], r.ints[m.register] = word, uintptr(word)
		case move64:
			r.ints[m.register] = *(*uintptr)(from)
		case move32:
			r.ints[m.register] = uintptr(*(*uint32)(from))
		case move16:
			r.ints[m.register] = uintptr(*(*uint16)(from))
		case move8:
			r.ints[m.register] = uintptr(*(*uint8)(from))
		case moveFloat64:
			r.floats[m.register] = *(*uint64)(from)
		case moveFloat32:
			r.floats[m.register] = uint64(*(*uint32)(from))
		}
	}
}

// store moves registers to the memory of the results. It skips results that are not needed. A
// pointer is written with a write barrier, because the memory of the result may be on the heap. It
// is taken from r.pointers and not from r.ints: the stack may move before the store, and only
// r.pointers is then adjusted.
func (p *plan) store(r *registers, results []unsafe.Pointer) {
	for i := range p.out {
		m := &p.out[i]
		to := results[m.value]
		if to == nil {
			continue
		}
		to = unsafe.Add(to, m.offset)
		switch m.kind {
		case movePointer:
			*(*unsafe.Pointer)(to) = r.pointers[m.register]
		case move64:
			*(*uintptr)(to) = r.ints[m.register]
		case move32:
			*(*uint32)(to) = uint32(r.ints[m.register])
		case move16:
			*(*uint16)(to) = uint16(r.ints[m.register])
		case move8:
			*(*uint8)(to) = uint8(r.ints[m.register])
		case moveFloat64:
			*(*uint64)(to) = r.floats[m.register]
		case moveFloat32:
			*(*uint32)(to) = uint32(r.floats[m.register])
		}
	}
}
