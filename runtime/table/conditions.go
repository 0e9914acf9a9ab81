package table

import (
	"errors"
	"fmt"
	"slices"
)

// Filter returns the rows for which all conditions are true. A condition of a missing value is
// missing, which is not true: Ne("x", "b") keeps no row whose x is missing. IsNull, NotNull and
// EqMissing ask for missing values. Filter panics for an expression without truth values, for an
// unknown column, and for a value of another type than its column.
//
//	t.Filter(table.Ge("age", 18), table.In("city", "Paris", "Rome"))
func (t *Table) Filter(conditions ...Expr) *Table {
	e := &evaluation{t, t.whole()}
	keep := make([]truth, len(conditions))
	for n, x := range conditions {
		keep[n] = x.truth(e, "Filter")
	}
	var places []int
	for i := range t.height {
		if !slices.ContainsFunc(keep, func(c truth) bool { return !c.known(i) || !c.list[i] }) {
			places = append(places, i)
		}
	}
	return t.take(places)
}

// truth is a column of truth values.
type truth = *values[bool]

// truth returns the truth values of an expression.
func (x Expr) truth(e *evaluation, task string) truth {
	c := x.rowwise(e)
	if _, ok := c.(*unknown); ok {
		c = empty(false).take(nowhere(c.len()))
	}
	truths, ok := c.(truth)
	if !ok {
		panic(fmt.Errorf("table: %s: the expression %q has type %s, want bool", task, x.name, c.kind()))
	}
	return truths
}

// relation returns the condition that a column has a relation to a value. The function gets the
// order of the two, below, equal or above 0; NaN has no order, and unordered is the result.
func relation(of, name string, value any, holds func(order int) bool, unordered bool) Expr {
	return Expr{name: of + "_" + name, eval: func(e *evaluation) column {
		a, b := e.column(of), e.operand(of, name, value)
		if b, text := b.(*values[string]); text {
			if c, ok := a.(*values[Category]); ok && c.set != nil {
				return relatedByOrder(a, c.set.categories(of, name, b), holds)
			}
		}
		x, y, ok := unified(a, b)
		if _, other := b.(*values[any]); !ok || other && a.kind() != "any" {
			panic(fmt.Errorf("table: %s: column %q has type %s, which is not compared with %s", name, of, a.kind(), operandText(value, b)))
		}
		switch x := x.(type) {
		case *values[int]:
			return related(x, y, holds, unordered)
		case *values[float64]:
			return related(x, y, holds, unordered)
		case *values[string]:
			return related(x, y, holds, unordered)
		}
		return relatedByOrder(x, y, holds)
	}}
}

// operand returns the column of an expression, or a column of one value.
func (e *evaluation) operand(of, name string, value any) column {
	switch value := value.(type) {
	case Expr:
		return value.rowwise(e)
	case nil:
		panic(fmt.Errorf("table: %s: column %q is compared with nil, which gives no row: use IsNull", name, of))
	}
	return appended(new(unknown), value)
}

func operandText(value any, c column) string {
	if x, ok := value.(Expr); ok {
		return fmt.Sprintf("%q of type %s", x.name, c.kind())
	}
	return fmt.Sprintf("%#v of type %s", value, c.kind())
}

func related[T int | float64 | string](x *values[T], other column, holds func(order int) bool, unordered bool) column {
	y := other.(*values[T])
	below, equal, above := holds(-1), holds(0), holds(1)
	list, j := make([]bool, len(x.list)), 0
	single := len(y.list) == 1 && len(x.list) != 1
	for i, a := range x.list {
		if !single {
			j = i
		}
		switch b := y.list[j]; {
		case a < b:
			list[i] = below
		case a == b:
			list[i] = equal
		case a > b:
			list[i] = above
		default:
			list[i] = unordered
		}
	}
	return someKnown(list, func(i int) bool { return x.valid.get(i) && y.valid.get(min(i, len(y.list)-1)) })
}

// relatedByOrder is related for the types without operators.
func relatedByOrder(x, y column, holds func(order int) bool) column {
	both := x.followed(y)
	list := make([]bool, x.len())
	other := func(i int) int { return x.len() + min(i, y.len()-1) }
	known := func(i int) bool { return both.known(i) && both.known(other(i)) }
	for i := range list {
		list[i] = known(i) && holds(both.compare(i, other(i)))
	}
	return someKnown(list, known)
}

// Eq is the condition that the values of a column are equal to a value, or to those of an Expr such
// as Col. It is missing for missing values. NaN is equal to nothing, and times are equal if they
// are the same instant. A value of another type is an error, except for numbers; so is nil. The
// column of a condition has the name of its column and its function, as in price_eq.
func Eq(column string, value any) Expr {
	return relation(column, "eq", value, func(order int) bool { return order == 0 }, false)
}

// Ne is the condition that the values of a column differ from a value, as Eq describes. It is
// missing for missing values and true for NaN.
func Ne(column string, value any) Expr {
	return relation(column, "ne", value, func(order int) bool { return order != 0 }, true)
}

// Lt is the condition that the values of a column are less than a value, as Eq describes, in the
// order of Sort. It is missing for missing values and false for NaN.
func Lt(column string, value any) Expr {
	return relation(column, "lt", value, func(order int) bool { return order < 0 }, false)
}

// Le is the condition that the values of a column are less than or equal to a value, as Eq
// describes, in the order of Sort. It is missing for missing values and false for NaN.
func Le(column string, value any) Expr {
	return relation(column, "le", value, func(order int) bool { return order <= 0 }, false)
}

// Gt is the condition that the values of a column are greater than a value, as Eq describes, in the
// order of Sort. It is missing for missing values and false for NaN.
func Gt(column string, value any) Expr {
	return relation(column, "gt", value, func(order int) bool { return order > 0 }, false)
}

// Ge is the condition that the values of a column are greater than or equal to a value, as Eq
// describes, in the order of Sort. It is missing for missing values and false for NaN.
func Ge(column string, value any) Expr {
	return relation(column, "ge", value, func(order int) bool { return order >= 0 }, false)
}

// EqMissing is the condition that the values of a column are equal to a value, where a missing
// value is equal to a missing one or to nil and to nothing else. It is never missing.
func EqMissing(column string, value any) Expr {
	if value == nil {
		return IsNull(column)
	}
	equal := Eq(column, value)
	return Expr{name: column + "_eq_missing", eval: func(e *evaluation) column_ {
		truths := equal.truth(e, "EqMissing")
		x, y := e.column(column), e.operand(column, "EqMissing", value)
		list := make([]bool, e.height)
		for i := range list {
			list[i] = truths.known(i) && truths.list[i] || !x.known(i) && !y.known(min(i, y.len()-1))
		}
		return allKnown(list)
	}}
}

// In is the condition that the values of a column are among some values, as Eq describes. It is
// missing for missing values.
func In(column string, values ...any) Expr {
	return Expr{name: column + "_in", eval: func(e *evaluation) column_ {
		of := e.column(column)
		list := make([]bool, e.height)
		for _, value := range values {
			for i, is := range Eq(column, value).truth(e, "In").list {
				list[i] = list[i] || is
			}
		}
		return someKnown(list, of.known)
	}}
}

// IsNull is the condition that the values of a column are missing. It is never missing.
func IsNull(column string) Expr { return knownExpr(column, "is_null", false) }

// NotNull is the condition that the values of a column are known. It is never missing.
func NotNull(column string) Expr { return knownExpr(column, "not_null", true) }

func knownExpr(of, name string, known bool) Expr {
	return Expr{name: of + "_" + name, eval: func(e *evaluation) column {
		c, list := e.column(of), make([]bool, e.height)
		for i := range list {
			list[i] = c.known(i) == known
		}
		return allKnown(list)
	}}
}

// And is the condition that all conditions are true: false if one is false, else missing if one is
// missing. Its column is named and.
func And(conditions ...Expr) Expr { return decided("and", false, conditions) }

// Or is the condition that a condition is true: true if one is true, else missing if one is
// missing. Its column is named or.
func Or(conditions ...Expr) Expr { return decided("or", true, conditions) }

// decided returns the condition whose value one condition with the given value decides.
func decided(name string, by bool, conditions []Expr) Expr {
	if len(conditions) == 0 {
		panic(errors.New("table: " + name + ": no conditions"))
	}
	return Expr{name: name, eval: func(e *evaluation) column {
		list, unsure := make([]bool, e.height), make([]bool, e.height)
		for i := range list {
			list[i] = !by
		}
		for _, x := range conditions {
			c := x.truth(e, name)
			for i := range list {
				switch {
				case !c.known(i):
					unsure[i] = true
				case c.list[i] == by:
					list[i] = by
				}
			}
		}
		return someKnown(list, func(i int) bool { return list[i] == by || !unsure[i] })
	}}
}

// Not is the opposite of a condition, and missing where the condition is. Its column is named not.
func Not(condition Expr) Expr {
	return Expr{name: "not", eval: func(e *evaluation) column {
		c := condition.truth(e, "not")
		list := make([]bool, e.height)
		for i := range list {
			list[i] = !c.list[i]
		}
		return someKnown(list, c.known)
	}}
}
