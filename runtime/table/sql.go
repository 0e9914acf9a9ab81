package table

import (
	"database/sql"
	"fmt"
	"unicode/utf8"
)

// FromRows reads all rows of a query and closes it. Bytes that are text become strings, because
// drivers return text in both forms.
func FromRows(rows *sql.Rows) (*Table, error) {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	t := New()
	for _, name := range names {
		t.insert(t.unused(name), new(unknown))
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
