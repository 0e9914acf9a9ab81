package hierarchy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/gaussian"
)

func TestAnImageWithoutRowsIsAnError(t *testing.T) {
	c := ladder()
	c.Images = append(c.Images, []float64{1, 1})
	if _, err := c.Radius(); err == nil || err.Error() != "hierarchy: image 1 is the image of no row" {
		t.Errorf("error %v", err)
	}
	// The walk is computed row by row, and other images do not affect it.
	walk, err := c.Traverse(gaussian.Exact, [][]float64{{0, 0}, {0, 0}}, [][]float64{{0, 0}, {0, 0}, {0, 0}})
	if err != nil || len(walk.Starts) != 1 {
		t.Errorf("walk %+v (error %v)", walk, err)
	}
}

func TestARootOppositeToTheTextIsAnError(t *testing.T) {
	// 0.1 and 0.3 are rounded, so the sum of both directions is not 0 but very small.
	c := Chains{Levels: 2, Images: [][]float64{{0.1, 0.3, 0.7}}, RowImages: []int{0}, TextIDs: []int{0, 1}, Root: []float64{-0.3, -0.9, -2.1},
		Texts: [][]float64{{0.1, 0.3, 0.7}, {0.1, 0.3, 0.7}}}
	variances := [][]float64{{0, 0, 0}, {0, 0, 0}}
	_, err := c.Traverse(gaussian.Exact, variances[:1], variances)
	if err == nil || err.Error() != "hierarchy: row 0: text 0 is opposite to the root" {
		t.Errorf("error %v", err)
	}
}

func TestCaptionsThatAreAllEqualAreOnePrediction(t *testing.T) {
	c := Chains{Levels: 3, Images: [][]float64{{1, 2}}, RowImages: []int{0}, TextIDs: []int{7, 7, 7}, Root: []float64{1, 0},
		Texts: [][]float64{{0, 1}, {0, 1}, {0, 1}}}
	m, err := c.Radius()
	if err != nil {
		t.Fatal(err)
	}
	// Equal radii count as in order, and all 50 equal thresholds predict the same text.
	if m.Precision != 1 || m.Recall != 1 || m.Order != 1 || m.Predicted[0] != 1 {
		t.Errorf("metrics %+v", m)
	}
	walk, err := c.Traverse(gaussian.Exact, [][]float64{{0, 0}}, [][]float64{{0, 0}, {0, 0}, {0, 0}})
	if err != nil || walk.Precision != 1 || walk.Recall != 1 || walk.RootHits != 1 || walk.Starts[0] != 0 {
		t.Errorf("walk %+v (error %v)", walk, err)
	}
}

func TestTextsOfOtherImagesAreWrongPredictions(t *testing.T) {
	c := ladder()
	// The image of a second row, on the far side, lies at the first chain, so that all its
	// predictions are the first row's.
	c.Images, c.RowImages = append(c.Images, []float64{0, 1}), append(c.RowImages, 1)
	for i, angle := range []float64{3.2, 3.9, 4.6} {
		c.Texts, c.TextIDs = append(c.Texts, []float64{math.Cos(angle), math.Sin(angle)}), append(c.TextIDs, 3+i)
	}
	m, err := c.Radius()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.ImagePrecision, []float64{1, 0}) || !slices.Equal(m.ImageRecall, []float64{1, 0}) || m.Recall != 0.5 {
		t.Errorf("precision %v, recall %v", m.ImagePrecision, m.ImageRecall)
	}
}

func TestPartsOfManyRowsAreExact(t *testing.T) {
	var values []float64
	for range 1000 {
		values = append(values, 3, 2, 1)
	}
	f, err := ByLevel(values, 3)
	if err != nil {
		t.Fatal(err)
	}
	if f.Chains != 1 || f.Falls[0] != 1 || f.Falls[1] != 1 || f.Kendall != -1 {
		t.Errorf("%+v", f)
	}
	// Recall over ten levels, all of which are found.
	c := Chains{Levels: 10, Images: [][]float64{{0, 1}}, RowImages: []int{0}, Root: []float64{1, 0}}
	for i := range 10 {
		c.TextIDs = append(c.TextIDs, i)
		c.Texts = append(c.Texts, []float64{math.Cos(0.15 * float64(i)), math.Sin(0.15 * float64(i))})
	}
	m, err := c.Radius()
	if err != nil || m.Recall != 1 {
		t.Errorf("recall %.17g (error %v)", m.Recall, err)
	}
}

func TestFiguresTakeInfiniteUncertainties(t *testing.T) {
	f, err := ByLevel([]float64{math.Inf(1), 2, 1, 4, 3, math.Inf(-1)}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(f.Mean[0], 1) || !math.IsInf(f.Mean[2], -1) || f.Mean[1] != 2.5 || f.Chains != 1 || f.Kendall != -1 {
		t.Errorf("%+v", f)
	}
}

// TestFiguresFollowTheMeasure checks that an increasing function of the measure changes no order,
// and that the negated measure reverses it.
func TestFiguresFollowTheMeasure(t *testing.T) {
	c, _, _ := drawn(4, 30, 4, 3, 2)
	var values, cubed, minus []float64
	for _, v := range c.Texts {
		values, cubed, minus = append(values, v[0]), append(cubed, v[0]*v[0]*v[0]), append(minus, -v[0])
	}
	f, _ := ByLevel(values, 4)
	up, _ := ByLevel(cubed, 4)
	down, _ := ByLevel(minus, 4)
	for level := range 3 {
		if f.Falls[level] != up.Falls[level] || math.Abs(f.Falls[level]+down.Falls[level]-1) > 1e-15 {
			t.Errorf("level %d: falls %g, cubed %g, negative %g", level, f.Falls[level], up.Falls[level], down.Falls[level])
		}
	}
	if f.Kendall != up.Kendall || math.Abs(f.Kendall+down.Kendall) > 1e-15 || math.Abs(f.Mean[1]+down.Mean[1]) > 1e-15 || f.Median[1] != -down.Median[1] {
		t.Errorf("%+v, cubed %+v, negative %+v", f, up, down)
	}
}

func TestCorrelationWithLengthHasAverageRanks(t *testing.T) {
	// Ranks 1.5, 1.5, 3, 4 against 4, 3, 2, 1: −4.5 over √(4.5·5).
	s, err := LengthCorrelation([]int{3, 3, 9, 20}, []float64{0.5, 0.4, 0.3, 0.1})
	if err != nil || math.Abs(s+4.5/math.Sqrt(22.5)) > 1e-15 {
		t.Errorf("correlation %.17g (error %v)", s, err)
	}
	// The start and end tokens of CLIP change nothing.
	if with, _ := LengthCorrelation([]int{5, 5, 11, 22}, []float64{0.5, 0.4, 0.3, 0.1}); with != s {
		t.Errorf("correlation %g with two more tokens, %g without", with, s)
	}
	if s, err := LengthCorrelation([]int{7, 7}, []float64{1, 2}); err != nil || !math.IsNaN(s) {
		t.Errorf("correlation %g of equal lengths, want NaN (error %v)", s, err)
	}
}

func TestWidthsOfVariancesAreChecked(t *testing.T) {
	three := [][]float64{{0, 0}, {0, 0}, {0, 0}}
	narrow, wide := gaussian.Diagonal{Mean: []float64{0}, LogVariance: []float64{0}}, gaussian.Diagonal{Mean: []float64{0, 0}, LogVariance: []float64{0, 0}}
	for want, err := range map[string]error{
		"text 2: gaussian: log variance 1 is NaN": second(ladder().Traverse(gaussian.Exact, three[:1], [][]float64{{0, 0}, {0, 0}, {0, math.NaN()}})),
		"3 texts with 2 log variances":            second(ladder().Traverse(gaussian.Exact, three[:1], three[:2])),
		"text 1: gaussian: 2 means with 3":        second(ladder().Traverse(gaussian.Exact, three[:1], [][]float64{{0, 0}, {0, 0, 0}, {0, 0}})),
		"pair 0 has 1 and 2 values": second(InclusionRate(gaussian.Inclusion{}, []gaussian.Diagonal{narrow},
			[]gaussian.Diagonal{wide})),
		"1 inner against 0 outer": second(InclusionRate(gaussian.Inclusion{}, []gaussian.Diagonal{narrow}, nil)),
		"1 rows of 1 levels":      second(Chains{Levels: 1, Texts: [][]float64{{1}}, TextIDs: []int{0}, RowImages: []int{0}, Root: []float64{1}}.Radius()),
		"0 rows of 4 levels":      second(Chains{Levels: 4}.Radius()),
		"text 0 has length 0": second(Chains{Levels: 2, Texts: [][]float64{{}, {}}, TextIDs: []int{0, 1}, RowImages: []int{0},
			Images: [][]float64{{}}}.Radius()),
		"0 values do not form rows": second(ByLevel(nil, 3)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func FuzzSplitChain(f *testing.F) {
	f.Add("animal => dog => a dog on a sofa", 3)
	f.Add(" => ", 2)
	f.Add("a=>b => c", 2)
	f.Add("", 1)
	f.Fuzz(func(t *testing.T, text string, levels int) {
		parts, err := SplitChain(text, levels)
		if err != nil {
			return
		}
		if len(parts) != levels {
			t.Fatalf("%d parts, want %d", len(parts), levels)
		}
		for level, part := range parts {
			if part == "" || part != strings.TrimSpace(part) || strings.Contains(part, separator) {
				t.Errorf("level %d is %q", level, part)
			}
		}
		if kept := strings.Join(strings.Fields(strings.ReplaceAll(text, separator, " ")), ""); kept != strings.Join(strings.Fields(strings.Join(parts, " ")), "") {
			t.Errorf("%q lost something: %q", text, parts)
		}
	})
}
