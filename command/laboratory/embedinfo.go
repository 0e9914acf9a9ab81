package laboratory

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// EmbedInfo is the subcommand that describes cached embeddings.
type EmbedInfo struct {
	Dataset string `help:"Data set: scenes_minilm, world and world_elliptical are built in, others are folders of embeddings, or a .npy file of pairs." default:"scenes_minilm"`
	Split   string `help:"Split; val, or test for built-in data."`
	sources
	Folder string `arg:"" optional:"" help:"A folder of embeddings or a .npy file of pairs, instead of a data set and split." type:"path"`
}

// Run checks the embeddings and prints what they are.
func (e EmbedInfo) Run() error { return e.run(os.Stdout) }

func (e EmbedInfo) run(stdout io.Writer) error {
	set, err := e.read()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, set)
	if set.IsStored() {
		fmt.Fprintln(stdout, "The rows are left in their files; they would take more than 1 GiB of memory.")
	}
	var lengths [2][]float64
	for side, rows := range set.Sides() {
		if lengths[side], err = rows.Norms(); err != nil {
			return err
		}
	}
	imageMean, imageSpread := describe(lengths[0])
	textMean, textSpread := describe(lengths[1])
	fmt.Fprintf(stdout, "length of texts   %.3f ± %.3f\n", textMean, textSpread)
	fmt.Fprintf(stdout, "length of images  %.3f ± %.3f\n", imageMean, imageSpread)
	fewest, most := math.MaxInt, 0
	for _, captions := range set.ImageCaptions() {
		fewest, most = min(fewest, len(captions)), max(most, len(captions))
	}
	count := fmt.Sprint(most)
	if fewest < most {
		count = fmt.Sprintf("%d to %d", fewest, most)
	}
	fmt.Fprintf(stdout, "captions          %s per image\n", count)
	zeroShot, err := zeroShot(set)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "cosine retrieval  %s\n", zeroShot)
	checksum, err := adapter.ChecksumOf(set)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "sha256            %s\n", checksum)
	if math.Abs(textMean-1) < 1e-3 && textSpread < 1e-3 {
		fmt.Fprintln(stdout, "\nThe texts have length 1. The paper trains on embeddings as the encoder gives them, about 9 long\n"+
			"with CLIP; with length 1 training starts several times slower. Cache them without normalizing.")
	}
	return nil
}

func (e EmbedInfo) read() (*embedding.Set, error) {
	switch {
	case e.Folder == "":
	case e.Dataset != "" && e.Dataset != builtInScenes || e.Split != "" || !isUsual("embeddings", e.Embeddings):
		return nil, fmt.Errorf("%s is a folder by itself: leave --dataset, --split and --embeddings out, or the folder", e.Folder)
	case isPairs(e.Folder):
		return embedding.ReadPairs(e.Folder)
	default:
		set, err := embedding.OpenSet(e.Folder, inMemory)
		if name := filepath.Base(e.Folder); err != nil && isBuiltIn(name) {
			err = fmt.Errorf("%w; the built-in data set is --dataset %s", err, name)
		}
		return set, err
	}
	return readDataset(e.Embeddings, e.Dataset, e.Split)
}

// zeroShot returns Recall@1 of the embeddings' own cosines, to be held against published numbers before training. Of a set whose
// rows are in files it is that of a sample of images: the cosines of millions of images and texts take days.
func zeroShot(set *embedding.Set) (string, error) {
	note := ""
	if set.IsStored() {
		sample, err := sampleOf(set)
		if err != nil {
			return "", err
		}
		if sample != nil {
			set, note = sample, fmt.Sprintf(" (a sample of %d images)", sample.Images.Rows)
		}
	}
	b, err := adapter.BaselineOf(set)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Recall@1 %.3f text to image, %.3f image to text%s", b.TextToImage, b.ImageToText, note), nil
}

// describe returns the mean and the standard deviation.
func describe(values []float64) (mean, spread float64) {
	for _, value := range values {
		mean += value / float64(len(values))
	}
	for _, value := range values {
		spread += (value - mean) * (value - mean) / float64(len(values))
	}
	return mean, math.Sqrt(spread)
}
