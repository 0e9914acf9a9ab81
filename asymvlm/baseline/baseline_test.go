package baseline_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// The numbers were computed in numpy from the built-in data, apart from this package.
func TestBaselinesOfBuiltInSetsAreThoseOfNumpy(t *testing.T) {
	for name, want := range map[string]map[baseline.Method]float64{
		"scenes_minilm":    {baseline.Norm: 0.004, baseline.MaxCosine: 0.722, baseline.Margin: 0.983, baseline.Entropy: 0.987},
		"world":            {baseline.Norm: -0.016, baseline.MaxCosine: 0.927, baseline.Margin: 0.932, baseline.Entropy: 0.934},
		"world_elliptical": {baseline.Norm: -0.017, baseline.MaxCosine: 0.785, baseline.Margin: 0.787, baseline.Entropy: 0.775},
	} {
		data, err := dataset.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := baseline.Evaluate(data.Test, 10)
		if err != nil {
			t.Fatal(err)
		}
		recall, err := adapter.BaselineOf(data.Test)
		if err != nil {
			t.Fatal(err)
		}
		for method, value := range want {
			row, ok := rows.Of(method)
			if got := row.Report.TextToImage.MinusSR2; !ok || math.Abs(got-value) > 0.0006 {
				t.Errorf("%s, %s: −SR² %.4f, want %.3f", name, method, got, value)
			}
			if row.Report.TextToImage.Recall1 != recall.TextToImage || row.Report.ImageToText.Recall1 != recall.ImageToText {
				t.Errorf("%s, %s: the recall is not that of the embeddings", name, method)
			}
		}
		if _, ok := rows.Of(baseline.CaptionLength); ok != (data.Test.Captions != nil) {
			t.Errorf("%s: caption-length is there: %t", name, ok)
		}
	}
}

// hand is a set of two dimensions whose cosines are easy to compute: images at 0, 90 and 180
// degrees; texts at 10, 80 and 170 degrees of lengths 1, 2 and 3.
func hand() *embedding.Set {
	at := func(degrees, length float64) []float32 {
		a := degrees * math.Pi / 180
		return []float32{float32(length * math.Cos(a)), float32(length * math.Sin(a))}
	}
	set := &embedding.Set{Name: "hand", Images: embedding.NewMatrix(3, 2), Texts: embedding.NewMatrix(3, 2), CaptionImages: []int{0, 1, 2},
		Captions: []string{"dog", "ein Müller", "a cat sleeps"}}
	for i, degrees := range []float64{0, 90, 180} {
		copy(set.Images.Row(i), at(degrees, 5+float64(i)))
	}
	for i, degrees := range []float64{10, 80, 170} {
		copy(set.Texts.Row(i), at(degrees, 1+float64(i)))
	}
	return set
}

func TestUncertaintiesOfASmallSetAreThoseByHand(t *testing.T) {
	q, err := baseline.QueriesOf(hand(), 2)
	if err != nil {
		t.Fatal(err)
	}
	cos := func(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
	entropy := func(logits ...float64) float64 {
		sum, h := 0.0, 0.0
		for _, l := range logits {
			sum += math.Exp(l)
		}
		for _, l := range logits {
			h -= math.Exp(l) / sum * math.Log(math.Exp(l)/sum)
		}
		return h
	}
	h := entropy(2*cos(10), 2*cos(80), 2*cos(170))
	margin := cos(80) - cos(10)
	for method, want := range map[baseline.Method][2][]float64{
		baseline.Norm:          {{-1, -2, -3}, {-5, -6, -7}},
		baseline.MaxCosine:     {{-cos(10), -cos(10), -cos(10)}, {-cos(10), -cos(10), -cos(10)}},
		baseline.Margin:        {{margin, margin, margin}, {margin, margin, cos(100) - cos(10)}},
		baseline.CaptionLength: {{-3, -10, -12}, {-3, -10, -12}},
		baseline.Entropy:       {{h, entropy(2*cos(80), 2*cos(10), 2*cos(100)), h}, nil},
	} {
		texts, images := q.Uncertainties(method)
		for side, got := range [][]float64{texts, images} {
			for i, x := range want[side] {
				if math.Abs(got[i]-x) > 1e-6 {
					t.Errorf("%s, side %d: %v, want %v", method, side, got, want[side])
					break
				}
			}
		}
	}
}

func TestBaselinesOfFoldsArePooled(t *testing.T) {
	data, err := dataset.Open("world")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := baseline.EvaluateFolds(data.Test, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	options, err := adapter.PaperOptions(adapter.CLIP)
	if err != nil {
		t.Fatal(err)
	}
	clip, err := adapter.CrossValidate(t.Context(), data.Test, options, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	norm, _ := rows.Of(baseline.Norm)
	if len(rows) != 4 || !slices.Equal(norm.Report.TextToImage.Levels, clip.TextToImage.Levels) || norm.Report.TextToImage.AURC != clip.TextToImage.AURC {
		t.Errorf("%d rows; the norm of texts in folds is %v, clip %v", len(rows), norm.Report.TextToImage.Levels, clip.TextToImage.Levels)
	}
	best := rows.TextToImage()
	for _, row := range rows {
		if row.Report.TextToImage.AURC < best.Report.TextToImage.AURC {
			t.Errorf("%s is better than the best", row.Method)
		}
	}
	if text := rows.String(); strings.Count(text, "\n") != 6 || !strings.Contains(text, "max-cosine") {
		t.Errorf("a table is\n%s", text)
	}
}

// A set in files has the baselines of the same set in memory.
func TestBaselinesOfFilesAreThoseOfMemory(t *testing.T) {
	set := hand()
	stored := *set
	stored.StoredImages, stored.StoredTexts = embedding.InMemory(set.Images), embedding.InMemory(set.Texts)
	stored.Images, stored.Texts = embedding.Matrix{Rows: 3, Columns: 2}, embedding.Matrix{Rows: 3, Columns: 2}
	want, err := baseline.Evaluate(set, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := baseline.Evaluate(&stored, 3)
	if err != nil || got.String() != want.String() {
		t.Errorf("%v; files give\n%v\nmemory\n%v", err, got, want)
	}
}

func TestBaselinesOfInvalidSetsAreErrors(t *testing.T) {
	zero := hand()
	clear(zero.Texts.Row(1))
	for want, evaluate := range map[string]func() error{
		"levels": func() error { _, err := baseline.Evaluate(hand(), 4); return err },
		"scale":  func() error { _, err := baseline.EvaluateAt(hand(), 3, -1); return err },
		"row":    func() error { _, err := baseline.Evaluate(zero, 3); return err },
	} {
		if err := evaluate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	var none *retrieval.Report
	if row, ok := (baseline.Rows{}).Of(baseline.Norm); ok || row.Report != none {
		t.Error("no rows have a row")
	}
}

// An image without a text competes with the others and is no query.
func TestDistractorsAreNoQueries(t *testing.T) {
	set := hand()
	images := embedding.NewMatrix(4, 2)
	copy(images.Values, set.Images.Values)
	copy(images.Row(3), []float32{1, 0.05})
	set.Images = images
	q, err := baseline.QueriesOf(set, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range baseline.Methods() {
		if texts, images := q.Uncertainties(m); len(texts) != 3 || len(images) != 3 {
			t.Errorf("%s: %d texts and %d images are queries, want 3 and 3", m, len(texts), len(images))
		}
	}
	rows, err := baseline.Evaluate(set, 3)
	if err != nil || rows.TextToImage().Report.TextToImage.Recall1 > 0.7 {
		t.Errorf("%v; the distractor is not in the gallery:\n%v", err, rows)
	}
}
