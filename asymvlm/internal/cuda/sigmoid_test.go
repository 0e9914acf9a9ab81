package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

// A margin holds the inputs of the kernels of SigLIP's loss.
type margin struct {
	batch       int
	pairs, logs []float32
	tau, bias   float32
	groups      []int // nil for the kernel without groups
}

// A marginResult holds their results.
type marginResult struct {
	loss, dot, total  float64
	gradient, columns []float32
}

func (m margin) onCard(t *testing.T) marginResult {
	t.Helper()
	b, n := newBench(t), m.batch
	across, down := (n+127)/128, (n+31)/32
	zeros := func(count int) cuda.Address { return b.put(make([]float32, count)...) }
	pairs, parts, sums, losses, dots, totals := b.put(m.pairs...), zeros(down*n), zeros(n), zeros(across*down), zeros(across*down), zeros(across*down)
	kernel, arguments := "sigmoid_linear", []any{pairs, parts, parts, losses, dots, totals, b.put(m.logs...), b.put(m.logs...), b.put(m.tau), b.put(m.bias), n}
	if m.groups != nil {
		words := make([]uint32, n)
		for i, group := range m.groups {
			words[i] = uint32(group)
		}
		kernel, arguments = kernel+"_masked", append(arguments, b.words(words...))
	}
	b.run(kernel, cuda.Size{X: across, Y: down}, cuda.Size{X: 128, Y: 1}, arguments...)
	b.run("add_parts", cuda.Size{X: (n + 31) / 32, Y: 1}, cuda.Size{X: 32, Y: 8}, sums, parts, down, n)
	return marginResult{sum(b.get(losses, across*down)) / float64(n), sum(b.get(dots, across*down)), sum(b.get(totals, across*down)), b.get(pairs, n*n), b.get(sums, n)}
}

// Logits from those of a well-trained pair to those whose exponential overflows, with masked pairs
// that are NaN.
func TestEveryPairOfTheCardIsThatOfTheReference(t *testing.T) {
	source := rand.New(rand.NewPCG(71, 1))
	for _, batch := range edges[:8] {
		for _, tau := range []float32{0.5, 10, 300} {
			for name, groups := range map[string]func(int) int{"no groups": nil, "twins": masking["twins"], "one set": masking["one set"]} {
				m := margin{batch: batch, pairs: normal(source, batch*batch, 1), logs: normal(source, batch, 0.3), tau: tau, bias: -3}
				for pair := 0; groups != nil && pair < batch; pair++ {
					m.groups = append(m.groups, groups(pair))
				}
				a := device.NewMatrix[float64](batch, batch)
				for i, product := range m.pairs {
					row, column := i/batch, i%batch
					a.Values[i] = float64(product) + float64(m.logs[column])
					if m.groups != nil && row != column && m.groups[row] == m.groups[column] {
						m.pairs[i] = float32(math.NaN())
					}
				}
				logits := device.Logits[float64]{Scale: float64(tau), Weight: 1 / float64(batch), Groups: m.groups, Rows: make([]float64, batch), Columns: make([]float64, batch)}
				for i := range batch {
					logits.Rows[i] = float64(m.bias)
				}
				margins := device.Margins{Rows: make([]float64, batch), Columns: make([]float64, batch)}
				want := device.NewMatrix[float64](batch, batch)
				loss, dot := device.Reference[float64]{}.SigmoidPairs(want, a, logits, margins)
				got, total, what := m.onCard(t), 0.0, fmt.Sprintf("%d pairs, factor %g, %s", batch, tau, name)
				for _, sum := range margins.Columns {
					total += sum
				}
				// Logits of 300 have 5 decimal places in float32.
				tolerance := 3e-6 + 3e-7*float64(tau)
				near(t, what+": loss", got.loss, loss, 3e-6)
				near(t, what+": Σ g·ℓ", got.dot, dot, tolerance)
				near(t, what+": Σ g", got.total, total, tolerance)
				closeTo(t, what+": gradient", got.gradient, want.Values, tolerance)
				closeTo(t, what+": sums of columns", got.columns, margins.Columns, tolerance)
			}
		}
	}
}

func TestNaNOfAPairThatIsSeenIsInTheSigmoidLoss(t *testing.T) {
	source := rand.New(rand.NewPCG(72, 1))
	for _, at := range []int{0, 1, 34, 35*35 - 1} {
		for _, groups := range [][]int{nil, make([]int, 35)} {
			m := margin{batch: 35, pairs: normal(source, 35*35, 1), logs: make([]float32, 35), tau: 1, groups: groups}
			m.pairs[at] = float32(math.NaN())
			row, column := at/35, at%35
			seen := groups == nil || row == column // all other pairs are of one group
			if r := m.onCard(t); (r.loss-r.loss != 0) != seen {
				t.Errorf("the loss is %g with NaN at %d, %d, which is seen: %t", r.loss, row, column, seen)
			}
		}
	}
}

// The temperature of a training with a logarithmic temperature, and the numbers of PCME++ that are
// equivalent to ProLIP's logit.
func TestTrainedLogarithmsBecomeTheirNumbers(t *testing.T) {
	for _, logarithm := range []float32{-4, 0, 2.302585, 6} {
		b := newBench(t)
		one := cuda.Size{X: 1, Y: 1}
		tau, numbers := b.put(0), b.put(0, 0)
		b.run("temperature_of", one, one, tau, b.put(logarithm))
		b.run("scaled_numbers", one, one, numbers, b.put(logarithm, -10))
		a, got := math.Exp(float64(logarithm)), b.get(numbers, 2)
		near(t, "temperature", float64(b.get(tau, 1)[0]), a, 1e-6)
		// PCME++'s logit is 2a'·c + b' − 2a' − a'·S.
		near(t, "factor of the cosine", 2*float64(got[0]), a, 1e-6)
		near(t, "constant", float64(got[1])-2*float64(got[0]), -10, 1e-6*math.Max(1, a/10))
	}
}
