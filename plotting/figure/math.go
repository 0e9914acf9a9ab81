package figure

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// What of LaTeX's formulas labels know: letters in italics, digits, Greek letters and the symbols below, upright names of
// functions, _ and ^, groups in braces, \frac, \sqrt, \hat, \bar, \tilde, \mathbf, \mathrm, \text and the spaces \, \; and \!.

// mathSymbols are commands for single letters. Small Greek letters are italic, everything else upright.
var mathSymbols = map[string]rune{
	"alpha": 'α', "beta": 'β', "gamma": 'γ', "delta": 'δ', "epsilon": 'ε', "varepsilon": 'ε', "zeta": 'ζ', "eta": 'η',
	"theta": 'θ', "iota": 'ι', "kappa": 'κ', "lambda": 'λ', "mu": 'μ', "nu": 'ν', "xi": 'ξ', "pi": 'π', "rho": 'ρ',
	"sigma": 'σ', "tau": 'τ', "upsilon": 'υ', "phi": 'φ', "varphi": 'φ', "chi": 'χ', "psi": 'ψ', "omega": 'ω',
	"Gamma": 'Γ', "Delta": 'Δ', "Theta": 'Θ', "Lambda": 'Λ', "Xi": 'Ξ', "Pi": 'Π', "Sigma": 'Σ', "Phi": 'Φ', "Psi": 'Ψ', "Omega": 'Ω',
	"ell": 'ℓ', "sum": '∑', "prod": '∏', "int": '∫', "infty": '∞', "partial": '∂', "cdot": '·', "times": '×', "pm": '±',
	"le": '≤', "leq": '≤', "ge": '≥', "geq": '≥', "ne": '≠', "neq": '≠', "approx": '≈', "to": '→', "rightarrow": '→',
	"leftarrow": '←', "ldots": '…', "dots": '…', "circ": '°', "prime": '′', "%": '%', "{": '{', "}": '}', "$": '$', "_": '_', "|": '‖', "lVert": '‖', "rVert": '‖',
}

// mathNames are functions that are set upright.
var mathNames = map[string]bool{"log": true, "ln": true, "exp": true, "sin": true, "cos": true, "max": true, "min": true,
	"arg": true, "tr": true, "det": true, "Pr": true}

// mathSpaces are spaces as shares of the size.
var mathSpaces = map[string]vg.Length{",": 1. / 6, ";": 5. / 18, "!": -1. / 6, " ": 0.25, "quad": 1}

// mathAccents are drawn above what follows them.
var mathAccents = map[string]string{"hat": "ˆ", "bar": "¯", "tilde": "˜"}

// A mathBox is a piece of a formula with its size around the baseline.
type mathBox struct {
	width, above, below vg.Length
	draw                func(c vg.Canvas, at vg.Point) // in the colour that is set
}

// setFormula sets what stands between dollar signs in the size of the words around it.
func setFormula(words string, around font.Font) (box mathBox, err error) {
	p := &mathParser{rest: words, bold: around.Weight == xfont.WeightBold}
	defer func() {
		if problem, ok := recover().(mathError); ok {
			err = fmt.Errorf("formula %q: %s", words, string(problem))
		}
	}()
	box = p.row(around.Size, "")
	if p.rest != "" {
		panic(mathError("a brace too many"))
	}
	return box, nil
}

// A mathError is what a formula has that labels do not know.
type mathError string

// A mathParser reads a formula from left to right.
type mathParser struct {
	rest string
	bold bool
}

// next takes the next character or command, which begins with a backslash; "" at the end.
func (p *mathParser) next() string {
	if p.rest == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(p.rest)
	if p.rest[0] == '\\' {
		letters := strings.IndexFunc(p.rest[1:], func(r rune) bool { return !unicode.IsLetter(r) })
		switch {
		case letters < 0:
			n = len(p.rest)
		case letters == 0:
			_, n = utf8.DecodeRuneInString(p.rest[1:])
			n++
		default:
			n = 1 + letters
		}
	}
	token := p.rest[:n]
	p.rest = p.rest[n:]
	if len(token) > 1 && unicode.IsLetter(rune(token[1])) {
		p.rest = strings.TrimLeft(p.rest, " ")
	}
	return token
}

// row reads up to a closing brace or the end.
func (p *mathParser) row(size vg.Length, end string) mathBox {
	var row []mathBox
	for {
		if p.rest == "" || p.rest[0] == '}' {
			if got := p.next(); got != end {
				if got == "" {
					panic(mathError("a brace is open"))
				}
				p.rest = got + p.rest
			}
			return beside(row)
		}
		if p.rest[0] == ' ' {
			p.rest = p.rest[1:]
			continue
		}
		if (p.rest[0] == '-' || p.rest[0] == '+') && len(row) == 0 { // a sign, not an operation
			row = append(row, p.letters(map[string]string{"-": "−", "+": "+"}[p.next()], size, xfont.StyleNormal, p.bold))
			continue
		}
		row = append(row, p.scripted(size))
	}
}

// scripted reads one thing with what stands below and above it at its right.
func (p *mathParser) scripted(size vg.Length) mathBox {
	base := p.thing(size)
	var lower, upper *mathBox
	for {
		if next := strings.TrimLeft(p.rest, " "); next == "" || next[0] != '_' && next[0] != '^' {
			break
		} else {
			p.rest = next
		}
		low := p.next() == "_"
		script := p.thing(size * 0.7)
		if target := map[bool]**mathBox{true: &lower, false: &upper}[low]; *target == nil {
			*target = &script
		} else {
			panic(mathError("two indices or two exponents"))
		}
	}
	if lower == nil && upper == nil {
		return base
	}
	result := mathBox{width: base.width, above: base.above, below: base.below}
	drop, lift := -size*0.18, size*0.38
	if lower != nil {
		result.width, result.below = base.width+lower.width, max(result.below, lower.below-drop)
	}
	if upper != nil {
		result.width, result.above = max(result.width, base.width+upper.width), max(result.above, upper.above+lift)
	}
	result.width += size * 0.04
	result.draw = func(c vg.Canvas, at vg.Point) {
		base.draw(c, at)
		if lower != nil {
			lower.draw(c, vg.Point{X: at.X + base.width, Y: at.Y + drop})
		}
		if upper != nil {
			upper.draw(c, vg.Point{X: at.X + base.width + size*0.04, Y: at.Y + lift})
		}
	}
	return result
}

// thing reads a character, a command with what belongs to it, or a group.
func (p *mathParser) thing(size vg.Length) mathBox {
	token := p.next()
	for token == " " {
		token = p.next()
	}
	switch {
	case token == "{":
		return p.row(size, "}")
	case token == "" || strings.ContainsAny(token, "^_&#~") && len(token) == 1 || token == "}":
		panic(mathError("nothing to set before " + token))
	case token[0] == '\\':
		return p.command(token[1:], size)
	}
	return p.character([]rune(token)[0], size)
}

// command sets what begins with a backslash.
func (p *mathParser) command(name string, size vg.Length) mathBox {
	if letter, ok := mathSymbols[name]; ok {
		return p.character(letter, size)
	}
	if mathNames[name] {
		box := p.letters(name, size, xfont.StyleNormal, p.bold)
		if strings.HasPrefix(p.rest, "(") || strings.HasPrefix(p.rest, "_") || strings.HasPrefix(p.rest, "^") {
			return box
		}
		return beside([]mathBox{box, {width: size / 6}})
	}
	if share, ok := mathSpaces[name]; ok {
		return mathBox{width: share * size}
	}
	if accent, ok := mathAccents[name]; ok {
		return p.accented(accent, size)
	}
	switch name {
	case "frac":
		return p.fraction(p.thing(size*0.75), p.thing(size*0.75), size)
	case "sqrt":
		return p.root(p.thing(size), size)
	case "mathbf", "mathrm", "text":
		return p.letters(p.words(name), size, xfont.StyleNormal, p.bold || name == "mathbf")
	}
	panic(mathError(`\` + name + " is not known"))
}

// words takes a group as it is written.
func (p *mathParser) words(command string) string {
	end := strings.IndexByte(p.rest, '}')
	if !strings.HasPrefix(p.rest, "{") || end < 0 || strings.ContainsAny(p.rest[1:end], `\{`) {
		panic(mathError(`\` + command + " wants letters in braces"))
	}
	words := p.rest[1:end]
	p.rest = p.rest[end+1:]
	return words
}

// character sets one letter, digit or sign; signs of relation and operation have room to both sides.
func (p *mathParser) character(r rune, size vg.Length) mathBox {
	style, room := symbolStyle(r), vg.Length(0)
	switch {
	case r == '-':
		r, room = '−', 0.12
	case strings.ContainsRune("=<>≤≥≠≈→←", r):
		room = 0.22
	case strings.ContainsRune("+±×·", r):
		room = 0.12
	}
	box := p.letters(string(r), size, style, p.bold)
	if room == 0 {
		return box
	}
	return beside([]mathBox{{width: room * size}, box, {width: room * size}})
}

// symbolStyle is italic for letters and small Greek ones, upright for everything else.
func symbolStyle(r rune) xfont.Style {
	if unicode.IsLower(r) && r != 'ℓ' || 'A' <= r && r <= 'Z' {
		return xfont.StyleItalic
	}
	return xfont.StyleNormal
}

// serifFont is the font of formulas, which looks as large as the words around it.
func serifFont(size vg.Length, style xfont.Style, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Serif", Style: style, Size: size * 1.05}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// letters sets a word in the serif font.
func (p *mathParser) letters(word string, size vg.Length, style xfont.Style, bold bool) mathBox {
	wanted := serifFont(size, style, bold)
	face := handler.plain.Fonts.Lookup(wanted, wanted.Size)
	return mathBox{width: face.Width(word), above: size * 0.72, below: size * 0.22, draw: func(c vg.Canvas, at vg.Point) {
		fillLetters(c, face, at, word)
	}}
}

// beside puts boxes in a row.
func beside(row []mathBox) mathBox {
	var all mathBox
	for _, box := range row {
		all.width, all.above, all.below = all.width+box.width, max(all.above, box.above), max(all.below, box.below)
	}
	all.draw = func(c vg.Canvas, at vg.Point) {
		for _, box := range row {
			if box.draw != nil {
				box.draw(c, at)
			}
			at.X += box.width
		}
	}
	return all
}

// rule fills a bar of a rectangle.
func rule(c vg.Canvas, from vg.Point, width, height vg.Length) {
	c.Fill(vg.Rectangle{Min: from, Max: vg.Point{X: from.X + width, Y: from.Y + height}}.Path())
}

// fraction puts one box above another.
func (p *mathParser) fraction(top, bottom mathBox, size vg.Length) mathBox {
	width, axis, apart := max(top.width, bottom.width)+size*0.1, size*0.25, size*0.12
	lift, drop := axis+apart+top.below, axis-apart-bottom.above
	return mathBox{width: width + size*0.2, above: lift + top.above, below: bottom.below - drop, draw: func(c vg.Canvas, at vg.Point) {
		at.X += size * 0.1
		top.draw(c, vg.Point{X: at.X + (width-top.width)/2, Y: at.Y + lift})
		bottom.draw(c, vg.Point{X: at.X + (width-bottom.width)/2, Y: at.Y + drop})
		rule(c, vg.Point{X: at.X, Y: at.Y + axis}, width, size*0.05)
	}}
}

// root draws a root above a box.
func (p *mathParser) root(under mathBox, size vg.Length) mathBox {
	sign := size * 0.55
	top := under.above + size*0.12
	return mathBox{width: sign + under.width + size*0.1, above: top + size*0.06, below: under.below, draw: func(c vg.Canvas, at vg.Point) {
		var path vg.Path
		for i, point := range []vg.Point{{X: 0.02, Y: 0.32}, {X: 0.14, Y: 0.4}, {X: 0.3, Y: -0.12}} {
			place := vg.Point{X: at.X + point.X*size, Y: at.Y + point.Y*size}
			if i == 0 {
				path.Move(place)
			} else {
				path.Line(place)
			}
		}
		path.Line(vg.Point{X: at.X + sign, Y: at.Y + top})
		path.Line(vg.Point{X: at.X + sign + under.width + size*0.08, Y: at.Y + top})
		c.SetLineWidth(size * 0.06)
		c.SetLineDash(nil, 0)
		c.Stroke(path)
		under.draw(c, vg.Point{X: at.X + sign + size*0.03, Y: at.Y})
	}}
}

// accented draws a sign above the middle of what follows; higher letters push it up.
func (p *mathParser) accented(accent string, size vg.Length) mathBox {
	high := strings.IndexFunc(strings.TrimLeft(p.rest, "{ "), func(r rune) bool { return unicode.IsUpper(r) || strings.ContainsRune("bdfhklt", r) }) == 0
	base := p.thing(size)
	sign := p.letters(accent, size, xfont.StyleNormal, p.bold)
	lift := vg.Length(0)
	if high {
		lift = size * 0.2
	}
	return mathBox{width: base.width, above: base.above + lift, below: base.below, draw: func(c vg.Canvas, at vg.Point) {
		base.draw(c, at)
		sign.draw(c, vg.Point{X: at.X + (base.width-sign.width)/2 + size*0.06, Y: at.Y + lift})
	}}
}
