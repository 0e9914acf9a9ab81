package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

// A side holds the heads of one side of ProbVLM, with its own embeddings and those of the other
// side.
type side struct {
	rows, columns                    int
	mean, scale, shape, own, another []float32
}

func drawSide(source *rand.Rand, rows, columns int, size float64) side {
	n := rows * columns
	return side{rows, columns, normal(source, n, 1), normal(source, n, size), normal(source, n, size), normal(source, n, 1), normal(source, n, 1)}
}

// A generalizedResult is the result of the loss of a side; the sums are over all rows.
type generalizedResult struct {
	loss, variance, outputs, squares float64
	gradients                        [3][]float64
}

func (s side) reference(exact bool) generalizedResult {
	matrix := func(values []float32) device.Matrix[float64] {
		return device.Matrix[float64]{Rows: s.rows, Columns: s.columns, Values: doubles(values)}
	}
	heads := device.Heads[float64]{matrix(s.mean), matrix(s.scale), matrix(s.shape)}
	var r generalizedResult
	var gradient device.Heads[float64]
	for i, head := range heads {
		gradient[i] = device.NewMatrix[float64](s.rows, s.columns)
		r.gradients[i] = gradient[i].Values
		for _, value := range head.Values {
			r.outputs += value * value
		}
	}
	reference := device.Reference[float64]{}
	r.loss = reference.GeneralizedGaussian(gradient, heads, [2]device.Matrix[float64]{matrix(s.own), matrix(s.another)}, exact)
	r.variance = reference.GeneralizedVariance(heads)
	for _, values := range r.gradients {
		for _, value := range values {
			r.squares += value * value
		}
	}
	return r
}

func (s side) onCard(t *testing.T, exact, withTraces bool) generalizedResult {
	t.Helper()
	n, b := s.rows*s.columns, newBench(t)
	zeros := func(count int) cuda.Address { return b.put(make([]float32, count)...) }
	d := [3]cuda.Address{zeros(n), zeros(n), zeros(n)}
	losses, outputs, squares, traces := zeros(s.rows), zeros(s.rows), zeros(s.rows), cuda.Address(0)
	if withTraces {
		traces = zeros(s.rows)
	}
	form := 0
	if exact {
		form = 1
	}
	b.rows("generalized", s.rows, d[0], d[1], d[2], losses, traces, outputs, squares, b.put(s.mean...), b.put(s.scale...), b.put(s.shape...),
		b.put(s.own...), b.put(s.another...), s.columns, 1/float32(n), form)
	r := generalizedResult{loss: sum(b.get(losses, s.rows)) / float64(n), outputs: sum(b.get(outputs, s.rows)), squares: sum(b.get(squares, s.rows))}
	if withTraces {
		r.variance = sum(b.get(traces, s.rows)) / float64(n)
	}
	for i, at := range d {
		r.gradients[i] = doubles(b.get(at, n))
	}
	return r
}

func compareGeneralized(t *testing.T, what string, got, want generalizedResult, tolerance float64) {
	t.Helper()
	near(t, what+": loss", got.loss, want.loss, tolerance)
	near(t, what+": outputs", got.outputs/want.outputs, 1, 1e-5)
	near(t, what+": squares", got.squares/want.squares, 1, 10*tolerance)
	for i, name := range []string{"means", "scales", "shapes"} {
		list := make([]float32, len(got.gradients[i]))
		for k, value := range got.gradients[i] {
			list[k] = float32(value)
		}
		closeTo(t, what+": gradient of the "+name, list, want.gradients[i], tolerance)
	}
}

func TestTheLossOfHeadsOnTheCardIsThatOfTheReference(t *testing.T) {
	source := rand.New(rand.NewPCG(10, 1))
	for _, columns := range edges {
		for _, exact := range []bool{false, true} {
			for _, size := range []float64{0.3, 3} {
				s := drawSide(source, 3, columns, size)
				want := s.reference(exact)
				got := s.onCard(t, exact, true)
				what := fmt.Sprintf("%d columns of size %g, exact %t", columns, size, exact)
				compareGeneralized(t, what, got, want, 5e-6)
				near(t, what+": variance", got.variance/want.variance, 1, 1e-5)
				if without := s.onCard(t, exact, false); without.loss != got.loss || without.squares != got.squares {
					t.Errorf("%s: without variances the loss is %g, with them %g", what, without.loss, got.loss)
				}
			}
		}
	}
}

// Each value separately, so that a small gradient is not hidden by a large one: shapes from the
// smallest β, for which Γ(1/β) is Γ(10⁴), to large ones, residuals on both sides of both clamping
// bounds, and means equal to their target.
func TestTheLossOfHeadsIsRightAtTheEndsOfItsDomain(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for _, shape := range []float32{-30, -9, -6, -3, -1, 0, 0.54, 1, 3, 8} {
			for _, scale := range []float32{-20, -6, -1, 0, 2, 7} {
				for _, apart := range []float32{0, 1e-7, 3e-6, 1e-3, 0.1, 1, 7, 300} {
					if exact && shape > 1 && scale > 1 && apart > 1 {
						continue // powers of such residuals overflow float32
					}
					s := side{1, 1, []float32{apart}, []float32{scale}, []float32{shape}, []float32{0}, []float32{1}}
					want, got := s.reference(exact), s.onCard(t, exact, true)
					what := fmt.Sprintf("shape %g, scale %g, %g apart, exact %t", shape, scale, apart, exact)
					tolerance := 2e-5
					near(t, what+": loss", got.loss, want.loss, tolerance)
					for i, name := range []string{"mean", "scale", "shape"} {
						// The slope with respect to the shape is a difference of the residual's
						// slope and ψ.
						if w := want.gradients[i][0]; !(math.Abs(got.gradients[i][0]-w) <= tolerance*math.Max(math.Abs(w), 0.02)) {
							t.Errorf("%s: gradient of the %s %g, want %g", what, name, got.gradients[i][0], w)
						}
					}
					near(t, what+": variance", got.variance/want.variance, 1, 1e-5)
				}
			}
		}
	}
}

// A head or target that is not finite appears in the loss or in the outputs, which stop the step.
func TestNaNOfAHeadIsSeen(t *testing.T) {
	source := rand.New(rand.NewPCG(11, 1))
	for _, exact := range []bool{false, true} {
		for _, strange := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			for list := range 5 {
				s := drawSide(source, 2, 5, 1)
				[][]float32{s.mean, s.scale, s.shape, s.own, s.another}[list][7] = strange
				r := s.onCard(t, exact, true)
				if whole := r.loss + r.outputs + r.squares; whole-whole == 0 {
					t.Errorf("%g in list %d, exact %t: loss %g, outputs %g, squares %g", strange, list, exact, r.loss, r.outputs, r.squares)
				}
			}
		}
	}
}

// Directions of the cosine are unit vectors without a normalizer, and stay finite for a zero row.
func TestDirectionsOfTheCosineHaveNoNormalizer(t *testing.T) {
	source := rand.New(rand.NewPCG(12, 1))
	const cosine = 3
	for _, columns := range edges {
		const rows = 3
		eta := normal(source, rows*columns, 4)
		clear(eta[columns : 2*columns])
		b := newBench(t)
		at, mu := b.put(eta...), b.put(make([]float32, rows*columns)...)
		lengths, logs, slopes := b.put(9, 9, 9), b.put(9, 9, 9), b.put(9, 9, 9)
		b.rows("prepare", rows, at, mu, lengths, logs, slopes, columns, float32(0.5), cosine)
		for row := range rows {
			want, square := make([]float64, columns), 0.0
			for k := range want {
				want[k] = 0.5 * float64(eta[row*columns+k])
				square += want[k] * want[k]
			}
			for k := range want {
				want[k] /= math.Max(math.Sqrt(square), 1e-12)
			}
			what := fmt.Sprintf("row %d of %d columns", row, columns)
			closeTo(t, what, b.get(of(mu, row*columns), columns), want, 1e-6)
			near(t, what+": length", float64(b.get(of(lengths, row), 1)[0]), math.Sqrt(square), 1e-6)
			if b.get(of(logs, row), 1)[0] != 0 || b.get(of(slopes, row), 1)[0] != 0 {
				t.Errorf("%s has a normalizer", what)
			}
		}
	}
}
