package table

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gosphere/internal/userfile"
	"gosphere/runtime/table/internal/source"
)

// A Format reads and writes files of one format.
type Format struct {
	// Read reads a file of the given size, or is nil.
	Read func(r io.ReaderAt, size int64) (*Table, error)
	// ReadPart reads a part with a name, such as a sheet of a workbook, or is nil.
	ReadPart func(r io.ReaderAt, size int64, part string) (*Table, error)
	// Batches reads so many rows at a time, or is nil.
	Batches func(r io.ReaderAt, size int64, rows int) iter.Seq2[*Table, error]
	// Write writes a table, or is nil.
	Write func(w io.Writer, t *Table) error
	// ReadFile and WriteFile are for formats whose files a library opens itself, and are nil for
	// others. The part is "" for the only one.
	ReadFile  func(path, part string) (*Table, error)
	WriteFile func(path, part string, t *Table) error
}

// formats are the registered ones by extension.
var formats = map[string]Format{}

// RegisterFormat sets the format of an extension such as .parquet, for Read and Write. Packages
// such as table/parquet call it from init, so that programs that import them know the format.
func RegisterFormat(extension string, f Format) { formats[extension] = f }

// FormatOf returns the format of an extension that RegisterFormat has set, or the zero Format.
func FormatOf(extension string) Format { return formats[extension] }

// packages are the packages of formats that a program may lack.
var packages = map[string]string{".parquet": "parquet", ".xlsx": "excel", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite"}

// ReadParquet reads a Parquet file of the given size. It is an error if the program does not import
// package table/parquet, which cells have without an import.
func ReadParquet(r io.ReaderAt, size int64) (*Table, error) {
	if formats[".parquet"].Read == nil {
		return nil, errors.New("table: this program reads no Parquet files: import gosphere/runtime/table/parquet")
	}
	return formats[".parquet"].Read(r, size)
}

// ownFormats are the extensions of the formats of this package.
var ownFormats = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson"}

// isFormat reports whether the files of a folder with an extension are read. Databases are not:
// they have several tables, and other programs use .db.
func isFormat(extension string) bool {
	return slices.Contains(ownFormats, extension) || formats[extension].Read != nil && formats[extension].ReadFile == nil
}

// Read reads a file in the format of its extension: .csv, .tsv, .json, .jsonl, .ndjson, .parquet,
// .xlsx or .sqlite, or one that RegisterFormat has set. CSV.Read describes separated values and has
// options.
//
//	t, err := table.Read("sales.csv.gz")
//	t, err := table.Read("https://example.org/sales.parquet")
//	t, err := table.Read("data/*.csv")
//
// Files may be compressed by gzip (.gz) or Zstandard (.zst). From a zip archive Read reads the only
// file, or the one that is named after it, as in data.zip/sales.csv. From a workbook it reads the
// first sheet, or the one that is named, as in book.xlsx/Sales, and from a database of SQLite
// (.sqlite, .sqlite3, .db) the only table, or the one that is named, as in shop.sqlite/orders. An
// address is that of a file on a web server, whose format is also known by the type of the answer.
// A folder and a pattern stand for their files in the order of their names; Files describes how
// these become one table. A file, the
// content of a compressed file and a download have at most 8 GiB; package stream reads larger ones.
func Read(path string) (*Table, error) { return Files{}.Read(path) }

// Files describes how several files become one table, below each other as by Concat.
type Files struct {
	// Source is the name of a column with the name of the file of each row, or "" for none.
	Source string
	// Fill makes columns that a file lacks missing, as ConcatFill does. By default they are an error.
	Fill bool
}

// Read reads the files that match patterns as the function Read does.
//
//	t, err := table.Files{Source: "file", Fill: true}.Read("2025/*.csv", "2026/*.csv.gz")
func (f Files) Read(patterns ...string) (t *Table, err error) {
	var tables []*Table
	for _, pattern := range patterns {
		names, err := source.Expand(pattern, isFormat)
		if err != nil {
			return nil, fmt.Errorf("table: %w", err)
		}
		for _, name := range names {
			t, err := readFile(name)
			if file := (*fs.PathError)(nil); errors.As(err, &file) && file.Path == name {
				return nil, fmt.Errorf("table: %w", err)
			} else if err != nil {
				return nil, fmt.Errorf("table: %s: %w", name, err)
			}
			if f.Source != "" {
				if slices.Contains(t.columns, f.Source) {
					return nil, fmt.Errorf("table: %s: a column %q exists", name, f.Source)
				}
				t = t.With(f.Source, func(Row) any { return name })
			}
			tables = append(tables, t)
		}
	}
	if len(tables) == 1 {
		return tables[0], nil
	}
	defer func() { // tables that do not fit
		if problem, ok := recover().(error); ok {
			t, err = nil, problem
		}
	}()
	if f.Fill {
		return ConcatFill(tables...), nil
	}
	return Concat(tables...), nil
}

// readFile reads a file or an address.
func readFile(name string) (t *Table, err error) {
	name, part := cutPart(name)
	if format := formats[strings.ToLower(filepath.Ext(name))]; format.ReadFile != nil && !source.IsAddress(name) {
		return format.ReadFile(name, part)
	}
	s, err := source.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if failure := s.Close(); err == nil && failure != nil {
			t, err = nil, failure
		}
	}()
	if err := s.Whole(); err != nil {
		return nil, err
	}
	switch s.Format {
	case ".csv":
		return CSV{Name: name}.Read(s)
	case ".tsv":
		return CSV{Name: name, Comma: '\t'}.Read(s)
	case ".json", ".jsonl", ".ndjson":
		return ReadJSON(s)
	}
	format := formats[s.Format]
	if format.Read == nil {
		return nil, unknownFormat(s.Format)
	}
	content, size, err := s.At()
	if err != nil {
		return nil, err
	}
	if part != "" {
		return format.ReadPart(content, size, part)
	}
	return format.Read(content, size)
}

// cutPart divides the name of a part of a file, such as book.xlsx/Sales or shop.sqlite/orders.
func cutPart(name string) (file, part string) {
	if source.IsAddress(name) {
		return name, ""
	}
	file = name
	for extension, format := range formats {
		at := strings.Index(strings.ToLower(filepath.ToSlash(name)), extension+"/")
		if end := at + len(extension); at >= 0 && format.ReadPart != nil && end+1 < len(name) && end < len(file) {
			file, part = name[:end], name[end+1:]
		}
	}
	return file, part
}

// unknownFormat is the error of a format that the program does not know.
func unknownFormat(extension string) error {
	if name, ok := packages[extension]; ok {
		return fmt.Errorf("this program does not know %s files: import gosphere/runtime/table/%s", extension, name)
	}
	known := slices.Concat(ownFormats, slices.Sorted(maps.Keys(formats)))
	return fmt.Errorf("unknown extension %q, want one of %s", extension, strings.Join(known, ", "))
}

// Write writes a table to a file in the format of its extension: .csv, .tsv, .json, .jsonl,
// .ndjson, .parquet or .xlsx. With .gz or .zst at its end the file is compressed. The old file is
// kept until the new one is complete. Into a database of SQLite, as in shop.sqlite/orders, it
// writes a table in place of one with that name, in one transaction.
func Write(path string, t *Table) (err error) {
	if file, part := cutPart(path); formats[strings.ToLower(filepath.Ext(file))].WriteFile != nil {
		if err := formats[strings.ToLower(filepath.Ext(file))].WriteFile(file, part, t); err != nil {
			return fmt.Errorf("table: %s: %w", path, err)
		}
		return nil
	}
	name, compression := path, strings.ToLower(filepath.Ext(path))
	if compression == ".gz" || compression == ".zst" {
		name = path[:len(path)-len(compression)]
	}
	write, err := writer(strings.ToLower(filepath.Ext(name)))
	if err != nil {
		return fmt.Errorf("table: %s: %w", path, err)
	}
	var content strings.Builder
	to := io.WriteCloser(uncompressed{&content})
	switch compression {
	case ".gz":
		to = gzip.NewWriter(&content)
	case ".zst":
		if to, err = zstd.NewWriter(&content); err != nil {
			return fmt.Errorf("table: %s: %w", path, err)
		}
	}
	if err := errors.Join(write(to, t), to.Close()); err != nil {
		return fmt.Errorf("table: %s: %w", path, err)
	}
	if err := userfile.Write(path, []byte(content.String())); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// uncompressed has no end that Close would write.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }

// writer returns the function that writes files with an extension.
func writer(extension string) (func(w io.Writer, t *Table) error, error) {
	switch extension {
	case ".csv":
		return func(w io.Writer, t *Table) error { return writeSeparated(t, w, ',') }, nil
	case ".tsv":
		return func(w io.Writer, t *Table) error { return writeSeparated(t, w, '\t') }, nil
	case ".json":
		return func(w io.Writer, t *Table) error { return writeJSON(t, w, "[", ",", "]") }, nil
	case ".jsonl", ".ndjson":
		return func(w io.Writer, t *Table) error { return writeJSON(t, w, "", "\n", "\n") }, nil
	}
	if write := formats[extension].Write; write != nil {
		return write, nil
	}
	return nil, unknownFormat(extension)
}

// WriteCSV writes the table as comma-separated values with a header. A missing value is empty.
func (t *Table) WriteCSV(w io.Writer) error { return writeSeparated(t, w, ',') }

func writeSeparated(t *Table, w io.Writer, comma rune) error {
	writer := csv.NewWriter(w)
	writer.Comma = comma
	if err := writer.Write(t.columns); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	for i := range t.height {
		record := make([]string, len(t.data))
		for k, value := range t.Row(i) {
			record[k] = written(value)
		}
		if err := writer.Write(record); err != nil {
			return fmt.Errorf("table: %w", err)
		}
	}
	writer.Flush()
	if err := writer.Error(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}
