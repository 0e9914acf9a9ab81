package chart

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A prepared layer has the values of its channels in rows without missing values, grouped if a
// channel is an aggregate.
type prepared struct {
	layer
	columns [channels]*column // nil for channels that are not used
	extra   []*column         // of tips
	rows    []int             // row of the data of each value; -1 for groups
	flip    bool              // the base is the vertical axis
	logs    [2]bool           // positions are logarithms
}

// The channels of a layer.
const (
	chX = iota
	chY
	chColor
	chSize
	chFacet
	chDetail
	chLow
	chHigh
	chLabel
	channels
)

// A builder computes a scene.
type builder struct {
	chart  *Chart
	layers []*prepared
	scene  *scene
	path   int
}

// build computes what the chart draws.
func (c *Chart) build() (*scene, error) {
	if len(c.layers) == 0 {
		return nil, errors.New("the chart has no marks; add one, such as Point")
	}
	s := &scene{title: c.title, width: c.width, height: c.height, across: 1, brush: c.brush, small: c.small}
	b := &builder{chart: c, scene: s}
	missing := &tally{}
	for _, l := range c.layers {
		p, err := b.prepare(l, missing)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.mark, err)
		}
		b.layers = append(b.layers, p)
	}
	s.note = strings.Join(slices.DeleteFunc([]string{c.note, missing.text()}, func(text string) bool { return text == "" }), " ")
	for _, step := range []func() error{b.facets, b.axes, b.series, b.numberScales} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, p := range b.layers {
		if err := p.logarithms(s); err != nil {
			return nil, fmt.Errorf("%s: %w", p.mark, err)
		}
		first := len(s.parts)
		if err := b.emit(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.mark, err)
		}
		p.finish(s.parts[first:])
	}
	return s, s.fit(c.axes)
}

// A tally counts rows with missing values.
type tally struct {
	rows, of int
	columns  []string
	counts   map[string]int
}

func (t *tally) add(title string, n int) {
	if n == 0 {
		return
	}
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if _, seen := t.counts[title]; !seen {
		t.columns = append(t.columns, title)
	}
	t.counts[title] = max(t.counts[title], n)
}

// text returns the note on missing values.
func (t *tally) text() string {
	if len(t.columns) == 0 {
		return ""
	}
	var words []string
	for _, name := range t.columns {
		words = append(words, fmt.Sprintf("%s (%d)", name, t.counts[name]))
	}
	list := strings.Join(words, ", ")
	switch {
	case t.rows == 0:
		return fmt.Sprintf("Missing values: %s.", list)
	case t.rows == 1:
		return fmt.Sprintf("1 of %d rows is not shown: missing values of %s.", t.of, list)
	}
	return fmt.Sprintf("%d of %d rows are not shown: missing values of %s.", t.rows, t.of, list)
}

// prepare resolves the channels of a layer.
func (b *builder) prepare(l layer, missing *tally) (*prepared, error) {
	p := &prepared{layer: l}
	if l.values != nil || strings.HasSuffix(l.mark, "tal line") {
		return p, nil
	}
	facet := b.chart.facet
	if facet.set() && l.data != b.chart.data && !slices.Contains(l.data.names, facet.column) {
		facet = channel{} // marks without the column are in all panels
	}
	used := [channels]channel{l.x, l.y, l.color, l.size, facet, l.detail, l.low, l.high, l.label}
	for k, ch := range used {
		if !ch.set() {
			continue
		}
		resolved, err := l.data.resolve(ch)
		if err != nil {
			return nil, err
		}
		p.columns[k] = resolved
	}
	for _, ch := range l.tips {
		resolved, err := l.data.resolve(ch)
		if err != nil {
			return nil, err
		}
		p.extra = append(p.extra, resolved)
	}
	p.keep(used, missing)
	if len(p.rows) == 0 {
		return nil, fmt.Errorf("no row has values of all columns; there are %d rows", l.data.height)
	}
	if slices.ContainsFunc(used[:], channel.aggregated) || slices.ContainsFunc(l.tips, channel.aggregated) {
		p.aggregate(used)
	}
	return p, nil
}

// keep keeps the rows without missing values, and counts the others. Lines keep those without y.
func (p *prepared) keep(used [channels]channel, missing *tally) {
	gaps := p.mark == "line" || p.mark == "step"
	dropped := 0
	counts := [channels]int{}
	for i := range p.data.height {
		keep := true
		for k, c := range p.columns {
			if c == nil || k == chLabel || !math.IsNaN(c.at[i]) {
				continue
			}
			counts[k]++
			if !used[k].aggregated() && !(gaps && k == chY) {
				keep = false
			}
		}
		if keep {
			p.rows = append(p.rows, i)
		} else {
			dropped++
		}
	}
	for k, n := range counts {
		if used[k].set() {
			missing.add(used[k].column, n)
		}
	}
	missing.rows, missing.of = max(missing.rows, dropped), max(missing.of, p.data.height)
	p.take(p.rows)
}

// take replaces the columns by those of some rows.
func (p *prepared) take(rows []int) {
	for _, c := range p.all() {
		if *c == nil {
			continue
		}
		taken := **c
		taken.at = make([]float64, len(rows))
		for i, row := range rows {
			taken.at[i] = (*c).at[row]
		}
		*c = &taken
	}
}

// all returns the columns of the layer.
func (p *prepared) all() []**column {
	var list []**column
	for k := range p.columns {
		list = append(list, &p.columns[k])
	}
	for k := range p.extra {
		list = append(list, &p.extra[k])
	}
	return list
}

// aggregate reduces the rows with equal values of the other channels to one.
func (p *prepared) aggregate(used [channels]channel) {
	exprs := append(slices.Clone(used[:]), p.tips...)
	list := p.all()
	index := map[string]int{}
	var groups [][]int
	for i := range p.rows {
		key := ""
		for k, ch := range exprs {
			if ch.set() && !ch.aggregated() {
				key += fmt.Sprintf("%x,", math.Float64bits((*list[k]).at[i]))
			}
		}
		g, seen := index[key]
		if !seen {
			g = len(groups)
			index[key] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	for k, ch := range exprs {
		if !ch.set() {
			continue
		}
		source := *list[k]
		made := *source
		made.at = make([]float64, len(groups))
		if ch.function == "count" || ch.function == "unique" {
			made.kind, made.levels = numbers, nil
		}
		for g, rows := range groups {
			if !ch.aggregated() {
				made.at[g] = source.at[rows[0]]
				continue
			}
			var values []float64
			for _, i := range rows {
				if !math.IsNaN(source.at[i]) {
					values = append(values, source.at[i])
				}
			}
			made.at[g] = math.NaN()
			if len(values) > 0 || ch.function == "count" || ch.function == "sum" || ch.function == "unique" {
				made.at[g] = aggregates[ch.function](values)
			}
		}
		*list[k] = &made
	}
	var known []int
	for g := range groups {
		lacks := func(c *column) bool { return c != nil && math.IsNaN(c.at[g]) }
		if !lacks(p.columns[chX]) && !lacks(p.columns[chY]) && !lacks(p.columns[chColor]) && !lacks(p.columns[chSize]) {
			known = append(known, g)
		}
	}
	p.take(known)
	p.rows = make([]int, len(known))
	for i := range p.rows {
		p.rows[i] = -1
	}
}

// levels returns the names that columns use, in the order of their levels or in the given one, and
// changes the columns to indices of them.
func (b *builder) levels(list []*prepared, k int) ([]string, error) {
	var all []string
	index := map[string]int{}
	source := ""
	for _, p := range list {
		c := p.columns[k]
		used := make([]bool, len(c.levels))
		for _, at := range c.at {
			used[int(at)] = true
		}
		for i, level := range c.levels {
			if _, seen := index[level]; used[i] && !seen {
				index[level] = len(all)
				all = append(all, level)
			}
		}
		if source == "" {
			source = p.source(b, k)
		}
	}
	if order, ok := b.chart.orders[source]; ok {
		wanted := slices.Clone(order)
		if len(wanted) == 0 {
			wanted = slices.Sorted(slices.Values(all))
		}
		for _, level := range all {
			if !slices.Contains(wanted, level) {
				return nil, fmt.Errorf("Order: column %q has %q, which is not in the list", source, level)
			}
		}
		all = slices.DeleteFunc(wanted, func(level string) bool { _, used := index[level]; return !used })
		for i, level := range all {
			index[level] = i
		}
	}
	for _, p := range list {
		recoded := *p.columns[k]
		recoded.levels, recoded.at = all, make([]float64, len(recoded.at))
		for i, at := range p.columns[k].at {
			recoded.at[i] = float64(index[p.columns[k].levels[int(at)]])
		}
		p.columns[k] = &recoded
	}
	return all, nil
}

// source returns the name of the column of a channel.
func (p *prepared) source(b *builder, k int) string {
	return [...]string{chX: p.x.column, chY: p.y.column, chColor: p.color.column, chFacet: b.chart.facet.column, channels - 1: ""}[k]
}

// having returns the layers that use a channel.
func (b *builder) having(k int) []*prepared {
	return slices.DeleteFunc(slices.Clone(b.layers), func(p *prepared) bool { return p.columns[k] == nil })
}

// facets makes the panels.
func (b *builder) facets() error {
	list := b.having(chFacet)
	if len(list) == 0 {
		return nil
	}
	for _, p := range list {
		p.columns[chFacet] = p.columns[chFacet].asNames(p.columns[chFacet].format)
	}
	levels, err := b.levels(list, chFacet)
	if err != nil {
		return err
	}
	if most := 60; len(levels) > most {
		return fmt.Errorf("Facet: column %q has %d values; at most %d panels are drawn", b.chart.facet.text, len(levels), most)
	}
	b.scene.panels = levels
	b.scene.across = b.chart.columns
	if b.scene.across == 0 {
		b.scene.across = [...]int{0, 1, 2, 3, 2, 3, 3, 4, 4, 3}[min(len(levels), 9)]
		if len(levels) > 9 {
			b.scene.across = 4
		}
	}
	b.scene.across = min(b.scene.across, len(levels))
	return nil
}

// series makes the colors of names.
func (b *builder) series() error {
	list := slices.DeleteFunc(b.having(chColor), func(p *prepared) bool { return p.columns[chColor].kind != names })
	for _, p := range b.having(chColor) {
		if p.columns[chColor].kind == times {
			return fmt.Errorf("%s: the color %s is a time; write category(%s) or year(…)", p.mark, p.color.text, p.color.text)
		}
		if p.columns[chColor].kind == numbers && needsNames[p.mark] {
			return fmt.Errorf("%s: the color %s is a number, and a %s has one color; write category(%s)", p.mark, p.color.text, p.mark, p.color.text)
		}
	}
	if len(list) == 0 {
		return nil
	}
	levels, err := b.levels(list, chColor)
	if err != nil {
		return err
	}
	if len(levels) > mostColors {
		return fmt.Errorf("Color: column %q has %d values; at most %d colors can be distinguished", list[0].color.text, len(levels), mostColors)
	}
	b.scene.colors, b.scene.colorTitle = levels, list[0].columns[chColor].title
	for _, p := range list {
		if p.sorted && p.mark == "pie" {
			b.sort(p, chColor, chY, b.scene.colors)
		}
	}
	return nil
}

// needsNames has the marks of which one has many rows.
var needsNames = map[string]bool{
	"line": true, "step": true, "area": true, "histogram": true, "box": true, "violin": true, "density": true, "ecdf": true,
	"ridgeline": true, "smooth": true, "regression": true, "error bar": true, "error band": true, "contour": true, "pie": true,
}

// numberScales sets the ranges of colors and sizes.
func (b *builder) numberScales() error {
	extend := func(s **scaleOf, c *column) {
		if *s == nil {
			*s = &scaleOf{c.title, math.Inf(1), math.Inf(-1)}
		}
		for _, at := range c.at {
			(*s).low, (*s).high = min((*s).low, at), max((*s).high, at)
		}
	}
	for _, p := range b.having(chColor) {
		if p.columns[chColor].kind == numbers {
			extend(&b.scene.shades, p.columns[chColor])
		}
	}
	for _, p := range b.having(chSize) {
		if p.columns[chSize].kind != numbers {
			return fmt.Errorf("%s: the size %s has %s, want numbers", p.mark, p.size.text, p.columns[chSize].kind)
		}
		extend(&b.scene.sizes, p.columns[chSize])
		if b.scene.sizes.low < 0 {
			return fmt.Errorf("%s: the size %s is %s; an area is not negative", p.mark, p.size.text, numberText(b.scene.sizes.low))
		}
	}
	return nil
}

// axes decides which columns are on which axis, and makes the order of names.
func (b *builder) axes() error {
	for _, p := range b.layers {
		if err := p.orient(); err != nil {
			return fmt.Errorf("%s: %w", p.mark, err)
		}
	}
	for k := range 2 {
		a := &b.scene.axes[k]
		options := b.chart.axes[k]
		a.log, a.reversed = options.log, options.reversed
		var named []*prepared
		for _, p := range b.having(k) {
			c := p.columns[k]
			if p.mark == "pie" {
				continue
			}
			if a.known && a.kind != c.kind {
				return fmt.Errorf("%s: column %s has %s, and the axis of the layers before has %s", p.mark, c.title, c.kind, a.kind)
			}
			if !a.known {
				a.known, a.kind, a.title, a.zone = true, c.kind, c.title, c.zone
			}
			if c.kind == names {
				named = append(named, p)
			}
		}
		if len(named) > 0 {
			var err error
			if a.names, err = b.levels(named, k); err != nil {
				return err
			}
			for _, p := range named {
				if p.sorted {
					b.sort(p, k, 1-k, a.names)
				}
			}
			if k == 1 { // the first name is at the top
				upward(named, a.names)
			}
		}
		if title := strings.TrimSuffix(options.title, " "); options.title != "" {
			a.title = title
		}
		if a.log && a.kind != numbers {
			return fmt.Errorf("a logarithmic axis has numbers, not the %s of %s", a.kind, a.title)
		}
	}
	return nil
}

// upward reverses the names of the vertical axis.
func upward(list []*prepared, levels []string) {
	slices.Reverse(levels)
	for _, p := range list {
		recoded := *p.columns[chY]
		recoded.levels, recoded.at = levels, make([]float64, len(recoded.at))
		for i, at := range p.columns[chY].at {
			recoded.at[i] = float64(len(levels)-1) - at
		}
		p.columns[chY] = &recoded
	}
}

// sort sorts the names of a channel by the sums of another, the largest first; on the vertical axis
// it is at the top.
func (b *builder) sort(p *prepared, k, by int, levels []string) {
	if p.columns[by] == nil {
		return
	}
	totals := make([]float64, len(levels))
	for i, at := range p.columns[k].at {
		totals[int(at)] += p.columns[by].at[i]
	}
	order := make([]int, len(levels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(totals[b], totals[a]) })
	sorted, position := make([]string, len(levels)), make([]int, len(levels))
	for i, old := range order {
		sorted[i], position[old] = levels[old], i
	}
	copy(levels, sorted)
	for _, other := range b.having(k) {
		if c := other.columns[k]; c.kind == names && len(c.levels) == len(levels) {
			recoded := *c
			recoded.levels, recoded.at = levels, make([]float64, len(c.at))
			for i, at := range c.at {
				recoded.at[i] = float64(position[int(at)])
			}
			other.columns[k] = &recoded
		}
	}
}

// logarithms replaces positions by their logarithms for marks whose statistics are those of
// logarithms on a logarithmic axis.
func (p *prepared) logarithms(s *scene) error {
	if !map[string]bool{"histogram": true, "density": true, "violin": true, "ridgeline": true, "smooth": true, "regression": true, "contour": true,
		"two-dimensional histogram": true}[p.mark] {
		return nil
	}
	for k := range 2 {
		c := p.columns[k]
		if c == nil || !s.axes[k].log || c.kind != numbers {
			continue
		}
		made := *c
		made.at = make([]float64, len(c.at))
		for i, at := range c.at {
			if at <= 0 {
				return fmt.Errorf("%s is %s; a logarithmic axis has positive numbers only", c.title, numberText(at))
			}
			made.at[i] = math.Log10(at)
		}
		p.columns[k], p.logs[k] = &made, true
	}
	return nil
}

// finish turns logarithms back into numbers.
func (p *prepared) finish(parts []*part) {
	for _, part := range parts {
		for n := range part.items {
			i := &part.items[n]
			if p.logs[0] {
				i.x, i.x2 = math.Pow(10, i.x), math.Pow(10, i.x2)
			}
			if p.logs[1] {
				i.y, i.y2 = math.Pow(10, i.y), math.Pow(10, i.y2)
			}
		}
	}
}

// A group holds rows with equal values of some columns.
type group struct {
	panel, series int
	values        []float64
	rows          []int
}

// groups returns the rows by panel, color, detail and the values of columns, in ascending order.
func (p *prepared) groups(by ...*column) []group {
	made := map[string]*group{}
	detail := p.columns[chDetail]
	for i := range p.rows {
		g := group{panel: p.panel(i), series: p.series(i)}
		key := fmt.Sprint(g.panel, g.series)
		for _, c := range append(slices.Clone(by), detail) {
			if c != nil {
				g.values = append(g.values, c.at[i])
				key += fmt.Sprintf(",%x", math.Float64bits(c.at[i]))
			}
		}
		if made[key] == nil {
			made[key] = &g
		}
		made[key].rows = append(made[key].rows, i)
	}
	list := slices.Collect(maps.Values(made))
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.panel, b.panel), slices.Compare(a.values[:len(by)], b.values[:len(by)]), cmp.Compare(a.series, b.series), slices.Compare(a.values, b.values))
	})
	groups := make([]group, len(list))
	for i, g := range list {
		groups[i] = *g
	}
	return groups
}

// panel returns the panel of a row.
func (p *prepared) panel(i int) int {
	if c := p.columns[chFacet]; c != nil {
		return int(c.at[i])
	}
	return -1
}

// series returns the color of a row, or -1.
func (p *prepared) series(i int) int {
	if c := p.columns[chColor]; c != nil && c.kind == names {
		return int(c.at[i])
	}
	return -1
}

// item returns an item at the panel, the color and the size of a row.
func (p *prepared) item(i int) item {
	it := item{panel: p.panel(i), series: p.series(i), shade: math.NaN(), size: math.NaN(), x2: math.NaN(), y2: math.NaN(), row: p.rows[i]}
	if c := p.columns[chColor]; c != nil && c.kind == numbers {
		it.shade = c.at[i]
	}
	if c := p.columns[chSize]; c != nil {
		it.size = c.at[i]
	}
	return it
}

// pick returns the values of a column in some rows.
func pick(c *column, rows []int) []float64 {
	list := make([]float64, len(rows))
	for k, i := range rows {
		list[k] = c.at[i]
	}
	return list
}

// tipTitles returns the titles of the texts under the pointer, and tipTexts those of a row.
func (p *prepared) tipTitles() []string {
	var list []string
	for _, c := range p.tipColumns() {
		list = append(list, c.title)
	}
	return list
}

func (p *prepared) tipTexts(i int) []string {
	var list []string
	for _, c := range p.tipColumns() {
		list = append(list, c.text(i))
	}
	return list
}

// tipColumns returns the columns of texts under the pointer, each once.
func (p *prepared) tipColumns() []*column {
	var list []*column
	for _, k := range []int{chLabel, chX, chY, chColor, chSize, chDetail} {
		if c := p.columns[k]; c != nil && !slices.ContainsFunc(list, func(o *column) bool { return o.title == c.title }) {
			list = append(list, c)
		}
	}
	return append(list, p.extra...)
}
