// Package erased implements the parts of generic types that their sources cannot: it is compiled,
// so it may use package unsafe and the standard types. Its functions accept values of any type.
package erased

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"runtime"
	"unsafe"
	"weak"
)

// A Weak is a weak pointer to a variable: it does not keep the variable alive. Two Weak values are
// equal exactly if they point to the same variable. The zero Weak points to none.
//
// The element type byte serves all variables: weak pointers refer to the object in memory, and a
// pointer to its interior keeps the offset.
type Weak struct{ pointer weak.Pointer[byte] }

// MakeWeak returns a weak pointer to the variable that pointer points to.
func MakeWeak(pointer any) Weak {
	return Weak{weak.Make((*byte)(reflect.ValueOf(pointer).UnsafePointer()))}
}

// Value returns a pointer to the variable, of the same type as like. It returns a nil pointer if
// the variable has been collected.
//
// like carries the type, which a parameter of the generic caller is there but not here.
func (w Weak) Value(like any) any {
	return reflect.NewAt(reflect.TypeOf(like).Elem(), unsafe.Pointer(w.pointer.Value())).Interface()
}

// AddCleanup calls cleanup after the variable that pointer points to has become unreachable, as
// runtime.AddCleanup does.
func AddCleanup(pointer any, cleanup func()) runtime.Cleanup {
	return runtime.AddCleanup((*byte)(reflect.ValueOf(pointer).UnsafePointer()), func(f func()) { f() }, cleanup)
}

// Assign stores a value from a database in the variable that dst points to, as (*sql.Rows).Scan
// does.
//
// It makes a query of a database that answers with the value, and scans the row into dst. That is
// the only way to the unexported function convertAssign.
func Assign(dst, value any) error {
	db := sql.OpenDB(single{value})
	defer db.Close()
	rows, err := db.Query("")
	if err != nil {
		return err
	}
	defer rows.Close()
	rows.Next()
	if err = rows.Scan(dst); err == nil {
		return nil
	}
	if inner := errors.Unwrap(err); inner != nil { // without the name of the column
		return inner
	}
	return err
}

// Valued converts a value to a form that databases store, as sql.Null does.
func Valued(value any) (driver.Value, error) { return sql.Null[any]{V: value, Valid: true}.Value() }

// A single is a database whose only answer is one row with one value. It gives access to the
// conversions of package sql, which are not exported.
type single struct{ value driver.Value }

func (s single) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s single) Driver() driver.Driver                        { return s }
func (s single) Open(string) (driver.Conn, error)             { return s, nil }
func (s single) Prepare(string) (driver.Stmt, error)          { return nil, driver.ErrSkip }
func (s single) Begin() (driver.Tx, error)                    { return nil, driver.ErrSkip }
func (s single) Close() error                                 { return nil }

// QueryContext implements driver.QueryerContext.
func (s single) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &row{value: s.value}, nil
}

type row struct {
	value driver.Value
	read  bool
}

func (r *row) Columns() []string { return []string{"value"} }
func (r *row) Close() error      { return nil }

func (r *row) Next(dst []driver.Value) error {
	if r.read {
		return io.EOF
	}
	dst[0], r.read = r.value, true
	return nil
}
