package laboratory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/userfile"
)

// untrainedScale is the flag for the entropy among the uncertainties without training.
type untrainedScale struct {
	EntropyScale positiveFloat `help:"Inverse temperature of the softmax of cosines whose entropy is an uncertainty without training (default: 100, that of CLIP; SigLIP's is 110 to 120)." placeholder:"SCALE"`
}

// scale returns the inverse temperature.
func (u untrainedScale) scale() float64 {
	if u.EntropyScale == 0 {
		return baseline.Scale
	}
	return float64(u.EntropyScale)
}

// untrainedResult returns the result of an uncertainty without training. It is the same with every
// seed.
func untrainedResult(data evaluated, row baseline.Row, seed uint64) (result, error) {
	r, err := measured(data.set, adapter.Options{Method: string(row.Method), Seed: seed, Label: "nothing is trained"}, row.Report)
	r.Baseline = data.baseline
	return r, err
}

// keepUntrained writes a result for each uncertainty without training and each seed, so that tables
// contain them.
func (e Eval) keepUntrained(data evaluated) error {
	for _, seed := range e.Seeds.seeds {
		for _, row := range data.untrained {
			r, err := untrainedResult(data, row, seed)
			if err == nil && data.kappas != nil {
				r.KappaRank = kappaRank(row.Report, data.kappas)
			}
			if err == nil {
				err = writeJSON(resultFile(e.Results, e.Dataset, e.Split, job{method: string(row.Method), seed: seed}), r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// keepUntrained is that of Eval for a cross-validation.
func (c Crossval) keepUntrained(data evaluated) error {
	for _, seed := range c.Seeds.seeds {
		for _, row := range data.untrained {
			r, err := untrainedResult(data, row, seed)
			r.Folds, r.T2I.Groups = int(c.Folds), foldGroups(data.set, int(c.Folds))
			if err == nil {
				err = writeJSON(resultFile(c.Results, c.Dataset, foldsName, job{method: string(row.Method), seed: seed}), r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// withUntrained returns methods with those of package baseline in front.
func withUntrained(methods []string) []string {
	var list []string
	for _, m := range baseline.Methods() {
		list = append(list, string(m))
	}
	return append(list, methods...)
}

// storedResult reads a result file; nil means that there is none.
func storedResult(path string) (*result, error) {
	text, err := userfile.ReadFile(path, userfile.Source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := new(result)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// bestUntrained returns a sentence that names the best uncertainty without training in each
// direction, by AURC, or "" if the rows have none.
func bestUntrained(rows []tableRow) string {
	var parts []string
	for _, d := range []struct {
		name string
		of   func(result) direction
	}{{"text to image", func(r result) direction { return r.T2I }}, {"image to text", func(r result) direction { return r.I2T }}} {
		var best *tableRow
		area := func(row tableRow) float64 {
			return row.spread(column{of: func(r result) float64 { return orNaN(d.of(r).AURC) }}).Mean
		}
		for i, row := range rows {
			if baseline.Is(row.method) && (best == nil || area(row) < area(*best)) {
				best = &rows[i]
			}
		}
		if best == nil {
			return ""
		}
		shape := best.spread(column{of: func(r result) float64 { return orNaN(d.of(r).MinusSR2) }}).Mean
		parts = append(parts, fmt.Sprintf("%s %s (AURC %s, −SR2 %s)", d.name, best.method, retrieval.Decimal(area(*best), 4), retrieval.Decimal(shape, 3)))
	}
	return "Best uncertainty without training, by AURC: " + strings.Join(parts, ", ") + "."
}

// untrainedRows returns the uncertainties without training on the test set of a sweep, from the
// first of its trainings that is evaluated.
func untrainedRows(runs []sweepRun) ([]tableRow, error) {
	for _, r := range runs {
		var rows []tableRow
		for _, m := range baseline.Methods() {
			j := job{method: string(m), seed: r.job.seed}
			found, err := storedResult(resultFile(r.eval.Results, r.eval.Dataset, r.eval.Split, j))
			if err != nil {
				return nil, err
			}
			if found != nil {
				rows = append(rows, tableRow{method: j.method, runs: []result{*found}, seeds: []uint64{j.seed}})
			}
		}
		if rows != nil {
			return rows, nil
		}
	}
	return nil, nil
}
