package cell

import (
	"go/scanner"
	"go/token"
	"strings"
)

// A Status reports whether a cell can be run in its present form. A fourth status of the protocol,
// "unknown", is not used.
type Status string

// The results of IsComplete, with the values of the Jupyter protocol.
const (
	Complete   Status = "complete"
	Incomplete Status = "incomplete" // additional lines can make it complete
	Invalid    Status = "invalid"    // no additional lines can make it complete
)

// IsComplete reports whether a cell is ready to run. For an incomplete cell, indent is the white
// space with which its next line should begin. A console calls it after each line and then asks for
// another line, or sends the cell; an invalid cell is sent, so that the user sees the error.
//
// For instance "for i := range 3 {" and "x +" are incomplete, with an indent of one tab, and ")" is
// invalid.
func IsComplete(source string) (status Status, indent string) {
	if opened, ok := unterminated(source); ok {
		if opened {
			return Incomplete, ""
		}
		return Invalid, ""
	}
	list := scan(source)
	depth, end := 0, 0
	for _, l := range list {
		switch l.token {
		case token.COMMENT, token.SEMICOLON:
			continue
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		end = l.end
	}
	fset := token.NewFileSet()
	_, err := parse(fset, 0, source, false)
	if err == nil {
		return Complete, ""
	}
	// If the parser misses something after the last token, additional lines can supply it. The two
	// files are parsed separately, so all errors must be there.
	place := errorAt(0, source, 1+strings.Count(source[:end], "\n"), end-strings.LastIndex(source[:end], "\n"), "")
	for _, e := range err.(Errors) {
		if e.Line < place.Line || e.Line == place.Line && e.Column < place.Column {
			return Invalid, ""
		}
	}
	// A closing bracket too many is not mended by further lines.
	if depth < 0 {
		return Invalid, ""
	}
	return Incomplete, strings.Repeat("\t", depth+continuation(list))
}

// unterminated reports whether source contains a literal or comment without an end. open reports
// whether additional lines can supply the end, as for raw strings and comments of several lines. A
// string in double quotes and a rune cannot continue on the next line, so they are invalid.
func unterminated(source string) (open, found bool) {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(source)), []byte(source), func(_ token.Position, message string) {
		found = true
		open = message == "raw string literal not terminated" || message == "comment not terminated"
	}, 0)
	for !found {
		if _, tok, _ := s.Scan(); tok == token.EOF {
			break
		}
	}
	return open, found
}

// continuation returns 1 if the text ends in an operator or a dot, so that the next line continues
// the expression, and 0 otherwise. For instance "x := a +" or "figure." needs another line. An open
// bracket has been counted already.
func continuation(list []lexeme) int {
	for i := len(list) - 1; i >= 0; i-- {
		switch tok := list[i].token; {
		case tok == token.COMMENT, tok == token.SEMICOLON && list[i].literal == "\n":
			continue
		case tok == token.LPAREN, tok == token.LBRACK, tok == token.LBRACE, tok == token.COMMA, tok == token.COLON:
			return 0
		case tok == token.RPAREN, tok == token.RBRACK, tok == token.RBRACE, tok == token.SEMICOLON, tok == token.INC, tok == token.DEC:
			return 0 // go/token counts these as operators, but they end an operand or a statement
		case tok.IsOperator():
			return 1
		}
		return 0
	}
	return 0
}
