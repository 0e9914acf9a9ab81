package published

import (
	"math"
	"strings"
	"testing"
)

func TestTablesOfTheOtherPapersAreComplete(t *testing.T) {
	// ELIP: seven methods and ten settings of three recalls; four of table 2's six rows have
	// fifteen numbers and one row lacks its last; five models and ten columns; five models, two
	// directions of three recalls; six damages of four models with eight numbers; six methods and
	// fourteen columns. ProLIP: rows of five means in tables 1, C.2, C.4 and C.5; five rows of
	// three; seven strategies; eight rows of four without three dashes; five encoders with seven
	// numbers; seven filters of three; five occlusions and five attacks of two.
	for _, c := range []struct {
		paper, table string
		want         int
	}{{ELIP, "1", 210}, {ELIP, "2", 89}, {ELIP, "3", 210}, {ELIP, "4", 50}, {ELIP, "5", 30}, {ELIP, "6", 192}, {ELIP, "7", 70}, {ELIP, "Figure 5", 2},
		{ProLIP, "1", 20}, {ProLIP, "2", 15}, {ProLIP, "3", 7},
		{ProLIP, "C.2", 10}, {ProLIP, "C.3", 29}, {ProLIP, "C.4", 20}, {ProLIP, "C.5", 35}, {ProLIP, "C.6", 35}, {ProLIP, "C.9", 10},
		{ProLIP, "C.7", 21}, {ProLIP, "C.8", 10}, {ProLIP, "Figure C.4", 2}} {
		if got := len(Cells(Cell{Paper: c.paper, Table: c.table})); got != c.want {
			t.Errorf("%s, table %s: %d numbers, want %d", c.paper, c.table, got, c.want)
		}
	}
	if got, all := len(Cells(Cell{Paper: ELIP}))+len(Cells(Cell{Paper: ProLIP})), len(Cells(Cell{})); got != all {
		t.Errorf("%d numbers, of them %d of a paper", all, got)
	}
}

func TestEveryNumberIsThereOnce(t *testing.T) {
	for _, c := range Cells(Cell{}) {
		if _, err := CellOf(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		high := 100.0
		if c.Measure == "RSUM" || c.Table == "C.6" { // a sum of six recalls, sizes and seconds
			high = 600
		}
		if c.Value < 0 || c.Value > high {
			t.Errorf("%+v: outside 0 to %g", c, high)
		}
	}
}

// cell returns a printed number of ELIP.
func cell(t *testing.T, table, method, setting, measure string) Cell {
	t.Helper()
	c, err := CellOf(Cell{Paper: ELIP, Table: table, Method: method, Setting: setting, Measure: measure})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// MMI is the mean loss over the three damaged settings relative to the clean recall, so it follows
// from the recalls of a row up to rounding. The test checks 84 numbers of tables 1 and 3 against
// 336 others.
func TestMMIFollowsFromTheRecallsOfItsRow(t *testing.T) {
	methods := map[string][]string{
		"1": {"CLIP zero-shot", "BLIP zero-shot", "ALBEF", "BLIP", "CLIP-ensemble", "ELIP", "ELIP+"},
		"3": {"CLIP zero-shot", "BLIP zero-shot", "ALBEF", "BLIP", "ELIP w/o EV", "ELIP", "ELIP+"},
	}
	checked, marked := 0, 0
	for table, rows := range methods {
		for _, method := range rows {
			for mmi, settings := range map[string][]string{"MMI t2i": {"T→I", "T→I*", "T*→I", "T*→I*"}, "MMI i2t": {"I→T", "I*→T", "I→T*", "I*→T*"}} {
				for _, k := range []string{"R@1", "R@5", "R@10"} {
					clean, mean := cell(t, table, method, settings[0], k).Value, 0.0
					for _, setting := range settings[1:] {
						mean += cell(t, table, method, setting, k).Value / 3
					}
					printed, want := cell(t, table, method, mmi, k), 100*(clean-mean)/clean
					checked++
					// Three recalls with one decimal, their mean and the clean one: 0.05·2/clean
					// plus the rounding of the result.
					fits := math.Abs(printed.Value-want) <= 0.05+100*0.1/clean
					if (printed.Erratum == "") != fits {
						t.Errorf("table %s, %s, %s %s: printed %g, the recalls give %.2f, erratum %q", table, method, mmi, k, printed.Value, want, printed.Erratum)
					}
					if printed.Erratum != "" {
						marked++
					}
				}
			}
		}
	}
	if checked != 84 || marked != 2 {
		t.Errorf("%d numbers checked, %d marked", checked, marked)
	}
}

func TestCopiedCellsOfTheFineTunedRowAreMarked(t *testing.T) {
	for _, pair := range [][2]string{{"T*→I", "T→I"}, {"T*→I*", "T→I*"}, {"I→T*", "I→T"}, {"I*→T*", "I*→T"}} {
		for _, k := range []string{"R@1", "R@5", "R@10"} {
			copied, original := cell(t, "3", "BLIP", pair[0], k), cell(t, "3", "BLIP zero-shot", pair[1], k)
			if copied.Value != original.Value || copied.Erratum == "" {
				t.Errorf("%s %s: %g beside %g, erratum %q", pair[0], k, copied.Value, original.Value, copied.Erratum)
			}
		}
	}
}

func TestSumsOfTableSevenFollowFromItsCells(t *testing.T) {
	kinds := []string{"shot", "impulse", "speckle", "defocus", "pixelate", "zoom", "snow", "JPEG", "keyboard", "sr", "formal"}
	for _, method := range []string{"CLIP zero-shot", "CLIP", "ALBEF", "BLIP", "ELIP"} {
		mean := 0.0
		for _, kind := range kinds {
			mean += cell(t, "7", method, kind, "RSUM").Value / float64(len(kinds))
		}
		if got := cell(t, "7", method, "mean of OOD", "RSUM").Value; math.Abs(got-mean) > 0.1 {
			t.Errorf("%s: mean of OOD %g, the cells give %.2f", method, got, mean)
		}
		clean, mmi := cell(t, "7", method, "clean", "RSUM").Value, cell(t, "7", method, "MMI", "MMI").Value
		if want := 100 * (clean - mean) / clean; math.Abs(mmi-want) > 0.11 {
			t.Errorf("%s: MMI %g, the cells give %.2f", method, mmi, want)
		}
	}
	if speckle := cell(t, "7", "ALBEF", "speckle", "RSUM"); !strings.Contains(speckle.Erratum, "475.7") {
		t.Errorf("speckle of ALBEF: %+v", speckle)
	}
}

func TestUniformWeightsOfFigureC4AreThoseOfAnotherNumberOfPrompts(t *testing.T) {
	weight, err := CellOf(Cell{Paper: ProLIP, Table: "Figure C.4", Measure: "weight"})
	entropy, err2 := CellOf(Cell{Paper: ProLIP, Table: "Figure C.4", Measure: "entropy"})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if math.Abs(weight.Value-1.0/1000) > 1e-9 || math.Abs(entropy.Value-math.Log(1000)) > 1e-4 || weight.Erratum == "" || entropy.Erratum == "" {
		t.Errorf("%+v, %+v", weight, entropy)
	}
}

func TestNumbersThatAreNotPrintedAreAnError(t *testing.T) {
	for want, c := range map[string]Cell{
		"0 numbers of ELIP, table 1":      {Paper: ELIP, Table: "1", Method: "PFE"},
		"210 numbers of ELIP, table 1":    {Paper: ELIP, Table: "1"},
		`method "", setting "T→T"`:        {Paper: ELIP, Table: "1", Setting: "T→T"},
		"0 numbers of AsymVLM, table A.2": {Paper: "AsymVLM", Table: "A.2"},
	} {
		if _, err := CellOf(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
