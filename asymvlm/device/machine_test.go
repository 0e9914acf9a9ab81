package device

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A machine interprets the assembly's source on any CPU and tracks every byte that is read and
// written. It supports only the AVX2 instructions that the generators emit.
type machine struct {
	function  string
	registers map[string]uint64     // general registers
	vectors   map[string]*[8]uint32 // by the name beginning with Y
	arguments map[string]uint64     // by "name+offset"
	results   map[string]uint64
	memory    []*buffer
	zero      bool // zero flag
	jumps     int  // backward jumps
	constants map[int]bool
}

// base is the offset of the first byte of a buffer, so that accesses before it are detected.
const base = 1 << 20

// A buffer is a bounded memory region. The upper half of its address is its number.
type buffer struct {
	bytes         []byte
	read, written []int // number of accesses, byte by byte
}

// A program holds the lines of a function and the positions of its labels.
type program struct {
	lines  []string
	labels map[string]int
}

// An assembly is a whole file: programs, and the bytes of the table of constants.
type assembly struct {
	programs  map[string]program
	constants []byte
}

var readAssembly = sync.OnceValues(func() (assembly, error) {
	text, err := os.ReadFile("kernels_amd64.s")
	return parseAssembly(string(text)), err
})

var (
	textLine = regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	dataLine = regexp.MustCompile(`^DATA constants<>\+(\d+)\(SB\)/4, \$0x([0-9a-f]+)`)
	mark     = regexp.MustCompile(`^(\w+):$`)
)

func parseAssembly(text string) assembly {
	a := assembly{programs: map[string]program{}}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if found := dataLine.FindStringSubmatch(line); found != nil {
			at, _ := strconv.Atoi(found[1])
			bits, _ := strconv.ParseUint(found[2], 16, 32)
			for len(a.constants) < at+4 {
				a.constants = append(a.constants, 0)
			}
			binary.LittleEndian.PutUint32(a.constants[at:], uint32(bits))
		}
		if found := textLine.FindStringSubmatch(line); found != nil {
			name = found[1]
			a.programs[name] = program{labels: map[string]int{}}
			continue
		}
		p := a.programs[name]
		switch found := mark.FindStringSubmatch(line); {
		case name == "" || line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "DATA") || strings.HasPrefix(line, "GLOBL"):
			continue
		case found != nil:
			p.labels[found[1]] = len(p.lines)
		default:
			p.lines = append(p.lines, line)
		}
		a.programs[name] = p
	}
	return a
}

func newMachine(function string) *machine {
	return &machine{function: function, registers: map[string]uint64{}, vectors: map[string]*[8]uint32{}, arguments: map[string]uint64{},
		results: map[string]uint64{}, constants: map[int]bool{}}
}

// give binds values to an argument, and returns their buffer.
func (m *machine) give(argument string, values []float32) *buffer {
	b := &buffer{bytes: make([]byte, 4*len(values)), read: make([]int, 4*len(values)), written: make([]int, 4*len(values))}
	for i, value := range values {
		binary.LittleEndian.PutUint32(b.bytes[4*i:], math.Float32bits(value))
	}
	m.memory = append(m.memory, b)
	m.arguments[argument] = uint64(len(m.memory))<<32 + base
	return b
}

// values returns the contents of a buffer.
func (b *buffer) values() []float32 {
	values := make([]float32, len(b.bytes)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b.bytes[4*i:]))
	}
	return values
}

// A slip is the panic value of the machine for an invalid operation of a program.
type slip string

// reach returns bytes of memory and counts the access.
func (m *machine) reach(address uint64, length int, write bool) []byte {
	number, offset := int(address>>32)-1, int(uint32(address))-base
	if number < 0 || number >= len(m.memory) {
		panic(slip(fmt.Sprintf("address %#x is of no argument", address)))
	}
	b := m.memory[number]
	if offset < 0 || offset+length > len(b.bytes) {
		panic(slip(fmt.Sprintf("argument %d of %d bytes has no %d at place %d", number, len(b.bytes), length, offset)))
	}
	counts := b.read
	if write {
		counts = b.written
	}
	for i := offset; i < offset+length; i++ {
		counts[i]++
	}
	return b.bytes[offset : offset+length]
}

// run runs the function to its end. The error names the line that failed.
func (m *machine) run(a assembly) (err error) {
	p, known := a.programs[m.function]
	if !known {
		return fmt.Errorf("there is no %s", m.function)
	}
	next := 0
	defer func() {
		if problem := recover(); problem != nil {
			text, ok := problem.(slip)
			if !ok {
				panic(problem)
			}
			err = fmt.Errorf("%s: %s: %s", m.function, p.lines[min(next, len(p.lines)-1)], string(text))
		}
	}()
	for steps := 0; ; steps++ {
		if next >= len(p.lines) || steps > 1_000_000 {
			panic(slip("there is no end"))
		}
		operation, operands, _ := strings.Cut(p.lines[next], " ")
		list := split(operands)
		switch {
		case operation == "RET":
			return nil
		case operation == "JZ" && m.zero, operation == "JNZ" && !m.zero:
			to, known := p.labels[list[0]]
			if !known {
				panic(slip("there is no such label"))
			}
			if to <= next {
				m.jumps++
			}
			next = to
			continue
		case operation != "JZ" && operation != "JNZ":
			m.do(operation, list, a)
		}
		next++
	}
}

// split splits operands at commas.
func split(operands string) []string {
	var list []string
	for part := range strings.SplitSeq(operands, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

var (
	immediate = regexp.MustCompile(`^\$0x([0-9a-f]+)$`)
	constant  = regexp.MustCompile(`^constants<>\+(\d+)\(SB\)$`)
	frame     = regexp.MustCompile(`^(\w+\+\d+)\(FP\)$`)
	placeText = regexp.MustCompile(`^(-?\d*)\((\w+)\)(?:\((\w+)\*(\d)\))?$`)
)

// address returns the address of a memory operand, and false for other operands.
func (m *machine) address(operand string) (uint64, bool) {
	found := placeText.FindStringSubmatch(operand)
	if found == nil || found[2] == "SB" || found[2] == "FP" {
		return 0, false
	}
	apart, _ := strconv.Atoi(found[1])
	address := m.general(found[2]) + uint64(apart)
	if found[3] != "" {
		scale, _ := strconv.Atoi(found[4])
		address += m.general(found[3]) * uint64(scale)
	}
	return address, true
}

// general returns the value of a general register, which must have been written.
func (m *machine) general(name string) uint64 {
	value, known := m.registers[name]
	if !known {
		panic(slip(name + " is read before it is set"))
	}
	return value
}

// vector returns a vector register by its X or Y name; it must have been written.
func (m *machine) vector(name string) *[8]uint32 {
	v := m.vectors["Y"+name[1:]]
	if v == nil {
		panic(slip(name + " is read before it is set"))
	}
	return v
}

func isVector(operand string) bool {
	return len(operand) > 1 && (operand[0] == 'X' || operand[0] == 'Y') && operand[1] <= '9'
}

// lanes returns count 4-byte lanes of an operand: a register, memory or the table.
func (m *machine) lanes(operand string, count int, a assembly) (lanes [8]uint32) {
	var from []byte
	if isVector(operand) {
		copy(lanes[:count], m.vector(operand)[:count])
		return lanes
	} else if found := constant.FindStringSubmatch(operand); found != nil {
		at, _ := strconv.Atoi(found[1])
		m.constants[at] = true
		if at%32 != 0 || at+4*count > len(a.constants) {
			panic(slip("there is no such constant"))
		}
		from = a.constants[at:]
	} else if address, isPlace := m.address(operand); isPlace {
		from = m.reach(address, 4*count, false)
	} else {
		panic(slip("operand " + operand + " is not understood"))
	}
	for i := range count {
		lanes[i] = binary.LittleEndian.Uint32(from[4*i:])
	}
	return lanes
}

// set sets a register or memory to count lanes; the rest of a register becomes 0.
func (m *machine) set(operand string, lanes [8]uint32, count int) {
	if isVector(operand) {
		for i := count; i < len(lanes); i++ {
			lanes[i] = 0
		}
		m.vectors["Y"+operand[1:]] = &lanes
		return
	}
	address, isPlace := m.address(operand)
	if !isPlace {
		panic(slip("operand " + operand + " is not understood"))
	}
	to := m.reach(address, 4*count, true)
	for i := range count {
		binary.LittleEndian.PutUint32(to[4*i:], lanes[i])
	}
}

// number returns an operand of a general instruction.
func (m *machine) number(operand string) uint64 {
	if found := immediate.FindStringSubmatch(operand); found != nil {
		value, _ := strconv.ParseUint(found[1], 16, 64)
		return value
	}
	if found := frame.FindStringSubmatch(operand); found != nil {
		value, known := m.arguments[found[1]]
		if !known {
			panic(slip("there is no argument " + found[1]))
		}
		return value
	}
	return m.general(operand)
}

// runOrFail runs a machine on the committed assembly.
func runOrFail(t *testing.T, m *machine) {
	t.Helper()
	a, err := readAssembly()
	if err == nil {
		err = m.run(a)
	}
	if err != nil {
		t.Fatal(err)
	}
}
