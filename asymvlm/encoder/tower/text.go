package tower

import (
	"fmt"

	"gosphere/asymvlm/embedding"
)

// A Pooling selects the tokens of a text from which its embedding is computed.
type Pooling int

const (
	// PoolLargest uses the token with the largest id, which is the end token of CLIP.
	PoolLargest Pooling = iota
	// PoolEnd uses the first end token.
	PoolEnd
	// PoolLast uses the last token.
	PoolLast
	// PoolFirst uses the first token, which is [CLS] in BERT.
	PoolFirst
	// PoolMean uses the mean of all tokens.
	PoolMean
)

// A Text is a text network.
type Text struct {
	// Vocabulary is the number of token ids and Positions the largest number of tokens. Width is
	// the width of a token's vector and Size that of an embedding.
	Vocabulary, Positions, Width, Size int
	// Layers and Heads are the numbers of layers and of attention heads.
	Layers, Heads int
	// Padded reports whether every text must have Positions tokens, because the network was trained
	// with padding that it attends to.
	Padded bool
	// Pooling selects the tokens that form the embedding; End is the id for PoolEnd.
	Pooling Pooling
	End     int32

	tokens, positions matrix
	first, last       *norm // before and after the layers; nil for none
	stack             stack
	project           projection
}

// Encode returns one row per text, texts × Size. Ids outside the vocabulary, texts without tokens
// or with more than Positions, and texts without the end token that the pooling needs are errors
// that name the index of the text.
func (t *Text) Encode(w *Worker, texts [][]int32) (embedding.Matrix, error) {
	lengths, total := make([]int, len(texts)), 0
	for i, ids := range texts {
		if len(ids) == 0 || len(ids) > t.Positions {
			return embedding.Matrix{}, fmt.Errorf("tower: text %d has %d tokens, want 1 to %d", i, len(ids), t.Positions)
		}
		if t.Padded && len(ids) != t.Positions {
			return embedding.Matrix{}, fmt.Errorf("tower: text %d has %d tokens, want it padded to %d", i, len(ids), t.Positions)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= t.Vocabulary {
				return embedding.Matrix{}, fmt.Errorf("tower: text %d has the token %d of a vocabulary of %d", i, id, t.Vocabulary)
			}
		}
		lengths[i] = len(ids)
		total += len(ids)
	}
	pooled := matrix{Rows: len(texts), Columns: t.Width, Values: make([]float32, len(texts)*t.Width)}
	x := t.hidden(w, texts, lengths, total)
	first := 0
	for i, ids := range texts {
		if err := t.pool(pooled.Row(i), x, first, ids); err != nil {
			return embedding.Matrix{}, fmt.Errorf("tower: text %d: %w", i, err)
		}
		first += len(ids)
	}
	rows := t.project.apply(w, pooled)
	return embedding.Matrix{Rows: rows.Rows, Columns: rows.Columns, Values: rows.Values}, nil
}

// hidden returns the vectors of all tokens after the last layer and its norm.
func (t *Text) hidden(w *Worker, texts [][]int32, lengths []int, total int) matrix {
	x := matrix{Rows: total, Columns: t.Width, Values: make([]float32, total*t.Width)}
	row := 0
	for _, ids := range texts {
		for position, id := range ids {
			dst, where := x.Row(row), t.positions.Row(position)
			for j, value := range t.tokens.Row(int(id)) {
				dst[j] = value + where[j]
			}
			row++
		}
	}
	if t.first != nil {
		t.first.apply(x, x)
	}
	t.stack.forward(w, x, lengths)
	if t.last != nil {
		t.last.apply(x, x)
	}
	return x
}

// pool sets dst to the vector of one text, whose tokens start at row first of x.
func (t *Text) pool(dst []float32, x matrix, first int, ids []int32) error {
	at := 0
	switch t.Pooling {
	case PoolLargest:
		for i, id := range ids {
			if id > ids[at] {
				at = i
			}
		}
	case PoolEnd:
		for at < len(ids) && ids[at] != t.End {
			at++
		}
		if at == len(ids) {
			return fmt.Errorf("no end token %d, at which the network reads the text", t.End)
		}
	case PoolLast:
		at = len(ids) - 1
	case PoolMean:
		sums := make([]float64, len(dst))
		for i := range ids {
			for j, value := range x.Row(first + i) {
				sums[j] += float64(value)
			}
		}
		for j, sum := range sums {
			dst[j] = float32(sum / float64(len(ids)))
		}
		return nil
	}
	copy(dst, x.Row(first+at))
	return nil
}
