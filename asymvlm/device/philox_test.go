package device

import (
	"math"
	"slices"
	"testing"
)

// The answers published with the generator by Salmon and others.
func TestPhiloxGivesItsPublishedAnswers(t *testing.T) {
	const all = math.MaxUint32
	for _, known := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{all, all, all, all}, [2]uint32{all, all}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := (philox{known.key}).words(known.counter); got != known.want {
			t.Errorf("counter %x, key %x: %x, want %x", known.counter, known.key, got, known.want)
		}
	}
	if got := newPhilox(0x299f31d0_a4093822).key; got != [2]uint32{0xa4093822, 0x299f31d0} {
		t.Errorf("the key of a seed is %x", got)
	}
}

// extremes returns words at critical boundaries and some others.
func extremes() []uint32 {
	words := []uint32{0, 1, 2, 1<<24 - 1, 1 << 24, 1<<31 - 1, 1 << 31, math.MaxUint32 - 128, math.MaxUint32 - 127, math.MaxUint32}
	for quarter := range uint32(8) { // the boundaries of sincos32
		for _, apart := range []uint32{0, 1, 200, math.MaxUint32, math.MaxUint32 - 200} {
			words = append(words, quarter<<29+apart)
		}
	}
	for i := range uint32(400) {
		words = append(words, i*0x9E3779B9)
	}
	return words
}

func TestNumbersAreAboveZeroAndAtMostOne(t *testing.T) {
	for _, word := range extremes() {
		u := number(word)
		if !(u >= 0x1p-33) || u > 1 || math.Abs(float64(u)-(float64(word)+0.5)*0x1p-32) > 0x1p-25 {
			t.Errorf("word %d is the number %g", word, u)
		}
	}
}

// Both forms take the same words; the float32 numbers are within a few units in the last place. No
// number exceeds the bound that CheckLogits assumes.
func TestNormalNumbersInFloat32AreThoseInFloat64(t *testing.T) {
	largest := 0.0
	for _, first := range extremes() {
		for _, second := range extremes() {
			a, b := normals32(first, second)
			wantA, wantB := normals64(first, second)
			size := math.Hypot(wantA, wantB)
			if math.Abs(float64(a)-wantA) > 6e-7*size || math.Abs(float64(b)-wantB) > 6e-7*size {
				t.Fatalf("words %d, %d: %g and %g, want %g and %g", first, second, a, b, wantA, wantB)
			}
			largest = math.Max(largest, math.Max(math.Abs(wantA), math.Abs(float64(a))))
		}
	}
	if largest > largestNormal || largest < 6.7 {
		t.Errorf("the largest number is %g, want it near and below %g", largest, largestNormal)
	}
}

// The Kolmogorov-Smirnov distance of n numbers exceeds 2.8/√n with probability 3e-7. Moments are
// within five standard errors.
func TestNormalNumbersAreNormal(t *testing.T) {
	const rows, draws, columns = 20, 25, 401
	all, line := make([]float64, 0, rows*draws*columns), make([]float32, columns)
	for row := range uint32(rows) {
		for draw := range uint32(draws) {
			newPhilox(7).fill(line, row, draw, forLogits)
			for _, value := range line {
				all = append(all, float64(value))
			}
		}
	}
	n := float64(len(all))
	// Neighbors along each coordinate are independent: the mean of the product of two has the
	// standard error 1/√n.
	for name, apart := range map[string]int{"columns": 1, "pairs": 2, "groups": 4, "draws": columns, "rows": draws * columns} {
		product := 0.0
		for i := apart; i < len(all); i++ {
			product += all[i] * all[i-apart] / n
		}
		if math.Abs(product)*math.Sqrt(n) > 5 {
			t.Errorf("neighboring %s have the correlation %g", name, product)
		}
	}
	// E[x], E[x²], E[x³], E[x⁴] with their variances 1, 2, 15 and 96.
	for k, c := range [][2]float64{{0, 1}, {1, 2}, {0, 15}, {3, 96}} {
		moment := 0.0
		for _, x := range all {
			moment += math.Pow(x, float64(k+1)) / n
		}
		if z := (moment - c[0]) * math.Sqrt(n/c[1]); math.Abs(z) > 5 {
			t.Errorf("moment %d is %g, want %g (%.1f standard errors)", k+1, moment, c[0], z)
		}
	}
	slices.Sort(all)
	distance := 0.0
	for i, x := range all {
		below := math.Erfc(-x/math.Sqrt2) / 2
		distance = math.Max(distance, math.Max(below-float64(i)/n, float64(i+1)/n-below))
	}
	if limit := 2.8 / math.Sqrt(n); distance > limit {
		t.Errorf("Kolmogorov-Smirnov distance %.6f, want below %.6f", distance, limit)
	}
}

// A number depends on each of its coordinates and on nothing else.
func TestNumbersDependOnTheirCoordinatesAlone(t *testing.T) {
	line := func(seed uint64, length int, row, draw, purpose uint32) []float32 {
		dst := make([]float32, length)
		newPhilox(seed).fill(dst, row, draw, purpose)
		return dst
	}
	want := line(3, 9, 5, 6, forLogits)
	if !slices.Equal(line(3, 23, 5, 6, forLogits)[:9], want) {
		t.Error("a wider row has other numbers in its first columns")
	}
	for name, other := range map[string][]float32{
		"seed": line(4, 9, 5, 6, forLogits), "upper half of the seed": line(3+1<<32, 9, 5, 6, forLogits), "row": line(3, 9, 6, 6, forLogits),
		"draw": line(3, 9, 5, 7, forLogits), "use": line(3, 9, 5, 6, forDirections), "row and draw exchanged": line(3, 9, 6, 5, forLogits),
	} {
		for j, value := range other {
			if value == want[j] {
				t.Errorf("another %s leaves column %d at %g", name, j, value)
			}
		}
	}
	wide := make([]float64, 9)
	newPhilox(3).fill64(wide, 5, 6, forLogits)
	near(t, "numbers in float32", want, wide, 1e-6)
}

func BenchmarkNormalNumbers(b *testing.B) {
	dst, generator := make([]float32, 4096), newPhilox(1)
	b.SetBytes(4 * 4096)
	for b.Loop() {
		generator.fill(dst, 1, 2, forLogits)
	}
}
