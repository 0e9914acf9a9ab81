package display

import (
	"database/sql"
	"fmt"
	"reflect"
	"time"
)

// null is shown for a missing value of a table or database.
const null = "NULL"

// A rowed value is a table by its methods.
type rowed interface {
	Columns() []string
	Len() int
	Row(i int) []any
}

// A typed value also has the types of its columns, which are shown below their names.
type typed interface{ Types() []string }

// A profiled value also has how often values occur in each column. labels describe the counts.
type profiled interface {
	Profile(column int) (missing int, labels []string, counts []int)
}

// profileRows is the number of rows up to which profiles are computed, in about a tenth of a second
// for each column.
const profileRows = 2_000_000

// A profile is that of a column, with the names that table.js reads.
type profile struct {
	Missing int      `json:"missing"`
	Labels  []string `json:"labels"`
	Counts  []int    `json:"counts"`
}

// rowedTable returns the table of a rowed value.
func rowedTable(value rowed) *table {
	t := newTable(value.Columns(), value.Len(), func(i int) ([]string, int) { return anyCells(value.Row(i)) })
	if value, ok := value.(profiled); ok && t.height > liveFrom && t.height <= profileRows {
		for k := range t.columns {
			missing, labels, counts := value.Profile(k)
			for n, label := range labels {
				labels[n] = cellText(reflect.ValueOf(label))
			}
			t.profiles = append(t.profiles, profile{missing, labels, counts})
		}
	}
	if value, ok := value.(typed); ok {
		t.setTypes(value.Types())
	}
	return t
}

// setTypes sets the types of the columns. Those of numbers are right-aligned, and no others.
func (t *table) setTypes(types []string) {
	if len(types) != t.width {
		return
	}
	t.types = types[:min(len(types), columnsShown)]
	for k, name := range types {
		if name != "any" {
			t.numeric[k] = name == "int" || name == "float64"
		}
	}
}

// anyCells returns the displayed cells of a row of values.
func anyCells(row []any) ([]string, int) {
	return someCells(len(row), func(k int) string {
		if row[k] == nil {
			return null
		}
		if at, ok := row[k].(time.Time); ok && at.Location() == time.UTC && at.Equal(at.Truncate(24*time.Hour)) {
			return at.Format(time.DateOnly)
		}
		return cellText(reflect.ValueOf(&row[k]).Elem())
	})
}

// queryTable reads the displayed rows of a query and closes it. The number of further rows is
// unknown.
func queryTable(rows *sql.Rows) (*table, error) {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var list [][]any
	more := false
	for rows.Next() {
		if more = len(list) == liveRows; more {
			break
		}
		row, places := make([]any, len(columns)), make([]any, len(columns))
		for k := range row {
			places[k] = &row[k]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	t := newTable(columns, len(list), func(i int) ([]string, int) { return anyCells(list[i]) })
	t.more = more
	return t, nil
}

// resultText describes the effect of a statement, as far as the driver reports it.
func resultText(result sql.Result) string {
	changed, err := result.RowsAffected()
	if err != nil {
		return fmt.Sprintf("%T: %v", result, err)
	}
	text := fmt.Sprintf("%d rows affected", changed)
	if changed == 1 {
		text = "1 row affected"
	}
	if id, err := result.LastInsertId(); err == nil && id > 0 {
		text += fmt.Sprintf(", last id %d", id)
	}
	return text
}
