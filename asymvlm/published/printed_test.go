package published

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"gosphere/internal/testing/golden"
)

// A reading describes the position of a table in the text of a paper.
type reading struct {
	paper, table string
	begins       string // the line of the table's headings
	names        int    // columns of words before the numbers
}

// readings lists the tables that the texts contain line by line.
var readings = []reading{
	{ELIP, "4", "Method\tI → T\tT → I\tI* → T", 1},
	{ELIP, "5", "Method\tI → T\t\t\tT → I\t\t", 1},
	{ELIP, "6", "Perturb\tMethod\tI* → T", 2},
	{ProLIP, "C.2", "Backbone\t# Samples Seen", 2},
	{ProLIP, "C.3", "Loss\tUnc Arch", 4},
	{ProLIP, "C.4", `$\mathcal{L}_{\mathrm{inc}(v \subset t)}$` + "\t", 2},
	{ProLIP, "C.5", "ε\tc\t", 2},
	{ProLIP, "C.6", "\tViT-B/32\t", 1},
	{ProLIP, "C.9", "Attack\t", 1},
}

// figures matches the numbers of a cell, without signs.
var figures = regexp.MustCompile(`\d+(\.\d+)?`)

// of returns the numbers of the table in a text, from left to right and line by line.
func (r reading) of(text string) (numbers []string) {
	inside := false
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimRight(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, r.begins):
			inside = true
		case inside && len(columns) < 3:
			return numbers
		case inside && !strings.Contains(line, "R@1"):
			for _, column := range columns[r.names:] {
				if !strings.Contains(column, "→") {
					numbers = append(numbers, figures.FindAllString(column, -1)...)
				}
			}
		}
	}
	return numbers
}

// TestEveryNumberIsThatOfThePapersText reads the tables again and compares every digit.
func TestEveryNumberIsThatOfThePapersText(t *testing.T) {
	for paper, name := range map[string]string{ELIP: "papers/elip.md", ProLIP: "papers/prolip.md"} {
		text, err := os.ReadFile(golden.File(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range readings {
			if r.paper != paper {
				continue
			}
			here := Cells(Cell{Paper: paper, Table: r.table})
			there := r.of(string(text))
			if len(here) != len(there) {
				t.Errorf("%s, table %s: %d numbers, the text has %d", paper, r.table, len(here), len(there))
				continue
			}
			for i, c := range here {
				if c.Printed != there[i] {
					t.Errorf("%+v: the text has %s", c, there[i])
				}
			}
		}
	}
}

// value returns a number of any paper.
func value(t *testing.T, want Cell) float64 {
	t.Helper()
	c, err := CellOf(want)
	if err != nil {
		t.Fatal(err)
	}
	return c.Value
}

func TestAblationOfELIPAgreesWithTableOne(t *testing.T) {
	for _, method := range []string{"ELIP w/o A", "ELIP w/o IA", "ELIP w/o TA", "ELIP w/o EV", "ELIP"} {
		for mmi, settings := range map[string][]string{"MMI t2i": {"T→I", "T→I*", "T*→I", "T*→I*"}, "MMI i2t": {"I→T", "I*→T", "I→T*", "I*→T*"}} {
			var recalls []float64
			for _, setting := range settings {
				c := cell(t, "4", method, setting, "R@1")
				recalls = append(recalls, c.Value)
				if method == "ELIP" && c.Value != cell(t, "1", method, setting, "R@1").Value {
					t.Errorf("%s: %g in table 4, another number in table 1", setting, c.Value)
				}
			}
			want := 100 * (recalls[0] - (recalls[1]+recalls[2]+recalls[3])/3) / recalls[0]
			if got := cell(t, "4", method, mmi, "R@1").Value; math.Abs(got-want) > 0.05+100*0.1/recalls[0] {
				t.Errorf("%s: %s %g, the recalls give %.2f", method, mmi, got, want)
			}
		}
	}
}

// Table 6 prints the mean of the six recalls of each kind of damage and table 7 their sum. Both
// must match the recalls up to rounding, unless the number has an erratum.
func TestRecallsOfTableSixHaveTheirMeansAndSums(t *testing.T) {
	marked := 0
	for _, kind := range []string{"shot", "impulse", "defocus", "speckle", "pixelate", "keyboard"} {
		directions := []string{"I*→T", "T→I*"}
		if kind == "keyboard" {
			directions = []string{"I→T*", "T*→I"}
		}
		for _, method := range []string{"CLIP", "ALBEF", "BLIP", "ELIP"} {
			sum, errata, meansFit := 0.0, 0, true
			for _, direction := range directions {
				part := 0.0
				for _, k := range []string{"R@1", "R@5", "R@10"} {
					c := cell(t, "6", method, direction+" "+kind, k)
					part += c.Value
					if c.Erratum != "" {
						errata++
					}
				}
				mean := cell(t, "6", method, direction+" "+kind, "mean").Value
				meansFit = meansFit && math.Abs(mean-part/3) <= 0.1001
				sum += part
			}
			theirs := cell(t, "7", method, kind, "RSUM")
			fits := meansFit && (math.Abs(sum-theirs.Value) <= 0.5 || theirs.Erratum != "")
			if fits != (errata == 0) {
				t.Errorf("%s, %s: sum %.1f, table 7 has %g, means fit: %v, %d numbers marked", method, kind, sum, theirs.Value, meansFit, errata)
			}
			marked += errata
		}
	}
	if marked != 1+3+6 {
		t.Errorf("%d recalls are marked", marked)
	}
	// The row of CLIP below keyboard is that of the untrained model.
	sum := 0.0
	for _, direction := range []string{"I→T*", "T*→I"} {
		for _, k := range []string{"R@1", "R@5", "R@10"} {
			sum += cell(t, "6", "CLIP", direction+" keyboard", k).Value
		}
	}
	if want := cell(t, "7", "CLIP zero-shot", "keyboard", "RSUM").Value; math.Abs(sum-want) > 0.05 {
		t.Errorf("the recalls sum to %.1f, zero-shot CLIP has %g", sum, want)
	}
}

// ProLIP prints several rows twice; they must be equal.
func TestRowsOfProLIPThatStandInTwoTablesAgree(t *testing.T) {
	for _, pair := range [][2]Cell{
		{{Table: "1", Method: "ProLIP 12.8B"}, {Table: "C.2", Method: "ProLIP 12.8B"}},
		{{Table: "1", Method: "ProLIP 1.28B"}, {Table: "C.5", Setting: "ε = −10, c = 10"}},
		{{Table: "C.4", Setting: "v ⊂ t, x ⊂ masked x"}, {Table: "C.5", Setting: "ε = −20, c = 1000"}},
	} {
		for _, measure := range []string{"ImageNet", "IN dist. shifts", "VTAB", "retrieval", "average"} {
			var both [2]float64
			for i, c := range pair {
				c.Paper, c.Measure = ProLIP, measure
				both[i] = value(t, c)
			}
			if both[0] != both[1] {
				t.Errorf("%s: %g in table %s, %g in table %s", measure, both[0], pair[0].Table, both[1], pair[1].Table)
			}
		}
	}
	if a, b := value(t, Cell{Paper: ProLIP, Table: "1", Method: "ProLIP 12.8B", Measure: "ImageNet"}), value(t, Cell{Paper: ProLIP, Table: "3", Setting: "80 prompts"}); a != b {
		t.Errorf("ImageNet: %g in table 1, %g in table 3", a, b)
	}
}

// Claims of the text about tables C.3, C.6 and C.9.
func TestClaimsOfProLIPsTextHoldInItsTables(t *testing.T) {
	variance := func(setting, measure string) float64 {
		return value(t, Cell{Paper: ProLIP, Table: "C.3", Method: "ProLIP", Setting: setting, Measure: "mean " + measure + " variance"})
	}
	for setting, imagesInTexts := range map[string]bool{"[UNC]": false, "[UNC], v ⊂ t": true, "[UNC], x ⊂ masked x": false, "[UNC], v ⊂ t, x ⊂ masked x": true} {
		if got := variance(setting, "image") < variance(setting, "text"); got != imagesInTexts {
			t.Errorf("%s: images are more certain: %v", setting, got)
		}
	}
	for _, encoder := range []string{"ViT-B/32", "ViT-B/16", "ViT-B/16-768", "ViT-L/16", "ViT-L/14"} {
		seconds := func(method string) float64 {
			return value(t, Cell{Paper: ProLIP, Table: "C.6", Method: method, Setting: encoder, Measure: "seconds for 50,000 images"})
		}
		if !(seconds("deterministic") < seconds("[UNC]") && seconds("[UNC]") < seconds("multi-head")) {
			t.Errorf("%s: %g, %g, %g seconds", encoder, seconds("deterministic"), seconds("[UNC]"), seconds("multi-head"))
		}
	}
	last := math.Inf(1)
	for _, c := range Cells(Cell{Paper: ProLIP, Table: "C.9", Measure: "accuracy"}) {
		if c.Value >= last {
			t.Errorf("%s: accuracy %g after %g", c.Setting, c.Value, last)
		}
		last = c.Value
	}
}
