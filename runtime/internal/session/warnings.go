package session

import (
	"fmt"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/link"
)

// warnings reports suspicious code on the stderr of a cell before it runs. The same warning about
// the same line is reported once per session, so that rerunning a cell does not repeat it. The
// environment variable GOSPHERE_WARNINGS=off disables warnings.
//
// A warning never prevents a cell from running. Suspicious code is often deliberate in a notebook.
type warnings struct {
	off  bool
	seen map[string]bool
}

// warn publishes the warnings about a cell that has been compiled.
func warn(s *Session, e *call, c *check.Checked, source string, program *link.Program) {
	s.warnings.show(s.checker, c, source, s.options.Notebook.Warnings, e.publish)
	s.staleClosures.look(c, program.Follow, e.publish)
	warnRenewed(program.Renewed, e.publish)
}

// show publishes the new warnings about a cell with this source. Only the running cell calls it.
func (w *warnings) show(s *check.Session, c *check.Checked, source string, analyze func(*check.Checked, func(int, string)), publish func(protocol.Content)) {
	if w.off {
		return
	}
	// The analyses look names up in the package of all cells, which a check would change.
	type warning struct {
		line    int
		message string
	}
	var found []warning
	s.Undisturbed(func() { analyze(c, func(line int, message string) { found = append(found, warning{line, message}) }) })
	if len(found) == 0 {
		return
	}
	lines := strings.Split(source, "\n") // the user's text; magics keep the number of lines
	var text strings.Builder
	for _, warning := range found {
		line := strings.TrimSpace(lines[warning.line-1])
		// The key has the text of the line and not its number, since cells are edited and rerun.
		key := line + "\n" + warning.message
		if w.seen[key] {
			continue
		}
		if w.seen == nil {
			w.seen = map[string]bool{}
		}
		w.seen[key] = true
		fmt.Fprintf(&text, "warning: line %d: %s\n    %s\n", warning.line, warning.message, line)
	}
	if text.Len() > 0 {
		publish(protocol.Stream{Name: "stderr", Text: text.String()})
	}
}
