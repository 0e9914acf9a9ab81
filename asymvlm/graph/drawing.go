package graph

import (
	"fmt"
	"strings"

	"gorgonia.org/gorgonia"
)

// A note describes how a node is drawn: its label and the nodes that it is drawn as computed from.
// Intermediate nodes are hidden. A note without a label hides its node: its single parent is drawn
// instead.
type note struct {
	label   string
	parents []*gorgonia.Node
	basic   bool // set by an operation rather than by the formula that contains it
}

// note sets the label and the parents of a node in drawings.
func (b *Builder) note(node *gorgonia.Node, label string, parents ...*gorgonia.Node) *gorgonia.Node {
	return b.keep(node, note{label: label, parents: parents})
}

// basic sets the label and the parents of a node that has none yet.
func (b *Builder) basic(node *gorgonia.Node, label string, parents ...*gorgonia.Node) *gorgonia.Node {
	return b.keep(node, note{label: label, parents: parents, basic: true})
}

// keep stores a note. Gorgonia creates one node for equal expressions, so a node may be noted
// again.
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

// Name sets the label of a node in drawings, and optionally the nodes from which drawings show it
// to be computed. Any function may have created the node. Name returns the node.
func (b *Builder) Name(node *gorgonia.Node, label string, from ...*gorgonia.Node) *gorgonia.Node {
	if len(from) == 0 && b.ok("label", node) {
		from = b.madeFrom(node)
	}
	return b.note(node, label, from...)
}

// madeFrom returns the nodes from which drawings show a node to be computed.
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

// label returns the label of a node in drawings, or "" for a hidden node.
func (b *Builder) label(node *gorgonia.Node) string {
	if n, named := b.notes[node]; named {
		return n.label
	}
	if op := node.Op(); op != nil {
		return op.String()
	}
	return node.Name()
}

// A drawing collects the nodes to draw.
type drawing struct {
	b      *Builder
	sizes  map[int]string
	labels []string
	edges  [][2]int
	drawn  map[*gorgonia.Node]int
}

// Drawing returns the graph of a result as labels and edges, in the form of figure.Graph. Edges
// lead from a node to the nodes that use it. The first line of a label is the operation or the
// input, the second its shape, in which sizes are replaced by their symbols. Constants are omitted.
// The first error of the builder is returned.
func (b *Builder) Drawing(result *gorgonia.Node, sizes map[int]string) (labels []string, edges [][2]int, err error) {
	if !b.ok("drawing", result) {
		return nil, nil, b.err
	}
	d := &drawing{b: b, sizes: sizes, drawn: map[*gorgonia.Node]int{}}
	d.visit(result)
	return d.labels, d.edges, nil
}

// visit returns the index of a node in the drawing, or −1 for constants.
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

// shape formats a node's shape.
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

// Sizes for drawings that differ from all constants in formulas.
const (
	drawnPairs     = 97
	drawnDimension = 211
)

var drawnSizes = map[int]string{drawnPairs: "B", drawnDimension: "D"}

// Draw returns the drawing of a function's graph for some number of pairs and dimension, which
// appear as B and D. It returns the function's error, if any.
func Draw(build func(b *Builder, pairs, dimension int) *gorgonia.Node) (labels []string, edges [][2]int, err error) {
	b := NewBuilder()
	return b.Drawing(build(b, drawnPairs, drawnDimension), drawnSizes)
}

// Drawing returns the loss as a drawing for figure.Graph. If the loss cannot be built, the drawing
// shows the error.
func (l *Loss) Drawing() (labels []string, edges [][2]int) {
	labels, edges, err := Draw(func(b *Builder, pairs, dimension int) *gorgonia.Node {
		return l.build(b, l.inputs(b, pairs, dimension))
	})
	if err != nil {
		return []string{err.Error()}, nil
	}
	return labels, edges
}
