package embedding

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// readTable reads the caption-to-image table from its JSON file, or from the array stored with the
// texts, and checks it, so that an error names the file.
func readTable(dir, textPath string, beside map[string]*Array, set *Set) ([]int, error) {
	table, path, err := findTable(dir, textPath, beside)
	if err != nil {
		return nil, err
	}
	if len(table) != set.Texts.Rows {
		return nil, inFile(path, fmt.Errorf("the caption-to-image table has %d entries for %d texts", len(table), set.Texts.Rows))
	}
	if err := checkTable(table, set.Images.Rows); err != nil {
		return nil, inFile(path, err)
	}
	return table, nil
}

// findTable reads the table and returns the path of its file.
func findTable(dir, textPath string, beside map[string]*Array) (table []int, path string, err error) {
	path = filepath.Join(dir, tableFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		array, path, err := perCaption(dir, textPath, beside, tableName)
		if err != nil {
			return nil, "", err
		}
		if array == nil {
			return nil, "", fmt.Errorf("embedding: %s has neither %s nor %s.npy nor an array %q in %s", dir, tableFile, tableName, tableName,
				filepath.Base(textPath))
		}
		if table, err = array.Ints(); err != nil {
			return nil, "", inFile(path, fmt.Errorf("array %q: %s", tableName, bare(err)))
		}
		return table, path, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("embedding: %w", err)
	}
	if table, err = decodeTable(text); err != nil {
		return nil, "", inFile(path, err)
	}
	return table, path, nil
}

// decodeTable decodes a list of image rows, or an object from caption row to image row.
func decodeTable(text []byte) ([]int, error) {
	var list []*int // a pointer distinguishes null from 0
	if err := json.Unmarshal(text, &list); err == nil && list != nil {
		table := make([]int, len(list))
		for caption, image := range list {
			if image == nil {
				return nil, fmt.Errorf("embedding: caption %d has the image null", caption)
			}
			table[caption] = *image
		}
		return table, nil
	}
	pairs, err := decodePairs(text)
	if err != nil {
		return nil, fmt.Errorf("embedding: want a list, or an object from caption row to image row: %w", err)
	}
	table := make([]int, len(pairs))
	seen := make([]bool, len(pairs))
	for _, pair := range pairs {
		caption, err := strconv.Atoi(pair.key)
		if err != nil || caption < 0 || caption >= len(pairs) {
			return nil, fmt.Errorf("embedding: caption %q in a table of %d captions, want rows from 0", pair.key, len(pairs))
		}
		if seen[caption] { // the same key, or "1" and "01"
			return nil, fmt.Errorf("embedding: caption %d twice", caption)
		}
		table[caption], seen[caption] = pair.image, true
	}
	return table, nil
}

// A tablePair is one entry of a caption-to-image table.
type tablePair struct {
	key   string
	image int
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
		var image *int
		if err := decoder.Decode(&image); err != nil || image == nil {
			return nil, errors.Join(fmt.Errorf("caption %q has no image", key), err)
		}
		pairs = append(pairs, tablePair{key.(string), *image}) // the key of an object
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
