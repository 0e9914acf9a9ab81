package table

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"time"

	"gosphere/runtime/table/internal/hashing"
)

// A numbering gives equal values equal numbers, from 1 in order of first appearance.
type numbering struct {
	last uint32 // the greatest number so far
	null uint32 // the number of missing values, or 0 if none occurred
}

func (n *numbering) next() uint32 {
	n.last++
	return n.last
}

func (n *numbering) missing() uint32 {
	if n.null == 0 {
		n.null = n.next()
	}
	return n.null
}

// number returns a list of numbers for each column. All columns have the same type.
func (n *numbering) number(columns ...column) [][]uint32 {
	total := 0
	for _, c := range columns {
		total += c.len()
	}
	if total >= math.MaxUint32 {
		panic(errors.New("table: more than 4294967294 rows to group or join"))
	}
	switch columns[0].(type) {
	case *values[int]:
		return numberAll(n, columns, integerNumber[int](n, columns, total))
	case *values[time.Duration]:
		return numberAll(n, columns, integerNumber[time.Duration](n, columns, total))
	case *values[float64]:
		h := hashing.New(&n.last)
		return numberAll(n, columns, func(x float64) uint32 { return h.Number(floatKey(x)) })
	case *values[bool]:
		var of [2]uint32
		return numberAll(n, columns, func(b bool) uint32 {
			at := &of[0]
			if b {
				at = &of[1]
			}
			if *at == 0 {
				*at = n.next()
			}
			return *at
		})
	case *values[string]:
		return numberAll(n, columns, mapped(n, func(s string) string { return s }))
	case *values[time.Time]:
		return numberAll(n, columns, mapped(n, instantOf))
	case *values[Category]:
		return numberAll(n, columns, mapped(n, func(c Category) int { return c.code }))
	case *values[any]:
		return numberAll(n, columns, mapped(n, anyKey))
	}
	return numberAll[any](n, columns, nil)
}

// numberAll numbers the values of columns of one type by a function, and missing values by n.
func numberAll[T any](n *numbering, columns []column, number func(T) uint32) [][]uint32 {
	lists := make([][]uint32, len(columns))
	for l, c := range columns {
		list := make([]uint32, c.len())
		typed, ok := c.(*values[T])
		for i := range list {
			if ok && typed.valid.get(i) {
				list[i] = number(typed.list[i])
			} else {
				list[i] = n.missing()
			}
		}
		lists[l] = list
	}
	return lists
}

// mapped returns a function that numbers values by a key.
func mapped[T any, K comparable](n *numbering, key func(T) K) func(T) uint32 {
	numbers := map[K]uint32{}
	return func(value T) uint32 {
		k := key(value)
		number, ok := numbers[k]
		if !ok {
			number = n.next()
			numbers[k] = number
		}
		return number
	}
}

// integerNumber returns a function that numbers integers: by a list if they lie close together,
// else by a hash table.
func integerNumber[T int | time.Duration](n *numbering, columns []column, total int) func(T) uint32 {
	low, high := T(math.MaxInt64), T(math.MinInt64)
	for _, c := range columns {
		typed, ok := c.(*values[T])
		for i := 0; ok && i < len(typed.list); i++ {
			if typed.valid.get(i) {
				low, high = min(low, typed.list[i]), max(high, typed.list[i])
			}
		}
	}
	if low > high || uint64(high)-uint64(low) >= uint64(2*total+1024) {
		h := hashing.New(&n.last)
		return func(value T) uint32 { return h.Number(uint64(value)) }
	}
	numbers := make([]uint32, high-low+1)
	return func(value T) uint32 {
		at := &numbers[value-low]
		if *at == 0 {
			*at = n.next()
		}
		return *at
	}
}

// floatKey returns the bits of a number. All NaN have one key, and so have 0 and -0.
func floatKey(x float64) uint64 {
	switch {
	case x == 0:
		return 0
	case math.IsNaN(x):
		return math.MaxUint64
	}
	return math.Float64bits(x)
}

// An instant is a time without its zone.
type instant struct {
	second int64
	nano   int
}

func instantOf(t time.Time) instant { return instant{t.Unix(), t.Nanosecond()} }

// anyKey returns a key that equal values of any type share. Numbers of all types are equal if they
// have one value.
func anyKey(value any) any {
	type text string
	if x, ok := number(value); ok && !(math.Abs(x) > 1<<53) { // also NaN
		return floatKey(x)
	}
	if t, ok := value.(time.Time); ok {
		return instantOf(t)
	}
	if v := reflect.ValueOf(value); v.Comparable() {
		return value
	}
	return text(fmt.Sprintf("%T %#v", value, value))
}

// numberRows numbers the rows of several tables by columns: equal rows have equal numbers. The
// columns are given for each table. If nulls is not nil, rows with a missing value are marked
// there.
func numberRows(tables [][]column, nulls [][]bool) (numbers [][]uint32, last uint32) {
	c := combination{keys: make([][]uint64, len(tables)), size: 1}
	for k := range tables[0] {
		parts := make([]column, len(tables))
		for t := range tables {
			parts[t] = tables[t][k]
		}
		n := &numbering{}
		lists := n.number(parts...)
		for t := range nulls {
			for i, number := range lists[t] {
				if number == n.null && n.null != 0 {
					nulls[t][i] = true
				}
			}
		}
		if len(tables[0]) == 1 {
			return lists, n.last
		}
		c.add(lists, n.last)
	}
	return c.numbers()
}

// A combination has the numbers of several columns as one key for each row, as the digits of a
// number whose base is one more than the greatest number of the column.
type combination struct {
	keys [][]uint64 // by table; nil before the first column
	size uint64     // all keys are below it
}

// add adds a column. Where the keys would not fit in 64 bits they are numbered first.
func (c *combination) add(lists [][]uint32, last uint32) {
	base := uint64(last) + 1
	if over, _ := bits.Mul64(c.size, base); over != 0 {
		numbers, last := c.numbers()
		c.keys, c.size = make([][]uint64, len(lists)), 1
		c.add(numbers, last)
	}
	for t, list := range lists {
		if c.keys[t] == nil {
			c.keys[t] = make([]uint64, len(list))
		}
		keys := c.keys[t]
		for i, number := range list {
			keys[i] = keys[i]*base + uint64(number)
		}
	}
	c.size *= base
}

// numbers numbers the keys in order of first appearance: by a list if there can be few, else by a
// hash table.
func (c *combination) numbers() (numbers [][]uint32, last uint32) {
	total := 0
	for _, keys := range c.keys {
		total += len(keys)
	}
	if total >= math.MaxUint32 {
		panic(errors.New("table: more than 4294967294 rows to group or join"))
	}
	numbers = make([][]uint32, len(c.keys))
	var few []uint32
	var many *hashing.Table
	if c.size <= uint64(total)+1024 {
		few = make([]uint32, c.size)
	} else {
		many = hashing.Sized(&last, total/4)
	}
	for t, keys := range c.keys {
		numbers[t] = make([]uint32, len(keys))
		for i, key := range keys {
			if few == nil {
				numbers[t][i] = many.Number(key)
				continue
			}
			if few[key] == 0 {
				last++
				few[key] = last
			}
			numbers[t][i] = few[key]
		}
	}
	return numbers, last
}

// grouping divides rows into groups, which have the order of their first rows.
type grouping struct {
	keys    []string // the columns of the keys, for errors
	of      []uint32 // the group of each row, from 0
	first   []int    // the first row of each group
	starts  []int    // where the rows of each group begin in members, once members was called
	members []int    // the rows, in order within each group
}

// grouped groups the rows of a table by columns.
func (t *Table) grouped(columns []string) *grouping {
	keys := make([]column, len(columns))
	for k, name := range columns {
		keys[k] = t.data[t.mustFind(name)]
	}
	numbers, last := numberRows([][]column{keys}, nil)
	g := &grouping{keys: columns, of: numbers[0], first: make([]int, 0, last)}
	for i, number := range g.of {
		if int(number) > len(g.first) {
			g.first = append(g.first, i)
		}
		g.of[i] = number - 1
	}
	return g
}

// whole is the grouping of all rows in one group, also if there are none.
func (t *Table) whole() *grouping {
	return &grouping{of: make([]uint32, t.height), first: []int{0}}
}

func (g *grouping) len() int { return len(g.first) }

// rows returns the rows of group n.
func (g *grouping) rows(n int) []int {
	if g.starts == nil {
		g.starts, g.members = make([]int, g.len()+1), make([]int, len(g.of))
		for _, group := range g.of {
			g.starts[group+1]++
		}
		for n := range g.len() {
			g.starts[n+1] += g.starts[n]
		}
		next := append([]int(nil), g.starts...)
		for i, group := range g.of {
			g.members[next[group]] = i
			next[group]++
		}
	}
	return g.members[g.starts[n]:g.starts[n+1]]
}
