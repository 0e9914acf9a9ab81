package chart

import (
	"fmt"
	"maps"
	"slices"

	"gosphere/plotting/figure"
)

// Figure returns the chart as a figure of package figure, for instance for figure.Panels.
func (c *Chart) Figure() *figure.Figure {
	switch {
	case c.house != nil:
		return c.house
	case c.arranged != nil:
		return c.arrangement()
	}
	s, err := c.build()
	if err != nil {
		return figure.Failed(fmt.Errorf("chart: %w", err))
	}
	s.resize()
	return figure.Drawing{Kind: c.kindText(), Title: s.title, Note: s.note, Width: s.width, Height: s.height, Paint: s.paint, VegaLite: s.vegaLite}.Figure()
}

// resize sets the size if the user has not.
func (s *scene) resize() {
	if s.width > 0 {
		return
	}
	s.width, s.height = 640, 400
	if s.small && s.panels == nil {
		s.width, s.height = 440, 320
	}
	if a := s.axes[1]; a.kind == names {
		s.height = max(s.height, 90+22*len(a.names))
	}
	if n := len(s.panels); n > 0 {
		rows := (n + s.across - 1) / s.across
		s.height = max(360, 90+170*rows)
		if s.across > 3 {
			s.width = 760
		}
	}
}

// kindText describes the chart.
func (c *Chart) kindText() string {
	var marks []string
	for _, l := range c.layers {
		if !slices.Contains(marks, l.mark) {
			marks = append(marks, l.mark)
		}
	}
	text := "chart"
	for i, mark := range marks {
		text += [...]string{" of ", " and "}[min(i, 1)] + mark
	}
	if l := c.layers[0]; l.x.set() {
		text += ", x " + l.x.text
		if l.y.set() {
			text += ", y " + l.y.text
		}
	}
	return text
}

// arrangement draws charts beside and above each other.
func (c *Chart) arrangement() *figure.Figure {
	var list []*figure.Figure
	for _, child := range c.arranged {
		list = append(list, child.Figure())
	}
	f := figure.Panels(c.across, list...)
	if f.Err() == nil {
		f.Title, f.Note = c.title, c.note
	}
	return f
}

// Err returns the reason why the chart cannot be drawn, or nil.
func (c *Chart) Err() error { return c.Figure().Err() }

// String describes the chart, or returns its error.
func (c *Chart) String() string { return c.Figure().String() }

// DisplaySize returns the size in CSS pixels.
func (c *Chart) DisplaySize() (width, height int) { return c.Figure().DisplaySize() }

// PNG returns the chart as a bitmap with two dots per CSS pixel in each direction.
func (c *Chart) PNG() ([]byte, error) { return c.Figure().PNG() }

// SVG returns the chart as SVG.
func (c *Chart) SVG() ([]byte, error) { return c.Figure().SVG() }

// PDF returns the chart as a PDF page, which LaTeX includes.
func (c *Chart) PDF() ([]byte, error) { return c.Figure().PDF() }

// Save writes the chart to a file in the format of its extension: .png, .svg or .pdf.
func (c *Chart) Save(path string) error { return c.Figure().Save(path) }

// MimeBundle returns the forms of the chart for notebooks: a bitmap, and the Vega-Lite
// specification if there is one with at most 10,000 marks.
func (c *Chart) MimeBundle() (map[string]any, error) {
	f := c.Figure()
	bitmap, err := f.PNG()
	if err != nil {
		return nil, err
	}
	bundle := map[string]any{"text/plain": f.String(), "image/png": bitmap}
	if spec, err := c.VegaLite(); err == nil {
		maps.Copy(bundle, map[string]any{vegaLiteType: spec})
	} else {
		bundle["text/plain"] = f.String() + "\n" + err.Error()
	}
	return bundle, nil
}
