package laboratory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/sweep"
	"gosphere/internal/command/process"
	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
	"gosphere/plotting/figure"
)

// A sweepFigure is a figure of a sweep with the Go expression that draws it in a notebook.
type sweepFigure struct {
	name, title string
	code        string
	drawn       *figure.Figure
}

// A sweepAxis is a column of runs.csv that varies.
type sweepAxis struct {
	name    string
	values  []float64 // numbers, or indices of labels
	labels  []string  // nil for numbers
	log     bool      // positive numbers over more than a factor of 10
	numbers []float64 // distinct numbers in order; nil for labels
}

// newSweepAxis reads a column.
func newSweepAxis(name string, texts []string) sweepAxis {
	a := sweepAxis{name: name}
	for _, text := range texts {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return labeledAxis(name, texts)
		}
		a.values = append(a.values, x)
	}
	a.numbers = slices.Compact(slices.Sorted(slices.Values(a.values)))
	first, last := a.numbers[0], a.numbers[len(a.numbers)-1]
	a.log = first > 0 && last > 10*first
	return a
}

// labeledAxis returns an axis of names.
func labeledAxis(name string, texts []string) sweepAxis {
	a := sweepAxis{name: name}
	for _, text := range texts {
		i := slices.Index(a.labels, text)
		if i < 0 {
			i = len(a.labels)
			a.labels = append(a.labels, text)
		}
		a.values = append(a.values, float64(i))
	}
	return a
}

// varies reports whether the axis has more than one value.
func (a sweepAxis) varies() bool { return len(a.labels) > 1 || len(a.numbers) > 1 }

// dimension returns the axis for parallel coordinates.
func (a sweepAxis) dimension() figure.Dimension {
	return figure.Dimension{Name: a.name, Values: a.values, Log: a.log, Labels: a.labels}
}

// A sweepTable holds the lines of runs.csv.
type sweepTable struct {
	header []string
	lines  [][]string
}

// column returns the texts of a column.
func (t sweepTable) column(name string) []string {
	at := slices.Index(t.header, name)
	texts := make([]string, len(t.lines))
	for i, line := range t.lines {
		texts[i] = line[at]
	}
	return texts
}

// numbers returns a column of numbers; empty texts are NaN.
func (t sweepTable) numbers(name string) []float64 {
	values := make([]float64, len(t.lines))
	for i, text := range t.column(name) {
		var err error
		if values[i], err = strconv.ParseFloat(text, 64); err != nil {
			values[i] = math.NaN()
		}
	}
	return values
}

// axes returns the columns of the methods, the flags and the seeds that vary.
func (t sweepTable) axes(plan *sweep.Plan) (list []sweepAxis) {
	all := []sweepAxis{labeledAxis("method", t.column("method"))}
	for _, flag := range plan.Axes() {
		all = append(all, newSweepAxis(flag, t.column(flag)))
	}
	all = append(all, newSweepAxis("seed", t.column("seed")))
	for _, a := range all {
		if a.varies() {
			list = append(list, a)
		}
	}
	return list
}

// figures returns parallel coordinates of all trainings, and Recall@1 as a function of every
// numeric flag: the mean over the other values, with their range.
func (t sweepTable) figures(plan *sweep.Plan) []sweepFigure {
	axes := t.axes(plan)
	if len(axes) == 0 || len(t.lines) < 2 {
		return nil
	}
	recall := t.numbers("t2i_recall_1")
	list := []sweepFigure{t.parallel(axes, recall)}
	methods := t.column("method")
	for _, a := range axes {
		if a.numbers == nil || a.name == "seed" {
			continue
		}
		var series []figure.Series
		for _, method := range slices.Compact(slices.Sorted(slices.Values(methods))) {
			s := figure.Series{Name: method}
			for _, x := range a.numbers {
				low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
				for i, value := range a.values {
					if value == x && methods[i] == method {
						low, high, sum, n = min(low, recall[i]), max(high, recall[i]), sum+recall[i], n+1
					}
				}
				if n > 0 {
					s.X, s.Values = append(s.X, x), append(s.Values, sum/float64(n))
					s.Low, s.High = append(s.Low, low), append(s.High, high)
				}
			}
			series = append(series, s)
		}
		f := figure.Lines(a.name, "Recall@1, text to image", series...)
		if a.log {
			f = f.LogX()
		}
		title := "Recall@1 by " + a.name
		f.Title, f.Note = title, "mean over all other values, with the range"
		list = append(list, sweepFigure{name: "recall-by-" + a.name, title: title, drawn: f, code: a.curveCode()})
	}
	return list
}

// parallel returns parallel coordinates of the trainings, colored by recall.
func (t sweepTable) parallel(axes []sweepAxis, recall []float64) sweepFigure {
	const title = "All trainings"
	var dimensions []figure.Dimension
	var code strings.Builder
	code.WriteString("f := figure.Parallel(\n")
	for _, a := range axes {
		dimensions = append(dimensions, a.dimension())
		fmt.Fprintf(&code, "\t%s,\n", a.dimensionCode())
	}
	const last = "t2i R@1"
	dimensions = append(dimensions, figure.Dimension{Name: last, Values: recall})
	fmt.Fprintf(&code, "\tfigure.Dimension{Name: %q, Values: numbers(\"t2i_recall_1\")},\n)\nf.Title = %q\nf", last, title)
	f := figure.Parallel(dimensions...)
	f.Title = title
	return sweepFigure{name: "parallel", title: title, drawn: f, code: code.String()}
}

// dimensionCode returns the Go expression of a dimension.
func (a sweepAxis) dimensionCode() string {
	if a.labels != nil {
		return fmt.Sprintf("labels(%q)", a.name)
	}
	if a.log {
		return fmt.Sprintf("figure.Dimension{Name: %q, Values: numbers(%[1]q), Log: true}", a.name)
	}
	return fmt.Sprintf("figure.Dimension{Name: %q, Values: numbers(%[1]q)}", a.name)
}

// curveCode returns the Go statements that draw the recall as a function of the axis.
func (a sweepAxis) curveCode() string {
	log := ""
	if a.log {
		log = "f.LogX()\n"
	}
	return fmt.Sprintf("f := figure.Lines(%q, \"Recall@1, text to image\", curves(%[1]q)...)\n%sf.Title = %q\nf.Note = %q\nf",
		a.name, log, "Recall@1 by "+a.name, "mean over all other values, with the range")
}

// notebookText is the notebook before its figures, in the format of nbformat.FromScript.
const notebookText = `// %%%% [markdown]
// # Sweep of %s
//
// %d trainings on %s. The flags of all of them: %s.
//
// The table is runs.csv, one line for each training, and is also in this folder as a file. %s
// %%%%
import (
	"math"
	"slices"

	"gosphere/plotting/figure"
	"gosphere/runtime/table"
)

runs, err := table.Read("runs.csv")
if err != nil {
	panic(err)
}

// numbers returns a column of numbers.
numbers := func(name string) []float64 {
	values, err := runs.Floats(name)
	if err != nil {
		panic(err)
	}
	return values
}

// texts returns a column of texts.
texts := func(name string) []string {
	values, err := runs.Strings(name)
	if err != nil {
		panic(err)
	}
	return values
}

runs
`

// helpersText has the functions that the cells of figures use.
const helpersText = `// %%
// labels returns a dimension of names.
labels := func(name string) figure.Dimension {
	d := figure.Dimension{Name: name}
	for _, text := range texts(name) {
		i := slices.Index(d.Labels, text)
		if i < 0 {
			i, d.Labels = len(d.Labels), append(d.Labels, text)
		}
		d.Values = append(d.Values, float64(i))
	}
	return d
}

// curves returns Recall@1 as a function of a column for each method: the mean over all trainings
// with a value, and their range.
curves := func(column string) (list []figure.Series) {
	x, recall, methods := numbers(column), numbers("t2i_recall_1"), texts("method")
	for _, method := range slices.Compact(slices.Sorted(slices.Values(methods))) {
		s := figure.Series{Name: method}
		for _, value := range slices.Compact(slices.Sorted(slices.Values(x))) {
			low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
			for i := range x {
				if x[i] == value && methods[i] == method {
					low, high, sum, n = min(low, recall[i]), max(high, recall[i]), sum+recall[i], n+1
				}
			}
			if n > 0 {
				s.X, s.Values = append(s.X, value), append(s.Values, sum/float64(n))
				s.Low, s.High = append(s.Low, low), append(s.High, high)
			}
		}
		list = append(list, s)
	}
	return list
}
`

// notebook returns the notebook of the sweep, not executed.
func (t sweepTable) notebook(plan *sweep.Plan, figures []sweepFigure, notes []string) *nbformat.Notebook {
	fixed := plan.Fixed.String()
	if fixed == "" {
		fixed = "none"
	}
	var text strings.Builder
	fmt.Fprintf(&text, notebookText, strings.Join(plan.Methods, ", "), len(t.lines), plan.Dataset, fixed, strings.Join(notes, " "))
	if len(figures) > 0 {
		text.WriteString(helpersText)
	}
	for _, f := range figures {
		fmt.Fprintf(&text, "// %%%% [markdown]\n// ## %s\n// %%%%\n%s\n", f.title, f.code)
	}
	n, _ := nbformat.FromScript(text.String())
	n.Metadata = map[string]any{"kernelspec": map[string]any{"name": "gosphere", "display_name": "Go (gosphere)", "language": "go"}}
	return n
}

// draw writes the figures of a sweep and its notebook, which it executes. A notebook that cannot be
// executed, as in a program without the packages of cells, is written without outputs.
func (s Sweep) draw(ctx context.Context, plan *sweep.Plan, t sweepTable, notes []string, stdout io.Writer) error {
	figures := t.figures(plan)
	for _, f := range figures {
		picture, err := f.drawn.PNG()
		if err != nil {
			return fmt.Errorf("%s: %w", f.title, err)
		}
		path := filepath.Join(s.Out, f.name+".png")
		if err := userfile.Write(path, picture); err != nil {
			return err
		}
		fmt.Fprintln(stdout, path)
	}
	var text bytes.Buffer
	if err := nbformat.Write(&text, t.notebook(plan, figures, notes)); err != nil {
		return err
	}
	const name = "sweep.ipynb"
	path := filepath.Join(s.Out, name)
	if err := userfile.Write(path, text.Bytes()); err != nil {
		return err
	}
	if err := process.RunChild(ctx, s.Out, "run", name, "-o", name); err != nil {
		fmt.Fprintf(stdout, "%s (not executed: %v)\n", path, err)
		return ctx.Err()
	}
	_, err := fmt.Fprintln(stdout, path)
	return err
}
