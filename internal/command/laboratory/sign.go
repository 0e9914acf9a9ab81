package laboratory

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gosphere/asymvlm/retrieval"
)

// wrongMark is appended to a method whose uncertainty has the wrong sign.
const wrongMark = "†"

// signDraws is the number of bootstrap samples that decide about the sign of an uncertainty.
const signDraws = 500

// hasWrongSign reports whether S of the runs of one direction is above 0 beyond its 95 % interval:
// the queries that are called certain fail more often. A mean over several runs has the interval of
// the mean.
func hasWrongSign(r tableRow, of func(result) direction) bool {
	s := r.spread(column{of: func(run result) float64 { return orNaN(of(run).S) }}).Mean
	if !(s > 0) {
		return false
	}
	b := retrieval.Bootstrap{Draws: signDraws}
	sample, err := r.sample(of)
	if err != nil {
		return false // results of earlier versions have no outcomes
	}
	if len(sample.runs) == 0 {
		return r.foldsHaveWrongSign(of)
	}
	interval, err := b.Grouped(sample.groups, func(rows []int) float64 {
		sum := 0.0
		for _, o := range sample.runs {
			s, _ := o.Shape(rows)
			sum += s / float64(len(sample.runs))
		}
		return sum
	})
	return err == nil && interval.Low > 0
}

// foldsHaveWrongSign decides for cross-validations, whose uncertainties have no order over all
// queries: the hits of each level are drawn from their binomial distribution.
func (r tableRow) foldsHaveWrongSign(of func(result) direction) bool {
	source, below := rand.New(rand.NewPCG(0, 0)), 0
	for range signDraws {
		sum := 0.0
		for _, run := range r.runs {
			d := of(run)
			drawn, size := make([]float64, len(d.Levels)), max(1, len(d.Hits)/max(1, len(d.Levels)))
			for level, p := range d.Levels {
				for range size {
					if source.Float64() < p {
						drawn[level] += 1 / float64(size)
					}
				}
			}
			places := make([]float64, len(drawn))
			for i := range places {
				places[i] = float64(i)
			}
			sum += retrieval.Spearman(places, drawn)
		}
		if !(sum > 0) || math.IsNaN(sum) {
			below++
		}
	}
	return float64(below) < 0.025*signDraws
}

// wrongSigns names the directions in which the uncertainty of a method has the wrong sign, "" if
// there are none.
func wrongSigns(r tableRow) string {
	var names []string
	if hasWrongSign(r, func(run result) direction { return run.T2I }) {
		names = append(names, "text to image")
	}
	if hasWrongSign(r, func(run result) direction { return run.I2T }) {
		names = append(names, "image to text")
	}
	return strings.Join(names, ", ")
}

// fewMark is appended to a method if some training had too few pairs to learn an uncertainty.
const fewMark = "‡"

// hasTooFew reports whether a run had too few pairs to learn an uncertainty, by the held-out
// likelihood of its training.
func (r tableRow) hasTooFew() bool {
	return slices.ContainsFunc(r.runs, func(run result) bool { return run.HeldOut != nil && run.HeldOut.TooFew() })
}

// fewNote explains the marks of a table for too few pairs, "" if there are none.
func fewNote(rows []tableRow) string {
	var names []string
	for _, row := range rows {
		if row.hasTooFew() && !slices.Contains(names, row.method) { // a sweep has several rows of a method
			names = append(names, row.method)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("Methods marked %s had too few pairs to learn an uncertainty: on held-out images their concentrations are no better than a constant. %s.", fewMark, strings.Join(names, ", "))
}

// marks returns the marks of a row for its uncertainty.
func (r tableRow) marks() string {
	text := ""
	if wrongSigns(r) != "" {
		text += wrongMark
	}
	if r.hasTooFew() {
		text += fewMark
	}
	if slices.ContainsFunc(r.runs, result.notImproved) {
		text += unchangedMark
	}
	return text
}

// unchangedMark is appended to a method if some run has the weights of its start.
const unchangedMark = "°"

// unchangedNote explains the marks of a table for runs that did not improve, "" if there are none.
func unchangedNote(rows []tableRow) string {
	if !slices.ContainsFunc(rows, func(row tableRow) bool { return slices.ContainsFunc(row.runs, result.notImproved) }) {
		return ""
	}
	return fmt.Sprintf("Some runs of the rows marked %s have the weights of their start, because no measurement on the validation set was better.", unchangedMark)
}

// signNote explains the marks of a table, "" if there are none.
func signNote(rows []tableRow) string {
	var parts []string
	for _, row := range rows {
		if names := wrongSigns(row); names != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", row.method, names))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("The uncertainty of methods marked %s has the wrong sign, S > 0 beyond its 95 %% interval: queries that they call certain fail more often. %s.", wrongMark, strings.Join(parts, "; "))
}

// warnSign writes a warning if the uncertainty of a result has the wrong sign.
func warnSign(r result, label string, stderr io.Writer) {
	if names := wrongSigns(tableRow{method: r.Method, runs: []result{r}, seeds: []uint64{r.Seed}}); names != "" {
		fmt.Fprintf(stderr, "warning: %s: the uncertainty has the wrong sign (%s): S is above 0 beyond its 95 %% interval, so queries that are called certain fail more often\n", label, names)
	}
	if r.HeldOut != nil && r.HeldOut.TooFew() {
		fmt.Fprintf(stderr, "warning: %s: %s\n", label, r.HeldOut)
	}
}
