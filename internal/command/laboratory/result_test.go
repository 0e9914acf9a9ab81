package laboratory

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/retrieval"
)

func nan() float64 { return math.NaN() }

// JSON has no infinities, which occur if a level contains a text without concentration or all
// recalls are equal.
func TestResultsHoldNullForWhatJSONCannot(t *testing.T) {
	d := newDirection(retrieval.Direction{Levels: []float64{1, 1}, MeanUncertainty: []float64{0.5, math.Inf(1)}, S: nan(), R2: nan(), MinusSR2: nan(), AURC: 0.25}, nil)
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"mean_uncertainty_by_level":[0.5,null],"average":0,"s":null,"r2":null,"minus_s_r2":null,"aurc":0.25,"e_aurc":0}`; !strings.HasSuffix(string(text), want) {
		t.Errorf("%s, want it to end in %s", text, want)
	}
	var back direction
	if err := json.Unmarshal(text, &back); err != nil || !math.IsNaN(orNaN(back.S)) || orNaN(back.MeanUncertainty[0]) != 0.5 {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestKappaRankIsOneWhenCertaintyFollowsConcentration(t *testing.T) {
	report := &retrieval.Report{TextToImage: retrieval.Direction{Uncertainty: []float64{0.1, 0.3, 0.2, 7}}}
	if got := kappaRank(report, []float64{90, 20, 50, 3}); got == nil || math.Abs(*got-1) > 1e-12 {
		t.Errorf("rank correlation %g", orNaN(got))
	}
	if got := kappaRank(report, []float64{3, 20, 4, 50}); got == nil || math.Abs(*got+1) > 1e-12 {
		t.Errorf("rank correlation %g", orNaN(got))
	}
	if got := kappaRank(report, []float64{1, 1, 1, 1}); got != nil {
		t.Errorf("rank correlation %g with equal concentrations", *got)
	}
}

func TestResultFilesAppearWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a", "b.json")
	if err := writeJSON(path, map[string]int{"x": 1}); err != nil {
		t.Fatal(err)
	}
	if err := writeJSON(path, math.Inf(1)); err == nil {
		t.Error("an infinity was written")
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "{\n  \"x\": 1\n}\n" {
		t.Errorf("%q, %v", text, err)
	}
	files, err := os.ReadDir(filepath.Join(folder, "a"))
	if err != nil || len(files) != 1 {
		t.Errorf("%d files beside each other, %v", len(files), err)
	}
	if err := writeJSON(filepath.Join(path, "c.json"), 1); err == nil {
		t.Error("a file served as a folder")
	}
}

// A result contains everything needed to reproduce it, and equal runs write equal bytes.
func TestEqualRunsGiveEqualResults(t *testing.T) {
	var texts [2][]byte
	for i := range texts {
		folder := t.TempDir()
		if _, _, err := train(t, folder, "--dataset", "world", "--schedule", "small", "--epochs", "1", "--seeds", "5"); err != nil {
			t.Fatal(err)
		}
		if _, err := eval(t, folder, "--dataset", "world", "--seeds", "5"); err != nil {
			t.Fatal(err)
		}
		var err error
		if texts[i], err = os.ReadFile(filepath.Join(folder, "results", "world", "5", "asymvlm-vmf.json")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
	var r result
	if err := json.Unmarshal(texts[0], &r); err != nil {
		t.Fatal(err)
	}
	if r.Seed != 5 || r.Training.Epochs != 1 || r.Training.Batch != 512 || r.Training.Steps != 16 || r.Training.LearningRate != 0.1 ||
		!strings.HasPrefix(r.Training.Schedule, "own: 1 epochs") || r.KappaRank == nil || len(r.Training.Checksum) != 64 {
		t.Errorf("result %+v", r)
	}
}

// An adapter from another location is stored under its own method and seed, regardless of the
// flags.
func TestACheckpointIsFiledUnderItsOwnName(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := train(t, folder, "--dataset", "world", "--method", "determ-ft", "--schedule", "small", "--epochs", "1", "--seeds", "8"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "checkpoints", "world", "8", "determ-ft.safetensors")
	stdout, err := eval(t, folder, "--dataset", "world", "--checkpoint", path)
	if err != nil || !strings.Contains(stdout, "determ-ft, seed 8, own: 1 epochs") ||
		!strings.Contains(stdout, filepath.Join("results", "world", "8", "determ-ft.json")) {
		t.Errorf("%v, output\n%s", err, stdout)
	}
	if _, err := eval(t, folder, "--dataset", "scenes_minilm", "--checkpoint", path); err == nil || !strings.Contains(err.Error(), "384 columns, determ-ft was trained on 64") {
		t.Errorf("error %v", err)
	}
	released := "../../../asymvlm/adapter/released/testdata/pcmepp.pt"
	if _, err := eval(t, folder, "--dataset", "world", "--checkpoint", released); err == nil || !strings.Contains(err.Error(), "pcmepp was trained on 6") {
		t.Errorf("error %v, want the dimension of the imported checkpoint", err)
	}
	if _, err := eval(t, folder, "--dataset", "world", "--checkpoint", path, "--uncer_levels", "501"); err == nil || !strings.Contains(err.Error(), "501 levels") {
		t.Errorf("error %v", err)
	}
	if _, err := eval(t, folder, "--dataset", "world", "--checkpoint", path+".absent"); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("error %v", err)
	}
}

// The seeds of a list produce different adapters, each in its own file.
func TestSeedsGiveDifferentResults(t *testing.T) {
	folder := t.TempDir()
	arguments := []string{"--dataset", "world", "--seeds", "0..2", "--method", "asymvlm-vmf"}
	if _, _, err := train(t, folder, append(arguments, "--schedule", "small", "--epochs", "1")...); err != nil {
		t.Fatal(err)
	}
	losses := map[float64]bool{}
	for _, seed := range []uint64{0, 1, 2} {
		a, err := adapter.Load(layout{Checkpoints: filepath.Join(folder, "checkpoints")}.checkpoint("world", "asymvlm-vmf", seed))
		if err != nil {
			t.Fatal(err)
		}
		if a.Options().Seed != seed {
			t.Errorf("seed %d in the file of %d", a.Options().Seed, seed)
		}
		losses[a.History().Loss[0]] = true
	}
	if len(losses) != 3 {
		t.Errorf("first losses %v", losses)
	}
}
