// Package stream groups and filters files that are larger than memory, batch after batch:
//
//	s, err := stream.Open("trips/*.parquet")
//	totals, err := s.Filter(table.Gt("distance", 0)).GroupBy("city").Aggregate(table.Len(), table.Mean("fare"))
//
// It reads CSV and Parquet files. Only the groups stay in memory.
package stream

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"gosphere/runtime/table"
	"gosphere/runtime/table/internal/source"
)

// Batch is the number of rows of the batches of a Stream.
const Batch = 1 << 16

// A Stream is a sequence of rows that are read batch after batch each time they are used. Its
// methods return new streams and change none.
type Stream struct {
	batches iter.Seq2[*table.Table, error]
}

// Open returns the rows of a CSV, TSV or Parquet file, or of all files of a folder or a pattern, as
// table.Read takes them. The types of the columns of a CSV file follow from all of its values, so
// each use reads it twice.
func Open(path string) (*Stream, error) { return OpenCSV(path, table.CSV{}) }

// OpenCSV is Open with the form of separated values.
func OpenCSV(path string, form table.CSV) (*Stream, error) {
	names, err := source.Expand(path, func(format string) bool { return batchesOf(format, form) != nil })
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	for _, name := range names {
		s, err := source.Open(name)
		if err != nil {
			return nil, fmt.Errorf("stream: %w", err)
		}
		format := s.Format
		if err := s.Close(); err != nil {
			return nil, fmt.Errorf("stream: %s: %w", name, err)
		}
		if batchesOf(format, form) == nil {
			return nil, fmt.Errorf("stream: %s: the format %q is not read in batches, want .csv, .tsv or .parquet", name, format)
		}
	}
	return &Stream{func(yield func(*table.Table, error) bool) {
		for _, name := range names {
			for t, err := range batchesOfFile(name, form) {
				if err != nil {
					err = fmt.Errorf("stream: %s: %w", name, err)
				}
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}}, nil
}

// Of returns a stream of tables, such as those that a function makes one after the other.
func Of(tables iter.Seq2[*table.Table, error]) *Stream { return &Stream{tables} }

// batchesOf returns the function that reads files of a format, or nil.
func batchesOf(format string, form table.CSV) func(name string) iter.Seq2[*table.Table, error] {
	switch format {
	case ".tsv":
		form.Comma = '\t'
		fallthrough
	case ".csv":
		return func(name string) iter.Seq2[*table.Table, error] {
			form.Name = name
			return form.Batches(func() (io.ReadCloser, error) { return source.Open(name) }, Batch)
		}
	}
	read := table.FormatOf(format).Batches
	if read == nil {
		return nil
	}
	return func(name string) iter.Seq2[*table.Table, error] {
		return func(yield func(*table.Table, error) bool) {
			s, err := source.Open(name)
			if err != nil {
				yield(nil, err)
				return
			}
			defer s.Close()
			r, size, err := s.At()
			if err != nil {
				yield(nil, err)
				return
			}
			read(r, size, Batch)(yield)
		}
	}
}

func batchesOfFile(name string, form table.CSV) iter.Seq2[*table.Table, error] {
	s, err := source.Open(name)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return func(yield func(*table.Table, error) bool) { yield(nil, err) }
	}
	return batchesOf(s.Format, form)(name)
}

// Tables returns an iterator over the batches. It ends after an error.
func (s *Stream) Tables() iter.Seq2[*table.Table, error] { return s.batches }

// Map returns a stream of the results of a function of each batch. The function may not combine
// rows, as Sort and Lag do, because it sees one batch at a time.
//
//	s.Map(func(t *table.Table) *table.Table { return t.WithColumns(table.Truncate("time", table.Day)) })
func (s *Stream) Map(f func(batch *table.Table) *table.Table) *Stream {
	return &Stream{func(yield func(*table.Table, error) bool) {
		for t, err := range s.batches {
			if err == nil {
				t, err = guarded(func() *table.Table { return f(t) })
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}}
}

// guarded makes an error of a panic of an operation on tables.
func guarded(f func() *table.Table) (t *table.Table, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			failure, ok := problem.(error)
			if !ok {
				panic(problem)
			}
			t, err = nil, failure
		}
	}()
	return f(), nil
}

// Filter returns a stream of the rows for which all conditions are true, as the method of Table.
func (s *Stream) Filter(conditions ...table.Expr) *Stream {
	return s.Map(func(t *table.Table) *table.Table { return t.Filter(conditions...) })
}

// Select returns a stream of the named columns.
func (s *Stream) Select(columns ...string) *Stream {
	return s.Map(func(t *table.Table) *table.Table { return t.Select(columns...) })
}

// Read returns all rows as a table.
func (s *Stream) Read() (*table.Table, error) {
	var all []*table.Table
	for t, err := range s.batches {
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return guarded(func() *table.Table { return table.Concat(all...) })
}

// Head returns the first n rows, and reads no further.
func (s *Stream) Head(n int) (*table.Table, error) {
	var all []*table.Table
	for t, err := range s.batches {
		if err != nil {
			return nil, err
		}
		all = append(all, t.Head(n))
		if n -= t.Len(); n <= 0 {
			break
		}
	}
	return guarded(func() *table.Table { return table.Concat(all...) })
}

// Aggregate returns a table of one row with the aggregates of all rows, as the method of Groups.
func (s *Stream) Aggregate(aggregates ...table.Expr) (*table.Table, error) {
	return (&Groups{s, nil}).Aggregate(aggregates...)
}

// GroupBy groups the rows by columns.
func (s *Stream) GroupBy(columns ...string) *Groups { return &Groups{s, slices.Clone(columns)} }

// Groups are the rows of a stream in groups of equal keys.
type Groups struct {
	stream *Stream
	keys   []string
}

// Aggregate returns a table with a row for each group: its keys, in order of first appearance, and
// the aggregates. These are Len, Count, NullCount, Sum, Mean, Var, Std, Min, Max, First, Last,
// Median and Quantile; others, such as Corr, need all rows and are an error. Sums of float64 are
// compensated for rounding within batches and between them, and variances are merged by their
// means, so that they may differ from those of a table in the last digits. Quantiles are exact:
// they keep the values of their column in memory, eight bytes for each, and at most 2 GiB of them.
func (g *Groups) Aggregate(aggregates ...table.Expr) (*table.Table, error) {
	parts, columns, err := divide(aggregates)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	var pending []*table.Table
	rows, merged := 0, 0
	for t, err := range g.stream.batches {
		if err != nil {
			return nil, err
		}
		partial, err := guarded(func() *table.Table { return g.of(t, parts, false) })
		if err != nil {
			return nil, err
		}
		pending, rows = append(pending, partial), rows+partial.Len()
		if rows > 2*merged+1<<20 {
			one, err := guarded(func() *table.Table { return g.of(table.Concat(pending...), parts, true) })
			if err != nil {
				return nil, err
			}
			pending, rows, merged = []*table.Table{one}, one.Len(), one.Len()
		}
	}
	if len(pending) == 0 {
		return nil, errors.New("stream: no rows")
	}
	return guarded(func() *table.Table {
		return finished(g.of(table.Concat(pending...), parts, true), g.keys, columns)
	})
}

// of returns the parts of a batch, or of the parts of several batches.
func (g *Groups) of(t *table.Table, parts []part, merge bool) *table.Table {
	list := make([]table.Expr, len(parts))
	for n, p := range parts {
		list[n] = p.of
		if merge {
			list[n] = p.merge(partName(n)).As(partName(n))
		}
	}
	if len(g.keys) == 0 {
		return t.Aggregate(list...)
	}
	return t.GroupBy(g.keys...).Aggregate(list...)
}
