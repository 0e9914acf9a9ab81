package ood

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// normals draws n normal uncertainties with the given mean.
func normals(r *rand.Rand, n int, mean float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + r.NormFloat64()
	}
	return values
}

// upper returns the probability that a standard normal number is above x.
func upper(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// TestAreasAreThoseOfTheNormalCurves compares with closed forms for N(0, 1) against N(δ, 1): AUROC
// is Φ(δ/√2), FPR95 is the tail above the 5 % quantile of the shifted queries, and the precision at
// a threshold is known.
func TestAreasAreThoseOfTheNormalCurves(t *testing.T) {
	const n = 20000
	r := rand.New(rand.NewPCG(1, 2))
	for _, delta := range []float64{0, 0.5, 1.5, 3} {
		d, err := Detect(normals(r, n, 0), normals(r, n, delta))
		if err != nil {
			t.Fatal(err)
		}
		auroc := 1 - upper(delta/math.Sqrt2)
		// The standard error of the area is at most √(A(1−A)/n); five of them are exceeded for one
		// of 1.7 million seeds.
		if math.Abs(d.AUROC-auroc) > 5*math.Sqrt(auroc*(1-auroc)/n)+1e-12 {
			t.Errorf("δ = %g: AUROC %g, want %g", delta, d.AUROC, auroc)
		}
		// The quantile has the standard error √(0.05·0.95/n)/φ(z), about 0.015 here, and the rate a
		// derivative below 0.4.
		if want := upper(delta - 1.6448536269514722); math.Abs(d.FPR95-want) > 5*0.4*0.017 {
			t.Errorf("δ = %g: FPR95 %g, want %g", delta, d.FPR95, want)
		}
		// AUPR = ∫ precision dTPR over thresholds.
		area, width := 0.0, 1e-3
		for x := delta + 8; x > delta-8; x -= width {
			tpr, fpr := upper(x-delta), upper(x)
			area += tpr / (tpr + fpr) * math.Exp(-(x-delta)*(x-delta)/2) / math.Sqrt(2*math.Pi) * width
		}
		if math.Abs(d.AUPR-area) > 0.02 { // the standard error is near 0.003
			t.Errorf("δ = %g: AUPR %g, integral %g", delta, d.AUPR, area)
		}
	}
}

// TestOnlyTheOrderCounts permutes queries and applies an increasing function, which changes nothing
// but the thresholds.
func TestOnlyTheOrderCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		ordinary, strange := make([]float64, 1+r.IntN(40)), make([]float64, 1+r.IntN(40))
		for i := range ordinary {
			ordinary[i] = float64(r.IntN(9)) - 4
		}
		for i := range strange {
			strange[i] = float64(r.IntN(9)) - 2
		}
		want, err := Detect(ordinary, strange)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(ordinary)
		for name, change := range map[string]func(x []float64) []float64{
			"exp": func(x []float64) []float64 {
				y := slices.Clone(x)
				for i := range y {
					y[i] = math.Exp(y[i]) * 1e-300
				}
				return y
			},
			"other order": func(x []float64) []float64 {
				y := slices.Clone(x)
				r.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
				return y
			},
			"every query three times": func(x []float64) []float64 { return slices.Concat(x, x, x) },
		} {
			got, err := Detect(change(ordinary), change(strange))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.AUROC-want.AUROC) > 1e-14 || math.Abs(got.AUPR-want.AUPR) > 1e-14 || got.FPR95 != want.FPR95 {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
		if !slices.Equal(before, ordinary) {
			t.Error("the list was changed")
		}
	}
}

// TestCurveCountsAtEveryThreshold compares each point with counts.
func TestCurveCountsAtEveryThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ordinary, strange := make([]float64, 50), make([]float64, 30)
	for i := range ordinary {
		ordinary[i] = float64(r.IntN(12))
	}
	for i := range strange {
		strange[i] = float64(r.IntN(12)) + 3
	}
	strange[3], ordinary[5] = math.Inf(1), math.Inf(-1)
	points, err := Curve(ordinary, strange)
	if err != nil {
		t.Fatal(err)
	}
	atLeast := func(values []float64, threshold float64) (count float64) {
		for _, value := range values {
			if value >= threshold {
				count++
			}
		}
		return count
	}
	for i, p := range points {
		a, b := atLeast(ordinary, p.Threshold), atLeast(strange, p.Threshold)
		if p.FPR != a/50 || p.TPR != b/30 || p.Precision != b/(a+b) {
			t.Errorf("%+v: %g of 50 and %g of 30 are flagged", p, a, b)
		}
		if i > 0 && !(p.Threshold < points[i-1].Threshold && p.FPR >= points[i-1].FPR && p.TPR >= points[i-1].TPR) {
			t.Errorf("%+v after %+v", p, points[i-1])
		}
	}
	if last := points[len(points)-1]; last.TPR != 1 || last.FPR != 1 || !math.IsInf(last.Threshold, -1) {
		t.Errorf("the last point is %+v", last)
	}
}

// TestDetectorsOfOneQueryEach uses the shortest possible lists.
func TestDetectorsOfOneQueryEach(t *testing.T) {
	for _, c := range []struct{ ordinary, strange, auroc, aupr, fpr float64 }{
		{1, 2, 1, 1, 0}, {2, 1, 0, 0.5, 1}, {1, 1, 0.5, 0.5, 1}, {0, math.Copysign(0, -1), 0.5, 0.5, 1},
	} {
		d, err := Detect([]float64{c.ordinary}, []float64{c.strange})
		if err != nil || d.AUROC != c.auroc || d.AUPR != c.aupr || d.FPR95 != c.fpr {
			t.Errorf("%g against %g: %+v (error %v)", c.ordinary, c.strange, d, err)
		}
	}
}

func TestEdgesOfHistogramsAreTheOnesAskedFor(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{{0.1, 0.7}, {-3, 0.30000000000000004}, {1e-3, 1e300}, {-1e308, 0.7e308}, {-5e-324, 5e-324}} {
		for _, intervals := range []int{1, 3, 10, 49} {
			h, err := NewHistogram([]float64{c.low, c.high}, c.low, c.high, intervals)
			if err != nil {
				t.Fatal(err)
			}
			if h.Edges[0] != c.low || h.Edges[intervals] != c.high || !slices.IsSorted(h.Edges) || h.Beyond != 0 {
				t.Errorf("%g to %g in %d intervals: edges %g, %d beyond", c.low, c.high, intervals, h.Edges, h.Beyond)
			}
		}
	}
	h, err := NewHistogram([]float64{math.Inf(1), math.Inf(-1), 0.5}, 0, 1, 2)
	if err != nil || h.Beyond != 2 || h.Parts[1] != 1./3 {
		t.Errorf("%+v (error %v)", h, err)
	}
}

// FuzzNewHistogram adds single values to histograms: each must be in the interval whose edges
// contain it.
func FuzzNewHistogram(f *testing.F) {
	f.Add(0.3, 0.0, 1.0, uint8(10))
	f.Add(0.7, 0.1, 0.7, uint8(3))
	f.Add(1.0, 1.0, 1.0000000000000002, uint8(7))
	f.Fuzz(func(t *testing.T, value, low, high float64, intervals uint8) {
		h, err := NewHistogram([]float64{value}, low, high, int(intervals))
		if err != nil {
			return
		}
		n := int(intervals)
		if value < low || value > high {
			if h.Beyond != 1 {
				t.Fatalf("%g from %g to %g is not beyond", value, low, high)
			}
			return
		}
		place := slices.Index(h.Parts, 1)
		if place < 0 || !(h.Edges[place] <= value) || place < n-1 && !(value < h.Edges[place+1]) || place == n-1 && value > h.Edges[n] {
			t.Fatalf("%g is in interval %d of edges %g", value, place, h.Edges)
		}
	})
}
