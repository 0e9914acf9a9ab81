package tower

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// toyBERT returns the tensors of a BERT with one layer of width 4.
func toyBERT() map[string]*embedding.Array {
	arrays := map[string]*embedding.Array{}
	add := func(name string, shape ...int) {
		n := 1
		for _, size := range shape {
			n *= size
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32((i*7+len(name))%11-5) / 10
		}
		arrays[name] = embedding.Float32Array(values, shape...)
	}
	both := func(name string, out, in int) {
		add(name+".weight", out, in)
		add(name+".bias", out)
	}
	norm := func(name string) {
		add(name+".weight", 4)
		add(name+".bias", 4)
	}
	add("embeddings.word_embeddings.weight", 9, 4)
	add("embeddings.position_embeddings.weight", 8, 4)
	add("embeddings.token_type_embeddings.weight", 2, 4)
	norm("embeddings.LayerNorm")
	for _, name := range []string{"self.query", "self.key", "self.value", "output.dense"} {
		both("encoder.layer.0.attention."+name, 4, 4)
	}
	norm("encoder.layer.0.attention.output.LayerNorm")
	both("encoder.layer.0.intermediate.dense", 8, 4)
	both("encoder.layer.0.output.dense", 4, 8)
	norm("encoder.layer.0.output.LayerNorm")
	return arrays
}

// folder writes a model folder and returns its path.
func folder(t testing.TB, config string, arrays map[string]*embedding.Array) string {
	t.Helper()
	dir := t.TempDir()
	if config != "" {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := embedding.WriteSafetensors(filepath.Join(dir, "model.safetensors"), &embedding.Safetensors{Arrays: arrays}); err != nil {
		t.Fatal(err)
	}
	return dir
}

const toyConfig = `{"model_type": "bert", "num_attention_heads": 2, "hidden_act": "gelu"}`

func TestAFolderIsReadWithAndWithoutThePrefixOfALargerModel(t *testing.T) {
	plain, err := Load(folder(t, toyConfig, toyBERT()))
	if err != nil {
		t.Fatal(err)
	}
	prefixed := map[string]*embedding.Array{}
	for name, array := range toyBERT() {
		prefixed["bert."+name] = array
	}
	other, err := Load(folder(t, toyConfig, prefixed))
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorker()
	defer w.Close()
	ids := [][]int32{{1, 2, 3}}
	a, _ := plain.Text.Encode(w, ids)
	b, err := other.Text.Encode(w, ids)
	if err != nil || a.Rows != 1 || a.Values[0] != b.Values[0] {
		t.Errorf("%v and %v, %v", a, b, err)
	}
}

func TestAFileIsReadWithTheConfigurationBesideIt(t *testing.T) {
	dir := folder(t, toyConfig, toyBERT())
	m, err := Load(filepath.Join(dir, "model.safetensors"))
	if err != nil || m.Text.Heads != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestWeightsOfOpenCLIPNeedTheirConfiguration(t *testing.T) {
	dir := folder(t, "", map[string]*embedding.Array{"visual.conv1.weight": embedding.Float32Array([]float32{1}, 1)})
	if err := os.Rename(filepath.Join(dir, "model.safetensors"), filepath.Join(dir, "open_clip_model.safetensors")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "open_clip_config.json is missing") {
		t.Errorf("got %v", err)
	}
}

func TestMalformedModelsAreRefusedByName(t *testing.T) {
	without := func(name string) map[string]*embedding.Array {
		arrays := maps.Clone(toyBERT())
		delete(arrays, name)
		return arrays
	}
	with := func(name string, array *embedding.Array) map[string]*embedding.Array {
		arrays := maps.Clone(toyBERT())
		arrays[name] = array
		return arrays
	}
	one := embedding.Float32Array([]float32{1}, 1)
	for want, dir := range map[string]string{
		`tensor "encoder.layer.0.output.dense.bias" is missing`: folder(t, toyConfig, without("encoder.layer.0.output.dense.bias")),
		`tensor "embeddings.LayerNorm.bias" has the shape [1]`:  folder(t, toyConfig, with("embeddings.LayerNorm.bias", one)),
		`"embeddings.word_embeddings.weight" has the shape [1]`: folder(t, toyConfig, with("embeddings.word_embeddings.weight", one)),
		"3 heads for vectors of 4":                              folder(t, `{"num_attention_heads": 3}`, toyBERT()),
		"config.json of the model is missing":                   folder(t, "", toyBERT()),
		`activation "swish", want one of gelu`:                  folder(t, `{"num_attention_heads": 2, "hidden_act": "swish"}`, toyBERT()),
		`model_type "mpnet", want bert`:                         folder(t, `{"num_attention_heads": 2, "model_type": "mpnet"}`, toyBERT()),
		`position_embedding_type "relative_key"`:                folder(t, `{"num_attention_heads": 2, "position_embedding_type": "relative_key"}`, toyBERT()),
		"config.json: unexpected end of JSON":                   folder(t, "{", toyBERT()),
		"holds no CLIP, SigLIP or BERT network":                 folder(t, `{"model_type": "gpt2"}`, map[string]*embedding.Array{"wte": one}),
		"is a ResNet, want a vision transformer":                folder(t, "", map[string]*embedding.Array{"visual.layer1.0.conv1.weight": one}),
		"one of timm":                                           folder(t, "", map[string]*embedding.Array{"visual.trunk.patch_embed.proj.weight": one}),
		"no tensors transformer.resblocks.0":                    folder(t, "", map[string]*embedding.Array{"visual.conv1.weight": one, "token_embedding.weight": embedding.Float32Array(make([]float32, 4), 1, 4), "positional_embedding": embedding.Float32Array(make([]float32, 4), 1, 4)}),
	} {
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func FuzzConfigurationsAreReadOrRefused(f *testing.F) {
	f.Add(toyConfig)
	f.Add(`{"num_attention_heads": -1, "layer_norm_eps": 1e300}`)
	f.Add(`{"model_cfg": {"text_cfg": {"heads": 3}}, "text_config": null}`)
	dir := folder(f, "", toyBERT())
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if m, err := Load(dir); err == nil && (m.Text.Heads < 1 || m.Text.Width != 4) {
			t.Errorf("%+v", m.Text)
		}
	})
}
