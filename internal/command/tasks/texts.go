package tasks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/hierarchy"
	"gosphere/asymvlm/ood"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/laboratory"
)

// uncertainties are those of texts by the runs of one method, which may be an uncertainty without
// training.
type uncertainties struct {
	name string
	runs [][]float64
}

// skipped explains why a method has no row, or returns "" for an error that ends the command.
func skipped(method string, err error) string {
	if errors.Is(err, adapter.ErrNoTextUncertainty) {
		return fmt.Sprintf("%s gives images an uncertainty, not texts.", method)
	}
	return ""
}

// ofTexts returns the uncertainties of the texts of sets: those without training, in the gallery of
// the first set, and those of the adapters. The texts of all sets follow each other.
func ofTexts(sets []*embedding.Set, methods []trainedMethod) (list []uncertainties, notes []string, err error) {
	var queries []*baseline.Queries
	for _, set := range sets {
		q, err := baseline.QueriesOf(&embedding.Set{Name: set.Name, Images: sets[0].Images, Texts: set.Texts, Captions: set.Captions,
			CaptionImages: make([]int, set.Texts.Rows)}, baseline.Scale) // its relevance is not used
		if err != nil {
			return nil, nil, err
		}
		queries = append(queries, q)
	}
	for _, m := range baseline.Methods() {
		u, known := uncertainties{name: string(m), runs: make([][]float64, 1)}, true
		for _, q := range queries {
			texts, _ := q.Uncertainties(m)
			known = known && texts != nil
			u.runs[0] = append(u.runs[0], texts...)
		}
		if known {
			list = append(list, u)
		}
	}
	for _, m := range methods {
		u := uncertainties{name: m.name}
		for _, a := range m.runs {
			var all []float64
			for _, set := range sets {
				texts, err := a.Uncertainty(set.Texts)
				if text := skipped(m.name, err); text != "" {
					notes, u.runs = append(notes, text), nil
					break
				}
				if err != nil {
					return nil, nil, fmt.Errorf("%s: %w", m.name, err)
				}
				all = append(all, texts...)
			}
			if len(all) > 0 {
				u.runs = append(u.runs, all)
			}
		}
		if u.runs != nil {
			list = append(list, u)
		}
	}
	return list, notes, nil
}

// Hierarchy is the subcommand that measures uncertainties along chains of texts.
type Hierarchy struct {
	Dataset    string `help:"Data set whose captions form chains from general to specific, the levels of a chain together, as gosphere embed writes HierarCaps. scenes_generic is built in: 30 chains of four or five sentences that were written apart from its captions." default:"scenes_generic"`
	Embeddings string `help:"Folder of the data sets." default:"embeddings" type:"path"`
	Split      string `help:"Split (default: that for evaluation)."`
	Levels     int    `help:"Number of texts in a chain of a data set that is not built in (default: 4, as in HierarCaps)." placeholder:"N"`
	adapted
}

// Run measures and prints the table.
func (h Hierarchy) Run() error { return h.run(os.Stdout) }

// A chains is a set of texts with the places of the texts of each chain, the most general first.
type chains struct {
	set    *embedding.Set
	places [][]int
	levels string // the number of texts in a chain
}

// read returns the chains of the data set.
func (h Hierarchy) read() (c chains, err error) {
	if h.Dataset == dataset.ScenesGeneric {
		return h.builtIn()
	}
	levels := cmp.Or(h.Levels, 4)
	if c.set, err = laboratory.ReadSet(h.Embeddings, h.Dataset, h.Split); err == nil {
		err = hierarchy.CheckRows(c.set.CaptionImages, levels)
	}
	if err != nil {
		return c, err
	}
	for first := 0; first < c.set.Texts.Rows; first += levels {
		c.add(levels)
	}
	c.levels = fmt.Sprint(levels)
	return c, nil
}

// add adds a chain of the next texts.
func (c *chains) add(levels int) {
	first := 0
	if n := len(c.places); n > 0 {
		first = c.places[n-1][len(c.places[n-1])-1] + 1
	}
	var places []int
	for level := range levels {
		places = append(places, first+level)
	}
	c.places = append(c.places, places)
}

// builtIn returns the chains that belong to the built-in set, with its test scenes as gallery.
func (h Hierarchy) builtIn() (c chains, err error) {
	if h.Levels != 0 || h.Split != "" {
		return c, fmt.Errorf("--levels and --split are for other data sets: the chains of %s are those of the program", h.Dataset)
	}
	sentences, rows, err := embedding.GenericChains()
	if err != nil {
		return c, err
	}
	test, err := laboratory.ReadSet(h.Embeddings, h.Dataset, "")
	if err != nil {
		return c, err
	}
	c.set = &embedding.Set{Name: h.Dataset, Images: test.Images, Texts: rows, CaptionImages: make([]int, rows.Rows)}
	shortest, longest := math.MaxInt, 0
	for _, chain := range sentences {
		c.set.Captions = append(c.set.Captions, chain...)
		c.add(len(chain))
		shortest, longest = min(shortest, len(chain)), max(longest, len(chain))
	}
	c.levels = fmt.Sprintf("%d to %d", shortest, longest)
	return c, nil
}

// A chainFigures is the mean over chains of Kendall's tau, the part of the chains along which a
// measure always falls, and for each level but the last the part in which it falls to the next.
type chainFigures struct {
	tau, always float64
	falls       []float64
}

// figures returns the figures of a measure of all texts, over some chains, which may repeat.
func (c chains) figures(measure []float64, some []int) (f chainFigures, err error) {
	counts := []float64{}
	for _, chain := range some {
		places := c.places[chain]
		one, err := hierarchy.ByLevel(measure[places[0]:places[0]+len(places)], len(places))
		if err != nil {
			return f, err
		}
		f.tau += one.Kendall / float64(len(some))
		f.always += one.Chains
		for level, falls := range one.Falls {
			if level == len(counts) {
				f.falls, counts = append(f.falls, 0), append(counts, 0)
			}
			f.falls[level] += falls
			counts[level]++
		}
	}
	f.always /= float64(len(some))
	for level := range counts {
		f.falls[level] /= counts[level]
	}
	return f, nil
}

func (h Hierarchy) run(stdout io.Writer) error {
	methods, err := h.methods()
	if err != nil {
		return err
	}
	c, err := h.read()
	if err != nil {
		return err
	}
	list, notes, err := ofTexts([]*embedding.Set{c.set}, methods)
	if err != nil {
		return err
	}
	t := &table{Task: fmt.Sprintf("%s: %d chains of %s texts from general to specific.", c.set.Name, len(c.places), c.levels),
		measures: []measure{{"tau", true, 3}, {"falls at every level", false, 3}}, notes: append(notes, intervalNote,
			"tau is Kendall's between level and uncertainty, a mean over the chains: -1 if the uncertainty always falls from general to specific.")}
	for _, u := range list {
		measures, err := h.along(c, u)
		if err != nil {
			return fmt.Errorf("%s: %w", u.name, err)
		}
		t.add(u.name, len(u.runs), measures)
	}
	longest := 0
	for _, places := range c.places {
		longest = max(longest, len(places))
	}
	for level := range longest - 1 {
		t.measures = append(t.measures, measure{fallsTo(level), false, 3})
	}
	return t.write(h.adapted, stdout)
}

// fallsTo is the name of the measure of a level, from 0, and the next one.
func fallsTo(level int) string { return fmt.Sprintf("falls %d to %d", level+1, level+2) }

// along returns the measures of an uncertainty along the chains.
func (h Hierarchy) along(c chains, u uncertainties) (map[string]measured, error) {
	measures, all := map[string]measured{}, make([]int, len(c.places))
	for chain := range all {
		all[chain] = chain
	}
	for name, value := range map[string]func(f chainFigures) float64{
		"tau":                  func(f chainFigures) float64 { return f.tau },
		"falls at every level": func(f chainFigures) float64 { return f.always },
	} {
		var failed error
		m, err := h.over([]retrieval.Groups{each(len(all))}, len(u.runs), func(run int, rows [][]int) float64 {
			f, err := c.figures(u.runs[run], rows[0])
			if err != nil {
				failed = err
			}
			return value(f)
		})
		if err = errors.Join(failed, err); err != nil {
			return nil, err
		}
		measures[name] = m
	}
	for _, run := range u.runs {
		f, err := c.figures(run, all)
		if err != nil {
			return nil, err
		}
		for level, falls := range f.falls {
			measures[fallsTo(level)] = single(measures[fallsTo(level)].Mean + falls/float64(len(u.runs)))
		}
	}
	return measures, nil
}

// OOD is the subcommand that measures how well an uncertainty finds queries of another kind.
type OOD struct {
	Dataset    string `help:"Data set of the ordinary texts. Its images are the gallery of uncertainties without training." default:"scenes_minilm"`
	Strange    string `help:"Data set of the texts of another kind, embedded by the same encoder, as NAME or NAME/SPLIT." required:"" placeholder:"NAME[/SPLIT]"`
	Embeddings string `help:"Folder of the data sets." default:"embeddings" type:"path"`
	Split      string `help:"Split of the ordinary texts (default: that for evaluation)."`
	adapted
}

// Run measures and prints the table.
func (o OOD) Run() error { return o.run(os.Stdout) }

func (o OOD) run(stdout io.Writer) error {
	methods, err := o.methods()
	if err != nil {
		return err
	}
	ordinary, err := laboratory.ReadSet(o.Embeddings, o.Dataset, o.Split)
	if err != nil {
		return err
	}
	name, split, _ := strings.Cut(o.Strange, "/")
	strange, err := laboratory.ReadSet(o.Embeddings, name, split)
	if err != nil {
		return err
	}
	if ordinary.Name == strange.Name {
		return fmt.Errorf("--strange %s is the set of the ordinary texts: name another one, or another split", o.Strange)
	}
	if a, b := ordinary.Texts.Columns, strange.Texts.Columns; a != b {
		return fmt.Errorf("texts of %s have %d columns, those of %s %d: want embeddings of one encoder", ordinary.Name, a, strange.Name, b)
	}
	list, notes, err := ofTexts([]*embedding.Set{ordinary, strange}, methods)
	if err != nil {
		return err
	}
	n := ordinary.Texts.Rows
	groups, err := retrieval.GroupsOf(ordinary.CaptionImages)
	if err != nil {
		return err
	}
	t := &table{Task: fmt.Sprintf("%d texts of %s against %d of %s.", strange.Texts.Rows, strange.Name, n, ordinary.Name),
		measures: []measure{{"AUROC", false, 3}, {"AUPR", false, 3}, {"FPR95", true, 3}},
		notes: append(notes, intervalNote+" Captions of an image are drawn together.",
			"max-cosine, margin and entropy search in the images of "+ordinary.Name+", which has an image of each of its texts and none of the others.",
			"AUROC is the probability that a text of another kind has a larger uncertainty; 0.5 is chance. FPR95 is the part of the ordinary texts that are flagged where 95 % of the others are.")}
	for _, u := range list {
		measures := map[string]measured{}
		for name, value := range map[string]func(d *ood.Detection) float64{
			"AUROC": func(d *ood.Detection) float64 { return d.AUROC },
			"AUPR":  func(d *ood.Detection) float64 { return d.AUPR },
			"FPR95": func(d *ood.Detection) float64 { return d.FPR95 },
		} {
			m, err := o.over([]retrieval.Groups{groups, each(strange.Texts.Rows)}, len(u.runs), func(run int, rows [][]int) float64 {
				d, err := ood.Detect(picked(u.runs[run][:n], rows[0]), picked(u.runs[run][n:], rows[1]))
				if err != nil {
					return math.NaN() // which Stratified reports
				}
				return value(d)
			})
			if err != nil {
				return fmt.Errorf("%s: %w", u.name, err)
			}
			measures[name] = m
		}
		t.add(u.name, len(u.runs), measures)
	}
	return t.write(o.adapted, stdout)
}

// picked returns the values at some indices.
func picked(values []float64, rows []int) []float64 {
	list := make([]float64, len(rows))
	for i, row := range rows {
		list[i] = values[row]
	}
	return list
}
