package adapter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

func TestStepsBecomeTheFewestEpochsThatMakeThem(t *testing.T) {
	for _, c := range []struct{ steps, pairs, batch, epochs int }{
		{1, 400, 2048, 1}, {2000, 400, 2048, 2000}, {7, 400, 128, 2}, {8, 400, 128, 2}, {9, 400, 128, 3}, {57800, 591753, 2048, 200}, {3, 1, 1, 3},
	} {
		if got := adapter.EpochsFor(c.steps, c.pairs, c.batch); got != c.epochs {
			t.Errorf("%d steps on %d pairs in batches of %d: %d epochs, want %d", c.steps, c.pairs, c.batch, got, c.epochs)
		}
	}
}

// auto returns the schedule for a number of pairs.
func auto(t *testing.T, method string, pairs int) adapter.Options {
	t.Helper()
	o, err := adapter.AutoOptions(method, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Except for its label, the schedule for the built-in training sets is the small one, and from
// 2,000 steps it is the paper's.
func TestTheAutomaticScheduleIsSmallOnTheBuiltInSetsAndThePapersOnLargeOnes(t *testing.T) {
	unlabeled := func(o adapter.Options) adapter.Options {
		o.Label = ""
		return o
	}
	equal := func(a, b adapter.Options) bool {
		a, b = unlabeled(a), unlabeled(b)
		return a.Epochs == b.Epochs && a.Batch == b.Batch && a.LearningRate == b.LearningRate && a.FinalRate == b.FinalRate && a.Hidden == b.Hidden &&
			a.HiddenLayers == b.HiddenLayers && a.Optimizer == b.Optimizer && a.MatchLengths == b.MatchLengths && a.ScaledStart == b.ScaledStart
	}
	for _, method := range adapter.Methods() {
		small, err := adapter.SmallOptions(method)
		if err != nil {
			t.Fatal(err)
		}
		paper, err := adapter.PaperOptions(method)
		if err != nil {
			t.Fatal(err)
		}
		if o := auto(t, method, 8000); !equal(o, small) {
			t.Errorf("%s on 8,000 pairs: %+v, small %+v", method, o, small)
		}
		boundary := 18433
		if paper.Batch == 280 { // ELIP's
			boundary = 37241
		}
		if o := auto(t, method, boundary); !equal(o, paper) {
			t.Errorf("%s on %d pairs: %+v, the paper's %+v", method, boundary, o, paper)
		}
		if o := auto(t, method, boundary-1); !equal(paper, small) && equal(o, paper) {
			t.Errorf("%s on %d pairs has the paper's schedule", method, boundary-1)
		}
	}
}

func TestTheAutomaticScheduleFollowsTheNumberOfPairs(t *testing.T) {
	for _, c := range []struct {
		method       string
		pairs        int
		epochs       int
		batch, depth int
		rate         float64
		label        string
	}{
		{adapter.AsymVLMVonMisesFisher, 400, 46, 64, 1, 0.1, "auto for 400 pairs: 46 epochs, batch 64, learning rate 0.1, one hidden layer of 256"},
		{adapter.AsymVLMVonMisesFisher, 1999, 40, 256, 1, 0.1, "one hidden layer of 256"},
		{adapter.AsymVLMVonMisesFisher, 2000, 40, 256, 3, 0.1, "hidden layers of 256"},
		{adapter.ResidualVonMisesFisher, 1999, 40, 256, 3, 0.03, "auto for 1999 pairs: 40 epochs, batch 256, learning rate 0.03"},
		{adapter.ResidualCosine, 5000, 32, 512, 3, 0.03, "learning rate 0.03"},
		{adapter.SigLIPVonMisesFisher, 5000, 32, 512, 3, 0.002, "hidden layers of 256, adamw"},
		{adapter.PFE, 40, 320, 64, 3, 0.0001, "hidden layers of 256"},
		{adapter.AsymVLMVonMisesFisher, 20000, 200, 2048, 3, 0.01, "auto for 20000 pairs: paper: 200 epochs, batch 2048"},
	} {
		o := auto(t, c.method, c.pairs)
		if o.Epochs != c.epochs || o.Batch != c.batch || o.HiddenLayers != c.depth || o.LearningRate != c.rate || !strings.HasSuffix(o.Label, c.label) {
			t.Errorf("%s on %d pairs: %+v", c.method, c.pairs, o)
		}
	}
	for _, method := range []string{"nothing", adapter.PFE} {
		if _, err := adapter.AutoOptions(method, 0); err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%s on no pairs: error %v", method, err)
		}
	}
}

// firstImages returns as many images as have the given number of pairs, from every fifth image or
// from the others.
func firstImages(t *testing.T, set *embedding.Set, pairs int, fifth bool) *embedding.Set {
	t.Helper()
	captions := make([]int, set.Images.Rows)
	for _, image := range set.CaptionImages {
		captions[image]++
	}
	var rows []int
	for image, n := range captions {
		if (image%5 == 4) == fifth && pairs > 0 {
			rows, pairs = append(rows, image), pairs-n
		}
	}
	part, err := set.SelectImages(rows)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// trainedRecall trains on one set and measures Recall@1 on the other.
func trainedRecall(t *testing.T, options adapter.Options, train, test *embedding.Set) adapter.Baseline {
	t.Helper()
	options.Progress = adapter.Watch(func(adapter.Update) error { return nil })
	options.HeldOut = false // takes time, and does not change the recall
	a, err := adapter.Train(context.Background(), train, options)
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := a.Ranking(test, 1)
	if err != nil {
		t.Fatal(err)
	}
	return adapter.Baseline{TextToImage: ranking.TextToImage.Recall(1), ImageToText: ranking.ImageToText.Recall(1)}
}

// On 400 pairs residual adapters keep the recall of the embeddings, also with the small schedule.
func TestTheAutomaticScheduleKeepsRecallOnFewPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	sets := map[string]*embedding.Set{}
	worlds, _, err := world.New(world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sets["world"] = &worlds.Set
	if sets["scenes"], _, err = embedding.Scenes(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "..", "shared", "data", "coco500_clip_vitb16", "features_clip.npy")
	if _, err := os.Stat(file); err != nil {
		t.Log("without coco500, whose file is not there")
	} else if sets["coco500"], err = embedding.ReadPairs(file); err != nil {
		t.Fatal(err)
	}
	for name, set := range sets {
		train, test := firstImages(t, set, 400, false), firstImages(t, set, 400, true)
		plain, err := adapter.BaselineOf(test)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{adapter.ResidualVonMisesFisher, adapter.ResidualPowerSpherical, adapter.ResidualCosine} {
			small, err := adapter.SmallOptions(method)
			if err != nil {
				t.Fatal(err)
			}
			small.Batch = 64
			for _, options := range []adapter.Options{auto(t, method, train.Texts.Rows), small} {
				got := trainedRecall(t, options, train, test)
				if got.TextToImage < plain.TextToImage-0.01 || got.ImageToText < plain.ImageToText-0.01 {
					t.Errorf("%s on %s, %s: %v, %v", method, name, options.Label, got, plain)
				}
			}
		}
	}
}

// Without hidden layers the width has no meaning, and a sweep over depths may keep it set.
func TestNoHiddenLayersTakeAnyWidth(t *testing.T) {
	set := smallWorld(t, 20)
	var weights [2]string
	for i, width := range []int{64, 256} {
		options := auto(t, adapter.AsymVLMVonMisesFisher, 80)
		options.Epochs, options.HiddenLayers, options.Hidden = 2, 0, width
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		options.Progress = adapter.Watch(func(adapter.Update) error { return nil })
		a, err := adapter.Train(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		natural, err := a.Natural(set.Texts)
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = fmt.Sprint(natural.Values)
	}
	if weights[0] != weights[1] {
		t.Error("the width changed something")
	}
}
