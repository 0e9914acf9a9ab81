package export

import (
	"fmt"
	"html"
	"strings"

	"gosphere/kernel/nbformat"
	"gosphere/plotting/chart"
)

// vegaLite is the type of interactive figures.
const vegaLite = "application/vnd.vegalite.v5+json"

// chartScript is the script of the interactive figures of a page. It writes texts as texts and
// loads nothing, so that figures of any notebook may use it.
var chartScript = "\n" + chart.Script() + "\n"

// chartHTML returns an output of package chart with what its script needs; "" for other outputs.
// Readers without scripts see the picture.
func chartHTML(o *nbformat.Output) string {
	picture := textOf(o, "image/png")
	if o.Data[vegaLite] == nil || !encoded.MatchString(picture) {
		return ""
	}
	image := fmt.Sprintf(`<img src="data:image/png;base64,%s" alt="%s"%s>`, strings.Join(strings.Fields(picture), ""),
		html.EscapeString(textOf(o, "text/plain")), size(o, "image/png"))
	markup, _ := chart.Page(o.Data[vegaLite], image)
	return markup
}

// withCharts adds the script of interactive figures to a body that has some, and returns the
// scripts that the page needs.
func withCharts(body string) (changed string, scripts []string) {
	if !strings.Contains(body, `<div class="gosphere-chart"><img `) {
		return body, nil
	}
	return body + "<script>" + chartScript + "</script>\n", []string{chartScript}
}
