package gaussian

import (
	"math"

	"gosphere/asymvlm/special"
)

// inclusionLimit is the loss above which ProLIP's program drops the inclusion loss of a batch.
const inclusionLimit = 1e5

// An Inclusion measures how far one Gaussian lies inside another, as in ProLIP: the logarithm of
// the integral of p₁²p₂, which is large if the first is narrow and the second has mass there.
//
// The official form doubles the log variances, because paper (equation 3) and program use σ² where
// the derivation has σ. Eps multiplies all inverse variances by exp(Eps) inside the exponent: the
// program ran with −20, −10 is recommended, and 0 is the integral itself.
type Inclusion struct {
	Form Form
	Eps  float64
}

// Log returns inc(one, two) summed over the coordinates, up to a constant: with u = σ₁², v = σ₂², D
// = μ₁−μ₂,
//
//	−ln u − ½ ln v − ½ ln(1/u + 1/(2v)) − Eps/2 − e^Eps D²/(u+2v)
//
// for the exact form. At Eps = 0 it is the log integral plus ln 2π + ½ ln 2 per coordinate. Log
// panics if the dimensions differ.
func (n Inclusion) Log(one, two Diagonal) float64 {
	mustPair(one, two)
	sum := 0.0
	for i, m := range one.Mean {
		sum += n.log(m-two.Mean[i], one.LogVariance[i], two.LogVariance[i])
	}
	return sum
}

// log returns one coordinate of Log.
func (n Inclusion) log(apart, l1, l2 float64) float64 {
	across := logAdd(l1, l2+math.Ln2) // log(u + 2v), without overflow of u or v
	value := (math.Ln2-l1-across-n.Eps)/2 - squared(apart, n.Eps-across)
	if n.Form == Official {
		value -= l1 + l2/2
	}
	return value
}

// logAdd returns log(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// Compare returns H(one in two) = inc(one, two) − inc(two, one), summed over the coordinates. It
// panics if the dimensions differ.
//
// H is meant to indicate whether one lies within two. In every coordinate, however, its term has
// the sign of σ₂² − σ₁² for any means, and moving the means apart makes it larger. So in one
// coordinate the sign of H orders the variances and nothing else: two Gaussians without any overlap
// pass as included. In several coordinates the distances weight the terms, so the sign of their sum
// can depend on the means. The paper's remark that H is negative in both directions for two
// Gaussians without overlap is impossible, because H(1 in 2) = −H(2 in 1). Log does depend on the
// means.
func (n Inclusion) Compare(one, two Diagonal) float64 {
	mustPair(one, two)
	sum := 0.0
	for i, m := range one.Mean {
		sum += n.compare(m-two.Mean[i], one.LogVariance[i], two.LogVariance[i]).h
	}
	return sum
}

// A slope holds one coordinate of H and its derivatives. The derivative with respect to μ₂ is the
// negative of the one with respect to μ₁.
type slope struct{ h, dMu1, dL1, dL2 float64 }

// compare returns one coordinate of H and its derivatives. With D = μ₁−μ₂ and e = exp(Eps),
//
//	H = ½ ln(v/u) − ½ ln((2v+u)/(2u+v)) + e D² (v−u)/((u+2v)(v+2u))
//	∂H/∂μ₁ = 2 e D (v−u)/((u+2v)(v+2u))
//	∂H/∂ln u = −½ + u [1/(v+2u) − 1/(2(u+2v))] + e D² u [1/(u+2v)² − 2/(v+2u)²]
//
// The official form has ln(v/u) instead of its half, and −1 instead of −½. For v ≤ u everything is
// computed from v/u and D²/u, so that nothing overflows. For v > u both Gaussians are exchanged,
// which changes the sign of H.
func (n Inclusion) compare(apart, l1, l2 float64) slope {
	if l2 > l1 {
		s := n.compare(-apart, l2, l1)
		return slope{h: -s.h, dMu1: s.dMu1, dL1: -s.dL2, dL2: -s.dL1}
	}
	r := l2 - l1
	ratio := math.Exp(r)
	a, b := 1/(ratio+2), 1/(1+2*ratio)
	// Equal means or equal variances contribute no gradient, even if a variance is so small that
	// its inverse is infinite.
	square, pull, dMu1 := squared(apart, n.Eps-l1), 0.0, 0.0
	if square != 0 && r != 0 {
		pull = square * math.Expm1(r) * a * b
		dMu1 = 2 * pull / apart
	}
	weight := 0.5
	if n.Form == Official {
		weight = 1
	}
	s := slope{
		h:    weight*r - math.Log1p(math.Expm1(r)*a)/2 + pull,
		dMu1: dMu1,
		dL1:  -weight + a - b/2 + square*(b*b-2*a*a),
	}
	// Except for the last term, H depends on ln u and ln v through their difference. The last term
	// is D² divided by a variance, so if both rise together it falls by its own size.
	s.dL2 = -s.dL1 - pull
	return s
}

// A PairLoss is a loss of two Gaussians, or of two batches of Gaussians, with its gradients.
type PairLoss struct {
	Loss     float64
	One, Two Diagonal // gradients with respect to the means and log variances
}

// Loss returns the inclusion loss −ln sigmoid(scale·H) as a mean over all coordinates. It is small
// if one is narrower than two in every coordinate. As in ProLIP's program the sigmoid is applied to
// each coordinate, not to the sum, and a loss above 1e5 is returned as 0 with a gradient of 0. The
// paper's scale is 1000; 10 is recommended. Different dimensions, no coordinates and values that
// are not finite are errors.
func (n Inclusion) Loss(one, two Diagonal, scale float64) (*PairLoss, error) {
	if err := checkPair(one, two); err != nil {
		return nil, err
	}
	result := &PairLoss{One: zeros(len(one.Mean)), Two: zeros(len(one.Mean))}
	count := float64(len(one.Mean))
	for i, m := range one.Mean {
		s := n.compare(m-two.Mean[i], one.LogVariance[i], two.LogVariance[i])
		result.Loss -= special.LogSigmoid(scale*s.h) / count
		weight := -scale * special.Sigmoid(-scale*s.h) / count
		if weight == 0 {
			continue // even if a slope is infinite
		}
		result.One.Mean[i], result.Two.Mean[i] = weight*s.dMu1, -weight*s.dMu1
		result.One.LogVariance[i], result.Two.LogVariance[i] = weight*s.dL1, weight*s.dL2
	}
	if math.Abs(result.Loss) > inclusionLimit || math.IsNaN(result.Loss) {
		return &PairLoss{One: zeros(len(one.Mean)), Two: zeros(len(one.Mean))}, nil
	}
	return result, nil
}

// zeros returns a gradient of zeros for the given number of coordinates.
func zeros(width int) Diagonal {
	return Diagonal{Mean: make([]float64, width), LogVariance: make([]float64, width)}
}
