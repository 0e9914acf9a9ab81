package evidence

import (
	"fmt"
	"math"
)

// MaxSimilarity is the value to which larger similarities are clamped, exp(20) = 4.9e8. Above it
// the sums of a gallery lose the small terms. Clamped similarities have no gradient. The paper has
// no such limit, and its scale of 100 would overflow.
const MaxSimilarity = 20

// An Opinion is the Dirichlet density given by the similarities of one query with M candidates.
type Opinion struct {
	evidence []float64 // exp(ρ); exp(ρ) + 1 loses the digits of a small exp(ρ)
	clamped  []bool    // whether ρ was above MaxSimilarity
	sum      float64   // Σ exp(ρ)
}

// NewOpinion returns the opinion of similarities that are already multiplied by their scale ι:
// evidence exp(ρ) and parameters α = exp(ρ) + 1 (the paper's equation 6). A similarity of −Inf is
// no evidence. With a single candidate, as in a last batch of one pair, both terms of the loss are
// 0. An empty list, NaN and +Inf are errors.
func NewOpinion(similarities []float64) (*Opinion, error) {
	if len(similarities) == 0 {
		return nil, fmt.Errorf("evidence: 0 candidates, want at least one")
	}
	o := &Opinion{evidence: make([]float64, len(similarities)), clamped: make([]bool, len(similarities))}
	for j, rho := range similarities {
		if math.IsNaN(rho) || math.IsInf(rho, 1) {
			return nil, fmt.Errorf("evidence: similarity with candidate %d is %g", j, rho)
		}
		o.clamped[j] = rho > MaxSimilarity
		o.evidence[j] = math.Exp(min(rho, MaxSimilarity))
		o.sum += o.evidence[j]
	}
	return o, nil
}

// Candidates returns M.
func (o *Opinion) Candidates() int { return len(o.evidence) }

// Strength returns S = Σ α, at least M.
func (o *Opinion) Strength() float64 { return o.sum + float64(len(o.evidence)) }

// Uncertainty returns u = M/S (the paper's equation 4), between 0 and 1. Uncertainty and beliefs
// sum to 1.
func (o *Opinion) Uncertainty() float64 { return float64(len(o.evidence)) / o.Strength() }

// Parameters writes α = exp(ρ) + 1 to dst, which is allocated when nil, and returns it.
func (o *Opinion) Parameters(dst []float64) []float64 {
	return o.fill(dst, func(e float64) float64 { return e + 1 })
}

// Beliefs writes the belief masses (α−1)/S (equation 5) to dst, which is allocated when nil, and
// returns it.
func (o *Opinion) Beliefs(dst []float64) []float64 {
	strength := o.Strength()
	return o.fill(dst, func(e float64) float64 { return e / strength })
}

// Expected writes the expected probabilities α/S (equation 7) to dst, which is allocated when nil,
// and returns it.
func (o *Opinion) Expected(dst []float64) []float64 {
	strength := o.Strength()
	return o.fill(dst, func(e float64) float64 { return (e + 1) / strength })
}

// fill writes f(exp(ρ)) for each candidate to dst.
func (o *Opinion) fill(dst []float64, f func(evidence float64) float64) []float64 {
	dst = o.sized(dst)
	for j, e := range o.evidence {
		dst[j] = f(e)
	}
	return dst
}

// sized returns dst, or a new slice if dst is nil. It panics if the length of dst is not the number
// of candidates.
func (o *Opinion) sized(dst []float64) []float64 {
	if dst == nil {
		return make([]float64, len(o.evidence))
	}
	if len(dst) != len(o.evidence) {
		panic(fmt.Sprintf("evidence: destination has %d values, want %d", len(dst), len(o.evidence)))
	}
	return dst
}
