package figure

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"gosphere/plotting/formula"
)

// Package formula defines the supported subset of LaTeX. Labels have one line and one font family:
// tables, letters of other fonts, and symbols that the font lacks are drawn as written.

// A mathBox is a part of a formula with its size relative to the baseline.
type mathBox struct {
	width, above, below vg.Length
	draw                func(c vg.Canvas, at vg.Point) // in the current color
}

// setFormula typesets the text between dollar signs in the size of the surrounding font.
func setFormula(words string, around font.Font) (box mathBox, err error) {
	tree, err := formula.Parse(words)
	if err != nil {
		return mathBox{}, fmt.Errorf("formula %q: %w", words, err)
	}
	defer func() {
		if problem, ok := recover().(mathError); ok {
			err = fmt.Errorf("formula %q: %s", words, string(problem))
		}
	}()
	return mathSetter{around.Weight == xfont.WeightBold}.set(tree, around.Size), nil
}

// A mathError describes a part of a formula that labels cannot show.
type mathError string

// A mathSetter typesets the parts of a formula.
type mathSetter struct{ bold bool }

// set returns the box of a part.
func (m mathSetter) set(tree formula.Node, size vg.Length) mathBox {
	switch n := tree.(type) {
	case formula.Row:
		return m.row(n, size)
	case formula.Letter:
		return m.word(n.Text, n.Font, size)
	case formula.Number:
		return m.word(n.Text, n.Font, size)
	case formula.Sign:
		return m.sign(string(n), size)
	case formula.Large:
		return m.letters(string(n), size, xfont.StyleNormal, m.bold)
	case formula.Function:
		return m.letters(string(n), size, xfont.StyleNormal, m.bold)
	case formula.Name:
		return m.letters(string(n), size, xfont.StyleNormal, m.bold)
	case formula.Words:
		return m.letters(string(n), size, xfont.StyleNormal, m.bold)
	case formula.Space:
		return mathBox{width: vg.Length(n) * size}
	case formula.Bracket:
		return m.bracket(n.Sign, vg.Length(n.Size)*size, size)
	case formula.Phantom:
		box := m.set(n.Inner, size)
		box.draw = nil
		return box
	case formula.Scripted:
		return m.scripted(n, size)
	case formula.Fraction:
		return m.fraction(n, size)
	case formula.Root:
		if n.Degree == nil {
			return m.root(m.set(n.Under, size), size)
		}
	case formula.Accent:
		return m.accented(n, size)
	case formula.Fenced:
		return m.fenced(n, size)
	case formula.Table:
		panic(mathError("labels have no lines for \\begin{" + n.Name + "}"))
	}
	panic(mathError("labels do not know " + unset(tree)))
}

// unset describes a part that labels cannot show.
func unset(tree formula.Node) string {
	switch tree.(type) {
	case formula.Root:
		return "roots with a degree"
	case formula.Stacked:
		return "\\overset, \\underset and \\stackrel"
	case formula.Negated:
		return `\not`
	}
	return fmt.Sprintf("%T", tree)
}

// row typesets parts in a row. A sign at the start is not a binary operator, and a function is
// followed by space unless a bracket follows.
func (m mathSetter) row(row formula.Row, size vg.Length) mathBox {
	var boxes []mathBox
	for i, piece := range row {
		if sign, ok := piece.(formula.Sign); ok && i == 0 && (sign == "−" || sign == "+") {
			boxes = append(boxes, m.letters(string(sign), size, xfont.StyleNormal, m.bold))
			continue
		}
		boxes = append(boxes, m.set(piece, size))
		if i+1 < len(row) && isFunction(piece) && row[i+1] != formula.Sign("(") {
			boxes = append(boxes, mathBox{width: size / 6})
		}
	}
	return beside(boxes)
}

// isFunction reports whether a part is an upright name, possibly with indices.
func isFunction(piece formula.Node) bool {
	if scripted, ok := piece.(formula.Scripted); ok {
		piece = scripted.Base
	}
	switch piece.(type) {
	case formula.Function, formula.Name:
		return true
	}
	return false
}

// scripted typesets a part with its subscript and superscript.
func (m mathSetter) scripted(n formula.Scripted, size vg.Length) mathBox {
	base := m.set(n.Base, size)
	var lower, upper *mathBox
	if n.Below != nil {
		box := m.set(n.Below, size*0.7)
		lower = &box
	}
	if n.Above != nil {
		box := m.set(n.Above, size*0.7)
		upper = &box
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
		base.drawn(c, at)
		if lower != nil {
			lower.drawn(c, vg.Point{X: at.X + base.width, Y: at.Y + drop})
		}
		if upper != nil {
			upper.drawn(c, vg.Point{X: at.X + base.width + size*0.04, Y: at.Y + lift})
		}
	}
	return result
}

// drawn draws a box that is not empty.
func (b mathBox) drawn(c vg.Canvas, at vg.Point) {
	if b.draw != nil {
		b.draw(c, at)
	}
}

// word typesets letters or digits. Letters without a font are set in italic one by one.
func (m mathSetter) word(text string, font formula.Font, size vg.Length) mathBox {
	switch font {
	case formula.Upright:
		return m.letters(text, size, xfont.StyleNormal, m.bold)
	case formula.Bold:
		return m.letters(text, size, xfont.StyleNormal, true)
	case formula.BoldItalic:
		first, _ := utf8.DecodeRuneInString(text)
		return m.letters(text, size, symbolStyle(first), true)
	case "", formula.Italic:
		first, _ := utf8.DecodeRuneInString(text)
		return m.letters(text, size, symbolStyle(first), m.bold)
	}
	panic(mathError(fmt.Sprintf("labels have no %s letters", font)))
}

// sign typesets an operator; relations and operators have space on both sides.
func (m mathSetter) sign(text string, size vg.Length) mathBox {
	box := m.letters(text, size, xfont.StyleNormal, m.bold)
	first, _ := utf8.DecodeRuneInString(text)
	room := vg.Length(0)
	switch {
	case strings.ContainsRune("=<>≤≥≠≈→←∼∈⊂", first):
		room = 0.22
	case strings.ContainsRune("−+±×⋅", first):
		room = 0.12
	default:
		return box
	}
	return beside([]mathBox{{width: room * size}, box, {width: room * size}})
}

// symbolStyle returns italic for letters and small Greek ones, and upright for everything else.
func symbolStyle(r rune) xfont.Style {
	if unicode.IsLower(r) && r != 'ℓ' || 'A' <= r && r <= 'Z' {
		return xfont.StyleItalic
	}
	return xfont.StyleNormal
}

// serifFont returns the font of formulas, scaled to look as large as the surrounding text.
func serifFont(size vg.Length, style xfont.Style, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Serif", Style: style, Size: size * 1.05}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// alike replaces letters that the font lacks by similar ones.
var alike = strings.NewReplacer("⋅", "·", "∗", "*", "∘", "°", "ϵ", "ε", "ϕ", "φ", "∣", "|", "∖", `\`, "∙", "•", "∼", "~")

// letters typesets a word in the serif font.
func (m mathSetter) letters(word string, size vg.Length, style xfont.Style, bold bool) mathBox {
	word = alike.Replace(word)
	wanted := serifFont(size, style, bold)
	face := handler.plain.Fonts.Lookup(wanted, wanted.Size)
	var buffer sfnt.Buffer
	for _, letter := range word {
		if index, err := face.Face.GlyphIndex(&buffer, letter); err != nil || index == 0 {
			panic(mathError(fmt.Sprintf("labels have no letter %c", letter)))
		}
	}
	return mathBox{width: face.Width(word), above: size * 0.72, below: size * 0.22, draw: func(c vg.Canvas, at vg.Point) {
		fillLetters(c, face, at, word)
	}}
}
