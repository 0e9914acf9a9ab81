package embedding

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"gosphere/internal/userfile"
)

// readTable reads the caption-to-image table into a set from its JSON file, or from the array
// stored with the texts, and checks it, so that an error names the file.
func readTable(dir, textPath string, beside map[string]*Array, set *Set) error {
	lists, path, err := findTable(dir, textPath, beside)
	if err != nil {
		return err
	}
	if len(lists) != set.Texts.Rows {
		return inFile(path, fmt.Errorf("the caption-to-image table has %d entries for %d texts", len(lists), set.Texts.Rows))
	}
	for caption, list := range lists {
		if len(list) == 0 {
			return inFile(path, fmt.Errorf("caption %d has no image", caption))
		}
		set.CaptionImages = append(set.CaptionImages, list[0])
	}
	if err := checkTable(set.CaptionImages, set.Images.Rows); err != nil {
		return inFile(path, err)
	}
	if single(lists) {
		return nil
	}
	for _, list := range lists {
		slices.Sort(list)
	}
	if err := checkPositives(lists, set.CaptionImages, set.Images.Rows); err != nil {
		return inFile(path, err)
	}
	set.Positives = lists
	return nil
}

// findTable reads the table and returns the path of its file.
func findTable(dir, textPath string, beside map[string]*Array) (lists [][]int, path string, err error) {
	path = filepath.Join(dir, tableFile)
	text, err := userfile.ReadFile(path, userfile.Table)
	if errors.Is(err, fs.ErrNotExist) {
		array, path, err := perCaption(dir, textPath, beside, tableName)
		if err != nil {
			return nil, "", err
		}
		if array == nil {
			return nil, "", fmt.Errorf("embedding: %s has neither %s nor %s.npy nor an array %q in %s", dir, tableFile, tableName, tableName,
				filepath.Base(textPath))
		}
		table, err := array.Ints()
		if err != nil {
			return nil, "", inFile(path, fmt.Errorf("array %q: %s", tableName, bare(err)))
		}
		for i := range table {
			lists = append(lists, table[i:i+1:i+1])
		}
		return lists, path, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("embedding: %w", err)
	}
	if lists, err = decodeTable(text); err != nil {
		return nil, "", inFile(path, err)
	}
	return lists, path, nil
}

// A described holds the image of a caption, or its images, as decoded from JSON.
type described []int

// UnmarshalJSON decodes a row, or a list of rows. Null is an error.
func (d *described) UnmarshalJSON(text []byte) error {
	var one *int
	if json.Unmarshal(text, &one) == nil && one != nil {
		*d = described{*one}
		return nil
	}
	var list []*int // a pointer distinguishes null from 0
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		return fmt.Errorf("image %s, want a row or a list of rows", text)
	}
	*d = nil
	for _, image := range list {
		if image == nil {
			return fmt.Errorf("image null in %s", text)
		}
		*d = append(*d, *image)
	}
	return nil
}

// decodeTable decodes a list with an entry for each caption, or an object from caption row to
// entry. An entry is an image row, or a list of image rows.
func decodeTable(text []byte) ([][]int, error) {
	var list []json.RawMessage // null reaches no UnmarshalJSON of elements
	if err := json.Unmarshal(text, &list); err == nil && list != nil {
		table := make([][]int, len(list))
		for caption, entry := range list {
			if err := (*described)(&table[caption]).UnmarshalJSON(entry); err != nil {
				return nil, fmt.Errorf("embedding: caption %d has the %w", caption, err)
			}
		}
		return table, nil
	}
	pairs, err := decodePairs(text)
	if err != nil {
		return nil, fmt.Errorf("embedding: want a list, or an object from caption row to image row: %w", err)
	}
	table := make([][]int, len(pairs))
	seen := make([]bool, len(pairs))
	for _, pair := range pairs {
		caption, err := strconv.Atoi(pair.key)
		if err != nil || caption < 0 || caption >= len(pairs) {
			return nil, fmt.Errorf("embedding: caption %q in a table of %d captions, want rows from 0", pair.key, len(pairs))
		}
		if seen[caption] { // the same key, or "1" and "01"
			return nil, fmt.Errorf("embedding: caption %d twice", caption)
		}
		table[caption], seen[caption] = pair.images, true
	}
	return table, nil
}

// A tablePair is one entry of a caption-to-image table.
type tablePair struct {
	key    string
	images []int
}

// decodePairs decodes a JSON object key by key, because a map would hide keys that occur twice.
func decodePairs(text []byte) ([]tablePair, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.Join(errors.New("it begins with neither [ nor {"), err)
	}
	var pairs []tablePair
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var entry json.RawMessage
		if err := decoder.Decode(&entry); err != nil {
			return nil, errors.Join(fmt.Errorf("caption %q has no image", key), err)
		}
		var images described
		if err := images.UnmarshalJSON(entry); err != nil {
			return nil, errors.Join(fmt.Errorf("caption %q has no image", key), err)
		}
		pairs = append(pairs, tablePair{key.(string), images}) // the key of an object
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return pairs, nil
}

// checkTable returns an error that names the first caption whose image is not below the number of
// images.
func checkTable(table []int, images int) error {
	for caption, image := range table {
		if image < 0 || image >= images {
			return fmt.Errorf("embedding: caption %d belongs to image %d, but there are %d images", caption, image, images)
		}
	}
	return nil
}

// DecodeTable decodes the content of a file cap_id_to_img_id.json: the first image of each caption,
// and all its images in increasing order if any caption has several. Rows that do not exist are
// found by Set.Check.
func DecodeTable(text []byte) (captionImages []int, positives [][]int, err error) {
	lists, err := decodeTable(text)
	if err != nil {
		return nil, nil, err
	}
	for caption, list := range lists {
		if len(list) == 0 {
			return nil, nil, fmt.Errorf("embedding: caption %d has no image", caption)
		}
		captionImages = append(captionImages, list[0])
		slices.Sort(list)
	}
	if single(lists) {
		return captionImages, nil, nil
	}
	return captionImages, lists, nil
}
