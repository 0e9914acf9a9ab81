package gaussian

import (
	"fmt"
	"math"
	"slices"
)

// Moments holds the mean and the variance of each coordinate of an uncertain embedding, which need
// not be Gaussian.
type Moments struct{ Mean, Variance []float64 }

// Check returns an error if the lists are empty or differ in length, a value is not finite, a
// variance is negative, the squared norm of the mean is 0 or infinite in floating point (so that it
// has no direction), or the sum of the variances is infinite.
func (m Moments) Check() error {
	if len(m.Mean) == 0 || len(m.Mean) != len(m.Variance) {
		return fmt.Errorf("gaussian: %d means with %d variances", len(m.Mean), len(m.Variance))
	}
	if i, value := firstUndefined(m.Mean); i >= 0 {
		return fmt.Errorf("gaussian: mean %d is %g", i, value)
	}
	length := square(m.Mean)
	total := length
	for i, value := range m.Variance {
		if !(value >= 0) || math.IsInf(value, 1) {
			return fmt.Errorf("gaussian: variance %d is %g, want a finite number of at least 0", i, value)
		}
		total += value
	}
	if length == 0 || math.IsInf(length, 1) {
		return fmt.Errorf("gaussian: a mean of length %g has no direction", math.Sqrt(length))
	}
	if math.IsInf(total, 1) {
		return fmt.Errorf("gaussian: the sum of %d variances is infinite", len(m.Variance))
	}
	return nil
}

// A CosineMoments holds moments of the cosine of two uncertain embeddings.
type CosineMoments struct {
	// Mean is E[cos] = μ₁·μ₂/√(N₁N₂), N = Σ(μ²+σ²), as in BayesVLM (Smith and others).
	Mean float64
	// Variance is BayesVLM's Σ[(μ₁²+σ₁²)σ₂² + σ₁²μ₂²]/(N₁N₂). It ignores that normalization removes
	// noise along the mean. It is right within 10 % at a cosine of 0.3, and two to three times too
	// large at 0.8.
	Variance float64
	// DeltaVariance is the variance to first order in the noise, Σ[(u₂−cu₁)²σ₁²/|μ₁|² +
	// (u₁−cu₂)²σ₂²/|μ₂|²] with u = μ/|μ| and c = u₁·u₂. It is more accurate than Variance while
	// Σσ²/|μ|² is below about 0.1, and too large above.
	DeltaVariance float64
}

// Cosine returns the moments of the cosine of two independent uncertain embeddings. Different
// dimensions are an error. Cosine also returns the errors of Moments.Check.
func Cosine(one, two Moments) (CosineMoments, error) {
	for _, m := range []Moments{one, two} {
		if err := m.Check(); err != nil {
			return CosineMoments{}, err
		}
	}
	if len(one.Mean) != len(two.Mean) {
		return CosineMoments{}, fmt.Errorf("gaussian: %d coordinates against %d", len(one.Mean), len(two.Mean))
	}
	square1, square2 := square(one.Mean), square(two.Mean)
	length1, length2 := math.Sqrt(square1), math.Sqrt(square2)
	cosine, total1, total2 := 0.0, square1, square2
	for i, m1 := range one.Mean {
		cosine += m1 / length1 * (two.Mean[i] / length2)
		total1 += one.Variance[i]
		total2 += two.Variance[i]
	}
	// Products of the two embeddings' values are divided by both norms first, because they may
	// overflow by themselves.
	mixed, delta := 0.0, 0.0
	for i, m1 := range one.Mean {
		m2, v1, v2 := two.Mean[i], one.Variance[i], two.Variance[i]
		mixed += (m1*m1+v1)/total1*(v2/total2) + v1/total1*(m2*m2/total2)
		u1, u2 := m1/length1, m2/length2
		g1, g2 := u2-cosine*u1, u1-cosine*u2
		delta += g1*g1*(v1/square1) + g2*g2*(v2/square2)
	}
	return CosineMoments{
		Mean: cosine * (length1 / math.Sqrt(total1)) * (length2 / math.Sqrt(total2)), Variance: mixed, DeltaVariance: delta,
	}, nil
}

// square returns |x|².
func square(x []float64) float64 {
	sum := 0.0
	for _, value := range x {
		sum += value * value
	}
	return sum
}

// Probit returns the probabilities of several candidates from the means and variances of their
// cosines, with the logits scale·cosine: the softmax of
//
//	scale·mean/√(1 + (π/8) scale² variance)
//
// It is BayesVLM's approximation of the expected softmax over the noise. Like BayesVLM it omits a
// bias of the logits, such as SigLIP's. It returns an error for empty lists, lists of different
// lengths, means or a scale that are not finite, and variances that are negative or NaN. A
// candidate with infinite variance has the logit 0.
func Probit(means, variances []float64, scale float64) ([]float64, error) {
	if err := checkCandidates(means, variances, scale); err != nil {
		return nil, err
	}
	probabilities := make([]float64, len(means))
	for i, m := range means {
		// √(1 + x²) without x², which may overflow even if x is finite
		probabilities[i] = scale * m / math.Hypot(1, scale*math.Sqrt(math.Pi/8*variances[i]))
	}
	softmax(probabilities)
	return probabilities, nil
}

// checkCandidates returns an error for empty lists, lists of different lengths and values outside
// their domain.
func checkCandidates(means, variances []float64, scale float64) error {
	if len(means) == 0 || len(means) != len(variances) {
		return fmt.Errorf("gaussian: %d means with %d variances", len(means), len(variances))
	}
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return fmt.Errorf("gaussian: scale %g of logits, want a finite number", scale)
	}
	for i, m := range means {
		if !(variances[i] >= 0) || math.IsNaN(m) || math.IsInf(m, 0) {
			return fmt.Errorf("gaussian: candidate %d has mean %g and variance %g", i, m, variances[i])
		}
	}
	return nil
}

// softmax replaces logits with their probabilities.
func softmax(logits []float64) {
	largest := slices.Max(logits)
	sum := 0.0
	for i, logit := range logits {
		logits[i] = math.Exp(logit - largest)
		sum += logits[i]
	}
	for i := range logits {
		logits[i] /= sum
	}
}
