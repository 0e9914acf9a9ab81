package laboratory

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gosphere/asymvlm/retrieval"
)

// A certainty that predicts failure is marked, one that predicts success or nothing is not, for
// results with an order of the queries and for those of folds.
func TestWrongSignsAreMarked(t *testing.T) {
	for name, c := range map[string]struct {
		slope float64
		wrong bool
	}{"wrong": {0.8, true}, "right": {-0.8, false}} {
		random := rand.New(rand.NewPCG(1, 2))
		const queries = 1000
		hits, uncertainty, levels := make([]bool, queries), make([]float64, queries), make([]float64, 10)
		for i := range hits {
			uncertainty[i] = float64(i)
			hits[i] = random.Float64() < 0.5+c.slope*(float64(i)/queries-0.5)
			if hits[i] {
				levels[i/100] += 0.01
			}
		}
		s := retrieval.Spearman([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, levels)
		d := newDirection(retrieval.Direction{Levels: levels, S: s, Hits: hits, Uncertainty: uncertainty}, nil)
		folds := d
		folds.Places = nil
		for kind, d := range map[string]direction{"eval": d, "folds": folds} {
			row := tableRow{method: "m", runs: []result{{T2I: d}}, seeds: []uint64{0}}
			if got := wrongSigns(row) == "text to image"; got != c.wrong {
				t.Errorf("%s, %s: marked %t, want %t", name, kind, got, c.wrong)
			}
			if note := signNote([]tableRow{row}); (note != "") != c.wrong {
				t.Errorf("%s, %s: note %q", name, kind, note)
			}
		}
	}
}

// A row with a training whose held-out likelihood says that there were too few pairs is marked, and
// the note names it.
func TestTooFewPairsAreMarked(t *testing.T) {
	few, enough := retrieval.HeldOut{Texts: 400, Gain: 0.001, Low: -0.001, High: 0.003}, retrieval.HeldOut{Texts: 400, Gain: 0.01, Low: 0.005, High: 0.015}
	rows := []tableRow{
		{method: "a", runs: []result{{HeldOut: &enough}, {HeldOut: &few}}, seeds: []uint64{0, 1}},
		{method: "b", runs: []result{{HeldOut: &enough}}, seeds: []uint64{0}},
		{method: "c", runs: []result{{}}, seeds: []uint64{0}},
	}
	for i, want := range []string{fewMark, "", ""} {
		if got := rows[i].marks(); got != want {
			t.Errorf("%s is marked %q, want %q", rows[i].method, got, want)
		}
	}
	if note := fewNote(rows); !strings.Contains(note, "too few pairs") || !strings.HasSuffix(note, " a.") {
		t.Errorf("note %q", note)
	}
	if note := fewNote(rows[1:]); note != "" {
		t.Errorf("note %q without a mark", note)
	}
	if overview(rows).rows[0][0] != "a"+fewMark {
		t.Errorf("table %v", overview(rows).rows)
	}
	var log strings.Builder
	warnSign(rows[0].runs[1], "[1/1] a, seed 1", &log)
	if !strings.Contains(log.String(), "warning: [1/1] a, seed 1: too few pairs to learn an uncertainty") {
		t.Errorf("log %q", log.String())
	}
}
