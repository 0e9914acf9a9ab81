package retrieval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gosphere/internal/userfile"
)

// Positives lists all correct items of each query, beyond an image's own captions: the judgments of
// CxC (Parekh and others, 2021) and of ECCV Caption (Chun and others, 2022) on COCO's test images.
// Queries without a positive do not count in the measures.
type Positives struct {
	ImagesOfText [][]int // rows of images by row of text; nil for a text without judgment
	TextsOfImage [][]int // rows of texts by row of image
}

// OwnCaptions returns the positives of the caption-to-image table alone. An image outside the
// gallery is an error.
func OwnCaptions(captionImages []int, images int) (*Positives, error) {
	p := &Positives{ImagesOfText: make([][]int, len(captionImages)), TextsOfImage: make([][]int, images)}
	for text, image := range captionImages {
		if image < 0 || image >= images {
			return nil, fmt.Errorf("retrieval: text %d belongs to image %d, but there are %d images", text, image, images)
		}
		p.ImagesOfText[text] = []int{image}
		p.TextsOfImage[image] = append(p.TextsOfImage[image], text)
	}
	return p, nil
}

// A Missing counts the queries and items of positives files that a gallery does not contain.
type Missing struct {
	Texts, Images int // queries without a row
	Items         int // positives without a row, of queries with a row
}

// ReadPositives reads the two files of ECCV Caption, CxC or COCO, which are JSON objects from
// identifiers to lists of identifiers: captionToImage.json for texts as queries and
// imageToCaption.json for images. TextIDs and imageIDs are the COCO identifiers of the gallery's
// rows. Identifiers that the gallery lacks are skipped and counted. A file without any query of the
// gallery is an error, as are an identifier shared by two rows, an identifier with two lists, and
// an identifier that occurs twice in a list.
func ReadPositives(captionToImage, imageToCaption string, textIDs, imageIDs []int64) (*Positives, Missing, error) {
	var missing Missing
	textRows, err := rowsOf("text", textIDs)
	if err != nil {
		return nil, missing, err
	}
	imageRows, err := rowsOf("image", imageIDs)
	if err != nil {
		return nil, missing, err
	}
	p := &Positives{}
	if p.ImagesOfText, missing.Texts, err = readLists(captionToImage, textRows, imageRows, &missing.Items); err != nil {
		return nil, missing, err
	}
	p.TextsOfImage, missing.Images, err = readLists(imageToCaption, imageRows, textRows, &missing.Items)
	return p, missing, err
}

// rowsOf returns the row of each identifier. An identifier that occurs twice is an error.
func rowsOf(side string, ids []int64) (map[int64]int, error) {
	rows := make(map[int64]int, len(ids))
	for row, id := range ids {
		if first, twice := rows[id]; twice {
			return nil, fmt.Errorf("retrieval: %ss %d and %d have the same identifier %d", side, first, row, id)
		}
		rows[id] = row
	}
	return rows, nil
}

// readLists reads the positives of one direction.
func readLists(path string, queries, items map[int64]int, missingItems *int) (lists [][]int, missing int, err error) {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, 0, fmt.Errorf("retrieval: %w", err)
	}
	stored, err := decodeLists(text)
	if err != nil {
		return nil, 0, fmt.Errorf("retrieval: %s: %w", path, err)
	}
	lists = make([][]int, len(queries))
	found := 0
	for _, judged := range stored {
		query, known := queries[judged.query]
		if !known {
			missing++
			continue
		}
		found++
		for _, item := range judged.items {
			row, known := items[item]
			switch {
			case !known:
				*missingItems++
			case slices.Contains(lists[query], row):
				return nil, 0, fmt.Errorf("retrieval: %s: the list of %d names %d twice", path, judged.query, item)
			default:
				lists[query] = append(lists[query], row)
			}
		}
	}
	if found == 0 {
		return nil, 0, fmt.Errorf("retrieval: %s: none of its %d queries is in the gallery of %d", path, len(stored), len(queries))
	}
	return lists, missing, nil
}

// A judgedQuery holds the identifier of a query and the identifiers of its positives.
type judgedQuery struct {
	query int64
	items []int64
}

// decodeLists decodes a JSON object of lists key by key, because a map would hide queries that
// occur twice.
func decodeLists(text []byte) (stored []judgedQuery, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("want an object of lists of identifiers")
	}
	seen := map[int64]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(key.(string), 10, 64) // the key of an object is a string
		if err != nil {
			return nil, fmt.Errorf("identifier %q is no number", key)
		}
		if seen[id] { // the same key, or "1" and "01"
			return nil, fmt.Errorf("two lists of %d", id)
		}
		var list []*int64 // a pointer distinguishes null from 0
		if err := decoder.Decode(&list); err != nil {
			return nil, fmt.Errorf("want an object of lists of identifiers: that of %d: %w", id, err)
		}
		judged := judgedQuery{query: id, items: make([]int64, len(list))}
		for i, item := range list {
			if item == nil {
				return nil, fmt.Errorf("the list of %d has null among its identifiers", id)
			}
			judged.items[i] = *item
		}
		seen[id], stored = true, append(stored, judged)
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return stored, nil
}

// PositiveMeasures holds the measures of ECCV Caption for one direction.
type PositiveMeasures struct {
	Queries    int     // queries with a positive
	Recall1    float64 // fraction of queries whose best item is a positive
	RPrecision float64 // mean fraction of positives among the best R, where R is the query's number of positives
	MAPAtR     float64 // mean average precision at R: (1/R) Σ of the precision at each positive among the best R
}

// Measure computes the measures of a ranking whose lists are as long as the longest list of
// positives; see RankTop and Deepest. Shorter lists, and other numbers of queries, are errors.
func (p *Positives) Measure(ranking *Ranking) (textToImage, imageToText PositiveMeasures, err error) {
	if textToImage, err = measurePositives("text", &ranking.TextToImage, p.ImagesOfText); err != nil {
		return textToImage, imageToText, err
	}
	imageToText, err = measurePositives("image", &ranking.ImageToText, p.TextsOfImage)
	return textToImage, imageToText, err
}

// Deepest returns the largest number of positives of a query.
func (p *Positives) Deepest() int {
	deepest := 0
	for _, lists := range [][][]int{p.ImagesOfText, p.TextsOfImage} {
		for _, list := range lists {
			deepest = max(deepest, len(list))
		}
	}
	return deepest
}

func measurePositives(side string, ranked *Ranked, positives [][]int) (m PositiveMeasures, err error) {
	if rows := len(ranked.Items) / max(1, ranked.Depth); len(positives) != rows {
		return m, fmt.Errorf("retrieval: positives of %d %ss, the ranking has %d", len(positives), side, rows)
	}
	for query, correct := range positives {
		r := len(correct)
		if r == 0 {
			continue
		}
		if r > ranked.Depth {
			return m, fmt.Errorf("retrieval: %s %d has %d positives, the ranking keeps %d items", side, query, r, ranked.Depth)
		}
		m.Queries++
		hits, precision := 0.0, 0.0
		for place, item := range ranked.Items[query*ranked.Depth:][:r] {
			if !slices.Contains(correct, int(item)) {
				continue
			}
			hits++
			precision += hits / float64(place+1)
			if place == 0 {
				m.Recall1++
			}
		}
		m.RPrecision += hits / float64(r)
		m.MAPAtR += precision / float64(r)
	}
	if m.Queries == 0 {
		return PositiveMeasures{Recall1: math.NaN(), RPrecision: math.NaN(), MAPAtR: math.NaN()},
			fmt.Errorf("retrieval: no %s has a positive", side)
	}
	n := float64(m.Queries)
	m.Recall1, m.RPrecision, m.MAPAtR = m.Recall1/n, m.RPrecision/n, m.MAPAtR/n
	return m, nil
}
