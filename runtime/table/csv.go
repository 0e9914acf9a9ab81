package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosphere/runtime/internal/guard/streams"
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
	// vertical bar that separates the first ten records into the same number of values, more than one,
	// else a comma.
	Comma rune
	// Decimal separates the fraction of a number. By default it is a point.
	Decimal rune
	// Thousands separates groups of three digits of a number. By default it is 0, for none.
	Thousands rune
	// Missing are the spellings of missing values, in all columns, beside the empty value. By default
	// they are those of MissingSpellings, and only in columns without text.
	Missing []string
	// Layouts are the layouts of dates and times, as for time.Parse. By default they are those of ISO
	// 8601 and RFC 3339.
	Layouts []string
	// Text names columns that are text in any case.
	Text []string
	// Notes gets a line for each column that is text because of some of its values or has none, and
	// for each name that occurs twice. By default it is the standard error.
	Notes io.Writer
}

// MissingSpellings returns the spellings of a missing value in columns of numbers, truth values and
// dates. In a column of text only the empty value is missing, because NA may be a country.
func MissingSpellings() []string {
	return []string{"NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NULL", "Null", "null", "None", "none", "nil", "-", "--", "–", "?", "."}
}

// isoLayouts are the default layouts of dates and times.
var isoLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.DateOnly}

// Read reads separated values whose first record names the columns. A column gets the first of
// these types that fits all of its values: int, float64, bool, time.Time in one layout, else
// string. Every value of the file counts. An empty value is missing, and so are the spellings in
// Missing. A column without values has type any, and Notes says so.
//
// Numbers with a needless leading zero such as 01234, and numbers with more digits than their type
// holds, are text. NaN is a number, and inf is text. If a column is text although half or more of
// its values fit another type, Notes gets the first value that does not, its line, and how many
// there are. A name that occurs twice gets a number.
func (c CSV) Read(r io.Reader) (*Table, error) {
	for _, mark := range []rune{c.Decimal, c.Thousands} {
		if mark != 0 && (mark == c.Comma || c.Decimal == c.Thousands || mark >= '0' && mark <= '9') {
			return nil, fmt.Errorf("%q cannot separate both values and digits, nor thousands and fractions", mark)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if c.Comma == 0 {
		c.Comma = separator(text)
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma = c.Comma
	reader.ReuseRecord = true
	head, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty input, want a first line with the column names")
	}
	if err != nil {
		return nil, err
	}
	t := New()
	for _, name := range head {
		free := t.unused(name)
		if free != name {
			c.note("column %q occurs twice; the second is %q", name, free)
		}
		t.insert(free, new(unknown))
	}
	texts := make([][]string, len(t.columns))
	var lines []int
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := reader.FieldPos(0)
		lines = append(lines, line)
		for k, value := range record {
			texts[k] = append(texts[k], value)
		}
	}
	for _, name := range c.Text {
		if _, err := t.find(name); err != nil {
			return nil, err
		}
	}
	for k, name := range t.columns {
		t.data[k] = c.column(name, texts[k], lines)
	}
	t.height = len(lines)
	return t, nil
}

// separator returns the separator that gives the first records the same number of values.
func separator(text []byte) rune {
	for _, comma := range []rune{',', ';', '\t', '|'} {
		reader := csv.NewReader(bytes.NewReader(text))
		reader.Comma = comma
		width, same := 0, true
		for n := 0; n < 10 && same; n++ {
			record, err := reader.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			width, same = len(record), err == nil && len(record) > 1
		}
		if same && width > 1 {
			return comma
		}
	}
	return ','
}

func (c CSV) note(format string, arguments ...any) {
	to := c.Notes
	if to == nil {
		to = streams.Stderr
	}
	prefix := "table: "
	if c.Name != "" {
		prefix += c.Name + ": "
	}
	fmt.Fprintf(to, prefix+format+"\n", arguments...)
}

// A reading converts text to a value of one type.
type reading struct {
	what string // what a value must be, for notes
	read func(text string) (value any, ok bool)
}

// readings returns the conversions in the order in which they are tried.
func (c CSV) readings() []reading {
	layouts := c.Layouts
	if layouts == nil {
		layouts = isoLayouts
	}
	list := []reading{{"an integer", c.integer}, {"a number", c.float}, {"true or false", boolean}}
	for _, layout := range layouts {
		list = append(list, reading{"a date or time", func(text string) (any, bool) {
			at, err := time.Parse(layout, text)
			return at, err == nil
		}})
	}
	return list
}

// column converts the values of a column to the first type that fits all of them.
func (c CSV) column(name string, texts []string, lines []int) column {
	spellings, everywhere := c.Missing, c.Missing != nil
	if !everywhere {
		spellings = MissingSpellings()
	}
	missing := func(text string) bool { return text == "" || slices.Contains(spellings, text) }
	if !slices.Contains(c.Text, name) {
		var best reading
		fits, first, known := 0, 0, 0
		for _, r := range c.readings() {
			column, n, bad, total := readAll(texts, missing, r.read)
			if column != nil {
				return column
			}
			if known = total; n > fits {
				best, fits, first = r, n, bad
			}
		}
		if known == 0 {
			if len(texts) > 0 {
				c.note("column %q has no values, so it has no type", name)
			}
			return new(unknown(len(texts)))
		}
		if fits > 0 && 2*fits >= known {
			c.note("column %q is text because %q in line %d %s; %d of %d values fit", name, texts[first], lines[first], best.reason(texts[first]), fits, known)
		}
	}
	text := empty("")
	for _, value := range texts {
		if value == "" || everywhere && missing(value) {
			text.add(nil)
		} else {
			text.add(value)
		}
	}
	return text
}

// reason says why the reading does not fit a text.
func (r reading) reason(text string) string {
	if digits := strings.TrimLeft(text, "+-"); digits != "" && strings.Trim(digits, "0123456789") == "" {
		if leadingZero(text) {
			return "has a leading zero"
		}
		return "has more digits than a number holds"
	}
	return "is not " + r.what
}

// readAll returns the column of all values, or nil if a known value cannot be converted or none
// is known. It also returns how many can be converted, the first that cannot, and how many are
// known.
func readAll(texts []string, missing func(string) bool, read func(string) (any, bool)) (c column, fits, bad, known int) {
	c, bad = new(unknown), -1
	for i, text := range texts {
		if missing(text) {
			if bad < 0 {
				c = appended(c, nil)
			}
			continue
		}
		known++
		value, ok := read(text)
		switch {
		case !ok && bad < 0:
			bad = i
		case ok:
			fits++
			if bad < 0 {
				c = appended(c, value)
			}
		}
	}
	if bad >= 0 || known == 0 {
		return nil, fits, max(bad, 0), known
	}
	return c, fits, 0, known
}

// unused returns a column name that does not exist yet: the given name, or the name with a number
// appended.
func (t *Table) unused(name string) string {
	free := name
	for n := 2; slices.Contains(t.columns, free); n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// leadingZero reports whether a number has an unneeded leading zero, as postal codes have.
func leadingZero(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}

// digits returns a number without separators of thousands, and with a decimal point. It returns
// false if the separators are not where they belong.
func (c CSV) digits(text string) (string, bool) {
	if c.Decimal == 0 {
		c.Decimal = '.'
	}
	if c.Decimal == '.' && c.Thousands == 0 {
		return text, true
	}
	whole, fraction, parted := strings.Cut(text, string(c.Decimal))
	if c.Decimal != '.' && c.Thousands != '.' && strings.Contains(text, ".") {
		return "", false
	}
	if c.Thousands != 0 {
		groups := strings.Split(whole, string(c.Thousands))
		for i, group := range groups {
			if i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && (len(strings.TrimLeft(group, "+-")) > 3 || group == "") {
				return "", false
			}
		}
		if strings.ContainsRune(fraction, c.Thousands) {
			return "", false
		}
		whole = strings.Join(groups, "")
	}
	if parted {
		whole += "." + fraction
	}
	return whole, true
}

func (c CSV) integer(text string) (any, bool) {
	text, ok := c.digits(text)
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && !leadingZero(text)
}

func (c CSV) float(text string) (any, bool) {
	text, ok := c.digits(text)
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "infinity", "inf":
		return nil, false // as likely a word as a number
	}
	x, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil || leadingZero(text) || strings.ContainsAny(text, "xX_") {
		return nil, false
	}
	if n, err := strconv.Atoi(text); !strings.ContainsAny(text, ".eEnN") && (err != nil || !exact(n)) {
		return nil, false // a whole number such as an identifier, whose last digits would be lost
	}
	return x, true
}

func boolean(text string) (any, bool) {
	switch text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return nil, false
}
