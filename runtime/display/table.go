package display

import (
	"fmt"
	"html"
	"reflect"
	"sort"
	"strings"
	"unicode/utf8"

	"gosphere/kernel/protocol"
)

// Limits of a displayed table. Further rows are counted, not shown.
const (
	rowsShown    = 20 // first rows of a long table
	lastRows     = 5  // its last rows
	columnsShown = 20
	cellLimit    = 200 // characters
)

// A table is the displayed part of a table: cells as text, at most rowsShown+lastRows rows.
type table struct {
	columns       []string // empty if there is no header
	types         []string // of the columns, below their names; empty if unknown
	numeric       []bool   // by column: right-aligned
	rows          [][]string
	gap           int // rows are omitted before this row; 0 if none are
	height, width int // of the whole table

	profiles []profile // of the columns of a long table; nil if unknown

	first [][]string // rows that a front end can sort and search; nil for a short table
	more  bool       // further rows follow, which are not counted in height

	remote []string // see RemoteTable; nil for other tables
}

// valueTable returns the table form of a value that is a table by its type: a slice of structs, of
// slices or of maps with string keys, a map, a struct whose fields a cell can read, a registered
// table of numbers such as a gonum matrix, or a value with the methods Columns, Len and Row.
func valueTable(value any) (*table, bool) {
	if form, ok := formOf(value); ok && form.Number != nil {
		return numberTable(form), true
	}
	if rows, ok := value.(rowed); ok {
		return rowedTable(rows), true
	}
	v := reflect.ValueOf(value)
	if isRecord(v) {
		return fieldTable(v)
	}
	if v.Kind() == reflect.Map && v.Len() > 0 && !formatsItself(value) {
		return mapTable(v), true
	}
	if k := v.Kind(); (k != reflect.Slice && k != reflect.Array) || v.Len() == 0 || formatsItself(value) {
		return nil, false
	}
	switch v.Type().Elem().Kind() {
	case reflect.Map:
		return recordTable(v)
	case reflect.Slice, reflect.Array:
		return sliceTable(v)
	}
	return structTable(v)
}

// sliceTable returns a table of a slice of slices. It treats byte slices, and rows that format
// themselves, as single values.
func sliceTable(v reflect.Value) (*table, bool) {
	row := v.Type().Elem()
	if row.Elem().Kind() == reflect.Uint8 || formats(reflect.Zero(row)) {
		return nil, false
	}
	return newTable(nil, v.Len(), func(i int) ([]string, int) { return rowCells(v.Index(i)) }), true
}

// mapTable returns a table of a map in the order of its keys.
func mapTable(v reflect.Value) *table {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keyLess(keys[i], keys[j]) })
	return newTable(mapHead(v), len(keys), func(i int) ([]string, int) {
		cells, width := rowCells(v.MapIndex(keys[i]))
		cells = append([]string{cellText(keys[i])}, cells...)
		return cells[:min(len(cells), columnsShown)], width + 1
	})
}

// structTable returns a table of a slice of structs or of pointers to structs, with one column per
// field. It treats types that format themselves, like time.Time, as single values.
func structTable(v reflect.Value) (*table, bool) {
	record := v.Type().Elem()
	if record.Kind() == reflect.Pointer {
		record = record.Elem()
	}
	for _, t := range []reflect.Type{record, reflect.PointerTo(record)} {
		if t.Implements(reflect.TypeFor[fmt.Formatter]()) || t.Implements(reflect.TypeFor[fmt.Stringer]()) ||
			t.Implements(reflect.TypeFor[error]()) {
			return nil, false
		}
	}
	if record.Kind() != reflect.Struct || record.NumField() == 0 {
		return nil, false
	}
	return newTable(fieldNames(record), v.Len(), func(i int) ([]string, int) {
		row := v.Index(i)
		if row.Kind() == reflect.Pointer {
			row = row.Elem()
		}
		if !row.IsValid() {
			return []string{"<nil>"}, 1
		}
		return rowCells(row)
	}), true
}

// numberTable returns a table of numbers, without a header.
func numberTable(form Form) *table {
	return newTable(nil, form.Rows, func(i int) ([]string, int) {
		return someCells(form.Columns, func(k int) string { return floatText(form.Number(i, k)) })
	})
}

// anyTable returns a table of any value with rows: those of valueTable, empty maps, the fields of a
// struct, and other slices as one column.
func anyTable(value any) (*table, bool) {
	if t, ok := valueTable(value); ok {
		return t, true
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Map:
		return mapTable(v), true
	case reflect.Slice, reflect.Array:
		if t, ok := recordTable(v); ok {
			return t, true
		}
		return newTable(nil, v.Len(), func(i int) ([]string, int) { return rowCells(v.Index(i)) }), true
	case reflect.Struct, reflect.Pointer:
		return fieldTable(v)
	}
	return nil, false
}

// rowCells returns the displayed cells of a row and its number of cells: the elements of a slice,
// the fields of a struct, or the value itself.
func rowCells(v reflect.Value) (cells []string, width int) {
	v = held(v)
	switch {
	case formats(v):
		return []string{cellText(v)}, 1
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return []string{cellText(v)}, 1
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		return someCells(v.Len(), func(k int) string { return cellText(v.Index(k)) })
	case v.Kind() == reflect.Struct:
		return someCells(v.NumField(), func(k int) string { return cellText(v.Field(k)) })
	}
	return []string{cellText(v)}, 1
}

// someCells returns the first cells of a row of the given width.
func someCells(width int, cell func(k int) string) ([]string, int) {
	cells := make([]string, min(width, columnsShown))
	for k := range cells {
		cells[k] = cell(k)
	}
	return cells, width
}

// cellText formats one cell. Floats have six digits, which suffices for reading.
func cellText(v reflect.Value) string {
	v = pointedAt(held(v))
	if !v.IsValid() {
		return "<nil>"
	}
	if v.CanFloat() && !formats(v) {
		return floatText(v.Float())
	}
	text := ""
	if v.CanInterface() {
		text = plainText(onlyTime(v.Interface()))
	} else {
		text = shortened(v)
	}
	if letters := []rune(text); len(letters) > cellLimit {
		text = string(letters[:cellLimit]) + "…"
	}
	return text
}

// newTable collects the displayed rows of a table of the given height.
func newTable(columns []string, height int, row func(i int) (cells []string, width int)) *table {
	t := &table{height: height, width: len(columns)}
	if len(columns) > columnsShown {
		columns = columns[:columnsShown]
	}
	t.columns = columns
	first, widths := firstRows(height, row)
	t.first = first
	for i := 0; i < height; i++ {
		if i == rowsShown && height > rowsShown+lastRows {
			t.gap = len(t.rows)
			i = height - lastRows
		}
		var cells []string
		var width int
		if i < len(first) {
			cells, width = first[i], widths[i]
		} else {
			cells, width = row(i)
		}
		t.rows = append(t.rows, cells)
		t.width = max(t.width, width)
	}
	t.numeric = make([]bool, t.width)
	for k := range t.numeric {
		t.numeric[k] = isNumeric(t.rows, k)
	}
	return t
}

// isNumeric reports whether all cells of column k begin like a number, except those that are empty
// or a dash.
func isNumeric(rows [][]string, k int) bool {
	seen := false
	for _, cells := range rows {
		if k >= len(cells) || cells[k] == "" || cells[k] == "–" || cells[k] == "-" || cells[k] == null {
			continue
		}
		seen = true
		number := strings.TrimLeft(cells[k], "+-−.")
		if number != "NaN" && number != "Inf" && (number == "" || number[0] < '0' || number[0] > '9') {
			return false
		}
	}
	return seen
}

// note describes the size of a table that is not shown completely.
func (t *table) note() string {
	if t.more {
		return fmt.Sprintf("the first %d rows × %d columns; there are more rows", t.height, t.width)
	}
	if t.height == 0 {
		return "no rows"
	}
	if t.gap == 0 && t.width <= columnsShown {
		return ""
	}
	return fmt.Sprintf("%d rows × %d columns", t.height, t.width)
}

// bundle returns both forms of the table.
func (t *table) bundle() protocol.MimeBundle {
	return protocol.MimeBundle{textPlain: t.text(), textHTML: t.html()}
}

// html returns the table as HTML, with all text escaped.
func (t *table) html() string {
	var page strings.Builder
	page.WriteString("<table>\n")
	line := func(tag string, cells []string) {
		page.WriteString("<tr>")
		for k := range cells {
			align := "left"
			if k < len(t.numeric) && t.numeric[k] {
				align = "right"
			}
			fmt.Fprintf(&page, `<%s style="text-align:%s">%s</%s>`, tag, align, html.EscapeString(cells[k]), tag)
		}
		page.WriteString("</tr>\n")
	}
	if len(t.columns) > 0 {
		page.WriteString("<thead>\n")
		line("th", t.shown(t.columns))
		if len(t.types) > 0 {
			line("td", t.shown(t.types))
		}
		if len(t.profiles) > 0 {
			page.WriteString(t.profileHTML())
		}
		page.WriteString("</thead>\n")
	}
	page.WriteString("<tbody>\n")
	for i, cells := range t.rows {
		if i == t.gap && i > 0 {
			line("td", t.gapCells())
		}
		line("td", t.shown(cells))
	}
	page.WriteString("</tbody>\n</table>\n")
	if note := t.note(); note != "" {
		page.WriteString("<p>" + note + "</p>\n")
	}
	return t.liveHTML(page.String())
}

// text returns the table in columns for a fixed-width font.
func (t *table) text() string {
	var lines [][]string
	if len(t.columns) > 0 {
		lines = append(lines, t.shown(t.columns))
	}
	if len(t.types) > 0 {
		lines = append(lines, t.shown(t.types))
	}
	for i, cells := range t.rows {
		if i == t.gap && i > 0 {
			lines = append(lines, t.gapCells())
		}
		lines = append(lines, t.shown(cells))
	}
	var widths []int
	for _, cells := range lines {
		for k, cell := range cells {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, cells := range lines {
		var padded []string
		for k, cell := range cells {
			blanks := strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell))
			if k < len(t.numeric) && t.numeric[k] {
				padded = append(padded, blanks+cell)
			} else {
				padded = append(padded, cell+blanks)
			}
		}
		text.WriteString(strings.TrimRight(strings.Join(padded, "  "), " ") + "\n")
	}
	note := t.note()
	if missing := t.missing(); missing != "" {
		if note != "" {
			note += "; "
		}
		note += "missing: " + missing
	}
	text.WriteString(note)
	return strings.TrimRight(text.String(), "\n")
}

// shown returns the cells of a row, with an ellipsis for omitted columns.
func (t *table) shown(cells []string) []string {
	if t.width <= columnsShown {
		return cells
	}
	return append(append([]string(nil), cells...), "…")
}

// gapCells returns the row that represents the omitted rows.
func (t *table) gapCells() []string {
	cells := make([]string, min(t.width, columnsShown))
	for k := range cells {
		cells[k] = "⋮"
	}
	return t.shown(cells)
}
