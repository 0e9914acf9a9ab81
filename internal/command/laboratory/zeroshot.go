package laboratory

import (
	"fmt"
	"io"
	"slices"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/published"
	"gosphere/asymvlm/retrieval"
)

// streams are the output streams of a command.
type streams struct{ stdout, stderr io.Writer }

// sampleImages is the maximum number of images on which the recall is measured after a training.
const sampleImages = 1000

// sampleOf returns a set of at most sampleImages images with captions, evenly spaced in a larger
// set. It returns nil if fewer than two images have captions.
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

// A trainingRecall measures trained adapters on a sample of their own training pairs, next to the
// baseline. Recall on training pairs is higher than on others, so an adapter below the baseline
// even there has not learned to retrieve.
type trainingRecall struct {
	sample   *embedding.Set // nil if there is nothing to retrieve
	baseline adapter.Baseline
}

func newTrainingRecall(set *embedding.Set) (r trainingRecall, err error) {
	if r.sample, err = sampleOf(set); err == nil && r.sample != nil {
		r.baseline, err = adapter.BaselineOf(r.sample)
	}
	return r, err
}

// write prints the recall of an adapter and the recall without training, and warns if the former is
// lower. The training is kept even if its recall cannot be measured.
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

// warnBelow writes a warning to stderr if an adapter retrieves worse than the embeddings without
// training.
func warnBelow(baseline *adapter.Baseline, here adapter.Baseline, label string, stderr io.Writer) {
	if baseline == nil {
		return
	}
	if sentence := baseline.Below(here.TextToImage, here.ImageToText); sentence != "" {
		fmt.Fprintf(stderr, "warning: %s: %s\n", label, sentence)
	}
}

// belowMark is appended to a method whose recall is lower than without training.
const belowMark = "*"

// baselineOf returns the recall without training on the data of the results, or nil if none of them
// has it, as in earlier versions.
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

// untrainedCells returns the row of the baseline in a table with these columns. It returns nil if
// method clip has a row or no result has a baseline.
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

// below returns a sentence about the mean recall of a method if it is lower than the baseline, else
// "".
func (r tableRow) below(baseline *adapter.Baseline) string {
	if baseline == nil || !isTrained(r.method) {
		return ""
	}
	mean := func(of func(result) float64) float64 { return r.spread(column{of: of}).Mean }
	return baseline.Below(mean(func(r result) float64 { return r.T2I.Recall1 }), mean(func(r result) float64 { return r.I2T.Recall1 }))
}

// belowNotes returns the explanation of the marks of a table.
func belowNotes(rows []tableRow) []string {
	recall, marked := baselineOf(rows), false
	for _, row := range rows {
		marked = marked || row.below(recall) != ""
	}
	if !marked {
		return nil
	}
	return []string{fmt.Sprintf("R@1 of methods marked %s is lower than without training (text to image %s, image to text %s) in at least one direction; "+
		"S and R2 of a method with low recall mean little.", belowMark, retrieval.Decimal(recall.TextToImage, 3), retrieval.Decimal(recall.ImageToText, 3))}
}

// isTrained reports whether a row is that of an adapter, and not of the embeddings as they are.
func isTrained(method string) bool { return method != adapter.CLIP && !baseline.Is(method) }

// clipNote says what the row of method clip is, whose name is that of the encoder in the papers.
const clipNote = "clip is the cosine of the embeddings as they are, whichever encoder they are from; nothing is trained."

// rowNotes returns the explanations of the rows of a table: the marks, and the best row without
// training.
func rowNotes(rows []tableRow) []string {
	notes := belowNotes(rows)
	if slices.ContainsFunc(rows, func(row tableRow) bool { return row.method == adapter.CLIP }) {
		notes = append(notes, clipNote)
	}
	for _, text := range []string{signNote(rows), fewNote(rows), unchangedNote(rows), bestUntrained(rows)} {
		if text != "" {
			notes = append(notes, text)
		}
	}
	return notes
}
