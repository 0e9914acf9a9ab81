package laboratory

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/calibration"
)

// onSet is a result on a data set of some name.
func onSet(name string, r result) result {
	r.Dataset, r.Checksum = name+"/test", name
	r.Baseline = &adapter.Baseline{TextToImage: 0.45, ImageToText: 0.2}
	return r
}

// cellNumber reads a number of a table.
func cellNumber(t *testing.T, cell string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.Trim(cell, "[],"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// lineOf returns the first line of a text that begins with some words, with single blanks.
func lineOf(text, words string) string {
	for line := range blanksJoined(text) {
		if strings.HasPrefix(line, words) {
			return line
		}
	}
	return ""
}

func TestTableTakesTheMeanOverTestSets(t *testing.T) {
	folder := t.TempDir()
	store(t, folder, "a", onSet("a", fakeResult("asymvlm-vmf", 0, 0.3)), onSet("a", fakeResult("asymvlm-vmf", 1, 0.5)), onSet("a", fakeResult("pfe", 0, 0.9)))
	store(t, folder, "b", onSet("b", fakeResult("asymvlm-vmf", 0, 0.5)), onSet("b", fakeResult("asymvlm-vmf", 1, 0.5)), onSet("b", fakeResult("asymvlm-vmf", 2, 0.1)))
	arguments := []string{"--dataset", "a,b", "--method", "asymvlm-vmf,pfe", "--seeds", "0..2"}
	text, err := table(t, folder, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	_, mean, found := strings.Cut(text, "Mean over a/test, b/test.")
	if !found || !strings.Contains(text, "a/test: 5000 images") || !strings.Contains(text, "b/test: 5000 images") {
		t.Fatalf("not every set has its table in\n%s", text)
	}
	// The seeds 0 and 1 have 0.4 and 0.5; seed 2 is on one set only.
	if line := lineOf(mean, "asymvlm-vmf"); !strings.HasPrefix(line, "asymvlm-vmf 2 0.450 ± 0.050") {
		t.Errorf("the mean is %q in\n%s", line, mean)
	}
	for _, want := range []string{"No seed of pfe has results on every set.", "Seeds with results on every set: asymvlm-vmf (0 1).", "counts once, whatever its size",
		"without training"} {
		if !strings.Contains(mean, want) {
			t.Errorf("%q is missing in\n%s", want, mean)
		}
	}
	lines, err := table(t, folder, append(arguments, "--format", "csv")...)
	if err != nil || !strings.Contains(lines, "\n\"mean over a/test, b/test\",asymvlm-vmf,2,t2i,R@1,0.450000,0.050000,") {
		t.Errorf("%v\n%s", err, lines)
	}
	for list, want := range map[string]string{
		"a,,b": "--dataset a,,b: want names that differ", "a,a": "--dataset a,a: want names that differ", "a,c": "no results of c below",
	} {
		if _, err := table(t, folder, "--dataset", list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", list, err, want)
		}
	}
	store(t, folder, "e", onSet("e", fakeResult("clip", 0, 0.3)))
	if _, err := table(t, folder, "--dataset", "a,e"); err == nil || !strings.Contains(err.Error(), "no method has results of the same seed on each of a,e") {
		t.Errorf("sets without a common method: %v", err)
	}
}

// Two methods that differ by the same on two sets differ by it in the mean, with a smaller p than
// on one set.
func TestTableComparesMethodsOverTestSets(t *testing.T) {
	folder := t.TempDir()
	var wantAreas []float64
	for i, name := range []string{"a", "b"} {
		better, worse := sampled("asymvlm-vmf", uint64(i), 0.55), sampled("pfe", uint64(i)+5, 0.5)
		better.Seed, worse.Seed = 0, 0
		store(t, folder, name, onSet(name, better), onSet(name, worse))
		var uncertainty []float64
		for _, place := range worse.T2I.Places {
			uncertainty = append(uncertainty, float64(place))
		}
		curve, err := calibration.RiskCoverage(worse.T2I.Hits, uncertainty)
		if err != nil {
			t.Fatal(err)
		}
		wantAreas = append(wantAreas, curve.AURC)
	}
	text, err := table(t, folder, "--dataset", "a,b", "--method", "asymvlm-vmf,pfe", "--seeds", "0", "--ci", "--ci-draws", "300")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(text, "R@1 minus asymvlm-vmf")
	if len(parts) != 4 {
		t.Fatalf("%d tables of intervals, want one for each set and one of the mean:\n%s", len(parts)-1, text)
	}
	var estimates, widths, areas []float64
	for _, part := range parts[1:] {
		cells := strings.Fields(lineOf(part, "pfe t2i"))
		if len(cells) != 22 {
			t.Fatalf("cells %q", cells)
		}
		estimates = append(estimates, cellNumber(t, cells[17]))
		widths = append(widths, cellNumber(t, cells[19])-cellNumber(t, cells[18]))
		areas = append(areas, cellNumber(t, cells[14]))
	}
	if math.Abs(estimates[2]-(estimates[0]+estimates[1])/2) > 0.0011 || widths[2] > 0.85*min(widths[0], widths[1]) {
		t.Errorf("differences %v with intervals of %v; want the mean last, with a narrower interval", estimates, widths)
	}
	if math.Abs(areas[0]-wantAreas[0]) > 0.0006 || math.Abs(areas[1]-wantAreas[1]) > 0.0006 {
		t.Errorf("AURC of the sets is %v, want %v", areas[:2], wantAreas)
	}
	if !strings.Contains(parts[3], "the queries of each set are drawn within the set") {
		t.Errorf("the mean does not say how it is drawn:\n%s", parts[3])
	}
}
