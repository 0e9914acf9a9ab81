package laboratory

import (
	"iter"
	"slices"
	"strings"
	"testing"
)

// blanksJoined yields the lines of a text with runs of blanks collapsed.
func blanksJoined(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !yield(strings.Join(strings.Fields(line), " ")) {
				return
			}
		}
	}
}

func TestTableShowsTheTablesOfThePapers(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		want      []string
	}{
		{[]string{"--paper", "ELIP", "--number", "4"}, []string{
			"Table 4 of ELIP, as printed.\n",
			"data method I→T R@1 T→I R@1 I*→T R@1",
			"MS-COCO ELIP w/o TA 76.6 60.1 63.8 51.0 68.0 51.5 55.6 42.3 18.5 19.7\n"}},
		{[]string{"--paper", "ELIP", "--number", "6"}, []string{
			"data method setting R@1 R@5 R@10 mean\n",
			"MS-COCO BLIP I*→T shot 70.1 88.2 82.8* 83.7\n",
			"* BLIP I*→T shot R@10: below R@5; the mean beside it gives 92.8, Table 7 92.9.\n",
			"* CLIP T→I* speckle R@1, R@5, R@10, mean: the number of the other direction again"}},
		{[]string{"--paper", "ProLIP", "--number", "c.3"}, []string{"Table c.3 of ProLIP", "PCME++ [UNC] 0.1 – 0.0354 0.0347"}},
		{[]string{"--paper", "ProLIP", "--number", "Figure C.4"}, []string{"Figure C.4 of ProLIP"}},
		{[]string{"--paper", "AsymVLM", "--number", "A.2"}, []string{"encoder trained on measured on", "0.392 ± 0.001"}},
		{[]string{"--paper", "AsymVLM", "--number", "1"}, []string{
			"method i2t R@1 i2t R2 i2t S t2i R@1 t2i R2 t2i S\n", "MS-COCO MS-COCO asymvlm-vmf 0.561 0.948 -0.988 0.392 0.984 -1.000\n",
			"exchanges the headings of the two directions"}},
		{[]string{"--paper", "AsymVLM", "--number", "2"}, []string{"a photo asymvlm-vmf 0.857 0.587", "with deviations, in table A.5"}},
		{[]string{"--paper", "AsymVLM", "--number", "3"}, []string{"clip 0.642"}},
		{[]string{"--paper", "AsymVLM", "--number", "a.1"}, []string{"method optimizer learning rate batch size", "probvlm AdamW 0.0001 2048",
			"pcmepp SGD* 0.0005 2048", "* pcmepp optimizer: the paper's program has AdamW.\n"}},
		{[]string{"--paper", "AsymVLM", "--number", "A.5", "--format", "markdown"}, []string{"| encoder |", "| clip-margin |"}},
		{[]string{"--paper", "ELIP", "--number", "5", "--format", "latex"}, []string{`\begin{tabular}{lrrrrrrr}`, `I$\to$T`}},
		{[]string{"--paper", "ProLIP", "--number", "C.5", "--format", "csv"}, []string{"data,method,setting,measure,value,erratum\n", `DataComp suite,ProLIP 1.28B,"ε = −20, c = 1000",ImageNet,67.6,`}},
	} {
		text, err := table(t, t.TempDir(), c.arguments...)
		if err != nil {
			t.Errorf("%v: %v", c.arguments, err)
		}
		text = strings.Join(slices.Collect(blanksJoined(text)), "\n")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %q is missing in\n%s", c.arguments, want, text)
			}
		}
	}
}

func TestTablesThatNoPaperHasAreNamedWithThoseThatThereAre(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"--paper", "ELIP", "--number", "9"}, `no table "9" of ELIP; there are 1, 2, 3, 4, 5, 6, 7, Figure 5`},
		{[]string{"--paper", "ProLIP", "--number", "C.1"}, `no table "C.1" of ProLIP; there are 1, 2, 3, C.2`},
		{[]string{"--paper", "AsymVLM", "--number", "4"}, `no table "4" of AsymVLM; there are 1, 2, 3, A.1, A.2, A.3, A.4, A.5`},
		{[]string{"--paper", "ELIP"}, "such as --paper ELIP --number 4"},
		{[]string{"--number", "4"}, "such as --paper ELIP --number 4"},
	} {
		if _, err := table(t, t.TempDir(), c.arguments...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s", c.arguments, err, c.want)
		}
	}
}

func TestTablesAreListedByTheirNumbers(t *testing.T) {
	names := []string{"Figure C.4", "C.10", "10", "Figure 5", "C.9", "2", "A.1", "1"}
	slices.SortFunc(names, byNumber)
	if want := []string{"1", "2", "10", "A.1", "C.9", "C.10", "Figure 5", "Figure C.4"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// Every number of a table is in its grid, in every layout.
func TestGridsOfPapersLoseNoNumber(t *testing.T) {
	for paper, tables := range map[string][]string{
		"AsymVLM": {"1", "2", "3", "A.2", "A.3", "A.4", "A.5"},
		"ELIP":    {"1", "2", "3", "4", "5", "6", "7", "Figure 5"},
		"ProLIP":  {"1", "2", "3", "C.2", "C.3", "C.4", "C.5", "C.6", "C.7", "C.8", "C.9", "Figure C.4"},
	} {
		for _, name := range tables {
			words, numbers, err := printedNumbers(paper, name)
			if err != nil {
				t.Error(err)
				continue
			}
			g := printedGrid(words, numbers)
			filled := 0
			for _, row := range g.rows {
				if len(row) != len(g.header) {
					t.Errorf("%s, table %s: a line of %d cells, %d columns", paper, name, len(row), len(g.header))
				}
				for _, cell := range row {
					if first := strings.TrimLeft(cell, "-"); first != "" && first[0] >= '0' && first[0] <= '9' && !strings.Contains(cell, " prompts") {
						filled++
					}
				}
			}
			if filled != len(numbers) {
				t.Errorf("%s, table %s: %d numbers in the grid, %d in the table", paper, name, filled, len(numbers))
			}
		}
	}
}
