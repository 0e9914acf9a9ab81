// Package excel reads and writes tables in workbooks of Excel. Importing it makes table.Read and
// table.Write do so. Cells have it without an import.
package excel

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

	"github.com/xuri/excelize/v2"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/table"
)

func init() {
	table.RegisterFormat(".xlsx", table.Format{Read: Read, ReadPart: readSheet, Write: Write})
}

func readSheet(r io.ReaderAt, size int64, name string) (*table.Table, error) {
	return Sheet{Name: name}.Read(r, size)
}

// Limits of a workbook: the bytes of its content, and the rows of a sheet, which are those of
// Excel.
const (
	maxContent = 1 << 30
	maxRows    = 1 << 20
)

// A Sheet describes a table in a workbook.
type Sheet struct {
	// Name is the name of the sheet. By default it is the first one.
	Name string
	// Skip is the number of rows before the one with the names of the columns.
	Skip int
	// Form has the options for the values, as for separated values.
	Form table.CSV
}

// Read reads the first sheet of a workbook of the given size, as Sheet.Read does.
func Read(r io.ReaderAt, size int64) (*table.Table, error) { return Sheet{}.Read(r, size) }

// Names returns the names of the sheets of a workbook.
func Names(r io.ReaderAt, size int64) (names []string, err error) {
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.GetSheetList(), nil
}

func open(r io.ReaderAt, size int64) (*excelize.File, error) {
	f, err := excelize.OpenReader(io.NewSectionReader(r, 0, size), excelize.Options{UnzipSizeLimit: maxContent, UnzipXMLSizeLimit: maxContent})
	if err != nil {
		return nil, fmt.Errorf("the workbook is damaged or no .xlsx file: %w", err)
	}
	return f, nil
}

// Read reads a sheet, whose first row with a value names the columns. Empty rows are left out. The
// types of columns follow from all of their values, as for separated values. A formula has its
// stored value. A column has times, without a zone, if its first number has the format of a date or
// time.
func (s Sheet) Read(r io.ReaderAt, size int64) (t *table.Table, err error) {
	defer func() { // the library panics for some damaged files
		if problem := recover(); problem != nil {
			t, err = nil, fmt.Errorf("the workbook is damaged: %v", problem)
		}
	}()
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	names := f.GetSheetList()
	if len(names) == 0 {
		return nil, errors.New("the workbook has no sheets")
	}
	if s.Name == "" {
		s.Name = names[0]
	}
	if !slices.Contains(names, s.Name) {
		return nil, fmt.Errorf("no sheet %q, want one of %q", s.Name, names)
	}
	text, err := s.separated(f)
	if err != nil {
		return nil, fmt.Errorf("sheet %q: %w", s.Name, err)
	}
	form := s.Form
	form.Comma, form.Quote, form.Comment, form.Skip = ',', 0, 0, 0
	return form.Read(text)
}

// separated returns the sheet as separated values.
func (s Sheet) separated(f *excelize.File) (io.Reader, error) {
	plain, err := f.Rows(s.Name)
	if err != nil {
		return nil, err
	}
	shown, err := f.Rows(s.Name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	c := converter{file: f, sheet: s.Name, dates: map[int]bool{}}
	properties, err := f.GetWorkbookProps()
	if err != nil {
		return nil, err
	}
	c.from1904 = properties.Date1904 != nil && *properties.Date1904
	for row := 1; plain.Next() && shown.Next(); row++ {
		values, err := plain.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, err
		}
		texts, err := shown.Columns()
		if err != nil {
			return nil, err
		}
		if row <= s.Skip || !slices.ContainsFunc(values, func(value string) bool { return value != "" }) {
			continue
		}
		if c.width > 0 {
			if values, err = c.converted(row, values, texts); err != nil {
				return nil, err
			}
		}
		c.width = len(values)
		if err := w.Write(values); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return &text, errors.Join(plain.Error(), shown.Error(), plain.Close(), shown.Close())
}

// A converter knows which columns have times.
type converter struct {
	file  *excelize.File
	sheet string
	width int
	dates map[int]bool
	// from1904 is set for workbooks whose days are counted from 1904.
	from1904 bool
}

// converted returns the values of a row in the forms of separated values.
func (c *converter) converted(row int, values, texts []string) ([]string, error) {
	for len(values) > c.width && values[len(values)-1] == "" {
		values = values[:len(values)-1]
	}
	if len(values) > c.width {
		return nil, fmt.Errorf("row %d has %d values, want %d", row, len(values), c.width)
	}
	list := make([]string, c.width)
	for k, value := range values {
		list[k] = value
		if k < len(texts) && (texts[k] == "TRUE" && value == "1" || texts[k] == "FALSE" && value == "0") {
			list[k] = texts[k]
			continue
		}
		days, err := strconv.ParseFloat(value, 64)
		if err != nil || k >= len(texts) {
			continue
		}
		date, known := c.dates[k]
		if !known {
			if date, err = c.isDate(row, k); err != nil {
				return nil, err
			}
			c.dates[k] = date
		}
		if date {
			at, err := excelize.ExcelDateToTime(days, c.from1904)
			if err != nil {
				return nil, fmt.Errorf("row %d, column %d: %w", row, k+1, err)
			}
			list[k] = at.Round(time.Millisecond).Format("2006-01-02 15:04:05.999")
		}
	}
	return list, nil
}

// dateFormat matches formats of dates and times, without texts in quotes and brackets.
var (
	dateFormat = lazyregexp.New(`(?i)[ymdhs]`)
	literals   = lazyregexp.New(`"[^"]*"|\[[^]]*\]|\\.|_.`)
)

// isDate reports whether a cell has the format of a date or time.
func (c *converter) isDate(row, k int) (bool, error) {
	cell, err := excelize.CoordinatesToCellName(k+1, row)
	if err != nil {
		return false, err
	}
	id, err := c.file.GetCellStyle(c.sheet, cell)
	if err != nil {
		return false, err
	}
	style, err := c.file.GetStyle(id)
	if err != nil {
		return false, err
	}
	if style.CustomNumFmt != nil {
		format := literals.ReplaceAllString(*style.CustomNumFmt, "")
		return !strings.EqualFold(strings.TrimSpace(format), "general") && dateFormat.MatchString(format), nil
	}
	n := style.NumFmt
	return 14 <= n && n <= 22 || 27 <= n && n <= 36 || 45 <= n && n <= 47 || 50 <= n && n <= 58, nil
}

// Write writes a table as the only sheet of a workbook, with the names of the columns in a row that
// stays at the top. Missing values are empty. Times lose their zones, durations are text, and so
// are values that Excel does not have, such as NaN and whole numbers above 2^53. A sheet has at
// most 1,048,576 rows and 16,384 columns.
func Write(w io.Writer, t *table.Table) (err error) {
	if t.Len() >= maxRows {
		return fmt.Errorf("%d rows, a sheet has at most %d with the names", t.Len(), maxRows)
	}
	f := excelize.NewFile()
	defer func() { err = errors.Join(err, f.Close()) }()
	bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	format := "yyyy-mm-dd hh:mm:ss"
	times, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		return err
	}
	s, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	if err := s.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	row := make([]any, len(t.Columns()))
	for k, name := range t.Columns() {
		row[k] = excelize.Cell{StyleID: bold, Value: name}
	}
	for i := -1; i < t.Len(); i++ {
		if i >= 0 {
			for k, value := range t.Row(i) {
				row[k] = cellValue(value, times)
			}
		}
		cell, err := excelize.CoordinatesToCellName(1, i+2)
		if err != nil {
			return err
		}
		if err := s.SetRow(cell, row); err != nil {
			return err
		}
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return f.Write(w)
}

// cellValue returns a value of a table as one of a sheet.
func cellValue(value any, times int) any {
	switch value := value.(type) {
	case nil, bool, string:
		return value
	case int:
		if value < -1<<53 || value > 1<<53 {
			return strconv.Itoa(value)
		}
		return value
	case float64:
		if value-value != 0 {
			return fmt.Sprint(value) // NaN and infinities
		}
		return value
	case time.Time:
		if value.Year() < 1900 || value.Year() > 9999 {
			return value.Format(time.RFC3339)
		}
		return excelize.Cell{StyleID: times, Value: time.Date(value.Year(), value.Month(), value.Day(), value.Hour(), value.Minute(), value.Second(), value.Nanosecond(), time.UTC)}
	}
	return fmt.Sprint(value)
}
