package embedding

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// severalImages returns a set whose captions describe one to three of four images.
func severalImages() *Set {
	images, texts := NewMatrix(4, 3), NewMatrix(3, 3)
	for i := range images.Values {
		images.Values[i] = float32(i%5) + 1
	}
	for i := range texts.Values {
		texts.Values[i] = float32(i%4) + 1
	}
	return &Set{Name: "several/train", Images: images, Texts: texts, CaptionImages: []int{2, 0, 3},
		Positives: [][]int{{0, 2}, {0}, {0, 2, 3}}, Captions: []string{"a dog", "a puppy", "something"}, ImageIDs: []int64{70, 80, 90, 95}}
}

func TestTablesListSeveralImages(t *testing.T) {
	for text, want := range map[string][][]int{
		`[0, [2, 1], [3]]`:           {{0}, {2, 1}, {3}},
		`{"1": [0, 4], "0": 2}`:      {{2}, {0, 4}},
		`{"0":\n[ 1 ,2]\n, "1":[3]}`: {{1, 2}, {3}},
	} {
		text = strings.ReplaceAll(text, `\n`, "\n")
		if got, err := decodeTable([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %v, want %v (error %v)", text, got, want, err)
		}
	}
	for text, want := range map[string]string{
		`[[0, null]]`: "image null", `{"0": [[1]]}`: "want a row or a list of rows", `[[0.5]]`: "want a row or a list of rows", `{"0": "1"}`: "want a row",
	} {
		if _, err := decodeTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

func TestSetsWithSeveralImagesAreReadAsTheyWereWritten(t *testing.T) {
	dir, set := filepath.Join(t.TempDir(), "several", "train"), severalImages()
	if err := WriteSet(dir, set); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(string) (*Set, error){ReadSet, func(dir string) (*Set, error) { return OpenSet(dir, 0) }} {
		got, err := read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Positives, set.Positives) || !slices.Equal(got.ImageIDs, set.ImageIDs) {
			t.Errorf("positives %v, images %v", got.Positives, got.ImageIDs)
		}
	}
	for text, want := range map[string]string{
		`[[0, 0], 0, 3]`: "increasing rows without repetition", `[[], 0, 3]`: "caption 0 has no image", `[[0, 4], 0, 3]`: "belongs to image 4, but there are 4 images",
	} {
		if err := os.WriteFile(filepath.Join(dir, tableFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSet(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("table %s: %v, want %q", text, err, want)
		}
	}
}

func TestSelectedImagesKeepTheCaptionsThatDescribeThem(t *testing.T) {
	set := severalImages()
	part, err := set.SelectImages([]int{3, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Check(); err != nil {
		t.Fatal(err)
	}
	want := [][]int{{1}, {1}, {0, 1}}
	if !reflect.DeepEqual(part.Positives, want) || !slices.Equal(part.CaptionImages, []int{1, 1, 0}) || !slices.Equal(part.ImageIDs, []int64{95, 70}) {
		t.Errorf("positives %v, table %v, images %v", part.Positives, part.CaptionImages, part.ImageIDs)
	}
	if captions := set.ImageCaptions(); !reflect.DeepEqual(captions, [][]int{{0, 1, 2}, nil, {0, 2}, {2}}) {
		t.Errorf("captions of images %v", captions)
	}
	if !set.Describes(2, 3) || set.Describes(1, 3) {
		t.Error("Describes differs from Positives")
	}
}
