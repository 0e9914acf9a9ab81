// Package sql holds the generic type of the standard package database/sql.
package sql

import (
	"database/sql/driver"

	"gosphere/runtime/internal/generic/erased"
)

// A Null is a value that may be NULL in a database.
//
// The fields are those of the standard type, because programs use them and package reflect shows
// them.
type Null[T any] struct {
	V     T
	Valid bool
}

// Scan implements sql.Scanner.
func (n *Null[T]) Scan(value any) error {
	if value == nil {
		var none T
		n.V, n.Valid = none, false
		return nil
	}
	err := erased.Assign(&n.V, value)
	n.Valid = err == nil
	return err
}

// Value implements driver.Valuer.
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return erased.Valued(n.V)
}
