// Package erased does what sources of generic types cannot do for themselves, for values of any type: it is compiled, so that it
// may use package unsafe and the standard types.
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

// A Weak points to a variable without keeping it. Two are equal exactly if their variables are the same; the zero value has none.
type Weak struct{ pointer weak.Pointer[byte] }

// MakeWeak returns a Weak for the variable that a pointer leads to.
func MakeWeak(pointer any) Weak {
	return Weak{weak.Make((*byte)(reflect.ValueOf(pointer).UnsafePointer()))}
}

// Value returns the pointer to the variable, of the same type as the given pointer, nil when the variable has been collected.
func (w Weak) Value(like any) any {
	return reflect.NewAt(reflect.TypeOf(like).Elem(), unsafe.Pointer(w.pointer.Value())).Interface()
}

// AddCleanup calls cleanup when the variable that a pointer leads to is gone, as runtime.AddCleanup does.
func AddCleanup(pointer any, cleanup func()) runtime.Cleanup {
	return runtime.AddCleanup((*byte)(reflect.ValueOf(pointer).UnsafePointer()), func(f func()) { f() }, cleanup)
}

// Assign stores what a database has returned in the variable that dst points to, as (*sql.Rows).Scan does.
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
	if inner := errors.Unwrap(err); inner != nil { // without the column
		return inner
	}
	return err
}

// Valued returns what a database stores for a value, as sql.Null does.
func Valued(value any) (driver.Value, error) { return sql.Null[any]{V: value, Valid: true}.Value() }

// A single is a database whose every answer is one row of one value.
type single struct{ value driver.Value }

func (s single) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s single) Driver() driver.Driver                        { return s }
func (s single) Open(string) (driver.Conn, error)             { return s, nil }
func (s single) Prepare(string) (driver.Stmt, error)          { return nil, driver.ErrSkip }
func (s single) Begin() (driver.Tx, error)                    { return nil, driver.ErrSkip }
func (s single) Close() error                                 { return nil }

// QueryContext is driver.QueryerContext's.
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
