package export

import (
	_ "embed"
	"html"
	"strings"

	"gosphere/kernel/nbformat"
)

//go:embed slides.css
var slidesStyle string

//go:embed slides.js
var slidesScript string

// Slide types of cells, the values of Jupyter's metadata slideshow.slide_type. Any other value
// continues the slide.
const (
	newSlide    = "slide"
	newSubslide = "subslide"
	fragment    = "fragment"
	notes       = "notes"
	skipped     = "skip"
)

// A slide is the content of one screen.
type slide struct {
	body    strings.Builder
	running string // heading of the earlier slide that this one continues; "" for none
	title   bool   // begins with the title of the notebook
}

// Slides returns the notebook as a presentation in one page, by the slide types of its cells. If no
// cell has one, slides start at headings and when the screen is full. Slides that would not fit use
// smaller type. Arrow keys, the space bar and touches move forward, a fragment appears with the
// next step, and ? shows all keys. When printed, each slide is a page.
func Slides(notebook *nbformat.Notebook, options Options) ([]byte, error) {
	make := slidesByType
	if !hasSlideTypes(notebook) {
		make = slidesByRoom
	}
	slides, err := make(notebook, options)
	if err != nil {
		return nil, err
	}
	var body strings.Builder
	for _, s := range slides {
		class := ""
		if s.title {
			class = ` class="title"`
		}
		body.WriteString("<article" + class + ">\n<div class=\"slide\">\n")
		if s.running != "" {
			body.WriteString("<p class=\"running\">" + html.EscapeString(s.running) + "</p>\n")
		}
		body.WriteString(s.body.String() + "</div>\n</article>\n")
	}
	name := title(notebook, options)
	body.WriteString("<footer><span>" + html.EscapeString(name) + "</span><span class=\"number\"></span></footer>\n" + keysHelp)
	body.WriteString("<script>\n" + slidesScript + "</script>\n")
	content, scripts := withCharts(body.String())
	return page(name, pageStyle+slidesStyle, content, options, append(scripts, "\n"+slidesScript)...), nil
}

// keysHelp is shown by the key ?.
const keysHelp = `<table id="help">
<tr><td><kbd>→</kbd> <kbd>space</kbd></td><td>on</td><td><kbd>←</kbd> <kbd>shift</kbd>+<kbd>space</kbd></td><td>back</td></tr>
<tr><td><kbd>Home</kbd> <kbd>End</kbd></td><td>first and last</td><td><kbd>12</kbd> <kbd>Enter</kbd></td><td>slide 12</td></tr>
<tr><td><kbd>o</kbd></td><td>all slides</td><td><kbd>f</kbd></td><td>whole screen</td></tr>
<tr><td><kbd>s</kbd></td><td>notes</td><td><kbd>?</kbd></td><td>these keys</td></tr>
</table>
`

// slidesByType returns slides by the slide types of the cells.
func slidesByType(notebook *nbformat.Notebook, options Options) (slides []*slide, err error) {
	for _, cell := range notebook.Cells {
		kind := slideType(cell)
		if kind == skipped {
			continue
		}
		if kind == newSlide || kind == newSubslide || len(slides) == 0 {
			slides = append(slides, &slide{title: len(slides) == 0 && strings.HasPrefix(cell.Source, "# ")})
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
		slides[len(slides)-1].body.WriteString(markup)
	}
	return slides, nil
}

func hasSlideTypes(notebook *nbformat.Notebook) bool {
	for _, cell := range notebook.Cells {
		if slideType(cell) != "" {
			return true
		}
	}
	return false
}

func slideType(cell *nbformat.Cell) string {
	show, _ := cell.Metadata["slideshow"].(map[string]any)
	kind, _ := show["slide_type"].(string)
	if kind == "-" {
		return ""
	}
	return kind
}
