package mathml

import (
	"fmt"
	"html"
	"strings"
)

// commandAtom reads a command with its arguments.
func (p *parser) commandAtom() (atom, error) {
	name := p.command()
	if letter, ok := letters[name]; ok {
		return atom{markup: "<mi>" + letter + "</mi>"}, nil
	}
	if sign, ok := operators[name]; ok {
		return atom{markup: operator(sign)}, nil
	}
	if sign, ok := large[name]; ok {
		return atom{markup: `<mo largeop="true">` + sign + "</mo>", limits: name != "int"}, nil
	}
	if width, ok := spaces[name]; ok {
		return atom{markup: `<mspace width="` + width + `"/>`}, nil
	}
	if functions[name] {
		return atom{markup: "<mi>" + name + "</mi><mo>&#8289;</mo>", limits: limiting[name]}.grouped(), nil
	}
	if accent, ok := accents[name]; ok {
		inner, err := p.argument()
		place := "mover"
		if name == "underline" || name == "underbrace" {
			place = "munder"
		}
		return atom{markup: "<" + place + ` accent="true">` + inner + `<mo stretchy="` + stretch(name) + `">` + accent + "</mo></" + place + ">",
			limits: strings.HasSuffix(name, "brace")}, err
	}
	if font, ok := fonts[name]; ok {
		return p.inFont(font)
	}
	if _, ok := sizes[name]; ok {
		p.blanks()
		return p.delimiter(sizes[name])
	}
	return p.structure(name)
}

// grouped makes one element of several.
func (a atom) grouped() atom {
	a.markup = "<mrow>" + a.markup + "</mrow>"
	return a
}

func stretch(accent string) string {
	switch accent {
	case "overline", "underline", "widehat", "widetilde", "overbrace", "underbrace", "overrightarrow":
		return "true"
	}
	return "false"
}

// inFont reads an argument whose letters have a font.
func (p *parser) inFont(font string) (atom, error) {
	before := p.font
	p.font = font
	inner, err := p.argument()
	p.font = before
	return atom{markup: inner}, err
}

// structure reads the commands that have a form of their own.
func (p *parser) structure(name string) (atom, error) {
	switch name {
	case "frac", "tfrac", "dfrac", "binom":
		return p.fraction(name)
	case "sqrt":
		return p.root()
	case "text", "mbox", "textrm", "textit", "textbf", "texttt":
		text, err := p.words()
		return atom{markup: "<mtext>" + strings.ReplaceAll(html.EscapeString(text), " ", "\u00a0") + "</mtext>"}, err
	case "operatorname":
		p.take("*")
		text, err := p.words()
		return atom{markup: `<mi mathvariant="normal">` + html.EscapeString(strings.NewReplacer(`\,`, "\u2009", " ", "").Replace(text)) + "</mi><mo>&#8289;</mo>"}.grouped(), err
	case "left":
		return p.grown()
	case "begin":
		return p.environment()
	case "textstyle", "displaystyle", "scriptstyle":
		return atom{markup: "<mrow></mrow>"}, nil
	case "overset", "underset", "stackrel":
		above, err := p.argument()
		if err != nil {
			return atom{}, err
		}
		base, err := p.argument()
		place := pick(name == "underset", "munder", "mover")
		return atom{markup: "<" + place + ">" + base + above + "</" + place + ">"}, err
	case "not":
		base, err := p.argument()
		return atom{markup: strings.Replace(base, "</mo>", "\u0338</mo>", 1)}, err
	case "phantom":
		inner, err := p.argument()
		return atom{markup: "<mphantom>" + inner + "</mphantom>"}, err
	}
	return atom{}, fmt.Errorf(`\%s is not known`, name)
}

func (p *parser) fraction(name string) (atom, error) {
	above, err := p.argument()
	if err != nil {
		return atom{}, err
	}
	below, err := p.argument()
	switch name {
	case "binom":
		return atom{markup: `<mrow><mo>(</mo><mfrac linethickness="0">` + above + below + "</mfrac><mo>)</mo></mrow>"}, err
	case "tfrac":
		return atom{markup: `<mstyle displaystyle="false"><mfrac>` + above + below + "</mfrac></mstyle>"}, err
	case "dfrac":
		return atom{markup: `<mstyle displaystyle="true"><mfrac>` + above + below + "</mfrac></mstyle>"}, err
	}
	return atom{markup: "<mfrac>" + above + below + "</mfrac>"}, err
}

func (p *parser) root() (atom, error) {
	p.blanks()
	degree := ""
	if p.take("[") {
		var err error
		if degree, err = p.row("]"); err != nil {
			return atom{}, err
		}
	}
	inner, err := p.argument()
	if degree != "" {
		return atom{markup: "<mroot>" + inner + degree + "</mroot>"}, err
	}
	return atom{markup: "<msqrt>" + inner + "</msqrt>"}, err
}

// sign reads a bracket or another sign that can grow; a full stop is none.
func (p *parser) sign() (string, error) {
	p.blanks()
	if p.rest == "" {
		return "", fmt.Errorf("a bracket is missing")
	}
	if p.rest[0] == '\\' {
		name := p.command()
		if sign, ok := operators[name]; ok {
			return sign, nil
		}
		return "", fmt.Errorf(`\%s is no bracket`, name)
	}
	letter := string([]rune(p.rest)[:1])
	p.rest = p.rest[len(letter):]
	if letter == "." {
		letter = ""
	}
	return letter, nil
}

// delimiter reads a bracket of a fixed size.
func (p *parser) delimiter(size string) (atom, error) {
	sign, err := p.sign()
	return atom{markup: `<mo stretchy="true" minsize="` + size + `" maxsize="` + size + `">` + html.EscapeString(sign) + "</mo>"}, err
}

// grown reads what stands between \left and \right.
func (p *parser) grown() (atom, error) {
	left, err := p.sign()
	if err != nil {
		return atom{}, err
	}
	inner, err := p.row(`\right`)
	if err != nil {
		return atom{}, err
	}
	right, err := p.sign()
	fence := func(sign string) string {
		return `<mo fence="true" stretchy="true">` + html.EscapeString(sign) + "</mo>"
	}
	return atom{markup: "<mrow>" + fence(left) + inner + fence(right) + "</mrow>"}, err
}

// brackets stand around matrices.
var brackets = map[string][2]string{
	"matrix": {}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "vmatrix": {"|", "|"}, "cases": {"{", ""}, "aligned": {}, "align": {}, "align*": {},
	"array": {}, "gathered": {}, "split": {},
}

// environment reads a table: rows end with \\, columns with &.
func (p *parser) environment() (atom, error) {
	name, err := p.words()
	if err != nil {
		return atom{}, err
	}
	around, ok := brackets[name]
	if !ok {
		return atom{}, fmt.Errorf(`\begin{%s} is not known`, name)
	}
	if name == "array" { // its columns
		if _, err := p.words(); err != nil {
			return atom{}, err
		}
	}
	end := strings.Index(p.rest, `\end{`+name+"}")
	if end < 0 {
		return atom{}, fmt.Errorf(`\end{%s} is missing`, name)
	}
	text := p.rest[:end]
	p.rest = p.rest[end+len(`\end{`+name+"}"):]
	var rows strings.Builder
	for _, line := range cut(text, `\\`) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		rows.WriteString("<mtr>")
		for i, column := range cut(line, "&") {
			inner := &parser{rest: column, display: p.display && name != "cases", depth: p.depth + 1, font: p.font}
			markup, err := inner.row("")
			if err != nil {
				return atom{}, err
			}
			side := "center"
			if strings.HasPrefix(name, "align") || name == "split" {
				side = pick(i%2 == 0, "right", "left")
			} else if name == "cases" {
				side = "left"
			}
			rows.WriteString(`<mtd style="text-align:` + side + `">` + markup + "</mtd>")
		}
		rows.WriteString("</mtr>")
	}
	table := "<mtable>" + rows.String() + "</mtable>"
	if around[0] != "" {
		table = `<mo fence="true" stretchy="true">` + around[0] + "</mo>" + table
	}
	if around[1] != "" {
		table += `<mo fence="true" stretchy="true">` + around[1] + "</mo>"
	}
	return atom{markup: "<mrow>" + table + "</mrow>"}, nil
}

// cut splits a text at a separator outside of braces and inner environments.
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
			level++ // its brace, which is closed below
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
