package device

import "math"

// A philox is the generator Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): a function of a
// counter and a key that scrambles four words in ten rounds. It has no state to share between
// threads: the coordinates of a number determine the number, on every device and in any order.
type philox struct{ key [2]uint32 }

// newPhilox returns a generator whose key is the seed.
func newPhilox(seed uint64) philox { return philox{[2]uint32{uint32(seed), uint32(seed >> 32)}} }

// words returns the four random words of a counter.
func (p philox) words(c [4]uint32) [4]uint32 {
	const multiplier0, multiplier1, golden, root = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85
	key0, key1 := p.key[0], p.key[1]
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	for range 10 {
		first, second := multiplier0*uint64(c0), multiplier1*uint64(c2)
		c0, c1, c2, c3 = uint32(second>>32)^c1^key0, uint32(second), uint32(first>>32)^c3^key1, uint32(first)
		key0, key1 = key0+golden, key1+root
	}
	return [4]uint32{c0, c1, c2, c3}
}

// Purposes of random numbers. The purpose is the last word of a counter, so that no two uses share
// numbers. The other words are an index within a sample, the sample, and the row.
const (
	forLogits     = iota // four columns of a row of logits for each counter
	forDirections        // likewise, of the component of a sample orthogonal to its mean direction
	forCosines           // the component along it, with as many counters as the rejections need
)

// number returns a multiple of 2⁻³³ in (0, 1], rounded to 24 bits. It is exact in float32, so that
// all devices take logarithms of the same number.
func number(word uint32) float32 { return float32(word)*0x1p-32 + 0x1p-33 }

// normals32 converts two words to two independent standard normal numbers (Box and Muller 1958).
// Every product is rounded before it is added, so that CPUs and GPUs produce the same bits. The
// numbers are below 6.8 in magnitude.
func normals32(first, second uint32) (a, b float32) {
	radius := float32(math.Sqrt(float64(-2 * log32OfNumber(number(first)))))
	sine, cosine := sincos32(number(second))
	return radius * cosine, radius * sine
}

// log32OfNumber returns log u for u in (0, 1]. With u = 2ᵉm, m between √½ and √2, and s =
// (m−1)/(m+1) it is e log 2 + 2s(1 + s²/3 + s⁴/5 + s⁶/7 + s⁸/9), to 2e-9.
func log32OfNumber(u float32) float32 {
	const halfRoot = 0x3f3504f3 // the bits of √½
	bits := int32(math.Float32bits(u))
	exponent := (bits - halfRoot) >> 23
	m := math.Float32frombits(uint32(bits - exponent<<23))
	s := (m - 1) / (m + 1)
	z := s * s
	p := float32(z*(1./9)) + 1./7
	p = float32(z*p) + 1./5
	p = float32(z*p) + 1./3
	p = z * p
	s += s
	return float32(float32(exponent)*math.Ln2) + (s + float32(s*p))
}

// sincos32 returns sine and cosine of 2πv for v in [0, 1]: the series for an eighth of a circle,
// rotated by quarters.
func sincos32(v float32) (sine, cosine float32) {
	quarter := int32(4*v + 0.5)
	x := (4*v - float32(quarter)) * (math.Pi / 2)
	z := x * x
	p := float32(z*(1./362880)) - 1./5040
	p = float32(z*p) + 1./120
	p = float32(z*p) - 1./6
	p = z * p
	sine = x + float32(x*p)
	p = float32(z*(1./40320)) - 1./720
	p = float32(z*p) + 1./24
	p = float32(z*p) - 1./2
	cosine = float32(z*p) + 1
	if quarter&1 != 0 {
		sine, cosine = cosine, -sine
	}
	if quarter&2 != 0 {
		sine, cosine = -sine, -cosine
	}
	return sine, cosine
}

// normals64 is like normals32 in float64, from the same words.
func normals64(first, second uint32) (a, b float64) {
	radius := math.Sqrt(-2 * math.Log(float64(number(first))))
	sine, cosine := math.Sincos(2 * math.Pi * float64(number(second)))
	return radius * cosine, radius * sine
}

// fill sets dst to the standard normal numbers for the columns of a row. A sample and a purpose
// have numbers of their own.
func (p philox) fill(dst []float32, row, draw, purpose uint32) {
	p.fillFrom(dst, 0, [3]uint32{draw, row, purpose})
}

// fillFrom is like fill, but begins at a group of four columns and gets the other words of the
// counters.
func (p philox) fillFrom(dst []float32, group uint32, rest [3]uint32) {
	for ; len(dst) > 0; dst = dst[min(4, len(dst)):] {
		w := p.words([4]uint32{group, rest[0], rest[1], rest[2]})
		var four [4]float32
		four[0], four[1] = normals32(w[0], w[1])
		four[2], four[3] = normals32(w[2], w[3])
		copy(dst, four[:])
		group++
	}
}

// eight returns the words of the first eight counters, in the layout of normalsAVX2.
func (p philox) eight(rest [3]uint32) (words [56]uint32) {
	for i := range uint32(8) {
		words[i&^1+8*(i&1)] = i // even counters in lower halves, then odd ones
		words[16+i], words[24+i], words[32+i] = rest[0], rest[1], rest[2]
		words[40+i], words[48+i] = p.key[0], p.key[1]
	}
	return words
}

// normals is like fill with vector instructions. It produces the same bits.
func (v vectorUnit) normals(dst []float32, p philox, rest [3]uint32) {
	n := 0
	if v.assembled() {
		n = len(dst) &^ 31
	}
	if n > 0 {
		words := p.eight(rest)
		normalsAVX2(&dst[0], n/32, &words[0])
	}
	p.fillFrom(dst[n:], uint32(n/4), rest)
}

// fill64 is like fill in float64.
func (p philox) fill64(dst []float64, row, draw, purpose uint32) {
	for from := 0; from < len(dst); from += 4 {
		w := p.words([4]uint32{uint32(from / 4), draw, row, purpose})
		var four [4]float64
		four[0], four[1] = normals64(w[0], w[1])
		four[2], four[3] = normals64(w[2], w[3])
		copy(dst[from:], four[:])
	}
}
