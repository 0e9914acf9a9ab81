package tokenizer

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// WordPieceOptions configures the cleaning and the token names of a WordPiece tokenizer. The zero
// value is that of BERT's uncased model.
type WordPieceOptions struct {
	// Cased keeps capital letters, and KeepAccents keeps accents. BERT's cased models set both.
	Cased, KeepAccents bool
	// Prefix marks a piece inside a word; "" means "##".
	Prefix string
	// Unknown, Start, End and Padding are token texts; "" means "[UNK]", "[CLS]", "[SEP]" and
	// "[PAD]".
	Unknown, Start, End, Padding string
	// LongestWord is the largest number of characters of a word; longer words are unknown. 0 means
	// 100.
	LongestWord int
}

// withDefaults returns the options with empty fields set to their defaults.
func (o WordPieceOptions) withDefaults() WordPieceOptions {
	for _, field := range []struct {
		value    *string
		standard string
	}{
		{&o.Prefix, "##"}, {&o.Unknown, "[UNK]"}, {&o.Start, "[CLS]"}, {&o.End, "[SEP]"}, {&o.Padding, "[PAD]"},
	} {
		if *field.value == "" {
			*field.value = field.standard
		}
	}
	if o.LongestWord == 0 {
		o.LongestWord = 100
	}
	return o
}

// wordPieces encodes words with the longest pieces first.
type wordPieces struct {
	options WordPieceOptions
	begin   map[string]int32 // pieces at the start of a word
	inside  map[string]int32 // other pieces, without the prefix
	longest int              // length of the longest piece in bytes
	unknown int32
	texts   []string

	mutex sync.RWMutex // guards words
	words map[string][]int32
}

// ReadWordPiece reads a vocabulary with one token per line, vocab.txt. A token that occurs twice,
// and a missing special token, are errors.
func ReadWordPiece(r io.Reader, options WordPieceOptions) (*Tokenizer, error) {
	vocabulary := map[string]int32{}
	lines := bufio.NewScanner(r)
	for id := int32(0); lines.Scan(); id++ {
		if _, twice := vocabulary[lines.Text()]; twice {
			return nil, fmt.Errorf("tokenizer: vocabulary: line %d: token %.40q occurs twice", id+1, lines.Text())
		}
		vocabulary[lines.Text()] = id
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("tokenizer: vocabulary: %w", err)
	}
	t, err := newWordPiece(vocabulary, options)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: vocabulary: %w", err)
	}
	return t, nil
}

// newWordPiece returns a tokenizer for a vocabulary.
func newWordPiece(vocabulary map[string]int32, options WordPieceOptions) (*Tokenizer, error) {
	options = options.withDefaults()
	w := &wordPieces{options: options, begin: map[string]int32{}, inside: map[string]int32{}, words: map[string][]int32{}}
	size := 0
	for text, id := range vocabulary {
		if id < 0 || int(id) >= 2*len(vocabulary) {
			return nil, fmt.Errorf("token %q has the id %d in a vocabulary of %d", text, id, len(vocabulary))
		}
		size = max(size, int(id)+1)
		if n := len(options.Prefix); len(text) > n && text[:n] == options.Prefix {
			w.inside[text[n:]] = id
		}
		w.begin[text] = id
		w.longest = max(w.longest, len(text))
	}
	t := &Tokenizer{Name: "wordpiece", Size: size, model: w, special: map[string]int32{}}
	for _, token := range []struct {
		text string
		id   *int32
	}{{options.Unknown, &w.unknown}, {options.Start, &t.Start}, {options.End, &t.End}, {options.Padding, &t.Padding}} {
		id, ok := vocabulary[token.text]
		if !ok {
			return nil, fmt.Errorf("vocabulary lacks %q", token.text)
		}
		*token.id = id
		t.special[token.text] = id
	}
	if mask, ok := vocabulary["[MASK]"]; ok {
		t.special["[MASK]"] = mask
	}
	w.texts = invert(vocabulary, size)
	return t, nil
}

// token returns the vocabulary's text of an id.
func (w *wordPieces) token(id int32) string { return w.texts[id] }

// appendIDs cleans a text and appends the ids of its words.
func (w *wordPieces) appendIDs(dst []int32, text string) []int32 {
	buffer := cleaned.Get().(*[]byte)
	defer cleaned.Put(buffer)
	*buffer = w.clean((*buffer)[:0], text)
	for rest := *buffer; len(rest) > 0; {
		if rest[0] == ' ' {
			rest = rest[1:]
			continue
		}
		n := pieceLength(rest)
		dst = w.appendWord(dst, rest[:n])
		rest = rest[n:]
	}
	return dst
}

// pieceLength returns the length of the word at the start of a cleaned text: one punctuation
// character, or everything up to the next one or a space.
func pieceLength(text []byte) int {
	for n := 0; n < len(text); {
		r, length := rune(text[n]), 1
		if r >= utf8.RuneSelf {
			r, length = utf8.DecodeRune(text[n:])
		}
		if isPunctuation(r) {
			if n == 0 {
				return length
			}
			return n
		}
		if r == ' ' || r >= utf8.RuneSelf && unicode.IsSpace(r) {
			return n
		}
		n += length
	}
	return len(text)
}

// isPunctuation reports whether BERT splits words at a character: an ASCII character that is not a
// letter, digit or control character, or one of the Unicode category P.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r)
}

// clean appends a text cleaned as in BERT: without control characters, with Chinese characters as
// separate words and, unless the model is cased, in lower case without accents.
func (w *wordPieces) clean(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= utf8.RuneSelf || b < ' ' || b == 0x7f {
			return w.cleanAny(dst[:0], text)
		}
		if 'A' <= b && b <= 'Z' && !w.options.Cased {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}

// cleanAny is like clean for texts that are not plain ASCII.
func (w *wordPieces) cleanAny(dst []byte, text string) []byte {
	separated := make([]byte, 0, len(text)+16)
	for _, r := range text {
		switch {
		case unicode.IsSpace(r): // including tabs and line ends
			separated = append(separated, ' ')
		case r == 0 || r == utf8.RuneError || isOther(r):
		case isChinese(r):
			separated = append(utf8.AppendRune(append(separated, ' '), r), ' ')
		default:
			separated = utf8.AppendRune(separated, r)
		}
	}
	if !w.options.KeepAccents {
		separated = norm.NFD.Bytes(separated)
	}
	for _, r := range string(separated) {
		switch {
		case !w.options.KeepAccents && unicode.Is(unicode.Mn, r):
		case w.options.Cased:
			dst = utf8.AppendRune(dst, r)
		case r == 'İ':
			dst = append(dst, "i\u0307"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

// isOther reports whether a character is of the Unicode category C, except unassigned ones.
func isOther(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) }

// isChinese reports whether BERT treats a character as a separate word. The blocks are those of the
// tokenizers library.
func isChinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

// appendWord appends the ids of a word.
func (w *wordPieces) appendWord(dst []int32, word []byte) []int32 {
	w.mutex.RLock()
	ids, cached := w.words[string(word)]
	w.mutex.RUnlock()
	if cached {
		return append(dst, ids...)
	}
	ids = w.pieces(string(word))
	if len(word) <= cachedWordSize {
		w.mutex.Lock()
		if len(w.words) >= cachedWords {
			clear(w.words)
		}
		w.words[string(word)] = ids
		w.mutex.Unlock()
	}
	return append(dst, ids...)
}

// pieces splits a word into the longest pieces from the left. A word that cannot be split is one
// unknown token.
func (w *wordPieces) pieces(word string) []int32 {
	unknown := []int32{w.unknown}
	if len(word) > w.options.LongestWord && utf8.RuneCountInString(word) > w.options.LongestWord {
		return unknown
	}
	var ids []int32
	table := w.begin
	for len(word) > 0 {
		n := min(len(word), w.longest)
		for ; n > 0; n-- {
			if id, ok := table[word[:n]]; ok {
				ids = append(ids, id)
				break
			}
		}
		if n == 0 {
			return unknown
		}
		word, table = word[n:], w.inside
	}
	return ids
}
