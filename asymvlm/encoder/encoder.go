package encoder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder/picture"
	"gosphere/asymvlm/encoder/tokenizer"
	"gosphere/asymvlm/encoder/tower"
)

// An Encoder is an open model folder. It is safe for concurrent use.
type Encoder struct {
	// Name is the name of the folder and Dir its path.
	Name, Dir string
	// Precision is the precision of the products with weights.
	Precision device.Precision
	// Model holds the networks. Model.Text or Model.Image is nil if the folder has no such network.
	Model *tower.Model
	// Tokenizer is nil if the folder has none; Texts then returns an error.
	Tokenizer *tokenizer.Tokenizer
	// Limit is the number of tokens at which a text is truncated.
	Limit int
	// Picture describes the conversion of pictures to pixel values. If Orient is set, JPEG files
	// are rotated according to their EXIF orientation, which the programs that trained CLIP do not
	// do.
	Picture picture.Preparation
	Orient  bool
	// Progress displays the progress of Texts and Images when they take longer than a second. If it
	// is nil, that of the cell is used, if there is one.
	Progress Progress

	noTokenizer error
	workers     chan *tower.Worker
}

// Open opens a model folder, given by its path or by its name in one of the folders of [Folders].
// The encoder uses all CPU cores; see OpenWith.
func Open(nameOrPath string) (*Encoder, error) { return OpenWith(nameOrPath, Options{}) }

// Options determines how an encoder computes.
type Options struct {
	// Cores is the number of CPU cores, at least 1; 0 means all that Go may use. Embeddings do not
	// depend on it.
	Cores int
	// Precision is the precision of the products with weights; empty means the process default, see
	// device.DefaultPrecision. bfloat16 halves the memory of the weights and is faster on CPUs with
	// AVX512_BF16; cosines of embeddings change by about 1e-4.
	Precision device.Precision
}

// OpenWith is like Open with options. An unknown precision is an error.
//
// A folder has weights (see package weights), a configuration and, for texts, a tokenizer (see
// package tokenizer). The path may also name the weights file in such a folder. The error for a
// name without a folder explains how to get the model. Files that are missing, malformed or of an
// unsupported network are errors that name the file.
func OpenWith(nameOrPath string, o Options) (*Encoder, error) {
	dir, err := find(nameOrPath)
	if err != nil {
		return nil, err
	}
	if o.Precision == "" {
		if o.Precision, err = device.DefaultPrecision(); err != nil {
			return nil, fmt.Errorf("encoder: %w", err)
		}
	}
	e := &Encoder{Name: nameOf(dir), Dir: dir, Precision: o.Precision}
	if e.Model, err = tower.LoadWith(dir, o.Precision); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	if e.Model.Text != nil {
		if err := e.openText(); err != nil {
			return nil, fmt.Errorf("encoder: %w", err)
		}
	}
	if v := e.Model.Image; v != nil {
		standard := picture.CLIP(v.Side)
		if e.Model.Family == "siglip" {
			standard = picture.SigLIP(v.Side)
		} else if e.Model.Layout == "huggingface" {
			standard.Shape = picture.CenterFloor
		}
		if e.Picture, err = picture.Open(folderOf(dir), standard); err != nil {
			return nil, fmt.Errorf("encoder: %w", err)
		}
		if e.Picture.Side != v.Side {
			return nil, fmt.Errorf("encoder: %s: pictures of %d pixels are configured, the network takes %d", dir, e.Picture.Side, v.Side)
		}
	}
	if o.Cores <= 0 {
		o.Cores = runtime.GOMAXPROCS(0)
	}
	e.workers = make(chan *tower.Worker, o.Cores)
	for range o.Cores {
		w, err := tower.NewWorkerWith(e.Precision)
		if err != nil {
			return nil, fmt.Errorf("encoder: %w", err)
		}
		e.workers <- w
	}
	return e, nil
}

// openText opens the tokenizer. A folder without a tokenizer can still encode pictures.
func (e *Encoder) openText() error {
	t := e.Model.Text
	options := tokenizer.Options{Canonical: e.Model.Family == "siglip"}
	if e.Model.Layout == "huggingface" {
		options.Cleaning = tokenizer.HuggingFace
	}
	opened, err := openTokenizer(folderOf(e.Dir), options)
	if errors.Is(err, errNone) {
		e.noTokenizer = err
		return nil
	}
	if err != nil {
		return err
	}
	if opened.Size > t.Vocabulary {
		return fmt.Errorf("%s: tokenizer of %d tokens, the network knows %d", e.Dir, opened.Size, t.Vocabulary)
	}
	e.Tokenizer, e.Limit = opened, t.Positions
	if opened.Limit > 0 {
		e.Limit = min(e.Limit, opened.Limit)
	}
	return e.readSentence()
}

// Close waits for calls in progress and frees the encoder's devices. The encoder must not be used
// afterward.
func (e *Encoder) Close() {
	for range cap(e.workers) {
		(<-e.workers).Close()
	}
}

// Width returns the number of columns of an embedding.
func (e *Encoder) Width() int {
	if e.Model.Text != nil {
		return e.Model.Text.Size
	}
	return e.Model.Image.Size
}

// Tokens returns the token ids of a text as the network receives them: truncated to Limit, with
// start and end tokens, and padded if the network was trained with padding. It returns an error if
// the model has no text network or no tokenizer.
func (e *Encoder) Tokens(text string) ([]int32, error) {
	if e.Model.Text == nil {
		return nil, fmt.Errorf("encoder: %s has no network of texts", e.Name)
	}
	if e.Tokenizer == nil {
		return nil, fmt.Errorf("encoder: %s: %w", e.Name, e.noTokenizer)
	}
	ids := e.Tokenizer.Encode(text, e.Limit)
	if e.Model.Text.Padded {
		for len(ids) < e.Model.Text.Positions {
			ids = append(ids, e.Tokenizer.Padding)
		}
	}
	if len(ids) == 0 { // the vocabulary has no start and end tokens
		return nil, fmt.Errorf("encoder: the text %q has no tokens", text)
	}
	return ids, nil
}

// Texts returns one embedding per caption, captions × Width. Without captions the matrix has no
// rows. Texts returns the error of the context if that ends, and an error if the model has no text
// network or no tokenizer.
func (e *Encoder) Texts(ctx context.Context, captions ...string) (embedding.Matrix, error) {
	if e.Model.Text == nil {
		return embedding.Matrix{}, fmt.Errorf("encoder: %s has no network of texts", e.Name)
	}
	ids := make([][]int32, len(captions))
	costs := make([]int, len(captions))
	for i, caption := range captions {
		var err error
		if ids[i], err = e.Tokens(caption); err != nil {
			return embedding.Matrix{}, err
		}
		costs[i] = len(ids[i])
	}
	result := embedding.NewMatrix(len(captions), e.Model.Text.Size)
	err := e.run(ctx, job{"encoding texts", costs, func(w *tower.Worker, from, to int) error {
		rows, err := e.Model.Text.Encode(w, ids[from:to])
		if err == nil {
			copy(result.RowRange(from, to).Values, rows.Values)
		}
		return err
	}})
	return result, err
}

// Images returns one embedding per file, files × Width. A file that cannot be decoded is an error
// that names it. Images also returns the errors of Texts.
func (e *Encoder) Images(ctx context.Context, files ...string) (embedding.Matrix, error) {
	return e.images(ctx, len(files), func(i int) ([]float32, error) {
		p, err := picture.Read(files[i], e.Orient)
		if err != nil {
			return nil, err
		}
		values, err := e.Picture.Apply(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[i], err)
		}
		return values, nil
	})
}

// Pictures is like Images for pictures in memory.
func (e *Encoder) Pictures(ctx context.Context, images ...image.Image) (embedding.Matrix, error) {
	return e.images(ctx, len(images), func(i int) ([]float32, error) {
		return e.Picture.Apply(picture.FromImage(images[i]))
	})
}

// Prepare decodes the content of a picture file and returns the input values of the network. It
// returns an error if the content cannot be decoded or the model has no image network.
func (e *Encoder) Prepare(data []byte) ([]float32, error) {
	if e.Model.Image == nil {
		return nil, fmt.Errorf("encoder: %s has no network of pictures", e.Name)
	}
	p, err := picture.Decode(bytes.Clone(data), e.Orient)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return e.Picture.Apply(p)
}

// Prepared is like Images for the results of Prepare.
func (e *Encoder) Prepared(ctx context.Context, pictures ...[]float32) (embedding.Matrix, error) {
	return e.images(ctx, len(pictures), func(i int) ([]float32, error) { return pictures[i], nil })
}

// images encodes n pictures, whose input values are returned by values.
func (e *Encoder) images(ctx context.Context, n int, values func(i int) ([]float32, error)) (embedding.Matrix, error) {
	v := e.Model.Image
	if v == nil {
		return embedding.Matrix{}, fmt.Errorf("encoder: %s has no network of pictures", e.Name)
	}
	costs := make([]int, n)
	for i := range costs {
		costs[i] = (v.Side / v.Patch) * (v.Side / v.Patch)
	}
	result := embedding.NewMatrix(n, v.Size)
	err := e.run(ctx, job{"encoding pictures", costs, func(w *tower.Worker, from, to int) error {
		batch := make([][]float32, to-from)
		for i := range batch {
			var err error
			if batch[i], err = values(from + i); err != nil {
				return fmt.Errorf("encoder: %w", err)
			}
		}
		rows, err := v.Encode(w, batch)
		if err == nil {
			copy(result.RowRange(from, to).Values, rows.Values)
		}
		return err
	}})
	return result, err
}
