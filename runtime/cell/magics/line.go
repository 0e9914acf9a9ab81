// Package magics finds the magics in the text of cells: %time, %vars, %%writefile, !command and
// others. Expand replaces them by calls of package magic, which runs them, and Blank removes them
// for code that analyzes only the Go of a cell.
//
// Read line.go (which lines are magics), expand.go (how they are expanded) and table.go (the
// commands).
package magics

import "strings"

// A line is a line of a cell and its context.
type line struct {
	text   string // with its newline, if any
	offset int    // in bytes
	magic  bool   // begins with % or ! in a position where a magic is allowed
	nested bool   // inside brackets
}

// lines splits a source into lines and finds the magics among them. The text of a magic is not Go:
// its quotes and brackets open nothing.
func lines(source string) []line {
	var list []line
	var s state
	offset := 0
	for text := range strings.Lines(source) {
		l := line{text: text, offset: offset, nested: s.depth > 0}
		offset += len(text)
		if word := strings.TrimLeft(text, " \t"); !s.within() && word != "" && !s.continues {
			l.magic = word[0] == '%' || word[0] == '!' && !l.nested && isShell(word[1:])
		}
		if !l.magic {
			s.read(text)
		} else if timed, found := timing(text); found {
			s.read(timed)
		}
		list = append(list, l)
	}
	return list
}

// isShell distinguishes a command from the negation of a Go expression in brackets.
func isShell(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest != "" && rest[0] != '(' && rest[0] != '='
}

// A state describes what is open at the end of a line of Go.
type state struct {
	raw       bool // inside a raw string
	comment   bool // inside a general comment
	depth     int  // nesting of brackets
	continues bool // the last token requires an operand
}

// within reports whether the next line begins inside a raw string or a comment.
func (s *state) within() bool { return s.raw || s.comment }

// read processes one line of Go.
func (s *state) read(text string) {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case s.raw:
			i += s.leave(rest, "`", &s.raw)
			s.continues = false
		case s.comment:
			i += s.leave(rest, "*/", &s.comment)
		case strings.HasPrefix(rest, "//"):
			return
		case strings.HasPrefix(rest, "/*"):
			s.comment = true
			i += 2
		case rest[0] == '`':
			s.raw = true
			i++
		case rest[0] == '"' || rest[0] == '\'':
			i += quoted(rest)
			s.continues = false
		default:
			s.token(text, i)
			i++
		}
	}
}

// leave searches for the end of a raw string or comment and returns how much of text it spans.
func (s *state) leave(text, closing string, open *bool) int {
	end := strings.Index(text, closing)
	if end < 0 {
		return len(text)
	}
	*open = false
	return end + len(closing)
}

// quoted returns the length of the string or character literal at the beginning of text. Without a
// closing quote it extends to the end of the line.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

// token processes one byte outside literals and comments.
func (s *state) token(text string, i int) {
	switch b := text[i]; b {
	case ' ', '\t', '\r', '\n':
	case '(', '[', '{':
		s.depth++
		s.continues = false // a line may begin after it
	case ')', ']', '}':
		s.depth = max(s.depth-1, 0)
		s.continues = false
	case '+', '-':
		s.continues = i == 0 || text[i-1] != b // x++ is a statement
	case '*', '/', '%', '&', '|', '^', '<', '>', '=', '!', ',', '.', ':', '~':
		s.continues = true
	default:
		s.continues = false
	}
}
