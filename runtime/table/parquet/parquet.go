// Package parquet reads Parquet files into tables. Importing it makes table.Read read them as well.
// Cells have it without an import.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"gosphere/runtime/table"
)

func init() {
	table.RegisterFormat(".parquet", table.Format{Read: Read, Batches: Batches, Write: Write})
}

// Read reads a Parquet file of the given size. A nested value is a column named by its path, joined
// with dots. A repeated value is a list, missing or empty as in the file.
func Read(r io.ReaderAt, size int64) (t *table.Table, err error) {
	var batches []*table.Table
	for batch, err := range Batches(r, size, math.MaxInt) {
		if err != nil {
			return nil, err
		}
		batches = append(batches, batch)
	}
	return table.Concat(batches...), nil
}

// Batches reads at most so many rows at a time, each as a table with the columns of Read. A file
// without rows has one batch.
func Batches(r io.ReaderAt, size int64, rows int) iter.Seq2[*table.Table, error] {
	return func(yield func(*table.Table, error) bool) {
		stopped := false
		err := readBatches(r, size, max(1, rows), func(t *table.Table) bool {
			stopped = !yield(t, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

func readBatches(r io.ReaderAt, size int64, rows int, yield func(*table.Table) bool) (err error) {
	yielding := false
	defer func() { // the library panics for some damaged files
		if problem := recover(); problem != nil {
			if yielding {
				panic(problem)
			}
			err = fmt.Errorf("the file is damaged: %v", problem)
		}
	}()
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	names, leaves := columnsOf(file.Schema())
	for _, group := range file.RowGroups() {
		readers := make([]*columnReader, len(leaves))
		for k, leaf := range leaves {
			readers[k] = &columnReader{leaf: leaf, chunk: group.ColumnChunks()[k]}
		}
		for left := group.NumRows(); left > 0; {
			n := min(int64(rows), left)
			left -= n
			values := make([]table.Values, len(leaves))
			for k, reader := range readers {
				if values[k], err = reader.next(names[k], int(n)); err != nil {
					return errors.Join(fmt.Errorf("column %q: %w", names[k], err), closeAll(readers))
				}
			}
			yielding = true
			more := yield(table.FromColumns(values...))
			yielding = false
			if !more {
				return closeAll(readers)
			}
		}
		if err := closeAll(readers); err != nil {
			return err
		}
	}
	if len(file.RowGroups()) == 0 || file.NumRows() == 0 {
		yielding = true
		yield(table.New(names...))
	}
	return nil
}

func closeAll(readers []*columnReader) (err error) {
	for _, r := range readers {
		if r.pages != nil {
			err = errors.Join(err, r.pages.Close())
		}
	}
	return err
}

// columnsOf returns the names of the columns of a file and their leaves.
func columnsOf(schema *parquet.Schema) (names []string, leaves []leaf) {
	for _, path := range schema.Columns() {
		column, _ := schema.Lookup(path...)
		leaves = append(leaves, leaf{column, repeatedLevel(schema, path)})
		if n := len(path); n > 2 && column.MaxRepetitionLevel > 0 && path[n-2] == "list" {
			path = path[:n-2] // removes the path elements between a list and its values
		}
		names = append(names, strings.Join(path, "."))
	}
	return unique(names), leaves
}

// A leaf is a column of a file. Its values have at least the definition level repeated if they are
// in a list that is not empty.
type leaf struct {
	parquet.LeafColumn
	repeated int
}

// repeatedLevel returns the definition level of the first repeated node of a path, or 0.
func repeatedLevel(node parquet.Node, path []string) (level int) {
	for _, name := range path {
		i := slices.IndexFunc(node.Fields(), func(f parquet.Field) bool { return f.Name() == name })
		if i < 0 {
			return 0
		}
		node = node.Fields()[i]
		if node.Optional() || node.Repeated() {
			level++
		}
		if node.Repeated() {
			return level
		}
	}
	return 0
}

// unique returns names of columns with a number after those that occur again.
func unique(names []string) []string {
	var list []string
	for _, name := range names {
		free := name
		for n := 2; slices.Contains(list, free); n++ {
			free = fmt.Sprintf("%s %d", name, n)
		}
		list = append(list, free)
	}
	return list
}

// parquetValue converts a value of a file to a Go value.
func parquetValue(value parquet.Value, t parquet.Type) any {
	if value.IsNull() {
		return nil
	}
	logical := t.LogicalType()
	switch value.Kind() {
	case parquet.Boolean:
		return value.Boolean()
	case parquet.Int32, parquet.Int64:
		n := value.Int64()
		if value.Kind() == parquet.Int32 {
			n = int64(value.Int32())
		}
		return parquetNumber(n, t)
	case parquet.Int96: // timestamps of older programs
		stamp := value.Int96()
		const julianDayOfUnix = 2440588
		return time.Unix((int64(stamp[2])-julianDayOfUnix)*86400, int64(uint64(stamp[1])<<32|uint64(stamp[0]))).UTC()
	case parquet.Float:
		return float64(value.Float())
	case parquet.Double:
		return value.Double()
	}
	bytes := value.ByteArray()
	switch {
	case logical != nil && (logical.UTF8 != nil || logical.Enum != nil || logical.Json != nil):
		return string(bytes)
	case logical != nil && logical.UUID != nil && len(bytes) == 16:
		return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
	}
	return slices.Clone(bytes)
}

// parquetNumber converts a whole number to the type of its column: a date, a time, a decimal or an
// integer.
func parquetNumber(n int64, t parquet.Type) any {
	logical := t.LogicalType()
	switch {
	case logical == nil:
	case logical.Date != nil:
		return time.Unix(n*86400, 0).UTC()
	case logical.Timestamp != nil && logical.Timestamp.Unit.Millis != nil:
		return time.UnixMilli(n).UTC()
	case logical.Timestamp != nil && logical.Timestamp.Unit.Micros != nil:
		return time.UnixMicro(n).UTC()
	case logical.Timestamp != nil:
		return time.Unix(0, n).UTC()
	case logical.Decimal != nil:
		return float64(n) / math.Pow10(int(logical.Decimal.Scale))
	case logical.Integer != nil && !logical.Integer.IsSigned && n < 0:
		if logical.Integer.BitWidth == 64 {
			return uint64(n)
		}
		return int(uint32(n))
	}
	if int64(int(n)) == n {
		return int(n)
	}
	return n
}
