// Package mathml writes formulas of LaTeX as MathML, which browsers draw without a script.
//
// It knows the part of LaTeX's mathematics that notebooks use: letters, operators, fractions, roots, indices, accents, fonts,
// brackets that grow, matrices, cases and aligned lines. A formula with anything else is an error that names it.
//
//	markup, err := mathml.Convert(`\frac{1}{\sqrt{2\pi}} e^{-x^2/2}`, true)
package mathml

import (
	"errors"
	"fmt"
	"html"
	"strings"
	"unicode"
)

// Convert returns the element math for a formula, in a block of its own if display is set.
func Convert(formula string, display bool) (string, error) {
	p := &parser{rest: strings.Map(writable, strings.ToValidUTF8(formula, "\uFFFD")), display: display}
	body, err := p.row("")
	if err != nil {
		return "", fmt.Errorf("mathml: %w in $%s$", err, formula)
	}
	kind := ""
	if display {
		kind = ` display="block"`
	}
	return `<math xmlns="http://www.w3.org/1998/Math/MathML"` + kind + `>` + body + `</math>`, nil
}

// writable makes blanks of letters that a page cannot hold.
func writable(letter rune) rune {
	if letter < ' ' && letter != '\t' && letter != '\n' || letter == 0xFFFE || letter == 0xFFFF {
		return ' '
	}
	return letter
}

// deepest bounds the nesting of groups.
const deepest = 100

// A parser reads a formula from the left.
type parser struct {
	rest    string
	display bool
	depth   int
	font    string // value of mathvariant for letters, or ""
}

// An atom is what indices can be attached to.
type atom struct {
	markup string
	limits bool // indices stand above and below in displayed formulas
	prime  bool
}

// row reads up to a closing token, which it takes, and returns a row of all it has read.
func (p *parser) row(closing string) (string, error) {
	if p.depth++; p.depth > deepest {
		return "", errors.New("groups are nested too deeply")
	}
	defer func() { p.depth-- }()
	font := p.font
	defer func() { p.font = font }()
	var parts []string
	for {
		p.blanks()
		if p.rest == "" {
			if closing != "" {
				return "", fmt.Errorf("%s is missing", closing)
			}
			return mrow(parts), nil
		}
		if closing != "" && p.take(closing) {
			return mrow(parts), nil
		}
		base, err := p.atom()
		if err != nil {
			return "", err
		}
		markup, err := p.indices(base)
		if err != nil {
			return "", err
		}
		parts = append(parts, markup)
	}
}

func mrow(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "<mrow>" + strings.Join(parts, "") + "</mrow>"
}

func (p *parser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t\r\n~") }

// take removes a token from the beginning, if it is there. A command is taken only as a whole word.
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

// command reads the name of a command behind its backslash.
func (p *parser) command() string {
	p.rest = p.rest[1:]
	n := 0
	for n < len(p.rest) && isLetter(p.rest[n]) {
		n++
	}
	if n == 0 && p.rest != "" {
		n = len(string([]rune(p.rest)[:1]))
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name
}

// argument reads a group in braces, or a single letter or command.
func (p *parser) argument() (string, error) {
	p.blanks()
	if p.take("{") {
		return p.row("}")
	}
	if p.rest == "" {
		return "", errors.New("an argument is missing")
	}
	if unicode.IsDigit(rune(p.rest[0])) { // x^12 is x^1 2
		digit := p.rest[:1]
		p.rest = p.rest[1:]
		return "<mn>" + digit + "</mn>", nil
	}
	base, err := p.atom()
	return base.markup, err
}

// words reads a group in braces as it stands.
func (p *parser) words() (string, error) {
	p.blanks()
	if !p.take("{") {
		return "", errors.New("{ is missing")
	}
	level := 1
	for i, letter := range p.rest {
		switch letter {
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

// atom reads one letter, number, group or command.
func (p *parser) atom() (atom, error) {
	first := []rune(p.rest)[0]
	switch {
	case first == '{':
		p.rest = p.rest[1:]
		markup, err := p.row("}")
		return atom{markup: markup}, err
	case first == '\\':
		return p.commandAtom()
	case first >= '0' && first <= '9':
		n := strings.IndexFunc(p.rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if n < 0 {
			n = len(p.rest)
		}
		number := p.rest[:n]
		if trimmed := strings.TrimRight(number, "."); trimmed != "" { // a full stop ends a sentence
			number = trimmed
		}
		p.rest = p.rest[len(number):]
		return atom{markup: "<mn>" + number + "</mn>"}, nil
	case first == '}' || first == '&' || first == '#' || first == '%' || first == '$':
		return atom{}, fmt.Errorf("%c is not expected", first)
	case first == '^' || first == '_':
		return atom{markup: "<mrow></mrow>"}, nil // indices of nothing
	case first == '\'':
		p.rest = p.rest[1:]
		return atom{markup: "<mo>′</mo>"}, nil
	}
	p.rest = p.rest[len(string(first)):]
	if unicode.IsLetter(first) {
		return atom{markup: p.letter(string(first))}, nil
	}
	return atom{markup: operator(string(first))}, nil
}

// letter writes an identifier in the present font.
func (p *parser) letter(text string) string {
	if p.font != "" {
		return "<mi mathvariant=\"normal\">" + html.EscapeString(styled(text, p.font)) + "</mi>"
	}
	return "<mi>" + html.EscapeString(text) + "</mi>"
}

// operator writes an operator, with the minus of mathematics.
func operator(text string) string {
	switch text {
	case "-":
		text = "−"
	case "*":
		text = "∗"
	case "|", "‖": // of a pair, nobody can tell the left one from the right one
		return `<mo stretchy="false" lspace="0" rspace="0">` + text + "</mo>"
	case ",", ";":
		return `<mo separator="true">` + text + "</mo>"
	case "(", ")", "[", "]":
		return `<mo stretchy="false">` + text + "</mo>"
	}
	return "<mo>" + html.EscapeString(text) + "</mo>"
}

// indices reads what stands below and above an atom.
func (p *parser) indices(base atom) (string, error) {
	sub, super := "", ""
	for {
		p.blanks()
		var err error
		switch {
		case p.take(`\limits`):
			base.limits = true
			continue
		case p.take(`\nolimits`):
			base.limits = false
			continue
		case strings.HasPrefix(p.rest, "'"):
			n := len(p.rest) - len(strings.TrimLeft(p.rest, "'"))
			p.rest = p.rest[n:]
			super = "<mo>" + strings.Repeat("′", n) + "</mo>"
			base.prime = true
			continue
		case sub == "" && p.take("_"):
			sub, err = p.argument()
		case (super == "" || base.prime) && p.take("^"):
			var above string
			above, err = p.argument()
			if super != "" { // primes stand before it
				above = mrow([]string{super, above})
			}
			super, base.prime = above, false
		default:
			return attach(base, sub, super, p.display), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// attach writes an atom with its indices.
func attach(base atom, sub, super string, display bool) string {
	under := base.limits && display
	name := ""
	switch {
	case sub == "" && super == "":
		return base.markup
	case super == "":
		name = pick(under, "munder", "msub")
	case sub == "":
		name = pick(under, "mover", "msup")
	default:
		name = pick(under, "munderover", "msubsup")
	}
	return "<" + name + ">" + base.markup + sub + super + "</" + name + ">"
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
