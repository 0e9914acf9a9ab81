package adapter

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// TestEveryMethodTakesOddSets trains and evaluates on the smallest and most degenerate sets. The
// result must be numbers or an error, not a panic.
func TestEveryMethodTakesOddSets(t *testing.T) {
	pair := &embedding.Set{Images: embedding.NewMatrix(1, 8), Texts: embedding.NewMatrix(1, 8), CaptionImages: []int{0}}
	pair.Images.Set(0, 1, 2)
	pair.Texts.Set(0, 3, 5)
	same := &embedding.Set{Images: embedding.NewMatrix(6, 4), Texts: embedding.NewMatrix(9, 4)}
	for i := range same.Images.Values {
		same.Images.Values[i] = 0.5
	}
	for i := range same.Texts.Values {
		same.Texts.Values[i] = 3
	}
	for text := range 9 {
		same.CaptionImages = append(same.CaptionImages, text%6)
	}
	for name, set := range map[string]*embedding.Set{"one pair": pair, "all equal": same, "a circle": smallSet(7, 2), "a sphere": smallSet(7, 3)} {
		for _, method := range Methods() {
			options := smallOptions(method)
			options.Epochs = passes(method, 3)
			a, err := Train(context.Background(), set, options)
			if alone := set == pair && !takesSinglePairs(method); alone {
				if err == nil || !strings.HasPrefix(err.Error(), "adapter: batches of 1 pair for "+method) {
					t.Errorf("%s, %s: error %v", name, method, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
				continue
			}
			scores, err := a.Scores(set)
			if err != nil || scores.Check() != nil {
				t.Errorf("%s, %s: scores %v (error %v)", name, method, scores.Check(), err)
			}
			if uncertainty, err := a.Uncertainty(set.Texts); err == nil && slices.ContainsFunc(uncertainty, math.IsNaN) {
				t.Errorf("%s, %s: uncertainties %v", name, method, uncertainty)
			}
			report, err := a.Evaluate(set, 2)
			switch {
			case set == pair:
				if err == nil || err.Error() != "retrieval: gallery of 1 images and 1 texts, want at least 2 of each" {
					t.Errorf("%s, %s: error %v", name, method, err)
				}
			case err != nil:
				t.Errorf("%s, %s: %v", name, method, err)
			default:
				if r := report.TextToImage.Recall1; !(r >= 0 && r <= 1) {
					t.Errorf("%s, %s: recall %g", name, method, r)
				}
			}
			if _, err := a.Evaluate(set, 100); err == nil {
				t.Errorf("%s, %s: 100 levels of %d texts are no error", name, method, set.Texts.Rows)
			}
		}
	}
}

// takesSinglePairs reports whether a method's loss treats each pair separately, or learns nothing.
func takesSinglePairs(method string) bool {
	return slices.Contains([]string{CLIP, PFE, ProbVLM, ProbVLMExact}, method)
}

// TestBatchesOfOnePairAreForLossesWithoutWrongPairs tests the option; the test above tests the set.
// The last batch of an epoch may hold one pair, and a user-defined loss may accept it.
func TestBatchesOfOnePairAreForLossesWithoutWrongPairs(t *testing.T) {
	set := smallSet(3, 8)
	for _, method := range Methods() {
		options := smallOptions(method)
		options.Epochs, options.Batch = passes(method, 1), 1
		if err := options.Check(); (err == nil) != takesSinglePairs(method) {
			t.Errorf("%s: error %v", method, err)
		}
		if options.Batch = 4; !options.Reads("Batch") {
			options.Batch = 0
		}
		if _, err := Train(context.Background(), set, options); err != nil {
			t.Errorf("%s, with a last batch of one pair: %v", method, err)
		}
	}
	options := smallOptions(DeterministicFineTuning)
	options.Batch, options.Loss = 1, hinge()
	if err := options.Check(); err != nil {
		t.Error(err)
	}
}

// TestEveryMethodGivesTheSameBitsOnAnyNumberOfThreads tests the guarantee in the package
// documentation.
func TestEveryMethodGivesTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range trained() {
		options := smallOptions(method)
		options.Epochs = passes(method, 2)
		var want []float32
		var scores embedding.Matrix
		for _, threads := range []int{1, 2, 5} {
			options.Threads = threads
			a := mustTrain(t, set, options)
			got, err := a.Scores(set)
			if err != nil {
				t.Fatal(err)
			}
			if threads == 1 {
				want, scores = bits(a), got
			} else if !slices.Equal(bits(a), want) || !slices.Equal(got.Values, scores.Values) {
				t.Errorf("%s: %d threads give other bits than one", method, threads)
			}
		}
	}
}

// TestCheckpointsThatCannotBeWrittenAreErrorsBeforeTheFirstStep checks that the error is not
// delayed until after hours of training.
func TestCheckpointsThatCannotBeWrittenAreErrorsBeforeTheFirstStep(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(file, "a.safetensors"): "file",
		dir:                                  "is a folder",
	} {
		for _, resume := range []bool{false, true} {
			options := smallOptions(AsymVLMVonMisesFisher)
			options.Checkpoint, options.Resume = path, resume
			options.Progress = &watch{advance: func(Update) error { t.Errorf("%s: a step was done", path); return nil }}
			if _, err := Train(context.Background(), smallSet(10, 8), options); err == nil || !strings.HasPrefix(err.Error(), "adapter: checkpoint") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v", path, err)
			}
		}
	}
	// A name in the working directory is valid, and a missing folder is created.
	t.Chdir(dir)
	for _, name := range []string{"here.safetensors", filepath.Join("new", "folder", "a.safetensors")} {
		options := smallOptions(AsymVLMVonMisesFisher)
		options.Checkpoint = name
		mustTrain(t, smallSet(10, 8), options)
		if _, err := Load(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
