package adapter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// writtenSet writes a set to a folder and returns the folder.
func writtenSet(t *testing.T, images, texts, columns int) string {
	t.Helper()
	dir, random := filepath.Join(t.TempDir(), "data/val"), rand.New(rand.NewPCG(1, 2))
	set := &embedding.Set{Images: embedding.NewMatrix(images, columns), Texts: embedding.NewMatrix(texts, columns)}
	for _, m := range []embedding.Matrix{set.Images, set.Texts} {
		for i := range m.Values {
			m.Values[i] = float32(random.IntN(4001)-2000) / 1024 // no row is 0
		}
	}
	for text := range texts {
		set.CaptionImages = append(set.CaptionImages, text%images)
		for j, value := range set.Images.Row(text % images) {
			set.Texts.Set(text, j, set.Texts.At(text, j)/4+value)
		}
	}
	if err := embedding.WriteSet(dir, set); err != nil {
		t.Fatal(err)
	}
	return dir
}

// bothWays returns a set in memory, and the same set with its rows in files.
func bothWays(t *testing.T, images, texts, columns int) (memory, files *embedding.Set) {
	t.Helper()
	dir := writtenSet(t, images, texts, columns)
	memory, err := embedding.ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err = embedding.OpenSet(dir, 0)
	if err != nil || !files.IsStored() {
		t.Fatalf("%v, %v", files, err)
	}
	return memory, files
}

func TestASetInFilesIsTrainedOnAndEvaluatedAsOneInMemory(t *testing.T) {
	memory, files := bothWays(t, 40, 90, 16)
	if Checksum(memory) != Checksum(files) {
		t.Error("the check sums differ")
	}
	for _, method := range []string{AsymVLMVonMisesFisher, CLIP, ProbVLM, AsymVLMImage, ResidualVonMisesFisher, DeterministicFineTuning} {
		var reports [2]string
		var steps [2][]float64
		for i, set := range []*embedding.Set{memory, files} {
			options := smallOptions(method)
			trained, err := Train(context.Background(), set, options)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			report, err := trained.Evaluate(set, 5)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			reports[i], steps[i] = fmt.Sprint(report, report.TextToImage.Uncertainty, report.ImageToText.Uncertainty), trained.History().Loss
			if !trained.IsOf(memory, options) {
				t.Errorf("%s: another training than that in memory", method)
			}
		}
		if reports[0] != reports[1] || !slices.Equal(steps[0], steps[1]) {
			t.Errorf("%s: in files\n%s\nin memory\n%s", method, reports[1], reports[0])
		}
	}
}

func TestMethodsThatComparePairsReadTheRows(t *testing.T) {
	memory, files := bothWays(t, 12, 30, 16)
	for _, method := range []string{BayesVLM, ELIP} {
		trained, err := Train(context.Background(), memory, smallOptions(method))
		if err != nil {
			t.Fatal(err)
		}
		want, err := trained.Evaluate(memory, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := trained.Evaluate(files, 2); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: in files\n%v, %v\nin memory\n%v", method, got, err, want)
		}
		if _, err := trained.Scores(files); err == nil || !strings.Contains(err.Error(), "the rows are left in their files") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestAFileThatBecameShorterIsAnError(t *testing.T) {
	dir := writtenSet(t, 40, 90, 16)
	set, err := embedding.OpenSet(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	trained := mustTrain(t, set, smallOptions(AsymVLMVonMisesFisher))
	text := filepath.Join(dir, "text.safetensors")
	if err := os.Truncate(text, 300); err != nil {
		t.Fatal(err)
	}
	if sum, err := ChecksumOf(set); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("checksum %q, %v", sum, err)
	}
	if trained.IsOf(set, smallOptions(AsymVLMVonMisesFisher)) {
		t.Error("the adapter is of a training on a set that cannot be read")
	}
	if _, err := Train(context.Background(), set, smallOptions(AsymVLMVonMisesFisher)); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("training: %v", err)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), text) {
			t.Errorf("Checksum panics with %v", err)
		}
	}()
	Checksum(set)
}
