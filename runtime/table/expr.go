package table

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// An Expr computes a column from columns of a table. Aggregates such as Sum have one value for each
// group, and expressions such as Map one for each row. An aggregate has the name of its column and
// its function, as in price_mean; other expressions are documented with their names.
//
//	t.GroupBy("region").Aggregate(table.Len(), table.Mean("price").As("average"))
//	t.WithColumns(table.Map("name", strings.ToUpper))
type Expr struct {
	name   string
	single bool     // one value for each group
	reads  []string // the only columns that eval reads, or nil for all
	eval   func(e *evaluation) column

	function string // of an aggregate of one column, or of none
}

// Aggregate returns the column name of an aggregate, its function such as mean or len, and the
// column that it reads, "" for len. The function of other expressions, and of Quantile, Corr,
// Spearman and Func, is "".
func (x Expr) Aggregate() (name, function, column string) {
	if len(x.reads) == 1 {
		column = x.reads[0]
	}
	return x.name, x.function, column
}

// As returns the expression with another name for its column.
func (x Expr) As(name string) Expr {
	x.name = name
	return x
}

// Col is the expression of a column as it is. It compares two columns, as in
// Gt("price", Col("limit")), and copies a column with As. It panics where it is used if the column
// does not exist.
func Col(name string) Expr {
	return Expr{name: name, eval: func(e *evaluation) column { return e.column(name) }}
}

// An evaluation is a table whose rows are divided into groups.
type evaluation struct {
	*Table
	groups *grouping
}

func (e *evaluation) column(name string) column { return e.data[e.mustFind(name)] }

// group describes a group by its keys, for errors.
func (e *evaluation) group(n int) string {
	if len(e.groups.keys) == 0 {
		return ""
	}
	var keys []string
	for _, key := range e.groups.keys {
		value := "missing"
		if at := e.At(e.groups.first[n], key); at != nil {
			value = fmt.Sprintf("%#v", at)
		}
		keys = append(keys, key+" "+value)
	}
	return " in the group " + strings.Join(keys, ", ")
}

// rowwise returns the column of an expression with one value for each row. Values of aggregates are
// repeated.
func (x Expr) rowwise(e *evaluation) column {
	if x.eval == nil {
		panic(errors.New("table: an Expr that no function of this package has made"))
	}
	c := x.eval(e)
	if !x.single {
		return c
	}
	places := make([]int, e.height)
	for i, group := range e.groups.of {
		places[i] = int(group)
	}
	return c.take(places)
}

// WithColumns returns the table with the columns of the expressions, which are computed from the
// columns of t. A column whose name exists is replaced; others are added at the right. The values
// of aggregates are repeated for all rows. WithColumns panics for an unknown column, for two
// expressions of one name, and for values that an expression cannot use.
func (t *Table) WithColumns(columns ...Expr) *Table {
	return with(&evaluation{t, t.whole()}, columns)
}

func with(e *evaluation, columns []Expr) *Table {
	made := e.Select(e.columns...)
	for n, x := range columns {
		if slices.ContainsFunc(columns[:n], func(other Expr) bool { return other.name == x.name }) {
			panic(fmt.Errorf("table: WithColumns: two columns are named %q: name one with As", x.name))
		}
		made.set(x.name, x.rowwise(e))
	}
	return made
}

// set replaces or adds a column.
func (t *Table) set(name string, c column) {
	if k := slices.Index(t.columns, name); k >= 0 {
		t.data[k] = c.shared()
		return
	}
	t.insert(name, c.shared())
}

// Aggregate returns a table of one row with the aggregates of all rows. It panics as the method of
// Groups does.
func (t *Table) Aggregate(aggregates ...Expr) *Table {
	made := New()
	aggregate(&evaluation{t, t.whole()}, made, aggregates)
	made.height = 1
	return made
}

func aggregate(e *evaluation, made *Table, aggregates []Expr) {
	for _, x := range aggregates {
		switch {
		case x.eval == nil:
			panic(errors.New("table: an Expr that no function of this package has made"))
		case !x.single:
			panic(fmt.Errorf("table: Aggregate: %q has a value for each row, want one for each group, as of Sum, Mean or First", x.name))
		case slices.Contains(made.columns, x.name):
			panic(fmt.Errorf("table: Aggregate: two columns are named %q: name one with As", x.name))
		}
		made.insert(x.name, x.eval(e))
	}
}

// Groups are the rows of a table in groups of equal keys. The groups have the order of their first
// rows; rows keep their order. A missing key is a group of its own, NaN is equal to NaN, and times
// are equal if they are the same instant. To leave out missing keys call DropNull before GroupBy;
// to sort the groups call Sort on the result.
type Groups struct {
	e evaluation
}

// GroupBy groups the rows by one or more columns. It panics without a column, for an unknown one,
// and for one that is named twice.
func (t *Table) GroupBy(columns ...string) *Groups {
	if len(columns) == 0 {
		panic(errors.New("table: GroupBy: no columns: use Aggregate for all rows"))
	}
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			panic(fmt.Errorf("table: GroupBy: column %q is named twice", name))
		}
	}
	return &Groups{evaluation{t, t.grouped(slices.Clone(columns))}}
}

// Len returns the number of groups.
func (g *Groups) Len() int { return g.e.groups.len() }

// Aggregate returns a table with a row for each group: its keys and the aggregates. It panics for
// an expression with a value for each row, for an unknown column, for two columns of one name, and
// for values that an aggregate cannot use; the message names column, row and value.
func (g *Groups) Aggregate(aggregates ...Expr) *Table {
	keys := g.keys()
	aggregate(&g.e, keys, aggregates)
	return keys
}

// keys returns the table of the keys.
func (g *Groups) keys() *Table {
	return g.e.Select(g.e.groups.keys...).take(g.e.groups.first)
}

// WithColumns is like the method of Table within each group: an aggregate is that of the group of
// the row, and expressions such as Lag do not look into other groups. The rows keep their order.
//
//	t.GroupBy("region").WithColumns(table.Mean("price"), table.Lag("price", 1))
func (g *Groups) WithColumns(columns ...Expr) *Table { return with(&g.e, columns) }

// Head returns the first n rows of each group, or all if there are fewer, group after group.
func (g *Groups) Head(n int) *Table {
	var places []int
	for group := range g.Len() {
		rows := g.e.groups.rows(group)
		places = append(places, rows[:max(0, min(n, len(rows)))]...)
	}
	return g.e.take(places)
}

// Tables returns an iterator over the groups: a row of the keys and the table of the group's rows.
//
//	for key, rows := range t.GroupBy("region").Tables() { fmt.Println(key.Text("region"), rows.Len()) }
func (g *Groups) Tables() iter.Seq2[Row, *Table] {
	keys := g.keys()
	return func(yield func(Row, *Table) bool) {
		for n := range g.Len() {
			if !yield(Row{keys, n, nil}, g.e.take(g.e.groups.rows(n))) {
				return
			}
		}
	}
}
