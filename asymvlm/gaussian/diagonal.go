package gaussian

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Diagonal is a Gaussian with independent coordinates, N(Mean, diag(exp(LogVariance))). The slices may also hold a
// whole batch, row by row: every loss here is a mean over all coordinates of all rows.
type Diagonal struct{ Mean, LogVariance []float64 }

// Check reports lists of different lengths and values that are not finite.
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

// firstUndefined returns the first value that is not finite, or −1.
func firstUndefined(values []float64) (int, float64) {
	for i, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return i, value
		}
	}
	return -1, 0
}

// checkPair reports what makes two Gaussians unfit for each other.
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

// mustPair panics when two Gaussians have different widths.
func mustPair(one, two Diagonal) {
	if len(one.Mean) != len(one.LogVariance) || len(one.Mean) != len(two.Mean) || len(two.Mean) != len(two.LogVariance) {
		panic(fmt.Sprintf("gaussian: %d means and %d log variances against %d and %d",
			len(one.Mean), len(one.LogVariance), len(two.Mean), len(two.LogVariance)))
	}
}

// Trace returns the sum of the variances, the uncertainty that ProLIP and PCME++ report.
func (d Diagonal) Trace() float64 {
	sum := 0.0
	for _, l := range d.LogVariance {
		sum += math.Exp(l)
	}
	return sum
}

// MeanVariance returns the mean of the variances, the uncertainty by which the AsymVLM paper's program orders the
// queries of these methods; NaN for a Gaussian without coordinates.
func (d Diagonal) MeanVariance() float64 { return d.Trace() / float64(len(d.LogVariance)) }

// CSD returns PCME++'s closed-form sampled distance, the expectation of |x−y|² for independent draws from both:
//
//	|μ₁ − μ₂|² + Σσ₁² + Σσ₂²
//
// It panics when the widths differ.
func CSD(one, two Diagonal) float64 {
	mustPair(one, two)
	square := 0.0
	for i, m := range one.Mean {
		square += (m - two.Mean[i]) * (m - two.Mean[i])
	}
	return square + one.Trace() + two.Trace()
}

// Similarity returns ProLIP's similarity μ₁·μ₂ − (Σσ₁² + Σσ₂²)/2, which for unit means is 1 − CSD/2. The paper's
// equation 1 prints the trace as a norm of σ₁+σ₂; it is the sum of the variances. It panics when the widths differ.
func Similarity(one, two Diagonal) float64 {
	mustPair(one, two)
	product := 0.0
	for i, m := range one.Mean {
		product += m * two.Mean[i]
	}
	return product - (one.Trace()+two.Trace())/2
}

// KL returns the Kullback–Leibler divergence KL(one‖two) in nats: with l = ln σ² and D = μ₁−μ₂, the sum over coordinates of
//
//	½ (exp(l₁−l₂) − 1 − (l₁−l₂) + D² exp(−l₂))
//
// It is never below 0, and panics when the widths differ.
func KL(one, two Diagonal) float64 {
	mustPair(one, two)
	sum := 0.0
	for i, l := range one.LogVariance {
		r, apart := l-two.LogVariance[i], one.Mean[i]-two.Mean[i]
		sum += (expLess(r) + squared(apart, -two.LogVariance[i])) / 2
	}
	return sum
}

// expLess returns eˣ − 1 − x, which is x²/2 for small x, where the difference would keep no digit.
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

// squared returns x² eˡ. It is finite where the result is, also where a factor is not, and 0 for x = 0.
func squared(x, l float64) float64 {
	if x == 0 {
		return 0
	}
	root := x * math.Exp(l/2)
	return root * root
}

// KeepClosest returns the indices of the pairs with the smallest CSD, the smallest first, the given part of them rounded
// down: ProLIP's filter of data sets, which keeps the 20 % of image and text pairs whose Gaussians are close and certain.
// Equal distances keep their order. Lists of different lengths, a part outside 0 to 1, and a pair of different widths or
// with values that are not finite are errors.
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
	// A part such as 0.29 of 100 is 28.999999999999996 in floating point, and means 29.
	return order[:min(int(part*float64(len(order))+1e-9), len(order))], nil
}
