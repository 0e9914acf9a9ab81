package retrieval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/retrieval"
)

// hitsOf returns n outcomes, the first few of them hits.
func hitsOf(n, hits int) []bool {
	list := make([]bool, n)
	for i := range hits {
		list[i] = true
	}
	return list
}

func TestHitsAreTheQueriesThatRecallCounts(t *testing.T) {
	r := retrieval.Ranked{Items: make([]int32, 12), Queries: 4, Depth: 3, First: []int{0, 2, -1, 1}}
	for k := 1; k <= 3; k++ {
		count := 0.0
		for _, hit := range r.Hits(k) {
			if hit {
				count++
			}
		}
		if count/4 != r.Recall(k) {
			t.Errorf("%g hits among %d, recall %g", count, k, r.Recall(k))
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("hits among 4 of 3")
		}
	}()
	r.Hits(4)
}

// A proportion p of n has the standard error √(p(1−p)/n), and 1.96 of those on both sides are 95 %.
func TestTheBootstrapOfRecallIsNearlyNormal(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	got, err := retrieval.Bootstrap{Draws: 20000}.Recall(hitsOf(1000, 300))
	if err != nil {
		t.Fatal(err)
	}
	half := 1.959964 * math.Sqrt(0.3*0.7/1000)
	if got.Estimate != 0.3 || math.Abs(got.Low-(0.3-half)) > 2e-3 || math.Abs(got.High-(0.3+half)) > 2e-3 {
		t.Errorf("%v, want 0.3 ± %.4f", got, half)
	}
	again, _ := retrieval.Bootstrap{Draws: 20000}.Recall(hitsOf(1000, 300))
	other, _ := retrieval.Bootstrap{Draws: 20000, Seed: 1}.Recall(hitsOf(1000, 300))
	if again != got || other == got {
		t.Error("the seed does not decide on the draws")
	}
}

// The variance of the paired difference is (b + c − (b−c)²/n)/n² for b and c queries that only one
// method answers. It is 0 if the methods agree, however uncertain their recalls are.
func TestTheBootstrapOfADifferenceIsPaired(t *testing.T) {
	same, err := retrieval.Bootstrap{}.Difference(hitsOf(200, 90), hitsOf(200, 90))
	if err != nil || same != (retrieval.Interval{}) {
		t.Errorf("%v, %v of equal methods", same, err)
	}
	const n, b, c = 800, 60, 20
	one, two := hitsOf(n, 400), hitsOf(n, 400)
	for i := range c {
		one[i] = false
	}
	for i := range b {
		two[100+i] = false
	}
	got, err := retrieval.Bootstrap{Draws: 20000}.Difference(one, two)
	if err != nil {
		t.Fatal(err)
	}
	mean, half := float64(b-c)/n, 1.959964*math.Sqrt((b+c-float64((b-c)*(b-c))/n))/n
	if math.Abs(got.Estimate-mean) > 1e-12 || math.Abs(got.Low-(mean-half)) > 2e-3 || math.Abs(got.High-(mean+half)) > 2e-3 {
		t.Errorf("%v, want %.4f ± %.4f", got, mean, half)
	}
}

// choose is the number of ways to take k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

func TestMcNemarIsTheTailOfFairCoins(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {5, 5}, {1, 0}, {0, 6}, {3, 12}, {20, 9}} {
		one, two := make([]bool, 50), make([]bool, 50)
		for i := range c[0] {
			one[i] = true
		}
		for i := range c[1] {
			two[49-i] = true
		}
		got, err := retrieval.McNemar(one, two)
		want, n := 0.0, c[0]+c[1]
		for k := range min(c[0], c[1]) + 1 {
			want += 2 * choose(n, k) / math.Pow(2, float64(n))
		}
		if want = min(1, want); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: p %g, want %g, %v", c, got, want, err)
		}
	}
}

// For n = 12 all 2ⁿ signs can be enumerated. The draws estimate the fraction of them whose sum is
// at least as far from 0.
func TestPermutationsApproachTheEnumerationOfAllSigns(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	one, two := make([]float64, 12), make([]float64, 12)
	sum := 0.0
	for i := range one {
		one[i], two[i] = source.NormFloat64()+0.5, source.NormFloat64()
		sum += one[i] - two[i]
	}
	extreme := 0
	for signs := range uint(1) << 12 {
		drawn := 0.0
		for i := range one {
			d := one[i] - two[i]
			if signs>>i&1 == 1 {
				d = -d
			}
			drawn += d
		}
		if math.Abs(drawn) >= math.Abs(sum)-1e-9 {
			extreme++
		}
	}
	want := float64(extreme) / (1 << 12)
	got, err := retrieval.PairedPermutation(one, two, 40000, 1)
	if err != nil || math.Abs(got-want) > 0.01 {
		t.Errorf("p %g, want %g, %v", got, want, err)
	}
	if p, err := retrieval.PairedPermutation(one, one, 99, 1); err != nil || p != 1 {
		t.Errorf("p %g of equal values, %v", p, err)
	}
	// With 7 differences of one sign only all pluses and all minuses are as far from 0: 2/2⁷ of the
	// signs.
	ones, zeros := []float64{1, 1, 1, 1, 1, 1, 1}, make([]float64, 7)
	p, err := retrieval.PairedPermutation(ones, zeros, 40000, 1)
	if exact := 2.0 / 128; err != nil || math.Abs(p-exact) > 0.003 {
		t.Errorf("p %g, want %g, %v", p, exact, err)
	}
}

func TestStatisticsRefuseWhatCannotBeCompared(t *testing.T) {
	two, three := hitsOf(2, 1), hitsOf(3, 1)
	for name, f := range map[string]func() error{
		"no queries":   func() error { _, err := retrieval.Bootstrap{}.Recall(nil); return err },
		"one draw":     func() error { _, err := retrieval.Bootstrap{Draws: 1}.Recall(two); return err },
		"a level of 1": func() error { _, err := retrieval.Bootstrap{Level: 1}.Recall(two); return err },
		"a difference": func() error { _, err := retrieval.Bootstrap{}.Difference(two, three); return err },
		"NaN": func() error {
			_, err := retrieval.Bootstrap{}.Interval(2, func([]int) float64 { return math.NaN() })
			return err
		},
		"McNemar":      func() error { _, err := retrieval.McNemar(two, three); return err },
		"permutations": func() error { _, err := retrieval.PairedPermutation([]float64{1}, nil, 9, 0); return err },
		"no draws":     func() error { _, err := retrieval.PairedPermutation([]float64{1}, []float64{2}, 0, 0); return err },
		"an infinity": func() error {
			_, err := retrieval.PairedPermutation([]float64{math.Inf(1)}, []float64{2}, 9, 0)
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
