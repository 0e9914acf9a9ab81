package laboratory

import (
	"fmt"
	"io"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// judging is the flag for positives beyond those of a set.
type judging struct {
	Positives []string `placeholder:"TEXTS.json,IMAGES.json" help:"Positives of ECCV Caption or CxC: the files of captions to images and of images to captions, by the identifiers in caption_ids.npy and image_ids.npy. Prints any-positive Recall@1, R-precision and mAP@R."`
}

// positivesOf returns the positives by which a set is judged: those of the files, or those of a set
// whose texts describe several images. It returns nil if each text has one image.
func (j judging) positivesOf(set *embedding.Set, stderr io.Writer) (*retrieval.Positives, error) {
	switch {
	case len(j.Positives) == 0 && set.Positives == nil:
		return nil, nil
	case len(j.Positives) == 0:
		return retrieval.RelevanceOf(set).JudgedPositives(set.Images.Rows), nil
	case len(j.Positives) != 2:
		return nil, fmt.Errorf("--positives: %d files, want two: of captions to images, and of images to captions", len(j.Positives))
	case set.CaptionIDs == nil || set.ImageIDs == nil:
		return nil, fmt.Errorf("--positives names images and captions by identifiers, and %s has no caption_ids.npy or no image_ids.npy", set.Name)
	}
	positives, missing, err := retrieval.ReadPositives(j.Positives[0], j.Positives[1], set.CaptionIDs, set.ImageIDs)
	if err == nil && missing != (retrieval.Missing{}) {
		fmt.Fprintf(stderr, "--positives: %d texts and %d images of the files are not in %s, and %d positives of its queries are not\n",
			missing.Texts, missing.Images, set.Name, missing.Items)
	}
	return positives, err
}

// judgedMeasures holds the measures of ECCV Caption in both directions.
type judgedMeasures struct {
	TextToImage retrieval.PositiveMeasures `json:"t2i"`
	ImageToText retrieval.PositiveMeasures `json:"i2t"`
}

// measurePositives measures an adapter by all positives and prints a table. It returns nil without
// positives.
func measurePositives(trained *adapter.Adapter, set *embedding.Set, positives *retrieval.Positives, stdout io.Writer) (*judgedMeasures, error) {
	if positives == nil {
		return nil, nil
	}
	ranking, err := trained.Ranking(set, positives.Deepest())
	if err != nil {
		return nil, err
	}
	var m judgedMeasures
	if m.TextToImage, m.ImageToText, err = positives.Measure(ranking); err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%-14s %7s %6s %11s %6s\n", "all positives", "queries", "R@1", "R-precision", "mAP@R")
	for _, row := range []struct {
		name string
		retrieval.PositiveMeasures
	}{{"text to image", m.TextToImage}, {"image to text", m.ImageToText}} {
		fmt.Fprintf(stdout, "%-14s %7d %6.3f %11.3f %6.3f\n", row.name, row.Queries, row.Recall1, row.RPrecision, row.MAPAtR)
	}
	fmt.Fprintln(stdout)
	return &m, nil
}
