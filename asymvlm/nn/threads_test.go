package nn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
)

// A step produces the same bits for any division of its work among threads, and so does a second
// training from the same seed.
func TestStepsGiveTheSameBitsOnOneToFiveThreads(t *testing.T) {
	for _, architecture := range every() {
		architecture = small(architecture)
		var first []float32
		var losses []float64
		for threads := 1; threads <= 5; threads++ {
			for range 2 {
				cpu := device.NewCPU(threads)
				source := rand.New(rand.NewPCG(21, 22))
				l, err := NewLearner(cpu, architecture, 133)
				if err != nil {
					t.Fatal(err)
				}
				l.Initialize(source)
				texts, images := pairs[float32](133, architecture.Dimension, source)
				var seen []float64
				for range 2 {
					result, err := l.Step(texts, images, device.Rate{Rate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4})
					if err != nil {
						t.Fatalf("%s: %v", architecture, err)
					}
					seen = append(seen, result.Loss, result.Temperature, result.MeanConcentration)
				}
				cpu.Close()
				bits := slices.Clone(l.parameters)
				if first == nil {
					first, losses = bits, seen
				}
				if !slices.Equal(bits, first) || !slices.Equal(seen, losses) {
					t.Errorf("%s: %d threads give other bits", architecture, threads)
				}
			}
		}
	}
}
