package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/source"
	"gosphere/asymvlm/zeroshot"
)

// references is the folder of tiny networks that may lie next to the repository.
const references = "../../../../shared/golden/encoders/models/clip_hf_gelu"

// tiny opens a tiny random CLIP with a vocabulary of words.
func tiny(t testing.TB) *encoder.Encoder {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"config.json", "model.safetensors"} {
		data, err := os.ReadFile(filepath.Join(references, name))
		if err != nil {
			t.Skip("no references:", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lines := []string{"[PAD]", "[UNK]", "[CLS]"}
	for len(lines) < 511 {
		lines = append(lines, fmt.Sprint("word", len(lines)))
	}
	lines = append(lines, "[SEP]") // 511, at which this network reads a text
	if err := os.WriteFile(filepath.Join(dir, "vocab.txt"), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// photoFolder writes a folder of pictures with captions, in which every broken-th picture is
// damaged.
func photoFolder(t testing.TB, count, broken int) string {
	t.Helper()
	dir := t.TempDir()
	var table strings.Builder
	for i := range count {
		m := image.NewNRGBA(image.Rect(0, 0, 40, 36))
		for j := range 40 * 36 {
			m.SetNRGBA(j%40, j/40, color.NRGBA{byte(i * j), byte(j), byte(i), 255})
		}
		var file bytes.Buffer
		if err := png.Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		data := file.Bytes()
		if broken > 0 && i%broken == broken-1 {
			data = data[:len(data)/2]
		}
		name := fmt.Sprintf("%04d.png", i)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "%s\tword%d word%d\n%s\tword%d\n", name, i+3, i+4, name, i+7)
	}
	if err := os.WriteFile(filepath.Join(dir, "captions.txt"), []byte(table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// photos opens such a folder.
func photos(t testing.TB, count, broken int) *source.Source {
	t.Helper()
	s, err := source.Open("folder", photoFolder(t, count, broken), "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files returns the contents of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[entry.Name()] = string(data)
	}
	return all
}

func TestAnInterruptedJobGivesTheSameBytes(t *testing.T) {
	e, s := tiny(t), photos(t, 150, 30)
	whole, pieces := filepath.Join(t.TempDir(), "a/val"), filepath.Join(t.TempDir(), "b/val")
	o := Options{Encoder: e, Source: s, Folder: whole, Shard: 20, MostBad: 10}
	state, err := Run(context.Background(), o)
	if err != nil || state.Pictures != 145 || state.Captions != 290 || state.Bad != 5 {
		t.Fatalf("%+v, %v", state, err)
	}
	o.Folder = pieces
	runs := 0
	for ; runs < 100; runs++ {
		ctx, cancel := context.WithCancel(context.Background())
		steps := 0
		o.Progress = func(State) {
			if steps++; steps > 2 { // the third shard is embedded but not written
				cancel()
			}
		}
		_, err := Run(ctx, o)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if runs == 0 {
		t.Error("the job was never interrupted")
	}
	want, got := files(t, whole), files(t, pieces)
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s differs", name)
		}
	}
	if len(got) != len(want) || strings.Count(want["bad.txt"], "\n") != 5 {
		t.Errorf("%d files, want %d; bad.txt:\n%s", len(got), len(want), want["bad.txt"])
	}
	set, err := embedding.ReadSet(pieces)
	if err != nil || set.Captions[2*28] != "word31 word32" || set.CaptionImages[2*29] != 29 {
		t.Errorf("%v, %v", set, err)
	}
	alone, err := e.Texts(context.Background(), set.Captions[7])
	if err != nil || fmt.Sprint(alone.Row(0)) != fmt.Sprint(set.Texts.Row(7)) {
		t.Errorf("caption 7 has another embedding (%v)", err)
	}
	if state, err := Run(context.Background(), o); err != nil || state.Resumed != 145 {
		t.Errorf("a complete job: %+v, %v", state, err)
	}
}

func TestTooManyBadPicturesEndTheJob(t *testing.T) {
	_, err := Run(context.Background(), Options{Encoder: tiny(t), Source: photos(t, 20, 4), Folder: filepath.Join(t.TempDir(), "x"), MostBad: 3})
	if err == nil || !strings.Contains(err.Error(), "5 pictures cannot be used, more than 3; the last is 0019.png: encoder: png") {
		t.Errorf("got %v", err)
	}
}

func TestAFolderOfAnotherJobIsNotContinued(t *testing.T) {
	e, folder := tiny(t), filepath.Join(t.TempDir(), "x")
	if _, err := Run(context.Background(), Options{Encoder: e, Source: photos(t, 3, 0), Folder: folder}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Options{Encoder: e, Source: photos(t, 4, 0), Folder: folder}); err == nil || !strings.Contains(err.Error(), "made with another encoder, collection") {
		t.Errorf("got %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Options{Encoder: e, Source: photos(t, 3, 0), Folder: other}); err == nil || !strings.Contains(err.Error(), "no job has written") {
		t.Errorf("got %v", err)
	}
}

func TestACollectionWithClassesBecomesATask(t *testing.T) {
	e, dir := tiny(t), t.TempDir()
	var data []byte
	for i := range 12 {
		data = append(data, byte(i%2))
		for j := range 3072 {
			data = append(data, byte(i*j))
		}
	}
	for name, text := range map[string]string{"batches.meta.txt": "word5\nword9\n", "test_batch.bin": string(data)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := source.Open("cifar10", dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Encoder: e, Source: s, Folder: filepath.Join(t.TempDir(), "cifar10"), Shard: 5}
	if state, err := Run(context.Background(), o); err != nil || state.Pictures != 12 {
		t.Fatalf("%+v, %v", state, err)
	}
	task, err := zeroshot.ReadTask(o.Folder)
	if err != nil {
		t.Fatal(err)
	}
	if task.Images.Rows != 12 || task.Templates != 18 || task.Prompts.Rows != 36 || task.Dummies.Rows != 3 || task.Labels[7] != 1 || task.Classes[1] != "word9" {
		t.Errorf("%d pictures, %d templates, %d prompts, labels %v, classes %q", task.Images.Rows, task.Templates, task.Prompts.Rows, task.Labels, task.Classes)
	}
	if state, err := Run(context.Background(), o); err != nil || state.Resumed != 12 {
		t.Errorf("a complete job: %+v, %v", state, err)
	}
}
