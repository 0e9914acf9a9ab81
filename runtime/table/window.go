package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Lag is the value of the row that is n rows above, and missing in the first n rows of each group.
// Its column has the name of the column with _lag. The column may have any type. A negative n is a
// row below.
func Lag(column string, n int) Expr { return shifted(column, "lag", n) }

// Lead is the value of the row that is n rows below, and missing in the last n rows of each group.
// Its column has the name of the column with _lead. The column may have any type.
func Lead(column string, n int) Expr { return shifted(column, "lead", -n) }

func shifted(of, name string, n int) Expr {
	return Expr{name: of + "_" + name, eval: func(e *evaluation) column { return e.column(of).take(e.lagged(n)) }}
}

// lagged returns the row n rows above each row in its group, or -1.
func (e *evaluation) lagged(n int) []int {
	places := nowhere(e.height)
	for group := range e.groups.len() {
		rows := e.groups.rows(group)
		for j, i := range rows {
			if from := j - n; from >= 0 && from < len(rows) {
				places[i] = rows[from]
			}
		}
	}
	return places
}

// Diff is the difference from the value of the row that is n rows above: an integer of integers, a
// duration of durations and times, else a number. It is missing where one of both is. Its column
// has the name of the column with _diff. A difference that exceeds its type is an error, as are
// texts and truth values.
func Diff(column string, n int) Expr {
	return Expr{name: column + "_diff", eval: func(e *evaluation) column_ { return differences(e, e.mustFind(column), n) }}
}

func differences(e *evaluation, k, n int) column {
	above, c := e.lagged(n), e.data[k]
	known := func(i int) bool { return above[i] >= 0 && c.known(i) && c.known(above[i]) }
	exceeds := func(i int) error {
		return fmt.Errorf("table: Diff: column %q, row %d: the difference of %v and %v exceeds its type", e.columns[k], i, c.at(i), c.at(above[i]))
	}
	switch c := c.(type) {
	case *values[int]:
		return subtracted(c.list, above, known, exceeds)
	case *values[time.Duration]:
		return subtracted(c.list, above, known, exceeds)
	case *values[time.Time]:
		list := make([]time.Duration, e.height)
		for i := range list {
			if !known(i) {
				continue
			}
			if list[i] = c.list[i].Sub(c.list[above[i]]); list[i] == math.MaxInt64 || list[i] == math.MinInt64 {
				panic(exceeds(i))
			}
		}
		return someKnown(list, known)
	case *values[bool]:
		e.refuse(k, "a number, time or duration")
	}
	floats, list := e.numbers(k), make([]float64, e.height)
	for i := range list {
		if known(i) {
			list[i] = floats.list[i] - floats.list[above[i]]
		}
	}
	return someKnown(list, known)
}

func subtracted[T int | time.Duration](of []T, above []int, known func(int) bool, exceeds func(int) error) column {
	list := make([]T, len(of))
	for i := range list {
		if !known(i) {
			continue
		}
		a, b := of[i], of[above[i]]
		list[i] = a - b
		if (b > 0) != (list[i] < a) && b != 0 {
			panic(exceeds(i))
		}
	}
	return someKnown(list, known)
}

// CumSum is the sum of the known values up to each row in its group, and missing where the value
// is. It is an integer of integers and truth values, else a number or duration, and NaN from a NaN
// on. Its column has the name of the column with _cum_sum. A sum that exceeds its type is an error,
// as are texts and times.
func CumSum(column string) Expr {
	return Expr{name: column + "_cum_sum", eval: func(e *evaluation) column_ { return cumulated(e, e.mustFind(column)) }}
}

func cumulated(e *evaluation, k int) column {
	switch c := e.data[k].(type) {
	case *values[int]:
		return cumulatedIntegers(e, k, c)
	case *values[time.Duration]:
		return cumulatedIntegers(e, k, c)
	case *values[bool]:
		list := make([]int, e.height)
		for i, truth := range c.list {
			if truth {
				list[i] = 1
			}
		}
		return cumulatedIntegers(e, k, someKnown(list, c.known).(*values[int]))
	}
	floats := e.numbers(k)
	sums, lost, list := make([]float64, e.groups.len()), make([]float64, e.groups.len()), make([]float64, e.height)
	for i, group := range e.groups.of {
		if !floats.known(i) {
			continue
		}
		x, old := floats.list[i], sums[group]
		sums[group] = old + x
		if math.Abs(old) >= math.Abs(x) {
			lost[group] += old - sums[group] + x
		} else {
			lost[group] += x - sums[group] + old
		}
		if list[i] = sums[group]; !math.IsInf(list[i], 0) {
			list[i] += lost[group]
		}
	}
	return someKnown(list, floats.known)
}

func cumulatedIntegers[T int | time.Duration](e *evaluation, k int, c *values[T]) column {
	sums, list := make([]T, e.groups.len()), make([]T, e.height)
	for i, group := range e.groups.of {
		if c.known(i) {
			sum, _ := bits.Add64(uint64(sums[group]), uint64(c.list[i]), 0)
			if next := T(sum); c.list[i] > 0 && next < sums[group] || c.list[i] < 0 && next > sums[group] {
				panic(fmt.Errorf("table: CumSum: column %q, row %d: the sum of %v and %v exceeds %T", e.columns[k], i, sums[group], c.list[i], next))
			}
			sums[group] = T(sum)
			list[i] = sums[group]
		}
	}
	return someKnown(list, c.known)
}

// CumMin is the least known value up to each row in its group, in the order of Sort, and missing
// where the value is. It is NaN from a NaN on. Its column has the name of the column with _cum_min.
func CumMin(column string) Expr { return cumulatedExtreme(column, "cum_min", -1) }

// CumMax is the greatest known value up to each row in its group, in the order of Sort, and missing
// where the value is. It is NaN from a NaN on. Its column has the name of the column with _cum_max.
func CumMax(column string) Expr { return cumulatedExtreme(column, "cum_max", 1) }

func cumulatedExtreme(of, name string, sign int) Expr {
	return Expr{name: of + "_" + name, eval: func(e *evaluation) column {
		c, best, places := e.column(of), e.places(), nowhere(e.height)
		if holdsAny(c) {
			e.refuse(e.mustFind(of), "a value of a type with an order")
		}
		for i, group := range e.groups.of {
			if !c.known(i) {
				continue
			}
			at := best[group]
			if at < 0 || !isNaN(c, at) && (isNaN(c, i) || sign*c.compare(i, at) > 0) {
				best[group] = i
			}
			places[i] = best[group]
		}
		return c.take(places)
	}}
}

// CumCount is the number of known values up to each row in its group. Its column has the name of
// the column with _cum_count. The column may have any type.
func CumCount(column string) Expr {
	return Expr{name: column + "_cum_count", eval: func(e *evaluation) column_ {
		c, counts, list := e.column(column), make([]int, e.groups.len()), make([]int, e.height)
		for i, group := range e.groups.of {
			if c.known(i) {
				counts[group]++
			}
			list[i] = counts[group]
		}
		return allKnown(list)
	}}
}

// RowNumber is the number of each row in its group, from 1, in a column named row_number.
func RowNumber() Expr {
	return Expr{name: "row_number", eval: func(e *evaluation) column {
		counts, list := make([]int, e.groups.len()), make([]int, e.height)
		for i, group := range e.groups.of {
			counts[group]++
			list[i] = counts[group]
		}
		return allKnown(list)
	}}
}

// A Ranking decides about the ranks of equal values.
type Ranking int

// The rankings. The examples are the ranks of 3, 5, 5, 9.
const (
	AverageRank Ranking = iota // 1, 2.5, 2.5, 4
	MinRank                    // 1, 2, 2, 4
	MaxRank                    // 1, 3, 3, 4
	DenseRank                  // 1, 2, 2, 3
	OrdinalRank                // 1, 2, 3, 4, in the order of the rows
)

// Rank is the rank of each known value in its group, from 1, in the order of Sort: NaN has the last
// ranks, and a missing value none. A minus sign before the name ranks the greatest value first.
// Average ranks are numbers, the others integers. Its column has the name of the column with _rank.
func Rank(column string, ranking Ranking) Expr {
	if ranking < AverageRank || ranking > OrdinalRank {
		panic(fmt.Errorf("table: Rank: column %q: ranking %d, want AverageRank to OrdinalRank", column, ranking))
	}
	return Expr{name: strings.TrimPrefix(column, "-") + "_rank", eval: func(e *evaluation) column_ { return ranks(e, column, ranking) }}
}

func ranks(e *evaluation, name string, ranking Ranking) column {
	order := e.order(name)
	of, _ := sortColumn(e.Table, name)
	c := e.column(of)
	averages, list := make([]float64, e.height), make([]int, e.height)
	for group := range e.groups.len() {
		rows := slices.DeleteFunc(slices.Clone(e.groups.rows(group)), func(i int) bool { return !c.known(i) })
		slices.SortStableFunc(rows, order)
		dense := 0
		for first := 0; first < len(rows); {
			end := first + 1
			for end < len(rows) && order(rows[first], rows[end]) == 0 {
				end++
			}
			dense++
			for j := first; j < end; j++ {
				averages[rows[j]] = float64(first+1+end) / 2
				list[rows[j]] = [...]int{0, first + 1, end, dense, j + 1}[ranking]
			}
			first = end
		}
	}
	if ranking == AverageRank {
		return someKnown(averages, c.known)
	}
	return someKnown(list, c.known)
}

// Window describes the rows up to each row, for moving statistics:
//
//	t.WithColumns(table.Window{Rows: 3}.Of(table.Mean("price")))
//	t.GroupBy("shop").WithColumns(table.Window{By: "day", Span: 7 * 24 * time.Hour}.Of(table.Sum("units")))
//
// Either Rows or By and Span are set.
type Window struct {
	// Rows is the number of rows, of which the current one is the last.
	Rows int
	// By is a column of times in ascending order. A window has all rows of the group whose times are
	// at or before that of the current row, and after that time minus Span. It is an error if the
	// times are not in order or one is missing.
	By string
	// Span is the length of a window of time.
	Span time.Duration
	// Known is the least number of known values in a window; a statistic of fewer is missing. By
	// default it is Rows, or 1 for a window of time. An aggregate that reads no single column, such as
	// Func, counts rows.
	Known int
}

// Of is an aggregate of the rows of each window. Windows do not reach into other groups. Its column
// has the name of the aggregate after rolling_, as in rolling_price_mean. The time that it takes
// grows with the number of rows times that of the rows of a window. It panics where it is used if
// the window is not valid and for what the aggregate panics for.
func (w Window) Of(aggregate Expr) Expr {
	if !aggregate.single || aggregate.eval == nil {
		panic(fmt.Errorf("table: Window: %q is not an aggregate such as Sum or Mean", aggregate.name))
	}
	if w.Known < 0 || w.Rows < 0 || w.Span < 0 || (w.Rows > 0) == (w.By != "" || w.Span > 0) || (w.By != "") != (w.Span > 0) {
		panic(errors.New("table: Window: set Rows, or By and Span, to more than 0"))
	}
	return Expr{name: "rolling_" + aggregate.name, eval: func(e *evaluation) column { return w.roll(e, aggregate) }}
}

// roll evaluates the aggregate for chunks of windows, whose rows are written one after another.
func (w Window) roll(e *evaluation, x Expr) column {
	const chunk = 1 << 20
	source := e.Table
	if x.reads != nil {
		x.eval(&evaluation{e.Table, e.single()}) // finds values of the wrong type, with their rows
		source = e.Select(x.reads...)
	}
	var parts []column
	var order, places []int
	var of []uint32
	var first []int
	flush := func() {
		rows := source.take(places)
		rows.height = len(places)
		parts = append(parts, w.enough(&evaluation{rows, &grouping{of: of, first: first}}, x))
		places, of, first = places[:0], of[:0], first[:0]
	}
	for group := range e.groups.len() {
		rows := e.groups.rows(group)
		low, high := 0, 0
		for j, i := range rows {
			low, high = w.bounds(e, rows, j, low, high)
			order = append(order, i)
			first = append(first, len(places))
			for _, at := range rows[low:high] {
				places, of = append(places, at), append(of, uint32(len(first)-1))
			}
			if len(places) >= chunk {
				flush()
			}
		}
	}
	flush()
	to, bad := commonType(parts)
	if bad >= 0 {
		panic(fmt.Errorf("table: Window: %q has values of types %s and %s", x.name, to.kind(), parts[bad].kind()))
	}
	back := make([]int, e.height)
	for n, i := range order {
		back[i] = n
	}
	return to.followed(parts...).take(back)
}

// single is the grouping in which each row is a group.
func (e *evaluation) single() *grouping {
	g := &grouping{of: make([]uint32, e.height), first: upTo(0, e.height)}
	for i := range g.of {
		g.of[i] = uint32(i)
	}
	return g
}

// enough returns the aggregates of windows with enough known values.
func (w Window) enough(e *evaluation, x Expr) column {
	c := x.eval(e)
	least := cmp.Or(w.Known, w.Rows, 1)
	counts := Len().eval(e)
	if len(x.reads) == 1 {
		counts = countKnown(e, 0)
	}
	places := upTo(0, c.len())
	for n, count := range counts.(*values[int]).list {
		if count < least {
			places[n] = -1
		}
	}
	return c.take(places)
}

// bounds returns the window of row j of a group. It gets the bounds of the row before.
func (w Window) bounds(e *evaluation, rows []int, j, low, high int) (int, int) {
	if w.Rows > 0 {
		return max(0, j+1-w.Rows), j + 1
	}
	k := e.mustFind(w.By)
	times, ok := e.data[k].(*values[time.Time])
	if !ok || !times.known(rows[j]) {
		panic(e.mismatch(rows[j], k, "a time"))
	}
	now := times.list[rows[j]]
	if j > 0 && now.Before(times.list[rows[j-1]]) {
		panic(fmt.Errorf("table: Window: column %q, row %d: %v is before %v in row %d: call Sort first", w.By, rows[j], now, times.list[rows[j-1]], rows[j-1]))
	}
	for !times.list[rows[low]].After(now.Add(-w.Span)) {
		low++
	}
	for high < len(rows) && times.known(rows[high]) && !times.list[rows[high]].After(now) {
		high++
	}
	return low, high
}
