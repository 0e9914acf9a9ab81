// Package sqlite runs SQL over tables, in SQLite. Importing it makes table.SQL work. Cells have it
// without an import.
//
// A table is a virtual table of SQLite. A query copies the columns that it reads into the forms of
// SQLite. Read sqlite.go first, then virtual.go and scan.go.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"gosphere/runtime/table"
)

func init() { table.RegisterSQL(Query) }

// Query runs statements in a database and returns the rows of the last one. Names of with are
// tables and parameters, as table.SQL describes. A nil database is one in memory.
func Query(ctx context.Context, db *sql.DB, statements string, with table.With) (result *table.Table, err error) {
	if db == nil {
		if db, err = sql.Open("sqlite", ":memory:"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
	}
	q, err := prepare(statements, with)
	if err != nil {
		return nil, err
	}
	if kind := reflect.TypeOf(db.Driver()).String(); len(q.tables) > 0 && kind != "*sqlite.Driver" {
		return nil, fmt.Errorf("tables of variables need a database of SQLite, not of %s", kind)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	binary := !strings.Contains(strings.ToLower(statements), "collate")
	for _, name := range slices.Sorted(maps.Keys(q.tables)) {
		drop, err := attach(ctx, conn, name, q.tables[name], binary)
		if err != nil {
			return nil, err
		}
		defer drop()
	}
	rows, err := conn.QueryContext(ctx, q.text, q.parameters...)
	if err != nil {
		return nil, q.explain(err)
	}
	result, err = table.FromRows(rows)
	return result, q.explain(err)
}

// A prepared query has its tables and parameters.
type prepared struct {
	text       string
	tables     map[string]*table.Table
	parameters []any
	names      []string // of all variables
}

// prepare finds the tables and parameters of statements.
func prepare(statements string, with table.With) (*prepared, error) {
	q := &prepared{tables: map[string]*table.Table{}}
	for _, name := range slices.Sorted(maps.Keys(with)) {
		q.names = append(q.names, name)
		t, err := tableOf(name, with[name])
		if err != nil {
			return nil, err
		}
		if t != nil {
			q.tables[name] = t
			continue
		}
		value, err := bound(with[name])
		if err != nil {
			return nil, fmt.Errorf("the parameter %s: %w", name, err)
		}
		q.parameters = append(q.parameters, sql.Named(name, value))
	}
	var files []string
	q.text, files = rewrite(statements, q.tables)
	for _, file := range files {
		t, err := table.Read(file)
		if err != nil {
			return nil, err
		}
		q.tables[file] = t
	}
	return q, nil
}

// tableOf returns the table of a variable, or nil for other values.
func tableOf(name string, value any) (t *table.Table, err error) {
	if t, ok := value.(*table.Table); ok {
		if t == nil {
			return nil, fmt.Errorf("the table %s is nil", name)
		}
		return t, nil
	}
	of := reflect.TypeOf(value)
	if of == nil || of.Kind() != reflect.Slice {
		return nil, nil
	}
	record := of.Elem()
	if record.Kind() == reflect.Pointer {
		record = record.Elem()
	}
	if record.Kind() != reflect.Struct {
		return nil, nil
	}
	defer func() {
		if problem, ok := recover().(error); ok {
			t, err = nil, problem
		}
	}()
	return table.Of(value), nil
}

// bound returns a value in a form that SQLite stores.
func bound(value any) (any, error) {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Pointer || !v.IsValid() {
		return nil, nil
	}
	return stored(v.Interface())
}

// explain adds to an error what may help.
func (q *prepared) explain(err error) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "no such table") {
		known := slices.Sorted(maps.Keys(q.tables))
		if len(known) == 0 {
			return fmt.Errorf("%w; a variable is written $name in %%%%sql, and given by name to table.SQL", err)
		}
		return fmt.Errorf("%w; the variables are %s", err, strings.Join(known, ", "))
	}
	return err
}
