package magic

import "strings"

// A line of a cell with what comes before it.
type line struct {
	text   string // with its newline, if there is one
	offset int    // in bytes
	magic  bool   // begins with % or ! where a magic is meant
	nested bool   // inside brackets
}

// lines cuts a source into lines and finds the magics among them. What is written in a
// magic is no Go: its quotes and brackets open nothing.
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

// isShell tells a command from the negation of a Go expression in brackets.
func isShell(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest != "" && rest[0] != '(' && rest[0] != '='
}

// A state is what stands open at the end of a line of Go.
type state struct {
	raw       bool // a raw string
	comment   bool // a general comment
	depth     int  // brackets
	continues bool // the last token waits for an operand
}

// within tells that the next line begins inside a literal or a comment.
func (s *state) within() bool { return s.raw || s.comment }

// read goes over one line of Go.
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

// leave looks for what closes a literal or a comment and returns how much of text it takes.
func (s *state) leave(text, closing string, open *bool) int {
	end := strings.Index(text, closing)
	if end < 0 {
		return len(text)
	}
	*open = false
	return end + len(closing)
}

// quoted is the length of the string or character at the beginning of text. Without a
// closing quote it goes to the end of the line.
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

// token looks at one byte outside literals and comments.
func (s *state) token(text string, i int) {
	switch b := text[i]; b {
	case ' ', '\t', '\r', '\n':
	case '(', '[', '{':
		s.depth++
		s.continues = false // a line may begin there
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
