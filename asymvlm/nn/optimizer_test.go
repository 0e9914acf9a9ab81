package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
)

// A plainOptimizer performs one step as PyTorch's documentation describes it, number by number.
type plainOptimizer func(p, g float64, memory *[2]float64, step int, rate device.Rate) float64

var plainOptimizers = map[Optimizer]plainOptimizer{
	SGD: func(p, g float64, memory *[2]float64, _ int, rate device.Rate) float64 {
		g += rate.WeightDecay * p
		memory[0] = rate.Momentum*memory[0] + g
		return p - rate.Rate*memory[0]
	},
	AdamW: func(p, g float64, memory *[2]float64, step int, rate device.Rate) float64 {
		p -= rate.Rate * rate.WeightDecay * p
		memory[0] = 0.9*memory[0] + 0.1*g
		memory[1] = 0.999*memory[1] + 0.001*g*g
		m := memory[0] / (1 - math.Pow(0.9, float64(step)))
		v := memory[1] / (1 - math.Pow(0.999, float64(step)))
		return p - rate.Rate*m/(math.Sqrt(v)+1e-8)
	},
	Accumulate: func(p, g float64, _ *[2]float64, _ int, _ device.Rate) float64 { return p + g },
}

// Eight steps with falling rates on random gradients of sizes between 1e-6 and 1e3. All parameters
// decay, including scalars.
func TestOptimizersAreTheirRules(t *testing.T) {
	for optimizer, rule := range plainOptimizers {
		a := small(Architecture{Likelihood: VonMisesFisher})
		a.Optimizer = optimizer
		l := testLearner(t, device.Reference[float64]{}, a, 5)
		want := slices.Clone(l.parameters)
		memory := make([][2]float64, len(want))
		source := rand.New(rand.NewPCG(1, 8))
		for step := 1; step <= 8; step++ {
			rate := device.Rate{Rate: 0.1 / float64(step), Momentum: 0.9, WeightDecay: 0.05}
			for i := range l.gradient {
				l.gradient[i] = source.NormFloat64() * math.Pow(10, float64(i%10)-6)
				want[i] = rule(want[i], l.gradient[i], &memory[i], step, rate)
			}
			l.steps = step
			l.update(rate)
			for i, value := range l.parameters {
				if math.Abs(value-want[i]) > 1e-10*math.Max(1, math.Abs(want[i])) {
					t.Fatalf("%q, step %d: parameter %d is %.15g, by the rule %.15g", optimizer, step, i, value, want[i])
				}
			}
		}
	}
}

// A learner with the parameters, the optimizer state and the number of steps of another continues
// as the other does.
func TestMemoryAndStepsCarryATrainingOn(t *testing.T) {
	for _, optimizer := range []Optimizer{SGD, AdamW, AdamP} {
		a := small(Architecture{Likelihood: PowerSpherical})
		a.Optimizer = optimizer
		texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
		step := func(l *learner[float64], steps int) {
			for range steps {
				if _, err := l.Step(texts, images, device.Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 0.01}); err != nil {
					t.Fatal(err)
				}
			}
		}
		first := testLearner(t, device.Reference[float64]{}, a, 5)
		step(first, 3)
		for _, withSteps := range []bool{true, false} {
			second := testLearner(t, device.Reference[float64]{}, a, 5)
			copy(second.parameters, first.parameters)
			for i, part := range second.Memory() {
				copy(part.Values, first.Memory()[i].Values)
			}
			if withSteps {
				second.SetSteps(3)
			}
			through := testLearner(t, device.Reference[float64]{}, a, 5)
			step(through, 5)
			step(second, 2)
			same := slices.Equal(through.parameters, second.parameters)
			if same != (withSteps || optimizer == SGD) {
				t.Errorf("%q, steps told %v: the same parameters %v", optimizer, withSteps, same)
			}
		}
	}
}

// Initialize resets everything: the same seed produces the same weights and a zero optimizer state.
func TestInitializeForgets(t *testing.T) {
	for _, architecture := range objectives {
		l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
		before := slices.Clone(l.parameters)
		texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
		if _, err := l.Step(texts, images, device.Rate{Rate: 0.01, Momentum: 0.9}); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(before, l.parameters) {
			t.Errorf("%s: a step changed nothing", architecture)
		}
		l.Initialize(rand.New(rand.NewPCG(1, 2)))
		if !slices.Equal(before, l.parameters) || l.steps != 0 {
			t.Errorf("%s: other weights, or %d steps", architecture, l.steps)
		}
		for _, part := range l.Memory() {
			if slices.ContainsFunc(part.Values, func(x float64) bool { return x != 0 }) {
				t.Errorf("%s: %s remembers", architecture, part.Name)
			}
		}
	}
}

// Every objective lowers its own loss on a batch that it sees repeatedly.
func TestEveryLossFalls(t *testing.T) {
	for _, architecture := range objectives {
		l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
		texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
		var first, last float64
		for step := range 60 {
			result, err := l.Step(texts, images, device.Rate{Rate: 2e-3})
			if err != nil {
				t.Fatalf("%s: %v", architecture, err)
			}
			if step == 0 {
				first = result.Loss
			}
			last = result.Loss
		}
		if !(last < first) {
			t.Errorf("%s: loss %g first, %g last", architecture, first, last)
		}
	}
}

// Batches with wrong sizes are errors before anything is computed.
func TestBatchesThatDoNotFitAreErrors(t *testing.T) {
	l := testLearner(t, device.Reference[float64]{}, small(Architecture{Likelihood: Cosine}), 4)
	texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
	before := slices.Clone(l.parameters)
	for _, c := range [][2]int{{5, 5}, {3, 4}, {0, 0}} {
		if _, err := l.Step(part(texts, 0, c[0]), part(images, 0, c[1]), device.Rate{Rate: 1}); err == nil {
			t.Errorf("%d texts and %d images were a batch", c[0], c[1])
		}
	}
	if !slices.Equal(before, l.parameters) {
		t.Error("parameters changed")
	}
	if _, err := NewLearner(device.Reference[float32]{}, Architecture{Dimension: 8, Likelihood: Cosine}, 0); err == nil {
		t.Error("batches of 0 pairs")
	}
}
