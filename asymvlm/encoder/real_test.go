package encoder

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gosphere/asymvlm/embedding"
)

// realMiniLM opens all-MiniLM-L6-v2. It skips the test if no folder of GOSPHERE_ENCODERS has it.
func realMiniLM(t *testing.T) *Encoder {
	t.Helper()
	e, err := Open("all-MiniLM-L6-v2")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("all-MiniLM-L6-v2 is in no folder of " + FoldersVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// readOrSkip decodes a JSON file next to the repository, or skips the test.
func readOrSkip(t *testing.T, name string, value any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../shared", name))
	if err != nil {
		t.Skip("no references:", err)
	}
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatal(err)
	}
}

// A coco is the content of COCO's file of captions.
type coco struct {
	Annotations []annotation `json:"annotations"`
}

type annotation struct {
	ID      int64  `json:"id"`
	Caption string `json:"caption"`
}

func TestRealMiniLMGivesTheStoredVectors(t *testing.T) {
	check, err := realMiniLM(t).Check(context.Background(), "")
	if err != nil || !check.Passed() {
		t.Errorf("%+v, %v", check, err)
	}
}

func TestRealMiniLMGivesTheOutputsOfPyTorch(t *testing.T) {
	e := realMiniLM(t)
	var captions coco
	var odd, texts []string
	readOrSkip(t, "data/coco_captions_val2017/captions_val2017.json", &captions)
	readOrSkip(t, "golden/encoders/tokenizers/odd.json", &odd)
	slices.SortFunc(captions.Annotations, func(a, b annotation) int { return int(a.ID - b.ID) })
	for _, a := range captions.Annotations[:200] {
		texts = append(texts, a.Caption)
	}
	texts = append(texts, odd...)
	expected, err := embedding.ReadSafetensors(filepath.Join(references, "models/minilm_real/expected.safetensors"))
	if err != nil {
		t.Skip("no references:", err)
	}
	want, err := expected.Arrays["mean"].Matrix()
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Texts(context.Background(), texts...)
	if err != nil || got.Rows != want.Rows {
		t.Fatalf("%d rows, want %d (%v)", got.Rows, want.Rows, err)
	}
	for i := range got.Rows {
		if cosine, norm := compared(got.Row(i), want.Row(i)); cosine < 0.999999 || math.Abs(norm-1) > 1e-5 {
			t.Errorf("%.60q: cosine %.9f, norm ratio %.7f", texts[i], cosine, norm)
		}
	}
}

func TestRealMiniLMIsTheEncoderOfTheBuiltInScenes(t *testing.T) {
	e := realMiniLM(t)
	var captions coco
	readOrSkip(t, "data/coco_captions_val2017/captions_val2017.json", &captions)
	wording := map[int64]string{}
	for _, a := range captions.Annotations {
		wording[a.ID] = a.Caption
	}
	train, test, err := embedding.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	compares := 0
	for _, set := range []*embedding.Set{train, test} {
		var texts []string
		var rows []int
		for i, id := range set.CaptionIDs {
			if caption, ok := wording[id]; ok && len(texts) < 500 {
				texts, rows = append(texts, caption), append(rows, i)
			}
		}
		got, err := e.Texts(context.Background(), texts...)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			compares++
			// The stored embeddings are rounded to 8 bits.
			if cosine, norm := compared(got.Row(i), set.Texts.Row(row)); cosine < 0.9999 || math.Abs(norm-1) > 5e-3 {
				t.Errorf("%.60q: cosine %.6f, norm ratio %.4f", texts[i], cosine, norm)
			}
		}
	}
	t.Logf("%d captions", compares)
	if compares == 0 {
		t.Error("no caption of the scenes is in COCO's file")
	}
}
