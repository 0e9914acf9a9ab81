package calibration

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/sphere"
)

// A ConcentrationFit is a learned concentration measured by the data it is meant to describe.
type ConcentrationFit struct {
	// Scale is the factor s for which densities of concentration sκ have the largest likelihood, by the exact
	// normalizer. 1 is a calibrated κ; it is 0 when matching images are on average not nearer than chance.
	Scale float64
	// Gain is the mean rise in log-likelihood, in nats per pair, from κ to sκ.
	Gain float64
}

// RefitConcentration fits κ_eff = sκ to pairs of a text and its image, given the texts' concentrations and the cosines
// of their mean directions with the images, in d dimensions. The log-likelihood
//
//	Σ sκ·c + log C_d(sκ)
//
// is concave in s. Its slope Σ κ (c − A_d(sκ)) is brought to 0 by bisection, at about 60 times the cost of one slope.
// Lists of different lengths, no pairs, concentrations that are not finite or below 0 or all 0, cosines beyond −1 to 1
// by more than the rounding of float32, cosines that are all 1, and dimensions below 2 are errors.
func RefitConcentration(dimension int, kappas, cosines []float64) (*ConcentrationFit, error) {
	normalizer, err := checkPairs(dimension, kappas, cosines)
	if err != nil {
		return nil, err
	}
	slope := func(scale float64) float64 {
		sum := 0.0
		for i, kappa := range kappas {
			sum += kappa * (cosines[i] - normalizer.MeanResultantLength(scale*kappa))
		}
		return sum
	}
	fit := &ConcentrationFit{}
	if slope(0) > 0 {
		low, high := 0.0, 1.0
		for slope(high) > 0 {
			if low, high = high, 2*high; high > 1e12 {
				return nil, fmt.Errorf("calibration: all cosines are 1, no concentration is large enough")
			}
		}
		for range 200 {
			middle := (low + high) / 2
			if middle == low || middle == high {
				break
			}
			if slope(middle) > 0 {
				low = middle
			} else {
				high = middle
			}
		}
		fit.Scale = low
	}
	for i, kappa := range kappas {
		gain := (fit.Scale-1)*kappa*cosines[i] + normalizer.ZeroBased(fit.Scale*kappa) - normalizer.ZeroBased(kappa)
		fit.Gain += gain / float64(len(kappas))
	}
	return fit, nil
}

// checkPairs reports lists that belong to no pairs.
func checkPairs(dimension int, kappas, cosines []float64) (*sphere.VonMisesFisherNormalizer, error) {
	if len(kappas) == 0 || len(kappas) != len(cosines) {
		return nil, fmt.Errorf("calibration: %d concentrations with %d cosines, want one of each and some", len(kappas), len(cosines))
	}
	largest := 0.0
	for i, kappa := range kappas {
		if !(kappa >= 0) || math.IsInf(kappa, 1) {
			return nil, fmt.Errorf("calibration: concentration %d is %g, want a finite number of at least 0", i, kappa)
		}
		// Float32 unit vectors give cosines a little beyond 1.
		if !(math.Abs(cosines[i]) <= 1+1e-5) {
			return nil, fmt.Errorf("calibration: cosine %d is %g, want −1 to 1", i, cosines[i])
		}
		largest = max(largest, kappa)
	}
	if largest == 0 {
		return nil, fmt.Errorf("calibration: all %d concentrations are 0", len(kappas))
	}
	return sphere.NewVonMisesFisherNormalizer(dimension)
}

// A ConcentrationLevel is one level of texts of similar concentration.
type ConcentrationLevel struct {
	Kappa      float64 // mean learned concentration
	MeanCosine float64 // of the texts with their images
	Effective  float64 // κ_eff, the concentration whose mean resultant length is MeanCosine; 0 when that is negative, +Inf at 1
	Predicted  float64 // the mean cosine that sκ of the whole set predicts, s from RefitConcentration
}

// ConcentrationCurve divides pairs into levels of equal size by rising concentration, the remainder of the most
// concentrated ones left out, and compares each with its data. With a calibrated order Effective rises from level to
// level, and with a calibrated shape it is a multiple of Kappa. The errors are those of RefitConcentration, and fewer pairs
// than levels.
func ConcentrationCurve(dimension int, kappas, cosines []float64, levels int) ([]ConcentrationLevel, error) {
	normalizer, err := checkPairs(dimension, kappas, cosines)
	if err != nil {
		return nil, err
	}
	if levels < 1 || len(kappas) < levels {
		return nil, fmt.Errorf("calibration: %d pairs in %d levels, want at least one in each", len(kappas), levels)
	}
	fit, err := RefitConcentration(dimension, kappas, cosines)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(kappas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case kappas[a] < kappas[b]:
			return -1
		case kappas[a] > kappas[b]:
			return 1
		}
		return 0
	})
	size := len(kappas) / levels
	curve := make([]ConcentrationLevel, levels)
	for i := range curve {
		level := &curve[i]
		for _, pair := range order[i*size : (i+1)*size] {
			level.Kappa += kappas[pair] / float64(size)
			level.MeanCosine += cosines[pair] / float64(size)
			level.Predicted += normalizer.MeanResultantLength(fit.Scale*kappas[pair]) / float64(size)
		}
		level.Effective = normalizer.Concentration(min(max(level.MeanCosine, 0), 1))
	}
	return curve, nil
}
