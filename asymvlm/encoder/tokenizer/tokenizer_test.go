package tokenizer

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// toyVocabulary is a WordPiece vocabulary of a few tokens.
const toyVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\ndog\n##s\nrun\n##ning\n.\n"

// toyWordPiece reads the toy vocabulary.
func toyWordPiece(t testing.TB) *Tokenizer {
	t.Helper()
	tokenizer, err := ReadWordPiece(strings.NewReader(toyVocabulary), WordPieceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

// toyCLIP returns a tokenizer with all bytes and a few merges, and its vocabulary and merges.
func toyCLIP(t testing.TB, cleaning Cleaning) (*Tokenizer, map[string]int32, [][2]string) {
	t.Helper()
	vocabulary := map[string]int32{}
	add := func(text string) {
		if _, known := vocabulary[text]; !known {
			vocabulary[text] = int32(len(vocabulary))
		}
	}
	symbols, _ := byteSymbols()
	for _, symbol := range symbols {
		add(string(symbol))
		add(string(symbol) + endOfWord)
	}
	pairs := [][2]string{{"d", "o"}, {"a", "a"}, {"do", "g</w>"}, {"aa", "aa"}}
	for _, pair := range pairs {
		add(pair[0] + pair[1])
	}
	add(clipStart)
	add(clipEnd)
	tokenizer, err := newCLIP(vocabulary, pairs, cleaning)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer, vocabulary, pairs
}

func TestWordPieceTakesTheLongestPieces(t *testing.T) {
	tokenizer := toyWordPiece(t)
	got := tokenizer.Tokens(tokenizer.Encode("A dog's DOGS running. [SEP] xyz", 0))
	want := []string{"[CLS]", "a", "dog", "[UNK]", "[UNK]", "dog", "##s", "run", "##ning", ".", "[SEP]", "[UNK]", "[SEP]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEncodeKeepsTheEndTokenOfALongText(t *testing.T) {
	tokenizer := toyWordPiece(t)
	for limit := 1; limit < 6; limit++ {
		ids := tokenizer.Encode("a a a a a a", limit)
		if len(ids) != limit || limit > 1 && (ids[0] != tokenizer.Start || ids[limit-1] != tokenizer.End) {
			t.Errorf("limit %d: got %v", limit, ids)
		}
	}
}

func TestMergesGoByRankAndThenFromTheLeft(t *testing.T) {
	tokenizer, _, _ := toyCLIP(t, HuggingFace)
	for text, want := range map[string][]string{
		"dog": {"dog</w>"}, "dogs": {"do", "g", "s</w>"}, "aaaaab": {"aaaa", "a", "b</w>"}, "aaaaa": {"aaaa", "a</w>"},
	} {
		if got := tokenizer.Tokens(tokenizer.Append(nil, text)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAVeryLongWordIsEncodedInShortTime(t *testing.T) {
	tokenizer, _, _ := toyCLIP(t, OpenAI)
	// Quadratic time would be minutes here. The ids are aaaa 2¹⁸−1 times, then aa, a and a</w>.
	if got := len(tokenizer.Append(nil, strings.Repeat("a", 1<<20))); got != 1<<18+2 {
		t.Errorf("got %d ids, want %d", got, 1<<18+2)
	}
}

func TestTokenizersMayBeSharedByGoroutines(t *testing.T) {
	tokenizer, _, _ := toyCLIP(t, OpenAI)
	want := tokenizer.Encode("a dog and dogs aaaa", 0)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				if got := tokenizer.Encode("a dog and dogs aaaa", 0); !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	group.Wait()
}

// write writes files to a new folder and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// jsonText encodes a value.
func jsonText(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// clipJSON returns a tokenizer.json in the form of CLIP's folders.
func clipJSON(t *testing.T, vocabulary map[string]int32, merges any, normalizer string) string {
	step := func(kind string) map[string]any { return map[string]any{"type": kind} }
	return jsonText(t, map[string]any{
		"normalizer":    map[string]any{"type": "Sequence", "normalizers": []any{step("NFC"), step("Replace"), step(normalizer)}},
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{step("Split"), step("ByteLevel")}},
		"model":         map[string]any{"type": "BPE", "vocab": vocabulary, "merges": merges, "end_of_word_suffix": endOfWord},
		"added_tokens":  []any{map[string]any{"id": vocabulary[clipEnd], "content": clipEnd, "special": true}},
	})
}

func TestFoldersOfAllLayoutsGiveTheSameTokenizer(t *testing.T) {
	tokenizer, vocabulary, pairs := toyCLIP(t, HuggingFace)
	const text = "a Dog <|endoftext|> dogs aaaa"
	want := tokenizer.Encode(text, 0)
	var joined []string
	for _, pair := range pairs {
		joined = append(joined, pair[0]+" "+pair[1])
	}
	for name, files := range map[string]map[string]string{
		"merges": {"vocab.json": jsonText(t, vocabulary), "merges.txt": "#version: 0.2\n" + strings.Join(joined, "\n") + "\n"},
		"pairs":  {"tokenizer.json": clipJSON(t, vocabulary, pairs, "Lowercase")},
		"joined": {"tokenizer.json": clipJSON(t, vocabulary, joined, "Lowercase"), "tokenizer_config.json": `{"model_max_length": 77}`},
	} {
		opened, err := Open(write(t, files), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := opened.Encode(text, 0); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if name == "joined" && opened.Limit != 77 {
			t.Errorf("limit %d, want 77", opened.Limit)
		}
	}
}

func TestFoldersWithMistakesAreRefusedByName(t *testing.T) {
	_, vocabulary, pairs := toyCLIP(t, HuggingFace)
	for want, files := range map[string]map[string]string{
		"has no tokenizer.json":                               {},
		"tokenizer.json: normalizer NFC+Replace+StripAccents": {"tokenizer.json": clipJSON(t, vocabulary, pairs, "StripAccents")},
		"merge 1, \"x\" with \"yz\"":                          {"vocab.json": jsonText(t, vocabulary), "merges.txt": "#\nx yz\n"},
		"line 2: \"x\", want two symbols":                     {"vocab.json": jsonText(t, vocabulary), "merges.txt": "#\nx\n"},
		"copy that file into the folder":                      {"tokenizer.json": `{"model":{"type":"Unigram"}}`},
		"model of type \"WordLevel\"":                         {"tokenizer.json": `{"model":{"type":"WordLevel"}}`},
		"vocab.txt: vocabulary: vocabulary lacks \"[UNK]\"":   {"vocab.txt": "a\nb\n"},
		"line 2: token \"a\" occurs twice":                    {"vocab.txt": "a\na\n"},
		"spiece.model: sentencepiece model: no pieces":        {"spiece.model": ""},
		"merges: 1 of 48894":                                  {"bpe_simple_vocab_16e6.txt": "#\na b\n"},
		"has the id -5":                                       {"vocab.json": `{"a":-5}`, "merges.txt": "#\n"},
	} {
		_, err := Open(write(t, files), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if len(files) == 0 && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is not fs.ErrNotExist", err)
		}
	}
}

func TestCasedVocabulariesKeepCapitalsAndAccents(t *testing.T) {
	dir := write(t, map[string]string{"vocab.txt": toyVocabulary + "Café\n", "tokenizer_config.json": `{"do_lower_case": false}`})
	tokenizer, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := tokenizer.Tokens(tokenizer.Append(nil, "Café A")); !slices.Equal(got, []string{"Café", "[UNK]"}) {
		t.Errorf("got %q", got)
	}
}

func TestCanonicalTextsAreThoseOfSigLIP(t *testing.T) {
	if got := canonicalize("  A photo,  of “2 cats”!\n"); got != "a photo of “2 cats”" {
		t.Errorf("got %q", got)
	}
}

func FuzzTokenizersEncodeAnyText(f *testing.F) {
	for _, text := range []string{"", "a dog", "\xff\xfe", "it's <|endoftext|>", "&amp;\u0130ΣΣ", strings.Repeat("é", 100)} {
		f.Add(text)
	}
	openAI, _, _ := toyCLIP(f, OpenAI)
	hugging, _, _ := toyCLIP(f, HuggingFace)
	tokenizers := []*Tokenizer{openAI, hugging, toyWordPiece(f)}
	if data, err := os.ReadFile(filepath.Join(shared, "golden/encoders/tokenizers/unigram_bytes.model")); err == nil {
		pieces, err := ReadSentencePiece(data)
		if err != nil {
			f.Fatal(err)
		}
		tokenizers = append(tokenizers, pieces)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tokenizer := range tokenizers {
			for _, id := range tokenizer.Encode(text, 0) {
				if id < 0 || int(id) >= tokenizer.Size {
					t.Errorf("%s: id %d of %d", tokenizer.Name, id, tokenizer.Size)
				}
			}
			if got := tokenizer.Encode(text, 7); len(got) > 7 {
				t.Errorf("%s: %d ids, limit 7", tokenizer.Name, len(got))
			}
		}
	})
}

func FuzzVocabulariesAreReadOrRefused(f *testing.F) {
	f.Add([]byte(toyVocabulary))
	f.Add([]byte(`{"model":{"type":"WordPiece","vocab":{"[UNK]":0}},"normalizer":{"type":"BertNormalizer"}}`))
	if data, err := os.ReadFile(filepath.Join(shared, "golden/encoders/tokenizers/unigram_bytes.model")); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		encode := func(tokenizer *Tokenizer, err error) {
			if err == nil {
				tokenizer.Tokens(tokenizer.Encode("a dog\u3000é ▁", 0))
			}
		}
		encode(ReadSentencePiece(data))
		encode(ReadJSON(data))
		encode(ReadWordPiece(strings.NewReader(string(data)), WordPieceOptions{}))
		encode(ReadCLIP(strings.NewReader(string(data)), OpenAI))
	})
}
