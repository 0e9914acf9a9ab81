package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
)

// objectives lists all objectives with a loss that trains parameters by gradients.
var objectives = []Architecture{
	{Objective: ContrastiveImages, Likelihood: VonMisesFisher}, {Objective: Sigmoid, Likelihood: VonMisesFisher},
	{Objective: SigmoidLog, Likelihood: PowerSpherical}, {Objective: Contrastive, Likelihood: Gaussian},
	{Objective: Symmetrized}, {Objective: Mutual}, {Objective: PFE}, {Objective: PCMEPP},
	{Objective: ProLIP}, {Objective: ProLIPExact}, {Objective: ProLIPFull},
	{Objective: ProLIPFullOfficial},
	{Objective: ProbVLM}, {Objective: ProbVLMExact},
	{Objective: Evidential}, {Objective: EvidentialITC}, {Objective: Ensemble},
}

func (a Architecture) String() string {
	if a.Likelihood == nil {
		return a.objective().String()
	}
	return a.objective().String() + " " + a.Likelihood.String()
}

// small returns an architecture with the sizes of these tests.
func small(a Architecture) Architecture {
	a.Dimension, a.Hidden, a.HiddenLayers, a.Optimizer = 8, 11, 2, AdamW
	return a
}

func TestGradientsOfAllObjectivesAgreeWithFiniteDifferences(t *testing.T) {
	for _, architecture := range objectives {
		t.Run(architecture.String(), func(t *testing.T) {
			l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
			l.SetEpoch(9)
			texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
			if _, err := l.differentiate(texts, images); err != nil {
				t.Fatal(err)
			}
			gradient := slices.Clone(l.gradient)
			size := norm(gradient)
			for i := 0; i < len(gradient); i += 1 + i%7 {
				const h = 1e-5
				loss := func(shift float64) float64 {
					kept := l.parameters[i]
					l.parameters[i] += shift
					result, err := l.differentiate(texts, images)
					if err != nil {
						t.Fatal(err)
					}
					l.parameters[i] = kept
					return result.Loss
				}
				numeric := (loss(h) - loss(-h)) / (2 * h)
				tolerance := 1e-6
				if architecture.Objective == ProbVLMExact {
					tolerance = 1e-5 // |μ−y|^β with β < 1 is steep at 0, and so is its third derivative
				}
				if math.Abs(numeric-gradient[i]) > tolerance*math.Max(math.Abs(gradient[i]), size/20) {
					t.Errorf("parameter %d: derivative %g, finite difference %g", i, gradient[i], numeric)
				}
			}
		})
	}
}

func TestNoObjectiveStepsOnNaN(t *testing.T) {
	for _, architecture := range append(objectives, Architecture{Objective: Laplace}) {
		a := small(architecture)
		if a.Objective == Laplace {
			a.Optimizer = Accumulate
		}
		l := testLearner(t, device.Reference[float64]{}, a, 5)
		texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(5, 6)))
		texts.Values[3], images.Values[20] = math.NaN(), math.NaN()
		before := slices.Clone(l.parameters)
		_, err := l.Step(texts, images, device.Rate{Rate: 0.1})
		var notFinite *NotFiniteError
		if !errors.As(err, &notFinite) {
			t.Errorf("%s: error %v", architecture, err)
		}
		if !slices.Equal(before, l.parameters) || l.steps != 0 {
			t.Errorf("%s: parameters changed", architecture)
		}
	}
}

func TestScoresDoNotDependOnTheBatch(t *testing.T) {
	for _, architecture := range objectives {
		texts, images := pairs[float64](11, 8, rand.New(rand.NewPCG(11, 12)))
		var all [][]float64
		for _, batch := range []int{11, 4} {
			l := testLearner(t, device.Reference[float64]{}, small(architecture), batch)
			scores := device.NewMatrix[float64](11, 11)
			ofImages, ofTexts := l.Represent(Images, images), l.Represent(Texts, texts)
			l.Score(scores, ofImages, ofTexts)
			uTexts, uImages := l.QueryUncertainty(BestOf(scores), ofImages, ofTexts)
			all = append(all, slices.Concat(scores.Values, uTexts, uImages))
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%s: scores or uncertainties depend on the batch", architecture)
		}
	}
}

func TestAdamWWithoutGradientOnlyDecays(t *testing.T) {
	parameters, moments := []float64{2, -4}, [2][]float64{make([]float64, 2), make([]float64, 2)}
	ops := device.Reference[float64]{}
	ops.UpdateAdam(parameters, moments, []float64{0, 0}, device.NewAdamStep(device.Rate{Rate: 0.1, WeightDecay: 0.5}, 1))
	if parameters[0] != 2*0.95 || parameters[1] != -4*0.95 {
		t.Errorf("parameters %v", parameters)
	}
	// Its first step has the size of the rate for any size of the gradient.
	ops.UpdateAdam(parameters[:1], [2][]float64{{0}, {0}}, []float64{1e-3}, device.NewAdamStep(device.Rate{Rate: 0.1}, 1))
	if math.Abs(parameters[0]-1.8) > 1e-5 {
		t.Errorf("parameter %g, want 1.8", parameters[0])
	}
}

func TestConstantScheduleHasEqualEnds(t *testing.T) {
	s := CosineSchedule{Initial: 5e-5, Final: 5e-5, Steps: 7}
	for step := range 9 {
		if s.Rate(step) != 5e-5 {
			t.Errorf("rate %g after %d steps", s.Rate(step), step)
		}
	}
}

// The values of this package are the objectives: none is missing from the tests of all objectives.
func TestObjectivesAreComparableAndNamed(t *testing.T) {
	model := &custom.Model{}
	if Own(model) != Own(model) || Own(model) == Own(&custom.Model{}) {
		t.Error("objectives of one model differ, or those of two are equal")
	}
	names := map[string]Objective{}
	for _, a := range append(objectives, Architecture{Likelihood: Cosine}, Architecture{Objective: Laplace}, Architecture{Objective: LaplaceExact}, Architecture{Objective: Own(model)}) {
		name := a.objective().String()
		if other, known := names[name]; known && other != a.objective() {
			t.Errorf("two objectives are named %s", name)
		}
		names[name] = a.objective()
	}
	if len(names) != 20 {
		t.Errorf("%d objectives: %v", len(names), names)
	}
}

func ExampleArchitecture() {
	l, err := NewLearner(device.Reference[float32]{}, Architecture{Dimension: 4, Objective: Evidential, Optimizer: AdamW}, 2)
	if err != nil {
		panic(err)
	}
	for _, p := range l.Parameters() {
		fmt.Println(p.Name, p.Shape)
	}
	// Output:
	// text.down.weight [2 4]
	// text.down.bias [2]
	// text.up.weight [4 2]
	// text.up.bias [4]
	// image.down.weight [2 4]
	// image.down.bias [2]
	// image.up.weight [4 2]
	// image.up.bias [4]
	// iota []
}
