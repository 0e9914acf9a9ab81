package zeroshot

import (
	"encoding/json"
	"fmt"
	"slices"

	"gosphere/internal/userfile"
)

// ImageNetTemplates returns the 80 templates of OpenAI's CLIP for ImageNet, in another order: kinds
// of photographs, sizes and states of the object, pictures of it, materials, and a few others. An
// ensemble does not depend on the order.
//
// The templates are those of OpenAI's program (github.com/openai/CLIP, its notebook on prompts),
// composed here from their parts; a test compares their checksum with that of the published list.
// The edited names of the 1000 classes are not included; see ReadPromptFile.
func ImageNetTemplates() []string {
	templates := []string{
		"a photo of many {}.", "a photo of my {}.", "a photo of one {}.", "itap of my {}.", "a {} in a video game.", "the {} in a video game.",
	}
	add := func(before string, middle []string, between, after string) {
		for _, word := range middle {
			for _, article := range []string{"a", "the"} {
				templates = append(templates, before+word+between+article+after)
			}
		}
	}
	add("a ", []string{
		"bad photo", "low resolution photo", "cropped photo", "bright photo", "dark photo", "close-up photo", "black and white photo",
		"pixelated photo", "jpeg corrupted photo", "blurry photo", "good photo", "photo",
		"sculpture", "rendering", "tattoo", "drawing", "painting", "doodle", "sketch", "rendition",
	}, " of ", " {}.")
	add("", []string{"graffiti", "art", "itap"}, " of ", " {}.") // itap: I took a picture
	for _, article := range []string{"a", "the"} {
		for _, state := range []string{"hard to see", "clean", "dirty", "cool", "large", "nice", "small", "weird"} {
			templates = append(templates, "a photo of "+article+" "+state+" {}.")
		}
		for _, material := range []string{"embroidered", "plastic", "origami", "toy", "cartoon", "plushie"} {
			templates = append(templates, article+" "+material+" {}.")
		}
	}
	return templates
}

// TemplateSets returns the templates of OpenAI's CLIP by the name of the data set, and
// PlainTemplates as "plain".
func TemplateSets() map[string][]string {
	return map[string][]string{
		"plain": PlainTemplates(), "cifar10": CIFARTemplates(), "cifar100": CIFARTemplates(), "stl10": STLTemplates(),
		"imagenet": ImageNetTemplates(),
	}
}

// A PromptSet holds the classes of a data set and the templates for them.
type PromptSet struct {
	Classes   []string `json:"classes"`
	Templates []string `json:"templates"`
}

// Prompts fills each template with each class. The errors are those of the function Prompts.
func (s PromptSet) Prompts() ([]string, error) { return Prompts(s.Templates, s.Classes) }

// ReadPromptFile reads the classes and templates of one data set from a JSON file of the form
//
//	{"Food101": {"classes": ["apple pie", …], "templates": ["a photo of {}, a type of food."]}, …}
//
// It can hold, for instance, the prompts that OpenAI published with CLIP for 26 data sets and
// ImageNet. Malformed JSON, a missing data set, and templates or classes that Prompts rejects are
// errors that name the file.
func ReadPromptFile(path, set string) (*PromptSet, error) {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, fmt.Errorf("zeroshot: %w", err)
	}
	return parsePrompts(path, text, set)
}

// parsePrompts is like ReadPromptFile for the content of a file.
func parsePrompts(path string, text []byte, set string) (*PromptSet, error) {
	var sets map[string]PromptSet
	if err := json.Unmarshal(text, &sets); err != nil {
		return nil, fmt.Errorf("zeroshot: %s: %w", path, err)
	}
	found, known := sets[set]
	if !known {
		var names []string
		for name := range sets {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("zeroshot: %s has no data set %q, only %q", path, set, names)
	}
	if _, err := found.Prompts(); err != nil {
		return nil, fmt.Errorf("%w (data set %s of %s)", err, set, path)
	}
	return &found, nil
}
