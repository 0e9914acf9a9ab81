package table

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Pivot returns a table with a row for each group and, next to its keys, a column for each
// different value of a column: the aggregate of the rows of the group that have the value. The new
// columns have the order of first appearance and the values as names, in the form of WriteCSV; that
// of missing values is named null. A pair that does not occur is missing; FillNull fills it. Only
// makes a second row with a pair an error. Pivot panics as Aggregate does, for a column that is a
// key, and for two columns of one name.
//
//	sales.GroupBy("region").Pivot("month", table.Sum("units"))
func (g *Groups) Pivot(column string, value Expr) *Table {
	if slices.Contains(g.e.groups.keys, column) {
		panic(fmt.Errorf("table: Pivot: column %q is a key of the groups", column))
	}
	of := g.e.Table
	pairs := evaluation{of, of.grouped(append(slices.Clone(g.e.groups.keys), column))}
	values := New()
	aggregate(&pairs, values, []Expr{value})
	columns := of.grouped([]string{column})
	places := make([][]int, columns.len())
	for n := range places {
		places[n] = nowhere(g.Len())
	}
	for n, row := range pairs.groups.first {
		places[columns.of[row]][g.e.groups.of[row]] = n
	}
	made := g.keys()
	for n, row := range columns.first {
		name := "null"
		if at := of.At(row, column); at != nil {
			name = written(at)
		}
		if slices.Contains(made.columns, name) {
			panic(fmt.Errorf("table: Pivot: column %q, row %d: a column %q exists", column, row, name))
		}
		made.insert(name, values.data[0].take(places[n]))
	}
	return made
}

// Melt returns a table with a row for each value of the named columns, of all columns without a
// name: its other columns, then the name of the column and its value in columns of the given names.
// The rows are those of the first column, then those of the second one, as in pandas and polars. It
// panics for an unknown column, for columns without a common type, and for a name that exists.
//
//	wide.Melt("month", "units", "jan", "feb", "mar")
func (t *Table) Melt(variable, value string, columns ...string) *Table {
	if len(columns) == 0 {
		columns = t.columns
	}
	parts, places := make([]column, len(columns)), make([]int, 0, len(columns)*t.height)
	names := make([]string, 0, cap(places))
	for n, name := range columns {
		parts[n] = t.data[t.mustFind(name)]
		if slices.Contains(columns[:n], name) {
			panic(fmt.Errorf("table: Melt: column %q is named twice", name))
		}
		for i := range t.height {
			places, names = append(places, i), append(names, name)
		}
	}
	kinds := make([]string, len(parts))
	for n, c := range parts {
		kinds[n] = c.kind()
	}
	to, bad := commonType(parts)
	if bad >= 0 {
		panic(fmt.Errorf("table: Melt: columns %q have types %s, which have no common one", columns, strings.Join(kinds, ", ")))
	}
	made := t.Drop(columns...).take(places)
	for _, name := range []string{variable, value} {
		if slices.Contains(made.columns, name) || variable == value {
			panic(fmt.Errorf("table: Melt: a column %q exists", name))
		}
	}
	made.insert(variable, allKnown(names))
	made.insert(value, to.followed(parts...))
	return made
}

// Upsample returns the table with a row for each unit of time between the first and the last in a
// column, such as weeks without sales. Values of new rows are missing, and the rows are sorted by
// the column. The times have to be beginnings of units, as Truncate makes them, in one time zone.
// It panics for an unknown column, for other values than times, and for a missing one.
//
//	weekly := sales.WithColumns(table.Truncate("day", table.Week)).
//		GroupBy("day").Aggregate(table.Sum("units")).Upsample("day", table.Week)
func (t *Table) Upsample(name string, unit Unit) *Table {
	e := &evaluation{t, t.whole()}
	k := t.mustFind(name)
	times := typed[time.Time](e, k)
	if t.height == 0 {
		return t
	}
	first, last := time.Time{}, time.Time{}
	for i, at := range times.list {
		switch {
		case !times.known(i):
			panic(t.mismatch(i, k, "a time"))
		case !unit.begin(at).Equal(at):
			panic(fmt.Errorf("table: Upsample: column %q, row %d: %v is not the beginning of a %v: use Truncate", name, i, at, unit))
		case i > 0 && at.Location().String() != first.Location().String():
			panic(fmt.Errorf("table: Upsample: column %q, row %d: %v has another time zone than %v: use InZone", name, i, at, first))
		}
		if i == 0 || at.Before(first) {
			first = at
		}
		if i == 0 || at.After(last) {
			last = at
		}
	}
	periods := empty(first).(*values[time.Time])
	for at := first; !at.After(last); at = unit.next(at) {
		if periods.len() >= maxMade {
			panic(fmt.Errorf("table: Upsample: more than %d rows", maxMade))
		}
		periods.add(at)
	}
	all := &Table{}
	all.insert(name, periods)
	return all.LeftJoin(t, name).Select(t.columns...)
}
