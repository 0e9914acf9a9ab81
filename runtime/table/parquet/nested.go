package parquet

import (
	"errors"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gosphere/runtime/table"
)

// A unit is a column of the table: a leaf of the file, or all leaves of a nested value.
type unit struct {
	name   string
	leaf   leaf // of a simple column
	index  int  // of the leaf in the file
	nested *node
}

// A node is a part of a nested value, with the levels that the values of its leaves have at least
// where it is present: lists of lists, structs in lists, and maps.
type node struct {
	name                   string
	optional, repeated     bool
	isList, isMap          bool // the only child is repeated
	unwrapped              bool // a repeated group of a list, whose only child is the element
	definition, repetition int
	children               []*node
	leaf                   leaf  // if there are no children
	indexes                []int // of all leaves below it
	readers                []*columnReader
}

// unitsOf returns the columns of a schema. Values of groups are columns of their own; a list or map
// is one column.
func unitsOf(schema *parquet.Schema) []unit {
	w := &walker{schema: schema}
	w.walk(schema, nil, 0)
	names := make([]string, len(w.units))
	for k, u := range w.units {
		names[k] = u.name
	}
	for k, name := range unique(names) {
		w.units[k].name = name
	}
	return w.units
}

type walker struct {
	schema *parquet.Schema
	units  []unit
}

// walk adds the columns below a group that is not repeated. The definition level is that of its
// presence.
func (w *walker) walk(group parquet.Node, path []string, definition int) {
	for _, f := range group.Fields() {
		path := append(path[:len(path):len(path)], f.Name())
		if f.Leaf() {
			w.simple(path)
			continue
		}
		if list, isMap := annotation(f); !f.Repeated() && !list && !isMap {
			level := definition
			if f.Optional() {
				level++
			}
			w.walk(f, path, level)
			continue
		}
		n := w.node(f, path, definition, 0)
		if len(n.indexes) == 1 && n.isList && n.children[0].plain() {
			w.simple(w.schema.Columns()[n.indexes[0]])
			continue
		}
		w.units = append(w.units, unit{name: strings.Join(path, "."), nested: n})
	}
}

// plain reports whether a repeated node has values of leaves, no structs and no further lists.
func (n *node) plain() bool {
	return len(n.children) == 0 || n.unwrapped && len(n.children[0].children) == 0 && !n.children[0].repeated
}

// simple adds a column of one leaf.
func (w *walker) simple(path []string) {
	column, _ := w.schema.Lookup(path...)
	u := unit{leaf: leaf{column, repeatedLevel(w.schema, path)}, index: int(column.ColumnIndex)}
	if n := len(path); n > 2 && column.MaxRepetitionLevel > 0 && path[n-2] == "list" {
		path = path[:n-2] // removes the path elements between a list and its values
	}
	u.name = strings.Join(path, ".")
	w.units = append(w.units, u)
}

// annotation reports whether a group is a list or a map with a single repeated child.
func annotation(f parquet.Node) (list, isMap bool) {
	fields := f.Fields()
	logical := f.Type().LogicalType()
	if logical == nil || len(fields) != 1 || !fields[0].Repeated() {
		return false, false
	}
	return logical.List != nil, logical.Map != nil && len(fields[0].Fields()) == 2
}

func (w *walker) node(f parquet.Field, path []string, definition, repetition int) *node {
	n := &node{name: f.Name(), optional: f.Optional(), repeated: f.Repeated()}
	if n.optional || n.repeated {
		definition++
	}
	if n.repeated {
		repetition++
	}
	n.definition, n.repetition = definition, repetition
	if f.Leaf() {
		column, _ := w.schema.Lookup(path...)
		n.leaf, n.indexes = leaf{column, 0}, []int{int(column.ColumnIndex)}
		return n
	}
	n.isList, n.isMap = annotation(f)
	for _, child := range f.Fields() {
		made := w.node(child, append(path[:len(path):len(path)], child.Name()), definition, repetition)
		n.children, n.indexes = append(n.children, made), append(n.indexes, made.indexes...)
	}
	// Older files have the element itself as the repeated group.
	if n.isList && len(n.children[0].children) == 1 && n.children[0].name != "array" && n.children[0].name != n.name+"_tuple" {
		n.children[0].unwrapped = true
	}
	return n
}

// bind sets the readers of the leaves in a row group.
func (n *node) bind(readers map[int]*columnReader) {
	n.readers = nil
	for _, at := range n.indexes {
		n.readers = append(n.readers, readers[at])
	}
	for _, child := range n.children {
		child.bind(readers)
	}
}

// next returns the values of the next rows.
func (n *node) next(name string, rows int) (table.Values, error) {
	list, valid := make([]any, rows), make([]uint64, (rows+63)/64)
	for i := range list {
		value, err := n.value()
		if err != nil {
			return table.Values{}, ended(err)
		}
		if list[i] = value; value != nil {
			valid[i/64] |= 1 << (i % 64)
		}
	}
	return table.Values{Name: name, List: list, Valid: valid}, nil
}

// value returns the next value: nil for a missing one, and a list of no elements for an empty one.
func (n *node) value() (any, error) {
	first, err := n.readers[0].peek()
	if err != nil {
		return nil, err
	}
	if first.DefinitionLevel() < n.definition {
		return n.absent(first.DefinitionLevel())
	}
	if !n.repeated {
		return n.present()
	}
	list := []any{}
	for {
		value, err := n.present()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		next, err := n.readers[0].peek()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if next.RepetitionLevel() < n.repetition {
			return list, nil
		}
	}
}

// absent skips the values that stand for a missing or empty node.
func (n *node) absent(level int) (any, error) {
	for _, r := range n.readers {
		if _, err := r.value(); err != nil {
			return nil, err
		}
	}
	if n.repeated && level == n.definition-1 {
		return []any{}, nil
	}
	return nil, nil
}

// present returns the value of a node that is present, or one element of a repeated one.
func (n *node) present() (any, error) {
	switch {
	case len(n.children) == 0:
		v, err := n.readers[0].value()
		if err != nil {
			return nil, err
		}
		return parquetValue(*v, n.leaf.Node.Type()), nil
	case n.unwrapped || n.isList:
		return n.children[0].value()
	}
	if n.isMap {
		entries, err := n.children[0].value()
		return mapOf(entries, n.children[0]), err
	}
	fields := make(map[string]any, len(n.children))
	for _, child := range n.children {
		value, err := child.value()
		if err != nil {
			return nil, err
		}
		fields[child.name] = value
	}
	return fields, nil
}

// mapOf returns the entries of a map by their keys, or as they are if a key is no text or occurs
// twice.
func mapOf(entries any, of *node) any {
	list, _ := entries.([]any)
	key, value := of.children[0].name, of.children[1].name
	made := make(map[string]any, len(list))
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		text, ok := fields[key].(string)
		if _, twice := made[text]; !ok || twice {
			return entries
		}
		made[text] = fields[value]
	}
	return made
}

// peek returns the next value, which the next call of value returns as well.
func (r *columnReader) peek() (*parquet.Value, error) {
	v, err := r.value()
	if err == nil {
		r.at--
	}
	return v, err
}
