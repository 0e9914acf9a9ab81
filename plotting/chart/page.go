package chart

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

//go:embed chart.js
var script string

// Script returns the script that makes the figures of a page interactive, which follows them in the
// page. It finds elements of the class gosphere-chart and draws what Page has written into them.
func Script() string {
	var kept []string
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// Page returns a figure for a page with the script: an element with the specification, which
// Chart.VegaLite has returned, and the markup of a picture for readers without scripts. It reports
// false for a specification that is not of this package, or has no form for the script.
func Page(specification any, picture string) (markup string, ok bool) {
	spec, _ := specification.(map[string]any)
	usermeta, _ := spec["usermeta"].(map[string]any)
	meta, _ := usermeta["gosphere"].(map[string]any)
	version := fmt.Sprint(meta["version"])
	if version != fmt.Sprint(metaVersion) {
		return "", false
	}
	// The script needs the marks and their description only.
	needed := map[string]any{"usermeta": usermeta}
	for _, name := range []string{"data", "concat", "title"} {
		if part, has := spec[name]; has {
			needed[name] = part
		}
	}
	text, err := json.Marshal(needed) // which writes < as \u003c
	if err != nil {
		return "", false
	}
	return `<div class="gosphere-chart">` + picture + "\n" + `<script type="application/json">` + string(text) + "</script>\n</div>", true
}

// Interactive returns the chart as HTML with its script, for a page of your own. In a cell, the
// value itself is interactive.
func (c *Chart) Interactive() (string, error) {
	spec, err := c.VegaLite()
	if err != nil {
		return "", err
	}
	markup, ok := Page(spec, `<p>`+html.EscapeString(c.String())+`</p>`)
	if !ok {
		return "", fmt.Errorf("chart: %s has no form for pages", c.String())
	}
	return strings.TrimSuffix(markup, "</div>") + "<script>\n" + Script() + "\n</script>\n</div>", nil
}
