package widget

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/kernel/protocol"
)

// A lined widget has a text form. All widgets of this package do.
type lined interface {
	lines(above []*Model) []string
}

// lines returns the text form of a widget: a line with label and value, for a box the lines of its
// children, for an output its text. Above are the enclosing boxes; a box that contains itself is
// written once.
func (m *Model) lines(above []*Model) []string {
	m.mu.Lock()
	own, children, titles := m.text(), slices.Clone(m.children), []string(nil)
	if list, ok := m.state["titles"].([]string); ok && len(list) == len(children) {
		titles = list
	}
	if given, ok := m.state["children"].([]string); ok && !slices.Equal(given, references(children)) {
		children = nil // set by their ids, which may be those of any widgets
	}
	outputs, _ := m.state["outputs"].([]any)
	m.mu.Unlock()
	var list []string
	if !slices.Contains(above, m) {
		for i, child := range children {
			if titles != nil {
				list = append(list, titles[i]+":")
			}
			list = append(list, linesOf(child, append(slices.Clone(above), m))...)
		}
	}
	for _, output := range outputs {
		list = append(list, linesOfOutput(output)...)
	}
	if len(list) == 0 && (m.name != outputKind.name || above == nil) { // an empty output in a box has no line
		return []string{own}
	}
	return list
}

// linesOf returns the text form of a child of a box.
func linesOf(w Widget, above []*Model) []string {
	if own, ok := w.(lined); ok {
		return own.lines(above)
	}
	if text, ok := w.MimeBundle()["text/plain"].(string); ok {
		return strings.Split(text, "\n")
	}
	return []string{fmt.Sprintf("%T", w)}
}

// linesOfOutput returns the text of an output of a notebook, or nil if it has none.
func linesOfOutput(output any) []string {
	fields, _ := output.(map[string]any)
	text, _ := fields["text"].(string)
	if data, ok := fields["data"].(protocol.MimeBundle); ok {
		text, _ = data["text/plain"].(string)
	}
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
