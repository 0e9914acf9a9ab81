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
	"time"

	"github.com/parquet-go/parquet-go"

	"gosphere/runtime/table"
)

func init() {
	table.RegisterFormat(".parquet", table.Format{Read: Read, Batches: Batches, Write: Write})
}

// Read reads a Parquet file of the given size. A nested value is a column named by its path, joined
// with dots. A repeated value is a list, missing or empty as in the file: a []any, whose elements
// are lists again, or structs as map[string]any. A map with keys of text is a map[string]any, and
// another one a list of its entries.
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
	units := unitsOf(file.Schema())
	for _, group := range file.RowGroups() {
		readers := readersOf(units, group)
		for left := group.NumRows(); left > 0; {
			n := min(int64(rows), left)
			left -= n
			values := make([]table.Values, len(units))
			for k, u := range units {
				if values[k], err = u.next(readers, int(n)); err != nil {
					return errors.Join(fmt.Errorf("column %q: %w", u.name, err), closeAll(readers))
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
		names := make([]string, len(units))
		for k, u := range units {
			names[k] = u.name
		}
		yield(table.New(names...))
	}
	return nil
}

// readersOf returns the readers of the leaves of a row group by their places in the file.
func readersOf(units []unit, group parquet.RowGroup) map[int]*columnReader {
	readers := map[int]*columnReader{}
	chunks := group.ColumnChunks()
	for _, u := range units {
		if u.nested == nil {
			readers[u.index] = &columnReader{leaf: u.leaf, chunk: chunks[u.index]}
			continue
		}
		for _, at := range u.nested.indexes {
			readers[at] = &columnReader{chunk: chunks[at]}
		}
		u.nested.bind(readers)
	}
	return readers
}

// next returns the values of the next n rows.
func (u unit) next(readers map[int]*columnReader, n int) (table.Values, error) {
	if u.nested != nil {
		return u.nested.next(u.name, n)
	}
	return readers[u.index].next(u.name, n)
}

func closeAll(readers map[int]*columnReader) (err error) {
	for _, r := range readers {
		if r.pages != nil {
			err = errors.Join(err, r.pages.Close())
		}
	}
	return err
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
