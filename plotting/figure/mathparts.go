package figure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"

	"gosphere/plotting/formula"
)

// beside returns boxes joined in a row.
func beside(row []mathBox) mathBox {
	var all mathBox
	for _, box := range row {
		all.width, all.above, all.below = all.width+box.width, max(all.above, box.above), max(all.below, box.below)
	}
	all.draw = func(c vg.Canvas, at vg.Point) {
		for _, box := range row {
			box.drawn(c, at)
			at.X += box.width
		}
	}
	return all
}

// rule fills a rectangle.
func rule(c vg.Canvas, from vg.Point, width, height vg.Length) {
	c.Fill(vg.Rectangle{Min: from, Max: vg.Point{X: from.X + width, Y: from.Y + height}}.Path())
}

// fraction typesets a fraction.
func (m mathSetter) fraction(n formula.Fraction, size vg.Length) mathBox {
	if n.Binomial {
		panic(mathError(`labels do not know \binom`))
	}
	top, bottom := m.set(n.Above, size*0.75), m.set(n.Below, size*0.75)
	width, axis, apart := max(top.width, bottom.width)+size*0.1, size*0.25, size*0.12
	lift, drop := axis+apart+top.below, axis-apart-bottom.above
	return mathBox{width: width + size*0.2, above: lift + top.above, below: bottom.below - drop, draw: func(c vg.Canvas, at vg.Point) {
		at.X += size * 0.1
		top.drawn(c, vg.Point{X: at.X + (width-top.width)/2, Y: at.Y + lift})
		bottom.drawn(c, vg.Point{X: at.X + (width-bottom.width)/2, Y: at.Y + drop})
		rule(c, vg.Point{X: at.X, Y: at.Y + axis}, width, size*0.05)
	}}
}

// root returns a root sign over a box.
func (m mathSetter) root(under mathBox, size vg.Length) mathBox {
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
		under.drawn(c, vg.Point{X: at.X + sign + size*0.03, Y: at.Y})
	}}
}

// accentLetters maps accents to letters of the font; a bar that grows is drawn as a rule.
var accentLetters = map[string]string{"hat": "ˆ", "widehat": "ˆ", "bar": "¯", "tilde": "˜", "widetilde": "˜", "dot": "˙", "ddot": "¨", "check": "ˇ"}

// accented typesets an accent above the center of a part; high letters raise it.
func (m mathSetter) accented(n formula.Accent, size vg.Length) mathBox {
	base := m.set(n.Over, size)
	if n.Name == "overline" {
		return mathBox{width: base.width, above: base.above + size*0.15, below: base.below, draw: func(c vg.Canvas, at vg.Point) {
			base.drawn(c, at)
			rule(c, vg.Point{X: at.X, Y: at.Y + base.above + size*0.05}, base.width, size*0.05)
		}}
	}
	letter, ok := accentLetters[n.Name]
	if !ok {
		panic(mathError(`labels do not know \` + n.Name))
	}
	sign := m.letters(letter, size, xfont.StyleNormal, m.bold)
	lift := vg.Length(0)
	if startsHigh(n.Over) {
		lift = size * 0.2
	}
	return mathBox{width: base.width, above: base.above + lift, below: base.below, draw: func(c vg.Canvas, at vg.Point) {
		base.drawn(c, at)
		sign.drawn(c, vg.Point{X: at.X + (base.width-sign.width)/2 + size*0.06, Y: at.Y + lift})
	}}
}

// startsHigh reports whether the first letter of a part is higher than an x.
func startsHigh(piece formula.Node) bool {
	switch n := piece.(type) {
	case formula.Row:
		return len(n) > 0 && startsHigh(n[0])
	case formula.Scripted:
		return startsHigh(n.Base)
	case formula.Number:
		return true
	case formula.Letter:
		first, _ := utf8.DecodeRuneInString(n.Text)
		return unicode.IsUpper(first) || strings.ContainsRune("bdfhkltβδζθλξψ", first)
	}
	return false
}

// fenced typesets a part between brackets of its height.
func (m mathSetter) fenced(n formula.Fenced, size vg.Length) mathBox {
	inner := m.set(n.Inner, size)
	height := inner.above + inner.below
	return beside([]mathBox{m.bracket(n.Left, height, size), inner, m.bracket(n.Right, height, size)})
}

// bracket returns a bracket of the given height, at least that of the letters, centered on the
// line; "" is empty.
func (m mathSetter) bracket(sign string, height, size vg.Length) mathBox {
	if sign == "" {
		return mathBox{}
	}
	const own = 0.94 // height of a bracket as a fraction of its size
	larger := max(size, height/own)
	box := m.letters(sign, larger, xfont.StyleNormal, m.bold)
	drop := (larger - size) * 0.25 // the center of a bracket is a quarter of its size above the baseline
	return mathBox{width: box.width, above: box.above - drop, below: box.below + drop, draw: func(c vg.Canvas, at vg.Point) {
		box.drawn(c, vg.Point{X: at.X, Y: at.Y - drop})
	}}
}
