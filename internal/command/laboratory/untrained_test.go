package laboratory

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/baseline"
)

// Tables contain the uncertainties without training, whatever methods are listed, and name the
// best.
func TestTablesHaveRowsWithoutTraining(t *testing.T) {
	folder := t.TempDir()
	train := Train{}
	common := []string{"--dataset=world", "--method=clip", "--seeds=0,1", "--checkpoints=" + filepath.Join(folder, "c")}
	if err := parseFlags(&train, common); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := train.run(t.Context(), &out, &out); err != nil {
		t.Fatal(err)
	}
	eval := Eval{}
	if err := parseFlags(&eval, common, []string{"--results=" + filepath.Join(folder, "r")}); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := eval.run(&out, &out); err != nil {
		t.Fatal(err)
	}
	text, err := table(t, filepath.Join(folder, "r"), "--dataset", "world", "--method", "clip", "--seeds", "0,1")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range baseline.Methods() {
		if found := strings.Contains(text, "\n"+string(m)+" "); found != (m != baseline.CaptionLength) {
			t.Errorf("%s has a row: %t, in\n%s", m, found, text)
		}
		if !strings.Contains(out.String(), string(m)) && m != baseline.CaptionLength {
			t.Errorf("eval does not print %s", m)
		}
	}
	if !strings.Contains(text, "Best uncertainty without training, by AURC: text to image max-cosine (AURC ") {
		t.Errorf("the best is missing in\n%s", text)
	}
	if _, err := table(t, filepath.Join(folder, "r"), "--dataset", "world", "--method", "asymvlm-vmf"); err == nil {
		t.Error("rows without training alone are a table of asymvlm-vmf")
	}
}

// --entropy-scale is the inverse temperature of the entropy in the rows without training.
func TestTheScaleOfTheEntropyIsAFlag(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	if _, _, err := train(t, folder, "--dataset", "own", "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	set, err := readDataset(filepath.Join(folder, "embeddings"), "own", "val")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, scale := range []float64{baseline.Scale, 7} {
		rows, err := baseline.EvaluateAt(set, 10, scale)
		if err != nil {
			t.Fatal(err)
		}
		text, err := eval(t, folder, "--dataset", "own", "--method", "clip", "--entropy-scale", strconv.FormatFloat(scale, 'g', -1, 64))
		if err != nil || !strings.Contains(text, rows.String()) {
			t.Errorf("scale %g: %v, output\n%s\nwant\n%v", scale, err, text, rows)
		}
		lines = append(lines, rows.String())
	}
	if lines[0] == lines[1] {
		t.Error("the scale changes nothing")
	}
}

// A factor that is fitted on another split lowers the calibration error of confidences, and results
// and tables have both errors.
func TestCalibrationBeforeAndAfterAFit(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	if _, _, err := train(t, folder, "--dataset", "own", "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	text, err := eval(t, folder, "--dataset", "own", "--method", "clip", "--calibrate", "train")
	if err != nil || strings.Count(text, "fitted on train") != 2 {
		t.Fatalf("%v, output\n%s", err, text)
	}
	found, err := storedResult(resultFile(filepath.Join(folder, "results"), "own", "", job{method: "clip"}))
	if err != nil || found.Calibration == nil {
		t.Fatalf("%v, %+v", err, found)
	}
	for _, d := range []calibrated{found.Calibration.T2I, found.Calibration.I2T} {
		if !(d.After < d.Before) || d.ScaleBefore != 100 || d.ScaleAfter == 100 {
			t.Errorf("%+v", d)
		}
	}
	if text, err := table(t, filepath.Join(folder, "results"), "--dataset", "own", "--method", "clip"); err != nil || !strings.Contains(text, "t2i ECE fitted") {
		t.Errorf("%v, table\n%s", err, text)
	}
	if _, err := eval(t, folder, "--dataset", "own", "--method", "clip", "--calibrate", "val"); err == nil || !strings.Contains(err.Error(), "--calibrate val is the split that is evaluated") {
		t.Errorf("the same split: %v", err)
	}
}

// --figures draws the levels of an adapter beside the best uncertainty without training.
func TestFiguresHaveALineWithoutTraining(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	if _, _, err := train(t, folder, "--dataset", "own", "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	figures := filepath.Join(folder, "figures")
	text, err := eval(t, folder, "--dataset", "own", "--method", "clip", "--figures", figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clip-reliability.png", "clip-levels.png"} {
		path := filepath.Join(figures, "own", "val", "0", name)
		if info, err := os.Stat(path); err != nil || info.Size() < 1000 || !strings.Contains(text, path) {
			t.Errorf("%s: %v, output\n%s", name, err, text)
		}
	}
}
