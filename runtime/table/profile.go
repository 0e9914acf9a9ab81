package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gosphere/runtime/table/internal/statistics"
)

// profileBars is the greatest number of bars of a profile, without those of other values.
const profileBars = 12

// Profile returns how many values of column k are missing, and how often values occur, for
// displays: those between two numbers, durations or times, or the most frequent texts, truth values
// and categories. Labels have as many texts as counts. Columns of any type have none.
func (t *Table) Profile(k int) (missing int, labels []string, counts []int) {
	e, c := &evaluation{t, t.whole()}, t.data[k]
	missing = countMissing(e, k).(*values[int]).list[0]
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	switch c := c.(type) {
	case *values[int], *values[float64]:
	case *values[time.Duration]:
		text = func(x float64) string { return time.Duration(x).Round(time.Duration(max(1, x/1000))).String() }
	case *values[time.Time]:
		list := make([]float64, len(c.list))
		for i, at := range c.list {
			list[i] = float64(at.Unix())
		}
		text = func(x float64) string { return time.Unix(int64(x), 0).UTC().Format("2006-01-02 15:04") }
		labels, counts = statistics.Histogram(list, c.known, statistics.Scale{Bins: profileBars, Text: text})
		return missing, labels, counts
	case *values[any], *unknown:
		return missing, nil, nil
	default:
		labels, counts = frequent(c)
		return missing, labels, counts
	}
	numbers, whole := e.numbers(k), c.kind() == "int"
	labels, counts = statistics.Histogram(numbers.list, numbers.known, statistics.Scale{Bins: profileBars, Whole: whole, Text: text})
	return missing, labels, counts
}

// frequent returns the most frequent values of a column and their numbers, and those of the others.
func frequent(c column) (labels []string, counts []int) {
	n := &numbering{}
	numbers := n.number(c)[0]
	rows, first := make([]int, n.last+1), make([]int, n.last+1)
	for i, number := range numbers {
		if rows[number]++; rows[number] == 1 {
			first[number] = i
		}
	}
	order := make([]int, 0, n.last)
	for number := 1; number <= int(n.last); number++ {
		if uint32(number) != n.null {
			order = append(order, number)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[b], rows[a]) })
	shown := order[:min(len(order), profileBars)]
	if _, ok := c.(*values[Category]); ok || len(order) <= 2 {
		slices.SortFunc(shown, func(a, b int) int { return c.compare(first[a], first[b]) })
	}
	for _, number := range shown {
		labels, counts = append(labels, written(c.at(first[number]))), append(counts, rows[number])
	}
	if others := order[len(shown):]; len(others) > 0 {
		total := 0
		for _, number := range others {
			total += rows[number]
		}
		labels, counts = append(labels, fmt.Sprintf("%d other values", len(others))), append(counts, total)
	}
	return labels, counts
}
