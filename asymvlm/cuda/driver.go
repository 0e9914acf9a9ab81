package cuda

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// An Address is a place in the memory of a card.
type Address uint64

// at returns the address of a value of four bytes, counted from this one.
func (a Address) at(index int) Address { return a + Address(4*index) }

// A Driver is what a card does for us. Launch, Multiply and Replay put work into one stream, which does it in order; Write
// and Read wait for that. Methods may be called from several goroutines.
//
// Errors are sentences that say what to do where something can be done. After any error but device.ErrMemory nothing more can be
// expected of a card. Where Allocate finds too little memory that is a *MemoryError.
type Driver interface {
	// Name tells the card, its compute capability and its memory.
	Name() string
	// Load makes the kernels of a module known by their names.
	Load(ptx string) error
	Allocate(bytes int) (Address, error)
	Free(Address) error
	Write(to Address, values []float32) error
	WriteWords(to Address, words []uint32) error
	Read(values []float32, from Address) error
	ReadWords(words []uint32, from Address) error
	Launch(Launch) error
	Multiply(Product) error
	// Record returns parts in their order as one recording, which is not done yet. Nobody else's work gets between them. To
	// make ready for it, the products among them may be done once before: what they write to must not matter yet.
	Record(parts []Part) (Recording, error)
	// Replay puts the work of a recording into the stream. No more than two recordings are under way, so that whoever
	// stops replaying has the stream to himself soon: before the third one it waits for the end of the first.
	Replay(Recording) error
	Wait() error
	Close() error
}

// A MemoryError is the device.ErrMemory of an Allocate.
type MemoryError struct{ Wanted, Free int } // bytes; those that are free may lie apart

// Error tells both sizes.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: %s wanted in one piece, %s free", device.ErrMemory, size(e.Wanted), size(e.Free))
}

// Unwrap returns device.ErrMemory.
func (e *MemoryError) Unwrap() error { return device.ErrMemory }

// size tells bytes for reading.
func size(bytes int) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.2f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// A Part is what a step puts into the stream: a kernel or a product.
type Part struct {
	Launch  *Launch
	Product *Product
}

// Put puts the part into a stream.
func (p Part) Put(d Driver) error {
	if p.Product != nil {
		return d.Multiply(*p.Product)
	}
	return d.Launch(*p.Launch)
}

// A Recording is work that can be done again and again; a graph of CUDA.
type Recording interface{ Release() error }

// A Launch is one start of a kernel. Arguments are addresses, or numbers of four bytes in their lower half.
type Launch struct {
	Kernel      string
	Grid, Block Size
	Arguments   []uint64
}

// A Size is a number of blocks, or of threads of a block, along two axes.
type Size struct{ X, Y int }

// A Product is dst = a·b with a or b transposed, or dst + a·b, row by row, in float32.
type Product struct {
	Dst, A, B                       Address
	Rows, Inner, Columns            int // dst is Rows×Columns
	LeftTransposed, RightTransposed bool
	Add                             bool // to what dst holds
}

// FLOP returns the multiplications and additions of a product.
func (p Product) FLOP() float64 { return 2 * float64(p.Rows) * float64(p.Inner) * float64(p.Columns) }

// A ColumnMajorProduct is a product as libraries of Fortran's tradition know it: C = A·B of columns, or C + A·B, with A or B
// transposed.
type ColumnMajorProduct struct {
	C, A, B                         Address
	M, N, K                         int // C is M×N
	LeadingC, LeadingA, LeadingB    int // values from one column to the next
	LeftTransposed, RightTransposed bool
	Add                             bool // to C
}

// ColumnMajor returns the same product, of the transposed matrices in the other order: rows are columns there.
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
