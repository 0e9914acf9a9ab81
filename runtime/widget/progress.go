package widget

import (
	"html/template"

	"gosphere/runtime/comm"
	"gosphere/runtime/display"
)

// Progress bars of package display are widgets if the front end has shown that it supports them.
func init() {
	display.LiveBy(func(task string, steps int) display.Live {
		if !comm.Asked(target) && !comm.Asked(controlTarget) {
			return nil
		}
		return newProgressRow(steps)
	})
}

// A progressRow is a bar followed by a line of text.
type progressRow struct {
	*HBox
	bar  *IntProgress // nil if the number of steps is unknown
	line *HTML        // not a Label, which truncates text wider than the page
}

func newProgressRow(steps int) *progressRow {
	row := &progressRow{line: NewHTML("")}
	row.line.Layout().Set("flex", "1 1 0%")
	children := []Widget{row.line}
	if steps > 0 {
		row.bar = NewIntProgress("", steps)
		row.bar.Layout().Set("width", "160px")
		row.bar.Layout().Set("flex", "0 0 auto")
		children = []Widget{row.bar, row.line}
	}
	row.HBox = NewHBox(children...)
	return row
}

// Show updates the bar and the text.
func (r *progressRow) Show(done int, line string) {
	if r.bar != nil {
		r.bar.Set("value", min(max(done, 0), r.bar.Get("max").(int)))
	}
	r.line.Set("value", template.HTMLEscapeString(line))
}

// Close removes the row from the front end, with its layouts and styles.
func (r *progressRow) Close() {
	models := []*Model{r.HBox.Model, r.line.Model}
	if r.bar != nil {
		models = append(models, r.bar.Model)
	}
	for _, m := range models {
		for _, part := range []*Model{m, m.layout, m.style} {
			if part != nil {
				part.Close()
			}
		}
	}
}
