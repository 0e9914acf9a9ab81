package sphere

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Concentration returns the κ for which A_d(κ) equals the given mean resultant length r, 0 ≤ r < 1.
// It is the inverse of MeanResultantLength and the maximum likelihood estimate of κ. It returns 0
// at r = 0, +Inf at r = 1 and NaN for other r.
//
// The method is Newton's, started and kept between the bounds on κ that follow from the bounds on
// A_d (Ruiz-Antolín and Segura 2016). About four steps reach full accuracy. For r close to 1 the
// result is as ill-conditioned as (d−1)/(2(1−r)).
func (n *VonMisesFisherNormalizer) Concentration(resultant float64) float64 {
	if resultant == 0 || resultant == 1 || !(resultant > 0 && resultant < 1) {
		switch resultant {
		case 0:
			return 0
		case 1:
			return math.Inf(1)
		}
		return math.NaN()
	}
	// r = x/(a + √(b²+x²)) solved for x, with b = a for a lower bound of κ and b = a+1 for an upper
	// bound.
	a := float64(n.dimension-1) / 2
	spread := (1 - resultant) * (1 + resultant)
	low := 2 * resultant * a / spread
	high := resultant * (a + math.Sqrt(resultant*resultant*a*a+spread*(a+1)*(a+1))) / spread
	kappa := (low + high) / 2
	for range 60 { // bisection alone would need 53
		excess := n.MeanResultantLength(kappa) - resultant
		if excess > 0 {
			high = min(high, kappa)
		} else {
			low = max(low, kappa)
		}
		next := kappa - excess/n.MeanResultantSlope(kappa)
		if !(next >= low && next <= high) {
			next = (low + high) / 2
		}
		if math.Abs(next-kappa) <= 2e-16*kappa {
			return next
		}
		kappa = next
	}
	return kappa
}

// FitVonMisesFisher returns the maximum likelihood density of the points, which must be unit
// vectors of one dimension: μ is the direction of their mean, and κ solves A_d(κ) = |mean|. If the
// mean is 0, the uniform density is returned. The error names the first point that is not a unit
// vector, or says that the points do not determine a density: there are none, or all coincide, so
// that the likelihood is unbounded. The density draws from src, or from the global source if src is
// nil.
func FitVonMisesFisher(points [][]float64, src rand.Source) (*VonMisesFisher, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("sphere: no points to fit")
	}
	d := len(points[0])
	if err := checkDimension(d); err != nil {
		return nil, err
	}
	mean := make([]float64, d)
	for i, point := range points {
		if len(point) != d {
			return nil, fmt.Errorf("sphere: point %d has %d values, want %d", i, len(point), d)
		}
		if size := length(point); !(math.Abs(size-1) <= unitTolerance) {
			return nil, fmt.Errorf("sphere: point %d has length %g, want 1", i, size)
		}
		for j, value := range point {
			mean[j] += value / float64(len(points))
		}
	}
	mu, resultant, err := splitNatural(mean)
	if err != nil {
		return nil, err
	}
	// The mean of n coinciding rounded unit vectors has a norm within about 1e-16 of 1.
	if resultant > 1-1e-14 {
		return nil, fmt.Errorf("sphere: all %d points are in one place, so no concentration is the best", len(points))
	}
	normalizer, err := NewVonMisesFisherNormalizer(d)
	if err != nil {
		return nil, err
	}
	return NewVonMisesFisher(mu, normalizer.Concentration(resultant), src)
}
