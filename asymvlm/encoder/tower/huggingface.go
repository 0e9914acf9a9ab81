package tower

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
)

// huggingFace reads CLIPModel and SiglipModel of transformers. A folder may have only one of the
// towers.
func (l *loader) huggingFace(c *config) (*Model, error) {
	m := &Model{Family: "clip", Layout: "huggingface"}
	siglip := l.w.Has("vision_model.head.probe") || l.w.Has("text_model.head.weight") || c.ModelType == "siglip"
	if siglip {
		m.Family = "siglip"
	}
	if c.ModelType != "" && c.ModelType != "siglip" && c.ModelType != "clip" && c.ModelType != "clip_text_model" && c.ModelType != "clip_vision_model" {
		return nil, fmt.Errorf("tower: model_type %q, want clip or siglip", c.ModelType)
	}
	if l.w.Has("text_model.embeddings.token_embedding.weight") {
		if err := l.huggingText(m, c.Text, siglip); err != nil {
			return nil, err
		}
	}
	if l.w.Has("vision_model.embeddings.patch_embedding.weight") {
		if err := l.huggingImage(m, c.Vision, siglip); err != nil {
			return nil, err
		}
	}
	l.logits(m)
	return m, nil
}

// shape returns the common dimensions of a tower's layers.
func (s *sideConfig) shape(width int, siglip bool) (shape, error) {
	if s == nil {
		s = &sideConfig{}
	}
	standard, epsilon := "quick_gelu", 1e-5
	if siglip {
		standard, epsilon = "gelu_pytorch_tanh", 1e-6
	}
	if s.Epsilon != nil {
		epsilon = *s.Epsilon
	}
	heads := s.Heads
	if heads == 0 {
		heads = max(1, width/64)
	}
	activation, err := known(s.Activation, standard)
	if err != nil {
		return shape{}, err
	}
	result := shape{width: width, heads: heads, epsilon: epsilon, activation: activation}
	return result, result.check()
}

// huggingText reads the text network.
func (l *loader) huggingText(m *Model, c *sideConfig, siglip bool) error {
	const prefix = "text_model."
	t := &Text{tokens: l.matrix(prefix + "embeddings.token_embedding.weight"), positions: l.matrix(prefix + "embeddings.position_embedding.weight")}
	t.Vocabulary, t.Width, t.Positions = t.tokens.Rows, t.tokens.Columns, t.positions.Rows
	s, err := c.shape(t.Width, siglip)
	if err != nil {
		return err
	}
	s.causal = !siglip
	t.stack = l.huggingStack(prefix+"encoder.layers.", s)
	t.Layers, t.Heads = len(t.stack.blocks), s.heads
	last := l.norm(prefix+"final_layer_norm", t.Width, s.epsilon)
	t.last = &last
	switch {
	case siglip:
		t.Padded, t.Pooling = true, PoolLast
		size := l.sizes(prefix+"head.weight", 2)[0]
		t.project = projection{l.linear(prefix+"head", size, t.Width), size}
	default:
		t.Pooling, t.End = PoolEnd, 49407
		if c != nil && c.End != nil {
			t.End = int32(*c.End)
		}
		if t.End == 2 { // older configurations, whose networks pool at the largest id
			t.Pooling = PoolLargest
		}
		t.project = l.projection("text_projection.weight", t.Width)
	}
	t.Size = t.project.size
	m.Text = t
	return l.fits(t.positions, t.Width)
}

// huggingImage reads the image network.
func (l *loader) huggingImage(m *Model, c *sideConfig, siglip bool) error {
	const prefix = "vision_model."
	v := new(Image)
	kernel := l.sizes(prefix+"embeddings.patch_embedding.weight", 4)
	v.Width, v.Patch = kernel[0], kernel[2]
	v.patches = linear{}
	var bias []float32
	if siglip {
		bias = l.vector(prefix+"embeddings.patch_embedding.bias", v.Width)
	}
	v.patches = l.pack(l.tensor(prefix+"embeddings.patch_embedding.weight", v.Width, 3, v.Patch, v.Patch), bias, v.Width, 3*v.Patch*v.Patch)
	v.positions = l.matrix(prefix + "embeddings.position_embedding.weight")
	s, err := c.shape(v.Width, siglip)
	if err != nil {
		return err
	}
	v.stack = l.huggingStack(prefix+"encoder.layers.", s)
	v.Layers, v.Heads = len(v.stack.blocks), s.heads
	last := l.norm(prefix+"post_layernorm", v.Width, s.epsilon)
	v.last = &last
	if siglip {
		v.Size = v.Width
		if c != nil && c.UseHead != nil && !*c.UseHead || !l.w.Has(prefix+"head.probe") {
			return fmt.Errorf("tower: SigLIP without its attention pooling head gives one vector per patch, not per picture")
		}
		v.pool = l.attentionPool(prefix+"head.", s)
	} else {
		v.class = l.vector(prefix+"embeddings.class_embedding", v.Width)
		first := l.norm(prefix+"pre_layrnorm", v.Width, s.epsilon)
		v.first = &first
		v.project = l.projection("visual_projection.weight", v.Width)
		v.Size = v.project.size
	}
	m.Image = v
	return l.grid(v)
}

// grid sets the side of a picture from the number of positions, which is a square, plus one with a
// class token.
func (l *loader) grid(v *Image) error {
	tokens := v.positions.Rows
	if v.class != nil {
		tokens--
	}
	side := int(math.Round(math.Sqrt(float64(tokens))))
	if l.err == nil && (side*side != tokens || side == 0) {
		return fmt.Errorf("tower: %d positions of patches are no square", tokens)
	}
	v.Side = side * v.Patch
	return l.fits(v.positions, v.Width)
}

// fits returns an error if position vectors and tokens differ in width.
func (l *loader) fits(positions matrix, width int) error {
	if l.err == nil && positions.Columns != width {
		return fmt.Errorf("tower: position vectors of %d values, want %d", positions.Columns, width)
	}
	return l.err
}

// huggingStack reads the layers of a tower.
func (l *loader) huggingStack(prefix string, s shape) stack {
	blocks := make([]block, l.layers(prefix))
	for i := range blocks {
		b, name := s.block(), fmt.Sprintf("%s%d.", prefix, i)
		attention := name + "self_attn."
		inner := l.sizes(name+"mlp.fc1.weight", 2)[0]
		b.norm1, b.norm2 = l.norm(name+"layer_norm1", s.width, s.epsilon), l.norm(name+"layer_norm2", s.width, s.epsilon)
		b.qkv = l.stacked([]string{attention + "q_proj", attention + "k_proj", attention + "v_proj"}, s.width, s.width)
		b.out = l.linear(attention+"out_proj", s.width, s.width)
		b.up, b.down = l.linear(name+"mlp.fc1", inner, s.width), l.linear(name+"mlp.fc2", s.width, inner)
		blocks[i] = b
	}
	return stack{blocks}
}

// attentionPool reads SigLIP's head. The query is the same for all pictures, so it is projected
// once.
func (l *loader) attentionPool(prefix string, s shape) *attentionPool {
	d := s.width
	weight, bias := l.tensor(prefix+"attention.in_proj_weight", 3*d, d), l.tensor(prefix+"attention.in_proj_bias", 3*d)
	probe := l.tensor(prefix+"probe", 1, 1, d)
	inner := l.sizes(prefix+"mlp.fc1.weight", 2)[0]
	p := &attentionPool{block: s.block()}
	p.block.out = l.linear(prefix+"attention.out_proj", d, d)
	p.block.norm2 = l.norm(prefix+"layernorm", d, s.epsilon)
	p.block.up, p.block.down = l.linear(prefix+"mlp.fc1", inner, d), l.linear(prefix+"mlp.fc2", d, inner)
	if l.err != nil {
		return p
	}
	query := device.NewMatrix[float32](1, d)
	l.cpu.Affine(query, matrix{Rows: 1, Columns: d, Values: probe}, matrix{Rows: d, Columns: d, Values: weight[:d*d]},
		device.Bias[float32]{Values: bias[:d]})
	p.query = query.Values
	p.block.qkv = l.pack(weight[d*d:], append([]float32{}, bias[d:]...), 2*d, d)
	return p
}
