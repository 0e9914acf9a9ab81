package chart

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Columns value has named columns of equal length, such as a table of package runtime/table. A
// missing value is nil.
type Columns interface {
	Columns() []string
	Column(name string) ([]any, error)
}

// A frame is the data of a layer.
type frame struct {
	names  []string
	height int
	values func(name string) ([]any, error)
	known  map[string]*column // columns that have been read
}

// A kind says how the values of a column are placed on an axis and mapped to colors.
type kind int

const (
	numbers kind = iota
	times
	names
)

func (k kind) String() string { return [...]string{"numbers", "times", "names"}[k] }

// A column holds the values of a channel.
type column struct {
	title  string
	kind   kind
	at     []float64      // numbers, seconds since 1970, or indices of levels; NaN if missing
	levels []string       // of names, in order
	zone   *time.Location // of times
	width  float64        // of bins, 0 for other values
}

// newFrame reads data of the types that Of documents.
func newFrame(data any) (*frame, error) {
	if data == nil {
		return nil, fmt.Errorf("want data, not nil")
	}
	f := &frame{known: map[string]*column{}}
	if t, ok := data.(Columns); ok {
		if v := reflect.ValueOf(data); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("want a table, not a nil %T", data)
		}
		f.names, f.values = t.Columns(), t.Column
		if len(f.names) == 0 {
			return nil, fmt.Errorf("the table has no columns")
		}
		first, err := t.Column(f.names[0])
		f.height = len(first)
		return f, err
	}
	v := reflect.ValueOf(data)
	switch v.Kind() {
	case reflect.Map:
		return f, f.readMap(v)
	case reflect.Slice, reflect.Array:
		return f, f.readSlice(v)
	}
	return nil, fmt.Errorf("want a table, a slice or a map of slices, not %T", data)
}

// readMap reads a map of columns.
func (f *frame) readMap(v reflect.Value) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("the keys of %s are no names of columns", v.Type())
	}
	lists := map[string]reflect.Value{}
	for _, key := range v.MapKeys() {
		list := v.MapIndex(key)
		for list.Kind() == reflect.Interface {
			list = list.Elem()
		}
		if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
			return fmt.Errorf("column %q is no slice", key.String())
		}
		lists[key.String()] = list
	}
	f.names = slices.Sorted(maps.Keys(lists))
	if len(f.names) == 0 {
		return fmt.Errorf("the map has no columns")
	}
	f.height = lists[f.names[0]].Len()
	for _, name := range f.names {
		if n := lists[name].Len(); n != f.height {
			return fmt.Errorf("column %q has %d values and column %q has %d", f.names[0], f.height, name, n)
		}
	}
	f.values = func(name string) ([]any, error) { return listed(lists[name]), nil }
	return nil
}

// listed returns the elements of a slice.
func listed(v reflect.Value) []any {
	list := make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list
}

// readSlice reads structs, or plain values as the columns index and value.
func (f *frame) readSlice(v reflect.Value) error {
	f.height = v.Len()
	element := v.Type().Elem()
	for element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	if element.Kind() != reflect.Struct || element == reflect.TypeFor[time.Time]() {
		f.names = []string{"index", "value"}
		f.values = func(name string) ([]any, error) {
			if name == "value" {
				return listed(v), nil
			}
			list := make([]any, v.Len())
			for i := range list {
				list[i] = i
			}
			return list, nil
		}
		return nil
	}
	fields := map[string][]int{}
	for _, field := range reflect.VisibleFields(element) {
		if !field.IsExported() || field.Anonymous {
			continue
		}
		if name := columnName(field); name != "" && fields[name] == nil {
			f.names = append(f.names, name)
			fields[name] = field.Index
		}
	}
	if len(f.names) == 0 {
		return fmt.Errorf("%s has no exported fields", element)
	}
	f.values = func(name string) ([]any, error) {
		list := make([]any, v.Len())
		for i := range list {
			record := v.Index(i)
			for record.Kind() == reflect.Pointer && !record.IsNil() {
				record = record.Elem()
			}
			if record.Kind() == reflect.Pointer {
				continue
			}
			if value, err := record.FieldByIndexErr(fields[name]); err == nil {
				list[i] = value.Interface()
			}
		}
		return list, nil
	}
	return nil
}

// columnName returns the name of a field: that in the tag table, else in the tag json, else its
// own; "" if a tag leaves the field out.
func columnName(field reflect.StructField) string {
	for _, key := range []string{"table", "json"} {
		tag, _, _ := strings.Cut(field.Tag.Get(key), ",")
		if tag == "-" {
			return ""
		}
		if tag != "" {
			return tag
		}
	}
	return field.Name
}

// column returns a column by its name.
func (f *frame) column(name string) (*column, error) {
	if c := f.known[name]; c != nil {
		return c, nil
	}
	if !slices.Contains(f.names, name) {
		return nil, f.unknown(name)
	}
	values, err := f.values(name)
	if err != nil {
		return nil, err
	}
	c, err := newColumn(name, values)
	if err != nil {
		return nil, err
	}
	f.known[name] = c
	return c, nil
}

// unknown returns the error of a column that does not exist.
func (f *frame) unknown(name string) error {
	hint := "."
	if near := nearest(name, f.names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("no column %q%s The columns are %s", name, hint, quoted(f.names))
}

// quoted lists at most 20 names.
func quoted(list []string) string {
	const most = 20
	var words []string
	for i, name := range list {
		if i == most {
			words = append(words, fmt.Sprintf("and %d others", len(list)-most))
			break
		}
		words = append(words, fmt.Sprintf("%q", name))
	}
	return strings.Join(words, ", ")
}

// A levelled value is one of an ordered list of texts, such as a category of package table.
type levelled interface {
	All() []string
	Code() int
}

// newColumn converts values of one kind.
func newColumn(name string, values []any) (*column, error) {
	c := &column{title: name, at: make([]float64, len(values))}
	var texts []string
	index := map[string]int{}
	known := -1 // the first row with a value
	for i, value := range values {
		number, text, kind, err := converted(value)
		if err != nil {
			return nil, fmt.Errorf("column %q, row %d: %w", name, i, err)
		}
		if kind == numbers && math.IsInf(number, 0) {
			return nil, fmt.Errorf("column %q, row %d: %v cannot be drawn", name, i, value)
		}
		c.at[i] = number
		if kind != names && math.IsNaN(number) {
			continue
		}
		if known < 0 {
			known, c.kind = i, kind
			if t, ok := plain(value).(time.Time); ok {
				c.zone = t.Location()
			}
			if l, ok := plain(value).(levelled); ok {
				texts = slices.Clone(l.All())
				for k, level := range texts {
					index[level] = k
				}
			} else if _, ok := plain(value).(bool); ok {
				texts, index = []string{"false", "true"}, map[string]int{"false": 0, "true": 1}
			}
		}
		if kind != c.kind {
			return nil, fmt.Errorf("column %q has %s and %s: row %d is %v and row %d is %v", name, c.kind, kind, known, values[known], i, value)
		}
		if kind == names {
			if _, seen := index[text]; !seen {
				index[text] = len(texts)
				texts = append(texts, text)
			}
			c.at[i] = float64(index[text])
		}
	}
	c.levels = texts
	return c, nil
}

// plain returns the value of a pointer or of a type such as sql.Null, or nil if there is none.
func plain(value any) any {
	switch value := value.(type) {
	case nil, time.Time, levelled:
		return value
	case driver.Valuer:
		held, err := value.Value()
		if err != nil {
			return nil
		}
		return held
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem().Interface())
	}
	return value
}

// converted returns a value as a number or as a text. A missing value is the number NaN.
func converted(value any) (number float64, text string, k kind, err error) {
	value = plain(value)
	switch value := value.(type) {
	case nil:
		return math.NaN(), "", numbers, nil
	case time.Time:
		return float64(value.Unix()) + float64(value.Nanosecond())/1e9, "", times, nil
	case time.Duration:
		return value.Seconds(), "", numbers, nil
	case levelled:
		return 0, fmt.Sprint(value), names, nil
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return float64(v.Int()), "", numbers, nil
	case v.CanUint():
		return float64(v.Uint()), "", numbers, nil
	case v.CanFloat():
		return v.Float(), "", numbers, nil
	case v.Kind() == reflect.String, v.Kind() == reflect.Bool:
		return 0, fmt.Sprint(value), names, nil
	}
	if s, ok := value.(fmt.Stringer); ok {
		return 0, s.String(), names, nil
	}
	return 0, "", 0, fmt.Errorf("%v of type %T is no number, time or text", value, value)
}

// nearest returns the name with the smallest edit distance, or "" if none is near.
func nearest(name string, list []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, candidate := range list {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance returns the number of letters to insert, delete, replace or swap with their neighbor
// that make one word of the other.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		for k := range rows[i] {
			switch {
			case i == 0 || k == 0:
				rows[i][k] = i + k
				continue
			case from[i-1] == to[k-1]:
				rows[i][k] = rows[i-1][k-1]
			default:
				rows[i][k] = 1 + min(rows[i-1][k-1], rows[i-1][k], rows[i][k-1])
			}
			if i > 1 && k > 1 && from[i-1] == to[k-2] && from[i-2] == to[k-1] {
				rows[i][k] = min(rows[i][k], rows[i-2][k-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}

// asNames returns a column of names: numbers in ascending order, times by date.
func (c *column) asNames(text func(float64) string) *column {
	if c.kind == names {
		return c
	}
	list := slices.Clone(c.at)
	slices.SortFunc(list, cmp.Compare[float64])
	list = slices.DeleteFunc(slices.Compact(list), math.IsNaN)
	made := &column{title: c.title, kind: names, at: make([]float64, len(c.at))}
	index := map[string]int{}
	for _, number := range list {
		name := text(number)
		if _, seen := index[name]; !seen {
			index[name] = len(made.levels)
			made.levels = append(made.levels, name)
		}
	}
	for i, number := range c.at {
		made.at[i] = math.NaN()
		if !math.IsNaN(number) {
			made.at[i] = float64(index[text(number)])
		}
	}
	return made
}

// text returns a value of the column as text.
func (c *column) text(i int) string { return c.format(c.at[i]) }

// format returns a value of the kind of the column as text.
func (c *column) format(x float64) string {
	switch {
	case math.IsNaN(x):
		return "missing"
	case c.kind == names:
		return c.levels[int(x)]
	case c.kind == times:
		return timeText(x, c.zone)
	}
	return numberText(x)
}
