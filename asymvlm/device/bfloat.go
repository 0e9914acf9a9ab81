package device

import "math"

// Matrix products with factors in bfloat16, the upper half of a float32 with 8 significant bits.
//
// Factors are rounded to the nearest bfloat16, ties to even, while they are packed. The kernel
// processes pairs of neighbors along the inner dimension; an odd last value is paired with 0.
// Blocks of innerBlock values are summed from 0 in the order of their pairs and added in order, as
// in float32.

// toBFloat rounds a value to bfloat16. Values above the largest bfloat16 become infinite, and NaN
// becomes a quiet NaN.
func toBFloat(x float32) uint32 {
	bits := math.Float32bits(x)
	if x != x {
		return bits>>16 | 0x40
	}
	return (bits + 0x7fff + bits>>16&1) >> 16
}

// pairOf returns two values as they are stored in a packed panel: in the bits of one float32, the
// first value in the lower half.
func pairOf(first, second float32) float32 {
	return math.Float32frombits(toBFloat(first) | toBFloat(second)<<16)
}

// dotPair adds the two products of a pair to a sum as the instruction VDPBF16PS does.
func dotPair(sum, a, b float32) float32 {
	left, right := math.Float32bits(a), math.Float32bits(b)
	sum = addProduct(sum, math.Float32frombits(left&0xffff0000), math.Float32frombits(right&0xffff0000))
	return addProduct(sum, math.Float32frombits(left<<16), math.Float32frombits(right<<16))
}

// leastNormal is the smallest normal float32.
const leastNormal = 0x1p-126

// addProduct returns sum + a·b, rounded once. Denormal arguments and results are flushed to 0 of
// the same sign. a and b are bfloat16.
func addProduct(sum, a, b float32) float32 {
	// The product is exact: 16 significant bits.
	product, addend := float64(withoutDenormal(a))*float64(withoutDenormal(b)), float64(withoutDenormal(sum))
	exact := product + addend
	// Rounding to float64 first matters only if it ends exactly halfway between two float32 values
	// and the exact sum does not.
	if bits := math.Float64bits(exact); bits&0x1fffffff == 0x10000000 {
		exact = math.Float64frombits(toward(bits, remainder(product, addend, exact)))
	}
	// Halfway between the largest denormal and the smallest normal number, if denormal numbers had
	// full precision.
	const tiny = leastNormal - 0x1p-151
	if exact < tiny && exact > -tiny {
		return float32(math.Copysign(0, exact))
	}
	return float32(exact)
}

// remainder returns the exact rounding error of sum = x + y.
func remainder(x, y, sum float64) float64 {
	part := sum - x
	return (x - (sum - part)) + (y - part)
}

// toward returns the bits of the neighbor of a number in the direction of the sign of lack.
func toward(bits uint64, lack float64) uint64 {
	switch {
	case lack == 0 || lack != lack:
		return bits
	case lack < 0 == (bits>>63 == 1): // away from 0
		return bits + 1
	}
	return bits - 1
}

func withoutDenormal(x float32) float32 {
	if x < leastNormal && x > -leastNormal {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// plainPairsKernel is the kernel in Go. It produces the same bits as the instruction but is slow.
var plainPairsKernel = kernel{name: "Go", rows: 4, columns: 4, tiles: oneByOne(4, 4, plainPairsTile), paired: true}

func plainPairsTile(p panels, c []float32, stride int) {
	for i := range 4 {
		var sums [4]float32
		for k := range p.depth {
			a := p.left[4*k+i]
			for j := range sums {
				sums[j] = dotPair(sums[j], a, p.right[4*k+j])
			}
		}
		p.store(c, stride, i, sums)
	}
}
