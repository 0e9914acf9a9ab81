package bulk

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder/source"
	"gosphere/asymvlm/retrieval"
)

// The identifiers of COCO's annotations come with the embeddings, without those of unusable
// pictures, so that lists of positives such as ECCV Caption's can be read for them.
func TestIdentifiersOfCOCOAreWritten(t *testing.T) {
	e, pictures, dir := tiny(t), photoFolder(t, 6, 3), t.TempDir() // the third and the sixth are damaged
	var images, annotations []string
	for i := range 6 {
		name := fmt.Sprintf("%04d.png", i)
		data, err := os.ReadFile(filepath.Join(pictures, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "val2017"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "val2017", name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		images = append(images, fmt.Sprintf(`{"id": %d, "file_name": %q}`, 100+i, name))
		for j := range 2 {
			annotations = append(annotations, fmt.Sprintf(`{"id": %d, "image_id": %d, "caption": "word%d"}`, 10*i+j, 100+i, i+j+3))
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "annotations"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"images": [%s], "annotations": [%s]}`, strings.Join(images, ","), strings.Join(annotations, ","))
	if err := os.WriteFile(filepath.Join(dir, "annotations", "captions_val2017.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := source.Open("coco", dir, "val")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "coco", "val")
	if _, err := Run(context.Background(), Options{Encoder: e, Source: s, Folder: folder, Shard: 2, MostBad: 3}); err != nil {
		t.Fatal(err)
	}
	set, err := embedding.ReadSet(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.ImageIDs, []int64{100, 101, 103, 104}) || !slices.Equal(set.CaptionIDs, []int64{0, 1, 10, 11, 30, 31, 40, 41}) {
		t.Errorf("images %v, captions %v", set.ImageIDs, set.CaptionIDs)
	}
	paths := []string{filepath.Join(dir, "texts.json"), filepath.Join(dir, "images.json")}
	for i, text := range []string{`{"0": [100, 103], "10": [101]}`, `{"100": [0], "103": [0, 30]}`} {
		if err := os.WriteFile(paths[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, missing, err := retrieval.ReadPositives(paths[0], paths[1], set.CaptionIDs, set.ImageIDs); err != nil || missing != (retrieval.Missing{}) {
		t.Errorf("positives: %v, missing %+v", err, missing)
	}
	scenes := filepath.Join(t.TempDir(), "scenes", "val")
	if _, err := Run(context.Background(), Options{Encoder: e, Source: s, Folder: scenes, Scenes: 1}); err != nil {
		t.Fatal(err)
	}
	if set, err = embedding.ReadSet(scenes); err != nil || !slices.Equal(set.ImageIDs, []int64{100, 101, 102, 103, 104, 105}) || !slices.Equal(set.CaptionIDs, []int64{0, 10, 20, 30, 40, 50}) {
		t.Errorf("%v, scenes with images %v, captions %v", err, set.ImageIDs, set.CaptionIDs)
	}
}
