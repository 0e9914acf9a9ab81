package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadJSON reads a list of objects, a sequence of objects as in JSON Lines, or an object of lists
// of equal length. Each name is a column, in order of first appearance. A number without a decimal
// point and exponent is an int if it fits.
func ReadJSON(r io.Reader) (*Table, error) {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	first, err := decoder.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty input, want a list of objects")
	}
	if err != nil {
		return nil, err
	}
	d := &objects{places: map[string]int{}}
	switch first {
	case json.Delim('['):
		for n := 0; decoder.More(); n++ {
			if err := expect(decoder, '{', fmt.Sprintf("element %d", n)); err != nil {
				return nil, err
			}
			if err := d.object(decoder); err != nil {
				return nil, err
			}
		}
		if _, err := decoder.Token(); err != nil {
			return nil, err
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("unexpected data after the list")
		}
	case json.Delim('{'):
		if err := d.object(decoder); err != nil {
			return nil, err
		}
		if !decoder.More() && d.ofLists() {
			return d.spread()
		}
		for decoder.More() {
			if err := expect(decoder, '{', fmt.Sprintf("value %d", len(d.rows))); err != nil {
				return nil, err
			}
			if err := d.object(decoder); err != nil {
				return nil, err
			}
		}
		if _, err := decoder.Token(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("input begins with %v, want a list of objects", first)
	}
	t := New(d.names...)
	for _, row := range d.rows {
		t.Append(append(row, make([]any, len(d.names)-len(row))...)...)
	}
	return t, nil
}

// objects are the rows that were read, with the names of the columns.
type objects struct {
	names  []string
	places map[string]int // of the names
	rows   [][]any        // a row may be shorter than others
}

// maxCells is the greatest number of values of a table of objects, with those that its rows lack.
// Objects with names of their own would make a table that is the square of the input.
// Tests change it.
var maxCells = 1 << 27

func expect(decoder *json.Decoder, delim json.Delim, what string) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != delim {
		return fmt.Errorf("%s is %v, want an object", what, token)
	}
	return nil
}

// object reads the names and values of an object, after its opening brace, as a row. The row may be
// shorter than others.
func (d *objects) object(decoder *json.Decoder) error {
	row := make([]any, len(d.names))
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder allows nothing else
		var value any
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		k, ok := d.places[name]
		if !ok {
			k = len(d.names)
			d.names, d.places[name], row = append(d.names, name), k, append(row, nil)
		}
		row[k] = settled(value)
	}
	if d.rows = append(d.rows, slices.Clip(row)); (len(d.rows)+1)*len(d.names) > maxCells {
		return fmt.Errorf("%d objects have %d different names: a table has at most %d values", len(d.rows), len(d.names), maxCells)
	}
	_, err := decoder.Token()
	return err
}

// settled converts the numbers of a value to int or float64.
func settled(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, err := value.Int64(); err == nil && int64(int(n)) == n {
			return int(n)
		}
		x, err := value.Float64()
		if err != nil {
			return value.String() // too large for any numeric type
		}
		return x
	case []any:
		for i := range value {
			value[i] = settled(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = settled(value[name])
		}
	}
	return value
}

// ofLists reports whether the only row consists of lists.
func (d *objects) ofLists() bool {
	return len(d.names) > 0 && !slices.ContainsFunc(d.rows[0], func(value any) bool { _, ok := value.([]any); return !ok })
}

// spread converts the lists of the only row to columns.
func (d *objects) spread() (*Table, error) {
	lists := d.rows[0]
	height := len(lists[0].([]any))
	t := New()
	for k, list := range lists {
		if n := len(list.([]any)); n != height {
			return nil, fmt.Errorf("the list %q has %d values, %q has %d", d.names[k], n, d.names[0], height)
		}
		c := column(new(unknown))
		for _, value := range list.([]any) {
			c = appended(c, value)
		}
		t.insert(d.names[k], c)
	}
	return t, nil
}

// MarshalJSON returns the rows as a list of objects, whose names have the order of the columns. A
// missing value is null. NaN and infinities have no form in JSON and are an error.
func (t *Table) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	err := writeJSON(t, &text, "[", ",", "]")
	return text.Bytes(), err
}

// writeJSON writes a text, the rows as objects with a text between them, and a text.
func writeJSON(t *Table, to io.Writer, begin, between, end string) error {
	keys := make([]string, len(t.columns))
	for k, name := range t.columns {
		key, _ := json.Marshal(name) // a string has a form
		keys[k] = ","[:min(k, 1)] + string(key) + ":"
	}
	w := bufio.NewWriter(to)
	_, _ = w.WriteString(begin) // Flush returns its errors
	for i := range t.height {
		if i > 0 {
			_, _ = w.WriteString(between)
		}
		_ = w.WriteByte('{')
		for k, key := range keys {
			value, err := json.Marshal(t.data[k].at(i))
			if err != nil {
				return fmt.Errorf("table: column %q, row %d: %w", t.columns[k], i, err)
			}
			_, _ = w.WriteString(key)
			_, _ = w.Write(value)
		}
		_ = w.WriteByte('}')
	}
	_, _ = w.WriteString(end)
	return w.Flush()
}

// UnmarshalJSON reads what ReadJSON reads.
func (t *Table) UnmarshalJSON(text []byte) error {
	read, err := ReadJSON(bytes.NewReader(text))
	if err == nil {
		*t = *read
	}
	return err
}
