package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// With has the variables of a query by name: tables and slices of structs, which are tables of the
// query, and other values, which are its parameters.
type With map[string]any

// An Engine runs SQL over tables. Package table/sqlite has one.
type Engine interface {
	// Query returns the rows of the last statement.
	Query(ctx context.Context, db *sql.DB, statements string, with With) (*Table, error)
	// Exec returns the number of rows that the last statement has changed.
	Exec(ctx context.Context, db *sql.DB, statements string, with With) (int64, error)
	// Check returns a *SQLError for the first statement that cannot be run, or nil.
	Check(ctx context.Context, db *sql.DB, statements string, with With) error
	// Write writes a table into a database.
	Write(ctx context.Context, d Database, name string, t *Table) error
}

// A SQLError is an error in the text of statements.
type SQLError struct {
	At      int    // offset in bytes
	Message string // of the database
	Hint    string // what may be meant, or ""
}

// Error returns the message and the hint.
func (e *SQLError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// engine is the argument of RegisterSQL, or nil.
var engine Engine

// RegisterSQL sets the engine of SQL over tables. Package table/sqlite calls it.
func RegisterSQL(e Engine) { engine = e }

var errNoEngine = errors.New("table: this program runs no SQL over tables: import gosphere/runtime/table/sqlite")

// SQL runs a query over tables in SQLite and returns its rows.
//
//	table.SQL("select region, sum(units) as units from sales where price > :least group by region",
//		table.With{"sales": sales, "least": 2.5})
//
// The tables of the query are those of with, and files that Read reads, as in from 'sales.parquet'.
// Parameters are written :name. Several statements are separated by semicolons; the rows are those
// of the last one. The tables cannot be changed by SQL.
//
// In the query truth values are 0 and 1, times are text in UTC such as 2026-01-02 15:04:05Z,
// durations are nanoseconds, and lists are JSON. A column of the result that is one of a table has
// its type again; computed ones have the types of SQL. NaN is an error, because SQL takes it for a
// missing value. It is an error if the program does not import package table/sqlite, which cells
// have without an import.
func SQL(query string, with With) (*Table, error) {
	return QueryWith(context.Background(), nil, query, with)
}

// QueryWith is like SQL in a database of SQLite, whose tables the query may use as well, and ends
// when the context does. A nil database is one in memory.
func QueryWith(ctx context.Context, db *sql.DB, query string, with With) (*Table, error) {
	if engine == nil {
		return nil, errNoEngine
	}
	t, err := engine.Query(ctx, db, query, with)
	if err != nil {
		return nil, fmt.Errorf("table: SQL: %w", err)
	}
	return t, nil
}

// ExecWith runs statements that change a database of SQLite, with the tables and parameters of
// with, and returns the number of rows that the last one has changed.
//
//	table.ExecWith(ctx, db, "insert into archive select * from sales where year = :year",
//		table.With{"sales": sales, "year": 2025})
func ExecWith(ctx context.Context, db *sql.DB, statements string, with With) (changed int64, err error) {
	if engine == nil {
		return 0, errNoEngine
	}
	if db == nil {
		return 0, errors.New("table: SQL: the database is nil")
	}
	if changed, err = engine.Exec(ctx, db, statements, with); err != nil {
		return 0, fmt.Errorf("table: SQL: %w", err)
	}
	return changed, nil
}

// CheckSQL finds misspelled tables, columns and functions in statements without running them. It
// returns a *SQLError, or nil if it finds nothing. It does not look at what follows a statement
// that changes the tables of the database.
func CheckSQL(ctx context.Context, db *sql.DB, statements string, with With) error {
	if engine == nil {
		return nil
	}
	return engine.Check(ctx, db, statements, with)
}

// A Database is one into which tables are written.
type Database struct {
	DB *sql.DB
	// Replace drops a table of the same name first, and Append adds the rows to one that exists. By
	// default the table is created.
	Replace, Append bool
}

// Write writes a table into a table of the database, in one transaction: after an error the
// database is as before. Columns are INTEGER, REAL, BOOLEAN, DATETIME and TEXT in SQLite, and
// BIGINT, DOUBLE PRECISION, BOOLEAN, TIMESTAMP and TEXT elsewhere. Missing values are NULL,
// durations are nanoseconds, and lists are JSON. NaN is an error in SQLite.
//
//	err := table.Database{DB: db, Replace: true}.Write("sales", sales)
func (d Database) Write(name string, t *Table) error {
	return d.WriteContext(context.Background(), name, t)
}

// WriteContext is like Write and ends when the context does.
func (d Database) WriteContext(ctx context.Context, name string, t *Table) error {
	if engine == nil {
		return errNoEngine
	}
	if err := engine.Write(ctx, d, name, t); err != nil {
		return fmt.Errorf("table: writing the table %s: %w", name, err)
	}
	return nil
}

// FromRows reads all rows of a query and closes it. Bytes that are text become strings, because
// drivers return text in both forms. The numbers 0 and 1 in columns that the database declares as
// BOOLEAN become truth values.
func FromRows(rows *sql.Rows) (*Table, error) {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	kinds, err := rows.ColumnTypes()
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	t, truths := New(), make([]bool, len(names))
	for k, name := range names {
		t.insert(unused(t, name), new(unknown))
		truths[k] = slices.Contains([]string{"BOOLEAN", "BOOL"}, strings.ToUpper(kinds[k].DatabaseTypeName()))
	}
	for rows.Next() {
		row, places := make([]any, len(names)), make([]any, len(names))
		for k := range row {
			places[k] = &row[k]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, fmt.Errorf("table: %w", err)
		}
		for k, value := range row {
			if text, ok := value.([]byte); ok && utf8.Valid(text) {
				row[k] = string(text)
			}
			if n, ok := value.(int64); ok && truths[k] && (n == 0 || n == 1) {
				row[k] = n == 1
			}
		}
		t.Append(row...)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return t, nil
}

// Query runs a query and returns its rows.
func Query(db *sql.DB, query string, arguments ...any) (*Table, error) {
	rows, err := db.Query(query, arguments...)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return FromRows(rows)
}
