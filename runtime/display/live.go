package display

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// Limits of the rows that a front end can sort and search, which are stored in the notebook.
const (
	liveFrom  = 10        // longer tables are paged
	liveRows  = 1000      // maximum number of rows, from the first
	liveBytes = 256 << 10 // maximum size of their text
)

//go:embed table.js
var tableScript string

// liveScript is tableScript as live tables contain it, without comments and indentation.
var liveScript = compact(tableScript)

// Scripts returns the scripts of interactive displays exactly as their HTML contains them between
// the tags, so that a page can permit them and no others.
func Scripts() []string {
	return []string{"\n" + liveScript + "\n", "\n" + compact(framesScript) + "\n"}
}

// compact returns a script without comments and indentation.
func compact(script string) string {
	var kept []string
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// firstRows returns the rows of a table that a front end can sort and search, or nil for a short
// table.
func firstRows(height int, row func(i int) (cells []string, width int)) (rows [][]string, widths []int) {
	if height <= liveFrom {
		return nil, nil
	}
	size := 0
	for i := 0; i < min(height, liveRows) && size < liveBytes; i++ {
		cells, width := row(i)
		for _, cell := range cells {
			size += len(cell)
		}
		rows, widths = append(rows, cells), append(widths, width)
	}
	return rows, widths
}

// liveHTML returns the table as HTML. Front ends that run scripts add headings that sort, a search
// field, filters of columns and pages.
func (t *table) liveHTML(still string) string {
	if len(t.first) == 0 {
		return still
	}
	data := map[string]any{"numeric": t.numeric, "rows": t.first}
	if len(t.columns) > 0 {
		data["head"] = t.shown(t.columns)
	}
	if len(t.types) > 0 {
		data["types"] = t.types
	}
	if len(t.profiles) > 0 {
		data["profiles"] = t.profiles
	}
	switch {
	case t.more:
		data["more"] = fmt.Sprintf("the first %d rows; there are more", len(t.first))
	case len(t.first) < t.height:
		data["more"] = fmt.Sprintf("the first of %d rows", t.height)
	}
	if t.remote != nil {
		delete(data, "more")
		data["remote"], data["height"] = t.remote, t.height
	}
	if t.width > columnsShown {
		rows := make([][]string, len(t.first))
		for i := range rows {
			rows[i] = t.shown(t.first[i])
		}
		data["rows"] = rows
	}
	written, err := json.Marshal(data) // escapes <, so that no text can end the script
	if err != nil {
		return still
	}
	return "<div class=\"gosphere-table\">\n" + still + "<script type=\"application/json\">" + string(written) + "</script>\n<script>\n" +
		liveScript + "\n</script>\n</div>\n"
}

// remoteRows is the number of rows that are in the page of a remote table.
const remoteRows = 100

// RemoteTable returns a table as HTML whose rows a front end asks for: its script writes questions
// in the text field in the element of the class ask, and reads answers from the element of the
// class answer. Package widget has both. It returns "" for other values than tables with columns.
func RemoteTable(value any, ask, answer string) string {
	rows, ok := value.(rowed)
	if !ok || len(rows.Columns()) == 0 {
		return ""
	}
	t := rowedTable(rows)
	if t.first == nil {
		t.first = t.rows
	}
	t.first, t.remote = t.first[:min(len(t.first), remoteRows)], []string{ask, answer}
	return t.html()
}

// RowTexts returns the texts of the displayed columns of a row, as tables show them.
func RowTexts(row []any) []string {
	cells, width := anyCells(row)
	if width > columnsShown {
		cells = append(cells, "…")
	}
	return cells
}

// missing lists the columns with missing values, with their numbers.
func (t *table) missing() string {
	var parts []string
	for k, p := range t.profiles {
		if p.Missing > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", t.columns[k], p.Missing))
		}
	}
	return strings.Join(parts, ", ")
}

// profileHTML returns a row with a small histogram and the number of missing values of each column,
// for front ends that run no scripts. table.js draws the same.
func (t *table) profileHTML() string {
	var row strings.Builder
	row.WriteString("<tr>")
	for _, p := range t.profiles {
		row.WriteString(`<td style="text-align:left;vertical-align:bottom">`)
		most := 1
		for _, n := range p.Counts {
			most = max(most, n)
		}
		if len(p.Counts) > 0 {
			row.WriteString(`<div style="display:flex;align-items:flex-end;gap:1px;height:24px">`)
			for n, count := range p.Counts {
				height := (count*24 + most - 1) / most
				color := "#7a9cc6"
				if strings.HasSuffix(p.Labels[n], " other values") {
					color = "#c4c4c4"
				}
				fmt.Fprintf(&row, `<span title="%s: %d" style="width:6px;height:%dpx;background:%s"></span>`, html.EscapeString(p.Labels[n]), count, height, color)
			}
			row.WriteString("</div>")
		}
		if p.Missing > 0 {
			fmt.Fprintf(&row, "<small>%d missing</small>", p.Missing)
		}
		row.WriteString("</td>")
	}
	if t.width > columnsShown {
		row.WriteString("<td>…</td>")
	}
	return row.String() + "</tr>\n"
}
