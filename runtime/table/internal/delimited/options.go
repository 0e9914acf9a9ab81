package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// Options describe the form of separated values, as table.CSV does.
type Options struct {
	Comma, Decimal, Thousands, Quote, Comment rune
	Skip                                      int
	NoHeader                                  bool
	Missing, Layouts, Text                    []string
	Types                                     map[string]string
	// Note gets a line about a column.
	Note func(line string)
	// Dirty gets each value that does not fit its column, or is nil if a column with such a value is
	// text. The name of a record with too few or too many values is "".
	Dirty func(line int, name, value, reason string)

	spellings map[string]bool
	first     [256]bool // the first bytes of spellings
	layouts   []string
}

// MissingSpellings returns the spellings of a missing value in columns without text.
func MissingSpellings() []string {
	return []string{"NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NULL", "Null", "null", "None", "none", "nil", "-", "--", "–", "?", "."}
}

// ISOLayouts returns the default layouts of dates and times.
func ISOLayouts() []string {
	return []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.DateOnly}
}

// quote returns the rune around values, or -1.
func (o *Options) quote() rune {
	if o.Quote == 0 {
		return '"'
	}
	return o.Quote
}

// prepare checks the options.
func (o *Options) prepare() error {
	for _, mark := range []rune{o.Decimal, o.Thousands} {
		if mark != 0 && (mark == o.Comma || o.Decimal == o.Thousands || mark >= '0' && mark <= '9') {
			return fmt.Errorf("%q cannot separate both values and digits, nor thousands and fractions", mark)
		}
	}
	for _, mark := range []rune{o.Comma, o.Quote, o.Comment} {
		if mark == '\n' || mark == '\r' || mark == utf8.RuneError || mark > utf8.MaxRune {
			return fmt.Errorf("%q cannot be a separator, a quote or the beginning of a comment", mark)
		}
	}
	if o.Comma == o.quote() || o.Comment != 0 && (o.Comment == o.Comma || o.Comment == o.quote()) {
		return fmt.Errorf("the separator %q, the quote %q and the beginning of a comment %q are not three runes", o.Comma, o.quote(), o.Comment)
	}
	if o.Skip < 0 {
		return fmt.Errorf("%d lines to skip, want 0 or more", o.Skip)
	}
	for name, kind := range o.Types {
		if !slices.Contains([]string{"int", "float64", "bool", "time.Time", "string"}, kind) {
			return fmt.Errorf("type %q of column %q, want int, float64, bool, time.Time or string", kind, name)
		}
	}
	spellings := o.Missing
	if spellings == nil {
		spellings = MissingSpellings()
	}
	o.spellings = map[string]bool{"": true}
	for _, spelling := range spellings {
		if o.spellings[spelling] = true; spelling != "" {
			o.first[spelling[0]] = true
		}
	}
	if o.layouts = o.Layouts; o.layouts == nil {
		o.layouts = ISOLayouts()
	}
	return nil
}

// missing reports whether a text stands for a missing value.
func (o *Options) missing(text string) bool {
	return text == "" || o.first[text[0]] && o.spellings[text]
}

// sample is the number of bytes in which the separator is looked for.
const sample = 1 << 18

// open skips what precedes the first record, finds the separator, and returns the scanner and the
// names of the columns.
func (o *Options) open(r io.Reader) (*scanner, []string, error) {
	if err := o.prepare(); err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(r, sample)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = in.Discard(len(mark)) // they are in the buffer
	}
	if mark, _ := in.Peek(2); bytes.Equal(mark, []byte{0xff, 0xfe}) || bytes.Equal(mark, []byte{0xfe, 0xff}) {
		return nil, nil, errors.New("the text is in UTF-16, want UTF-8")
	}
	s := newScanner(in, o)
	for range o.Skip {
		if _, err := s.readLine(); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		s.line++
	}
	if o.Comma == 0 {
		text, err := in.Peek(sample)
		o.Comma = o.separator(text, err != nil)
		s.sep = utf8.AppendRune(nil, o.Comma)
	}
	_, err := s.next()
	if errors.Is(err, io.EOF) {
		return nil, nil, errors.New("empty input, want a first line with the column names")
	}
	if err != nil {
		return nil, nil, err
	}
	return s, o.names(s.values()), nil
}

// names returns different names for the columns of the first record.
func (o *Options) names(head []string) (names []string) {
	used := map[string]bool{}
	for k, name := range head {
		if o.NoHeader {
			name = fmt.Sprintf("column %d", k+1)
		}
		free := name
		for n := 2; used[free]; n++ {
			free = fmt.Sprintf("%s %d", name, n)
		}
		if free != name {
			o.note("column %q occurs twice; the second is %q", name, free)
		}
		used[free] = true
		names = append(names, free)
	}
	return names
}

// separator returns the separator that gives the first records the same number of values.
func (o *Options) separator(text []byte, whole bool) rune {
	for _, comma := range []rune{',', ';', '\t', '|'} {
		if slices.Contains([]rune{o.quote(), o.Comment, o.Decimal, o.Thousands}, comma) {
			continue
		}
		form := Options{Comma: comma, Quote: o.Quote, Comment: o.Comment}
		s := newScanner(bytes.NewReader(text), &form)
		width, same := 0, true
		for n := 0; n < 10 && same; n++ {
			values, err := s.next()
			if errors.Is(err, io.EOF) || err != nil && !whole && n > 0 {
				break
			}
			if n > 0 && !whole && values < width { // the last record may be cut
				if _, err := s.next(); errors.Is(err, io.EOF) {
					break
				}
			}
			same = err == nil && values > 1 && (n == 0 || values == width)
			width = values
		}
		if same && width > 1 {
			return comma
		}
	}
	if o.Decimal == ',' || o.Thousands == ',' || o.quote() == ',' || o.Comment == ',' {
		return ';'
	}
	return ','
}

func (o *Options) note(format string, arguments ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, arguments...))
	}
}
