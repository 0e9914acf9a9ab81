// Package sphere implements the two families of densities on the unit sphere with which the AsymVLM
// paper models the ambiguity of a text, von Mises–Fisher and power spherical, in the style of
// gonum's distmv. Both have a mean direction μ and a concentration κ ≥ 0; 1/κ is the paper's
// uncertainty of a text.
//
// Read normalizer.go first. It holds the three normalizers as functions of κ alone (exact, the
// paper's closed form, power spherical), which the likelihood adds to κ μ·x and which training
// evaluates thousands of times per step. The other files are vonmisesfisher.go and
// powerspherical.go (one density with its textbook quantities), divergence.go (two densities),
// sample.go (random vectors), fit.go (maximum likelihood), cosinelaw.go (caps and quantiles),
// combine.go (sampled divergences, products, the Gaussian) and drawrows.go (vectors of many
// densities at once, on the program's device).
//
//	mu := []float64{0, 0, 1}
//	v, err := sphere.NewVonMisesFisher(mu, 5, rand.NewPCG(1, 2))
//	fmt.Println(v.MeanResultantLength(), v.LogProb(mu))
//
// Notation: d is the dimension of the space that contains the sphere, ν = d/2 − 1, η = κμ is the
// natural parameter, A_d(κ) = I_{d/2}(κ)/I_{d/2−1}(κ) is the mean resultant length, and c_d(κ) is
// the factor that makes a density integrate to 1 over the sphere's surface. Densities are relative
// to the surface measure, so the uniform density is 1/area.
//
// Values are float64, except for rows drawn on a device. Logarithms of c_d are also available minus
// their value at κ = 0 (LogNormalizerShifted). The constant is in the hundreds, while the part that
// depends on κ is often below 0.1, so their sum has three digits less.
package sphere
