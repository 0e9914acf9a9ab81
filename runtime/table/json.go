package table

import (
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
	t := &Table{}
	switch first {
	case json.Delim('['):
		for n := 0; decoder.More(); n++ {
			if err := expect(decoder, '{', fmt.Sprintf("element %d", n)); err != nil {
				return nil, err
			}
			if err := t.object(decoder); err != nil {
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
		if err := t.object(decoder); err != nil {
			return nil, err
		}
		if !decoder.More() && t.ofLists() {
			return t.spread()
		}
		for decoder.More() {
			if err := expect(decoder, '{', fmt.Sprintf("value %d", t.Len())); err != nil {
				return nil, err
			}
			if err := t.object(decoder); err != nil {
				return nil, err
			}
		}
		if _, err := decoder.Token(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("input begins with %v, want a list of objects", first)
	}
	for i, row := range t.rows {
		t.rows[i] = append(row, make([]any, len(t.columns)-len(row))...)
	}
	return t, nil
}

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
func (t *Table) object(decoder *json.Decoder) error {
	row := make([]any, len(t.columns))
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
		k := slices.Index(t.columns, name)
		if k < 0 {
			k = len(t.columns)
			t.columns, row = append(t.columns, name), append(row, nil)
		}
		row[k] = settled(value)
	}
	t.rows = append(t.rows, row)
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
func (t *Table) ofLists() bool {
	return len(t.columns) > 0 && !slices.ContainsFunc(t.rows[0], func(value any) bool { _, ok := value.([]any); return !ok })
}

// spread converts the lists of the only row to columns.
func (t *Table) spread() (*Table, error) {
	lists := t.rows[0]
	height := len(lists[0].([]any))
	rows := make([][]any, height)
	for k, list := range lists {
		if n := len(list.([]any)); n != height {
			return nil, fmt.Errorf("the list %q has %d values, %q has %d", t.columns[k], n, t.columns[0], height)
		}
		for i, value := range list.([]any) {
			rows[i] = append(rows[i], value)
		}
	}
	return &Table{columns: t.columns, rows: rows}, nil
}
