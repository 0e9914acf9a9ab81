package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"gosphere/runtime/table"
)

// A columnReader reads the values of a column of a row group, page after page.
type columnReader struct {
	leaf
	chunk  parquet.ColumnChunk
	pages  parquet.Pages
	values parquet.ValueReader
	page   parquet.Page
	buffer [512]parquet.Value
	at, n  int // the next value and the number of values in the buffer
}

// value returns the next value. The error is io.EOF at the end of the group.
func (r *columnReader) value() (*parquet.Value, error) {
	for r.at == r.n {
		if r.values == nil {
			if r.pages == nil {
				r.pages = r.chunk.Pages()
			}
			page, err := r.pages.ReadPage()
			if err != nil {
				return nil, err
			}
			r.page, r.values = page, page.Values()
		}
		n, err := r.values.ReadValues(r.buffer[:])
		r.at, r.n = 0, n
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n == 0 {
			parquet.Release(r.page)
			r.values, r.page = nil, nil
		}
	}
	r.at++
	return &r.buffer[r.at-1], nil
}

// next returns the values of the next n rows.
func (r *columnReader) next(name string, n int) (table.Values, error) {
	if r.MaxRepetitionLevel > 0 {
		list, err := r.lists(n)
		return values(name, list, err)
	}
	t := r.Node.Type()
	logical := t.LogicalType()
	switch kind := t.Kind(); {
	case kind == parquet.Boolean:
		list, err := collect(r, n, func(v *parquet.Value) bool { return v.Boolean() })
		return list.named(name), err
	case kind == parquet.Double && logical == nil:
		list, err := collect(r, n, func(v *parquet.Value) float64 { return v.Double() })
		return list.named(name), err
	case kind == parquet.Float && logical == nil:
		list, err := collect(r, n, func(v *parquet.Value) float64 { return float64(v.Float()) })
		return list.named(name), err
	case kind == parquet.ByteArray && logical != nil && (logical.UTF8 != nil || logical.Enum != nil || logical.Json != nil):
		texts := map[string]string{} // texts that occur often share their bytes
		list, err := collect(r, n, func(v *parquet.Value) string {
			bytes := v.ByteArray()
			if text, ok := texts[string(bytes)]; ok {
				return text
			}
			text := string(bytes)
			if len(texts) < 1<<16 {
				texts[text] = text
			}
			return text
		})
		return list.named(name), err
	case (kind == parquet.Int32 || kind == parquet.Int64) && (logical == nil || logical.Integer != nil && logical.Integer.IsSigned):
		list, err := collect(r, n, func(v *parquet.Value) int {
			if kind == parquet.Int32 {
				return int(v.Int32())
			}
			return int(v.Int64())
		})
		return list.named(name), err
	case kind == parquet.Int64 && logical != nil && logical.Timestamp != nil:
		list, err := collect(r, n, func(v *parquet.Value) time.Time { return parquetNumber(v.Int64(), t).(time.Time) })
		return list.named(name), err
	}
	list := make([]any, n)
	for i := range list {
		v, err := r.value()
		if err != nil {
			return table.Values{}, ended(err)
		}
		list[i] = parquetValue(*v, t)
	}
	return values(name, list, nil)
}

// values returns values of any type as a column of their common type.
func values(name string, list []any, err error) (table.Values, error) {
	if err != nil {
		return table.Values{}, err
	}
	t := table.New(name)
	for _, value := range list {
		t.Append(value)
	}
	valid := make([]uint64, (len(list)+63)/64)
	for i, value := range list {
		if value != nil {
			valid[i/64] |= 1 << (i % 64)
		}
	}
	switch t.Types()[0] {
	case "int":
		return retyped[int](name, list, valid), nil
	case "float64":
		floats, err := t.Floats(name)
		return table.Values{Name: name, List: floats, Valid: valid}, err
	case "string":
		return retyped[string](name, list, valid), nil
	case "time.Time":
		return retyped[time.Time](name, list, valid), nil
	}
	return table.Values{Name: name, List: list, Valid: valid}, nil
}

func retyped[T any](name string, list []any, valid []uint64) table.Values {
	typed := make([]T, len(list))
	for i, value := range list {
		typed[i], _ = value.(T) // the zero value where it is missing
	}
	return table.Values{Name: name, List: typed, Valid: valid}
}

// column is a list of values with their bitmap.
type column[T any] struct {
	list  []T
	valid []uint64
}

func (c column[T]) named(name string) table.Values {
	return table.Values{Name: name, List: c.list, Valid: c.valid}
}

func collect[T any](r *columnReader, n int, of func(v *parquet.Value) T) (column[T], error) {
	c := column[T]{make([]T, n), make([]uint64, (n+63)/64)}
	for i := range n {
		v, err := r.value()
		if err != nil {
			return c, ended(err)
		}
		if !v.IsNull() {
			c.list[i] = of(v)
			c.valid[i/64] |= 1 << (i % 64)
		}
	}
	return c, nil
}

// ended returns an error for a column with too few values.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("it has fewer values than the file has rows")
	}
	return err
}

// lists returns the lists of the next n rows of a repeated column, nil for a missing one. Missing
// values of a list are nil.
func (r *columnReader) lists(n int) ([]any, error) {
	lists := make([]any, n)
	for i := range n {
		for first := true; ; first = false {
			v, err := r.value()
			if errors.Is(err, io.EOF) && !first {
				break
			}
			if err != nil {
				return nil, ended(err)
			}
			if !first && v.RepetitionLevel() == 0 {
				r.at-- // the first value of the next row
				break
			}
			list, _ := lists[i].([]any)
			switch level := v.DefinitionLevel(); {
			case level >= r.repeated:
				lists[i] = append(list, parquetValue(*v, r.Node.Type()))
			case level == r.repeated-1:
				lists[i] = []any{}
			}
		}
	}
	return lists, nil
}

// Write writes a table as a Parquet file, compressed by Zstandard. Times are instants with
// nanoseconds, durations are nanoseconds, and other values are JSON.
func Write(w io.Writer, t *table.Table) error {
	group, names := parquet.Group{}, t.Columns()
	for k, name := range names {
		node, ok := nodes[t.Types()[k]]
		if !ok {
			node = parquet.JSON()
		}
		group[name] = parquet.Optional(node)
	}
	if len(names) == 0 {
		return errors.New("a Parquet file has columns, this table has none")
	}
	schema := parquet.NewSchema("table", inOrder{group, names})
	kinds := t.Types()
	file := parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd))
	row := make(parquet.Row, len(names))
	for i := range t.Len() {
		for k, value := range t.Row(i) {
			made, err := valueOf(value, kinds[k])
			if err != nil {
				return fmt.Errorf("column %q, row %d: %w", names[k], i, err)
			}
			level := 1
			if value == nil {
				level = 0
			}
			row[k] = made.Level(0, level, k)
		}
		if _, err := file.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return file.Close()
}

// inOrder is a group whose fields are not sorted by their names.
type inOrder struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node.
func (g inOrder) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return slices.Index(g.names, a.Name()) - slices.Index(g.names, b.Name()) })
	return fields
}

// nodes are the types of columns in a file. Others are JSON.
var nodes = map[string]parquet.Node{
	"int": parquet.Int(64), "float64": parquet.Leaf(parquet.DoubleType), "bool": parquet.Leaf(parquet.BooleanType), "string": parquet.String(),
	"time.Time": parquet.Timestamp(parquet.Nanosecond), "time.Duration": parquet.Int(64), "table.Category": parquet.String(),
}

// valueOf returns a value in the form of the node of its column.
func valueOf(value any, kind string) (parquet.Value, error) {
	if value == nil {
		return parquet.NullValue(), nil
	}
	if nodes[kind] == nil {
		text, err := json.Marshal(value)
		return parquet.ByteArrayValue(text), err
	}
	switch value := value.(type) {
	case int:
		return parquet.Int64Value(int64(value)), nil
	case float64:
		return parquet.DoubleValue(value), nil
	case bool:
		return parquet.BooleanValue(value), nil
	case string:
		return parquet.ByteArrayValue([]byte(value)), nil
	case time.Duration:
		return parquet.Int64Value(int64(value)), nil
	case table.Category:
		return parquet.ByteArrayValue([]byte(value.String())), nil
	case time.Time:
		if least, most := time.Unix(0, -1<<63), time.Unix(0, 1<<63-1); value.Before(least) || value.After(most) {
			return parquet.Value{}, fmt.Errorf("%v is before 1678 or after 2262, which nanoseconds do not hold", value)
		}
		return parquet.Int64Value(value.UnixNano()), nil
	}
	return parquet.Value{}, fmt.Errorf("a value of type %T in a column of type %s", value, kind)
}
