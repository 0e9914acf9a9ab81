package laboratory

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

// Data sets that need no files.
const (
	builtInScenes  = dataset.Scenes
	builtInGeneric = dataset.ScenesGeneric
	builtInWorld   = dataset.World
	builtInOther   = dataset.WorldElliptical
)

// isBuiltIn reports whether a data set needs no files.
func isBuiltIn(name string) bool { return dataset.IsBuiltIn(name) }

// isPairs reports whether a data set is one .npy file of image and text pairs, which has no splits.
func isPairs(dataset string) bool { return strings.HasSuffix(dataset, ".npy") }

// datasetName returns the name of a data set in the folders of checkpoints and results: for a path,
// its last element.
func datasetName(dataset string) string {
	switch {
	case isPairs(dataset):
		return strings.TrimSuffix(filepath.Base(dataset), ".npy")
	case !filepath.IsLocal(dataset):
		if whole, err := filepath.Abs(dataset); err == nil {
			return filepath.Base(whole)
		}
	}
	return dataset
}

// dataFolder returns the folder of a data set that is not built in: in the folder of embeddings, or
// the path itself. If neither exists, the error contains the path, and for a name also the one in
// the folder of embeddings.
func dataFolder(folder, dataset string) (string, error) {
	below := filepath.Join(folder, dataset)
	for _, dir := range []string{below, dataset} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	if filepath.IsAbs(dataset) {
		return "", fmt.Errorf("no folder %s", dataset)
	}
	return "", fmt.Errorf("no data set %q: %s, %s, %s and %s are built in, and there is no folder %s; set --embeddings to search a folder other than %s",
		dataset, builtInScenes, builtInGeneric, builtInWorld, builtInOther, below, folder)
}

// evaluationSplit returns the default split for evaluation.
func evaluationSplit(dataset string) string {
	if isBuiltIn(dataset) {
		return "test"
	}
	return "val"
}

// validationShare is the reciprocal of the share of training images used for model selection: every
// fifth image.
const validationShare = 5

// inMemory is the size in bytes, as float32, up to which embeddings are read into memory. Rows of
// larger sets stay in their files if their format permits it.
const inMemory = 1 << 30

// readDataset returns one split of a data set: a built-in one, or the folder
// embeddings/<data>/<split>, or a folder given by its path. An empty split selects the one for
// evaluation. Built-in data has train and test. For the choice of schedules its training part is
// divided into val, every fifth image, and fit, the others.
func readDataset(folder, dataset, split string) (*embedding.Set, error) {
	set, _, err := readWithKappas(folder, dataset, split)
	return set, err
}

// readWithKappas is like readDataset but also returns the true concentrations of the texts, or nil
// if they are unknown.
func readWithKappas(folder, dataset, split string) (*embedding.Set, []float64, error) {
	if split == "" {
		split = evaluationSplit(dataset)
	}
	if isPairs(dataset) {
		if split != "train" && split != evaluationSplit(dataset) {
			return nil, nil, fmt.Errorf("split %q of %s, which is one file of pairs and has no splits: omit --split", split, dataset)
		}
		set, err := embedding.ReadPairs(dataset)
		return set, nil, err
	}
	if !isBuiltIn(dataset) {
		dir, err := dataFolder(folder, dataset)
		if err != nil {
			return nil, nil, err
		}
		if err := checkSplit(dir, split); err != nil {
			return nil, nil, err
		}
		set, err := embedding.OpenSet(filepath.Join(dir, split), inMemory)
		return set, nil, err
	}
	train, test, err := builtIn(dataset)
	if err != nil {
		return nil, nil, err
	}
	switch split {
	case "train":
		return &train.Set, train.Kappas, nil
	case "test":
		return &test.Set, test.Kappas, nil
	case "fit", "val":
		return trainingPart(train, split)
	}
	return nil, nil, fmt.Errorf("split %q of %s, want train or test, or fit or val for the two parts of train", split, dataset)
}

// checkSplit returns an error that lists the splits of a data set if it does not have one.
func checkSplit(dir, split string) error {
	if _, err := os.Stat(filepath.Join(dir, split)); err == nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var splits []string
	for _, entry := range entries {
		if entry.IsDir() {
			splits = append(splits, entry.Name())
		}
	}
	if len(splits) == 0 {
		return fmt.Errorf("no split %s in %s, which has no folders: embeddings of a split lie in %s", split, dir, filepath.Join(dir, split))
	}
	return fmt.Errorf("no split %s in %s, which has %s", split, dir, strings.Join(splits, ", "))
}

// trainingPart returns one of the two parts of a training set.
func trainingPart(train *world.Set, split string) (*embedding.Set, []float64, error) {
	inside := func(image int) bool { return (image%validationShare == validationShare-1) == (split == "val") }
	var images []int
	for image := range train.Images.Rows {
		if inside(image) {
			images = append(images, image)
		}
	}
	var kappas []float64
	for text, kappa := range train.Kappas {
		if inside(train.CaptionImages[text]) {
			kappas = append(kappas, kappa)
		}
	}
	part, err := train.SelectImages(images)
	if err != nil {
		return nil, nil, err
	}
	part.Name = path.Join(path.Dir(train.Name), split)
	return part, kappas, nil
}

// builtIn returns a built-in data set. The scenes have no concentrations.
func builtIn(name string) (train, test *world.Set, err error) {
	switch name {
	case builtInWorld:
		return world.New(world.Options{})
	case builtInOther:
		return world.New(world.Options{Noise: world.Elliptical})
	}
	data, err := dataset.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return &world.Set{Set: *data.Train}, &world.Set{Set: *data.Test}, nil
}

// sources holds the location of embeddings.
type sources struct {
	Embeddings string `help:"Folder of cached embeddings, read from <data>/<split>." default:"embeddings" type:"path"`
}

// layout holds the locations of files, in the layout of the paper's reference implementation.
type layout struct {
	sources
	Checkpoints string `help:"Folder of checkpoints, stored in <data>/<seed>/<method>." default:"checkpoints" type:"path"`
}

// flags returns the flags for folders that differ from the defaults, to be appended to a command.
func (l layout) flags() (text string) {
	for _, f := range []struct{ name, value string }{{"embeddings", l.Embeddings}, {"checkpoints", l.Checkpoints}} {
		if !isUsual(f.name, f.value) {
			text += fmt.Sprintf(" --%s %s", f.name, f.value)
		}
	}
	return text
}

// isUsual reports whether a folder is the default.
func isUsual(name, value string) bool {
	usual, err := filepath.Abs(name)
	return err != nil || value == "" || value == usual || value == name
}

// checkpoint returns the path of a trained adapter.
func (l layout) checkpoint(dataset, method string, seed uint64) string {
	return filepath.Join(l.Checkpoints, datasetName(dataset), strconv.FormatUint(seed, 10), method+".safetensors")
}

// resultFile returns the path of the results on a split, in a folder of results: <method>.json for
// the evaluation split, <method>.<split>.json for any other, so that neither overwrites the other.
func resultFile(folder, dataset, split string, j job) string {
	name := j.method + ".json"
	if split == foldsName || split != "" && split != evaluationSplit(dataset) && !isPairs(dataset) {
		name = j.method + "." + split + ".json"
	}
	return filepath.Join(folder, datasetName(dataset), strconv.FormatUint(j.seed, 10), name)
}
