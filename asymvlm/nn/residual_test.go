package nn

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// residualCases are the files of testdata, which make_residual.py computes with numpy.
var residualCases = map[string]goldenCase{
	"residual_vmf":    {Architecture{Likelihood: VonMisesFisher, Residual: true, RankerDecay: 0.5}, gradientDescent, 1},
	"residual_ps":     {Architecture{Likelihood: PowerSpherical, Residual: true, RankerDecay: 0.5}, gradientDescent, 1},
	"residual_cosine": {Architecture{Likelihood: Cosine, Residual: true, RankerDecay: 0.5}, gradientDescent, 1},
}

func readResidual(t *testing.T, name string) *golden {
	t.Helper()
	arrays, err := embedding.ReadNPZ(filepath.Join("testdata", name+".npz"))
	if err != nil {
		t.Fatal(err)
	}
	return &golden{t, arrays}
}

func TestResidualTrainingAgreesWithNumpy(t *testing.T) {
	cpu := device.NewCPU(2)
	defer cpu.Close()
	for file, c := range residualCases {
		t.Run("float64/"+file, func(t *testing.T) {
			checkGolden(t, readResidual(t, file), c, device.Reference[float64]{}, tolerances64)
		})
		t.Run("float32/"+file, func(t *testing.T) {
			checkGolden(t, readResidual(t, file), c, cpu, tolerances32)
		})
	}
}

func TestResidualTrainingBeginsWithTheEmbeddingsThemselves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	raw := device.NewMatrix[float64](5, 6)
	for i := range raw.Values {
		raw.Values[i] = random.NormFloat64()
	}
	for _, side := range []Side{Texts, Images} {
		objective := Contrastive
		if side == Images {
			objective = ContrastiveImages
		}
		l, err := newLearner(device.Reference[float64]{}, Architecture{Dimension: 6, Objective: objective, Likelihood: VonMisesFisher, Residual: true}, 5)
		if err != nil {
			t.Fatal(err)
		}
		l.Initialize(random)
		if got := l.Represent(side, raw); !slices.Equal(got.Rows.Values, raw.Values) {
			t.Errorf("side %d: the outputs differ from the embeddings", side)
		}
		if !l.IsResidual() {
			t.Error("the learner does not call itself residual")
		}
	}
}

// The direction is that of the ranker's layer, the length that of the estimator's.
func TestTwoLayersOfAResidualNetworkHaveDirectionAndLength(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	raw := device.NewMatrix[float64](4, 6)
	for i := range raw.Values {
		raw.Values[i] = random.NormFloat64()
	}
	both, err := newLearner(device.Reference[float64]{}, Architecture{Dimension: 6, Likelihood: VonMisesFisher, Residual: true}, 4)
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string][]float64{}
	for _, p := range both.Parameters() {
		for i := range p.Values {
			p.Values[i] = random.NormFloat64()
		}
		layers[p.Name] = p.Values
	}
	layer := func(weight, bias, x []float64) []float64 {
		y := slices.Clone(x)
		for i := range y {
			y[i] += bias[i] + inner(weight[i*6:(i+1)*6], x)
		}
		return y
	}
	got := both.Represent(Texts, raw)
	for r := range raw.Rows {
		x := raw.Row(r)
		direction := layer(layers["ranker.text.0.weight"], layers["ranker.text.0.bias"], x)
		kappa := norm(layer(layers["text.0.weight"], layers["text.0.bias"], x))
		want := make([]float64, 6)
		for i, d := range direction {
			want[i] = kappa * d / norm(direction)
		}
		near(t, "η", got.Rows.Row(r), want, 1e-12)
		near(t, "1/κ", got.Uncertainty[r:r+1], []float64{1 / kappa}, 1e-12)
	}
}

func TestFixedTemperaturesOfAResidualNetworkStay(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	l, err := newLearner(device.Reference[float64]{}, Architecture{Dimension: 6, Likelihood: PowerSpherical, Residual: true, FirstTemperature: 3, FixedTemperature: true}, 5)
	if err != nil {
		t.Fatal(err)
	}
	l.Initialize(random)
	texts, images := device.NewMatrix[float64](5, 6), device.NewMatrix[float64](5, 6)
	for i := range texts.Values {
		texts.Values[i], images.Values[i] = random.NormFloat64(), random.NormFloat64()
	}
	if _, err := l.Step(texts, images, gradientDescent); err != nil {
		t.Fatal(err)
	}
	for _, p := range l.Parameters() {
		if fixed := strings.HasSuffix(p.Name, "tau"); fixed != (p.Values[0] == 3) {
			t.Errorf("%s is %g after a step", p.Name, p.Values[0])
		}
	}
}

func TestOnlyLikelihoodsHaveResidualNetworks(t *testing.T) {
	for _, a := range []Architecture{
		{Dimension: 4, Objective: PFE, Residual: true},
		{Dimension: 4, Objective: Contrastive, Likelihood: Cosine, OutputFactor: 2, Residual: true},
	} {
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), "cannot be residual") {
			t.Errorf("%s: error %v", a.Objective, err)
		}
	}
	for _, a := range []Architecture{
		{Dimension: 4, Objective: Contrastive, Likelihood: Cosine, RankerDecay: 1},
		{Dimension: 4, Objective: Contrastive, Likelihood: Cosine, Residual: true, RankerDecay: -1},
	} {
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), "ranker decay") {
			t.Errorf("%g: error %v", a.RankerDecay, err)
		}
	}
	if width, depth := (Architecture{Likelihood: Cosine, Residual: true}).Free(); width || depth {
		t.Errorf("width and depth are free: %t, %t", width, depth)
	}
}

// The derivatives of the concentrations are those of central differences of the loss, and the norms
// of the rows matter through their standing among those of the training.
func TestConcentrationsOfAResidualNetworkHaveTheDerivativesOfTheirFormula(t *testing.T) {
	for _, likelihood := range []Likelihood{VonMisesFisher, PowerSpherical} {
		random := rand.New(rand.NewPCG(9, 10))
		texts, images := device.NewMatrix[float64](5, 6), device.NewMatrix[float64](5, 6)
		for i := range texts.Values {
			texts.Values[i], images.Values[i] = 3*random.NormFloat64(), random.NormFloat64()
		}
		l, err := newLearner(device.Reference[float64]{}, Architecture{Dimension: 6, Likelihood: likelihood, Residual: true, FirstConcentration: 8}, 5)
		if err != nil {
			t.Fatal(err)
		}
		l.Initialize(random)
		var norms []float64
		for r := range texts.Rows {
			norms = append(norms, norm(texts.Row(r)))
		}
		for _, u := range l.Represent(Texts, texts).Uncertainty {
			if math.Abs(u-1.0/8) > 1e-12 {
				t.Errorf("%v: 1/κ begins as %g, want 1/8", likelihood, u)
			}
		}
		l.CenterNorms(norms)
		for _, p := range l.Parameters() {
			if !strings.HasSuffix(p.Name, "scale") && !strings.HasSuffix(p.Name, "tau") {
				for i := range p.Values {
					p.Values[i] = 0.3 * random.NormFloat64()
				}
			}
		}
		if _, err := l.differentiate(texts, images); err != nil {
			t.Fatal(err)
		}
		gradient := map[string][]float64{}
		for _, p := range l.tensors.named("", l.gradient) {
			gradient[p.Name] = slices.Clone(p.Values)
		}
		loss := func() float64 {
			result, err := l.differentiate(texts, images)
			if err != nil {
				t.Fatal(err)
			}
			return result.Loss
		}
		for _, p := range l.Parameters() {
			if strings.HasPrefix(p.Name, RankerPrefix) || strings.HasSuffix(p.Name, "scale") {
				continue
			}
			for _, i := range []int{0, len(p.Values) / 2, len(p.Values) - 1} {
				const step = 1e-5
				at := p.Values[i]
				p.Values[i] = at + step
				above := loss()
				p.Values[i] = at - step
				below := loss()
				p.Values[i] = at
				if want := (above - below) / (2 * step); math.Abs(gradient[p.Name][i]-want) > 1e-7*(1+math.Abs(want)) {
					t.Errorf("%v: derivative by %s[%d] %g, by differences %g", likelihood, p.Name, i, gradient[p.Name][i], want)
				}
			}
		}
	}
}
