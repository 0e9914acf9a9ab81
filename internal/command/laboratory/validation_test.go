package laboratory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/tracking"
)

func TestAShareOfTheImagesValidatesATraining(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder) // 100 images, 400 pairs
	arguments := []string{"--dataset", "own", "--method", "asymvlm-vmf-residual,clip", "--schedule", "auto", "--epochs", "4", "--validation", "0.2",
		"--curves", "--tensorboard", filepath.Join(folder, "board")}
	stdout, stderr, err := train(t, folder, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"own/train: 80 images, 320 texts", "validation on own/train, 0.2 of its images: 20 images, 80 texts",
		"own: 4 epochs, batch 64, learning rate 0.03", " is the best of 5 measurements by aurc\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %q", want, stdout)
		}
	}
	if strings.Contains(stderr, "too good") {
		t.Errorf("log %q", stderr)
	}
	lines, err := os.ReadFile(filepath.Join(folder, "checkpoints", "own", "0", "asymvlm-vmf-residual.jsonl"))
	if err != nil || strings.Count(string(lines), "\n") != 5 || !strings.Contains(string(lines), `{"epoch":4,"step":20,"loss":`) {
		t.Errorf("curves %s, %v", lines, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "board", "own", "0", "asymvlm-vmf-residual", tracking.EventsName)); err != nil {
		t.Error(err)
	}
	loaded, err := adapter.Load(filepath.Join(folder, "checkpoints", "own", "0", "asymvlm-vmf-residual.safetensors"))
	if err != nil || len(loaded.Measurements()) != 5 {
		t.Errorf("%v, %v", loaded, err)
	}
	// After completion it can be rerun, with the same result.
	if again, _, err := train(t, folder, arguments...); err != nil || again != stdout {
		t.Errorf("%v, output %q, before %q", err, again, stdout)
	}
}

func TestPatienceEndsATrainingAndSaysSo(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	stdout, stderr, err := train(t, folder, "--dataset", "own", "--method", "asymvlm-vmf-residual", "--schedule", "auto", "--validation", "val", "--lr", "1e-9",
		"--patience", "2", "--validate-every", "3", "--best-by", "both")
	if err != nil || !strings.Contains(stdout, "by both\n") || !strings.Contains(stdout, "of 46: no improvement in 2 measurements\n") {
		t.Errorf("%v, output %q", err, stdout)
	}
	if !strings.Contains(stderr, "weights are chosen on val, the evaluation split") {
		t.Errorf("log %q", stderr)
	}
}

func TestValidationFlagsThatCannotBeUsedAreRefused(t *testing.T) {
	for flags, want := range map[string]string{
		"--patience 3":                            "--validate-every, --patience and --best-by require --validation",
		"--validation train":                      "--validation train is the training split",
		"--validation val":                        "--validation val is a part of train: train on the other part, as in --split fit --validation val",
		"--validation 1.5":                        "--validation 1.5: want a share of the training images above 0 and below 1",
		"--validation NaN":                        "--validation NaN: want a share",
		"--validation 0":                          "--validation 0: want a share",
		"--validation 1e-9":                       "--validation 1e-09 of 2000 images holds out 0 and leaves 2000",
		"--validation best":                       `split "best" of world`,
		"--validation 0.2 --method clip,bayesvlm": "--validation, --curves and --tensorboard apply to methods that minimize a loss, not to clip, bayesvlm",
		"--curves --method clip":                  "not to clip: omit them",
	} {
		_, _, err := train(t, t.TempDir(), append([]string{"--dataset", "world"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", flags, err, want)
		}
	}
	if err := parse(t, &Train{}, "--patience", "0"); err == nil || !strings.Contains(err.Error(), "--patience: 0, want an integer of at least 1") {
		t.Errorf("patience 0: %v", err)
	}
}
