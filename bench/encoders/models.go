package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/embedding"
)

// A network collects random tensors in the layout of transformers.
type network struct {
	random *rand.Rand
	arrays map[string]*embedding.Array
}

func newNetwork() *network {
	return &network{rand.New(rand.NewPCG(1, 2)), map[string]*embedding.Array{}}
}

// tensor adds random numbers with a mean and a standard deviation.
func (n *network) tensor(name string, mean, deviation float64, shape ...int) {
	count := 1
	for _, size := range shape {
		count *= size
	}
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(mean + deviation*n.random.NormFloat64())
	}
	n.arrays[name] = embedding.Float32Array(values, shape...)
}

// linear adds a linear layer.
func (n *network) linear(name string, out, in int) {
	n.tensor(name+".weight", 0, 0.03, out, in)
	n.tensor(name+".bias", 0, 0.03, out)
}

// norm adds a normalization layer.
func (n *network) norm(name string, width int) {
	n.tensor(name+".weight", 1, 0.1, width)
	n.tensor(name+".bias", 0, 0.1, width)
}

// clipLayers adds the layers of one tower.
func (n *network) clipLayers(prefix string, layers, width int) {
	for i := range layers {
		name := fmt.Sprintf("%sencoder.layers.%d.", prefix, i)
		for _, part := range []string{"q_proj", "k_proj", "v_proj", "out_proj"} {
			n.linear(name+"self_attn."+part, width, width)
		}
		n.norm(name+"layer_norm1", width)
		n.norm(name+"layer_norm2", width)
		n.linear(name+"mlp.fc1", 4*width, width)
		n.linear(name+"mlp.fc2", width, 4*width)
	}
}

// vocabulary is the number of token ids of both text networks.
const vocabulary = 30000

// write stores the folder of a network, with a vocabulary of words.
func (n *network) write(folder string, config map[string]any) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "config.json"), text, 0o644); err != nil {
		return err
	}
	lines := []string{"[PAD]", "[UNK]", "[CLS]"}
	for len(lines) < vocabulary-1 {
		lines = append(lines, fmt.Sprint("word", len(lines)))
	}
	lines = append(lines, "[SEP]")
	if err := os.WriteFile(filepath.Join(folder, "vocab.txt"), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		return err
	}
	return embedding.WriteSafetensors(filepath.Join(folder, "model.safetensors"), &embedding.Safetensors{Arrays: n.arrays})
}

// writeCLIP writes a network with the sizes of CLIP ViT-B/32.
func writeCLIP(folder string) error {
	n := newNetwork()
	const image, text, size, patch, positions = 768, 512, 512, 32, 50
	n.tensor("text_model.embeddings.token_embedding.weight", 0, 0.02, vocabulary, text)
	n.tensor("text_model.embeddings.position_embedding.weight", 0, 0.01, 77, text)
	n.clipLayers("text_model.", 12, text)
	n.norm("text_model.final_layer_norm", text)
	n.tensor("text_projection.weight", 0, 0.03, size, text)
	n.tensor("vision_model.embeddings.class_embedding", 0, 0.02, image)
	n.tensor("vision_model.embeddings.patch_embedding.weight", 0, 0.02, image, 3, patch, patch)
	n.tensor("vision_model.embeddings.position_embedding.weight", 0, 0.02, positions, image)
	n.norm("vision_model.pre_layrnorm", image)
	n.clipLayers("vision_model.", 12, image)
	n.norm("vision_model.post_layernorm", image)
	n.tensor("visual_projection.weight", 0, 0.03, size, image)
	n.tensor("logit_scale", 2.6, 0)
	return n.write(folder, map[string]any{
		"model_type":    "clip",
		"text_config":   map[string]any{"num_attention_heads": 8, "hidden_act": "quick_gelu", "eos_token_id": vocabulary - 1},
		"vision_config": map[string]any{"num_attention_heads": 12, "hidden_act": "quick_gelu"},
	})
}

// writeBERT writes a network with the sizes of all-MiniLM-L6-v2.
func writeBERT(folder string) error {
	n := newNetwork()
	const width = 384
	n.tensor("embeddings.word_embeddings.weight", 0, 0.02, vocabulary, width)
	n.tensor("embeddings.position_embeddings.weight", 0, 0.02, 512, width)
	n.tensor("embeddings.token_type_embeddings.weight", 0, 0.02, 2, width)
	n.norm("embeddings.LayerNorm", width)
	for i := range 6 {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"self.query", "self.key", "self.value", "output.dense"} {
			n.linear(name+"attention."+part, width, width)
		}
		n.norm(name+"attention.output.LayerNorm", width)
		n.linear(name+"intermediate.dense", 4*width, width)
		n.linear(name+"output.dense", width, 4*width)
		n.norm(name+"output.LayerNorm", width)
	}
	return n.write(folder, map[string]any{"model_type": "bert", "num_attention_heads": 12, "hidden_act": "gelu", "layer_norm_eps": 1e-12})
}

// pixels returns random pictures in the input format of the image network.
func pixels(count int) [][]float32 {
	random := rand.New(rand.NewPCG(3, 4))
	all := make([][]float32, count)
	for i := range all {
		all[i] = make([]float32, 3*224*224)
		for j := range all[i] {
			all[i][j] = float32(random.NormFloat64())
		}
	}
	return all
}
