package tower

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/encoder/weights"
	"gosphere/internal/userfile"
)

// A Model holds the networks of a model folder.
type Model struct {
	// Family is "clip", "siglip" or "bert"; Layout is "huggingface", "openai" or "open_clip".
	Family, Layout string
	// Text and Image are the two networks; nil if the folder has none.
	Text  *Text
	Image *Image
	// LogitScale and LogitBias convert cosines to the logits used in training, scale·cosine + bias.
	// The scale is 0 if the folder has none.
	LogitScale, LogitBias float64
	// Mean and Deviation are those of the channels of pictures; nil if the configuration has none.
	Mean, Deviation []float64
	// Parameters is the number of weights, Stored their type in the file, and Files the paths of
	// their files.
	Parameters int
	Stored     string
	Files      []string
}

// config holds those settings of the layouts' configurations that do not follow from the shapes of
// the tensors.
type config struct {
	ModelType     string   `json:"model_type"`
	Architectures []string `json:"architectures"`
	bertConfig
	Text       *sideConfig `json:"text_config"`
	Vision     *sideConfig `json:"vision_config"`
	OpenCLIP   *openConfig `json:"model_cfg"`
	Preprocess struct {
		Mean []float64 `json:"mean"`
		Std  []float64 `json:"std"`
	} `json:"preprocess_cfg"`
}

// bertConfig holds the settings in config.json of a BERT.
type bertConfig struct {
	Heads       int      `json:"num_attention_heads"`
	Activation  string   `json:"hidden_act"`
	Epsilon     *float64 `json:"layer_norm_eps"`
	PositionsBy string   `json:"position_embedding_type"`
}

// sideConfig holds the settings of one tower in config.json of Hugging Face.
type sideConfig struct {
	Heads      int      `json:"num_attention_heads"`
	Activation string   `json:"hidden_act"`
	Epsilon    *float64 `json:"layer_norm_eps"`
	End        *int     `json:"eos_token_id"`
	UseHead    *bool    `json:"vision_use_head"`
}

// openConfig holds model_cfg of open_clip.
type openConfig struct {
	QuickGELU bool `json:"quick_gelu"`
	Vision    struct {
		HeadWidth int             `json:"head_width"`
		Layers    json.RawMessage `json:"layers"` // a list for a ResNet
		Timm      string          `json:"timm_model_name"`
	} `json:"vision_cfg"`
	Text struct {
		Heads int    `json:"heads"`
		Hub   string `json:"hf_model_name"`
	} `json:"text_cfg"`
}

// Load reads the networks of a model folder, or of a weights file and the configuration next to it.
// The configuration is config.json of Hugging Face or open_clip, or open_clip_config.json. Without
// one, the layout follows from the names of the tensors, and heads have 64 columns as in all
// published CLIP networks. Errors name an unsupported network, or the file and the tensor.
func Load(path string) (*Model, error) { return LoadWith(path, device.Float32) }

// LoadWith is like Load with the precision of the products with weights, which are rounded to it
// once. In bfloat16 they need half the memory, and cosines of embeddings change by about 1e-4. Use
// the model with workers of NewWorkerWith. An unknown precision is an error.
func LoadWith(path string, p device.Precision) (*Model, error) {
	if p == "" {
		p = device.Float32
	}
	cpu, err := device.NewCPUWith(1, p)
	if err != nil {
		return nil, fmt.Errorf("tower: %w", err)
	}
	defer cpu.Close()
	w, err := weights.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	l := &loader{w: w, cpu: cpu}
	m, err := l.model(c)
	if err == nil {
		err = l.err
	}
	if err != nil {
		return nil, err
	}
	m.Parameters, m.Stored, m.Files = w.Parameters(), w.Type(), w.Files
	return m, nil
}

// readConfig reads the configuration in a folder or next to a file. Without one it returns an empty
// configuration.
func readConfig(path string) (*config, error) {
	c := new(config)
	if isFile(path) {
		path = filepath.Dir(path)
	}
	for _, name := range []string{"open_clip_config.json", "config.json"} {
		file := filepath.Join(path, name)
		text, err := userfile.ReadFile(file, userfile.Table)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("tower: %w", err)
		}
		if err := json.Unmarshal(text, c); err != nil {
			return nil, fmt.Errorf("tower: %s: %w", file, err)
		}
		return c, nil
	}
	return c, nil
}

// isFile reports whether a path is a file and not a folder.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// model selects the layout by the names of the tensors.
func (l *loader) model(c *config) (*Model, error) {
	w := l.w
	bert := ""
	if w.Has("bert.embeddings.word_embeddings.weight") {
		bert = "bert."
	}
	switch {
	case w.Has(bert + "embeddings.word_embeddings.weight"):
		return l.bert(c, bert)
	case w.Has("text_model.embeddings.token_embedding.weight") || w.Has("vision_model.embeddings.patch_embedding.weight"):
		return l.huggingFace(c)
	case w.Has("visual.layer1.0.conv1.weight"):
		return nil, fmt.Errorf("tower: %s: the pictures' network is a ResNet, want a vision transformer (ViT)", w.Files[0])
	case w.Has("visual.trunk.patch_embed.proj.weight") || c.OpenCLIP != nil && c.OpenCLIP.Vision.Timm != "":
		return nil, fmt.Errorf("tower: %s: the pictures' network is one of timm: take the same model in the layout of Hugging Face transformers", w.Files[0])
	case w.Has("visual.conv1.weight"):
		return l.openCLIP(c)
	}
	names := w.Names()
	return nil, fmt.Errorf("tower: %s holds no CLIP, SigLIP or BERT network: model_type %q, tensors %s …", w.Files[0], c.ModelType,
		strings.Join(names[:min(3, len(names))], ", "))
}

// logits reads the scale and the bias of the logits.
func (l *loader) logits(m *Model) {
	for _, entry := range []struct {
		name  string
		value *float64
		power bool
	}{{"logit_scale", &m.LogitScale, true}, {"logit_bias", &m.LogitBias, false}} {
		if l.err != nil || !l.w.Has(entry.name) {
			continue
		}
		number, err := l.w.Number(entry.name)
		l.err = err
		if *entry.value = float64(number); entry.power {
			*entry.value = math.Exp(float64(number))
		}
	}
}

// known returns the named activation, or an error if there is none of that name.
func known(name, standard string) (device.Activation, error) {
	if name == "" {
		name = standard
	}
	activation, ok := activations[name]
	if !ok {
		names := make([]string, 0, len(activations))
		for n := range activations {
			names = append(names, n)
		}
		slices.Sort(names)
		return 0, fmt.Errorf("tower: activation %q, want one of %s", name, strings.Join(names, ", "))
	}
	return activation, nil
}
