package adapter

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/retrieval"
)

// Scores are minus the distances of package gaussian, and an evaluation has the recall of those.
// The uncertainties stay.
func TestRankingByDistanceOrdersByTheDistanceOfGaussians(t *testing.T) {
	for _, method := range []string{PFE, PCMEpp, ProLIPFull} {
		a, test := trainedOn(t, method)
		cosine, err := a.Evaluate(test, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := SetRanking(a, RankCSD); err != nil {
			t.Fatal(err)
		}
		scores, err := a.Scores(test)
		texts, err2 := a.TextGaussians(test.Texts)
		images, err3 := a.ImageGaussians(test.Images)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		direct := embedding.NewMatrix(len(images), len(texts))
		for i, image := range images {
			for j, text := range texts {
				want := -gaussian.CSD(image, text)
				direct.Row(i)[j] = float32(want)
				if got := float64(scores.Row(i)[j]); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%s: image %d and text %d have %g, want %g", method, i, j, got, want)
				}
			}
		}
		report, err := a.Evaluate(test, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, err := retrieval.Evaluate(direct, test.CaptionImages, report.TextToImage.Uncertainty, 2)
		if err != nil || want.TextToImage.Recall1 != report.TextToImage.Recall1 || want.ImageToText.Recall1 != report.ImageToText.Recall1 {
			t.Errorf("%s: recall %g and %g, want %g and %g; %v", method, report.TextToImage.Recall1, report.ImageToText.Recall1,
				want.TextToImage.Recall1, want.ImageToText.Recall1, err)
		}
		for i, u := range report.TextToImage.Uncertainty {
			if u != cosine.TextToImage.Uncertainty[i] {
				t.Fatalf("%s: the uncertainty of text %d is %g, was %g", method, i, u, cosine.TextToImage.Uncertainty[i])
			}
		}
		imageRows, textRows, err := VectorsOf(a, test.Images, test.Texts)
		if err != nil || imageRows.Columns != test.Images.Columns+2 || textRows.Rows != test.Texts.Rows {
			t.Errorf("%s: rows of %d columns, %v", method, imageRows.Columns, err)
		}
		if err := SetRanking(a, RankCosine); err != nil {
			t.Fatal(err)
		}
		if again, err := a.Evaluate(test, 2); err != nil || again.TextToImage.Recall1 != cosine.TextToImage.Recall1 {
			t.Errorf("%s: recall by cosine %g, before %g, %v", method, again.TextToImage.Recall1, cosine.TextToImage.Recall1, err)
		}
	}
}

// Candidates with a large variance are far from every query.
func TestRankingByDistanceReadsTheVarianceOfCandidates(t *testing.T) {
	means, logVariances := embedding.NewMatrix(2, 2), embedding.NewMatrix(2, 2)
	copy(means.Values, []float32{1, 0, 0.8, 0.6})
	copy(logVariances.Values, []float32{1, 1, -5, -5})
	rows := distanceRows(0, means, logVariances)
	other := distanceRows(1, means, logVariances)
	dot := func(i, j int) float64 {
		sum := 0.0
		for k, x := range rows.Row(i) {
			sum += float64(x) * float64(other.Row(j)[k])
		}
		return sum
	}
	if !(dot(0, 1) > dot(0, 0)) {
		t.Errorf("the same mean with a large variance has %g, another with a small one %g", dot(0, 0), dot(0, 1))
	}
}

func TestRankingsAreKeptWithTheCheckpointAndRefusedWithoutGaussians(t *testing.T) {
	set, o := smallSet(12, 16), smallOptions(ProLIP)
	o.Ranking, o.Checkpoint = RankCSD, filepath.Join(t.TempDir(), "a.safetensors")
	mustTrain(t, set, o)
	loaded, err := Load(o.Checkpoint)
	if err != nil || loaded.Options().Ranking != RankCSD {
		t.Errorf("ranking %q, %v", loaded.Options().Ranking, err)
	}
	if err := SetRanking(loaded, "distance"); err == nil || !strings.Contains(err.Error(), `ranking "distance", want cosine, likelihood or csd`) {
		t.Errorf("an unknown ranking: %v", err)
	}
	for _, method := range []string{AsymVLMVonMisesFisher, CLIP, BayesVLM, ELIP} {
		o := smallOptions(method)
		o.Ranking = RankCSD
		if err := o.Check(); !errors.Is(err, ErrNoDistance) {
			t.Errorf("%s: %v", method, err)
		}
		if reads := o.Reads("Ranking"); reads != (method == AsymVLMVonMisesFisher) {
			t.Errorf("%s reads the ranking: %t", method, reads)
		}
	}
}

// By cosine, texts are ordered by their direction alone: images to text by a density also reads the
// normalizer. Text to image is the same by both.
func TestDensitiesRankByCosineOnRequest(t *testing.T) {
	for _, method := range []string{AsymVLMVonMisesFisher, ResidualPowerSpherical, SymVLM} {
		a, test := trainedOn(t, method)
		density, err := a.Evaluate(test, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := SetRanking(a, RankCosine); err != nil {
			t.Fatal(err)
		}
		scores, err := a.Scores(test)
		if err != nil {
			t.Fatal(err)
		}
		for i, score := range scores.Values {
			if !(math.Abs(float64(score)) < 1+1e-5) {
				t.Fatalf("%s: score %d is %g, want a cosine", method, i, score)
			}
		}
		report, err := a.Evaluate(test, 2)
		if err != nil {
			t.Fatal(err)
		}
		if method != SymVLM && report.TextToImage.Recall1 != density.TextToImage.Recall1 {
			t.Errorf("%s: text to image has recall %g by cosine, %g by density", method, report.TextToImage.Recall1, density.TextToImage.Recall1)
		}
		imageRows, textRows, err := VectorsOf(a, test.Images, test.Texts)
		if err != nil {
			t.Fatal(err)
		}
		for _, norm := range append(imageRows.Norms(), textRows.Norms()...) {
			if math.Abs(norm-1) > 1e-5 {
				t.Fatalf("%s: a row of norm %g, want 1", method, norm)
			}
		}
		if scale, err := ConfidenceScaleOf(a); err != nil || scale != cosineScale {
			t.Errorf("%s: scale %g, %v", method, scale, err)
		}
	}
}
