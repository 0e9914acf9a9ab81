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

// runSQL is the function passed to RegisterSQL, or nil.
var runSQL func(ctx context.Context, db *sql.DB, statements string, with With) (*Table, error)

// RegisterSQL sets the function that runs SQL over tables. Package table/sqlite calls it.
func RegisterSQL(run func(ctx context.Context, db *sql.DB, statements string, with With) (*Table, error)) {
	runSQL = run
}

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
	if runSQL == nil {
		return nil, errors.New("table: this program runs no SQL over tables: import gosphere/runtime/table/sqlite")
	}
	t, err := runSQL(ctx, db, query, with)
	if err != nil {
		return nil, fmt.Errorf("table: SQL: %w", err)
	}
	return t, nil
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
