package figure

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A layering assigns the nodes of a directed acyclic graph to rows so that every edge points
// downward, by Sugiyama's method: rows by the longest path, a position in each row that an edge
// passes, few crossings by barycenter sweeps, and positions as close as possible to the means of
// their neighbors.
type layering struct {
	rows  [][]int // positions of each row, from left to right
	row   []int   // row of each position
	above [][]int // connected positions in the row above, and below
	below [][]int
	ways  [][]int // positions of each edge, from its first node to its last
	nodes int     // smaller positions are nodes; the others are passed by edges
}

// newLayering returns the layering of a graph. Edges with indices out of range and cycles are
// errors.
func newLayering(nodes int, edges [][2]int) (*layering, error) {
	parents, children := make([][]int, nodes), make([][]int, nodes)
	for i, e := range edges {
		if e[0] < 0 || e[0] >= nodes || e[1] < 0 || e[1] >= nodes {
			return nil, fmt.Errorf("edge %d joins %d and %d of %d nodes", i, e[0], e[1], nodes)
		}
		parents[e[1]], children[e[0]] = append(parents[e[1]], e[0]), append(children[e[0]], e[1])
	}
	row, err := rowsByLongestWay(parents, children)
	if err != nil {
		return nil, err
	}
	l := &layering{row: row, nodes: nodes, above: make([][]int, nodes), below: make([][]int, nodes)}
	for _, r := range row {
		for len(l.rows) <= r {
			l.rows = append(l.rows, nil)
		}
	}
	for node, r := range row {
		l.rows[r] = append(l.rows[r], node)
	}
	for _, e := range edges {
		l.addEdge(e)
	}
	l.uncross()
	return l, nil
}

// rowsByLongestWay places each node below its parents, and nodes without parents directly above
// their first child.
func rowsByLongestWay(parents, children [][]int) ([]int, error) {
	row, waiting := make([]int, len(parents)), make([]int, len(parents))
	var ready []int
	for node, list := range parents {
		if waiting[node] = len(list); waiting[node] == 0 {
			ready = append(ready, node)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		for _, child := range children[ready[done]] {
			row[child] = max(row[child], row[ready[done]]+1)
			if waiting[child]--; waiting[child] == 0 {
				ready = append(ready, child)
			}
		}
	}
	if done < len(parents) {
		return nil, fmt.Errorf("the edges make a circle")
	}
	for node, list := range parents {
		if len(list) > 0 || len(children[node]) == 0 {
			continue
		}
		first := len(parents)
		for _, child := range children[node] {
			first = min(first, row[child])
		}
		row[node] = first - 1
	}
	return row, nil
}

// addEdge adds the positions of an edge in the rows between its nodes.
func (l *layering) addEdge(e [2]int) {
	way := []int{e[0]}
	for r := l.row[e[0]] + 1; r < l.row[e[1]]; r++ {
		place := len(l.row)
		l.row, l.above, l.below = append(l.row, r), append(l.above, nil), append(l.below, nil)
		l.rows[r] = append(l.rows[r], place)
		way = append(way, place)
	}
	way = append(way, e[1])
	for i := range way[1:] {
		l.below[way[i]] = append(l.below[way[i]], way[i+1])
		l.above[way[i+1]] = append(l.above[way[i+1]], way[i])
	}
	l.ways = append(l.ways, way)
}

// sweeps is the number of passes over the rows, down and up. Each sweepsOfAStart passes begin with
// another initial order; the best order of all is kept.
const (
	sweeps         = 24
	sweepsOfAStart = 6
)

// uncross orders the rows by the mean positions of their neighbors.
func (l *layering) uncross() {
	best, least := l.copyRows(), l.crossings()
	random := rand.New(rand.NewPCG(1, 1)) // a fixed seed, so that equal graphs have equal drawings
	for sweep := range sweeps {
		down := sweep%2 == 0
		if sweep > 0 && sweep%sweepsOfAStart == 0 {
			for _, row := range l.rows {
				random.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
			}
		}
		for i := range l.rows {
			r, neighbors := i, l.above
			if !down {
				r, neighbors = len(l.rows)-1-i, l.below
			}
			l.order(r, neighbors)
		}
		n := l.crossings()
		if len(l.row) <= swapLimit {
			n = l.swap(n)
		}
		if n < least {
			best, least = l.copyRows(), n
		}
	}
	l.rows = best
}

// swapLimit is the largest number of positions for which neighbors are swapped one by one, because
// counting crossings takes quadratic time in the number of edges.
const swapLimit = 200

// swap swaps neighbors in rows while that reduces the number of crossings, and returns that number.
func (l *layering) swap(least int) int {
	for better := true; better; {
		better = false
		for _, row := range l.rows {
			for i := range max(len(row)-1, 0) {
				row[i], row[i+1] = row[i+1], row[i]
				if n := l.crossings(); n < least {
					least, better = n, true
				} else {
					row[i], row[i+1] = row[i+1], row[i]
				}
			}
		}
	}
	return least
}

// copyRows returns a copy of the rows.
func (l *layering) copyRows() [][]int {
	rows := make([][]int, len(l.rows))
	for i, row := range l.rows {
		rows[i] = slices.Clone(row)
	}
	return rows
}

// index returns the index of each position in its row.
func (l *layering) index() []float64 {
	index := make([]float64, len(l.row))
	for _, row := range l.rows {
		for i, place := range row {
			index[place] = float64(i)
		}
	}
	return index
}

// order sorts one row by the barycenters of the neighbors. Positions without neighbors stay near
// their index.
func (l *layering) order(r int, neighbors [][]int) {
	index := l.index()
	center := make(map[int]float64, len(l.rows[r]))
	for i, place := range l.rows[r] {
		center[place] = float64(i)
		if list := neighbors[place]; len(list) > 0 {
			sum := 0.0
			for _, n := range list {
				sum += index[n]
			}
			center[place] = sum / float64(len(list))
		}
	}
	slices.SortStableFunc(l.rows[r], func(a, b int) int {
		switch {
		case center[a] < center[b]:
			return -1
		case center[a] > center[b]:
			return 1
		}
		return 0
	})
}

// crossings counts the pairs of edges between neighboring rows that cross.
func (l *layering) crossings() int {
	index, count := l.index(), 0
	for _, row := range l.rows {
		var joined [][2]float64
		for _, place := range row {
			for _, child := range l.below[place] {
				joined = append(joined, [2]float64{index[place], index[child]})
			}
		}
		for i, a := range joined {
			for _, b := range joined[:i] {
				if (a[0]-b[0])*(a[1]-b[1]) < 0 {
					count++
				}
			}
		}
	}
	return count
}

// places returns the horizontal centers of all positions, given their widths and the distance
// between two.
func (l *layering) places(width []float64, between float64) []float64 {
	x := make([]float64, len(l.row))
	for _, row := range l.rows {
		at := 0.0
		for i, place := range row {
			if i > 0 {
				at += (width[row[i-1]]+width[place])/2 + between
			}
			x[place] = at
		}
		for _, place := range row { // rows are centered at first
			x[place] -= at / 2
		}
	}
	for sweep := range sweeps {
		for i := range l.rows {
			r, neighbors := i, l.above
			if sweep%2 == 1 {
				r, neighbors = len(l.rows)-1-i, l.below
			}
			l.align(l.rows[r], neighbors, x, placing{width, between})
		}
	}
	return x
}

// A placing holds the widths and distances of positions.
type placing struct {
	width   []float64
	between float64
}

// align moves a row's positions as close to the means of their neighbors as their order allows. It
// subtracts the minimum distances and finds the nearest increasing sequence, in which conflicting
// blocks share their mean.
func (l *layering) align(row []int, neighbors [][]int, x []float64, p placing) {
	type block struct{ sum, weight, count float64 }
	var blocks []block
	offset, offsets := 0.0, make([]float64, len(row))
	for i, place := range row {
		if i > 0 {
			offset += (p.width[row[i-1]]+p.width[place])/2 + p.between
		}
		offsets[i] = offset
		wanted, weight := x[place], 0.1
		if list := neighbors[place]; len(list) > 0 {
			wanted, weight = 0, 1
			for _, n := range list {
				wanted += x[n] / float64(len(list))
			}
			if place >= l.nodes {
				weight = 2 // straight edges
			}
		}
		blocks = append(blocks, block{weight * (wanted - offset), weight, 1})
		for n := len(blocks); n > 1 && blocks[n-2].sum/blocks[n-2].weight > blocks[n-1].sum/blocks[n-1].weight; n-- {
			a, b := blocks[n-2], blocks[n-1]
			blocks = append(blocks[:n-2], block{a.sum + b.sum, a.weight + b.weight, a.count + b.count})
		}
	}
	i := 0
	for _, b := range blocks {
		for range int(b.count) {
			x[row[i]] = b.sum/b.weight + offsets[i]
			i++
		}
	}
}
