package embedding

import (
	"encoding/binary"
	"fmt"
	"math"
)

// An Array is a named array of a file: numbers of one stored type in a shape with any number of
// dimensions. Adapters store their weights as arrays; embeddings become a Matrix.
type Array struct {
	// Type is the stored type, named as in safetensors: BOOL, I8, U8, I16, U16, I32, U32, I64, U64,
	// F16, BF16, F32 or F64.
	Type string
	// Shape is empty for a single number. The last index varies fastest.
	Shape []int
	// Data holds the stored bytes, little-endian.
	Data []byte
}

// typeSizes maps each stored type to the number of bytes of one value.
var typeSizes = map[string]int{
	"BOOL": 1, "I8": 1, "U8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
	"I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}

// Float32Array returns an array of float32 values. Without a shape it is one-dimensional. The shape
// is not checked; see Check.
func Float32Array(values []float32, shape ...int) *Array {
	a := newArray("F32", len(values), shape)
	for i, value := range values {
		binary.LittleEndian.PutUint32(a.Data[4*i:], math.Float32bits(value))
	}
	return a
}

// Float64Array returns an array of float64 values, with a shape as in Float32Array.
func Float64Array(values []float64, shape ...int) *Array {
	a := newArray("F64", len(values), shape)
	for i, value := range values {
		binary.LittleEndian.PutUint64(a.Data[8*i:], math.Float64bits(value))
	}
	return a
}

// Int64Array returns an array of int64 values, with a shape as in Float32Array.
func Int64Array(values []int64, shape ...int) *Array {
	a := newArray("I64", len(values), shape)
	for i, value := range values {
		binary.LittleEndian.PutUint64(a.Data[8*i:], uint64(value))
	}
	return a
}

// newArray returns an array with memory for n numbers.
func newArray(stored string, n int, shape []int) *Array {
	if len(shape) == 0 {
		shape = []int{n}
	}
	return &Array{Type: stored, Shape: shape, Data: make([]byte, n*typeSizes[stored])}
}

// Check returns an error for an unknown type, a negative dimension, and data that do not fill the
// shape.
func (a *Array) Check() error {
	size, known := typeSizes[a.Type]
	if !known {
		return fmt.Errorf("embedding: array of type %q, which is not known", a.Type)
	}
	count, err := elements(a.Shape, len(a.Data)/size)
	if err != nil {
		return err
	}
	if len(a.Data) != count*size {
		return fmt.Errorf("embedding: array of shape %d and type %s has %d bytes, want %d",
			a.Shape, a.Type, len(a.Data), count*size)
	}
	return nil
}

// elements returns the number of elements of a shape. It returns an error if there are more than
// limit, without computing a product that could overflow.
func elements(shape []int, limit int) (int, error) {
	count, empty := 1, false
	for _, n := range shape {
		if n < 0 {
			return 0, fmt.Errorf("embedding: shape %d has a negative dimension", shape)
		}
		empty = empty || n == 0
	}
	if empty {
		return 0, nil
	}
	for _, n := range shape {
		if count > limit/n {
			return 0, fmt.Errorf("embedding: shape %d needs more numbers than the %d there are", shape, limit)
		}
		count *= n
	}
	return count, nil
}

// Len returns the number of elements.
func (a *Array) Len() int {
	size := typeSizes[a.Type]
	if size == 0 {
		return 0
	}
	return len(a.Data) / size
}

// Float64s returns the elements as float64 values, in storage order. Float64s returns the error of
// Check.
func (a *Array) Float64s() ([]float64, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	values := make([]float64, a.Len())
	for i := range values {
		values[i] = a.float64At(i)
	}
	return values, nil
}

// Float32s returns the elements as float32 values, in storage order. Wider types are rounded.
// Float32s returns the error of Check, or an error that names a value too large for float32.
func (a *Array) Float32s() ([]float32, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	values := make([]float32, a.Len())
	if a.Type == "F32" || a.Type == "F16" { // by far the most frequent and the largest
		widen(values, a.Data, a.Type)
		return values, nil
	}
	for i := range values {
		value := a.float64At(i)
		values[i] = float32(value)
		if math.IsInf(float64(values[i]), 0) && !math.IsInf(value, 0) {
			return nil, fmt.Errorf("embedding: element %d is %g, too large for a float32", i, value)
		}
	}
	return values, nil
}

// Int64s returns the elements as int64 values. Floating-point elements must be whole numbers.
// Int64s returns the error of Check, or an error that names the index of an element without an
// int64 value.
func (a *Array) Int64s() ([]int64, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	values := make([]int64, a.Len())
	for i := range values {
		switch a.Type {
		case "I64":
			values[i] = int64(binary.LittleEndian.Uint64(a.Data[8*i:]))
		case "U64":
			values[i] = int64(binary.LittleEndian.Uint64(a.Data[8*i:]))
			if values[i] < 0 {
				return nil, fmt.Errorf("embedding: element %d is too large for an int64", i)
			}
		default:
			value := a.float64At(i)
			if value != math.Trunc(value) || math.Abs(value) > 1<<53 {
				return nil, fmt.Errorf("embedding: element %d is %g, want an integer", i, value)
			}
			values[i] = int64(value)
		}
	}
	return values, nil
}

// Ints is like Int64s for lengths and indices, with the same errors.
func (a *Array) Ints() ([]int, error) {
	wide, err := a.Int64s()
	if err != nil {
		return nil, err
	}
	values := make([]int, len(wide))
	for i, value := range wide {
		if int64(int(value)) != value {
			return nil, fmt.Errorf("embedding: element %d is %d, which is too large for this machine", i, value)
		}
		values[i] = int(value)
	}
	return values, nil
}

// float64At returns element i. The caller has checked the type and the length.
func (a *Array) float64At(i int) float64 {
	data := a.Data
	switch a.Type {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	case "F16":
		return float64(halfToFloat(binary.LittleEndian.Uint16(data[2*i:])))
	case "BF16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16))
	case "I64":
		return float64(int64(binary.LittleEndian.Uint64(data[8*i:])))
	case "U64":
		return float64(binary.LittleEndian.Uint64(data[8*i:]))
	case "I32":
		return float64(int32(binary.LittleEndian.Uint32(data[4*i:])))
	case "U32":
		return float64(binary.LittleEndian.Uint32(data[4*i:]))
	case "I16":
		return float64(int16(binary.LittleEndian.Uint16(data[2*i:])))
	case "U16":
		return float64(binary.LittleEndian.Uint16(data[2*i:]))
	case "I8":
		return float64(int8(data[i]))
	default: // U8 and BOOL
		return float64(data[i])
	}
}

// Matrix returns a two-dimensional array as a matrix, and a one-dimensional array as a matrix of
// one column. Values that are float32 already are not copied, so that matrix and array share their
// memory. Other numbers of dimensions, and rows without columns, are errors. Values are not
// checked; see Matrix.Check.
func (a *Array) Matrix() (Matrix, error) {
	rows, columns := 0, 1
	switch len(a.Shape) {
	case 1:
		rows = a.Shape[0]
	case 2:
		rows, columns = a.Shape[0], a.Shape[1]
	default:
		return Matrix{}, fmt.Errorf("embedding: array of %d dimensions, want a matrix", len(a.Shape))
	}
	if rows > 0 && columns == 0 {
		return Matrix{}, fmt.Errorf("embedding: matrix of %d rows has no columns", rows)
	}
	if a.Type == "F32" && a.Check() == nil {
		if shared, ok := sharedFloat32s(a.Data); ok {
			return Matrix{Rows: rows, Columns: columns, Values: shared}, nil
		}
	}
	values, err := a.Float32s()
	if err != nil {
		return Matrix{}, err
	}
	return Matrix{Rows: rows, Columns: columns, Values: values}, nil
}

// Array returns the matrix as an array of float32 values, for writing it to a file.
func (m Matrix) Array() *Array { return Float32Array(m.Values, m.Rows, m.Columns) }
