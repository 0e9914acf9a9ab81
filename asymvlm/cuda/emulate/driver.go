package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"gosphere/asymvlm/cuda"
)

// A Driver is a card that is played by the processor.
type Driver struct {
	// Launches counts the starts of kernels by their names, also those of replays; Products counts products.
	Launches map[string]int
	Products int
	// Limit is the number of bytes that can be allocated, 0 for any number.
	Limit int
	// Fail, where it is set, is asked before every work that is put into the stream; its error is that of a lost card.
	Fail func() error

	memory  memory
	used    int
	kernels map[string]*kernel
}

var _ cuda.Driver = (*Driver)(nil)

// New returns a card without memory or kernels.
func New() *Driver {
	return &Driver{Launches: map[string]int{}, kernels: map[string]*kernel{}, memory: memory{clock: clock{now: byHost}}}
}

// Name says that this is no card.
func (d *Driver) Name() string { return "emulated card" }

// Load parses a module.
func (d *Driver) Load(ptx string) error {
	last.Lock()
	defer last.Unlock()
	if ptx != last.text {
		kernels, err := parse(ptx)
		if err != nil {
			return err
		}
		last.text, last.kernels = ptx, kernels
	}
	for name, k := range last.kernels {
		d.kernels[name] = k
	}
	return nil
}

// last is the module that was parsed last: tests start many cards with the same one. Launches leave kernels as they are.
var last struct {
	sync.Mutex // guards what follows
	text       string
	kernels    map[string]*kernel
}

// Allocate returns a buffer full of ones.
func (d *Driver) Allocate(bytes int) (cuda.Address, error) {
	if d.Limit > 0 && d.used+bytes > d.Limit {
		return 0, &cuda.MemoryError{Wanted: bytes, Free: d.Limit - d.used}
	}
	d.used += bytes
	return cuda.Address(d.memory.allocate(bytes)), nil
}

// Free forgets a buffer; whoever reads it afterward fails.
func (d *Driver) Free(a cuda.Address) error {
	number := uint64(a) >> offsetBits
	if number == 0 || number >= uint64(len(d.memory.buffers)) || d.memory.buffers[number].bytes == nil {
		return fmt.Errorf("emulate: %#x is no buffer", uint64(a))
	}
	d.used -= len(d.memory.buffers[number].bytes)
	d.memory.buffers[number] = buffer{}
	return nil
}

// Used returns the bytes that are allocated.
func (d *Driver) Used() int { return d.used }

// bytes returns some words of the card's memory, with their marks.
func (d *Driver) bytes(a cuda.Address, words int) ([]byte, []mark, error) {
	found, marks := d.memory.at(uint64(a), 4*words)
	if found == nil {
		return nil, nil, fmt.Errorf("emulate: no buffer has %d words at %#x", words, uint64(a))
	}
	return found, marks, nil
}

// Write copies numbers to the card.
func (d *Driver) Write(to cuda.Address, values []float32) error {
	words := make([]uint32, len(values))
	for i, value := range values {
		words[i] = math.Float32bits(value)
	}
	return d.WriteWords(to, words)
}

// WriteWords copies words to the card.
func (d *Driver) WriteWords(to cuda.Address, words []uint32) error {
	into, marks, err := d.bytes(to, len(words))
	if err != nil {
		return err
	}
	for i, word := range words {
		binary.LittleEndian.PutUint32(into[4*i:], word)
		marks[i] = mark{written: byHost}
	}
	return nil
}

// Read copies numbers from the card.
func (d *Driver) Read(values []float32, from cuda.Address) error {
	words := make([]uint32, len(values))
	err := d.ReadWords(words, from)
	for i, word := range words {
		values[i] = math.Float32frombits(word)
	}
	return err
}

// ReadWords copies words from the card.
func (d *Driver) ReadWords(words []uint32, from cuda.Address) error {
	found, _, err := d.bytes(from, len(words))
	if err != nil {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(found[4*i:])
	}
	return nil
}

// A recording is parts in their order.
type recording struct{ parts []cuda.Part }

// Release does nothing.
func (*recording) Release() error { return nil }

// do does work.
func (d *Driver) do(work func() error) error {
	if d.Fail != nil {
		if err := d.Fail(); err != nil {
			return err
		}
	}
	return work()
}

// Launch runs a kernel.
func (d *Driver) Launch(l cuda.Launch) error {
	k := d.kernels[l.Kernel]
	if k == nil {
		return fmt.Errorf("emulate: there is no kernel %q", l.Kernel)
	}
	return d.do(func() error {
		d.Launches[l.Kernel]++
		return k.launch(&d.memory, l)
	})
}

// Multiply does a product, with sums in float64.
func (d *Driver) Multiply(p cuda.Product) error {
	return d.do(func() error {
		d.Products++
		a, b := make([]float32, p.Rows*p.Inner), make([]float32, p.Inner*p.Columns)
		if err := errors.Join(d.Read(a, p.A), d.Read(b, p.B)); err != nil {
			return err
		}
		dst := make([]float32, p.Rows*p.Columns)
		if p.Add {
			if err := d.Read(dst, p.Dst); err != nil {
				return err
			}
		}
		left, leftStep, right, rightStep := p.Inner, 1, 1, p.Columns // between rows, and along the inner dimension
		if p.LeftTransposed {
			left, leftStep = 1, p.Rows
		}
		if p.RightTransposed {
			right, rightStep = p.Inner, 1
		}
		for i := range p.Rows {
			for j := range p.Columns {
				sum := float64(dst[i*p.Columns+j])
				for k := range p.Inner {
					sum += float64(a[i*left+k*leftStep]) * float64(b[j*right+k*rightStep])
				}
				dst[i*p.Columns+j] = float32(sum)
			}
		}
		return d.Write(p.Dst, dst)
	})
}

// Record keeps parts, and does the products among them once, as cards do.
func (d *Driver) Record(parts []cuda.Part) (cuda.Recording, error) {
	for _, p := range parts {
		if p.Product == nil {
			continue
		}
		if err := p.Put(d); err != nil {
			return nil, err
		}
	}
	return &recording{parts}, nil
}

// Replay does the work of a recording.
func (d *Driver) Replay(r cuda.Recording) error {
	for _, p := range r.(*recording).parts {
		if err := p.Put(d); err != nil {
			return err
		}
	}
	return nil
}

// Times plays a recording and says that every work in it took a millisecond.
func (d *Driver) Times(r cuda.Recording, replays int) (milliseconds float64, err error) {
	for range replays {
		if err := d.Replay(r); err != nil {
			return 0, err
		}
	}
	return float64(len(r.(*recording).parts)), nil
}

// Wait returns at once: work is done when it is asked for.
func (d *Driver) Wait() error { return nil }

// Close forgets all memory.
func (d *Driver) Close() error {
	d.memory, d.used = memory{clock: d.memory.clock}, 0
	return nil
}
