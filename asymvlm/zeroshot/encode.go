package zeroshot

import (
	"context"
	"fmt"

	"gosphere/asymvlm/embedding"
)

// A TextEncoder turns texts into raw embeddings, one row for each; an *encoder.Encoder is one.
type TextEncoder interface {
	Texts(ctx context.Context, captions ...string) (embedding.Matrix, error)
}

// An Encoder is a TextEncoder that embeds files of pictures too.
type Encoder interface {
	TextEncoder
	Images(ctx context.Context, files ...string) (embedding.Matrix, error)
}

// EncodePrompts fills every template with every class and returns the raw embeddings, C·T×D, in the order of Prompts. The
// errors are those of Prompts and of the encoder.
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

// A Source is what a task is made from: files of pictures with the number of the class of each, the names of the
// classes, the templates of the prompts, and texts for "none of the above". Labels are nil for pictures of no named class.
type Source struct {
	Name               string
	Files              []string
	Labels             []int
	Classes, Templates []string
	Dummies            []string
}

// EncodeTask embeds pictures, prompts and dummies of a source. Templates are PlainTemplates where there are none. Labels
// that do not fit the files, and the errors of the encoder, are errors.
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
