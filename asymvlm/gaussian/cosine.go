package gaussian

import (
	"fmt"
	"math"
)

// Moments are the mean and the variance of every coordinate of an uncertain embedding, which need not be Gaussian.
type Moments struct{ Mean, Variance []float64 }

// Check reports lists of different lengths, values that are not finite, negative variances and a mean of length 0,
// which has no direction.
func (m Moments) Check() error {
	if len(m.Mean) == 0 || len(m.Mean) != len(m.Variance) {
		return fmt.Errorf("gaussian: %d means with %d variances", len(m.Mean), len(m.Variance))
	}
	if i, value := firstUndefined(m.Mean); i >= 0 {
		return fmt.Errorf("gaussian: mean %d is %g", i, value)
	}
	for i, value := range m.Variance {
		if !(value >= 0) || math.IsInf(value, 1) {
			return fmt.Errorf("gaussian: variance %d is %g, want a finite number of at least 0", i, value)
		}
	}
	if square(m.Mean) == 0 {
		return fmt.Errorf("gaussian: a mean of length 0 has no direction")
	}
	return nil
}

// A CosineMoments is what two uncertain embeddings tell about their cosine.
type CosineMoments struct {
	// Mean is E[cos] = μ₁·μ₂/√(N₁N₂), N = Σ(μ²+σ²), the form of BayesVLM (Smith and others).
	Mean float64
	// Variance is BayesVLM's Σ[(μ₁²+σ₁²)σ₂² + σ₁²μ₂²]/(N₁N₂). It does not see that normalising takes noise along the
	// mean away: right within 10 % at a cosine of 0.3, two to three times too large at 0.8.
	Variance float64
	// DeltaVariance is the variance to first order in the noise, Σ[(u₂−cu₁)²σ₁²/|μ₁|² + (u₁−cu₂)²σ₂²/|μ₂|²] with
	// u = μ/|μ| and c = u₁·u₂. It is the better one while Σσ²/|μ|² is below about 0.1, too large beyond.
	DeltaVariance float64
}

// Cosine returns the moments of the cosine of two independent uncertain embeddings.
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
	product, total1, total2, mixed := 0.0, square1, square2, 0.0
	for i, m1 := range one.Mean {
		m2, v1, v2 := two.Mean[i], one.Variance[i], two.Variance[i]
		product += m1 * m2
		total1 += v1
		total2 += v2
		mixed += (m1*m1+v1)*v2 + v1*m2*m2
	}
	length1, length2 := math.Sqrt(square1), math.Sqrt(square2)
	cosine := product / (length1 * length2)
	delta := 0.0
	for i, m1 := range one.Mean {
		u1, u2 := m1/length1, two.Mean[i]/length2
		g1, g2 := (u2-cosine*u1)/length1, (u1-cosine*u2)/length2
		delta += g1*g1*one.Variance[i] + g2*g2*two.Variance[i]
	}
	return CosineMoments{
		Mean: product / math.Sqrt(total1) / math.Sqrt(total2), Variance: mixed / total1 / total2, DeltaVariance: delta,
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

// Probit returns the probabilities of several candidates from the means and variances of their cosines, with the
// logits scale·cosine: the softmax of
//
//	scale·mean/√(1 + (π/8) scale² variance)
//
// BayesVLM's stand-in for the average of the softmax over the noise. A bias of the logits, as SigLIP has, is left
// out there and here. It returns an error for lists of different lengths, none, NaN, and negative variances.
func Probit(means, variances []float64, scale float64) ([]float64, error) {
	if len(means) == 0 || len(means) != len(variances) {
		return nil, fmt.Errorf("gaussian: %d means with %d variances", len(means), len(variances))
	}
	probabilities := make([]float64, len(means))
	largest := math.Inf(-1)
	for i, m := range means {
		if !(variances[i] >= 0) || math.IsNaN(m) {
			return nil, fmt.Errorf("gaussian: candidate %d has mean %g and variance %g", i, m, variances[i])
		}
		probabilities[i] = scale * m / math.Sqrt(1+math.Pi/8*scale*scale*variances[i])
		largest = max(largest, probabilities[i])
	}
	sum := 0.0
	for i, logit := range probabilities {
		probabilities[i] = math.Exp(logit - largest)
		sum += probabilities[i]
	}
	for i := range probabilities {
		probabilities[i] /= sum
	}
	return probabilities, nil
}
