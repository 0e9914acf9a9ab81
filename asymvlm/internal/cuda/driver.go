package cuda

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// An Address is an address in GPU memory.
type Address uint64

// at returns the address of the 4-byte value with the given index.
func (a Address) at(index int) Address { return a + Address(4*index) }

// A Driver is the interface to a GPU. Launch, Multiply and Replay enqueue work in one stream, which
// runs it in order; Write and Read wait for it. Methods may be called from several goroutines.
//
// Errors are messages for users that include a remedy if there is one. After any error other than
// device.ErrMemory the GPU is unusable. If there is too little memory, Allocate returns a
// *MemoryError.
type Driver interface {
	// Name describes the GPU, its compute capability and its memory.
	Name() string
	// Load makes the kernels of a module available by name.
	Load(ptx string) error
	Allocate(bytes int) (Address, error)
	Free(Address) error
	Write(to Address, values []float32) error
	WriteWords(to Address, words []uint32) error
	Read(values []float32, from Address) error
	ReadWords(words []uint32, from Address) error
	Launch(Launch) error
	Multiply(Product) error
	// Record returns parts in order as one recording, which is not run yet. No other work is
	// interleaved with them. Record may run the matrix products among them once, so their
	// destinations must not hold needed data.
	Record(parts []Part) (Recording, error)
	// Replay enqueues a recording. At most two recordings are in progress, so that the stream
	// becomes free soon after replaying stops: the third call waits for the end of the first
	// recording.
	Replay(Recording) error
	Wait() error
	Close() error
}

// A MemoryError reports that Allocate had too little memory. It wraps device.ErrMemory.
type MemoryError struct{ Wanted, Free int } // bytes; the free bytes may not be contiguous

// Error returns a message with both sizes.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: %s wanted in one piece, %s free", device.ErrMemory, size(e.Wanted), size(e.Free))
}

// Unwrap returns device.ErrMemory.
func (e *MemoryError) Unwrap() error { return device.ErrMemory }

// size formats a number of bytes.
func size(bytes int) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.2f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// A Part is one element of a step: a kernel launch or a matrix product.
type Part struct {
	Launch  *Launch
	Product *Product
}

// Put enqueues the part.
func (p Part) Put(d Driver) error {
	if p.Product != nil {
		return d.Multiply(*p.Product)
	}
	return d.Launch(*p.Launch)
}

// A Recording is work that can be replayed; a CUDA graph.
type Recording interface{ Release() error }

// A Launch is one kernel launch. Arguments are addresses, or 4-byte numbers in their lower half.
type Launch struct {
	Kernel      string
	Grid, Block Size
	Arguments   []uint64
}

// A Size is a number of blocks, or of threads in a block, along two axes.
type Size struct{ X, Y int }

// A Product is dst = a·b with a or b transposed, or dst + a·b, row-major, in float32.
type Product struct {
	Dst, A, B                       Address
	Rows, Inner, Columns            int // dst is Rows×Columns
	LeftTransposed, RightTransposed bool
	Add                             bool // add to dst
}

// FLOP returns the number of multiplications and additions in a product.
func (p Product) FLOP() float64 { return 2 * float64(p.Rows) * float64(p.Inner) * float64(p.Columns) }

// A ColumnMajorProduct is a matrix product in the column-major convention of BLAS: C = A·B, or C +
// A·B, with A or B transposed.
type ColumnMajorProduct struct {
	C, A, B                         Address
	M, N, K                         int // C is M×N
	LeadingC, LeadingA, LeadingB    int // values from one column to the next
	LeftTransposed, RightTransposed bool
	Add                             bool // add to C
}

// ColumnMajor returns the same product of the transposed matrices in reverse order: row-major
// matrices are column-major there.
func (p Product) ColumnMajor() ColumnMajorProduct {
	c := ColumnMajorProduct{C: p.Dst, A: p.B, B: p.A, M: p.Columns, N: p.Rows, K: p.Inner,
		LeadingC: p.Columns, LeadingA: p.Columns, LeadingB: p.Inner,
		LeftTransposed: p.RightTransposed, RightTransposed: p.LeftTransposed, Add: p.Add}
	if p.RightTransposed {
		c.LeadingA = p.Inner
	}
	if p.LeftTransposed {
		c.LeadingB = p.Rows
	}
	return c
}
