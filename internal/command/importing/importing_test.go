package importing

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/command/process"
)

// paired returns images, and texts near them: two for each image.
func paired(images int) (x, y embedding.Matrix) {
	random := rand.New(rand.NewPCG(1, 2))
	x, y = embedding.NewMatrix(images, 6), embedding.NewMatrix(images, 6)
	for i := range x.Values {
		x.Values[i] = float32(random.NormFloat64())
		y.Values[i] = 3*x.Values[i] + float32(0.3*random.NormFloat64())
	}
	return x, y
}

// written writes matrices in several formats and returns their paths by format.
func written(t *testing.T, dir, name string, m embedding.Matrix) map[string]string {
	t.Helper()
	paths := map[string]string{}
	for _, format := range []string{".npy", ".safetensors", ".csv"} {
		paths[format] = filepath.Join(dir, name+format)
	}
	var lines strings.Builder
	for i := range m.Rows {
		for j, value := range m.Row(i) {
			if j > 0 {
				lines.WriteString(",")
			}
			fmt.Fprint(&lines, value)
		}
		lines.WriteString("\n")
	}
	err := errors.Join(embedding.WriteNPY(paths[".npy"], m.Array()),
		embedding.WriteSafetensors(paths[".safetensors"], &embedding.Safetensors{Arrays: map[string]*embedding.Array{"emb": m.Array(), "scale": embedding.Float32Array([]float32{1})}}),
		os.WriteFile(paths[".csv"], []byte(lines.String()), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestImportedPairsAreASetSplitByImage(t *testing.T) {
	dir := t.TempDir()
	x, y := paired(60)
	images, texts := written(t, dir, "images", x), written(t, dir, "texts", y)
	captions := make([]string, 60)
	for i := range captions {
		captions[i] = fmt.Sprintf("caption %d", i)
	}
	list := filepath.Join(dir, "captions.txt")
	if err := os.WriteFile(list, []byte(strings.Join(captions, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var first []string
	for format := range images {
		c := Import{Name: "mine" + format[1:], Images: images[format], Texts: texts[format], Captions: list, Val: 0.25, Seed: 3, Embeddings: dir}
		var out bytes.Buffer
		if err := c.run(&out); err != nil {
			t.Fatalf("%s: %v\n%s", format, err, out.String())
		}
		train, err := embedding.ReadSet(filepath.Join(dir, c.Name, "train"))
		if err != nil {
			t.Fatal(err)
		}
		val, err := embedding.ReadSet(filepath.Join(dir, c.Name, "val"))
		if err != nil {
			t.Fatal(err)
		}
		if train.Images.Rows != 45 || val.Images.Rows != 15 {
			t.Errorf("%s: %d and %d images", format, train.Images.Rows, val.Images.Rows)
		}
		both := append(slices.Clone(train.Captions), val.Captions...)
		slices.Sort(both)
		slices.Sort(captions)
		if !slices.Equal(both, captions) {
			t.Errorf("%s: captions %q", format, both)
		}
		for text, image := range val.CaptionImages {
			var row int
			fmt.Sscanf(val.Captions[text], "caption %d", &row)
			if !slices.Equal(val.Images.Row(image), x.Row(row)) || math.Abs(float64(val.Texts.At(text, 0)-y.At(row, 0))) > 1e-6 {
				t.Errorf("%s: %s is paired with another image", format, val.Captions[text])
			}
		}
		if first == nil {
			first = val.Captions
		} else if !slices.Equal(first, val.Captions) {
			t.Errorf("%s: another split with the same seed", format)
		}
		if err := c.run(&out); err == nil || !strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("a second import: %v", err)
		}
	}
}

// One file of pairs, which train and crossval read, too, is imported with captions.
func TestAFileOfPairsIsImported(t *testing.T) {
	dir := t.TempDir()
	x, y := paired(40)
	file, list := filepath.Join(dir, "pairs.npy"), filepath.Join(dir, "captions.txt")
	err := errors.Join(embedding.WriteNPY(file, embedding.Float32Array(append(slices.Clone(x.Values), y.Values...), 2, 40, 6)),
		os.WriteFile(list, []byte(strings.Repeat("a caption\n", 40)), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (Import{Name: "mine", Folder: file, Captions: list, Val: 0.25, Embeddings: dir}).run(&out); err != nil {
		t.Fatal(err)
	}
	val, err := embedding.ReadSet(filepath.Join(dir, "mine", "val"))
	if err != nil || val.Images.Rows != 10 || val.Captions[3] != "a caption" {
		t.Fatalf("%v, %v", val, err)
	}
	for text, image := range val.CaptionImages {
		row := slices.IndexFunc(y.Values, func(value float32) bool { return value == val.Texts.At(text, 0) }) / 6
		if !slices.Equal(val.Images.Row(image), x.Row(row)) {
			t.Errorf("text %d is paired with another image", text)
		}
	}
	err = Import{Name: "other", Folder: list, Val: 0.25, Embeddings: dir}.run(&out)
	if err == nil || !strings.Contains(err.Error(), "captions.txt") {
		t.Errorf("a file of no pairs: %v", err)
	}
}

// TestTensorsOfTorchAreImported imports files that torch.save wrote: a tensor, and a dictionary
// with one.
func TestTensorsOfTorchAreImported(t *testing.T) {
	dir := t.TempDir()
	c := Import{Name: "torch", Images: "testdata/images.pt", Texts: "testdata/texts.pt", Val: 0.5, Embeddings: dir}
	var out bytes.Buffer
	// The rows are random, so the pairing is at chance.
	err := c.run(&out)
	if found := process.Findings(0); err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	m, err := readMatrix("testdata/texts.pt#text_embeddings")
	if err != nil || m.Rows != 30 || m.Columns != 4 {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := readMatrix("testdata/texts.pt#other"); err == nil || !strings.Contains(err.Error(), `no array "other"`) {
		t.Errorf("another name: %v", err)
	}
}

func TestPairsOfACSVMayGiveATextSeveralImages(t *testing.T) {
	dir := t.TempDir()
	x, y := paired(40)
	images, texts := written(t, dir, "images", x), written(t, dir, "texts", y)
	var lines strings.Builder
	lines.WriteString("image,text_row,caption\n")
	for i := range 40 {
		fmt.Fprintf(&lines, "%d,%d,\"caption, %d\"\n", i, i, i)
	}
	lines.WriteString("7,0,\"caption, 0\"\n")
	pairs := filepath.Join(dir, "pairs.csv")
	if err := os.WriteFile(pairs, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Import{Images: images[".npy"], Texts: texts[".npy"], Pairs: pairs}.read()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.ImagesOf(0), []int{0, 7}) || !slices.Equal(set.ImagesOf(1), []int{1}) || set.Captions[39] != "caption, 39" {
		t.Errorf("images %v, captions %q", set.Positives[:2], set.Captions)
	}
	for text, want := range map[string]string{
		"image,text_row\n0,0\n": "text 1 has no image", "image,text_row\n0,99\n": "line 2: text_row 99, but there are 40 texts", "image\n1\n": "1 pairs for 40 texts",
		"picture\n1\n": "no column image", "image\nx\n": `"x" is no row`, "": "unexpected EOF",
	} {
		if err := os.WriteFile(pairs, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (Import{Images: images[".npy"], Texts: texts[".npy"], Pairs: pairs}).read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestImportReportsProblems imports shuffled pairs with an empty caption and expects the findings
// and the error that sets the exit status.
func TestImportReportsProblems(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "arrays")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	x, y := paired(200)
	random := rand.New(rand.NewPCG(5, 6))
	order := random.Perm(200)
	shuffled := embedding.NewMatrix(200, 6)
	for i, row := range order {
		copy(shuffled.Row(i), y.Row(row))
	}
	written(t, folder, "images", x)
	written(t, folder, "texts", shuffled)
	os.Remove(filepath.Join(folder, "images.safetensors"))
	os.Remove(filepath.Join(folder, "images.csv"))
	os.Remove(filepath.Join(folder, "texts.npy"))
	os.Remove(filepath.Join(folder, "texts.safetensors"))
	list := filepath.Join(dir, "captions.txt")
	if err := os.WriteFile(list, []byte(strings.Repeat("a dog\n", 199)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := Import{Name: "bad", Folder: folder, Captions: list, Val: 0.5, Embeddings: dir}.run(&out)
	found := process.Findings(0)
	if !errors.As(err, &found) || !strings.Contains(out.String(), "at chance level") || !strings.Contains(out.String(), "captions are empty") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
