package tokenizer

import (
	"slices"
	"strings"
)

// A Tokenizer converts texts to token ids. It is safe for concurrent use.
type Tokenizer struct {
	// Name names the algorithm and the cleaning: "clip-openai", "clip-hf", "wordpiece" or
	// "unigram".
	Name string
	// Size is the number of token ids, which range from 0 to Size−1.
	Size int
	// Start and End are the ids before and after a text, and Padding is the id of padding. They are
	// −1 if the model has none.
	Start, End, Padding int32
	// Limit is the largest number of ids of a text according to the model folder, or 0 if it is
	// unspecified.
	Limit int

	model model
	// special maps texts that are single tokens wherever they occur, such as "[SEP]", to their ids.
	special map[string]int32
	// fold reports whether special texts are searched in the cleaned text instead of the original.
	fold bool
}

// A model appends the ids of a text without special tokens to dst.
type model interface {
	appendIDs(dst []int32, text string) []int32
	// token returns the text of an id.
	token(id int32) string
}

// Append appends the ids of a text to dst and returns the extended slice, without start and end
// tokens and without a limit. Invalid UTF-8 is replaced with U+FFFD.
func (t *Tokenizer) Append(dst []int32, text string) []int32 {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !t.fold {
		for len(t.special) > 0 {
			at, special := t.nextSpecial(text)
			if at < 0 {
				break
			}
			if at > 0 {
				dst = t.model.appendIDs(dst, text[:at])
			}
			dst = append(dst, t.special[special])
			text = text[at+len(special):]
			if text == "" {
				return dst
			}
		}
	}
	return t.model.appendIDs(dst, text)
}

// nextSpecial returns the position of the first special text, and the text, or −1 if there is none.
func (t *Tokenizer) nextSpecial(text string) (at int, special string) {
	at = -1
	if !strings.ContainsAny(text, "<[") {
		return at, ""
	}
	for candidate := range t.special {
		i := strings.Index(text, candidate)
		if i >= 0 && (at < 0 || i < at || i == at && len(candidate) > len(special)) {
			at, special = i, candidate
		}
	}
	return at, special
}

// Encode returns the ids of a text with the model's start and end tokens. A text of more than limit
// ids is truncated but keeps its end token. A limit of 0 means none.
func (t *Tokenizer) Encode(text string, limit int) []int32 {
	return t.AppendEncoded(make([]int32, 0, 16+len(text)/4), text, limit)
}

// AppendEncoded is like Encode with the result appended to dst.
func (t *Tokenizer) AppendEncoded(dst []int32, text string, limit int) []int32 {
	first := len(dst)
	if t.Start >= 0 {
		dst = append(dst, t.Start)
	}
	dst = t.Append(dst, text)
	ending := 0
	if t.End >= 0 {
		ending = 1
	}
	if limit > 0 && len(dst)-first+ending > limit {
		dst = dst[:max(first, first+limit-ending)]
	}
	if ending > 0 && (limit == 0 || len(dst)-first < limit) {
		dst = append(dst, t.End)
	}
	return dst
}

// Tokens returns the vocabulary's texts of ids, with "?" for an id that is not in the vocabulary.
func (t *Tokenizer) Tokens(ids []int32) []string {
	tokens := make([]string, len(ids))
	for i, id := range ids {
		tokens[i] = t.token(id)
	}
	return tokens
}

// token returns the text of one id.
func (t *Tokenizer) token(id int32) string {
	for special, number := range t.special {
		if number == id {
			return special
		}
	}
	if id < 0 || int(id) >= t.Size {
		return "?"
	}
	return t.model.token(id)
}

// invert returns the texts of a vocabulary by id.
func invert(vocabulary map[string]int32, size int) []string {
	texts := slices.Repeat([]string{"?"}, size)
	for text, id := range vocabulary {
		texts[id] = text
	}
	return texts
}
