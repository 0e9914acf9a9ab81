package formula

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// commandAtom parses a command with its arguments.
func (p *parser) commandAtom() (Node, error) {
	name := p.command()
	if letter, ok := letters[name]; ok {
		return Letter{letter, p.font}, nil
	}
	if text, ok := signs[name]; ok {
		return Sign(text), nil
	}
	if text, ok := large[name]; ok {
		return Large(text), nil
	}
	if width, ok := spaces[name]; ok {
		return Space(width), nil
	}
	if functions[name] {
		return Function(name), nil
	}
	if accent, ok := accents[name]; ok {
		inner, err := p.argument()
		return Accent{Name: name, Sign: accent, Over: inner, Below: strings.HasPrefix(name, "under"), Grows: growing[name]}, err
	}
	if font, ok := fonts[name]; ok {
		return p.inFont(font)
	}
	if size, ok := sizes[name]; ok {
		sign, err := p.bracket()
		return Bracket{sign, size}, err
	}
	return p.structure(name)
}

// inFont parses an argument whose letters are set in a font.
func (p *parser) inFont(font Font) (Node, error) {
	before := p.font
	p.font = font
	inner, err := p.argument()
	p.font = before
	return inner, err
}

// structure parses commands with their own structure, such as fractions and roots.
func (p *parser) structure(name string) (Node, error) {
	switch name {
	case "frac", "tfrac", "dfrac", "binom":
		above, below, err := p.two()
		return Fraction{above, below, map[string]string{"tfrac": "text", "dfrac": "display"}[name], name == "binom"}, err
	case "sqrt":
		return p.root()
	case "text", "mbox", "textrm", "textit", "textbf", "texttt":
		text, err := p.words()
		if err != nil {
			return nil, err
		}
		return p.text(text)
	case "operatorname":
		p.take("*")
		text, err := p.words()
		return Name(strings.NewReplacer(`\,`, "\u2009", " ", "").Replace(text)), err
	case "left":
		return p.fenced()
	case "begin":
		return p.environment()
	case "textstyle", "displaystyle", "scriptstyle":
		return Row{}, nil
	case "overset", "stackrel":
		above, base, err := p.two()
		return Stacked{Base: base, Above: above}, err
	case "underset":
		below, base, err := p.two()
		return Stacked{Base: base, Below: below}, err
	case "not":
		inner, err := p.argument()
		return Negated{inner}, err
	case "phantom":
		inner, err := p.argument()
		return Phantom{inner}, err
	}
	return nil, fmt.Errorf(`\%s is not known`, name)
}

// text returns text in a formula, which may contain formulas between dollar signs.
func (p *parser) text(words string) (Node, error) {
	row := Row{}
	for i, part := range strings.Split(strings.ReplaceAll(words, `\$`, "\x00"), "$") {
		if part == "" {
			continue
		}
		if i%2 == 0 {
			row = append(row, Words(unescaped.Replace(part)))
			continue
		}
		inner := &parser{rest: part, depth: p.depth + 1}
		piece, err := inner.row("")
		if err != nil {
			return nil, err
		}
		row = append(row, piece)
	}
	return row.simple(), nil
}

// unescaped removes the backslashes of escaped characters.
var unescaped = strings.NewReplacer(`\{`, "{", `\}`, "}", `\%`, "%", `\_`, "_", `\&`, "&", `\#`, "#", `\ `, " ", "~", "\u00a0", "\x00", "$")

// two parses two arguments.
func (p *parser) two() (first, second Node, err error) {
	if first, err = p.argument(); err != nil {
		return nil, nil, err
	}
	second, err = p.argument()
	return first, second, err
}

func (p *parser) root() (Node, error) {
	p.blanks()
	var degree Node
	if p.take("[") {
		var err error
		if degree, err = p.row("]"); err != nil {
			return nil, err
		}
	}
	under, err := p.argument()
	return Root{degree, under}, err
}

// bracket parses a bracket or another sign that can grow; a full stop is empty.
func (p *parser) bracket() (string, error) {
	p.blanks()
	if p.rest == "" {
		return "", errors.New("a bracket is missing")
	}
	if p.rest[0] == '\\' {
		name := p.command()
		if text, ok := signs[name]; ok {
			return text, nil
		}
		return "", fmt.Errorf(`\%s is no bracket`, name)
	}
	_, n := utf8.DecodeRuneInString(p.rest)
	letter := p.rest[:n]
	p.rest = p.rest[n:]
	if letter == "." {
		letter = ""
	}
	return letter, nil
}

// fenced parses the part between \left and \right.
func (p *parser) fenced() (Node, error) {
	left, err := p.bracket()
	if err != nil {
		return nil, err
	}
	inner, err := p.row(`\right`)
	if err != nil {
		return nil, err
	}
	right, err := p.bracket()
	return Fenced{left, right, inner}, err
}

// environment parses a table: rows end with \\, columns with &.
func (p *parser) environment() (Node, error) {
	name, err := p.words()
	if err != nil {
		return nil, err
	}
	around, ok := brackets[name]
	if !ok {
		return nil, fmt.Errorf(`\begin{%s} is not known`, name)
	}
	if name == "array" { // its columns
		if _, err := p.words(); err != nil {
			return nil, err
		}
	}
	text, rest, ok := cutEnvironment(p.rest, name)
	if !ok {
		return nil, fmt.Errorf(`\end{%s} is missing`, name)
	}
	p.rest = rest
	table := Table{Name: name, Left: around[0], Right: around[1]}
	for _, line := range cut(text, `\\`) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var row []Node
		for _, column := range cut(line, "&") {
			inner := &parser{rest: column, depth: p.depth + 1, font: p.font}
			piece, err := inner.row("")
			if err != nil {
				return nil, err
			}
			row = append(row, piece)
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// cutEnvironment splits a text at the \end of the environment whose \begin was parsed.
func cutEnvironment(text, name string) (inside, rest string, ok bool) {
	begin, end := `\begin{`+name+"}", `\end{`+name+"}"
	level := 1
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], begin):
			level++
		case strings.HasPrefix(text[i:], end):
			if level--; level == 0 {
				return text[:i], text[i+len(end):], true
			}
		}
	}
	return "", "", false
}

// cut splits a text at a separator outside of braces and nested environments.
func cut(text, separator string) []string {
	var parts []string
	level, start := 0, 0
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case level == 0 && strings.HasPrefix(rest, separator):
			parts = append(parts, text[start:i])
			start = i + len(separator)
			i = start - 1
		case strings.HasPrefix(rest, `\begin{`):
			level++
			i += len(`\begin{`) - 1
			level++ // for its brace, which is closed below
		case strings.HasPrefix(rest, `\end{`):
			level--
			i += len(`\end{`) - 1
			level++
		case rest[0] == '\\':
			i++
		case rest[0] == '{':
			level++
		case rest[0] == '}':
			level--
		}
	}
	return append(parts, text[start:])
}
