package zeroshot

import (
	"context"
	"fmt"

	"gosphere/asymvlm/embedding"
)

// A TextEncoder computes raw embeddings of texts, one row per text. *encoder.Encoder implements it.
type TextEncoder interface {
	Texts(ctx context.Context, captions ...string) (embedding.Matrix, error)
}

// An Encoder is a TextEncoder that also embeds picture files.
type Encoder interface {
	TextEncoder
	Images(ctx context.Context, files ...string) (embedding.Matrix, error)
}

// EncodePrompts fills each template with each class and returns the raw embeddings, C·T×D, in the
// order of Prompts. EncodePrompts returns the errors of Prompts and of the encoder.
func EncodePrompts(ctx context.Context, encoder TextEncoder, templates, classes []string) (embedding.Matrix, error) {
	prompts, err := Prompts(templates, classes)
	if err != nil {
		return embedding.Matrix{}, err
	}
	rows, err := encoder.Texts(ctx, prompts...)
	if err != nil {
		return embedding.Matrix{}, fmt.Errorf("zeroshot: prompts: %w", err)
	}
	return rows, nil
}

// A Source describes a task to encode: picture files with the index of their class, the names of
// the classes, the templates of the prompts, and texts for "none of the above". Labels are nil for
// pictures of unnamed classes.
type Source struct {
	Name               string
	Files              []string
	Labels             []int
	Classes, Templates []string
	Dummies            []string
}

// EncodeTask embeds the pictures, prompts and dummies of a source. Nil templates mean
// PlainTemplates. It returns an error if the labels do not fit the files, and the errors of the
// encoder.
func EncodeTask(ctx context.Context, encoder Encoder, source Source) (*Task, error) {
	if source.Templates == nil {
		source.Templates = PlainTemplates()
	}
	t := &Task{Name: source.Name, Labels: source.Labels, Classes: source.Classes}
	var err error
	if t.Images, err = encoder.Images(ctx, source.Files...); err != nil {
		return nil, fmt.Errorf("zeroshot: pictures: %w", err)
	}
	if len(source.Classes) > 0 {
		t.Templates = len(source.Templates)
		if t.Prompts, err = EncodePrompts(ctx, encoder, source.Templates, source.Classes); err != nil {
			return nil, err
		}
	}
	if len(source.Dummies) > 0 {
		if t.Dummies, err = encoder.Texts(ctx, source.Dummies...); err != nil {
			return nil, fmt.Errorf("zeroshot: dummies: %w", err)
		}
	}
	return t, t.Check()
}
