package laboratory

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
)

// table runs the subcommand on a folder of results.
func table(t *testing.T, folder string, arguments ...string) (string, error) {
	t.Helper()
	var command Table
	if err := parse(t, &command, append(arguments, "--results", folder)...); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := command.run(&out)
	return out.String(), err
}

// fakeResult returns a result with recalls that are easy to average.
func fakeResult(method string, seed uint64, recall float64) result {
	s, r2 := -1.0, 0.5
	d := direction{Recall1: recall, Recall5: recall, Recall10: recall, Levels: []float64{1, 0}, Average: recall, S: &s, R2: &r2, MinusSR2: &r2}
	return result{Dataset: "coco/val", Checksum: "0123456789abcdef", Images: 5000, Texts: 25014, Method: method, Seed: seed,
		Training: training{Schedule: "paper: 200 epochs, batch 2048", Temperature: 5}, T2I: d, I2T: d}
}

// store writes results to the paths that eval uses.
func store(t *testing.T, folder, dataset string, results ...result) {
	t.Helper()
	for _, r := range results {
		if err := writeJSON(resultFile(folder, dataset, "", job{method: r.Method, seed: r.Seed}), r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTableGivesMeanDeviationAndDifference(t *testing.T) {
	folder := t.TempDir()
	pfe := fakeResult(adapter.PFE, 0, 0.304)
	pfe.I2T.Recall1 = 0.5
	store(t, folder, "coco", pfe, fakeResult("asymvlm-vmf", 0, 0.3), fakeResult("asymvlm-vmf", 1, 0.5))
	text, err := table(t, folder, "--dataset", "coco", "--method", "asymvlm-vmf,pfe,prolip", "--seeds", "0,1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"coco/val: 5000 images, 25014 texts. Mean ± population standard deviation over the seeds.\n",
		"asymvlm-vmf     2  0.400 ± 0.100  0.400 ± 0.100  -1.000 ± 0.000  0.500 ± 0.000  0.500 ± 0.000",
		"Only seeds 0 of pfe have results.",
		"There are no results of prolip.\n",
		"Schedule of asymvlm-vmf, pfe: paper: 200 epochs, batch 2048.",
		"Zero-shot Recall@1 is that of MS-COCO with CLIP ViT-B/32 in the paper",
		// Table A.2 has 0.396 ± 0.001 text to image and 0.561 ± 0.002 image to text.
		"asymvlm-vmf  t2i R@1   0.400 ± 0.100",
		"asymvlm-vmf  i2t R@1   0.400 ± 0.100   0.561 ± 0.002      -0.161",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\nprolip ") {
		t.Error("a method without results is in the table")
	}
}

func TestTableSaysWhenTheDataAreNotThePapers(t *testing.T) {
	folder := t.TempDir()
	small := fakeResult("asymvlm-vmf", 0, 0.3)
	small.Images, small.Texts = 1000, 5010
	store(t, folder, "small", small)
	wrongRecall := fakeResult(adapter.CLIP, 0, 0.4)
	store(t, folder, "other", wrongRecall)
	store(t, folder, "unknown", fakeResult("asymvlm-vmf", 0, 0.3))
	for want, arguments := range map[string][]string{
		"NOT the paper's data: 1000 images and 5010 texts, MS-COCO in the paper has 5000 and 25014": {"--dataset", "small", "--published", "MS-COCO"},
		"NOT the paper's data: its zero-shot Recall@1 is 0.400 (t2i) and 0.400 (i2t)":               {"--dataset", "other", "--published", "MS-COCO"},
		"Its zero-shot recall is needed to decide whether this is the paper's data":                 {"--dataset", "unknown", "--published", "MS-COCO"},
		"has no numbers for small: this is not the paper's data":                                    {"--dataset", "small"},
		"has no numbers for other: this is not":                                                     {"--dataset", "other", "--published", "none"},
	} {
		text, err := table(t, folder, arguments...)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%q: error %v, %q is missing in\n%s", arguments, err, want, text)
		}
	}
}

func TestTableWarnsOfMixedSchedulesAndMirroredRuns(t *testing.T) {
	folder := t.TempDir()
	second := fakeResult("asymvlm-vmf", 1, 0.3)
	second.Training.Schedule, second.Training.Temperature = "own: 2 epochs", -3
	second.T2I.S, second.T2I.R2, second.T2I.MinusSR2 = nil, nil, nil
	store(t, folder, "d", fakeResult("asymvlm-vmf", 0, 0.3), second)
	text, err := table(t, folder, "--dataset", "d", "--seeds", "0,1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Seeds 0 and 1 of asymvlm-vmf were trained differently: paper", "Seed 1 of asymvlm-vmf ended with a negative temperature",
		"0.300 ± 0.000      –       –         –  0.300 ± 0.000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestTablesOfOtherDataOrDamagedResultsAreErrors(t *testing.T) {
	folder := t.TempDir()
	other := fakeResult("pfe", 0, 0.3)
	other.Checksum = "fedcba9876543210"
	store(t, folder, "d", fakeResult("asymvlm-vmf", 0, 0.3), other)
	if _, err := table(t, folder, "--dataset", "d"); err == nil || !strings.Contains(err.Error(), "pfe.json was measured on coco/val (sha256 fedcba987654…)") {
		t.Errorf("error %v", err)
	}
	if _, err := table(t, folder, "--dataset", "none"); err == nil || !strings.Contains(err.Error(), "no results of none below") {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(folder, "d", "0", "pfe.json")
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := table(t, folder, "--dataset", "d"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func TestTableFormats(t *testing.T) {
	folder := t.TempDir()
	rank := 0.75
	r := fakeResult("asymvlm-vmf", 0, 0.3)
	r.KappaRank = &rank
	store(t, folder, "coco", r)
	for format, want := range map[string][]string{
		"markdown": {"| method | runs | t2i R@1 | t2i average |", "| --- | ---: |", "| asymvlm-vmf | 1 | 0.300 | 0.300 |", "| 0.750 |",
			"- Schedule of asymvlm-vmf: ", "| asymvlm-vmf | i2t R@1 | 0.300 | 0.561 ± 0.002 | -0.261 |"},
		"latex": {`\begin{tabular}{lr`, `t2i $-$S$R^2$ &`, `true $\kappa$ \\`, `asymvlm-vmf & 1 & 0.300 &`, `$-$1.000`, `0.561 $\pm$ 0.002`,
			`& $-$0.261 \\`, `\bottomrule`},
	} {
		text, err := table(t, folder, "--dataset", "coco", "--seeds", "0", "--format", format)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is missing in\n%s", format, part, text)
			}
		}
	}
	text, err := table(t, folder, "--dataset", "coco", "--seeds", "0", "--format", "csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != 12 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	found := false
	for _, line := range lines {
		if line[3] == "i2t" && line[4] == "R@1" {
			found = line[5] == "0.300000" && line[7] == "0.561000" && line[9] == "-0.261000"
		}
	}
	if !found {
		t.Errorf("no line of i2t R@1 in\n%s", text)
	}
}

// The complete process: two methods and two seeds, two splits that do not overwrite each other, a
// table of both.
func TestSeveralMethodsAndSeedsUpToTheirTable(t *testing.T) {
	folder := t.TempDir()
	arguments := []string{"--dataset", "world", "--method", "clip,asymvlm-vmf", "--seeds", "1,0"}
	stdout, stderr, err := train(t, folder, append(arguments, "--schedule", "small", "--epochs", "2", "--batch", "1000")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[1/4] clip, seed 1, nothing is trained\n", "[4/4] asymvlm-vmf, seed 0, own: 2 epochs, batch 1000, learning rate 0.1, hidden layers of 256\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if strings.Count(stderr, "[4/4] step") != 1 || !strings.Contains(stderr, "[2/4] step 16 of 16, ") {
		t.Errorf("log\n%s", stderr)
	}
	if _, err := eval(t, folder, arguments...); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "results", "world", "0", "asymvlm-vmf.json")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eval(t, folder, append(arguments, "--split", "val")...); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("evaluating another split changed the result, %v", err)
	}
	var r result
	text, err := os.ReadFile(filepath.Join(folder, "results", "world", "0", "asymvlm-vmf.val.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil || r.Dataset != "world/val" || r.Images != 400 {
		t.Errorf("%v, %s with %d images", err, r.Dataset, r.Images)
	}
	if r.KappaRank == nil || math.Abs(*r.KappaRank) > 1 {
		t.Errorf("rank correlation %v", r.KappaRank)
	}
	for _, split := range []string{"", "val"} {
		printed, err := table(t, filepath.Join(folder, "results"), "--dataset", "world", "--seeds", "0,1", "--split", split)
		if err != nil || !strings.Contains(printed, "asymvlm-vmf*") || !strings.Contains(printed, "true κ") {
			t.Errorf("split %q: %v\n%s", split, err, printed)
		}
	}
	if err := os.Remove(filepath.Join(folder, "checkpoints", "world", "1", "clip.safetensors")); err != nil {
		t.Fatal(err)
	}
	if _, err := eval(t, folder, arguments...); err == nil || !strings.Contains(err.Error(), "train it with: gosphere train --dataset world --method clip --seeds 1") {
		t.Errorf("error %v", err)
	}
	if _, err := eval(t, folder, append(arguments, "--checkpoint", path)...); err == nil || !strings.Contains(err.Error(), "names one adapter") {
		t.Errorf("error %v", err)
	}
}

// A failing training does not prevent the others.
func TestAFailingTrainingLeavesTheOthers(t *testing.T) {
	folder := t.TempDir()
	_, _, err := train(t, folder, "--dataset", "world", "--method", "asymvlm-vmf,clip", "--schedule", "small", "--epochs", "2", "--lr", "1e6")
	if err == nil || !strings.Contains(err.Error(), "[1/2] asymvlm-vmf, seed 0: adapter: step ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "checkpoints", "world", "0", "clip.safetensors")); err != nil {
		t.Error(err)
	}
}

func TestCrossvalPoolsTheFolds(t *testing.T) {
	folder := t.TempDir()
	var command Crossval
	if err := parse(t, &command, "--dataset", "world", "--split", "test", "--method", "clip,asymvlm-psd", "--schedule", "small", "--epochs", "1",
		"--folds", "4", "--results", folder); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := command.run(t.Context(), &out, &errs); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "world/test: 500 images, 2000 texts, 64 dimensions, 4 folds over images") {
		t.Errorf("output\n%s", text)
	}
	printed, err := table(t, folder, "--dataset", "world", "--seeds", "0", "--split", "folds")
	if err != nil || !strings.Contains(printed, "asymvlm-psd*     1") {
		t.Errorf("%v\n%s", err, printed)
	}
	command.Folds = 400
	if err := command.run(t.Context(), &out, &errs); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("error %v", err)
	}
}

// An error of cross-validation names its training; Ctrl-C ends the whole list.
func TestCrossvalTellsWhichMethodFailed(t *testing.T) {
	var command Crossval
	if err := parse(t, &command, "--dataset", "world", "--split", "test", "--method", "asymvlm-vmf,clip", "--schedule", "small", "--epochs", "1",
		"--lr", "1e6", "--batch", "100", "--folds", "3", "--results", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err := command.run(t.Context(), &out, &errs)
	if err == nil || !strings.Contains(err.Error(), "[1/2] asymvlm-vmf, seed 0: adapter: fold 1 of 3: adapter: step ") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out.String(), "[2/2] clip, seed 0, nothing is trained") {
		t.Errorf("output\n%s", out.String())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	out.Reset()
	if err := command.run(ended, &out, &errs); !errors.Is(err, context.Canceled) || strings.Contains(out.String(), "clip") {
		t.Errorf("error %v, output\n%s", err, out.String())
	}
}

func TestTableAsJSONHasEveryMeasureBySeed(t *testing.T) {
	folder := t.TempDir()
	store(t, folder, "coco", fakeResult("asymvlm-vmf", 0, 0.3), fakeResult("asymvlm-vmf", 1, 0.5))
	text, err := table(t, folder, "--dataset", "coco", "--method", "asymvlm-vmf", "--seeds", "0,1", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var methods []measuredMethod
	if err := json.Unmarshal([]byte(text), &methods); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if len(methods) != 1 || methods[0].Method != "asymvlm-vmf" || !slices.Equal(methods[0].Seeds, []uint64{0, 1}) {
		t.Fatalf("methods %+v", methods)
	}
	first := methods[0].Measures[0]
	if first.Direction != "t2i" || math.Abs(*first.Mean-0.4) > 1e-12 || math.Abs(*first.SD-0.1) > 1e-12 || len(first.Values) != 2 || *first.Values[1] != 0.5 {
		t.Errorf("first measure %s %s: %v ± %v", first.Direction, first.Measure, *first.Mean, *first.SD)
	}
}
