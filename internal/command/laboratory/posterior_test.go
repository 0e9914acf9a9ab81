package laboratory

import (
	"encoding/json"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// layeredData writes the parts of a data set whose embeddings are computed by last layers with 9
// inputs, with one projection for both parts next to them.
func layeredData(t *testing.T, folder string) {
	t.Helper()
	source := rand.New(rand.NewPCG(71, 72))
	draw := func(rows, columns int) embedding.Matrix {
		m := embedding.NewMatrix(rows, columns)
		for i := range m.Values {
			m.Values[i] = float32(source.NormFloat64())
		}
		return m
	}
	weights := draw(6, 9)
	for split, images := range map[string]int{"train": 60, "val": 20} {
		inputs := draw(images, 9)
		set := &embedding.Set{ImageLayer: &embedding.Layer{Inputs: inputs, Weights: weights}, TextLayer: &embedding.Layer{Inputs: inputs.Clone(), Weights: weights}}
		set.Images = embedding.NewMatrix(images, 6)
		for i := range images {
			set.CaptionImages = append(set.CaptionImages, i)
			for k := range 9 {
				set.TextLayer.Inputs.Set(i, k, inputs.At(i, k)+float32(0.4*source.NormFloat64()))
			}
		}
		outputs := func(l *embedding.Layer) embedding.Matrix {
			m, row := embedding.NewMatrix(images, 6), make([]float64, 6)
			for i := range images {
				l.Apply(row, l.Inputs.Row(i))
				for j, value := range row {
					m.Set(i, j, float32(value))
				}
			}
			return m
		}
		set.Images, set.Texts = outputs(set.ImageLayer), outputs(set.TextLayer)
		if err := embedding.WriteSet(filepath.Join(folder, "embeddings", "layered", split), set); err != nil {
			t.Fatal(err)
		}
	}
}

// readResult reads a result file.
func readResult(t *testing.T, folder, data, method string) (r result) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "results", data, "0", method+".json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBayesVLMUsesTheLastLayersOfAFolder(t *testing.T) {
	folder := t.TempDir()
	layeredData(t, folder)
	schedules := map[string]string{}
	for _, layers := range []string{"auto", "identity", "features"} {
		if _, _, err := train(t, folder, "--dataset", "layered", "--method", "bayesvlm", "--layers", layers, "--batch", "30", "--overwrite"); err != nil {
			t.Fatal(err)
		}
		if _, err := eval(t, folder, "--dataset", "layered", "--method", "bayesvlm", "--uncer_levels", "5"); err != nil {
			t.Fatal(err)
		}
		schedules[layers] = readResult(t, folder, "layered", "bayesvlm").Training.Schedule
	}
	if schedules["auto"] != schedules["features"] || !strings.HasSuffix(schedules["auto"], ", last layers") || strings.Contains(schedules["identity"], "layers") {
		t.Errorf("schedules %q", schedules)
	}
	// The use of the posterior is chosen at each evaluation and recorded in the result.
	plain := readResult(t, folder, "layered", "bayesvlm")
	for _, c := range []struct {
		flags []string
		note  string
	}{
		{[]string{"--variance", "delta"}, ", delta variance"}, {[]string{"--predict", "probit"}, ", probit"},
		{[]string{"--predict", "montecarlo", "--draws", "20"}, ", Monte Carlo with 20 draws"},
		{[]string{"--variance", "delta", "--predict", "montecarlo"}, ", delta variance, Monte Carlo"}, {[]string{"--variance", "official", "--predict", "mean"}, ""},
	} {
		stdout, err := eval(t, folder, append([]string{"--dataset", "layered", "--method", "bayesvlm", "--uncer_levels", "5"}, c.flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		r := readResult(t, folder, "layered", "bayesvlm")
		if want := plain.Training.Schedule + c.note; r.Training.Schedule != want || !strings.Contains(stdout, want+"\n") {
			t.Errorf("%q: schedule %q, want %q; output\n%s", c.flags, r.Training.Schedule, want, stdout)
		}
		if same := *r.T2I.MeanUncertainty[0] == *plain.T2I.MeanUncertainty[0]; strings.Contains(c.note, "delta") && same {
			t.Errorf("%q: the uncertainties of the first level are those of the official form", c.flags)
		}
	}
}

// The choice made for the training is the default of eval.
func TestPredictionsAreKeptWithTheCheckpoint(t *testing.T) {
	folder := t.TempDir()
	layeredData(t, folder)
	if _, _, err := train(t, folder, "--dataset", "layered", "--method", "bayesvlm-exact", "--variance", "delta", "--predict", "probit"); err != nil {
		t.Fatal(err)
	}
	if _, err := eval(t, folder, "--dataset", "layered", "--method", "bayesvlm-exact", "--uncer_levels", "5"); err != nil {
		t.Fatal(err)
	}
	if got := readResult(t, folder, "layered", "bayesvlm-exact").Training.Schedule; !strings.HasSuffix(got, ", last layers, delta variance, probit") {
		t.Errorf("schedule %q", got)
	}
}

// The distance ranks other candidates first than the cosine, and the result says by which it was
// made.
func TestEvalRanksByTheDistanceOfGaussians(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := train(t, folder, "--dataset", "world", "--method", "pcmepp", "--schedule", "small", "--epochs", "1"); err != nil {
		t.Fatal(err)
	}
	recalls := map[string]float64{}
	for _, ranking := range []string{"cosine", "csd"} {
		if _, err := eval(t, folder, "--dataset", "world", "--method", "pcmepp", "--ranking", ranking); err != nil {
			t.Fatal(err)
		}
		r := readResult(t, folder, "world", "pcmepp")
		recalls[ranking] = r.T2I.Recall1
		if strings.Contains(r.Training.Schedule, "ranked by the sampled distance") != (ranking == "csd") {
			t.Errorf("--ranking %s: schedule %q", ranking, r.Training.Schedule)
		}
	}
	if recalls["cosine"] == recalls["csd"] {
		t.Errorf("both rankings have the recall %v", recalls)
	}
	stdout, err := eval(t, folder, "--dataset", "world", "--method", "pcmepp", "--figures", filepath.Join(folder, "figures"))
	picture, err2 := os.Open(filepath.Join(folder, "figures", "world", "test", "0", "pcmepp-reliability.png"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	defer picture.Close()
	if _, err := png.DecodeConfig(picture); err != nil || strings.Count(stdout, "expected calibration error 0.") != 2 {
		t.Errorf("%v\n%s", err, stdout)
	}
	const want = "--ranking applies to methods with Gaussians or concentrations, not to clip"
	if _, err := eval(t, folder, "--dataset", "world", "--method", "clip", "--ranking", "csd"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("eval: %v", err)
	}
	if _, _, err := train(t, folder, "--dataset", "world", "--method", "clip", "--ranking", "csd"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("train: %v", err)
	}
}

func TestFlagsOfBayesVLMForOtherMethodsAreErrors(t *testing.T) {
	folder := t.TempDir()
	for want, arguments := range map[string][]string{
		"--layers applies to bayesvlm, not to pfe":                                                            {"--method", "pfe", "--layers", "features"},
		"--variance, --predict and --draws apply to bayesvlm, not to pfe, asymvlm-vmf":                        {"--method", "pfe,asymvlm-vmf", "--variance", "delta"},
		`bayesvlm on last layers needs their inputs and weights, which the set "scenes_minilm/train" has not`: {"--method", "bayesvlm", "--layers", "features"},
		`5 draws with the prediction "probit"`:                                                                {"--method", "bayesvlm", "--predict", "probit", "--draws", "5"},
	} {
		if _, _, err := train(t, folder, arguments...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := eval(t, folder, "--method", "pfe", "--predict", "probit"); err == nil || !strings.Contains(err.Error(), "apply to bayesvlm, not to pfe") {
		t.Errorf("error %v", err)
	}
	// One method of several suffices; the others are trained as usual.
	options, err := (Train{recipe: recipe{posterior: posterior{Variance: adapter.VarianceDelta}, Layers: "auto", Schedule: "small"}}).options(job{method: "pfe"})
	if err != nil || options.Posterior != (adapter.Posterior{}) {
		t.Errorf("options %+v, %v", options.Posterior, err)
	}
}
