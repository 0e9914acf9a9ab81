package device

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTheFirstValueAboveItsLimitsIsFound(t *testing.T) {
	nan := float32(math.NaN())
	for name, unit := range units() {
		for length := range 45 {
			for place := range length + 1 { // length for none
				for _, above := range []struct {
					value, own, common float32
				}{{1.5, 1, 2}, {1.5, 2, 1}, {1.5, 1, 1}, {nan, 2, 2}, {1.5, nan, 2}, {float32(math.Inf(1)), 2, 2}} {
					values, limits := make([]float32, length+1)[1:], make([]float32, length+1)[1:]
					for i := range values {
						values[i], limits[i] = 1, 1 // equal does not exceed
					}
					common := float32(2)
					if place < length {
						values[place], limits[place], common = above.value, above.own, above.common
					}
					if common == 1 && place < length {
						common = 1.25 // the others are 1
					}
					if got := unit.firstAbove(values, limits, common); got != place {
						t.Fatalf("%s: place %d of %d, want %d (%+v)", name, got, length, place, above)
					}
				}
			}
			if length > 0 && unit.firstAbove(make([]float32, length), make([]float32, length), nan) != 0 {
				t.Errorf("%s: a common limit that is NaN is above nothing", name)
			}
		}
	}
}

func TestSearchesFindAllThatALoopFinds(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := source.IntN(300)
		values, limits := random(1, n, source).Values, random(1, n, source).Values
		for i := range limits {
			limits[i] += 2
		}
		var want, got []int
		for i, value := range values {
			if !(value <= limits[i] && value <= 1.5) {
				want = append(want, i)
			}
		}
		for i := FirstAbove(values, limits, 1.5); i < n; i += 1 + FirstAbove(values[i+1:], limits[i+1:], 1.5) {
			got = append(got, i)
		}
		if len(got) != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}
