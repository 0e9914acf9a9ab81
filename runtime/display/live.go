package display

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
// field and pages.
func (t *table) liveHTML(still string) string {
	if len(t.first) == 0 {
		return still
	}
	data := map[string]any{"numeric": t.numeric, "rows": t.first}
	if len(t.columns) > 0 {
		data["head"] = t.shown(t.headings())
	}
	switch {
	case t.more:
		data["more"] = fmt.Sprintf("the first %d rows; there are more", len(t.first))
	case len(t.first) < t.height:
		data["more"] = fmt.Sprintf("the first of %d rows", t.height)
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

// headings returns the names of the columns, each with its type if that is known, as in the
// declaration of a variable.
func (t *table) headings() []string {
	if len(t.types) == 0 {
		return t.columns
	}
	headings := make([]string, len(t.columns))
	for k, name := range t.columns {
		headings[k] = name + "\u2002" + t.types[k]
	}
	return headings
}
