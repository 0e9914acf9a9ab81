// Package sql holds the generic type of the standard package database/sql.
package sql

import (
	"database/sql/driver"

	"gosphere/internal/runtime/generic/erased"
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
//
// The conversions of package sql, such as from []byte to a number, are not exported. Package erased
// reaches them.
func (n *Null[T]) Scan(value any) error {
	if value == nil {
		var none T
		n.V, n.Valid = none, false
		return nil
	}
	// It is set even if the conversion fails, as in the standard method.
	n.Valid = true
	return erased.Assign(&n.V, value)
}

// Value implements driver.Valuer.
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	return erased.Valued(n.V)
}
