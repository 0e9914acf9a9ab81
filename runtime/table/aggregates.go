package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"gosphere/runtime/table/internal/hashing"
	"gosphere/runtime/table/internal/statistics"
)

// reduced returns the aggregate of a column that has a value for each group.
func reduced(of, name string, eval func(e *evaluation, k int) column) Expr {
	return Expr{name: of + "_" + name, function: name, single: true, reads: []string{of}, eval: func(e *evaluation) column { return eval(e, e.mustFind(of)) }}
}

// Len is the number of rows, in a column named len.
func Len() Expr {
	return Expr{name: "len", function: "len", single: true, reads: []string{}, eval: func(e *evaluation) column {
		counts := make([]int, e.groups.len())
		for _, group := range e.groups.of {
			counts[group]++
		}
		return allKnown(counts)
	}}
}

// Count is the number of known values of a column of any type.
func Count(column string) Expr { return reduced(column, "count", countKnown) }

func countKnown(e *evaluation, k int) column {
	counts := make([]int, e.groups.len())
	for i, group := range e.groups.of {
		if e.data[k].known(i) {
			counts[group]++
		}
	}
	return allKnown(counts)
}

// NullCount is the number of missing values of a column of any type.
func NullCount(column string) Expr { return reduced(column, "null_count", countMissing) }

func countMissing(e *evaluation, k int) column {
	counts := make([]int, e.groups.len())
	for i, group := range e.groups.of {
		if !e.data[k].known(i) {
			counts[group]++
		}
	}
	return allKnown(counts)
}

// NUnique is the number of different known values of a column of any type. Missing values are not
// counted; NaN is one value.
func NUnique(column string) Expr { return reduced(column, "n_unique", countUnique) }

func countUnique(e *evaluation, k int) column {
	n := &numbering{}
	numbers := n.number(e.data[k])[0]
	last := uint32(0)
	counts, pairs := make([]int, e.groups.len()), hashing.New(&last)
	for i, group := range e.groups.of {
		if numbers[i] == n.null && n.null != 0 {
			continue
		}
		before := last
		pairs.Number(uint64(group)<<32 | uint64(numbers[i]))
		if last > before {
			counts[group]++
		}
	}
	return allKnown(counts)
}

// Sum is the sum of the known values of a column, and 0 if there are none: an int of integers and
// of truth values, of which true counts 1, else a number or duration. Sums of float64 are
// compensated for rounding, and NaN if a value is NaN. It is an error if a sum exceeds the type,
// which those of BigSum do not. Text and times are an error.
func Sum(column string) Expr { return reduced(column, "sum", sums) }

func sums(e *evaluation, k int) column {
	switch c := e.data[k].(type) {
	case *values[int]:
		return allKnown(narrow[int](e, k, wideSums(e, c)))
	case *values[time.Duration]:
		return allKnown(narrow[time.Duration](e, k, wideSums(e, c)))
	case *values[bool]:
		sums := make([]int, e.groups.len())
		for i, group := range e.groups.of {
			if c.list[i] { // false at missing values
				sums[group]++
			}
		}
		return allKnown(sums)
	}
	floats := e.numbers(k)
	return allKnown(floatSums(e, floats))
}

// BigSum is the exact sum of the known integers of a column as a *big.Int, and 0 if there are none.
// Other types than int are an error.
func BigSum(column string) Expr { return reduced(column, "big_sum", bigSums) }

func bigSums(e *evaluation, k int) column {
	c, ok := e.data[k].(*values[int])
	if !ok {
		e.refuse(k, "an integer")
		c = &values[int]{list: make([]int, e.height), valid: make(bitmap, (e.height+63)/64)}
	}
	sums := column(&values[any]{order: compareAny})
	for _, sum := range wideSums(e, c) {
		sums.add(sum.big())
	}
	return sums
}

// wide is an integer of 128 bits.
type wide struct {
	low  uint64
	high int64
}

func (w *wide) add(n int64) {
	low, carry := bits.Add64(w.low, uint64(n), 0)
	w.low, w.high = low, w.high+n>>63+int64(carry)
}

func (w wide) fits() bool { return w.high == int64(w.low)>>63 }

func (w wide) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(w.high), 64)
	return n.Add(n, new(big.Int).SetUint64(w.low))
}

func (w wide) float() float64 {
	if w.fits() {
		return float64(int64(w.low))
	}
	x, _ := new(big.Float).SetInt(w.big()).Float64()
	return x
}

func wideSums[T int | time.Duration](e *evaluation, c *values[T]) []wide {
	sums := make([]wide, e.groups.len())
	for i, group := range e.groups.of {
		sums[group].add(int64(c.list[i])) // 0 at missing values
	}
	return sums
}

func narrow[T int | time.Duration](e *evaluation, k int, sums []wide) []T {
	list := make([]T, len(sums))
	for n, sum := range sums {
		if !sum.fits() || int64(T(sum.low)) != int64(sum.low) {
			advice := ""
			if _, ok := e.data[k].(*values[int]); ok {
				advice = ": use BigSum"
			}
			panic(fmt.Errorf("table: Sum: column %q: the sum %v%s exceeds %T%s", e.columns[k], sum.big(), e.group(n), list[n], advice))
		}
		list[n] = T(sum.low)
	}
	return list
}

// numeric is a column as numbers.
type numeric struct {
	list  []float64
	known func(i int) bool
}

// numbers returns a column as numbers: true is 1, and a duration its nanoseconds. It panics for
// other values and names the first.
func (e *evaluation) numbers(k int) numeric {
	n := numeric{known: e.data[k].known}
	switch c := e.data[k].(type) {
	case *values[float64]:
		n.list = c.list
	case *values[int]:
		n.list = toFloats(c.list)
	case *values[time.Duration]:
		n.list = toFloats(c.list)
	case *values[bool]:
		n.list = make([]float64, e.height)
		for i, truth := range c.list {
			if truth {
				n.list[i] = 1
			}
		}
	default:
		n.list = make([]float64, e.height)
		for i := range n.list {
			if c.known(i) {
				x, ok := number(c.at(i))
				if !ok {
					panic(e.mismatch(i, k, "a number"))
				}
				n.list[i] = x
			}
		}
	}
	return n
}

func toFloats[T int | time.Duration](list []T) []float64 {
	floats := make([]float64, len(list))
	for i, value := range list {
		floats[i] = float64(value)
	}
	return floats
}

// refuse panics if a column has known values.
func (e *evaluation) refuse(k int, want string) {
	for i := range e.height {
		if e.data[k].known(i) {
			panic(e.mismatch(i, k, want))
		}
	}
}

// floatSums adds with the compensation of Neumaier.
func floatSums(e *evaluation, floats numeric) []float64 {
	sums, lost := make([]float64, e.groups.len()), make([]float64, e.groups.len())
	for i, group := range e.groups.of {
		if !floats.known(i) {
			continue
		}
		x, old := floats.list[i], sums[group]
		sum := old + x
		if math.Abs(old) >= math.Abs(x) {
			lost[group] += old - sum + x
		} else {
			lost[group] += x - sum + old
		}
		sums[group] = sum
	}
	for n := range sums {
		if !math.IsInf(sums[n], 0) {
			sums[n] += lost[n]
		}
	}
	return sums
}

// inTypeOf returns numbers as a column: of durations for a column of durations, else of float64. A
// value is missing where known is false.
func (e *evaluation) inTypeOf(k int, list []float64, known func(n int) bool) column {
	if _, ok := e.data[k].(*values[time.Duration]); ok {
		durations := make([]time.Duration, len(list))
		for n, x := range list {
			if known(n) {
				durations[n] = time.Duration(math.RoundToEven(x))
			}
		}
		return someKnown(durations, known)
	}
	return someKnown(list, known)
}

// someKnown returns a column of values, of which those are missing for which known is false.
func someKnown[T any](list []T, known func(n int) bool) column {
	var zero T
	c := empty(zero).(*values[T])
	c.list, c.valid = list, make(bitmap, (len(list)+63)/64)
	for n := range list {
		if known(n) {
			c.valid[n/64] |= 1 << (n % 64)
		} else {
			list[n] = zero
		}
	}
	return c
}

func allKnown[T any](list []T) column { return someKnown(list, func(int) bool { return true }) }

// Mean is the mean of the known values of a column of numbers, durations or truth values, of which
// true counts 1. It is missing if there are none and NaN if a value is NaN. The mean of integers is
// exact before its rounding to float64. Text and times are an error.
func Mean(column string) Expr { return reduced(column, "mean", means) }

func means(e *evaluation, k int) column {
	list, counts := e.means(k)
	return e.inTypeOf(k, list, func(n int) bool { return counts[n] > 0 })
}

// means returns the mean and the number of known values of each group.
func (e *evaluation) means(k int) (list []float64, counts []int) {
	counts = countKnown(e, k).(*values[int]).list
	switch c := e.data[k].(type) {
	case *values[int]:
		list = wideFloats(wideSums(e, c))
	case *values[time.Duration]:
		list = wideFloats(wideSums(e, c))
	default:
		list = floatSums(e, e.numbers(k))
	}
	for n := range list {
		list[n] /= float64(counts[n])
	}
	return list, counts
}

func wideFloats(sums []wide) []float64 {
	list := make([]float64, len(sums))
	for n, sum := range sums {
		list[n] = sum.float()
	}
	return list
}

// Var is the sample variance of the known numbers of a column, with divisor n-1. It is missing for
// fewer than two values and NaN if a value is NaN. Truth values count as 0 and 1; durations, text
// and times are an error.
func Var(column string) Expr { return reduced(column, "var", variances) }

func variances(e *evaluation, k int) column {
	if _, ok := e.data[k].(*values[time.Duration]); ok {
		e.refuse(k, "a number: the variance of durations has no type, Std has")
	}
	list, counts := e.variances(k)
	return someKnown(list, func(n int) bool { return counts[n] > 1 })
}

// Std is the sample standard deviation of the known numbers of a column, with divisor n-1. It is
// missing for fewer than two values, and NaN if a value is NaN or infinite. Truth values count as 0
// and 1; text and times are an error.
func Std(column string) Expr { return reduced(column, "std", deviations) }

func deviations(e *evaluation, k int) column {
	list, counts := e.variances(k)
	for n, x := range list {
		list[n] = math.Sqrt(x)
	}
	return e.inTypeOf(k, list, func(n int) bool { return counts[n] > 1 })
}

func (e *evaluation) variances(k int) (list []float64, counts []int) {
	floats := e.numbers(k)
	means, counts := e.means(k)
	list = make([]float64, len(means))
	for i, group := range e.groups.of {
		if floats.known(i) {
			d := floats.list[i] - means[group]
			list[group] += d * d
		}
	}
	for n := range list {
		list[n] /= float64(counts[n] - 1)
	}
	return list, counts
}

// Median is the quantile of one half.
func Median(column string) Expr {
	return reduced(column, "median", func(e *evaluation, k int) column_ { return quantiles(e, k, 0.5) })
}

// Quantile is a quantile of the known numbers or durations of a column, linear between two values:
// R's type 7, as in pandas and NumPy. For q = 0 it is the least value, for 1 the greatest. It is
// missing if there are no values, and NaN if a value is NaN. The name of its column ends in q and
// the number, as in price_q0.9. It panics unless q is from 0 to 1.
func Quantile(column string, q float64) Expr {
	if !(q >= 0 && q <= 1) {
		panic(fmt.Errorf("table: Quantile: %v of column %q, want a number from 0 to 1", q, column))
	}
	return reduced(column, "q"+strconv.FormatFloat(q, 'g', -1, 64), func(e *evaluation, k int) column_ { return quantiles(e, k, q) })
}

// column_ is the type column where a parameter has its name.
type column_ = column

func quantiles(e *evaluation, k int, q float64) column {
	floats := e.numbers(k)
	list, counts := make([]float64, e.groups.len()), make([]int, e.groups.len())
	// The values of each group come next to each other, in one pass through the rows.
	ends := make([]int, e.groups.len()+1)
	for i, group := range e.groups.of {
		if floats.known(i) {
			ends[group+1]++
			counts[group]++
		}
	}
	for n := range counts {
		ends[n+1] += ends[n]
	}
	known, next := make([]float64, ends[len(counts)]), slices.Clone(ends)
	for i, group := range e.groups.of {
		if floats.known(i) {
			known[next[group]] = floats.list[i]
			next[group]++
		}
	}
	for n := range list {
		if counts[n] > 0 {
			list[n] = statistics.Quantile(known[ends[n]:ends[n+1]], q)
		}
	}
	return e.inTypeOf(k, list, func(n int) bool { return counts[n] > 0 })
}

// Min is the least known value of a column of one type, in the order of Sort. It is missing if
// there are none and NaN if a value is NaN.
func Min(column string) Expr {
	return reduced(column, "min", func(e *evaluation, k int) column_ { return extremes(e, k, -1) })
}

// Max is the greatest known value of a column of one type, in the order of Sort. It is missing if
// there are none and NaN if a value is NaN.
func Max(column string) Expr {
	return reduced(column, "max", func(e *evaluation, k int) column_ { return extremes(e, k, 1) })
}

func extremes(e *evaluation, k, sign int) column {
	var places []int
	switch c := e.data[k].(type) {
	case *values[int]:
		places = extremePlaces(e, c, sign)
	case *values[float64]:
		places = extremePlaces(e, c, sign)
	case *values[time.Duration]:
		places = extremePlaces(e, c, sign)
	case *values[any]:
		e.refuse(k, "a value of a type with an order")
	default:
		places = e.places()
		for i, group := range e.groups.of {
			if c.known(i) && (places[group] < 0 || sign*c.compare(i, places[group]) > 0) {
				places[group] = i
			}
		}
	}
	if places == nil {
		places = e.places()
	}
	return e.data[k].take(places)
}

// places returns a list with -1 for each group.
func (e *evaluation) places() []int {
	places := make([]int, e.groups.len())
	for n := range places {
		places[n] = -1
	}
	return places
}

func extremePlaces[T cmp.Ordered](e *evaluation, c *values[T], sign int) []int {
	places := e.places()
	for i, group := range e.groups.of {
		if !c.valid.get(i) {
			continue
		}
		at := places[group]
		switch {
		case at < 0:
			places[group] = i
		case isNaN(c, at):
		case sign < 0 && c.list[i] < c.list[at], sign > 0 && c.list[i] > c.list[at], isNaN(c, i):
			places[group] = i
		}
	}
	return places
}

// First is the value of the first row, which may be missing, of a column of any type.
func First(column string) Expr {
	return reduced(column, "first", func(e *evaluation, k int) column_ { return e.data[k].take(e.ends(false)) })
}

// Last is the value of the last row, which may be missing, of a column of any type.
func Last(column string) Expr {
	return reduced(column, "last", func(e *evaluation, k int) column_ { return e.data[k].take(e.ends(true)) })
}

// ends returns the first or the last row of each group, or -1 for a group without rows.
func (e *evaluation) ends(last bool) []int {
	places := e.places()
	for i, group := range e.groups.of {
		if last || places[group] < 0 {
			places[group] = i
		}
	}
	return places
}

// Only is the value of the only row of each group, which may be missing, of a column of any type.
// Two rows in a group are an error that names both values, and no row gives a missing value.
func Only(column string) Expr { return reduced(column, "only", only) }

func only(e *evaluation, k int) column {
	places := e.places()
	for i, group := range e.groups.of {
		if at := places[group]; at >= 0 {
			panic(fmt.Errorf("table: Only: column %q: %#v in row %d and %#v in row %d%s: use an aggregate such as Sum or First",
				e.columns[k], e.data[k].at(at), at, e.data[k].at(i), i, e.group(int(group))))
		}
		places[group] = i
	}
	return e.data[k].take(places)
}

// Corr is Pearson's correlation of the pairs of numbers in two columns. Pairs with a missing value
// are left out. It is missing for fewer than two pairs, and NaN for values that are all equal and
// if one is NaN. Its column is named corr; text and times are an error.
func Corr(x, y string) Expr {
	return correlated("corr", x, y, func(list []float64) []float64 { return list })
}

// Spearman is Spearman's correlation of the pairs of numbers in two columns: that of their ranks,
// among pairs without a missing value, where equal numbers have the mean of their ranks. It is
// missing for fewer than two pairs, and NaN for values that are all equal and if one is NaN. Its
// column is named spearman; text and times are an error.
func Spearman(x, y string) Expr { return correlated("spearman", x, y, statistics.Ranks) }

// correlated is the correlation of the known pairs of two columns after a transformation.
func correlated(name, x, y string, transform func(list []float64) []float64) Expr {
	return Expr{name: name, single: true, reads: slices.Compact([]string{x, y}), eval: func(e *evaluation) column {
		xs, ys := e.numbers(e.mustFind(x)), e.numbers(e.mustFind(y))
		list, pairs := make([]float64, e.groups.len()), make([]int, e.groups.len())
		var a, b []float64
		for n := range list {
			a, b = a[:0], b[:0]
			for _, i := range e.groups.rows(n) {
				if xs.known(i) && ys.known(i) {
					a, b = append(a, xs.list[i]), append(b, ys.list[i])
				}
			}
			if pairs[n] = len(a); len(a) > 1 {
				list[n] = statistics.Correlation(transform(a), transform(b))
			}
		}
		return someKnown(list, func(n int) bool { return pairs[n] > 1 })
	}}
}

// Func is an aggregate of your own, in a column of the given name: the value of a function of the
// table of each group. The value nil is missing. Values of different types are an error, except
// that integers become numbers among other numbers.
//
//	table.Func("spread", func(g *table.Table) any { return g.Len() })
func Func(name string, f func(group *Table) any) Expr {
	if f == nil {
		panic(errors.New("table: Func: the function is nil"))
	}
	return Expr{name: name, single: true, eval: func(e *evaluation) column {
		c := column(new(unknown))
		for n := range e.groups.len() {
			c = consistent("Func", name, c, n, f(e.take(e.groups.rows(n))))
		}
		return c
	}}
}

// consistent appends a value that a function has computed. It panics if the type differs from that
// of the values before it.
func consistent(task, name string, c column, n int, value any) column {
	grown := appended(c, value)
	if before := c.kind(); grown.kind() == "any" && before != "any" {
		panic(fmt.Errorf("table: %s: column %q, row %d: %#v is a %T among values of type %s", task, name, n, value, value, before))
	}
	return grown
}
