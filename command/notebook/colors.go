package notebook

import (
	"go/scanner"
	"go/token"
	"strings"
)

// The colors of tokens, as terminals number them.
const (
	keywordColor = "\x1b[35m"
	literalColor = "\x1b[33m"
	numberColor  = "\x1b[36m"
	commentColor = "\x1b[90m"
	noColor      = "\x1b[0m"
)

// colored returns the text of a cell with its tokens in colors. Without the sequences of the colors it is the same text.
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
