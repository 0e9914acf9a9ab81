// Package table holds the generic functions of package runtime/table.
package table

import "gosphere/runtime/table"

// Column returns the values of a column as values of type T.
func Column[T any](t *table.Table, name string) ([]T, error) {
	var list []T
	err := t.DecodeColumn(name, &list)
	return list, err
}

// As returns the rows as values of type T.
func As[T any](t *table.Table) ([]T, error) {
	var rows []T
	err := t.Decode(&rows)
	return rows, err
}
