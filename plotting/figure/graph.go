package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// Sizes of the drawing of a graph.
const (
	boxPadding  = vg.Length(5)
	boxRadius   = vg.Length(3)
	boxesApart  = vg.Length(10)
	rowsApart   = vg.Length(17)
	arrowLength = vg.Length(4.5)
	arrowWidth  = vg.Length(3.2)
	wayWidth    = vg.Length(6) // width of a position that only an edge passes
)

// A boxed is a node of a graph with the layout of its box.
type boxed struct {
	lines         []string
	width, height vg.Length
	fill          color.Color
}

// Graph draws a directed acyclic graph in rows from top to bottom. Each label is a box, whose first
// line is the name and whose further lines are smaller. Each edge is an arrow from its first index
// to its second. Boxes without incoming edges are inputs and tinted; boxes without outgoing edges
// are results and darker. The figure is 640 page pixels wide, or wider if its widest row requires
// it, and as high as its rows. No labels, indices out of range and cycles yield a figure with an
// error.
func Graph(labels []string, edges [][2]int) *Figure {
	if len(labels) == 0 {
		return failed("a graph without nodes")
	}
	layers, err := newLayering(len(labels), edges)
	if err != nil {
		return failed("%w", err)
	}
	boxes := newBoxes(labels, edges)
	widths := make([]float64, len(layers.row))
	for place := range widths {
		widths[place] = float64(wayWidth)
		if place < len(boxes) {
			widths[place] = float64(boxes[place].width)
		}
	}
	g := &graphDrawing{layers: layers, boxes: boxes, x: layers.places(widths, float64(boxesApart))}
	g.measure(widths)
	f := &Figure{kind: fmt.Sprintf("graph of %d nodes", len(labels)), paint: g.paint}
	f.Width = max(640, pixels(g.width+2*margin))
	f.Height = pixels(g.height+2*margin) + graphHead
	return f
}

// graphHead is the height of a title and a note of one line each, in page pixels.
const graphHead = 44

// pixels converts a length to page pixels, rounded up.
func pixels(l vg.Length) int { return int(math.Ceil(float64(l) / float64(vg.Inch) * pixelsPerInch)) }

// newBoxes returns the boxes of the labels.
func newBoxes(labels []string, edges [][2]int) []boxed {
	used, uses := make([]bool, len(labels)), make([]bool, len(labels))
	for _, e := range edges {
		used[e[0]], uses[e[1]] = true, true
	}
	boxes := make([]boxed, len(labels))
	for i, label := range labels {
		b := boxed{lines: strings.Split(label, "\n"), fill: color.White}
		for k, line := range b.lines {
			style := boxText(k)
			b.width = max(b.width, style.Width(line))
			b.height += style.FontExtents().Height + 1
		}
		b.width, b.height = max(b.width+2*boxPadding, 30), b.height+boxPadding
		switch {
		case !uses[i]:
			b.fill = colormap.Translucent(colormap.Category(0), 0.16)
		case !used[i]:
			b.fill = colormap.Translucent(colormap.Category(1), 0.28)
		}
		boxes[i] = b
	}
	return boxes
}

// boxText returns the style of a line in a box.
func boxText(line int) text.Style {
	if line == 0 {
		return sans(labelSize, colormap.Ink, false)
	}
	return sans(noteSize, colormap.Soft, false)
}

// A graphDrawing is a graph with the layout of its positions.
type graphDrawing struct {
	layers        *layering
	boxes         []boxed
	x             []float64   // center of each position, from the left edge
	tops, heights []vg.Length // of each row, from the top
	width, height vg.Length
}

// measure shifts the positions to start at 0 and sets the sizes.
func (g *graphDrawing) measure(widths []float64) {
	left, right := math.Inf(1), math.Inf(-1)
	for place, x := range g.x {
		left, right = min(left, x-widths[place]/2), max(right, x+widths[place]/2)
	}
	for place := range g.x {
		g.x[place] -= left
	}
	g.width = vg.Length(right - left)
	for _, row := range g.layers.rows {
		high := vg.Length(0)
		for _, place := range row {
			if place < len(g.boxes) {
				high = max(high, g.boxes[place].height)
			}
		}
		g.tops, g.heights = append(g.tops, g.height), append(g.heights, high)
		g.height += high + rowsApart
	}
	g.height -= rowsApart
}

// paint draws edges and boxes, centered horizontally.
func (g *graphDrawing) paint(c draw.Canvas) {
	shift := c.Min.X + (c.Size().X-g.width)/2
	at := func(place int, down vg.Length) vg.Point { // down is the distance from the top of the position's row
		return vg.Point{X: shift + vg.Length(g.x[place]), Y: c.Max.Y - g.tops[g.layers.row[place]] - down}
	}
	for _, way := range g.layers.ways {
		g.paintWay(c, way, at)
	}
	for place, b := range g.boxes {
		room := g.heights[g.layers.row[place]]
		center := at(place, room/2)
		g.paintBox(c, b, center)
	}
}

// paintWay draws an edge as a line with rounded corners that leaves boxes and rows vertically.
func (g *graphDrawing) paintWay(c draw.Canvas, way []int, at func(place int, down vg.Length) vg.Point) {
	first, last := way[0], way[len(way)-1]
	room := func(place int) vg.Length { return g.heights[g.layers.row[place]] }
	from := at(first, (room(first)+g.boxes[first].height)/2)
	tip := at(last, (room(last)-g.boxes[last].height)/2)
	var path vg.Path
	path.Move(from)
	curve := func(to vg.Point) {
		middle := (from.Y + to.Y) / 2
		path.CubeTo(vg.Point{X: from.X, Y: middle}, vg.Point{X: to.X, Y: middle}, to)
		from = to
	}
	for _, place := range way[1 : len(way)-1] {
		curve(at(place, 0))
		from = at(place, room(place))
		path.Line(from)
	}
	curve(vg.Point{X: tip.X, Y: tip.Y + arrowLength})
	c.SetLineStyle(draw.LineStyle{Color: colormap.Axis, Width: 0.9})
	c.Stroke(path)
	var head vg.Path
	head.Move(tip)
	head.Line(vg.Point{X: tip.X - arrowWidth/2, Y: tip.Y + arrowLength})
	head.Line(vg.Point{X: tip.X + arrowWidth/2, Y: tip.Y + arrowLength})
	head.Close()
	c.SetColor(colormap.Soft)
	c.Fill(head)
}

// paintBox draws a box with rounded corners and its lines.
func (g *graphDrawing) paintBox(c draw.Canvas, b boxed, center vg.Point) {
	outline := rounded(vg.Rectangle{
		Min: vg.Point{X: center.X - b.width/2, Y: center.Y - b.height/2},
		Max: vg.Point{X: center.X + b.width/2, Y: center.Y + b.height/2},
	})
	c.SetColor(color.White)
	c.Fill(outline)
	c.SetColor(b.fill)
	c.Fill(outline)
	c.SetLineStyle(draw.LineStyle{Color: colormap.Soft, Width: 0.7})
	c.Stroke(outline)
	y := center.Y + b.height/2 - boxPadding/2
	for k, line := range b.lines {
		style := boxText(k)
		extents := style.FontExtents()
		y -= extents.Height + 1
		c.FillText(style, vg.Point{X: center.X - style.Width(line)/2, Y: y + 1}, line)
	}
}

// rounded returns the outline of a rectangle with rounded corners. The factor approximates a
// quarter circle by a cubic curve.
func rounded(r vg.Rectangle) vg.Path {
	const quarter = 0.5523
	inset, pull := boxRadius, boxRadius*(1-quarter)
	var p vg.Path
	p.Move(vg.Point{X: r.Min.X + inset, Y: r.Min.Y})
	p.Line(vg.Point{X: r.Max.X - inset, Y: r.Min.Y})
	p.CubeTo(vg.Point{X: r.Max.X - pull, Y: r.Min.Y}, vg.Point{X: r.Max.X, Y: r.Min.Y + pull}, vg.Point{X: r.Max.X, Y: r.Min.Y + inset})
	p.Line(vg.Point{X: r.Max.X, Y: r.Max.Y - inset})
	p.CubeTo(vg.Point{X: r.Max.X, Y: r.Max.Y - pull}, vg.Point{X: r.Max.X - pull, Y: r.Max.Y}, vg.Point{X: r.Max.X - inset, Y: r.Max.Y})
	p.Line(vg.Point{X: r.Min.X + inset, Y: r.Max.Y})
	p.CubeTo(vg.Point{X: r.Min.X + pull, Y: r.Max.Y}, vg.Point{X: r.Min.X, Y: r.Max.Y - pull}, vg.Point{X: r.Min.X, Y: r.Max.Y - inset})
	p.Line(vg.Point{X: r.Min.X, Y: r.Min.Y + inset})
	p.CubeTo(vg.Point{X: r.Min.X, Y: r.Min.Y + pull}, vg.Point{X: r.Min.X + pull, Y: r.Min.Y}, vg.Point{X: r.Min.X + inset, Y: r.Min.Y})
	p.Close()
	return p
}
