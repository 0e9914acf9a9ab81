package widget

import (
	"html/template"

	"gosphere/runtime/comm"
	"gosphere/runtime/display"
)

// Progress bars of package display are widgets where a page has shown that it knows them.
func init() {
	display.LiveBy(func(task string, steps int) display.Live {
		if !comm.Asked(target) && !comm.Asked(controlTarget) {
			return nil
		}
		return newProgressRow(steps)
	})
}

// A progressRow is a bar with a line of text behind it.
type progressRow struct {
	*HBox
	bar  *IntProgress // nil where the number of steps is not known
	line *HTML        // and no Label, which cuts what is wider than the page
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

// Show moves the bar and changes the text.
func (r *progressRow) Show(done int, line string) {
	if r.bar != nil {
		r.bar.Set("value", min(max(done, 0), r.bar.Get("max").(int)))
	}
	r.line.Set("value", template.HTMLEscapeString(line))
}

// Close takes all of it off the page, with the layouts and styles.
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
