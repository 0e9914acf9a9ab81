package table

import (
	"fmt"
	"math"
	"reflect"
	"strings"
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

// Decode sets records, a pointer to a slice of structs, to the rows of the table. A field gets the
// value of the column with its name, or with the name in its tag, as in `table:"unit price"`; the
// tag "-" leaves a field out. It is an error if a field has no column, or a value does not fit or
// is missing; a field that is a pointer is nil for a missing value.
//
//	var sales []Sale
//	err := t.Decode(&sales)
func (t *Table) Decode(records any) error {
	target := reflect.ValueOf(records)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Slice || target.Elem().Type().Elem().Kind() != reflect.Struct {
		return fmt.Errorf("table: Decode: got %T, want a pointer to a slice of structs", records)
	}
	record := target.Elem().Type().Elem()
	list := reflect.MakeSlice(target.Elem().Type(), t.height, t.height)
	for f := range record.NumField() {
		field := record.Field(f)
		name := field.Tag.Get("table")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = t.named(field.Name)
		}
		k, err := t.find(name)
		if err != nil {
			return fmt.Errorf("%w, for the field %s of %v", err, field.Name, record)
		}
		for i := range t.height {
			if !assign(list.Index(i).Field(f), t.data[k].at(i)) {
				return t.mismatch(i, k, fmt.Sprintf("a value for the field %s %v of %v", field.Name, field.Type, record))
			}
		}
	}
	target.Elem().Set(list)
	return nil
}

// named returns the column of a field: the one with its name, else the only one whose name differs
// in upper and lower case.
func (t *Table) named(field string) string {
	found := field
	for _, name := range t.columns {
		if name == field {
			return field
		}
		if strings.EqualFold(name, field) {
			if found != field {
				return field // two columns
			}
			found = name
		}
	}
	return found
}

// assign sets a field to a value. It returns false if the value is missing or does not fit.
func assign(field reflect.Value, value any) bool {
	if value == nil {
		return field.Kind() == reflect.Pointer || field.Kind() == reflect.Interface
	}
	v := reflect.ValueOf(value)
	if v.Type().AssignableTo(field.Type()) {
		field.Set(v)
		return true
	}
	if _, ok := value.(time.Duration); ok && field.Kind() != reflect.Pointer {
		return false // not a number of any unit
	}
	switch {
	case field.Kind() == reflect.Pointer:
		to := reflect.New(field.Type().Elem())
		if !assign(to.Elem(), value) {
			return false
		}
		field.Set(to)
		return true
	case field.CanInt() && v.CanInt() && !field.OverflowInt(v.Int()):
		field.SetInt(v.Int())
		return true
	case field.CanUint() && v.CanInt() && v.Int() >= 0 && !field.OverflowUint(uint64(v.Int())):
		field.SetUint(uint64(v.Int()))
		return true
	case field.CanFloat() && v.CanInt() && exact(int(v.Int())):
		field.SetFloat(float64(v.Int()))
		return true
	case field.CanFloat() && v.CanFloat():
		field.SetFloat(v.Float())
		return true
	case field.Kind() == v.Kind() && v.Type().ConvertibleTo(field.Type()):
		field.Set(v.Convert(field.Type()))
		return true
	}
	return false
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
