package tasks

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/ood"
)

// random returns rows of normal numbers.
func random(r *rand.Rand, rows, columns int) embedding.Matrix {
	m := embedding.NewMatrix(rows, columns)
	for i := range m.Values {
		m.Values[i] = float32(r.NormFloat64())
	}
	return m
}

// written writes a set to a folder of embeddings.
func written(t *testing.T, folder, name string, set *embedding.Set) {
	t.Helper()
	if err := embedding.WriteSet(filepath.Join(folder, name, "val"), set); err != nil {
		t.Fatal(err)
	}
}

// saved trains adapters with two seeds and returns the pattern of their files.
func saved(t *testing.T, set *embedding.Set) string {
	t.Helper()
	dir := t.TempDir()
	for seed := range uint64(2) {
		o, err := adapter.SmallOptions(adapter.AsymVLMVonMisesFisher)
		if err != nil {
			t.Fatal(err)
		}
		o.Seed, o.Epochs, o.Batch, o.Hidden = seed, 2, 16, 8
		o.Progress = adapter.Watch(func(adapter.Update) error { return nil })
		o.Checkpoint = filepath.Join(dir, string('a'+rune(seed))+".safetensors")
		if _, err := adapter.Train(context.Background(), set, o); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "*.safetensors")
}

// flags are the adapters of a pattern, with few draws and JSON.
func flags(pattern string) adapted {
	a := adapted{Format: "text", JSON: true, Draws: 40}
	if pattern != "" {
		a.Adapters = []string{pattern}
	}
	return a
}

// decoded runs a command that prints JSON and returns its rows by method.
func decoded(t *testing.T, run func(text *strings.Builder) error) map[string]row {
	t.Helper()
	var text strings.Builder
	if err := run(&text); err != nil {
		t.Fatal(err)
	}
	var found table
	if err := json.Unmarshal([]byte(text.String()), &found); err != nil {
		t.Fatalf("%v in %s", err, &text)
	}
	rows := map[string]row{}
	for _, r := range found.Rows {
		rows[r.Method] = r
		for name, m := range r.Measures {
			if m.Low != nil && !(*m.Low <= m.Mean+1e-12 && m.Mean <= *m.High+1e-12 && *m.Low <= *m.High) {
				t.Errorf("%s of %s is %g, outside of [%g, %g]", name, r.Method, m.Mean, *m.Low, *m.High)
			}
		}
	}
	return rows
}

// The areas of the norm are those of pairs of texts, and those of adapters are means over the
// seeds.
func TestStrangeTextsAreDetectedByTheirUncertainty(t *testing.T) {
	r, folder := rand.New(rand.NewPCG(1, 2)), t.TempDir()
	ordinary := &embedding.Set{Images: random(r, 20, 6), Texts: random(r, 40, 6), CaptionImages: make([]int, 40)}
	for text := range ordinary.CaptionImages {
		ordinary.CaptionImages[text] = text / 2
	}
	strange := &embedding.Set{Images: random(r, 30, 6), Texts: random(r, 30, 6), CaptionImages: make([]int, 30)}
	for text := range strange.CaptionImages {
		strange.CaptionImages[text] = text
		for j := range 6 { // shorter than the others
			strange.Texts.Set(text, j, strange.Texts.At(text, j)*0.7)
		}
	}
	written(t, folder, "ordinary", ordinary)
	written(t, folder, "strange", strange)
	pattern := saved(t, ordinary)
	rows := decoded(t, func(text *strings.Builder) error {
		return OOD{Dataset: "ordinary", Strange: "strange/val", Embeddings: folder, adapted: flags(pattern)}.run(text)
	})
	wins := 0.0
	for _, a := range ordinary.Texts.Norms() {
		for _, b := range strange.Texts.Norms() {
			if b < a {
				wins++
			}
		}
	}
	if got, want := rows["norm"].Measures["AUROC"].Mean, wins/float64(40*30); math.Abs(got-want) > 1e-12 || !(want > 0.6) {
		t.Errorf("AUROC of the norm %g, by pairs %g", got, want)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, file := range files {
		a, err := adapter.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		of := func(m embedding.Matrix) []float64 {
			u, err := a.Uncertainty(m)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		d, err := ood.Detect(of(ordinary.Texts), of(strange.Texts))
		if err != nil {
			t.Fatal(err)
		}
		want += d.FPR95 / 2
	}
	if got := rows[adapter.AsymVLMVonMisesFisher]; got.Runs != 2 || math.Abs(got.Measures["FPR95"].Mean-want) > 1e-12 {
		t.Errorf("%+v, want a false positive rate of %g", got, want)
	}
	if len(rows) != 5 { // without captions there is no length
		t.Errorf("%d rows", len(rows))
	}
	err = OOD{Dataset: "ordinary", Strange: "scenes_minilm", Embeddings: folder, adapted: flags("")}.run(new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "want embeddings of one encoder") {
		t.Errorf("texts of another width: %v", err)
	}
	err = OOD{Dataset: "ordinary", Strange: "ordinary/val", Embeddings: folder, adapted: flags("")}.run(new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "is the set of the ordinary texts") {
		t.Errorf("the same texts: %v", err)
	}
}

// Along chains whose norms rise, the uncertainty of the norm always falls.
func TestChainsFromGeneralToSpecific(t *testing.T) {
	r, folder := rand.New(rand.NewPCG(3, 4)), t.TempDir()
	set := &embedding.Set{Images: random(r, 12, 6), Texts: random(r, 36, 6)}
	for text := range 36 {
		set.CaptionImages = append(set.CaptionImages, text/3)
		length := set.Texts.Norms()[text]
		for j := range 6 {
			set.Texts.Set(text, j, set.Texts.At(text, j)*float32(float64(1+text%3)/length))
		}
	}
	written(t, folder, "chains", set)
	rows := decoded(t, func(text *strings.Builder) error {
		a := flags(saved(t, set))
		return Hierarchy{Dataset: "chains", Embeddings: folder, Levels: 3, adapted: a}.run(text)
	})
	norm := rows["norm"].Measures
	if norm["tau"].Mean != -1 || norm["falls at every level"].Mean != 1 || norm["falls 2 to 3"].Mean != 1 {
		t.Errorf("%+v", norm)
	}
	if tau := rows["margin"].Measures["tau"]; !(math.Abs(tau.Mean) < 0.8) || rows[adapter.AsymVLMVonMisesFisher].Runs != 2 {
		t.Errorf("margin %+v", tau)
	}
	err := Hierarchy{Dataset: "chains", Embeddings: folder, Levels: 4, adapted: flags("")}.run(new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "of one row") {
		t.Errorf("chains of 4: %v", err)
	}
}

// The chains of the built-in set are measured without files: tau of the norm is the mean over the
// chains of Kendall's, which is computed here, and the lengths of the captions are those of the
// sentences.
func TestTheChainsOfTheProgramAreMeasured(t *testing.T) {
	rows := decoded(t, func(text *strings.Builder) error {
		return Hierarchy{Dataset: "scenes_generic", adapted: flags("")}.run(text)
	})
	chains, texts, err := embedding.GenericChains()
	if err != nil {
		t.Fatal(err)
	}
	norms, tau, first := texts.Norms(), 0.0, 0
	for _, chain := range chains {
		order := 0.0
		for i := range chain {
			for j := range i { // the uncertainty is minus the norm
				order += math.Copysign(1, norms[first+j]-norms[first+i])
			}
		}
		tau += order / float64(len(chain)*(len(chain)-1)/2) / float64(len(chains))
		first += len(chain)
	}
	if got := rows["norm"].Measures["tau"].Mean; math.Abs(got-tau) > 1e-9 {
		t.Errorf("tau of the norm %g, counted %g", got, tau)
	}
	if lengths := rows["caption-length"].Measures; lengths["falls 4 to 5"].Mean != 1 || lengths["falls at every level"].Mean != 0 {
		t.Errorf("lengths of captions: %+v", lengths)
	}
	err = Hierarchy{Dataset: "scenes_generic", Levels: 4, adapted: flags("")}.run(new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "--levels and --split") {
		t.Errorf("built-in chains with a number of levels: %v", err)
	}
}

// array returns a matrix as an array.
func array(m embedding.Matrix) *embedding.Array {
	return embedding.Float32Array(m.Values, m.Rows, m.Columns)
}

// task writes the folder of a task: images around the directions of the classes.
func task(t *testing.T, r *rand.Rand, classes, images int, labeled bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "task")
	prompts, pictures := embedding.NewMatrix(classes, 6), random(r, images, 6)
	for class := range classes {
		prompts.Set(class, class, 1)
	}
	var labels []float64
	for image := range images {
		labels = append(labels, float64(image%classes))
		if labeled {
			pictures.Set(image, image%classes, pictures.At(image, image%classes)+3)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]*embedding.Array{"image.npy": array(pictures)}
	if labeled {
		files["label.npy"], files["prompt.npy"] = embedding.Float64Array(labels), array(prompts)
		files["dummy.npy"] = array(random(r, 1, 6))
	}
	for name, values := range files {
		if err := embedding.WriteNPY(filepath.Join(dir, name), values); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The accuracy without an adapter is counted here, and rejection lets as many images pass as it
// refuses.
func TestImagesAreClassifiedAndRejected(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	positive, negative := task(t, r, 4, 80, true), task(t, r, 4, 50, false)
	set := &embedding.Set{Images: random(r, 20, 6), Texts: random(r, 40, 6), CaptionImages: make([]int, 40)}
	for text := range set.CaptionImages {
		set.CaptionImages[text] = text / 2
	}
	pattern := saved(t, set)
	rows := decoded(t, func(text *strings.Builder) error {
		return Classify{Task: positive, Negatives: negative, adapted: flags(pattern)}.run(text)
	})
	stored, err := embedding.ReadNPY(filepath.Join(positive, "image.npy"))
	if err != nil {
		t.Fatal(err)
	}
	images, err := stored.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for image := range images.Rows { // the prompts are the first four axes
		best := 0
		for class := range 4 {
			if images.At(image, class) > images.At(image, best) {
				best = class
			}
		}
		if best == image%4 {
			right++
		}
	}
	plain := rows[noAdapter].Measures
	if got, want := plain["accuracy"].Mean, float64(right)/80; math.Abs(got-want) > 1e-12 || !(want > 0.8) {
		t.Errorf("accuracy %g, counted %g", got, want)
	}
	for _, name := range []string{byThreshold, byMargin, byDummies} {
		if m := plain[name]; !(m.Mean > 0.3 && m.Mean < 1) || m.Low == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if rows[adapter.AsymVLMVonMisesFisher].Runs != 2 {
		t.Errorf("%+v", rows)
	}
	var text strings.Builder
	a := flags(pattern)
	a.JSON, a.Format = false, "latex"
	if err := (Classify{Task: positive, adapted: a}).run(&text); err != nil || !strings.Contains(text.String(), `\textbf{`) || strings.Contains(text.String(), byMargin) {
		t.Errorf("%v, table\n%s", err, &text)
	}
	if err := (Classify{Task: negative, adapted: flags("")}).run(&text); err == nil || !strings.Contains(err.Error(), "has no labels and prompts") {
		t.Errorf("a task without labels: %v", err)
	}
	if err := (Classify{Task: positive, adapted: flags("nothing*")}).run(&text); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a pattern without files: %v", err)
	}
}
