package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// inputs holds the arguments of all operations at one size.
type inputs[F Float] struct {
	a, b, c, weight Matrix[F] // rows×columns three times, and columns×columns
	square          Matrix[F] // rows×rows
	row, column     []F       // a value for every column and every row
	groups          Groups    // of every row
}

func drawInputs(rows, columns int, source *rand.Rand) inputs[float32] {
	groups := make(Groups, rows)
	for i := range groups {
		groups[i] = source.IntN(rows)
	}
	return inputs[float32]{
		groups: groups, a: random(rows, columns, source), b: random(rows, columns, source), c: random(rows, columns, source),
		weight: random(columns, columns, source), square: random(rows, rows, source),
		row: random(1, columns, source).Values, column: random(1, rows, source).Values,
	}
}

func wideInputs(in inputs[float32]) inputs[float64] {
	return inputs[float64]{wide(in.a), wide(in.b), wide(in.c), wide(in.weight), wide(in.square), wideSlice(in.row), wideSlice(in.column), in.groups}
}

func clone[F Float](m Matrix[F]) Matrix[F] {
	m.Values = slices.Clone(m.Values)
	return m
}

func narrow[F Float](values []float64) []F {
	list := make([]F, len(values))
	for i, value := range values {
		list[i] = F(value)
	}
	return list
}

// operations applies every operation except the plain matrix products and returns the results.
func operations[F Float](ops Operations[F], in inputs[F]) map[string][]F {
	results := map[string][]F{}
	layers(ops, in, results)
	rowwise(ops, in, results)
	pairLosses(ops, in, results)
	coordinateLosses(ops, in, results)
	results["dot"] = []F{F(ops.Dot(in.a, in.b))}
	sum := clone(in.a)
	ops.Sum(sum, in.b, sum)
	results["sum"] = sum.Values
	parameters, velocity := clone(in.a), clone(in.b)
	for range 3 {
		ops.Update(parameters.Values, velocity.Values, in.c.Values, Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 5e-4})
	}
	results["parameters"], results["velocity"] = parameters.Values, velocity.Values
	parameters, first, second := clone(in.a), NewMatrix[F](in.a.Rows, in.a.Columns), NewMatrix[F](in.a.Rows, in.a.Columns)
	for step := range 3 {
		rate := NewAdamStep(Rate{Rate: 0.01, WeightDecay: 0.02}, step+1)
		ops.UpdateAdam(parameters.Values, [2][]F{first.Values, second.Values}, in.c.Values, rate)
	}
	results["adam"], results["first moment"], results["second moment"] = parameters.Values, first.Values, second.Values
	return results
}

func layers[F Float](ops Operations[F], in inputs[F], results map[string][]F) {
	plain, rectified := clone(in.a), clone(in.a)
	ops.Affine(plain, in.b, in.weight, Bias[F]{Values: in.row})
	ops.Affine(rectified, in.b, in.weight, Bias[F]{Values: in.row, Rectify: true})
	results["affine"], results["rectified affine"] = plain.Values, rectified.Values
	dWeight, dBias := clone(in.weight), slices.Clone(in.row)
	ops.AffineGradient(dWeight, dBias, in.b, in.a)
	results["weight gradient"], results["bias gradient"] = dWeight.Values, dBias
	// The rectified positions must not depend on rounding: every third input.
	passed := clone(in.c)
	for i := range passed.Values {
		if i%3 == 0 {
			passed.Values[i] = 0
		}
	}
	dInput, whole := clone(in.a), clone(in.a)
	ops.InputGradient(dInput, in.b, in.weight, passed)
	ops.InputGradient(whole, in.b, in.weight, Matrix[F]{})
	results["rectified input gradient"], results["input gradient"] = dInput.Values, whole.Values
}

func rowwise[F Float](ops Operations[F], in inputs[F], results map[string][]F) {
	lengths, units := make([]float64, in.a.Rows), clone(in.b)
	ops.Units(units, lengths, in.a)
	results["units"], results["lengths"] = units.Values, narrow[F](lengths)
	ops.Units(Matrix[F]{}, lengths, in.b)
	results["lengths alone"] = narrow[F](lengths)
	exponentials := clone(in.a)
	ops.Exponential(exponentials, lengths, exponentials)
	results["exponential"], results["sums of exponentials"] = exponentials.Values, narrow[F](lengths)
	ops.SoftplusSums(lengths, in.a)
	results["sums of softplus"] = narrow[F](lengths)
	combined := clone(in.a)
	ops.Combine(combined, in.b, in.column, lengthsAs(in.column))
	results["combine"] = combined.Values
}

// lengthsAs returns a reversed copy of a list.
func lengthsAs[F Float](list []F) []F {
	turned := slices.Clone(list)
	slices.Reverse(turned)
	return turned
}

func pairLosses[F Float](ops Operations[F], in inputs[F], results map[string][]F) {
	n := in.square.Rows
	columns, rows := make([]float64, n), make([]float64, n)
	for _, scale := range []F{0.5, 9, -3, 0} {
		for what, groups := range map[string]Groups{"contrast ": nil, "contrast in groups ": in.groups} {
			g := clone(in.square)
			loss, dScale := ops.Contrast(g, g, scale, groups, columns)
			results[fmt.Sprint(what, scale)] = append(append(g.Values, F(loss), F(dScale)), narrow[F](columns)...)
		}
	}
	for _, scale := range []F{2, -5, 0} {
		for what, groups := range map[string]Groups{"pairs": nil, "pairs in groups": in.groups} {
			g := clone(in.square)
			logits := Logits[F]{Scale: scale, Rows: in.column, Columns: lengthsAs(in.column), Weight: 1, Groups: groups}
			loss, dScale := ops.SigmoidPairs(g, clone(in.square), logits, Margins{Rows: rows, Columns: columns})
			results[fmt.Sprint(what, scale)] = append(g.Values, narrow[F](slices.Concat(rows, columns))...)
			results[fmt.Sprint(what, "' loss ", scale)] = []F{F(loss), F(dScale)}
		}
	}
	cosines := clone(in.a)
	for i, value := range cosines.Values {
		cosines.Values[i] = F(0.9 * math.Tanh(float64(value))) // rounding of 1+c in float32 must not dominate
	}
	ell := clone(in.a)
	ops.PowerLogits(ell, cosines, in.row, lengthsAs(in.row))
	weights, radial := clone(in.b), make([]float64, in.a.Columns)
	ops.PowerGradient(weights, weights, cosines, radial)
	results["power logits"], results["cosines"] = ell.Values, cosines.Values
	results["power weights"], results["radial"] = weights.Values, narrow[F](radial)
}

func coordinateLosses[F Float](ops Operations[F], in inputs[F], results map[string][]F) {
	size := in.a.Values
	one, two := clone(in.a), clone(in.a)
	loss := ops.MatchedVariances([2]Matrix[F]{one, two}, [2]Matrix[F]{in.b, in.c}, [2]Matrix[F]{in.a, in.c})
	results["variances"] = slices.Concat(one.Values, two.Values)
	results["variances' loss"] = []F{F(loss)}
	heads := Heads[F]{in.a, in.b, clone(in.c)}
	for i := range size {
		heads[2].Values[i] *= 3 // shapes far below and above 1
	}
	gradient := Heads[F]{clone(in.a), clone(in.a), clone(in.a)}
	for _, exact := range []bool{false, true} {
		loss := ops.GeneralizedGaussian(gradient, heads, [2]Matrix[F]{in.c, in.b}, exact)
		results[fmt.Sprint("generalized loss ", exact)] = []F{F(loss)}
		for i, m := range gradient {
			results[fmt.Sprint("generalized gradient ", exact, i)] = slices.Clone(m.Values)
		}
	}
	results["generalized variance"] = []F{F(ops.GeneralizedVariance(heads))}
}

func TestOperationsAgreeWithTheReferenceAtOddSizes(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	for _, columns := range sizes() {
		in := drawInputs(max(7, pick(source)), columns, source) // slopes of fewer pairs are differences of numbers near 1
		want := operations[float64](Reference[float64]{}, wideInputs(in))
		onEvery(t, func(t *testing.T, device Device) {
			for what, got := range operations(device, in) {
				// Products over 530 values, sums of random signs that cancel, and 9·4 in an
				// exponent: 6e-6 of the largest value. ProbVLM's shapes down to 1e-4 have slopes
				// 1/β², which double the relative error of β.
				tolerance := 6e-6
				if what == "generalized variance" {
					tolerance = 3e-5 // the exponential of a difference of log Γ values of up to 70
				}
				near(t, fmt.Sprintf("%s %d×%d", what, in.a.Rows, columns), got, want[what], tolerance)
			}
		})
	}
}

func TestResultsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 8))
	rows, columns := 301, 530
	if testing.Short() {
		rows, columns = 131, 70
	}
	in := drawInputs(rows, columns, source)
	for name, unit := range units() {
		var first map[string][]float32
		for _, threads := range []int{1, 2, 5} {
			cpu := newCPU(threads, unit)
			results := operations[float32](cpu, in)
			cpu.Close()
			if first == nil {
				first = results
			}
			for what, got := range results {
				if !slices.Equal(got, first[what]) {
					t.Errorf("%s: %s differs with %d threads", name, what, threads)
				}
			}
		}
	}
}

func TestOperationsDoNotAllocate(t *testing.T) {
	cpu := NewCPU(2)
	defer cpu.Close()
	source := rand.New(rand.NewPCG(11, 12))
	in := drawInputs(200, 300, source)
	g, lengths, columns := clone(in.square), make([]float64, 200), make([]float64, 200)
	radial, out := make([]float64, 300), clone(in.a)
	velocity := make([]float32, len(in.a.Values))
	allocations := testing.AllocsPerRun(10, func() {
		cpu.Affine(out, in.b, in.weight, Bias[float32]{Values: in.row, Rectify: true})
		cpu.AffineGradient(in.weight, in.row, in.a, in.b)
		cpu.InputGradient(out, in.b, in.weight, in.c)
		cpu.Units(out, lengths, in.a)
		cpu.Exponential(out, lengths, in.c)
		cpu.SoftplusSums(lengths, in.c)
		cpu.Combine(out, in.c, in.column, in.column)
		cpu.Sum(out, in.a, in.b)
		cpu.Contrast(g, in.square, 2, in.groups, columns)
		cpu.SigmoidPairs(g, in.square, Logits[float32]{Scale: 1, Rows: in.column, Columns: in.column, Weight: 1, Groups: in.groups}, Margins{lengths, columns})
		cpu.PowerLogits(out, in.c, in.row, in.row)
		cpu.PowerGradient(out, in.a, in.c, radial)
		cpu.MatchedVariances([2]Matrix[float32]{out, in.a}, [2]Matrix[float32]{in.b, in.b}, [2]Matrix[float32]{in.c, in.c})
		cpu.GeneralizedGaussian(Heads[float32]{out, out, in.a}, Heads[float32]{in.b, in.b, in.b}, [2]Matrix[float32]{in.c, in.c}, true)
		cpu.GeneralizedVariance(Heads[float32]{in.b, in.b, in.b})
		cpu.Dot(in.b, in.c)
		cpu.Update(in.a.Values, velocity, velocity, Rate{Rate: 0.1})
		cpu.UpdateAdam(in.a.Values, [2][]float32{velocity, velocity}, velocity, AdamStep{1, 0.1, 1})
	})
	limit := 0.0
	if runtime.GOOS == "js" {
		limit = 6 * 15 // the buffers of staged values, for each stretch of a slice, are on the heap
	}
	if allocations > limit {
		t.Errorf("%g allocations", allocations)
	}
}

func TestLossOfPairsNeitherOverflowsNorVanishes(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		for _, shift := range []float32{0, 3000, -3000, 1e30} {
			a := NewMatrix[float32](17, 17)
			for i := range a.Values {
				a.Values[i] = shift
			}
			loss, _ := device.Contrast(a, a, 1, nil, make([]float64, 17))
			// At 1e30 the precision of the logits is too low to represent the logarithm of 17.
			if want := math.Log(17); math.Abs(loss-want) > 1e-3 && shift < 1e6 || math.IsNaN(loss) {
				t.Errorf("at %g the loss is %g, want %g", shift, loss, want)
			}
		}
	})
}

func TestLossesShowNaN(t *testing.T) {
	nan := float32(math.NaN())
	onEvery(t, func(t *testing.T, device Device) {
		source := rand.New(rand.NewPCG(31, 32))
		spoiled := func(at int) Matrix[float32] {
			m := random(20, 20, source)
			m.Values[at] = nan
			return m
		}
		for _, at := range []int{0, 7, 21, 133, 399} {
			margins := Margins{make([]float64, 20), make([]float64, 20)}
			zeros := make([]float32, 20)
			contrast, _ := device.Contrast(spoiled(at), spoiled(at), 1, nil, margins.Columns)
			pairs, _ := device.SigmoidPairs(NewMatrix[float32](20, 20), spoiled(at), Logits[float32]{Scale: 1, Rows: zeros, Columns: zeros, Weight: 1}, margins)
			whole, m := random(20, 20, source), spoiled(at)
			out := [3]Matrix[float32]{NewMatrix[float32](20, 20), NewMatrix[float32](20, 20), NewMatrix[float32](20, 20)}
			results := map[string]float64{
				"contrast": contrast, "pairs": pairs,
				"variances": device.MatchedVariances([2]Matrix[float32]{out[0], out[1]}, [2]Matrix[float32]{m, whole}, [2]Matrix[float32]{whole, whole}),
				"means":     device.MatchedVariances([2]Matrix[float32]{out[0], out[1]}, [2]Matrix[float32]{whole, whole}, [2]Matrix[float32]{whole, m}),
			}
			for i := range 3 {
				heads := Heads[float32]{whole, whole, whole}
				heads[i] = m
				for _, exact := range []bool{false, true} {
					results[fmt.Sprint("head ", i, exact)] = device.GeneralizedGaussian(out, heads, [2]Matrix[float32]{whole, whole}, exact)
				}
			}
			for what, loss := range results {
				if !math.IsNaN(loss) {
					t.Errorf("%s with NaN at %d is %g", what, at, loss)
				}
			}
		}
	})
}

func TestRectifierKeepsNaN(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		input, dst := NewMatrix[float32](1, 9), NewMatrix[float32](1, 9)
		input.Values[3] = float32(math.NaN())
		weight := NewMatrix[float32](9, 9)
		device.Affine(dst, input, weight, Bias[float32]{Values: make([]float32, 9), Rectify: true})
		for i, value := range dst.Values {
			if value == value {
				t.Errorf("value %d became %g", i, value)
			}
		}
	})
}

func TestPairOfOwnIsNotLostBesideOne(t *testing.T) {
	// 1 − sigmoid(30) is 1e-13: float32 differences would be 0.
	onEvery(t, func(t *testing.T, device Device) {
		a := NewMatrix[float32](10, 10)
		for i := range a.Values {
			a.Values[i] = -100
		}
		for i := range 10 {
			a.Values[11*i] = 30
		}
		zeros, margins := make([]float32, 10), Margins{make([]float64, 10), make([]float64, 10)}
		loss, _ := device.SigmoidPairs(a, a, Logits[float32]{Scale: 1, Rows: zeros, Columns: zeros, Weight: 1}, margins)
		want := 10 * math.Log1p(math.Exp(-30))
		if math.Abs(loss-want) > 1e-6*want || math.Abs(float64(a.Values[11])+want/10) > 1e-6*want {
			t.Errorf("loss %g and gradient %g, want %g and %g", loss, a.Values[11], want, -want/10)
		}
	})
}

func TestCosinesBelowTheLimitCountAsTheLimit(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		cosines, ell, ones := NewMatrix[float32](1, 9), NewMatrix[float32](1, 9), slices.Repeat([]float32{1}, 9)
		cosines.Values[2], cosines.Values[8] = -1, -1.5
		device.PowerLogits(ell, cosines, ones, make([]float32, 9))
		g := Matrix[float32]{1, 9, ones}
		device.PowerGradient(g, g, cosines, make([]float64, 9))
		for i, value := range ell.Values {
			limit := i == 2 || i == 8
			// The closest float32 to −1 + 1e-6 is 6e-8 away: 1.5 % of the argument of the
			// logarithm.
			if limit && math.Abs(float64(value)-math.Log(1e-6)) > 0.02 || !limit && value != 0 {
				t.Errorf("logarithm %d is %g", i, value)
			}
			if limit != (g.Values[i] == 0) {
				t.Errorf("slope %d is %g", i, g.Values[i])
			}
		}
	})
}

func TestScalesAndShapesBeyondTheLimitsOfTheVarianceCountAsTheLimits(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		variance := func(scale, shape float32) float64 {
			heads := Heads[float32]{NewMatrix[float32](3, 21), NewMatrix[float32](3, 21), NewMatrix[float32](3, 21)}
			for i := range heads[0].Values {
				heads[1].Values[i], heads[2].Values[i] = scale, shape
			}
			return device.GeneralizedVariance(heads)
		}
		// The shape is clamped to at most 5, the reciprocal of the scale to 1e-4 … 5.
		for _, same := range [][2][2]float32{{{1, 6}, {1, 20}}, {{-5, 1}, {-8, 1}}, {{1.2e4, 1}, {5e4, 1}}} {
			if one, two := variance(same[0][0], same[0][1]), variance(same[1][0], same[1][1]); one != two || !(one > 0) {
				t.Errorf("%s: heads %v and %v have the variances %g and %g", device.Name(), same[0], same[1], one, two)
			}
		}
		if one, two := variance(1, 3), variance(1, 4); one == two {
			t.Errorf("%s: shapes within the limits have one variance, %g", device.Name(), one)
		}
	})
}
