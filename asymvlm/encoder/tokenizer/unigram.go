package tokenizer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// unknownPenalty is subtracted from the score of the rarest piece for an unknown character
// (unigram_model.cc).
const unknownPenalty = 10

// unigram finds the segmentation of a text into pieces with the largest sum of log probabilities
// (Kudo 2018).
type unigram struct {
	spec         *sentencePieceModel
	chars        charsMap
	userTexts    []string  // user-defined pieces, longest first, which normalization does not change
	kept         [256]bool // the ASCII characters but the space that charsMap.keeps, and that begin no userTexts
	table        pieceTable
	unknown      int32
	unknownScore float32
	bytes        [256]int32 // ids of the bytes of unknown characters; used with byteFallback only
	canonical    bool       // convert to lower case without punctuation first, as SigLIP does
	buffers      sync.Pool  // of *lattice
}

// A lattice is the working memory of one encoding.
type lattice struct {
	text []byte
	ends []latticeEnd
	ids  []int32
}

// A latticeEnd is the best segmentation of the text up to one byte.
type latticeEnd struct {
	score float32
	start int32 // start of the last piece; −1 if no segmentation ends here
	id    int32
}

// A pieceTable is a trie over the bytes of the pieces, stored in one hash table with linear
// probing. The key is the node and the next byte, and the value is the next node.
type pieceTable struct {
	entries []transition
	shift   uint
	nodes   int32 // number of nodes
}

// A transition leads from a node of a pieceTable to another one. Its fields are those that a step
// of the search needs, so that the step reads one line of the processor's cache.
type transition struct {
	key   uint64  // node<<8 | byte, plus 1; 0 if the entry is free
	node  int32   // the next node
	id    int32   // of the piece that ends there, or −1
	score float32 // of that piece
}

// newPieceTable returns a table for the given number of transitions.
func newPieceTable(transitions int) pieceTable {
	bits := uint(4)
	for 1<<bits < 2*transitions {
		bits++
	}
	return pieceTable{entries: make([]transition, 1<<bits), shift: 64 - bits, nodes: 1}
}

// find returns the transition with a key, or the free entry at which it would be inserted.
func (t *pieceTable) find(key uint64) *transition {
	mask := uint64(len(t.entries) - 1)
	at := key * 0x9E3779B97F4A7C15 >> t.shift
	for {
		e := &t.entries[at&mask]
		if e.key == key || e.key == 0 {
			return e
		}
		at++
	}
}

// add inserts a piece, which is not empty.
func (t *pieceTable) add(text string, id int32, score float32) {
	var e *transition
	node := int32(0)
	for i := range len(text) {
		key := (uint64(node)<<8 | uint64(text[i])) + 1
		if e = t.find(key); e.key == 0 {
			*e = transition{key: key, node: t.nodes, id: -1}
			t.nodes++
		}
		node = e.node
	}
	e.id, e.score = id, score
}

// ReadSentencePiece decodes the unigram model of a SentencePiece .model file. The tokenizer has no
// start and end tokens, which depend on the model's folder. Models other than unigram, and
// malformed data, are errors.
func ReadSentencePiece(data []byte) (*Tokenizer, error) {
	t, err := newUnigram(data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: sentencepiece model: %w", err)
	}
	return t, nil
}

func newUnigram(data []byte) (*Tokenizer, error) {
	spec, err := decodeSentencePiece(data)
	if err != nil {
		return nil, err
	}
	switch {
	case spec.modelType != 1:
		return nil, fmt.Errorf("model type %d, want 1 (unigram)", spec.modelType)
	case spec.suffix:
		return nil, errors.New("treat_whitespace_as_suffix is not supported")
	case len(spec.pieces) == 0:
		return nil, errors.New("no pieces")
	}
	u := &unigram{spec: spec, unknown: -1}
	u.buffers.New = func() any { return new(lattice) }
	if u.chars, err = decodeCharsMap(spec.charsMap); err != nil {
		return nil, err
	}
	if err := u.addPieces(); err != nil {
		return nil, err
	}
	return &Tokenizer{Name: "unigram", Size: len(spec.pieces), Start: -1, End: -1, Padding: -1, model: u}, nil
}

// addPieces fills the table.
func (u *unigram) addPieces() error {
	length, least, most := 0, float32(math.Inf(1)), float32(math.Inf(-1))
	byteCount := 0
	for id, p := range u.spec.pieces {
		length += len(p.text)
		switch p.role {
		case normalPiece:
			if math.IsNaN(float64(p.score)) || math.IsInf(float64(p.score), 0) {
				return fmt.Errorf("piece %d, %.40q, has the score %g", id, p.text, p.score)
			}
			least, most = min(least, p.score), max(most, p.score)
		case unknownPiece:
			u.unknown = int32(id)
		case bytePiece:
			var b byte
			if _, err := fmt.Sscanf(p.text, "<0x%02X>", &b); err != nil {
				return fmt.Errorf("piece %d, %.40q, is no byte such as <0x0A>", id, p.text)
			}
			u.bytes[b] = int32(id)
			byteCount++
		case userPiece:
			u.userTexts = append(u.userTexts, p.text)
		case controlPiece, unusedPiece:
		default:
			return fmt.Errorf("piece %d, %.40q, is of the unknown type %d", id, p.text, p.role)
		}
	}
	if u.unknown < 0 {
		return errors.New("no piece for unknown characters")
	}
	if u.spec.byteFallback && byteCount != 256 {
		return fmt.Errorf("pieces for %d bytes, want 256", byteCount)
	}
	if least > most {
		least, most = 0, 0
	}
	slices.SortFunc(u.userTexts, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for b := range byte(utf8.RuneSelf) {
		starts := func(text string) bool { return text != "" && text[0] == b }
		u.kept[b] = b != ' ' && u.chars.keeps(b) && !slices.ContainsFunc(u.userTexts, starts)
	}
	u.unknownScore = least - unknownPenalty
	u.table = newPieceTable(length)
	for id, p := range u.spec.pieces {
		if p.text == "" && (p.role == normalPiece || p.role == userPiece) {
			return fmt.Errorf("piece %d is empty", id)
		}
		switch p.role {
		case normalPiece:
			u.table.add(p.text, int32(id), p.score)
		case userPiece: // always preferred
			u.table.add(p.text, int32(id), float32(len(p.text))*most-0.1)
		}
	}
	return nil
}

// token returns the text of a piece.
func (u *unigram) token(id int32) string { return u.spec.pieces[id].text }

// canonicalize returns a text in the form that SigLIP's tokenizer requires: lower case, without
// ASCII punctuation, single spaces.
func canonicalize(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isPunctuation(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// appendIDs normalizes a text and appends the ids of its best segmentation.
func (u *unigram) appendIDs(dst []int32, text string) []int32 {
	if u.canonical {
		text = canonicalize(text)
	}
	l := u.buffers.Get().(*lattice)
	defer u.buffers.Put(l)
	l.text = u.normalize(l.text[:0], text)
	u.search(l)
	l.ids = l.ids[:0]
	wasUnknown := false
	starts := l.ends
	for end := int32(len(l.text)); end > 0; end = starts[end].start {
		id := starts[end].id
		switch {
		case id != u.unknown:
			l.ids = append(l.ids, id)
		case u.spec.byteFallback:
			for i := end - 1; i >= starts[end].start; i-- {
				l.ids = append(l.ids, u.bytes[l.text[i]])
			}
		case !wasUnknown: // adjacent unknown characters form one piece
			l.ids = append(l.ids, id)
		}
		wasUnknown = id == u.unknown
	}
	slices.Reverse(l.ids)
	return append(dst, l.ids...)
}

// search fills the lattice from left to right with Viterbi's algorithm. Of equal scores the earlier
// start wins.
func (u *unigram) search(l *lattice) {
	l.ends = slices.Grow(l.ends[:0], len(l.text)+1)[:len(l.text)+1]
	for i := range l.ends {
		l.ends[i] = latticeEnd{start: -1}
	}
	t := &u.table
	for start := 0; start < len(l.text); {
		here := l.ends[start].score
		_, width := utf8.DecodeRune(l.text[start:])
		single := false
		node := int32(0)
		for at := start; at < len(l.text); at++ {
			e := t.find((uint64(node)<<8 | uint64(l.text[at])) + 1)
			if e.key == 0 {
				break
			}
			node = e.node
			if e.id < 0 {
				continue
			}
			end := &l.ends[at+1]
			if score := here + e.score; end.start < 0 || score > end.score {
				*end = latticeEnd{score, int32(start), e.id}
			}
			single = single || at+1-start == width
		}
		if !single {
			end := &l.ends[start+width]
			if score := here + u.unknownScore; end.start < 0 || score > end.score {
				*end = latticeEnd{score, int32(start), u.unknown}
			}
		}
		start += width
	}
}
