package vet

import (
	"slices"
	"strconv"
	"strings"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
)

// Fix removes the causes of findings where that changes no result, and returns the other findings.
// It removes lines from the last to the first, so that the lines of other findings stay valid.
func Fix(notebook *nbformat.Notebook, findings []Finding) (left []Finding) {
	for _, f := range slices.Backward(findings) {
		if f.fix != nil {
			f.fix(notebook)
		} else {
			left = append(left, f)
		}
	}
	slices.Reverse(left)
	return left
}

// importLine returns the index of the line of an import that has a line of its own: alone or in a
// group.
func importLine(source string, i graph.Import) (index int, ok bool) {
	lines := strings.Split(source, "\n")
	if i.Line > len(lines) {
		return 0, false
	}
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[i.Line-1]), "import "))
	spec := strconv.Quote(i.Path)
	if i.Name != "" {
		spec = i.Name + " " + spec
	}
	return i.Line - 1, strings.TrimSpace(text) == spec
}

// removeLine removes a line of a cell, and the group of imports around it if it is empty then. The
// outputs stay, since an import that nothing uses has no effect.
func removeLine(c *nbformat.Cell, index int) {
	lines := strings.Split(c.Source, "\n")
	lines = slices.Delete(lines, index, index+1)
	if index > 0 && index < len(lines) && strings.TrimSpace(lines[index-1]) == "import (" && strings.TrimSpace(lines[index]) == ")" {
		lines = slices.Delete(lines, index-1, index+1)
	}
	c.Source = strings.TrimLeft(strings.Join(lines, "\n"), "\n")
}
