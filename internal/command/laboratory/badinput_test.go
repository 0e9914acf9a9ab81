package laboratory

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// damaged writes a set of ten images with two texts each as a split of the data set "own", modified
// by a function and without the checks of WriteSet.
func damaged(t *testing.T, folder, split string, change func(files map[string]*embedding.Array)) {
	t.Helper()
	images, texts := make([]float32, 10*4), make([]float32, 20*4)
	for i := range texts {
		texts[i] = float32(1 + i%7)
	}
	for i := range images {
		images[i] = float32(1 + i%5)
	}
	table, ids := make([]int64, 20), make([]int64, 20)
	for i := range table {
		table[i], ids[i] = int64(i/2), int64(100+i)
	}
	files := map[string]*embedding.Array{
		"image": embedding.Float32Array(images, 10, 4), "text": embedding.Float32Array(texts, 20, 4),
		"caption_images": embedding.Int64Array(table), "caption_ids": embedding.Int64Array(ids),
	}
	change(files)
	dir := filepath.Join(folder, "embeddings", "own", split)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := embedding.WriteNPY(filepath.Join(dir, "image.npy"), files["image"]); err != nil {
		t.Fatal(err)
	}
	delete(files, "image")
	if err := embedding.WriteSafetensors(filepath.Join(dir, "text.safetensors"), &embedding.Safetensors{Arrays: files}); err != nil {
		t.Fatal(err)
	}
}

// floats modifies the values of one of the matrices.
func floats(files map[string]*embedding.Array, name string, change func(values []float32)) {
	values, err := files[name].Float32s()
	if err != nil {
		panic(err)
	}
	change(values)
	files[name] = embedding.Float32Array(values, files[name].Shape...)
}

// TestBadInputNamesFileRowAndRule checks that invalid data is reported before anything is trained
// or evaluated.
func TestBadInputNamesFileRowAndRule(t *testing.T) {
	for name, c := range map[string]struct {
		change func(files map[string]*embedding.Array)
		want   []string
	}{
		"NaN": {func(f map[string]*embedding.Array) {
			floats(f, "text", func(v []float32) { v[4*7+3] = float32(math.NaN()) })
		}, []string{"text.safetensors", "row 7, column 3 is NaN"}},
		"infinite": {func(f map[string]*embedding.Array) {
			floats(f, "image", func(v []float32) { v[4*2+1] = float32(math.Inf(-1)) })
		}, []string{"image.npy", "row 2, column 1 is -Inf"}},
		"zero vector": {func(f map[string]*embedding.Array) {
			floats(f, "text", func(v []float32) { clear(v[4*5 : 4*6]) })
		}, []string{"text.safetensors", "row 5 is all zeros, so it has no direction"}},
		"mismatched widths": {func(f map[string]*embedding.Array) {
			f["image"].Shape = []int{8, 5}
		}, []string{"image.npy", "images have 5 columns, texts 4 in text.safetensors"}},
		"mismatched counts": {func(f map[string]*embedding.Array) { f["caption_images"] = embedding.Int64Array(make([]int64, 19)) },
			[]string{"text.safetensors", "19 entries for 20 texts"}},
		"an image that is not there": {func(f map[string]*embedding.Array) {
			table := make([]int64, 20)
			table[4] = 10
			f["caption_images"] = embedding.Int64Array(table)
		}, []string{"text.safetensors", "caption 4 belongs to image 10, but there are 10 images"}},
		"duplicate identifiers": {func(f map[string]*embedding.Array) {
			ids := make([]int64, 20)
			for i := range ids {
				ids[i] = int64(i % 19)
			}
			f["caption_ids"] = embedding.Int64Array(ids)
		}, []string{"text.safetensors", "rows 0 and 19 have the caption identifier 0"}},
	} {
		folder := t.TempDir()
		damaged(t, folder, "train", c.change)
		damaged(t, folder, "val", c.change)
		_, _, trainErr := train(t, folder, "--dataset", "own", "--epochs", "1", "--batch", "8", "--hidden", "4")
		_, evalErr := eval(t, folder, "--dataset", "own")
		for command, err := range map[string]error{"train": trainErr, "eval": evalErr} {
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: error %v, want %q in it", name, command, err, want)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(folder, "checkpoints")); err == nil {
			t.Errorf("%s: there are checkpoints", name)
		}
	}
}

// A set of one image is described, although there is nothing to retrieve; a split that does not
// exist is answered by those that do; and a share for validation with fewer images than levels is
// refused before the training.
func TestSmallSetsAndMissingSplitsAreExplained(t *testing.T) {
	folder := t.TempDir()
	damaged(t, folder, "train", func(map[string]*embedding.Array) {})
	damaged(t, folder, "val", func(f map[string]*embedding.Array) {
		f["image"], f["text"] = embedding.Float32Array([]float32{9, -2, 3, 4}, 1, 4), embedding.Float32Array([]float32{9, -2, 1, 4}, 1, 4)
		f["caption_images"], f["caption_ids"] = embedding.Int64Array([]int64{0}), embedding.Int64Array([]int64{1})
	})
	var text bytes.Buffer
	info := EmbedInfo{Dataset: "own", sources: sources{Embeddings: filepath.Join(folder, "embeddings")}}
	if err := info.run(&text); err != nil || !strings.Contains(text.String(), "none: 1 images and 1 texts") || !strings.Contains(text.String(), "sha256") {
		t.Errorf("one image: %v\n%s", err, text.String())
	}
	info.Split = "test"
	if err := info.run(&text); err == nil || !strings.Contains(err.Error(), "which has train, val") {
		t.Errorf("a split that does not exist: %v", err)
	}
	_, _, err := train(t, folder, "--dataset", "own", "--validation", "0.2", "--method", "asymvlm-vmf-residual")
	if err == nil || !strings.Contains(err.Error(), "want at least 10, the number of levels") {
		t.Errorf("a share of few images: %v", err)
	}
}

func TestGalleriesThatAreTooSmallOrUnevenNameTheRule(t *testing.T) {
	folder := t.TempDir()
	whole := func(map[string]*embedding.Array) {}
	damaged(t, folder, "train", whole)
	damaged(t, folder, "val", func(f map[string]*embedding.Array) { f["caption_images"] = embedding.Int64Array(make([]int64, 20)) })
	damaged(t, folder, "tiny", func(f map[string]*embedding.Array) {
		f["image"], f["text"] = embedding.Float32Array([]float32{1, 2, 3, 4}, 1, 4), embedding.Float32Array([]float32{1, 2, 3, 4}, 1, 4)
		f["caption_images"], f["caption_ids"] = embedding.Int64Array([]int64{0}), embedding.Int64Array([]int64{1})
	})
	if _, _, err := train(t, folder, "--dataset", "own", "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	for want, arguments := range map[string][]string{
		"clip, seed 0 on own/val: retrieval: 1 queries leave 10 levels empty; want at most as many levels a": nil,
		"clip, seed 0 on own/tiny: retrieval: gallery of 1 images and 1 texts, want at least 2 of each":      {"--split", "tiny"},
		"clip, seed 0 on own/train: retrieval: 10 queries leave 11 levels empty; want at most as many leve":  {"--split", "train", "--uncer_levels", "11"},
	} {
		_, err := eval(t, folder, append([]string{"--dataset", "own", "--method", "clip"}, arguments...)...)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", arguments, err, want)
		}
	}
}

// A training that meets a NaN reports the step and the term, keeps the checkpoint of an earlier
// training, and does not prevent the next training.
func TestATrainingThatMeetsNaNLeavesCheckpointsAndOtherTrainings(t *testing.T) {
	folder := t.TempDir()
	damaged(t, folder, "train", func(map[string]*embedding.Array) {})
	flags := []string{"--dataset", "own", "--batch", "8", "--hidden", "4", "--every", "1", "--method", "asymvlm-vmf,clip"}
	if _, _, err := train(t, folder, append(flags, "--epochs", "2")...); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "checkpoints", "own", "0", "asymvlm-vmf.safetensors")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stdout, _, err := train(t, folder, append(flags, "--epochs", "9", "--lr", "1e6", "--overwrite")...)
	if err == nil || !strings.Contains(err.Error(), "asymvlm-vmf, seed 0") || !strings.Contains(err.Error(), "step 2 of 27: nn: the ") ||
		!strings.Contains(err.Error(), "the last checkpoint, "+file+", is kept") {
		t.Errorf("error %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Error("the checkpoint changed")
	}
	if !strings.Contains(stdout, "clip.safetensors") {
		t.Errorf("the next training was not done: %q", stdout)
	}
}

// A failing evaluation does not prevent the others.
func TestEvaluationsGoOnAfterOneThatFails(t *testing.T) {
	folder := t.TempDir()
	for _, split := range []string{"train", "val"} {
		damaged(t, folder, split, func(map[string]*embedding.Array) {})
	}
	if _, _, err := train(t, folder, "--dataset", "own", "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	stdout, err := eval(t, folder, "--dataset", "own", "--method", "pfe,clip", "--uncer_levels", "5")
	if err == nil || !strings.Contains(err.Error(), "pfe.safetensors; train it with") || !strings.Contains(stdout, "clip.json") {
		t.Errorf("error %v, output %q", err, stdout)
	}
	var command Train
	if err := parse(t, &command, "--dataset", "own", "--embeddings", filepath.Join(folder, "embeddings"), "--checkpoints", folder); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := command.run(ctx, &strings.Builder{}, &strings.Builder{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a training that was interrupted before it began: %v", err)
	}
}
