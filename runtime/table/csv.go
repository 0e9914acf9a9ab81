package table

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"reflect"
	"slices"
	"time"

	"gosphere/runtime/internal/guard/streams"
	"gosphere/runtime/table/internal/delimited"
	"gosphere/runtime/table/internal/source"
)

// ReadCSV reads comma-separated values as CSV{}.Read does.
func ReadCSV(r io.Reader) (*Table, error) { return CSV{}.Read(r) }

// CSV describes the form of separated values. The zero value reads most files:
//
//	t, err := table.CSV{Decimal: ',', Missing: []string{"k. A."}}.Read(file)
type CSV struct {
	// Name is the name of the source in notes.
	Name string
	// Comma separates the values of a record. By default it is the first of comma, semicolon, tab and
	// vertical bar that separates the first ten records into the same number of values, more than
	// one, else a comma.
	Comma rune
	// Decimal separates the fraction of a number. By default it is a point.
	Decimal rune
	// Thousands separates groups of three digits of a number. By default it is 0, for none.
	Thousands rune
	// Quote encloses values that contain separators or ends of lines; a doubled one in it stands for
	// one. By default it is '"', and -1 stands for none. A quote inside a value that does not begin
	// with one is a part of the value.
	Quote rune
	// Comment begins lines that are left out. By default it is 0, for none.
	Comment rune
	// Skip is the number of lines before the first record.
	Skip int
	// NoHeader makes the first record one of values. The columns are named "column 1" and so on.
	NoHeader bool
	// Missing are the spellings of missing values, in all columns, beside the empty value. By default
	// they are those of MissingSpellings, and only in columns without text.
	Missing []string
	// Layouts are the layouts of dates and times, as for time.Parse. By default they are those of ISO
	// 8601 and RFC 3339. The times of a column may have several of them: the first that fits a text
	// counts. Times of a layout such as 20060102 are no integers.
	Layouts []string
	// Text names columns that are text in any case.
	Text []string
	// Types has the types of columns by name: int, float64, bool, time.Time or string. A value that
	// does not fit is an error that names the line, or is missing if Dirty is set.
	Types map[string]string
	// Dirty, if not nil, gets a row for each value that does not fit the type of its column, which is
	// missing then: line, column, value and reason. Without it a column with such a value is text;
	// with it, a column has the type of half of its values or more. A record with too few or too many
	// values is left out and has a row, too, with a missing column; without Dirty it is an error. New
	// makes a table for it:
	//
	//	dirty := table.New("line", "column", "value", "reason")
	Dirty *Table
	// Notes gets a line for each column that is text because of some of its values or has none, and
	// for each name that occurs twice. By default it is the standard error.
	Notes io.Writer
}

// MissingSpellings returns the spellings of a missing value in columns of numbers, truth values and
// dates. In a column of text only the empty value is missing, because NA may be a country.
func MissingSpellings() []string { return delimited.MissingSpellings() }

// Read reads separated values whose first record names the columns. A column gets the first of
// these types that fits all of its values: int, float64, bool, time.Time, else string. Every value
// of the file counts. An empty value is missing, and so are the spellings in Missing. A column
// without values has type any, and Notes says so.
//
// Numbers with a needless leading zero such as 01234, and numbers with more digits than their type
// holds, are text. NaN is a number, and inf is text. If a column is text although half or more of
// its values fit another type, Notes gets the first value that does not, its line, and how many
// there are. If all of its values are numbers with other separators, or dates of another layout, it
// gets the options that read them. A name that occurs twice gets a number. The text has to be
// UTF-8.
func (c CSV) Read(r io.Reader) (*Table, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	columns, err := delimited.Read(r, options)
	if err != nil {
		return nil, err
	}
	return ofColumns(columns), nil
}

// Batches reads so many records at a time, and returns them as tables with the types of Read. For
// that it calls open twice: the types follow from all values.
func (c CSV) Batches(open func() (io.ReadCloser, error), records int) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		options, err := c.options()
		if err != nil {
			yield(nil, err)
			return
		}
		var schema *delimited.Schema
		stopped := false
		for _, use := range []func(r io.Reader) error{
			func(r io.Reader) (err error) { schema, err = delimited.Infer(r, options); return err },
			func(r io.Reader) error {
				for columns, err := range schema.Batches(r, max(1, records)) {
					if stopped = err == nil && !yield(ofColumns(columns), nil); stopped || err != nil {
						return err
					}
				}
				return nil
			},
		} {
			r, err := open()
			if err == nil {
				err = errors.Join(use(r), r.Close())
			}
			if stopped {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// options returns the options in the form of package delimited.
func (c CSV) options() (delimited.Options, error) {
	o := delimited.Options{Comma: c.Comma, Decimal: c.Decimal, Thousands: c.Thousands, Quote: c.Quote, Comment: c.Comment, Skip: c.Skip, NoHeader: c.NoHeader,
		Missing: c.Missing, Layouts: c.Layouts, Text: c.Text, Types: c.Types, Note: c.note}
	if c.Dirty == nil {
		return o, nil
	}
	if len(c.Dirty.columns) != 4 {
		return o, fmt.Errorf("table: Dirty has the columns %q, want four: line, column, value and reason", c.Dirty.columns)
	}
	o.Dirty = func(line int, name, value, reason string) {
		column := any(name)
		if name == "" {
			column = nil
		}
		c.Dirty.Append(line, column, value, reason)
	}
	return o, nil
}

func (c CSV) note(line string) {
	to := c.Notes
	if to == nil {
		to = streams.Stderr
	}
	prefix := "table: "
	if c.Name != "" {
		prefix += c.Name + ": "
	}
	fmt.Fprintln(to, prefix+line)
}

// ReadFile reads a file or address, which may be compressed, as the function Read does.
//
//	table.CSV{Decimal: ','}.ReadFile("sales.csv.gz")
func (c CSV) ReadFile(path string) (t *Table, err error) {
	s, err := source.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	if c.Name == "" {
		c.Name = path
	}
	if err = s.Whole(); err == nil {
		t, err = c.Read(s)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, fmt.Errorf("table: %s: %w", path, err)
	}
	return t, nil
}

// ofColumns returns a table of columns that were read.
func ofColumns(columns []delimited.Column) *Table {
	t := New()
	for _, c := range columns {
		t.insert(c.Name, columnOfSlice(c.Values, c.Valid, c.Len))
	}
	return t
}

// A Values is a named slice of values: []int, []float64, []bool, []string, []time.Time,
// []time.Duration or []any. The bit i%64 of Valid[i/64] is set if value i is known; nil stands for
// all. The others are set to zero.
type Values struct {
	Name  string
	List  any
	Valid []uint64
}

// FromColumns returns a table of slices of equal length, which it keeps. It panics for other slices
// and for two of one name.
func FromColumns(columns ...Values) *Table {
	t := New()
	for k, c := range columns {
		v := reflect.ValueOf(c.List)
		if v.Kind() != reflect.Slice || k > 0 && v.Len() != t.height || slices.Contains(t.columns, c.Name) {
			panic(fmt.Errorf("table: FromColumns: column %q: got %T, want a slice as long as others, with another name", c.Name, c.List))
		}
		if c.Valid == nil {
			c.Valid = slices.Repeat([]uint64{math.MaxUint64}, (v.Len()+63)/64)
		}
		made := columnOfSlice(c.List, c.Valid, v.Len())
		if made == nil || len(c.Valid) != (v.Len()+63)/64 {
			panic(fmt.Errorf("table: FromColumns: column %q: no columns have the type %T, or %d words of Valid are too few or many", c.Name, c.List, len(c.Valid)))
		}
		t.insert(c.Name, made)
	}
	return t
}

// columnOfSlice returns a column of a slice, one without values for nil, or nil for other types.
func columnOfSlice(list any, valid []uint64, n int) column {
	switch list := list.(type) {
	case []int:
		return filledWith(list, valid)
	case []float64:
		return filledWith(list, valid)
	case []bool:
		return filledWith(list, valid)
	case []string:
		return filledWith(list, valid)
	case []time.Time:
		return filledWith(list, valid)
	case []time.Duration:
		return filledWith(list, valid)
	case []any:
		return filledWith(list, valid)
	case nil:
		return new(unknown(n))
	}
	return nil
}

// filledWith returns a column of values, of which those are missing that have no bit in valid.
func filledWith[T any](list []T, valid []uint64) column {
	var zero T
	c := empty(zero).(*values[T])
	c.list, c.valid = list, valid
	for i := range list {
		if !c.known(i) {
			list[i] = zero
		}
	}
	return c
}

// unused returns a column name that does not exist yet: the given name, or the name with a number
// appended.
func unused(t *Table, name string) string {
	free := name
	for n := 2; slices.Contains(t.columns, free); n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}
