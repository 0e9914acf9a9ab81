package tokenizer

import (
	"slices"
	"strings"
)

// A Tokenizer turns texts into token ids. Its methods may be called from several goroutines.
type Tokenizer struct {
	// Name is the algorithm and the cleaning: "clip-openai", "clip-hf", "wordpiece" or "unigram".
	Name string
	// Size is the number of token ids; ids are from 0 to Size−1.
	Size int
	// Start, End and Padding are the ids around a text and after it, −1 where the model has none.
	Start, End, Padding int32
	// Limit is the number of ids that the model folder allows for one text, 0 where it does not say.
	Limit int

	model model
	// special are the texts that stand for a token by themselves wherever they occur, such as "[SEP]".
	special map[string]int32
	// fold reports whether special texts are searched after the text was cleaned, not before.
	fold bool
}

// A model turns a stretch of text without special tokens into ids, appended to dst.
type model interface {
	appendIDs(dst []int32, text string) []int32
	// token returns the text of an id.
	token(id int32) string
}

// Append appends the ids of a text to dst and returns the extended slice, without start and end tokens and without a
// limit. Bytes that are not UTF-8 count as U+FFFD.
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

// nextSpecial returns the first special text and its position, −1 if there is none.
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

// Encode returns the ids of a text with the start and end tokens that the model has. A text of more than limit ids is
// cut; its end token stays. A limit of 0 cuts nothing.
func (t *Tokenizer) Encode(text string, limit int) []int32 {
	return t.AppendEncoded(make([]int32, 0, 16+len(text)/4), text, limit)
}

// AppendEncoded is Encode into a slice of the caller.
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

// Tokens returns the texts of ids as the vocabulary spells them, "?" for an id that is not in it.
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
