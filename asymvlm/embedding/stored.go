package embedding

import (
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"sync"
)

// A Stored is a matrix whose rows stay in one or more files, in their stored type: float16,
// bfloat16, float32 or float64. Rows are converted to float32 when they are read, a few at a time,
// so that the matrix may be larger than memory. The files are read and not mapped: pages of a
// mapping that are read in random order would stay in the program's memory, and a file that became
// shorter would end the program. The files stay open while the Stored is in use and must not
// change. A Stored is safe for concurrent use.
type Stored struct {
	Rows, Columns int
	parts         []storedPart
}

// A storedPart holds the rows of one file, or those of a matrix in memory.
type storedPart struct {
	path  string // path for errors
	first int    // index of its first row
	rows  int
	stored
	memory Matrix // used if file is nil
}

// stored is the location of the numbers of a part.
type stored struct {
	file   *os.File
	offset int64  // offset of the first number in bytes
	kind   string // type of the numbers, as in Array
}

// InMemory returns a Stored for the rows of a matrix in memory. It shares the values.
func InMemory(m Matrix) *Stored {
	return &Stored{Rows: m.Rows, Columns: m.Columns, parts: []storedPart{{rows: m.Rows, memory: m}}}
}

// Row writes row i to dst, whose length must be the number of columns. It panics if there is no row
// i or the length is wrong. Row returns an error if reading fails.
func (s *Stored) Row(dst []float32, i int) error {
	if i < 0 || i >= s.Rows || len(dst) != s.Columns {
		panic(fmt.Sprintf("embedding: row %d of %d in %d numbers, want %d", i, s.Rows, len(dst), s.Columns))
	}
	p := s.partOf(i)
	return p.read(dst, i-p.first, 1)
}

// partOf returns the part that holds a row.
func (s *Stored) partOf(row int) *storedPart {
	at, _ := slices.BinarySearchFunc(s.parts, row, func(p storedPart, row int) int {
		switch {
		case p.first+p.rows <= row:
			return -1
		case p.first > row:
			return 1
		}
		return 0
	})
	return &s.parts[at]
}

// Read fills dst with consecutive rows that begin with row from. It panics if there are not enough
// rows. Read returns an error if reading fails.
func (s *Stored) Read(dst Matrix, from int) error {
	if from < 0 || from+dst.Rows > s.Rows || dst.Columns != s.Columns {
		panic(fmt.Sprintf("embedding: rows %d to %d of %d columns, there are %d of %d", from, from+dst.Rows, dst.Columns, s.Rows, s.Columns))
	}
	for done := 0; done < dst.Rows; {
		p := s.partOf(from + done)
		own := from + done - p.first
		n := min(dst.Rows-done, p.rows-own)
		if err := p.read(dst.RowRange(done, done+n).Values, own, n); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// blockRows is the number of rows per block when all rows are read.
const blockRows = 4096

// Blocks iterates over all rows in order, in blocks, with the index of each block's first row. A
// block is valid until the next iteration. A block with an error is the last one.
func (s *Stored) Blocks() iter.Seq2[int, Block] {
	return func(yield func(int, Block) bool) {
		buffer := Matrix{}
		for from := 0; from < s.Rows; from += blockRows {
			n := min(blockRows, s.Rows-from)
			if p := s.partOf(from); p.file == nil && from+n <= p.first+p.rows {
				if !yield(from, Block{Matrix: p.memory.RowRange(from-p.first, from-p.first+n)}) {
					return
				}
				continue
			}
			if buffer.Values == nil {
				buffer = NewMatrix(min(blockRows, s.Rows), s.Columns)
			}
			b := Block{Matrix: buffer.RowRange(0, n)}
			b.Err = s.Read(b.Matrix, from)
			if !yield(from, b) || b.Err != nil {
				return
			}
		}
	}
}

// A Block holds some rows of a Stored, or the error of reading them.
type Block struct {
	Matrix
	Err error
}

// Matrix returns all rows in memory, 4 bytes per value. Matrix returns an error if reading fails.
func (s *Stored) Matrix() (Matrix, error) {
	if len(s.parts) == 1 && s.parts[0].file == nil {
		return s.parts[0].memory, nil
	}
	m := NewMatrix(s.Rows, s.Columns)
	return m, s.Read(m, 0)
}

// SelectRows reads the given rows, in the given order, into a matrix. SelectRows returns an error
// if reading fails.
func (s *Stored) SelectRows(rows []int) (Matrix, error) {
	m := NewMatrix(len(rows), s.Columns)
	for i, row := range rows {
		if err := s.Row(m.Row(i), row); err != nil {
			return Matrix{}, err
		}
	}
	return m, nil
}

// Norms returns the Euclidean norm of each row, summed in float64. Norms returns an error if
// reading fails.
func (s *Stored) Norms() ([]float64, error) {
	norms := make([]float64, 0, s.Rows)
	for _, block := range s.Blocks() {
		if block.Err != nil {
			return nil, block.Err
		}
		norms = append(norms, block.Norms()...)
	}
	return norms, nil
}

// Check returns an error that names the row of the first value that is not finite or the first row
// of zeros.
func (s *Stored) Check() error {
	for from, block := range s.Blocks() {
		err := block.Err
		if err == nil {
			err = block.Matrix.check(from)
		}
		if err == nil {
			err = block.Matrix.checkDirections(from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read writes n rows of the part to dst.
func (p *storedPart) read(dst []float32, row, n int) error {
	columns := len(dst) / max(n, 1)
	if p.file == nil {
		copy(dst, p.memory.RowRange(row, row+n).Values)
		return nil
	}
	size := typeSizes[p.kind]
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for done := 0; done < len(dst); {
		count := min(len(dst)-done, len(*buffer)/size)
		data := (*buffer)[:count*size]
		if _, err := p.file.ReadAt(data, p.offset+(int64(row)*int64(columns)+int64(done))*int64(size)); err != nil {
			return fmt.Errorf("embedding: reading %s: %w", p.path, err)
		}
		widen(dst[done:done+count], data, p.kind)
		done += count
	}
	return nil
}

// buffers holds buffers for numbers in their stored form.
var buffers = sync.Pool{New: func() any {
	buffer := make([]byte, 1<<18)
	return &buffer
}}

// widen converts stored numbers to float32. Values of float64 that are out of range become
// infinite, which Check rejects.
func widen(dst []float32, data []byte, kind string) {
	switch kind {
	case "F16":
		data = data[:2*len(dst)]
		for i := range dst {
			half := uint32(data[2*i]) | uint32(data[2*i+1])<<8
			magnitude := half & 0x7fff
			if magnitude >= 0x7c00 {
				dst[i] = halfToFloat(uint16(half))
				continue
			}
			// The exponent is 112 too small, for subnormal numbers as well; the multiplication is
			// exact.
			value := math.Float32frombits(magnitude<<13) * 0x1p112
			dst[i] = math.Float32frombits(math.Float32bits(value) | half&0x8000<<16)
		}
	case "F32":
		if shared, ok := sharedFloat32s(data[:4*len(dst)]); ok {
			copy(dst, shared)
			return
		}
		fallthrough
	default:
		a := Array{Type: kind, Data: data}
		for i := range dst {
			dst[i] = float32(a.float64At(i))
		}
	}
}
