// Package table reads data into tables of named columns: CSV, JSON and Parquet files, and the rows
// of database queries. A cell that ends with a Table shows it; front ends can sort and search it
// and page through it.
//
//	people, err := table.Read("people.csv")
//	people.Where(func(r table.Row) bool { return r.Float("age") > 30 }).Sort("name")
//	ages, err := people.Floats("age")
//
// Cells of a table hold int, float64, bool, string and time.Time values, nil for a missing value,
// and other values of the source, such as lists in JSON.
//
// Read table.go first, then columns.go, then the files of the sources.
package table

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"gosphere/internal/userfile"
)

// A Table holds rows of values in named columns. Only Append modifies it; the other methods return
// new tables.
type Table struct {
	columns []string
	rows    [][]any
}

// New returns a table without rows. It panics if a column name occurs twice.
func New(columns ...string) *Table {
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			panic(fmt.Errorf("table: duplicate column %q", name))
		}
	}
	return &Table{columns: slices.Clone(columns)}
}

// readParquet is the function passed to RegisterParquet, or nil.
var readParquet func(r io.ReaderAt, size int64) (*Table, error)

// RegisterParquet sets the function that reads Parquet files. Package table/parquet calls it; a
// program that imports that package reads them.
func RegisterParquet(read func(r io.ReaderAt, size int64) (*Table, error)) { readParquet = read }

// ReadParquet reads a Parquet file of the given size. It is an error if the program does not import
// package table/parquet, which cells have without an import.
func ReadParquet(r io.ReaderAt, size int64) (*Table, error) {
	if readParquet == nil {
		return nil, errors.New("table: this program reads no Parquet files: import gosphere/runtime/table/parquet")
	}
	return readParquet(r, size)
}

// Read reads a file in the format of its extension: .csv, .tsv, .json, .jsonl, .ndjson or .parquet.
func Read(path string) (*Table, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	defer file.Close()
	var t *Table
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".csv":
		t, err = ReadCSV(file)
	case ".tsv":
		t, err = readSeparated(file, '\t')
	case ".json", ".jsonl", ".ndjson":
		t, err = ReadJSON(file)
	case ".parquet":
		info, failure := file.Stat()
		if failure != nil {
			return nil, fmt.Errorf("table: %w", failure)
		}
		t, err = ReadParquet(file, info.Size())
	default:
		return nil, fmt.Errorf("table: %s: unknown extension %q, want .csv, .tsv, .json, .jsonl, .ndjson or .parquet", path, ending)
	}
	if err != nil {
		return nil, fmt.Errorf("table: %s: %w", path, err)
	}
	return t, nil
}

// Of returns a table of a slice of structs, with one column for each exported field. It panics for
// any other value.
func Of(records any) *Table {
	v := reflect.ValueOf(records)
	record := reflect.Type(nil)
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		record = v.Type().Elem()
		if record.Kind() == reflect.Pointer {
			record = record.Elem()
		}
	}
	if record == nil || record.Kind() != reflect.Struct {
		panic(fmt.Errorf("table: Of: got %T, want a slice of structs", records))
	}
	t := &Table{}
	var fields []int
	for i := range record.NumField() {
		if f := record.Field(i); f.IsExported() {
			t.columns, fields = append(t.columns, f.Name), append(fields, i)
		}
	}
	for i := range v.Len() {
		row, from := make([]any, len(fields)), v.Index(i)
		if from.Kind() == reflect.Pointer {
			from = from.Elem()
		}
		for k, field := range fields {
			if from.IsValid() {
				row[k] = from.Field(field).Interface()
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// Append adds a row. It panics unless there is one value for each column.
func (t *Table) Append(values ...any) {
	if len(values) != len(t.columns) {
		panic(fmt.Errorf("table: a row of %d values for %d columns", len(values), len(t.columns)))
	}
	t.rows = append(t.rows, slices.Clone(values))
}

// Columns returns the names of the columns.
func (t *Table) Columns() []string { return slices.Clone(t.columns) }

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Row returns the values of row i, from 0.
func (t *Table) Row(i int) []any { return slices.Clone(t.rows[i]) }

// At returns one value. It panics for a row or column that does not exist.
func (t *Table) At(i int, column string) any { return t.rows[i][t.mustFind(column)] }

// String returns the size and the columns of the table.
func (t *Table) String() string {
	rows := fmt.Sprintf("%d rows", len(t.rows))
	if len(t.rows) == 1 {
		rows = "1 row"
	}
	return "table of " + rows + ": " + strings.Join(t.columns, ", ")
}

// Head returns the first n rows, or all if there are fewer.
func (t *Table) Head(n int) *Table {
	return &Table{columns: t.columns, rows: slices.Clone(t.rows[:max(0, min(n, len(t.rows)))])}
}

// Select returns a table of the named columns in the given order. It panics for an unknown column.
func (t *Table) Select(columns ...string) *Table {
	selected := New(columns...)
	places := make([]int, len(columns))
	for k, name := range columns {
		places[k] = t.mustFind(name)
	}
	for _, row := range t.rows {
		picked := make([]any, len(places))
		for k, at := range places {
			picked[k] = row[at]
		}
		selected.rows = append(selected.rows, picked)
	}
	return selected
}

// Where returns the rows for which keep returns true.
func (t *Table) Where(keep func(r Row) bool) *Table {
	kept := &Table{columns: t.columns}
	for i, row := range t.rows {
		if keep(Row{t, i}) {
			kept.rows = append(kept.rows, row)
		}
	}
	return kept
}

// Sort returns the rows ordered by a column: numbers and times by value, everything else by its
// text, missing values last. A minus sign before the name reverses the order. It panics for an
// unknown column.
func (t *Table) Sort(column string) *Table {
	name, down := strings.CutPrefix(column, "-")
	if slices.Contains(t.columns, column) {
		name, down = column, false
	}
	k := t.mustFind(name)
	sorted := &Table{columns: t.columns, rows: slices.Clone(t.rows)}
	slices.SortStableFunc(sorted.rows, func(a, b []any) int {
		switch {
		case a[k] == nil || b[k] == nil:
			return cmp.Compare(missing(a[k]), missing(b[k]))
		case down:
			return compare(b[k], a[k])
		}
		return compare(a[k], b[k])
	})
	return sorted
}

func missing(value any) int {
	if value == nil {
		return 1
	}
	return 0
}

// compare orders two values of a column.
func compare(a, b any) int {
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			return cmp.Compare(x, y)
		}
	}
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// WriteCSV writes the table as comma-separated values with a header. A missing value is empty.
func (t *Table) WriteCSV(w io.Writer) error {
	writer := csv.NewWriter(w)
	if err := writer.Write(t.columns); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	for _, row := range t.rows {
		record := make([]string, len(row))
		for k, value := range row {
			record[k] = written(value)
		}
		if err := writer.Write(record); err != nil {
			return fmt.Errorf("table: %w", err)
		}
	}
	writer.Flush()
	if err := writer.Error(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// written returns the CSV form of a value.
func written(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case time.Time:
		return value.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}

// find returns the index of a column.
func (t *Table) find(column string) (int, error) {
	if k := slices.Index(t.columns, column); k >= 0 {
		return k, nil
	}
	return 0, fmt.Errorf("table: no column %q, want one of %s", column, strings.Join(t.columns, ", "))
}

func (t *Table) mustFind(column string) int {
	k, err := t.find(column)
	if err != nil {
		panic(err)
	}
	return k
}
