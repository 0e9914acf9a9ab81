package chart

import (
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
	"gosphere/plotting/figure"
)

const (
	vegaLiteType = "application/vnd.vegalite.v5+json"

	// mostMarks is the largest number of marks of an interactive form: they are stored in the
	// notebook, and browsers draw more of them slowly.
	mostMarks = 10_000
)

// An object is a part of a specification.
type object = map[string]any

// VegaLite returns the chart as a Vega-Lite 5 specification. It contains what the chart draws, not
// the data: statistics are computed before, so that all forms show the same numbers. Names are
// whole numbers on a quantitative axis with labels, and times are milliseconds since 1970 of the
// clock in their time zone. The field usermeta describes the same marks to the script of exported
// pages. More than 10,000 marks are an error.
func (c *Chart) VegaLite() (map[string]any, error) {
	if c.arranged != nil {
		return c.arrangedSpec()
	}
	if c.house == nil {
		s, err := c.build()
		if err != nil {
			return nil, fmt.Errorf("chart: %w", err)
		}
		if n := s.count(); n > mostMarks {
			return nil, fmt.Errorf("chart: no interactive form: it would have %d marks, more than %d", n, mostMarks)
		}
	}
	return c.Figure().VegaLite()
}

// arrangedSpec returns charts beside and above each other.
func (c *Chart) arrangedSpec() (map[string]any, error) {
	var views, metas []any
	var scenes []*scene
	marks := 0
	for k, child := range c.arranged {
		if child.house != nil || child.arranged != nil {
			scenes = append(scenes, nil)
			continue
		}
		s, err := child.build()
		if err != nil {
			return nil, fmt.Errorf("chart: chart %d: %w", k+1, err)
		}
		s.resize()
		if marks += s.count(); marks > mostMarks {
			return nil, fmt.Errorf("chart: no interactive form: it would have more than %d marks", mostMarks)
		}
		s.suffix = strconv.Itoa(k)
		scenes = append(scenes, s)
	}
	for k, child := range c.arranged {
		if scenes[k] == nil {
			view, err := child.VegaLite()
			if err != nil {
				return nil, err
			}
			for _, name := range []string{"$schema", "config", "description", "usermeta"} {
				delete(view, name)
			}
			views, metas = append(views, view), append(metas, nil)
			continue
		}
		others := map[int]*scene{}
		for other, s := range scenes {
			if s != nil && s.brush && other != k && c.arranged[other].data == child.data {
				others[other] = s
			}
		}
		view := scenes[k].spec(others)
		metas = append(metas, view["usermeta"].(object)["gosphere"])
		delete(view, "usermeta")
		if scenes[k].title != "" || scenes[k].note != "" {
			view["title"] = object{"text": scenes[k].title, "subtitle": scenes[k].note, "anchor": "start"}
		}
		views = append(views, view)
	}
	spec := object{"concat": views, "columns": c.across}
	if !slices.Contains(metas, nil) {
		spec["usermeta"] = object{"gosphere": object{"version": metaVersion, "across": c.across, "views": metas}}
	}
	f := c.Figure()
	if f.Err() != nil {
		return nil, f.Err()
	}
	return figure.Drawing{Kind: f.String(), Title: c.title, Note: c.note, Width: f.Width, Height: f.Height, Paint: func(draw.Canvas) {},
		VegaLite: func() map[string]any { return spec }}.Figure().VegaLite()
}

// vegaLite returns the specification of the scene alone.
func (s *scene) vegaLite() map[string]any { return s.spec(nil) }

// spec returns the specification. Others are scenes of the same data, by their index, whose brushes
// choose rows.
func (s *scene) spec(others map[int]*scene) object {
	wedged := slices.ContainsFunc(s.parts, func(p *part) bool { return p.shape == wedges })
	var layers []any
	rows := []any{}
	tips := s.brushed(others)
	for k, p := range s.parts {
		layers = append(layers, s.layer(k, p, others))
		rows = append(rows, s.rows(k, p, tips)...)
	}
	s.interactions(layers, wedged)
	inner := object{"layer": layers}
	if s.colors != nil && s.shades != nil {
		inner["resolve"] = object{"scale": object{"color": "independent"}}
	}
	inner["width"], inner["height"] = s.plotSize()
	spec := inner
	if s.panels != nil {
		spec = object{"facet": object{"field": "f" + s.suffix, "type": "nominal", "title": nil, "sort": s.panels,
			"header": object{"labelFontWeight": "bold", "labelAnchor": "start", "labelFontSize": 12}}, "columns": s.across, "spec": inner}
	}
	spec["data"] = object{"values": rows}
	spec["usermeta"] = object{"gosphere": s.meta()}
	return spec
}

// plotSize returns the size of a panel without its labels.
func (s *scene) plotSize() (width, height int) {
	width, height = s.width-90, s.height-80
	if s.panels != nil {
		rows := (len(s.panels) + s.across - 1) / s.across
		return max(80, (width-30)/s.across-15), max(60, height/rows-25)
	}
	return max(80, width), max(60, height)
}

// brushed returns the positions of the rows in the scenes whose brushes choose rows.
func (s *scene) brushed(others map[int]*scene) map[int]object {
	found := map[int]object{}
	for _, other := range others {
		for _, p := range other.parts {
			if p.shape != points {
				continue
			}
			for _, i := range p.items {
				if i.row >= 0 {
					if found[i.row] == nil {
						found[i.row] = object{}
					}
					found[i.row]["x"+other.suffix] = other.axes[0].number(i.x)
					found[i.row]["y"+other.suffix] = other.axes[1].number(i.y)
				}
			}
		}
	}
	return found
}

// number returns a position as JSON: times in milliseconds of the clock, and nil if it is not
// finite.
func (a *axis) number(x float64) any {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return nil
	case a.kind == times:
		_, offset := timeOf(x, a.zone).Zone()
		return math.Round(1000 * (x + float64(offset)))
	}
	return rounded(x)
}

// rounded returns a number with seven significant digits, which no picture shows.
func rounded(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 7, 64), 64)
	if err != nil {
		return x
	}
	return short
}

// rows returns the items of a part.
func (s *scene) rows(k int, p *part, chosen map[int]object) []any {
	var list []any
	for n, i := range p.items {
		row := object{"l": k}
		put := func(name string, value any) {
			if value != nil {
				row[name+s.suffix] = value
			}
		}
		if p.shape == wedges {
			put("x", rounded(i.x))
			put("x2", rounded(i.x2))
			put("m", rounded((i.x+i.x2)/2))
		} else {
			put("x", s.axes[0].number(i.x))
			put("x2", s.axes[0].number(i.x2))
			put("y", s.axes[1].number(i.y))
			put("y2", s.axes[1].number(i.y2))
		}
		if p.color == nil {
			if i.series >= 0 {
				put("c", s.colors[i.series])
			}
			put("v", rounded(i.shade))
		}
		if p.shape == points {
			put("s", rounded(i.size))
		}
		if i.label != "" {
			put("t", i.label)
		}
		if p.shape == lines || p.shape == areas {
			put("g", i.path)
			put("o", n)
		}
		for t, text := range i.tips {
			put("t"+strconv.Itoa(t), text)
		}
		if i.row >= 0 {
			put("r", i.row)
			for name, value := range chosen[i.row] {
				row[name] = value
			}
		}
		if s.panels == nil {
			list = append(list, row)
			continue
		}
		for panel, name := range s.panels {
			if i.panel == panel {
				put("f", name)
				list = append(list, row)
			} else if i.panel < 0 {
				copied := object{"f" + s.suffix: name}
				for key, value := range row {
					copied[key] = value
				}
				list = append(list, copied)
			}
		}
	}
	return list
}

// hex returns a color as in CSS.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// layer returns a layer of the specification.
func (s *scene) layer(k int, p *part, others map[int]*scene) object {
	mark := object{"opacity": p.opacity, "clip": true}
	encoding := object{}
	field := func(name string) string { return name + s.suffix }
	if p.shape == wedges {
		encoding["theta"] = object{"field": field("x"), "type": "quantitative", "scale": nil}
		encoding["theta2"] = object{"field": field("x2")}
	} else {
		s.positions(p, encoding)
	}
	switch p.shape {
	case points:
		mark["type"], mark["size"] = "circle", math.Round(p.size*4/math.Pi)
		if s.sizes != nil && slices.ContainsFunc(p.items, func(i item) bool { return !math.IsNaN(i.size) }) {
			encoding["size"] = object{"field": field("s"), "type": "quantitative", "title": s.sizes.title,
				"scale": object{"domain": []any{0, s.sizes.high}, "range": []any{0, math.Round(largestPoint * 4 / math.Pi)}}}
		}
	case lines:
		mark["type"], mark["strokeWidth"] = "line", p.width
		if p.step {
			mark["interpolate"] = "step-after"
		}
		if len(p.tips) > 0 {
			mark["point"] = "transparent"
		}
		encoding["order"] = object{"field": field("o"), "type": "quantitative"}
	case areas:
		mark["type"], mark["orient"] = "area", map[bool]string{false: "vertical", true: "horizontal"}[p.horizontal]
		if p.rim {
			mark["line"] = object{"color": "white", "strokeWidth": 1}
		}
	case rects, rules:
		mark["type"] = string(p.shape)
		if p.shape == rules {
			mark["strokeWidth"] = p.width
		}
	case texts:
		mark["type"], mark["dx"], mark["dy"], mark["fontSize"] = "text", p.dx, -p.dy, 12
		mark["align"] = map[float64]string{-0.5: "center", 0: "left", -1: "right"}[p.align]
		encoding["text"] = object{"field": field("t"), "type": "nominal"}
	case wedges:
		mark["type"] = "arc"
	}
	if p.rim && p.shape != areas {
		mark["stroke"], mark["strokeWidth"] = "white", 1
	}
	if p.dashed {
		mark["strokeDash"] = []int{5, 4}
	}
	if p.shape == lines || p.shape == areas {
		encoding["detail"] = object{"field": field("g"), "type": "nominal"}
	}
	s.coloring(p, mark, encoding)
	var tips []any
	for t, title := range p.tips {
		tips = append(tips, object{"field": field("t" + strconv.Itoa(t)), "type": "nominal", "title": title})
	}
	if tips != nil {
		encoding["tooltip"] = tips
	}
	if other := slices.Sorted(maps.Keys(others)); len(other) > 0 && slices.ContainsFunc(p.items, func(i item) bool { return i.row >= 0 }) {
		encoding["opacity"] = object{"condition": object{"param": "brush" + strconv.Itoa(other[0]), "value": p.opacity}, "value": 0.06}
	}
	return object{"transform": []any{object{"filter": fmt.Sprintf("datum.l === %d", k)}}, "mark": mark, "encoding": encoding}
}

// positions adds the channels of the axes.
func (s *scene) positions(p *part, encoding object) {
	whole := false // lines over the whole length have one position
	for _, i := range p.items {
		whole = whole || math.IsInf(i.x, 0) || math.IsInf(i.y, 0)
	}
	for k, name := range []string{"x", "y"} {
		first, second := false, false
		for _, i := range p.items {
			at := [2][2]float64{{i.x, i.x2}, {i.y, i.y2}}[k]
			first = first || !math.IsInf(at[0], 0)
			second = second || !math.IsNaN(at[1]) && !math.IsInf(at[1], 0)
		}
		if !first {
			continue
		}
		encoding[name] = s.axes[k].channel(name+s.suffix, k)
		if axis, ok := encoding[name].(object)["axis"].(object); ok && s.panels != nil && axis["tickCount"] != nil {
			axis["tickCount"] = 4
		}
		if second && !whole {
			encoding[name+"2"] = object{"field": name + "2" + s.suffix}
		}
	}
}

// channel returns the encoding of an axis.
func (a *axis) channel(field string, k int) object {
	scale := object{"domain": []any{a.number(a.low), a.number(a.high)}, "nice": false, "zero": false}
	made := object{"field": field, "type": "quantitative", "scale": scale, "title": a.title, "stack": nil}
	if a.title == "" {
		made["title"] = nil
	}
	switch {
	case a.hidden || !a.known:
		made["axis"] = nil
	case a.kind == names:
		values := make([]int, len(a.names))
		for i := range values {
			values[i] = i
		}
		labels, err := json.Marshal(a.names)
		if err != nil {
			labels = []byte("[]") // cannot happen: these are texts
		}
		made["axis"] = object{"values": values, "labelExpr": string(labels) + "[datum.value]", "grid": false, "ticks": k == 0, "labelLimit": 180}
		if k == 0 && turnedNames(a.names) {
			made["axis"].(object)["labelAngle"] = -36
		}
	case a.kind == times:
		made["type"] = "temporal"
		scale["type"] = "utc"
	case a.log:
		scale["type"] = "log"
	}
	if a.kind == numbers && !a.hidden && a.known {
		made["axis"] = object{"grid": k == 1, "tickCount": 7}
	}
	return made
}

// turnedNames reports whether names are probably too long to be beside each other.
func turnedNames(list []string) bool {
	letters := 0
	for _, name := range list {
		letters = max(letters, len([]rune(name)))
	}
	const lettersOfAxis = 75
	return letters*len(list) > lettersOfAxis
}

// coloring adds the colors of a part.
func (s *scene) coloring(p *part, mark, encoding object) {
	field := func(name string) string { return name + s.suffix }
	named := slices.ContainsFunc(p.items, func(i item) bool { return i.series >= 0 })
	shaded := slices.ContainsFunc(p.items, func(i item) bool { return !math.IsNaN(i.shade) })
	switch {
	case p.color != nil:
		mark["color"] = hex(*p.color)
	case named:
		var list []string
		for i := range s.colors {
			list = append(list, hex(seriesColor(i)))
		}
		channel := object{"field": field("c"), "type": "nominal", "title": s.colorTitle, "scale": object{"domain": s.colors, "range": list}}
		if s.colorsNamed() {
			channel["legend"] = nil
		}
		encoding["color"] = channel
	case shaded:
		low, high := s.shades.domain()
		var list []string
		for k := range 9 {
			list = append(list, hex(s.shades.shadeOf(low+(high-low)*float64(k)/8)))
		}
		encoding["color"] = object{"field": field("v"), "type": "quantitative", "title": s.shades.title,
			"scale": object{"domain": []any{low, high}, "range": list}}
	default:
		mark["color"] = hex(colormap.Category(0))
	}
}

// interactions adds selections to the layers: zooming and panning, a click on the legend, or a
// brush.
func (s *scene) interactions(layers []any, wedged bool) {
	if len(layers) == 0 || wedged {
		return
	}
	first := layers[0].(object)
	var params []any
	var encodings []any
	for k, name := range []string{"x", "y"} {
		if a := s.axes[k]; a.known && !a.hidden && a.kind != names {
			if _, used := first["encoding"].(object)[name]; used {
				encodings = append(encodings, name)
			}
		}
	}
	if s.brush {
		params = append(params, object{"name": "brush" + s.suffix, "select": object{"type": "interval"}})
		for _, l := range layers {
			encoding := l.(object)["encoding"].(object)
			mark := l.(object)["mark"].(object)
			if mark["type"] == "circle" {
				encoding["opacity"] = object{"condition": object{"param": "brush" + s.suffix, "value": mark["opacity"]}, "value": 0.06}
			}
		}
	} else if len(encodings) > 0 {
		params = append(params, object{"name": "view" + s.suffix, "select": object{"type": "interval", "encodings": encodings}, "bind": "scales"})
	}
	if params != nil {
		first["params"] = params
	}
	if s.brush || s.colors == nil || s.colorsNamed() {
		return
	}
	chosen := ""
	for _, l := range layers {
		encoding := l.(object)["encoding"].(object)
		if channel, ok := encoding["color"].(object); ok && channel["type"] == "nominal" {
			if chosen == "" {
				chosen = "chosen" + s.suffix
				list, _ := l.(object)["params"].([]any)
				l.(object)["params"] = append(list, object{"name": chosen, "select": object{"type": "point", "fields": []string{"c" + s.suffix}}, "bind": "legend"})
			}
			mark := l.(object)["mark"].(object)
			name := "opacity"
			if mark["type"] == "line" { // whose points are transparent
				name = "strokeOpacity"
			}
			if encoding["opacity"] == nil {
				encoding[name] = object{"condition": object{"param": chosen, "value": mark["opacity"]}, "value": 0.08}
			}
		}
	}
}

// metaVersion is the version of the description for the script of exported pages.
const metaVersion = 1

// meta describes the scene to the script of exported pages.
func (s *scene) meta() object {
	m := object{"version": metaVersion, "width": s.width, "height": s.height, "suffix": s.suffix, "title": s.title, "note": s.note, "brush": s.brush}
	if s.panels != nil {
		m["panels"], m["across"] = s.panels, s.across
	}
	var axes, parts []any
	for k := range s.axes {
		a := &s.axes[k]
		described := object{"kind": a.kind.String(), "title": a.title, "low": a.number(a.low), "high": a.number(a.high), "log": a.log}
		if a.hidden || !a.known {
			described["hidden"] = true
		}
		if a.names != nil {
			described["names"] = a.names
		}
		axes = append(axes, described)
	}
	for _, p := range s.parts {
		described := object{"shape": string(p.shape), "opacity": p.opacity}
		for name, value := range map[string]float64{"width": p.width, "size": p.size, "dx": p.dx, "dy": p.dy, "align": p.align} {
			if value != 0 {
				described[name] = value
			}
		}
		for name, value := range map[string]bool{"step": p.step, "horizontal": p.horizontal, "dashed": p.dashed, "rim": p.rim} {
			if value {
				described[name] = true
			}
		}
		if p.color != nil {
			described["color"] = hex(*p.color)
		}
		if p.tips != nil {
			described["tips"] = p.tips
		}
		parts = append(parts, described)
	}
	m["axes"], m["parts"] = axes, parts
	if s.colors != nil {
		list := []any{}
		for i, name := range s.colors {
			list = append(list, []string{name, hex(seriesColor(i))})
		}
		m["colors"] = object{"title": s.colorTitle, "list": list, "hidden": s.colorsNamed()}
	}
	if s.shades != nil {
		low, high := s.shades.domain()
		var list []string
		for k := range 9 {
			list = append(list, hex(s.shades.shadeOf(low+(high-low)*float64(k)/8)))
		}
		m["shades"] = object{"title": s.shades.title, "low": low, "high": high, "range": list}
	}
	if s.sizes != nil {
		m["sizes"] = object{"title": s.sizes.title, "high": s.sizes.high, "area": largestPoint}
	}
	return m
}
