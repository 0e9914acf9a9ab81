package gaussian

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Diagonal is a Gaussian with independent coordinates, N(Mean, diag(exp(LogVariance))). The
// slices may also hold a whole batch, row by row: every loss in this package is a mean over all
// coordinates of all rows.
type Diagonal struct{ Mean, LogVariance []float64 }

// Check returns an error if the lists are empty, differ in length or hold values that are not
// finite.
func (d Diagonal) Check() error {
	if len(d.Mean) == 0 || len(d.Mean) != len(d.LogVariance) {
		return fmt.Errorf("gaussian: %d means with %d log variances", len(d.Mean), len(d.LogVariance))
	}
	if i, value := firstUndefined(d.Mean); i >= 0 {
		return fmt.Errorf("gaussian: mean %d is %g", i, value)
	}
	if i, value := firstUndefined(d.LogVariance); i >= 0 {
		return fmt.Errorf("gaussian: log variance %d is %g", i, value)
	}
	return nil
}

// firstUndefined returns the index and the value of the first value that is not finite, or −1.
func firstUndefined(values []float64) (int, float64) {
	for i, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return i, value
		}
	}
	return -1, 0
}

// checkPair returns an error unless both Gaussians pass Check and have the same dimension.
func checkPair(one, two Diagonal) error {
	if err := one.Check(); err != nil {
		return err
	}
	if err := two.Check(); err != nil {
		return err
	}
	if len(one.Mean) != len(two.Mean) {
		return fmt.Errorf("gaussian: %d coordinates against %d", len(one.Mean), len(two.Mean))
	}
	return nil
}

// mustPair panics if the two Gaussians differ in dimension.
func mustPair(one, two Diagonal) {
	if len(one.Mean) != len(one.LogVariance) || len(one.Mean) != len(two.Mean) || len(two.Mean) != len(two.LogVariance) {
		panic(fmt.Sprintf("gaussian: %d means and %d log variances against %d and %d",
			len(one.Mean), len(one.LogVariance), len(two.Mean), len(two.LogVariance)))
	}
}

// Trace returns the sum of the variances, the uncertainty used by ProLIP and PCME++.
func (d Diagonal) Trace() float64 {
	sum := 0.0
	for _, l := range d.LogVariance {
		sum += math.Exp(l)
	}
	return sum
}

// MeanVariance returns the mean of the variances, the uncertainty by which the AsymVLM paper's
// reference implementation orders the queries of these methods. It is NaN for a Gaussian without
// coordinates.
func (d Diagonal) MeanVariance() float64 { return d.Trace() / float64(len(d.LogVariance)) }

// CSD returns PCME++'s closed-form sampled distance, the expectation of |x−y|² for independent
// draws x and y from the two Gaussians:
//
//	|μ₁ − μ₂|² + Σσ₁² + Σσ₂²
//
// It panics if the dimensions differ.
func CSD(one, two Diagonal) float64 {
	mustPair(one, two)
	square := 0.0
	for i, m := range one.Mean {
		square += (m - two.Mean[i]) * (m - two.Mean[i])
	}
	return square + one.Trace() + two.Trace()
}

// Similarity returns ProLIP's similarity μ₁·μ₂ − (Σσ₁² + Σσ₂²)/2, which for unit means is 1 −
// CSD/2. The paper's equation 1 prints the trace as a norm of σ₁+σ₂, but it is the sum of the
// variances. Similarity panics if the dimensions differ.
func Similarity(one, two Diagonal) float64 {
	mustPair(one, two)
	product := 0.0
	for i, m := range one.Mean {
		product += m * two.Mean[i]
	}
	return product - (one.Trace()+two.Trace())/2
}

// KL returns the Kullback–Leibler divergence KL(one‖two) in nats: with l = ln σ² and D = μ₁−μ₂, the
// sum over the coordinates of
//
//	½ (exp(l₁−l₂) − 1 − (l₁−l₂) + D² exp(−l₂))
//
// It is never negative. KL panics if the dimensions differ.
func KL(one, two Diagonal) float64 {
	mustPair(one, two)
	sum := 0.0
	for i, l := range one.LogVariance {
		r, apart := l-two.LogVariance[i], one.Mean[i]-two.Mean[i]
		sum += (expLess(r) + squared(apart, -two.LogVariance[i])) / 2
	}
	return sum
}

// expLess returns eˣ − 1 − x. For small x this is about x²/2, and the plain difference would lose
// all digits.
func expLess(x float64) float64 {
	if math.Abs(x) > 0.1 {
		return math.Expm1(x) - x
	}
	sum := 0.0
	for k := 11.; k >= 3; k-- { // 0.1¹⁰/12! is below a rounding error of 1/2
		sum = (sum + 1) * x / k
	}
	return x * x / 2 * (1 + sum)
}

// squared returns x² eˡ. It is finite whenever the result is, even if a factor is not, and 0 for x
// = 0.
func squared(x, l float64) float64 {
	if x == 0 {
		return 0
	}
	root := x * math.Exp(l/2)
	return root * root
}

// KeepClosest returns the indices of the pairs with the smallest CSD, in increasing order of CSD.
// Part is the fraction of the pairs to keep, rounded down. This is ProLIP's filter of data sets,
// which keeps the 20 % of image and text pairs whose Gaussians are close and certain. Pairs with
// equal distances keep their order. Lists of different lengths, a part outside 0 … 1, and pairs
// that differ in dimension or hold values that are not finite are errors.
func KeepClosest(images, texts []Diagonal, part float64) ([]int, error) {
	if len(images) != len(texts) || !(part >= 0 && part <= 1) {
		return nil, fmt.Errorf("gaussian: the part %g of %d images and %d texts", part, len(images), len(texts))
	}
	distances, order := make([]float64, len(images)), make([]int, len(images))
	for i := range images {
		if err := checkPair(images[i], texts[i]); err != nil {
			return nil, fmt.Errorf("%w (pair %d)", err, i)
		}
		distances[i], order[i] = CSD(images[i], texts[i]), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distances[a], distances[b]) })
	// 0.29 of 100 is 28.999999999999996 in floating point and must count as 29.
	return order[:min(int(part*float64(len(order))+1e-9), len(order))], nil
}
