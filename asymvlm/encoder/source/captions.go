package source

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/internal/userfile"
)

// captionNames are the accepted names of a column of captions, the most specific first.
var captionNames = []string{"caption", "captions", "text", "title", "sentence"}

// unsplit returns an error if a split is given for a collection without splits.
func unsplit(kind, split string) error {
	if split != "" {
		return fmt.Errorf("%s has no splits: name the file of %q", kind, split)
	}
	return nil
}

// openCaptions reads captions without pictures: the lines of a text file, or a column of a table.
func openCaptions(path, split string) (*Source, error) {
	if err := unsplit("captions", split); err != nil {
		return nil, err
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".txt":
		return alone(path, readLines)
	case ".csv":
		return alone(path, tableReader(','))
	case ".tsv":
		return alone(path, tableReader('\t'))
	case ".parquet":
		s, err := openParquet(path, "")
		if err == nil && !s.TextOnly {
			err = errors.New("captions are read alone from files without pictures; read this one as parquet")
		}
		return s, err
	default:
		return nil, fmt.Errorf("%s: want a file that ends in .txt, .csv, .tsv or .parquet", path)
	}
}

// alone returns a source with one item per caption that read yields from a file.
func alone(path string, read func(io.Reader, func(string, error) bool)) (*Source, error) {
	return records(path, read, func(item *Item, text string) error {
		caption := strings.TrimSpace(text)
		if caption == "" {
			return errors.New("no caption")
		}
		item.Captions = []string{caption}
		return nil
	})
}

// records returns a source with one item per text that read yields from a file, named by its number
// from 1. Fill sets the captions of an item and may rename it.
func records(path string, read func(io.Reader, func(string, error) bool), fill func(item *Item, text string) error) (*Source, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	file.Close() // each reader opens it again
	return &Source{Count: -1, TextOnly: true, Files: []string{path}, items: func(yield func(Item, error) bool) {
		file, err := userfile.Open(path)
		if err != nil {
			yield(Item{Name: path}, err)
			return
		}
		defer file.Close()
		number := 0
		read(file, func(text string, err error) bool {
			number++
			item := Item{Name: fmt.Sprintf("%s:%d", filepath.Base(path), number)}
			if err == nil {
				err = fill(&item, text)
			}
			return yield(item, err)
		})
	}}, nil
}

// readLines yields the nonempty lines of a text.
func readLines(r io.Reader, yield func(string, error) bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) != "" && !yield(lines.Text(), nil) {
			return
		}
	}
	if err := lines.Err(); err != nil {
		yield("", err)
	}
}

// tableReader returns a reader that yields the captions of a table with a header line.
func tableReader(comma rune) func(io.Reader, func(string, error) bool) {
	return func(r io.Reader, yield func(string, error) bool) {
		rows := newTable(r, comma)
		names, err := rows.Read()
		if err != nil {
			yield("", err)
			return
		}
		at := -1
		for _, name := range captionNames {
			if at < 0 {
				at = slices.IndexFunc(names, func(own string) bool { return strings.EqualFold(strings.TrimSpace(own), name) })
			}
		}
		if at < 0 {
			yield("", fmt.Errorf("no column of captions among %q: want one of %s in the first line", names, strings.Join(captionNames, ", ")))
			return
		}
		each(rows, func(fields []string, err error) bool {
			if err == nil && at >= len(fields) {
				err = fmt.Errorf("%d columns, want more than %d", len(fields), at)
			}
			if err != nil {
				return yield("", err)
			}
			return yield(fields[at], nil)
		})
	}
}

// A table yields records of fields.
type table interface{ Read() ([]string, error) }

// newTable returns a reader of fields that are separated by commas or tabs.
func newTable(r io.Reader, comma rune) table {
	if comma == '\t' {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		return &tabbed{lines}
	}
	fields := csv.NewReader(r)
	fields.Comma, fields.FieldsPerRecord, fields.ReuseRecord = comma, -1, true
	return fields
}

// tabbed reads fields that are separated by tabs. Quotes are ordinary characters, except around a
// whole field.
type tabbed struct{ *bufio.Scanner }

func (t *tabbed) Read() ([]string, error) {
	if !t.Scan() {
		return nil, cmp.Or(t.Err(), io.EOF)
	}
	fields := strings.Split(t.Text(), "\t")
	for i, field := range fields {
		if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
			inner := strings.ReplaceAll(field[1:n-1], `""`, "\x00")
			if !strings.Contains(inner, `"`) {
				fields[i] = strings.ReplaceAll(inner, "\x00", `"`)
			}
		}
	}
	return fields, nil
}

// each yields the records of a table. It yields an error for a record that cannot be read and
// continues with the next one.
func each(t table, yield func(fields []string, err error) bool) {
	for {
		fields, err := t.Read()
		if err == io.EOF {
			return
		}
		var wrong *csv.ParseError
		if err != nil && !errors.As(err, &wrong) {
			yield(nil, err)
			return
		}
		if !yield(fields, err) {
			return
		}
	}
}

// openConceptual reads the lists of Conceptual Captions, with lines "caption<TAB>address" in CC3M
// and "address<TAB>caption" in CC12M. The name of an item is its address.
func openConceptual(path, split string) (*Source, error) {
	if err := unsplit("cc", split); err != nil {
		return nil, err
	}
	return records(path, readLines, func(item *Item, line string) error {
		caption, address, ok := strings.Cut(line, "\t")
		if isAddress(caption) {
			caption, address = address, caption
		}
		if caption, address = strings.TrimSpace(caption), strings.TrimSpace(address); !ok || !isAddress(address) || caption == "" {
			return fmt.Errorf("%.60q, want a caption, a tab and an address", line)
		}
		item.Name, item.Captions = address, []string{caption}
		return nil
	})
}

func isAddress(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}
