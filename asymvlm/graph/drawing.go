package graph

import (
	"fmt"
	"strings"

	"gorgonia.org/gorgonia"
)

// A note is how a node is drawn: what it is called, and what it is drawn as made from. What lies between is hidden. A note
// without a label hides its node: the one parent is drawn in its place.
type note struct {
	label   string
	parents []*gorgonia.Node
	basic   bool // given by an operation, not by the formula that it is a part of
}

// note names a node for drawings.
func (b *Builder) note(node *gorgonia.Node, label string, parents ...*gorgonia.Node) *gorgonia.Node {
	return b.keep(node, note{label: label, parents: parents})
}

// basic names a node that has no name yet.
func (b *Builder) basic(node *gorgonia.Node, label string, parents ...*gorgonia.Node) *gorgonia.Node {
	return b.keep(node, note{label: label, parents: parents, basic: true})
}

// keep stores a note. Gorgonia makes one node of equal expressions, so a node may be named again.
func (b *Builder) keep(node *gorgonia.Node, n note) *gorgonia.Node {
	if b.err != nil || node == nil {
		return node
	}
	for _, parent := range n.parents {
		if parent == nil || parent == node {
			return node
		}
	}
	if _, named := b.notes[node]; !named || !n.basic {
		b.notes[node] = n
	}
	return node
}

// Name gives a node, made with whatever functions, a label in drawings and, where any are told, the nodes that it is drawn
// as made from. It returns the node.
func (b *Builder) Name(node *gorgonia.Node, label string, from ...*gorgonia.Node) *gorgonia.Node {
	if len(from) == 0 && b.ok("label", node) {
		from = b.madeFrom(node)
	}
	return b.note(node, label, from...)
}

// madeFrom returns what a node is drawn as made from.
func (b *Builder) madeFrom(node *gorgonia.Node) []*gorgonia.Node {
	if n, named := b.notes[node]; named {
		return n.parents
	}
	var parents []*gorgonia.Node
	for children := b.graph.From(node.ID()); children.Next(); {
		if child, ok := children.Node().(*gorgonia.Node); ok {
			parents = append(parents, child)
		}
	}
	return parents
}

// label returns how a node is called in drawings; "" for one that is passed through.
func (b *Builder) label(node *gorgonia.Node) string {
	if n, named := b.notes[node]; named {
		return n.label
	}
	if op := node.Op(); op != nil {
		return op.String()
	}
	return node.Name()
}

// A drawing collects the nodes to be drawn.
type drawing struct {
	b      *Builder
	sizes  map[int]string
	labels []string
	edges  [][2]int
	drawn  map[*gorgonia.Node]int
}

// Drawing returns the graph of a result as labels and edges, from what is used to what uses it, as figure.Graph draws it.
// The first line of a label is the operation or the input, the second its shape, in which sizes are replaced by their
// symbols. Constants are left out. The first mistake of the builder is an error.
func (b *Builder) Drawing(result *gorgonia.Node, sizes map[int]string) (labels []string, edges [][2]int, err error) {
	if !b.ok("drawing", result) {
		return nil, nil, b.err
	}
	d := &drawing{b: b, sizes: sizes, drawn: map[*gorgonia.Node]int{}}
	d.visit(result)
	return d.labels, d.edges, nil
}

// visit returns the number of a node's place in the drawing, −1 for constants.
func (d *drawing) visit(node *gorgonia.Node) int {
	if place, known := d.drawn[node]; known {
		return place
	}
	place := -1
	d.drawn[node] = place // for nodes that are named as made from each other
	switch label := d.b.label(node); {
	case d.b.values[node] != nil:
	case label == "":
		if parents := d.b.madeFrom(node); len(parents) > 0 {
			place = d.visit(parents[0])
		}
	default:
		var parents []int
		for _, parent := range d.b.madeFrom(node) {
			if p := d.visit(parent); p >= 0 {
				parents = append(parents, p)
			}
		}
		place = len(d.labels)
		d.labels = append(d.labels, label+"\n"+d.shape(node))
		for _, p := range parents {
			d.edges = append(d.edges, [2]int{p, place})
		}
	}
	d.drawn[node] = place
	return place
}

// shape returns a node's shape in words.
func (d *drawing) shape(node *gorgonia.Node) string {
	if node.Shape().TotalSize() == 1 {
		return "number"
	}
	var parts []string
	for _, n := range node.Shape() {
		if symbol := d.sizes[n]; symbol != "" {
			parts = append(parts, symbol)
		} else {
			parts = append(parts, fmt.Sprint(n))
		}
	}
	return strings.Join(parts, " × ")
}

// Sizes for drawings, which no formula has as constants of its own.
const (
	drawnPairs     = 97
	drawnDimension = 211
)

var drawnSizes = map[int]string{drawnPairs: "B", drawnDimension: "D"}

// Draw returns the drawing of what a function builds for batches of so many pairs and dimensions, which appear as B and D.
// A mistake of the function is an error.
func Draw(build func(b *Builder, pairs, dimension int) *gorgonia.Node) (labels []string, edges [][2]int, err error) {
	b := NewBuilder()
	return b.Drawing(build(b, drawnPairs, drawnDimension), drawnSizes)
}

// Drawing returns the loss as a drawing for figure.Graph. A loss that cannot be built is drawn as its mistake.
func (l *Loss) Drawing() (labels []string, edges [][2]int) {
	labels, edges, err := Draw(func(b *Builder, pairs, dimension int) *gorgonia.Node {
		return l.build(b, l.inputs(b, pairs, dimension))
	})
	if err != nil {
		return []string{err.Error()}, nil
	}
	return labels, edges
}
