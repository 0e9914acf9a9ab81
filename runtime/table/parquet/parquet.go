// Package parquet reads Parquet files into tables. Importing it makes table.Read read them as well.
// Cells have it without an import.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"gosphere/runtime/table"
)

// parquetRows is the number of rows per read.
const parquetRows = 256

func init() { table.RegisterFormat(".parquet", table.Format{Read: Read}) }

// Read reads a Parquet file of the given size. A nested value is a column named by its path, joined
// with dots. A repeated value is a list.
func Read(r io.ReaderAt, size int64) (t *table.Table, err error) {
	defer func() { // the library panics for some damaged files
		if problem := recover(); problem != nil {
			t, err = nil, fmt.Errorf("the file is damaged: %v", problem)
		}
	}()
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, err
	}
	schema := file.Schema()
	var leaves []parquet.LeafColumn
	var columns []string
	for _, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		leaves = append(leaves, leaf)
		if n := len(path); n > 2 && leaf.MaxRepetitionLevel > 0 && path[n-2] == "list" {
			path = path[:n-2] // removes the path elements between a list and its values
		}
		columns = append(columns, strings.Join(path, "."))
	}
	t = table.New(unique(columns)...)
	for _, group := range file.RowGroups() {
		if err := readGroup(t, group, leaves); err != nil {
			return nil, err
		}
	}
	return t, nil
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

// readGroup appends the rows of a group.
func readGroup(t *table.Table, group parquet.RowGroup, leaves []parquet.LeafColumn) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, parquetRows)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			t.Append(parquetRow(row, leaves)...)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// parquetRow returns the values of a row by column.
func parquetRow(row parquet.Row, leaves []parquet.LeafColumn) []any {
	values := make([]any, len(leaves))
	for _, value := range row {
		k := value.Column()
		leaf := leaves[k]
		switch {
		case leaf.MaxRepetitionLevel == 0:
			values[k] = parquetValue(value, leaf.Node.Type())
		default:
			list, _ := values[k].([]any)
			if list == nil {
				list = []any{}
			}
			if !value.IsNull() || value.DefinitionLevel() >= leaf.MaxDefinitionLevel {
				list = append(list, parquetValue(value, leaf.Node.Type()))
			}
			values[k] = list
		}
	}
	return values
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
