package export

import (
	_ "embed"
	"errors"
	"strings"

	"gosphere/notebooks/format"
)

//go:embed slides.css
var slidesStyle string

//go:embed slides.js
var slidesScript string

// The kinds of cells in a presentation, as Jupyter's metadata slideshow.slide_type name them; any other continues the slide.
const (
	newSlide    = "slide"
	newSubslide = "subslide"
	fragment    = "fragment"
	notes       = "notes"
	skipped     = "skip"
)

// Slides returns the notebook as a presentation in one page, by the slide types of its cells: arrow keys, the space bar and
// touches move on, a fragment appears with the next step, S shows the notes. A notebook without slide types is an error.
func Slides(notebook *format.Notebook, options Options) ([]byte, error) {
	var body strings.Builder
	open, any := false, false
	for _, cell := range notebook.Cells {
		kind := slideType(cell)
		any = any || kind != ""
		if kind == skipped {
			continue
		}
		if kind == newSlide || kind == newSubslide || !open {
			if open {
				body.WriteString("</article>\n")
			}
			body.WriteString("<article>\n")
			open = true
		}
		markup, err := cellHTML(cell, options)
		if err != nil {
			return nil, err
		}
		switch kind {
		case fragment:
			markup = "<div class=\"fragment\">\n" + markup + "</div>\n"
		case notes:
			markup = "<aside>\n" + markup + "</aside>\n"
		}
		body.WriteString(markup)
	}
	if !any {
		return nil, errors.New("no cell says that it begins a slide: choose slide types in JupyterLab's property inspector (the gear-wheels on the right), " +
			`which write "slideshow": {"slide_type": "slide"} into the cells' metadata`)
	}
	if open {
		body.WriteString("</article>\n")
	}
	body.WriteString("<footer></footer>\n<script>\n" + slidesScript + "</script>\n")
	return page(title(notebook, options), pageStyle+slidesStyle, body.String()), nil
}

func slideType(cell *format.Cell) string {
	show, _ := cell.Metadata["slideshow"].(map[string]any)
	kind, _ := show["slide_type"].(string)
	if kind == "-" {
		return ""
	}
	return kind
}
