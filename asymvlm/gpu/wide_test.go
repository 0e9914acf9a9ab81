//go:build gpu && linux

package gpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/nn"
)

// A layer with more rows than a grid has blocks along y is trained to the CPU's values.
func TestStepsOfAVeryWideLayerLeaveTheProcessorsNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("plays millions of threads")
	}
	const wide = 1<<16 + 5
	for _, optimizer := range []nn.Optimizer{nn.AdamP, nn.AdamW, nn.SGD} {
		played.begin(0, 0, gigabyte)
		learner := func() *nn.Learner {
			l, err := nn.NewLearner(device.Reference[float32]{}, nn.Architecture{Dimension: 3, Hidden: wide, HiddenLayers: 1, Objective: nn.Contrastive,
				Likelihood: nn.PowerSpherical, Optimizer: optimizer}, 3)
			if err != nil {
				t.Fatal(err)
			}
			l.Initialize(rand.New(rand.NewPCG(3, 4)))
			return l
		}
		onCard, onProcessor := learner(), learner()
		work, _, _ := onCard.Work()
		work.Stretch, work.AnchorStretch = 1, 1
		work.AdaptedOf, work.AnchorOf = []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4, 5}
		work.Adapted, work.Anchors = device.NewMatrix[float32](6, 3), device.NewMatrix[float32](6, 3)
		texts, images := device.NewMatrix[float32](6, 3), device.NewMatrix[float32](6, 3) // the last pair first
		for i := range work.Adapted.Values {
			work.Adapted.Values[i], work.Anchors.Values[i] = float32(math.Sin(float64(i))), float32(math.Cos(float64(3*i)))
		}
		for row := range 6 {
			copy(texts.Row(row), work.Adapted.Row(5-row))
			copy(images.Row(row), work.Anchors.Row(5-row))
		}
		for from := 0; from < 6; from += 3 {
			some := func(m device.Matrix[float32]) device.Matrix[float32] {
				return device.Matrix[float32]{Rows: 3, Columns: 3, Values: m.Values[3*from : 3*from+9]}
			}
			if _, err := onProcessor.Step(some(texts), some(images), rate); err != nil {
				t.Fatal(err)
			}
		}
		if err := whole(work, work.Parameters, work.Memory); err != nil {
			t.Fatal(err)
		}
		got := append(onCard.Parameters(), onCard.Memory()...)
		for i, want := range append(onProcessor.Parameters(), onProcessor.Memory()...) {
			tolerance := 2e-5 // of the largest value
			if optimizer != nn.SGD && i < len(onProcessor.Parameters()) {
				tolerance = 0.01 * rate.Rate // a hundredth of a step, which has a fixed size even if the gradient is only rounding error
			}
			compare(t, string(optimizer)+": "+want.Name, got[i].Values, want.Values, tolerance)
		}
		legal(t, "a wide layer")
	}
}

// compare compares values one by one, relative to the largest.
func compare(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	size := 1e-6
	for _, value := range want {
		size = max(size, math.Abs(float64(value)))
	}
	for i, value := range want {
		if !(math.Abs(float64(got[i]-value)) <= tolerance*size) {
			t.Errorf("%s: value %d of %d is %g, want %g; the largest is %g", what, i, len(want), got[i], value, size)
			return
		}
	}
}
