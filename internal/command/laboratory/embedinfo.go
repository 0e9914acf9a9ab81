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
	Dataset string `help:"Data set: built-in scenes_minilm, world or world_elliptical, a folder of embeddings, or a .npy file of pairs." default:"scenes_minilm"`
	Split   string `help:"Split (default: val, or test for built-in data)."`
	sources
	Folder string `arg:"" optional:"" help:"Folder of embeddings or .npy file of pairs, instead of a data set and split." type:"path"`
}

// Run checks the embeddings and prints a description of them.
func (e EmbedInfo) Run() error { return e.run(os.Stdout) }

func (e EmbedInfo) run(stdout io.Writer) error {
	set, err := e.read()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, set)
	if set.IsStored() {
		fmt.Fprintln(stdout, "The rows stay in their files, because they would take more than 1 GiB of memory.")
	}
	var lengths [2][]float64
	for side, rows := range set.Sides() {
		if lengths[side], err = rows.Norms(); err != nil {
			return err
		}
	}
	imageMean, imageSpread := describe(lengths[0])
	textMean, textSpread := describe(lengths[1])
	fmt.Fprintf(stdout, "norm of texts     %.3f ± %.3f\n", textMean, textSpread)
	fmt.Fprintf(stdout, "norm of images    %.3f ± %.3f\n", imageMean, imageSpread)
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
		fmt.Fprintln(stdout, "\nThe texts have norm 1. The paper trains on unnormalized embeddings of the encoder, with a norm of about 9\n"+
			"for CLIP; with norm 1 training starts several times slower. Cache the embeddings without normalizing them.")
	}
	return nil
}

func (e EmbedInfo) read() (*embedding.Set, error) {
	switch {
	case e.Folder == "":
	case e.Dataset != "" && e.Dataset != builtInScenes || e.Split != "" || !isUsual("embeddings", e.Embeddings):
		return nil, fmt.Errorf("%s already names the embeddings: omit the folder, or --dataset, --split and --embeddings", e.Folder)
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

// zeroShot returns Recall@1 by the cosines of the embeddings, for comparison with published numbers
// before training. If the rows are in files, it samples the images, because the cosines of millions
// of images and texts take days.
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
