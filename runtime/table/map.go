package table

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Map is the column of the results of a function of each known value; missing values stay missing
// and do not reach the function. The function has one parameter, of the type of the column, and
// returns a value, or a value and an error, such as strings.ToUpper, strconv.Atoi, math.Sqrt,
// time.Time.Year or a function of a cell. An error and a value of another type than the parameter
// are an error that names column, row and value. Integers are numbers for a parameter of type
// float64. The column has the name of the argument column.
//
//	t.WithColumns(table.Map("name", strings.TrimSpace), table.Map("date", time.Time.Year).As("year"))
func Map(column string, f any) Expr {
	v := reflect.ValueOf(f)
	if f == nil || v.Kind() != reflect.Func || v.IsNil() || v.Type().IsVariadic() || v.Type().NumIn() != 1 || v.Type().NumOut() < 1 || v.Type().NumOut() > 2 ||
		v.Type().NumOut() == 2 && v.Type().Out(1) != reflect.TypeFor[error]() {
		panic(fmt.Errorf("table: Map: column %q: got %T, want a function of one value that returns a value, or a value and an error", column, f))
	}
	return Expr{name: column, eval: func(e *evaluation) column_ {
		k := e.mustFind(column)
		switch f := f.(type) {
		case func(string) string:
			return applied(e, k, f)
		case func(string) int:
			return applied(e, k, f)
		case func(string) float64:
			return applied(e, k, f)
		case func(string) bool:
			return applied(e, k, f)
		case func(float64) float64:
			return applied(e, k, f)
		case func(float64) string:
			return applied(e, k, f)
		case func(float64) bool:
			return applied(e, k, f)
		case func(int) int:
			return applied(e, k, f)
		case func(int) float64:
			return applied(e, k, f)
		case func(int) string:
			return applied(e, k, f)
		case func(int) bool:
			return applied(e, k, f)
		case func(time.Time) time.Time:
			return applied(e, k, f)
		case func(string) (time.Time, error):
			return appliedOrError(e, k, f)
		case func(string) (int, error):
			return appliedOrError(e, k, f)
		case func(string) (float64, error):
			return appliedOrError(e, k, f)
		case func(time.Time) (time.Time, error):
			return appliedOrError(e, k, f)
		case func(time.Time) int:
			return applied(e, k, f)
		case func(time.Time) string:
			return applied(e, k, f)
		case func(time.Duration) float64:
			return applied(e, k, f)
		}
		return appliedAny(e, k, v)
	}}
}

// applied calls a function for the known values of a column.
func applied[T, U any](e *evaluation, k int, f func(T) U) column {
	c := typed[T](e, k)
	list := make([]U, e.height)
	for i, value := range c.list {
		if c.valid.get(i) {
			list[i] = f(value)
		}
	}
	return someKnown(list, c.known)
}

func appliedOrError[T, U any](e *evaluation, k int, f func(T) (U, error)) column {
	at := 0
	return applied(e, k, func(value T) U {
		for !e.data[k].known(at) {
			at++
		}
		result, err := f(value)
		if err != nil {
			panic(mapError(e, k, at, err))
		}
		at++
		return result
	})
}

func mapError(e *evaluation, k, i int, err error) error {
	return fmt.Errorf("table: column %q, row %d: %#v: %w", e.columns[k], i, e.data[k].at(i), err)
}

// typed returns a column as one of type T. It panics if it is of another type, and names its first
// known value.
func typed[T any](e *evaluation, k int) *values[T] {
	var zero T
	c, _, _ := unified(e.data[k], empty(zero))
	if c, ok := c.(*values[T]); ok {
		return c
	}
	e.refuse(k, "a value of type "+reflect.TypeFor[T]().String())
	panic(fmt.Errorf("table: column %q has type %s, want %v", e.columns[k], e.data[k].kind(), reflect.TypeFor[T]()))
}

// appliedAny is applied for functions of other types.
func appliedAny(e *evaluation, k int, f reflect.Value) column {
	parameter, result := f.Type().In(0), f.Type().Out(0)
	c := column(new(unknown))
	if result.Kind() != reflect.Interface {
		c = empty(plain(reflect.Zero(result).Interface()))
	}
	for i := range e.height {
		if !e.data[k].known(i) {
			c = appended(c, nil)
			continue
		}
		argument := reflect.New(parameter).Elem()
		if err := assign(argument, e.data[k].at(i)); errors.Is(err, errFit) {
			panic(e.mismatch(i, k, "a value of type "+parameter.String()))
		} else if err != nil {
			panic(mapError(e, k, i, err))
		}
		results := f.Call([]reflect.Value{argument})
		if len(results) == 2 && !results[1].IsNil() {
			err := results[1].Interface().(error)
			panic(mapError(e, k, i, err))
		}
		c = consistent("Map", e.columns[k], c, i, results[0].Interface())
	}
	return c
}

// FillForward is a column whose missing values are replaced by the last known value above them.
// Values before the first known one stay missing.
func FillForward(column string) Expr {
	return Expr{name: column, eval: func(e *evaluation) column_ { return filled(e, column, false) }}
}

// FillBackward is a column whose missing values are replaced by the next known value below them.
// Values after the last known one stay missing.
func FillBackward(column string) Expr {
	return Expr{name: column, eval: func(e *evaluation) column_ { return filled(e, column, true) }}
}

func filled(e *evaluation, name string, backward bool) column {
	c := e.column(name)
	latest, places := e.places(), make([]int, e.height)
	for n := range places {
		i := n
		if backward {
			i = len(places) - 1 - n
		}
		if c.known(i) {
			latest[e.groups.of[i]] = i
		}
		places[i] = latest[e.groups.of[i]]
	}
	return c.take(places)
}

// Coalesce is the column of the first known value of each row in some columns, which have one type.
// It has the name of the first column, and panics without a column.
func Coalesce(columns ...string) Expr {
	if len(columns) == 0 {
		panic(errors.New("table: Coalesce: no columns"))
	}
	return Expr{name: columns[0], eval: func(e *evaluation) column {
		all := e.column(columns[0])
		for _, name := range columns[1:] {
			both, ok := joined(all, e.column(name))
			if !ok {
				panic(fmt.Errorf("table: Coalesce: columns %q have no common type: %q has type %s", strings.Join(columns, ", "), name, e.column(name).kind()))
			}
			all = both
		}
		places := make([]int, e.height)
		for i := range places {
			places[i] = -1
			for n := range columns {
				if at := n*e.height + i; all.known(at) {
					places[i] = at
					break
				}
			}
		}
		return all.take(places)
	}}
}
