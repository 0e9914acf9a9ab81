package encoder

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/userfile"
)

// The dimensions of the network of WriteRandom.
const (
	randomWidth  = 64
	randomLayers = 2
	randomSide   = 32
	randomPatch  = 8
	randomSize   = 48
	randomTokens = 77
)

// WriteRandom writes a model folder with a tiny CLIP whose weights are random and depend on the
// seed alone. The network is not trained: its embeddings show how programs use an encoder, but mean
// nothing. An existing folder is an error.
func WriteRandom(dir string, seed uint64) error {
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("encoder: %s exists: name a folder that does not", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("encoder: %w", err)
	}
	words := randomVocabulary()
	side := func(heads int) map[string]any {
		return map[string]any{"num_attention_heads": heads, "hidden_act": "quick_gelu", "eos_token_id": len(words) - 1}
	}
	config, err := json.MarshalIndent(map[string]any{"model_type": "clip", "text_config": side(4), "vision_config": side(4)}, "", "  ")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"config.json": config, "vocab.txt": []byte(strings.Join(words, "\n") + "\n")} {
		if err := userfile.Write(filepath.Join(dir, name), content); err != nil {
			return fmt.Errorf("encoder: %w", err)
		}
	}
	arrays := randomCLIP(rand.New(rand.NewPCG(seed, 1)), len(words))
	return embedding.WriteSafetensors(filepath.Join(dir, "model.safetensors"), &embedding.Safetensors{Arrays: arrays})
}

// randomVocabulary returns word pieces of one letter each, so that every English text has tokens.
// The end token is the last one.
func randomVocabulary() []string {
	words := []string{"[PAD]", "[UNK]", "[CLS]"}
	for _, prefix := range []string{"", "##"} {
		for c := '!'; c <= '~'; c++ {
			if c < 'A' || c > 'Z' {
				words = append(words, prefix+string(c))
			}
		}
	}
	return append(words, "[SEP]")
}

// randomCLIP returns the tensors of both networks in the Hugging Face layout.
func randomCLIP(random *rand.Rand, vocabulary int) map[string]*embedding.Array {
	arrays := map[string]*embedding.Array{}
	add := func(name string, mean, deviation float64, shape ...int) {
		count := 1
		for _, size := range shape {
			count *= size
		}
		values := make([]float32, count)
		for i := range values {
			values[i] = float32(mean + deviation*random.NormFloat64())
		}
		arrays[name] = embedding.Float32Array(values, shape...)
	}
	layer := func(name string, out, in int) {
		add(name+".weight", 0, 0.1, out, in)
		add(name+".bias", 0, 0.02, out)
	}
	norm := func(name string) {
		add(name+".weight", 1, 0.05, randomWidth)
		add(name+".bias", 0, 0.05, randomWidth)
	}
	for _, tower := range []string{"text_model.", "vision_model."} {
		for i := range randomLayers {
			name := fmt.Sprintf("%sencoder.layers.%d.", tower, i)
			for _, part := range []string{"q_proj", "k_proj", "v_proj", "out_proj"} {
				layer(name+"self_attn."+part, randomWidth, randomWidth)
			}
			norm(name + "layer_norm1")
			norm(name + "layer_norm2")
			layer(name+"mlp.fc1", 4*randomWidth, randomWidth)
			layer(name+"mlp.fc2", randomWidth, 4*randomWidth)
		}
	}
	const patches = (randomSide / randomPatch) * (randomSide / randomPatch)
	add("text_model.embeddings.token_embedding.weight", 0, 0.3, vocabulary, randomWidth)
	add("text_model.embeddings.position_embedding.weight", 0, 0.1, randomTokens, randomWidth)
	norm("text_model.final_layer_norm")
	add("text_projection.weight", 0, 0.2, randomSize, randomWidth)
	add("vision_model.embeddings.class_embedding", 0, 0.3, randomWidth)
	add("vision_model.embeddings.patch_embedding.weight", 0, 0.05, randomWidth, 3, randomPatch, randomPatch)
	add("vision_model.embeddings.position_embedding.weight", 0, 0.1, patches+1, randomWidth)
	norm("vision_model.pre_layrnorm")
	norm("vision_model.post_layernorm")
	add("visual_projection.weight", 0, 0.2, randomSize, randomWidth)
	add("logit_scale", 2.6, 0)
	return arrays
}
