package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosphere/internal/userfile"
)

// Options selects interpretations that the files of a folder do not determine.
type Options struct {
	// Cleaning applies to CLIP vocabularies in OpenAI's files. Files of Hugging Face determine
	// their own cleaning.
	Cleaning Cleaning
	// Canonical removes punctuation and converts to lower case before a SentencePiece model encodes
	// a text, and appends the end token, as SigLIP requires.
	Canonical bool
}

// settings holds the relevant part of tokenizer_config.json.
type settings struct {
	LowerCase *bool    `json:"do_lower_case"`
	Limit     *float64 `json:"model_max_length"` // 1e30 means none
	Strip     *bool    `json:"strip_accents"`
}

// Open reads the tokenizer of a model folder. It uses the first of these files that exists:
//
//	tokenizer.json                  Hugging Face: byte pairs as in CLIP, or WordPiece
//	vocab.json with merges.txt      Hugging Face, CLIP
//	vocab.txt                       BERT
//	spiece.model, tokenizer.model, sentencepiece.bpe.model    SentencePiece
//	bpe_simple_vocab_16e6.txt.gz    OpenAI's CLIP, compressed or not
//
// If tokenizer.json holds a unigram model, the .model file next to it is read. Errors name the
// file; the error for a folder without such a file matches fs.ErrNotExist.
func Open(dir string, options Options) (*Tokenizer, error) {
	t, err := open(dir, options)
	if err != nil {
		return nil, err
	}
	var s settings
	if err := readJSON(filepath.Join(dir, "tokenizer_config.json"), &s); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.Limit != nil && *s.Limit >= 2 && *s.Limit < 1e6 {
		t.Limit = int(*s.Limit)
	}
	return t, nil
}

// open reads the vocabulary.
func open(dir string, options Options) (*Tokenizer, error) {
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	var pieces string
	for _, name := range []string{"spiece.model", "tokenizer.model", "sentencepiece.bpe.model"} {
		if pieces == "" && exists(name) {
			pieces = filepath.Join(dir, name)
		}
	}
	if exists("tokenizer.json") {
		t, err := openJSON(filepath.Join(dir, "tokenizer.json"))
		if !errors.Is(err, errUnigram) || pieces == "" {
			return t, err
		}
	}
	switch {
	case exists("vocab.json") && exists("merges.txt"):
		return openMerges(dir)
	case exists("vocab.txt"):
		return openWordPiece(dir)
	case pieces != "":
		return openSentencePiece(pieces, options)
	}
	for _, name := range []string{"bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"} {
		data, err := userfile.ReadFile(filepath.Join(dir, name), userfile.Table)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
		t, err := ReadCLIP(bytes.NewReader(data), options.Cleaning)
		return t, inFile(filepath.Join(dir, name), err)
	}
	return nil, fmt.Errorf("tokenizer: %s has no tokenizer.json, vocab.json with merges.txt, vocab.txt, spiece.model or "+
		"bpe_simple_vocab_16e6.txt.gz: copy one of them from the model's page into the folder: %w", dir, fs.ErrNotExist)
}

// inFile adds the name of the file to an error of this package.
func inFile(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("tokenizer: %s: %s", path, strings.TrimPrefix(err.Error(), "tokenizer: "))
}

// readJSON decodes a JSON file.
func readJSON(path string, value any) error {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("tokenizer: %s: %w", path, err)
	}
	return nil
}

// openMerges reads vocab.json and merges.txt.
func openMerges(dir string) (*Tokenizer, error) {
	var vocabulary map[string]int32
	if err := readJSON(filepath.Join(dir, "vocab.json"), &vocabulary); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "merges.txt")
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	pairs, err := readMerges(bytes.NewReader(text), len(text))
	if err != nil {
		return nil, inFile(path, err)
	}
	t, err := newCLIP(vocabulary, pairs, HuggingFace)
	return t, inFile(path, err)
}

// openWordPiece reads vocab.txt and the settings next to it.
func openWordPiece(dir string) (*Tokenizer, error) {
	var s settings
	if err := readJSON(filepath.Join(dir, "tokenizer_config.json"), &s); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	options := WordPieceOptions{}
	if s.LowerCase != nil && !*s.LowerCase {
		options.Cased, options.KeepAccents = true, true
	}
	if s.Strip != nil {
		options.KeepAccents = !*s.Strip
	}
	path := filepath.Join(dir, "vocab.txt")
	file, err := userfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	defer file.Close()
	t, err := ReadWordPiece(file, options)
	return t, inFile(path, err)
}

// openSentencePiece reads a .model file.
func openSentencePiece(path string, options Options) (*Tokenizer, error) {
	data, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := ReadSentencePiece(data)
	if err != nil {
		return nil, inFile(path, err)
	}
	if options.Canonical {
		u := t.model.(*unigram)
		u.canonical = true
		for id, p := range u.spec.pieces {
			if p.text == "</s>" {
				t.End, t.Padding = int32(id), int32(id)
			}
		}
		if t.End < 0 {
			return nil, fmt.Errorf("tokenizer: %s: no piece </s>, with which a text of SigLIP ends", path)
		}
	}
	return t, nil
}
