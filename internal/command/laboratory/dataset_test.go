package laboratory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// The two parts of the training scenes contain every image once, with every fifth for validation,
// and no test image.
func TestFitAndValArePartsOfTheTrainingImages(t *testing.T) {
	for _, dataset := range []string{builtInScenes, builtInGeneric, builtInWorld, builtInOther} {
		sets := map[string]*embedding.Set{}
		for _, split := range []string{"train", "fit", "val", "test", ""} {
			set, err := readDataset("", dataset, split)
			if err != nil {
				t.Fatal(err)
			}
			sets[split] = set
		}
		train, fit, val := sets["train"], sets["fit"], sets["val"]
		if fit.Images.Rows+val.Images.Rows != train.Images.Rows || (fit.Texts.Rows+val.Texts.Rows != train.Texts.Rows) != (dataset == builtInGeneric) {
			t.Errorf("%s: %v, %v and %v", dataset, train, fit, val)
		}
		for image := range train.Images.Rows {
			part, row := fit, image-image/5
			if image%5 == 4 {
				part, row = val, image/5
			}
			if !slices.Equal(train.Images.Row(image), part.Images.Row(row)) {
				t.Fatalf("%s: image %d is not row %d of %s", dataset, image, row, part.Name)
			}
		}
		if val.Name != dataset+"/val" || fit.Name != dataset+"/fit" {
			t.Errorf("names %q and %q", val.Name, fit.Name)
		}
		if sets[""].Name != dataset+"/test" || slices.Equal(sets["test"].Images.Row(0), val.Images.Row(0)) {
			t.Errorf("%s: without a split comes %q", dataset, sets[""].Name)
		}
	}
}

// Concentrations stay with their texts in every split.
func TestTrueConcentrationsBelongToTheirTexts(t *testing.T) {
	train, kappas, err := readWithKappas("", builtInWorld, "train")
	if err != nil || len(kappas) != train.Texts.Rows {
		t.Fatalf("%d concentrations of %d texts, %v", len(kappas), train.Texts.Rows, err)
	}
	of := map[float32]float64{} // by the first value of a text, which is its own
	for text, kappa := range kappas {
		of[train.Texts.At(text, 0)] = kappa
	}
	for _, split := range []string{"fit", "val"} {
		part, partKappas, err := readWithKappas("", builtInWorld, split)
		if err != nil || len(partKappas) != part.Texts.Rows {
			t.Fatalf("%s: %d concentrations of %d texts, %v", split, len(partKappas), part.Texts.Rows, err)
		}
		for text, kappa := range partKappas {
			if of[part.Texts.At(text, 0)] != kappa {
				t.Fatalf("%s: text %d has the concentration of another", split, text)
			}
		}
	}
	if _, none, err := readWithKappas("", builtInScenes, "val"); err != nil || none != nil {
		t.Errorf("the scenes have %d concentrations, %v", len(none), err)
	}
}

func TestResultsOfSplitsHaveNamesOfTheirOwn(t *testing.T) {
	j := job{method: "pfe", seed: 3}
	for _, c := range []struct{ dataset, split, want string }{
		{"coco", "", "coco/3/pfe.json"}, {"coco", "val", "coco/3/pfe.json"}, {"coco", "test", "coco/3/pfe.test.json"},
		{"world", "test", "world/3/pfe.json"}, {"world", "val", "world/3/pfe.val.json"}, {"world", foldsName, "world/3/pfe.folds.json"},
		{"some/where/features.npy", "", "features/3/pfe.json"}, {"some/where/features.npy", foldsName, "features/3/pfe.folds.json"},
	} {
		if got := filepath.ToSlash(resultFile("r", c.dataset, c.split, j)); got != "r/"+c.want {
			t.Errorf("%s, %q: %s, want r/%s", c.dataset, c.split, got, c.want)
		}
	}
	l := layout{Checkpoints: "c"}
	if got := filepath.ToSlash(l.checkpoint("a/b.npy", "pfe", 7)); got != "c/b/7/pfe.safetensors" {
		t.Errorf("checkpoint %s", got)
	}
}

// A single file of pairs is a data set: it can be described, cross-validated and evaluated by its
// cosines.
func TestAFileOfPairsIsADataset(t *testing.T) {
	folder := t.TempDir()
	set, err := readDataset("", builtInWorld, "test")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "pairs.npy")
	writePairs(t, path, set, 60)
	if _, _, err := train(t, folder, "--dataset", path, "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	stdout, err := eval(t, folder, "--dataset", path, "--method", "clip")
	if err != nil || !strings.HasPrefix(stdout, "pairs: 60 images, 60 texts, 64 dimensions\n") {
		t.Errorf("%v, output %q", err, stdout)
	}
	if _, err := os.Stat(filepath.Join(folder, "results", "pairs", "0", "clip.json")); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	if err := (EmbedInfo{Dataset: path}).run(&out); err != nil || !strings.Contains(out.String(), "captions          1 per image") {
		t.Errorf("%v, output %q", err, out.String())
	}
	if err := os.WriteFile(path, []byte("no array"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := eval(t, folder, "--dataset", path, "--method", "clip"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// writePairs writes the first images of a set with one text each in NumPy's format.
func writePairs(t *testing.T, path string, set *embedding.Set, rows int) {
	t.Helper()
	captions := set.ImageCaptions()
	var values []float32
	values = append(values, set.Images.RowRange(0, rows).Values...)
	for image := range rows {
		values = append(values, set.Texts.Row(captions[image][0])...)
	}
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, " + decimal(rows) + ", " + decimal(set.Images.Columns) + "), }"
	header += strings.Repeat(" ", 127-10-len(header)) + "\n"
	text := []byte("\x93NUMPY\x01\x00")
	text = append(text, byte(len(header)), 0)
	text = append(text, header...)
	text = append(text, embedding.Float32Array(values).Data...)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Describing embeddings does not involve checkpoints and accepts no flag for them.
func TestEmbedInfoTakesTheFlagsThatItUses(t *testing.T) {
	if err := parse(t, &EmbedInfo{}, "--checkpoints", "x"); err == nil || !strings.Contains(err.Error(), "--checkpoints") {
		t.Errorf("error %v", err)
	}
	if err := parse(t, &EmbedInfo{}, "--embeddings", "x", "--dataset", "coco", "--split", "val"); err != nil {
		t.Error(err)
	}
}

func TestDataSetsMayLieElsewhere(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	ownData(t, elsewhere)
	dataset := filepath.Join(elsewhere, "embeddings", "own")
	if _, _, err := train(t, folder, "--dataset", dataset, "--epochs", "1", "--batch", "400", "--hidden", "8"); err != nil {
		t.Fatal(err)
	}
	if _, err := eval(t, folder, "--dataset", dataset); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"checkpoints/own/0/asymvlm-vmf.safetensors", "results/own/0/asymvlm-vmf.json"} {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(path))); err != nil {
			t.Error(err)
		}
	}
}

func TestADataSetThatIsNowhereIsNamedWithThePlaces(t *testing.T) {
	folder := t.TempDir()
	_, _, err := train(t, folder, "--dataset", "coco")
	if err == nil || !strings.Contains(err.Error(), `no data set "coco"`) || !strings.Contains(err.Error(), filepath.Join(folder, "embeddings", "coco")) ||
		!strings.Contains(err.Error(), "scenes_minilm, scenes_generic, world and world_elliptical are built in") {
		t.Errorf("error %v", err)
	}
}

// The command suggested by an error creates the missing file.
func TestAMissingCheckpointTellsTheWholeCommand(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	_, err := eval(t, folder, "--dataset", "own", "--method", "pfe", "--seeds", "2")
	want := "gosphere train --dataset own --method pfe --seeds 2 --embeddings " + filepath.Join(folder, "embeddings") +
		" --checkpoints " + filepath.Join(folder, "checkpoints")
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %q at the end", err, want)
	}
	var usual Eval
	if err := parse(t, &usual); err != nil {
		t.Fatal(err)
	}
	if flags := usual.flags(); flags != "" {
		t.Errorf("flags %q for the usual folders", flags)
	}
}

func TestGalleriesThatCannotBeMeasuredNameTheDataSet(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	if _, _, err := train(t, folder, "--dataset", "own", "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	_, err := eval(t, folder, "--dataset", "own", "--method", "clip", "--uncer_levels", "101")
	if err == nil || err.Error() != "clip, seed 0 on own/val: retrieval: 100 queries leave 101 levels empty; want at most as many levels as queries: set --uncer_levels" {
		t.Errorf("error %v", err)
	}
}
