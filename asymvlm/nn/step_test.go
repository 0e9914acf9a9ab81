package nn

import (
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
)

// withoutAllocation lists the objectives whose steps do not allocate. The others pass whole batches
// to packages that return new slices.
var withoutAllocation = []Architecture{
	{Likelihood: VonMisesFisher}, {Likelihood: VonMisesFisherExact}, {Likelihood: PowerSpherical}, {Likelihood: Cosine}, {Likelihood: Gaussian},
	{Objective: ContrastiveImages, Likelihood: VonMisesFisher}, {Objective: Sigmoid, Likelihood: VonMisesFisher},
	{Objective: Sigmoid, Likelihood: PowerSpherical}, {Objective: SigmoidLog, Likelihood: VonMisesFisher}, {Objective: Symmetrized},
	{Objective: PFE}, {Objective: PCMEPP, Optimizer: AdamW},
	{Objective: ProbVLM, Optimizer: AdamW}, {Objective: ProbVLMExact, Optimizer: AdamW},
	{Objective: EvidentialITC, Optimizer: AdamW}, {Objective: Ensemble, Optimizer: AdamW},
}

func TestStepsDoNotAllocate(t *testing.T) {
	for _, precision := range []device.Precision{device.Float32, device.BFloat16} {
		cpu, err := device.NewCPUWith(2, precision)
		if err != nil {
			t.Fatal(err)
		}
		testAllocations(t, cpu)
		cpu.Close()
	}
}

func testAllocations(t *testing.T, cpu device.Device) {
	t.Helper()
	texts, images := pairs[float32](64, 40, rand.New(rand.NewPCG(3, 4)))
	groups := make([]int, 64)
	for i := range groups {
		groups[i] = i / 2
	}
	for _, architecture := range withoutAllocation {
		architecture.Dimension, architecture.Hidden, architecture.HiddenLayers = 40, 48, 2
		l := testLearner(t, cpu, architecture, 64)
		if architecture.Maskable() {
			if err := l.MaskSameImage(groups); err != nil {
				t.Fatal(err)
			}
		}
		allocations := testing.AllocsPerRun(5, func() {
			if _, err := l.Step(texts, images, device.Rate{Rate: 1e-4, Momentum: 0.9, WeightDecay: 5e-4}); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 0 {
			t.Errorf("%s, %s: %g allocations in a step", cpu.Name(), architecture, allocations)
		}
	}
}
