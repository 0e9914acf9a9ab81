package laboratory

import (
	"fmt"
	"io"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/published"
	"gosphere/asymvlm/retrieval"
)

// streams are the output streams of a command.
type streams struct{ stdout, stderr io.Writer }

// sampleImages is how many images at most the recall after a training is measured on.
const sampleImages = 1000

// sampleOf returns a set of at most sampleImages images that have captions, evenly spaced in a larger set; nil where fewer than two have.
func sampleOf(set *embedding.Set) (*embedding.Set, error) {
	var captioned []int
	for image, captions := range set.ImageCaptions() {
		if len(captions) > 0 {
			captioned = append(captioned, image)
		}
	}
	if len(captioned) < 2 {
		return nil, nil
	}
	images := min(len(captioned), sampleImages)
	chosen := make([]int, images)
	for i := range chosen {
		chosen[i] = captioned[i*len(captioned)/images]
	}
	return set.SelectImages(chosen)
}

// A trainingRecall measures trained adapters on a sample of their own pairs, beside the baseline. Recall on pairs that were trained on is
// higher than on others, so that an adapter which is below the baseline even there has not learned to retrieve.
type trainingRecall struct {
	sample   *embedding.Set // nil where there is nothing to retrieve
	baseline adapter.Baseline
}

func newTrainingRecall(set *embedding.Set) (r trainingRecall, err error) {
	if r.sample, err = sampleOf(set); err == nil && r.sample != nil {
		r.baseline, err = adapter.BaselineOf(r.sample)
	}
	return r, err
}

// write prints the recall of an adapter and that without training, and warns where it is below. The training is kept where the recall
// cannot be measured.
func (r trainingRecall) write(trained *adapter.Adapter, label string, stdout, stderr io.Writer) {
	if r.sample == nil {
		return
	}
	ranking, err := trained.Ranking(r.sample, 1)
	if err != nil {
		fmt.Fprintf(stderr, "%s: recall was not measured: %v\n", label, err)
		return
	}
	here := adapter.Baseline{TextToImage: ranking.TextToImage.Recall(1), ImageToText: ranking.ImageToText.Recall(1)}
	fmt.Fprintf(stdout, "recall@1 on %d training images: text to image %.3f (without training %.3f), image to text %.3f (%.3f)\n",
		r.sample.Images.Rows, here.TextToImage, r.baseline.TextToImage, here.ImageToText, r.baseline.ImageToText)
	warnBelow(&r.baseline, here, label, stderr)
}

// recallOf returns the recalls of a report.
func recallOf(report *retrieval.Report) adapter.Baseline {
	return adapter.Baseline{TextToImage: report.TextToImage.Recall1, ImageToText: report.ImageToText.Recall1}
}

// warnBelow says in a line on stderr where an adapter retrieves worse than the embeddings without training.
func warnBelow(baseline *adapter.Baseline, here adapter.Baseline, label string, stderr io.Writer) {
	if baseline == nil {
		return
	}
	if sentence := baseline.Below(here.TextToImage, here.ImageToText); sentence != "" {
		fmt.Fprintf(stderr, "warning: %s: %s\n", label, sentence)
	}
}

// belowMark is put behind a method whose recall is below that without training.
const belowMark = "*"

// baselineOf returns the recall without training on the data of the results; nil where none has it, as those of earlier versions.
func baselineOf(rows []tableRow) *adapter.Baseline {
	for _, row := range rows {
		if row.method == adapter.CLIP {
			return &adapter.Baseline{TextToImage: row.runs[0].T2I.Recall1, ImageToText: row.runs[0].I2T.Recall1}
		}
	}
	for _, row := range rows {
		for _, run := range row.runs {
			if run.Baseline != nil {
				return run.Baseline
			}
		}
	}
	return nil
}

// untrainedCells is the row of the baseline in a table with these columns, nil where method clip has a row or no result has a baseline.
func untrainedCells(rows []tableRow, list []column) []string {
	for _, row := range rows {
		if row.method == adapter.CLIP {
			return nil
		}
	}
	baseline := baselineOf(rows)
	if baseline == nil {
		return nil
	}
	cells := []string{"without training", ""}
	for _, c := range list {
		switch {
		case c.measure != published.Recall1:
			cells = append(cells, "–")
		case c.direction == published.TextToImage:
			cells = append(cells, retrieval.Decimal(baseline.TextToImage, 3))
		default:
			cells = append(cells, retrieval.Decimal(baseline.ImageToText, 3))
		}
	}
	return cells
}

// below returns a sentence about the mean recall of a method where it is below the baseline, "" elsewhere.
func (r tableRow) below(baseline *adapter.Baseline) string {
	if baseline == nil || r.method == adapter.CLIP {
		return ""
	}
	mean := func(of func(result) float64) float64 { return r.spread(column{of: of}).Mean }
	return baseline.Below(mean(func(r result) float64 { return r.T2I.Recall1 }), mean(func(r result) float64 { return r.I2T.Recall1 }))
}

// belowNotes explains the marks of a table.
func belowNotes(rows []tableRow) []string {
	baseline, marked := baselineOf(rows), false
	for _, row := range rows {
		marked = marked || row.below(baseline) != ""
	}
	if !marked {
		return nil
	}
	return []string{fmt.Sprintf("The R@1 of methods with %s is below that without training (text to image %s, image to text %s) in a direction; "+
		"S and R2 of a method that retrieves little mean little.", belowMark, retrieval.Decimal(baseline.TextToImage, 3), retrieval.Decimal(baseline.ImageToText, 3))}
}
