package adapter

import (
	"context"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/testing/golden"
)

// Galleries are scored in blocks of 512 images; 530 images are two blocks.
func TestScoresInBlocksAreTheScoresAsAWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("trains every method")
	}
	set := smallSet(530, 8)
	for _, method := range Methods() {
		options := smallOptions(method)
		options.Epochs = passes(method, 1)
		if IsOnePass(method) {
			options.Batch = 100
		}
		a := mustTrain(t, set, options)
		scores, err := a.Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		g, err := a.galleryOf(set)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := retrieval.Whole(g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(scores.Values, blocks.Values) {
			t.Errorf("%s: scores differ", method)
		}
		report, err := a.Evaluate(set, 5)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := retrieval.Rank(retrieval.FromMatrix(scores), set.CaptionImages)
		if err != nil {
			t.Fatal(err)
		}
		if report.TextToImage.Recall5 != whole.TextToImage.Recall(5) || report.ImageToText.Recall1 != whole.ImageToText.Recall(1) {
			t.Errorf("%s: recalls %g and %g, want %g and %g", method, report.TextToImage.Recall5, report.ImageToText.Recall1,
				whole.TextToImage.Recall(5), whole.ImageToText.Recall(1))
		}
		deep, err := a.Ranking(set, 40)
		if err != nil {
			t.Fatal(err)
		}
		if deep.ImageToText.Depth != 40 || deep.TextToImage.Recall(10) != whole.TextToImage.Recall(10) {
			t.Errorf("%s: a ranking of depth %d", method, deep.ImageToText.Depth)
		}
	}
}

// The evidence of ELIP is a sum over the gallery, here over two blocks.
func TestEvidenceIsThatOfTheWholeGallery(t *testing.T) {
	set := smallSet(300, 8)
	options := smallOptions(ELIP)
	options.Epochs = 1
	a := mustTrain(t, set, options)
	report, err := a.Evaluate(set, 5)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := a.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []int{0, 7, 899} {
		sum := 0.0
		for image := range 300 {
			sum += math.Exp(math.Min(float64(scores.At(image, text)), 20))
		}
		if want := 300 / (300 + sum); math.Abs(report.TextToImage.Uncertainty[text]-want) > 1e-9*want {
			t.Errorf("text %d: uncertainty %g, want M/S = %g", text, report.TextToImage.Uncertainty[text], want)
		}
	}
}

// A gallery of COCO's size; its complete score matrix would take 500 MB.
func TestEvaluationOfALargeGalleryTakesTheMemoryOfABlock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	large := smallSet(5000, 8)
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Epochs = 1
	a := mustTrain(t, smallSet(40, 8), options)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := a.Evaluate(large, 10); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 64 {
		t.Errorf("%d MB allocated for 5,000 × 15,000 scores", taken)
	}
}

// inner returns the inner products of embeddings as stored.
func inner(set *embedding.Set) retrieval.Scores {
	scores := embedding.NewMatrix(set.Images.Rows, set.Texts.Rows)
	for i := range scores.Rows {
		for j := range scores.Columns {
			sum := 0.0
			for k, value := range set.Images.Row(i) {
				sum += float64(value) * float64(set.Texts.At(j, k))
			}
			scores.Set(i, j, float32(sum))
		}
	}
	return retrieval.FromMatrix(scores)
}

// The recalls of CLIP ViT-B/16 on 500 pairs of COCO, from published embeddings. The known figures
// use the inner products as stored. The stored norms are 1 only within three parts in ten thousand,
// and with cosines the image of one of the 500 texts is at rank 5 instead of 6.
func TestZeroShotRecallsOfCOCOAreReproduced(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	set, err := embedding.ReadPairs(golden.File(t, "data/coco500_clip_vitb16/features_clip.npy"))
	if err != nil {
		t.Fatal(err)
	}
	options, err := PaperOptions(CLIP)
	if err != nil {
		t.Fatal(err)
	}
	report, err := mustTrain(t, set, options).Evaluate(set, 10)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := retrieval.EvaluateBlocks(inner(set), set.CaptionImages, make([]float64, 500), 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  retrieval.Direction
		want [3]float64
	}{
		{"text to image, as stored", stored.TextToImage, [3]float64{0.506, 0.764, 0.862}},
		{"image to text, as stored", stored.ImageToText, [3]float64{0.552, 0.808, 0.892}},
		{"text to image, cosines", report.TextToImage, [3]float64{0.506, 0.766, 0.862}},
		{"image to text, cosines", report.ImageToText, [3]float64{0.552, 0.808, 0.892}},
	} {
		for i, got := range []float64{c.got.Recall1, c.got.Recall5, c.got.Recall10} {
			if math.Abs(got-c.want[i]) > 1e-9 {
				t.Errorf("%s: recall %g, want %g", c.name, got, c.want[i])
			}
		}
	}
	// The same encoder before training: chance, a recall of 1 in 500.
	untrained, err := embedding.ReadPairs(golden.File(t, "data/coco500_clip_vitb16/features_clip_random.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if report, err = mustTrain(t, untrained, options).Evaluate(untrained, 10); err != nil || report.TextToImage.Recall1 > 0.02 {
		t.Errorf("Recall@1 %g of an untrained encoder, %v", report.TextToImage.Recall1, err)
	}
}

// Cross-validation of CLIP is the mean of its recalls on the folds, and a trained adapter has not
// seen the images of its fold.
func TestCrossValidationPoolsTheFolds(t *testing.T) {
	set := smallSet(40, 8)
	clip := smallOptions(CLIP)
	pooled, err := CrossValidate(context.Background(), set, clip, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	_, parts, err := set.Folds(4)
	if err != nil {
		t.Fatal(err)
	}
	var recall float64
	levels := make([]float64, 5)
	for _, part := range parts {
		report, err := mustTrain(t, part, clip).Evaluate(part, 5)
		if err != nil {
			t.Fatal(err)
		}
		recall += report.TextToImage.Recall1 / 4
		for i, value := range report.TextToImage.Levels {
			levels[i] += value / 4
		}
	}
	if math.Abs(pooled.TextToImage.Recall1-recall) > 1e-12 {
		t.Errorf("pooled Recall@1 %g, mean %g", pooled.TextToImage.Recall1, recall)
	}
	for i, want := range levels {
		if math.Abs(pooled.TextToImage.Levels[i]-want) > 1e-12 {
			t.Errorf("level %d: %g, want %g", i, pooled.TextToImage.Levels[i], want)
		}
	}
	if want := retrieval.Spearman([]float64{0, 1, 2, 3, 4}, levels); math.Abs(pooled.TextToImage.S-want) > 1e-12 {
		t.Errorf("S %g, of the mean levels %g", pooled.TextToImage.S, want)
	}
	var sizes []int
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Progress = &watch{advance: func(u Update) error { sizes = append(sizes, u.Steps); return nil }}
	if _, err := CrossValidate(context.Background(), set, options, 4, 5); err != nil {
		t.Fatal(err)
	}
	if sizes[0] != 3*6 { // 90 pairs in batches of 40, six epochs
		t.Errorf("%d steps of a fold", sizes[0])
	}
}

func TestCrossValidationsThatCannotBeAreErrors(t *testing.T) {
	set := smallSet(40, 8)
	for want, c := range map[string]struct {
		change func(*Options)
		folds  int
		levels int
	}{
		"41 folds of 40 images":            {func(*Options) {}, 41, 5},
		"writes no checkpoint":             {func(o *Options) { o.Checkpoint = "a.safetensors" }, 4, 5},
		"fold 1 of 4: adapter: step":       {func(o *Options) { o.LearningRate = 1e6 }, 4, 5},
		"fold 1 of 4: retrieval: 10 quer":  {func(*Options) {}, 4, 11},
		"fold 1 of 4: adapter: method \"x": {func(o *Options) { o.Method = "x" }, 4, 5},
	} {
		options := smallOptions(AsymVLMVonMisesFisher)
		c.change(&options)
		if _, err := CrossValidate(context.Background(), set, options, c.folds, c.levels); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// Every method has a small schedule that its own check accepts; adapters of every method can be
// loaded from their file.
func TestSmallSchedulesAreComplete(t *testing.T) {
	for _, method := range Methods() {
		options, err := SmallOptions(method)
		if err != nil {
			t.Fatal(err)
		}
		if err := options.Check(); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if method == CLIP || IsOnePass(method) {
			continue
		}
		// Adapters of fixed width have no width in the schedule.
		width := options.Reads("Hidden")
		if !strings.HasPrefix(options.Label, "small: ") || strings.Contains(options.Label, "hidden layers of 256") != width ||
			(options.Hidden == 256) != width || options.LearningRate == 0 {
			t.Errorf("%s: %q, %d wide, rate %g", method, options.Label, options.Hidden, options.LearningRate)
		}
		options.Epochs, options.Batch, options.Progress = 1, 40, silent{}
		if width {
			options.Hidden = 16
		}
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		mustTrain(t, smallSet(40, 8), options)
		if loaded, err := Load(options.Checkpoint); err != nil || loaded.Options().Optimizer != options.Optimizer {
			t.Errorf("%s: %v", method, err)
		}
	}
	if _, err := SmallOptions("none"); err == nil {
		t.Error("a small schedule of no method")
	}
}

// With the images' own captions as positives, R@1 of texts equals Recall@1, and an adapter's
// improvement appears in all measures.
func TestAdaptersAreMeasuredByPositives(t *testing.T) {
	set := smallSet(60, 12)
	positives, err := retrieval.OwnCaptions(set.CaptionImages, set.Images.Rows)
	if err != nil {
		t.Fatal(err)
	}
	options := smallOptions(AsymVLMPowerSpherical)
	options.LearningRate = 0.1
	measure := func(epochs int) (texts, images retrieval.PositiveMeasures) {
		options.Epochs = epochs
		ranking, err := mustTrain(t, set, options).Ranking(set, positives.Deepest())
		if err != nil {
			t.Fatal(err)
		}
		if texts, images, err = positives.Measure(ranking); err != nil {
			t.Fatal(err)
		}
		if texts.Recall1 != ranking.TextToImage.Recall(1) || images.Recall1 != ranking.ImageToText.Recall(1) {
			t.Errorf("%d epochs: R@1 %g and %g, the ranking has %g and %g", epochs, texts.Recall1, images.Recall1,
				ranking.TextToImage.Recall(1), ranking.ImageToText.Recall(1))
		}
		return texts, images
	}
	fewTexts, fewImages := measure(1)
	manyTexts, manyImages := measure(60)
	if !(manyTexts.MAPAtR > fewTexts.MAPAtR+0.2 && manyImages.MAPAtR > fewImages.MAPAtR+0.2 && manyImages.RPrecision >= manyImages.MAPAtR) {
		t.Errorf("after 1 epoch %+v and %+v, after 60 %+v and %+v", fewTexts, fewImages, manyTexts, manyImages)
	}
}
