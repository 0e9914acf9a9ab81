package notebook

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Colors of tokens, as numbered by terminals.
const (
	keywordColor = "\x1b[35m"
	literalColor = "\x1b[33m"
	numberColor  = "\x1b[36m"
	commentColor = "\x1b[90m"
	noColor      = "\x1b[0m"
)

// colored returns the source of a cell with colored tokens. Apart from the escape sequences the
// text is unchanged.
func colored(source string) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	var text strings.Builder
	done := 0
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		color := ""
		switch {
		case kind.IsKeyword():
			color = keywordColor
		case kind == token.STRING, kind == token.CHAR:
			color = literalColor
		case kind == token.INT, kind == token.FLOAT, kind == token.IMAG:
			color = numberColor
		case kind == token.COMMENT:
			color = commentColor
		}
		start := file.Offset(pos)
		end := start + len(literal)
		if color == "" || start < done || end > len(source) || source[start:end] != literal {
			continue
		}
		text.WriteString(source[done:start] + color + strings.ReplaceAll(literal, "\n", noColor+"\n"+color) + noColor)
		done = end
	}
	return text.String() + source[done:]
}
