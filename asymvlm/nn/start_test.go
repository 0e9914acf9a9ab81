package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
)

func TestFirstTemperaturesAreThoseAskedFor(t *testing.T) {
	for _, objective := range []Objective{Contrastive, ContrastiveImages, Sigmoid, SigmoidLog, Symmetrized, Mutual} {
		a := small(Architecture{Objective: objective, Likelihood: VonMisesFisher, FirstTemperature: 12})
		l := testLearner(t, device.Reference[float64]{}, a, 5)
		if got := l.Temperature(); math.Abs(got-12) > 1e-12 {
			t.Errorf("%s starts at %g, want 12", objective, got)
		}
		a.FirstTemperature = 0
		want := 1.0
		if objective == SigmoidLog {
			want = 10
		}
		if got := testLearner(t, device.Reference[float64]{}, a, 5).Temperature(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s starts at %g, the program at %g", objective, got, want)
		}
	}
}

// With a factor of 4, a last layer scaled by a quarter produces the same outputs, and its gradient
// is four times as large.
func TestOutputFactorMultipliesOutputsAndTheirGradient(t *testing.T) {
	texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
	plain := small(Architecture{Likelihood: PowerSpherical})
	scaled := plain
	scaled.OutputFactor = 4
	l, m := testLearner(t, device.Reference[float64]{}, plain, 5), testLearner(t, device.Reference[float64]{}, scaled, 5)
	for i, p := range m.Parameters() {
		copy(p.Values, l.Parameters()[i].Values)
		if strings.HasPrefix(p.Name, "text.4.") { // the last of three layers
			for j := range p.Values {
				p.Values[j] /= 4
			}
		}
	}
	first, err := l.differentiate(texts, images)
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.differentiate(texts, images)
	if err != nil {
		t.Fatal(err)
	}
	if first != second {
		t.Errorf("%+v without and %+v with the factor", first, second)
	}
	at := slices.IndexFunc(l.Parameters(), func(p Parameter64) bool { return p.Name == "text.4.weight" })
	from := 0
	for _, p := range l.Parameters()[:at] {
		from += len(p.Values)
	}
	for i := from; i < from+len(l.Parameters()[at].Values); i++ {
		if math.Abs(4*l.gradient[i]-m.gradient[i]) > 1e-15 {
			t.Fatalf("gradients %g and %g", l.gradient[i], m.gradient[i])
		}
	}
	if got, want := m.Represent(Texts, texts), l.Represent(Texts, texts); !slices.Equal(got.Rows.Values, want.Rows.Values) {
		t.Error("representations differ")
	}
}

// Parameter64 is the parameter type of these tests.
type Parameter64 = parameter[float64]

func TestStartsThatCannotBeAreErrors(t *testing.T) {
	for want, a := range map[string]Architecture{
		`objective "evidential" takes no first temperature, 2 given`: {Objective: Evidential, FirstTemperature: 2},
		`objective "symmetrized" takes no output factor, 3 given`:    {Objective: Symmetrized, OutputFactor: 3},
		"first temperature -1, want a positive number":               {Likelihood: Cosine, FirstTemperature: -1},
		"output factor +Inf":  {Likelihood: Cosine, OutputFactor: math.Inf(1)},
		"output factor NaN":   {Likelihood: Cosine, OutputFactor: math.NaN()},
		"first temperature N": {Likelihood: Cosine, FirstTemperature: math.NaN()},
	} {
		if err := small(a).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// A fixed temperature keeps its bits under every optimizer and decay, and all other parameters
// change.
func TestAFixedTemperatureStays(t *testing.T) {
	for _, objective := range []Objective{Contrastive, ContrastiveImages, Sigmoid, SigmoidLog, Symmetrized, Mutual} {
		for _, optimizer := range []Optimizer{SGD, AdamW, AdamP} {
			a := small(Architecture{Objective: objective, Likelihood: VonMisesFisher, FirstTemperature: 3, FixedTemperature: true})
			a.Optimizer = optimizer
			l := testLearner(t, device.Reference[float64]{}, a, 5)
			tau, before := l.Temperature(), slices.Clone(l.parameters)
			texts, images := pairs[float64](5, a.Dimension, rand.New(rand.NewPCG(3, 4)))
			for range 3 {
				if _, err := l.Step(texts, images, device.Rate{Rate: 0.1, Momentum: 0.9, WeightDecay: 0.1}); err != nil {
					t.Fatal(err)
				}
			}
			if l.Temperature() != tau || math.Abs(tau-3) > 1e-12 {
				t.Errorf("%s, %s: temperature %g, before %g", objective, optimizer, l.Temperature(), tau)
			}
			if slices.Equal(before, l.parameters) {
				t.Errorf("%s, %s: nothing is learned", objective, optimizer)
			}
			if _, _, ok := l.Work(); ok {
				t.Errorf("%s: a card is asked to fix a temperature", objective)
			}
		}
	}
	if err := small(Architecture{Objective: Evidential, FixedTemperature: true}).Check(); err == nil {
		t.Error("the temperature of a loss without one is fixed")
	}
}
