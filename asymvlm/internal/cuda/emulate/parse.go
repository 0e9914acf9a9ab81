package emulate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A kernel is an entry of a module, ready to run.
type kernel struct {
	name       string
	parameters []parameter
	code       []instruction
	assigned   sync.Once          // by assign, at the first launch
	columns    int                // registers of a thread
	constants  map[int]uint64     // values of registers that hold constants
	cleared    []int              // registers that a thread may read before it writes them
	special    [len(specials)]int // registers, −1 if unused
	shared     int                // bytes
	threads    int                // limit per block, declared by the kernel or valid on any GPU
	slots      map[string]int
	labels     map[string]int
	variables  map[string]int // offsets of shared variables
}

// A parameter is an argument of a kernel: its register and its size, 4 or 8 bytes.
type parameter struct{ register, bytes int }

// An instruction is the effect of one line. A thread skips it if its guard, if there is one, does
// not match.
type instruction struct {
	text    string
	guard   int // register, −1 for none
	unless  bool
	kind    kind
	run     effect // of a plain instruction
	label   string // of a branch
	target  int    // of a branch
	operand [5]int // registers, first those that it writes, −1 if unused
	writes  int    // number of operands
}

// An effect runs an instruction for the threads from one number to before another.
type effect func(b *block, operand *[5]int, from, to int)

type kind int

const (
	plain kind = iota
	branch
	barrier
	exchange
	exit
)

var (
	entryLine    = regexp.MustCompile(`^\.visible \.entry (\w+)\(`)
	argumentLine = regexp.MustCompile(`^\.param \.(u64|u32|s32|f32) (\w+),?$`)
	sharedLine   = regexp.MustCompile(`^\.shared \.align (\d+) \.b8 (\w+)\[(\d+)\];$`)
	labelLine    = regexp.MustCompile(`^(\$\w+):$`)
)

// parse reads the kernels of a module. It takes those whose text is the same as in another module
// from there, because tests load many modules that differ in one kernel.
func parse(ptx string, former map[string]*kernel) (map[string]*kernel, error) {
	kernels := map[string]*kernel{}
	texts := strings.Split("\n"+ptx, "\n.visible .entry ")
	everybody, size, err := common(texts[0])
	number := strings.Count(texts[0], "\n")
	for _, text := range texts[1:] {
		if err != nil {
			break
		}
		text = ".visible .entry " + text
		whole := texts[0] + text
		k := former[whole]
		if k == nil {
			k, err = entry(text, number, everybody, size)
		}
		kernels[whole] = k
		number += 1 + strings.Count(text, "\n")
	}
	return kernels, err
}

// common reads what is before the kernels of a module: the shared variables of all and their size.
func common(text string) (variables map[string]int, size int, err error) {
	variables = map[string]int{}
	for number, line := range strings.Split(text, "\n") {
		line = bare(line)
		switch found := sharedLine.FindStringSubmatch(line); {
		case found != nil:
			size = declare(variables, size, found)
		case !strings.HasPrefix(line, ".version") && !strings.HasPrefix(line, ".target") && !strings.HasPrefix(line, ".address_size") && line != "":
			return nil, 0, fmt.Errorf("emulate: line %d of the module: %q outside of a kernel", number, line)
		}
	}
	return variables, size, nil
}

// entry reads a kernel whose text begins after a number of lines.
func entry(text string, number int, everybody map[string]int, size int) (*kernel, error) {
	first, rest, _ := strings.Cut(text, "\n")
	found := entryLine.FindStringSubmatch(bare(first))
	if found == nil {
		return nil, fmt.Errorf("emulate: line %d of the module: %q is not understood", number+1, first)
	}
	k := newKernel(found[1], everybody, size)
	for i, line := range strings.Split(rest, "\n") {
		if err := k.line(bare(line)); err != nil {
			return nil, fmt.Errorf("emulate: line %d of the module: %w", number+2+i, err)
		}
	}
	return k, k.link()
}

// bare returns a line without its comment and the space around it.
func bare(line string) string {
	line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
	return strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
}

func newKernel(name string, everybody map[string]int, size int) *kernel {
	k := &kernel{name: name, threads: freeThreads, constants: map[int]uint64{}, slots: map[string]int{}, labels: map[string]int{},
		variables: map[string]int{}, shared: size}
	for i := range k.special {
		k.special[i] = -1
	}
	for variable, at := range everybody {
		k.variables[variable] = at
	}
	return k
}

// declare adds a shared variable and returns the size including it. The offset is aligned as
// declared but not more, so that kernels cannot rely on accidental alignment.
func declare(variables map[string]int, size int, found []string) int {
	align, wrong := strconv.Atoi(found[1])
	bytes, err := strconv.Atoi(found[3])
	if wrong != nil || err != nil || align < 1 || max(align, bytes) > mostShared {
		align, bytes = 1, mostShared+1 // more than any GPU allows
	}
	size = (size + align - 1) / align * align
	if size%(2*align) == 0 {
		size += align
	}
	variables[found[2]] = size
	return size + bytes
}

// line parses one line of a kernel.
func (k *kernel) line(line string) error {
	if found := argumentLine.FindStringSubmatch(line); found != nil {
		bytes := 4
		if found[1] == "u64" {
			bytes = 8
		}
		k.parameters = append(k.parameters, parameter{k.register(found[2]), bytes})
		return nil
	}
	if found := sharedLine.FindStringSubmatch(line); found != nil {
		k.shared = declare(k.variables, k.shared, found)
		return nil
	}
	if found := labelLine.FindStringSubmatch(line); found != nil {
		k.labels[found[1]] = len(k.code)
		return nil
	}
	if most, limited := strings.CutPrefix(line, ".maxntid "); limited {
		_, err := fmt.Sscanf(most, "%d, 1, 1", &k.threads)
		return err
	}
	if line == "" || line == ")" || strings.HasPrefix(line, ".minnctapersm ") || line == "{" || line == "}" || strings.HasPrefix(line, ".reg ") || strings.HasPrefix(line, ".pragma ") {
		return nil
	}
	if !strings.HasSuffix(line, ";") {
		return fmt.Errorf("%q is not understood", line)
	}
	i, err := k.instruction(strings.TrimSuffix(line, ";"))
	k.code = append(k.code, i)
	return err
}

// instruction parses an instruction with its guard.
func (k *kernel) instruction(text string) (instruction, error) {
	i := instruction{text: text, guard: -1, target: -1, operand: [5]int{-1, -1, -1, -1, -1}}
	if rest, guarded := strings.CutPrefix(text, "@"); guarded {
		var name string
		name, text, _ = strings.Cut(rest, " ")
		name, i.unless = strings.CutPrefix(name, "!")
		i.guard = k.register(name)
	}
	operation, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	operands := split(rest)
	switch operation {
	case "bra", "bra.uni":
		i.kind = branch
		i.label = operands[0]
		return i, nil
	case "bar.sync":
		i.kind = barrier
		return i, nil
	case "ret":
		i.kind = exit
		return i, nil
	case "shfl.sync.bfly.b32":
		if len(operands) != 5 {
			return i, fmt.Errorf("%s has %d operands", operation, len(operands))
		}
		destination, _, _ := strings.Cut(operands[0], "|")
		i.kind, i.writes = exchange, 1
		return i, k.operands(i.operand[:], append([]string{destination}, operands[1:]...)...)
	}
	err := k.meaning(&i, operation, operands)
	return i, err
}

// split splits operands at commas outside braces.
func split(text string) []string {
	var parts []string
	depth, from := 0, 0
	for at, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[from:at]))
			from = at + 1
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

// register returns the register with a name.
func (k *kernel) register(name string) int {
	slot, known := k.slots[name]
	if !known {
		slot = len(k.slots)
		k.slots[name] = slot
	}
	return slot
}

// operands sets slots to the registers of operands.
func (k *kernel) operands(slots []int, names ...string) error {
	for i, name := range names {
		slot, err := k.operand(name)
		if err != nil {
			return err
		}
		slots[i] = slot
	}
	return nil
}

// operand returns the register of an operand. A constant gets a register of its own that is set
// when a thread starts, so that instructions read registers only.
func (k *kernel) operand(name string) (int, error) {
	if _, known := k.slots[name]; known {
		return k.register(name), nil
	}
	if i := slices.Index(specials[:], name); i >= 0 {
		k.special[i] = k.register(name)
		return k.special[i], nil
	}
	if strings.HasPrefix(name, "%") {
		return k.register(name), nil
	}
	value, err := k.constant(name)
	slot := k.register(name)
	k.constants[slot] = value
	return slot, err
}

// constant returns the bits of a number or the offset of a shared variable.
func (k *kernel) constant(name string) (uint64, error) {
	if at, known := k.variables[name]; known {
		return uint64(at), nil
	}
	if hex, float := strings.CutPrefix(name, "0f"); float {
		return strconv.ParseUint(hex, 16, 32)
	}
	if hex, double := strings.CutPrefix(name, "0d"); double {
		return strconv.ParseUint(hex, 16, 64)
	}
	if value, err := strconv.ParseInt(name, 0, 64); err == nil {
		return uint64(value), nil
	}
	value, err := strconv.ParseUint(name, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("operand %q is not understood", name)
	}
	return value, nil
}

// link resolves the targets of branches and checks what is written.
func (k *kernel) link() error {
	for at := range k.code {
		i := &k.code[at]
		if i.kind != branch {
			continue
		}
		target, known := k.labels[i.label]
		if !known {
			return fmt.Errorf("emulate: kernel %s: %q goes nowhere", k.name, i.text)
		}
		i.target = target
	}
	return k.written()
}

// f32 and f64 convert register bits to numbers.
func f32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func f64(bits uint64) float64 { return math.Float64frombits(bits) }

func bits32(value float32) uint64 { return uint64(math.Float32bits(value)) }
func bits64(value float64) uint64 { return math.Float64bits(value) }
