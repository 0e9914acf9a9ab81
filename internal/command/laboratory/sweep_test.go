package laboratory

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sweepPlan = `
dataset = "own"
method = ["asymvlm-vmf-residual", "asymvlm-psd-residual"]
[flags]
schedule = "auto"
epochs = 8
validation = 0.3
[grid]
lr = [0.02, 0.05]
`

// sweeping runs the subcommand on a plan.
func sweeping(t *testing.T, folder, plan string, arguments ...string) (string, error) {
	t.Helper()
	path := filepath.Join(folder, "plan.toml")
	if err := os.WriteFile(path, []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	var command Sweep
	arguments = append(arguments, path, "--out", filepath.Join(folder, "out"), "--embeddings", filepath.Join(folder, "embeddings"))
	if err := parse(t, &command, arguments...); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err := command.run(t.Context(), &out, &errs)
	return out.String(), err
}

func TestASweepDoesEveryTrainingOnceAndGoesOn(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	ownData(t, folder)
	if text, err := sweeping(t, folder, sweepPlan, "--missing"); err != nil || text != "0-3\n" {
		t.Fatalf("%q, %v", text, err)
	}
	text, err := sweeping(t, folder, sweepPlan, "--task", "2")
	if err != nil || !strings.Contains(text, "training 2: asymvlm-vmf-residual, seed 0 lr=0.05\n") {
		t.Fatalf("%v, output %s", err, text)
	}
	first := filepath.Join(folder, "out", "lr=0.05", "checkpoints", "own", "0", "asymvlm-vmf-residual.safetensors")
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := sweeping(t, folder, sweepPlan, "--missing"); err != nil || text != "0-1,3\n" {
		t.Errorf("%q, %v", text, err)
	}
	text, err = sweeping(t, folder, sweepPlan, "-j", "2", "--threads", "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 trainings, 1 of them done\n", "training 0: ", "training 1: ", "training 3: ", "lr  runs  validation",
		"own/val: 100 images, 400 texts", "Rows are ordered by their best measurement on the validation set, by aurc."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if after, err := os.Stat(first); err != nil || !after.ModTime().Equal(before.ModTime()) || strings.Contains(text, "training 2: ") {
		t.Errorf("the training that was done is done again, %v", err)
	}
	file, err := os.ReadFile(filepath.Join(folder, "out", "runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil || len(lines) != 5 || lines[0][2] != "lr" || lines[1][2] != "0.02" || lines[1][4] == "" {
		t.Errorf("lines %q, %v", lines, err)
	}
	again, err := sweeping(t, folder, sweepPlan)
	if err != nil || !strings.HasPrefix(again, "4 trainings, 4 of them done\nmethod") {
		t.Errorf("%v, output %s", err, again)
	}
	if text, err := sweeping(t, folder, sweepPlan, "--missing"); text != "" || err != errNothingMissing {
		t.Errorf("nothing is missing: %q, %v", text, err)
	}
	if wider, err := sweeping(t, folder, strings.Replace(sweepPlan, "[0.02, 0.05]", "[0.02, 0.05, 0.06]", 1), "--missing"); err != nil || wider != "4-5\n" {
		t.Errorf("%q, %v", wider, err)
	}
	if _, err := sweeping(t, folder, strings.Replace(sweepPlan, "epochs = 8", "epochs = 9", 1)); err == nil || !strings.Contains(err.Error(), "holds a sweep with other data or flags") {
		t.Errorf("other flags in the same folder: %v", err)
	}
}

func TestAFailedTrainingDoesNotStopASweep(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	ownData(t, folder)
	blocked := filepath.Join(folder, "out", "lr=0.02", "checkpoints")
	if err := os.MkdirAll(filepath.Dir(blocked), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := sweeping(t, folder, sweepPlan, "-j", "2")
	if err == nil || !strings.Contains(err.Error(), "2 of 4 trainings failed; rerun the command to retry them") || !strings.Contains(text, "asymvlm-psd-residual") {
		t.Errorf("error %v, output %s", err, text)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	if text, err = sweeping(t, folder, sweepPlan); err != nil || !strings.Contains(text, "4 trainings, 2 of them done") {
		t.Errorf("%v, output %s", err, text)
	}
}

func TestSweepsThatCannotBeDoneAreRefusedBeforeAnyTraining(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	for change, want := range map[string]string{
		"lr = [0.02, 0.05]|lr = [0.001, -1]":                 "plan.toml: --lr: -1, want a number above 0",
		"lr = [0.02, 0.05]|rate = [0.001]":                   "unknown flag --rate",
		"lr = [0.02, 0.05]|hidden = [8]":                     "asymvlm-vmf-residual, seed 0 hidden=8: --hidden has no effect on asymvlm-vmf-residual",
		"\"asymvlm-psd-residual\"|\"determ\"":                `method "determ", want one of`,
		"dataset = \"own\"|dataset = \"other\"":              `no data set "other"`,
		"dataset = \"own\"|dataset = \"own\"\nsplit = \"x\"": "x",
	} {
		old, replaced, _ := strings.Cut(change, "|")
		_, err := sweeping(t, folder, strings.Replace(sweepPlan, old, replaced, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", replaced, err, want)
		}
	}
	if _, err := sweeping(t, folder, sweepPlan, "--task", "4"); err == nil || !strings.Contains(err.Error(), "--task 4: the sweep has 4 trainings, from 0 to 3") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(filepath.Join(folder, "out")); err == nil && len(entries) > 1 {
		t.Errorf("%d files were written", len(entries))
	}
}

// A training in which nothing improved has a row with a mark, and the sweep ends with an error,
// also if all results are there.
func TestTrainingsThatDoNotImproveHaveRows(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	ownData(t, folder)
	plan := strings.Replace(sweepPlan, "[0.02, 0.05]", "[1e-12, 0.05]", 1)
	for range 2 {
		text, err := sweeping(t, folder, plan)
		if err == nil || !strings.Contains(err.Error(), "in 2 of 4 trainings no measurement on the validation set was better") {
			t.Fatalf("%v, output %s", err, text)
		}
		if strings.Count(text, unchangedMark+" ") < 2 || !strings.Contains(text, "have the weights of their start") {
			t.Errorf("no rows with marks in\n%s", text)
		}
	}
}
