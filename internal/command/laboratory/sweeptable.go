package laboratory

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/sweep"
	"gosphere/internal/userfile"
)

// report prints the table of a sweep and writes the file with a line for each training, the figures
// and the notebook.
func (s Sweep) report(ctx context.Context, plan *sweep.Plan, runs []sweepRun, checksum string, stdout io.Writer) error {
	type key struct{ point, method string }
	var rows []sweepRow
	places := map[key]int{}
	lines := [][]string{sweepHeader(plan)}
	for _, r := range runs {
		found := r.done(checksum)
		if found == nil {
			continue
		}
		k := key{r.point.String(), r.job.method}
		at, seen := places[k]
		if !seen {
			at = len(rows)
			places[k], rows = at, append(rows, sweepRow{point: r.point, tableRow: tableRow{method: r.job.method}})
		}
		rows[at].runs, rows[at].seeds = append(rows[at].runs, *found), append(rows[at].seeds, r.job.seed)
		lines = append(lines, sweepLine(plan, r, found))
	}
	if len(rows) == 0 {
		return nil
	}
	path := filepath.Join(s.Out, "runs.csv")
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return err
	}
	untrained, err := untrainedRows(runs)
	if err != nil {
		return err
	}
	var out strings.Builder
	plainGrid(&out, sweepGrid(plan, rows, untrained))
	notes := append(sweepNotes(rows), rowNotes(untrained)...)
	plainParagraph(&out, notes...)
	out.WriteString(path + "\n")
	_, err = io.WriteString(stdout, out.String())
	if err = errors.Join(err, os.MkdirAll(s.Out, 0o755), userfile.Write(path, []byte(text.String()))); err != nil {
		return err
	}
	return s.draw(ctx, plan, sweepTable{lines[0], lines[1:]}, notes, stdout)
}

// A sweepRow is a method at a point of a sweep, with its runs, seed by seed.
type sweepRow struct {
	tableRow
	point sweep.Point
}

// sweepMeasures are the columns of the table of a sweep. The first is measured on the validation
// set and is NaN without one.
var sweepMeasures = []struct {
	name string
	of   func(result) float64
}{
	{"validation", func(r result) float64 {
		if r.Validation == nil {
			return math.NaN()
		}
		return r.Validation.Score
	}},
	{"t2i R@1", func(r result) float64 { return r.T2I.Recall1 }},
	{"t2i −SR2", func(r result) float64 { return orNaN(r.T2I.MinusSR2) }},
	{"i2t R@1", func(r result) float64 { return r.I2T.Recall1 }},
	{"i2t −SR2", func(r result) float64 { return orNaN(r.I2T.MinusSR2) }},
}

// sweepGrid returns the table, ordered by the measure on the validation set, best first. Without a
// validation set the rows are in the order of the plan. Those without training come first.
func sweepGrid(plan *sweep.Plan, rows []sweepRow, untrained []tableRow) grid {
	score := func(r sweepRow) float64 { return r.spread(column{of: sweepMeasures[0].of}).Mean }
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b sweepRow) int {
		switch x, y := score(a), score(b); {
		case x > y || math.IsNaN(y) && !math.IsNaN(x):
			return -1
		case x < y || math.IsNaN(x) && !math.IsNaN(y):
			return 1
		}
		return 0
	})
	g := grid{header: append([]string{"method"}, plan.Axes()...)}
	g.header = append(g.header, "runs")
	for _, m := range sweepMeasures {
		g.header = append(g.header, m.name)
	}
	for _, row := range untrained {
		cells := append([]string{row.method}, make([]string, len(plan.Axes())+1)...)
		for _, m := range sweepMeasures {
			cells = append(cells, row.text(column{of: m.of}))
		}
		g.rows = append(g.rows, cells)
	}
	for _, row := range rows {
		name := row.method
		if row.below(baselineOf([]tableRow{row.tableRow})) != "" {
			name += belowMark
		}
		name += row.marks()
		cells := []string{name}
		for _, s := range row.point {
			cells = append(cells, s.Value)
		}
		cells = append(cells, strconv.Itoa(len(row.runs)))
		for _, m := range sweepMeasures {
			cells = append(cells, row.text(column{of: m.of}))
		}
		g.rows = append(g.rows, cells)
	}
	return g
}

// sweepNotes returns the explanations of the table.
func sweepNotes(rows []sweepRow) []string {
	first := rows[0].runs[0]
	notes := []string{fmt.Sprintf("%s: %d images, %d texts. Mean ± population standard deviation over the seeds.", first.Dataset, first.Images, first.Texts)}
	var all []tableRow
	validated := true
	for _, row := range rows {
		all = append(all, row.tableRow)
		validated = validated && row.runs[0].Validation != nil
	}
	if validated {
		notes = append(notes, fmt.Sprintf("Rows are ordered by their best measurement on the validation set, by %s.", first.Validation.By))
	} else {
		notes = append(notes, "Do not choose a row by this table, which was measured without a validation set: the best row looks better than it is. "+
			"Set validation = 0.2 in the table flags of the plan to hold out a part of the training images.")
	}
	for _, text := range []string{signNote(all), fewNote(all), unchangedNote(all)} {
		if text != "" {
			notes = append(notes, text)
		}
	}
	return append(notes, belowNotes(all)...)
}

// sweepHeader returns the column names of the file with a line for each training.
func sweepHeader(plan *sweep.Plan) []string {
	header := append([]string{"method", "seed"}, plan.Axes()...)
	return append(header, "steps", "validation_score", "validation_epoch", "t2i_recall_1", "t2i_s", "t2i_r2", "t2i_minus_s_r2",
		"i2t_recall_1", "i2t_s", "i2t_r2", "i2t_minus_s_r2", "schedule")
}

// sweepLine returns the line of a training.
func sweepLine(plan *sweep.Plan, r sweepRun, found *result) []string {
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'f', 6, 64)
	}
	line := []string{r.job.method, strconv.FormatUint(r.job.seed, 10)}
	for _, axis := range plan.Axes() {
		line = append(line, r.point.Value(axis))
	}
	score, epoch := "", ""
	if v := found.Validation; v != nil {
		score, epoch = number(v.Score), strconv.Itoa(v.Epoch)
	}
	line = append(line, strconv.Itoa(found.Training.Steps), score, epoch)
	for _, d := range []direction{found.T2I, found.I2T} {
		line = append(line, number(d.Recall1), number(orNaN(d.S)), number(orNaN(d.R2)), number(orNaN(d.MinusSR2)))
	}
	return append(line, found.Training.Schedule)
}

// A chosen is the measurement whose weights the training kept, as results store it.
type chosen struct {
	Epoch int     `json:"epoch"`
	By    string  `json:"by"`
	Score float64 `json:"score"`
	T2I   float64 `json:"t2i_recall_1"`
	I2T   float64 `json:"i2t_recall_1"`
}
