package adapter

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/nn"
)

// residualModel is determ-ft-residual without its penalty as a user-defined model.
func residualModel() custom.Model { return penalizedModel(0) }

// penalizedModel is determ-ft-residual as a user-defined model: η = x + W·x + b, the cosine c of η
// and the image, and the symmetric InfoNCE loss of τc. The penalty λ is in the gradient and not in
// the loss, as in the histories of the program's own adapters.
func penalizedModel(lambda float64) custom.Model {
	outputs := func(v custom.Values, texts [][]float64) [][]float64 {
		all := make([][]float64, len(texts))
		for r, x := range texts {
			all[r] = make([]float64, len(x))
			for i := range x {
				all[r][i] = x[i] + v["bias"][i] + dot(v["weight"][i*len(x):(i+1)*len(x)], x)
			}
		}
		return all
	}
	return custom.Model{
		Tensors: func(d int) []custom.Tensor {
			return []custom.Tensor{{Name: "weight", Shape: []int{d, d}}, {Name: "bias", Shape: []int{d}}, {Name: "tau"}}
		},
		Initialize: func(v custom.Values, _ *rand.Rand) { v["tau"][0] = 1 },
		Differentiate: func(v custom.Values, texts, images [][]float64, g custom.Values) (loss float64) {
			for _, name := range []string{"weight", "bias"} {
				for i, w := range v[name] {
					g[name][i] += lambda * w
				}
			}
			eta, n, d := outputs(v, texts), float64(len(texts)), len(texts[0])
			c := make([][]float64, len(texts)) // by image and text
			for s, image := range images {
				c[s] = make([]float64, len(texts))
				for r := range eta {
					c[s][r] = dot(image, eta[r]) / norm(image) / norm(eta[r])
				}
			}
			for s := range c {
				for r := range c {
					own := 0.0
					if s == r {
						own = 1
					}
					ofRow, ofColumn := 0.0, 0.0
					for k := range c {
						ofRow += math.Exp(v["tau"][0] * (c[s][k] - c[s][r]))
						ofColumn += math.Exp(v["tau"][0] * (c[k][r] - c[s][r]))
					}
					if s == r {
						loss += (math.Log(ofRow) + math.Log(ofColumn)) / 2 / n
					}
					dLambda := ((1/ofRow-own)/2 + (1/ofColumn-own)/2) / n
					g["tau"][0] += dLambda * c[s][r]
					for i := range d {
						dEta := v["tau"][0] * dLambda * (images[s][i]/norm(images[s]) - c[s][r]*eta[r][i]/norm(eta[r])) / norm(eta[r])
						g["bias"][i] += dEta
						for j := range d {
							g["weight"][i*d+j] += dEta * texts[r][j]
						}
					}
				}
			}
			return loss
		},
		Represent: func(v custom.Values, side int, raw, dst [][]float64, u []float64) bool {
			if side == custom.Texts {
				raw = outputs(v, raw)
			}
			for r, row := range raw {
				for i := range row {
					dst[r][i] = row[i] / norm(row)
				}
				u[r] = 1 / norm(row)
			}
			return false
		},
	}
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

// register registers a method for the duration of a test.
func register(t *testing.T, d Definition) {
	t.Helper()
	if err := Register(d); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unregister(d.ID) })
}

// The same method as a user-defined model and as a predefined method trains to the same losses,
// ranks and checkpoints up to rounding.
func TestARegisteredMethodTrainsAsTheProgramsOwn(t *testing.T) {
	register(t, Definition{ID: "mine", Model: penalizedModel(rankerDecay(24)), LearningRate: 0.05})
	set := smallSet(24, 8)
	options := smallOptions(ResidualCosine)
	options.Epochs, options.Batch, options.LearningRate, options.WeightDecay = 4, 16, 0.05, 0
	theirs := mustTrain(t, set, options)
	o, err := PaperOptions("mine")
	if err != nil {
		t.Fatal(err)
	}
	o.Epochs, o.Batch, o.Seed, o.FinalRate, o.Progress = 4, 16, options.Seed, options.FinalRate, silent{}
	o.MatchLengths, o.TextLength, o.Momentum, o.Precision = options.MatchLengths, options.TextLength, options.Momentum, options.Precision
	o.Checkpoint = filepath.Join(t.TempDir(), "mine.safetensors")
	mine := mustTrain(t, set, o)
	for i, loss := range theirs.History().Loss {
		if own := mine.History().Loss[i]; math.Abs(own-loss) > 1e-4 {
			t.Errorf("step %d: loss %g, the program's %g", i+1, own, loss)
		}
	}
	if math.Abs(mine.Temperature()-theirs.Temperature()) > 1e-4 {
		t.Errorf("temperature %g, the program's %g", mine.Temperature(), theirs.Temperature())
	}
	loaded, err := Load(o.Checkpoint)
	if err != nil || !loaded.IsOf(set, o) || !slices.Equal(bits(loaded), bits(mine)) {
		t.Fatalf("the checkpoint is of another training, %v", err)
	}
	want, err := theirs.Evaluate(set, 4)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.Evaluate(set, 4)
	if err != nil || !slices.Equal(got.TextToImage.Top, want.TextToImage.Top) || got.ImageToText.Recall5 != want.ImageToText.Recall5 {
		t.Errorf("other retrieval than the program's: %v", err)
	}
	o.Checkpoint = ""
	if report, err := CrossValidate(context.Background(), set, o, 2, 2); err != nil || len(report.TextToImage.Levels) != 2 {
		t.Errorf("cross-validation: %v", err)
	}
}

func TestARegisteredMethodResumesToTheSameBytes(t *testing.T) {
	register(t, Definition{ID: "mine", Model: residualModel()})
	set, folder := smallSet(24, 8), t.TempDir()
	o, _ := PaperOptions("mine")
	o.Epochs, o.Batch, o.Progress = 3, 16, silent{}
	o.Checkpoint = filepath.Join(folder, "whole.safetensors")
	mustTrain(t, set, o)
	whole, _ := os.ReadFile(o.Checkpoint)
	halt := errors.New("halt")
	o.Checkpoint = filepath.Join(folder, "stopped.safetensors")
	o.Progress = Watch(func(u Update) error {
		if u.Step == 4 {
			return halt
		}
		return nil
	})
	if _, err := Train(context.Background(), set, o); !errors.Is(err, halt) {
		t.Fatal(err)
	}
	o.Progress, o.Resume = silent{}, true
	mustTrain(t, set, o)
	if stopped, err := os.ReadFile(o.Checkpoint); err != nil || !bytes.Equal(stopped, whole) {
		t.Errorf("other bytes after a stop, %v", err)
	}
}

func TestACheckpointOfAnotherRevisionIsNotResumed(t *testing.T) {
	register(t, Definition{ID: "mine", Model: penalizedModel(0.1)})
	set := smallSet(24, 8)
	o, _ := PaperOptions("mine")
	o.Epochs, o.Batch, o.Progress, o.Checkpoint, o.Resume = 1, 16, silent{}, filepath.Join(t.TempDir(), "a.safetensors"), true
	first := mustTrain(t, set, o)
	register(t, Definition{ID: "mine", Model: penalizedModel(0.2), Revision: 2})
	if first.IsOf(set, o) {
		t.Error("the result counts as that of the new model")
	}
	if _, err := Train(context.Background(), set, o); err == nil || !strings.Contains(err.Error(), "revision: the checkpoint has 0, asked for is 2") {
		t.Errorf("resuming it: %v", err)
	}
	o.Resume, o.Overwrite = false, true
	if second := mustTrain(t, set, o); !second.IsOf(set, o) {
		t.Error("the new result does not count as that of the new model")
	}
}

func TestWrongGradientsOfRegisteredMethodsAreRefused(t *testing.T) {
	wrong := residualModel()
	right := wrong.Differentiate
	wrong.Differentiate = func(v custom.Values, texts, images [][]float64, g custom.Values) float64 {
		loss := right(v, texts, images, g)
		for i := range g["weight"] {
			g["weight"][i] *= 1.01
		}
		return loss
	}
	register(t, Definition{ID: "wrong", Model: wrong})
	o, _ := PaperOptions("wrong")
	o.Epochs, o.Batch, o.Progress = 1, 16, silent{}
	var gradient *custom.GradientError
	if _, err := Train(context.Background(), smallSet(24, 8), o); !errors.As(err, &gradient) || !strings.HasPrefix(gradient.Entry, "weight") {
		t.Errorf("error %v, want one of weight", err)
	}
}

func TestDefinitionsThatCannotBeUsedAreRefused(t *testing.T) {
	noLoss := residualModel()
	noLoss.Differentiate = nil
	twice := residualModel()
	twice.Tensors = func(int) []custom.Tensor { return []custom.Tensor{{Name: "a"}, {Name: "a"}} }
	for want, d := range map[string]Definition{
		"asymvlm-vmf is one of the program's own": {ID: AsymVLMVonMisesFisher, Model: residualModel()},
		`method "Mine"`:          {ID: "Mine", Model: residualModel()},
		`method "a/b"`:           {ID: "a/b", Model: residualModel()},
		"without Tensors":        {ID: "mine"},
		"without Differentiate":  {ID: "mine", Model: noLoss},
		`tensor "a" of shape []`: {ID: "mine", Model: twice},
		"learning rate -1":       {ID: "mine", Model: residualModel(), LearningRate: -1},
	} {
		if err := Register(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
			unregister(d.ID)
		}
	}
	register(t, Definition{ID: "mine", Model: residualModel(), Optimizer: nn.AdamW})
	for want, change := range map[string]func(o *Options){
		"Hidden 7 changes nothing in mine":            func(o *Options) { o.Hidden = 7 },
		"FixedTemperature true changes nothing":       func(o *Options) { o.FixedTemperature = true },
		"Momentum 0.5 changes nothing in mine":        func(o *Options) { o.Momentum = 0.5 },
		"has its own loss and does not accept":        func(o *Options) { o.Loss = hinge() },
		"captions of the same image cannot be masked": func(o *Options) { o.MaskSameImage = true },
	} {
		o, _ := PaperOptions("mine")
		o.Batch, o.Epochs = 16, 1
		change(&o)
		if _, err := Train(context.Background(), smallSet(24, 8), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if methods := Methods(); methods[len(methods)-1] != "mine" {
		t.Errorf("methods %q", methods)
	}
}
