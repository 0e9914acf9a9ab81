package zeroshot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/special"
)

// A Reweighting holds the settings of ProLIP's Bayesian prompt re-weighting (its appendix A.8). The
// K prompts of a class are the components of a mixture of known Gaussians. The weights have a
// symmetric Dirichlet prior and are fitted to observations of the class by expectation
// maximization.
type Reweighting struct {
	Alpha         float64 // parameter of the Dirichlet prior, at least 1
	Floor         float64 // added to the prompts' variances while fitting
	Tolerance     float64 // fitting stops when the weights change by less
	MaxIterations int
}

// FewShot returns the settings of ProLIP's program for observations of labeled images (5 per class,
// 20 draws each).
func FewShot() Reweighting {
	return Reweighting{Alpha: 2, Floor: 0.02, Tolerance: 1e-12, MaxIterations: 1000}
}

// ZeroShot returns the settings of ProLIP's program for observations of the unlabeled images
// nearest to the class: 10 images with 10 draws each. The paper states 5 images, which does not
// match its 100 draws.
func ZeroShot() Reweighting {
	r := FewShot()
	r.Alpha = 5
	return r
}

// Weights is the result of a Reweighting.
type Weights struct {
	Prompts    []float64        // one weight per prompt; they sum to 1
	Class      gaussian.Moments // Σπm, not normalized again, and Σπ²s
	Iterations int
}

// Fit fits the weights of the prompts to the observations. With s the variances plus Floor, and J
// observations, it iterates
//
//	π_k = 1/mean(s_k without the floor), normalized to sum 1, initially
//	γ_jk = softmax over k of ln π_k + ln N(x_j; m_k, s_k)
//	π_k = max(0, (Σ_j γ_jk + α − 1)/(J + K(α−1))), normalized to sum 1
//
// The paper's algorithm 1 exchanges the ranges of k and j in its loops and sums; Fit follows the
// program. Settings outside their domains, prompts of norm 0 or with a variance of 0, different
// widths, values that are not finite, and observations too far from all prompts are errors. Fit
// takes J·K·D operations, and J·K per iteration.
func (r Reweighting) Fit(prompts []gaussian.Moments, observations [][]float64) (*Weights, error) {
	if err := r.check(prompts, observations); err != nil {
		return nil, err
	}
	densities := r.logDensities(prompts, observations)
	for j, density := range densities {
		if math.IsInf(slices.Max(density), -1) {
			return nil, fmt.Errorf("zeroshot: observation %d is so far from all %d prompts that none has a density there", j, len(prompts))
		}
	}
	weights := make([]float64, len(prompts))
	for k, p := range prompts {
		weights[k] = float64(len(p.Variance)) / sum(p.Variance)
	}
	normalize(weights)
	result := &Weights{}
	next, shares := make([]float64, len(prompts)), make([]float64, len(prompts))
	for result.Iterations < r.MaxIterations {
		result.Iterations++
		clear(next)
		for _, density := range densities {
			for k, weight := range weights {
				shares[k] = math.Log(weight) + density[k]
			}
			total := special.LogSumExp(shares)
			for k, share := range shares {
				next[k] += math.Exp(share - total)
			}
		}
		moved := 0.0
		denominator := float64(len(observations)) + float64(len(prompts))*(r.Alpha-1)
		for k := range next {
			next[k] = max((next[k]+r.Alpha-1)/denominator, 0)
		}
		normalize(next)
		for k := range next {
			moved += (next[k] - weights[k]) * (next[k] - weights[k])
		}
		weights, next = next, weights
		if math.Sqrt(moved) < r.Tolerance {
			break
		}
	}
	result.Prompts = weights
	result.Class = mixed(prompts, weights)
	return result, nil
}

// check returns an error if settings, prompts or observations cannot be fitted.
func (r Reweighting) check(prompts []gaussian.Moments, observations [][]float64) error {
	if !(r.Alpha >= 1) || !(r.Floor >= 0) || !(r.Tolerance >= 0) || math.IsInf(r.Alpha+r.Floor, 1) || r.MaxIterations < 1 {
		return fmt.Errorf("zeroshot: settings %+v, want finite Alpha ≥ 1 and Floor ≥ 0, Tolerance ≥ 0 and an iteration", r)
	}
	if len(prompts) == 0 || len(observations) == 0 {
		return fmt.Errorf("zeroshot: %d prompts and %d observations, want at least one of each", len(prompts), len(observations))
	}
	width := len(prompts[0].Mean)
	for k, p := range prompts {
		if err := p.Check(); err != nil {
			return fmt.Errorf("zeroshot: prompt %d: %w", k, err)
		}
		if len(p.Mean) != width || slices.Min(p.Variance) <= 0 {
			return fmt.Errorf("zeroshot: prompt %d has %d values, want %d, and smallest variance %g, want more than 0",
				k, len(p.Mean), width, slices.Min(p.Variance))
		}
	}
	for j, x := range observations {
		if len(x) != width {
			return fmt.Errorf("zeroshot: observation %d has %d values, want %d", j, len(x), width)
		}
		for i, value := range x {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return fmt.Errorf("zeroshot: observation %d, value %d is %g", j, i, value)
			}
		}
	}
	return nil
}

// logDensities returns ln N(x_j; m_k, s_k) for each observation and prompt, without the term in 2π,
// which is the same for all prompts.
func (r Reweighting) logDensities(prompts []gaussian.Moments, observations [][]float64) [][]float64 {
	densities := make([][]float64, len(observations))
	for j, x := range observations {
		densities[j] = make([]float64, len(prompts))
		for k, p := range prompts {
			value := 0.0
			for i, m := range p.Mean {
				s := p.Variance[i] + r.Floor
				value -= ((x[i]-m)*(x[i]-m)/s + math.Log(s)) / 2
			}
			densities[j][k] = value
		}
	}
	return densities
}

// sum returns the sum of the values.
func sum(values []float64) float64 {
	total := 0.0
	for _, value := range values {
		total += value
	}
	return total
}

// normalize divides the values by their sum.
func normalize(values []float64) {
	total := sum(values)
	for i := range values {
		values[i] /= total
	}
}

// mixed returns the moments of the class with weighted prompts.
func mixed(prompts []gaussian.Moments, weights []float64) gaussian.Moments {
	width := len(prompts[0].Mean)
	class := gaussian.Moments{Mean: make([]float64, width), Variance: make([]float64, width)}
	for k, p := range prompts {
		for i, m := range p.Mean {
			class.Mean[i] += weights[k] * m
			class.Variance[i] += weights[k] * weights[k] * p.Variance[i]
		}
	}
	return class
}

// MeanPrompt returns ProLIP's plain ensemble of the prompts of a class: the normalized mean of the
// means, and the mean of the variances (not the variance of the mean, which would be K times
// smaller). It returns the errors of Fit for prompts, and an error if the means cancel.
func MeanPrompt(prompts []gaussian.Moments) (gaussian.Moments, error) {
	if err := FewShot().check(prompts, [][]float64{make([]float64, widthOf(prompts))}); err != nil {
		return gaussian.Moments{}, err
	}
	equal := slices.Repeat([]float64{1 / float64(len(prompts))}, len(prompts))
	class := mixed(prompts, equal)
	length := 0.0
	for i := range class.Mean {
		length = math.Hypot(length, class.Mean[i])
		class.Variance[i] *= float64(len(prompts))
	}
	longest := 0.0
	for _, p := range prompts {
		for _, m := range p.Mean {
			longest = max(longest, math.Abs(m))
		}
	}
	if length <= 1e-12*longest { // the remaining direction is a rounding error
		return gaussian.Moments{}, fmt.Errorf("zeroshot: the means of %d prompts cancel", len(prompts))
	}
	for i := range class.Mean {
		class.Mean[i] /= length
	}
	return class, nil
}

// widthOf returns the width of the first prompt, or 0 if there is none.
func widthOf(prompts []gaussian.Moments) int {
	if len(prompts) == 0 {
		return 0
	}
	return len(prompts[0].Mean)
}

// Observe draws observations of a class from its images, each a Gaussian: draws observations per
// image, in their order. Variances must be at least 0; a negative variance produces NaN, which Fit
// rejects.
func Observe(images []gaussian.Moments, draws int, src rand.Source) [][]float64 {
	random := rand.New(src)
	var observations [][]float64
	for _, image := range images {
		for range draws {
			x := make([]float64, len(image.Mean))
			for i, m := range image.Mean {
				x[i] = m + math.Sqrt(image.Variance[i])*random.NormFloat64()
			}
			observations = append(observations, x)
		}
	}
	return observations
}

// Logits returns ProLIP's logits of unit image embeddings for classes, 100 x·m − 50 Σs, images ×
// classes. The means that Fit returns have a norm below 1, as in ProLIP's program, so that x·m is
// not a cosine. Different widths are errors that name the image and the class.
func Logits(images [][]float64, classes []gaussian.Moments) ([][]float64, error) {
	logits := make([][]float64, len(images))
	for n, x := range images {
		logits[n] = make([]float64, len(classes))
		for c, class := range classes {
			if len(x) != len(class.Mean) || len(class.Mean) != len(class.Variance) {
				return nil, fmt.Errorf("zeroshot: image %d has %d values, class %d %d means and %d variances",
					n, len(x), c, len(class.Mean), len(class.Variance))
			}
			product := 0.0
			for i, value := range x {
				product += value * class.Mean[i]
			}
			logits[n][c] = 100*product - 50*sum(class.Variance)
		}
	}
	return logits, nil
}

// KeepCertain returns the indices of the prompts whose Σs is at most the mean over the prompts plus
// coefficient times the standard deviation, another filter of ProLIP's program.
func KeepCertain(prompts []gaussian.Moments, coefficient float64) []int {
	mean, square := 0.0, 0.0
	for _, p := range prompts {
		mean += sum(p.Variance) / float64(len(prompts))
	}
	for _, p := range prompts {
		square += (sum(p.Variance) - mean) * (sum(p.Variance) - mean) / float64(len(prompts))
	}
	limit := mean + coefficient*math.Sqrt(square)
	var kept []int
	for k, p := range prompts {
		if sum(p.Variance) <= limit+1e-12*math.Abs(mean) { // the mean of equal numbers may round below them
			kept = append(kept, k)
		}
	}
	return kept
}

// MostCertain returns the indices of the count prompts with the smallest Σs, in increasing order.
func MostCertain(prompts []gaussian.Moments, count int) []int {
	order := make([]int, len(prompts))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := sum(prompts[a].Variance), sum(prompts[b].Variance); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return order[:min(max(count, 0), len(order))]
}
