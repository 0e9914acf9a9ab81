package chart

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gosphere/plotting/colormap"
)

// distribution draws densities and empirical distribution functions.
func (b *builder) distribution(p *prepared) error {
	x := p.columns[chX]
	b.scene.axes[1].zero = true
	tips := []string{x.title, p.columns[chY].title}
	if p.columns[chColor] != nil {
		tips = append(tips, p.columns[chColor].title)
	}
	fills := part{shape: areas, opacity: 0.25}
	outlines := part{shape: lines, width: 2, step: p.mark == "ecdf", tips: tips}
	for _, g := range p.groups() {
		list := sorted(pick(x, g.rows))
		var at, height []float64
		if p.mark == "density" {
			at, height = density(list, p.bandwidth, densityPoints)
		} else {
			at, height = []float64{list[0]}, []float64{0}
			for i, v := range list {
				if i+1 == len(list) || list[i+1] != v {
					at, height = append(at, v), append(height, float64(i+1)/float64(len(list)))
				}
			}
		}
		b.path++
		for k := range at {
			it := item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, path: b.path, x: at[k], y: height[k], x2: nan, y2: nan}
			shown := at[k]
			if p.logs[0] {
				shown = math.Pow(10, shown)
			}
			fill := it
			fill.y2 = 0
			fills.items = append(fills.items, fill)
			it.tips = []string{x.format(shown), numberText(height[k])}
			if g.series >= 0 {
				it.tips = append(it.tips, b.scene.colors[g.series])
			}
			outlines.items = append(outlines.items, it)
		}
	}
	if p.mark == "density" {
		b.add(p, fills)
	}
	b.add(p, outlines)
	return nil
}

// ridgeHeight is the height of the highest density in units of the distance of two names.
const ridgeHeight = 1.5

func (b *builder) ridgeline(p *prepared) error {
	x, y := p.columns[chX], p.columns[chY]
	b.scene.axes[1].room = ridgeHeight - 0.5
	groups := p.groups(y)
	slices.Reverse(groups) // lower ridges are in front
	for _, g := range groups {
		list := sorted(pick(x, g.rows))
		at, d := density(list, p.bandwidth, densityPoints)
		most, base := slices.Max(d), y.at[g.rows[0]]
		b.path++
		fill := b.add(p, part{shape: areas, opacity: 0.9, rim: true})
		for k := range at {
			fill.items = append(fill.items, item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, path: b.path,
				x: at[k], x2: nan, y: base + ridgeHeight*d[k]/most, y2: base})
		}
	}
	return nil
}

func (b *builder) heatMap(p *prepared) error {
	x, y, label := p.columns[chX], p.columns[chY], p.columns[chLabel]
	shade := p.columns[chColor]
	if shade == nil { // the number of rows
		seen := map[[3]float64][]int{}
		for i := range p.rows {
			key := [3]float64{float64(p.panel(i)), x.at[i], y.at[i]}
			seen[key] = append(seen[key], i)
		}
		shade = &column{title: "count", at: make([]float64, len(p.rows))}
		var first []int
		for _, rows := range seen {
			first = append(first, rows[0])
			shade.at[rows[0]] = float64(len(rows))
		}
		slices.Sort(first)
		p.columns[chColor] = shade
		p.take(first)
		p.rows = slices.Repeat([]int{-1}, len(first))
		x, y, label, shade = p.columns[chX], p.columns[chY], p.columns[chLabel], p.columns[chColor]
		b.scene.shades = &scaleOf{"count", slices.Min(shade.at), slices.Max(shade.at)}
	}
	width := func(c *column) float64 {
		if c.kind == names {
			return 1
		}
		if c.width > 0 {
			return c.width
		}
		return widthOf(c) / groupWidth
	}
	wx, wy := width(x), width(y)
	cells := b.add(p, part{shape: rects, tips: p.tipTitles(), rim: x.kind == names && y.kind == names})
	marks := part{shape: texts, align: -0.5}
	at := map[[3]float64]int{}
	for i := range p.rows {
		key := [3]float64{float64(p.panel(i)), x.at[i], y.at[i]}
		if k, seen := at[key]; seen {
			return fmt.Errorf("rows %d and %d are both at %s = %s, %s = %s; write Color(\"mean(…)\")", p.rows[k], p.rows[i], x.title, x.text(i), y.title, y.text(i))
		}
		at[key] = i
		it := p.item(i)
		it.x, it.x2, it.y, it.y2, it.tips = x.at[i]-wx/2, x.at[i]+wx/2, y.at[i]-wy/2, y.at[i]+wy/2, p.tipTexts(i)
		cells.items = append(cells.items, it)
		if label != nil && !math.IsNaN(label.at[i]) {
			mark := item{panel: it.panel, series: -1, shade: nan, size: nan, x: x.at[i], y: y.at[i], x2: nan, y2: nan, row: -1, label: label.text(i)}
			ink := colormap.Ink
			if shade.kind == numbers && dark(b.scene.shades.shadeOf(shade.at[i])) {
				ink = color.RGBA{0xff, 0xff, 0xff, 0xff}
			}
			b.contrasting(&marks, mark, ink)
		}
	}
	return nil
}

// contrasting adds a text to a part of its color.
func (b *builder) contrasting(like *part, mark item, ink color.RGBA) {
	for _, p := range b.scene.parts {
		if p.shape == texts && p.color != nil && *p.color == ink && p.bold == like.bold && p.dy == like.dy {
			p.items = append(p.items, mark)
			return
		}
	}
	made := *like
	made.color, made.opacity, made.items = &ink, 1, []item{mark}
	b.scene.parts = append(b.scene.parts, &made)
}

// dark reports whether white text can be read on a color.
func dark(c color.RGBA) bool {
	return 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 140
}

func (b *builder) bin2D(p *prepared) error {
	x, y := p.columns[chX], p.columns[chY]
	n := p.bins
	if n == 0 {
		n = 30
	}
	edges := func(at []float64) (low, width float64) {
		low, width = slices.Min(at), (slices.Max(at)-slices.Min(at))/float64(n)
		if width == 0 {
			width = 1
		}
		if p.bins == 0 {
			width = niceStep(width * 0.75)
			low = math.Floor(low/width) * width
		}
		return low, width
	}
	x0, wx := edges(x.at)
	y0, wy := edges(y.at)
	counts := map[[3]int]float64{}
	var cells [][3]int
	for i := range p.rows {
		key := [3]int{p.panel(i), int((x.at[i] - x0) / wx), int((y.at[i] - y0) / wy)}
		if p.bins > 0 {
			key[1], key[2] = min(key[1], n-1), min(key[2], n-1)
		}
		if counts[key]++; counts[key] == 1 {
			cells = append(cells, key)
		}
	}
	if b.scene.shades == nil {
		b.scene.shades = &scaleOf{"count", math.Inf(1), math.Inf(-1)}
	}
	part := b.add(p, part{shape: rects, tips: []string{x.title, y.title, "count"}})
	for _, key := range cells {
		count := counts[key]
		b.scene.shades.low, b.scene.shades.high = min(b.scene.shades.low, count), max(b.scene.shades.high, count)
		left, bottom := x0+wx*float64(key[1]), y0+wy*float64(key[2])
		part.items = append(part.items, item{panel: key[0], series: -1, shade: count, size: nan, row: -1,
			x: left, x2: left + wx, y: bottom, y2: bottom + wy,
			tips: []string{numberText(left) + " to " + numberText(left+wx), numberText(bottom) + " to " + numberText(bottom+wy), numberText(count)}})
	}
	return nil
}

// contourGrid and contourLevels are the number of points and of levels of contours.
const contourGrid, contourLevels = 48, 6

func (b *builder) contour(p *prepared) error {
	part := b.add(p, part{shape: rules, width: 1.25})
	for _, g := range p.groups() {
		grid := density2(pick(p.columns[chX], g.rows), pick(p.columns[chY], g.rows), contourGrid)
		most := 0.0
		for _, row := range grid.d {
			most = max(most, slices.Max(row))
		}
		for level := range contourLevels {
			for _, s := range grid.contour(most * (float64(level) + 0.5) / contourLevels) {
				part.items = append(part.items, item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, x: s[0], y: s[1], x2: s[2], y2: s[3]})
			}
		}
	}
	return nil
}

// trend draws fitted curves.
func (b *builder) trend(p *prepared) error {
	x, y := p.columns[chX], p.columns[chY]
	var fixed *color.RGBA
	if p.columns[chColor] == nil {
		c := colormap.Category(1)
		fixed = &c
	}
	bands := part{shape: areas, opacity: 0.18, color: fixed}
	curves := part{shape: lines, width: 2.25, color: fixed, tips: []string{x.title, y.title, "95 % from", "to"}}
	for _, g := range p.groups() {
		degree := max(p.degree, 1)
		fitted, ok := polynomial(pick(x, g.rows), pick(y, g.rows), degree)
		if p.mark == "smooth" {
			share := p.span
			if share == 0 {
				share = 0.75
			}
			fitted, ok = loess(pick(x, g.rows), pick(y, g.rows), share)
		}
		if !ok {
			what := fmt.Sprintf("a polynomial of degree %d", degree)
			if p.mark == "smooth" {
				what = "a local regression"
			}
			where := ""
			if g.series >= 0 {
				where = fmt.Sprintf(" of %s = %s", p.columns[chColor].title, b.scene.colors[g.series])
			}
			return fmt.Errorf("the %d rows%s have too few different %s for %s", len(g.rows), where, x.title, what)
		}
		b.path++
		unlogged := func(k int, at float64) float64 {
			if p.logs[k] {
				return math.Pow(10, at)
			}
			return at
		}
		for k := range fitted.x {
			it := item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, path: b.path, x: fitted.x[k], x2: nan, y: fitted.mean[k], y2: nan}
			it.tips = []string{x.format(unlogged(0, it.x)), numberText(unlogged(1, it.y)), numberText(unlogged(1, fitted.low[k])), numberText(unlogged(1, fitted.high[k]))}
			curves.items = append(curves.items, it)
			if it.y, it.y2, it.tips = fitted.low[k], fitted.high[k], nil; !math.IsNaN(it.y) {
				bands.items = append(bands.items, it)
			}
		}
	}
	if !p.plain && len(bands.items) > 0 {
		b.add(p, bands)
	}
	made := b.add(p, curves)
	if p.opacity == 0 {
		made.opacity = 1
	}
	return nil
}

func (b *builder) pie(p *prepared) error {
	name, value := p.columns[chColor], p.columns[chY]
	if name.kind != names {
		return errors.New("want names; write category(…) for numbers")
	}
	if len(b.layers) > 1 {
		return errors.New("a pie has no other layers")
	}
	totals := map[int]float64{}
	for i := range p.rows {
		if value.at[i] < 0 {
			return fmt.Errorf("%s of %s is %s; a slice is not negative", value.title, name.text(i), value.text(i))
		}
		totals[p.panel(i)] += value.at[i]
	}
	part := b.add(p, part{shape: wedges, rim: true, tips: []string{name.title, value.title, "share"}})
	angles := map[int]float64{}
	for _, g := range p.groups(name) {
		if len(g.rows) > 1 {
			return fmt.Errorf("rows %d and %d have the same %s; write sum(%s)", p.rows[g.rows[0]], p.rows[g.rows[1]], name.title, value.title)
		}
		i := g.rows[0]
		if totals[g.panel] == 0 {
			return fmt.Errorf("the sum of %s is 0", value.title)
		}
		share := value.at[i] / totals[g.panel]
		it := p.item(i)
		it.x, it.x2, it.y, it.y2 = angles[g.panel], angles[g.panel]+2*math.Pi*share, 0, 1
		angles[g.panel] = it.x2
		it.tips = []string{name.text(i), value.text(i), fmt.Sprintf("%.1f %%", 100*share)}
		it.label = fmt.Sprintf("%.0f %%", 100*share)
		part.items = append(part.items, it)
	}
	return nil
}
