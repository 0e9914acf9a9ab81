package calibration

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/sphere"
)

// A ConcentrationFit compares learned concentrations with the data that they describe.
type ConcentrationFit struct {
	// Scale is the factor s for which densities with concentration sκ have the largest likelihood,
	// with the exact normalizer. It is 1 for a calibrated κ, and 0 if matching images are on
	// average not nearer than chance.
	Scale float64
	// Gain is the mean increase of the log-likelihood from κ to sκ, in nats per pair.
	Gain float64
}

// RefitConcentration fits κ_eff = sκ to pairs of a text and its image, given the texts'
// concentrations and the cosines between their mean directions and the images, in d dimensions. The
// log-likelihood
//
//	Σ sκ·c + log C_d(sκ)
//
// is concave in s. Bisection finds the zero of its derivative Σ κ (c − A_d(sκ)), at about 60 times
// the cost of one evaluation. Lists of different lengths, no pairs, concentrations that are not
// finite, negative or all 0, cosines outside −1 … 1 by more than the rounding of float32, cosines
// that are all 1, and dimensions below 2 are errors.
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
		gain := (fit.Scale-1)*kappa*cosines[i] + normalizer.LogNormalizerShifted(fit.Scale*kappa) - normalizer.LogNormalizerShifted(kappa)
		fit.Gain += gain / float64(len(kappas))
	}
	return fit, nil
}

// checkPairs returns the normalizer, or an error if the lists do not describe pairs.
func checkPairs(dimension int, kappas, cosines []float64) (*sphere.VonMisesFisherNormalizer, error) {
	if len(kappas) == 0 || len(kappas) != len(cosines) {
		return nil, fmt.Errorf("calibration: %d concentrations with %d cosines, want one of each and some", len(kappas), len(cosines))
	}
	largest := 0.0
	for i, kappa := range kappas {
		if !(kappa >= 0) || math.IsInf(kappa, 1) {
			return nil, fmt.Errorf("calibration: concentration %d is %g, want a finite number of at least 0", i, kappa)
		}
		// Cosines of float32 unit vectors may slightly exceed 1.
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

// A ConcentrationLevel holds a level of texts with similar concentrations.
type ConcentrationLevel struct {
	Kappa      float64 // mean learned concentration
	MeanCosine float64 // mean cosine between the texts and their images
	Effective  float64 // κ_eff, the concentration whose mean resultant length is MeanCosine; 0 if that is negative, +Inf at 1
	Predicted  float64 // mean cosine predicted by sκ, with s from RefitConcentration for all pairs
}

// ConcentrationCurve sorts pairs by increasing concentration, divides them into levels of equal
// size, and compares each level with its data. The remainder, the most concentrated pairs, is
// dropped. If the order is calibrated, Effective rises from level to level; if the shape is
// calibrated, it is a multiple of Kappa. It returns the errors of RefitConcentration, and an error
// if there are fewer pairs than levels.
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
