package chart

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
	"gosphere/plotting/figure"
)

// Sizes in points; a CSS pixel has 0.75.
const (
	labelSize = vg.Length(9.5)
	tickSize  = vg.Length(9)
	hairline  = vg.Length(0.5)
	pixel     = vg.Length(0.75)
	between12 = vg.Length(12) // between panels
	stripRoom = vg.Length(15) // above a panel with a name
)

func soft(size vg.Length) text.Style { return figure.TextStyle(size, colormap.Soft, false) }
func ink(size vg.Length) text.Style  { return figure.TextStyle(size, colormap.Ink, false) }

// A painter draws a scene on a canvas.
type painter struct {
	*scene
	c      draw.Canvas
	panels []vg.Rectangle
	ticks  [2][]plot.Tick
	turned bool      // names of the horizontal axis are turned
	left   vg.Length // of the labels of the vertical axis
	bottom vg.Length // of the labels of the horizontal axis
	wedged bool      // there are no axes
}

// paint draws the scene.
func (s *scene) paint(c draw.Canvas) {
	p := &painter{scene: s, c: c}
	p.wedged = slices.ContainsFunc(s.parts, func(part *part) bool { return part.shape == wedges })
	area := p.legend(c.Rectangle)
	if p.wedged {
		p.layout(area)
	} else {
		if title := s.axes[1].title; title != "" && !s.axes[1].hidden {
			style := soft(labelSize)
			c.FillText(style, vg.Point{X: area.Min.X, Y: area.Max.Y - labelSize}, title)
			area.Max.Y -= labelSize + 6
		}
		p.measure(area)
		p.layout(area)
		p.drawAxes(area)
	}
	for k, panel := range p.panels {
		inner := draw.Canvas{Canvas: c.Canvas, Rectangle: panel}
		for _, part := range s.parts {
			p.part(inner, part, k)
		}
	}
}

// grid returns the number of rows and columns of panels.
func (p *painter) grid() (rows, columns int) {
	n := max(1, len(p.scene.panels))
	return (n + p.across - 1) / p.across, p.across
}

// measure chooses the ticks and reserves room for their labels.
func (p *painter) measure(area vg.Rectangle) {
	rows, columns := p.grid()
	size := area.Size()
	room := [2]vg.Length{(size.X-40)/vg.Length(columns) - between12, (size.Y-30)/vg.Length(rows) - between12}
	distance := [2]vg.Length{42, 20}
	for k := range p.axes {
		a := &p.axes[k]
		p.ticks[k] = a.ticks(max(3, int(room[k]/distance[k])))
	}
	for _, tick := range p.ticks[1] {
		p.left = max(p.left, soft(tickSize).Width(shortened(tick.Label)))
	}
	if p.left > 0 {
		p.left += 6
	}
	a := &p.axes[0]
	lines := 1
	for _, tick := range p.ticks[0] {
		lines = max(lines, 1+strings.Count(tick.Label, "\n"))
	}
	p.bottom = vg.Length(lines)*tickSize*1.2 + 5
	if a.kind == names && len(p.ticks[0]) > 0 {
		widest := vg.Length(0)
		for _, tick := range p.ticks[0] {
			widest = max(widest, soft(tickSize).Width(shortened(tick.Label)))
		}
		band := (room[0] - p.left) / vg.Length(a.high-a.low)
		if widest > band*0.95 {
			p.turned = true
			p.bottom = widest*vg.Length(math.Sin(turn)) + 12
		}
	}
	if a.hidden || !a.known {
		p.bottom = 6
	}
}

// turn is the angle of names that do not fit beside each other.
const turn = math.Pi / 5

// shortened cuts long names.
func shortened(name string) string {
	const most = 28
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// ticks returns about n labels.
func (a *axis) ticks(n int) []plot.Tick {
	switch {
	case !a.known || a.hidden:
		return nil
	case a.kind == names:
		list := make([]plot.Tick, len(a.names))
		for i, name := range a.names {
			list[i] = plot.Tick{Value: float64(i), Label: name}
		}
		return list
	case a.kind == times:
		return a.calendar(n)
	case a.log && a.high/a.low > 3:
		return logTicks(a.low, a.high)
	}
	return numberTicks(a.low, a.high, n)
}

// logTicks returns the ticks of a logarithmic axis; over less than two powers of ten also 2 and 5
// times the powers.
func logTicks(low, high float64) []plot.Tick {
	list, err := figure.PowerTicks(low, high)
	if err != nil {
		return nil
	}
	list = slices.DeleteFunc(list, func(t plot.Tick) bool { return t.Value < low || t.Value > high })
	if high/low >= 100 {
		return list
	}
	var finer []plot.Tick
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, step := range []float64{1, 2, 5} {
			if at := step * math.Pow(10, power); at >= low && at <= high {
				finer = append(finer, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 6, 64)})
			}
		}
	}
	return finer
}

// numberTicks returns about n round numbers, at most eight.
func numberTicks(low, high float64, n int) []plot.Tick {
	step := niceStep((high - low) / float64(min(n+1, 7)))
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if scaled := step * math.Pow(10, float64(decimals)); math.Abs(scaled-math.Round(scaled)) > 1e-6 {
		decimals++
	}
	var list []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		label := strconv.FormatFloat(k*step, 'f', decimals, 64)
		switch x := math.Abs(k * step); {
		case k == 0:
			label = "0"
		case decimals > 5 || max(math.Abs(low), math.Abs(high)) >= 1e12:
			label = strconv.FormatFloat(k*step, 'g', 3, 64)
		case max(math.Abs(low), math.Abs(high)) >= 1e5 && x == math.Trunc(x):
			label = thousands(label)
		}
		list = append(list, plot.Tick{Value: k * step, Label: strings.Replace(label, "-", "−", 1)})
	}
	return list
}

// thousands separates groups of digits by thin spaces.
func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u2009" + digits[i:]
	}
	return sign + digits
}

// calendar returns about n labels of times.
func (a *axis) calendar(n int) []plot.Tick {
	list := figure.CalendarTicks(a.zone).Ticks(a.low, a.high)
	every := max(1, int(math.Ceil(float64(len(list))/float64(n+1))))
	var kept []plot.Tick
	for i, tick := range list {
		if i%every == 0 {
			kept = append(kept, tick)
		}
	}
	return kept
}

// layout places the panels.
func (p *painter) layout(area vg.Rectangle) {
	rows, columns := p.grid()
	title := vg.Length(0)
	if p.axes[0].title != "" && !p.wedged && !p.axes[0].hidden {
		title = labelSize + 6
	}
	strip := vg.Length(0)
	if p.scene.panels != nil {
		strip = stripRoom
	}
	inside := vg.Rectangle{Min: vg.Point{X: area.Min.X + p.left, Y: area.Min.Y + p.bottom + title}, Max: vg.Point{X: area.Max.X - 4, Y: area.Max.Y}}
	size := inside.Size()
	w := (size.X - between12*vg.Length(columns-1)) / vg.Length(columns)
	h := (size.Y-between12*vg.Length(rows-1))/vg.Length(rows) - strip
	for k := range max(1, len(p.scene.panels)) {
		x := inside.Min.X + vg.Length(k%columns)*(w+between12)
		y := inside.Max.Y - vg.Length(k/columns)*(h+strip+between12) - strip
		p.panels = append(p.panels, vg.Rectangle{Min: vg.Point{X: x, Y: y - h}, Max: vg.Point{X: x + w, Y: y}})
		if p.scene.panels != nil {
			style := figure.TextStyle(labelSize, colormap.Ink, true)
			p.c.FillText(style, vg.Point{X: x, Y: y + 4}, shortened(p.scene.panels[k]))
		}
	}
}

// x and y return positions in a panel; infinite ones are at its ends.
func (p *painter) x(panel vg.Rectangle, at float64) vg.Length {
	return within(panel.Min.X, panel.Max.X, p.axes[0].share(at), at)
}

func (p *painter) y(panel vg.Rectangle, at float64) vg.Length {
	return within(panel.Min.Y, panel.Max.Y, p.axes[1].share(at), at)
}

func within(low, high vg.Length, share, at float64) vg.Length {
	switch {
	case math.IsInf(at, -1):
		return low
	case math.IsInf(at, 1):
		return high
	}
	return low + vg.Length(share)*(high-low)
}

// drawAxes draws grid lines, axes and labels.
func (p *painter) drawAxes(area vg.Rectangle) {
	fine := draw.LineStyle{Color: colormap.Grid, Width: hairline}
	line := draw.LineStyle{Color: colormap.Axis, Width: hairline}
	_, columns := p.grid()
	for k, panel := range p.panels {
		if p.axes[1].kind != names && p.axes[1].known {
			for _, tick := range p.ticks[1] {
				y := p.y(panel, tick.Value)
				p.c.StrokeLine2(fine, panel.Min.X, y, panel.Max.X, y)
			}
		} else if p.axes[0].kind != names {
			for _, tick := range p.ticks[0] {
				x := p.x(panel, tick.Value)
				p.c.StrokeLine2(fine, x, panel.Min.Y, x, panel.Max.Y)
			}
		}
		p.c.StrokeLine2(line, panel.Min.X, panel.Min.Y, panel.Max.X, panel.Min.Y)
		if k%columns == 0 {
			for _, tick := range p.ticks[1] {
				style := soft(tickSize)
				style.XAlign, style.YAlign = draw.XRight, draw.YCenter
				p.c.FillText(style, vg.Point{X: panel.Min.X - 5, Y: p.y(panel, tick.Value)}, shortened(tick.Label))
			}
		}
		if k+columns >= len(p.panels) {
			p.xLabels(panel, line)
		}
	}
	if title := p.axes[0].title; title != "" && !p.axes[0].hidden {
		style := soft(labelSize)
		style.XAlign = draw.XCenter
		middle := (p.panels[0].Min.X + p.panels[min(columns, len(p.panels))-1].Max.X) / 2
		p.c.FillText(style, vg.Point{X: middle, Y: area.Min.Y}, title)
	}
}

// xLabels writes the labels of the horizontal axis, without those that would overlap.
func (p *painter) xLabels(panel vg.Rectangle, line draw.LineStyle) {
	free := vg.Length(math.Inf(-1))
	for _, tick := range p.ticks[0] {
		x := p.x(panel, tick.Value)
		p.c.StrokeLine2(line, x, panel.Min.Y, x, panel.Min.Y-3)
		style := soft(tickSize)
		style.XAlign, style.YAlign = draw.XCenter, draw.YTop
		if p.turned {
			style.XAlign, style.YAlign, style.Rotation = draw.XRight, draw.YCenter, turn
			p.c.FillText(style, vg.Point{X: x + 2, Y: panel.Min.Y - 6}, shortened(tick.Label))
			continue
		}
		half := vg.Length(0)
		for part := range strings.SplitSeq(tick.Label, "\n") {
			half = max(half, style.Width(part)/2)
		}
		if p.axes[0].kind != names && x-half < free {
			continue
		}
		free = x + half + 4
		p.c.FillText(style, vg.Point{X: x, Y: panel.Min.Y - 4}, tick.Label)
	}
}

// part draws the items of a panel.
func (p *painter) part(c draw.Canvas, part *part, panel int) {
	var items []item
	for _, i := range part.items {
		if i.panel < 0 || i.panel == panel {
			items = append(items, i)
		}
	}
	switch part.shape {
	case lines, areas:
		for from := 0; from < len(items); {
			to := from
			for to < len(items) && items[to].path == items[from].path {
				to++
			}
			p.path(c, part, items[from:to])
			from = to
		}
	case points:
		p.dots(c, part, items)
	case rects:
		p.boxes(c, part, items)
	case rules:
		for _, i := range items {
			style := p.stroke(part, i)
			ends := []vg.Point{{X: p.x(c.Rectangle, i.x), Y: p.y(c.Rectangle, i.y)}, {X: p.x(c.Rectangle, i.x2), Y: p.y(c.Rectangle, i.y2)}}
			c.StrokeLines(style, c.ClipLinesXY(ends)...)
		}
	case texts:
		for _, i := range items {
			style := figure.TextStyle(tickSize, p.colorOf(part, i), part.bold)
			style.XAlign, style.YAlign = text.XAlignment(part.align), draw.YCenter
			at := vg.Point{X: p.x(c.Rectangle, i.x) + pixel*vg.Length(part.dx), Y: p.y(c.Rectangle, i.y) + pixel*vg.Length(part.dy)}
			c.FillText(style, at, i.label)
		}
	case wedges:
		p.pie(c, part, items)
	}
}

// fill and stroke return the styles of an item.
func (p *painter) fill(part *part, i item) color.Color {
	return colormap.Translucent(p.colorOf(part, i), part.opacity)
}

func (p *painter) stroke(part *part, i item) draw.LineStyle {
	style := draw.LineStyle{Color: p.fill(part, i), Width: vg.Length(part.width) * pixel}
	if part.dashed {
		style.Dashes = []vg.Length{4, 3}
	}
	return style
}

// path draws a line or an area.
func (p *painter) path(c draw.Canvas, part *part, items []item) {
	var there, back []vg.Point
	for k, i := range items {
		at := vg.Point{X: p.x(c.Rectangle, i.x), Y: p.y(c.Rectangle, i.y)}
		if part.step && k > 0 {
			there = append(there, vg.Point{X: at.X, Y: there[len(there)-1].Y})
		}
		there = append(there, at)
		if part.horizontal {
			back = append(back, vg.Point{X: p.x(c.Rectangle, i.x2), Y: at.Y})
		} else if part.shape == areas {
			back = append(back, vg.Point{X: at.X, Y: p.y(c.Rectangle, i.y2)})
		}
	}
	if part.shape == lines {
		if len(there) == 1 { // between two gaps
			c.DrawGlyph(draw.GlyphStyle{Color: p.fill(part, items[0]), Radius: 1.5, Shape: draw.CircleGlyph{}}, there[0])
			return
		}
		c.StrokeLines(p.stroke(part, items[0]), c.ClipLinesXY(there)...)
		return
	}
	upper := slices.Clone(there)
	slices.Reverse(back)
	c.FillPolygon(p.fill(part, items[0]), c.ClipPolygonXY(append(there, back...)))
	if part.rim {
		c.StrokeLines(draw.LineStyle{Color: color.White, Width: 1}, c.ClipLinesXY(upper)...)
	}
}

// dots draws points.
func (p *painter) dots(c draw.Canvas, part *part, items []item) {
	for _, i := range items {
		at := vg.Point{X: p.x(c.Rectangle, i.x), Y: p.y(c.Rectangle, i.y)}
		const slack = 0.5
		if at.X < c.Min.X-slack || at.X > c.Max.X+slack || at.Y < c.Min.Y-slack || at.Y > c.Max.Y+slack {
			continue
		}
		radius := vg.Length(math.Sqrt(p.areaOf(part, i)/math.Pi)) * pixel
		if part.rim {
			c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: radius + 0.6, Shape: draw.CircleGlyph{}}, at)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: p.fill(part, i), Radius: radius, Shape: draw.CircleGlyph{}}, at)
	}
}

// boxes draws rectangles.
func (p *painter) boxes(c draw.Canvas, part *part, items []item) {
	for _, i := range items {
		x1, x2 := p.x(c.Rectangle, i.x), p.x(c.Rectangle, i.x2)
		y1, y2 := p.y(c.Rectangle, i.y), p.y(c.Rectangle, i.y2)
		r := vg.Rectangle{
			Min: vg.Point{X: max(c.Min.X, min(x1, x2)), Y: max(c.Min.Y, min(y1, y2))},
			Max: vg.Point{X: min(c.Max.X, max(x1, x2)), Y: min(c.Max.Y, max(y1, y2))},
		}
		if r.Max.X <= r.Min.X || r.Max.Y <= r.Min.Y {
			continue
		}
		gap := vg.Length(0.35) // between the bars of a histogram
		if part.rim {
			gap = 0.5
		}
		if r.Max.X-r.Min.X > 6*gap {
			r.Min.X, r.Max.X = r.Min.X+gap, r.Max.X-gap
		}
		if part.rim && r.Max.Y-r.Min.Y > 6*gap {
			r.Min.Y, r.Max.Y = r.Min.Y+gap, r.Max.Y-gap
		}
		c.SetColor(p.fill(part, i))
		c.Fill(r.Path())
	}
}

// pie draws slices with their shares.
func (p *painter) pie(c draw.Canvas, part *part, items []item) {
	size := c.Size()
	radius := min(size.X, size.Y) / 2 * 0.96
	center := vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y) / 2}
	for _, i := range items {
		if i.x2 == i.x {
			continue
		}
		var path vg.Path
		whole := i.x2-i.x > 2*math.Pi-1e-9
		if !whole {
			path.Move(center)
		}
		path.Arc(center, radius, math.Pi/2-i.x2, i.x2-i.x)
		path.Close()
		c.SetColor(p.fill(part, i))
		c.Fill(path)
		if !whole {
			c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 1})
			c.Stroke(path)
		}
		const least = 0.25 // radians of a slice with a label
		if i.x2-i.x < least {
			continue
		}
		style := figure.TextStyle(labelSize, colormap.Ink, false)
		if dark(p.colorOf(part, i)) {
			style.Color = color.White
		}
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		sin, cos := math.Sincos(math.Pi/2 - (i.x+i.x2)/2)
		c.FillText(style, vg.Point{X: center.X + radius*vg.Length(0.68*cos), Y: center.Y + radius*vg.Length(0.68*sin)}, i.label)
	}
}

// colorsNamed reports whether an axis has the names of the colors.
func (s *scene) colorsNamed() bool {
	return slices.ContainsFunc(s.axes[:], func(a axis) bool { return a.kind == names && a.title == s.colorTitle && len(a.names) > 0 })
}

// A legend is what is drawn at the right of the panels, from the top downward.
type legend struct {
	p            *painter
	x, y, width  vg.Length
	colors       []string
	shades, size []plot.Tick
}

// legend draws the legends at the right and returns the rest of the area.
func (p *painter) legend(area vg.Rectangle) vg.Rectangle {
	l := &legend{p: p, y: area.Max.Y}
	l.measure()
	if l.width == 0 {
		return area
	}
	l.x = area.Max.X - l.width
	if l.colors != nil {
		l.heading(p.colorTitle)
		for i, name := range l.colors {
			l.y -= 13
			p.c.DrawGlyph(draw.GlyphStyle{Color: seriesColor(i), Radius: 3.5, Shape: draw.CircleGlyph{}}, vg.Point{X: l.x + 4, Y: l.y + 5})
			l.label(14, name, l.y+5)
		}
		l.y -= 12
	}
	if p.shades != nil {
		l.bar()
	}
	if p.sizes != nil {
		l.heading(p.sizes.title)
		for _, tick := range l.size {
			radius := vg.Length(math.Sqrt(max(smallestPoint, largestPoint*tick.Value/p.sizes.high)/math.Pi)) * pixel
			l.y -= max(12, 2*radius+2)
			p.c.DrawGlyph(draw.GlyphStyle{Color: colormap.Axis, Radius: radius, Shape: draw.CircleGlyph{}}, vg.Point{X: l.x + 10, Y: l.y + radius})
			l.label(25, tick.Label, l.y+radius)
		}
	}
	area.Max.X = l.x - 14
	return area
}

// measure chooses what the legends show.
func (l *legend) measure() {
	widen := func(text string, style text.Style, more vg.Length) {
		l.width = max(l.width, style.Width(shortened(text))+more)
	}
	if !l.p.colorsNamed() && l.p.colors != nil {
		l.colors = l.p.colors
		widen(l.p.colorTitle, soft(labelSize), 0)
		for _, name := range l.colors {
			widen(name, ink(tickSize), 14)
		}
	}
	if l.p.shades != nil {
		widen(l.p.shades.title, soft(labelSize), 0)
		low, high := l.p.shades.domain()
		l.shades = numberTicks(low, high, 4)
		for _, tick := range l.shades {
			widen(tick.Label, ink(tickSize), 18)
		}
	}
	if l.p.sizes != nil {
		widen(l.p.sizes.title, soft(labelSize), 0)
		for _, tick := range numberTicks(0, l.p.sizes.high, 4) {
			if tick.Value > 0 {
				l.size = append(l.size, tick)
				widen(tick.Label, ink(tickSize), 26)
			}
		}
	}
}

// heading writes the title of a legend.
func (l *legend) heading(title string) {
	l.y -= labelSize + 1
	l.p.c.FillText(soft(labelSize), vg.Point{X: l.x, Y: l.y}, shortened(title))
	l.y -= 4
}

// label writes a text beside a mark.
func (l *legend) label(at vg.Length, text string, middle vg.Length) {
	style := ink(tickSize)
	style.YAlign = draw.YCenter
	l.p.c.FillText(style, vg.Point{X: l.x + at, Y: middle}, shortened(text))
}

// bar draws the scale of colors.
func (l *legend) bar() {
	p := l.p
	l.heading(p.shades.title)
	const tall, steps = vg.Length(90), 60
	low, high := p.shades.domain()
	for k := range steps {
		p.c.SetColor(p.shades.shadeOf(low + (high-low)*(float64(k)+0.5)/steps))
		r := vg.Rectangle{Min: vg.Point{X: l.x, Y: l.y - tall + tall*vg.Length(k)/steps}, Max: vg.Point{X: l.x + 10, Y: l.y - tall + tall*(vg.Length(k)+1.1)/steps}}
		p.c.Fill(r.Path())
	}
	for _, tick := range l.shades {
		if high > low {
			l.label(15, tick.Label, l.y-tall+tall*vg.Length((tick.Value-low)/(high-low)))
		}
	}
	l.y -= tall + 14
}
