package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// offsetBits is the number of low address bits that are the offset within a buffer. The upper bits
// select the buffer, so that no offset beyond the end of one buffer is inside another.
const offsetBits = 40

// memory holds the buffers of a GPU. Buffer 0 does not exist, so the address 0 is invalid.
type memory struct {
	buffers []buffer
	clock   clock
}

// A buffer holds bytes and a mark for each of their words.
type buffer struct {
	bytes []byte
	marks []mark
}

// newBuffer returns a buffer whose bits are all ones: uninitialized numbers are NaN.
func newBuffer(bytes int) buffer {
	b := buffer{make([]byte, bytes), make([]mark, (bytes+3)/4)}
	b.fill()
	return b
}

func (b buffer) fill() {
	for i := range b.bytes {
		b.bytes[i] = 0xff
	}
}

// allocate returns the address of a new buffer.
func (m *memory) allocate(bytes int) uint64 {
	if len(m.buffers) == 0 {
		m.buffers = append(m.buffers, buffer{})
	}
	m.buffers = append(m.buffers, newBuffer(bytes))
	return uint64(len(m.buffers)-1) << offsetBits
}

// at returns bytes at an address and the marks of their words, or nil if no buffer contains them.
func (m *memory) at(address uint64, bytes int) ([]byte, []mark) {
	number, offset := address>>offsetBits, address&(1<<offsetBits-1)
	if number >= uint64(len(m.buffers)) {
		return nil, nil
	}
	return m.buffers[number].at(offset, uint64(bytes))
}

func (b buffer) at(offset, bytes uint64) ([]byte, []mark) {
	if size := uint64(len(b.bytes)); offset > size || bytes > size-offset {
		return nil, nil
	}
	return b.bytes[offset : offset+bytes], b.marks[offset/4 : (offset+bytes+3)/4]
}

// A fault is the panic value of a thread for an invalid access.
type fault struct{ text string }

// access returns the effect of a load or a store. The address is a register, with a constant offset
// if the operand has the form [%rd1+16]. Parameters are registers here, so a load of one is a move.
func (k *kernel) access(operation string, operands []string) (func(t *thread), error) {
	bytes, signed, err := width(operation)
	if err != nil {
		return nil, err
	}
	if len(operands) != 2 {
		return nil, fmt.Errorf("%s has %d operands", operation, len(operands))
	}
	if operation, four := strings.CutSuffix(operation, ".v4.f32"); four {
		return k.four(operation, operands)
	}
	load := operation[0] == 'l'
	place, value := operands[0], operands[1]
	if load {
		place, value = value, place
	}
	name, offset, _ := strings.Cut(strings.Trim(place, "[]"), "+")
	apart := 0
	if offset != "" {
		if apart, err = strconv.Atoi(offset); err != nil {
			return nil, fmt.Errorf("%s: place %s", operation, place)
		}
	}
	var slots [2]int
	if err := k.operands(slots[:], name, value); err != nil {
		return nil, err
	}
	from, register := slots[0], slots[1]
	space := strings.Split(operation, ".")[1]
	if space == "param" {
		return func(t *thread) { t.registers[register] = t.registers[from] }, nil
	}
	if space != "global" && space != "shared" {
		return nil, fmt.Errorf("%s: memory of this kind is not known", operation)
	}
	shared := space == "shared"
	reach := func(t *thread) []byte { return t.reach(shared, !load, t.registers[from]+uint64(apart), bytes) }
	switch {
	case load && bytes == 8:
		return func(t *thread) { t.registers[register] = binary.LittleEndian.Uint64(reach(t)) }, nil
	case load && signed:
		return func(t *thread) {
			t.registers[register] = uint64(int64(int32(binary.LittleEndian.Uint32(reach(t)))))
		}, nil
	case load:
		return func(t *thread) { t.registers[register] = uint64(binary.LittleEndian.Uint32(reach(t))) }, nil
	case bytes == 8:
		return func(t *thread) { binary.LittleEndian.PutUint64(reach(t), t.registers[register]) }, nil
	}
	return func(t *thread) { binary.LittleEndian.PutUint32(reach(t), uint32(t.registers[register])) }, nil
}

// four returns the effect of a load of four numbers. No kernel stores four numbers at once.
func (k *kernel) four(operation string, operands []string) (func(t *thread), error) {
	values := strings.Split(strings.Trim(operands[0], "{}"), ",")
	name, offset, _ := strings.Cut(strings.Trim(operands[1], "[]"), "+")
	apart, err := strconv.Atoi("0" + offset)
	if operation != "ld.shared" || err != nil || len(values) != 4 {
		return nil, fmt.Errorf("%s.v4.f32 %s is not known", operation, strings.Join(operands, ", "))
	}
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	var to [4]int
	var from [1]int
	if err := errors.Join(k.operands(to[:], values...), k.operands(from[:], name)); err != nil {
		return nil, err
	}
	return func(t *thread) {
		bytes := t.reach(true, false, t.registers[from[0]]+uint64(apart), 16)
		for i, register := range to {
			t.registers[register] = uint64(binary.LittleEndian.Uint32(bytes[4*i:]))
		}
	}, nil
}

// reach returns bytes of the block's or the GPU's memory for a read or a write.
func (t *thread) reach(shared, write bool, address uint64, bytes int) []byte {
	if address%uint64(bytes) != 0 {
		panic(fault{fmt.Sprintf("address %#x is not a multiple of %d", address, bytes)})
	}
	b := t.block
	found, marks := b.shared.at(address, uint64(bytes))
	clock := clock{b.memory.clock.block, b.memory.clock.block, b.memory.clock.now} // shared memory begins with the block
	if !shared {
		found, marks = b.memory.at(address, bytes)
		clock = b.memory.clock
	}
	switch {
	case found == nil && shared:
		panic(fault{fmt.Sprintf("shared memory of %d bytes has no %d at place %d", len(b.shared.bytes), bytes, address)})
	case found == nil:
		panic(fault{fmt.Sprintf("no buffer has %d bytes at place %d (buffer %d)", bytes, address&(1<<offsetBits-1), address>>offsetBits)})
	}
	for i := range marks {
		if m := &marks[i]; shared && m.written < clock.block {
			*m = mark{} // the previous block has left it, since all blocks share the buffer here
		}
		marks[i].touch(&clock, t.number, write)
	}
	return found
}
