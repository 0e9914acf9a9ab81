package laboratory

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/published"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/process"
)

// Table is the subcommand that tabulates results, next to the published numbers.
type Table struct {
	Dataset   string     `help:"Data set of the results. Several, separated by commas, have a table each and one of their means." default:"scenes_minilm"`
	Method    methodList `help:"Methods, separated by commas, or all." default:"all"`
	Seeds     seedList   `help:"Seeds, such as 0..4 or 0,2,5." default:"0..4" aliases:"seed"`
	Results   string     `help:"Folder of results, read from <data>/<seed>/<method>.json." default:"results" type:"path"`
	Split     string     `help:"Split of the results, or folds for those of crossval (default: the split for evaluation)."`
	Format    string     `help:"Format: text, markdown, latex, or csv with a line for every number." enum:"text,markdown,latex,csv" default:"text"`
	Published string     `help:"Data set of the paper to compare with: MS-COCO, Flickr-30k, CC-200k, none, or auto (by the data set's name)." enum:"auto,none,MS-COCO,Flickr-30k,CC-200k" default:"auto"`
	Encoder   string     `help:"Encoder of the published numbers: CLIP ViT-B/32 or SigLIP." enum:"CLIP ViT-B/32,SigLIP" default:"CLIP ViT-B/32"`
	intervals
	Paper  string `help:"Show a printed table of this paper instead of results: AsymVLM, ELIP or ProLIP. Requires --number." enum:",AsymVLM,ELIP,ProLIP" default:""`
	JSON   bool   `name:"json" help:"Print JSON: every measure of every method, with its values by seed."`
	Number string `help:"Table of the paper, such as 4, A.2, C.5 or 'Figure 5'." placeholder:"TABLE"`
}

// Run prints the table.
func (t Table) Run() error { return t.run(os.Stdout) }

func (t Table) run(stdout io.Writer) error {
	if t.Paper != "" || t.Number != "" {
		if t.JSON {
			return errors.New("--json: tables of papers are printed as text, markdown, latex or csv; use --format csv")
		}
		return t.printed(stdout)
	}
	if err := t.intervals.check(t.Format); err != nil {
		return err
	}
	sets, err := t.sets()
	if err != nil {
		return err
	}
	if t.JSON {
		list := []measuredMethod{}
		for _, s := range sets {
			list = append(list, s.measurements()...)
		}
		return process.PrintJSON(stdout, list)
	}
	if t.Format == "csv" {
		return writeCSV(stdout, sets)
	}
	var text strings.Builder
	for _, s := range sets {
		if err := s.write(&text); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, text.String())
	return err
}

// A testSet is the results on one test set, or the means over several.
type testSet struct {
	Table
	rows  []tableRow
	parts [][]tableRow // what intervals are drawn from: the rows, or those of each set of a mean
	of    []string     // the test sets of a mean, nil of one set
}

// sets reads the results on each test set; several are followed by their mean.
func (t Table) sets() ([]testSet, error) {
	names := strings.Split(t.Dataset, ",")
	var list []testSet
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--dataset %s: want names that differ, with commas between them", t.Dataset)
		}
		one := t
		one.Dataset = name
		rows, err := one.read()
		if err != nil {
			return nil, err
		}
		list = append(list, testSet{Table: one, rows: rows, parts: [][]tableRow{rows}})
	}
	if len(list) == 1 {
		return list, nil
	}
	mean, err := t.meanOf(list)
	return append(list, mean), err
}

// write writes the table of a test set, its notes, its intervals, and what the paper has beside it.
func (s testSet) write(text *strings.Builder) error {
	write, paper := renderers[s.Format], s.paperDataset()
	write.paragraph(text, s.title())
	write.grid(text, overview(s.rows))
	if s.of != nil {
		write.paragraph(text, append(rowNotes(s.rows), s.meanNotes()...)...)
	} else {
		write.paragraph(text, append(rowNotes(s.rows), s.notes(s.rows, paper)...)...)
	}
	if s.CI {
		g, notes, err := s.intervals.grid(s.parts)
		if err != nil {
			return err
		}
		write.grid(text, g)
		write.paragraph(text, notes...)
	}
	if beside := s.beside(s.rows, paper); s.of == nil && len(beside.rows) > 0 {
		write.grid(text, beside)
	}
	return nil
}

// title names the data of a table.
func (s testSet) title() string {
	if s.of != nil {
		return fmt.Sprintf("Mean over %s. Mean ± population standard deviation over the seeds.", strings.Join(s.of, ", "))
	}
	first := s.rows[0].runs[0]
	return fmt.Sprintf("%s: %d images, %d texts. Mean ± population standard deviation over the seeds.", first.Dataset, first.Images, first.Texts)
}

// A tableRow is one method with its runs, seed by seed.
type tableRow struct {
	method string
	runs   []result
	seeds  []uint64
}

// read reads all available results. They must be measured on the same data.
func (t Table) read() ([]tableRow, error) {
	var rows []tableRow
	trained := false
	for _, method := range withUntrained(t.Method.methods) {
		row := tableRow{method: method}
		for _, seed := range t.Seeds.seeds {
			path := resultFile(t.Results, t.Dataset, t.Split, job{method: method, seed: seed})
			found, err := storedResult(path)
			if err != nil {
				return nil, err
			}
			if found == nil {
				continue
			}
			r := *found
			if other := append(rows, row)[0].runs; len(other) > 0 && other[0].Checksum != r.Checksum {
				return nil, fmt.Errorf("%s was measured on %s (sha256 %.12s…), the results of %s on %s (%.12s…): other data",
					path, r.Dataset, r.Checksum, other[0].Method, other[0].Dataset, other[0].Checksum)
			}
			row.runs, row.seeds = append(row.runs, r), append(row.seeds, seed)
		}
		if len(row.runs) > 0 {
			rows, trained = append(rows, row), trained || !baseline.Is(method)
		}
	}
	if !trained {
		return nil, fmt.Errorf("no results of %s below %s; run gosphere train, then gosphere eval", t.Dataset, t.Results)
	}
	return rows, nil
}

// A column is one measure of one direction, or of the run.
type column struct {
	direction, measure string
	of                 func(result) float64
}

// columns returns the measures of the table. It includes kappaRank only for data with true
// concentrations, and areas only if there are some, which results of earlier versions lack.
func columns(rows []tableRow) []column {
	var list []column
	for _, d := range []struct {
		name string
		of   func(result) direction
	}{
		{published.TextToImage, func(r result) direction { return r.T2I }},
		{published.ImageToText, func(r result) direction { return r.I2T }},
	} {
		list = append(list,
			column{d.name, published.Recall1, func(r result) float64 { return d.of(r).Recall1 }},
			column{d.name, "average", func(r result) float64 { return d.of(r).Average }},
			column{d.name, published.S, func(r result) float64 { return orNaN(d.of(r).S) }},
			column{d.name, published.R2, func(r result) float64 { return orNaN(d.of(r).R2) }},
			column{d.name, "−SR2", func(r result) float64 { return orNaN(d.of(r).MinusSR2) }})
		if slices.ContainsFunc(rows, func(row tableRow) bool { return d.of(row.runs[0]).AURC != nil }) {
			list = append(list,
				column{d.name, "AURC", func(r result) float64 { return orNaN(d.of(r).AURC) }},
				column{d.name, "E-AURC", func(r result) float64 { return orNaN(d.of(r).EAURC) }})
		}
	}
	list = append(list, calibrationColumns(rows)...)
	if slices.ContainsFunc(rows, func(row tableRow) bool { return row.runs[0].KappaRank != nil }) {
		list = append(list, column{"", "true κ", func(r result) float64 { return orNaN(r.KappaRank) }})
	}
	return list
}

// calibrationColumns returns the calibration errors before and after the fit, nil if no row has
// them.
func calibrationColumns(rows []tableRow) (list []column) {
	if !slices.ContainsFunc(rows, func(row tableRow) bool { return row.runs[0].Calibration != nil }) {
		return nil
	}
	for _, d := range []struct {
		name string
		of   func(*calibrationResult) calibrated
	}{
		{published.TextToImage, func(c *calibrationResult) calibrated { return c.T2I }},
		{published.ImageToText, func(c *calibrationResult) calibrated { return c.I2T }},
	} {
		measure := func(value func(calibrated) float64) func(result) float64 {
			return func(r result) float64 {
				if r.Calibration == nil {
					return math.NaN()
				}
				return value(d.of(r.Calibration))
			}
		}
		list = append(list,
			column{d.name, "ECE", measure(func(c calibrated) float64 { return c.Before })},
			column{d.name, "ECE fitted", measure(func(c calibrated) float64 { return c.After })})
	}
	return list
}

// spread returns a measure over the runs of a row.
func (r tableRow) spread(c column) retrieval.Spread {
	values := make([]float64, len(r.runs))
	for i, run := range r.runs {
		values[i] = c.of(run)
	}
	return retrieval.Over(values)
}

// overview returns the table of all methods.
func overview(rows []tableRow) grid {
	g := grid{header: []string{"method", "runs"}}
	list, baseline := columns(rows), baselineOf(rows)
	for _, c := range list {
		g.header = append(g.header, strings.TrimSpace(c.direction+" "+c.measure))
	}
	for _, row := range rows {
		name := row.method
		if row.below(baseline) != "" {
			name += belowMark
		}
		name += row.marks()
		cells := []string{name, strconv.Itoa(len(row.runs))}
		for _, c := range list {
			cells = append(cells, row.text(c))
		}
		g.rows = append(g.rows, cells)
	}
	above := 0
	if cells := untrainedCells(rows, list); cells != nil {
		g.rows, above = append([][]string{cells}, g.rows...), 1
	}
	g.ranks = map[[2]int]int{}
	for i, c := range list {
		for row, rank := range c.ranks(rows) {
			g.ranks[[2]int{row + above, i + 2}] = rank
		}
	}
	return g
}

// ranks returns, by row, 1 for the rows with the best mean at the printed digits and 2 for those
// with the second best. Smaller is better for S and areas.
func (c column) ranks(rows []tableRow) map[int]int {
	sign := 1.0
	if c.measure == published.S || strings.HasSuffix(c.measure, "AURC") || strings.HasPrefix(c.measure, "ECE") {
		sign = -1
	}
	means := make([]float64, len(rows))
	for i, row := range rows {
		means[i] = sign * math.Round(1000*row.spread(c).Mean)
	}
	order := slices.DeleteFunc(slices.Clone(means), math.IsNaN)
	slices.Sort(order)
	order = slices.Compact(order)
	ranks := map[int]int{}
	if len(order) < 2 {
		return ranks // nothing to compare with
	}
	for i, mean := range means {
		for rank := 1; rank <= 2; rank++ {
			if mean == order[len(order)-rank] {
				ranks[i] = rank
			}
		}
	}
	return ranks
}

// text formats mean and deviation, or the value alone for one run. A measure that some run lacks is
// a dash.
func (r tableRow) text(c column) string {
	s := r.spread(c)
	switch {
	case math.IsNaN(s.Mean):
		return "–"
	case len(r.runs) == 1:
		return retrieval.Decimal(s.Mean, 3)
	}
	return s.String()
}

// notes returns remarks about the table: schedules, missing seeds, and whether the data is the
// paper's.
func (t Table) notes(rows []tableRow, paper string) []string {
	var notes []string
	var schedules, seedLists []string
	methods, incomplete := map[string][]string{}, map[string][]string{} // by schedule, and by the available seeds
	for _, row := range rows {
		schedule := row.runs[0].Training.Schedule
		for i, run := range row.runs {
			if run.Training.Schedule != schedule {
				notes = append(notes, fmt.Sprintf("Seeds %d and %d of %s were trained differently: %s; %s.", row.seeds[0], row.seeds[i], row.method, schedule, run.Training.Schedule))
			}
			if run.Training.Temperature < 0 {
				notes = append(notes, fmt.Sprintf("Seed %d of %s ended with a negative temperature and ranks backwards.", row.seeds[i], row.method))
			}
		}
		if len(row.seeds) < len(t.Seeds.seeds) {
			seeds := strings.Trim(fmt.Sprint(row.seeds), "[]")
			if incomplete[seeds] == nil {
				seedLists = append(seedLists, seeds)
			}
			incomplete[seeds] = append(incomplete[seeds], row.method)
		}
		if methods[schedule] == nil {
			schedules = append(schedules, schedule)
		}
		methods[schedule] = append(methods[schedule], row.method)
	}
	if asked := t.Method.methods; len(asked) < len(adapter.Methods()) { // methods of a list, unlike those of all, were requested one by one
		var none []string
		for _, method := range asked {
			if !slices.ContainsFunc(rows, func(row tableRow) bool { return row.method == method }) {
				none = append(none, method)
			}
		}
		if len(none) > 0 {
			notes = append(notes, fmt.Sprintf("There are no results of %s.", strings.Join(none, ", ")))
		}
	}
	for _, seeds := range seedLists {
		notes = append(notes, fmt.Sprintf("Only seeds %s of %s have results.", seeds, strings.Join(incomplete[seeds], ", ")))
	}
	for _, schedule := range schedules {
		notes = append(notes, fmt.Sprintf("Schedule of %s: %s.", strings.Join(methods[schedule], ", "), schedule))
	}
	return append(notes, t.dataNote(rows, paper))
}

// paperDataset returns the name of the data set in the paper, or "" if it has none.
func (t Table) paperDataset() string {
	switch t.Published {
	case "none":
		return ""
	case "auto":
		for prefix, name := range map[string]string{"coco": "MS-COCO", "flickr": "Flickr-30k", "cc200k": "CC-200k"} {
			// coco500 and similar names are other data sets.
			if strings.HasPrefix(strings.ToLower(t.Dataset), prefix) && !strings.HasPrefix(t.Dataset, "coco500") {
				return name
			}
		}
		return ""
	}
	return t.Published
}

// dataNote reports whether the data is the paper's, as far as numbers show it: by the size of the
// gallery and by the zero-shot recall, which clip and the methods with frozen means have.
func (t Table) dataNote(rows []tableRow, paper string) string {
	first := rows[0].runs[0]
	if _, known := published.GalleryOf(t.Encoder, paper); !known {
		return fmt.Sprintf("The AsymVLM paper has no numbers for %s: this is not the paper's data.", t.Dataset)
	}
	seen := published.Gallery{Images: first.Images, Texts: first.Texts, TextToImage: math.NaN(), ImageToText: math.NaN()}
	for _, row := range rows {
		if slices.Contains([]string{adapter.CLIP, adapter.PFE, adapter.PCMEpp, adapter.ProLIP}, row.method) {
			seen.TextToImage, seen.ImageToText = row.runs[0].T2I.Recall1, row.runs[0].I2T.Recall1
			break
		}
	}
	_, sentence := published.Judge(t.Encoder, paper, seen)
	return sentence
}

// beside returns a table of the measures next to the paper's numbers.
func (t Table) beside(rows []tableRow, paper string) grid {
	g := grid{header: []string{"method", "measure", "here", "published", "difference"}}
	for _, row := range rows {
		numbers := published.Retrieval(t.Encoder, paper, row.method)
		for _, c := range columns(rows) {
			n, ok := numbers[[2]string{c.direction, c.measure}]
			if !ok {
				continue
			}
			s := row.spread(c)
			g.rows = append(g.rows, []string{row.method, c.direction + " " + c.measure, row.text(c),
				retrieval.Spread{Mean: n.Mean, SD: n.SD}.String(), differenceText(s.Mean - n.Mean)})
		}
	}
	return g
}

func differenceText(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	text := retrieval.Decimal(x, 3)
	if strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}

// writeCSV writes a line for every number, with the published one where there is one.
func writeCSV(w io.Writer, sets []testSet) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"dataset", "method", "runs", "direction", "measure", "mean", "sd", "published_mean", "published_sd", "difference", "schedule"}}
	for _, s := range sets {
		lines = append(lines, s.csvLines()...)
	}
	return errors.Join(out.WriteAll(lines), out.Error())
}

// csvLines returns a line for every number of a test set.
func (s testSet) csvLines() (lines [][]string) {
	cell := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'f', 6, 64)
	}
	for _, row := range s.rows {
		numbers := published.Retrieval(s.Encoder, s.paperDataset(), row.method)
		for _, c := range columns(s.rows) {
			spread := row.spread(c)
			line := []string{row.runs[0].Dataset, row.method, strconv.Itoa(len(row.runs)), c.direction, c.measure, cell(spread.Mean), cell(spread.SD), "", "", "",
				row.runs[0].Training.Schedule}
			if n, ok := numbers[[2]string{c.direction, c.measure}]; ok {
				line[7], line[8], line[9] = cell(n.Mean), cell(n.SD), cell(spread.Mean-n.Mean)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
