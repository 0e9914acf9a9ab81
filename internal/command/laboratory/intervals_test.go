package laboratory

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/retrieval"
)

// sampled returns a result of 200 images with 5 captions each, with a hit probability that
// decreases with the uncertainty.
func sampled(method string, seed uint64, probability float64) result {
	source := rand.New(rand.NewPCG(seed, 5))
	draw := func(groups []int, n int) direction {
		d := retrieval.Direction{Levels: make([]float64, 10), MeanUncertainty: make([]float64, 10), S: -0.9, R2: 0.8, MinusSR2: 0.72}
		for range n {
			u, hits := source.Float64(), 0.0
			d.Uncertainty = append(d.Uncertainty, u)
			d.Hits = append(d.Hits, source.Float64() < probability+0.4*(0.5-u))
			if d.Hits[len(d.Hits)-1] {
				hits = 1
			}
			d.Recall1 += hits / float64(n)
		}
		return newDirection(d, groups)
	}
	groups := make([]int, 1000)
	for text := range groups {
		groups[text] = text / 5
	}
	r := fakeResult(method, seed, 0.5)
	r.T2I, r.I2T = draw(groups, 1000), draw(nil, 200)
	return r
}

func TestTableGivesIntervalsAndPairedTests(t *testing.T) {
	folder := t.TempDir()
	store(t, folder, "d", sampled("asymvlm-vmf", 0, 0.5), sampled("asymvlm-vmf", 1, 0.5), sampled(adapter.PFE, 7, 0.3), sampled(adapter.CLIP, 0, 0.5))
	arguments := []string{"--dataset", "d", "--seeds", "0,1,7", "--method", "asymvlm-vmf,clip,pfe", "--ci", "--ci-draws", "500"}
	text, err := table(t, folder, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for line := range strings.Lines(text) {
		if cells := strings.Fields(line); len(cells) > 8 && (cells[1] == "t2i" || cells[1] == "i2t") {
			lines[cells[0]+" "+cells[1]] = cells
		}
	}
	if len(lines) != 6 {
		t.Fatalf("%d lines of intervals in\n%s", len(lines), text)
	}
	if cells := lines["pfe t2i"]; !slices.Equal(cells[len(cells)-2:], []string{"0.002", "0.008"}) {
		t.Errorf("recall lower by 0.2, the smallest p of 500 draws, 4 comparisons: %q", cells)
	}
	if cells := lines["clip t2i"]; cells[len(cells)-1] < "0.05" {
		t.Errorf("equal recall: %q", cells)
	}
	for _, want := range []string{"R@1 minus asymvlm-vmf", "Intervals cover 95 % of 500 bootstrap samples", "p, Holm"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if again, _ := table(t, folder, arguments...); again != text {
		t.Error("the same command gives other intervals")
	}
	against, err := table(t, folder, append(arguments, "--against", "pfe")...)
	if err != nil || !strings.Contains(against, "R@1 minus pfe") {
		t.Errorf("%v\n%s", err, against)
	}
}

// Recall and shape of all queries equal the measures in the result.
func TestOutcomesOfResultsSurviveTheirFile(t *testing.T) {
	r := sampled("asymvlm-vmf", 3, 0.5)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var read result
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read.T2I.Hits, r.T2I.Hits) || !slices.Equal(read.I2T.Places, r.I2T.Places) || len(read.I2T.Groups) != 0 {
		t.Error("other outcomes are read than were written")
	}
	o, groups, err := read.T2I.sample()
	if err != nil || len(groups) != 200 {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
	all := make([]int, o.Queries())
	for i := range all {
		all[i] = i
	}
	if math.Abs(o.Recall(all)-r.T2I.Recall1) > 1e-12 {
		t.Errorf("recall %g, want %g", o.Recall(all), r.T2I.Recall1)
	}
	if err := json.Unmarshal([]byte(`{"t2i":{"hits":"0121"}}`), &read); err == nil || !strings.Contains(err.Error(), `hits: '2' at 2`) {
		t.Errorf("damaged hits: %v", err)
	}
	if err := json.Unmarshal([]byte(`{"t2i":{"groups":"0 x"}}`), &read); err == nil || !strings.Contains(err.Error(), `places: "x"`) {
		t.Errorf("damaged groups: %v", err)
	}
}

func TestIntervalsThatCannotBeComputedAreRefused(t *testing.T) {
	folder := t.TempDir()
	store(t, folder, "old", fakeResult("asymvlm-vmf", 0, 0.5))
	store(t, folder, "d", sampled("asymvlm-vmf", 0, 0.5))
	for flags, want := range map[string]string{
		"--dataset old --ci":              "result of asymvlm-vmf, seed 0: it does not record which queries hit",
		"--dataset d --against clip":      "--ci-draws and --against require --ci",
		"--dataset d --ci --against clip": "--against clip: the table has no results of this method",
		"--dataset d --ci --ci-draws 1":   "--ci-draws 1: want at least 2",
		"--dataset d --ci --format csv":   "--ci is not available as CSV",
	} {
		if _, err := table(t, folder, strings.Fields(flags)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", flags, err, want)
		}
	}
}

// The folds of a cross-validation have different adapters, so recall has an interval but S and R2
// have none.
func TestCrossValidationsHaveIntervalsOfTheirRecall(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder) // 100 images, 400 pairs
	var command Crossval
	if err := parse(t, &command, "--dataset", "own", "--split", "train", "--method", "clip,asymvlm-vmf-residual", "--schedule", "auto", "--epochs", "2", "--folds", "3",
		"--embeddings", filepath.Join(folder, "embeddings"), "--results", filepath.Join(folder, "results")); err != nil {
		t.Fatal(err)
	}
	if err := command.run(t.Context(), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	text, err := table(t, filepath.Join(folder, "results"), "--dataset", "own", "--split", "folds", "--method", "clip,asymvlm-vmf-residual", "--seeds", "0", "--ci", "--ci-draws", "200")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(text) {
		if cells := strings.Fields(line); len(cells) > 6 && (cells[1] == "t2i" || cells[1] == "i2t") {
			rows++
			if !strings.HasPrefix(cells[3], "[") || cells[5] != "–" || cells[6] != "–" {
				t.Errorf("row %q", cells)
			}
		}
	}
	if rows != 12 { // four without training, which the built-in world has, and two, in both directions
		t.Errorf("%d rows of intervals in\n%s", rows, text)
	}
}

func TestGroupsOfFoldsAreInTheOrderOfTheirParts(t *testing.T) {
	set, _, err := builtIn(builtInWorld)
	if err != nil {
		t.Fatal(err)
	}
	_, parts, err := set.Folds(3)
	if err != nil {
		t.Fatal(err)
	}
	groups, at := foldGroups(&set.Set, 3), 0
	for fold, part := range parts {
		for _, image := range part.CaptionImages {
			// Image k of a part is image 3k + fold of the set.
			if groups[at] != 3*image+fold {
				t.Fatalf("query %d is of group %d, its image is %d", at, groups[at], 3*image+fold)
			}
			at++
		}
	}
	if at != len(groups) {
		t.Errorf("%d groups of %d queries", len(groups), at)
	}
}

// Intervals are over the seeds, too: of two runs of which one finds everything and the other
// nothing, the mean recall can be anything from 0 to 1. The estimate has each run once, and one run
// has the interval of its queries.
func TestIntervalsAreOverSeedsAndQueries(t *testing.T) {
	const queries = 60
	run := func(hits bool) result {
		d := retrieval.Direction{Levels: make([]float64, 3)}
		for i := range queries {
			d.Hits, d.Uncertainty = append(d.Hits, hits), append(d.Uncertainty, float64(i))
		}
		one := newDirection(d, nil)
		return result{T2I: one, I2T: one}
	}
	b := retrieval.Bootstrap{Draws: 400}
	for want, runs := range map[string][]result{"0.500 [0.000, 1.000]": {run(true), run(false)}, "1.000 [1.000, 1.000]": {run(true)}} {
		list, err := samples([][]tableRow{{{method: "m", runs: runs, seeds: []uint64{0, 1}[:len(runs)]}}}, "t2i", func(r result) direction { return r.T2I })
		if err != nil {
			t.Fatal(err)
		}
		if got := list[0].cell(b, list[0].recall); got != want {
			t.Errorf("%d runs: %s, want %s", len(runs), got, want)
		}
	}
}

// In LaTeX the best value of a column is bold and the second best underlined; smaller is better for
// S.
func TestLaTeXMarksTheBest(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	row := func(method string, recall, s float64) tableRow {
		d := direction{Recall1: recall, S: number(s)}
		return tableRow{method: method, runs: []result{{T2I: d, I2T: d}}, seeds: []uint64{0}}
	}
	var text strings.Builder
	latexGrid(&text, overview([]tableRow{row("a", 0.4, -0.9), row("b", 0.5, -0.2), row("c", 0.4, -1)}))
	for _, want := range []string{`a & 1 & \underline{0.400} &`, `b & 1 & \textbf{0.500} &`, `c & 1 & \underline{0.400} &`, `\underline{$-$0.900}`, `\textbf{$-$1.000}`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), `{$-$0.200}`) {
		t.Errorf("the third is marked in\n%s", &text)
	}
}
