package tower

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// models is the folder of the reference models, which may lie next to the repository.
const models = "../../../../shared/golden/encoders/models"

// reference loads a network and its reference outputs, or skips the test.
func reference(t testing.TB, name string) (*Model, map[string]*embedding.Array) {
	t.Helper()
	dir := filepath.Join(models, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no references:", err)
	}
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	expected, err := embedding.ReadSafetensors(filepath.Join(dir, "expected.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return m, expected.Arrays
}

// values returns the values of a reference array.
func values(t testing.TB, a *embedding.Array) []float32 {
	t.Helper()
	if a == nil {
		t.Fatal("no such reference")
	}
	v, err := a.Float32s()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// inputs returns the ids and the pictures of a reference.
func inputs(t testing.TB, expected map[string]*embedding.Array) (ids [][]int32, pictures [][]float32) {
	t.Helper()
	a := expected["input_ids"]
	numbers, err := a.Ints()
	if err != nil {
		t.Fatal(err)
	}
	for row := range slices.Chunk(numbers, a.Shape[1]) {
		var line []int32
		for _, id := range row {
			line = append(line, int32(id))
		}
		ids = append(ids, line)
	}
	if p := expected["pixel_values"]; p != nil {
		for picture := range slices.Chunk(values(t, p), p.Shape[1]*p.Shape[2]*p.Shape[3]) {
			pictures = append(pictures, picture)
		}
	}
	return ids, pictures
}

// near fails for values that differ from the references by more than the tolerance.
func near(t *testing.T, name string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
	}
	if !(worst <= tolerance) {
		t.Errorf("%s: differs by %.2g, want at most %.2g", name, worst, tolerance)
	}
	t.Logf("%s: differs by %.2g", name, worst)
}

// The references are float32 themselves; an independent forward pass in NumPy is within 4.8e-7 of
// them. Hidden states have norms above 70 and need twice the tolerance.
const tolerance, hiddenTolerance = 5e-6, 1e-5

func TestTowersGiveTheOutputsOfTheReferences(t *testing.T) {
	for _, name := range []string{"clip_hf_quick_gelu", "clip_hf_gelu", "clip_openclip", "clip_openclip_customtext", "siglip_hf"} {
		t.Run(name, func(t *testing.T) {
			m, expected := reference(t, name)
			ids, pictures := inputs(t, expected)
			w := NewWorker()
			defer w.Close()
			texts, err := m.Text.Encode(w, ids)
			if err != nil {
				t.Fatal(err)
			}
			images, err := m.Image.Encode(w, pictures)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "text_features", texts.Values, values(t, expected["text_features"]), tolerance)
			near(t, "image_features", images.Values, values(t, expected["image_features"]), tolerance)
			if expected["logits_per_image"] == nil {
				return
			}
			unitTexts, _ := texts.Normalized()
			unitImages, _ := images.Normalized()
			near(t, "text_embeds", unitTexts.Values, values(t, expected["text_embeds"]), tolerance)
			near(t, "image_embeds", unitImages.Values, values(t, expected["image_embeds"]), tolerance)
			var logits []float32
			for i := range unitImages.Rows {
				for j := range unitTexts.Rows {
					cosine := 0.0
					for k, value := range unitImages.Row(i) {
						cosine += float64(value) * float64(unitTexts.At(j, k))
					}
					logits = append(logits, float32(m.LogitScale*cosine+m.LogitBias))
				}
			}
			near(t, "logits_per_image", logits, values(t, expected["logits_per_image"]), 5e-5) // the scale is 14
		})
	}
}

func TestHiddenStatesAreThoseOfTheReferences(t *testing.T) {
	m, expected := reference(t, "clip_hf_quick_gelu")
	ids, pictures := inputs(t, expected)
	w := NewWorker()
	defer w.Close()
	for _, side := range []struct {
		name string
		run  func() error
	}{
		{"text_hidden_", func() error { _, err := m.Text.Encode(w, ids); return err }},
		{"vision_hidden_", func() error { _, err := m.Image.Encode(w, pictures); return err }},
	} {
		seen := 0
		w.trace = func(layer int, x matrix) {
			seen++
			name := side.name + string(rune('0'+layer))
			near(t, name, x.Values, values(t, expected[name]), hiddenTolerance)
		}
		if err := side.run(); err != nil {
			t.Fatal(err)
		}
		if seen != 3 {
			t.Errorf("%s: %d hidden states, want 3", side.name, seen)
		}
	}
}

// ragged truncates ids where their mask ends.
func ragged(t *testing.T, expected map[string]*embedding.Array) [][]int32 {
	ids, _ := inputs(t, expected)
	mask := values(t, expected["attention_mask"])
	for i, line := range ids {
		n := 0
		for n < len(line) && mask[i*len(line)+n] == 1 {
			n++
		}
		ids[i] = line[:n]
	}
	return ids
}

func TestBERTGivesTheOutputsOfTheReferences(t *testing.T) {
	m, expected := reference(t, "bert_hf")
	ids := ragged(t, expected)
	w := NewWorker()
	defer w.Close()
	mean, err := m.Text.Encode(w, ids)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", mean.Values, values(t, expected["mean"]), tolerance)
	m.Text.Pooling = PoolFirst
	first, err := m.Text.Encode(w, ids)
	if err != nil {
		t.Fatal(err)
	}
	last, width := values(t, expected["last_hidden_state"]), m.Text.Width
	for i := range ids {
		near(t, "first token", first.Row(i), last[i*16*width:][:width], tolerance)
	}
}

func TestEmbeddingsDoNotDependOnTheBatch(t *testing.T) {
	for _, name := range []string{"clip_hf_quick_gelu", "siglip_hf", "bert_hf"} {
		m, expected := reference(t, name)
		ids, pictures := inputs(t, expected)
		if name == "bert_hf" {
			ids = ragged(t, expected)
		}
		w, other := NewWorker(), NewWorker()
		defer w.Close()
		defer other.Close()
		together, err := m.Text.Encode(w, ids)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ids {
			alone, err := m.Text.Encode(other, ids[i:i+1])
			if err != nil || !slices.Equal(alone.Values, together.Row(i)) {
				t.Errorf("%s: text %d by itself gives other bits (%v)", name, i, err)
			}
		}
		if m.Image == nil {
			continue
		}
		all, err := m.Image.Encode(w, pictures)
		if err != nil {
			t.Fatal(err)
		}
		for i := range pictures {
			alone, err := m.Image.Encode(other, pictures[i:i+1])
			if err != nil || !slices.Equal(alone.Values, all.Row(i)) {
				t.Errorf("%s: picture %d by itself gives other bits (%v)", name, i, err)
			}
		}
	}
}

func TestTokensAfterTheEndDoNotMatterToCLIP(t *testing.T) {
	m, expected := reference(t, "clip_hf_gelu")
	ids, _ := inputs(t, expected)
	w := NewWorker()
	defer w.Close()
	padded, err := m.Text.Encode(w, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range ids {
		ids[i] = line[:slices.Index(line, 511)+1]
	}
	short, err := m.Text.Encode(w, ids)
	if err != nil || !slices.Equal(padded.Values, short.Values) {
		t.Errorf("texts without padding give other bits (%v)", err)
	}
}

func TestInputsThatDoNotFitAreRefused(t *testing.T) {
	m, expected := reference(t, "clip_hf_gelu")
	_, pictures := inputs(t, expected)
	w := NewWorker()
	defer w.Close()
	for want, ids := range map[string][]int32{
		"text 0 has 0 tokens, want 1 to 16": {}, "text 0 has 17 tokens": make([]int32, 17),
		"the token 512 of a vocabulary of 512": {510, 512, 511}, "no end token 511": {510, 3},
	} {
		if _, err := m.Text.Encode(w, [][]int32{ids}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", ids, err, want)
		}
	}
	pictures[1] = pictures[1][1:]
	if _, err := m.Image.Encode(w, pictures); err == nil || !strings.Contains(err.Error(), "picture 1 has 3071 values, want 3·32·32") {
		t.Errorf("got %v", err)
	}
}

// The stored outputs are in float32. In bfloat16 every product with weights is rounded to 8 bits.
func TestBFloat16TowersStayNearTheReferences(t *testing.T) {
	dir := filepath.Join(models, "clip_hf_quick_gelu")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no references:", err)
	}
	exact, expected := reference(t, "clip_hf_quick_gelu")
	ids, pictures := inputs(t, expected)
	m, err := LoadWith(dir, device.BFloat16)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWorkerWith(device.BFloat16)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	texts, err := m.Text.Encode(w, ids)
	if err != nil {
		t.Fatal(err)
	}
	images, err := m.Image.Encode(w, pictures)
	if err != nil {
		t.Fatal(err)
	}
	plain := NewWorker()
	defer plain.Close()
	wantTexts, _ := exact.Text.Encode(plain, ids)
	wantImages, _ := exact.Image.Encode(plain, pictures)
	for i, side := range [2][2]embedding.Matrix{{texts, wantTexts}, {images, wantImages}} {
		equal := true
		for row := range side[0].Rows {
			a, b := side[0].Row(row), side[1].Row(row)
			var dot, left, right float64
			for j, x := range a {
				equal = equal && x == b[j]
				dot, left, right = dot+float64(x)*float64(b[j]), left+float64(x)*float64(x), right+float64(b[j])*float64(b[j])
			}
			if c := dot / math.Sqrt(left*right); !(c > 0.999) {
				t.Errorf("side %d, row %d: cosine %g, want above 0.999", i, row, c)
			}
		}
		if equal {
			t.Errorf("side %d: the same values as in float32", i)
		}
	}
	if _, err := LoadWith(dir, "float8"); err == nil {
		t.Error("no error for a precision that does not exist")
	}
}
