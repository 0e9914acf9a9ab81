package tower

import (
	"fmt"
	"slices"
)

// bert reads BertModel of transformers, the network of many sentence encoders. It uses mean pooling
// unless the folder's settings differ; see package encoder.
func (l *loader) bert(c *config, prefix string) (*Model, error) {
	if c.ModelType != "" && c.ModelType != "bert" {
		return nil, fmt.Errorf("tower: model_type %q, want bert", c.ModelType)
	}
	if by := c.PositionsBy; by != "" && by != "absolute" {
		return nil, fmt.Errorf("tower: position_embedding_type %q, want absolute", by)
	}
	words, positions := l.matrix(prefix+"embeddings.word_embeddings.weight"), l.matrix(prefix+"embeddings.position_embeddings.weight")
	t := &Text{tokens: words, Vocabulary: words.Rows, Width: words.Columns, Size: words.Columns, Positions: positions.Rows, Pooling: PoolMean}
	if err := l.fits(positions, t.Width); err != nil {
		return nil, err
	}
	activation, err := known(c.Activation, "gelu")
	if err != nil {
		return nil, err
	}
	s := shape{width: t.Width, heads: c.Heads, epsilon: 1e-12, activation: activation}
	if c.Epsilon != nil {
		s.epsilon = *c.Epsilon
	}
	if s.heads == 0 {
		return nil, fmt.Errorf("tower: %s: no num_attention_heads: config.json of the model is missing", l.w.Files[0])
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	// All tokens have the first type, so its vector is added to the positions.
	types := l.tensor(prefix+"embeddings.token_type_embeddings.weight", -1, t.Width)
	positions.Values = slices.Clone(positions.Values)
	for i := 0; l.err == nil && i < positions.Rows; i++ {
		for j, value := range types[:t.Width] {
			positions.Row(i)[j] += value
		}
	}
	t.positions = positions
	first := l.norm(prefix+"embeddings.LayerNorm", t.Width, s.epsilon)
	t.first = &first
	t.stack = l.bertStack(prefix+"encoder.layer.", s)
	t.Layers, t.Heads = len(t.stack.blocks), s.heads
	return &Model{Family: "bert", Layout: "huggingface", Text: t}, l.err
}

// bertStack reads the layers.
func (l *loader) bertStack(prefix string, s shape) stack {
	blocks := make([]block, l.layers(prefix))
	for i := range blocks {
		b, name := s.block(), fmt.Sprintf("%s%d.", prefix, i)
		b.normalizeLast = true
		attention := name + "attention.self."
		inner := l.sizes(name+"intermediate.dense.weight", 2)[0]
		b.qkv = l.stacked([]string{attention + "query", attention + "key", attention + "value"}, s.width, s.width)
		b.out = l.linear(name+"attention.output.dense", s.width, s.width)
		b.norm1 = l.norm(name+"attention.output.LayerNorm", s.width, s.epsilon)
		b.up, b.down = l.linear(name+"intermediate.dense", inner, s.width), l.linear(name+"output.dense", s.width, inner)
		b.norm2 = l.norm(name+"output.LayerNorm", s.width, s.epsilon)
		blocks[i] = b
	}
	return stack{blocks}
}
