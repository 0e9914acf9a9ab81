package gaussian

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// MonteCarlo estimates the probabilities that Probit approximates: the probabilities of several
// candidates as the mean over random draws of
//
//	softmax(scale·c),  c_j ~ N(mean_j, variance_j) independent,
//
// which is BayesVLM's other way to predict. The standard error of a probability p is at most
// √(p(1−p)/draws). Random numbers come from src, or from the global source if src is nil.
// MonteCarlo returns the errors of Probit, and an error for infinite variances or fewer than one
// draw.
func MonteCarlo(means, variances []float64, scale float64, draws int, src rand.Source) ([]float64, error) {
	if err := checkCandidates(means, variances, scale); err != nil {
		return nil, err
	}
	for i, v := range variances {
		if math.IsInf(v, 1) {
			return nil, fmt.Errorf("gaussian: candidate %d has variance %g, from which nothing can be drawn", i, v)
		}
	}
	if draws < 1 {
		return nil, fmt.Errorf("gaussian: %d draws, want at least 1", draws)
	}
	normal := normalFrom(src)
	probabilities, logits := make([]float64, len(means)), make([]float64, len(means))
	for range draws {
		for i, m := range means {
			logits[i] = scale * (m + math.Sqrt(variances[i])*normal())
		}
		softmax(logits)
		for i, p := range logits {
			probabilities[i] += p / float64(draws)
		}
	}
	return probabilities, nil
}

// DrawCosines fills dst with cosines between draws of two independent embeddings with normal
// coordinates. Their variance is the exact value that both variances of CosineMoments approximate.
// Random numbers come from src, or from the global source if src is nil. DrawCosines returns the
// errors of Cosine.
func DrawCosines(dst []float64, one, two Moments, src rand.Source) error {
	if _, err := Cosine(one, two); err != nil {
		return err
	}
	normal := normalFrom(src)
	for draw := range dst {
		product, square1, square2 := 0.0, 0.0, 0.0
		for i := range one.Mean {
			x := one.Mean[i] + math.Sqrt(one.Variance[i])*normal()
			y := two.Mean[i] + math.Sqrt(two.Variance[i])*normal()
			product += x * y
			square1 += x * x
			square2 += y * y
		}
		dst[draw] = product / math.Sqrt(square1) / math.Sqrt(square2)
	}
	return nil
}

// normalFrom returns a function that draws standard normal deviates from src.
func normalFrom(src rand.Source) func() float64 {
	if src == nil {
		return rand.NormFloat64
	}
	return rand.New(src).NormFloat64
}
