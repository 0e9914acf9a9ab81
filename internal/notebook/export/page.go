// Package export converts notebooks for readers without Jupyter: a page, slides, Markdown with a
// folder of figures, and figures with the LaTeX lines that include them. The result never loads
// anything from a network.
//
// Read page.go (the page), then markdown.go (text cells), code.go and output.go (code cells),
// slides.go and latex.go; seal.go distinguishes exported files from edited ones.
//
//	page, err := export.HTML(notebook, export.Options{Title: "Quickstart", Folder: "notebooks"})
package export

import (
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"

	"gosphere/kernel/nbformat"
)

// Options configure the export of a notebook.
type Options struct {
	// Title is used if no text cell begins with a heading.
	Title string
	// Folder is the folder of pictures that text cells name by relative paths.
	Folder string
	// HideCode omits the source of code cells.
	HideCode bool
	// Live is an address at which a reader can run the notebook in the browser, or "". Pages link
	// to it.
	Live string
	// Trust keeps the active content of the notebook: scripts, handlers of events, and raw HTML.
	Trust bool
}

//go:embed page.css
var pageStyle string

// HTML returns the notebook as one page that contains all pictures. Formulas are MathML.
func HTML(notebook *nbformat.Notebook, options Options) ([]byte, error) {
	var body strings.Builder
	body.WriteString("<main>\n")
	if options.Live != "" {
		body.WriteString(`<p class="live"><a href="` + html.EscapeString(options.Live) + "\">Run in the browser</a></p>\n")
	}
	for _, cell := range notebook.Cells {
		markup, err := cellHTML(cell, options)
		if err != nil {
			return nil, err
		}
		body.WriteString(markup)
	}
	body.WriteString("</main>\n")
	content, scripts := withCharts(body.String())
	return page(title(notebook, options), pageStyle, content, options, scripts...), nil
}

// page returns a document with a body, in which the given scripts may run.
func page(title, style, body string, options Options, scripts ...string) []byte {
	policy := restricted(scripts...)
	if options.Trust {
		policy = trusting
	}
	return []byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		`<meta http-equiv="Content-Security-Policy" content="` + policy + "\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + html.EscapeString(title) + "</title>\n<style>\n" +
		style + codeStyle + "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n")
}

// title returns the first heading of the notebook.
func title(notebook *nbformat.Notebook, options Options) string {
	for _, cell := range notebook.Cells {
		if cell.Type != nbformat.Markdown {
			continue
		}
		for _, block := range blocks(cell.Source) { // code may contain lines that look like headings
			if heading, level := headingOf(block); level == 1 {
				return heading
			}
		}
	}
	return options.Title
}

// foldedHTML writes the source of a code cell, folded where the cell says so.
func foldedHTML(cell *nbformat.Cell) string {
	if !isFolded(cell) {
		return codeHTML(cell.Source)
	}
	lines := 1 + strings.Count(strings.TrimSpace(cell.Source), "\n")
	return fmt.Sprintf("<details class=\"folded\"><summary>Code (%d lines)</summary>\n%s</details>\n", lines, codeHTML(cell.Source))
}

// isFolded reports whether the source of a cell is folded: JupyterLab writes jupyter.source_hidden,
// Jupyter Book has the tag hide-input.
func isFolded(cell *nbformat.Cell) bool {
	jupyter, _ := cell.Metadata["jupyter"].(map[string]any)
	hidden, _ := jupyter["source_hidden"].(bool)
	tags, _ := cell.Metadata["tags"].([]any)
	return hidden || slices.Contains(tags, any("hide-input"))
}

// cellHTML returns one cell as HTML.
func cellHTML(cell *nbformat.Cell, options Options) (string, error) {
	switch cell.Type {
	case nbformat.Markdown:
		text, err := markdownHTML(cell, options)
		return "<section class=\"text\" id=\"" + html.EscapeString(cell.ID) + "\">\n" + text + "</section>\n", err
	case nbformat.Raw:
		if isFor(cell, "text/html") {
			return sanitized(cell.Source, options) + "\n", nil
		}
		return "", nil // for other programs
	}
	class, outputs := "code", ""
	for i := range cell.Outputs {
		if isPicture(&cell.Outputs[i]) {
			class = "code pictures" // on slides they are next to the code
		}
		outputs += outputHTML(&cell.Outputs[i], options)
	}
	var text strings.Builder
	text.WriteString("<section class=\"" + class + "\" id=\"" + html.EscapeString(cell.ID) + "\">\n")
	if !options.HideCode && strings.TrimSpace(cell.Source) != "" {
		text.WriteString(foldedHTML(cell))
	}
	if outputs != "" {
		text.WriteString("<div class=\"results\">\n" + outputs + "</div>\n")
	}
	text.WriteString("</section>\n")
	return text.String(), nil
}
