package figure

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// formulas is the text handler of figures. Text between dollar signs is typeset as a LaTeX formula,
// as in "concentration $\kappa$ at $d = 512$", and all other text as plain text. See math.go for
// the supported subset of LaTeX.
//
// A dollar sign starts a formula if no blank follows it, and ends one if no blank precedes it and
// no digit follows it, so that prices remain plain text. A formula with an unknown command is drawn
// as written.
type formulas struct{ plain text.Plain }

// handler is the text handler of all styles.
var handler = formulas{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}}

// A segment is a part of a line of text: plain words, or a typeset formula with its dollar signs.
type segment struct {
	words string
	set   *mathBox // nil for plain words
}

// segments splits a line where formulas begin and end.
func (h formulas) segments(line string, face font.Font) []segment {
	var list []segment
	plainFrom := 0
	for i := 0; i < len(line); i++ {
		end := formulaEnd(line, i)
		if end < 0 {
			continue
		}
		if set, err := setFormula(line[i+1:end-1], face); err == nil {
			if plainFrom < i {
				list = append(list, segment{words: line[plainFrom:i]})
			}
			list = append(list, segment{line[i:end], &set})
			plainFrom = end
		}
		i = end - 1
	}
	if plainFrom < len(line) || len(list) == 0 {
		list = append(list, segment{words: line[plainFrom:]})
	}
	return list
}

// formulaEnd returns the index after a formula that begins at i, or -1 if none does.
func formulaEnd(line string, i int) int {
	if line[i] != '$' || i+2 >= len(line) || line[i+1] == ' ' || line[i+1] == '$' {
		return -1
	}
	for k := i + 2; k < len(line); k++ {
		if line[k] != '$' || line[k-1] == '\\' {
			continue
		}
		if line[k-1] == ' ' || k+1 < len(line) && '0' <= line[k+1] && line[k+1] <= '9' {
			return -1
		}
		return k + 1
	}
	return -1
}

// Cache implements text.Handler.
func (h formulas) Cache() *font.Cache { return h.plain.Fonts }

// Extents implements text.Handler.
func (h formulas) Extents(face font.Font) font.Extents { return h.plain.Extents(face) }

// Lines implements text.Handler.
func (h formulas) Lines(words string) []string { return h.plain.Lines(words) }

// Box implements text.Handler.
func (h formulas) Box(line string, face font.Font) (width, height, depth vg.Length) {
	for _, s := range h.segments(line, face) {
		w, above, below := h.segmentBox(s, face)
		width, height, depth = width+w, max(height, above), max(depth, below)
	}
	return width, height, depth
}

// segmentBox returns the size of a segment above and below the baseline.
func (h formulas) segmentBox(s segment, face font.Font) (width, height, depth vg.Length) {
	width, height, depth = h.plain.Box(s.words, face)
	if s.set != nil { // a line with a formula is at least as high as one without
		width, height, depth = s.set.width, max(height, s.set.above), max(depth, s.set.below)
	}
	return width, height, depth
}

// Draw implements text.Handler. Formulas are drawn as outlines, because not every format embeds
// their fonts.
func (h formulas) Draw(c vg.Canvas, words string, style text.Style, at vg.Point) {
	if !strings.Contains(words, "$") {
		h.plain.Draw(c, words, style, at)
		return
	}
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Translate(at)
		c.Rotate(style.Rotation)
		at, style.Rotation = vg.Point{}, 0
	}
	lines := h.Lines(words)
	extents := h.Extents(style.Font)
	n := vg.Length(len(lines))
	height := n*extents.Height - (extents.Height - extents.Ascent - extents.Descent)
	// The first baseline of plain text with as many lines.
	baseline := at.Y + height*vg.Length(style.YAlign) - extents.Ascent + n*style.Font.Size
	for _, line := range lines {
		width, _, _ := h.Box(line, style.Font)
		x := at.X + width*vg.Length(style.XAlign)
		for _, s := range h.segments(line, style.Font) {
			c.SetColor(style.Color)
			if s.set != nil {
				s.set.drawn(c, vg.Point{X: x, Y: baseline})
			} else {
				c.FillString(h.plain.Fonts.Lookup(style.Font, style.Font.Size), vg.Point{X: x, Y: baseline}, s.words)
			}
			w, _, _ := h.segmentBox(s, style.Font)
			x += w
		}
		baseline -= style.Font.Size
	}
}
