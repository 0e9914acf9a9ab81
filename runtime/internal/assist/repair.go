package assist

import (
	"go/scanner"
	"go/token"
	"strings"

	"gosphere/runtime/cell"
)

// placeholder replaces the identifier that is being completed. An empty identifier would be
// invalid, and a partial one can have a different meaning. It begins like all reserved names of
// package check.
const placeholder = "cell__cursor"

// parseDraft parses a cell that may be incomplete, keeping everything up to offset keep. The rest
// of the piece at keep may be cut off, and other pieces with syntax errors are omitted. Offsets up
// to keep are unchanged. It returns nil if the text cannot be repaired. The caller must call Forget
// on the result. Pieces are repaired one by one, so a mistake far from the cursor costs only its
// own piece, and what the other pieces declare is known.
func parseDraft(code string, keep int) *cell.Cell {
	if c, err := cell.Parse(0, code); err == nil {
		return c
	}
	pieces := cell.Pieces(code)
	var draft strings.Builder
	for _, p := range pieces {
		text := code[p.Start:p.End]
		switch {
		// The piece with the cursor is completed, not omitted.
		case p.Start <= keep && keep <= p.CodeEnd && p.Code < keep:
			draft.WriteString(repair(text, keep-p.Start))
		case parses(text):
			draft.WriteString(text)
		default:
			draft.WriteString(blank(text))
		}
	}
	c, err := cell.Parse(0, draft.String())
	if err != nil {
		return nil
	}
	return c
}

// parses reports whether a text is a valid cell.
func parses(text string) bool {
	c, err := cell.Parse(0, text)
	if err == nil {
		c.Forget()
	}
	return err == nil
}

// blank returns white space with the length and lines of text. Each byte becomes a space, so that
// offsets do not change.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(toASCII(text), " "))
}

// toASCII replaces every non-ASCII byte by a blank, which preserves the length.
func toASCII(text string) string {
	b := []byte(text)
	for i := range b {
		if b[i] >= 0x80 {
			b[i] = ' '
		}
	}
	return string(b)
}

// repair makes a piece of code parse by cutting it off at keep and completing it: with closing
// brackets, and with the parts that a statement needs before or between those. As a last resort it
// keeps only the expression before keep, in its position. For instance, with | for the cursor and i
// for the name there:
//
//	x := f(a, i|          becomes  x := f(a, i)
//	if i|                 becomes  if i{}
//	for _, v := range i|  becomes  for _, v := range i{}
//	switch { case i|      becomes  switch { case i:}
//
// Each candidate costs a parse of the piece, and there are at most seven times the number of open
// brackets.
func repair(text string, keep int) string {
	if parses(text) {
		return text
	}
	head := text[:keep]
	closers := openBrackets(head)
	for _, insert := range []string{"", "{}", ":", "()", "; {}", " x", ".x"} {
		for i := 0; i <= len(closers); i++ {
			candidate := head + closers[:i] + insert + closers[i:]
			if parses(candidate) {
				return candidate + "\n"
			}
			// Without an insertion all positions are the same.
			if insert == "" {
				break
			}
		}
	}
	start := expressionBefore(head)
	if candidate := blank(head[:start]) + head[start:]; parses(candidate) {
		return candidate + "\n"
	}
	return blank(text)
}

// openBrackets returns the brackets that close the open ones of a text, inner ones first. A closing
// bracket removes the innermost open one, whatever its kind. For instance of "f(a[1], g{" it
// returns "})".
func openBrackets(text string) string {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(text)), []byte(text), func(token.Position, string) {}, 0)
	open := ""
	for {
		_, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return open
		case token.LPAREN:
			open = ")" + open
		case token.LBRACK:
			open = "]" + open
		case token.LBRACE:
			open = "}" + open
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if open != "" {
				open = open[1:]
			}
		}
	}
}

// expressionBefore returns the start of the chain of names, dots, calls and indices at the end of a
// text. For instance in "for x in a.b(1).c" it is the start of "a.b(1).c". Text that is not an
// expression, such as an unfinished for statement, is thereby reduced to what can be typed.
func expressionBefore(text string) int {
	i := len(text)
	for i > 0 {
		c := text[i-1]
		switch {
		case c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			i--
		case c == ')' || c == ']':
			opening := matching(text[:i])
			if opening < 0 {
				return i
			}
			i = opening
		default:
			return i
		}
	}
	return i
}

// matching returns the offset of the bracket that the last character of text closes, or -1 if there
// is none. Brackets in strings are counted as well, which at worst yields a shorter expression.
func matching(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// A surrounding is the kind of text that contains a cursor.
type surrounding int

const (
	inCode surrounding = iota
	inComment
	inString
	inImportPath
)

// surroundingOf returns the kind of text at an offset of code. For a string, start is the offset
// after its opening quote. A string or comment that is not closed extends to the end of the line,
// or of the text.
func surroundingOf(code string, offset int) (where surrounding, start int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, scanner.ScanComments)
	importing, depth := false, 0
	for {
		pos, tok, literal := s.Scan()
		at := file.Offset(pos)
		if tok == token.EOF || at >= offset {
			return inCode, 0
		}
		end := at + len(literal)
		switch tok {
		case token.COMMENT:
			if offset <= end && (strings.HasPrefix(literal, "//") || offset < end || !strings.HasSuffix(literal, "*/")) {
				return inComment, 0
			}
		case token.STRING, token.CHAR:
			closed := len(literal) > 1 && literal[len(literal)-1] == literal[0]
			if offset < end || offset == end && !closed {
				if importing && tok == token.STRING {
					return inImportPath, at + 1
				}
				return inString, at + 1
			}
		case token.IMPORT:
			importing, depth = true, 0
		case token.LPAREN:
			depth++
		case token.RPAREN:
			depth--
		case token.SEMICOLON:
			importing = importing && depth > 0
		}
	}
}
