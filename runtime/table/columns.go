package table

import (
	"fmt"
	"math"
	"reflect"
)

// Column returns the values of a column.
func (t *Table) Column(name string) ([]any, error) {
	k, err := t.find(name)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(t.rows))
	for i, row := range t.rows {
		values[i] = row[k]
	}
	return values, nil
}

// Floats returns the numbers of a column, with NaN for missing values. Any other value is an error.
func (t *Table) Floats(name string) ([]float64, error) {
	values, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	floats := make([]float64, len(values))
	for i, value := range values {
		x, ok := number(value)
		if value != nil && !ok {
			return nil, fmt.Errorf("table: column %q, row %d: %#v is not a number", name, i, value)
		}
		floats[i] = x
		if value == nil {
			floats[i] = math.NaN()
		}
	}
	return floats, nil
}

// Strings returns the values of a column as text, with "" for missing values.
func (t *Table) Strings(name string) ([]string, error) {
	values, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = written(value)
	}
	return texts, nil
}

// A Row is one row of a table.
type Row struct {
	table *Table
	at    int
}

// Value returns a value by the name of its column. It panics for an unknown column.
func (r Row) Value(column string) any { return r.table.At(r.at, column) }

// Float returns a number by the name of its column. It returns NaN if the value is missing or not a
// number.
func (r Row) Float(column string) float64 {
	if x, ok := number(r.Value(column)); ok {
		return x
	}
	return math.NaN()
}

// Text returns a value as text by the name of its column, or "" if it is missing.
func (r Row) Text(column string) string { return written(r.Value(column)) }

// number converts a number to float64.
func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case float64:
		return value, true
	case nil:
		return 0, false
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}
