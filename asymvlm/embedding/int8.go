package embedding

import (
	"fmt"
	"math"
)

// scaleSuffix ends the name of the array of scales that belongs to an array of int8 rows.
const scaleSuffix = "_scale"

// CompressInt8 stores every row in int8 with one float32 scale, value ≈ stored·scale: a quarter of the room, with an
// error of at most half a scale per value, about 0.7 % of a row's length for sentence encoders. It refuses values
// that are not finite.
func CompressInt8(m Matrix) (values, scales *Array, err error) {
	if err := m.Check(); err != nil {
		return nil, nil, err
	}
	values = newArray("I8", len(m.Values), []int{m.Rows, m.Columns})
	factors := make([]float32, m.Rows)
	for i := range m.Rows {
		largest := 0.0
		for _, value := range m.Row(i) {
			largest = max(largest, math.Abs(float64(value)))
		}
		if largest == 0 {
			factors[i] = 1 // any scale gives a row of zeros
			continue
		}
		factors[i] = max(float32(largest/127), math.SmallestNonzeroFloat32)
		for j, value := range m.Row(i) {
			stored := math.RoundToEven(float64(value) / float64(factors[i]))
			values.Data[i*m.Columns+j] = byte(int8(min(max(stored, -127), 127)))
		}
	}
	return values, Float32Array(factors), nil
}

// ExpandInt8 returns the matrix that CompressInt8 stored. Values of another type than I8, and another count of scales than
// rows, are errors.
func ExpandInt8(values, scales *Array) (Matrix, error) {
	if values.Type != "I8" {
		return Matrix{}, fmt.Errorf("embedding: values of type %s, want I8", values.Type)
	}
	m, err := values.Matrix()
	if err != nil {
		return Matrix{}, err
	}
	factors, err := scales.Float32s()
	if err != nil {
		return Matrix{}, err
	}
	if len(factors) != m.Rows {
		return Matrix{}, fmt.Errorf("embedding: %d scales for %d rows", len(factors), m.Rows)
	}
	for i, factor := range factors {
		row := m.Row(i)
		for j := range row {
			row[j] *= factor
		}
	}
	return m, nil
}

// matrixNamed returns the named array as a matrix, with its scales applied when it is stored as int8.
func matrixNamed(arrays map[string]*Array, name string) (Matrix, error) {
	array := arrays[name]
	if array == nil {
		return Matrix{}, fmt.Errorf("embedding: no array %q", name)
	}
	scales := arrays[name+scaleSuffix]
	if array.Type == "I8" && scales == nil {
		return Matrix{}, fmt.Errorf("embedding: array %q is int8, but there is no array %q", name, name+scaleSuffix)
	}
	if array.Type == "I8" {
		return ExpandInt8(array, scales)
	}
	return array.Matrix()
}
