package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// acyclic returns random edges from lower to higher indices.
func acyclic(nodes, edges int, seed uint64) [][2]int {
	r := rand.New(rand.NewPCG(seed, 1))
	var list [][2]int
	for range edges {
		a, b := r.IntN(nodes), r.IntN(nodes)
		if a != b {
			list = append(list, [2]int{min(a, b), max(a, b)})
		}
	}
	return list
}

func TestEveryEdgeGoesDownThroughAllRowsBetween(t *testing.T) {
	for seed := range uint64(40) {
		edges := acyclic(12, 16, seed)
		l, err := newLayering(12, edges)
		if err != nil {
			t.Fatal(err)
		}
		for i, way := range l.ways {
			if way[0] != edges[i][0] || way[len(way)-1] != edges[i][1] {
				t.Fatalf("edge %v goes %v", edges[i], way)
			}
			for k := range way[1:] {
				if l.row[way[k+1]] != l.row[way[k]]+1 {
					t.Fatalf("edge %v goes from row %d to %d", edges[i], l.row[way[k]], l.row[way[k+1]])
				}
			}
		}
		seen := map[int]bool{}
		for r, row := range l.rows {
			for _, place := range row {
				if seen[place] || l.row[place] != r {
					t.Fatalf("place %d is in row %d, said to be in %d", place, r, l.row[place])
				}
				seen[place] = true
			}
		}
		if len(seen) != len(l.row) {
			t.Fatalf("%d of %d places are in rows", len(seen), len(l.row))
		}
	}
}

func TestBoxesOfARowDoNotOverlap(t *testing.T) {
	for seed := range uint64(40) {
		l, err := newLayering(15, acyclic(15, 22, seed))
		if err != nil {
			t.Fatal(err)
		}
		widths := make([]float64, len(l.row))
		for i := range widths {
			widths[i] = 20 + float64(i*7%50)
		}
		x := l.places(widths, 10)
		for _, row := range l.rows {
			for i := range row[1:] {
				apart := x[row[i+1]] - x[row[i]] - (widths[row[i]]+widths[row[i+1]])/2
				if !(apart > 10-1e-6) {
					t.Fatalf("seed %d: places %d and %d are %g apart", seed, row[i], row[i+1], apart)
				}
			}
		}
	}
}

// TestOrderHasFewCrossings compares with all orders of a small graph.
func TestOrderHasFewCrossings(t *testing.T) {
	found, least := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		var edges [][2]int
		for a := range 4 { // two rows of four
			edges = append(edges, [2]int{a, 4 + r.IntN(4)}, [2]int{a, 4 + r.IntN(4)}, [2]int{r.IntN(4), 4 + a})
		}
		l, err := newLayering(8, edges)
		if err != nil {
			t.Fatal(err)
		}
		found += l.crossings()
		best := math.MaxInt
		top, bottom := permutations([]int{0, 1, 2, 3}), permutations([]int{4, 5, 6, 7})
		for _, a := range top {
			for _, b := range bottom {
				l.rows = [][]int{a, b}
				best = min(best, l.crossings())
			}
		}
		least += best
	}
	if float64(found) > 1.15*float64(least) {
		t.Errorf("%d crossings, the least possible are %d", found, least)
	}
}

func permutations(values []int) [][]int {
	if len(values) < 2 {
		return [][]int{values}
	}
	var all [][]int
	for i, first := range values {
		rest := append(append([]int{}, values[:i]...), values[i+1:]...)
		for _, p := range permutations(rest) {
			all = append(all, append([]int{first}, p...))
		}
	}
	return all
}

func TestInputsStandDirectlyAboveTheirFirstUse(t *testing.T) {
	// 0 → 1 → 2 → 3, and 4 is used by 3 only.
	l, err := newLayering(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 3}})
	if err != nil || l.row[4] != 2 || l.row[3] != 3 {
		t.Errorf("rows %v (error %v)", l.row, err)
	}
}

func TestGraphsThatCannotBeDrawnSayWhy(t *testing.T) {
	for want, f := range map[string]*Figure{
		"without nodes":             Graph(nil, nil),
		"make a circle":             Graph([]string{"a", "b"}, [][2]int{{0, 1}, {1, 0}}),
		"joins 0 and 2 of 2 nodes":  Graph([]string{"a", "b"}, [][2]int{{0, 2}}),
		"joins -1 and 1 of 2 nodes": Graph([]string{"a", "b"}, [][2]int{{-1, 1}}),
	} {
		if err := f.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestWideGraphsGrowInsteadOfCuttingBoxes(t *testing.T) {
	var labels []string
	var edges [][2]int
	for i := range 12 {
		labels = append(labels, "an operation with a long name")
		edges = append(edges, [2]int{i, 12})
	}
	wide := Graph(append(labels, "sum"), edges)
	if wide.Width < 1500 {
		t.Errorf("width %d for twelve long names", wide.Width)
	}
	if narrow := Graph([]string{"a", "b"}, [][2]int{{0, 1}}); narrow.Width != 640 {
		t.Errorf("width %d, want 640", narrow.Width)
	}
}

func TestGraphIsDrawnInAllFormatsWithItsLetters(t *testing.T) {
	f := Graph([]string{"κ = |η|\nB × 1", "log Σ exp\nB × B", "alone"}, [][2]int{{0, 1}})
	drawing, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, letters := range []string{"κ = |η|", "log Σ exp", "B × B", "alone"} {
		if !bytes.Contains(drawing, []byte(letters)) {
			t.Errorf("the drawing lacks %q", letters)
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader(drawing))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.PDF(); err != nil {
		t.Error(err)
	}
	if _, err := f.PNG(); err != nil {
		t.Error(err)
	}
	if f.String() != "graph of 3 nodes, 640×167" {
		t.Errorf("text form %q", f)
	}
}
