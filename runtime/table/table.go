// Package table reads data into tables of named columns: files of comma-separated values, JSON and Parquet, and the rows of
// database queries. A table that ends a cell is shown as one; in a page it is sorted, searched and paged.
//
//	people, err := table.Read("people.csv")
//	people.Where(func(r table.Row) bool { return r.Float("age") > 30 }).Sort("name")
//	ages, err := people.Floats("age")
//
// Cells hold int, float64, bool, string and time.Time values, nil where a value is missing, and whatever else the source has,
// such as the lists of JSON.
//
// Read table.go first, then columns.go, then the files of the sources.
package table

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Table is rows of values in named columns. Its methods leave it as it is, except Append.
type Table struct {
	columns []string
	rows    [][]any
}

// New returns a table without rows. It panics for a column name that comes twice.
func New(columns ...string) *Table {
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			panic(fmt.Errorf("table: two columns are called %q", name))
		}
	}
	return &Table{columns: slices.Clone(columns)}
}

// Read reads a file in the format of its extension: .csv, .tsv, .json, .jsonl, .ndjson or .parquet.
func Read(path string) (*Table, error) {
	file, err := os.Open(path)
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
		return nil, fmt.Errorf("table: %s: the ending %q is none of .csv, .tsv, .json, .jsonl, .ndjson and .parquet", path, ending)
	}
	if err != nil {
		return nil, fmt.Errorf("table: %s: %w", path, err)
	}
	return t, nil
}

// Of makes a table of a slice of structs, one column for each exported field. It panics for any other value.
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
		panic(fmt.Errorf("table: Of wants a slice of structs, not %T", records))
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

// Append adds a row. It panics if the number of values is not that of the columns.
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

// At returns one value. It panics for a row or a column that there is not.
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

// Select returns the named columns in the given order. It panics for a column that there is not.
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

// Where returns the rows for which keep reports true.
func (t *Table) Where(keep func(r Row) bool) *Table {
	kept := &Table{columns: t.columns}
	for i, row := range t.rows {
		if keep(Row{t, i}) {
			kept.rows = append(kept.rows, row)
		}
	}
	return kept
}

// Sort returns the rows in the order of a column: numbers and times by size, everything else by its text, missing values last.
// A minus sign before the name reverses the order. It panics for a column that there is not.
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

// written is a value in a file of comma-separated values.
func written(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case time.Time:
		return value.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}

// find returns the place of a column.
func (t *Table) find(column string) (int, error) {
	if k := slices.Index(t.columns, column); k >= 0 {
		return k, nil
	}
	return 0, fmt.Errorf("table: there is no column %q; there are %s", column, strings.Join(t.columns, ", "))
}

func (t *Table) mustFind(column string) int {
	k, err := t.find(column)
	if err != nil {
		panic(err)
	}
	return k
}
