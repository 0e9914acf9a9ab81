package figure

import (
	"fmt"
	"math"
	"slices"

	"gosphere/plotting/colormap"
)

// VegaLite returns the figure as a specification of Vega-Lite 5, with the numbers in it, for pages that draw it
// themselves: points tell their numbers under the mouse, and axes move and zoom where both are continuous. The
// display.VegaLite of cells takes the figure itself and adds the bitmap for readers whose page cannot. Spheres, graphs
// and panels have no such form, which is an error. Formulas stay as they are written, since Vega-Lite sets none.
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

// hex writes a color as pages want it.
func hex(c interface{ RGBA() (r, g, b, a uint32) }) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// categoryColors are the colors of named things.
func categoryColors() []string {
	colors := make([]string, colormap.Categories)
	for i := range colors {
		colors[i] = hex(colormap.Category(i))
	}
	return colors
}

// An object is a piece of a specification.
type object = map[string]any

// plotSize is the size of the area of axes, which leaves room for labels and legend within 640 page pixels.
const plotWidth, plotHeight = 440, 280

// quantity encodes a number on an axis that need not begin at zero.
func quantity(field, title string) object {
	return object{"field": field, "type": "quantitative", "title": title, "scale": object{"zero": false}}
}

// named encodes the series, in the order in which they are given, with a legend only where there are several.
func named(series []Series) object {
	names := seriesNames(series)
	encoding := object{"field": "series", "type": "nominal", "title": nil, "sort": names, "scale": object{"domain": names}}
	if len(series) == 1 {
		encoding["legend"] = nil
	}
	return encoding
}

// seriesNames are the names of series; one without a name has its place instead, and a name that was there before has
// its count added, since pages join what has one name.
func seriesNames(series []Series) []string {
	names := make([]string, len(series))
	for i, s := range series {
		if names[i] = s.Name; s.Name == "" {
			names[i] = fmt.Sprintf("series %d", i+1)
		}
	}
	return distinct(names)
}

// distinct adds a count to names that were there before.
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

// rows lists the points of series, without gaps.
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

// linesTwin is a figure of lines with their bands.
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

// whole tells that all positions are whole numbers, such as levels.
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

// tips lists what is told under the mouse.
func tips(xLabel, yLabel string) []any {
	return []any{
		object{"field": "series", "title": "series"},
		object{"field": "x", "type": "quantitative", "title": xLabel, "format": ".4~g"},
		object{"field": "y", "type": "quantitative", "title": yLabel, "format": ".4~g"},
	}
}

// scatterTwin is a figure of points. The axes reach a little beyond the data, so that no point lies on the border, where it
// would be cut. Few points are larger and darker than many.
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

// marginalsTwin is a figure of points between histograms; dragging over the points selects what the histograms count.
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

// histogramTwin is a figure of the steps of a histogram.
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

// barsTwin is a figure of bars side by side, with whiskers where series have bands.
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

// violinsTwin is a figure of outlines and boxes, one column for each group.
func violinsTwin(xLabel, yLabel string, groups []Series) object {
	names := seriesNames(groups)
	group := object{"field": "series", "type": "ordinal", "title": xLabel, "sort": names, "axis": object{"labelAngle": 0}}
	return object{"data": object{"values": rows(groups)}, "width": plotWidth, "height": plotHeight,
		"mark":     object{"type": "boxplot", "extent": "min-max", "size": 26, "color": hex(colormap.Category(0))},
		"encoding": object{"x": group, "y": quantity("y", yLabel)}}
}

// matrixTwin is a figure of cells: shades are of the grid's values, the numbers told of the texts.
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

// matrixNames are names of rows or columns, each once; numbers from 1 on where there are none.
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
