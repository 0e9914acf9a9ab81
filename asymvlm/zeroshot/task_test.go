package zeroshot

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// taskFolder writes a folder with two images of two classes, two templates each, and one dummy, and
// applies changes.
func taskFolder(t *testing.T, changes map[string]any) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pets")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]any{
		"image.npy":    rows(t, []float64{1, 0}, []float64{0, 2}, []float64{3, 3}).Array(),
		"label.npy":    embedding.Int64Array([]int64{0, 1, 1}),
		"prompt.npy":   rows(t, []float64{1, 0}, []float64{2, 0}, []float64{0, 1}, []float64{0, 4}).Array(),
		"dummy.npy":    rows(t, []float64{5, 5}).Array(),
		"classes.json": `["cat", "dog"]`,
	}
	for name, content := range changes {
		files[name] = content
	}
	for name, content := range files {
		path, err := filepath.Join(dir, name), error(nil)
		switch content := content.(type) {
		case *embedding.Array:
			err = embedding.WriteNPY(path, content)
		case string:
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// dot is a Scorer that returns inner products.
func dot(images, texts embedding.Matrix) (embedding.Matrix, error) {
	scores := embedding.NewMatrix(images.Rows, texts.Rows)
	for i := range images.Rows {
		for j := range texts.Rows {
			sum := float32(0)
			for k, value := range images.Row(i) {
				sum += value * texts.At(j, k)
			}
			scores.Set(i, j, sum)
		}
	}
	return scores, nil
}

func TestTaskIsReadFromAFolder(t *testing.T) {
	task, err := ReadTask(taskFolder(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if task.Name != "pets" || task.ClassCount() != 2 || task.Templates != 2 || task.Classes[1] != "dog" {
		t.Errorf("%+v", task)
	}
	scores, err := task.Scores(dot, task)
	// The mean of both templates of each class, then the dummy.
	if want := []float32{1.5, 0, 5, 0, 5, 10, 4.5, 7.5, 30}; err != nil || !slices.Equal(scores.Values, want) {
		t.Errorf("scores %v, want %v, %v", scores.Values, want, err)
	}
}

func TestImagesOfNoNamedClassAreATaskToo(t *testing.T) {
	negatives, err := ReadTask(taskFolder(t, map[string]any{"label.npy": nil, "prompt.npy": nil, "dummy.npy": nil, "classes.json": nil}))
	if err != nil {
		t.Fatal(err)
	}
	if negatives.ClassCount() != 0 || negatives.Labels != nil {
		t.Errorf("%+v", negatives)
	}
	if _, err := negatives.Scores(dot, negatives); err == nil || !strings.Contains(err.Error(), "pets has no classes") {
		t.Errorf("error %v", err)
	}
	classes, err := ReadTask(taskFolder(t, map[string]any{"label.npy": embedding.Int64Array([]int64{0, 3, 1}), "dummy.npy": nil, "classes.json": nil}))
	if err != nil || classes.Templates != 1 || classes.ClassCount() != 4 {
		t.Fatalf("%+v, %v", classes, err)
	}
	if scores, err := negatives.Scores(dot, classes); err != nil || scores.Columns != 4 || scores.Rows != 3 {
		t.Errorf("scores %d×%d, %v", scores.Rows, scores.Columns, err)
	}
}

func TestDamagedTasksAreRefusedWithTheReason(t *testing.T) {
	for want, change := range map[string]map[string]any{
		"image.npy": {"image.npy": nil},
		"label.npy: image 1 has label 2 of 2 classes":         {"label.npy": embedding.Int64Array([]int64{0, 2, 1})},
		"label.npy: 2 labels for 3 images":                    {"label.npy": embedding.Int64Array([]int64{0, 1})},
		"0 labels and 2 classes":                              {"label.npy": nil},
		"prompt.npy: 4 prompts for 3 classes of classes.json": {"classes.json": `["a", "b", "c"]`},
		"2 classes for 4 prompts":                             {"classes.json": nil},
		"classes.json":                                        {"classes.json": `{`},
		"prompt.npy: rows of 1 columns, the images have 2":    {"prompt.npy": rows(t, []float64{1}, []float64{1}).Array()},
		"dummy.npy: embedding: row 0 is all zeros":            {"dummy.npy": rows(t, []float64{0, 0}).Array()},
		"label.npy: not a .npy file":                          {"label.npy": "no array"},
		"image.npy: embedding: row 1, column 0 is NaN":        {"image.npy": embedding.Float32Array([]float32{1, 0, float32(math.NaN()), 2, 3, 3}, 3, 2)},
		"label.npy: image 2 has label -1 of 2 classes":        {"label.npy": embedding.Int64Array([]int64{0, 1, -1})},
		"label.npy: embedding: element 1 is 0.5":              {"label.npy": embedding.Float64Array([]float64{0, 0.5, 1})},
		"prompt.npy: embedding: array of 3 dimensions":        {"prompt.npy": embedding.Float32Array(make([]float32, 8), 2, 2, 2)},
	} {
		if _, err := ReadTask(taskFolder(t, change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
