package encoder

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/host"
)

// references is the folder of the reference outputs, which may lie next to the repository.
const references = "../../../shared/golden/encoders"

// toy writes a model folder with a one-layer BERT and returns its path.
func toy(t testing.TB, files map[string]string) string {
	t.Helper()
	arrays := map[string]*embedding.Array{}
	add := func(name string, shape ...int) {
		n := 1
		for _, size := range shape {
			n *= size
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(math.Sin(float64(i*i+3*i+len(name)))) / 2
		}
		arrays[name] = embedding.Float32Array(values, shape...)
	}
	const width = 8
	add("embeddings.word_embeddings.weight", 9, width)
	add("embeddings.position_embeddings.weight", 16, width)
	add("embeddings.token_type_embeddings.weight", 2, width)
	for _, name := range []string{"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"} {
		add(name+".weight", width)
		add(name+".bias", width)
	}
	for _, name := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"} {
		add("encoder.layer.0."+name+".weight", width, width)
		add("encoder.layer.0."+name+".bias", width)
	}
	dir := filepath.Join(t.TempDir(), "toy")
	if err := os.MkdirAll(filepath.Join(dir, "1_Pooling"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := embedding.WriteSafetensors(filepath.Join(dir, "model.safetensors"), &embedding.Safetensors{Arrays: arrays}); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"config.json": `{"model_type": "bert", "num_attention_heads": 2}`,
		"vocab.txt":   "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\ndog\n##s\nred\n",
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, dir string, cores int) *Encoder {
	t.Helper()
	e, err := OpenWith(dir, Options{Cores: cores})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestEmbeddingsAreTheSameWithOneAndTwoCores(t *testing.T) {
	dir := toy(t, nil)
	var captions []string
	for i := range 300 {
		captions = append(captions, strings.Repeat("a red dogs ", i%4)+"dog")
	}
	one, err := open(t, dir, 1).Texts(context.Background(), captions...)
	if err != nil {
		t.Fatal(err)
	}
	two, err := open(t, dir, 2).Texts(context.Background(), captions...)
	if err != nil || !slices.Equal(one.Values, two.Values) {
		t.Errorf("two cores give other bits (%v)", err)
	}
	alone, err := open(t, dir, 2).Texts(context.Background(), captions[17])
	if err != nil || !slices.Equal(alone.Values, one.Row(17)) {
		t.Errorf("a caption by itself gives other bits (%v)", err)
	}
}

func TestPicturesOfFilesAndImagesAreTheSame(t *testing.T) {
	dir := filepath.Join(references, "models/clip_hf_quick_gelu")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no references:", err)
	}
	e := open(t, dir, 2)
	picture := image.NewNRGBA(image.Rect(0, 0, 50, 40))
	for i := range 50 * 40 {
		picture.SetNRGBA(i%50, i/50, color.NRGBA{byte(i), byte(i / 7), byte(3 * i), 255})
	}
	path := filepath.Join(t.TempDir(), "a.png")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(file, picture), file.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := e.Prepare(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.Images(context.Background(), path, path)
	b, alsoErr := e.Pictures(context.Background(), picture)
	c, lastErr := e.Prepared(context.Background(), prepared)
	if err := errors.Join(err, alsoErr, lastErr); err != nil {
		t.Fatal(err)
	}
	if a.Rows != 2 || a.Columns != 48 || !slices.Equal(a.Row(1), b.Row(0)) || !slices.Equal(a.Row(0), c.Row(0)) {
		t.Error("the three ways give different embeddings")
	}
	if _, err := e.Texts(context.Background(), "a dog"); err == nil || !strings.Contains(err.Error(), "no tokenizer") {
		t.Errorf("texts without a tokenizer: %v", err)
	}
	if _, err := e.Images(context.Background(), "missing.png"); err == nil || !strings.Contains(err.Error(), "missing.png") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestACanceledContextEndsTheWork(t *testing.T) {
	e := open(t, toy(t, nil), 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Texts(ctx, "a dog"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	interrupted := errors.New("interrupted")
	defer host.Enter(stopping(func() error { return interrupted }))()
	if _, err := e.Texts(context.Background(), "a dog"); !errors.Is(err, interrupted) {
		t.Errorf("got %v", err)
	}
}

// stopping is a host that stops work.
type stopping func() error

func (s stopping) Stopped() error { return s() }

func TestTextsAreCutAtTheLimitOfTheFolder(t *testing.T) {
	e := open(t, toy(t, map[string]string{"sentence_bert_config.json": `{"max_seq_length": 5}`}), 1)
	ids, err := e.Tokens("a dog a dog a dog")
	if err != nil || len(ids) != 5 || ids[4] != e.Tokenizer.End {
		t.Errorf("%v, %v", ids, err)
	}
}

func TestPoolingFollowsTheFolder(t *testing.T) {
	mean, err := open(t, toy(t, nil), 1).Texts(context.Background(), "a dog")
	if err != nil {
		t.Fatal(err)
	}
	dir := toy(t, map[string]string{"1_Pooling/config.json": `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`})
	first, err := open(t, dir, 1).Texts(context.Background(), "a dog")
	if err != nil || slices.Equal(mean.Values, first.Values) {
		t.Errorf("the first token is pooled as the mean (%v)", err)
	}
}

func TestAFileOfWeightsStandsForItsFolder(t *testing.T) {
	dir := toy(t, map[string]string{"sentence_bert_config.json": `{"max_seq_length": 5}`})
	a, err := open(t, dir, 1).Texts(context.Background(), "a red dog a dog")
	b, alsoErr := open(t, filepath.Join(dir, "model.safetensors"), 1).Texts(context.Background(), "a red dog a dog")
	if err := errors.Join(err, alsoErr); err != nil || !slices.Equal(a.Values, b.Values) {
		t.Errorf("the file gives other embeddings than the folder (%v)", err)
	}
}

func TestFoldersThatDoNotFitAreRefused(t *testing.T) {
	t.Setenv(FoldersVariable, t.TempDir())
	for want, dir := range map[string]string{
		"gosphere encoder get all-MiniLM-L6-v2":       "all-MiniLM-L6-v2",
		"set GOSPHERE_ENCODERS":                       "nothing",
		"tokenizer of 10 tokens, the network knows 9": toy(t, map[string]string{"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\nf\n"}),
		"pooling_mode_max_tokens is not supported":    toy(t, map[string]string{"1_Pooling/config.json": `{"pooling_mode_max_tokens": true}`}),
		"sentence_bert_config.json":                   toy(t, map[string]string{"sentence_bert_config.json": `[`}),
	} {
		_, err := Open(dir)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", dir, err, want)
		}
		if filepath.Base(dir) == dir && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is not fs.ErrNotExist", err)
		}
	}
}

func TestANameIsLookedForInTheFolders(t *testing.T) {
	dir := toy(t, nil)
	t.Setenv(FoldersVariable, t.TempDir()+string(os.PathListSeparator)+filepath.Dir(dir))
	if e := open(t, "toy", 0); e.Dir != dir || e.Name != "toy" || cap(e.workers) != runtime.GOMAXPROCS(0) {
		t.Errorf("%s in %s with %d workers", e.Name, e.Dir, cap(e.workers))
	}
}

// slow is a Progress that counts its calls.
type slow struct{ begun, ended, done int }

func (s *slow) Begin(string, int)       { s.begun++ }
func (s *slow) Step(done int, _ string) { s.done = done }
func (s *slow) End(error)               { s.ended++ }

func TestProgressIsShownForLongWorkAlone(t *testing.T) {
	e := open(t, toy(t, nil), 2)
	p := new(slow)
	e.Progress = p
	if _, err := e.Texts(context.Background(), "a", "dog"); err != nil || p.begun != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	w := &watch{progress: p} // began in the year 1
	w.advance(job{costs: make([]int, 3)}, 2, nil)
	w.advance(job{costs: make([]int, 3)}, 1, nil)
	if p.begun != 1 || p.done != 3 {
		t.Errorf("%+v", p)
	}
}

func TestChunksHoldEveryItemOnce(t *testing.T) {
	for _, costs := range [][]int{nil, {5}, {600}, {600, 1, 600}, slices.Repeat([]int{13}, 1000)} {
		next := 0
		for _, chunk := range (job{costs: costs}).chunks(2) {
			if chunk[0] != next || chunk[1] <= chunk[0] {
				t.Errorf("chunk %v after %d", chunk, next)
			}
			next = chunk[1]
		}
		if next != len(costs) {
			t.Errorf("%d of %d items", next, len(costs))
		}
	}
}

func TestStoredVectorsCanBeRead(t *testing.T) {
	for name, texts := range map[string]int{"all-MiniLM-L6-v2": 6, "ViT-B-32": 3} {
		file, err := stored.ReadFile("stored/" + name + ".safetensors")
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := embedding.ParseSafetensors(file)
		if err != nil || vectors.Arrays["texts"].Shape[0] != texts {
			t.Errorf("%s: %v", name, err)
		}
	}
	// These are the probabilities that OpenAI publishes for its picture and three texts.
	file, _ := stored.ReadFile("stored/ViT-B-32.safetensors")
	vectors, err := embedding.ParseSafetensors(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := vectors.Arrays["texts"].Matrix()
	picture, alsoErr := vectors.Arrays["picture"].Matrix()
	if err := errors.Join(err, alsoErr); err != nil {
		t.Fatal(err)
	}
	for i, p := range probabilities(picture.Row(0), rows) {
		if want := []float64{0.99279, 0.00421, 0.00300}[i]; math.Abs(p-want) > 1e-5 {
			t.Errorf("probability %d: %.5f, want %.5f", i, p, want)
		}
	}
}

func TestANetworkWithoutStoredVectorsIsNotChecked(t *testing.T) {
	if _, err := open(t, toy(t, nil), 1).Check(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "no vectors are stored for toy") {
		t.Errorf("got %v", err)
	}
}
