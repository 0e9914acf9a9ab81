// Package sqlite runs SQL over tables, in SQLite. Importing it makes table.SQL work. Cells have it
// without an import.
//
// A table is a virtual table of SQLite. A query copies the columns that it reads into the forms of
// SQLite. Read sqlite.go first, then virtual.go and check.go.
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

	"gosphere/runtime/internal/sqltext"
	"gosphere/runtime/table"
)

func init() { table.RegisterSQL(engine{}) }

type engine struct{}

// Query implements table.Engine.
func (engine) Query(ctx context.Context, db *sql.DB, statements string, with table.With) (*table.Table, error) {
	return Query(ctx, db, statements, with)
}

// Query runs statements in a database and returns the rows of the last one. Names of with are
// tables and parameters, as table.SQL describes. A nil database is one in memory.
func Query(ctx context.Context, db *sql.DB, statements string, with table.With) (result *table.Table, err error) {
	err = using(ctx, db, statements, with, func(q *prepared) error {
		rows, err := q.conn.QueryContext(ctx, q.text(q.tokens), q.parameters...)
		if err == nil {
			result, err = table.FromRows(rows)
		}
		return q.explain(ctx, err)
	})
	return result, err
}

// Exec implements table.Engine.
func (engine) Exec(ctx context.Context, db *sql.DB, statements string, with table.With) (changed int64, err error) {
	err = using(ctx, db, statements, with, func(q *prepared) error {
		result, err := q.conn.ExecContext(ctx, q.text(q.tokens), q.parameters...)
		if err != nil {
			return q.explain(ctx, err)
		}
		changed, err = result.RowsAffected()
		return err
	})
	return changed, err
}

// using calls a function with statements that are prepared for a connection of the database.
func using(ctx context.Context, db *sql.DB, statements string, with table.With, use func(*prepared) error) (err error) {
	if db == nil {
		if db, err = sql.Open("sqlite", ":memory:"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
	}
	q, err := prepare(statements, with)
	if err != nil {
		return err
	}
	if kind := reflect.TypeOf(db.Driver()).String(); len(q.tables) > 0 && kind != "*sqlite.Driver" {
		return fmt.Errorf("tables of variables need a database of SQLite, not of %s", kind)
	}
	if q.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.conn.Close()) }()
	binary := !slices.ContainsFunc(q.tokens, func(t sqltext.Token) bool { return t.Is("collate") })
	for _, name := range slices.Sorted(maps.Keys(q.tables)) {
		drop, err := attach(ctx, q.conn, name, q.tables[name], binary)
		if err != nil {
			return err
		}
		defer drop()
	}
	return use(q)
}

// A prepared query has its tables and parameters.
type prepared struct {
	conn       *sql.Conn
	tokens     []sqltext.Token
	files      map[int]bool // offsets of the tokens that are files
	tables     map[string]*table.Table
	parameters []any
	names      []string // of all variables
}

// prepare finds the tables and parameters of statements.
func prepare(statements string, with table.With) (*prepared, error) {
	q := &prepared{tokens: sqltext.Tokens(statements), files: map[int]bool{}, tables: map[string]*table.Table{}}
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
	for _, file := range sqltext.Files(statements) {
		if with[file.Name()] != nil {
			continue
		}
		q.files[file.At] = true
		if q.tables[file.Name()] != nil {
			continue
		}
		t, err := table.Read(file.Name())
		if err != nil {
			return nil, err
		}
		q.tables[file.Name()] = t
	}
	return q, nil
}

// text returns statements for SQLite, in which variables that are tables, and files, are quoted
// names.
func (q *prepared) text(tokens []sqltext.Token) string {
	var out strings.Builder
	for _, t := range tokens {
		if t.Kind == sqltext.Variable && t.Text[0] == '$' && q.tables[t.Name()] != nil || q.files[t.At] {
			out.WriteString(quoted(t.Name()))
			continue
		}
		out.WriteString(t.Text)
	}
	return out.String()
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
