package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/internal/cuda"
)

// edges are numbers of rows and columns below, at and beyond tiles of 32 rows and 128 columns,
// warps, and blocks of 128 threads.
var edges = []int{1, 2, 31, 32, 33, 127, 128, 129, 257}

// normal returns random normal numbers of the given size.
func normal(source *rand.Rand, count int, size float64) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(size * source.NormFloat64())
	}
	return values
}

// words copies words to the GPU.
func (b bench) words(values ...uint32) cuda.Address {
	b.t.Helper()
	a := b.put(make([]float32, len(values))...)
	if err := b.card.WriteWords(a, values); err != nil {
		b.t.Fatal(err)
	}
	return a
}

// rows launches a kernel with a block for each row.
func (b bench) rows(kernel string, rows int, arguments ...any) {
	b.t.Helper()
	b.run(kernel, cuda.Size{X: rows, Y: 1}, cuda.Size{X: 128, Y: 1}, arguments...)
}

// closeTo compares lists relative to the largest wanted value.
func closeTo(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	size := 1e-30
	for _, value := range want {
		size = math.Max(size, math.Abs(value))
	}
	for i, value := range want {
		if !(math.Abs(float64(got[i])-value) <= tolerance*size) {
			t.Errorf("%s: value %d is %g, want %g", what, i, got[i], value)
			return
		}
	}
}

func doubles(values []float32) []float64 {
	list := make([]float64, len(values))
	for i, value := range values {
		list[i] = float64(value)
	}
	return list
}

// Both sides are gathered in the given order, beginning with the plan's first pair, each by its own
// rows and factor.
func TestBothSidesOfABatchAreGathered(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	for _, columns := range []int{1, 5, 127, 128, 129, 300} {
		for _, unit := range []int{0, 1} {
			const pairs, imagesAtAll, rows, from = 7, 3, 4, 2
			texts, images := normal(source, pairs*columns, 1), normal(source, imagesAtAll*columns, 1)
			clear(images[columns : 2*columns]) // a zero row stays zero
			textOf, imageOf, order := []uint32{6, 5, 4, 3, 2, 1, 0}, []uint32{0, 0, 1, 1, 2, 2, 2}, []uint32{3, 1, 0, 6, 2, 5, 4}
			b := newBench(t)
			onTexts, onImages := b.put(make([]float32, rows*columns)...), b.put(make([]float32, rows*columns)...)
			plans := b.words(0, 0, 0, 0, 0, 0, 0, 0, from, 0, 0, 0, 0, 0, 0, 0)
			b.run("gather_both", cuda.Size{X: rows, Y: 2}, cuda.Size{X: 128, Y: 1}, onTexts, onImages, b.put(texts...), b.put(images...),
				b.words(textOf...), b.words(imageOf...), b.words(order...), plans, b.words(1, 0), columns, float32(1.5), float32(-2), unit)
			gotTexts, gotImages := b.get(onTexts, rows*columns), b.get(onImages, rows*columns)
			for row := range rows {
				pair := order[from+row]
				for _, side := range []struct {
					what   string
					from   []float32
					got    []float32
					factor float64
				}{
					{"texts", texts[int(textOf[pair])*columns:][:columns], gotTexts[row*columns:][:columns], 1.5},
					{"images", images[int(imageOf[pair])*columns:][:columns], gotImages[row*columns:][:columns], -2},
				} {
					want, factor := doubles(side.from), side.factor
					if unit == 1 {
						square := 0.0
						for _, value := range want {
							square += value * value
						}
						factor = 1 / math.Max(math.Sqrt(square), 1e-12)
					}
					for k := range want {
						want[k] *= factor
					}
					closeTo(t, fmt.Sprintf("%s of row %d, %d columns, unit %d", side.what, row, columns, unit), side.got, want, 1e-6)
				}
			}
		}
	}
}

func TestVariancesTheirTracesAndTheBottleneckAreThoseOfTheReference(t *testing.T) {
	source := rand.New(rand.NewPCG(2, 1))
	for _, columns := range edges {
		for _, share := range []float64{0, 0.5, 1} {
			const rows = 3
			outputs, means := normal(source, rows*columns, 2), normal(source, rows*columns, 0.3)
			outputs[0] = 0 // the terms are x²/2 around 0
			if columns > 2 {
				outputs[1], outputs[2] = 0.19, -3e-4
			}
			b := newBench(t)
			onVariances, onTraces, onTerms := b.put(make([]float32, rows*columns)...), b.put(make([]float32, rows)...), cuda.Address(0)
			if share != 0 {
				onTerms = b.put(make([]float32, rows)...)
			}
			b.rows("variances_of", rows, onVariances, onTraces, onTerms, b.put(outputs...), b.put(means...), columns, float32(share))
			dst, sums := device.NewMatrix[float64](rows, columns), make([]float64, rows)
			device.Reference[float64]{}.Exponential(dst, sums, device.Matrix[float64]{Rows: rows, Columns: columns, Values: doubles(outputs)})
			what := fmt.Sprintf("%d columns, share %g: ", columns, share)
			closeTo(t, what+"variances", b.get(onVariances, rows*columns), dst.Values, 1e-6)
			closeTo(t, what+"traces", b.get(onTraces, rows), sums, 1e-6)
			if share == 0 {
				continue
			}
			form := gaussian.Exact
			if share == 0.5 {
				form = gaussian.Official
			}
			for row := range rows {
				part := gaussian.Diagonal{Mean: doubles(means[row*columns:][:columns]), LogVariance: doubles(outputs[row*columns:][:columns])}
				want, _, err := gaussian.Bottleneck(form, part)
				if err != nil {
					t.Fatal(err)
				}
				closeTo(t, what+"terms", b.get(of(onTerms, row), 1), []float64{want * 2 * float64(columns)}, 2e-6)
			}
		}
	}
}

// of returns the address of a word.
func of(a cuda.Address, index int) cuda.Address { return a + cuda.Address(4*index) }

// A pairing holds the inputs of the kernel of pairs and computes the reference result.
type pairing struct {
	batch         int
	cosines       []float32
	rows, columns []float32 // traces of images and of texts
	numbers       []float32 // a and b, or nothing
	weight        float64
}

func drawPairing(source *rand.Rand, batch int, trace float64, numbers ...float32) pairing {
	p := pairing{batch: batch, numbers: numbers, weight: 1 / float64(batch)}
	for range batch * batch {
		p.cosines = append(p.cosines, float32(math.Tanh(source.NormFloat64())))
	}
	for range batch {
		p.rows = append(p.rows, float32(trace*source.ExpFloat64()))
		p.columns = append(p.columns, float32(trace*source.ExpFloat64()))
	}
	return p
}

// reference returns the loss, Σ g·c and the sums of g along rows and columns.
func (p pairing) reference() (loss, dot float64, margins device.Margins) {
	cosine, constant, traces := 1., 0., -0.5
	if p.numbers != nil {
		a, b := float64(p.numbers[0]), float64(p.numbers[1])
		cosine, constant, traces = 2*a, b-2*a, -a
	}
	a := device.Matrix[float64]{Rows: p.batch, Columns: p.batch, Values: doubles(p.cosines)}
	logits := device.Logits[float64]{Scale: cosine, Weight: p.weight}
	for i := range p.batch {
		logits.Rows = append(logits.Rows, constant+traces*float64(p.rows[i]))
		logits.Columns = append(logits.Columns, traces*float64(p.columns[i]))
	}
	margins = device.Margins{Rows: make([]float64, p.batch), Columns: make([]float64, p.batch)}
	loss, dot = device.Reference[float64]{}.SigmoidPairs(device.NewMatrix[float64](p.batch, p.batch), a, logits, margins)
	return loss, dot, margins
}

// onCard returns the same values computed on the GPU, and the resulting contents of the cosines.
func (p pairing) onCard(t *testing.T) (loss, dot float64, rows, columns, cosines []float32) {
	t.Helper()
	across, down := (p.batch+127)/128, (p.batch+31)/32
	b := newBench(t)
	rowSums, columnSums := b.put(make([]float32, across*p.batch)...), b.put(make([]float32, down*p.batch)...)
	losses, dots, at, numbers := b.put(make([]float32, across*down)...), b.put(make([]float32, across*down)...), b.put(p.cosines...), cuda.Address(0)
	if p.numbers != nil {
		numbers = b.put(p.numbers...)
	}
	b.run("sigmoid_pairs", cuda.Size{X: across, Y: down}, cuda.Size{X: 128, Y: 1}, rowSums, columnSums, losses, dots, at,
		b.put(p.rows...), b.put(p.columns...), numbers, p.batch, float32(p.weight))
	sums := b.put(make([]float32, 2*p.batch)...)
	grid, block := cuda.Size{X: (p.batch + 31) / 32, Y: 1}, cuda.Size{X: 32, Y: 8}
	b.run("add_parts", grid, block, sums, columnSums, down, p.batch)
	b.run("add_parts", grid, block, of(sums, p.batch), rowSums, across, p.batch)
	for i := range across * down {
		loss += p.weight * float64(b.get(of(losses, i), 1)[0])
		dot += float64(b.get(of(dots, i), 1)[0])
	}
	return loss, dot, b.get(of(sums, p.batch), p.batch), b.get(sums, p.batch), b.get(at, p.batch*p.batch)
}

func TestPairsOfTheCardAreThoseOfTheReference(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 1))
	sizes := edges
	if testing.Short() {
		sizes = edges[:7]
	}
	for _, batch := range sizes {
		for _, p := range []pairing{drawPairing(source, batch, 0.5), drawPairing(source, batch, 0.3, 5, 5), drawPairing(source, batch, 0.1, -2, 0.5),
			drawPairing(source, batch, 500, 5, 5)} { // the initial state of PCME++: only the matching pairs have a slope
			loss, dot, margins := p.reference()
			gotLoss, gotDot, rows, columns, cosines := p.onCard(t)
			what := fmt.Sprintf("%d pairs, numbers %v", batch, p.numbers)
			near(t, what+": loss", gotLoss, loss, 2e-6)
			near(t, what+": Σ g·c", gotDot, dot, 3e-6)
			closeTo(t, what+": sums of rows", rows, margins.Rows, 3e-6)
			closeTo(t, what+": sums of columns", columns, margins.Columns, 3e-6)
			if !slices.Equal(cosines, p.cosines) {
				t.Errorf("%s: the cosines were written to", what)
			}
		}
	}
}

// A NaN in one cosine or one trace appears in the loss, for every tile and side of the diagonal.
func TestNaNOfAPairIsInTheLossOfTheCard(t *testing.T) {
	source := rand.New(rand.NewPCG(4, 1))
	nan := float32(math.NaN())
	for _, at := range []int{0, 1, 34, 35*34 + 34, 35*35 - 1, 20 * 36} {
		for _, spoil := range []func(p *pairing){
			func(p *pairing) { p.cosines[at] = nan }, func(p *pairing) { p.rows[at%35] = nan }, func(p *pairing) { p.columns[at%35] = nan },
			func(p *pairing) { p.rows[at%35] = float32(math.Inf(1)) },
		} {
			p := drawPairing(source, 35, 1, 2, 3)
			spoil(&p)
			if loss, _, _, _, _ := p.onCard(t); loss-loss == 0 {
				t.Errorf("the loss is %g with a strange value at %d", loss, at)
			}
		}
	}
}

// The bottleneck of a side counts as 0 above 10⁴, and a bottleneck that is not finite makes the
// loss not finite.
func TestABottleneckIsDroppedAboveItsLimitOnly(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const rows, columns, weight = 3, 5, 0.25
	for _, test := range []struct {
		terms        [rows]float32 // of each row; their sum over 2·rows·columns is the bottleneck
		added, share float64
	}{
		{[rows]float32{30, 60, 90}, weight * 6, weight},
		{[rows]float32{0, 0, 0}, 0, weight},
		{[rows]float32{299_999, 0, 0}, weight * 299_999 / 30, weight},
		{[rows]float32{300_001, 0, 1}, 0, 0},
		{[rows]float32{1, inf, 1}, math.Inf(1), weight},
		{[rows]float32{1, 1, nan}, math.NaN(), weight},
		{[rows]float32{inf, -inf, 0}, math.NaN(), weight},
	} {
		b := newBench(t)
		added, weights := b.put(-1, -1), b.put(-1, -1)
		terms := b.put(append([]float32{3, 6, 9}, test.terms[:]...)...) // the other side's do not matter
		b.run("bottleneck", cuda.Size{X: 2, Y: 1}, cuda.Size{X: 1024, Y: 1}, added, weights, terms, rows, columns, float32(weight))
		gotAdded, gotWeights := b.get(added, 2), b.get(weights, 2)
		if gotAdded[0] != weight*0.6 || gotWeights[0] != weight {
			t.Errorf("%v: the side before adds %g with weight %g", test.terms, gotAdded[0], gotWeights[0])
		}
		same := float64(gotAdded[1]) == test.added || math.Abs(float64(gotAdded[1])-test.added) < 1e-6*test.added ||
			math.IsNaN(test.added) && gotAdded[1] != gotAdded[1]
		if !same || float64(gotWeights[1]) != test.share {
			t.Errorf("%v: adds %g with weight %g, want %g with %g", test.terms, gotAdded[1], gotWeights[1], test.added, test.share)
		}
	}
}

func TestGradientsOfVariancesHaveBothParts(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 1))
	for _, columns := range edges {
		for _, share := range []float64{0, 0.5, 1} {
			const rows = 3
			variances, outputs, sums := normal(source, rows*columns, 1), normal(source, rows*columns, 2), normal(source, rows, 1)
			for _, numbers := range [][]float32{nil, {4, 9}} {
				b := newBench(t)
				d, squares, weights, at := b.put(variances...), b.put(make([]float32, rows)...), cuda.Address(0), cuda.Address(0)
				factor, weight, scale := -0.5, 0.0, share/7
				if numbers != nil {
					factor, at = -4, b.put(numbers...)
				}
				if share != 0 {
					weight, weights = 0.3, b.put(0.3)
				}
				b.rows("variance_gradient", rows, d, squares, b.put(sums...), b.put(outputs...), weights, at, columns, float32(share), float32(scale))
				want, lengths := make([]float64, rows*columns), make([]float64, rows)
				for i := range want {
					want[i] = factor*float64(sums[i/columns])*float64(variances[i]) + weight*scale*math.Expm1(share*float64(outputs[i]))
					lengths[i/columns] += want[i] * want[i]
				}
				what := fmt.Sprintf("%d columns, share %g, numbers %v", columns, share, numbers)
				closeTo(t, what, b.get(d, rows*columns), want, 2e-6)
				closeTo(t, what+": squares", b.get(squares, rows), lengths, 5e-6)
			}
		}
	}
}
