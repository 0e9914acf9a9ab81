package embedding

import (
	"errors"
	"fmt"
	"math"
)

// A Matrix is a dense matrix of float32 values, stored row by row. A row is one embedding, or the
// scores of one image against all texts. The zero value is an empty matrix. Copies share the
// values.
type Matrix struct {
	Rows, Columns int
	Values        []float32 // Rows×Columns values; (i, j) is at i·Columns+j
}

// NewMatrix returns a matrix of zeros. It panics if a dimension is negative.
func NewMatrix(rows, columns int) Matrix {
	if rows < 0 || columns < 0 {
		panic(fmt.Sprintf("embedding: matrix of %d rows and %d columns", rows, columns))
	}
	return Matrix{Rows: rows, Columns: columns, Values: make([]float32, rows*columns)}
}

// MatrixFromRows returns a matrix with a copy of the rows, which must have equal lengths. It is
// meant for small matrices typed by hand. The error names the first row of another length.
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

// Row returns row i. The slice shares the matrix's memory; its capacity is cut, so appending to it
// copies.
func (m Matrix) Row(i int) []float32 {
	return m.Values[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns]
}

// At returns the value in row i and column j. It panics if there is no such value.
func (m Matrix) At(i, j int) float32 {
	if j < 0 || j >= m.Columns {
		panic(fmt.Sprintf("embedding: column %d of %d", j, m.Columns))
	}
	return m.Values[i*m.Columns+j]
}

// Set stores a value in row i and column j. It panics if there is no such value.
func (m Matrix) Set(i, j int, value float32) {
	if j < 0 || j >= m.Columns {
		panic(fmt.Sprintf("embedding: column %d of %d", j, m.Columns))
	}
	m.Values[i*m.Columns+j] = value
}

// RowRange returns the rows from ≤ i < to as a matrix that shares m's values.
func (m Matrix) RowRange(from, to int) Matrix {
	return Matrix{Rows: to - from, Columns: m.Columns, Values: m.Values[from*m.Columns : to*m.Columns : to*m.Columns]}
}

// isLeft reports whether m holds only the size of rows that OpenSet left in their files.
func (m Matrix) isLeft() bool { return m.Values == nil && m.Rows > 0 && m.Columns > 0 }

// errLeft is the error of functions that need rows in memory.
var errLeft = errors.New("embedding: the rows are left in their files and this wants them in memory: read them with ReadSet, or a part with SelectImages")

// SelectRows copies the given rows, in the given order, to a new matrix.
func (m Matrix) SelectRows(rows []int) Matrix {
	selected := NewMatrix(len(rows), m.Columns)
	for i, row := range rows {
		copy(selected.Row(i), m.Row(row))
	}
	return selected
}

// Clone returns a copy of the matrix and its values.
func (m Matrix) Clone() Matrix {
	return Matrix{Rows: m.Rows, Columns: m.Columns, Values: append([]float32(nil), m.Values...)}
}

// Norms returns the Euclidean norm of each row, summed in float64.
func (m Matrix) Norms() []float64 {
	norms := make([]float64, m.Rows)
	for i := range norms {
		norms[i] = norm(m.Row(i))
	}
	return norms
}

// norm returns the Euclidean norm of a row. In float64, squares of float32 values neither overflow
// nor underflow.
func norm(row []float32) float64 {
	sum := 0.0
	for _, value := range row {
		sum += float64(value) * float64(value)
	}
	return math.Sqrt(sum)
}

// Normalized returns a copy with each row divided by its norm. A row of zeros, which has no
// direction, is an error.
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

// Check returns an error if the values do not fill the shape, or if a value is NaN or infinite. The
// error names the row.
func (m Matrix) Check() error { return m.check(0) }

// check is like Check for rows that are numbered from first.
func (m Matrix) check(first int) error {
	if m.isLeft() {
		return errLeft
	}
	if m.Rows < 0 || m.Columns < 0 || len(m.Values) != m.Rows*m.Columns {
		return fmt.Errorf("embedding: %d×%d matrix has %d values", m.Rows, m.Columns, len(m.Values))
	}
	for at, value := range m.Values {
		// x−x is 0 for finite x and NaN otherwise: one comparison instead of two.
		if value-value != 0 {
			return fmt.Errorf("embedding: row %d, column %d is %g", first+at/m.Columns, at%m.Columns, value)
		}
	}
	return nil
}

// CheckDirections returns an error that names the first row of zeros, which has no direction.
func (m Matrix) CheckDirections() error { return m.checkDirections(0) }

// checkDirections is like CheckDirections for rows that are numbered from first.
func (m Matrix) checkDirections(first int) error {
	for i := range m.Rows {
		if norm(m.Row(i)) == 0 {
			return fmt.Errorf("embedding: row %d is all zeros, so it has no direction", first+i)
		}
	}
	return nil
}

// Row64 returns a copy of row i as float64 values, the form in which package sphere takes vectors.
func (m Matrix) Row64(i int) []float64 {
	row := make([]float64, m.Columns)
	for j, value := range m.Row(i) {
		row[j] = float64(value)
	}
	return row
}
