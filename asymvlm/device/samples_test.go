package device

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/special"
)

// directions returns unit rows.
func directions(rows, columns int) Matrix[float32] {
	m := random(rows, columns, rand.New(rand.NewPCG(uint64(rows), uint64(columns))))
	Reference[float32]{}.Units(m, make([]float64, rows), m)
	return m
}

// cosineMoments returns E[t] and Var[t] in closed form: A = I_{d/2}(κ)/I_{d/2−1}(κ) and 1 − A² −
// (d−1)A/κ, or those of 2z − 1 under the Beta law with α = (d−1)/2+κ and β = (d−1)/2.
func cosineMoments(law Law, d int, kappa float64) (mean, variance float64) {
	if law == PowerSpherical {
		beta := float64(d-1) / 2
		alpha := beta + kappa
		return (alpha - beta) / (alpha + beta), 4 * alpha * beta / ((alpha + beta) * (alpha + beta) * (alpha + beta + 1))
	}
	if kappa == 0 {
		return 0, 1 / float64(d)
	}
	nu := float64(d)/2 - 1
	a := special.NewBesselI(nu).Ratio(kappa)
	return a, 1 - a*a - float64(d-1)*a/kappa
}

// Limits are five standard errors, twice that for the variance if t is far from normal.
func TestDrawnVectorsHaveTheMomentsOfTheirLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	cpu := NewCPU(0)
	defer cpu.Close()
	for _, c := range []struct{ d, n int }{{2, 60000}, {3, 40000}, {12, 20000}, {512, 1500}} {
		for _, kappa := range []float32{0, 0.5, 5, 50, 1000} {
			for _, law := range []Law{VonMisesFisher, PowerSpherical} {
				means, dst := directions(2, c.d), NewMatrix[float32](2*c.n, c.d)
				if err := cpu.DrawSphere(dst, law, means, []float32{kappa, kappa}, Origin{Seed: 11}); err != nil {
					t.Fatal(err)
				}
				mean, variance := cosineMoments(law, c.d, float64(kappa))
				across := (1 - mean*mean - variance) / float64(c.d-1)
				// An axis orthogonal to the second mean.
				axis := wide(directions(1, c.d)).Values
				mu := wide(means).Row(1)
				product := dot(axis, mu)
				for j := range axis {
					axis[j] -= product * mu[j]
				}
				unit(axis, axis)
				sum, square, side := 0.0, 0.0, 0.0
				for r := c.n; r < 2*c.n; r++ { // around the second mean
					x := wide(Matrix[float32]{Rows: 1, Columns: c.d, Values: dst.Row(r)}).Values
					if length := math.Sqrt(dot(x, x)); math.Abs(length-1) > 1e-6 {
						t.Fatalf("draw of length %.9g", length)
					}
					along, off := dot(x, mu), dot(x, axis)
					sum, square, side = sum+along, square+(along-mean)*(along-mean), side+off*off
				}
				n, where := float64(c.n), fmt.Sprintf("%v d=%d κ=%g", law, c.d, kappa)
				if z := (sum/n - mean) / math.Sqrt(variance/n); math.Abs(z) > 5 {
					t.Errorf("%s: mean cosine %.6g, want %.6g (%.1f standard errors)", where, sum/n, mean, z)
				}
				limit := 5 * math.Sqrt(2/n)
				if c.d <= 3 {
					limit *= 2
				}
				if ratio := square / n / variance; math.Abs(ratio-1) > limit {
					t.Errorf("%s: variance ratio %.4f, want 1 ± %.4f", where, ratio, limit)
				}
				if ratio := side / n / across; math.Abs(ratio-1) > limit {
					t.Errorf("%s: variance across ratio %.4f, want 1 ± %.4f", where, ratio, limit)
				}
			}
		}
	}
}

// P(t ≤ s) is known in three dimensions; package sphere has the same test.
func TestDrawnCosinesFollowTheirLawInThreeDimensions(t *testing.T) {
	const n = 40000
	for _, kappa := range []float64{0.3, 4, 200} {
		for law, below := range map[Law]func(s float64) float64{
			VonMisesFisher: func(s float64) float64 {
				return math.Exp(kappa*(s-1)) * math.Expm1(-kappa*(s+1)) / math.Expm1(-2*kappa)
			},
			PowerSpherical: func(s float64) float64 { return math.Pow((1+s)/2, kappa+1) },
		} {
			cosines := make([]float64, n)
			for i := range cosines {
				s := sequence{generator: newPhilox(5), row: uint32(i)}
				c := s.cosine(law, 3, kappa)
				if square := c.along*c.along + c.across*c.across; math.Abs(square-1) > 1e-12 {
					t.Fatalf("%v: a cosine and its rest have the squares' sum %g", law, square)
				}
				cosines[i] = c.along
			}
			slices.Sort(cosines)
			distance := 0.0
			for i, s := range cosines {
				distance = math.Max(distance, math.Max(below(s)-float64(i)/n, float64(i+1)/n-below(s)))
			}
			if limit := 2.8 / math.Sqrt(n); distance > limit {
				t.Errorf("%v κ=%g: Kolmogorov-Smirnov distance %.5f, want below %.5f", law, kappa, distance, limit)
			}
		}
	}
}

func TestDrawnVectorsAreThoseOfTheReference(t *testing.T) {
	for _, d := range []int{2, 3, 7, 64} {
		means := directions(6, d)
		// The reflection has two forms that meet at a mean on the first axis.
		clear(means.Row(4))
		clear(means.Row(5))
		means.Row(4)[0], means.Row(5)[0] = 1, -1
		for _, law := range []Law{VonMisesFisher, PowerSpherical} {
			kappas := []float32{0, 0.2, 9, 400, 1e6, 3e38}
			want := NewMatrix[float64](18, d)
			if err := (Reference[float64]{}).DrawSphere(want, law, wide(means), wideSlice(kappas), Origin{1, 2, 3}); err != nil {
				t.Fatal(err)
			}
			onEvery(t, func(t *testing.T, device Device) {
				dst := NewMatrix[float32](18, d)
				if err := device.DrawSphere(dst, law, means, kappas, Origin{1, 2, 3}); err != nil {
					t.Fatal(err)
				}
				near(t, fmt.Sprint(law, " vectors"), dst.Values, want.Values, 2e-6)
				part := NewMatrix[float32](2, d)
				if err := device.DrawSphere(part, law, Matrix[float32]{Rows: 1, Columns: d, Values: means.Row(2)}, kappas[2:3], Origin{1, 4, 4}); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(part.Values, dst.Values[7*d:9*d]) {
					t.Errorf("%v: a part has other draws than the whole", law)
				}
			})
		}
	}
}

// Concentrations at which all samples equal the mean direction, and one at which the law is
// uniform.
func TestTheLargestConcentrationIsTheMeanItself(t *testing.T) {
	means, dst := directions(1, 16), NewMatrix[float32](5, 16)
	for _, law := range []Law{VonMisesFisher, PowerSpherical} {
		if err := (Reference[float32]{}).DrawSphere(dst, law, means, []float32{math.MaxFloat32}, Origin{}); err != nil {
			t.Fatal(err)
		}
		for r := range 5 {
			near(t, "draw", dst.Row(r), wideSlice(means.Values), 1e-6)
		}
	}
}

// uncertain returns logits of various sizes with deviations down to 0.
func uncertain(rows, columns int) UncertainLogits[float32] {
	source := rand.New(rand.NewPCG(9, 9))
	l := UncertainLogits[float32]{Means: random(rows, columns, source), Deviations: random(rows, columns, source), Scale: 3}
	for i, value := range l.Deviations.Values {
		l.Deviations.Values[i] = max(0, value)
	}
	return l
}

func TestMeanSoftmaxIsThatOfTheReference(t *testing.T) {
	for _, columns := range []int{1, 2, 5, 37, 5000} {
		l := uncertain(5, columns)
		want := NewMatrix[float64](5, columns)
		if err := (Reference[float64]{}).MeanSoftmax(want, UncertainLogits[float64]{wide(l.Means), wide(l.Deviations), 3}, 20, Origin{7, 8, 9}); err != nil {
			t.Fatal(err)
		}
		onEvery(t, func(t *testing.T, device Device) {
			dst := NewMatrix[float32](5, columns)
			if err := device.MeanSoftmax(dst, l, 20, Origin{7, 8, 9}); err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("probabilities of %d candidates", columns), dst.Values, want.Values, 5e-6)
			part, last := NewMatrix[float32](1, columns), l
			last.Means, last.Deviations = Matrix[float32]{1, columns, l.Means.Row(4)}, Matrix[float32]{1, columns, l.Deviations.Row(4)}
			if err := device.MeanSoftmax(part, last, 20, Origin{7, 12, 9}); err != nil || !slices.Equal(part.Values, dst.Row(4)) {
				t.Errorf("a row by itself has other probabilities than within the whole (%v)", err)
			}
		})
	}
}

// Two candidates, one certain at 0: the mean of the sigmoid of a normal logit, by the midpoint rule
// over nine deviations.
func TestMeanSoftmaxIsTheAverageOverNormalLogits(t *testing.T) {
	const draws = 40_000
	cpu := NewCPU(0)
	defer cpu.Close()
	for _, mean := range []float64{-3, 0, 1.5} {
		for _, deviation := range []float64{0.5, 1.5, 3} {
			want, step := 0.0, 18./4000
			for k := range 4000 {
				z := -9 + (float64(k)+0.5)*step
				want += step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (1 + math.Exp(-mean-deviation*z))
			}
			row := func(a float64) Matrix[float32] { return Matrix[float32]{1, 2, []float32{float32(a), 0}} }
			dst := NewMatrix[float32](1, 2)
			if err := cpu.MeanSoftmax(dst, UncertainLogits[float32]{row(mean / 2), row(deviation / 2), 2}, draws, Origin{Seed: 1}); err != nil {
				t.Fatal(err)
			}
			if p := float64(dst.Values[0]); math.Abs(p-want) > 2.5/math.Sqrt(draws) || math.Abs(p+float64(dst.Values[1])-1) > 1e-5 {
				t.Errorf("mean %g, deviation %g: %g of draws, %g by quadrature", mean, deviation, p, want)
			}
		}
	}
}

// Without deviations the result is the softmax, even if exponentials overflow, and without columns
// nothing happens.
func TestMeanSoftmaxWithoutNoiseIsTheSoftmax(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		dst := NewMatrix[float32](2, 3)
		l := UncertainLogits[float32]{Matrix[float32]{2, 3, []float32{1, 2, 3, 900, -900, 900}}, NewMatrix[float32](2, 3), 2}
		if err := device.MeanSoftmax(dst, l, 3, Origin{}); err != nil {
			t.Fatal(err)
		}
		near(t, "softmax", dst.Values, []float64{0.01587624, 0.11731043, 0.86681333, 0.5, 0, 0.5}, 1e-6)
		if err := device.MeanSoftmax(NewMatrix[float32](4, 0), UncertainLogits[float32]{NewMatrix[float32](4, 0), NewMatrix[float32](4, 0), 1}, 1, Origin{}); err != nil {
			t.Error(err)
		}
		if err := device.DrawSphere(NewMatrix[float32](0, 4), PowerSpherical, NewMatrix[float32](3, 4), []float32{1, 1, 1}, Origin{}); err == nil {
			t.Error("directions of length 0 are taken where nothing is drawn")
		}
	})
}

func TestDrawsThatCannotBeAreRefused(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	onEvery(t, func(t *testing.T, device Device) {
		sphere := func(kappa float32, change func(dst, means *Matrix[float32], from *Origin)) error {
			dst, means, from := NewMatrix[float32](4, 3), directions(2, 3), Origin{}
			change(&dst, &means, &from)
			return device.DrawSphere(dst, VonMisesFisher, means, []float32{1, kappa}, from)
		}
		none := func(dst, means *Matrix[float32], from *Origin) {}
		softmax := func(change func(l *UncertainLogits[float32], draws *int)) error {
			l, draws := uncertain(2, 3), 4
			change(&l, &draws)
			return device.MeanSoftmax(NewMatrix[float32](2, 3), l, draws, Origin{})
		}
		for want, err := range map[string]error{
			"device: concentration 1 is NaN, want a finite value of at least 0":        sphere(nan, none),
			"device: concentration 1 is -1, want a finite value":                       sphere(-1, none),
			"device: concentration 1 is +Inf, want a finite value":                     sphere(inf, none),
			"device: mean direction 0 has length 2, want 1; Units makes rows of":       sphere(1, func(_, m *Matrix[float32], _ *Origin) { copy(m.Values, []float32{0, 2, 0}) }),
			"device: mean direction 1 has length NaN, want 1":                          sphere(1, func(_, m *Matrix[float32], _ *Origin) { m.Row(1)[2] = nan }),
			"device: 4×2 draws around 2×3 mean directions, want as many columns":       sphere(1, func(d, _ *Matrix[float32], _ *Origin) { *d = NewMatrix[float32](4, 2) }),
			"device: 5×3 draws around 2×3 mean directions":                             sphere(1, func(d, _ *Matrix[float32], _ *Origin) { *d = NewMatrix[float32](5, 3) }),
			"device: 2 concentrations for 1 mean directions":                           sphere(1, func(_, m *Matrix[float32], _ *Origin) { *m = directions(1, 3) }),
			"device: 2 rows from row -1 on with 2 draws from draw 0 on, want them":     sphere(1, func(_, _ *Matrix[float32], o *Origin) { o.Row = -1 }),
			"device: 2 rows from row 4294967294 on":                                    sphere(1, func(_, _ *Matrix[float32], o *Origin) { o.Row = 1<<32 - 2 }),
			"device: 2 rows from row 0 on with 2 draws from draw 4294967295":           sphere(1, func(_, _ *Matrix[float32], o *Origin) { o.Draw = 1<<32 - 1 }),
			"device: law 2, want von Mises-Fisher (0) or power spherical (1)":          device.DrawSphere(NewMatrix[float32](0, 3), 2, NewMatrix[float32](0, 3), nil, Origin{}),
			"device: 0×1 draws around 0×1 mean directions, want as many columns, at l": device.DrawSphere(NewMatrix[float32](0, 1), 0, NewMatrix[float32](0, 1), nil, Origin{}),
			"device: row 1, column 2: mean 0.1, deviation -1, scale 3: want finite": softmax(func(l *UncertainLogits[float32], _ *int) {
				l.Means.Row(1)[2], l.Deviations.Row(1)[2] = 0.1, -1
			}),
			"device: row 1, column 0: mean 0, deviation NaN, scale 3": softmax(func(l *UncertainLogits[float32], _ *int) {
				l.Means.Row(1)[0], l.Deviations.Row(1)[0] = 0, nan
			}),
			"device: row 0, column 0: mean 0, deviation +Inf, scale 3": softmax(func(l *UncertainLogits[float32], _ *int) {
				l.Means.Row(0)[0], l.Deviations.Row(0)[0] = 0, inf
			}),
			"device: row 0, column 0: mean NaN": softmax(func(l *UncertainLogits[float32], _ *int) { l.Means.Row(0)[0] = nan }),
			"device: row 0, column 0: mean 2e+38, deviation 0, scale 3: want finite numbers, a deviation of at least 0, and logits below 1e38": softmax(func(l *UncertainLogits[float32], _ *int) {
				l.Means.Row(0)[0], l.Deviations.Row(0)[0] = 2e38, 0
			}),
			"device: row 0, column 0: mean ":                   softmax(func(l *UncertainLogits[float32], _ *int) { l.Scale = nan }),
			"device: 0 draws, want at least 1":                 softmax(func(_ *UncertainLogits[float32], draws *int) { *draws = 0 }),
			"device: means of 1×3, deviations of 2×3 and prob": softmax(func(l *UncertainLogits[float32], _ *int) { l.Means = l.Means.Top(1) }),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			if lost := new(LostError); errors.As(err, &lost) {
				t.Errorf("%v counts as the loss of a device", err)
			}
		}
	})
}

func BenchmarkMeanSoftmax5000(b *testing.B) {
	cpu := NewCPU(0)
	defer cpu.Close()
	l, dst := uncertain(16, 5000), NewMatrix[float32](16, 5000)
	b.SetBytes(16 * 5000 * 10) // a byte for each sample of a candidate
	for b.Loop() {
		if err := cpu.MeanSoftmax(dst, l, 10, Origin{}); err != nil {
			b.Fatal(err)
		}
	}
}
