package device

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// strangeBits are patterns at every edge of float32: zeros, denormal numbers, the smallest normal
// number, 1 and its neighbors, ties of bfloat16, the largest number, infinity, and both kinds of
// NaN.
var strangeBits = []uint32{
	0, 1, 0x7fff, 0x8000, 0x8001, 0x17fff, 0x18000, 0x7f7fff, 0x7f8000, 0x7fffff, 0x800000, 0x800001, 0x808000, 0x80ffff,
	0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f807fff, 0x3f808000, 0x3f808001, 0x3f818000, 0x3f81ffff, 0x20000000, 0x1f800000,
	0x7f7f0000, 0x7f7f7fff, 0x7f7f8000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7f80ffff, 0x7fbfffff, 0x7fc00000, 0x7fffffff,
}

// drawn returns random numbers of all sizes, some of them from strangeBits.
func drawn(source *rand.Rand) float32 {
	switch source.IntN(8) {
	case 0:
		return math.Float32frombits(strangeBits[source.IntN(len(strangeBits))] | uint32(source.IntN(2))<<31)
	case 1:
		return math.Float32frombits(source.Uint32())
	case 2: // products of two such numbers are close to the smallest normal one
		return float32(math.Ldexp(source.NormFloat64(), -60-source.IntN(8)))
	case 3: // few significant bits, so that sums are ties
		return float32(math.Ldexp(float64(source.IntN(1<<9)-1<<8), source.IntN(40)-20))
	}
	return float32(math.Ldexp(source.NormFloat64(), source.IntN(60)-30))
}

func sameFloat(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// Compares with the nearest neighbor of 8 significant bits by exact differences, ties to even.
func TestRoundingToBFloat16IsToTheNearestAndThenToTheEven(t *testing.T) {
	source := rand.New(rand.NewPCG(51, 52))
	for i := range 200_000 {
		x := drawn(source)
		if i < 2*len(strangeBits) {
			x = math.Float32frombits(strangeBits[i/2] | uint32(i%2)<<31)
		}
		got := toBFloat(x)
		rounded := math.Float32frombits(got << 16)
		if x != x {
			if rounded == rounded || got&0x40 == 0 || got > 0xffff {
				t.Fatalf("NaN %x becomes %x, want a quiet NaN", math.Float32bits(x), got)
			}
			continue
		}
		down := math.Float32bits(x) &^ 0xffff
		up := down + 0x10000
		value := func(bits uint32) float64 {
			if bits&0x7fffffff == 0x7f800000 && !math.IsInf(float64(x), 0) { // as if there were one more finite number
				return math.Copysign(0x1p128, float64(x))
			}
			return float64(math.Float32frombits(bits))
		}
		want := down
		below, above := math.Abs(float64(x)-value(down)), math.Abs(value(up)-float64(x))
		if above < below || above == below && down>>16&1 == 1 {
			want = up
		}
		if math.IsInf(float64(x), 0) {
			want = math.Float32bits(x)
		}
		if got != want>>16 {
			t.Fatalf("%g (%x) becomes %x, want %x", x, math.Float32bits(x), got, want>>16)
		}
	}
}

// roundedOnce returns sum + a·b computed exactly and rounded to 24 bits; denormal numbers count as
// 0.
func roundedOnce(sum, a, b float32) float32 {
	flat := func(x float32) float32 {
		if math.Abs(float64(x)) < 0x1p-126 {
			return float32(math.Copysign(0, float64(x)))
		}
		return x
	}
	sum, a, b = flat(sum), flat(a), flat(b)
	ieee := float64(a)*float64(b) + float64(sum)
	if ieee-ieee != 0 || ieee == 0 {
		return float32(ieee) // infinite, NaN, and signed zero
	}
	number := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
	exact := new(big.Float).SetPrec(1000).Mul(number(a), number(b))
	exact.Add(exact, number(sum))
	exact.SetPrec(24).SetMode(big.ToNearestEven) // with an unbounded exponent
	value, _ := exact.Float64()
	switch {
	case math.Abs(value) < 0x1p-126:
		return float32(math.Copysign(0, value))
	case math.Abs(value) >= 0x1p128:
		return float32(math.Inf(int(math.Copysign(1, value))))
	}
	return float32(value)
}

func TestAProductIsAddedWithOneRounding(t *testing.T) {
	source := rand.New(rand.NewPCG(53, 54))
	brief := func(x float32) float32 { return math.Float32frombits(toBFloat(x) << 16) }
	for range 400_000 {
		sum, a, b := drawn(source), brief(drawn(source)), brief(drawn(source))
		if source.IntN(3) == 0 { // nearly cancels, or is a tie
			sum = -a * b * (1 + float32(source.IntN(5)-2)*0x1p-23)
		}
		if got, want := addProduct(sum, a, b), roundedOnce(sum, a, b); !sameFloat(got, want) {
			t.Fatalf("%g + %g·%g is %g (%x), want %g (%x)", sum, a, b, got, math.Float32bits(got), want, math.Float32bits(want))
		}
	}
}

// If the float64 sum is exactly halfway between two float32 values, its rounding error decides.
func TestSumsNearTheMiddleAreNotRoundedTwice(t *testing.T) {
	for _, test := range []struct{ sum, a, b, want float32 }{
		{1, 0x1p-24, 1, 1},                                   // exactly halfway: to even
		{1, 0x1.02p-12, 0x1p-12, 1 + 0x1p-23},                // slightly above
		{0x1p30, 0x1.02p3, 0x1p3, 0x1p30 + 0x1p7},            // far above 1
		{1 + 0x1p-23, 0x1p-24, 1, 1 + 0x1p-22},               // halfway, with an odd value below
		{-1, -0x1p-24, 1, -1},                                // negative
		{0x1p-126, -0x1p-76, 0x1p-76, 0x1p-126},              // a quarter unit below the smallest normal number
		{0x1p-126, -0x1p-75, 0x1p-75, 0},                     // half a unit below: denormal
		{-0x1p-126, 0x1p-75, 0x1p-75, float32(negativeZero)}, // and its sign
		{0x1p-126, -0x1p-126, 1, 0},                          // exactly 0
		{0x1.fffffep127, 0x1p60, 0x1p42, 0x1.fffffep127},     // less than half a unit
		{0x1.fffffep127, 0x1p61, 0x1p42, float32(math.Inf(1))},
	} {
		if got := addProduct(test.sum, test.a, test.b); !sameFloat(got, test.want) || !sameFloat(got, roundedOnce(test.sum, test.a, test.b)) {
			t.Errorf("%g + %g·%g is %g (%x), want %g", test.sum, test.a, test.b, got, math.Float32bits(got), test.want)
		}
	}
}

var negativeZero = math.Copysign(0, -1)

// pairKernels returns the micro-kernels for pairs that this CPU can run.
func pairKernels() map[string]kernel {
	kernels := map[string]kernel{}
	for _, unit := range units() {
		k := pairsKernelOf(unit)
		kernels[k.name] = k
	}
	return kernels
}

// Tests depth 1 with existing sums: one instruction for every value. The CPU follows the manuals'
// description of VDPBF16PS, and so do the other kernels.
func TestInstructionDoesToAPairWhatTheDefinitionSays(t *testing.T) {
	source := rand.New(rand.NewPCG(55, 56))
	for name, k := range pairKernels() {
		for range 2000 {
			p := panels{depth: 2, count: 1, left: make([]float32, 2*k.rows), right: make([]float32, 2*k.columns), ahead: make([]float32, 1)}
			for i := range p.left {
				p.left[i] = pairOf(drawn(source), drawn(source))
			}
			for i := range p.right {
				p.right[i] = pairOf(drawn(source), drawn(source))
				if source.IntN(3) == 0 { // of the size of the existing sum
					p.right[i] = math.Float32frombits(math.Float32bits(p.left[i%k.rows])&0x007fffff | 0x3f800000)
				}
			}
			c := make([]float32, k.rows*k.columns)
			k.tiles(p, c, k.columns)
			for i := range k.rows {
				for j := range k.columns {
					want := dotPair(dotPair(0, p.left[i], p.right[j]), p.left[k.rows+i], p.right[k.columns+j])
					if got := c[i*k.columns+j]; !sameFloat(got, want) {
						t.Fatalf("%s: pairs %x·%x and %x·%x give %g (%x), want %g (%x)", name,
							math.Float32bits(p.left[i]), math.Float32bits(p.right[j]), math.Float32bits(p.left[k.rows+i]),
							math.Float32bits(p.right[k.columns+j]), got, math.Float32bits(got), want, math.Float32bits(want))
					}
				}
			}
		}
	}
}
