package laboratory

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/published"
)

// asymVLM is the paper of published.All. The others are in published.Cells.
const asymVLM = "AsymVLM"

// A printedNumber is one number of a table in a paper.
type printedNumber struct {
	row     []string // words that identify its row, besides the setting
	setting string
	measure string
	text    string // with the digits of the paper
	erratum string
}

// printedNumbers returns a table of a paper and the headings of its columns of words. The error
// lists the available tables.
func printedNumbers(paper, table string) (words []string, numbers []printedNumber, err error) {
	known := []string{}
	note := func(name string) bool {
		if !slices.Contains(known, name) {
			known = append(known, name)
		}
		return strings.EqualFold(name, table)
	}
	if paper == asymVLM {
		known = published.Tables()
		if strings.EqualFold(table, "A.1") {
			return []string{"method"}, optimizerNumbers(), nil
		}
		words = []string{"encoder", "trained on", "measured on", "prompt", "method"}
		for _, n := range published.Table(strings.ToUpper(table)) {
			text := strconv.FormatFloat(n.Mean, 'f', 3, 64)
			if n.HasSD {
				text += " ± " + strconv.FormatFloat(n.SD, 'f', 3, 64)
			}
			numbers = append(numbers, printedNumber{[]string{n.Encoder, n.TrainedOn, n.MeasuredOn, n.Prompt, n.Method}, n.Direction, n.Measure, text, ""})
		}
	} else {
		words = []string{"data", "method"}
		for _, c := range published.Cells(published.Cell{Paper: paper}) {
			if note(c.Table) {
				numbers = append(numbers, printedNumber{[]string{c.Data, c.Method}, c.Setting, c.Measure, c.Printed, c.Erratum})
			}
		}
	}
	if len(numbers) == 0 {
		slices.SortFunc(known, byNumber)
		return nil, nil, fmt.Errorf("no table %q of %s; there are %s", table, paper, strings.Join(known, ", "))
	}
	return words, numbers, nil
}

// optimizerNumbers returns the cells of table A.1 of AsymVLM's paper.
func optimizerNumbers() (numbers []printedNumber) {
	for _, o := range published.Optimizers() {
		row := []string{o.Method}
		numbers = append(numbers, printedNumber{row, "", "optimizer", o.Optimizer, o.Erratum},
			printedNumber{row, "", "learning rate", strconv.FormatFloat(o.LearningRate, 'g', -1, 64), ""},
			printedNumber{row, "", "batch size", strconv.Itoa(o.Batch), ""})
	}
	return numbers
}

// tableNotes says where a printed table is not to be read as it stands.
func tableNotes(paper, table string) []string {
	if paper != asymVLM {
		return nil
	}
	switch strings.ToUpper(table) {
	case "1":
		return []string{"The paper exchanges the headings of the two directions in this table; here they are those of table A.2, which has the same means."}
	case "2", "3":
		return []string{"The appendix has the same means with deviations, in table " + map[string]string{"2": "A.5", "3": "A.4"}[table] + "."}
	case "A.1":
		return []string{"The table has no rows of prolip and bayesvlm."}
	}
	return nil
}

// byNumber sorts C.9 before C.10, and figures after tables. Between two names that differ only in
// the last number, the shorter one is first.
func byNumber(a, b string) int {
	letters := func(name string) string { return strings.TrimRight(name, "0123456789") }
	return cmp.Or(strings.Compare(letters(a), letters(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// widest is the maximum number of numeric columns. In wider tables each setting has its own line.
const widest = 12

// printedGrid arranges the numbers of a table in rows and columns, in the order of the paper.
// Numbers with an erratum are marked with an asterisk.
func printedGrid(words []string, numbers []printedNumber) grid {
	var columns, lines []string
	cells := map[[2]string]string{}
	place := func(n printedNumber, long bool) (line []string, column string) {
		if long {
			return append(slices.Clone(n.row), n.setting), n.measure
		}
		return n.row, strings.TrimSpace(n.setting + " " + n.measure)
	}
	long := slices.ContainsFunc(numbers, func(n printedNumber) bool { // several numbers share the position of that setting
		_, column := place(n, false)
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		return len(columns) > widest
	})
	columns = nil
	byLine := map[string][]string{}
	for _, n := range numbers {
		line, column := place(n, long)
		key := strings.Join(line, "\x00")
		if byLine[key] == nil {
			byLine[key], lines = line, append(lines, key)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		if n.erratum != "" {
			n.text += "*"
		}
		cells[[2]string{key, column}] = n.text
	}
	if long {
		words = append(slices.Clone(words), "setting")
	}
	g := grid{header: append(slices.Clone(words), columns...)}
	for _, key := range lines {
		row := slices.Clone(byLine[key])
		for _, column := range columns {
			text := cells[[2]string{key, column}]
			if text == "" {
				text = "–"
			}
			row = append(row, text)
		}
		g.rows = append(g.rows, row)
	}
	return g.withoutEmpty(len(words))
}

// withoutEmpty removes columns of words that are empty in every row.
func (g grid) withoutEmpty(words int) grid {
	for i := words - 1; i >= 0; i-- {
		if slices.ContainsFunc(g.rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		g.header = slices.Delete(g.header, i, i+1)
		for k := range g.rows {
			g.rows[k] = slices.Delete(g.rows[k], i, i+1)
		}
	}
	return g
}

// refuseResults returns an error for flags that select results, which a printed table does not use.
// A default value counts as not given.
func (t Table) refuseResults() error {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--dataset", t.Dataset != "" && t.Dataset != builtInScenes},
		{"--method", len(t.Method.methods) > 0 && len(t.Method.methods) < len(adapter.Methods())},
		{"--split", t.Split != ""},
		{"--seeds", len(t.Seeds.seeds) > 0 && !slices.Equal(t.Seeds.seeds, []uint64{0, 1, 2, 3, 4})},
		{"--encoder", t.Encoder != "" && t.Encoder != "CLIP ViT-B/32"},
		{"--published", t.Published != "" && t.Published != "auto"},
	} {
		if flag.given {
			return fmt.Errorf("%s selects results, but --paper shows a printed table: omit one of the two", flag.name)
		}
	}
	return nil
}

// printed writes a table of a paper.
func (t Table) printed(stdout io.Writer) error {
	if t.Paper == "" || t.Number == "" {
		return errors.New("--paper and --number must be used together, such as --paper ELIP --number 4")
	}
	words, numbers, err := printedNumbers(t.Paper, t.Number)
	if err == nil {
		err = t.refuseResults()
	}
	if err != nil {
		return err
	}
	if t.Format == "csv" {
		out := csv.NewWriter(stdout)
		lines := [][]string{append(slices.Clone(words), "setting", "measure", "value", "erratum")}
		for _, n := range numbers {
			lines = append(lines, append(slices.Clone(n.row), n.setting, n.measure, n.text, n.erratum))
		}
		return errors.Join(out.WriteAll(lines), out.Error())
	}
	write := renderers[t.Format]
	var text strings.Builder
	name := "Table " + t.Number
	if strings.HasPrefix(strings.ToLower(t.Number), "figure") {
		name = "F" + t.Number[1:]
	}
	write.paragraph(&text, fmt.Sprintf("%s of %s, as printed.", name, t.Paper))
	write.grid(&text, printedGrid(words, numbers))
	if notes := append(errataOf(numbers), tableNotes(t.Paper, t.Number)...); len(notes) > 0 {
		write.paragraph(&text, notes...)
	}
	_, err = io.WriteString(stdout, text.String())
	return err
}

// errataOf returns the errata of the numbers with an asterisk. Adjacent numbers with the same
// erratum share a sentence.
func errataOf(numbers []printedNumber) (notes []string) {
	type place struct{ row, erratum string }
	var places []place
	measures := map[place][]string{}
	for _, n := range numbers {
		if n.erratum == "" {
			continue
		}
		p := place{strings.TrimSpace(n.row[len(n.row)-1] + " " + n.setting), n.erratum}
		if measures[p] == nil {
			places = append(places, p)
		}
		measures[p] = append(measures[p], n.measure)
	}
	for i := 0; i < len(places); {
		var names []string
		erratum := places[i].erratum
		for ; i < len(places) && places[i].erratum == erratum; i++ {
			names = append(names, places[i].row+" "+strings.Join(measures[places[i]], ", "))
		}
		notes = append(notes, "* "+strings.Join(names, "; ")+": "+erratum+".")
	}
	return notes
}
