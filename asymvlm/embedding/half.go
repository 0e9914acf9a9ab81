package embedding

import (
	"encoding/binary"
	"fmt"
	"math"
)

// halfToFloat widens an IEEE 754 half-precision number, which has one sign bit, five exponent bits
// (bias 15) and ten fraction bits. Encoders on a GPU store their embeddings in this form. The
// result is exact; infinities and NaN are kept.
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
	// Subnormal: fraction·2⁻²⁴ is a normal float32, and the product is exact.
	return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
}

// floatToHalf returns the nearest float16 number. Ties round to an even last bit. Values from 65520
// become infinite.
func floatToHalf(value float32) uint16 {
	bits := math.Float32bits(value)
	sign, magnitude := uint16(bits>>16)&0x8000, bits&0x7fffffff
	switch {
	case magnitude > 0x7f800000: // NaN
		return sign | 0x7e00
	case magnitude >= 0x47800000: // 65536 and above
		return sign | 0x7c00
	case magnitude < 0x38800000: // below 2⁻¹⁴, the smallest normal number: the sum rounds to multiples of 2⁻²⁴
		return sign | uint16(math.Float32bits(math.Float32frombits(magnitude)+0.5)-0x3f000000)
	}
	magnitude += 0xfff + magnitude>>13&1 // half of the last bit kept, less one unit if that bit is even
	return sign | uint16((magnitude-(127-15)<<23)>>13)
}

// toHalf is like floatToHalf with an error for values out of the range of float16.
func toHalf(value float32) (uint16, error) {
	half := floatToHalf(value)
	if half&0x7c00 == 0x7c00 {
		return 0, fmt.Errorf("%g, which is no float16", value)
	}
	return half, nil
}

// Float16 returns the matrix as an array of float16 values, each the nearest to its float32. A
// value of magnitude 65520 or more, which float16 cannot represent, is an error that names its row.
func (m Matrix) Float16() (*Array, error) {
	a := newArray("F16", len(m.Values), []int{m.Rows, m.Columns})
	for i, value := range m.Values {
		half, err := toHalf(value)
		if err != nil {
			return nil, fmt.Errorf("embedding: row %d, column %d is %w", i/m.Columns, i%m.Columns, err)
		}
		binary.LittleEndian.PutUint16(a.Data[2*i:], half)
	}
	return a, nil
}
