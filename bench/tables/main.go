// Command tables compares tables with pandas and polars on the same machine, in one run, with the
// questions of the h2oai benchmark of groups and joins:
//
//	go run ./bench/tables -python .venv/tables/bin/python
//
// The data have the columns of that benchmark and are written to a temporary folder that all sides
// read. The sides take turns, one round each, and the best of the rounds counts, of wall and CPU
// time apart. The rows and the sum of the numbers of each result are compared.
//
// With -rows 10000000 the data have 10,000,000 rows (10 GB of memory); -rows 20000000 -only read
// reads a CSV file of 1 GB.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

	"gosphere/runtime/table"
)

func main() {
	python := flag.String("python", "", "Python interpreter with pandas and polars; without it, only our side is measured")
	script := flag.String("script", "bench/tables/peer.py", "the Python side")
	rows := flag.Int("rows", 1_000_000, "rows of the tables")
	rounds := flag.Int("rounds", 3, "rounds of every measurement")
	only := flag.String("only", "", "measure only questions whose names match this regular expression")
	flag.Parse()
	selected, err := regexp.Compile(*only)
	if err == nil {
		err = run(peer{*python, *script, *only}, selected, *rows, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// An answer is the time and the result of a question.
type answer struct {
	Name    string  `json:"-"`
	Seconds float64 `json:"seconds"`
	// Processor is the CPU time, which other programs of the machine affect less.
	Processor float64 `json:"processor"`
	Rows      int     `json:"rows"`
	Sum       float64 `json:"sum"`
}

// The peers are the answers of the Python side by question.
type peers struct {
	Versions       string            `json:"versions"`
	Pandas, Polars map[string]answer // by question
}

// A peer is the Python side.
type peer struct{ python, script, only string }

// answers runs one round of the Python side.
func (p peer) answers(folder string) (round peers, err error) {
	command := exec.Command(p.python, p.script, folder, p.only)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return round, fmt.Errorf("%s: %w", p.script, err)
	}
	return round, json.Unmarshal(text, &round)
}

// better keeps the shorter times of two answers by question.
func better(best, round map[string]answer) map[string]answer {
	if best == nil {
		return round
	}
	for name, a := range round {
		b := best[name]
		a.Seconds, a.Processor = min(a.Seconds, b.Seconds), min(a.Processor, b.Processor)
		best[name] = a
	}
	return best
}

func run(other peer, only *regexp.Regexp, rows, rounds int) (err error) {
	folder, err := os.MkdirTemp("", "tables-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := write(folder, rows); err != nil {
		return err
	}
	var ours []answer
	var others peers
	for range rounds {
		round, err := measureAll(folder, only)
		if err != nil {
			return err
		}
		for n := range round {
			if ours != nil {
				round[n].Seconds, round[n].Processor = min(round[n].Seconds, ours[n].Seconds), min(round[n].Processor, ours[n].Processor)
			}
		}
		ours = round
		if other.python == "" {
			continue
		}
		debug.FreeOSMemory()
		theirs, err := other.answers(folder)
		if err != nil {
			return err
		}
		others.Versions, others.Pandas, others.Polars = theirs.Versions, better(others.Pandas, theirs.Pandas), better(others.Polars, theirs.Polars)
	}
	return report(ours, others, rows)
}

// report prints the table of times.
func report(ours []answer, others peers, rows int) error {
	fmt.Printf("%d rows, %d processors, %s, %s\n\n", rows, runtime.GOMAXPROCS(0), runtime.Version(), others.Versions)
	fmt.Println("| question | rows | gosphere: wall, CPU in ms | pandas: wall, CPU | polars: wall, CPU |\n|---|---|---|---|---|")
	for _, mine := range ours {
		line := fmt.Sprintf("| %s | %d | %.0f %.0f |", mine.Name, mine.Rows, 1000*mine.Seconds, 1000*mine.Processor)
		for library, answers := range []map[string]answer{others.Pandas, others.Polars} {
			theirs, ok := answers[mine.Name]
			if !ok {
				line += " – |"
				continue
			}
			if theirs.Rows != mine.Rows || math.Abs(theirs.Sum-mine.Sum) > 1e-6*math.Abs(mine.Sum) {
				return fmt.Errorf("%s: %s has %d rows with the sum %v, want %d and %v", mine.Name, []string{"pandas", "polars"}[library], theirs.Rows, theirs.Sum, mine.Rows, mine.Sum)
			}
			line += fmt.Sprintf(" ×%.2f ×%.2f |", theirs.Seconds/mine.Seconds, theirs.Processor/mine.Processor)
		}
		fmt.Println(line)
	}
	return nil
}

// write writes the data of the benchmark: the table x of groups with 100 groups of id1, and the
// tables left, small, medium and big of joins.
func write(folder string, n int) error {
	draw := rand.New(rand.NewPCG(1, 2))
	texts := func(format string, most int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, 1+draw.IntN(most))
		}
		return list
	}
	numbers := func(rows, most int) []int {
		list := make([]int, rows)
		for i := range list {
			list[i] = 1 + draw.IntN(most)
		}
		return list
	}
	decimals := func(rows int) []float64 {
		list := make([]float64, rows)
		for i := range list {
			list[i] = math.Round(draw.Float64()*1e8) / 1e6
		}
		return list
	}
	groups := max(1, n/100)
	tables := map[string]*table.Table{
		"x": table.FromColumns(
			table.Values{Name: "id1", List: texts("id%03d", 100)}, table.Values{Name: "id2", List: texts("id%03d", 100)}, table.Values{Name: "id3", List: texts("id%010d", groups)},
			table.Values{Name: "id4", List: numbers(n, 100)}, table.Values{Name: "id5", List: numbers(n, 100)}, table.Values{Name: "id6", List: numbers(n, groups)},
			table.Values{Name: "v1", List: numbers(n, 5)}, table.Values{Name: "v2", List: numbers(n, 15)}, table.Values{Name: "v3", List: decimals(n)}),
		"left": table.FromColumns(
			table.Values{Name: "id1", List: numbers(n, max(1, n/1_000_000+1))}, table.Values{Name: "id2", List: numbers(n, 1100)}, table.Values{Name: "id3", List: draw.Perm(n)},
			table.Values{Name: "id5", List: texts("id%d", 1100)}, table.Values{Name: "v1", List: decimals(n)}),
	}
	for name, rows := range map[string]int{"small": max(1, n/1_000_000), "medium": max(1, n/1000), "big": n} {
		keys, names := draw.Perm(rows), make([]string, rows)
		for i := range keys {
			keys[i]++
			names[i] = fmt.Sprint("id", keys[i])
		}
		tables[name] = table.FromColumns(table.Values{Name: map[string]string{"small": "id1", "medium": "id2", "big": "id3"}[name], List: keys},
			table.Values{Name: map[bool]string{true: "id5", false: "name"}[name == "medium"], List: names}, table.Values{Name: "v2", List: decimals(rows)})
	}
	for name, t := range tables {
		if err := table.Write(filepath.Join(folder, name+".csv"), t); err != nil {
			return err
		}
	}
	return nil
}

// measureAll answers the questions, each twice: the first answer after the tables were read pays
// for memory that is new to the process.
func measureAll(folder string, only *regexp.Regexp) ([]answer, error) {
	read := map[string]*table.Table{}
	for _, name := range []string{"x", "left", "small", "medium", "big"} {
		if only.String() == "read" {
			break
		}
		t, err := table.Read(filepath.Join(folder, name+".csv"))
		if err != nil {
			return nil, err
		}
		read[name] = t
	}
	x, left, small, medium, big := read["x"], read["left"], read["small"], read["medium"], read["big"]
	questions := []struct {
		name string
		run  func() *table.Table
	}{
		{"read", func() *table.Table {
			t, err := table.Read(filepath.Join(folder, "x.csv"))
			if err != nil {
				panic(err)
			}
			return t
		}},
		{"sum v1 by id1", func() *table.Table { return x.GroupBy("id1").Aggregate(table.Sum("v1")) }},
		{"sum v1 by id1, id2", func() *table.Table { return x.GroupBy("id1", "id2").Aggregate(table.Sum("v1")) }},
		{"sum v1, mean v3 by id3", func() *table.Table { return x.GroupBy("id3").Aggregate(table.Sum("v1"), table.Mean("v3")) }},
		{"mean v1, v2, v3 by id4", func() *table.Table {
			return x.GroupBy("id4").Aggregate(table.Mean("v1"), table.Mean("v2"), table.Mean("v3"))
		}},
		{"sum v1, v2, v3 by id6", func() *table.Table {
			return x.GroupBy("id6").Aggregate(table.Sum("v1"), table.Sum("v2"), table.Sum("v3"))
		}},
		{"median, sd v3 by id4, id5", func() *table.Table { return x.GroupBy("id4", "id5").Aggregate(table.Median("v3"), table.Std("v3")) }},
		{"max v1 - min v2 by id3", func() *table.Table {
			return x.GroupBy("id3").Aggregate(table.Max("v1"), table.Min("v2")).
				With("d", func(r table.Row) any { return r.Int("v1_max") - r.Int("v2_min") }).Select("id3", "d")
		}},
		{"largest two v3 by id6", func() *table.Table { return x.Select("id6", "v3").Sort("-v3").GroupBy("id6").Head(2) }},
		{"correlation v1, v2 by id2, id4", func() *table.Table {
			return x.GroupBy("id2", "id4").Aggregate(table.Corr("v1", "v2").As("r")).WithColumns(table.Map("r", func(r float64) float64 { return r * r }))
		}},
		{"sum v3, count by six columns", func() *table.Table {
			return x.GroupBy("id1", "id2", "id3", "id4", "id5", "id6").Aggregate(table.Sum("v3"), table.Len())
		}},
		{"join 1 row on an integer", func() *table.Table { return left.InnerJoin(small, "id1") }},
		{"join 1,000 rows on an integer", func() *table.Table { return left.InnerJoin(medium, "id2") }},
		{"left join 1,000 rows", func() *table.Table { return left.LeftJoin(medium, "id2") }},
		{"join 1,000 rows on a text", func() *table.Table { return left.InnerJoin(medium, "id5") }},
		{"join as many rows on an integer", func() *table.Table { return left.InnerJoin(big, "id3") }},
	}
	var answers []answer
	for _, q := range questions {
		if !only.MatchString(q.name) {
			continue
		}
		a := answer{Name: q.name, Seconds: math.Inf(1), Processor: math.Inf(1)}
		for range 2 {
			runtime.GC()
			from, used := time.Now(), processorTime()
			t := q.run()
			a.Seconds, a.Processor = min(a.Seconds, time.Since(from).Seconds()), min(a.Processor, (processorTime()-used).Seconds())
			a.Rows, a.Sum = t.Len(), total(t)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

// total returns the sum of the known numbers of a table, without NaN of groups of equal values.
func total(t *table.Table) (sum float64) {
	for k, name := range t.Columns() {
		if kind := t.Types()[k]; kind != "int" && kind != "float64" {
			continue
		}
		floats, err := t.Floats(name)
		if err != nil {
			continue // no number
		}
		for _, x := range floats {
			if !math.IsNaN(x) {
				sum += x
			}
		}
	}
	return sum
}
