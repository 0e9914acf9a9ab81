// Package tasks implements the subcommands that measure trained adapters in other tasks than
// retrieval: classify (zero-shot classification and none of the above), hierarchy (chains of texts
// from general to specific, such as HierarCaps) and ood (queries of another kind). Each prints a
// table with a row for every method and 95 % intervals over the queries and the seeds together.
package tasks

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/adapter/released"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/laboratory"
	"gosphere/internal/command/process"
)

// adapted holds the flags for the adapters and the table.
type adapted struct {
	Adapters []string         `help:"Checkpoints of adapters, or patterns such as checkpoints/mine/*/asymvlm-*.safetensors. Those of a method are its seeds." placeholder:"PATTERN"`
	Format   string           `help:"Format: text, markdown or latex." enum:"text,markdown,latex" default:"text"`
	JSON     bool             `name:"json" help:"Print JSON: every measure of every method with its interval."`
	Draws    process.Positive `name:"ci-draws" help:"Number of bootstrap samples for the intervals." default:"500" placeholder:"N"`

	process.Compute
}

// A trainedMethod is the adapters of a method, one for each seed.
type trainedMethod struct {
	name string
	runs []*adapter.Adapter
}

// methods reads the adapters, by method in the order of the files.
func (a adapted) methods() (list []trainedMethod, err error) {
	if a.Draws < 2 {
		return nil, errors.New("--ci-draws 1: want at least 2")
	}
	for _, pattern := range a.Adapters {
		files, err := filepath.Glob(pattern)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("--adapters %s: no such file", pattern)
		}
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			load := adapter.Load
			if extension := filepath.Ext(file); extension == ".pt" || extension == ".pth" {
				load = func(path string) (*adapter.Adapter, error) { return released.Import(path, "") }
			}
			trained, err := load(file)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(list, func(m trainedMethod) bool { return m.name == trained.Method() })
			if i < 0 {
				i, list = len(list), append(list, trainedMethod{name: trained.Method()})
			}
			list[i].runs = append(list[i].runs, trained)
		}
	}
	return list, nil
}

// A measure is a column of a table.
type measure struct {
	name    string
	smaller bool // is better
	digits  int
}

// A row is the measures of a method.
type row struct {
	Method   string              `json:"method"`
	Runs     int                 `json:"runs"`
	Measures map[string]measured `json:"measures"`
}

// A measured is a mean over the runs with the ends of its interval, null if it has none.
type measured struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// single returns a measure without an interval.
func single(x float64) measured { return measured{Mean: x} }

// A table is the result of a command.
type table struct {
	Task     string `json:"task"`
	Rows     []row  `json:"rows"`
	measures []measure
	notes    []string
}

// add adds a row.
func (t *table) add(method string, runs int, measures map[string]measured) {
	t.Rows = append(t.Rows, row{method, runs, measures})
}

// write prints the table.
func (t *table) write(a adapted, stdout io.Writer) error {
	if a.JSON {
		return process.PrintJSON(stdout, t)
	}
	header, ranks := []string{"method", "runs"}, map[[2]int]int{}
	var cells [][]string
	for _, r := range t.Rows {
		cells = append(cells, []string{r.Method, fmt.Sprint(r.Runs)})
	}
	for column, m := range t.measures {
		header = append(header, m.name)
		means := make([]float64, len(t.Rows))
		for i, r := range t.Rows {
			found, has := r.Measures[m.name]
			if !has || math.IsNaN(found.Mean) {
				cells[i], means[i] = append(cells[i], "–"), math.NaN()
				continue
			}
			text := retrieval.Decimal(found.Mean, m.digits)
			if found.Low != nil {
				text += fmt.Sprintf(" [%s, %s]", retrieval.Decimal(*found.Low, m.digits), retrieval.Decimal(*found.High, m.digits))
			}
			cells[i], means[i] = append(cells[i], text), math.Round(found.Mean*math.Pow10(m.digits))
			if m.smaller {
				means[i] = -means[i]
			}
		}
		for i, rank := range ranksOf(means) {
			ranks[[2]int{i, column + 2}] = rank
		}
	}
	var text strings.Builder
	laboratory.Grid{Header: header, Rows: cells, Ranks: ranks}.Write(&text, a.Format, append([]string{t.Task}, t.notes...)...)
	_, err := io.WriteString(stdout, text.String())
	return err
}

// ranksOf returns 1 for the largest values and 2 for the second largest, by index. NaN has none.
func ranksOf(values []float64) map[int]int {
	order := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(order)
	order = slices.Compact(order)
	ranks := map[int]int{}
	for i, x := range values {
		for rank := 1; rank <= 2 && len(order) > 1; rank++ {
			if x == order[len(order)-rank] {
				ranks[i] = rank
			}
		}
	}
	return ranks
}

// over returns the mean over runs of a statistic of drawn queries, with its interval over the
// queries of each set, which are drawn in groups, and the runs. In the first call of the statistic
// all queries are drawn once.
func (a adapted) over(sets []retrieval.Groups, runs int, statistic func(run int, rows [][]int) float64) (measured, error) {
	drawn := make([]int, runs)
	for i := range drawn {
		drawn[i] = i
	}
	var source *rand.Rand
	interval, err := retrieval.Bootstrap{Draws: int(a.Draws)}.Stratified(sets, func(rows [][]int) float64 {
		if source == nil {
			source = rand.New(rand.NewPCG(0, 1))
		} else {
			for i := range drawn {
				drawn[i] = source.IntN(runs)
			}
		}
		values := map[int]float64{} // a run may be drawn several times
		mean := 0.0
		for _, run := range drawn {
			if _, known := values[run]; !known {
				values[run] = statistic(run, rows)
			}
			mean += values[run] / float64(runs)
		}
		return mean
	})
	if err != nil {
		return measured{}, err
	}
	return measured{interval.Estimate, &interval.Low, &interval.High}, nil
}

// each returns groups of one query each.
func each(n int) retrieval.Groups {
	groups := make(retrieval.Groups, n)
	for i := range groups {
		groups[i] = []int{i}
	}
	return groups
}

// intervalNote explains the intervals of all tables.
const intervalNote = "Intervals cover 95 % of bootstrap samples of the queries and of the seeds; each value is a mean over the seeds."
