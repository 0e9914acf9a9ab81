package embedding

import (
	"fmt"

	"gosphere/asymvlm/internal/columns"
)

// captionColumns are the accepted names of a column of captions.
var captionColumns = []string{"caption", "text", "title"}

// ReadParquet reads the numeric columns of a Parquet file. Lists of floating-point numbers that
// have one length in all rows become matrices of float32, and columns of integers become lists of
// int64. Other columns are skipped. A list of another length, a row without a value and a damaged
// file are errors that name the file.
func ReadParquet(path string) (map[string]*Array, error) {
	table, err := columns.Open(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	defer table.Close()
	var wanted []columns.Column
	for _, c := range table.Columns() {
		if c.Kind == columns.Number && c.List == c.Floating {
			wanted = append(wanted, c)
		}
	}
	floats, widths, integers := make([][]float32, len(wanted)), make([]int, len(wanted)), make([][]int64, len(wanted))
	var values []float64
	row := 0
	for cells, err := range table.Rows(wanted...) {
		if err != nil {
			return nil, fmt.Errorf("embedding: %w", err)
		}
		for i, c := range wanted {
			if !c.Floating {
				value, ok := cells[i].Int64()
				if !ok {
					return nil, inFile(path, fmt.Errorf("row %d has no %s", row, c.Name))
				}
				integers[i] = append(integers[i], value)
				continue
			}
			values = cells[i].Float64s(values[:0])
			if row == 0 {
				widths[i] = len(values)
			}
			if len(values) != widths[i] || len(values) == 0 {
				return nil, inFile(path, fmt.Errorf("row %d has %d numbers in the column %s, row 0 has %d", row, len(values), c.Name, widths[i]))
			}
			for _, value := range values {
				floats[i] = append(floats[i], float32(value))
			}
		}
		row++
	}
	arrays := map[string]*Array{}
	for i, c := range wanted {
		if c.Floating {
			arrays[c.Name] = Float32Array(floats[i], row, widths[i])
		} else {
			arrays[c.Name] = Int64Array(integers[i], row)
		}
	}
	return arrays, nil
}

// parquetCaptions returns the captions in a column of a Parquet file, or nil if there is no such
// column.
func parquetCaptions(path string) ([]string, error) {
	table, err := columns.Open(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	defer table.Close()
	column, ok := table.Column(captionColumns...)
	if !ok || column.Kind != columns.Text || column.List {
		return nil, nil
	}
	captions := make([]string, 0, table.Count)
	for cells, err := range table.Rows(column) {
		if err != nil {
			return nil, fmt.Errorf("embedding: %w", err)
		}
		captions = append(captions, append(cells[0].Texts(), "")[0])
	}
	return captions, nil
}
