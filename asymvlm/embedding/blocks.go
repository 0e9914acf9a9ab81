package embedding

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
)

// WriteNPYBlocks writes a matrix as a .npy file in blocks of rows, so that it need not fit in
// memory. Kind is F32 or F16; for F16 values are rounded to the nearest float16. The file appears
// whole or not at all. It returns an error yielded by blocks, and an error if a block has another
// width, if the number of rows is not as stated, or if a value is out of the range of float16.
func WriteNPYBlocks(path, kind string, rows, columns int, blocks iter.Seq2[Matrix, error]) error {
	if kind != "F32" && kind != "F16" {
		return fmt.Errorf("embedding: %s: rows of type %s, want F32 or F16", path, kind)
	}
	header, err := npyStart(kind, []int{rows, columns})
	if err != nil {
		return fmt.Errorf("embedding: %s: %w", path, err)
	}
	return writeWhole(path, func(w io.Writer) error {
		if _, err := w.Write(header); err != nil {
			return err
		}
		done := 0
		var data []byte
		for block, err := range blocks {
			if err != nil {
				return err
			}
			if block.Columns != columns && block.Rows > 0 {
				return fmt.Errorf("rows of %d columns, want %d", block.Columns, columns)
			}
			if data, err = appendNumbers(data[:0], block, kind, done); err != nil {
				return err
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
			done += block.Rows
		}
		if done != rows {
			return fmt.Errorf("%d rows, want %d", done, rows)
		}
		return nil
	})
}

// appendNumbers appends the values of a block. First is the index of its first row in the whole
// matrix.
func appendNumbers(data []byte, m Matrix, kind string, first int) ([]byte, error) {
	if kind == "F32" {
		for _, value := range m.Values {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(value))
		}
		return data, nil
	}
	for i, value := range m.Values {
		half, err := toHalf(value)
		if err != nil {
			return nil, fmt.Errorf("row %d, column %d: %w", first+i/m.Columns, i%m.Columns, err)
		}
		data = binary.LittleEndian.AppendUint16(data, half)
	}
	return data, nil
}
