package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/retrieval"
)

// A Trained is a training that is done.
type Trained struct {
	Task
	Report     *retrieval.Report // on the test set
	Score      float64           // the best on the validation set; NaN without one
	Steps      int
	Checkpoint string // "" for none
}

// Recall returns the mean of Recall@1 of both directions on the test set.
func (r Trained) Recall() float64 {
	return (r.Report.TextToImage.Recall1 + r.Report.ImageToText.Recall1) / 2
}

// A Result contains the completed trainings of a study, in the order of Study.Tasks.
type Result struct {
	Axes      []string // names
	Runs      []Trained
	Baseline  adapter.Baseline // the recall without training
	Untrained baseline.Rows    // the uncertainties without training, on the test set
	Validated bool             // whether runs have scores on a validation set
}

// Best returns the run with the largest score on the validation set, or the first of several. It
// returns an error if the study has no validation set, because the best run on the test set looks
// better than it is.
func (r *Result) Best() (Trained, error) {
	best := -1
	for i, run := range r.Runs {
		if !math.IsNaN(run.Score) && (best < 0 || run.Score > r.Runs[best].Score) {
			best = i
		}
	}
	if best < 0 {
		return Trained{}, fmt.Errorf("sweep: no run has a score on a validation set, and the test set must not choose; give the study a Validation")
	}
	return r.Runs[best], nil
}

// A Row is a method with values of the axes, over its seeds.
type Row struct {
	Method string
	Values []float64 // by axis
	Runs   int
	// Score is measured on the validation set and NaN without one, the others on the test set.
	Score, TextToImage, ImageToText, MinusSR2 retrieval.Spread
}

// Rows returns a row for each method with each combination of values. Rows are sorted by
// descending score, or in the order of the study without a validation set. MinusSR2 is measured on
// text-to-image retrieval.
func (r *Result) Rows() []Row {
	var rows []Row
	var members [][]Trained
	for _, run := range r.Runs {
		i := slices.IndexFunc(rows, func(row Row) bool { return row.Method == run.Method && slices.Equal(row.Values, run.Values) })
		if i < 0 {
			i = len(rows)
			rows, members = append(rows, Row{Method: run.Method, Values: run.Values}), append(members, nil)
		}
		members[i] = append(members[i], run)
	}
	over := func(runs []Trained, of func(Trained) float64) retrieval.Spread {
		values := make([]float64, len(runs))
		for i, run := range runs {
			values[i] = of(run)
		}
		return retrieval.Over(values)
	}
	for i, runs := range members {
		rows[i].Runs = len(runs)
		rows[i].Score = over(runs, func(r Trained) float64 { return r.Score })
		rows[i].TextToImage = over(runs, func(r Trained) float64 { return r.Report.TextToImage.Recall1 })
		rows[i].ImageToText = over(runs, func(r Trained) float64 { return r.Report.ImageToText.Recall1 })
		rows[i].MinusSR2 = over(runs, func(r Trained) float64 { return r.Report.TextToImage.MinusSR2 })
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		switch x, y := a.Score.Mean, b.Score.Mean; {
		case x > y || math.IsNaN(y) && !math.IsNaN(x):
			return -1
		case x < y || math.IsNaN(x) && !math.IsNaN(y):
			return 1
		}
		return 0
	})
	return rows
}

// Values returns a value of each run: that of the named axis, or the score on the validation set
// ("score"), Recall ("recall"), or Recall@1 of one direction ("t2i", "i2t"). These are the columns
// of figure.Parallel. Values returns an error that lists the names if the name is unknown.
func (r *Result) Values(name string) ([]float64, error) {
	var of func(Trained) float64
	axis := slices.Index(r.Axes, name)
	switch {
	case axis >= 0:
		of = func(run Trained) float64 { return run.Task.Values[axis] }
	case name == "score":
		of = func(run Trained) float64 { return run.Score }
	case name == "recall":
		of = Trained.Recall
	case name == "t2i":
		of = func(run Trained) float64 { return run.Report.TextToImage.Recall1 }
	case name == "i2t":
		of = func(run Trained) float64 { return run.Report.ImageToText.Recall1 }
	default:
		return nil, fmt.Errorf("sweep: no values of %q; there are %s", name, strings.Join(append(slices.Clone(r.Axes), "score", "recall", "t2i", "i2t"), ", "))
	}
	values := make([]float64, len(r.Runs))
	for i, run := range r.Runs {
		values[i] = of(run)
	}
	return values, nil
}

// A Curve is the recall as a function of the values of an axis, in increasing order: the mean,
// minimum and maximum over the runs with each value.
type Curve struct{ Values, Mean, Low, High []float64 }

// Curve returns the recall of a method as a function of an axis, such as the learning rate, over
// all seeds and values of the other axes. It returns an error if the study does not have the axis
// or no run of the method.
func (r *Result) Curve(method, axis string) (Curve, error) {
	place := slices.Index(r.Axes, axis)
	if place < 0 {
		return Curve{}, fmt.Errorf("sweep: no axis %q; there are %s", axis, strings.Join(r.Axes, ", "))
	}
	of, c := map[float64][]float64{}, Curve{}
	for _, run := range r.Runs {
		if value := run.Task.Values[place]; run.Method == method {
			if of[value] == nil {
				c.Values = append(c.Values, value)
			}
			of[value] = append(of[value], run.Recall())
		}
	}
	if len(c.Values) == 0 {
		return c, fmt.Errorf("sweep: no runs of %s", method)
	}
	slices.Sort(c.Values)
	for _, value := range c.Values {
		c.Mean = append(c.Mean, retrieval.Over(of[value]).Mean)
		c.Low, c.High = append(c.Low, slices.Min(of[value])), append(c.High, slices.Max(of[value]))
	}
	return c, nil
}

// String formats the rows as a table that begins with the rows without training. Methods with a
// lower recall in some direction are marked by an asterisk.
func (r *Result) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "method\t%s\truns\tvalidation\tt2i R@1\ti2t R@1\tt2i −SR2\t\n", strings.Join(r.Axes, "\t"))
	fmt.Fprintf(w, "without training\t%s\t\t\t%s\t%s\t\t\n", strings.Repeat("\t", max(0, len(r.Axes)-1)), retrieval.Decimal(r.Baseline.TextToImage, 3), retrieval.Decimal(r.Baseline.ImageToText, 3))
	for _, row := range r.Untrained {
		fmt.Fprintf(w, "%s\t%s\t\t\t%s\t%s\t%s\t\n", row.Method, strings.Repeat("\t", max(0, len(r.Axes)-1)), retrieval.Decimal(row.Report.TextToImage.Recall1, 3),
			retrieval.Decimal(row.Report.ImageToText.Recall1, 3), retrieval.Decimal(row.Report.TextToImage.MinusSR2, 3))
	}
	below := false
	for _, row := range r.Rows() {
		mark := ""
		if r.Baseline.Below(row.TextToImage.Mean, row.ImageToText.Mean) != "" && row.Method != adapter.CLIP {
			mark, below = "*", true
		}
		cells := make([]string, len(row.Values))
		for i, value := range row.Values {
			cells[i] = fmt.Sprintf("%g", value)
		}
		fmt.Fprintf(w, "%s%s\t%s\t%d\t%s\t%s\t%s\t%s\t\n", row.Method, mark, strings.Join(cells, "\t"), row.Runs,
			spread(row.Score, row.Runs), spread(row.TextToImage, row.Runs), spread(row.ImageToText, row.Runs), spread(row.MinusSR2, row.Runs))
	}
	_ = w.Flush() // to a builder
	if below {
		text.WriteString("* recall below that without training in a direction\n")
	}
	if !r.Validated {
		text.WriteString("Without a validation set nothing says which row to choose: the best one on the test set looks better than it is.\n")
	}
	return text.String()
}

// spread writes a mean with its deviation, alone for one run, and a dash for none.
func spread(s retrieval.Spread, runs int) string {
	switch {
	case math.IsNaN(s.Mean):
		return "–"
	case runs == 1:
		return retrieval.Decimal(s.Mean, 3)
	}
	return s.String()
}
