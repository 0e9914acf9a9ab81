package sphere

// LogNormalizers returns the exact von Mises–Fisher log c_d(κ) for each κ. A dimension below 2 is
// an error. See VonMisesFisherNormalizer.
func LogNormalizers(dimension int, kappas []float64) ([]float64, error) {
	n, err := NewVonMisesFisherNormalizer(dimension)
	if err != nil {
		return nil, err
	}
	return Each(nil, n.LogNormalizer, kappas), nil
}

// PaperLogNormalizers returns the paper's F_d(κ) − F_d(0) for each κ. A dimension below 2 is an
// error. See PaperNormalizer.
func PaperLogNormalizers(dimension int, kappas []float64) ([]float64, error) {
	n, err := NewPaperNormalizer(dimension)
	if err != nil {
		return nil, err
	}
	return Each(nil, n.LogNormalizerShifted, kappas), nil
}

// PowerSphericalLogNormalizers returns the power spherical log c(κ) for each κ. A dimension below 2
// is an error. See PowerSphericalNormalizer.
func PowerSphericalLogNormalizers(dimension int, kappas []float64) ([]float64, error) {
	n, err := NewPowerSphericalNormalizer(dimension)
	if err != nil {
		return nil, err
	}
	return Each(nil, n.LogNormalizer, kappas), nil
}

// MeanResultantLengths returns the von Mises–Fisher A_d(κ) for each κ. A dimension below 2 is an
// error.
func MeanResultantLengths(dimension int, kappas []float64) ([]float64, error) {
	n, err := NewVonMisesFisherNormalizer(dimension)
	if err != nil {
		return nil, err
	}
	return Each(nil, n.MeanResultantLength, kappas), nil
}

// Each writes f(κ) for each κ to dst, which is allocated when nil, and returns it. It applies any
// method of a normalizer to a vector:
//
//	n, err := sphere.NewVonMisesFisherNormalizer(512)
//	entropies := sphere.Each(nil, n.Entropy, kappas)
//
// It panics if the lengths of dst and kappas differ. The two may be the same slice.
func Each(dst []float64, f func(kappa float64) float64, kappas []float64) []float64 {
	dst = sized(dst, len(kappas))
	for i, kappa := range kappas {
		dst[i] = f(kappa)
	}
	return dst
}
