package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

func TestBuiltInSetsOpenByName(t *testing.T) {
	for name, images := range map[string]int{Scenes: 1000, World: 500} {
		data, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if !IsBuiltIn(name) || data.Test.Images.Rows != images || (data.TestKappas != nil) != (name == World) || data.Note == "" {
			t.Errorf("%s: %v, %d concentrations, note %q", name, data.Test, len(data.TestKappas), data.Note)
		}
	}
}

// set returns a set of one image and one text.
func set(t *testing.T, width int) *embedding.Set {
	t.Helper()
	s := &embedding.Set{Images: embedding.NewMatrix(1, width), Texts: embedding.NewMatrix(1, width), CaptionImages: []int{0}}
	s.Images.Set(0, 0, 1)
	s.Texts.Set(0, 1, 2)
	return s
}

func TestFoldersOpenWithEitherNameOfTheTestPart(t *testing.T) {
	for _, split := range []string{"val", "test"} {
		dir := filepath.Join(t.TempDir(), "coco")
		for _, part := range []string{"train", split} {
			if err := embedding.WriteSet(filepath.Join(dir, part), set(t, 3)); err != nil {
				t.Fatal(err)
			}
		}
		data, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if data.Name != "coco" || data.Test.Name != "coco/"+split || data.Train.Texts.Columns != 3 {
			t.Errorf("%+v", data)
		}
	}
}

func TestWhatCannotBeOpenedIsNamed(t *testing.T) {
	empty, uneven, trainOnly := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, parts := range map[string]map[string]int{uneven: {"train": 3, "val": 4}, trainOnly: {"train": 3}} {
		for part, width := range parts {
			if err := embedding.WriteSet(filepath.Join(dir, part), set(t, width)); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"":             "want scenes_minilm, scenes_generic, world, world_elliptical, or a folder",
		"nowhere":      `"nowhere" is neither built in`,
		file:           "is neither built in",
		"features.npy": "gosphere crossval",
		empty:          "has no folder train: a data set has train and val, each with image.npy",
		uneven:         "train has 3 dimensions, val 4",
		trainOnly:      "has neither val nor test",
	} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
}

// Errors of the parts must keep the file and the row.
func TestDamagedPartsAreNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "coco")
	for _, part := range []string{"train", "val"} {
		if err := embedding.WriteSet(filepath.Join(dir, part), set(t, 3)); err != nil {
			t.Fatal(err)
		}
	}
	table := filepath.Join(dir, "val", "cap_id_to_img_id.json")
	if err := os.WriteFile(table, []byte(`[7]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), table) || !strings.Contains(err.Error(), "caption 0 belongs to image 7") {
		t.Errorf("error %v", err)
	}
}

// If both exist, the split of the paper's reference implementation is used.
func TestValIsPreferredToTest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "coco")
	for _, part := range []string{"train", "val", "test"} {
		if err := embedding.WriteSet(filepath.Join(dir, part), set(t, 3)); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := Open(dir); err != nil || data.Test.Name != "coco/val" {
		t.Errorf("%+v, %v", data, err)
	}
}
