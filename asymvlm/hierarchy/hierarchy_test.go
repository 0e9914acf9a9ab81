package hierarchy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/gaussian"
	"gosphere/internal/testing/golden"
)

// reference returns the chains of the reference material.
func reference(array func(string) []float64) Chains {
	return Chains{
		Levels: 4, Texts: golden.Rows(array("hierarcaps/texts"), 6), Images: golden.Rows(array("hierarcaps/images"), 6),
		RowImages: golden.Integers(array("hierarcaps/image_of")), TextIDs: golden.Integers(array("hierarcaps/text_id")),
		Root: array("hierarcaps/root"),
	}
}

func TestRadiusAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	m, err := reference(array).Radius()
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "thresholds", m.Thresholds, array("hierarcaps/thresholds"), 1e-14)
	golden.Near(t, "precision", m.ImagePrecision, array("hierarcaps/precision"), 1e-15)
	golden.Near(t, "recall", m.ImageRecall, array("hierarcaps/recall"), 1e-15)
	golden.Near(t, "order", m.RowOrder, array("hierarcaps/kendall"), 1e-15)
	golden.Near(t, "summary", []float64{m.Precision, m.Recall, m.Order}, array("hierarcaps/summary"), 1e-15)
	if want := golden.Integers(array("hierarcaps/predicted")); !slices.Equal(m.Predicted, want) {
		t.Errorf("predicted %v, want %v", m.Predicted, want)
	}
}

func TestTraversalAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	chains := reference(array)
	images, texts := golden.Rows(array("traversal/logvar_images"), 6), golden.Rows(array("traversal/logvar_texts"), 6)
	for name, form := range map[string]gaussian.Form{"exact": gaussian.Exact, "printed": gaussian.Official} {
		walk, err := chains.Traverse(form, images, texts)
		if err != nil {
			t.Fatal(err)
		}
		group := "traversal/" + name + "/"
		golden.Near(t, group+"inc", slices.Concat(walk.Inclusion...), array(group+"inc"), 1e-13)
		golden.Near(t, group+"precision", walk.RowPrecision, array(group+"precision"), 1e-15)
		golden.Near(t, group+"recall", walk.RowRecall, array(group+"recall"), 1e-15)
		golden.Near(t, group+"root hit", walk.RowHit, array(group+"root_hit"), 0)
		var starts, roots []int
		for row := range walk.Starts {
			starts = append(starts, chains.TextIDs[walk.Starts[row]])
			roots = append(roots, chains.TextIDs[walk.Roots[row]])
		}
		if !slices.Equal(starts, golden.Integers(array(group+"start"))) || !slices.Equal(roots, golden.Integers(array(group+"root"))) {
			t.Errorf("%s: from %v to %v, want from %v to %v", name, starts, roots, array(group+"start"), array(group+"root"))
		}
	}
}

// ladder returns one chain on the arc from the root to its image, ordered by radius.
func ladder() Chains {
	c := Chains{Levels: 3, Images: [][]float64{{0, 2}}, RowImages: []int{0}, TextIDs: []int{0, 1, 2}, Root: []float64{3, 0}}
	for _, angle := range []float64{0.2, 0.8, 1.4} {
		c.Texts = append(c.Texts, []float64{5 * math.Cos(angle), 5 * math.Sin(angle)})
	}
	return c
}

func TestAChainOnTheArcIsFoundWhole(t *testing.T) {
	m, err := ladder().Radius()
	if err != nil {
		t.Fatal(err)
	}
	if m.Precision != 1 || math.Abs(m.Recall-1) > 1e-15 || m.Order != 1 {
		t.Errorf("metrics %+v", m)
	}
	upside := ladder()
	slices.Reverse(upside.Texts)
	if m, err = upside.Radius(); err != nil || m.Order != -1 {
		t.Errorf("order of a chain upside down %g, want −1 (error %v)", m.Order, err)
	}
	variances := [][]float64{{0, 0}, {-2, -2}, {-4, -4}} // general captions have the larger variances
	walk, err := ladder().Traverse(gaussian.Exact, [][]float64{{-6, -6}}, variances)
	if err != nil {
		t.Fatal(err)
	}
	if walk.Starts[0] != 2 || walk.Precision != 1 || walk.RootHits != 1 {
		t.Errorf("walk %+v", walk)
	}
}

func TestFiguresByLevelAreThoseOfHand(t *testing.T) {
	f, err := ByLevel([]float64{
		9, 5, 1,
		8, 8, 2,
		1, 2, 3,
		4, 4, 4,
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ got, want []float64 }{
		"mean": {f.Mean, []float64{5.5, 4.75, 2.5}}, "median": {f.Median, []float64{6, 4.5, 2.5}},
		"falls": {f.Falls, []float64{0.25, 0.5}}, "chains": {[]float64{f.Chains}, []float64{0.25}},
		// −1, −2/√6, 1 and 0
		"Kendall": {[]float64{f.Kendall}, []float64{-2 / math.Sqrt(6) / 4}},
	} {
		golden.Near(t, name, c.got, c.want, 1e-15)
	}
}

func TestLongerCaptionsAreMoreCertain(t *testing.T) {
	s, err := LengthCorrelation([]int{3, 5, 9, 20}, []float64{0.5, 0.4, 0.3, 0.1})
	if err != nil || math.Abs(s+1) > 1e-15 {
		t.Errorf("correlation %g, want −1 (error %v)", s, err)
	}
}

func TestInclusionRateSeesVariancesOnly(t *testing.T) {
	narrow, wide := gaussian.Diagonal{Mean: []float64{0}, LogVariance: []float64{-3}}, gaussian.Diagonal{Mean: []float64{50}, LogVariance: []float64{0}}
	rate, err := InclusionRate(gaussian.Inclusion{Eps: -10}, []gaussian.Diagonal{narrow, wide, narrow}, []gaussian.Diagonal{wide, narrow, wide})
	if err != nil || math.Abs(rate-2./3) > 1e-15 {
		t.Errorf("rate %g, want 2/3 (error %v)", rate, err)
	}
}

func TestChainsOfTextAreSplitAndNumbered(t *testing.T) {
	parts, err := SplitChain("animal => dog => a dog on a sofa", 3)
	if err != nil || !slices.Equal(parts, []string{"animal", "dog", "a dog on a sofa"}) {
		t.Errorf("parts %q (error %v)", parts, err)
	}
	if got := Identities([]string{"a", "b", "a", "c", "b"}); !slices.Equal(got, []int{0, 1, 0, 2, 1}) {
		t.Errorf("identities %v", got)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	change := func(f func(c *Chains)) error {
		c := ladder()
		f(&c)
		_, err := c.Radius()
		return err
	}
	one := []gaussian.Diagonal{{Mean: []float64{1}, LogVariance: []float64{math.Inf(1)}}}
	cases := []struct {
		err  error
		want string
	}{
		{change(func(c *Chains) { c.TextIDs = nil }), "3 texts and 0 identities"},
		{change(func(c *Chains) { c.RowImages[0] = 1 }), "row 0 has image 1 of 1"},
		{change(func(c *Chains) { c.Texts[1] = []float64{1} }), "text 1 has 1 values, the root 2"},
		{change(func(c *Chains) { c.Images[0] = []float64{0, 0} }), "image 0 has length 0"},
		{change(func(c *Chains) { c.Root[0] = math.NaN() }), "root 0 has length NaN"},
		{second(ladder().Traverse(gaussian.Exact, nil, nil)), "1 images with 0 log variances"},
		{second(ladder().Traverse(gaussian.Exact, [][]float64{{1}}, nil)), "image 0: gaussian: 2 means with 1 log variances"},
		{second(ByLevel([]float64{1, 2, 3}, 2)), "3 values do not form rows of 2"},
		{second(ByLevel([]float64{1, 2, 3, math.NaN()}, 2)), "row 1, level 1 is NaN"},
		{second(LengthCorrelation([]int{1}, []float64{1})), "1 lengths"},
		{second(LengthCorrelation([]int{1, 2}, []float64{1, math.NaN()})), "value 1 is NaN"},
		{second(SplitChain("a => b", 3)), "has 2 levels, want 3"},
		{second(SplitChain("a =>  => b", 3)), "empty level 1"},
		{second(InclusionRate(gaussian.Inclusion{}, nil, nil)), "0 inner"},
		{second(InclusionRate(gaussian.Inclusion{}, one, one)), "pair 0: gaussian: log variance 0 is +Inf"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }

func TestRowsOfLevelsMustShareTheirImage(t *testing.T) {
	if err := CheckRows([]int{4, 4, 0, 0, 4, 4}, 2); err != nil {
		t.Error(err)
	}
	for want, c := range map[string]struct {
		table  []int
		levels int
	}{
		"5 captions do not form rows of 4 levels": {[]int{0, 0, 0, 0, 1}, 4},
		"0 captions do not form rows":             {nil, 4},
		"rows of 1 levels":                        {[]int{0}, 1},
		"captions 3 and 5 should be levels 0 and 2 of one row, but belong to images 1 and 2": {[]int{0, 0, 0, 1, 1, 2}, 3},
	} {
		if err := CheckRows(c.table, c.levels); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
