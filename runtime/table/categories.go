package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gosphere/runtime/table/internal/statistics"
)

// A Category is a text of a fixed list, such as small, medium and large. Categories are ordered as
// the list, by Sort, Min, Max and conditions such as Gt, whose argument may be the text. Categories
// and Cut make columns of them.
type Category struct {
	of   *categorySet
	code int
}

// A categorySet is the list of the categories of a column.
type categorySet struct {
	names []string
	codes map[string]int
}

func newCategories(names []string) (*categorySet, error) {
	s := &categorySet{slices.Clone(names), map[string]int{}}
	for code, name := range names {
		if _, twice := s.codes[name]; twice {
			return nil, fmt.Errorf("the category %q is named twice", name)
		}
		s.codes[name] = code
	}
	return s, nil
}

// String returns the text, or "" for the zero Category.
func (c Category) String() string {
	if c.of == nil {
		return ""
	}
	return c.of.names[c.code]
}

// GoString returns the text in quotes.
func (c Category) GoString() string { return strconv.Quote(c.String()) }

// Code returns the place of the category in its list, from 0.
func (c Category) Code() int { return c.code }

// All returns the texts of the list.
func (c Category) All() []string {
	if c.of == nil {
		return nil
	}
	return slices.Clone(c.of.names)
}

// MarshalText returns the text.
func (c Category) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// sameCategories reports whether two lists are equal. A column without known values has none.
func sameCategories(a, b *categorySet) bool {
	return a == nil || b == nil || a == b || slices.Equal(a.names, b.names)
}

// texts returns a column of categories as one of text, and one of text as it is.
func texts(c column) column {
	categories, ok := c.(*values[Category])
	if !ok {
		return c
	}
	list := make([]string, c.len())
	for i, category := range categories.list {
		list[i] = category.String()
	}
	return someKnown(list, c.known)
}

// column returns a column of categories with the given codes, of which those are missing that are
// negative.
func (s *categorySet) column(codes []int) column {
	list := make([]Category, len(codes))
	for i, code := range codes {
		list[i] = Category{s, max(code, 0)}
	}
	c := someKnown(list, func(i int) bool { return codes[i] >= 0 })
	c.(*values[Category]).set = s
	return c
}

// categories returns a column of text as one of categories. It panics for a text that is none.
func (s *categorySet) categories(of, task string, text *values[string]) column {
	codes := make([]int, text.len())
	for i, name := range text.list {
		code, ok := s.codes[name]
		switch {
		case !text.known(i):
			code = -1
		case !ok && text.len() == 1:
			panic(fmt.Errorf("table: %s: column %q: %q is none of its categories %s", task, of, name, s))
		case !ok:
			panic(fmt.Errorf("table: %s: column %q, row %d: %q is none of the categories %s", task, of, i, name, s))
		}
		codes[i] = code
	}
	return s.column(codes)
}

// String lists the first of the categories, for errors.
func (s *categorySet) String() string {
	names := s.names[:min(len(s.names), 10)]
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(name)
	}
	if len(names) < len(s.names) {
		text += ", …"
	}
	return text
}

// Categories has the texts of a column as categories in the given order, or in the order of their
// bytes without names. It has the name of the column. A text that is none of the names is an error,
// as are values that are not text; two equal names panic at once.
//
//	t.WithColumns(table.Categories("size", "small", "medium", "large")).Sort("size")
func Categories(column string, names ...string) Expr {
	set, err := newCategories(names)
	if err != nil {
		panic(fmt.Errorf("table: Categories: column %q: %w", column, err))
	}
	return Expr{name: column, eval: func(e *evaluation) column_ {
		text, set := typed[string](e, e.mustFind(column)), set
		if len(names) == 0 {
			var all []string
			for i, name := range text.list {
				if text.known(i) {
					all = append(all, name)
				}
			}
			slices.Sort(all)
			set, _ = newCategories(slices.Compact(all)) // no name occurs twice
		}
		return set.categories(column, "Categories", text)
	}}
}

// Bins describes intervals, the bins, into which Of sorts numbers. One of Edges, Equal and
// Quantiles is set.
//
//	t.WithColumns(table.Bins{Quantiles: []float64{0, 0.5, 0.9, 1}, Labels: []string{"low", "high", "top"}}.Of("income").As("class"))
type Bins struct {
	// Edges are the ends of the bins in ascending order, one more than there are bins. The first may
	// be math.Inf(-1) and the last math.Inf(1).
	Edges []float64
	// Equal is a number of bins of equal width between the least and the greatest value.
	Equal int
	// Quantiles are the shares, in ascending order from 0 to 1, of the values up to each edge, as
	// those of Quantile.
	Quantiles []float64
	// Labels are the names of the bins. By default they are the intervals, such as (18, 65], in
	// which a bracket stands for an end that belongs to the bin.
	Labels []string
	// LeftClosed makes each bin contain its lower end and not its upper one. By default it is the
	// other way round. The outermost ends always belong to their bins.
	LeftClosed bool
}

// Cut has the bin of each number of a column, as Bins{Edges: edges}.Of describes.
//
//	t.WithColumns(table.Cut("age", 0, 18, 65, math.Inf(1)).As("group"))
func Cut(column string, edges ...float64) Expr { return Bins{Edges: edges}.Of(column) }

// Of has the bin of each known number of a column, as a category in the order of the bins. It has
// the name of the column. Within groups, Equal and Quantiles are those of each group and need
// Labels. A number outside of the bins, NaN, and other values than numbers are an error that names
// the row; so are quantiles that are equal, and equal bins of values that are all equal. Of panics
// for bins that are described wrongly.
func (b Bins) Of(column string) Expr {
	if err := b.check(); err != nil {
		panic(fmt.Errorf("table: Bins: column %q: %w", column, err))
	}
	return Expr{name: column, eval: func(e *evaluation) column_ {
		k := e.mustFind(column)
		switch e.data[k].(type) {
		case *values[float64], *values[int]:
		default:
			e.refuse(k, "a number")
		}
		if b.Edges == nil && b.Labels == nil && e.groups.len() > 1 {
			panic(fmt.Errorf("table: Bins: column %q: the groups have different edges: give Labels", column))
		}
		numbers := e.numbers(k)
		names, codes := b.Labels, make([]int, e.height)
		for n := range e.groups.len() {
			edges := b.edges(e, column, numbers, n)
			if names == nil {
				names = b.labels(edges)
			}
			for _, i := range e.groups.rows(n) {
				if codes[i] = -1; numbers.known(i) {
					if codes[i] = b.bin(edges, numbers.list[i]); codes[i] < 0 {
						panic(e.mismatch(i, k, fmt.Sprintf("between %v and %v, the edges of the bins", edges[0], edges[len(edges)-1])))
					}
				}
			}
		}
		set, err := newCategories(names)
		if err != nil {
			panic(fmt.Errorf("table: Bins: column %q: %w", column, err))
		}
		return set.column(codes)
	}}
}

// check returns an error for bins that are described wrongly.
func (b Bins) check() error {
	edges, bins, set := b.Edges, len(b.Edges)-1, 1
	if b.Quantiles != nil {
		edges, bins = b.Quantiles, len(b.Quantiles)-1
		if bins < 1 || edges[0] != 0 || edges[bins] != 1 {
			return fmt.Errorf("quantiles %v, want them to begin with 0 and to end with 1", edges)
		}
	}
	if b.Equal != 0 {
		bins = b.Equal
	}
	for _, other := range []bool{b.Edges != nil, b.Quantiles != nil, b.Equal != 0} {
		if other {
			set--
		}
	}
	switch {
	case set != 0:
		return errors.New("want one of Edges, Equal and Quantiles")
	case bins < 1 || bins > 1_000_000:
		return fmt.Errorf("%d bins, want 1 to 1000000", bins)
	case b.Labels != nil && len(b.Labels) != bins:
		return fmt.Errorf("%d labels for %d bins", len(b.Labels), bins)
	}
	for i, edge := range edges {
		if math.IsNaN(edge) || i > 0 && edges[i-1] >= edge {
			return fmt.Errorf("edges %v, want them in ascending order", edges)
		}
	}
	return nil
}

// edges returns the edges of a group.
func (b Bins) edges(e *evaluation, column string, numbers numeric, group int) []float64 {
	if b.Edges != nil {
		return b.Edges
	}
	var known []float64
	for _, i := range e.groups.rows(group) {
		if !numbers.known(i) {
			continue
		}
		if math.IsNaN(numbers.list[i]) || math.IsInf(numbers.list[i], 0) {
			panic(e.mismatch(i, e.mustFind(column), "a finite number"))
		}
		known = append(known, numbers.list[i])
	}
	if len(known) == 0 {
		known = []float64{0, 1} // no row uses them
	}
	slices.Sort(known)
	if b.Quantiles == nil {
		return equalEdges(e, column, known, group, b.Equal)
	}
	edges := make([]float64, len(b.Quantiles))
	for i, q := range b.Quantiles {
		edges[i] = statistics.Quantile(known, q)
		if i > 0 && edges[i] <= edges[i-1] {
			panic(fmt.Errorf("table: Bins: column %q: the quantiles %v and %v%s are both %v", column, b.Quantiles[i-1], q, e.group(group), edges[i]))
		}
	}
	return edges
}

func equalEdges(e *evaluation, column string, known []float64, group, bins int) []float64 {
	least, greatest := known[0], known[len(known)-1]
	edges := make([]float64, bins+1)
	for i := range edges {
		share := float64(i) / float64(bins)
		edges[i] = least*(1-share) + greatest*share
		if i > 0 && edges[i] <= edges[i-1] {
			panic(fmt.Errorf("table: Bins: column %q: the values%s from %v to %v are too close for %d bins of equal width", column, e.group(group), least, greatest, bins))
		}
	}
	edges[bins] = greatest
	return edges
}

// bin returns the bin of a number, or -1 if it is in none.
func (b Bins) bin(edges []float64, x float64) int {
	last := len(edges) - 1
	if math.IsNaN(x) || x < edges[0] || x > edges[last] {
		return -1
	}
	n, found := slices.BinarySearch(edges, x)
	if !found || !b.LeftClosed {
		n--
	}
	return min(max(n, 0), last-1)
}

// labels returns the names of the intervals between edges.
func (b Bins) labels(edges []float64) []string {
	names := make([]string, len(edges)-1)
	for n := range names {
		open, end := "(", "]"
		if b.LeftClosed {
			open, end = "[", ")"
		}
		if n == 0 {
			open = "["
		}
		if n == len(names)-1 {
			end = "]"
		}
		if math.IsInf(edges[n], 0) {
			open = "("
		}
		if math.IsInf(edges[n+1], 0) {
			end = ")"
		}
		names[n] = open + strconv.FormatFloat(edges[n], 'g', -1, 64) + ", " + strconv.FormatFloat(edges[n+1], 'g', -1, 64) + end
	}
	return names
}
