package table

import (
	"fmt"
	"slices"
	"strings"
)

// Concat returns the rows of several tables of the same columns, one table after another. Columns
// are found by their names; their order is that of the first table. It panics for a column that one
// table lacks, and for types that have no common one: integers are numbers among numbers.
// ConcatFill fills missing columns.
func Concat(tables ...*Table) *Table { return concat("Concat", tables) }

// ConcatFill is Concat for tables of different columns. The result has all of them in order of
// first appearance, and values are missing where a table lacks the column.
func ConcatFill(tables ...*Table) *Table {
	var names []string
	for _, t := range tables {
		for _, name := range t.columns {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	filled := make([]*Table, len(tables))
	for n, t := range tables {
		filled[n] = t.Select(t.columns...)
		for _, name := range names {
			if !slices.Contains(t.columns, name) {
				filled[n].insert(name, new(unknown(t.height)))
			}
		}
		filled[n].height = t.height
	}
	return concat("ConcatFill", filled)
}

func concat(task string, tables []*Table) *Table {
	if len(tables) == 0 {
		return New()
	}
	first := tables[0]
	made := first.Select(first.columns...)
	for n, t := range tables[1:] {
		for _, name := range first.columns {
			if !slices.Contains(t.columns, name) {
				panic(fmt.Errorf("table: %s: table %d lacks column %q of table 0: use ConcatFill", task, n+1, name))
			}
		}
		for _, name := range t.columns {
			if !slices.Contains(first.columns, name) {
				panic(fmt.Errorf("table: %s: table %d has column %q, table 0 only %s: use ConcatFill", task, n+1, name, strings.Join(first.columns, ", ")))
			}
		}
		made.height += t.height
	}
	for k, name := range first.columns {
		parts := make([]column, len(tables))
		for n, t := range tables {
			parts[n] = t.data[t.mustFind(name)]
		}
		to, bad := commonType(parts)
		if bad >= 0 {
			panic(fmt.Errorf("table: %s: column %q has type %s in table %d and %s in tables before it", task, name, parts[bad].kind(), bad, to.kind()))
		}
		made.data[k] = to.followed(parts...)
	}
	return made
}

// commonType converts the columns to their common type, and returns an empty column of it. If there
// is none, it returns the index, else -1, of the column that does not fit and the type of those
// before it. Values of any type and those of one type have none.
func commonType(parts []column) (to column, bad int) {
	to = new(unknown)
	for n, c := range parts {
		wider, _, ok := unified(to, c.take(nil))
		if !ok || holdsAny(wider) && (!holdsAny(c) || !holdsAny(to)) && known(c) && known(to) {
			return to, n
		}
		to = wider
	}
	for n, c := range parts {
		var ok bool
		if _, parts[n], ok = unified(to, c); !ok {
			return to, n
		}
	}
	return to, -1
}

func holdsAny(c column) bool { _, ok := c.(*values[any]); return ok }

// known reports whether a column has a type.
func known(c column) bool { _, ok := c.(*unknown); return !ok }
