package tower

import (
	"fmt"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/device"
)

// openCLIP reads the layout of OpenAI's checkpoints and of open_clip: visual.*,
// transformer.resblocks.*, with the text network at the top level or below "text.".
func (l *loader) openCLIP(c *config) (*Model, error) {
	m := &Model{Family: "clip", Layout: "openai", Mean: c.Preprocess.Mean, Deviation: c.Preprocess.Std}
	activation := device.QuickGELU // OpenAI's own files have no configuration
	o := c.OpenCLIP
	if o == nil && strings.HasPrefix(filepath.Base(l.w.Files[0]), "open_clip") {
		return nil, fmt.Errorf("tower: %s: open_clip_config.json is missing, which specifies GELU or quick GELU", l.w.Files[0])
	}
	if o != nil {
		m.Layout = "open_clip"
		if !o.QuickGELU {
			activation = device.GELU
		}
		if o.Text.Hub != "" {
			return nil, fmt.Errorf("tower: the network of texts is %q of Hugging Face inside open_clip, which is not supported", o.Text.Hub)
		}
	}
	text := ""
	if l.w.Has("text.token_embedding.weight") {
		text = "text."
	}
	if l.w.Has("visual.attn_pool.query") || l.w.Has("text.cls_emb") || l.w.Has("visual.transformer.resblocks.0.ls_1.gamma") {
		return nil, fmt.Errorf("tower: %s: open_clip's attention pooling, class token of texts and layer scale (CoCa, EVA) are not supported", l.w.Files[0])
	}
	if err := l.openText(m, o, text, activation); err != nil {
		return nil, err
	}
	if err := l.openImage(m, o, activation); err != nil {
		return nil, err
	}
	l.logits(m)
	return m, nil
}

// openText reads the text network.
func (l *loader) openText(m *Model, o *openConfig, prefix string, activation device.Activation) error {
	t := &Text{tokens: l.matrix(prefix + "token_embedding.weight"), positions: l.matrix(prefix + "positional_embedding")}
	t.Vocabulary, t.Width, t.Positions, t.Pooling = t.tokens.Rows, t.tokens.Columns, t.positions.Rows, PoolLargest
	heads := max(1, t.Width/64)
	if o != nil && o.Text.Heads > 0 {
		heads = o.Text.Heads
	}
	s := shape{width: t.Width, heads: heads, epsilon: 1e-5, activation: activation, causal: true}
	if err := s.check(); err != nil {
		return err
	}
	t.stack = l.openStack(prefix+"transformer.resblocks.", s)
	t.Layers, t.Heads = len(t.stack.blocks), heads
	last := l.norm(prefix+"ln_final", t.Width, s.epsilon)
	t.last = &last
	t.project = l.transposedProjection(prefix+"text_projection", t.Width)
	t.Size = t.project.size
	m.Text = t
	return l.fits(t.positions, t.Width)
}

// openImage reads the image network.
func (l *loader) openImage(m *Model, o *openConfig, activation device.Activation) error {
	v := new(Image)
	kernel := l.sizes("visual.conv1.weight", 4)
	v.Width, v.Patch = kernel[0], kernel[2]
	v.patches = l.pack(l.tensor("visual.conv1.weight", v.Width, 3, v.Patch, v.Patch), nil, v.Width, 3*v.Patch*v.Patch)
	v.class, v.positions = l.vector("visual.class_embedding", v.Width), l.matrix("visual.positional_embedding")
	headWidth := 64
	if o != nil && o.Vision.HeadWidth > 0 {
		headWidth = o.Vision.HeadWidth
	}
	s := shape{width: v.Width, heads: v.Width / headWidth, epsilon: 1e-5, activation: activation}
	if err := s.check(); err != nil {
		return err
	}
	v.stack = l.openStack("visual.transformer.resblocks.", s)
	v.Layers, v.Heads = len(v.stack.blocks), s.heads
	first, last := l.norm("visual.ln_pre", v.Width, s.epsilon), l.norm("visual.ln_post", v.Width, s.epsilon)
	v.first, v.last = &first, &last
	v.project = l.transposedProjection("visual.proj", v.Width)
	v.Size = v.project.size
	m.Image = v
	return l.grid(v)
}

// openStack reads the layers of a tower.
func (l *loader) openStack(prefix string, s shape) stack {
	blocks := make([]block, l.layers(prefix))
	for i := range blocks {
		b, name := s.block(), fmt.Sprintf("%s%d.", prefix, i)
		inner := l.sizes(name+"mlp.c_fc.weight", 2)[0]
		b.norm1, b.norm2 = l.norm(name+"ln_1", s.width, s.epsilon), l.norm(name+"ln_2", s.width, s.epsilon)
		b.qkv = l.pack(l.tensor(name+"attn.in_proj_weight", 3*s.width, s.width), l.vector(name+"attn.in_proj_bias", 3*s.width), 3*s.width, s.width)
		b.out = l.linear(name+"attn.out_proj", s.width, s.width)
		b.up, b.down = l.linear(name+"mlp.c_fc", inner, s.width), l.linear(name+"mlp.c_proj", s.width, inner)
		blocks[i] = b
	}
	return stack{blocks}
}
