package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gosphere/internal/userfile"
)

// errUnigram is the error for a tokenizer.json whose model is also in a .model file.
var errUnigram = errors.New("the unigram model is read from spiece.model: copy that file into the folder")

// A jsonTokenizer is the relevant part of tokenizer.json, the format of the tokenizers library.
type jsonTokenizer struct {
	Model struct {
		Type     string          `json:"type"`
		Vocab    json.RawMessage `json:"vocab"`
		Merges   []mergeEntry    `json:"merges"`
		Prefix   *string         `json:"continuing_subword_prefix"`
		Suffix   *string         `json:"end_of_word_suffix"`
		Unknown  *string         `json:"unk_token"`
		Longest  int             `json:"max_input_chars_per_word"`
		Fallback bool            `json:"byte_fallback"`
		Ignore   bool            `json:"ignore_merges"`
		Dropout  *float64        `json:"dropout"`
	} `json:"model"`
	Normalizer   *jsonStep `json:"normalizer"`
	PreTokenizer *jsonStep `json:"pre_tokenizer"`
	Added        []struct {
		ID      int32  `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
}

// A jsonStep is a normalizer or pre-tokenizer.
type jsonStep struct {
	Type          string     `json:"type"`
	Normalizers   []jsonStep `json:"normalizers"`
	PreTokenizers []jsonStep `json:"pretokenizers"`
	CleanText     *bool      `json:"clean_text"`
	Chinese       *bool      `json:"handle_chinese_chars"`
	StripAccents  *bool      `json:"strip_accents"`
	LowerCase     *bool      `json:"lowercase"`
}

// types returns the names of a step and of its nested steps.
func (s *jsonStep) types() string {
	if s == nil {
		return "none"
	}
	parts := append(append([]jsonStep{}, s.Normalizers...), s.PreTokenizers...)
	if len(parts) == 0 {
		return s.Type
	}
	names := make([]string, len(parts))
	for i := range parts {
		names[i] = parts[i].types()
	}
	return strings.Join(names, "+")
}

// A mergeEntry is "a b" in older files and ["a", "b"] in newer ones.
type mergeEntry [2]string

// UnmarshalJSON reads both forms.
func (m *mergeEntry) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		var pair []string
		if err := json.Unmarshal(text, &pair); err != nil {
			return err
		}
		if len(pair) != 2 {
			return fmt.Errorf("merge of %d symbols, want 2", len(pair))
		}
		*m = mergeEntry(pair)
		return nil
	}
	var joined string
	if err := json.Unmarshal(text, &joined); err != nil {
		return err
	}
	first, second, ok := strings.Cut(joined, " ")
	if !ok {
		return fmt.Errorf("merge %q, want two symbols", joined)
	}
	*m = mergeEntry{first, second}
	return nil
}

// openJSON reads tokenizer.json.
func openJSON(path string) (*Tokenizer, error) {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := ReadJSON(text)
	if errors.Is(err, errUnigram) {
		return nil, fmt.Errorf("tokenizer: %s: %w", path, errUnigram)
	}
	return t, inFile(path, err)
}

// ReadJSON decodes a tokenizer.json of the tokenizers library: byte pairs with CLIP's word
// splitting, or WordPiece with BERT's. Other normalizers, pre-tokenizers and models are errors that
// name them.
func ReadJSON(text []byte) (*Tokenizer, error) {
	var j jsonTokenizer
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	kind := j.Model.Type
	if kind == "" && len(j.Model.Merges) > 0 {
		kind = "BPE"
	}
	var t *Tokenizer
	var err error
	switch kind {
	case "BPE":
		t, err = j.clip()
	case "WordPiece":
		t, err = j.wordPiece()
	case "Unigram":
		return nil, fmt.Errorf("tokenizer: %w", errUnigram)
	default:
		err = fmt.Errorf("model of type %q, want BPE, WordPiece or Unigram", kind)
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	for _, added := range j.Added {
		if added.Content == "" || added.ID < 0 || int(added.ID) >= t.Size {
			return nil, fmt.Errorf("tokenizer: added token %.40q has the id %d of %d", added.Content, added.ID, t.Size)
		}
		t.special[added.Content] = added.ID
	}
	return t, nil
}

// clip returns CLIP's tokenizer.
func (j *jsonTokenizer) clip() (*Tokenizer, error) {
	if got := j.Normalizer.types(); got != "NFC+Replace+Lowercase" {
		return nil, fmt.Errorf("normalizer %s, want CLIP's NFC+Replace+Lowercase", got)
	}
	if got := j.PreTokenizer.types(); got != "Split+ByteLevel" {
		return nil, fmt.Errorf("pre-tokenizer %s, want CLIP's Split+ByteLevel", got)
	}
	if j.Model.Suffix == nil || *j.Model.Suffix != endOfWord {
		return nil, fmt.Errorf("end_of_word_suffix is not %q, as CLIP's is", endOfWord)
	}
	if j.Model.Fallback || j.Model.Ignore {
		return nil, errors.New("byte_fallback and ignore_merges are not supported")
	}
	var vocabulary map[string]int32
	if err := json.Unmarshal(j.Model.Vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	pairs := make([][2]string, len(j.Model.Merges))
	for i, m := range j.Model.Merges {
		pairs[i] = m
	}
	return newCLIP(vocabulary, pairs, HuggingFace)
}

// wordPiece returns BERT's tokenizer.
func (j *jsonTokenizer) wordPiece() (*Tokenizer, error) {
	n := j.Normalizer
	if got := n.types(); got != "BertNormalizer" {
		return nil, fmt.Errorf("normalizer %s, want BertNormalizer", got)
	}
	if got := j.PreTokenizer.types(); got != "BertPreTokenizer" {
		return nil, fmt.Errorf("pre-tokenizer %s, want BertPreTokenizer", got)
	}
	for _, flag := range []struct {
		name  string
		value *bool
	}{{"clean_text", n.CleanText}, {"handle_chinese_chars", n.Chinese}} {
		if flag.value != nil && !*flag.value {
			return nil, fmt.Errorf("normalizer with %s off is not supported", flag.name)
		}
	}
	options := WordPieceOptions{LongestWord: j.Model.Longest}
	if n.LowerCase != nil && !*n.LowerCase {
		options.Cased, options.KeepAccents = true, true
	}
	if n.StripAccents != nil {
		options.KeepAccents = !*n.StripAccents
	}
	if j.Model.Prefix != nil {
		options.Prefix = *j.Model.Prefix
	}
	if j.Model.Unknown != nil {
		options.Unknown = *j.Model.Unknown
	}
	var vocabulary map[string]int32
	if err := json.Unmarshal(j.Model.Vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	return newWordPiece(vocabulary, options)
}
