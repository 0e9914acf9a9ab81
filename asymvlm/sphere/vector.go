package sphere

import (
	"fmt"
	"math"
)

// sized returns dst, or a new slice if dst is nil. It panics if dst has another length.
func sized(dst []float64, length int) []float64 {
	if dst == nil {
		return make([]float64, length)
	}
	checkLength(dst, length)
	return dst
}

// checkLength panics if the length of x is not want.
func checkLength(x []float64, want int) {
	if len(x) != want {
		panic(fmt.Sprintf("sphere: vector has %d values, want %d", len(x), want))
	}
}

// dot returns a·b. It panics if the lengths differ.
func dot(a, b []float64) float64 {
	checkLength(b, len(a))
	sum := 0.0
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}

// length returns the Euclidean norm |x|; squares do not overflow.
func length(x []float64) float64 {
	largest := 0.0
	for _, value := range x {
		largest = max(largest, math.Abs(value)) // NaN stays NaN
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return largest
	}
	sum := 0.0
	for _, value := range x {
		sum += (value / largest) * (value / largest)
	}
	return largest * math.Sqrt(sum)
}

// scaled writes factor·x to dst, which is allocated when nil, and returns it.
func scaled(dst []float64, factor float64, x []float64) []float64 {
	dst = sized(dst, len(x))
	for i, value := range x {
		dst[i] = factor * value
	}
	return dst
}
