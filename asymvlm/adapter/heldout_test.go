package adapter_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/world"
)

// 400 pairs of COCO are too few to learn an uncertainty, and 8,000 of a world are not.
func TestTheHeldOutLikelihoodTellsWhetherThereAreEnoughPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	worlds, _, err := world.New(world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sets := map[string]*embedding.Set{"world": &worlds.Set} // documented.sh trains on the scenes
	file := filepath.Join("..", "..", "..", "shared", "data", "coco500_clip_vitb16", "features_clip.npy")
	if _, err := os.Stat(file); err != nil {
		t.Log("without coco500, whose file is not there")
	} else if sets["coco500"], err = embedding.ReadPairs(file); err != nil {
		t.Fatal(err)
	}
	for name, set := range sets {
		options := auto(t, adapter.ResidualVonMisesFisher, set.Texts.Rows)
		if !options.HeldOut {
			t.Fatal("the automatic schedule does not measure it")
		}
		h, err := adapter.HeldOutOf(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		if few := name == "coco500"; h.TooFew() != few || strings.Contains(h.String(), "too few pairs") != few {
			t.Errorf("%s: %v", name, h)
		}
	}
}

// The gain is the difference of log-likelihoods that are computed here from their formula, with the
// factors found on a grid.
func TestTheHeldOutGainIsThatOfItsFormula(t *testing.T) {
	set := smallWorld(t, 40)
	options := residualOptions(t, adapter.ResidualVonMisesFisher)
	options.LearningRate, options.HeldOut = 0.03, true
	got, err := adapter.HeldOutOf(context.Background(), set, options)
	if err != nil {
		t.Fatal(err)
	}
	rest, parts, err := set.Folds(5)
	if err != nil {
		t.Fatal(err)
	}
	sum, texts := 0.0, 0
	options.HeldOut = false
	for fold, part := range parts {
		trained, err := adapter.Train(context.Background(), rest[fold], options)
		if err != nil {
			t.Fatal(err)
		}
		eta, err := trained.Natural(part.Texts)
		if err != nil {
			t.Fatal(err)
		}
		best := [2]float64{math.Inf(-1), math.Inf(-1)} // with the learned κ, and with a constant
		for s := 1e-3; s < 10; s *= 1.005 {
			var totals [2]float64
			for text, image := range part.CaptionImages {
				eta := eta.Row64(text)
				kappa := 0.0
				for _, x := range eta {
					kappa += x * x
				}
				kappa = math.Sqrt(kappa)
				for i, scale := range []float64{s, 100 * s / kappa} {
					all := 0.0
					at := func(image int) (product float64) {
						v := part.Images.Row64(image)
						length := 0.0
						for j, x := range v {
							product, length = product+eta[j]*x, length+x*x
						}
						return scale * product / math.Sqrt(length)
					}
					for other := range part.Images.Rows {
						all += math.Exp(at(other) - at(image))
					}
					totals[i] -= math.Log(all)
				}
			}
			best = [2]float64{max(best[0], totals[0]), max(best[1], totals[1])}
		}
		sum, texts = sum+best[0]-best[1], texts+part.Texts.Rows
	}
	if texts != got.Texts || math.Abs(sum/float64(texts)-got.Gain) > 1e-3*math.Abs(got.Gain)+1e-5 {
		t.Errorf("%v; by the formula %g on %d texts", got, sum/float64(texts), texts)
	}
	if !(got.Low < got.Gain && got.Gain < got.High) {
		t.Errorf("interval of %v", got)
	}
}

// The measurement is in the adapter, its file and its reports, and leaves the weights as they are.
func TestAdaptersAndReportsCarryTheHeldOutLikelihood(t *testing.T) {
	set := smallWorld(t, 40)
	options := residualOptions(t, adapter.ResidualVonMisesFisher)
	options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	plain, err := adapter.Train(context.Background(), set, options)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := plain.Evaluate(set, 5); err != nil || report.HeldOut != nil || adapter.HeldOutIn(plain) != nil {
		t.Errorf("%v, a held-out likelihood that was not measured", err)
	}
	options.HeldOut = true
	trained, err := adapter.Train(context.Background(), set, options)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := adapter.Load(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*adapter.Adapter{trained, loaded} {
		report, err := a.Evaluate(set, 5)
		if err != nil {
			t.Fatal(err)
		}
		if adapter.HeldOutIn(a) == nil || *adapter.HeldOutIn(a) != *adapter.HeldOutIn(trained) || report.HeldOut == nil || !strings.Contains(report.String(), report.HeldOut.String()) {
			t.Errorf("held out: %v; report\n%v", adapter.HeldOutIn(a), report)
		}
	}
	if a, b := plain.History().Loss, trained.History().Loss; a[len(a)-1] != b[len(b)-1] {
		t.Error("the measurement changed the training")
	}
	pooled, err := adapter.CrossValidate(context.Background(), set, withoutCheckpoint(options), 4, 5)
	if err != nil || pooled.HeldOut == nil || pooled.HeldOut.Texts != set.Texts.Rows {
		t.Errorf("cross-validation: %v, %v", err, pooled.HeldOut)
	}
	options.Method = adapter.PFE
	if _, err := adapter.HeldOutOf(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "pfe, which learns no concentration") {
		t.Errorf("pfe: %v", err)
	}
	tiny := smallWorld(t, 5)
	options.Method = adapter.ResidualVonMisesFisher
	if h, err := adapter.HeldOutOf(context.Background(), tiny, options); err != nil || *h != (retrieval.HeldOut{}) || !h.TooFew() {
		t.Errorf("of 5 images: %v, %v", h, err)
	}
}

func withoutCheckpoint(o adapter.Options) adapter.Options {
	o.Checkpoint = ""
	return o
}

// A training of a number of steps ends after that number, within an epoch, and its validation and
// checkpoint are of the last step.
func TestStepsAreSteps(t *testing.T) {
	set := smallWorld(t, 50)
	options := residualOptions(t, adapter.ResidualVonMisesFisher)
	options.Checkpoint, options.Steps = filepath.Join(t.TempDir(), "a.safetensors"), 5
	options.Batch, options.Epochs = set.Texts.Rows/4, 2
	options.Validation = adapter.NewValidation(smallWorld(t, 30))
	trained, err := adapter.Train(context.Background(), set, options)
	if err != nil {
		t.Fatal(err)
	}
	measured := trained.Measurements()
	if last := measured[len(measured)-1]; trained.History().Steps() != 5 || adapter.StepsOf(trained) != 5 || !trained.Complete() || last.Step != 5 || last.Epoch != 2 || len(measured) != 3 {
		t.Errorf("%d steps, measured %+v", trained.History().Steps(), measured)
	}
	if loaded, err := adapter.Load(options.Checkpoint); err != nil || !loaded.IsOf(set, options) || loaded.Options().Steps != 5 {
		t.Errorf("%v, the checkpoint is of another training", err)
	}
	options.Steps = 9
	if _, err := adapter.Train(context.Background(), set, withoutCheckpoint(options)); err == nil || !strings.Contains(err.Error(), "9 steps of a training whose 2 epochs have 8") {
		t.Errorf("9 steps: %v", err)
	}
}

// Texts of norm 1 are read at norm 9 by the networks of the automatic schedule, and others as they
// are.
func TestTheAutomaticScheduleReadsUnitTextsAtTheNormOfCLIP(t *testing.T) {
	set := smallWorld(t, 20)
	unit := *set
	var err error
	if unit.Texts, err = set.Texts.Normalized(); err != nil {
		t.Fatal(err)
	}
	nine := unit
	nine.Texts = unit.Texts.Clone()
	for i := range nine.Texts.Values {
		nine.Texts.Values[i] *= 9
	}
	loss := func(set *embedding.Set, length float64) float64 {
		options := auto(t, adapter.AsymVLMVonMisesFisher, set.Texts.Rows)
		if options.TextLength != 9 {
			t.Fatalf("text length %g", options.TextLength)
		}
		options.Epochs, options.HeldOut, options.TextLength = 2, false, length
		trained, err := adapter.Train(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		return trained.History().Loss[1]
	}
	if a, b := loss(&unit, 9), loss(&nine, 0); math.Abs(a-b) > 1e-4*b {
		t.Errorf("unit texts: loss %g; the same at norm 9: %g", a, b)
	}
	if a, b := loss(set, 9), loss(set, 0); a != b {
		t.Errorf("texts of other norms: loss %g, as they are %g", a, b)
	}
	if o := auto(t, adapter.ResidualVonMisesFisher, 80); o.TextLength != 0 {
		t.Errorf("residual adapters read texts at norm %g", o.TextLength)
	}
}
