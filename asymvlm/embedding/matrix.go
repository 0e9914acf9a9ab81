package embedding

import (
	"errors"
	"fmt"
	"math"
)

// A Matrix is a dense matrix of float32 values, row by row: one row is one embedding, or one image's scores
// against all texts. The zero value is an empty matrix. Copies share the values.
type Matrix struct {
	Rows, Columns int
	Values        []float32 // Rows×Columns; value (i, j) is at i·Columns+j
}

// NewMatrix returns a matrix of zeros. It panics when a dimension is negative.
func NewMatrix(rows, columns int) Matrix {
	if rows < 0 || columns < 0 {
		panic(fmt.Sprintf("embedding: matrix of %d rows and %d columns", rows, columns))
	}
	return Matrix{Rows: rows, Columns: columns, Values: make([]float32, rows*columns)}
}

// MatrixFromRows copies rows of equal length into a matrix. It is meant for small matrices typed by hand. A row of another
// length is an error that names it.
func MatrixFromRows(rows [][]float64) (Matrix, error) {
	if len(rows) == 0 {
		return Matrix{}, nil
	}
	m := NewMatrix(len(rows), len(rows[0]))
	for i, row := range rows {
		if len(row) != m.Columns {
			return Matrix{}, fmt.Errorf("embedding: row %d has %d values, want %d", i, len(row), m.Columns)
		}
		for j, value := range row {
			m.Values[i*m.Columns+j] = float32(value)
		}
	}
	return m, nil
}

// Row returns row i. The slice is the matrix's own memory, cut so that appending to it copies.
func (m Matrix) Row(i int) []float32 {
	return m.Values[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns]
}

// At returns the value in row i and column j.
func (m Matrix) At(i, j int) float32 {
	if j < 0 || j >= m.Columns {
		panic(fmt.Sprintf("embedding: column %d of %d", j, m.Columns))
	}
	return m.Values[i*m.Columns+j]
}

// Set stores a value in row i and column j.
func (m Matrix) Set(i, j int, value float32) {
	if j < 0 || j >= m.Columns {
		panic(fmt.Sprintf("embedding: column %d of %d", j, m.Columns))
	}
	m.Values[i*m.Columns+j] = value
}

// RowRange returns rows from ≤ i < to as a matrix that shares m's values.
func (m Matrix) RowRange(from, to int) Matrix {
	return Matrix{Rows: to - from, Columns: m.Columns, Values: m.Values[from*m.Columns : to*m.Columns : to*m.Columns]}
}

// isLeft reports whether m is the size of rows that were left in their files, see OpenSet.
func (m Matrix) isLeft() bool { return m.Values == nil && m.Rows > 0 && m.Columns > 0 }

// errLeft is the error of what wants rows in memory.
var errLeft = errors.New("embedding: the rows are left in their files and this wants them in memory: read them with ReadSet, or a part with SelectImages")

// SelectRows copies the named rows, in the given order, into a new matrix.
func (m Matrix) SelectRows(rows []int) Matrix {
	selected := NewMatrix(len(rows), m.Columns)
	for i, row := range rows {
		copy(selected.Row(i), m.Row(row))
	}
	return selected
}

// Clone returns a matrix with its own copy of the values.
func (m Matrix) Clone() Matrix {
	return Matrix{Rows: m.Rows, Columns: m.Columns, Values: append([]float32(nil), m.Values...)}
}

// Norms returns the Euclidean length of every row, summed in float64.
func (m Matrix) Norms() []float64 {
	norms := make([]float64, m.Rows)
	for i := range norms {
		norms[i] = norm(m.Row(i))
	}
	return norms
}

// norm returns the Euclidean length of a row. Squares of float32 values neither overflow nor vanish in float64.
func norm(row []float32) float64 {
	sum := 0.0
	for _, value := range row {
		sum += float64(value) * float64(value)
	}
	return math.Sqrt(sum)
}

// Normalized returns a copy with every row divided by its length. A zero row has no direction and is an error.
func (m Matrix) Normalized() (Matrix, error) {
	if m.isLeft() {
		return Matrix{}, errLeft
	}
	unit := NewMatrix(m.Rows, m.Columns)
	for i := range m.Rows {
		length := norm(m.Row(i))
		if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
			return Matrix{}, fmt.Errorf("embedding: row %d has length %g, so it has no direction", i, length)
		}
		row := unit.Row(i)
		for j, value := range m.Row(i) {
			row[j] = float32(float64(value) / length)
		}
	}
	return unit, nil
}

// Check reports the first thing that makes m unusable: a shape that its values do not fill, NaN or an infinite
// value. The error gives the row.
func (m Matrix) Check() error { return m.check(0) }

// check is Check for rows whose first one has another number.
func (m Matrix) check(first int) error {
	if m.isLeft() {
		return errLeft
	}
	if m.Rows < 0 || m.Columns < 0 || len(m.Values) != m.Rows*m.Columns {
		return fmt.Errorf("embedding: %d×%d matrix has %d values", m.Rows, m.Columns, len(m.Values))
	}
	for at, value := range m.Values {
		// x−x is 0 for every finite x and NaN for the others; one test instead of two.
		if value-value != 0 {
			return fmt.Errorf("embedding: row %d, column %d is %g", first+at/m.Columns, at%m.Columns, value)
		}
	}
	return nil
}

// CheckDirections reports the first row of m that has no direction because all its values are 0.
func (m Matrix) CheckDirections() error { return m.checkDirections(0) }

// checkDirections is CheckDirections for rows whose first one has another number.
func (m Matrix) checkDirections(first int) error {
	for i := range m.Rows {
		if norm(m.Row(i)) == 0 {
			return fmt.Errorf("embedding: row %d is all zeros, so it has no direction", first+i)
		}
	}
	return nil
}

// Row64 copies row i as float64 values, the form in which the distributions of package sphere take vectors.
func (m Matrix) Row64(i int) []float64 {
	row := make([]float64, m.Columns)
	for j, value := range m.Row(i) {
		row[j] = float64(value)
	}
	return row
}
