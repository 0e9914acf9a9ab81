// Package sphere holds the two families of densities on the unit sphere that the AsymVLM paper uses for the
// ambiguity of a text, in the manner of gonum's distmv: von Mises–Fisher and power spherical. Both have a mean
// direction μ and a concentration κ ≥ 0; 1/κ is the paper's uncertainty of a text.
//
// Read normalizer.go first: the three normalizers as functions of κ alone (exact, the paper's closed form, power
// spherical) are what the likelihood adds to κ μ·x, and what training evaluates thousands of times per step. Then
// vonmisesfisher.go and powerspherical.go (one density with all its textbook quantities), divergence.go (two
// densities), sample.go (drawing from both), fit.go (maximum likelihood), cosinelaw.go (caps and quantiles) and
// combine.go (sampled divergences, products, the Gaussian). drawrows.go draws from many densities at once, on the device of the
// program.
//
//	mu := []float64{0, 0, 1}
//	v, err := sphere.NewVonMisesFisher(mu, 5, rand.NewPCG(1, 2))
//	fmt.Println(v.MeanResultantLength(), v.LogProb(mu))
//
// Notation: d is the dimension of the space around the sphere, ν = d/2 − 1, η = κμ the natural parameter,
// A_d(κ) = I_{d/2}(κ)/I_{d/2−1}(κ) the mean resultant length, c_d(κ) the factor that makes a density integrate to 1
// over the sphere's surface. Densities are with respect to that surface measure, so the uniform density is 1/area.
//
// Values are float64, but for rows that are drawn on a device. Logarithms of c_d are offered zero-based, that is minus their value at κ = 0: the constant is
// in the hundreds, what depends on κ often below 0.1, and their sum has lost three digits of it.
package sphere
