// Package table reads data into tables of named columns: CSV, JSON and Parquet files, and the rows
// of database queries. A cell that ends with a Table shows it; front ends can sort and search it
// and page through it.
//
//	people, err := table.Read("people.csv")
//	people.Where(func(r table.Row) bool { return r.Float("age") > 30 }).Sort("name")
//	ages, err := people.Floats("age")
//
// A column has one type: int, float64, bool, string, time.Time, time.Duration, Category, or any for
// values of several types and other values, such as lists in JSON. Every column has missing values
// beside the values of its type, so whole numbers with gaps stay whole numbers. A missing value is
// not NaN: both are kept and written apart.
//
// # Operations
//
// Methods return new tables and are written one after another. A function of a row filters and
// computes; an [Expr] does so with columns, and aggregates groups:
//
//	sales.Filter(table.Ne("region", "north")).
//		With("total", func(r table.Row) any { return r.Float("price") * r.Float("units") }).
//		GroupBy("region").Aggregate(table.Len(), table.Sum("total"), table.Median("price")).
//		Sort("-total_sum")
//
// A method panics if it cannot do what it is asked to: for a column that does not exist, for values
// that an operation is not defined for, and where it would lose data. The message names the column,
// the row and the value.
//
// The defaults differ from those of pandas and polars where theirs lose data or depend on the run:
//
//   - A condition of a missing value is missing, and Filter keeps only rows for which it is true.
//   - Aggregates leave out missing values. The sum of nothing is 0; every other statistic of
//     nothing is missing. Every statistic of values with NaN is NaN, also Min, Max and Median.
//   - GroupBy keeps a group of missing keys. Groups have the order of their first rows, and Unique
//     keeps first rows. Sort is stable, with NaN and then missing values last in both directions.
//   - Joins match no missing keys. Their rows have the order of the left table, then of the right one.
//   - NUnique and ValueCounts leave out missing values.
//   - Sums that exceed their type are an error. Quantiles are linear between values, and Std and Var
//     divide by n-1.
//   - Pivot leaves pairs that do not occur missing. Weeks begin on Monday, and units of the calendar
//     are cut in local time. A window of time is open at its old end, and unsorted times are an error.
//   - FillNull and computed columns never change the type of a column to hold mixed values.
//
// # Columns
//
// A column is a slice of values with a bitmap of the known ones, the layout of Apache Arrow. The
// package has its own columns because those of arrow-go are immutable and counted by reference,
// and because every reader of a notebook in the browser would download that module.
//
// Read table.go first, then storage.go and columns.go, verbs.go, expr.go and numbering.go, and then
// the files of the aggregates and sources.
package table

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/runtime/table/internal/ordering"
)

// A Table holds rows of values in named columns. Only Append modifies it; the other methods return
// new tables.
type Table struct {
	columns []string
	data    []column // of equal length
	height  int
}

// New returns a table without rows. It panics if a column name occurs twice.
func New(columns ...string) *Table {
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			panic(fmt.Errorf("table: duplicate column %q", name))
		}
	}
	t := &Table{}
	for _, name := range columns {
		t.insert(name, new(unknown))
	}
	return t
}

// insert adds a column, whose length becomes that of the table.
func (t *Table) insert(name string, c column) {
	t.columns, t.data, t.height = append(t.columns, name), append(t.data, c), c.len()
}

// take returns the rows at the given places. Place -1 gives a row of missing values.
func (t *Table) take(places []int) *Table {
	taken := &Table{}
	for k, c := range takenColumns(t.data, places) {
		taken.insert(t.columns[k], c)
	}
	taken.height = len(places)
	return taken
}

// takenColumns returns the values of columns at the given places, of several columns at a time.
func takenColumns(columns []column, places []int) []column {
	made := make([]column, len(columns))
	if len(places) < longSort {
		for k, c := range columns {
			made[k] = c.take(places)
		}
		return made
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(columns), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(columns); k = int(next.Add(1)) - 1 {
				made[k] = columns[k].take(places)
			}
		})
	}
	workers.Wait()
	return made
}

// Append adds a row. It panics unless there is one value for each column. A nil value is missing. A
// value of another type than the column changes the type of the column: to float64 for whole and
// other numbers, else to any.
func (t *Table) Append(values ...any) {
	if len(values) != len(t.columns) {
		panic(fmt.Errorf("table: a row of %d values for %d columns", len(values), len(t.columns)))
	}
	for k, value := range values {
		t.data[k] = appended(t.data[k], value)
	}
	t.height++
}

// Columns returns the names of the columns.
func (t *Table) Columns() []string { return slices.Clone(t.columns) }

// Types returns the types of the columns: "int", "float64", "bool", "string", "time.Time",
// "time.Duration", "table.Category", or "any" for values of other or several types and for a column
// without values.
func (t *Table) Types() []string {
	types := make([]string, len(t.data))
	for k, c := range t.data {
		types[k] = c.kind()
	}
	return types
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.height }

// Row returns the values of row i, from 0.
func (t *Table) Row(i int) []any {
	mustHave(t, i)
	row := make([]any, len(t.data))
	for k, c := range t.data {
		row[k] = c.at(i)
	}
	return row
}

// Rows returns an iterator over the rows and their numbers.
//
//	for i, r := range people.Rows() { fmt.Println(i, r.Text("name")) }
func (t *Table) Rows() iter.Seq2[int, Row] {
	return func(yield func(int, Row) bool) {
		for i := range t.height {
			if !yield(i, Row{t, i, nil}) {
				return
			}
		}
	}
}

// At returns one value, or nil if it is missing. It panics for a row or column that does not exist.
func (t *Table) At(i int, column string) any {
	k := t.mustFind(column)
	mustHave(t, i)
	return t.data[k].at(i)
}

func mustHave(t *Table, i int) {
	if i < 0 || i >= t.height {
		panic(fmt.Errorf("table: no row %d in a table of %d rows", i, t.height))
	}
}

// String returns the size and the columns of the table.
func (t *Table) String() string {
	rows := fmt.Sprintf("%d rows", t.height)
	if t.height == 1 {
		rows = "1 row"
	}
	return "table of " + rows + ": " + strings.Join(t.columns, ", ")
}

// Head returns the first n rows, or all if there are fewer.
func (t *Table) Head(n int) *Table { return t.take(upTo(0, max(0, min(n, t.height)))) }

// Tail returns the last n rows, or all if there are fewer.
func (t *Table) Tail(n int) *Table { return t.take(upTo(t.height-max(0, min(n, t.height)), t.height)) }

// upTo returns the whole numbers from first to end-1.
func upTo(first, end int) []int {
	places := make([]int, end-first)
	for i := range places {
		places[i] = first + i
	}
	return places
}

// Select returns a table of the named columns in the given order. It panics for an unknown column.
func (t *Table) Select(columns ...string) *Table {
	selected := New(columns...)
	for k, name := range columns {
		selected.data[k] = t.data[t.mustFind(name)].shared()
	}
	selected.height = t.height
	return selected
}

// Where returns the rows for which keep returns true. The function decides about missing values,
// which Float returns as NaN and Text as "", so that r.Text("x") != "b" is true for a missing x.
// The conditions of Filter are true for no missing value.
func (t *Table) Where(keep func(r Row) bool) *Table {
	var places []int
	for i := range t.height {
		if keep(Row{t, i, nil}) {
			places = append(places, i)
		}
	}
	return t.take(places)
}

// Sort returns the rows ordered by columns, of which each decides between rows that are equal in
// the columns before it. A minus sign before the name reverses the order. Rows that are equal in
// all of them keep their order. Numbers, times and durations are ordered by value, text by its
// bytes, false before true, and values of different types by their text. In both directions NaN
// comes after all numbers and missing values come last. Sort panics for an unknown column.
func (t *Table) Sort(columns ...string) *Table {
	orders := make([]func(i, j int) int, len(columns))
	for k, name := range columns {
		orders[k] = t.order(name)
	}
	if len(columns) == 0 {
		return t.take(upTo(0, t.height))
	}
	then := func(i, j int) int {
		for _, order := range orders[1:] {
			if way := order(i, j); way != 0 {
				return way
			}
		}
		return i - j // so that the order is stable
	}
	name, down := sortColumn(t, columns[0])
	var places []int
	switch c := t.data[t.mustFind(name)].(type) {
	case *values[int]:
		places = placesByKey(c, down, len(columns) > 1, then, func(n int) uint64 { return ordering.Int(int64(n)) })
	case *values[float64]:
		places = placesByKey(c, down, len(columns) > 1, then, ordering.Float)
	case *values[string]:
		places = sortedPlaces(c, down, then)
	case *values[time.Duration]:
		places = placesByKey(c, down, len(columns) > 1, then, func(d time.Duration) uint64 { return ordering.Int(int64(d)) })
	default:
		places = upTo(0, t.height)
		slices.SortFunc(places, func(i, j int) int { return cmp.Or(orders[0](i, j), then(i, j)) })
	}
	return t.take(places)
}

// sortedPlaces returns the order of the rows by a column, and by a function for rows of equal
// values. It sorts the values together with their rows, without a look into the column.
func sortedPlaces[T cmp.Ordered](c *values[T], down bool, then func(i, j int) int) []int {
	type keyed struct {
		value T
		row   int
	}
	list := make([]keyed, 0, len(c.list))
	var unordered, missing []int
	for i, value := range c.list {
		switch {
		case !c.known(i):
			missing = append(missing, i)
		case isNaN(c, i):
			unordered = append(unordered, i)
		default:
			list = append(list, keyed{value, i})
		}
	}
	below := -1
	if down {
		below = 1
	}
	slices.SortFunc(list, func(a, b keyed) int {
		switch {
		case a.value < b.value:
			return below
		case a.value > b.value:
			return -below
		}
		return then(a.row, b.row)
	})
	slices.SortFunc(unordered, then)
	slices.SortFunc(missing, then)
	places := make([]int, 0, len(c.list))
	for _, k := range list {
		places = append(places, k.row)
	}
	return append(append(places, unordered...), missing...)
}

// longSort is the number of rows from which sorting by digits is faster than by comparisons.
const longSort = 1 << 12

// placesByKey is like sortedPlaces for numbers. With more, then decides between equal ones by other
// columns.
func placesByKey[T int | float64 | time.Duration](c *values[T], down, more bool, then func(i, j int) int, key func(T) uint64) []int {
	if len(c.list) < longSort || uint64(len(c.list)) > math.MaxUint32 {
		return sortedPlaces(c, down, then)
	}
	keys, rows := make([]uint64, 0, len(c.list)), make([]int, 0, len(c.list))
	var unordered, missing []int
	for i, value := range c.list {
		switch {
		case !c.known(i):
			missing = append(missing, i)
		case value != value: // NaN
			unordered = append(unordered, i)
		case down:
			keys, rows = append(keys, ^key(value)), append(rows, i)
		default:
			keys, rows = append(keys, key(value)), append(rows, i)
		}
	}
	places := make([]int, 0, len(c.list))
	for _, at := range ordering.Stable(keys) {
		places = append(places, rows[at])
	}
	for first := 0; more && first < len(places); {
		end := first + 1
		for end < len(places) && c.list[places[end]] == c.list[places[first]] {
			end++
		}
		slices.SortFunc(places[first:end], then)
		first = end
	}
	slices.SortFunc(unordered, then)
	slices.SortFunc(missing, then)
	return append(append(places, unordered...), missing...)
}

// sortColumn returns the name of a column and whether its order is reversed.
func sortColumn(t *Table, column string) (name string, down bool) {
	name, down = strings.CutPrefix(column, "-")
	if slices.Contains(t.columns, column) {
		return column, false
	}
	return name, down
}

// order returns the function that compares two rows by a column, whose name may have a minus sign.
func (t *Table) order(column string) func(i, j int) int {
	name, down := sortColumn(t, column)
	c := t.data[t.mustFind(name)]
	floats, _ := c.(*values[float64])
	last := func(i int) int {
		switch {
		case !c.known(i):
			return 2
		case floats != nil && math.IsNaN(floats.list[i]):
			return 1
		}
		return 0
	}
	return func(i, j int) int {
		switch x, y := last(i), last(j); {
		case x != 0 || y != 0:
			return cmp.Compare(x, y)
		case down:
			return c.compare(j, i)
		}
		return c.compare(i, j)
	}
}

// written returns the CSV form of a value.
func written(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case time.Time:
		return value.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}

// find returns the index of a column.
func (t *Table) find(column string) (int, error) {
	if k := slices.Index(t.columns, column); k >= 0 {
		return k, nil
	}
	return 0, fmt.Errorf("table: no column %q, want one of %s", column, strings.Join(t.columns, ", "))
}

func (t *Table) mustFind(column string) int {
	k, err := t.find(column)
	if err != nil {
		panic(err)
	}
	return k
}
