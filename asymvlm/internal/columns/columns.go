// Package columns reads selected columns of Parquet files, row by row: numbers, lists of numbers,
// texts and bytes.
//
//	table, err := columns.Open("train-00000.parquet")
//	defer table.Close()
//	for row, err := range table.Rows("caption", "image.bytes") { … row[0][0].String() … }
package columns

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gosphere/internal/userfile"
)

// A Table is an open file.
type Table struct {
	// Count is the number of rows.
	Count int

	path   string
	file   *os.File
	opened *parquet.File
}

// A Kind is the type of a column's values.
type Kind int

// The kinds. All other types, such as times and decimals, are Other.
const (
	Other  Kind = iota
	Number      // of 32 or 64 bits, floating-point or integer
	Text        // strings and bytes
)

// A Column is a column of values.
type Column struct {
	// Name is the path of the column without the levels added by lists, such as caption or
	// image.bytes.
	Name string
	Kind Kind
	// Floating reports whether numbers are float32 or float64.
	Floating bool
	// List reports whether a row has any number of values.
	List bool

	index int
}

// Open opens a file. For a damaged file it returns an error that names the file.
func Open(path string) (t *Table, err error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	defer func() {
		if cause := recover(); cause != nil { // the library trusts lengths in the file
			t, err = nil, damaged(path, cause)
		}
		if err != nil {
			file.Close() // only read, so the error does not matter
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	opened, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("columns: %s: %w", path, err)
	}
	count := int64(0)
	for _, group := range opened.RowGroups() {
		if n := group.NumRows(); n < 0 || n > 1<<40 {
			return nil, damaged(path, fmt.Sprintf("a group of %d rows", n))
		}
		count += group.NumRows()
	}
	return &Table{Count: int(count), path: path, file: file, opened: opened}, nil
}

// damaged returns the error for a file that the library cannot read.
func damaged(path string, cause any) error {
	return fmt.Errorf("columns: %s is no Parquet file, or damaged: %v", path, cause)
}

// Close closes the file.
func (t *Table) Close() error { return t.file.Close() }

// Columns returns the columns in the order of the file.
func (t *Table) Columns() []Column {
	var list []Column
	for index, path := range t.opened.Schema().Columns() {
		leaf, ok := t.opened.Schema().Lookup(path...)
		if !ok {
			continue
		}
		c := Column{Name: nameOf(path), index: index, List: leaf.MaxRepetitionLevel > 0}
		switch leaf.Node.Type().Kind() {
		case parquet.Float, parquet.Double:
			c.Kind, c.Floating = Number, true
		case parquet.Int32, parquet.Int64:
			c.Kind = Number
		case parquet.ByteArray:
			c.Kind = Text
		}
		if leaf.MaxRepetitionLevel > 1 {
			c.Kind = Other // lists of lists
		}
		list = append(list, c)
	}
	return list
}

// nameOf joins a path without the names that the format gives to the levels of a list.
func nameOf(path []string) string {
	for _, ends := range [][]string{{"list", "element"}, {"list", "item"}, {"bag", "array_element"}} {
		if n := len(path) - len(ends); n > 0 && slices.Equal(path[n:], ends) {
			path = path[:n]
			break
		}
	}
	return strings.Join(path, ".")
}

// Column returns the column with the first of the names that exists.
func (t *Table) Column(names ...string) (Column, bool) {
	all := t.Columns()
	for _, name := range names {
		if at := slices.IndexFunc(all, func(c Column) bool { return c.Name == name }); at >= 0 {
			return all[at], true
		}
	}
	return Column{}, false
}

// Names returns the names of the columns, separated by commas, for messages.
func (t *Table) Names() string {
	var names []string
	for _, c := range t.Columns() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// A Cell holds the values of one column in a row: one value, any number for a list, none for null.
// It is valid until the next row.
type Cell []parquet.Value

// Texts returns the values as texts.
func (c Cell) Texts() []string {
	texts := make([]string, len(c))
	for i, value := range c {
		texts[i] = string(value.ByteArray())
	}
	return texts
}

// Bytes returns the first value, or nil if there is none.
func (c Cell) Bytes() []byte {
	if len(c) == 0 {
		return nil
	}
	return slices.Clone(c[0].ByteArray())
}

// Float64s appends the values as numbers.
func (c Cell) Float64s(dst []float64) []float64 {
	for _, value := range c {
		switch value.Kind() {
		case parquet.Float:
			dst = append(dst, float64(value.Float()))
		case parquet.Double:
			dst = append(dst, value.Double())
		case parquet.Int32:
			dst = append(dst, float64(value.Int32()))
		case parquet.Int64:
			dst = append(dst, float64(value.Int64()))
		}
	}
	return dst
}

// Int64 returns the first value of a column of integers, and reports whether there is one.
func (c Cell) Int64() (int64, bool) {
	if len(c) == 0 {
		return 0, false
	}
	switch c[0].Kind() {
	case parquet.Int32:
		return int64(c[0].Int32()), true
	case parquet.Int64:
		return c[0].Int64(), true
	}
	return 0, false
}

// Rows returns the cells of the given columns, row by row. After an error there are no further
// rows. Pages are read on demand, so a file may be larger than memory.
func (t *Table) Rows(columns ...Column) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		row, cells := 0, make([]Cell, len(columns))
		fail := func(cause any) { yield(nil, damaged(t.path, fmt.Sprintf("row %d: %v", row, cause))) }
		for _, group := range t.opened.RowGroups() {
			cursors, err := t.cursors(group, columns)
			if err != nil {
				fail(err)
				return
			}
			for range group.NumRows() {
				for i := range columns {
					if err := cursors[i].next(&cells[i]); err != nil {
						closeAll(cursors)
						fail(err)
						return
					}
				}
				if !yield(cells, nil) {
					closeAll(cursors)
					return
				}
				row++
			}
			closeAll(cursors)
		}
	}
}

func closeAll(cursors []*cursor) {
	for _, c := range cursors {
		c.pages.Close() // only read, so the error does not matter
	}
}

// cursors starts reading columns of a group.
func (t *Table) cursors(group parquet.RowGroup, columns []Column) (all []*cursor, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	chunks := group.ColumnChunks()
	for _, c := range columns {
		all = append(all, &cursor{pages: chunks[c.index].Pages(), buffer: make([]parquet.Value, 1024)})
	}
	return all, nil
}

// A cursor reads one column of a group.
type cursor struct {
	pages  parquet.Pages
	values parquet.ValueReader // of the page, nil before the first
	buffer []parquet.Value
	at, n  int // of the buffer
}

// next reads the values of a row.
func (c *cursor) next(cell *Cell) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	*cell = (*cell)[:0]
	for first := true; ; first = false {
		value, err := c.peek()
		if err == io.EOF && !first {
			return nil
		}
		if err == io.EOF {
			return errors.New("the column has fewer rows than the file")
		}
		if err != nil {
			return err
		}
		if !first && value.RepetitionLevel() == 0 {
			return nil
		}
		c.at++
		if !value.IsNull() {
			*cell = append(*cell, value)
		}
	}
}

// mostEmpty is the number of consecutive pages without values above which a file counts as damaged.
const mostEmpty = 1000

// peek returns the next value.
func (c *cursor) peek() (parquet.Value, error) {
	for empty := 0; c.at == c.n; empty++ {
		if empty > mostEmpty {
			return parquet.Value{}, fmt.Errorf("%d pages without values", empty)
		}
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			c.values = page.Values()
		}
		if c.n > 0 { // the row's values so far point to the page, not into the buffer
			c.at, c.n = 0, 0
		}
		n, err := c.values.ReadValues(c.buffer)
		c.n = n
		if err == io.EOF {
			c.values = nil
		} else if err != nil {
			return parquet.Value{}, err
		}
	}
	return c.buffer[c.at], nil
}
