package retrieval

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// gallery returns random scores with many ties, a table in which each image has a text, and
// uncertainties.
func gallery(images, texts int, seed uint64) (embedding.Matrix, []int, []float64) {
	random := rand.New(rand.NewPCG(seed, 5))
	scores := embedding.NewMatrix(images, texts)
	for i := range scores.Values {
		scores.Values[i] = float32(random.IntN(6))
	}
	table, uncertainty := make([]int, texts), make([]float64, texts)
	for text := range table {
		table[text] = text % images
		if text >= images {
			table[text] = random.IntN(images)
		}
		scores.Values[table[text]*texts+text] += 3
		uncertainty[text] = random.Float64()
	}
	return scores, table, uncertainty
}

// bySorting ranks the items of a query by sorting them by decreasing score, then by index.
func bySorting(scores []float32) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	return order
}

func TestRankingAgreesWithSorting(t *testing.T) {
	// 600 images are three blocks, the last one short.
	for _, c := range []struct{ images, texts int }{{2, 2}, {3, 40}, {30, 31}, {600, 650}} {
		scores, table, _ := gallery(c.images, c.texts, uint64(c.images))
		ranking, err := Rank(FromMatrix(scores), table)
		if err != nil {
			t.Fatal(err)
		}
		for image := range c.images {
			checkList(t, &ranking.ImageToText, image, bySorting(scores.Row(image)), func(text int) bool { return table[text] == image })
		}
		for text := range c.texts {
			column := make([]float32, c.images)
			for image := range column {
				column[image] = scores.At(image, text)
			}
			checkList(t, &ranking.TextToImage, text, bySorting(column), func(image int) bool { return table[text] == image })
		}
	}
}

// checkList compares a query's list with the complete order.
func checkList(t *testing.T, r *Ranked, query int, order []int, correct func(int) bool) {
	t.Helper()
	if want := min(10, len(order)); r.Depth != want {
		t.Fatalf("lists of length %d, want %d", r.Depth, want)
	}
	first := -1
	for place, item := range order[:r.Depth] {
		if int(r.Items[query*r.Depth+place]) != item {
			t.Fatalf("query %d: list %v, want %v", query, r.Items[query*r.Depth:(query+1)*r.Depth], order[:r.Depth])
		}
		if first < 0 && correct(item) {
			first = place
		}
	}
	if r.First[query] != first {
		t.Errorf("query %d: first correct item at %d, want %d", query, r.First[query], first)
	}
}

// blocks serves the scores of a matrix and records how they are read.
type blocks struct {
	embedding.Matrix
	largest, next int
	failAt        int
}

func (b *blocks) Size() (int, int) { return b.Rows, b.Columns }

func (b *blocks) ReadRows(dst embedding.Matrix, from int) error {
	if b.failAt > 0 && from >= b.failAt {
		return errors.New("device lost")
	}
	if from != b.next || dst.Columns != b.Columns {
		return errors.New("rows asked for out of order")
	}
	b.next, b.largest = from+dst.Rows, max(b.largest, dst.Rows)
	copy(dst.Values, b.RowRange(from, from+dst.Rows).Values)
	return nil
}

func TestBlocksGiveTheSameReportAsTheMatrix(t *testing.T) {
	scores, table, uncertainty := gallery(700, 900, 3)
	whole, err := Evaluate(scores, table, uncertainty, 10)
	if err != nil {
		t.Fatal(err)
	}
	source := &blocks{Matrix: scores}
	parts, err := EvaluateBlocks(source, table, uncertainty, 10)
	if err != nil {
		t.Fatal(err)
	}
	if whole.String() != parts.String() || !slices.Equal(whole.TextToImage.Top, parts.TextToImage.Top) {
		t.Errorf("reports differ:\n%v\n%v", whole, parts)
	}
	if source.next != 700 || source.largest > blockRows {
		t.Errorf("%d rows read, %d at a time", source.next, source.largest)
	}
	_, err = EvaluateBlocks(&blocks{Matrix: scores, failAt: blockRows}, table, uncertainty, 10)
	if err == nil || !strings.Contains(err.Error(), "device lost") {
		t.Errorf("error %v, want that of the source", err)
	}
}

func TestPerfectScoresGivePerfectRecall(t *testing.T) {
	const n = 40
	scores, table, uncertainty := embedding.NewMatrix(n, n), make([]int, n), make([]float64, n)
	for i := range n {
		scores.Set(i, i, 1)
		table[i], uncertainty[i] = i, float64(i)
	}
	report, err := Evaluate(scores, table, uncertainty, 10)
	if err != nil {
		t.Fatal(err)
	}
	if report.RSUM() != 600 || report.TextToImage.Average != 1 {
		t.Errorf("RSUM %g, average %g", report.RSUM(), report.TextToImage.Average)
	}
	// All levels have the same recall, so there is no correlation.
	if d := report.TextToImage; !math.IsNaN(d.S) || !math.IsNaN(d.R2) || !math.IsNaN(d.MinusSR2) {
		t.Errorf("S %g, R² %g, −SR² %g, want NaN", d.S, d.R2, d.MinusSR2)
	}
}

func TestSpearmanOfRecallLists(t *testing.T) {
	falling := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	near(t, "falling", Spearman(indices(10), falling), -1)
	near(t, "R² of a straight fall", R2(indices(10), falling), 1)
	swapped := slices.Clone(falling)
	swapped[4], swapped[5] = swapped[5], swapped[4]
	near(t, "one adjacent swap", Spearman(indices(10), swapped), -1+12./990)
	if got := Ranks([]float64{5, 1, 5, 5, 0}); !slices.Equal(got, []float64{4, 2, 4, 4, 1}) {
		t.Errorf("ranks %v", got)
	}
	if got := Spearman([]float64{1, 2}, []float64{3, 3}); !math.IsNaN(got) {
		t.Errorf("correlation with a constant %g", got)
	}
	// The squares of 1e-200 underflow, but the correlation is still defined.
	near(t, "tiny values", Spearman([]float64{1e-200, 2e-200, 3e-200}, []float64{1, 2, 3}), 1)
}

func TestLevelsDropTheMostUncertainRemainder(t *testing.T) {
	const n = 25014 // COCO's captions: ten levels of 2,501, and 4 are dropped
	hits, uncertainty := make([]bool, n), make([]float64, n)
	for i := range uncertainty {
		uncertainty[i] = float64((i * 7919) % n) // a permutation: 7919 is prime to n
		hits[i] = uncertainty[i] >= 25010        // exactly the dropped queries
	}
	recall, meanUncertainty, err := RecallByLevel(hits, uncertainty, 10)
	if err != nil {
		t.Fatal(err)
	}
	for level := range recall {
		if recall[level] != 0 {
			t.Errorf("level %d holds a query that should be dropped", level)
		}
		near(t, "mean uncertainty", meanUncertainty[level], float64(level)*2501+1250)
	}
}

func TestEqualUncertaintiesKeepTheirOrder(t *testing.T) {
	hits := []bool{true, false, false, true, true, false}
	recall, _, err := RecallByLevel(hits, []float64{1, 1, 1, 1, 1, 0}, 3)
	if err != nil {
		t.Fatal(err)
	}
	// Order 5, 0 | 1, 2 | 3, 4.
	if !slices.Equal(recall, []float64{0.5, 0, 1}) {
		t.Errorf("recalls %v", recall)
	}
}

func TestImagesTakeTheUncertaintyOfTheCaptionTheyRetrieve(t *testing.T) {
	scores := matrix(2, 3, []float64{0, 1, 5, 3, 2, 1})
	report, err := Evaluate(scores, []int{1, 0, 0}, []float64{0.1, 0.2, 0.3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.ImageToText.Uncertainty; !slices.Equal(got, []float64{0.3, 0.1}) {
		t.Errorf("uncertainties of images %v", got)
	}
	ranking, err := Rank(FromMatrix(scores), []int{1, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	mirrored, err := ranking.ReportImages([]float64{7, 8}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := mirrored.TextToImage.Uncertainty; !slices.Equal(got, []float64{8, 8, 7}) {
		t.Errorf("uncertainties of texts %v", got)
	}
	if mirrored.ImageToText.Uncertainty[1] != 8 || mirrored.ImageToText.Recall1 != report.ImageToText.Recall1 {
		t.Errorf("image queries %+v", mirrored.ImageToText)
	}
}

func TestDamagedInputsAreRefused(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		damage func(scores *embedding.Matrix, table *[]int, uncertainty *[]float64, levels *int)
		want   string
	}{
		{"NaN score", func(s *embedding.Matrix, _ *[]int, _ *[]float64, _ *int) { s.Set(3, 5, float32(nan)) }, "score of image 3 and text 5 is NaN"},
		{"NaN uncertainty", func(_ *embedding.Matrix, _ *[]int, u *[]float64, _ *int) { (*u)[4] = nan }, "uncertainty of query 4 is NaN"},
		{"table length", func(_ *embedding.Matrix, c *[]int, _ *[]float64, _ *int) { *c = (*c)[1:] }, "29 entries for 30 texts"},
		{"table range", func(_ *embedding.Matrix, c *[]int, _ *[]float64, _ *int) { (*c)[2] = 20 }, "text 2 belongs to image 20"},
		{"one image with texts", func(_ *embedding.Matrix, c *[]int, _ *[]float64, _ *int) {
			for i := range *c {
				(*c)[i] = 0
			}
		}, "1 queries leave 5 levels empty"},
		{"uncertainty length", func(_ *embedding.Matrix, _ *[]int, u *[]float64, _ *int) { *u = (*u)[1:] }, "29 uncertainties for 30 texts"},
		{"one level", func(_ *embedding.Matrix, _ *[]int, _ *[]float64, l *int) { *l = 1 }, "1 levels"},
		{"empty levels", func(_ *embedding.Matrix, _ *[]int, _ *[]float64, l *int) { *l = 25 }, "20 queries leave 25 levels empty"},
		{"no image", func(s *embedding.Matrix, _ *[]int, _ *[]float64, _ *int) { *s = embedding.Matrix{Columns: 30} }, "gallery of 0 images"},
		{"no values", func(s *embedding.Matrix, _ *[]int, _ *[]float64, _ *int) { s.Values = s.Values[1:] }, "20×30 scores have 599 values"},
	} {
		scores, table, uncertainty := gallery(20, 30, 1)
		levels := 5
		c.damage(&scores, &table, &uncertainty, &levels)
		_, err := Evaluate(scores, table, uncertainty, levels)
		if err == nil || !strings.HasPrefix(err.Error(), "retrieval: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	ranking, err := Rank(FromMatrix(matrix(2, 2, []float64{1, 0, 0, 1})), []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ranking.ReportImages(nil, 2); err == nil {
		t.Error("missing uncertainties of images are accepted")
	}
	if _, _, err := RecallByLevel([]bool{true}, nil, 2); err == nil {
		t.Error("missing uncertainties are accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("Recall@3 of lists of length 2 does not panic")
		}
	}()
	ranking.TextToImage.Recall(3)
}

func TestInfiniteScoresAreOrdered(t *testing.T) {
	inf := math.Inf(1)
	ranking, err := Rank(FromMatrix(matrix(2, 2, []float64{-inf, inf, -inf, -inf})), []int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	if ranking.TextToImage.Top(0) != 0 || ranking.TextToImage.Top(1) != 0 || ranking.ImageToText.Top(1) != 0 {
		t.Errorf("ranking %+v", ranking)
	}
}

func TestCosinesRankByDirection(t *testing.T) {
	images, texts := matrix(2, 5, []float64{2, 0, 0, 0, 0, 0, 0, 0, 0, 9}), matrix(2, 5, []float64{1, 0, 0, 0, 1e-3, 0, 0, 1, 0, 50})
	scores, err := Cosines(images, texts)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Whole(scores)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1 / math.Sqrt(1+1e-6), 0, 1e-3 / math.Sqrt(1+1e-6), 50 / math.Sqrt(2501)} {
		if got := float64(whole.Values[i]); math.Abs(got-want) > 1e-7 {
			t.Errorf("cosine %d is %g, want %g", i, got, want)
		}
	}
	if _, err := Cosines(images, matrix(1, 2, []float64{1, 2})); err == nil || !strings.Contains(err.Error(), "images have 5 columns, texts 2") {
		t.Errorf("error %v", err)
	}
	if _, err := Cosines(embedding.NewMatrix(1, 5), texts); err == nil || !strings.Contains(err.Error(), "images") {
		t.Errorf("error %v", err)
	}
	if _, err := Cosines(images, embedding.NewMatrix(1, 5)); err == nil || !strings.Contains(err.Error(), "texts") {
		t.Errorf("error %v", err)
	}
	if _, err := Whole(&blocks{Matrix: whole, next: 1}); err == nil {
		t.Error("Whole hides the error of its source")
	}
}

// The note of the data set reports R@1 0.584, S −0.09 and R² 0.03 for cosines, with the length of
// the caption as certainty.
func TestCosineOnScenesHasTheFiguresOfTheirNote(t *testing.T) {
	_, test, err := embedding.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	scores, err := Cosines(test.Images, test.Texts)
	if err != nil {
		t.Fatal(err)
	}
	uncertainty := test.Texts.Norms()
	for i := range uncertainty {
		uncertainty[i] = -uncertainty[i]
	}
	report, err := EvaluateBlocks(scores, test.CaptionImages, uncertainty, 10)
	if err != nil {
		t.Fatal(err)
	}
	d := report.TextToImage
	// The levels are nearly equal here, so that one more hit in a level of 200 moves S by steps of
	// 12/990.
	for name, c := range map[string][3]float64{"R@1": {d.Recall1, 0.584, 0.001}, "S": {d.S, -0.09, 0.04}, "R²": {d.R2, 0.03, 0.01}} {
		if math.Abs(c[0]-c[1]) > c[2] {
			t.Errorf("%s %.4f, the note says %g", name, c[0], c[1])
		}
	}
}

func TestSummaryAveragesEveryMeasureOverRuns(t *testing.T) {
	var reports []*Report
	for seed := range uint64(3) {
		scores, table, uncertainty := gallery(50, 80, seed)
		report, err := Evaluate(scores, table, uncertainty, 5)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, report)
	}
	summary, err := Summarize(reports)
	if err != nil {
		t.Fatal(err)
	}
	mean, squares := 0.0, 0.0
	for _, r := range reports {
		mean += r.TextToImage.Levels[2] / 3
		squares += r.TextToImage.Levels[2] * r.TextToImage.Levels[2] / 3
	}
	near(t, "mean of level 2", summary.TextToImage.Levels[2].Mean, mean)
	near(t, "population sd of level 2", summary.TextToImage.Levels[2].SD, math.Sqrt(squares-mean*mean))
	if summary.Runs != 3 || len(summary.ImageToText.Levels) != 5 || summary.RSUM.Mean <= 0 {
		t.Errorf("summary %+v", summary)
	}
	if got := (Spread{0.98765, 0.01}).String(); got != "0.988 ± 0.010" {
		t.Errorf("spread prints as %q", got)
	}
	if _, err := Summarize(nil); err == nil {
		t.Error("no runs are summarized")
	}
	reports[2].TextToImage.Levels = reports[2].TextToImage.Levels[1:]
	if _, err := Summarize(reports); err == nil || !strings.Contains(err.Error(), "run 2 has 4 levels") {
		t.Errorf("error %v", err)
	}
}

func TestImpactOfShiftNeedsRecalls(t *testing.T) {
	if _, err := MMI(0, []float64{1}); err == nil {
		t.Error("a recall of 0 is divided by")
	}
	if _, err := MMI(0.5, nil); err == nil {
		t.Error("no shift has an impact")
	}
	if got, err := MMI(0.5, []float64{0.5, 0.25}); err != nil || got != 0.25 {
		t.Errorf("MMI %g, %v", got, err)
	}
}

func BenchmarkEvaluate1000x5000(b *testing.B) {
	scores, table, uncertainty := gallery(1000, 5000, 1)
	for b.Loop() {
		if _, err := Evaluate(scores, table, uncertainty, 10); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLevelCorrelationHasTheSquareR2(t *testing.T) {
	if c := LevelCorrelation([]float64{0.9, 0.7, 0.5, 0.3}); math.Abs(c+1) > 1e-15 {
		t.Errorf("correlation %g of an even fall, want -1", c)
	}
	recalls := []float64{0.5, 0.7, 0.2, 0.3, 0.1}
	c := LevelCorrelation(recalls)
	if r2 := R2([]float64{1, 2, 3, 4, 5}, recalls); math.Abs(c*c-r2) > 1e-15 || c > 0 {
		t.Errorf("correlation %g, R² %g", c, r2)
	}
	if c := LevelCorrelation([]float64{0.5, 0.5}); !math.IsNaN(c) {
		t.Errorf("correlation %g of equal recalls", c)
	}
}

func TestZerosHaveNoSign(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{math.Copysign(0, -1), 4, "0.0000"}, {-1e-5, 4, "0.0000"}, {-6e-5, 4, "-0.0001"}, {0.86, 3, "0.860"}, {-0.0004, 3, "0.000"},
		{-0.4, 0, "0"}, {-1.5, 1, "-1.5"}, {math.NaN(), 3, "NaN"}, {math.Inf(-1), 3, "-Inf"}, {-10, 0, "-10"},
	} {
		if got := Decimal(c.x, c.digits); got != c.want {
			t.Errorf("%g in %d digits is %q, want %q", c.x, c.digits, got, c.want)
		}
	}
	if got := (Spread{Mean: -0.0002, SD: 0.01}).String(); got != "0.000 ± 0.010" {
		t.Errorf("a spread is %q", got)
	}
	r := Report{TextToImage: Direction{MinusSR2: -1e-9, S: math.Copysign(0, -1)}}
	if text := r.String(); strings.Contains(text, "-0.000") || !strings.Contains(text, "   0.000  0.000  0.000  0.0000  0.0000\n") {
		t.Errorf("a report is\n%s", text)
	}
}
