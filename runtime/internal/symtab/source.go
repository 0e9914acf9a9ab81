package symtab

import (
	"gosphere/runtime/cell"
	"gosphere/runtime/internal/machine"
)

// A Source says where the text of a cell is from. Functions of package runtime report positions in
// the source; errors and the debugger use those of the cell.
type Source struct {
	File string // "" if the cell is from no file
	Line int    // of the first line of the cell in the file
	// Directives are the //line directives of the cell, in order. Each determines the positions from
	// the next line on.
	Directives []cell.LineDirective
}

// SetSource sets the source of the cell whose positions have a file name. If s is nil, the cell has
// no source, which is the usual case.
func SetSource(m *machine.Machine, file string, s *Source) {
	if s == nil {
		m.Sources.Delete(file)
		return
	}
	m.Sources.Store(file, s)
}

// inFile returns a position in a cell as a position in the source of the cell. It returns other
// positions as they are.
//
// The last directive before the line counts, so the list is searched from its end.
func inFile(m *machine.Machine, file string, line int) (string, int) {
	if m == nil {
		return file, line
	}
	found, ok := m.Sources.Load(file)
	if !ok {
		return file, line
	}
	s := found.(*Source)
	for i := len(s.Directives) - 1; i >= 0; i-- {
		if d := s.Directives[i]; d.At < line {
			return d.File, d.Line + line - d.At - 1
		}
	}
	if s.File == "" {
		return file, line
	}
	return s.File, s.Line + line - 1
}
