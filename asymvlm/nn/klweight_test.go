package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
)

// The loss of elip is linear in its weight of the divergence, which rises to the given one over 15
// epochs.
func TestTheWeightOfTheDivergenceScalesIt(t *testing.T) {
	texts, images := device.NewMatrix[float64](5, 6), device.NewMatrix[float64](5, 6)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range texts.Values {
		texts.Values[i], images.Values[i] = random.NormFloat64(), random.NormFloat64()
	}
	loss := func(weight *float64, epoch int) float64 {
		l, err := newLearner(device.Reference[float64]{}, Architecture{Dimension: 6, Objective: Evidential, Optimizer: AdamW, KLWeight: weight}, 5)
		if err != nil {
			t.Fatal(err)
		}
		l.Initialize(rand.New(rand.NewPCG(3, 4)))
		l.SetEpoch(epoch)
		result, err := l.differentiate(texts, images)
		if err != nil {
			t.Fatal(err)
		}
		return result.Loss
	}
	number := func(x float64) *float64 { return &x }
	without, whole := loss(number(0), 20), loss(nil, 20)
	for _, c := range []struct {
		weight float64
		epoch  int
		want   float64 // part of the divergence
	}{{1, 15, 1}, {1, 5, 1.0 / 3}, {0.5, 15, 0.5}, {0.5, 3, 0.1}, {2, 30, 2}, {0, 3, 0}} {
		if got, want := loss(number(c.weight), c.epoch), without+c.want*(whole-without); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("weight %g in epoch %d: loss %g, want %g", c.weight, c.epoch, got, want)
		}
	}
	if whole == without {
		t.Error("the divergence is 0")
	}
	for _, a := range []Architecture{{Dimension: 6, Objective: EvidentialITC, KLWeight: number(1)}, {Dimension: 6, Objective: Evidential, KLWeight: number(-1)}} {
		if a.Check() == nil {
			t.Errorf("%v with the weight %g is accepted", a.Objective, *a.KLWeight)
		}
	}
}
