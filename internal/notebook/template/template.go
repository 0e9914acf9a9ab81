// Package template creates notebooks: an empty one, a lesson, or the reproduction of a table or
// figure. All of them can be run unchanged.
package template

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"gosphere/kernel/nbformat"
)

// The texts contain cells between lines "// %%", see [nbformat.FromScript].
//
//go:embed *.txt
var texts embed.FS

// tagVersions marks the cell that shows where a notebook was run.
const tagVersions = "versions"

// Names returns the names of the templates in alphabetical order.
func Names() []string {
	entries, err := texts.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded in the program
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())))
	}
	slices.Sort(names)
	return names
}

// New returns a notebook with a title, from the template with the given name.
func New(name, title string) (*nbformat.Notebook, error) {
	text, err := texts.ReadFile(name + ".txt")
	if err != nil {
		names := Names()
		last := len(names) - 1
		return nil, fmt.Errorf("there is no template %q; there are %s and %s", name, strings.Join(names[:last], ", "), names[last])
	}
	title = strings.Join(strings.Fields(title), " ") // one line
	notebook, _ := nbformat.FromScript(strings.ReplaceAll(string(text), "TITLE", title))
	notebook.Metadata = map[string]any{"kernelspec": map[string]any{"name": "gosphere", "display_name": "Go (gosphere)", "language": "go"}}
	for _, cell := range notebook.Cells {
		if cell.HasTag(tagVersions) {
			cell.Metadata["gosphere"] = map[string]any{"check": map[string]any{"skip": "versions and device belong to the machine"}}
		}
	}
	return notebook, nil
}
