package importing

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder/weights"
	"gosphere/internal/userfile"
)

// readMatrix reads a matrix of embeddings from a file of any known format. Of several arrays in a
// file it takes the one with two dimensions, or the one that is named, as in FILE#NAME.
func readMatrix(path string) (embedding.Matrix, error) {
	file, name, _ := strings.Cut(path, "#")
	if strings.EqualFold(filepath.Ext(file), ".csv") {
		return readNumbers(file)
	}
	read := embedding.ReadArrays
	if extension := strings.ToLower(filepath.Ext(file)); extension == ".pt" || extension == ".pth" {
		read = weights.ReadTorch
	}
	arrays, err := read(file)
	if err != nil {
		return embedding.Matrix{}, err
	}
	var candidates []string
	for key, array := range arrays {
		if key == name || name == "" && len(array.Shape) == 2 {
			candidates = append(candidates, key)
		}
	}
	slices.Sort(candidates)
	switch {
	case len(candidates) == 1:
		m, err := arrays[candidates[0]].Matrix()
		if err != nil {
			return m, fmt.Errorf("%s: %w", path, err)
		}
		return m, nil
	case len(candidates) > 1:
		return embedding.Matrix{}, fmt.Errorf("%s has the matrices %s; name one, as in %s#%s", file, strings.Join(candidates, ", "), file, candidates[0])
	case name != "":
		return embedding.Matrix{}, fmt.Errorf("%s has no array %q", file, name)
	}
	return embedding.Matrix{}, fmt.Errorf("%s has no array of two dimensions", file)
}

// readNumbers reads a CSV file of numbers, one row per line, with or without a header.
func readNumbers(path string) (embedding.Matrix, error) {
	lines, err := readCSV(path)
	if err != nil {
		return embedding.Matrix{}, err
	}
	if _, err := strconv.ParseFloat(lines[0][0], 64); err != nil {
		lines = lines[1:]
	}
	var rows [][]float64
	for i, line := range lines {
		row := make([]float64, len(line))
		for j, cell := range line {
			if row[j], err = strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
				return embedding.Matrix{}, fmt.Errorf("%s: row %d, column %d: %q is no number", path, i, j, cell)
			}
		}
		rows = append(rows, row)
	}
	m, err := embedding.MatrixFromRows(rows)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// readCSV reads all lines of a file, of which there is one at least.
func readCSV(path string) ([][]string, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err == nil && len(lines) == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}

// readCaptions reads a list of captions: a JSON list, a CSV with a column caption, or one a line.
func readCaptions(path string) ([]string, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		table, err := readTable(path)
		if err == nil && table.captions == nil {
			err = fmt.Errorf("%s has no column caption, captions, text or title", path)
		}
		return table.captions, err
	case ".json":
		text, err := userfile.ReadFile(path, userfile.Table)
		if err != nil {
			return nil, err
		}
		var captions []string
		if err := json.Unmarshal(text, &captions); err != nil {
			return nil, fmt.Errorf("%s: want a list of captions: %w", path, err)
		}
		return captions, nil
	}
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n"), nil
}

// A table is the content of a CSV file of pairs, one a line: rows of the matrices, and the caption.
type table struct {
	images, texts []int // nil without the column
	captions      []string
}

// readTable reads a CSV file of pairs with the columns image, text and caption, any of which may be
// missing.
func readTable(path string) (t table, err error) {
	lines, err := readCSV(path)
	if err != nil {
		return t, err
	}
	column := func(names ...string) int {
		return slices.IndexFunc(lines[0], func(head string) bool { return slices.Contains(names, strings.ToLower(strings.TrimSpace(head))) })
	}
	image, text, caption := column("image", "image_row"), column("text_row"), column("caption", "captions", "text", "title")
	if image < 0 && text < 0 && caption < 0 {
		return t, fmt.Errorf("%s: no column image, text_row or caption in the header %q", path, strings.Join(lines[0], ","))
	}
	for i, line := range lines[1:] {
		for _, number := range []struct {
			column int
			into   *[]int
		}{{image, &t.images}, {text, &t.texts}} {
			if number.column < 0 {
				continue
			}
			row, err := strconv.Atoi(strings.TrimSpace(line[number.column]))
			if err != nil || row < 0 {
				return t, fmt.Errorf("%s: line %d: %q is no row, want a number from 0", path, i+2, line[number.column])
			}
			*number.into = append(*number.into, row)
		}
		if caption >= 0 {
			t.captions = append(t.captions, line[caption])
		}
	}
	if len(lines) == 1 {
		err = errors.New(path + " has a header and no pairs")
	}
	return t, err
}
