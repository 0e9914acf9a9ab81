package laboratory

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
)

// The paper's schedule on a small set, from training to table: every command reports that the
// result is worse than no training.
func TestATrainingThatHarmsIsMarkedByEveryCommand(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	stdout, stderr, err := train(t, folder, "--dataset", "own", "--method", "asymvlm-vmf", "--schedule", "paper", "--hidden", "8", "--threads", "1")
	if err != nil {
		t.Fatal(err)
	}
	if want := "warning: the paper's schedule of 200 epochs makes only 200 steps on 400 pairs"; !strings.Contains(stderr, want) {
		t.Errorf("%q is missing in %q", want, stderr)
	}
	if want := "recall@1 on 100 training images: text to image "; !strings.Contains(stdout, want) {
		t.Errorf("%q is missing in %q", want, stdout)
	}
	below := "warning: asymvlm-vmf, seed 0: recall@1 is below that without training: text to image "
	if !strings.Contains(stderr, below) {
		t.Errorf("%q is missing in %q", below, stderr)
	}

	var command Eval
	if err := parse(t, &command, "--dataset", "own", "--method", "asymvlm-vmf", "--checkpoints", filepath.Join(folder, "checkpoints"),
		"--embeddings", filepath.Join(folder, "embeddings"), "--results", filepath.Join(folder, "results")); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := command.run(&out, &errs); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "without training: recall@1 text to image 0.") || !strings.Contains(errs.String(), below) {
		t.Errorf("output %q, log %q", out.String(), errs.String())
	}
	text, err := os.ReadFile(filepath.Join(folder, "results", "own", "0", "asymvlm-vmf.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil || r.Baseline == nil || r.Baseline.TextToImage <= r.T2I.Recall1 {
		t.Errorf("%v: baseline %v, recall %g", err, r.Baseline, r.T2I.Recall1)
	}

	printed, err := table(t, filepath.Join(folder, "results"), "--dataset", "own", "--seeds", "0", "--method", "asymvlm-vmf")
	for _, want := range []string{"\nwithout training ", "\nasymvlm-vmf* ", "\nR@1 of methods marked * is lower than without training (text to image "} {
		if err != nil || !strings.Contains(printed, want) {
			t.Errorf("%v, %q is missing in\n%s", err, want, printed)
		}
	}
}

func TestCrossvalComparesWithTheFoldsWithoutTraining(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	var command Crossval
	if err := parse(t, &command, "--dataset", "own", "--split", "train", "--method", "asymvlm-vmf,clip", "--epochs", "1", "--hidden", "8", "--folds", "2",
		"--uncer_levels", "2", "--embeddings", filepath.Join(folder, "embeddings"), "--results", filepath.Join(folder, "results")); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := command.run(t.Context(), &out, &errs); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "without training: recall@1 text to image 0.") {
		t.Errorf("output %q", out.String())
	}
	if log := errs.String(); !strings.Contains(log, "warning: [1/2] asymvlm-vmf, seed 0: recall@1 is below") || strings.Contains(log, "clip, seed 0: recall@1 is below") {
		t.Errorf("log %q", log)
	}
}

func TestTheTableTakesTheBaselineFromClipWhereItHasARow(t *testing.T) {
	folder := t.TempDir()
	own := fakeResult("asymvlm-vmf", 0, 0.3)
	store(t, folder, "coco", own, fakeResult(adapter.CLIP, 0, 0.4), fakeResult(adapter.PFE, 0, 0.4))
	text, err := table(t, folder, "--dataset", "coco", "--seeds", "0")
	if err != nil || !strings.Contains(text, "\nasymvlm-vmf*  ") || strings.Contains(text, "pfe*") || strings.Contains(text, "clip*") ||
		strings.Contains(text, "\nwithout training") {
		t.Errorf("%v\n%s", err, text)
	}
	// Results of earlier versions have no baseline, so nothing is marked.
	text, err = table(t, folder, "--dataset", "coco", "--seeds", "0", "--method", "asymvlm-vmf")
	if err != nil || strings.Contains(text, "*") || strings.Contains(text, "without training") {
		t.Errorf("%v\n%s", err, text)
	}
}
