package widget

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
)

// A Drawing is a chart with an interactive form, such as a *chart.Chart.
type Drawing interface {
	// Interactive returns HTML with its script.
	Interactive() (string, error)
}

// A Selection shows an interactive chart in which dragging chooses rows of the data, and a cell
// reads which. It is a box, and can be a part of others.
type Selection struct {
	*VBox
	field *Text // in which the script of the chart writes the rows
}

//go:embed selection.js
var selectionScript string

// NewSelection returns a Selection of a chart with a brush:
//
//	chosen := widget.NewSelection(chart.Of(trips).Point("distance", "fare").Brush())
//	chosen.OnChange(func(rows []int) { fmt.Println(len(rows), "rows") })
//	chosen
//
// It panics if the chart has no brush or no interactive form.
func NewSelection(chart Drawing) *Selection {
	markup, err := chart.Interactive()
	if err != nil {
		panic(fmt.Errorf("widget: NewSelection: %w", err))
	}
	if !strings.Contains(markup, `"brush":true`) {
		panic(fmt.Errorf("widget: NewSelection: %v has no brush; call Brush", chart))
	}
	field := NewText("", "null")
	field.Layout().Set("display", "none")
	// The front end has the elements of widgets and of outputs in one document.
	name := "gosphere-rows-" + field.ID()
	field.Set("_dom_classes", []string{name})
	output := NewOutput()
	data, _ := display.Bundle(chart)
	output.add([]any{dataOutput(protocol.MimeBundle{
		"text/html":  `<div class="gosphere-selection" data-rows="` + name + "\">\n" + markup + "\n<script>\n" + selectionScript + "</script>\n</div>",
		"text/plain": data["text/plain"],
	}, map[string]any{})})
	return &Selection{NewVBox(output, field), field}
}

// Selected returns the indices of the chosen rows in the data of the chart, in the order in which
// they are drawn, or nil if nothing is chosen. An empty list is a choice of no rows.
func (s *Selection) Selected() []int {
	var rows []int
	if err := json.Unmarshal([]byte(s.field.Value()), &rows); err != nil {
		return nil // what a front end sent is no list of rows
	}
	return rows
}

// OnChange adds a function that is called with the chosen rows after each change.
func (s *Selection) OnChange(f func(rows []int)) {
	s.field.OnChange(func(string) { f(s.Selected()) })
}

// Any returns the chosen rows.
func (s *Selection) Any() any { return s.Selected() }

// OnAnyChange adds a function that is called after each change.
func (s *Selection) OnAnyChange(f func()) { s.field.OnAnyChange(f) }
