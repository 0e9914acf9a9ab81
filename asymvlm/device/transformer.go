package device

import "math"

// The functions in this file each process one row of a transformer network in the calling
// goroutine. They may be called concurrently for different rows. Results do not depend on the
// position of a row or on other rows.

// Softmax replaces a row of logits aᵢ by exp(scale·aᵢ)/Σⱼ exp(scale·aⱼ). The largest logit is
// subtracted first, so that no exponential overflows.
func Softmax(row []float32, scale float32) {
	if len(row) == 0 {
		return
	}
	most := processorUnit.largest(row, scale, float32(math.Inf(-1)))
	for i, a := range row {
		row[i] = scale*a - most
	}
	sum := processorUnit.exponentials(row, row)
	factor := float32(1 / sum)
	for i := range row {
		row[i] *= factor
	}
}

// LayerNorm sets dst to gain·(src − m)/√(v + epsilon) + bias, with the mean m and the variance v of
// the row (Ba, Kiros and Hinton 2016). Sums are in float64. dst may be src.
func LayerNorm(dst, src, gain, bias []float32, epsilon float64) {
	n := len(src)
	dst, gain, bias = dst[:n], gain[:n], bias[:n]
	var sums [4]float64
	i := 0
	for ; i+4 <= n; i += 4 {
		sums[0] += float64(src[i])
		sums[1] += float64(src[i+1])
		sums[2] += float64(src[i+2])
		sums[3] += float64(src[i+3])
	}
	for ; i < n; i++ {
		sums[0] += float64(src[i])
	}
	mean := float32((sums[0] + sums[1] + sums[2] + sums[3]) / float64(n))
	for i, value := range src {
		dst[i] = value - mean
	}
	variance := processorUnit.dot(dst, dst) / float64(n)
	factor := float32(1 / math.Sqrt(variance+epsilon))
	for i, value := range dst {
		dst[i] = value*factor*gain[i] + bias[i]
	}
}

// An Activation is the function between the two layers of a transformer's MLP.
type Activation int

const (
	// GELU is x·Φ(x), where Φ is the standard normal distribution function (Hendrycks and Gimpel
	// 2016), to 3e-7.
	GELU Activation = iota
	// QuickGELU is x·σ(1.702·x), as in the published CLIP networks.
	QuickGELU
	// TanhGELU is x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), as in SigLIP.
	TanhGELU
	// ReLU is max(x, 0).
	ReLU
)

// Apply replaces every value of a row by its activation.
func (a Activation) Apply(row []float32) {
	const slope = 2 * 0.7978845608028654 // (1 + tanh u)/2 = σ(2u)
	switch a {
	case GELU:
		processorUnit.gelu(row)
	case QuickGELU:
		processorUnit.sigmoidTimes(row, 1.702, 0)
	case TanhGELU:
		processorUnit.sigmoidTimes(row, slope, slope*0.044715)
	case ReLU:
		for i, x := range row {
			row[i] = max(x, 0)
		}
	}
}

func (v vectorUnit) gelu(row []float32) {
	n := v.whole(len(row))
	if n > 0 {
		geluAVX2(&row[0], n)
	}
	gelu(row[n:])
}

func (v vectorUnit) sigmoidTimes(row []float32, scale, cubic float32) {
	n := v.whole(len(row))
	if n > 0 {
		sigmoidTimesAVX2(&row[0], n, scale, cubic)
	}
	sigmoidTimes(row[n:], scale, cubic)
}

// gelu replaces each x of a row by x·Φ(x). The assembly computes Φ by Abramowitz and Stegun 1964,
// equation 7.1.26: the complementary error function of z ≥ 0 is (a₁t + … + a₅t⁵)·exp(−z²) with t =
// 1/(1 + pz), to 1.5e-7.
func gelu(row []float32) {
	for i, x := range row {
		row[i] = float32(float64(x) / 2 * math.Erfc(-float64(x)/math.Sqrt2))
	}
}

// sigmoidTimes replaces each x of a row by x·σ(scale·x + cubic·x³).
func sigmoidTimes(row []float32, scale, cubic float32) {
	for i, x := range row {
		row[i] = x / (1 + float32(math.Exp(-float64((scale+cubic*(x*x))*x))))
	}
}
