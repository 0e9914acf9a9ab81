package embedding

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder creates a folder data/split with the given files.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data", "split")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// plain returns the files of a folder with two images and three texts.
func plain(t *testing.T) map[string][]byte {
	return map[string][]byte{
		"image.npy":               npyBytes("<f2", "False", "(2, 2)", littleEndian(t, []uint16{0x3c00, 0, 0, 0x4000})),
		"text.npy":                npyBytes("<f4", "False", "(3, 2)", littleEndian(t, []float32{1, 2, 3, 4, 5, 6})),
		"cap_id_to_img_id.json":   []byte(`{"0": 0, "2": 1, "1": 0}`),
		"notes that do not count": []byte("anything"),
	}
}

func TestReadSetReadsThePapersLayout(t *testing.T) {
	set, err := ReadSet(folder(t, plain(t)))
	if err != nil {
		t.Fatal(err)
	}
	if set.Name != "data/split" || set.Images.At(1, 1) != 2 || set.Texts.At(2, 0) != 5 {
		t.Errorf("read %v: images %v, texts %v", set, set.Images.Values, set.Texts.Values)
	}
	if !slices.Equal(set.CaptionImages, []int{0, 0, 1}) || set.Captions != nil || set.CaptionIDs != nil {
		t.Errorf("table %v, captions %v, identifiers %v", set.CaptionImages, set.Captions, set.CaptionIDs)
	}
}

func TestReadSetReadsEverythingFromArchives(t *testing.T) {
	texts := npyBytes("|i1", "False", "(3, 2)", []byte{1, 2, 3, 4, 5, 250})
	set, err := ReadSet(folder(t, map[string][]byte{
		"images.safetensors": safetensorsBytes(`{"vectors":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`,
			littleEndian(t, []float32{3, 4})),
		"texts.npz": npzBytes(t, zip.Deflate, "texts.npy", texts,
			"texts_scale.npy", npyBytes("<f4", "False", "(3,)", littleEndian(t, []float32{1, 2, 0.5})),
			"caption_images.npy", npyBytes("<i4", "False", "(3,)", littleEndian(t, []int32{0, 0, 0})),
			"caption_ids.npy", npyBytes("<i8", "False", "(3,)", littleEndian(t, []int64{7, 8, 9}))),
		"captions.json":      []byte(`["a dog", "a cat", "ein Haus"]`),
		"caption_tokens.npy": npyBytes("|u1", "False", "(3,)", []byte{2, 2, 3}),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.CaptionTokens, []int{2, 2, 3}) {
		t.Errorf("tokens %v", set.CaptionTokens)
	}
	if !slices.Equal(set.Texts.Values, []float32{1, 2, 6, 8, 2.5, -3}) {
		t.Errorf("int8 texts became %v", set.Texts.Values)
	}
	if set.Captions[2] != "ein Haus" || set.CaptionIDs[0] != 7 || set.Images.At(0, 1) != 4 {
		t.Errorf("read captions %v, identifiers %v", set.Captions, set.CaptionIDs)
	}
}

func TestReadSetNamesFileRowAndReason(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		change func(files map[string][]byte)
		want   []string
	}{
		{"a caption that is null", func(f map[string][]byte) { f["captions.json"] = []byte(`["a", null, "b"]`) }, []string{"captions.json", "caption 1 is null"}},
		{"captions in an object", func(f map[string][]byte) { f["captions.json"] = []byte(`{"0": "a"}`) }, []string{"captions.json", "want a list of captions"}},
		{"no images", func(f map[string][]byte) { delete(f, "image.npy") }, []string{"no file image.npy"}},
		{"pickle", func(f map[string][]byte) { delete(f, "text.npy"); f["text.pt"] = nil }, []string{"text.pt", "pickle", "numpy.save"}},
		{"another name", func(f map[string][]byte) { f["text_embeddings.npy"] = f["text.npy"]; delete(f, "text.npy") }, []string{"no file text.npy", "it has image.npy, text_embeddings.npy"}},
		{"two files", func(f map[string][]byte) { f["texts.npz"] = nil }, []string{"both", "text.npy", "texts.npz"}},
		{"NaN", func(f map[string][]byte) {
			f["text.npy"] = npyBytes("<f4", "False", "(3, 2)", littleEndian(t, []float32{1, 2, 3, nan, 5, 6}))
		}, []string{"text.npy", "row 1, column 1 is NaN"}},
		{"infinite half", func(f map[string][]byte) {
			f["image.npy"] = npyBytes("<f2", "False", "(1, 2)", []byte{0, 0x3c, 0, 0x7c})
		}, []string{"image.npy", "row 0, column 1 is +Inf"}},
		{"zero row", func(f map[string][]byte) {
			f["image.npy"] = npyBytes("<f4", "False", "(2, 2)", littleEndian(t, []float32{1, 2, 0, 0}))
		}, []string{"image.npy", "row 1 is all zeros"}},
		{"widths", func(f map[string][]byte) {
			f["image.npy"] = npyBytes("<f4", "False", "(1, 3)", littleEndian(t, []float32{1, 2, 3}))
		}, []string{"data/split", "images have 3 columns, texts 2"}},
		{"no table", func(f map[string][]byte) { delete(f, tableFile) }, []string{tableFile, "caption_images", "text.npy"}},
		{"short table", func(f map[string][]byte) { f[tableFile] = []byte(`[0, 1]`) }, []string{"2 entries for 3 texts"}},
		{"image out of range", func(f map[string][]byte) { f[tableFile] = []byte(`[0, 1, 2]`) }, []string{"caption 2 belongs to image 2"}},
		{"caption out of range", func(f map[string][]byte) { f[tableFile] = []byte(`{"0":0,"1":0,"7":1}`) }, []string{tableFile, `caption "7"`}},
		{"caption twice", func(f map[string][]byte) { f[tableFile] = []byte(`{"0":0,"1":0,"01":1}`) }, []string{tableFile, "caption 1 twice"}},
		{"caption not a row", func(f map[string][]byte) { f[tableFile] = []byte(`{"0":0,"one":0}`) }, []string{tableFile, `"one"`}},
		{"table of text", func(f map[string][]byte) { f[tableFile] = []byte(`"hello"`) }, []string{tableFile, "want a list"}},
		{"captions", func(f map[string][]byte) { f[captionsFile] = []byte(`["one"]`) }, []string{"1 captions for 3 texts"}},
		{"captions not text", func(f map[string][]byte) { f[captionsFile] = []byte(`[1]`) }, []string{captionsFile}},
		{"identifiers", func(f map[string][]byte) {
			f["caption_ids.npy"] = npyBytes("<f4", "False", "(3,)", littleEndian(t, []float32{1, 2.5, 3}))
		}, []string{"caption_ids.npy", "element 1 is 2.5"}},
		{"truncated", func(f map[string][]byte) { f["text.npy"] = f["text.npy"][:140] }, []string{"text.npy", "more numbers than"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := plain(t)
			c.change(files)
			_, err := ReadSet(folder(t, files))
			wantError(t, err, c.want...)
		})
	}
}

func TestReadSetAsksForTheScaleOfInt8(t *testing.T) {
	files := plain(t)
	files["text.npy"] = npyBytes("|i1", "False", "(3, 2)", []byte{1, 2, 3, 4, 5, 6})
	_, err := ReadSet(folder(t, files))
	wantError(t, err, "text.npy", `no array "text_scale"`)
	delete(files, "text.npy")
	files["text.npz"] = npzBytes(t, zip.Store, "a.npy", plain(t)["text.npy"], "b.npy", plain(t)["text.npy"])
	_, err = ReadSet(folder(t, files))
	wantError(t, err, "text.npz", `no array "text" among ["a" "b"]`)
}

func TestWriteSetRoundTrip(t *testing.T) {
	set := small(t)
	set.Name = "data/split"
	dir := filepath.Join(t.TempDir(), "data", "split")
	if err := WriteSet(dir, set); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != set.Name || !slices.Equal(got.Images.Values, set.Images.Values) ||
		!slices.Equal(got.Texts.Values, set.Texts.Values) || !slices.Equal(got.CaptionImages, set.CaptionImages) ||
		!slices.Equal(got.Captions, set.Captions) || !slices.Equal(got.CaptionIDs, set.CaptionIDs) ||
		!slices.Equal(got.CaptionTokens, set.CaptionTokens) {
		t.Errorf("read %+v, want %+v", got, set)
	}
	set.Captions = nil
	if err := WriteSetInt8(dir, set); err != nil {
		t.Fatal(err)
	}
	if got, err = ReadSet(dir); err != nil {
		t.Fatal(err)
	}
	if got.Captions != nil {
		t.Error("captions of the earlier set were left behind")
	}
	for i, value := range got.Texts.Values {
		if math.Abs(float64(value-set.Texts.Values[i])) > 4./127/2*1.0001 {
			t.Errorf("value %d came back as %g, was %g", i, value, set.Texts.Values[i])
		}
	}
	set.CaptionImages[0] = 9
	wantError(t, WriteSet(dir, set), "caption 0 belongs to image 9")
}

func TestInt8KeepsSignsZerosAndExtremes(t *testing.T) {
	m := rows(t, []float64{0, 0, 0}, []float64{-127, 63.4, 127}, []float64{1e-44, -1e-44, 0}, []float64{3e38, -3e38, 1e38})
	values, scales, err := CompressInt8(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ExpandInt8(values, scales)
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Row(1); got[0] != -127 || got[1] != 63 || got[2] != 127 {
		t.Errorf("row 1 came back as %v", got)
	}
	if got := back.Row(0); got[0] != 0 || got[2] != 0 {
		t.Errorf("zeros came back as %v", got)
	}
	if err := back.Check(); err != nil {
		t.Error(err)
	}
	if got := float64(back.At(3, 1)); math.Abs(got/-3e38-1) > 1e-6 {
		t.Errorf("-3e38 came back as %g", got)
	}
	m.Set(0, 0, float32(math.Inf(1)))
	_, _, err = CompressInt8(m)
	wantError(t, err, "row 0")
	_, err = ExpandInt8(Float32Array(nil), scales)
	wantError(t, err, "want I8")
	_, err = ExpandInt8(values, Float32Array([]float32{1}))
	wantError(t, err, "1 scales for 4 rows")
}

func TestScenesAreWhatTheirNoteSays(t *testing.T) {
	train, test, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set            *Set
		images, texts  int
		name, describe string
	}{
		{train, 4000, 8000, "scenes_minilm/train", "training"},
		{test, 1000, 2000, "scenes_minilm/test", "test"},
	} {
		if err := c.set.Check(); err != nil {
			t.Errorf("%s: %v", c.describe, err)
		}
		if c.set.Name != c.name || c.set.Images.Rows != c.images || c.set.Texts.Rows != c.texts || c.set.Texts.Columns != 384 {
			t.Errorf("%s: %v", c.describe, c.set)
		}
		for image, captions := range c.set.ImageCaptions() {
			if len(captions) != 2 {
				t.Fatalf("%s: image %d has %d captions", c.describe, image, len(captions))
			}
		}
		sum, squares := 0.0, 0.0
		for _, length := range c.set.Texts.Norms() {
			sum, squares = sum+length, squares+length*length
		}
		mean := sum / float64(c.texts)
		if sd := math.Sqrt(squares/float64(c.texts) - mean*mean); math.Abs(mean-5.3) > 0.05 || math.Abs(sd-0.5) > 0.06 {
			t.Errorf("%s: lengths of texts %.3f ± %.3f, the note says 5.3 ± 0.5", c.describe, mean, sd)
		}
		for i, length := range c.set.Images.Norms() {
			if math.Abs(length-1) > 1e-6 {
				t.Fatalf("%s: image %d has length %g", c.describe, i, length)
			}
		}
	}
	seen := map[int64]bool{}
	for _, id := range slices.Concat(train.CaptionIDs, test.CaptionIDs) {
		if seen[id] {
			t.Fatalf("caption %d occurs twice", id)
		}
		seen[id] = true
	}
	images := slices.Concat(train.ImageIDs, test.ImageIDs)
	slices.Sort(images)
	if len(slices.Compact(images)) != train.Images.Rows+test.Images.Rows {
		t.Error("images without identifiers, or with the same one")
	}
	tokens := slices.Concat(train.CaptionTokens, test.CaptionTokens)
	sum := 0
	for _, n := range tokens {
		sum += n
	}
	if mean := float64(sum) / float64(len(tokens)); slices.Min(tokens) != 7 || slices.Max(tokens) != 40 || math.Abs(mean-11.51) > 0.005 {
		t.Errorf("captions have %d to %d tokens, mean %.2f; the note says 7 to 40, 11.51", slices.Min(tokens), slices.Max(tokens), mean)
	}
	if !strings.Contains(ScenesNote, "CC BY 4.0") || !bytes.Contains([]byte(ScenesNote), []byte("Apache-2.0")) {
		t.Error("the note has lost its attributions")
	}
}

func BenchmarkScenes(b *testing.B) {
	for b.Loop() {
		if _, _, err := Scenes(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestReadSetNamesAFolderThatIsNotThere(t *testing.T) {
	_, err := ReadSet(filepath.Join(t.TempDir(), "mine", "train"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, "no folder of embeddings", filepath.Join("mine", "train"))
}
