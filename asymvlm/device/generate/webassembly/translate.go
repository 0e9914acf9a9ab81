package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// A translator translates one function. It handles the control flow that the generator emits: one
// loop, and forward jumps to one label after it.
type translator struct {
	*body
	table     map[int]float32
	constants map[int]variable       // broadcast before the first instruction
	general   map[string]variable    // general registers
	vectors   map[string][2]variable // halves of vector registers, by the name beginning with Y
	masks     map[string]bool        // vector registers that hold the result of a comparison
	frame     map[string]uint32      // offsets of arguments and results
	flag      string                 // the register whose last result set the zero flag
	open      []string               // labels of the enclosing blocks, the outermost first
}

// A fault is the panic value of a translator for assembly that it does not handle.
type fault string

// translate returns the code of a function.
func translate(f function, table map[int]float32, isFused bool) (result *body, err error) {
	t := &translator{body: &body{isFused: isFused}, table: table, constants: map[int]variable{}, general: map[string]variable{},
		vectors: map[string][2]variable{}, masks: map[string]bool{}, frame: frameOf(f)}
	at := 0
	defer func() {
		if problem := recover(); problem != nil {
			text, ok := problem.(fault)
			if !ok {
				panic(problem)
			}
			err = fmt.Errorf("%s: %s: %s", f.name, f.lines[at], string(text))
		}
	}()
	if slices.ContainsFunc(f.lines, func(l line) bool { return l.label == afterLoop }) {
		t.begin(opBlock, afterLoop)
	}
	for at = range f.lines {
		t.line(f.lines[at], at == len(f.lines)-1)
	}
	if len(t.open) > 0 {
		panic(fault("a block has no end"))
	}
	t.broadcast()
	return t.body, nil
}

// afterLoop is the label of all forward jumps.
const afterLoop = "done"

// frameOf returns the offsets of arguments and results.
func frameOf(f function) map[string]uint32 {
	places, at := map[string]uint32{}, uint32(0)
	add := func(list []parameter) {
		for _, p := range list {
			size := uint32(8)
			if p.kind == "float32" {
				size = 4
			}
			at = (at + size - 1) / size * size
			places[fmt.Sprintf("%s+%d(FP)", p.name, at)] = at
			at += size
		}
	}
	add(f.parameters)
	at = (at + 7) / 8 * 8
	add(f.results)
	return places
}

// broadcast inserts the constants of the function before its code.
func (t *translator) broadcast() {
	code := t.steps
	t.steps = nil
	var order []int
	for at := range t.constants {
		order = append(order, at)
	}
	slices.Sort(order)
	for _, at := range order {
		pattern := math.Float32bits(t.table[at])
		// The constant may be the bit pattern of a NaN, which a floating-point number may not preserve.
		t.number(int32(pattern))
		t.simd(i32x4Splat)
		t.set(t.constants[at])
	}
	t.steps = append(t.steps, code...)
}

func (t *translator) begin(op byte, label string) {
	t.raw(op, noResult)
	t.open = append(t.open, label)
}

// end closes the innermost block, which must have the label.
func (t *translator) end(label string) {
	if len(t.open) == 0 || t.open[len(t.open)-1] != label {
		panic(fault("blocks overlap"))
	}
	t.raw(opEnd)
	t.open = t.open[:len(t.open)-1]
}

// line translates one line.
func (t *translator) line(l line, last bool) {
	switch {
	case l.label == afterLoop:
		t.end(l.label)
	case l.label != "":
		t.begin(opLoop, l.label)
	case l.operation == "RET":
		if !last {
			panic(fault("returns early"))
		}
	case l.operation == "VZEROUPPER":
	case len(l.operands) == 0:
		panic(fault("is not known"))
	case l.operation == "JZ" || l.operation == "JNZ":
		t.jump(l)
	case l.operation[0] == 'V' || l.operation == "MOVSS" || l.operation == "MOVSD":
		t.onVectors(l)
	default:
		t.onIntegers(l)
	}
	if l.label != "" {
		clear(t.masks)
	}
}

// jump translates a conditional jump. A jump backward ends its loop.
func (t *translator) jump(l line) {
	label := l.operands[0]
	at := slices.Index(t.open, label)
	if at < 0 || t.flag == "" {
		panic(fault("is a jump to nowhere or without a condition"))
	}
	t.get(t.integerOf(t.flag))
	if l.operation == "JZ" {
		t.raw(opIsZero)
	}
	t.branch(len(t.open) - 1 - at)
	if label != afterLoop {
		t.end(label)
	}
}

// integerOf returns the variable of a general register.
func (t *translator) integerOf(register string) variable {
	v, ok := t.general[register]
	if !ok {
		v = t.integer()
		t.general[register] = v
	}
	return v
}

var (
	immediate = regexp.MustCompile(`^\$0x([0-9a-f]+)$`)
	constant  = regexp.MustCompile(`^constants<>\+(\d+)\(SB\)$`)
	place     = regexp.MustCompile(`^(\d*)\(([A-Z]\w*)\)(?:\(([A-Z]\w*)\*(\d)\))?$`)
	register  = regexp.MustCompile(`^[A-Z][A-Z0-9]{1,2}$`)
)

// immediateOf returns the number of an immediate operand.
func immediateOf(operand string) int32 {
	found := immediate.FindStringSubmatch(operand)
	if found == nil {
		panic(fault(operand + " is no immediate operand"))
	}
	n, _ := strconv.ParseUint(found[1], 16, 31)
	return int32(n)
}

// address pushes the address of an operand without its offset, which it returns.
func (t *translator) address(operand string) uint32 {
	if at, ok := t.frame[operand]; ok {
		t.get(0)
		return at
	}
	found := place.FindStringSubmatch(operand)
	if found == nil || found[2] == "SB" || found[2] == "FP" {
		panic(fault(operand + " is no place in memory"))
	}
	t.get(t.integerOf(found[2]))
	if found[3] != "" {
		scale, _ := strconv.Atoi(found[4])
		t.get(t.integerOf(found[3]))
		t.number(int32(scale))
		t.raw(opMul, opAdd)
	}
	offset, _ := strconv.ParseUint("0"+found[1], 10, 31)
	return uint32(offset)
}

// onIntegers translates an instruction on general registers.
func (t *translator) onIntegers(l line) {
	last := l.operands[len(l.operands)-1]
	binary := func(op byte) {
		dst := t.integerOf(last)
		t.get(dst)
		if operand := l.operands[0]; register.MatchString(operand) {
			t.get(t.integerOf(operand))
		} else {
			t.number(immediateOf(operand))
		}
		t.raw(op)
		t.set(dst)
		t.flag = last
	}
	switch l.operation {
	case "MOVQ":
		t.move(l.operands[0], last)
	case "LEAQ":
		offset := t.address(l.operands[0])
		t.number(int32(offset))
		t.raw(opAdd)
		t.set(t.integerOf(last))
	case "ADDQ":
		binary(opAdd)
	case "SUBQ":
		binary(opSub)
	case "SHLQ":
		binary(opShl)
	case "SHRQ":
		binary(opShrU)
	case "DECQ":
		l.operands = []string{"$0x1", last}
		binary(opSub)
	case "TESTQ", "TESTL":
		if l.operands[0] != last {
			panic(fault("tests two registers"))
		}
		t.flag = last
	default:
		panic(fault("is not known"))
	}
}

// move translates a move between general registers and the frame, where numbers have 64 bits.
func (t *translator) move(from, to string) {
	if at, ok := t.frame[to]; ok {
		t.get(0, t.integerOf(from))
		t.raw(unsigned([]byte{opStore, 2}, at)...)
		t.get(0)
		t.number(0)
		t.raw(unsigned([]byte{opStore, 2}, at+4)...)
		return
	}
	if register.MatchString(from) {
		t.get(t.integerOf(from))
	} else {
		t.raw(unsigned([]byte{opLoad, 2}, t.address(from))...)
	}
	t.set(t.integerOf(to))
}
