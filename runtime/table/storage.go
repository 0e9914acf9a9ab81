package table

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A bitmap has one bit for each value of a column, which is set if the value is known.
type bitmap []uint64

func (b bitmap) get(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// full reports whether the first n bits are set.
func (b bitmap) full(n int) bool {
	for _, word := range b[:n/64] {
		if word != math.MaxUint64 {
			return false
		}
	}
	return n%64 == 0 || ^b[n/64]&(1<<(n%64)-1) == 0
}

func (b *bitmap) add(i int, known bool) {
	if i/64 == len(*b) {
		*b = append(*b, 0)
	}
	if known {
		(*b)[i/64] |= 1 << (i % 64)
	} else {
		(*b)[i/64] &^= 1 << (i % 64)
	}
}

// A column holds the values of one column.
type column interface {
	kind() string
	len() int
	known(i int) bool
	at(i int) any // nil if the value is missing
	// add appends a value, or a missing one for nil. It returns false if the column cannot hold it.
	add(value any) bool
	// take returns the values at the given places in a new column.
	take(places []int) column
	// shared returns a column with the same values. Values appended to one are not in the other.
	shared() column
	compare(i, j int) int // of two known values
	// followed returns a column with the values of other columns of the type at its end.
	followed(by ...column) column
}

// values is a column of one type. The value at a missing place is the zero value.
type values[T any] struct {
	list  []T
	valid bitmap
	order func(a, b T) int
	set   *categorySet // of a column of categories, or nil if no value is known
}

func (c *values[T]) kind() string {
	switch kind := reflect.TypeFor[T](); kind.Kind() {
	case reflect.Interface:
		return "any"
	default:
		return kind.String()
	}
}

func (c *values[T]) len() int         { return len(c.list) }
func (c *values[T]) known(i int) bool { return c.valid.get(i) }

func (c *values[T]) at(i int) any {
	if !c.valid.get(i) {
		return nil
	}
	return c.list[i]
}

func (c *values[T]) add(value any) bool {
	typed, ok := value.(T)
	if !ok && value != nil {
		return false
	}
	if category, ok := value.(Category); ok && reflect.TypeFor[T]() == reflect.TypeFor[Category]() {
		if category.of == nil || !sameCategories(c.set, category.of) {
			return false
		}
		c.set = cmp.Or(c.set, category.of)
	}
	c.valid.add(len(c.list), value != nil)
	c.list = append(c.list, typed)
	return true
}

func (c *values[T]) take(places []int) column {
	taken := &values[T]{list: make([]T, len(places)), valid: make(bitmap, (len(places)+63)/64), order: c.order, set: c.set}
	if c.valid.full(len(c.list)) {
		for w := range taken.valid {
			taken.valid[w] = math.MaxUint64
		}
		if rest := len(places) % 64; rest > 0 {
			taken.valid[len(taken.valid)-1] = 1<<rest - 1
		}
		for to, from := range places {
			if from >= 0 {
				taken.list[to] = c.list[from]
			} else {
				taken.valid[to/64] &^= 1 << (to % 64)
			}
		}
		return taken
	}
	for to, from := range places {
		if from >= 0 && c.valid.get(from) {
			taken.list[to] = c.list[from]
			taken.valid[to/64] |= 1 << (to % 64)
		}
	}
	return taken
}

func (c *values[T]) shared() column {
	return &values[T]{list: slices.Clip(c.list), valid: slices.Clone(c.valid), order: c.order, set: c.set}
}

func (c *values[T]) compare(i, j int) int { return c.order(c.list[i], c.list[j]) }

func (c *values[T]) followed(by ...column) column {
	lists := [][]T{c.list}
	for _, end := range by {
		lists = append(lists, end.(*values[T]).list)
	}
	all := &values[T]{list: slices.Concat(lists...), valid: slices.Clone(c.valid), order: c.order, set: c.set}
	n := c.len()
	for _, end := range by {
		all.set = cmp.Or(all.set, end.(*values[T]).set)
		for i := range end.len() {
			all.valid.add(n, end.known(i))
			n++
		}
	}
	return all
}

// compareFloats orders NaN after all numbers.
func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return -cmp.Compare(a, b)
	}
	return cmp.Compare(a, b)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareAny orders values of several types: numbers and times by value, everything else by its
// text.
func compareAny(a, b any) int {
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			return compareFloats(x, y)
		}
	}
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// unknown is a column without known values, which has no type yet.
type unknown int

func (c *unknown) kind() string             { return "any" }
func (c *unknown) len() int                 { return int(*c) }
func (c *unknown) known(int) bool           { return false }
func (c *unknown) at(int) any               { return nil }
func (c *unknown) take(places []int) column { return new(unknown(len(places))) }
func (c *unknown) shared() column           { return new(*c) }
func (c *unknown) compare(int, int) int     { return 0 }

func (c *unknown) followed(by ...column) column {
	n := *c
	for _, end := range by {
		n += *end.(*unknown)
	}
	return &n
}

func (c *unknown) add(value any) bool {
	if value == nil {
		*c++
	}
	return value == nil
}

// empty returns an empty column of the type of a value.
func empty(of any) column {
	switch of.(type) {
	case int:
		return &values[int]{order: cmp.Compare[int]}
	case float64:
		return &values[float64]{order: compareFloats}
	case bool:
		return &values[bool]{order: compareBools}
	case string:
		return &values[string]{order: strings.Compare}
	case time.Time:
		return &values[time.Time]{order: time.Time.Compare}
	case time.Duration:
		return &values[time.Duration]{order: cmp.Compare[time.Duration]}
	case Category:
		return &values[Category]{order: func(a, b Category) int { return a.code - b.code }}
	}
	return &values[any]{order: compareAny}
}

// appended returns the column with one more value. The column gets the type of its first known
// value. A column of whole numbers becomes one of float64 if that changes no number. If the types
// of two values have no common one, the column holds values of any type.
func appended(c column, value any) column {
	value = plain(value)
	if c.add(value) {
		return c
	}
	wider := empty(nil)
	switch old := c.(type) {
	case *unknown:
		wider = empty(value)
	case *values[int]:
		if _, ok := value.(float64); ok && !slices.ContainsFunc(old.list, func(n int) bool { return !exact(n) }) {
			wider = empty(value)
		}
	case *values[float64]:
		if n, ok := value.(int); ok && exact(n) {
			c.add(float64(n))
			return c
		}
	}
	for i := range c.len() {
		old := c.at(i)
		if n, ok := old.(int); ok && wider.kind() == "float64" {
			old = float64(n)
		}
		wider.add(old)
	}
	wider.add(value)
	return wider
}

// unified returns two columns as columns of one type: integers are numbers among numbers,
// categories are text beside text and beside other categories, and values of one type are values of
// any type among others. It returns false if there is no common type.
func unified(a, b column) (x, y column, ok bool) {
	if _, ok := a.(*unknown); ok {
		return b.take(nowhere(a.len())), b, true
	}
	if _, ok := b.(*unknown); ok {
		return a, a.take(nowhere(b.len())), true
	}
	p, categories := a.(*values[Category])
	q, both := b.(*values[Category])
	if a.kind() == b.kind() && (!both || sameCategories(p.set, q.set)) {
		return a, b, true
	}
	to := column(nil)
	switch {
	case a.kind() == "float64" && b.kind() == "int", b.kind() == "float64" && a.kind() == "int":
		to = empty(0.0)
	case a.kind() == "any" || b.kind() == "any":
		to = empty(nil)
	case categories && (both || b.kind() == "string"), both && a.kind() == "string":
		return texts(a), texts(b), true
	default:
		return a, b, false
	}
	x, fits := converted(a, to)
	y, ok = converted(b, to)
	return x, y, fits && ok
}

// converted returns a column as one of the type of another, which holds any value or float64. It
// returns false for an integer that float64 does not hold.
func converted(c, to column) (column, bool) {
	if c.kind() == to.kind() {
		return c, true
	}
	if integers, ok := c.(*values[int]); ok && to.kind() == "float64" {
		for _, n := range integers.list {
			if !exact(n) {
				return c, false
			}
		}
		return &values[float64]{list: toFloats(integers.list), valid: slices.Clone(integers.valid), order: compareFloats}, true
	}
	wide := &values[any]{order: compareAny}
	for i := range c.len() {
		wide.add(c.at(i))
	}
	return wide, true
}

// joined returns a column of the values of two columns, which have a common type.
func joined(a, b column) (column, bool) {
	x, y, ok := unified(a, b)
	if !ok {
		return nil, false
	}
	return x.followed(y), true
}

// nowhere returns n places of missing values.
func nowhere(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = -1
	}
	return places
}

// exact reports whether float64 holds all whole numbers up to n.
func exact(n int) bool { return -1<<53 <= n && n <= 1<<53 }

// plain converts a whole number of a predeclared type to int if it fits.
func plain(value any) any {
	switch value := value.(type) {
	case int8:
		return int(value)
	case int16:
		return int(value)
	case int32:
		return int(value)
	case int64:
		if int64(int(value)) == value {
			return int(value)
		}
	case uint8:
		return int(value)
	case uint16:
		return int(value)
	case uint32:
		if int64(int(value)) == int64(value) {
			return int(value)
		}
	case uint:
		if value <= math.MaxInt {
			return int(value)
		}
	case uint64:
		if value <= math.MaxInt {
			return int(value)
		}
	}
	return value
}
