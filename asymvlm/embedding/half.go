package embedding

import "math"

// halfToFloat widens an IEEE 754 half-precision number: one sign bit, five of exponent (bias 15), ten of fraction.
// Encoders on a GPU store their embeddings so. The result is exact, with infinities and NaN kept.
func halfToFloat(half uint16) float32 {
	sign := uint32(half>>15) << 31
	exponent := uint32(half>>10) & 0x1f
	fraction := uint32(half) & 0x3ff
	switch {
	case exponent == 0x1f: // infinity or NaN
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
	}
	// Subnormal, fraction·2⁻²⁴, which is a normal float32; the product is exact.
	return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
}
