package adapter

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gosphere/asymvlm/embedding"
)

// trained returns all methods that are trained.
func trained() []string {
	return slices.DeleteFunc(Methods(), func(method string) bool { return !aboutOf(method).Trained })
}

func TestEveryMethodTrainsAndIsEvaluated(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range Methods() {
		t.Run(method, func(t *testing.T) {
			options := smallOptions(method)
			options.Epochs = passes(method, 40)
			if aboutOf(method).First == "text.trunk.0.weight" {
				options.LearningRate = 1e-2 // from random heads to the embeddings in 120 steps
			}
			a := mustTrain(t, set, options)
			report, err := a.Evaluate(set, 5)
			if err != nil {
				t.Fatal(err)
			}
			if r := report.TextToImage.Recall1; !(r > 2.0/40) {
				t.Errorf("recall %g is that of chance", r)
			}
			// The loss of ELIP changes with the epoch: the weight of the divergence rises until
			// epoch 15.
			first := map[string]int{ELIP: 14}[method]
			if loss := a.History().Epochs(a.History().Loss); method != CLIP && !IsOnePass(method) && !(loss[len(loss)-1] < loss[first]) {
				t.Errorf("loss %g after %g", loss[len(loss)-1], loss[first])
			}
		})
	}
}

func TestEveryMethodResumesToTheSameBitsAndLoads(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range trained() {
		t.Run(method, func(t *testing.T) {
			options := smallOptions(method)
			whole := mustTrain(t, set, options)
			options.Checkpoint, options.Resume = filepath.Join(t.TempDir(), "a.safetensors"), true
			enough := errors.New("enough")
			options.Progress = &watch{advance: func(u Update) error {
				if u.Step == min(7, u.Steps-1) {
					return enough
				}
				return nil
			}}
			if _, err := Train(context.Background(), set, options); !errors.Is(err, enough) {
				t.Fatalf("error %v", err)
			}
			options.Progress = silent{}
			if !slices.Equal(bits(whole), bits(mustTrain(t, set, options))) {
				t.Error("resumed training gave other bits")
			}
			loaded, err := Load(options.Checkpoint)
			if err != nil {
				t.Fatal(err)
			}
			want, err := whole.Scores(set)
			if err != nil {
				t.Fatal(err)
			}
			got, err := loaded.Scores(set)
			if err != nil || !slices.Equal(want.Values, got.Values) {
				t.Errorf("loaded adapter gives other scores (%v)", err)
			}
		})
	}
}

// TestEveryMethodTakesALastBatchOfOnePair uses batches of 7 pairs and one of 1. A pair without
// wrong partners contributes nothing to contrastive methods and is not an error.
func TestEveryMethodTakesALastBatchOfOnePair(t *testing.T) {
	set := smallSet(5, 16)
	for _, method := range trained() {
		options := smallOptions(method)
		options.Epochs, options.Batch = passes(method, 2), 7
		a, err := Train(context.Background(), set, options)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		if steps := a.History().Steps(); steps != 2*3 && !IsOnePass(method) {
			t.Errorf("%s: %d steps, want 6", method, steps)
		}
	}
}

func TestEveryMethodNamesWhatIsNotFinite(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range trained() {
		options := smallOptions(method)
		if !IsOnePass(method) {
			options.LearningRate = 1e6 // diverges for every method
		}
		options.Epochs = passes(method, 40)
		a, err := Train(context.Background(), set, options)
		if err == nil {
			// Losses that saturate remain finite instead of becoming NaN; then all of them must be
			// finite.
			for _, loss := range a.History().Loss {
				if math.IsNaN(loss) || math.IsInf(loss, 0) {
					t.Errorf("%s: loss %g without an error", method, loss)
				}
			}
		}
	}
}

func TestFrozenMeansRetrieveAsCLIP(t *testing.T) {
	set := smallSet(40, 16)
	want, err := mustTrain(t, set, smallOptions(CLIP)).Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{PFE, PCMEpp, ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial} {
		options := smallOptions(method)
		got, err := mustTrain(t, set, options).Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range want.Values {
			if math.Abs(float64(value-got.Values[i])) > 1e-6 {
				t.Fatalf("%s: score %d is %g, want %g", method, i, got.Values[i], value)
			}
		}
	}
}

func TestImageNetworkHasUncertaintiesOfImagesOnly(t *testing.T) {
	set := smallSet(20, 8)
	a := mustTrain(t, set, smallOptions(AsymVLMImage))
	if _, err := a.Uncertainty(set.Texts); !errors.Is(err, ErrNoTextUncertainty) {
		t.Errorf("error %v", err)
	}
	u, err := a.ImageUncertainty(set.Images)
	if err != nil || len(u) != 20 || !(u[0] > 0) {
		t.Errorf("uncertainties %v, error %v", u, err)
	}
	if u, err := mustTrain(t, set, smallOptions(CLIP)).ImageUncertainty(set.Images); u != nil || err != nil {
		t.Errorf("clip has uncertainties %v, error %v", u, err)
	}
	if _, err := a.ImageUncertainty(embedding.NewMatrix(1, 8)); err == nil {
		t.Error("an image without a direction was taken")
	}
}
