package table

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// With returns the table with a computed column, at the right or in place of the column of that
// name. The function gets each row; the value nil is missing. If it reads a missing value with
// Float and returns NaN, the new value is missing, so that arithmetic with missing values gives
// missing values. With panics for values of different types, except that integers become numbers
// among other numbers.
//
//	sales.With("total", func(r table.Row) any { return r.Float("price") * r.Float("units") })
func (t *Table) With(name string, compute func(r Row) any) *Table {
	c := column(new(unknown))
	for i := range t.height {
		missed := false
		value := compute(Row{t, i, &missed})
		if x, ok := value.(float64); ok && missed && math.IsNaN(x) {
			value = nil
		}
		c = consistent("With", name, c, i, value)
	}
	made := t.Select(t.columns...)
	made.set(name, c)
	return made
}

// Drop returns the table without the named columns. It panics for an unknown column.
func (t *Table) Drop(columns ...string) *Table {
	for _, name := range columns {
		t.mustFind(name)
	}
	return t.Select(slices.DeleteFunc(t.Columns(), func(name string) bool { return slices.Contains(columns, name) })...)
}

// Rename returns the table with another name of a column. It panics for an unknown column, and if
// the new name exists.
func (t *Table) Rename(from, to string) *Table {
	k := t.mustFind(from)
	if from != to && slices.Contains(t.columns, to) {
		panic(fmt.Errorf("table: Rename: %q exists", to))
	}
	made := t.Select(t.columns...)
	made.columns[k] = to
	return made
}

// Unique returns the first row of each set of rows that are equal in the named columns, in all
// columns without a name. Missing values are equal to each other, and so are NaN. It panics for an
// unknown column.
func (t *Table) Unique(columns ...string) *Table {
	if len(columns) == 0 {
		columns = t.columns
	}
	if len(columns) == 0 {
		return t
	}
	return t.take(t.grouped(columns).first)
}

// Sample returns n different rows drawn at random, or all if there are fewer, in their order in the
// table. Equal seeds draw equal rows. It panics for a negative n.
func (t *Table) Sample(n int, seed uint64) *Table {
	if n < 0 {
		panic(fmt.Errorf("table: Sample: %d rows", n))
	}
	places := upTo(0, t.height)
	n = min(n, t.height)
	draw := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		j := i + draw.IntN(t.height-i)
		places[i], places[j] = places[j], places[i]
	}
	places = places[:n]
	slices.Sort(places)
	return t.take(places)
}

// ValueCounts returns the different values of the columns with the numbers of their rows, in a
// column named count: the most frequent first, equally frequent ones in order of first appearance.
// Of a single column of categories it has those without rows, too, which are last. Rows with a
// missing value are left out; GroupBy with Len counts them. It panics without a column, for an
// unknown one, and for one that is named count.
func (t *Table) ValueCounts(columns ...string) *Table {
	if len(columns) == 0 {
		panic(errors.New("table: ValueCounts: no columns"))
	}
	counts := t.DropNull(columns...).GroupBy(columns...).Aggregate(Len().As("count")).Sort("-count")
	c, ok := counts.data[0].(*values[Category])
	if len(columns) > 1 || !ok || c.set == nil {
		return counts
	}
	used := make([]bool, len(c.set.names))
	for _, category := range c.list {
		used[category.code] = true
	}
	for code := range c.set.names {
		if !used[code] {
			counts.Append(Category{c.set, code}, 0)
		}
	}
	return counts
}

// DropNull returns the rows without a missing value in the named columns, in all columns without a
// name. NaN is not missing. It panics for an unknown column.
func (t *Table) DropNull(columns ...string) *Table {
	if len(columns) == 0 {
		columns = t.columns
	}
	keep := make([]column, len(columns))
	for n, name := range columns {
		keep[n] = t.data[t.mustFind(name)]
	}
	var places []int
	for i := range t.height {
		if !slices.ContainsFunc(keep, func(c column) bool { return !c.known(i) }) {
			places = append(places, i)
		}
	}
	return t.take(places)
}

// FillNull returns the table with a value in place of the missing values of the named columns, of
// all columns without a name. It panics for an unknown column, for nil, and for a value of another
// type than that of a column with missing values. An integer is a number among numbers.
func (t *Table) FillNull(value any, columns ...string) *Table {
	if len(columns) == 0 {
		columns = t.columns
	}
	made := t.Select(t.columns...)
	for _, name := range columns {
		k := t.mustFind(name)
		c := t.data[k]
		first := 0
		for first < t.height && c.known(first) {
			first++
		}
		if first == t.height {
			continue
		}
		fill := appended(new(unknown), value)
		if b, text := fill.(*values[string]); text {
			if c, ok := c.(*values[Category]); ok && c.set != nil {
				fill = c.set.categories(name, "FillNull", b)
			}
		}
		if value == nil {
			panic(fmt.Errorf("table: FillNull: nil for column %q is a missing value itself", name))
		}
		filled, ok := joined(c, fill)
		if !ok || filled.kind() != c.kind() && c.kind() != "any" {
			panic(fmt.Errorf("table: FillNull: column %q has type %s: %#v does not fit, for row %d", name, c.kind(), value, first))
		}
		places := upTo(0, t.height)
		for i := range places {
			if !c.known(i) {
				places[i] = t.height // the value
			}
		}
		made.data[k] = filled.take(places)
	}
	return made
}

// FillNaN returns the table with a value in place of NaN in the named columns, in all columns of
// numbers without a name. The value nil turns NaN into missing values. It panics for an unknown
// column, for a column that is not float64, and for a value that is no number.
func (t *Table) FillNaN(value any, columns ...string) *Table {
	x, ok := number(value)
	if !ok && value != nil {
		panic(fmt.Errorf("table: FillNaN: %#v is not a number", value))
	}
	all := len(columns) == 0
	if all {
		columns = t.columns
	}
	made := t.Select(t.columns...)
	for _, name := range columns {
		k := t.mustFind(name)
		c, ok := t.data[k].(*values[float64])
		if !ok && !all {
			panic(fmt.Errorf("table: FillNaN: column %q has type %s, want float64", name, t.data[k].kind()))
		}
		if !ok {
			continue
		}
		filled := &values[float64]{list: slices.Clone(c.list), valid: slices.Clone(c.valid), order: c.order}
		for i, old := range filled.list {
			if math.IsNaN(old) && filled.valid.get(i) {
				filled.list[i] = x
				if value == nil {
					filled.valid[i/64] &^= 1 << (i % 64)
				}
			}
		}
		made.data[k] = filled
	}
	return made
}

// Describe returns a row for each column: its type, the numbers of known, missing and different
// known values, the least and the greatest, and of columns of numbers and durations the mean,
// standard deviation and quartiles. A statistic that the column does not have is missing.
func (t *Table) Describe() *Table {
	made := New("column", "type", "count", "null", "unique", "mean", "std", "min", "q25", "median", "q75", "max")
	for k, name := range t.columns {
		statistics := []Expr{Count(name), NullCount(name), NUnique(name)}
		row := []any{name, t.data[k].kind()}
		kind := t.data[k].kind()
		measured := kind == "int" || kind == "float64" || kind == "time.Duration"
		if measured {
			statistics = append(statistics, Mean(name), Std(name), Min(name), Quantile(name, 0.25), Median(name), Quantile(name, 0.75), Max(name))
		} else if kind != "any" {
			statistics = append(statistics, Min(name), Max(name))
		}
		row = append(row, t.Aggregate(statistics...).Row(0)...)
		switch {
		case kind == "any":
			row = append(row, make([]any, 7)...)
		case !measured:
			row = []any{row[0], row[1], row[2], row[3], row[4], nil, nil, row[5], nil, nil, nil, row[6]}
		}
		made.Append(row...)
	}
	return made
}
