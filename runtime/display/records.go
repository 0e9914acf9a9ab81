package display

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// recordTable returns a table of rows that are maps with string keys, as in JSON: one column per
// key, in the order of the keys. A cell is empty if its row lacks the key. It returns false if a
// row is anything else.
func recordTable(v reflect.Value) (*table, bool) {
	keys := map[string]bool{}
	rows := make([]map[string]reflect.Value, v.Len())
	for i := range rows {
		row := held(v.Index(i))
		if row.Kind() != reflect.Map || row.Type().Key().Kind() != reflect.String || formats(row) {
			return nil, false
		}
		rows[i] = make(map[string]reflect.Value, row.Len())
		for each := row.MapRange(); each.Next(); {
			rows[i][each.Key().String()] = each.Value()
			keys[each.Key().String()] = true
		}
	}
	if len(keys) == 0 {
		return nil, false
	}
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return newTable(names, len(rows), func(i int) ([]string, int) {
		return someCells(len(names), func(k int) string {
			if cell, ok := rows[i][names[k]]; ok {
				return cellText(cell)
			}
			return ""
		})
	}), true
}

// fieldTable returns a table of a struct: a row with name and value for each field.
func fieldTable(v reflect.Value) (*table, bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.NumField() == 0 || formats(v) || formats(reflect.New(v.Type())) {
		return nil, false
	}
	return newTable(nil, v.NumField(), func(i int) ([]string, int) {
		return []string{v.Type().Field(i).Name, cellText(v.Field(i))}, 2
	}), true
}

// isRecord reports whether a value is a struct, or a pointer to one, with more than one field, all
// of which a cell can read.
func isRecord(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.NumField() < 2 {
		return false
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); !f.IsExported() && f.PkgPath != "main" {
			return false
		}
	}
	return true
}

// mapHead returns the column names of a map whose values are structs: an empty one for the key,
// then the fields.
func mapHead(v reflect.Value) []string {
	record := v.Type().Elem()
	if record.Kind() != reflect.Struct || record.NumField() == 0 || formats(reflect.Zero(record)) {
		return nil
	}
	return append([]string{""}, fieldNames(record)...)
}

func fieldNames(record reflect.Type) []string {
	var names []string
	for i := range record.NumField() {
		names = append(names, record.Field(i).Name)
	}
	return names
}

// held returns the value in an interface.
func held(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// pointedAt returns the value that a pointer to a number, a string or a bool points to, because an
// address is meaningless.
func pointedAt(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && !v.IsNil() && !formats(v) {
		if e := v.Elem(); e.CanInt() || e.CanUint() || e.CanFloat() || e.Kind() == reflect.String || e.Kind() == reflect.Bool {
			return e
		}
	}
	return v
}

// floatText formats a number with six digits, but with all digits of the integer part below 10¹⁵,
// which occur in amounts of money and in identifiers in JSON.
func floatText(x float64) string {
	if size := max(x, -x); size >= 1e6 && size < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}

// onlyTime removes the monotonic clock reading from a time, which is meaningless in a table.
func onlyTime(value any) any {
	if t, ok := value.(time.Time); ok {
		return t.Round(0)
	}
	return value
}
