package nn

import (
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
	"residual_vmf":    {Architecture{Likelihood: VonMisesFisher, Residual: true}, gradientDescent, 1},
	"residual_ps":     {Architecture{Likelihood: PowerSpherical, Residual: true}, gradientDescent, 1},
	"residual_cosine": {Architecture{Likelihood: Cosine, Residual: true}, gradientDescent, 1},
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

func TestOnlyLikelihoodsHaveResidualNetworks(t *testing.T) {
	for _, a := range []Architecture{
		{Dimension: 4, Objective: PFE, Residual: true},
		{Dimension: 4, Objective: Contrastive, Likelihood: Cosine, OutputFactor: 2, Residual: true},
	} {
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), "cannot be residual") {
			t.Errorf("%s: error %v", a.Objective, err)
		}
	}
	if width, depth := (Architecture{Likelihood: Cosine, Residual: true}).Free(); width || depth {
		t.Errorf("width and depth are free: %t, %t", width, depth)
	}
}
