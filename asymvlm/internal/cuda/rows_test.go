package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

// report launches a kernel that reports the results of a step, as the third step, and returns them
// and whether it stopped training. The arguments follow the control address.
func (b bench) report(kernel string, arguments ...any) (seen []float32, broken bool) {
	b.t.Helper()
	const step, words = 2, 5
	all, control := b.put(make([]float32, 4*words)...), b.words(step, 0)
	b.run(kernel, cuda.Size{X: 1, Y: 1}, cuda.Size{X: 1024, Y: 1}, append([]any{all, control}, arguments...)...)
	for i, value := range b.get(all, 4*words) {
		if (i < step*words || i >= (step+1)*words) && value != 0 {
			b.t.Errorf("%s: word %d of the steps beside is %g", kernel, i, value)
		}
	}
	state := make([]uint32, 2)
	if err := b.card.ReadWords(state, control); err != nil || state[0] != step {
		b.t.Fatalf("%s: the control is %v, error %v", kernel, state, err)
	}
	return b.get(of(all, step*words), words), state[1] != 0
}

func sum(values []float32) float64 {
	total := 0.0
	for _, value := range values {
		total += float64(value)
	}
	return total
}

// The derivatives with respect to a and b equal differences of the loss.
func TestNumbersOfPCMEppGetTheirDerivatives(t *testing.T) {
	source := rand.New(rand.NewPCG(6, 1))
	for _, batch := range []int{1, 5, 33, 600} {
		p := drawPairing(source, batch, 0.4, 3, 2)
		if batch == 600 {
			p = drawPairing(source, 6, 0.4, 3, 2) // the kernel processes lists longer than its 1024 threads in several rounds
		}
		_, dot, margins := p.reference()
		var sums, traces []float32
		for i := range p.batch {
			sums, traces = append(sums, float32(margins.Columns[i])), append(traces, p.columns[i])
		}
		for i := range p.batch {
			sums, traces = append(sums, float32(margins.Rows[i])), append(traces, p.rows[i])
		}
		squares := normal(source, 2*p.batch, 1)
		losses, dots := normal(source, 7, 1), []float32{float32(dot), 0, 0, 0, 0, 0, 0}
		b := newBench(t)
		d := b.put(0, 0)
		seen, broken := b.report("report_pairs", d, b.put(losses...), b.put(dots...), b.put(sums...), b.put(traces...), b.put(squares...),
			b.put(0.25, 0.5), b.put(p.numbers...), p.batch, 3, 7, float32(0.125))
		const h = 1e-4
		for i, got := range b.get(d, 2) {
			up, down := p, p
			up.numbers, down.numbers = []float32{3, 2}, []float32{3, 2}
			up.numbers[i] += h
			down.numbers[i] -= h
			above, _, _ := up.reference()
			below, _, _ := down.reference()
			near(t, fmt.Sprintf("%d pairs: derivative %d", p.batch, i), float64(got), (above-below)/float64(up.numbers[i]-down.numbers[i]), 2e-3)
		}
		for i, want := range []float64{0.125*sum(losses) + 0.75, 3, sum(traces[:p.batch]) / float64(3*p.batch), 0, sum(squares)} {
			near(t, fmt.Sprintf("%d pairs: seen value %d", p.batch, i), float64(seen[i]), want, 2e-6)
		}
		if broken {
			t.Error("a finite step is broken")
		}
	}
}

// Lists longer than the 1024 threads of the block are summed completely, and only up to their own
// length.
func TestReportsAddUpListsOfAnyLength(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 1))
	for _, batch := range []int{1, 1023, 1024, 1025, 2500} {
		losses, outputs, squares := normal(source, 2*batch, 1), normal(source, 2*batch, 1), normal(source, 2*batch, 1)
		traces := normal(source, 2*batch, 1)
		b := newBench(t)
		for _, sides := range []int{1, 2} {
			for _, withOutputs := range []bool{true, false} {
				at, wantOutput := cuda.Address(0), 0.0
				if withOutputs {
					at, wantOutput = b.put(outputs...), sum(outputs[:sides*batch])
				}
				seen, broken := b.report("report_rows", b.put(losses...), b.put(traces...), at, b.put(squares...), batch, 4, sides, float32(0.5))
				for i, want := range []float64{sum(losses[:sides*batch]) / 2, 1, sum(traces[:batch]) / float64(4*batch), wantOutput, sum(squares[:sides*batch])} {
					near(t, fmt.Sprintf("%d rows of %d sides: value %d", batch, sides, i), float64(seen[i]), want, 2e-6)
				}
				if broken {
					t.Error("a finite step is broken")
				}
			}
		}
	}
}

// Whichever list has a value that is not finite, the step stops training.
func TestReportsSeeWhatIsNotFinite(t *testing.T) {
	for _, strange := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for place := range 4 {
			b := newBench(t)
			list := func(i int) cuda.Address {
				values := []float32{1, 2, 3, 4}
				if i == place {
					values[2] = strange
				}
				return b.put(values...)
			}
			if _, broken := b.report("report_rows", list(0), list(1), list(2), list(3), 4, 2, 1, float32(1)); !broken {
				t.Errorf("list %d with %g is not seen", place, strange)
			}
		}
		for place := range 5 {
			b := newBench(t)
			lists := [5][]float32{{1, 2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {0, 0}, {1, 1}}
			lists[place][0] = strange
			ones := b.put(1, 1, 1, 1, 1, 1, 1, 1)
			if _, broken := b.report("report_pairs", b.put(0, 0), b.put(lists[0]...), ones, ones, b.put(lists[1]...), b.put(lists[2]...),
				b.put(lists[3]...), b.put(lists[4]...), 4, 2, 4, float32(1)); !broken {
				t.Errorf("pairs: list %d with %g is not seen", place, strange)
			}
		}
	}
}

func TestMatchedVariancesOfTheCardAreThoseOfTheReference(t *testing.T) {
	source := rand.New(rand.NewPCG(8, 1))
	for _, columns := range edges {
		for _, size := range []float64{1, 30} { // softplus is 0 or x for extreme arguments
			const rows = 3
			values := [6][]float32{}
			for i := range values {
				values[i] = normal(source, rows*columns, size)
			}
			raw, means := [2][]float32{values[0], values[1]}, [2][]float32{values[2], values[3]}
			for i := range raw[0] {
				raw[1][i] = float32(math.Max(float64(raw[1][i]), -20)) // two variances of 0 have no logarithm
			}
			b := newBench(t)
			dTexts, dImages := b.put(values[4]...), b.put(values[5]...)
			losses, traces, squares := b.put(make([]float32, rows)...), b.put(make([]float32, rows)...), b.put(make([]float32, rows)...)
			b.rows("matched_variances", rows, dTexts, dImages, losses, traces, squares, b.put(raw[0]...), b.put(raw[1]...), b.put(means[0]...),
				b.put(means[1]...), columns, float32(1./rows))
			matrix := func(values []float32) device.Matrix[float64] {
				return device.Matrix[float64]{Rows: rows, Columns: columns, Values: doubles(values)}
			}
			gradients := [2]device.Matrix[float64]{device.NewMatrix[float64](rows, columns), device.NewMatrix[float64](rows, columns)}
			loss := device.Reference[float64]{}.MatchedVariances(gradients, [2]device.Matrix[float64]{matrix(raw[0]), matrix(raw[1])},
				[2]device.Matrix[float64]{matrix(means[0]), matrix(means[1])})
			sums := make([]float64, rows)
			device.Reference[float64]{}.SoftplusSums(sums, matrix(raw[0]))
			what := fmt.Sprintf("%d columns of size %g", columns, size)
			near(t, what+": loss", sum(b.get(losses, rows))/rows, loss, 3e-6)
			closeTo(t, what+": traces", b.get(traces, rows), sums, 2e-6)
			closeTo(t, what+": texts", b.get(dTexts, rows*columns), gradients[0].Values, 3e-6)
			closeTo(t, what+": images", b.get(dImages, rows*columns), gradients[1].Values, 3e-6)
			length := 0.0
			for i := range gradients[0].Values {
				length += gradients[0].Values[i]*gradients[0].Values[i] + gradients[1].Values[i]*gradients[1].Values[i]
			}
			near(t, what+": squares", sum(b.get(squares, rows))/length, 1, 1e-5)
		}
	}
}

func TestDetoursAreAddedOnceToEveryRow(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {5, 130, 2}, {7, 128, 7}, {300, 3, 256}} {
		rows, columns, blocks := shape[0], shape[1], shape[2]
		b := newBench(t)
		y, around, bias := make([]float32, rows*columns), make([]float32, rows*columns), make([]float32, columns)
		for i := range y {
			y[i], around[i] = float32(i%13), float32(i%7)
		}
		for j := range bias {
			bias[j] = float32(j) - 60
		}
		at := b.put(y...)
		b.run("add_detour", cuda.Size{X: (columns + 127) / 128, Y: blocks}, cuda.Size{X: 128, Y: 1}, at, b.put(bias...), b.put(around...), rows, columns)
		for i, got := range b.get(at, len(y)) {
			if want := y[i] + bias[i%columns] + around[i]; got != want {
				t.Fatalf("%v: value %d is %g, want %g", shape, i, got, want)
			}
		}
	}
}

// The gradient with respect to a direction is orthogonal to it; the component along it is removed.
func TestGradientsAcrossDirectionsAreThoseOfTheProjection(t *testing.T) {
	source := rand.New(rand.NewPCG(9, 1))
	for _, columns := range edges {
		const rows, tau, factor = 3, 1.5, 2.5
		d, mu, lengths := normal(source, rows*columns, 1), normal(source, rows*columns, 1), []float32{0.5, 7, 0}
		for row := range rows {
			square := 0.0
			for _, value := range mu[row*columns:][:columns] {
				square += float64(value) * float64(value)
			}
			for k := range columns {
				mu[row*columns+k] /= float32(math.Sqrt(square))
			}
		}
		b := newBench(t)
		at, squares := b.put(d...), b.put(make([]float32, rows)...)
		b.rows("across", rows, at, squares, b.put(mu...), b.put(lengths...), b.put(tau), columns, float32(factor))
		got, gotSquares := b.get(at, rows*columns), b.get(squares, rows)
		for row := range rows {
			along := 0.0
			for k := range columns {
				along += float64(d[row*columns+k]) * float64(mu[row*columns+k])
			}
			want, square, size := make([]float64, columns), 0.0, 0.0
			for k := range want {
				value := tau / math.Max(float64(lengths[row]), 1e-12) * (float64(d[row*columns+k]) - along*float64(mu[row*columns+k]))
				want[k], square = factor*value, square+value*value
				size = math.Max(size, math.Abs(tau*factor/math.Max(float64(lengths[row]), 1e-12)*float64(d[row*columns+k])))
			}
			if columns == 1 {
				continue // only rounding errors are orthogonal to a single direction
			}
			what := fmt.Sprintf("row %d of %d columns", row, columns)
			// Relative to the size before the component along it was removed.
			closeTo(t, what, append(got[row*columns:][:columns:columns], float32(size)), append(want, size), 2e-6)
			closeTo(t, what+": square", gotSquares[row:row+1], []float64{square}, 1e-4)
		}
	}
}
