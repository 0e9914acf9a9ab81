package evidence

import (
	"fmt"
	"math"

	"gosphere/asymvlm/special"
)

// annealingEpochs is the number of epochs over which the weight of the divergence rises (the paper,
// after its equation 10).
const annealingEpochs = 15

// KLWeight returns the weight of the divergence in an epoch, min(1, epoch/15). The paper does not
// say whether epochs count from 0; here the first epoch is 1, so that the 15 epochs end at a weight
// of 1. Epochs below 1 have weight 0.
func KLWeight(epoch int) float64 {
	return min(1, max(0, float64(epoch)/annealingEpochs))
}

// CrossEntropy returns the expected cross-entropy E[−log p_y] = ψ(S) − ψ(α_y) in nats of an opinion
// whose correct candidate is y (the paper's equation 8). It panics if there is no candidate y.
func (o *Opinion) CrossEntropy(y int) float64 {
	o.check(y)
	// The difference is computed by DigammaDifference, because S is close to α_y for a confident
	// right answer.
	return special.DigammaDifference(o.evidence[y]+1, o.others(y)+float64(len(o.evidence)-1))
}

// CrossEntropyGradient writes the gradient of CrossEntropy with respect to the similarities to dst,
// which is allocated when nil, and returns it:
//
//	∂/∂ρ_j = exp(ρ_j) (ψ′(S) − [j=y] ψ′(α_y))
//
// It is 0 for clamped similarities. It panics if there is no candidate y.
func (o *Opinion) CrossEntropyGradient(dst []float64, y int) []float64 {
	o.check(y)
	slope := special.Trigamma(o.Strength())
	own := slope - special.Trigamma(o.evidence[y]+1)
	return o.gradient(dst, func(j int) float64 {
		if j == y {
			return own
		}
		return slope
	})
}

// KL returns the divergence KL[Dir(α̃)‖Dir(1)] in nats, which penalizes evidence for wrong
// candidates, where α̃ is α with α_y set to 1:
//
//	log Γ(S̃) − log Γ(M) − Σ log Γ(α̃_j) + Σ (α̃_j−1)(ψ(α̃_j) − ψ(S̃))
//
// In this printed form, terms of size S̃ log S̃ cancel: in float32 the result is off by tens of
// nats for 280 candidates and a similarity of 14. With h(x) = log Γ(x) − (x−1)ψ(x) + x it equals
// h(S̃) + (M−1)ψ(S̃) − Σ h(α̃_j) − log Γ(M), in which nothing grows faster than a logarithm. KL
// panics if there is no candidate y.
func (o *Opinion) KL(y int) float64 {
	o.check(y)
	count := float64(len(o.evidence))
	total := o.others(y) + count
	gamma, _ := math.Lgamma(count)
	sum := h(total) + (count-1)*special.Digamma(total) - gamma - h(1)
	for j, e := range o.evidence {
		if j != y {
			sum -= h(e + 1)
		}
	}
	return max(sum, 0) // rounding may make a divergence of 0 negative
}

// KLGradient writes the gradient of KL with respect to the similarities to dst, which is allocated
// when nil, and returns it. With q(x) = (x−1)ψ′(x) − 1,
//
//	∂/∂ρ_j = exp(ρ_j) [q(α_j) − q(S̃) + (M−1)ψ′(S̃)],   0 for j = y and for clamped similarities.
func (o *Opinion) KLGradient(dst []float64, y int) []float64 {
	o.check(y)
	count := float64(len(o.evidence))
	total := o.others(y) + count
	shared := (count-1)*special.Trigamma(total) - q(total)
	return o.gradient(dst, func(j int) float64 {
		if j == y {
			return 0
		}
		return q(o.evidence[j]+1) + shared
	})
}

// others returns the sum of the evidence for all candidates but y. Subtracting from the total would
// cancel.
func (o *Opinion) others(y int) float64 {
	sum := 0.0
	for j, e := range o.evidence {
		if j != y {
			sum += e
		}
	}
	return sum
}

// gradient writes exp(ρ_j) times a factor to dst.
func (o *Opinion) gradient(dst []float64, factor func(j int) float64) []float64 {
	dst = o.sized(dst)
	for j, e := range o.evidence {
		dst[j] = 0
		if !o.clamped[j] {
			dst[j] = e * factor(j)
		}
	}
	return dst
}

// check panics if there is no candidate y.
func (o *Opinion) check(y int) {
	if y < 0 || y >= len(o.evidence) {
		panic(fmt.Sprintf("evidence: candidate %d of %d", y, len(o.evidence)))
	}
}

// A BatchLoss is the evidential loss of a batch of pairs.
type BatchLoss struct {
	Loss                     float64
	Gradient                 []float64 // B×B, with respect to the similarities
	RowUncertainty           []float64 // uncertainty of each row as a query over the columns
	ColumnUncertainty        []float64 // uncertainty of each column as a query over the rows
	CrossEntropy, Divergence float64   // the two terms, means over the batch and both directions
}

// Loss returns the loss of B pairs from their similarities, B×B row by row with the pairs on the
// diagonal. Rows and columns both act as queries: each direction is the mean over its queries of
// CrossEntropy + klWeight·KL, and the loss is the mean of both directions (the paper's equations 6
// to 10). No similarities, a number of them that is not a square, NaN or +Inf among them, and a
// negative weight are errors.
func Loss(similarities []float64, klWeight float64) (*BatchLoss, error) {
	count := int(math.Sqrt(float64(len(similarities))))
	if count == 0 || count*count != len(similarities) {
		return nil, fmt.Errorf("evidence: %d similarities do not form a square of pairs", len(similarities))
	}
	if !(klWeight >= 0) || math.IsInf(klWeight, 1) {
		return nil, fmt.Errorf("evidence: weight of the divergence %g, want a finite number of at least 0", klWeight)
	}
	result := &BatchLoss{Gradient: make([]float64, len(similarities))}
	scale := 1 / float64(2*count)
	query, gradient := make([]float64, count), make([]float64, count)
	for _, byRow := range []bool{true, false} {
		for i := range count {
			at := func(j int) int { return i*count + j }
			if !byRow {
				at = func(j int) int { return j*count + i }
			}
			for j := range query {
				query[j] = similarities[at(j)]
			}
			opinion, err := NewOpinion(query)
			if err != nil {
				return nil, fmt.Errorf("%w (query %d)", err, i)
			}
			result.CrossEntropy += scale * opinion.CrossEntropy(i)
			result.Divergence += scale * opinion.KL(i)
			for j, g := range opinion.CrossEntropyGradient(gradient, i) {
				result.Gradient[at(j)] += scale * g
			}
			for j, g := range opinion.KLGradient(gradient, i) {
				result.Gradient[at(j)] += scale * klWeight * g
			}
			if byRow {
				result.RowUncertainty = append(result.RowUncertainty, opinion.Uncertainty())
			} else {
				result.ColumnUncertainty = append(result.ColumnUncertainty, opinion.Uncertainty())
			}
		}
	}
	result.Loss = result.CrossEntropy + klWeight*result.Divergence
	return result, nil
}
