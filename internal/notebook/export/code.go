package export

import (
	"go/scanner"
	"go/token"
	"html"
	"strings"
)

// codeStyle is the style sheet of colored code.
const codeStyle = `.go-k { color: #8250df; } .go-s { color: #0a5a2e; } .go-m { color: #0550ae; } .go-c { color: #5f6873; font-style: italic; }
.go-f { color: #953800; } .go-g { color: #5f6873; font-weight: 600; }
@media screen and (prefers-color-scheme: dark) {
  .go-k { color: #c8a2ff; } .go-s { color: #8fd3a6; } .go-m { color: #84bdff; } .go-c, .go-g { color: #909aa6; } .go-f { color: #ffb27d; }
}
`

// A span is a colored range of a source, given by two offsets.
type span struct {
	from, to int
	class    string
}

// codeHTML returns the source of a code cell as HTML, colored by Go tokens. Lines with magics and
// text that is not Go are not colored. Coloring never changes the text.
func codeHTML(source string) string {
	source = strings.ReplaceAll(strings.TrimRight(source, "\n"), "\r", "")
	var b strings.Builder
	b.WriteString(`<div class="source"><pre><code>`)
	at := 0
	for _, s := range spans(source) {
		if s.from < at {
			continue // a line of a comment that looks like a magic
		}
		b.WriteString(html.EscapeString(source[at:s.from]))
		b.WriteString(`<span class="go-` + s.class + `">` + html.EscapeString(source[s.from:s.to]) + "</span>")
		at = s.to
	}
	b.WriteString(html.EscapeString(source[at:]))
	b.WriteString("</code></pre></div>\n")
	return b.String()
}

// spans returns the colored ranges in order.
func spans(source string) []span {
	if strings.HasPrefix(strings.TrimSpace(source), "%%") { // the lines below are in another language
		return nil
	}
	magics, code := splitMagics(source)
	file := token.NewFileSet().AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, code, func(token.Position, string) {}, scanner.ScanComments)
	var list []span
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		from := file.Offset(pos)
		for len(magics) > 0 && magics[0].from < from {
			list, magics = append(list, magics[0]), magics[1:]
		}
		if class := classOf(tok, code, from+len(literal)); class != "" && literal != "" {
			list = append(list, span{from, from + len(literal), class})
		}
	}
	return append(list, magics...)
}

// splitMagics returns the lines that begin with a percent sign, outside raw strings, and the source
// with these lines blanked.
func splitMagics(source string) (magics []span, code []byte) {
	code = []byte(source)
	for at, line := range lines(source) {
		if strings.HasPrefix(line, "%") && strings.Count(source[:at], "`")%2 == 0 {
			magics = append(magics, span{at, at + len(line), "g"})
			copy(code[at:], strings.Repeat(" ", len(line)))
		}
	}
	return magics, code
}

// lines yields the lines of a source with their offsets.
func lines(source string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		at := 0
		for line := range strings.SplitSeq(source, "\n") {
			if !yield(at, line) {
				return
			}
			at += len(line) + 1
		}
	}
}

// classOf returns the style class of a token that ends before an offset of the source, or "" for
// none.
func classOf(tok token.Token, code []byte, end int) string {
	switch {
	case tok.IsKeyword():
		return "k"
	case tok == token.STRING || tok == token.CHAR:
		return "s"
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return "m"
	case tok == token.COMMENT:
		return "c"
	case tok == token.IDENT && end < len(code) && code[end] == '(':
		return "f"
	}
	return ""
}
