package embedding

import (
	"fmt"
	"math"
)

// scaleSuffix ends the name of the array of scales for an array of int8 rows.
const scaleSuffix = "_scale"

// CompressInt8 stores each row in int8 with one float32 scale, value ≈ stored·scale. It needs a
// quarter of the space, and the error of a value is at most half the scale, which is about 0.7 % of
// a row's norm for sentence encoders. Values that are not finite are an error.
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
			factors[i] = 1 // any scale reproduces a row of zeros
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

// ExpandInt8 returns the matrix that CompressInt8 stored. Values of a type other than I8, and a
// number of scales that is not the number of rows, are errors.
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

// matrixNamed returns the named array as a matrix, with scales applied if it is stored as int8.
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
