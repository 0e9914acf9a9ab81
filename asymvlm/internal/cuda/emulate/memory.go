package emulate

import (
	"encoding/binary"
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
	blocks  map[*kernel]*block // the last of each kernel
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

// A fault is the panic value of an invalid access.
type fault struct {
	thread uint16
	text   string
}

// access sets the effect of a load or a store. The address is a register, with a constant offset
// if the operand has the form [%rd1+16]. Parameters are registers here, so a load of one is a move.
func (k *kernel) access(i *instruction, operation string, operands []string) error {
	bytes, signed, err := width(operation)
	if err != nil {
		return err
	}
	if len(operands) != 2 {
		return fmt.Errorf("%s has %d operands", operation, len(operands))
	}
	if operation, four := strings.CutSuffix(operation, ".v4.f32"); four {
		return k.four(i, operation, operands)
	}
	place, value := operands[0], operands[1]
	load := operation[0] == 'l'
	if load {
		place, value = value, place
	}
	name, offset, _ := strings.Cut(strings.Trim(place, "[]"), "+")
	apart := 0
	if offset != "" {
		if apart, err = strconv.Atoi(offset); err != nil {
			return fmt.Errorf("%s: place %s", operation, place)
		}
	}
	space := strings.Split(operation, ".")[1]
	if space != "param" && space != "global" && space != "shared" {
		return fmt.Errorf("%s: memory of this kind is not known", operation)
	}
	w := words{space == "shared", !load, uint64(apart), uint64(bytes)}
	switch {
	case !load && space == "param":
		return fmt.Errorf("%s: parameters are constant", operation)
	case !load:
		i.run = w.store
		return k.operands(i.operand[:], name, value)
	case space == "param":
		i.run = one(each1(same))
	case signed:
		i.run = w.loadSigned
	default:
		i.run = w.load
	}
	i.writes = 1
	return k.operands(i.operand[:], value, name)
}

// words are what an instruction accesses, at the sum of the address in a register and apart.
type words struct {
	shared, write bool
	apart, bytes  uint64
}

// load is the effect of a load of 4 or 8 bytes.
func (w words) load(b *block, o *[5]int, from, to int) {
	into := b.column(o[0], from, to)
	for i, address := range b.column(o[1], from, to) {
		if bytes := w.reach(b, from+i, address); len(bytes) == 8 {
			into[i] = binary.LittleEndian.Uint64(bytes)
		} else {
			into[i] = uint64(binary.LittleEndian.Uint32(bytes))
		}
	}
}

// loadSigned is the effect of a load of 4 bytes with a sign.
func (w words) loadSigned(b *block, o *[5]int, from, to int) {
	into := b.column(o[0], from, to)
	for i, address := range b.column(o[1], from, to) {
		into[i] = uint64(int64(int32(binary.LittleEndian.Uint32(w.reach(b, from+i, address)))))
	}
}

// store is the effect of a store.
func (w words) store(b *block, o *[5]int, from, to int) {
	values := b.column(o[1], from, to)
	for i, address := range b.column(o[0], from, to) {
		if bytes := w.reach(b, from+i, address); len(bytes) == 8 {
			binary.LittleEndian.PutUint64(bytes, values[i])
		} else {
			binary.LittleEndian.PutUint32(bytes, uint32(values[i]))
		}
	}
}

// four sets the effect of a load of four numbers. No kernel stores four numbers at once.
func (k *kernel) four(i *instruction, operation string, operands []string) error {
	values := strings.Split(strings.Trim(operands[0], "{}"), ",")
	name, offset, _ := strings.Cut(strings.Trim(operands[1], "[]"), "+")
	apart, err := strconv.Atoi("0" + offset)
	if operation != "ld.shared" || err != nil || len(values) != 4 {
		return fmt.Errorf("%s.v4.f32 %s is not known", operation, strings.Join(operands, ", "))
	}
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	w := words{true, false, uint64(apart), 16}
	i.writes = 4
	i.run = func(b *block, o *[5]int, from, to int) {
		for lane := from; lane < to; lane++ {
			bytes := w.reach(b, lane, b.registers[o[4]*b.threads+lane])
			for number := range 4 {
				b.registers[o[number]*b.threads+lane] = uint64(binary.LittleEndian.Uint32(bytes[4*number:]))
			}
		}
	}
	return k.operands(i.operand[:], append(values, name)...)
}

// reach returns bytes of the block's or the GPU's memory for a read or a write by a thread.
func (w words) reach(b *block, thread int, address uint64) []byte {
	address += w.apart
	if address&(w.bytes-1) != 0 {
		panic(fault{uint16(thread), fmt.Sprintf("address %#x is not a multiple of %d", address, w.bytes)})
	}
	from, offset, clock := &b.shared, address, b.memory.clock
	if w.shared {
		clock.start = clock.block // shared memory begins with the block
	} else if number := address >> offsetBits; number < uint64(len(b.memory.buffers)) {
		from, offset = &b.memory.buffers[number], address&(1<<offsetBits-1)
	} else {
		from = &buffer{}
	}
	if size := uint64(len(from.bytes)); offset > size || w.bytes > size-offset {
		panic(fault{uint16(thread), w.missing(b, address)})
	}
	for i := offset / 4; i < (offset+w.bytes)/4; i++ {
		m := &from.marks[i]
		if w.shared && m.written < clock.block {
			*m = mark{} // the previous block has left it, since all blocks share the buffer here
		}
		m.touch(&clock, uint16(thread), w.write)
	}
	return from.bytes[offset : offset+w.bytes]
}

// missing describes an address that no memory has.
func (w words) missing(b *block, address uint64) string {
	if w.shared {
		return fmt.Sprintf("shared memory of %d bytes has no %d at place %d", len(b.shared.bytes), w.bytes, address)
	}
	return fmt.Sprintf("no buffer has %d bytes at place %d (buffer %d)", w.bytes, address&(1<<offsetBits-1), address>>offsetBits)
}
