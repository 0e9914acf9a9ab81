package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// offsetBits is the number of lower bits of an address that are the place within a buffer; those above name the buffer, so
// that no place beyond the end of one is in another.
const offsetBits = 40

// memory is the buffers of a card. Number 0 is none: the address 0 is nowhere.
type memory struct{ buffers [][]byte }

// allocate returns the address of a new buffer, full of ones: numbers that nothing was written to are NaN.
func (m *memory) allocate(bytes int) uint64 {
	if len(m.buffers) == 0 {
		m.buffers = append(m.buffers, nil)
	}
	buffer := make([]byte, bytes)
	for i := range buffer {
		buffer[i] = 0xff
	}
	m.buffers = append(m.buffers, buffer)
	return uint64(len(m.buffers)-1) << offsetBits
}

// at returns some bytes at an address, or nil where a buffer does not have them.
func (m *memory) at(address uint64, bytes int) []byte {
	number, offset := address>>offsetBits, address&(1<<offsetBits-1)
	if number >= uint64(len(m.buffers)) || offset+uint64(bytes) > uint64(len(m.buffers[number])) {
		return nil
	}
	return m.buffers[number][offset : offset+uint64(bytes)]
}

// A fault is what a program must not do; threads panic with it.
type fault struct{ text string }

// access returns what a load or a store does.
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
	reach := func(t *thread) []byte { return t.reach(shared, t.registers[from]+uint64(apart), bytes) }
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

// four returns what a load of four numbers at once does. The kernels have no store of that kind.
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
		bytes := t.reach(true, t.registers[from[0]]+uint64(apart), 16)
		for i, register := range to {
			t.registers[register] = uint64(binary.LittleEndian.Uint32(bytes[4*i:]))
		}
	}, nil
}

// reach returns bytes of the block's or of the card's memory.
func (t *thread) reach(shared bool, address uint64, bytes int) []byte {
	if address%uint64(bytes) != 0 {
		panic(fault{fmt.Sprintf("address %#x is not a multiple of %d", address, bytes)})
	}
	if !shared {
		if found := t.block.memory.at(address, bytes); found != nil {
			return found
		}
		panic(fault{fmt.Sprintf("no buffer has %d bytes at place %d (buffer %d)", bytes, address&(1<<offsetBits-1), address>>offsetBits)})
	}
	if size := uint64(len(t.block.shared)); address > size || uint64(bytes) > size-address {
		panic(fault{fmt.Sprintf("shared memory of %d bytes has no %d at place %d", len(t.block.shared), bytes, address)})
	}
	return t.block.shared[address:]
}
