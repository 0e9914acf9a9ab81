package retrieval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/calibration"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// randomOutcomes returns queries that hit less often the more uncertain they are, with many equal
// uncertainties.
func randomOutcomes(n int, seed uint64) (hits []bool, uncertainty []float64) {
	source := rand.New(rand.NewPCG(seed, 1))
	for range n {
		u := float64(source.IntN(n / 3))
		hits, uncertainty = append(hits, source.Float64() > u/float64(n)*2), append(uncertainty, u)
	}
	return hits, uncertainty
}

// The measures of a draw equal those of RecallByLevel on the drawn queries themselves. Equal
// uncertainties keep the order of the queries, so the rows are sorted.
func TestOutcomesMeasureDrawsAsRecallByLevelDoes(t *testing.T) {
	hits, uncertainty := randomOutcomes(203, 1)
	o, err := retrieval.NewOutcomes(hits, uncertainty, 10)
	if err != nil || o.Queries() != 203 {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		rows := make([]int, 150+source.IntN(100))
		for i := range rows {
			rows[i] = source.IntN(203)
		}
		slices.Sort(rows)
		var drawnHits []bool
		var drawn []float64
		for _, row := range rows {
			drawnHits, drawn = append(drawnHits, hits[row]), append(drawn, uncertainty[row])
		}
		recall, _, err := retrieval.RecallByLevel(drawnHits, drawn, 10)
		if err != nil {
			t.Fatal(err)
		}
		levels := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		s, r2 := o.Shape(rows)
		if math.Abs(s-retrieval.Spearman(levels, recall)) > 1e-12 || math.Abs(r2-retrieval.R2(levels, recall)) > 1e-12 {
			t.Fatalf("S %g and R2 %g, want those of %v", s, r2, recall)
		}
		curve, err := calibration.RiskCoverage(drawnHits, drawn)
		if err != nil {
			t.Fatal(err)
		}
		if aurc := o.AURC(rows); math.Abs(aurc-curve.AURC) > 1e-12 {
			t.Fatalf("AURC %g, want %g", aurc, curve.AURC)
		}
	}
	if s, _ := o.Shape([]int{1, 2, 3}); !math.IsNaN(s) {
		t.Errorf("S of 3 queries in 10 levels is %g", s)
	}
	if aurc := o.AURC(nil); !math.IsNaN(aurc) {
		t.Errorf("AURC of no queries is %g", aurc)
	}
	if _, err := retrieval.NewOutcomes(hits, uncertainty[1:], 10); err == nil {
		t.Error("202 uncertainties of 203 queries")
	}
}

// If all queries of a group are equal, a group carries the information of one query, so the
// interval is wider by the square root of the group size.
func TestIntervalsOfGroupsAreAsWideAsTheirCorrelationWants(t *testing.T) {
	const images, captions = 400, 5
	var hits []bool
	var groupOf []int
	for i := range images * captions {
		hits, groupOf = append(hits, i/captions%2 == 0), append(groupOf, i/captions)
	}
	groups, err := retrieval.GroupsOf(groupOf)
	if err != nil || len(groups) != images || !slices.Equal(groups[1], []int{5, 6, 7, 8, 9}) {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
	b := retrieval.Bootstrap{Draws: 4000}
	recall := func(rows []int) float64 {
		sum := 0.0
		for _, row := range rows {
			if hits[row] {
				sum++
			}
		}
		return sum / float64(len(rows))
	}
	grouped, err := b.Grouped(groups, recall)
	if err != nil {
		t.Fatal(err)
	}
	half := 1.959964 * math.Sqrt(0.25/images)
	if grouped.Estimate != 0.5 || math.Abs(grouped.High-grouped.Low-2*half) > 0.006 {
		t.Errorf("%v, want 0.5 ± %.4f", grouped, half)
	}
	single, _ := b.Recall(hits)
	if ratio := (grouped.High - grouped.Low) / (single.High - single.Low); math.Abs(ratio-math.Sqrt(captions)) > 0.15 {
		t.Errorf("wider by %.3f, want the root of %d", ratio, captions)
	}
	if sums := groups.Sums(make([]float64, len(hits))); len(sums) != images || sums[3] != 0 {
		t.Errorf("sums %v", sums)
	}
	if _, err := retrieval.GroupsOf([]int{0, -1}); err == nil || !strings.Contains(err.Error(), "query 1 is of group -1") {
		t.Errorf("a negative group: %v", err)
	}
}

// Holm's procedure for the p values 0.01, 0.04, 0.03 and 0.005: they are multiplied by 4, 3, 2 and
// 1 in increasing order, and never fall.
func TestHolmAdjustsInRisingOrder(t *testing.T) {
	got := retrieval.Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	want := []float64{0.03, 0.06, math.NaN(), 0.06, 0.02}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if one := retrieval.Holm([]float64{0.7, 0.9}); one[0] != 1 || one[1] != 1 {
		t.Errorf("%v, want 1 and 1", one)
	}
}

func TestReportsHoldTheHitsOfEveryQuery(t *testing.T) {
	images, texts := embedding.NewMatrix(6, 4), embedding.NewMatrix(18, 4)
	source := rand.New(rand.NewPCG(3, 3))
	for _, m := range []embedding.Matrix{images, texts} {
		for i := range m.Values {
			m.Values[i] = float32(source.NormFloat64())
		}
	}
	scores, captionImages, uncertainty := embedding.NewMatrix(6, 18), make([]int, 18), make([]float64, 18)
	for text := range 18 {
		captionImages[text], uncertainty[text] = text/3, source.Float64()
		for image := range 6 {
			scores.Row(image)[text] = images.Row(image)[0] * texts.Row(text)[0]
		}
	}
	report, err := retrieval.Evaluate(scores, captionImages, uncertainty, 3)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]retrieval.Direction{"texts": report.TextToImage, "images": report.ImageToText} {
		if len(d.Hits) != len(d.Uncertainty) {
			t.Fatalf("%s: %d hits of %d queries", name, len(d.Hits), len(d.Uncertainty))
		}
		count := 0.0
		for _, hit := range d.Hits {
			if hit {
				count++
			}
		}
		if count/float64(len(d.Hits)) != d.Recall1 {
			t.Errorf("%s: %g hits of %d, recall %g", name, count, len(d.Hits), d.Recall1)
		}
	}
}

// A mean over two independent sets of one size has the interval of a single set divided by √2. A
// single set has the interval of Grouped, bit for bit.
func TestSetsAreDrawnEachByItself(t *testing.T) {
	hits, groups := make([][]bool, 2), make([]retrieval.Groups, 2)
	for set := range hits {
		hits[set], _ = randomOutcomes(900, uint64(set)+3)
		for query := range hits[set] {
			groups[set] = append(groups[set], []int{query})
		}
	}
	part := func(set int, rows []int) float64 {
		sum := 0.0
		for _, row := range rows {
			if hits[set][row] {
				sum++
			}
		}
		return sum / float64(len(rows))
	}
	b := retrieval.Bootstrap{Draws: 4000}
	one, err := b.Grouped(groups[0], func(rows []int) float64 { return part(0, rows) })
	if err != nil {
		t.Fatal(err)
	}
	same, err := b.Stratified(groups[:1], func(rows [][]int) float64 { return part(0, rows[0]) })
	if err != nil || same != one {
		t.Errorf("one set: %v, %v, want %v", same, err, one)
	}
	both, err := b.Stratified(groups, func(rows [][]int) float64 { return (part(0, rows[0]) + part(1, rows[1])) / 2 })
	if ratio := (both.High - both.Low) / (one.High - one.Low); err != nil || math.Abs(ratio-math.Sqrt(0.5)) > 0.05 {
		t.Errorf("two sets: %v, %v, %.3f times as wide as that of one", both, err, ratio)
	}
	if _, err := b.Stratified(nil, func([][]int) float64 { return 0 }); err == nil || !strings.Contains(err.Error(), "no test set") {
		t.Errorf("no set: %v", err)
	}
}
