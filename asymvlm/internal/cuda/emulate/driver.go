package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"gosphere/asymvlm/internal/cuda"
)

// A Driver is a GPU emulated by the CPU.
type Driver struct {
	// Launches counts kernel launches by name, including those of replays; Products counts matrix
	// products.
	Launches map[string]int
	Products int
	// Limit is the number of bytes that can be allocated, 0 for no limit.
	Limit int
	// Fail, if not nil, is called before every piece of enqueued work; its error simulates a lost
	// GPU.
	Fail func() error

	memory  memory
	used    int
	kernels map[string]*kernel
}

var _ cuda.Driver = (*Driver)(nil)

// New returns a GPU without memory or kernels.
func New() *Driver {
	return &Driver{Launches: map[string]int{}, kernels: map[string]*kernel{}, memory: memory{clock: clock{now: byHost}}}
}

// Name returns "emulated card".
func (d *Driver) Name() string { return "emulated card" }

// Load parses a module.
func (d *Driver) Load(ptx string) error {
	last.Lock()
	defer last.Unlock()
	if ptx != last.text {
		kernels, err := parse(ptx, last.kernels)
		if err != nil {
			return err
		}
		last.text, last.kernels = ptx, kernels
	}
	for _, k := range last.kernels {
		d.kernels[k.name] = k
	}
	return nil
}

// last is the most recently parsed module: tests open many GPUs with the same one. Launches do not
// modify kernels.
var last struct {
	sync.Mutex // guards the fields below
	text       string
	kernels    map[string]*kernel // by their text
}

// Allocate returns a buffer whose bits are all ones.
func (d *Driver) Allocate(bytes int) (cuda.Address, error) {
	if d.Limit > 0 && d.used+bytes > d.Limit {
		return 0, &cuda.MemoryError{Wanted: bytes, Free: d.Limit - d.used}
	}
	d.used += bytes
	return cuda.Address(d.memory.allocate(bytes)), nil
}

// Free frees a buffer; a later read of it fails.
func (d *Driver) Free(a cuda.Address) error {
	number := uint64(a) >> offsetBits
	if number == 0 || number >= uint64(len(d.memory.buffers)) || d.memory.buffers[number].bytes == nil {
		return fmt.Errorf("emulate: %#x is no buffer", uint64(a))
	}
	d.used -= len(d.memory.buffers[number].bytes)
	d.memory.buffers[number] = buffer{}
	return nil
}

// Used returns the number of allocated bytes.
func (d *Driver) Used() int { return d.used }

// bytes returns words of the GPU's memory, with their marks.
func (d *Driver) bytes(a cuda.Address, words int) ([]byte, []mark, error) {
	found, marks := d.memory.at(uint64(a), 4*words)
	if found == nil {
		return nil, nil, fmt.Errorf("emulate: no buffer has %d words at %#x", words, uint64(a))
	}
	return found, marks, nil
}

// Write copies numbers to the GPU.
func (d *Driver) Write(to cuda.Address, values []float32) error {
	words := make([]uint32, len(values))
	for i, value := range values {
		words[i] = math.Float32bits(value)
	}
	return d.WriteWords(to, words)
}

// WriteWords copies words to the GPU.
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

// Read copies numbers from the GPU.
func (d *Driver) Read(values []float32, from cuda.Address) error {
	words := make([]uint32, len(values))
	err := d.ReadWords(words, from)
	for i, word := range words {
		values[i] = math.Float32frombits(word)
	}
	return err
}

// ReadWords copies words from the GPU.
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

// A recording is an ordered list of parts.
type recording struct{ parts []cuda.Part }

// Release does nothing.
func (*recording) Release() error { return nil }

// do runs work unless Fail returns an error.
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

// Multiply performs a matrix product, with sums in float64.
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
		left, right := rows(a, p.Rows, p.Inner, p.LeftTransposed), rows(b, p.Columns, p.Inner, !p.RightTransposed)
		for i := range p.Rows {
			sums(dst[i*p.Columns:][:p.Columns], left[i*p.Inner:][:p.Inner], right)
		}
		return d.Write(p.Dst, dst)
	})
}

// rows returns the rows of a matrix that is stored by rows, or by columns if transposed.
func rows(values []float32, rows, columns int, transposed bool) []float64 {
	row, column := columns, 1
	if transposed {
		row, column = 1, rows
	}
	found := make([]float64, 0, rows*columns)
	for i := range rows {
		for j := range columns {
			found = append(found, float64(values[i*row+j*column]))
		}
	}
	return found
}

// sums adds the products of a row and every row of right to dst. It forms four sums at once, each
// in the order of the elements.
func sums(dst []float32, row, right []float64) {
	for ; len(dst) >= 4; dst = dst[4:] {
		b, c, d, e := right[:len(row)], right[len(row):][:len(row)], right[2*len(row):][:len(row)], right[3*len(row):][:len(row)]
		first, second, third, fourth := float64(dst[0]), float64(dst[1]), float64(dst[2]), float64(dst[3])
		for i, value := range row {
			first += value * b[i]
			second += value * c[i]
			third += value * d[i]
			fourth += value * e[i]
		}
		dst[0], dst[1], dst[2], dst[3] = float32(first), float32(second), float32(third), float32(fourth)
		right = right[4*len(row):]
	}
	for j := range dst {
		sum := float64(dst[j])
		for i, value := range row {
			sum += value * right[j*len(row)+i]
		}
		dst[j] = float32(sum)
	}
}

// Record stores parts and runs the matrix products among them once, as GPUs do.
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

// Replay runs the work of a recording.
func (d *Driver) Replay(r cuda.Recording) error {
	for _, p := range r.(*recording).parts {
		if err := p.Put(d); err != nil {
			return err
		}
	}
	return nil
}

// Times replays a recording and returns one millisecond for each of its parts.
func (d *Driver) Times(r cuda.Recording, replays int) (milliseconds float64, err error) {
	for range replays {
		if err := d.Replay(r); err != nil {
			return 0, err
		}
	}
	return float64(len(r.(*recording).parts)), nil
}

// Wait returns immediately, because work runs when it is enqueued.
func (d *Driver) Wait() error { return nil }

// Close discards all memory.
func (d *Driver) Close() error {
	d.memory, d.used = memory{clock: d.memory.clock}, 0
	return nil
}
