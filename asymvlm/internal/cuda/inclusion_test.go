package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/nn"
)

// An enclosure holds the inputs of the kernels of the inclusion loss: means and log variances of
// images and of texts.
type enclosure struct {
	rows, columns int
	means, logs   [2][]float32 // the images first
	official      int
}

const enclosureEpsilon, enclosureSharpness, enclosureWeight = -2, 10, 0.25

// onCard returns the added loss, the gradients and the squares of their rows, the texts first.
func (e enclosure) onCard(t *testing.T) (added float64, gradients [2][]float32, squares []float32) {
	t.Helper()
	b, n := newBench(t), e.rows*e.columns
	x, y, of, in := b.put(e.means[0]...), b.put(e.means[1]...), b.put(e.logs[0]...), b.put(e.logs[1]...)
	losses, sum, counts, d := b.put(make([]float32, e.rows)...), b.put(9), b.put(9), [2]cuda.Address{b.put(make([]float32, n)...), b.put(make([]float32, n)...)}
	at := b.put(make([]float32, 2*e.rows)...)
	b.rows("inclusion", e.rows, losses, x, y, of, in, e.columns, float32(enclosureEpsilon), float32(enclosureSharpness), e.official)
	b.run("include", cuda.Size{X: 1, Y: 1}, cuda.Size{X: 1024, Y: 1}, sum, counts, losses, e.rows, e.columns, float32(enclosureWeight))
	b.run("inclusion_gradient", cuda.Size{X: e.rows, Y: 2}, cuda.Size{X: 128, Y: 1}, d[0], d[1], at, counts, x, y, of, in, e.columns,
		float32(enclosureEpsilon), float32(enclosureSharpness), e.official)
	return float64(b.get(sum, 1)[0]), [2][]float32{b.get(d[0], n), b.get(d[1], n)}, b.get(at, 2*e.rows)
}

func (e enclosure) reference(t *testing.T) *gaussian.PairLoss {
	t.Helper()
	form := gaussian.Exact
	if e.official == 1 {
		form = gaussian.Official
	}
	inclusion := gaussian.Inclusion{Form: form, Eps: enclosureEpsilon}
	want, err := inclusion.Loss(gaussian.Diagonal{Mean: doubles(e.means[0]), LogVariance: doubles(e.logs[0])},
		gaussian.Diagonal{Mean: doubles(e.means[1]), LogVariance: doubles(e.logs[1])}, enclosureSharpness)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// Variances from those of points to those larger than all means, in either order.
func TestTheInclusionLossOfTheCardIsThatOfItsPackage(t *testing.T) {
	source := rand.New(rand.NewPCG(61, 1))
	for _, columns := range edges[:8] {
		for _, spread := range []float64{0, 0.5, 4, 30} {
			for official := range 2 {
				e := enclosure{rows: 3, columns: columns, official: official}
				for side := range 2 {
					e.means[side], e.logs[side] = normal(source, 3*columns, 0.5), normal(source, 3*columns, spread)
				}
				want := e.reference(t)
				added, gradients, squares := e.onCard(t)
				what := fmt.Sprintf("%d columns, spread %g, form %d", columns, spread, official)
				near(t, what+": loss", added/enclosureWeight, want.Loss, 2e-6)
				for side, d := range [2][]float64{want.Two.LogVariance, want.One.LogVariance} {
					for i := range d {
						d[i] *= enclosureWeight
					}
					closeTo(t, fmt.Sprintf("%s: gradient of side %d", what, side), gradients[side], d, 5e-6)
					for row := range 3 {
						sum := 0.0
						for _, value := range d[row*columns : (row+1)*columns] {
							sum += value * value
						}
						near(t, what+": squares", float64(squares[3*side+row])/math.Max(sum, 1e-30), sum/math.Max(sum, 1e-30), 2e-5)
					}
				}
			}
		}
	}
}

// A batch above the limit of ProLIP's reference implementation contributes nothing, and neither
// does NaN, which other terms report.
func TestABatchBeyondTheLimitOfTheInclusionAddsNothing(t *testing.T) {
	for _, strange := range []float32{1e6, float32(math.NaN())} {
		e := enclosure{rows: 1, columns: 1, means: [2][]float32{{0}, {0}}, logs: [2][]float32{{strange}, {0}}}
		if added, gradients, squares := e.onCard(t); added != 0 || gradients[0][0] != 0 || gradients[1][0] != 0 || squares[0] != 0 {
			t.Errorf("log variance %g: adds %g with gradients %v", strange, added, gradients)
		}
	}
}

// A full form has no inclusion, too, if its weight is 0.
func TestStepsOnTheCardHaveTheWeightsOfTheOptions(t *testing.T) {
	for objective, weights := range map[nn.Objective]nn.PairWeights{
		nn.ProLIP: {Bottleneck: 0.3}, nn.ProLIPExact: {Bottleneck: 0.2},
		nn.ProLIPFull:         {Bottleneck: 0.1, Inclusion: 2, Eps: -1, Sharpness: 3},
		nn.ProLIPFullOfficial: {Bottleneck: 0.1, Eps: -1, Sharpness: 3},
	} {
		compareSteps(t, newGame(nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 1, Objective: objective, Pairs: &weights}, 20, 45))
	}
	if _, _, ok := newGame(nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 1, Objective: nn.ProLIP, Pairs: &nn.PairWeights{Inclusion: 1, Sharpness: 1}}, 20, 45).
		learner(t, device.Reference[float32]{}).Work(); ok {
		t.Error("the loss with an inclusion and without a scale has no kernels")
	}
}
