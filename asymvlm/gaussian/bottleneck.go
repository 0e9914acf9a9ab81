package gaussian

import "math"

// bottleneckLimit is the loss above which the authors' programs drop the information bottleneck of
// a batch.
const bottleneckLimit = 1e4

// Bottleneck returns the variational information bottleneck of a batch and its gradients: the mean
// over all coordinates of KL(N(μ, σ²)‖N(0, 1)) in nats, with l = ln σ²:
//
//	exact     ½ (μ² + exp(l) − 1 − l)
//	official  ½ (μ² + exp(l/2) − 1 − l/2)
//
// The official form is ProLIP's, whose program halves l to correct an error; for l = ln σ² it is
// not a divergence of the Gaussian used elsewhere. PCME++ has the exact form. A loss above 1e4 is
// returned as 0 with a gradient of 0. Bottleneck returns the errors of Diagonal.Check.
func Bottleneck(form Form, d Diagonal) (loss float64, gradient Diagonal, err error) {
	if err := d.Check(); err != nil {
		return 0, Diagonal{}, err
	}
	half := 1.0
	if form == Official {
		half = 0.5
	}
	count := float64(len(d.Mean))
	gradient = zeros(len(d.Mean))
	for i, m := range d.Mean {
		l := half * d.LogVariance[i]
		loss += (m*m + expLess(l)) / (2 * count)
		gradient.Mean[i] = m / count
		gradient.LogVariance[i] = half * math.Expm1(l) / (2 * count)
	}
	if !(loss <= bottleneckLimit) {
		return 0, zeros(len(d.Mean)), nil
	}
	return loss, gradient, nil
}
