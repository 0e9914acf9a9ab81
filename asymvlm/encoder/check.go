package encoder

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

//go:embed stored/*.safetensors
var stored embed.FS

// A Comparison measures how close an embedding is to a stored one.
type Comparison struct {
	// Input is the text, or the name of the picture.
	Input string
	// Cosine is the cosine between the two embeddings and Norm the ratio of their norms. Both are 1
	// for equal embeddings.
	Cosine, Norm float64
}

// A Check is the result of comparing an encoder with stored vectors.
type Check struct {
	// Reference is the network that produced the stored vectors.
	Reference string
	Compared  []Comparison
	// Tolerance is the largest accepted difference of a cosine from 1.
	Tolerance float64
	// Probabilities are the probabilities of the stored texts for the picture; nil without a
	// picture.
	Probabilities []float64
}

// Passed reports whether all embeddings agree with the reference within the tolerance.
func (c *Check) Passed() bool {
	for _, one := range c.Compared {
		if !(one.Cosine >= 1-c.Tolerance) || !(math.Abs(one.Norm-1) <= 100*c.Tolerance) {
			return false
		}
	}
	return len(c.Compared) > 0
}

// checkTolerance is the largest accepted 1 − cosine for texts: float16 weights cause 6e-7.
// pictureTolerance is that for pictures: a JPEG, or a picture resampled by another program, causes
// 1e-4.
const checkTolerance, pictureTolerance = 1e-5, 1e-4

// Check compares the encoder with vectors that are stored in the program, those of all-MiniLM-L6-v2
// and of CLIP ViT-B/32. picture is the path of CLIP.png from OpenAI's repository, or "" to compare
// texts only. A network of another shape is an error, as is a failure to encode.
func (e *Encoder) Check(ctx context.Context, picture string) (*Check, error) {
	c, name := &Check{Tolerance: checkTolerance}, ""
	t, v := e.Model.Text, e.Model.Image
	switch {
	case e.Model.Family == "bert" && t.Width == 384 && t.Layers == 6:
		name = "all-MiniLM-L6-v2"
	case e.Model.Family == "clip" && t != nil && t.Size == 512 && t.Layers == 12 && v != nil && v.Patch == 32 && v.Layers == 12:
		name = "ViT-B-32"
	default:
		return nil, fmt.Errorf("encoder: no vectors are stored for %s: there are those of all-MiniLM-L6-v2 and of CLIP ViT-B/32", e)
	}
	c.Reference = name
	file, err := stored.ReadFile("stored/" + name + ".safetensors")
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	vectors, err := embedding.ParseSafetensors(file)
	if err != nil {
		return nil, fmt.Errorf("encoder: stored vectors: %w", err)
	}
	var texts []string
	if err := json.Unmarshal([]byte(vectors.Metadata["texts"]), &texts); err != nil {
		return nil, fmt.Errorf("encoder: stored vectors: %w", err)
	}
	got, err := e.Texts(ctx, texts...)
	if err != nil {
		return nil, err
	}
	if err := c.compare(texts, got, vectors.Arrays["texts"]); err != nil {
		return nil, err
	}
	if picture == "" {
		return c, nil
	}
	if vectors.Arrays["picture"] == nil {
		return nil, fmt.Errorf("encoder: no vector of a picture is stored for %s", name)
	}
	image, err := e.Images(ctx, picture)
	if err != nil {
		return nil, err
	}
	c.Tolerance = pictureTolerance
	c.Probabilities = probabilities(image.Row(0), got)
	return c, c.compare([]string{picture}, image, vectors.Arrays["picture"])
}

// compare appends the comparisons of embeddings with stored ones.
func (c *Check) compare(inputs []string, got embedding.Matrix, want *embedding.Array) error {
	reference, err := want.Matrix()
	if err != nil {
		return fmt.Errorf("encoder: stored vectors: %w", err)
	}
	for i, input := range inputs {
		cosine, norm := compared(got.Row(i), reference.Row(i))
		c.Compared = append(c.Compared, Comparison{input, cosine, norm})
	}
	return nil
}

// compared returns the cosine between two vectors and the ratio of their norms.
func compared(a, b []float32) (cosine, norm float64) {
	var ab, aa, bb float64
	for i, x := range a {
		y := float64(b[i])
		ab += float64(x) * y
		aa += float64(x) * float64(x)
		bb += y * y
	}
	return ab / math.Sqrt(aa*bb), math.Sqrt(aa / bb)
}

// probabilities returns the softmax of 100 times the cosines between a picture and texts, the form
// that OpenAI publishes.
func probabilities(picture []float32, texts embedding.Matrix) []float64 {
	values, sum := make([]float64, texts.Rows), 0.0
	for i := range values {
		cosine, _ := compared(texts.Row(i), picture)
		values[i] = math.Exp(100 * (cosine - 1))
		sum += values[i]
	}
	for i := range values {
		values[i] /= sum
	}
	return values
}

// String returns a description of the encoder in one line.
func (e *Encoder) String() string {
	m := e.Model
	text := fmt.Sprintf("%s: %s in the layout %s, %.1f million parameters stored as %s, width %d", e.Name, m.Family, m.Layout, float64(m.Parameters)/1e6, m.Stored, e.Width())
	if t := m.Text; t != nil {
		text += fmt.Sprintf("; texts: %d layers of %d, %d tokens", t.Layers, t.Width, t.Positions)
	}
	if v := m.Image; v != nil {
		text += fmt.Sprintf("; pictures: %d layers of %d, %d×%d pixels in patches of %d", v.Layers, v.Width, v.Side, v.Side, v.Patch)
	}
	if e.Precision != device.Float32 {
		text += "; products in " + string(e.Precision)
	}
	return text
}
