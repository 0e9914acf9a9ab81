package special

import "math"

// Softplus returns log(1 + eˣ) for every x, without overflow and with a small relative error in
// both tails.
func Softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// LogSigmoid returns log(1/(1 + e⁻ˣ)) = −Softplus(−x).
func LogSigmoid(x float64) float64 { return -Softplus(-x) }

// Sigmoid returns 1/(1 + e⁻ˣ) with a small relative error in both tails.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// LogSumExp returns log Σ exp(values) without overflow. It returns −Inf for an empty slice.
func LogSumExp(values []float64) float64 {
	largest := math.Inf(-1)
	for _, value := range values {
		largest = max(largest, value)
	}
	if math.IsInf(largest, 0) || math.IsNaN(largest) {
		return largest
	}
	sum := 0.0
	for _, value := range values {
		sum += math.Exp(value - largest)
	}
	return largest + math.Log(sum)
}
