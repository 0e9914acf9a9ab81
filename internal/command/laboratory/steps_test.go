package laboratory

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func TestStepsAreCountedOnTheDataThatIsTrainedOn(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder) // 400 pairs
	stdout, stderr, err := train(t, folder, "--dataset", "own", "--method", "asymvlm-vmf-residual", "--steps", "9", "--batch", "128", "--lr", "0.001")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout, "own: 9 steps, batch 128, learning rate 0.001") || !strings.Contains(stderr, "training asymvlm-vmf-residual, 9 steps\n") {
		t.Errorf("output %q, log %q", stdout, stderr)
	}
	var command Crossval
	if err := parse(t, &command, "--dataset", "own", "--split", "train", "--method", "asymvlm-vmf-residual", "--steps", "9", "--batch", "128", "--folds", "4",
		"--embeddings", filepath.Join(folder, "embeddings"), "--results", filepath.Join(folder, "results")); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := command.run(t.Context(), &out, &errs); err != nil {
		t.Fatal(err)
	}
	if log := errs.String(); strings.Count(log, "training asymvlm-vmf-residual, 9 steps\n") != 4 { // 300 pairs, 3 steps an epoch
		t.Errorf("log %q", log)
	}
}

func TestStepsAndEpochsTogetherAreRefused(t *testing.T) {
	_, _, err := train(t, t.TempDir(), "--dataset", "world", "--steps", "9", "--epochs", "2")
	if want := "--epochs 2 and --steps 9 both set the length of the training: omit one of them"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, _, err := train(t, t.TempDir(), "--dataset", "world", "--method", "clip", "--steps", "9"); err == nil || !strings.Contains(err.Error(), "--steps has no effect on clip") {
		t.Errorf("error %v", err)
	}
}

func TestTheAutomaticScheduleCountsThePairsThatAreTrainedOn(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder) // 400 pairs
	stdout, stderr, err := train(t, folder, "--dataset", "own", "--method", "asymvlm-vmf-residual,clip", "--schedule", "auto")
	if err != nil || !strings.Contains(stdout, "auto for 400 pairs: 46 epochs, batch 64, learning rate 0.03") || strings.Contains(stderr, "warning: the paper's") {
		t.Errorf("%v, output %q, log %q", err, stdout, stderr)
	}
	stdout, _, err = train(t, folder, "--dataset", "own", "--method", "determ-ft-residual", "--schedule", "auto", "--epochs", "2")
	if err != nil || !strings.Contains(stdout, "own: 2 epochs, batch 64, learning rate 0.03") {
		t.Errorf("%v, output %q", err, stdout)
	}
	var command Crossval
	if err := parse(t, &command, "--dataset", "own", "--split", "train", "--method", "asymvlm-vmf-residual", "--schedule", "auto", "--folds", "4",
		"--embeddings", filepath.Join(folder, "embeddings"), "--results", filepath.Join(folder, "results")); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := command.run(t.Context(), &out, &errs); err != nil || !strings.Contains(out.String(), "auto for 300 pairs: 64 epochs, batch 64") {
		t.Errorf("%v, output %q", err, out.String())
	}
}

// The label names the layers of the network that is trained.
func TestLabelsNameTheLayers(t *testing.T) {
	for flags, want := range map[string]string{
		"": "one hidden layer of 256", "--hidden=128": "one hidden layer of 128", "--steps=9 --hidden=128": "one hidden layer of 128",
		"--steps=9": "one hidden layer of 256", "--hidden-layers=2 --hidden=128 --steps=9": "hidden layers of 128, 2 hidden layers",
	} {
		var r struct{ recipe }
		if err := parseFlags(&r, []string{"--schedule=auto"}, strings.Fields(flags)); err != nil {
			t.Fatal(err)
		}
		r.pairs = 400
		options, err := r.options("own", job{method: "asymvlm-vmf"})
		if err != nil || !strings.HasSuffix(options.Label, ", "+want) || strings.Contains(strings.TrimSuffix(options.Label, want), "hidden layers of") {
			t.Errorf("%s: %v, label %q, want %q", flags, err, options.Label, want)
		}
	}
}
