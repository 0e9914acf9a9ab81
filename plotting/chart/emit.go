package chart

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gosphere/plotting/colormap"
)

// baseMarks have a base, such as the name below a bar, and values above it.
var baseMarks = map[string]bool{"bar": true, "box": true, "violin": true, "strip": true, "tick": true, "error bar": true, "error band": true}

// orient decides which axis is the base, and checks the kinds of the columns.
func (p *prepared) orient() error {
	x, y := p.columns[chX], p.columns[chY]
	if x == nil {
		return nil
	}
	if baseMarks[p.mark] {
		switch {
		case y == nil: // all values are on the horizontal axis
			p.flip = true
		case y.kind == names && x.kind != names:
			p.flip = true
		case p.mark == "bar" && x.kind != names && p.x.aggregated() && !p.y.aggregated():
			p.flip = true
		}
		if p.mark == "bar" && p.position == shared {
			v := *p.value()
			v.title = "share of " + v.title
			if p.flip {
				p.columns[chX] = &v
			} else {
				p.columns[chY] = &v
			}
		}
		if v := p.value(); v.kind != numbers && (p.mark != "strip" && p.mark != "tick" || v.kind == names) {
			return fmt.Errorf("the values %s are %s, want numbers in one of the columns", v.title, v.kind)
		}
		return nil
	}
	wanted := func(c *column, k ...kind) error {
		if c != nil && !slices.Contains(k, c.kind) {
			return fmt.Errorf("column %s has %s, want %s", c.title, c.kind, k[0])
		}
		return nil
	}
	switch p.mark {
	case "histogram", "density", "ecdf":
		p.columns[chY] = &column{title: map[string]string{"histogram": "count", "density": "density", "ecdf": "share of values"}[p.mark]}
		if p.mark == "histogram" && p.position == shared {
			p.columns[chY].title = "share"
		}
		return wanted(x, numbers, times)
	case "ridgeline":
		return errors.Join(wanted(x, numbers), wanted(y, names))
	case "smooth", "regression":
		return errors.Join(wanted(x, numbers, times), wanted(y, numbers))
	case "contour", "two-dimensional histogram":
		return errors.Join(wanted(x, numbers, times), wanted(y, numbers, times))
	case "pie", "area":
		return wanted(y, numbers)
	}
	return nil
}

// base and value return the columns of the axes; base is nil if there is none.
func (p *prepared) base() *column {
	if p.flip {
		return p.columns[chY]
	}
	return p.columns[chX]
}

func (p *prepared) value() *column {
	if p.flip {
		return p.columns[chX]
	}
	return p.columns[chY]
}

// put sets the positions of an item: base and value, and their other ends.
func (p *prepared) put(i item, base, base2, value, value2 float64) item {
	i.x, i.x2, i.y, i.y2 = base, base2, value, value2
	if p.flip {
		i.x, i.x2, i.y, i.y2 = value, value2, base, base2
	}
	return i
}

// add adds a part to the scene.
func (b *builder) add(p *prepared, made part) *part {
	if made.opacity == 0 {
		made.opacity = 1
	}
	if p.opacity > 0 {
		made.opacity = p.opacity
	}
	if p.paint != nil {
		made.color = p.paint
	}
	made.dashed = p.dashed
	b.scene.parts = append(b.scene.parts, &made)
	return &made
}

// emit adds the marks of a layer.
func (b *builder) emit(p *prepared) error {
	switch p.mark {
	case "point":
		return b.point(p)
	case "line", "step":
		return b.line(p)
	case "area":
		return b.area(p)
	case "bar":
		return b.bar(p)
	case "histogram":
		return b.histogram(p)
	case "box":
		return b.box(p)
	case "violin":
		return b.violin(p)
	case "strip", "tick":
		return b.strip(p)
	case "density", "ecdf":
		return b.distribution(p)
	case "ridgeline":
		return b.ridgeline(p)
	case "heat map":
		return b.heatMap(p)
	case "two-dimensional histogram":
		return b.bin2D(p)
	case "contour":
		return b.contour(p)
	case "smooth", "regression":
		return b.trend(p)
	case "error bar", "error band":
		return b.interval(p)
	case "text":
		return b.text(p)
	case "pie":
		return b.pie(p)
	case "horizontal line", "vertical line":
		return b.rule(p)
	}
	return fmt.Errorf("no such mark")
}

var nan = math.NaN()

func (b *builder) point(p *prepared) error {
	x, y := p.columns[chX], p.columns[chY]
	size, opacity := 42.0, 0.8
	if len(p.rows) > 300 {
		size, opacity = 24, 0.6
	}
	if len(p.rows) > 2000 {
		size, opacity = 12, 0.35
	}
	if p.columns[chSize] != nil {
		opacity = 0.65
	}
	part := b.add(p, part{shape: points, size: size, opacity: opacity, rim: p.columns[chSize] != nil, tips: p.tipTitles()})
	for i := range p.rows {
		it := p.item(i)
		it.x, it.y, it.tips = x.at[i], y.at[i], p.tipTexts(i)
		if p.position == grouped && x.kind == names {
			it.x += b.dodge(it.series)
		} else if p.position == grouped && y.kind == names {
			it.y -= b.dodge(it.series)
		}
		part.items = append(part.items, it)
	}
	if part.rim { // small points are above large ones
		slices.SortStableFunc(part.items, func(a, b item) int { return cmp.Compare(b.size, a.size) })
	}
	return nil
}

// groupWidth is the share of the width of a name that bars take.
const groupWidth = 0.8

// dodge returns the offset of a color beside the others.
func (b *builder) dodge(series int) float64 {
	n := len(b.scene.colors)
	if series < 0 || n < 2 {
		return 0
	}
	return groupWidth * ((float64(series)+0.5)/float64(n) - 0.5)
}

func (b *builder) line(p *prepared) error {
	x, y := p.columns[chX], p.columns[chY]
	part := b.add(p, part{shape: lines, width: 2, step: p.mark == "step", tips: p.tipTitles()})
	for _, g := range p.groups() {
		slices.SortStableFunc(g.rows, func(i, k int) int { return cmp.Compare(x.at[i], x.at[k]) })
		b.path++
		for _, i := range g.rows {
			if math.IsNaN(y.at[i]) {
				b.path++
				continue
			}
			it := p.item(i)
			it.x, it.y, it.path, it.tips = x.at[i], y.at[i], b.path, p.tipTexts(i)
			part.items = append(part.items, it)
		}
	}
	return nil
}

func (b *builder) area(p *prepared) error {
	x, y := p.columns[chX], p.columns[chY]
	b.scene.axes[1].zero = true
	opacity := 0.85
	if p.position == overlaid {
		opacity = 0.45
	}
	part := b.add(p, part{shape: areas, opacity: opacity, tips: p.tipTitles()})
	positions := map[int][]float64{} // of all colors of a panel
	for _, g := range p.groups() {
		positions[g.panel] = append(positions[g.panel], pick(x, g.rows)...)
	}
	sums, totals := map[[2]float64]float64{}, map[[2]float64]float64{}
	for i := range p.rows {
		totals[[2]float64{float64(p.panel(i)), x.at[i]}] += y.at[i]
	}
	for _, g := range p.groups() {
		b.path++
		at := map[float64]int{}
		for _, i := range g.rows {
			if k, seen := at[x.at[i]]; seen {
				return fmt.Errorf("rows %d and %d have the same color and %s = %s; write sum(%s) or mean(%s)", p.rows[k], p.rows[i], x.title, x.text(i), y.title, y.title)
			}
			at[x.at[i]] = i
		}
		for _, position := range slices.Compact(sorted(positions[g.panel])) {
			it := item{panel: g.panel, series: g.series, shade: nan, size: nan, x: position, x2: nan, path: b.path, row: -1}
			height := 0.0
			if i, ok := at[position]; ok {
				it, height = p.item(i), y.at[i]
				it.x, it.path, it.tips = position, b.path, p.tipTexts(i)
			} else {
				it.tips = append([]string{x.format(position), "0"}, slices.Repeat([]string{""}, max(0, len(part.tips)-2))...)
			}
			key := [2]float64{float64(g.panel), position}
			if p.position == shared && totals[key] != 0 {
				height /= totals[key]
			}
			if p.position == overlaid {
				it.y, it.y2 = height, 0
			} else {
				it.y, it.y2 = sums[key]+height, sums[key]
				sums[key] += height
			}
			part.items = append(part.items, it)
		}
	}
	return nil
}

// widthOf returns the width of a base: that of names and bins, or a share of the smallest distance.
func widthOf(c *column) float64 {
	switch {
	case c == nil || c.kind == names:
		return groupWidth
	case c.width > 0:
		return c.width
	}
	list, least := slices.Compact(sorted(c.at)), math.Inf(1)
	for i := 1; i < len(list); i++ {
		least = min(least, list[i]-list[i-1])
	}
	if math.IsInf(least, 1) {
		least = 1
		if c.kind == times {
			least = 86400
		}
	}
	return groupWidth * least
}

func (b *builder) bar(p *prepared) error {
	base, value := p.base(), p.value()
	axis := 1
	if p.flip {
		axis = 0
	}
	if b.scene.axes[axis].log {
		return errors.New("a bar begins at 0, which a logarithmic axis does not have; use Point")
	}
	b.scene.axes[axis].zero = true
	color := p.columns[chColor]
	alone := color == nil || color.kind != names || color.title == base.title
	width := widthOf(base)
	opacity := 1.0
	if p.position == overlaid {
		opacity = 0.5
	}
	part := b.add(p, part{shape: rects, opacity: opacity, tips: p.tipTitles()})
	above, below, totals := map[[2]float64]float64{}, map[[2]float64]float64{}, map[[2]float64]float64{}
	for i := range p.rows {
		totals[[2]float64{float64(p.panel(i)), base.at[i]}] += math.Abs(value.at[i])
	}
	for _, g := range p.groups(base) {
		if len(g.rows) > 1 {
			return fmt.Errorf("%d rows have %s = %s, such as rows %d and %d; write sum(%s) or mean(%s)", len(g.rows), base.title, base.text(g.rows[0]),
				p.rows[g.rows[0]], p.rows[g.rows[1]], value.title, value.title)
		}
		i := g.rows[0]
		it := p.item(i)
		it.tips = p.tipTexts(i)
		at, height, key := base.at[i], value.at[i], [2]float64{float64(g.panel), base.at[i]}
		from, half := 0.0, width/2
		switch {
		case alone || p.position == overlaid:
		case p.position == grouped:
			n := float64(len(b.scene.colors))
			offset := (float64(it.series)+0.5)/n - 0.5
			if p.flip {
				offset = -offset
			}
			at, half = at+width*offset, width/n/2*0.94
		default:
			if p.position == shared && totals[key] != 0 {
				height /= totals[key]
			}
			sums := above
			if height < 0 {
				sums = below
			}
			from = sums[key]
			sums[key] += height
		}
		part.items = append(part.items, p.put(it, at-half, at+half, from, from+height))
	}
	b.barLabels(p, part)
	return nil
}

// barLabels writes the labels of bars at their ends.
func (b *builder) barLabels(p *prepared, bars *part) {
	label := p.columns[chLabel]
	if label == nil {
		return
	}
	made := part{shape: texts, color: &colormap.Ink, align: -0.5, dy: 7}
	if p.flip {
		made.align, made.dx, made.dy = 0, 4, 0
		b.scene.axes[0].labeled = true
	}
	for n, g := range p.groups(p.base()) {
		it := bars.items[n]
		if i := g.rows[0]; !math.IsNaN(label.at[i]) {
			it.label, it.tips = label.text(i), nil
			if p.flip {
				it.x, it.y, it.x2, it.y2 = it.x2, (it.y+it.y2)/2, nan, nan
			} else {
				it.x, it.y, it.x2, it.y2 = (it.x+it.x2)/2, it.y2, nan, nan
			}
			made.items = append(made.items, it)
		}
	}
	b.scene.parts = append(b.scene.parts, &made)
	made.opacity = 1
}

func (b *builder) histogram(p *prepared) error {
	x := p.columns[chX]
	b.scene.axes[1].zero = true
	low, width, count := bins(x.at, p.bins)
	opacity := 0.9
	if p.position == overlaid {
		opacity = 0.45
	}
	made := part{shape: rects, opacity: opacity, tips: []string{"from", "to", p.columns[chY].title}}
	if p.columns[chColor] != nil {
		made.tips = append(made.tips, p.columns[chColor].title)
	}
	part := b.add(p, made)
	sums, totals := map[[2]int]float64{}, map[[2]int]float64{}
	bin := func(at float64) int { return min(max(int(math.Floor((at-low)/width+1e-9)), 0), count-1) }
	for i := range p.rows {
		totals[[2]int{p.panel(i), bin(x.at[i])}]++
	}
	text := x.format
	if p.logs[0] {
		text = func(at float64) string { return numberText(math.Pow(10, at)) }
	}
	for _, g := range p.groups() {
		heights := make([]float64, count)
		for _, i := range g.rows {
			heights[bin(x.at[i])]++
		}
		for k, height := range heights {
			if height == 0 {
				continue
			}
			key := [2]int{g.panel, k}
			if p.position == shared {
				height /= totals[key]
			}
			from := sums[key]
			if p.position != overlaid {
				sums[key] += height
			} else {
				from = 0
			}
			left := low + width*float64(k)
			it := item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, x: left, x2: left + width, y: from, y2: from + height,
				tips: []string{text(left), text(left + width), numberText(height)}}
			if g.series >= 0 {
				it.tips = append(it.tips, b.scene.colors[g.series])
			}
			part.items = append(part.items, it)
		}
	}
	return nil
}

// A spot is where a group of values is drawn: the middle and half of the width.
type spot struct{ at, half float64 }

// placeOf returns the place of a group on the base axis. Colors other than those of the base are
// beside each other.
func (b *builder) placeOf(p *prepared, g group) spot {
	base := p.base()
	at, half := 0.0, groupWidth/2
	if base != nil {
		at, half = base.at[g.rows[0]], widthOf(base)/2
	}
	color := p.columns[chColor]
	if n := len(b.scene.colors); color != nil && color.kind == names && n > 1 && (base == nil || color.title != base.title) &&
		(p.mark == "box" || p.mark == "violin" || p.position == grouped) {
		offset := (float64(g.series)+0.5)/float64(n) - 0.5
		if p.flip {
			offset = -offset
		}
		return spot{at + 2*half*offset, half / float64(n) * 0.94}
	}
	return spot{at, half}
}

// based returns the groups of the base.
func (p *prepared) based() []group {
	if base := p.base(); base != nil {
		return p.groups(base)
	}
	return p.groups()
}

func (b *builder) box(p *prepared) error {
	value := p.value()
	boxes := b.add(p, part{shape: rects, opacity: 0.55, tips: []string{"values", "lower quartile", "median", "upper quartile"}})
	whiskers := b.add(p, part{shape: rules, width: 1.5})
	medians := b.add(p, part{shape: rules, width: 2.5})
	outside := b.add(p, part{shape: points, size: 14, opacity: 0.6, tips: p.tipTitles()})
	for _, g := range p.based() {
		list := sorted(pick(value, g.rows))
		q1, median, q3 := quantile(list, 0.25), quantile(list, 0.5), quantile(list, 0.75)
		reach := 1.5 * (q3 - q1)
		low, high := q1, q3
		at := b.placeOf(p, g)
		half := at.half * 0.75
		for _, i := range g.rows {
			switch v := value.at[i]; {
			case v < q1-reach || v > q3+reach:
				it := p.item(i)
				it.tips = p.tipTexts(i)
				outside.items = append(outside.items, p.put(it, at.at, nan, v, nan))
			default:
				low, high = min(low, v), max(high, v)
			}
		}
		it := item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1}
		box := p.put(it, at.at-half, at.at+half, q1, q3)
		box.tips = []string{fmt.Sprint(len(list)), value.format(q1), value.format(median), value.format(q3)}
		boxes.items = append(boxes.items, box)
		medians.items = append(medians.items, p.put(it, at.at-half, at.at+half, median, median))
		for _, line := range [][4]float64{{at.at, at.at, q1, low}, {at.at, at.at, q3, high}} {
			whiskers.items = append(whiskers.items, p.put(it, line[0], line[1], line[2], line[3]))
		}
	}
	return nil
}

// densityPoints is the number of points of estimated densities.
const densityPoints = 96

func (b *builder) violin(p *prepared) error {
	value := p.value()
	bodies := b.add(p, part{shape: areas, opacity: 0.6, horizontal: !p.flip})
	medians := b.add(p, part{shape: rules, width: 2.5, tips: []string{"values", "median"}})
	for _, g := range p.based() {
		list := sorted(pick(value, g.rows))
		x, d := density(list, p.bandwidth, densityPoints)
		most := slices.Max(d)
		at := b.placeOf(p, g)
		b.path++
		it := item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, path: b.path}
		for k := range x {
			half := at.half * d[k] / most
			bodies.items = append(bodies.items, p.put(it, at.at-half, at.at+half, x[k], nan))
		}
		median := quantile(list, 0.5)
		k, _ := slices.BinarySearch(x, median)
		half := at.half * d[min(k, len(d)-1)] / most
		line := p.put(it, at.at-half, at.at+half, median, median)
		line.tips = []string{fmt.Sprint(len(list)), value.format(median)}
		medians.items = append(medians.items, line)
	}
	return nil
}

func (b *builder) strip(p *prepared) error {
	value := p.value()
	if p.mark == "tick" {
		part := b.add(p, part{shape: rules, width: 1.25, opacity: 0.6, tips: p.tipTitles()})
		for _, g := range p.based() {
			at := b.placeOf(p, g)
			for _, i := range g.rows {
				it := p.item(i)
				it.tips = p.tipTexts(i)
				part.items = append(part.items, p.put(it, at.at-at.half*0.7, at.at+at.half*0.7, value.at[i], value.at[i]))
			}
		}
		return nil
	}
	size := 26.0
	if len(p.rows) > 500 {
		size = 14
	}
	part := b.add(p, part{shape: points, size: size, opacity: 0.65, tips: p.tipTitles()})
	for _, g := range p.based() {
		at := b.placeOf(p, g)
		for n, i := range g.rows {
			it := p.item(i)
			it.tips = p.tipTexts(i)
			// Multiples of the golden ratio fill the width evenly and are the same in every run.
			_, shift := math.Modf(float64(n+1) * (math.Sqrt(5) - 1) / 2)
			part.items = append(part.items, p.put(it, at.at+at.half*0.75*(2*shift-1), nan, value.at[i], nan))
		}
	}
	return nil
}

func (b *builder) interval(p *prepared) error {
	base, value := p.base(), p.value()
	if base == nil {
		return errors.New("want two columns")
	}
	extent := cmp.Or(p.extent, "ci")
	names := map[string]string{"ci": "95 % confidence interval", "stderr": "mean ± standard error", "std": "mean ± standard deviation", "iqr": "quartiles"}
	if (p.columns[chLow] == nil) != (p.columns[chHigh] == nil) {
		return errors.New("Bounds: want both columns")
	}
	ink := &colormap.Ink
	if p.columns[chColor] != nil && !slices.ContainsFunc(b.layers, func(o *prepared) bool { return o.mark == "bar" }) {
		ink = nil
	}
	tips := []string{base.title, value.title, names[extent], "to"}
	centers := part{shape: points, size: 36, color: ink, tips: tips}
	bars := part{shape: rules, width: 1.5, color: ink, tips: tips}
	bands := part{shape: areas, opacity: 0.22, tips: tips}
	path := map[[2]int]int{}
	for _, g := range p.based() {
		center, low, high := interval(pick(value, g.rows), extent)
		if p.columns[chLow] != nil {
			if len(g.rows) > 1 {
				return fmt.Errorf("rows %d and %d have the same %s and color, and Bounds", p.rows[g.rows[0]], p.rows[g.rows[1]], base.title)
			}
			low, high = p.columns[chLow].at[g.rows[0]], p.columns[chHigh].at[g.rows[0]]
		}
		at := b.placeOf(p, g)
		key := [2]int{g.panel, g.series}
		if path[key] == 0 {
			b.path++
			path[key] = b.path
		}
		it := item{panel: g.panel, series: g.series, shade: nan, size: nan, row: -1, path: path[key],
			tips: []string{base.text(g.rows[0]), value.format(center), value.format(low), value.format(high)}}
		bands.items = append(bands.items, p.put(it, at.at, nan, low, high))
		bars.items = append(bars.items, p.put(it, at.at, at.at, low, high))
		centers.items = append(centers.items, p.put(it, at.at, nan, center, nan))
	}
	if p.mark == "error band" {
		bands.horizontal = p.flip
		slices.SortStableFunc(bands.items, func(a, b item) int { return cmp.Compare(a.path, b.path) })
		b.add(p, bands)
		return nil
	}
	b.add(p, bars)
	// A bar has its own center, and so has a layer of points.
	if !slices.ContainsFunc(b.layers, func(o *prepared) bool { return o.mark == "bar" || o.mark == "point" && o.y.aggregated() }) {
		b.add(p, centers)
	}
	return nil
}

func (b *builder) text(p *prepared) error {
	label := p.columns[chLabel]
	if label == nil {
		return errors.New("want a Label")
	}
	made := part{shape: texts, align: -0.5, dy: 12}
	if p.columns[chColor] == nil {
		made.color = &colormap.Ink
	}
	if slices.ContainsFunc(b.layers, func(o *prepared) bool { return o.mark == "heat map" }) {
		made.dy = 0
	}
	part := b.add(p, made)
	for i := range p.rows {
		if math.IsNaN(label.at[i]) {
			continue
		}
		it := p.item(i)
		it.x, it.y, it.label = p.columns[chX].at[i], p.columns[chY].at[i], label.text(i)
		part.items = append(part.items, it)
	}
	return nil
}

func (b *builder) rule(p *prepared) error {
	k := 1
	if p.mark == "vertical line" {
		k = 0
	}
	part := b.add(p, part{shape: rules, width: 1.25, color: &color.RGBA{0x55, 0x55, 0x55, 0xff}})
	for _, value := range p.values {
		at, kind, zone, err := place(value)
		if err != nil {
			return err
		}
		a := &b.scene.axes[k]
		if !a.known {
			a.known, a.kind, a.zone = true, kind, zone
		}
		if a.kind != kind {
			return fmt.Errorf("the axis has %s, not the value %v", a.kind, value)
		}
		it := item{panel: -1, series: -1, shade: nan, size: nan, row: -1, x: at, x2: at, y: math.Inf(-1), y2: math.Inf(1)}
		if k == 1 {
			it.x, it.x2, it.y, it.y2 = math.Inf(-1), math.Inf(1), at, at
		}
		part.items = append(part.items, it)
	}
	return nil
}
