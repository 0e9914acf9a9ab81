package laboratory

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/published"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/process"
)

// intervals holds the flags for confidence intervals and tests in a table.
type intervals struct {
	CI      bool             `name:"ci" help:"Add 95 % confidence intervals, by bootstrap over the queries and the seeds, and paired tests of the recall."`
	CIDraws process.Positive `name:"ci-draws" help:"With --ci: number of bootstrap samples and of permutations in the tests (default: 2000)." placeholder:"N"`
	Against string           `help:"With --ci: method that the others are compared with (default: the first in the table)." placeholder:"METHOD"`
}

// check returns an error for flags that contradict each other.
func (v intervals) check(format string) error {
	switch {
	case !v.CI && (v.CIDraws != 0 || v.Against != ""):
		return fmt.Errorf("--ci-draws and --against require --ci")
	case v.CI && format == "csv":
		return fmt.Errorf("--ci is not available as CSV: choose --format text, markdown or latex")
	case v.CIDraws == 1:
		return fmt.Errorf("--ci-draws 1: want at least 2")
	}
	return nil
}

// draws returns the number of samples.
func (v intervals) draws() int {
	if v.CIDraws != 0 {
		return int(v.CIDraws)
	}
	return 2000
}

// A sampleRow is the outcomes of one method in one direction, test set by test set.
type sampleRow struct {
	method, direction string
	sets              []sampleSet
}

// A sampleSet is the outcomes on one test set, run by run.
type sampleSet struct {
	runs   []*retrieval.Outcomes // none of cross-validations, whose S and R2 are then dashes
	ofRuns []bits                // the hits of each run
	hits   []float64             // of each query, the part of the runs in which it hits
	groups retrieval.Groups
}

// samples returns the outcomes of all methods in one direction on the test sets. Each set has the
// rows of the same methods.
func samples(sets [][]tableRow, name string, of func(result) direction) ([]sampleRow, error) {
	list := make([]sampleRow, len(sets[0]))
	for i, row := range sets[0] {
		list[i] = sampleRow{method: row.method, direction: name}
		for _, rows := range sets {
			sample, err := rows[i].sample(of)
			if err != nil {
				return nil, err
			}
			list[i].sets = append(list[i].sets, sample)
		}
	}
	return list, nil
}

// sample returns the outcomes of the runs of a method on one test set.
func (r tableRow) sample(of func(result) direction) (s sampleSet, err error) {
	for j, run := range r.runs {
		d := of(run)
		o, groups, err := d.sample()
		if err == nil && j > 0 && len(d.Hits) != len(s.hits) {
			err = fmt.Errorf("it has %d queries, other results %d", len(d.Hits), len(s.hits))
		}
		if err != nil {
			return s, fmt.Errorf("result of %s, seed %d: %w", r.method, r.seeds[j], err)
		}
		if j == 0 {
			s.hits, s.groups = make([]float64, len(d.Hits)), groups
		}
		s.ofRuns = append(s.ofRuns, d.Hits)
		for query, hit := range d.Hits {
			if hit {
				s.hits[query] += 1 / float64(len(r.runs))
			}
		}
		if o != nil {
			s.runs = append(s.runs, o)
		}
	}
	return s, nil
}

// groups returns the groups of queries of each test set.
func (s sampleRow) groups() []retrieval.Groups {
	list := make([]retrieval.Groups, len(s.sets))
	for i, set := range s.sets {
		list[i] = set.groups
	}
	return list
}

// over returns a mean over the test sets of the means over their drawn runs.
func (s sampleRow) over(rows, runs [][]int, measure func(o *retrieval.Outcomes, rows []int) float64) float64 {
	mean := 0.0
	for i, set := range s.sets {
		if len(set.runs) == 0 {
			return math.NaN()
		}
		values := make([]float64, len(set.runs)) // a run may be drawn several times
		for run := range values {
			values[run] = math.NaN()
		}
		for _, run := range runs[i] {
			if math.IsNaN(values[run]) {
				values[run] = measure(set.runs[run], rows[i])
			}
			mean += values[run] / float64(len(runs[i])) / float64(len(s.sets))
		}
	}
	return mean
}

// recall returns the mean recall of drawn queries over the test sets and the drawn runs.
func (s sampleRow) recall(rows, runs [][]int) float64 {
	mean := 0.0
	for i, set := range s.sets {
		for _, run := range runs[i] {
			hits := 0
			for _, row := range rows[i] {
				if set.ofRuns[run][row] {
					hits++
				}
			}
			mean += float64(hits) / float64(len(rows[i])*len(runs[i])*len(s.sets))
		}
	}
	return mean
}

// A runDraw draws the runs of each test set with replacement. The first draw has each run once, as
// the estimate of a bootstrap needs it.
type runDraw struct {
	source *rand.Rand // nil before the first draw
	runs   [][]int
}

func newRunDraw(s sampleRow) *runDraw {
	d := new(runDraw)
	for _, set := range s.sets {
		all := make([]int, len(set.ofRuns))
		for i := range all {
			all[i] = i
		}
		d.runs = append(d.runs, all)
	}
	return d
}

// next returns the runs of the next draw, which are valid until the following one.
func (d *runDraw) next() [][]int {
	if d.source == nil {
		d.source = rand.New(rand.NewPCG(0, 1)) // another sequence than that of the queries
		return d.runs
	}
	for _, list := range d.runs {
		for i := range list {
			list[i] = d.source.IntN(len(list))
		}
	}
	return d.runs
}

// groupSums returns the hits of each group, in parts of the recall: a set counts once, whatever its
// number of queries.
func (s sampleRow) groupSums() []float64 {
	var sums []float64
	for _, set := range s.sets {
		for _, sum := range set.groups.Sums(set.hits) {
			sums = append(sums, sum/float64(len(set.hits)))
		}
	}
	return sums
}

// cell returns an interval of a statistic, a dash where it has none.
func (s sampleRow) cell(b retrieval.Bootstrap, statistic func(rows, runs [][]int) float64) string {
	draw := newRunDraw(s)
	interval, err := b.Stratified(s.groups(), func(rows [][]int) float64 { return statistic(rows, draw.next()) })
	if err != nil {
		return "–"
	}
	return interval.String()
}

// reference returns the index of the method that the others are compared with.
func (v intervals) reference(rows []tableRow) (int, error) {
	if v.Against == "" {
		return max(0, slices.IndexFunc(rows, func(row tableRow) bool { return !baseline.Is(row.method) })), nil
	}
	if i := slices.IndexFunc(rows, func(row tableRow) bool { return row.method == v.Against }); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("--against %s: the table has no results of this method", v.Against)
}

// grid returns the table of intervals of the means over test sets, of which each has the rows of
// the same methods, and its notes.
func (v intervals) grid(sets [][]tableRow) (g grid, notes []string, err error) {
	rows := sets[0]
	reference, err := v.reference(rows)
	if err != nil {
		return g, nil, err
	}
	b := retrieval.Bootstrap{Draws: v.draws()}
	g.header = []string{"method", "direction", "R@1", "S", "R2", "−SR2", "AURC"}
	compared := len(rows) > 1
	if compared {
		g.header = append(g.header, "R@1 minus "+rows[reference].method, "p", "p, Holm")
	}
	var p []float64
	for _, d := range []struct {
		name string
		of   func(result) direction
	}{
		{published.TextToImage, func(r result) direction { return r.T2I }},
		{published.ImageToText, func(r result) direction { return r.I2T }},
	} {
		list, err := samples(sets, d.name, d.of)
		if err != nil {
			return g, nil, err
		}
		for i, s := range list {
			cells := s.cells(b)
			if compared && (i == reference || baseline.Is(s.method)) { // those without training have one recall
				cells, p = append(cells, "", "", ""), append(p, math.NaN())
			} else if compared {
				difference, value, err := s.against(list[reference], b)
				if err != nil {
					return g, nil, fmt.Errorf("%s and %s, %s: %w", s.method, list[reference].method, d.name, err)
				}
				cells, p = append(cells, difference, pText(value), ""), append(p, value)
			}
			g.rows = append(g.rows, cells)
		}
	}
	for i, adjusted := range retrieval.Holm(p) {
		if !math.IsNaN(adjusted) {
			g.rows[i][len(g.header)-1] = pText(adjusted)
		}
	}
	return g, v.notes(compared, len(sets)), nil
}

// notes explain the table.
func (v intervals) notes(compared bool, sets int) []string {
	notes := []string{
		fmt.Sprintf("Intervals cover 95 %% of %d bootstrap samples of the test queries, which keep the captions of an image together, and of the seeds; each value is a mean over the seeds. "+
			"The gallery is fixed. With one seed they apply to this trained adapter only, and with a few seeds they are somewhat too narrow.", v.draws()),
		"S and R2 of samples are noisier than those of the queries themselves, so an estimate can lie at the end of its interval.",
	}
	if sets > 1 {
		notes = append(notes, "Each value is a mean over the test sets, which count once each; the queries of each set are drawn within the set.")
	}
	if compared {
		notes = append(notes, fmt.Sprintf("p is from the two-sided paired permutation test of these trained adapters, which keeps the captions of an image together; it is at least 1/%d by the number of permutations; "+
			"Holm's p is adjusted for all comparisons of this table.", v.draws()+1))
	}
	return notes
}

// cells returns the first cells of the row of a method in one direction.
func (s sampleRow) cells(b retrieval.Bootstrap) []string {
	shape := func(measure func(s, r2 float64) float64) func(rows, runs [][]int) float64 {
		return func(rows, runs [][]int) float64 {
			return s.over(rows, runs, func(o *retrieval.Outcomes, rows []int) float64 { return measure(o.Shape(rows)) })
		}
	}
	return []string{s.method, s.direction, s.cell(b, s.recall),
		s.cell(b, shape(func(s, _ float64) float64 { return s })),
		s.cell(b, shape(func(_, r2 float64) float64 { return r2 })),
		s.cell(b, shape(func(s, r2 float64) float64 { return -s * r2 })),
		s.cell(b, func(rows, runs [][]int) float64 { return s.over(rows, runs, (*retrieval.Outcomes).AURC) })}
}

// against returns the paired difference of the recall from that of another method, and its p-value.
func (s sampleRow) against(other sampleRow, b retrieval.Bootstrap) (difference string, p float64, err error) {
	for i, set := range s.sets {
		if n, m := len(set.hits), len(other.sets[i].hits); n != m {
			return "", 0, fmt.Errorf("%d and %d queries", n, m)
		}
	}
	own, others := newRunDraw(s), newRunDraw(other)
	interval, err := b.Stratified(s.groups(), func(rows [][]int) float64 { return s.recall(rows, own.next()) - other.recall(rows, others.next()) })
	if err != nil {
		return "", 0, err
	}
	p, err = retrieval.PairedPermutation(s.groupSums(), other.groupSums(), b.Draws, b.Seed)
	text := interval.String()
	if !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	return text, p, err
}

// pText formats a p-value.
func pText(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return retrieval.Decimal(p, 3)
}

// A rowsOf collects the results that eval measures, for its table of intervals.
type rowsOf struct {
	intervals
	rows []tableRow
}

func newRowsOf(v intervals) *rowsOf { return &rowsOf{intervals: v} }

// with returns a function that takes each result and passes it on.
func (c *rowsOf) with(next func(result)) func(result) {
	return func(r result) {
		if i := slices.IndexFunc(c.rows, func(row tableRow) bool { return row.method == r.Method }); i >= 0 {
			c.rows[i].runs, c.rows[i].seeds = append(c.rows[i].runs, r), append(c.rows[i].seeds, r.Seed)
		} else {
			c.rows = append(c.rows, tableRow{method: r.Method, runs: []result{r}, seeds: []uint64{r.Seed}})
		}
		if next != nil {
			next(r)
		}
	}
}

// write writes the intervals if they are wanted.
func (c *rowsOf) write(stdout io.Writer) error {
	if !c.CI || len(c.rows) == 0 {
		return nil
	}
	g, notes, err := c.grid([][]tableRow{c.rows})
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("\n")
	plainGrid(&text, g)
	plainParagraph(&text, notes...)
	_, err = io.WriteString(stdout, text.String())
	return err
}
