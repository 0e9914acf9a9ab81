package table

import (
	"database/sql"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Column returns the values of a column as values of type T, in the order of the rows.
//
//	prices, err := table.Column[float64](t, "price")
//	prices, err := table.Column[*float64](t, "price") // nil where a price is missing
//
// T is the type of the column, or a type that its values fit: float64 and smaller types for whole
// numbers, as long as they change no number, a named type such as type Celsius float64, and a type
// that implements encoding.TextUnmarshaler for text. A missing value is an error unless T can hold
// one: a pointer, which is then nil, a sql.Null, which is then not Valid, any, or a type that
// implements sql.Scanner. The error names the column, the row, the value and its type.
func Column[T any](t *Table, name string) ([]T, error) {
	var list []T
	err := t.DecodeColumn(name, &list)
	return list, err
}

// As returns the rows as values of type T, a struct or a pointer to one. Decode describes which
// field gets which column.
//
//	sales, err := table.As[Sale](t)
func As[T any](t *Table) ([]T, error) {
	var rows []T
	err := t.Decode(&rows)
	return rows, err
}

// DecodeColumn sets list, a pointer to a slice, to the values of a column, as the function Column
// does.
func (t *Table) DecodeColumn(name string, list any) error {
	target := reflect.ValueOf(list)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Slice {
		return fmt.Errorf("table: DecodeColumn: got %T, want a pointer to a slice", list)
	}
	k, err := t.find(name)
	if err != nil {
		return err
	}
	switch list := list.(type) {
	case *[]float64:
		if copied(t.data[k], list) {
			return nil
		}
	case *[]int:
		if copied(t.data[k], list) {
			return nil
		}
	case *[]string:
		if copied(t.data[k], list) {
			return nil
		}
	}
	made := reflect.MakeSlice(target.Elem().Type(), t.height, t.height)
	for i := range t.height {
		if err := assign(made.Index(i), t.data[k].at(i)); err != nil {
			return unfit(t, i, k, err, made.Type().Elem().String())
		}
	}
	target.Elem().Set(made)
	return nil
}

// copied sets a list to the values of a column of its type. It returns false for other columns and
// for one with missing values.
func copied[T any](c column, list *[]T) bool {
	typed, ok := c.(*values[T])
	if !ok {
		return false
	}
	for i := range typed.list {
		if !typed.known(i) {
			return false
		}
	}
	*list = append(make([]T, 0, len(typed.list)), typed.list...)
	return true
}

// unfit returns the error of a value that was not assigned to a variable.
func unfit(t *Table, i, k int, err error, to string) error {
	value := t.data[k].at(i)
	switch {
	case value == nil:
		return fmt.Errorf("table: column %q, row %d: the value is missing, want a value for %s; a pointer or sql.Null takes missing values", t.columns[k], i, to)
	case errors.Is(err, errFit):
		return fmt.Errorf("table: column %q, row %d: %#v of type %T is no value for %s", t.columns[k], i, value, value, to)
	}
	return fmt.Errorf("table: column %q, row %d: %#v of type %T is no value for %s: %w", t.columns[k], i, value, value, to, err)
}

// A structField is a field of a struct that stands for a column.
type structField struct {
	index []int // from the outer struct to the field of an embedded one
	name  string
	table bool   // the name is that of the tag table
	field string // the Go name
	of    reflect.Type
}

// structFields returns the fields of a struct in their order, with those of embedded structs in
// their places. A field hides those of its name in embedded structs.
func structFields(record reflect.Type) ([]structField, error) {
	var list []structField
	if err := addFields(&list, record, nil, []reflect.Type{record}); err != nil {
		return nil, err
	}
	var visible []structField
	for _, f := range list {
		hidden := false
		for _, other := range list {
			if other.name != f.name || slices.Equal(other.index, f.index) {
				continue
			}
			if len(other.index) == len(f.index) {
				return nil, fmt.Errorf("two fields of %v are the column %q: %s and %s", record, f.name, record.FieldByIndex(f.index).Name, record.FieldByIndex(other.index).Name)
			}
			hidden = hidden || len(other.index) < len(f.index)
		}
		if !hidden {
			visible = append(visible, f)
		}
	}
	return visible, nil
}

func addFields(list *[]structField, record reflect.Type, index []int, outer []reflect.Type) error {
	for i := range record.NumField() {
		f := record.Field(i)
		at := append(slices.Clone(index), i)
		own, tagged := f.Tag.Lookup("table")
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if own == "-" || own == "" && f.Tag.Get("json") == "-" {
			continue
		}
		if own != "" {
			name = own
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && name == "" && inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() && !isNullable(inner) {
			if slices.Contains(outer, inner) {
				return fmt.Errorf("%v embeds itself", inner)
			}
			if err := addFields(list, inner, at, append(slices.Clone(outer), inner)); err != nil {
				return err
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		*list = append(*list, structField{index: at, name: name, table: tagged && own != "", field: f.Name, of: f.Type})
	}
	return nil
}

// isNullable reports whether a type has the form of sql.Null and sql.NullInt64: a value, a field
// Valid that reports whether there is one, and the method Scan. The types of sql.Null in cells are
// other types than those of compiled code, so the form decides.
func isNullable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 2 && t.Field(0).IsExported() && t.Field(1).Name == "Valid" && t.Field(1).Type.Kind() == reflect.Bool &&
		reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]())
}

// Of returns a table of a slice of structs or of pointers to structs. It has a column for each
// exported field, also of embedded structs. A column has the name in the tag of its field, as in
// `table:"unit price"`, else the name in the tag json, else the name of the field; the tag "-"
// leaves a field out.
//
// The columns have the types of the fields: integers of all sizes are int, float32 is float64, and
// a named type such as type Region string is its basic type unless it has a method String or
// MarshalText. Nil pointers and values of sql.Null that are not Valid are missing. Values of other
// types are kept as they are, in columns of type any. Of panics for any other argument, and if two
// fields have the name of one column.
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
	fields, err := structFields(record)
	if err != nil {
		panic(fmt.Errorf("table: Of: %w", err))
	}
	t := New()
	for _, f := range fields {
		c := column(new(unknown))
		if f.of.Kind() != reflect.Interface {
			c = emptyOf(f.of)
		}
		for i := range v.Len() {
			from := v.Index(i)
			if from.Kind() == reflect.Pointer {
				from = from.Elem()
			}
			c = appended(c, heldValue(fieldAt(from, f.index)))
		}
		t.insert(f.name, c)
	}
	t.height = v.Len()
	return t
}

// fieldAt returns a field of a struct, or the zero Value if it or the pointer to an embedded struct
// around it is nil.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() {
			return v
		}
		v = v.Field(i)
	}
	return v
}

// heldValue returns the value of a field as one of a column, or nil if it is missing.
func heldValue(v reflect.Value) any {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() || v.Type() == reflect.TypeFor[Category]() && v.IsZero() {
		return nil
	}
	if isNullable(v.Type()) {
		if !v.Field(1).Bool() {
			return nil
		}
		return heldValue(v.Field(0))
	}
	if v.Kind() == reflect.Pointer {
		if _, ok := emptyOf(v.Type().Elem()).(*values[any]); ok {
			return v.Interface()
		}
		return heldValue(v.Elem())
	}
	if !hasColumn(v.Type()) {
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.Uint() > math.MaxInt {
			return v.Interface()
		}
		return int(v.Uint())
	default:
		if int64(int(v.Int())) != v.Int() {
			return v.Interface()
		}
		return int(v.Int())
	}
}

// hasColumn reports whether the values of a type are those of a basic type.
func hasColumn(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return !t.Implements(reflect.TypeFor[fmt.Stringer]()) && !t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
	}
	return false
}

// emptyOf returns an empty column for the values that heldValue returns for a type.
func emptyOf(t reflect.Type) column {
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[time.Duration](), t == reflect.TypeFor[Category]():
		return empty(reflect.Zero(t).Interface())
	case isNullable(t):
		return emptyOf(t.Field(0).Type)
	case t.Kind() == reflect.Pointer:
		return emptyOf(t.Elem())
	case !hasColumn(t):
		return empty(nil)
	}
	switch t.Kind() {
	case reflect.String:
		return empty("")
	case reflect.Bool:
		return empty(false)
	case reflect.Float32, reflect.Float64:
		return empty(0.0)
	}
	return empty(0)
}

// Decode sets records, a pointer to a slice of structs or of pointers to structs, to the rows of
// the table. A field gets the column with the name in its tag, as in `table:"unit price"`; else the
// one with the name in its tag json, if there is one; else the one with its name, in which upper
// and lower case may differ. The tag "-" leaves a field out. Fields of embedded structs are like
// those of the struct. Columns without a field are left out.
//
// It is an error if a field has no column, and if a value does not fit or is missing. Column
// describes which values fit, and which types of fields take missing values. The error names the
// column, the row, the value and its type.
//
//	var sales []Sale
//	err := t.Decode(&sales)
func (t *Table) Decode(records any) error {
	target := reflect.ValueOf(records)
	bad := fmt.Errorf("table: Decode: got %T, want a pointer to a slice of structs", records)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Slice {
		return bad
	}
	record := target.Elem().Type().Elem()
	pointers := record.Kind() == reflect.Pointer
	if pointers {
		record = record.Elem()
	}
	if record.Kind() != reflect.Struct {
		return bad
	}
	fields, err := structFields(record)
	if err != nil {
		return fmt.Errorf("table: Decode: %w", err)
	}
	list := reflect.MakeSlice(target.Elem().Type(), t.height, t.height)
	if pointers {
		for i := range t.height {
			list.Index(i).Set(reflect.New(record))
		}
	}
	for _, f := range fields {
		k, err := columnOf(t, f)
		if err != nil {
			return fmt.Errorf("%w, for the field %s of %v", err, f.field, record)
		}
		for i := range t.height {
			to := allocated(list.Index(i), f.index)
			if !to.IsValid() {
				return fmt.Errorf("table: Decode: the field %s of %v is in an embedded pointer that is not exported", f.field, record)
			}
			if err := assign(to, t.data[k].at(i)); err != nil {
				return unfit(t, i, k, err, fmt.Sprintf("the field %s %v of %v", f.field, f.of, record))
			}
		}
	}
	target.Elem().Set(list)
	return nil
}

// allocated returns a field of a struct. Nil pointers to embedded structs around it get a value; if
// one is not exported, the result is the zero Value.
func allocated(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return reflect.Value{}
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// columnOf returns the index of the column of a field.
func columnOf(t *Table, f structField) (int, error) {
	if f.table {
		return t.find(f.name)
	}
	if k := slices.Index(t.columns, f.name); k >= 0 {
		return k, nil
	}
	alike := -1
	for k, name := range t.columns {
		switch {
		case name == f.field:
			return k, nil
		case strings.EqualFold(name, f.field) && alike >= 0:
			return 0, fmt.Errorf("table: both the columns %q and %q differ from %q in case only", t.columns[alike], name, f.field)
		case strings.EqualFold(name, f.field):
			alike = k
		}
	}
	if alike >= 0 {
		return alike, nil
	}
	return t.find(f.name)
}

// errFit is the error of a value that does not fit a variable.
var errFit = errors.New("the value does not fit")

// assign sets a variable to a value, or to its form of a missing value for nil.
func assign(to reflect.Value, value any) error {
	if isNullable(to.Type()) {
		if value == nil {
			to.SetZero()
			return nil
		}
		if err := assign(to.Field(0), value); err != nil {
			return err
		}
		to.Field(1).SetBool(true)
		return nil
	}
	if scanner, ok := to.Addr().Interface().(sql.Scanner); ok {
		return scanner.Scan(value)
	}
	if value == nil {
		if to.Kind() == reflect.Pointer || to.Kind() == reflect.Interface {
			to.SetZero()
			return nil
		}
		return errFit
	}
	v := reflect.ValueOf(value)
	if v.Type().AssignableTo(to.Type()) {
		to.Set(v)
		return nil
	}
	if category, ok := value.(Category); ok {
		return assign(to, category.String())
	}
	if to.Kind() == reflect.Pointer {
		made := reflect.New(to.Type().Elem())
		if err := assign(made.Elem(), value); err != nil {
			return err
		}
		to.Set(made)
		return nil
	}
	if text, ok := value.(string); ok {
		if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok {
			return u.UnmarshalText([]byte(text))
		}
	}
	switch {
	case v.CanInt() || v.CanUint() || v.CanFloat():
		if !assignNumber(to, v) {
			return errFit
		}
	case to.Kind() == v.Kind() && v.Type().ConvertibleTo(to.Type()):
		to.Set(v.Convert(to.Type()))
	default:
		return errFit
	}
	return nil
}

// assignNumber sets a variable of a numeric type to a number. It returns false if the variable does
// not hold it. A duration is no number, because it has no unit then.
func assignNumber(to, v reflect.Value) bool {
	if duration := reflect.TypeFor[time.Duration](); to.Type() == duration || v.Type() == duration {
		return false
	}
	switch {
	case to.CanInt() && v.CanInt() && !to.OverflowInt(v.Int()):
		to.SetInt(v.Int())
	case to.CanUint() && v.CanInt() && v.Int() >= 0 && !to.OverflowUint(uint64(v.Int())):
		to.SetUint(uint64(v.Int()))
	case to.CanUint() && v.CanUint() && !to.OverflowUint(v.Uint()):
		to.SetUint(v.Uint())
	case to.Kind() == reflect.Float32 && v.CanInt() && (v.Int() < -1<<24 || v.Int() > 1<<24):
		return false
	case to.CanFloat() && v.CanInt() && -1<<53 <= v.Int() && v.Int() <= 1<<53:
		to.SetFloat(float64(v.Int()))
	case to.CanFloat() && v.CanFloat() && !to.OverflowFloat(v.Float()):
		to.SetFloat(v.Float())
	default:
		return false
	}
	return true
}
