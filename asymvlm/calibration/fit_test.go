package calibration

import (
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/sphere"
)

// pairs draws concentrations, and cosines between −0.3 and 0.9.
func pairs(r *rand.Rand, n int) (kappas, cosines []float64) {
	for range n {
		kappas, cosines = append(kappas, 8*r.Float64()), append(cosines, 1.2*r.Float64()-0.3)
	}
	return kappas, cosines
}

// TestTheFitIsTheMaximumOfTheLikelihood compares the likelihood at the fit with that of a grid of
// scales, in the smallest dimensions and those of encoders.
func TestTheFitIsTheMaximumOfTheLikelihood(t *testing.T) {
	for _, dimension := range []int{2, 3, 16, 512, 4096} {
		kappas, cosines := pairs(rand.New(rand.NewPCG(1, uint64(dimension))), 40)
		fit, err := RefitConcentration(dimension, kappas, cosines)
		if err != nil {
			t.Fatal(err)
		}
		normalizer, err := sphere.NewVonMisesFisherNormalizer(dimension)
		if err != nil {
			t.Fatal(err)
		}
		likelihood := func(scale float64) (sum float64) {
			for i, kappa := range kappas {
				sum += (scale*kappa*cosines[i] + normalizer.LogNormalizerShifted(scale*kappa)) / float64(len(kappas))
			}
			return sum
		}
		best := likelihood(fit.Scale)
		for _, factor := range []float64{0, 0.5, 0.9, 0.99, 1.01, 1.1, 2, 10} {
			if other := likelihood(factor * fit.Scale); other > best {
				t.Errorf("d = %d: likelihood %.15g at %g times the fit, %.15g at it", dimension, other, factor, best)
			}
		}
		if gain := best - likelihood(1); math.Abs(fit.Gain-gain) > 1e-10*(1+math.Abs(gain)) || fit.Gain < 0 {
			t.Errorf("d = %d: gain %g, want %g", dimension, fit.Gain, gain)
		}
	}
}

// TestInThreeDimensionsTheFitIsElementary uses A₃(κ) = coth κ − 1/κ.
func TestInThreeDimensionsTheFitIsElementary(t *testing.T) {
	for _, kappa := range []float64{1e-3, 1, 30, 1e4} {
		length := 1/math.Tanh(kappa) - 1/kappa
		fit, err := RefitConcentration(3, []float64{2, 2}, []float64{length, length})
		// At 1e-3, coth κ − 1/κ has lost six digits.
		if err != nil || math.Abs(2*fit.Scale/kappa-1) > 1e-8 {
			t.Errorf("κ = %g: refitted %g (error %v)", kappa, 2*fit.Scale, err)
		}
	}
}

func TestTheFitFollowsTheScaleOfKappa(t *testing.T) {
	kappas, cosines := pairs(rand.New(rand.NewPCG(3, 4)), 60)
	fit, err := RefitConcentration(512, kappas, cosines)
	if err != nil {
		t.Fatal(err)
	}
	for _, factor := range []float64{1e-6, 0.1, 20, 1e6} {
		scaled := make([]float64, len(kappas))
		for i := range kappas {
			scaled[i] = factor * kappas[i]
		}
		other, err := RefitConcentration(512, scaled, cosines)
		if err != nil || math.Abs(other.Scale*factor/fit.Scale-1) > 1e-9 {
			t.Errorf("κ times %g: scale %g, want %g (error %v)", factor, other.Scale, fit.Scale/factor, err)
		}
	}
	// A second fit of refitted concentrations must yield the scale 1.
	again := make([]float64, len(kappas))
	for i := range kappas {
		again[i] = fit.Scale * kappas[i]
	}
	second, err := RefitConcentration(512, again, cosines)
	if err != nil || math.Abs(second.Scale-1) > 1e-12 || math.Abs(second.Gain) > 1e-12 {
		t.Errorf("a second fit gives %+v (error %v)", second, err)
	}
}

func TestLevelsOfACurveAreOfEqualSizeAndInOrder(t *testing.T) {
	// Nine pairs in four levels: two per level, and the most concentrated pair is dropped.
	kappas := []float64{9, 1, 1, 8, 2, 3, 7, 5, 4}
	cosines := []float64{0.99, 0.1, 0.3, 0.8, 0.2, 0.4, 0.7, 0.5, 0.6}
	curve, err := ConcentrationCurve(16, kappas, cosines, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]float64{{1, 0.2}, {2.5, 0.3}, {4.5, 0.55}, {7.5, 0.75}} {
		near(t, "κ", curve[i].Kappa, want[0])
		near(t, "mean cosine", curve[i].MeanCosine, want[1])
	}
	normalizer, _ := sphere.NewVonMisesFisherNormalizer(16)
	for i, level := range curve {
		if length := normalizer.MeanResultantLength(level.Effective); math.Abs(length-level.MeanCosine) > 1e-9 {
			t.Errorf("level %d: κ_eff %g has the length %g, want %g", i, level.Effective, length, level.MeanCosine)
		}
	}
	one, err := ConcentrationCurve(16, kappas, cosines, 1)
	if err != nil || len(one) != 1 {
		t.Fatalf("%d levels (error %v)", len(one), err)
	}
	near(t, "κ of all", one[0].Kappa, 40./9)
}

func TestLevelsBelowChanceHaveNoConcentration(t *testing.T) {
	curve, err := ConcentrationCurve(8, []float64{1, 2, 3, 4}, []float64{-0.5, -0.3, 0.9, 0.8}, 2)
	if err != nil || curve[0].Effective != 0 || !(curve[1].Effective > 1) {
		t.Errorf("%+v (error %v)", curve, err)
	}
	// Cosines of float32 unit vectors may exceed 1 by rounding; a level of them is a point mass.
	curve, err = ConcentrationCurve(8, []float64{1, 5}, []float64{0.2, 1 + 1e-6}, 2)
	if err != nil || !math.IsInf(curve[1].Effective, 1) {
		t.Errorf("%+v (error %v)", curve, err)
	}
}

func TestTheFitDoesNotDependOnTheListing(t *testing.T) {
	kappas, cosines := pairs(rand.New(rand.NewPCG(5, 6)), 30)
	fit, err := RefitConcentration(64, kappas, cosines)
	if err != nil {
		t.Fatal(err)
	}
	back, backCosines := make([]float64, 30), make([]float64, 30)
	for i := range kappas {
		back[i], backCosines[i] = kappas[29-i], cosines[29-i]
	}
	other, err := RefitConcentration(64, back, backCosines)
	if err != nil || math.Abs(other.Scale/fit.Scale-1) > 1e-12 {
		t.Errorf("scale %.17g, backwards %.17g (error %v)", fit.Scale, other.Scale, err)
	}
	again, _ := RefitConcentration(64, kappas, cosines)
	if *again != *fit {
		t.Errorf("%+v, and then %+v", fit, again)
	}
}
