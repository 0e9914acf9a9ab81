package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// lists are numbers in orders that divide well and badly.
func lists(n int) map[string][]float64 {
	draw := rand.New(rand.NewPCG(uint64(n), 7))
	made := map[string][]float64{}
	for i := range n {
		made["ascending"] = append(made["ascending"], float64(i))
		made["descending"] = append(made["descending"], float64(-i))
		made["equal"] = append(made["equal"], 3)
		made["two values"] = append(made["two values"], float64(i%2))
		made["random"] = append(made["random"], draw.NormFloat64())
		made["peak"] = append(made["peak"], float64(min(i, n-i)))
		made["infinite"] = append(made["infinite"], math.Inf(1-2*(i%2)))
	}
	return made
}

func TestQuantilesAreThoseOfSortedLists(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 24, 25, 100, 1001, 5000} {
		for name, list := range lists(n) {
			sorted := slices.Sorted(slices.Values(list))
			for _, q := range []float64{0, 0.1, 0.25, 0.5, 0.9, 0.999, 1} {
				at := q * float64(n-1)
				i := int(at)
				want := sorted[i]
				if at != float64(i) && sorted[i] != sorted[i+1] {
					want += (sorted[i+1] - sorted[i]) * (at - float64(i))
				}
				if got := Quantile(slices.Clone(list), q); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("%d values, %s: the quantile %v is %v, want %v", n, name, q, got, want)
				}
			}
		}
	}
	if got := Quantile([]float64{1, math.NaN(), 3}, 0); !math.IsNaN(got) {
		t.Errorf("a quantile with NaN is %v", got)
	}
}

func TestRanksAreMeansOfEqualNumbers(t *testing.T) {
	if got := Ranks([]float64{3, 1, 3, 2}); !slices.Equal(got, []float64{3.5, 1, 3.5, 2}) {
		t.Error(got)
	}
	for _, rank := range Ranks([]float64{1, math.NaN()}) {
		if !math.IsNaN(rank) {
			t.Error(rank)
		}
	}
}

func TestCorrelation(t *testing.T) {
	for want, b := range map[float64][]float64{1: {2, 4, 6}, -1: {3, 2, 1}, 0: {1, 0, 1}} {
		if got := Correlation([]float64{1, 2, 3}, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", b, got, want)
		}
	}
}

func TestHistogramsCountAllKnownNumbers(t *testing.T) {
	list := []float64{0, 1, 2, 3, 9.5, 10, math.NaN(), 5}
	known := func(i int) bool { return i != 7 }
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	labels, counts := Histogram(list, known, Scale{Bins: 5, Text: text})
	want := []string{"0 to 2", "2 to 4", "4 to 6", "6 to 8", "8 to 10", "not finite"}
	if !slices.Equal(labels, want) || !slices.Equal(counts, []int{2, 2, 0, 0, 2, 1}) {
		t.Errorf("%q %v, want %q", labels, counts, want)
	}
	labels, counts = Histogram([]float64{1, 2, 2, 4}, func(int) bool { return true }, Scale{Bins: 2, Whole: true, Text: text})
	if want := []string{"1 to 2", "3 to 4"}; !slices.Equal(labels, want) || !slices.Equal(counts, []int{3, 1}) {
		t.Errorf("%q %v, want %q", labels, counts, want)
	}
	if labels, counts = Histogram([]float64{7, 7}, func(int) bool { return true }, Scale{Bins: 2, Text: text}); !slices.Equal(labels, []string{"7"}) || counts[0] != 2 {
		t.Errorf("%q %v", labels, counts)
	}
	if labels, _ = Histogram(list, func(int) bool { return false }, Scale{Bins: 2, Text: text}); labels != nil {
		t.Errorf("%q of nothing", labels)
	}
}
