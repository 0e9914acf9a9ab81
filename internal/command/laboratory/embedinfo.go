package laboratory

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/embedding"
	"gosphere/internal/command/process"
)

// EmbedInfo is the subcommand that describes cached embeddings.
type EmbedInfo struct {
	Dataset string `help:"Data set: built-in scenes_minilm, scenes_generic, world or world_elliptical, a folder of embeddings, or a .npy file of pairs." default:"scenes_minilm"`
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
	fmt.Fprintf(stdout, "captions          %s per image\n", captionsPerImage(set))
	zeroShot, chance, err := zeroShot(set)
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
			"for CLIP; with norm 1 training starts several times slower. The schedule auto gives them the norm 9, but their\n"+
			"own norms are lost: cache the embeddings without normalizing them.")
	}
	return e.findings(stdout, set, chance)
}

// captionsPerImage returns the range of the numbers of captions.
func captionsPerImage(set *embedding.Set) string {
	fewest, most := math.MaxInt, 0
	for _, captions := range set.ImageCaptions() {
		fewest, most = min(fewest, len(captions)), max(most, len(captions))
	}
	if fewest < most {
		return fmt.Sprintf("%d to %d", fewest, most)
	}
	return fmt.Sprint(most)
}

// findings prints what is noticeable about the set, and about a test set beside its training set. A
// problem is an error.
func (e EmbedInfo) findings(stdout io.Writer, set *embedding.Set, findings []dataset.Finding) error {
	own, err := dataset.Inspect(set)
	if err != nil {
		return err
	}
	findings = append(findings, own...)
	if train := e.trainingBeside(); train != nil {
		leaks, err := dataset.Leaks(train, set)
		if err != nil {
			return err
		}
		findings = append(findings, leaks...)
	}
	problems := 0
	for i, f := range findings {
		if i == 0 {
			fmt.Fprintln(stdout)
		}
		fmt.Fprintln(stdout, f)
		if f.Problem {
			problems++
		}
	}
	if problems > 0 {
		return process.Findings(problems)
	}
	return nil
}

// trainingBeside returns the training set that belongs to the described test set, or nil if there
// is none that can be read.
func (e EmbedInfo) trainingBeside() *embedding.Set {
	switch {
	case e.Folder != "" && (isPairs(e.Folder) || filepath.Base(e.Folder) == "train"), e.Split == "train", isPairs(e.Dataset):
		return nil
	case e.Folder != "":
		set, err := embedding.OpenSet(filepath.Join(filepath.Dir(filepath.Clean(e.Folder)), "train"), inMemory)
		if err != nil {
			return nil
		}
		return set
	}
	set, err := readDataset(e.Embeddings, e.Dataset, "train")
	if err != nil {
		return nil
	}
	return set
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
// before training, and a finding if they are at chance. If the rows are in files, it samples the
// images, because the cosines of millions of images and texts take days.
func zeroShot(set *embedding.Set) (string, []dataset.Finding, error) {
	note := ""
	if set.IsStored() {
		sample, err := sampleOf(set)
		if err != nil {
			return "", nil, err
		}
		if sample != nil {
			set, note = sample, fmt.Sprintf(" (a sample of %d images)", sample.Images.Rows)
		}
	}
	if set.Images.Rows < 2 || set.Texts.Rows < 2 {
		return fmt.Sprintf("none: %d images and %d texts, want at least 2 of each", set.Images.Rows, set.Texts.Rows), nil, nil
	}
	b, err := adapter.BaselineOf(set)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("Recall@1 %.3f text to image, %.3f image to text%s", b.TextToImage, b.ImageToText, note), dataset.AtChance(set, b.TextToImage, b.ImageToText), nil
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
