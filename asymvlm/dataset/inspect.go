package dataset

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"gosphere/asymvlm/embedding"
)

// A Finding is something that Inspect or Leaks noticed about valid embeddings. A problem makes
// results wrong or meaningless; other findings are facts to know.
type Finding struct {
	Problem bool
	Text    string
}

// String returns the finding as a line.
func (f Finding) String() string {
	if f.Problem {
		return "problem: " + f.Text
	}
	return "note: " + f.Text
}

// Inspect reports empty captions, equal captions with different embeddings, images or texts that
// occur several times, images without captions, and captions of several images. It reads every row
// once. An error means that a file can no longer be read.
func Inspect(set *embedding.Set) (findings []Finding, err error) {
	add := func(problem bool, count int, format string, arguments ...any) {
		if count > 0 {
			findings = append(findings, Finding{problem, fmt.Sprintf("%d ", count) + fmt.Sprintf(format, arguments...)})
		}
	}
	empty := 0
	for _, caption := range set.Captions {
		if strings.TrimSpace(caption) == "" {
			empty++
		}
	}
	add(true, empty, "of %d captions are empty", len(set.Captions))
	add(false, otherwiseEmbedded(set), "of %d captions have the words of another one and not its embedding: do the captions belong to these rows?", len(set.Captions))
	for side, name := range [2]string{"images", "texts"} {
		rows := set.Sides()[side]
		distinct, err := hashes(rows)
		if err != nil {
			return nil, err
		}
		if len(distinct) < rows.Rows {
			add(false, rows.Rows-len(distinct), "of %d %s repeat the embedding of another one: each counts as wrong where the other is right", rows.Rows, name)
		}
	}
	alone := 0
	described := make([]bool, set.Images.Rows)
	several := 0
	for text := range set.CaptionImages {
		images := set.ImagesOf(text)
		if len(images) > 1 {
			several++
		}
		for _, image := range images {
			described[image] = true
		}
	}
	for _, has := range described {
		if !has {
			alone++
		}
	}
	add(false, alone, "of %d images have no caption: they are retrieved, but are no queries", set.Images.Rows)
	add(false, several, "of %d captions describe several images", set.Texts.Rows)
	return findings, nil
}

// sameText is the cosine below which two embeddings are not those of the same words: encoders round
// differently in batches, and files store fewer bits.
const sameText = 0.99

// otherwiseEmbedded counts the captions that have the words of an earlier one and another
// embedding. It does not look at rows in files.
func otherwiseEmbedded(set *embedding.Set) (count int) {
	if set.IsStored() {
		return 0
	}
	first := map[string]int{}
	for text, caption := range set.Captions {
		earlier, known := first[caption]
		switch {
		case strings.TrimSpace(caption) == "":
		case !known:
			first[caption] = text
		case cosine(set.Texts.Row(text), set.Texts.Row(earlier)) < sameText:
			count++
		}
	}
	return count
}

// cosine returns the cosine of two rows.
func cosine(a, b []float32) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i, x := range a {
		y := b[i]
		ab, aa, bb = ab+float64(x)*float64(y), aa+float64(x)*float64(x), bb+float64(y)*float64(y)
	}
	return ab / math.Sqrt(aa*bb)
}

// Leaks compares the rows of a training set with those of a test set. Images in both are a problem,
// equal texts a fact.
func Leaks(train, test *embedding.Set) (findings []Finding, err error) {
	for side, name := range [2]string{"images", "texts"} {
		known, err := hashes(train.Sides()[side])
		if err != nil {
			return nil, err
		}
		rows, count := test.Sides()[side], 0
		if err := eachRow(rows, func(row uint64) {
			if known[row] {
				count++
			}
		}); err != nil {
			return nil, err
		}
		if count > 0 {
			findings = append(findings, Finding{side == 0, fmt.Sprintf("%d of %d %s of %s are in %s, too", count, rows.Rows, name, test.Name, train.Name)})
		}
	}
	return findings, nil
}

// AtChance reports a pairing at chance level: in both directions the cosine finds no more right
// items than a random order would, as it happens if the table belongs to other embeddings. The
// recalls are those of the cosine on the set. It reports nothing for fewer than 20 queries.
func AtChance(set *embedding.Set, textToImage, imageToText float64) []Finding {
	pairs, queries := 0.0, 0.0
	for text := range set.CaptionImages {
		pairs += float64(len(set.ImagesOf(text)))
	}
	for _, captions := range set.ImageCaptions() {
		if len(captions) > 0 {
			queries++
		}
	}
	images, texts := float64(set.Images.Rows), float64(set.Texts.Rows)
	if texts < 20 || queries < 20 {
		return nil
	}
	below := func(recall, chance, n float64) bool {
		return recall <= chance+3*math.Sqrt(chance*(1-min(chance, 1))/n)+1e-12
	}
	ofText, ofImage := pairs/texts/images, pairs/queries/texts
	if !below(textToImage, ofText, texts) || !below(imageToText, ofImage, queries) {
		return nil
	}
	return []Finding{{true, fmt.Sprintf("the pairing is at chance level: Recall@1 %.4f text to image and %.4f image to text, a random order has %.4f and %.4f; "+
		"does the caption-to-image table belong to these rows, and are both from one encoder?", textToImage, imageToText, ofText, ofImage)}}
}

// seed makes equal rows have equal hashes in all sets of a run.
var seed = maphash.MakeSeed()

// eachRow calls a function with a 64-bit hash of every row.
func eachRow(rows *embedding.Stored, use func(hash uint64)) error {
	bytes := make([]byte, 4*rows.Columns)
	for _, block := range rows.Blocks() {
		if block.Err != nil {
			return fmt.Errorf("dataset: %w", block.Err)
		}
		for from := 0; from+rows.Columns <= len(block.Values); from += rows.Columns {
			for j, value := range block.Values[from : from+rows.Columns] {
				binary.LittleEndian.PutUint32(bytes[4*j:], math.Float32bits(value))
			}
			use(maphash.Bytes(seed, bytes))
		}
	}
	return nil
}

// hashes returns the set of the hashes of all rows.
func hashes(rows *embedding.Stored) (map[uint64]bool, error) {
	distinct := make(map[uint64]bool, rows.Rows)
	return distinct, eachRow(rows, func(hash uint64) { distinct[hash] = true })
}
