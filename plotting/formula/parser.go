package formula

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// deepest is the largest nesting depth of groups.
const deepest = 100

// A parser parses a formula from left to right.
type parser struct {
	rest  string
	depth int
	font  Font
}

// row parses up to a closing token and consumes it.
func (p *parser) row(closing string) (Node, error) {
	if p.depth++; p.depth > deepest {
		return nil, errors.New("groups are nested too deeply")
	}
	defer func() { p.depth-- }()
	row := Row{}
	for {
		p.blanks()
		if p.rest == "" {
			if closing != "" {
				return nil, fmt.Errorf("%s is missing", closing)
			}
			return row.simple(), nil
		}
		if closing != "" && p.take(closing) {
			return row.simple(), nil
		}
		base, err := p.atom()
		if err != nil {
			return nil, err
		}
		piece, err := p.indices(base)
		if err != nil {
			return nil, err
		}
		row = row.with(piece)
	}
}

// simple returns the only part of a row, or the row itself.
func (r Row) simple() Node {
	if len(r) == 1 {
		return r[0]
	}
	return r
}

// with appends a part; consecutive letters of one font form one word.
func (r Row) with(piece Node) Row {
	if letter, ok := piece.(Letter); ok && len(r) > 0 {
		if before, ok := r[len(r)-1].(Letter); ok && letter.Font != "" && letter.Font == before.Font {
			r[len(r)-1] = Letter{before.Text + letter.Text, letter.Font}
			return r
		}
	}
	return append(r, piece)
}

func (p *parser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t\r\n~") }

// take consumes a token at the beginning and reports whether it was there. A command must match as
// a whole word.
func (p *parser) take(token string) bool {
	if !strings.HasPrefix(p.rest, token) {
		return false
	}
	if last := token[len(token)-1]; token[0] == '\\' && isLetter(last) && len(p.rest) > len(token) && isLetter(p.rest[len(token)]) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// command parses the name of a command after its backslash.
func (p *parser) command() string {
	p.rest = p.rest[1:]
	n := 0
	for n < len(p.rest) && isLetter(p.rest[n]) {
		n++
	}
	if n == 0 && p.rest != "" {
		_, n = utf8.DecodeRuneInString(p.rest)
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name
}

// argument parses a group in braces, or a single letter, digit or command.
func (p *parser) argument() (Node, error) {
	p.blanks()
	if p.take("{") {
		return p.row("}")
	}
	switch {
	case p.rest == "" || p.rest[0] == '^' || p.rest[0] == '_':
		return nil, errors.New("an argument is missing")
	case unicode.IsDigit(rune(p.rest[0])): // x^12 is x^1 2
		digit := p.rest[:1]
		p.rest = p.rest[1:]
		return Number{digit, p.font}, nil
	}
	return p.atom()
}

// words returns the unparsed content of a group in braces.
func (p *parser) words() (string, error) {
	p.blanks()
	if !p.take("{") {
		return "", errors.New("{ is missing")
	}
	level := 1
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++ // the next letter is not a brace
		case '{':
			level++
		case '}':
			if level--; level == 0 {
				text := p.rest[:i]
				p.rest = p.rest[i+1:]
				return text, nil
			}
		}
	}
	return "", errors.New("} is missing")
}

// atom parses one letter, number, group or command. The rest must not be empty.
func (p *parser) atom() (Node, error) {
	first, size := utf8.DecodeRuneInString(p.rest)
	switch {
	case first == '{':
		p.rest = p.rest[1:]
		return p.row("}")
	case first == '\\':
		return p.commandAtom()
	case first >= '0' && first <= '9':
		return p.number(), nil
	case first == '}' || first == '&' || first == '#' || first == '%' || first == '$':
		return nil, fmt.Errorf("%c is not expected", first)
	case first == '^' || first == '_':
		return Row{}, nil // indices without a base
	}
	p.rest = p.rest[size:]
	if unicode.IsLetter(first) {
		return Letter{string(first), p.font}, nil
	}
	return sign(string(first)), nil
}

// number parses digits with their decimal point; a full stop after them ends a sentence.
func (p *parser) number() Node {
	n := strings.IndexFunc(p.rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if n < 0 {
		n = len(p.rest)
	}
	number := p.rest[:n]
	if trimmed := strings.TrimRight(number, "."); trimmed != "" {
		number = trimmed
	}
	p.rest = p.rest[len(number):]
	return Number{number, p.font}
}

// sign returns an operator as it is typeset.
func sign(text string) Sign {
	switch text {
	case "-":
		return "−"
	case "*":
		return "∗"
	case "'":
		return "′"
	}
	return Sign(text)
}

// indices parses the subscript and superscript of a part.
func (p *parser) indices(base Node) (Node, error) {
	s := Scripted{Base: base, Limits: hasLimits(base)}
	primes := false // only primes so far
	for {
		p.blanks()
		var err error
		switch {
		case p.take(`\limits`):
			s.Limits = true
		case p.take(`\nolimits`):
			s.Limits = false
		case strings.HasPrefix(p.rest, "'"):
			if s.Above != nil {
				return nil, errTwice
			}
			n := len(p.rest) - len(strings.TrimLeft(p.rest, "'"))
			p.rest = p.rest[n:]
			s.Above, primes = Sign(strings.Repeat("′", n)), true
		case p.take("_"):
			if s.Below != nil {
				return nil, errTwice
			}
			s.Below, err = p.argument()
		case p.take("^"):
			if s.Above != nil && !primes {
				return nil, errTwice
			}
			var above Node
			above, err = p.argument()
			if primes { // primes precede it
				above = Row{s.Above, above}
			}
			s.Above, primes = above, false
		case s.Below == nil && s.Above == nil:
			return base, nil
		default:
			return s, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// errTwice is the error for formulas such as x_1_2.
var errTwice = errors.New("two indices or two exponents stand at one piece; use braces")

// hasLimits reports whether displayed formulas place the indices of a part below and above it.
func hasLimits(base Node) bool {
	switch base := base.(type) {
	case Large:
		return !integrals[string(base)]
	case Function:
		return limiting[string(base)]
	case Accent:
		return strings.HasSuffix(base.Name, "brace")
	}
	return false
}
