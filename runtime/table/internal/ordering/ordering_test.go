package ordering

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestKeysHaveTheOrderOfNumbers(t *testing.T) {
	floats := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 0.5, 1, math.MaxFloat64, math.Inf(1)}
	for i, x := range floats {
		for j, y := range floats {
			if got := cmp.Compare(Float(x), Float(y)); got != cmp.Compare(i, j) {
				t.Errorf("%v and %v have the order %d", x, y, got)
			}
		}
	}
	if Float(math.Copysign(0, -1)) != Float(0) {
		t.Error("the zeros differ")
	}
	ints := []int64{math.MinInt64, -5, -1, 0, 1, 1 << 40, math.MaxInt64}
	for i, x := range ints {
		for j, y := range ints {
			if got := cmp.Compare(Int(x), Int(y)); got != cmp.Compare(i, j) {
				t.Errorf("%d and %d have the order %d", x, y, got)
			}
		}
	}
}

func TestStableIsTheOrderOfAStableSort(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 7, 1000, 5000} {
		for _, mask := range []uint64{0, 1, 0xff, 0xfff000, 1<<63 | 3, math.MaxUint64} {
			keys, want := make([]uint64, n), make([]uint32, n)
			for i := range keys {
				keys[i], want[i] = draw.Uint64()&mask, uint32(i)
			}
			slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
			if got := Stable(slices.Clone(keys)); !slices.Equal(got, want) {
				t.Errorf("%d keys with the mask %x: %v, want %v", n, mask, got, want)
			}
		}
	}
}
