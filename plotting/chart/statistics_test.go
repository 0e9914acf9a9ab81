package chart

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLinesOfStraightDataAreStraight compares both fits with a line that has no noise.
func TestLinesOfStraightDataAreStraight(t *testing.T) {
	var x, y []float64
	for i := range 40 {
		x = append(x, float64(i*i)/100)
		y = append(y, 3-2*x[i])
	}
	for name, fit := range map[string]func() (curve, bool){
		"polynomial": func() (curve, bool) { return polynomial(x, y, 1) },
		"cubic":      func() (curve, bool) { return polynomial(x, y, 3) },
		"loess":      func() (curve, bool) { return loess(x, y, 0.5) },
	} {
		c, ok := fit()
		if !ok {
			t.Fatalf("%s: no fit", name)
		}
		for i := range c.x {
			if want := 3 - 2*c.x[i]; math.Abs(c.mean[i]-want) > 1e-9 || c.high[i]-c.low[i] > 1e-6 {
				t.Fatalf("%s at %g: %g in [%g, %g], want %g", name, c.x[i], c.mean[i], c.low[i], c.high[i], want)
			}
		}
	}
}

// TestIntervalsOfRegressionCoverTheTruth repeats a regression. Of 400 intervals with a coverage of
// 95 %, fewer than 360 or more than 396 cover the truth in less than one of 10,000 runs; the seed
// is fixed.
func TestIntervalsOfRegressionCoverTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	covered := map[string]int{}
	for range 400 {
		var x, y []float64
		for i := range 30 {
			x = append(x, float64(i))
			y = append(y, 1+0.5*x[i]+random.NormFloat64())
		}
		line, _ := polynomial(x, y, 1)
		smooth, _ := loess(x, y, 0.75)
		for name, c := range map[string]curve{"line": line, "smooth": smooth} {
			const k = 20
			if want := 1 + 0.5*c.x[k]; c.low[k] <= want && want <= c.high[k] {
				covered[name]++
			}
		}
	}
	for name, n := range covered {
		if n < 360 || n > 396 {
			t.Errorf("%s: %d of 400 intervals cover the truth", name, n)
		}
	}
}

func TestDensitiesHaveAreaOne(t *testing.T) {
	list := sorted([]float64{1, 2, 2.5, 7, 7, 9})
	for _, h := range []float64{0, 0.3, 2} {
		x, d := density(list, h, 400)
		area := 0.0
		for i := 1; i < len(x); i++ {
			area += (d[i] + d[i-1]) / 2 * (x[i] - x[i-1])
		}
		if math.Abs(area-1) > 2e-3 { // the tails beyond three bandwidths
			t.Errorf("bandwidth %g: area %g", h, area)
		}
	}
}

func TestContoursLieAtTheirLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	var x, y []float64
	for range 200 {
		x, y = append(x, random.NormFloat64()), append(y, random.NormFloat64())
	}
	g := density2(x, y, 40)
	at := func(px, py float64) float64 {
		row := make([]float64, len(g.y))
		for k := range g.y {
			row[k] = between(g.x, g.d[k], px)
		}
		return between(g.y, row, py)
	}
	segments := g.contour(20)
	if len(segments) < 20 {
		t.Fatalf("%d segments", len(segments))
	}
	for _, s := range segments {
		if d := at(s[0], s[1]); math.Abs(d-20) > 1e-6 {
			t.Fatalf("density %g at the end of a segment, want 20", d)
		}
	}
}

func TestQuantilesAreThoseOfPandas(t *testing.T) {
	list := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.75: 5, 1: 8} { // pandas 2.2: Series([1, 2, 4, 8]).quantile(p)
		if got := quantile(list, p); got != want {
			t.Errorf("quantile %g is %g, want %g", p, got, want)
		}
	}
}
