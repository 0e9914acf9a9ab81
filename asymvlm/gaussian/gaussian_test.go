package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// integrate returns the integral of f over an interval by Simpson's rule.
func integrate(f func(x float64) float64, from, to float64) float64 {
	const steps = 40000
	width := (to - from) / steps
	sum := f(from) + f(to)
	for i := 1; i < steps; i++ {
		sum += f(from+float64(i)*width) * float64(2+2*(i%2))
	}
	return sum * width / 3
}

// single returns a Gaussian in one dimension.
func single(mean, variance float64) Diagonal {
	return Diagonal{[]float64{mean}, []float64{math.Log(variance)}}
}

// density returns the density of a one-dimensional Gaussian at x.
func density(mean, variance, x float64) float64 {
	return math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
}

func TestExactInclusionIsTheIntegralAndThePrintedIsNot(t *testing.T) {
	for _, c := range []struct{ m1, v1, m2, v2 float64 }{{0, 1, 0, 4}, {0.5, 0.3, -0.2, 0.7}, {1, 2, 3, 0.1}} {
		want := math.Log(integrate(func(x float64) float64 {
			p := density(c.m1, c.v1, x)
			return p * p * density(c.m2, c.v2, x)
		}, -15, 15))
		one, two := single(c.m1, c.v1), single(c.m2, c.v2)
		constant := -math.Log(2*math.Pi) - math.Ln2/2
		if got := (Inclusion{}).Log(one, two) + constant; math.Abs(got-want) > 1e-10 {
			t.Errorf("%+v: exact %.12g, integral %.12g", c, got, want)
		}
		// No constant corrects the printed form: its error depends on the variances.
		wrong := Inclusion{Form: Official}.Log(one, two) - Inclusion{}.Log(one, two)
		if expected := -math.Log(c.v1) - math.Log(c.v2)/2; math.Abs(wrong-expected) > 1e-12 {
			t.Errorf("%+v: the printed form is off by %g, want %g", c, wrong, expected)
		}
	}
}

func TestCompareOrdersVariancesWhateverTheMeans(t *testing.T) {
	// Values of the exact H for σ₁² = 1, σ₂² = 4, to two digits from an independent computation.
	for apart, want := range map[float64]float64{0: 0.49, 1: 0.55, 10: 6.05} {
		one, two := single(0, 1), single(apart, 4)
		h := Inclusion{}.Compare(one, two)
		if math.Abs(h-want) > 0.006 {
			t.Errorf("distance %g: H = %g, want %g", apart, h, want)
		}
		if back := (Inclusion{}).Compare(two, one); back != -h {
			t.Errorf("distance %g: H back is %g, want %g", apart, back, -h)
		}
	}
	for _, l := range []float64{-700, 0, 700} {
		for _, apart := range []float64{0, 1} {
			h := Inclusion{Eps: -10}.Compare(Diagonal{[]float64{0}, []float64{l}}, Diagonal{[]float64{apart}, []float64{0}})
			if math.IsNaN(h) || l != 0 && (h < 0) != (l > 0) {
				t.Errorf("ln σ₁² = %g, distance %g: H = %g", l, apart, h)
			}
		}
	}
}

func TestCompareIsADifferenceOfLogs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := Inclusion{Form: Form(r.IntN(2)), Eps: -r.Float64() * 10}
		one := Diagonal{[]float64{r.NormFloat64(), r.NormFloat64()}, []float64{r.NormFloat64(), r.NormFloat64()}}
		two := Diagonal{[]float64{r.NormFloat64(), r.NormFloat64()}, []float64{r.NormFloat64(), r.NormFloat64()}}
		want := n.Log(one, two) - n.Log(two, one)
		if got := n.Compare(one, two); math.Abs(got-want) > 1e-11*max(1, math.Abs(want)) {
			t.Errorf("%+v: %g, want %g", n, got, want)
		}
	}
}

// TestLossGradientsAreThoseOfDifferences compares the gradients of the three losses with
// differences, at points away from their clamps.
func TestLossGradientsAreThoseOfDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, 7*4) // two Gaussians of 7 coordinates, means and log variances
	for i := range values {
		values[i] = r.NormFloat64()
	}
	const step = 1e-6
	check := func(name string, of func() float64, gradient []float64) {
		for i, got := range gradient {
			old := values[i]
			values[i] = old + step
			up := of()
			values[i] = old - step
			down := of()
			values[i] = old
			if want := (up - down) / (2 * step); math.Abs(got-want) > 1e-8 {
				t.Errorf("%s: value %d: %g, want %g", name, i, got, want)
			}
		}
	}
	one := Diagonal{values[:7], values[7:14]}
	two := Diagonal{values[14:21], values[21:]}
	for _, form := range []Form{Exact, Official} {
		n := Inclusion{Form: form, Eps: -1}
		of := func() *PairLoss {
			loss, err := n.Loss(one, two, 3)
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		l := of()
		all := append(append(append(append([]float64(nil), l.One.Mean...), l.One.LogVariance...), l.Two.Mean...), l.Two.LogVariance...)
		check(form.String()+" inclusion", func() float64 { return of().Loss }, all)

		_, gradient, _ := Bottleneck(form, one)
		check(form.String()+" bottleneck", func() float64 { loss, _, _ := Bottleneck(form, one); return loss },
			append(append([]float64(nil), gradient.Mean...), gradient.LogVariance...))

		g := Generalized{values[:7], values[7:14], values[14:21]}
		target := []float64{0.1, -0.3, 2, 1, -1, 0.7, -0.2}
		loss, _ := g.Loss(form, target)
		d := loss.Gradient
		check(form.String()+" generalized", func() float64 { loss, _ := g.Loss(form, target); return loss.Loss },
			append(append(append([]float64(nil), d.Mean...), d.RawInverseScale...), d.RawShape...))
	}
}

func TestExactGeneralizedIsADensityAndTheOfficialIsNot(t *testing.T) {
	area := func(form Form, rawQ, rawBeta float64) float64 {
		return integrate(func(x float64) float64 {
			loss, err := Generalized{[]float64{0}, []float64{rawQ}, []float64{rawBeta}}.Loss(form, []float64{x})
			if err != nil {
				t.Fatal(err)
			}
			return math.Exp(-loss.NLL[0]) / 2
		}, -40, 40)
	}
	for _, c := range [][2]float64{{0.5, 1.5}, {1, 3}, {0, 0.8}} {
		if got := area(Exact, c[0], c[1]); math.Abs(got-1) > 1e-5 { // the peak at 0 is not smooth
			t.Errorf("%v: the exact form integrates to %g", c, got)
		}
		if got := area(Official, c[0], c[1]); math.Abs(got-1) < 0.02 {
			t.Errorf("%v: the official form integrates to %g", c, got)
		}
	}
}

func TestBottleneckIsTheDivergenceFromTheStandardNormal(t *testing.T) {
	d := Diagonal{[]float64{0.3, -1, 2}, []float64{0.2, -3, 1}}
	standard := Diagonal{make([]float64, 3), make([]float64, 3)}
	loss, _, err := Bottleneck(Exact, d)
	if want := KL(d, standard) / 3; err != nil || math.Abs(loss-want) > 1e-15 {
		t.Errorf("%g, want %g (error %v)", loss, want, err)
	}
	if KL(d, d) != 0 {
		t.Errorf("KL of a Gaussian from itself is %g", KL(d, d))
	}
}

func TestCSDIsTheMeanSquaredDistanceOfDraws(t *testing.T) {
	one := Diagonal{[]float64{0.6, 0.8}, []float64{-1, -2}}
	two := Diagonal{[]float64{1, 0}, []float64{-1.5, -0.5}}
	r := rand.New(rand.NewPCG(5, 6))
	const draws = 100000
	sum, squares := 0.0, 0.0
	for range draws {
		distance := 0.0
		for i := range one.Mean {
			x := one.Mean[i] + math.Exp(one.LogVariance[i]/2)*r.NormFloat64()
			y := two.Mean[i] + math.Exp(two.LogVariance[i]/2)*r.NormFloat64()
			distance += (x - y) * (x - y)
		}
		sum += distance
		squares += distance * distance
	}
	mean := sum / draws
	deviation := math.Sqrt((squares/draws - mean*mean) / draws)
	if want := CSD(one, two); math.Abs(mean-want) > 4.5*deviation { // fails for one of 150,000 seeds
		t.Errorf("mean %g ± %g, CSD %g", mean, deviation, want)
	}
	if got, want := Similarity(one, two), 1-CSD(one, two)/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("similarity of unit means %g, want %g", got, want)
	}
}

func TestDeltaVarianceIsThatOfDrawsWhereNoiseIsSmall(t *testing.T) {
	one := Moments{[]float64{1, 0.2, -0.3}, []float64{1e-3, 2e-3, 1e-3}}
	two := Moments{[]float64{0.8, 0.5, 0.1}, []float64{2e-3, 1e-3, 3e-3}}
	r := rand.New(rand.NewPCG(7, 8))
	draw := func(m Moments) []float64 {
		x := make([]float64, len(m.Mean))
		for i := range x {
			x[i] = m.Mean[i] + math.Sqrt(m.Variance[i])*r.NormFloat64()
		}
		return x
	}
	const draws = 100000
	sum, squares := 0.0, 0.0
	for range draws {
		x, y := draw(one), draw(two)
		product := 0.0
		for i := range x {
			product += x[i] * y[i]
		}
		c := product / math.Sqrt(square(x)*square(y))
		sum += c
		squares += c * c
	}
	mean := sum / draws
	variance := squares/draws - mean*mean
	c, err := Cosine(one, two)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.DeltaVariance/variance-1) > 0.05 {
		t.Errorf("delta variance %g, drawn %g", c.DeltaVariance, variance)
	}
	if c.Variance < 1.5*variance {
		t.Errorf("the released variance %g is not the overestimate of %g that the text describes", c.Variance, variance)
	}
	if math.Abs(c.Mean-mean) > 0.01 {
		t.Errorf("mean %g, drawn %g", c.Mean, mean)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	good, short := single(0, 1), Diagonal{[]float64{1, 2}, []float64{1, 2}}
	cases := []struct {
		err  error
		want string
	}{
		{second(Inclusion{}.Loss(good, short, 1)), "1 coordinates against 2"},
		{second(Inclusion{}.Loss(single(math.NaN(), 1), good, 1)), "mean 0 is NaN"},
		{second(Inclusion{}.Loss(good, single(0, 0), 1)), "log variance 0 is -Inf"},
		{second(Generalized{[]float64{1}, nil, []float64{1}}.Loss(Exact, []float64{1})), "0 inverse scales"},
		{second(Generalized{nil, []float64{1, 2}, []float64{1, 2}}.Uncertainties(Exact, 3)), "rows of 3"},
		{second(Cosine(Moments{[]float64{1}, []float64{-1}}, Moments{[]float64{1}, []float64{1}})), "variance 0 is -1"},
		{second(Cosine(Moments{[]float64{0}, []float64{1}}, Moments{[]float64{1}, []float64{1}})), "no direction"},
		{second(Probit([]float64{1}, []float64{1, 2}, 1)), "1 means with 2 variances"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }

func TestFilterKeepsCloseAndCertainPairs(t *testing.T) {
	one := func(mean, logVariance float64) Diagonal { return Diagonal{[]float64{mean}, []float64{logVariance}} }
	images := []Diagonal{one(0, -3), one(0, -3), one(0, 2), one(0, -5)}
	texts := []Diagonal{one(0.1, -3), one(3, -3), one(0, -3), one(0, -5)}
	kept, err := KeepClosest(images, texts, 0.5)
	if err != nil || !slices.Equal(kept, []int{3, 0}) {
		t.Errorf("kept %v (error %v)", kept, err)
	}
	if all, err := KeepClosest(images, texts, 1); err != nil || !slices.Equal(all, []int{3, 0, 2, 1}) {
		t.Errorf("kept %v (error %v)", all, err)
	}
	for want, f := range map[string]func() ([]int, error){
		"the part 2 of 4 images":  func() ([]int, error) { return KeepClosest(images, texts, 2) },
		"of 4 images and 3 texts": func() ([]int, error) { return KeepClosest(images, texts[1:], 0.5) },
		"mean 0 is NaN (pair 0)":  func() ([]int, error) { return KeepClosest([]Diagonal{one(math.NaN(), 0)}, texts[:1], 1) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestMeansDecideTheSignOfHInSeveralCoordinates checks that moving the means never changes the sign
// of H in one coordinate, and that it does in two.
func TestMeansDecideTheSignOfHInSeveralCoordinates(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		one := Diagonal{Mean: []float64{0}, LogVariance: []float64{random.NormFloat64()}}
		two := Diagonal{Mean: []float64{5 * random.NormFloat64()}, LogVariance: []float64{random.NormFloat64()}}
		if h := (Inclusion{}).Compare(one, two); (h > 0) != (two.LogVariance[0] > one.LogVariance[0]) {
			t.Errorf("%v in %v: H = %g", one, two, h)
		}
	}
	wide := []float64{math.Log(4), 0}
	narrow := []float64{0, math.Log(4)}
	for _, c := range []struct {
		apart []float64
		want  float64
	}{{[]float64{0, 0}, 0}, {[]float64{3, 0}, 0.5}, {[]float64{0, 3}, -0.5}} {
		h := (Inclusion{}).Compare(Diagonal{Mean: []float64{0, 0}, LogVariance: narrow}, Diagonal{Mean: c.apart, LogVariance: wide})
		if math.Abs(h-c.want) > 1e-12 {
			t.Errorf("means apart by %v: H = %g, want %g", c.apart, h, c.want)
		}
	}
}
