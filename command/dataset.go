package command

import (
	"fmt"
	"path/filepath"
	"strconv"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

// The data sets that need no files.
const (
	builtInScenes = "scenes_minilm"
	builtInWorld  = "world"
)

// isBuiltIn tells whether a data set needs no files.
func isBuiltIn(dataset string) bool { return dataset == builtInScenes || dataset == builtInWorld }

// readDataset returns one split of a data set: a built-in one, or the folder embeddings/<data>/<split>. The splits of
// the built-in ones are train and test; an empty split is the one for evaluation.
func readDataset(folder, dataset, split string) (*embedding.Set, error) {
	if split == "" {
		split = "val"
		if isBuiltIn(dataset) {
			split = "test"
		}
	}
	if !isBuiltIn(dataset) {
		return embedding.ReadSet(filepath.Join(folder, dataset, split))
	}
	train, test, err := builtIn(dataset)
	switch {
	case err != nil:
		return nil, err
	case split == "train":
		return train, nil
	case split == "test":
		return test, nil
	}
	return nil, fmt.Errorf("split %q of %s, want train or test", split, dataset)
}

func builtIn(dataset string) (train, test *embedding.Set, err error) {
	if dataset == builtInScenes {
		return embedding.Scenes()
	}
	worldTrain, worldTest, err := world.New(world.Options{})
	if err != nil {
		return nil, nil, err
	}
	return &worldTrain.Set, &worldTest.Set, nil
}

// layout gives the places of files, those of the paper's program.
type layout struct {
	Embeddings  string `help:"Folder of cached embeddings, <data>/<split> below it." default:"embeddings" type:"path"`
	Checkpoints string `help:"Folder of checkpoints, <data>/<seed>/<method> below it." default:"checkpoints" type:"path"`
}

// checkpoint returns the file of a trained adapter.
func (l layout) checkpoint(dataset, method string, seed uint64) string {
	return filepath.Join(l.Checkpoints, dataset, strconv.FormatUint(seed, 10), method+".safetensors")
}
