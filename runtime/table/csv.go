package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReadCSV reads comma-separated values whose first record names the columns. If all values of a
// column are whole numbers, they become int values; likewise other numbers, true and false, and
// dates or times are converted. Every other column is text. An empty value is missing, or "" in a
// text column. Numbers with a leading zero, such as 01234, are text.
func ReadCSV(r io.Reader) (*Table, error) { return readSeparated(r, ',') }

func readSeparated(r io.Reader, comma rune) (*Table, error) {
	reader := csv.NewReader(r)
	reader.Comma = comma
	head, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty input, want a first line with the column names")
	}
	if err != nil {
		return nil, err
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	t := &Table{}
	for _, name := range head {
		t.columns = append(t.columns, t.unused(name))
	}
	records, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	t.rows = make([][]any, len(records))
	for i := range t.rows {
		t.rows[i] = make([]any, len(head))
	}
	for k := range head {
		texts := make([]string, len(records))
		for i, record := range records {
			texts[i] = record[k]
		}
		for i, value := range parsed(texts) {
			t.rows[i][k] = value
		}
	}
	return t, nil
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

// layouts are the recognized formats of dates and times.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.DateOnly}

// parsed converts the values of a column to the first type that fits all of them.
func parsed(texts []string) []any {
	readings := []func(string) (any, bool){integer, float, boolean}
	for _, layout := range layouts {
		readings = append(readings, func(text string) (any, bool) {
			at, err := time.Parse(layout, text)
			return at, err == nil
		})
	}
	for _, read := range readings {
		if values, ok := readAll(texts, read); ok {
			return values
		}
	}
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return values
}

// readAll converts every text that is not empty. It returns false if one cannot be converted or all
// are empty.
func readAll(texts []string, read func(string) (any, bool)) ([]any, bool) {
	values, seen := make([]any, len(texts)), false
	for i, text := range texts {
		if text == "" {
			continue
		}
		value, ok := read(text)
		if !ok {
			return nil, false
		}
		values[i], seen = value, true
	}
	return values, seen
}

// leadingZero reports whether a number has an unneeded leading zero, as postal codes have.
func leadingZero(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}

func integer(text string) (any, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && !leadingZero(text)
}

func float(text string) (any, bool) {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "infinity", "inf":
		return nil, false // as likely a word as a number
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !leadingZero(text) && !strings.ContainsAny(text, "xX_")
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
