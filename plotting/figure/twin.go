package figure

import (
	"fmt"
	"math"
	"slices"

	"gosphere/plotting/colormap"
)

// VegaLite returns the figure as a Vega-Lite 5 specification that includes the numbers, for front
// ends that render it: points have tooltips, and axes pan and zoom if both are continuous. To
// display it from a cell, pass the figure to display.VegaLite, which adds the bitmap for front ends
// without Vega-Lite. Spheres, graphs and panels have no such form and return an error. Formulas are
// not typeset, because Vega-Lite does not support them.
func (f *Figure) VegaLite() (map[string]any, error) {
	if f.err != nil {
		return nil, f.err
	}
	if f.twin == nil {
		return nil, fmt.Errorf("figure: no interactive form for %s; show the figure itself", f.kind)
	}
	spec := f.twin()
	spec["$schema"] = "https://vega.github.io/schema/vega-lite/v5.json"
	spec["description"] = f.String()
	if f.Title != "" || f.Note != "" {
		title := map[string]any{"text": f.Title, "anchor": "start", "color": hex(colormap.Ink), "fontSize": 16}
		if f.Note != "" {
			title["subtitle"], title["subtitleColor"] = f.Note, hex(colormap.Soft)
		}
		spec["title"] = title
	}
	axes := map[string]any{"labelColor": hex(colormap.Soft), "titleColor": hex(colormap.Soft), "titleFontWeight": "normal",
		"labelFontSize": 12, "titleFontSize": 12.5, "domainColor": hex(colormap.Axis), "tickColor": hex(colormap.Axis)}
	spec["config"] = map[string]any{
		"font": "Liberation Sans, Arial, sans-serif", "axis": axes, "axisX": map[string]any{"grid": false},
		"axisY": map[string]any{"gridColor": hex(colormap.Grid), "domain": false, "ticks": false},
		"view":  map[string]any{"stroke": nil}, "range": map[string]any{"category": categoryColors()},
		"legend": map[string]any{"labelFontSize": 12, "titleFontSize": 12},
	}
	return spec, nil
}

// hex returns a color in hexadecimal, as in CSS.
func hex(c interface{ RGBA() (r, g, b, a uint32) }) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// categoryColors returns the colors of named things.
func categoryColors() []string {
	colors := make([]string, colormap.Categories)
	for i := range colors {
		colors[i] = hex(colormap.Category(i))
	}
	return colors
}

// An object is a part of a specification.
type object = map[string]any

// plotWidth and plotHeight are the size of the area of the axes, which reserves space for labels
// and legend within 640 page pixels.
const plotWidth, plotHeight = 440, 280

// quantity encodes a number on an axis that need not start at zero.
func quantity(field, title string) object {
	return object{"field": field, "type": "quantitative", "title": title, "scale": object{"zero": false}}
}

// named encodes the series, in the given order, with a legend only if there are several.
func named(series []Series) object {
	names := seriesNames(series)
	encoding := object{"field": "series", "type": "nominal", "title": nil, "sort": names, "scale": object{"domain": names}}
	if len(series) == 1 {
		encoding["legend"] = nil
	}
	return encoding
}

// seriesNames returns distinct names of series, because Vega-Lite merges series of one name. A
// series without a name is named by its index, and a repeated name gets a number.
func seriesNames(series []Series) []string {
	names := make([]string, len(series))
	for i, s := range series {
		if names[i] = s.Name; s.Name == "" {
			names[i] = fmt.Sprintf("series %d", i+1)
		}
	}
	return distinct(names)
}

// distinct appends a number to repeated names.
func distinct(names []string) []string {
	seen, list := map[string]int{}, make([]string, len(names))
	for i, name := range names {
		seen[name]++
		list[i] = name
		if n := seen[name]; n > 1 {
			list[i] = fmt.Sprintf("%s (%d)", name, n)
		}
	}
	return list
}

// rows returns the points of series, without gaps.
func rows(series []Series) []any {
	list, names := []any{}, seriesNames(series)
	for i, s := range series {
		for n, value := range s.Values {
			if math.IsNaN(value) {
				continue
			}
			row := object{"series": names[i], "x": s.x(n), "y": value}
			if s.Low != nil && !math.IsNaN(s.Low[n]) && !math.IsNaN(s.High[n]) {
				row["low"], row["high"] = s.Low[n], s.High[n]
			}
			list = append(list, row)
		}
	}
	return list
}

// linesTwin returns lines with their bands.
func linesTwin(xLabel, yLabel string, series []Series, dots bool) object {
	x, y, names := quantity("x", xLabel), quantity("y", yLabel), named(series)
	if whole(series) {
		x["axis"] = object{"tickMinStep": 1}
	}
	layers := []any{}
	for _, s := range series {
		if s.Low != nil {
			layers = append(layers, object{
				"mark":     object{"type": "area", "opacity": 0.18},
				"encoding": object{"x": x, "y": quantity("low", yLabel), "y2": object{"field": "high"}, "color": names},
			})
			break
		}
	}
	mark := object{"type": "line", "strokeWidth": 2, "clip": true}
	if dots {
		mark["point"] = true
	}
	layers = append(layers, object{
		"mark":     mark,
		"params":   []any{object{"name": "view", "select": "interval", "bind": "scales"}},
		"encoding": object{"x": x, "y": y, "color": names, "tooltip": tips(xLabel, yLabel)},
	})
	return object{"data": object{"values": rows(series)}, "width": plotWidth, "height": plotHeight, "layer": layers}
}

// whole reports whether all positions are whole numbers, such as levels.
func whole(series []Series) bool {
	for _, s := range series {
		for i := range s.Values {
			if x := s.x(i); x != math.Trunc(x) {
				return false
			}
		}
	}
	return true
}

// tips returns the tooltips.
func tips(xLabel, yLabel string) []any {
	return []any{
		object{"field": "series", "title": "series"},
		object{"field": "x", "type": "quantitative", "title": xLabel, "format": ".4~g"},
		object{"field": "y", "type": "quantitative", "title": yLabel, "format": ".4~g"},
	}
}

// scatterTwin returns points. The axes extend slightly beyond the data, so that no point is clipped
// at the border. A few points are drawn larger and darker than many.
func scatterTwin(xLabel, yLabel string, series []Series) object {
	data := rows(series)
	size, opacity := 64, 0.85
	if len(data) > 200 {
		size, opacity = 24, 0.45
	}
	padded := func(field, title string) object {
		axis := quantity(field, title)
		axis["scale"] = object{"zero": false, "padding": 10}
		return axis
	}
	return object{"data": object{"values": data}, "width": plotWidth, "height": plotHeight,
		"mark":   object{"type": "point", "filled": true, "opacity": opacity, "size": size, "clip": true},
		"params": []any{object{"name": "view", "select": "interval", "bind": "scales"}},
		"encoding": object{"x": padded("x", xLabel), "y": padded("y", yLabel), "color": named(series),
			"tooltip": tips(xLabel, yLabel)}}
}

// marginalsTwin returns points with histograms; dragging over the points selects those that the
// histograms count.
func marginalsTwin(xLabel, yLabel string, series []Series) object {
	chosen := []any{object{"filter": object{"param": "chosen"}}}
	bars := object{"type": "bar", "opacity": 0.5}
	count := object{"aggregate": "count", "type": "quantitative", "title": nil, "axis": nil, "stack": nil}
	binned := func(field string) object {
		return object{"field": field, "type": "quantitative", "bin": object{"maxbins": 40}, "title": nil, "axis": nil}
	}
	middle := object{"mark": object{"type": "point", "filled": true, "opacity": 0.4, "size": 16}, "width": plotWidth - 60, "height": plotHeight,
		"params":   []any{object{"name": "chosen", "select": "interval"}},
		"encoding": object{"x": quantity("x", xLabel), "y": quantity("y", yLabel), "color": named(series), "tooltip": tips(xLabel, yLabel)}}
	above := object{"mark": bars, "width": plotWidth - 60, "height": 50, "transform": chosen,
		"encoding": object{"x": binned("x"), "y": count, "color": named(series)}}
	beside := object{"mark": bars, "width": 50, "height": plotHeight, "transform": chosen,
		"encoding": object{"y": binned("y"), "x": count, "color": named(series)}}
	return object{"data": object{"values": rows(series)}, "spacing": 4, "bounds": "flush",
		"vconcat": []any{above, object{"spacing": 4, "bounds": "flush", "hconcat": []any{middle, beside}}}}
}

// histogramTwin returns the steps of a histogram.
func histogramTwin(xLabel, yLabel string, h histogram, series []Series) object {
	list, names := []any{}, seriesNames(series)
	for i, shares := range h.shares {
		for k, share := range shares {
			left := h.low + h.width*float64(k)
			list = append(list, object{"series": names[i], "from": left, "to": left + h.width, "share": share})
		}
	}
	return object{"data": object{"values": list}, "width": plotWidth, "height": plotHeight, "mark": object{"type": "bar", "opacity": 0.45, "binSpacing": 0},
		"encoding": object{
			"x": object{"field": "from", "type": "quantitative", "title": xLabel, "bin": object{"binned": true}}, "x2": object{"field": "to"},
			"y":     object{"field": "share", "type": "quantitative", "title": yLabel, "stack": nil},
			"color": named(series),
			"tooltip": []any{object{"field": "series"}, object{"field": "from", "format": ".4~g"}, object{"field": "to", "format": ".4~g"},
				object{"field": "share", "format": ".3~g"}},
		}}
}

// barsTwin returns grouped bars, with whiskers for series with bands.
func barsTwin(yLabel string, groups []string, series []Series) object {
	list, names, groups := []any{}, seriesNames(series), distinct(groups)
	for i, s := range series {
		for g, value := range s.Values {
			if math.IsNaN(value) {
				continue
			}
			row := object{"series": names[i], "group": groups[g], "y": value}
			if s.Low != nil {
				row["low"], row["high"] = s.Low[g], s.High[g]
			}
			list = append(list, row)
		}
	}
	x := object{"field": "group", "type": "nominal", "title": nil, "sort": groups, "axis": object{"labelAngle": 0}}
	offset := object{"field": "series", "sort": names}
	layers := []any{object{"mark": "bar", "encoding": object{"x": x, "xOffset": offset, "color": named(series),
		"y":       object{"field": "y", "type": "quantitative", "title": yLabel},
		"tooltip": []any{object{"field": "series"}, object{"field": "group"}, object{"field": "y", "type": "quantitative", "title": yLabel, "format": ".4~g"}}}}}
	if slices.ContainsFunc(series, func(s Series) bool { return s.Low != nil }) {
		layers = append(layers, object{"mark": object{"type": "rule", "color": hex(colormap.Ink)}, "encoding": object{"x": x, "xOffset": offset,
			"y": object{"field": "low", "type": "quantitative", "title": yLabel}, "y2": object{"field": "high"}}})
	}
	return object{"data": object{"values": list}, "width": plotWidth, "height": plotHeight, "layer": layers}
}

// violinsTwin returns outlines and boxes, one column per group.
func violinsTwin(xLabel, yLabel string, groups []Series) object {
	names := seriesNames(groups)
	group := object{"field": "series", "type": "ordinal", "title": xLabel, "sort": names, "axis": object{"labelAngle": 0}}
	return object{"data": object{"values": rows(groups)}, "width": plotWidth, "height": plotHeight,
		"mark":     object{"type": "boxplot", "extent": "min-max", "size": 26, "color": hex(colormap.Category(0))},
		"encoding": object{"x": group, "y": quantity("y", yLabel)}}
}

// matrixTwin returns cells: shades are of the grid's values, and tooltips show the texts.
func matrixTwin(g Grid, texts [][]float64, m *matrix) object {
	list := []any{}
	rowNames, columnNames := matrixNames(g.Rows, len(g.Values)), matrixNames(g.Columns, len(g.Values[0]))
	for i, row := range g.Values {
		for k, value := range row {
			if !math.IsNaN(value) {
				list = append(list, object{"i": i, "k": k, "row": rowNames[i], "column": columnNames[k], "shade": value, "number": texts[i][k]})
			}
		}
	}
	colors := make([]string, 0, 9)
	for _, c := range m.colors.Colors(9) {
		colors = append(colors, hex(c))
	}
	order := func(field string) object { return object{"field": field, "op": "min"} }
	return object{"data": object{"values": list}, "width": plotWidth - 40, "height": plotWidth - 40, "mark": "rect",
		"encoding": object{
			"x":     object{"field": "column", "type": "ordinal", "title": g.ColumnLabel, "sort": order("k")},
			"y":     object{"field": "row", "type": "ordinal", "title": g.RowLabel, "sort": order("i")},
			"color": object{"field": "shade", "type": "quantitative", "title": nil, "scale": object{"range": colors, "domain": []any{m.low, m.high}}},
			"tooltip": []any{object{"field": "row", "title": g.RowLabel}, object{"field": "column", "title": g.ColumnLabel},
				object{"field": "number", "format": ".4~g"}},
		}}
}

// matrixNames returns distinct names of rows or columns, or numbers from 1 if there are none.
func matrixNames(names []string, n int) []string {
	if names != nil {
		return distinct(names)
	}
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i + 1)
	}
	return numbers
}
