package table

import (
	"fmt"
	"math"
	"reflect"
	"time"
)

// Column returns the values of a column, with nil for missing values.
func (t *Table) Column(name string) ([]any, error) {
	k, err := t.find(name)
	if err != nil {
		return nil, err
	}
	list := make([]any, t.height)
	for i := range list {
		list[i] = t.data[k].at(i)
	}
	return list, nil
}

// Floats returns the numbers of a column, with NaN for missing values. Any other value is an error.
func (t *Table) Floats(name string) ([]float64, error) {
	k, err := t.find(name)
	if err != nil {
		return nil, err
	}
	floats := make([]float64, t.height)
	for i := range floats {
		if !t.data[k].known(i) {
			floats[i] = math.NaN()
			continue
		}
		x, ok := number(t.data[k].at(i))
		if !ok {
			return nil, t.mismatch(i, k, "a number")
		}
		floats[i] = x
	}
	return floats, nil
}

// Strings returns the values of a column as text, with "" for missing values.
func (t *Table) Strings(name string) ([]string, error) {
	list, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	for i, value := range list {
		texts[i] = written(value)
	}
	return texts, nil
}

// mismatch returns the error of a value that is not what was wanted.
func (t *Table) mismatch(i, k int, want string) error {
	value := t.data[k].at(i)
	if value == nil {
		return fmt.Errorf("table: column %q, row %d: the value is missing, want %s", t.columns[k], i, want)
	}
	return fmt.Errorf("table: column %q, row %d: %#v is not %s", t.columns[k], i, value, want)
}

// A Row is one row of a table.
type Row struct {
	table  *Table
	at     int
	missed *bool // set, if not nil, when Float reads a missing value
}

// Value returns a value by the name of its column, or nil if it is missing. It panics for an
// unknown column.
func (r Row) Value(column string) any { return r.table.At(r.at, column) }

// IsNull reports whether a value is missing. It panics for an unknown column.
func (r Row) IsNull(column string) bool { return r.Value(column) == nil }

// Float returns a number by the name of its column, or NaN if it is missing. No comparison of a
// missing value with > or < is therefore true. It panics for an unknown column and for a value that
// is not a number.
func (r Row) Float(column string) float64 {
	value := r.Value(column)
	if value == nil {
		if r.missed != nil {
			*r.missed = true
		}
		return math.NaN()
	}
	x, ok := number(value)
	if !ok {
		r.fail(column, "a number")
	}
	return x
}

// Int returns a whole number by the name of its column. It panics for an unknown column, and for a
// value that is missing or not a whole number of type int.
func (r Row) Int(column string) int {
	n, ok := r.Value(column).(int)
	if !ok {
		r.fail(column, "an integer")
	}
	return n
}

// Bool returns a truth value by the name of its column, or false if it is missing. It panics for an
// unknown column and for a value that is not a truth value.
func (r Row) Bool(column string) bool {
	value := r.Value(column)
	truth, ok := value.(bool)
	if value != nil && !ok {
		r.fail(column, "true or false")
	}
	return truth
}

// Time returns a time by the name of its column, or the zero time if it is missing. It panics for
// an unknown column and for a value that is not a time.
func (r Row) Time(column string) time.Time {
	value := r.Value(column)
	at, ok := value.(time.Time)
	if value != nil && !ok {
		r.fail(column, "a time")
	}
	return at
}

// Text returns a value as text by the name of its column, or "" if it is missing.
func (r Row) Text(column string) string { return written(r.Value(column)) }

// fail panics for a value that is not what was wanted.
func (r Row) fail(column, want string) {
	panic(r.table.mismatch(r.at, r.table.mustFind(column), want))
}

// number converts a number to float64.
func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case float64:
		return value, true
	case nil, time.Duration:
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
