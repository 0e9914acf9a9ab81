package stale

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// An Edge says that a cell uses names that another one defines or changes.
type Edge struct {
	From, To int // indices of cells in the order
	Names    []string
	Degree   Degree // of the value that is used
}

// A Node is a cell in the graph.
type Node struct {
	Run
	Degree Degree
	Uses   []string
	Writes []string
}

// Graph returns the cells in order and the edges between them, which lead from the nearest cell
// above that writes a name.
func (t *Tracker) Graph() (nodes []Node, edges []Edge) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.evaluateAll()
	at := map[*cell]int{}
	provided := slices.Clone(t.base)
	for i, c := range t.cells {
		at[c] = i
		n := Node{Run: c.Run, Degree: c.state.degree}
		by := map[int]*Edge{}
		for _, r := range c.reads {
			p := provided[r.name]
			if p == nil || !r.certain && !c.failed {
				continue
			}
			from, ok := at[p.cell]
			if !ok || from == i {
				continue
			}
			if by[from] == nil {
				by[from] = &Edge{From: from, To: i}
			}
			by[from].Names = append(by[from].Names, t.names[r.name])
			by[from].Degree = max(by[from].Degree, r.degree)
			n.Uses = append(n.Uses, t.names[r.name])
		}
		for from := range i {
			if e := by[from]; e != nil {
				slices.Sort(e.Names)
				edges = append(edges, *e)
			}
		}
		for _, w := range c.writes {
			n.Writes = append(n.Writes, t.names[w.name])
			provided[w.name] = w.write
		}
		slices.Sort(n.Uses)
		slices.Sort(n.Writes)
		nodes = append(nodes, n)
	}
	return nodes, edges
}

// The measures of the picture, in pixels.
const (
	rowHeight  = 46
	cardHeight = 36
	cardWidth  = 520
	mapWidth   = 90
	mapHeight  = 420
	mapFrom    = 25 // number of cells from which on there is a minimap
)

// hues are the colors of the edges by the cell from which they come, which readers with color
// blindness can tell apart.
var hues = []string{"#4477aa", "#228833", "#aa3377", "#66a5c4", "#997700", "#5566cc", "#bb5566", "#448877"}

const amber = "#d98200" // of stale cells

// Picture returns the graph of the cells as a page fragment with an SVG drawing, and as text. The
// drawing has one row for each cell and an arc for each edge; stale cells and what makes them stale
// are amber. A long notebook has a minimap beside it. Without cells, the drawing is "".
func (t *Tracker) Picture() (svg, text string) {
	nodes, edges := t.Graph()
	if len(nodes) == 0 {
		return "", "no cell defines or uses a name"
	}
	d := &drawing{nodes: nodes, edges: edges}
	for _, e := range edges {
		d.gutter = max(d.gutter, bend(e))
	}
	d.gutter += 14
	return d.page(), d.text()
}

// bend returns how far the arc of an edge goes to the left.
func bend(e Edge) float64 { return 16 + 15*math.Pow(float64(e.To-e.From), 0.72) }

type drawing struct {
	strings.Builder
	nodes  []Node
	edges  []Edge
	gutter float64 // room for the arcs
}

// text writes the graph as lines.
func (d *drawing) text() string {
	var b strings.Builder
	for i, n := range d.nodes {
		fmt.Fprintf(&b, "[%d] %s", n.Number, n.Title())
		for _, e := range d.edges {
			if e.To == i {
				fmt.Fprintf(&b, "; %s of [%d]", strings.Join(e.Names, ", "), d.nodes[e.From].Number)
			}
		}
		switch n.Degree {
		case Stale:
			b.WriteString("; stale")
		case Possibly:
			b.WriteString("; possibly stale")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// page writes the drawing, with a minimap if there are many cells.
func (d *drawing) page() string {
	d.WriteString(`<div style="display:flex;gap:12px;align-items:flex-start;font-family:var(--jp-ui-font-family,system-ui,sans-serif)">`)
	long := len(d.nodes) >= mapFrom
	if long {
		d.WriteString(`<div style="max-height:640px;overflow:auto;flex:0 1 auto">`)
	}
	d.rows()
	if long {
		d.WriteString(`</div>`)
		d.minimap()
	}
	d.WriteString(`</div>`)
	return d.String()
}

// color returns the color of an edge.
func color(e Edge) string {
	if e.Degree > Fresh {
		return amber
	}
	return hues[e.From%len(hues)]
}

// rows writes the cells and the arcs between them.
func (d *drawing) rows() {
	width, height := d.gutter+cardWidth+4, len(d.nodes)*rowHeight+8
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %[2]d" role="img" aria-label="graph of cells" font-size="12">`, width, height, width)
	middle := func(i int) float64 { return float64(i)*rowHeight + 4 + cardHeight/2 }
	for _, e := range d.edges {
		// The ends are apart, so that arcs into and out of a cell do not meet.
		x, from, to := d.gutter, middle(e.From)+6, middle(e.To)-6
		left := x - bend(e)*4/3
		dash := ""
		if e.Degree == Possibly {
			dash = ` stroke-dasharray="5 3"`
		}
		fmt.Fprintf(d, `<g fill="none" stroke="%s" stroke-width="1.6" stroke-opacity=".8"%s><title>%s of [%d], used by [%d]</title><path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f"/></g>`,
			color(e), dash, html.EscapeString(strings.Join(e.Names, ", ")), d.nodes[e.From].Number, d.nodes[e.To].Number, x, from, left, from, left, to, x-5, to)
		fmt.Fprintf(d, `<path d="M%.1f %.1fl-7 -3.5v7z" fill="%s"/>`, x, to, color(e))
	}
	for i, n := range d.nodes {
		d.card(n, float64(i)*rowHeight+4)
	}
	d.WriteString(`</svg>`)
}

// card writes one cell.
func (d *drawing) card(n Node, y float64) {
	edge, dash, ground := "var(--jp-border-color1,#c4c9d0)", "", "var(--jp-layout-color1,#fff)"
	state := ""
	if n.Degree > Fresh {
		edge, ground, state = amber, "color-mix(in srgb,"+amber+" 9%,var(--jp-layout-color1,#fff))", ", stale"
		if n.Degree == Possibly {
			dash, state = ` stroke-dasharray="5 3"`, ", possibly stale"
		}
	}
	fmt.Fprintf(d, `<g id="gosphere-flow-%d"><title>%s%s</title>`, n.Number, html.EscapeString(n.Source), state)
	fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%d" height="%d" rx="6" style="fill:%s;stroke:%s"%s/>`, d.gutter, y, cardWidth, cardHeight, ground, edge, dash)
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" style="fill:%s" font-size="11" font-weight="600">[%d]</text>`, d.gutter+9, y+15, orElse(n.Degree > Fresh, amber, "var(--jp-ui-font-color2,#5f6771)"), n.Number)
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" style="fill:var(--jp-content-font-color1,#1c2024)" font-family="var(--jp-code-font-family,ui-monospace,Menlo,monospace)" font-size="12" xml:space="preserve">%s</text>`, d.gutter+46, y+15.5, html.EscapeString(cut(n.Title(), 62)))
	small := ""
	if len(n.Writes) > 0 {
		small += `<tspan style="fill:#228833">` + html.EscapeString(cut(strings.Join(n.Writes, ", "), 38)) + `</tspan>`
	}
	if len(n.Uses) > 0 {
		if small != "" {
			small += "  ← "
		} else {
			small += "uses "
		}
		small += html.EscapeString(cut(strings.Join(n.Uses, ", "), 38))
	}
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" style="fill:var(--jp-ui-font-color2,#5f6771)" font-size="10.5" xml:space="preserve">%s</text></g>`, d.gutter+46, y+29, small)
}

// orElse returns a if the condition holds, and otherwise b.
func orElse(condition bool, a, b string) string {
	if condition {
		return a
	}
	return b
}

// cut cuts a text to n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// minimap writes all cells and edges in a small area that stays in view. A click on a cell scrolls
// to it.
func (d *drawing) minimap() {
	step := math.Min(float64(mapHeight)/float64(len(d.nodes)), 14)
	height := step*float64(len(d.nodes)) + 4
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" style="position:sticky;top:0;flex:none" role="img" aria-label="overview">`, mapWidth, height)
	for _, e := range d.edges {
		from, to := (float64(e.From)+.5)*step+2, (float64(e.To)+.5)*step+2
		left := float64(mapWidth)*.55 - math.Min(4+2.2*math.Pow(float64(e.To-e.From), 0.8), 44)*4/3
		fmt.Fprintf(d, `<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="%s" stroke-width=".8" stroke-opacity=".55"/>`, mapWidth*.55, from, left, from, left, to, mapWidth*.55, to, color(e))
	}
	for i, n := range d.nodes {
		fill := "var(--jp-ui-font-color3,#a7adb5)"
		if n.Degree > Fresh {
			fill = amber
		}
		length := math.Min(10+float64(len(n.Source))/12, mapWidth*.42)
		fmt.Fprintf(d, `<a href="#gosphere-flow-%d"><title>[%[1]d] %s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1" style="fill:%s"/></a>`, n.Number, html.EscapeString(n.Title()), mapWidth*.56, float64(i)*step+2+step*.15, length, step*.7, fill)
	}
	d.WriteString(`</svg>`)
}
