package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Join describes how rows of two tables belong together: those with equal values in the columns On.
// The methods of Table do for most joins:
//
//	sales.LeftJoin(shops, "shop=id")
//	table.Join{On: []string{"shop=id"}, Suffix: "_of_shop", Relation: table.ManyToOne}.Left(sales, shops)
//
// Missing keys are equal to nothing, as in SQL. NaN is equal to NaN, integers are equal to the same
// numbers, and times are equal if they are the same instant. Keys of other different types are an
// error. A row that has several partners occurs once with each.
//
// The result has the columns of the left table, then those of the right one without its keys. Its
// rows have the order of the left table, and rows with one left row that of the right table; rows
// of the right table without a partner are last. The methods panic for an unknown column and for no
// columns, and if a Relation does not hold; the message has the key and its rows.
type Join struct {
	// On are the columns of the keys. A column that has another name in the right table is written
	// left=right. The result has the left name.
	On []string
	// Suffix is appended to the names of columns of the right table that exist in the left one. By
	// default it is _right. It is an error if that name exists, too.
	Suffix string
	// NullsEqual makes missing keys equal to each other.
	NullsEqual bool
	// Relation states how often a key may occur.
	Relation Relation
}

// A Relation states how often a key may occur in the tables of a Join.
type Relation int

// The relations. Each is from the left table to the right one, so that no key occurs twice in the
// right table of ManyToOne. A missing key that is equal to nothing may occur several times.
const (
	ManyToMany Relation = iota // any number of times
	ManyToOne
	OneToMany
	OneToOne
)

// InnerJoin returns the pairs of rows with equal values in the columns, as Join describes. A column
// that has another name in the right table is written left=right.
func (t *Table) InnerJoin(right *Table, on ...string) *Table { return Join{On: on}.Inner(t, right) }

// LeftJoin is InnerJoin with the rows that have no partner on the right. Their values on the right
// are missing.
func (t *Table) LeftJoin(right *Table, on ...string) *Table { return Join{On: on}.Left(t, right) }

// RightJoin is InnerJoin with the rows of the right table that have no partner, which are last.
// Their values on the left are missing, except the keys.
func (t *Table) RightJoin(right *Table, on ...string) *Table { return Join{On: on}.Right(t, right) }

// FullJoin is LeftJoin with the rows of the right table that have no partner, which are last. Their
// values on the left are missing, except the keys.
func (t *Table) FullJoin(right *Table, on ...string) *Table { return Join{On: on}.Full(t, right) }

// SemiJoin returns the rows that have a partner on the right, each once, with the columns of t.
func (t *Table) SemiJoin(right *Table, on ...string) *Table { return Join{On: on}.Semi(t, right) }

// AntiJoin returns the rows that have no partner on the right, such as rows with a missing key,
// with the columns of t.
func (t *Table) AntiJoin(right *Table, on ...string) *Table { return Join{On: on}.Anti(t, right) }

// CrossJoin returns all pairs of rows. It panics for more than 100,000,000 pairs.
func (t *Table) CrossJoin(right *Table) *Table { return Join{}.Cross(t, right) }

// Inner returns the pairs of rows with equal keys.
func (j Join) Inner(left, right *Table) *Table { return j.join(left, right, false, false) }

// Left returns the pairs of rows with equal keys, and the rows of the left table without a partner.
func (j Join) Left(left, right *Table) *Table { return j.join(left, right, true, false) }

// Right returns the pairs of rows with equal keys, and then the rows of the right table without a
// partner.
func (j Join) Right(left, right *Table) *Table { return j.join(left, right, false, true) }

// Full returns the pairs of rows with equal keys, the rows of the left table without a partner, and
// then the rows of the right table without a partner.
func (j Join) Full(left, right *Table) *Table { return j.join(left, right, true, true) }

// Cross returns all pairs of rows. It panics if On is set, and for more than 100,000,000 pairs.
func (j Join) Cross(left, right *Table) *Table {
	if left == nil || right == nil {
		panic(errors.New("table: cross join: a table is nil"))
	}
	if len(j.On) > 0 {
		panic(fmt.Errorf("table: cross join: it has the keys %q, want none", j.On))
	}
	if right.height > 0 && left.height > maxMade/right.height {
		panic(fmt.Errorf("table: cross join: %d by %d rows are more than %d", left.height, right.height, maxMade))
	}
	lefts, rights := make([]int, 0, left.height*right.height), make([]int, 0, left.height*right.height)
	for i := range left.height {
		for at := range right.height {
			lefts, rights = append(lefts, i), append(rights, at)
		}
	}
	return (&matching{left: left, right: right}).beside(lefts, rights, j.Suffix, false)
}

// maxMade is the greatest number of rows of a table that does not have those of another one.
const maxMade = 100_000_000

// Semi returns the rows of the left table that have a partner, each once.
func (j Join) Semi(left, right *Table) *Table { return j.match(left, right).with(true) }

// Anti returns the rows of the left table that have no partner.
func (j Join) Anti(left, right *Table) *Table { return j.match(left, right).with(false) }

// A matching knows the partners of rows.
type matching struct {
	left, right         *Table
	leftKeys, rightKeys []string
	of                  []uint32 // the number of the key of each left row, 0 if it is equal to nothing
	starts, members     []int    // the rows of the right table with each number
}

// partners returns the partners of a row of the left table.
func (m *matching) partners(i int) []int {
	return m.members[m.starts[m.of[i]]:m.starts[m.of[i]+1]]
}

func (m *matching) with(partner bool) *Table {
	var places []int
	for i := range m.of {
		if len(m.partners(i)) > 0 == partner {
			places = append(places, i)
		}
	}
	return m.left.take(places)
}

// pairedColumns returns the names of the keys in both tables.
func pairedColumns(task string, left, right *Table, on []string) (leftKeys, rightKeys []string) {
	if left == nil || right == nil {
		panic(fmt.Errorf("table: %s: a table is nil", task))
	}
	for _, name := range on {
		a, b := name, name
		if before, after, ok := strings.Cut(name, "="); ok && !slices.Contains(left.columns, name) {
			a, b = before, after
		}
		for _, side := range []struct {
			of   *Table
			name string
		}{{left, a}, {right, b}} {
			if _, err := side.of.find(side.name); err != nil {
				panic(fmt.Errorf("%w, for the %s on %q", err, task, name))
			}
		}
		if slices.Contains(leftKeys, a) || slices.Contains(rightKeys, b) {
			panic(fmt.Errorf("table: %s: a column of %q occurs twice in it", task, on))
		}
		leftKeys, rightKeys = append(leftKeys, a), append(rightKeys, b)
	}
	return leftKeys, rightKeys
}

// numberKeys numbers the keys of both tables. A row whose key is equal to nothing has 0.
func numberKeys(task string, m *matching, nullsEqual bool) (left, right []uint32, last uint32) {
	a, b := make([]column, len(m.leftKeys)), make([]column, len(m.leftKeys))
	for k := range a {
		x, y := m.left.data[m.left.mustFind(m.leftKeys[k])], m.right.data[m.right.mustFind(m.rightKeys[k])]
		var ok bool
		if a[k], b[k], ok = unified(x, y); !ok {
			panic(fmt.Errorf("table: %s: column %q has type %s and %q of the right table %s", task, m.leftKeys[k], x.kind(), m.rightKeys[k], y.kind()))
		}
	}
	if len(a) == 0 {
		one := &numbering{}
		lists := one.number(allKnown(make([]bool, m.left.height)), allKnown(make([]bool, m.right.height)))
		return lists[0], lists[1], 1
	}
	nulls := [][]bool{make([]bool, m.left.height), make([]bool, m.right.height)}
	numbers, last := numberRows([][]column{a, b}, nulls)
	for t := range numbers {
		for i, null := range nulls[t] {
			if null && !nullsEqual {
				numbers[t][i] = 0
			}
		}
	}
	return numbers[0], numbers[1], last
}

func (j Join) match(left, right *Table) *matching {
	if len(j.On) == 0 {
		panic(errors.New("table: join: no columns"))
	}
	m := &matching{left: left, right: right}
	m.leftKeys, m.rightKeys = pairedColumns("join", left, right, j.On)
	of, numbers, last := numberKeys("join", m, j.NullsEqual)
	m.of, m.starts, m.members = of, make([]int, last+2), make([]int, right.height)
	for _, number := range numbers {
		if number > 0 {
			m.starts[number+1]++
		}
	}
	for n := range last + 1 {
		m.starts[n+1] += m.starts[n]
	}
	next := slices.Clone(m.starts)
	for i, number := range numbers {
		if number > 0 {
			m.members[next[number]] = i
			next[number]++
		}
	}
	if j.Relation == ManyToOne || j.Relation == OneToOne {
		checkUnique("right", right, m.rightKeys, numbers, last)
	}
	if j.Relation == OneToMany || j.Relation == OneToOne {
		checkUnique("left", left, m.leftKeys, of, last)
	}
	return m
}

// checkUnique panics if a key occurs twice.
func checkUnique(side string, t *Table, keys []string, numbers []uint32, last uint32) {
	first := make([]int, last+1)
	for i, number := range numbers {
		if number > 0 && first[number] > 0 {
			e := &evaluation{t, &grouping{keys: keys, first: []int{i}}}
			panic(fmt.Errorf("table: join: the key%s occurs in rows %d and %d of the %s table, want it once", strings.TrimPrefix(e.group(0), " in the group"), first[number]-1, i, side))
		}
		first[number] = i + 1
	}
}

// join returns the pairs, and rows without a partner of the left and of the right table.
func (j Join) join(left, right *Table, allLeft, allRight bool) *Table {
	m := j.match(left, right)
	total := 0
	for i := range m.of {
		total += max(len(m.partners(i)), 1)
		if total > math.MaxUint32 {
			panic(fmt.Errorf("table: join: more than %d rows, because keys of %q occur many times in both tables", math.MaxUint32, j.On))
		}
	}
	lefts, rights := make([]int, 0, total), make([]int, 0, total)
	if !allRight && m.isUnique() {
		lefts, rights = m.pairs(lefts, rights, allLeft)
		return m.beside(lefts, rights, j.Suffix, false)
	}
	joined := make([]bool, right.height)
	for i := range m.of {
		partners := m.partners(i)
		for _, at := range partners {
			lefts, rights, joined[at] = append(lefts, i), append(rights, at), true
		}
		if allLeft && len(partners) == 0 {
			lefts, rights = append(lefts, i), append(rights, -1)
		}
	}
	for i := 0; allRight && i < right.height; i++ {
		if !joined[i] {
			lefts, rights = append(lefts, -1), append(rights, i)
		}
	}
	return m.beside(lefts, rights, j.Suffix, allRight)
}

// isUnique reports whether each row of the left table has one partner at most.
func (m *matching) isUnique() bool {
	for n := range len(m.starts) - 1 {
		if m.starts[n+1]-m.starts[n] > 1 {
			return false
		}
	}
	return true
}

// pairs appends the pairs of rows if partners are unique, and rows without one if all is set.
func (m *matching) pairs(lefts, rights []int, all bool) (_, _ []int) {
	partner := make([]int, len(m.starts)-1) // by number
	for n := range partner {
		if partner[n] = -1; m.starts[n] < m.starts[n+1] {
			partner[n] = m.members[m.starts[n]]
		}
	}
	for i, number := range m.of {
		if at := partner[number]; at >= 0 || all {
			lefts, rights = append(lefts, i), append(rights, at)
		}
	}
	return lefts, rights
}

// isSame reports whether places are those of all rows in their order.
func isSame(places []int, height int) bool {
	if len(places) != height {
		return false
	}
	for i, at := range places {
		if at != i {
			return false
		}
	}
	return true
}

// beside returns the table of pairs of rows. The keys of rows without a left partner are those of
// the right one.
func (m *matching) beside(lefts, rights []int, suffix string, allRight bool) *Table {
	made := &Table{}
	var ofLeft []column
	if same := isSame(lefts, m.left.height); !same {
		ofLeft = takenColumns(m.left.data, lefts)
	} else {
		for _, c := range m.left.data {
			ofLeft = append(ofLeft, c.shared())
		}
	}
	for k, name := range m.left.columns {
		c := m.left.data[k]
		n := slices.Index(m.leftKeys, name)
		if n < 0 || !allRight {
			made.insert(name, ofLeft[k])
			continue
		}
		both, _ := joined(c, m.right.data[m.right.mustFind(m.rightKeys[n])])
		places := slices.Clone(lefts)
		for i, at := range places {
			if at < 0 {
				places[i] = m.left.height + rights[i]
			}
		}
		made.insert(name, both.take(places))
	}
	if suffix == "" {
		suffix = "_right"
	}
	var names []string
	var columns []column
	for k, name := range m.right.columns {
		if slices.Contains(m.rightKeys, name) {
			continue
		}
		free := name
		if slices.Contains(m.left.columns, name) {
			free += suffix
		}
		if slices.Contains(made.columns, free) || free != name && slices.Contains(m.right.columns, free) {
			panic(fmt.Errorf("table: join: column %q of the right table has no name in the result: %q exists: set Suffix", name, free))
		}
		names, columns = append(names, free), append(columns, m.right.data[k])
		if slices.Contains(names[:len(names)-1], free) {
			panic(fmt.Errorf("table: join: column %q of the right table has no name in the result: %q exists: set Suffix", name, free))
		}
	}
	for k, c := range takenColumns(columns, rights) {
		made.insert(names[k], c)
	}
	made.height = len(lefts)
	return made
}

// AsOf describes a join with the latest row of another table, such as the last price before a sale:
//
//	table.AsOf{On: "time", By: []string{"stock"}, Tolerance: time.Hour}.Join(sales, prices)
//
// Each row of the left table gets the row of the right one whose value in the column On is the
// greatest that is not above its own, or missing values if there is none. Equal values match, and
// the last of equal rows wins. Neither table has to be sorted; the rows of the left table keep
// their order. Missing values and NaN match nothing. Join panics for an unknown column, for types
// that differ or have no order, and for a clash of names, as Join describes.
type AsOf struct {
	// On is the column that is compared: of times, durations, integers or numbers. A column that has
	// another name in the right table is written left=right.
	On string
	// By are columns that have to be equal, as those of Join.
	By []string
	// Tolerance is the greatest distance: a time.Duration for times and durations, else a number. By
	// default there is none. A row at this distance matches.
	Tolerance any
	// Forward looks for the least value that is not below instead. The first of equal rows wins.
	Forward bool
	// Suffix is that of Join.
	Suffix string
}

// Join returns the rows of the left table with the columns of their partners.
func (a AsOf) Join(left, right *Table) *Table {
	m := &matching{left: left, right: right}
	m.leftKeys, m.rightKeys = pairedColumns("as-of join", left, right, append(slices.Clone(a.By), a.On))
	last := len(m.leftKeys) - 1
	onLeft, onRight := m.leftKeys[last], m.rightKeys[last]
	m.leftKeys, m.rightKeys = m.leftKeys[:last], m.rightKeys[:last]
	x, y, ok := unified(left.data[left.mustFind(onLeft)], right.data[right.mustFind(onRight)])
	switch x.kind() {
	case "int", "float64", "time.Time", "time.Duration":
	default:
		ok = ok && !slices.ContainsFunc(upTo(0, x.len()), x.known)
	}
	if !ok {
		panic(fmt.Errorf("table: as-of join: column %q has type %s and %q of the right table %s, want times, durations, integers or numbers in both",
			onLeft, left.data[left.mustFind(onLeft)].kind(), onRight, right.data[right.mustFind(onRight)].kind()))
	}
	of, numbers, most := numberKeys("as-of join", m, false)
	both := x.followed(y)
	within := a.distance(both, onLeft)
	groups := make([][]int, most+1)
	for i, number := range numbers {
		if at := left.height + i; number > 0 && both.known(at) && !isNaN(both, at) {
			groups[number] = append(groups[number], at)
		}
	}
	for _, group := range groups {
		slices.SortStableFunc(group, both.compare)
	}
	lefts, rights := upTo(0, left.height), nowhere(left.height)
	for i, number := range of {
		if number == 0 || !both.known(i) || isNaN(both, i) {
			continue
		}
		group := groups[number]
		n, _ := slices.BinarySearchFunc(group, i, func(at, i int) int {
			if way := both.compare(at, i); way != 0 || a.Forward {
				return way
			}
			return -1 // so that n follows the equal rows
		})
		if !a.Forward {
			n--
		}
		if n >= 0 && n < len(group) && within(i, group[n]) {
			rights[i] = group[n] - left.height
		}
	}
	// The keys and the column On are those of the left table.
	m.rightKeys = append(slices.Clone(m.rightKeys), onRight)
	if onLeft != onRight {
		m.rightKeys = m.rightKeys[:last]
	}
	return m.beside(lefts, rights, a.Suffix, false)
}

func isNaN(c column, i int) bool {
	floats, ok := c.(*values[float64])
	return ok && math.IsNaN(floats.list[i])
}

// distance returns the function that compares the distance of two values with the tolerance.
func (a AsOf) distance(c column, name string) func(i, j int) bool {
	span, isSpan := a.Tolerance.(time.Duration)
	most, isNumber := number(a.Tolerance)
	if a.Tolerance == nil {
		return func(int, int) bool { return true }
	}
	switch c := c.(type) {
	case *values[time.Time]:
		if isSpan && span >= 0 {
			return func(i, j int) bool {
				early, late := c.list[i], c.list[j]
				if late.Before(early) {
					early, late = late, early
				}
				return !late.After(early.Add(span))
			}
		}
	case *values[time.Duration]:
		if isSpan && span >= 0 {
			return func(i, j int) bool { return (c.list[i] - c.list[j]).Abs() <= span }
		}
	case *values[int]:
		if isNumber && most >= 0 {
			return func(i, j int) bool { return math.Abs(float64(c.list[i])-float64(c.list[j])) <= most }
		}
	case *values[float64]:
		if isNumber && most >= 0 {
			return func(i, j int) bool { return math.Abs(c.list[i]-c.list[j]) <= most }
		}
	}
	panic(fmt.Errorf("table: as-of join: column %q has type %s, and the tolerance is %v (%T)", name, c.kind(), a.Tolerance, a.Tolerance))
}
