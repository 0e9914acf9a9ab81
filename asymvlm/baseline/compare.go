package baseline

import (
	"fmt"
	"math"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// A Trained is a trained method to compare.
type Trained struct {
	Name    string
	Reports []*retrieval.Report // one for each seed, on the set of the comparison
}

// A Compared is the measures of one method in a comparison.
type Compared struct {
	Name    string
	Trained bool
	Runs    int // 1 for a method without training
	*retrieval.Summary
}

// A Comparison holds methods without training, in the order of AllMethods, followed by trained ones
// in the order in which they were given.
type Comparison []Compared

// Compare measures all methods of this package on a set, with Scale, beside reports of trained
// methods on the same set. A set without captions has no CaptionLength. It returns the errors of
// Evaluate; a trained method without a name or without reports, and a report of another number of
// queries, are errors too.
func Compare(set *embedding.Set, levels int, trained ...Trained) (Comparison, error) {
	q, err := QueriesOf(set, Scale)
	if err != nil {
		return nil, err
	}
	rows, err := q.report(AllMethods(), levels)
	if err != nil {
		return nil, err
	}
	var c Comparison
	for _, row := range rows {
		if c, err = c.with(Trained{string(row.Method), []*retrieval.Report{row.Report}}, false); err != nil {
			return nil, err
		}
	}
	queries := len(rows[0].Report.TextToImage.Hits)
	for _, t := range trained {
		if t.Name == "" || len(t.Reports) == 0 {
			return nil, fmt.Errorf("baseline: compare with method %q of %d reports, want a name and at least one report", t.Name, len(t.Reports))
		}
		for _, report := range t.Reports {
			if n := len(report.TextToImage.Hits); n != queries {
				return nil, fmt.Errorf("baseline: compare: %s was measured on %d texts, the set has %d", t.Name, n, queries)
			}
		}
		if c, err = c.with(t, true); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// with appends a method.
func (c Comparison) with(t Trained, trained bool) (Comparison, error) {
	summary, err := retrieval.Summarize(t.Reports)
	if err != nil {
		return nil, fmt.Errorf("baseline: %s: %w", t.Name, err)
	}
	return append(c, Compared{t.Name, trained, len(t.Reports), summary}), nil
}

// A side is one direction of retrieval.
type side struct {
	name string
	of   func(*retrieval.Summary) retrieval.DirectionSummary
}

// sides returns both directions.
func sides() []side {
	return []side{
		{"text to image", func(s *retrieval.Summary) retrieval.DirectionSummary { return s.TextToImage }},
		{"image to text", func(s *retrieval.Summary) retrieval.DirectionSummary { return s.ImageToText }},
	}
}

// Table returns the comparison as the rows and the headings of a table: Recall@1, S, the area under
// the risk-coverage curve and what it exceeds the best order of the same answers by, for texts and
// then for images as queries. Smaller areas are better.
func (c Comparison) Table() (rows [][]any, headings []string) {
	headings = []string{"uncertainty", "training"}
	for _, d := range []string{"t2i", "i2t"} {
		for _, m := range []string{"R@1", "S", "AURC", "E-AURC"} {
			headings = append(headings, d+" "+m)
		}
	}
	for _, e := range c {
		row := []any{e.Name, map[bool]string{true: "trained", false: "none"}[e.Trained]}
		for _, d := range sides() {
			s := d.of(e.Summary)
			for _, spread := range []retrieval.Spread{s.Recall1, s.S, s.AURC, s.EAURC} {
				row = append(row, e.format(spread))
			}
		}
		rows = append(rows, row)
	}
	return rows, headings
}

// format formats a measure, with the deviation of several runs. A measure that does not exist, such
// as the S of levels in which no answer is right, is a dash.
func (e Compared) format(s retrieval.Spread) string {
	switch {
	case math.IsNaN(s.Mean):
		return "–"
	case e.Runs > 1:
		return fmt.Sprintf("%s\u202f±\u202f%.3f", retrieval.Decimal(s.Mean, 3), s.SD) // narrow spaces that do not break
	}
	return retrieval.Decimal(s.Mean, 3)
}

// Best returns the method with the smallest AURC among the trained ones or among the others, of
// texts or of images as queries, and whether there is one. NaN is no area.
func (c Comparison) Best(trained, images bool) (best Compared, ok bool) {
	of := sides()[0].of
	if images {
		of = sides()[1].of
	}
	for _, e := range c {
		area := of(e.Summary).AURC.Mean
		if e.Trained == trained && !math.IsNaN(area) && (!ok || area < of(best.Summary).AURC.Mean) {
			best, ok = e, true
		}
	}
	return best, ok
}

// Finding returns a sentence for each direction of retrieval that names the smallest AURC without
// training and the smallest of a trained method, and says which of the two is smaller.
func (c Comparison) Finding() string {
	var lines []string
	for i, d := range sides() {
		plain, any := c.Best(false, i == 1)
		learned, ok := c.Best(true, i == 1)
		if !any || !ok {
			continue
		}
		a, b := d.of(plain.Summary).AURC, d.of(learned.Summary).AURC
		word := "smaller than"
		switch {
		case a.Mean == b.Mean:
			word = "equal to"
		case a.Mean > b.Mean:
			word = "larger than"
		}
		lines = append(lines, fmt.Sprintf("From %s the smallest AURC without training is %s (%s), %s the smallest of a trained method, %s (%s).",
			d.name, plain.format(a), plain.Name, word, learned.format(b), learned.Name))
	}
	return strings.Join(lines, " ")
}

// String formats the comparison as a table.
func (c Comparison) String() string {
	rows, headings := c.Table()
	var text strings.Builder
	fmt.Fprintf(&text, "%-24s %-8s", headings[0], headings[1])
	for _, h := range headings[2:] {
		fmt.Fprintf(&text, " %14s", h)
	}
	text.WriteString("\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "%-24s %-8s", row[0], row[1])
		for _, cell := range row[2:] {
			fmt.Fprintf(&text, " %14s", cell)
		}
		text.WriteString("\n")
	}
	return text.String()
}
