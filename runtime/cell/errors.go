package cell

import (
	"fmt"
	"go/token"
	"sort"
	"strings"
	"unicode/utf8"
)

// An Error is one mistake in a cell, in the words of the parser or the type checker. Columns are in
// code points because clients and users count characters, while go/token counts bytes.
type Error struct {
	Cell         int // number of the cell
	Line, Column int // 1-based; the column counts code points
	Message      string
	Hint         string // suggested correction; may be ""
}

// Error returns the mistake with its position, such as "Cell [3]:1:5: undefined: x".
func (e Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", FileName(e.Cell), e.Line, e.Column, e.Message)
}

// Errors are the mistakes in one cell, sorted by position.
type Errors []Error

// Error returns all mistakes, one per line.
func (list Errors) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort sorts the errors by position. Of several errors with the same position, or with the same
// message on one line, it keeps one, as gc does. It reuses the array of the list.
func (list Errors) Sort() Errors {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	kept := list[:0]
	for _, e := range list {
		repeated := false
		for i := len(kept) - 1; i >= 0 && kept[i].Line == e.Line; i-- {
			repeated = repeated || kept[i].Column == e.Column || kept[i].Message == e.Message
		}
		if !repeated {
			kept = append(kept, e)
		}
	}
	return kept
}

// FileName returns the file name under which positions in a cell are reported. The session,
// tracebacks and the debugger use the same name, and clients may link it to the cell.
func FileName(number int) string { return fmt.Sprintf("Cell [%d]", number) }

// ErrorAt returns an Error of this cell at a position in its syntax trees. A position after the
// text of the cell is moved to the end of the text. The position has lines and columns of the cell,
// because both files have line comments.
func (c *Cell) ErrorAt(position token.Position, message string) Error {
	return errorAt(c.Number, c.Source, position.Line, position.Column, message)
}

// errorAt returns an Error for a line and a column in bytes. Lines and columns from 1 are clamped
// to the text, because the parser may report an error in the text that follows it.
func errorAt(number int, source string, line, column int, message string) Error {
	lines := strings.Split(source, "\n")
	if line > len(lines) {
		line = len(lines)
		column = len(lines[line-1]) + 1
	}
	line, column = max(line, 1), max(column, 1)
	text := lines[line-1]
	column = min(column, len(text)+1)
	return Error{Cell: number, Line: line, Column: utf8.RuneCountInString(text[:column-1]) + 1, Message: message}
}
