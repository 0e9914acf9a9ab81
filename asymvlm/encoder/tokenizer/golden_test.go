package tokenizer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shared is the folder of the references, which may lie next to the repository.
const shared = "../../../../shared"

// golden returns the lines of a compressed reference file, or skips the test.
func golden(t testing.TB, name string) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(shared, "golden/encoders/tokenizers", name+".txt.gz"))
	if err != nil {
		t.Skip("no references:", err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	scanner := bufio.NewScanner(unpacked)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if scanner.Err() != nil {
		t.Fatal(scanner.Err())
	}
	return lines
}

// texts returns the texts of the references, 10,000 captions followed by odd texts, and the index
// of the first odd one.
func texts(t testing.TB) (all []string, odd int) {
	t.Helper()
	var captions struct {
		Annotations []struct {
			ID      int    `json:"id"`
			Caption string `json:"caption"`
		} `json:"annotations"`
	}
	var odds []string
	for name, value := range map[string]any{
		"data/coco_captions_val2017/captions_val2017.json": &captions, "golden/encoders/tokenizers/odd.json": &odds,
	} {
		text, err := os.ReadFile(filepath.Join(shared, name))
		if err != nil {
			t.Skip("no references:", err)
		}
		if err := json.Unmarshal(text, value); err != nil {
			t.Fatal(err)
		}
	}
	a := captions.Annotations
	slices.SortFunc(a, func(x, y struct {
		ID      int    `json:"id"`
		Caption string `json:"caption"`
	}) int {
		return x.ID - y.ID
	})
	for _, annotation := range a[:10000] {
		all = append(all, annotation.Caption)
	}
	return append(all, odds...), 10000
}

func clipForTest(t testing.TB, cleaning Cleaning) *Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "data/openai_clip_vocab_prompts/bpe_simple_vocab_16e6.txt.gz"))
	if err != nil {
		t.Skip("no references:", err)
	}
	tokenizer, err := ReadCLIP(bytes.NewReader(data), cleaning)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func wordPieceForTest(t testing.TB) *Tokenizer {
	t.Helper()
	tokenizer, err := ReadWordPiece(strings.NewReader(strings.Join(golden(t, "minilm_vocab"), "\n")), WordPieceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func unigramForTest(t testing.TB, name string) *Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "golden/encoders/tokenizers", name+".model"))
	if err != nil {
		t.Skip("no references:", err)
	}
	tokenizer, err := ReadSentencePiece(data)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

// line formats ids like the references.
func line(ids []int32) string {
	var words []string
	for _, id := range ids {
		words = append(words, strconv.Itoa(int(id)))
	}
	return strings.Join(words, " ")
}

// compare reports and counts the lines that differ from the references.
func compare(t *testing.T, want, all []string, except map[string]bool, encode func(text string) []int32) {
	t.Helper()
	if len(want) != len(all) {
		t.Fatalf("%d references for %d texts", len(want), len(all))
	}
	for i, text := range all {
		got := line(encode(text))
		if equal := got == want[i]; equal == except[text] {
			t.Errorf("%q: exception %v\n got %.200s\nwant %.200s", text, except[text], got, want[i])
		}
	}
}

// misread are the texts whose encoding ftfy guesses. This package does not change them.
var misread = map[string]bool{
	"mojibake: \u00c3\u00a9 \u00e2\u20ac\u2122 \u00f0\u0178\u02dc\u20ac": true,
}

func TestTokenizersGiveTheIDsOfTheReferences(t *testing.T) {
	all, odd := texts(t)
	t.Run("clip-openai", func(t *testing.T) {
		tokenizer := clipForTest(t, OpenAI)
		compare(t, golden(t, "clip_openai"), all, misread, func(text string) []int32 { return tokenizer.Append(nil, text) })
		compare(t, golden(t, "clip_openai_77"), all[odd:], misread, func(text string) []int32 {
			return padded(tokenizer, tokenizer.Encode(text, 77), 77)
		})
	})
	t.Run("clip-hf", func(t *testing.T) {
		tokenizer := clipForTest(t, HuggingFace)
		compare(t, golden(t, "clip_hf"), all, nil, func(text string) []int32 { return tokenizer.Encode(text, 0) })
		compare(t, golden(t, "clip_hf_77"), all[odd:], nil, func(text string) []int32 {
			return padded(tokenizer, tokenizer.Encode(text, 77), 77)
		})
	})
	t.Run("wordpiece", func(t *testing.T) {
		tokenizer := wordPieceForTest(t)
		compare(t, golden(t, "wordpiece_minilm"), all, nil, func(text string) []int32 { return tokenizer.Encode(text, 0) })
		compare(t, golden(t, "wordpiece_minilm_128"), all[odd:], nil, func(text string) []int32 { return tokenizer.Encode(text, 128) })
	})
	for _, name := range []string{"unigram_plain", "unigram_bytes"} {
		t.Run(name, func(t *testing.T) {
			tokenizer := unigramForTest(t, name)
			compare(t, golden(t, name), all, nil, func(text string) []int32 { return tokenizer.Append(nil, text) })
		})
	}
}

// padded appends padding up to the given length.
func padded(t *Tokenizer, ids []int32, length int) []int32 {
	for len(ids) < length {
		ids = append(ids, t.Padding)
	}
	return ids
}

// BenchmarkCaptions encodes captions; the metric is captions per second on one core.
func BenchmarkCaptions(b *testing.B) {
	all, odd := texts(b)
	for _, tokenizer := range []*Tokenizer{
		clipForTest(b, OpenAI), clipForTest(b, HuggingFace), wordPieceForTest(b), unigramForTest(b, "unigram_plain"),
	} {
		b.Run(tokenizer.Name, func(b *testing.B) {
			b.ReportAllocs()
			var ids []int32
			for i := range b.N {
				ids = tokenizer.AppendEncoded(ids[:0], all[i%odd], 77)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "captions/s")
		})
	}
}
