package laboratory

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
)

// meanOf returns the means over test sets, each of which counts once. Methods and seeds without a
// result on every set are left out.
func (t Table) meanOf(list []testSet) (testSet, error) {
	mean := testSet{Table: t, parts: make([][]tableRow, len(list))}
	for _, s := range list {
		mean.of = append(mean.of, s.rows[0].runs[0].Dataset)
	}
	for _, row := range list[0].rows {
		var seeds []uint64
		for _, seed := range row.seeds {
			if !slices.ContainsFunc(list, func(s testSet) bool { return s.run(row.method, seed) == nil }) {
				seeds = append(seeds, seed)
			}
		}
		if len(seeds) == 0 {
			continue
		}
		joined := tableRow{method: row.method, seeds: seeds}
		each := make([]tableRow, len(list))
		for i := range each {
			each[i] = tableRow{method: row.method, seeds: seeds}
		}
		for _, seed := range seeds {
			var runs []result
			for i, s := range list {
				run := s.run(row.method, seed)
				runs, each[i].runs = append(runs, *run), append(each[i].runs, *run)
			}
			joined.runs = append(joined.runs, meanResult(runs))
		}
		mean.rows = append(mean.rows, joined)
		for i := range each {
			mean.parts[i] = append(mean.parts[i], each[i])
		}
	}
	if len(mean.rows) == 0 {
		return mean, fmt.Errorf("no method has results of the same seed on each of %s, so that there is nothing to take a mean of; name one of them by --dataset", t.Dataset)
	}
	return mean, nil
}

// run returns the result of a method with a seed, nil where there is none.
func (s testSet) run(method string, seed uint64) *result {
	for _, row := range s.rows {
		if i := slices.Index(row.seeds, seed); row.method == method && i >= 0 {
			return &row.runs[i]
		}
	}
	return nil
}

// meanResult returns the means of results of one method and one seed on several test sets.
func meanResult(runs []result) result {
	mean := result{Method: runs[0].Method, Seed: runs[0].Seed, Training: training{Schedule: runs[0].Training.Schedule},
		T2I: meanDirection(runs, func(r result) direction { return r.T2I }),
		I2T: meanDirection(runs, func(r result) direction { return r.I2T }), Baseline: &adapter.Baseline{}}
	n := float64(len(runs))
	var names []string
	for _, r := range runs {
		names = append(names, r.Dataset)
		if r.Training.Schedule != mean.Training.Schedule {
			mean.Training.Schedule = "by test set"
		}
		if r.Baseline == nil {
			mean.Baseline = nil
		}
	}
	for _, r := range runs {
		if mean.Baseline != nil {
			mean.Baseline.TextToImage += r.Baseline.TextToImage / n
			mean.Baseline.ImageToText += r.Baseline.ImageToText / n
		}
	}
	mean.Dataset = "mean over " + strings.Join(names, ", ")
	return mean
}

// meanDirection returns the means of one direction. S, R2 and −SR2 that are not defined on a set
// have no mean.
func meanDirection(runs []result, of func(result) direction) direction {
	mean := func(value func(direction) float64) float64 {
		sum := 0.0
		for _, r := range runs {
			sum += value(of(r))
		}
		return sum / float64(len(runs))
	}
	return direction{
		Recall1:  mean(func(d direction) float64 { return d.Recall1 }),
		Recall5:  mean(func(d direction) float64 { return d.Recall5 }),
		Recall10: mean(func(d direction) float64 { return d.Recall10 }),
		Average:  mean(func(d direction) float64 { return d.Average }),
		S:        finite(mean(func(d direction) float64 { return orNaN(d.S) })),
		R2:       finite(mean(func(d direction) float64 { return orNaN(d.R2) })),
		MinusSR2: finite(mean(func(d direction) float64 { return orNaN(d.MinusSR2) })),
		AURC:     finite(mean(func(d direction) float64 { return orNaN(d.AURC) })),
		EAURC:    finite(mean(func(d direction) float64 { return orNaN(d.EAURC) })),
	}
}

// meanNotes says what the means are of, and what has none.
func (s testSet) meanNotes() []string {
	notes := []string{fmt.Sprintf("Each of the %d test sets counts once, whatever its size. S, R2 and −SR2 are means of those of the sets.", len(s.of))}
	var none, incomplete []string
	for _, method := range s.Method.methods {
		i := slices.IndexFunc(s.rows, func(row tableRow) bool { return row.method == method })
		switch {
		case i < 0:
			none = append(none, method)
		case len(s.rows[i].seeds) < len(s.Seeds.seeds):
			incomplete = append(incomplete, fmt.Sprintf("%s (%s)", method, strings.Trim(fmt.Sprint(s.rows[i].seeds), "[]")))
		}
	}
	if len(none) > 0 && len(s.Method.methods) < len(adapter.Methods()) { // of a list, and not of all, each was meant
		notes = append(notes, fmt.Sprintf("No seed of %s has results on every set.", strings.Join(none, ", ")))
	}
	if len(incomplete) > 0 {
		notes = append(notes, fmt.Sprintf("Seeds with results on every set: %s.", strings.Join(incomplete, ", ")))
	}
	return notes
}

// fewLevels names the flag in an error of retrieval about more levels than queries.
func fewLevels(err error) error {
	if err != nil && strings.Contains(err.Error(), "levels empty") {
		return fmt.Errorf("%w: set --uncer_levels", err)
	}
	return err
}
