package export

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/internal/columns"
)

// vectorsName is the tensor of the rows in safetensors files, and idsName the metadata entry of the
// identifiers, one per line.
const (
	vectorsName = "vectors"
	idsName     = "ids"
)

// A parquetRow is a row of a Parquet file: its index, its identifier, and the vector as a list of
// float32, the form that vector stores import.
type parquetRow struct {
	Row    int64     `parquet:"row"`
	ID     string    `parquet:"id"`
	Vector []float32 `parquet:"vector,list"`
}

// Write writes rows, such as those of Texts and Images, in the format of the path's extension:
//
//	.parquet      columns row, id and vector (list of float32), one row each
//	.npy          the matrix as float32; it cannot hold identifiers, so ids must be nil
//	.safetensors  the matrix as the tensor "vectors", the identifiers in the metadata
//
// Ids identify the rows, for instance by caption or file name; nil for none. They must be UTF-8,
// and of one line each in .safetensors. The file appears whole or not at all. Another extension, a
// wrong number of ids, and values that are not finite are errors that name the file and the row.
func Write(path string, rows embedding.Matrix, ids []string) error {
	if err := rows.Check(); err != nil {
		return fmt.Errorf("export: %s is not written: %w", path, err)
	}
	if ids != nil && len(ids) != rows.Rows {
		return fmt.Errorf("export: %s is not written: %d identities for %d rows", path, len(ids), rows.Rows)
	}
	for i, id := range ids {
		if !utf8.ValidString(id) { // both formats would store another text
			return fmt.Errorf("export: %s is not written: identity %d, %q, is not UTF-8", path, i, id)
		}
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".parquet":
		return writeParquet(path, rows, ids)
	case ".npy":
		if ids != nil {
			return fmt.Errorf("export: %s: a .npy file has no place for identities; .parquet and .safetensors have", path)
		}
		return embedding.WriteNPY(path, rows.Array())
	case ".safetensors":
		return writeSafetensors(path, rows, ids)
	default:
		return fmt.Errorf("export: %s ends in none of .parquet, .npy, .safetensors", path)
	}
}

func writeSafetensors(path string, rows embedding.Matrix, ids []string) error {
	file := &embedding.Safetensors{Arrays: map[string]*embedding.Array{vectorsName: rows.Array()}, Metadata: map[string]string{}}
	for i, id := range ids {
		if strings.ContainsRune(id, '\n') {
			return fmt.Errorf("export: %s is not written: identity %d, %q, has more than one line", path, i, id)
		}
	}
	if ids != nil {
		file.Metadata[idsName] = strings.Join(ids, "\n")
	}
	return embedding.WriteSafetensors(path, file)
}

func writeParquet(path string, rows embedding.Matrix, ids []string) error {
	return embedding.WriteWhole(path, func(w io.Writer) error {
		writer := parquet.NewGenericWriter[parquetRow](w, parquet.MaxRowsPerRowGroup(1<<16))
		for i := range rows.Rows {
			row := parquetRow{Row: int64(i), Vector: rows.Row(i)}
			if ids != nil {
				row.ID = ids[i]
			}
			if _, err := writer.Write([]parquetRow{row}); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
		}
		return writer.Close()
	})
}

// Read reads a file written by Write. The identifiers are nil if the file has none. A file that
// Write cannot have written is an error that names it: another extension, no tensor of vectors,
// values that are not finite, or a number of identifiers that is not the number of rows.
func Read(path string) (rows embedding.Matrix, ids []string, err error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".parquet":
		return readParquet(path)
	case ".npy":
		array, err := embedding.ReadNPY(path)
		if err != nil {
			return rows, nil, fmt.Errorf("export: %w", err)
		}
		return readArray(path, array)
	case ".safetensors":
		file, err := embedding.ReadSafetensors(path)
		if err != nil {
			return rows, nil, fmt.Errorf("export: %w", err)
		}
		if file.Arrays[vectorsName] == nil {
			return rows, nil, fmt.Errorf("export: %s: no tensor %q", path, vectorsName)
		}
		if rows, _, err = readArray(path, file.Arrays[vectorsName]); err != nil {
			return rows, nil, err
		}
		if text, known := file.Metadata[idsName]; known {
			ids = []string{}
			if text != "" || rows.Rows > 0 { // an empty text is one empty line, or none
				ids = strings.Split(text, "\n")
			}
			if len(ids) != rows.Rows {
				return embedding.Matrix{}, nil, fmt.Errorf("export: %s: %d identities for %d rows", path, len(ids), rows.Rows)
			}
		}
		return rows, ids, nil
	default:
		return rows, nil, fmt.Errorf("export: %s ends in none of .parquet, .npy, .safetensors", path)
	}
}

// readParquet reads the columns vector and id. If all identifiers are empty, they are unknown.
func readParquet(path string) (rows embedding.Matrix, ids []string, err error) {
	arrays, err := embedding.ReadParquet(path)
	if err != nil {
		return rows, nil, fmt.Errorf("export: %w", err)
	}
	if arrays["vector"] == nil {
		return rows, nil, fmt.Errorf("export: %s: no column %q of numbers", path, "vector")
	}
	if rows, _, err = readArray(path, arrays["vector"]); err != nil {
		return rows, nil, err
	}
	table, err := columns.Open(path)
	if err != nil {
		return embedding.Matrix{}, nil, fmt.Errorf("export: %w", err)
	}
	defer table.Close()
	column, ok := table.Column("id")
	if !ok || column.Kind != columns.Text || column.List {
		return rows, nil, nil
	}
	known := false
	for cells, err := range table.Rows(column) {
		if err != nil {
			return embedding.Matrix{}, nil, fmt.Errorf("export: %w", err)
		}
		id := string(cells[0].Bytes())
		known = known || id != ""
		ids = append(ids, id)
	}
	if !known {
		ids = nil
	}
	return rows, ids, nil
}

// readArray converts an array to a matrix and checks it.
func readArray(path string, array *embedding.Array) (embedding.Matrix, []string, error) {
	rows, err := array.Matrix()
	if err == nil {
		err = rows.Check()
	}
	if err != nil {
		return embedding.Matrix{}, nil, fmt.Errorf("export: %s: %w", path, err)
	}
	return rows, nil, nil
}
