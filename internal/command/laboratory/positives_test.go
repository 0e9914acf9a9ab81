package laboratory

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// TestEvalMeasuresAllPositives evaluates a set with a text of two images, a distractor, and
// judgments in the form of ECCV Caption, and compares the measures with those by hand.
func TestEvalMeasuresAllPositives(t *testing.T) {
	images, err := embedding.MatrixFromRows([][]float64{{1, 0, 0}, {0.9, 0.1, 0}, {0, 1, 0}, {0, 0.2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	texts, err := embedding.MatrixFromRows([][]float64{{2, 0.1, 0}, {0, 3, 0}, {0, 0.3, 1}})
	if err != nil {
		t.Fatal(err)
	}
	set := &embedding.Set{Name: "hand/val", Images: images, Texts: texts, CaptionImages: []int{1, 2, 2}, Positives: [][]int{{0, 1}, {2}, {2}},
		CaptionIDs: []int64{11, 12, 13}, ImageIDs: []int64{1, 2, 3, 4}}
	clip, err := adapter.Train(t.Context(), set, mustOptions(t, "clip"))
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	own, err := judging{}.positivesOf(set, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	m, err := measurePositives(clip, set, own, &stdout)
	if err != nil {
		t.Fatal(err)
	}
	// The third text finds the distractor first, then its image.
	if m.TextToImage.Queries != 3 || m.TextToImage.Recall1*3 != 2 || m.TextToImage.RPrecision*3 != 2 || m.ImageToText.Queries != 3 || m.ImageToText.Recall1 != 1 {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(stdout.String(), "R-precision") {
		t.Errorf("printed %q", stdout.String())
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "t.json"), filepath.Join(dir, "i.json")}
	for i, text := range []string{`{"11": [1, 2], "12": [3], "13": [4, 99], "77": [1]}`, `{"1": [11], "4": [13]}`} {
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judged, err := judging{Positives: paths}.positivesOf(set, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = measurePositives(clip, set, judged, &stdout); err != nil || m.TextToImage.Recall1 != 1 || m.ImageToText.Queries != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	if !strings.Contains(stderr.String(), "1 texts and 0 images of the files are not in hand/val, and 1 positives") {
		t.Errorf("said %q", stderr.String())
	}
	set.ImageIDs = nil
	if _, err := (judging{Positives: paths}).positivesOf(set, &stderr); err == nil || !strings.Contains(err.Error(), "image_ids.npy") {
		t.Errorf("without identifiers: %v", err)
	}
}

// mustOptions returns the paper's options of a method.
func mustOptions(t *testing.T, method string) adapter.Options {
	t.Helper()
	options, err := adapter.PaperOptions(method)
	if err != nil {
		t.Fatal(err)
	}
	return options
}
