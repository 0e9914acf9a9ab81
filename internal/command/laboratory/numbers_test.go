package laboratory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Impossible values are rejected when parsed; 0 once meant that a flag was not given.
func TestNumbersOutsideOfTheirDomainNameFlagValueAndDomain(t *testing.T) {
	const (
		fromOne, fromZero, fromTwo = "want an integer of at least 1", "want an integer of at least 0", "want an integer of at least 2"
		above                      = "want a number above 0"
		noEpochs                   = fromOne + ": nothing would be trained; --method clip is retrieval without training"
		noUnits                    = fromOne + ": a hidden layer needs at least one unit"
		noRate                     = above + ": a rate of 0 has no effect"
	)
	for _, c := range []struct {
		make   func() any
		flag   string
		values string
		domain string
	}{
		{func() any { return &Train{} }, "--epochs", "-1 1.5 x 99999999999999999999", fromOne},
		{func() any { return &Train{} }, "--epochs", "0 00", noEpochs},
		{func() any { return &Train{} }, "--batch", "0 -1 NaN", fromOne},
		{func() any { return &Train{} }, "--hidden", "-1", fromOne},
		{func() any { return &Train{} }, "--hidden", "0", noUnits},
		{func() any { return &Train{} }, "--lr", "-1 NaN Inf -Inf 1e999 x", above},
		{func() any { return &Train{} }, "--lr", "0 -0 0.0", noRate},
		{func() any { return &Train{} }, "--text-length", "-1 NaN Inf", above},
		{func() any { return &Train{} }, "--text-length", "0", noRate},
		{func() any { return &Train{} }, "--warm-up", "-1 x", fromZero},
		{func() any { return &Train{} }, "--threads", "-1 x", fromZero},
		{func() any { return &Train{} }, "--every", "-1 x", fromZero},
		{func() any { return &Crossval{} }, "--epochs", "0", noEpochs},
		{func() any { return &Crossval{} }, "--folds", "0 1 -2", fromTwo},
		{func() any { return &Crossval{} }, "--uncer_levels", "0 1", fromTwo},
		{func() any { return &Eval{} }, "--uncer_levels", "0 1 x", fromTwo},
		{func() any { return &Eval{} }, "--draws", "0 -1", fromOne},
	} {
		for value := range strings.FieldsSeq(c.values) {
			err := parse(t, c.make(), c.flag+"="+value)
			if want := c.flag + ": " + value + ", " + c.domain; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	}
}

func TestNumbersAtTheEdgeOfTheirDomainAreTaken(t *testing.T) {
	o := optionsOf(t, "--dataset", "coco", "--epochs=1", "--batch=2", "--hidden=1", "--lr=1e-9", "--text-length=0.5", "--warm-up=0", "--threads=0", "--every=0")
	if o.Epochs != 1 || o.Batch != 2 || o.Hidden != 1 || o.LearningRate != 1e-9 || o.TextLength != 0.5 || o.WarmUp != 0 || o.Threads != 0 || o.CheckpointEvery != 0 {
		t.Errorf("options %+v", o)
	}
	if o := optionsOf(t, "--method=pfe", "--batch=1"); o.Batch != 1 { // sees each pair by itself
		t.Errorf("batch %d", o.Batch)
	}
	if o := optionsOf(t); o.CheckpointEvery != 10 || o.Epochs < 2 || o.Batch < 2 || o.Hidden < 2 || o.LearningRate <= 0 {
		t.Errorf("without flags: %+v", o)
	}
}

// Cross-validation rejects impossible options of a later method of the list before it trains the
// first.
func TestCrossValidationChecksAllTrainingsFirst(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	var command Crossval
	if err := parse(t, &command, "--dataset", "own", "--split", "train", "--method", "clip,asymvlm-vmf", "--batch", "1",
		"--embeddings", filepath.Join(folder, "embeddings"), "--results", filepath.Join(folder, "results")); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	err := command.run(t.Context(), &stdout, &stderr)
	if err == nil || !strings.Contains(err.Error(), "batches of 1 pair for asymvlm-vmf") || stdout.String() != "" {
		t.Errorf("error %v, output %q", err, stdout.String())
	}
	if _, err := os.Stat(filepath.Join(folder, "results")); err == nil {
		t.Error("a result was written")
	}
}
