package baseline_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

func TestLogSumExpIsThatByHand(t *testing.T) {
	q, err := baseline.QueriesOf(hand(), 2)
	if err != nil {
		t.Fatal(err)
	}
	cos := func(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
	lse := func(a, b, c float64) float64 {
		return -math.Log(math.Exp(2*cos(a)) + math.Exp(2*cos(b)) + math.Exp(2*cos(c)))
	}
	texts, images := q.Uncertainties(baseline.LogSumExp)
	for i, want := range []float64{lse(10, 80, 170), lse(80, 10, 100), lse(170, 80, 10)} {
		if math.Abs(texts[i]-want) > 1e-6 {
			t.Errorf("text %d: %v, want %v", i, texts[i], want)
		}
	}
	for i, want := range []float64{lse(10, 80, 170), lse(80, 10, 80), lse(170, 100, 10)} {
		if math.Abs(images[i]-want) > 1e-6 {
			t.Errorf("image %d: %v, want %v", i, images[i], want)
		}
	}
}

// report returns a report of the three texts of hand with the given uncertainties, in which the
// first image is found only if hit.
func report(t *testing.T, hit bool, u ...float64) *retrieval.Report {
	t.Helper()
	scores := embedding.NewMatrix(3, 3)
	for i := range 3 {
		scores.Row(i)[i] = 1
	}
	if !hit {
		scores.Row(1)[0] = 2
	}
	r, err := retrieval.Evaluate(scores, []int{0, 1, 2}, u, 3)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestComparisonsNameTheSmallestAreas(t *testing.T) {
	// Text 0 fails: the area is 1/9 if it is last, and (1 + 1/2 + 1/3)/3 if it is first.
	last, first := report(t, false, 3, 1, 2), report(t, false, 1, 2, 3)
	c, err := baseline.Compare(hand(), 3, baseline.Trained{Name: "good", Reports: []*retrieval.Report{last}},
		baseline.Trained{Name: "both", Reports: []*retrieval.Report{last, first}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range c {
		names = append(names, e.Name)
	}
	if want := "norm max-cosine margin entropy caption-length log-sum-exp good both"; strings.Join(names, " ") != want {
		t.Errorf("methods %q, want %q", names, want)
	}
	good, ok := c.Best(true, false)
	if !ok || good.Name != "good" || math.Abs(good.TextToImage.AURC.Mean-1.0/9) > 1e-9 {
		t.Errorf("the best trained method is %+v", good)
	}
	if both := c[len(c)-1]; math.Abs(both.TextToImage.AURC.Mean-(1.0/9+11.0/18)/2) > 1e-9 || both.Runs != 2 {
		t.Errorf("two seeds have the area %v", both.TextToImage.AURC)
	}
	// Without training no answer is wrong.
	if want := "From text to image the smallest AURC without training is 0.000 (norm), smaller than the smallest of a trained method, 0.111 (good)."; !strings.HasPrefix(c.Finding(), want) {
		t.Errorf("finding %q, want %q", c.Finding(), want)
	}
	rows, headings := c.Table()
	for _, row := range rows {
		if len(row) != len(headings) {
			t.Errorf("row %v has %d cells for %d headings", row, len(row), len(headings))
		}
	}
	if cell := rows[7][4]; cell != "0.361\u202f±\u202f0.250" {
		t.Errorf("two seeds have the AURC %q", cell)
	}
	if text := c.String(); strings.Count(text, "\n") != 9 || !strings.Contains(text, "log-sum-exp") {
		t.Errorf("a table is\n%s", text)
	}
	shifted := embedding.NewMatrix(3, 3) // no answer is right
	for i := range 3 {
		shifted.Row(i)[(i+1)%3] = 1
	}
	none, err := retrieval.Evaluate(shifted, []int{0, 1, 2}, []float64{1, 2, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	undefined, err := baseline.Compare(hand(), 3, baseline.Trained{Name: "wrong", Reports: []*retrieval.Report{none}})
	if err != nil {
		t.Fatal(err)
	}
	if rows, _ := undefined.Table(); rows[6][3] != "–" {
		t.Errorf("without right answers S is %q", rows[6][3])
	}
	if alone, err := baseline.Compare(hand(), 3); err != nil || alone.Finding() != "" {
		t.Errorf("a comparison without trained methods: %v, %q", err, alone.Finding())
	}
	other := hand()
	other.Texts, other.CaptionImages, other.Captions = other.Texts.RowRange(0, 2), []int{0, 1}, nil
	for want, of := range map[string]baseline.Trained{
		"want a name and at least one": {Name: "none"},
		`method "" of 1 reports`:       {Reports: []*retrieval.Report{last}},
	} {
		if _, err := baseline.Compare(hand(), 3, of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := baseline.Compare(other, 2, baseline.Trained{Name: "x", Reports: []*retrieval.Report{last}}); err == nil || !strings.Contains(err.Error(), "x was measured on 3 texts, the set has 2") {
		t.Errorf("reports of another set: %v", err)
	}
}

func TestChoicesAmongClassesAreThoseByHand(t *testing.T) {
	scores := embedding.NewMatrix(3, 2)
	copy(scores.Values, []float32{0.75, 0.25, 0.5, 0.25, 0.125, 0})
	choices, err := baseline.Classify(scores, []int{0, 1, -1}, []float64{2, 3, 1}, 4)
	if err != nil {
		t.Fatal(err)
	}
	// Only the first query is right. It is the most certain one, except by the norm.
	want := map[string]float64{"norm": (1 + 1.0/2 + 2.0/3) / 3, "max-cosine": (0 + 1.0/2 + 2.0/3) / 3, "margin": (0 + 1.0/2 + 2.0/3) / 3,
		"entropy": (0 + 1.0/2 + 2.0/3) / 3, "log-sum-exp": (0 + 1.0/2 + 2.0/3) / 3}
	for _, c := range choices {
		if !slices.Equal(c.Hits, []bool{true, false, false}) || math.Abs(c.Accuracy-1.0/3) > 1e-12 || math.Abs(c.AURC-want[c.Name]) > 1e-9 {
			t.Errorf("%s: %+v, want the area %v", c.Name, c, want[c.Name])
		}
	}
	if len(choices) != len(want) {
		t.Errorf("%d choices, want %d", len(choices), len(want))
	}
	if got := choices[4].Uncertainty[0]; math.Abs(got+math.Log(math.Exp(3)+math.Exp(1))) > 1e-6 {
		t.Errorf("log-sum-exp %v", got)
	}
	if choices, err = baseline.Classify(scores, []int{0, 1, -1}, nil, 4); err != nil || len(choices) != 4 {
		t.Errorf("without norms: %d choices, %v", len(choices), err)
	}
	for want, labels := range map[string][]int{"3 rows of scores, 2 labels": {0, 1}, "label 2 of query 1, want −1 … 1": {0, 2, 1}, "label -2": {0, -2, 1}} {
		if _, err := baseline.Classify(scores, labels, nil, 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := baseline.Classify(scores, []int{0, 1, 0}, []float64{1, 2, math.NaN()}, 4); err == nil {
		t.Error("a norm that is NaN is no error")
	}
}
