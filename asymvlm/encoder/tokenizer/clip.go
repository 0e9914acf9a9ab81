package tokenizer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// A Cleaning selects how CLIP's tokenizer normalizes a text before splitting it into words. The two
// agree on ordinary captions.
type Cleaning int

const (
	// OpenAI cleans like the program of the CLIP paper: ftfy's repairs, HTML entities, white space,
	// lower case. The repairs implemented here are those of quotes, ligatures, character widths,
	// control characters, line breaks and NFC. Text in a wrong encoding (mojibake) is not repaired.
	OpenAI Cleaning = iota
	// HuggingFace cleans like the tokenizers library: NFC, white space, lower case.
	HuggingFace
)

// The two special tokens of CLIP.
const (
	clipStart = "<|startoftext|>"
	clipEnd   = "<|endoftext|>"
)

// clipSize is the size of the vocabulary of all published CLIP models: 2·256 bytes, 48,894 merges
// and two tokens.
const clipSize = 49408

// clipModel cleans a text, splits it into words and encodes these.
type clipModel struct {
	*bytePairs
	cleaning Cleaning
	special  map[string]int32 // recognized in the cleaned text, with OpenAI's cleaning only
}

// newCLIP returns a tokenizer for a vocabulary and its merges.
func newCLIP(vocabulary map[string]int32, pairs [][2]string, cleaning Cleaning) (*Tokenizer, error) {
	size := 0
	for text, id := range vocabulary {
		if id < 0 || int(id) >= 2*len(vocabulary) {
			return nil, fmt.Errorf("token %q has the id %d in a vocabulary of %d", text, id, len(vocabulary))
		}
		size = max(size, int(id)+1)
	}
	start, hasStart := vocabulary[clipStart]
	end, hasEnd := vocabulary[clipEnd]
	if !hasStart || !hasEnd {
		return nil, fmt.Errorf("vocabulary lacks %s or %s", clipStart, clipEnd)
	}
	table, err := newBytePairs(vocabulary, size, pairs)
	if err != nil {
		return nil, err
	}
	special := map[string]int32{clipStart: start, clipEnd: end}
	t := &Tokenizer{Name: "clip-hf", Size: size, Start: start, End: end, Padding: end, special: special}
	if cleaning == OpenAI {
		t.Name, t.fold, t.Padding = "clip-openai", true, 0
	}
	t.model = &clipModel{table, cleaning, special}
	return t, nil
}

// ReadCLIP reads the vocabulary of OpenAI's program, bpe_simple_vocab_16e6.txt, plain or compressed
// with gzip: a comment line, then one merge per line. Malformed lines, and too few of them, are
// errors.
func ReadCLIP(r io.Reader, cleaning Cleaning) (*Tokenizer, error) {
	lines := bufio.NewReader(r)
	if magic, _ := lines.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(lines)
		if err != nil {
			return nil, fmt.Errorf("tokenizer: merges: %w", err)
		}
		lines = bufio.NewReader(unpacked)
	}
	pairs, err := readMerges(lines, clipSize-2*256-2)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: merges: %w", err)
	}
	if len(pairs) < clipSize-2*256-2 {
		return nil, fmt.Errorf("tokenizer: merges: %d of %d", len(pairs), clipSize-2*256-2)
	}
	vocabulary := make(map[string]int32, clipSize)
	add := func(text string) { vocabulary[text] = int32(len(vocabulary)) }
	symbols, order := byteSymbols()
	for _, ending := range []string{"", endOfWord} {
		for _, b := range order {
			add(string(symbols[b]) + ending)
		}
	}
	for i, pair := range pairs {
		if _, twice := vocabulary[pair[0]+pair[1]]; twice {
			return nil, fmt.Errorf("tokenizer: merges: line %d: %q occurs twice", i+2, pair[0]+pair[1])
		}
		add(pair[0] + pair[1])
	}
	add(clipStart)
	add(clipEnd)
	t, err := newCLIP(vocabulary, pairs, cleaning)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: merges: %w", err)
	}
	t.Limit = 77
	return t, nil
}

// readMerges reads up to most lines of two symbols that follow a comment line.
func readMerges(r io.Reader, most int) ([][2]string, error) {
	lines := bufio.NewScanner(r)
	var pairs [][2]string
	for number := 1; len(pairs) < most && lines.Scan(); number++ {
		if number == 1 || lines.Text() == "" {
			continue
		}
		first, second, ok := strings.Cut(lines.Text(), " ")
		if !ok || first == "" || second == "" || strings.Contains(second, " ") {
			return nil, fmt.Errorf("line %d: %.40q, want two symbols", number, lines.Text())
		}
		pairs = append(pairs, [2]string{first, second})
	}
	return pairs, lines.Err()
}

// cleaned holds buffers for cleaned texts.
var cleaned = sync.Pool{New: func() any { return new([]byte) }}

// appendIDs cleans a text and appends the ids of its words.
func (c *clipModel) appendIDs(dst []int32, text string) []int32 {
	buffer := cleaned.Get().(*[]byte)
	defer cleaned.Put(buffer)
	*buffer = c.clean((*buffer)[:0], text)
	for rest := *buffer; ; {
		for len(rest) > 0 && rest[0] == ' ' {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return dst
		}
		if id, length := c.specialAt(rest); length > 0 {
			dst, rest = append(dst, id), rest[length:]
			continue
		}
		n := wordLength(rest)
		dst = c.appendWord(dst, rest[:n])
		rest = rest[n:]
	}
}

// specialAt returns the special token at the start of a cleaned text, and its length.
func (c *clipModel) specialAt(text []byte) (id int32, length int) {
	if text[0] != '<' || c.cleaning != OpenAI {
		return 0, 0
	}
	for special, id := range c.special {
		if bytes.HasPrefix(text, []byte(special)) {
			return id, len(special)
		}
	}
	return 0, 0
}

// clean appends a text in lower case, with a single space for each run of white space.
func (c *clipModel) clean(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= utf8.RuneSelf || b < ' ' || b == 0x7f || b == '&' {
			return c.cleanAny(dst[:0], text)
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}

// cleanAny is like clean for texts that are not plain ASCII.
func (c *clipModel) cleanAny(dst []byte, text string) []byte {
	if c.cleaning == OpenAI {
		text = repair(text)
		text = html.UnescapeString(html.UnescapeString(text))
	} else {
		text = norm.NFC.String(text)
	}
	text = strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ")
	if c.cleaning == OpenAI && strings.ContainsRune(text, 'Σ') {
		return append(dst, cases.Lower(language.Und, cases.HandleFinalSigma(true)).String(text)...)
	}
	for _, r := range text {
		if r == 'İ' { // the only character whose lower case has two characters
			dst = append(dst, "i\u0307"...)
			continue
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// contractions are separate words wherever they occur.
var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// wordLength returns the length of the word at the start of a cleaned text: a contraction, a run of
// letters, one digit, or a run of other characters. The text must not start with a space.
func wordLength(text []byte) int {
	if text[0] == '\'' {
		for _, contraction := range contractions {
			if bytes.HasPrefix(text, []byte(contraction)) {
				return len(contraction)
			}
		}
	}
	kind, n := kindAt(text)
	if kind == digit {
		return n
	}
	for n < len(text) {
		next, length := kindAt(text[n:])
		if next != kind {
			break
		}
		n += length
	}
	return n
}

// A kind is a class of characters that words are made of.
type kind int

const (
	space kind = iota
	letter
	digit
	other
)

// kindAt returns the kind of the first character and its length.
func kindAt(text []byte) (kind, int) {
	if b := text[0]; b < utf8.RuneSelf {
		switch {
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			return letter, 1
		case '0' <= b && b <= '9':
			return digit, 1
		case b == ' ':
			return space, 1
		}
		return other, 1
	}
	r, length := utf8.DecodeRune(text)
	switch {
	case unicode.IsLetter(r):
		return letter, length
	case unicode.IsNumber(r):
		return digit, length
	case unicode.IsSpace(r):
		return space, length
	}
	return other, length
}
