package embedding

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writePairs writes a three-dimensional float32 array.
func writePairs(t *testing.T, shape []int, values []float32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "features.npy")
	tuple := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	if err := os.WriteFile(path, npyBytes("<f4", "False", "("+tuple+")", littleEndian(t, values)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPairsAreTheHalvesOfTheirFile(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}
	set, err := ReadPairs(writePairs(t, []int{2, 3, 2}, values))
	if err != nil {
		t.Fatal(err)
	}
	if set.Name != "features" || !slices.Equal(set.Images.Values, values[:6]) || !slices.Equal(set.Texts.Values, values[6:]) ||
		!slices.Equal(set.CaptionImages, []int{0, 1, 2}) || set.Texts.Columns != 2 {
		t.Errorf("set %+v", set)
	}
}

func TestFilesThatAreNoPairsAreErrors(t *testing.T) {
	for want, path := range map[string]string{
		"shape [3 2 1], want 2×N×D":  writePairs(t, []int{3, 2, 1}, make([]float32, 6)),
		"shape [2 3], want 2×N×D":    writePairs(t, []int{2, 3}, make([]float32, 6)),
		"images: row 1 is all zeros": writePairs(t, []int{2, 2, 2}, []float32{1, 1, 0, 0, 1, 1, 1, 1}),
		"no such file":               filepath.Join(t.TempDir(), "absent.npy"),
	} {
		_, err := ReadPairs(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("error %v, want %q and the file's name in it", err, want)
		}
	}
}

func TestFoldsHaveEveryImageOnceAndKeepItsCaptions(t *testing.T) {
	set := &Set{Name: "small", Images: NewMatrix(7, 2), Texts: NewMatrix(10, 2)}
	for i := range set.Images.Rows {
		set.Images.Set(i, 0, float32(i+1))
	}
	for i := range set.Texts.Rows {
		set.Texts.Set(i, 0, float32(100+i))
		set.CaptionImages = append(set.CaptionImages, i*7/10)
	}
	rest, part, err := set.Folds(3)
	if err != nil {
		t.Fatal(err)
	}
	var images []float32
	for fold := range part {
		if rest[fold].Images.Rows+part[fold].Images.Rows != 7 || rest[fold].Texts.Rows+part[fold].Texts.Rows != 10 {
			t.Errorf("fold %d has %v and %v", fold, rest[fold], part[fold])
		}
		for row := range part[fold].Images.Rows {
			images = append(images, part[fold].Images.At(row, 0))
		}
		for text, image := range part[fold].CaptionImages {
			original := int(part[fold].Texts.At(text, 0)) - 100
			if float32(set.CaptionImages[original]+1) != part[fold].Images.At(image, 0) {
				t.Errorf("fold %d: caption %d is with another image", fold, original)
			}
		}
	}
	slices.Sort(images)
	if !slices.Equal(images, []float32{1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("images %v", images)
	}
	if part[1].Name != "small fold 2 of 3" || rest[1].Name != "small without fold 2 of 3" {
		t.Errorf("names %q and %q", part[1].Name, rest[1].Name)
	}
	for _, parts := range []int{1, 8} {
		if _, _, err := set.Folds(parts); err == nil || !strings.Contains(err.Error(), "of 7 images, want 2 to 7") {
			t.Errorf("%d folds: error %v", parts, err)
		}
	}
}

// This test reads the files of a study of the modality gap if they lie next to the repository.
func TestPairsOfCOCOAreUnitVectors(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "data", "coco500_clip_vitb16", "features_clip.npy")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the folder ../shared is not beside the checkout")
	}
	set, err := ReadPairs(path)
	if err != nil {
		t.Fatal(err)
	}
	if set.Images.Rows != 500 || set.Images.Columns != 512 {
		t.Errorf("%v", set)
	}
	for _, norms := range [][]float64{set.Images.Norms(), set.Texts.Norms()} {
		if slices.Min(norms) < 0.999 || slices.Max(norms) > 1.001 {
			t.Errorf("lengths from %g to %g", slices.Min(norms), slices.Max(norms))
		}
	}
}
