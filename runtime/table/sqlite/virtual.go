package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite/vtab"

	"gosphere/runtime/table"
)

// moduleName is the name of the module of virtual tables.
const moduleName = "gosphere_table"

// attached are the tables that statements may use, by number.
var attached struct {
	sync.Mutex
	last   int
	tables map[string]*source
}

// A source is a table in a form that cursors read.
type source struct {
	name    string
	table   *table.Table
	columns []string
	kinds   []string
	rows    int
	binary  bool // texts are compared by their bytes

	mutex   sync.Mutex // guards the following fields
	lists   [][]any    // by column, nil where a value is missing; nil for a column that nothing has read
	indexes map[int]map[any][]int
}

// attach makes a table known to a connection under a name, until drop is called.
func attach(ctx context.Context, conn *sql.Conn, name string, t *table.Table, binary bool) (drop func(), err error) {
	s, err := sourceOf(name, t)
	if err != nil {
		return nil, err
	}
	s.binary = binary
	attached.Lock()
	if attached.tables == nil {
		attached.tables = map[string]*source{}
	}
	attached.last++
	number := strconv.Itoa(attached.last)
	attached.tables[number] = s
	attached.Unlock()
	forget := func() {
		attached.Lock()
		delete(attached.tables, number)
		attached.Unlock()
	}
	if _, err := conn.ExecContext(ctx, "CREATE VIRTUAL TABLE temp."+quoted(name)+" USING "+moduleName+"("+number+")"); err != nil {
		forget()
		return nil, fmt.Errorf("the table %s: %w", name, err)
	}
	return func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "DROP TABLE temp."+quoted(name)) // the connection may be gone
		forget()
	}, nil
}

func init() {
	if err := vtab.RegisterModule(nil, moduleName, module{}); err != nil {
		panic(fmt.Errorf("table/sqlite: %w", err))
	}
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// sourceOf returns a table as a source.
func sourceOf(name string, t *table.Table) (*source, error) {
	s := &source{name: name, table: t, columns: t.Columns(), kinds: t.Types(), rows: t.Len(), indexes: map[int]map[any][]int{}}
	s.lists = make([][]any, len(s.columns))
	seen := map[string]string{}
	for _, column := range s.columns {
		lower := strings.ToLower(column)
		if other, twice := seen[lower]; twice {
			return nil, fmt.Errorf("the table %s: the columns %q and %q are one in SQL", name, other, column)
		}
		seen[lower] = column
	}
	return s, nil
}

// list returns the values of a column in the forms of SQLite. The first call copies them, so that
// a statement takes memory only for the columns that it reads. The mutex is held.
func (s *source) list(k int) ([]any, error) {
	if s.lists[k] != nil {
		return s.lists[k], nil
	}
	values, err := s.table.Column(s.columns[k])
	if err != nil {
		return nil, err
	}
	list := make([]any, len(values))
	for i, value := range values {
		if list[i], err = stored(value); err != nil {
			return nil, fmt.Errorf("the table %s: column %q, row %d: %w", s.name, s.columns[k], i, err)
		}
	}
	s.lists[k] = list
	return list, nil
}

// timeLayout is the form of times, which SQLite compares as text and converts by its functions.
const timeLayout = "2006-01-02 15:04:05.999999999Z07:00"

// stored returns a value in a form that SQLite stores: times as text in UTC, durations as
// nanoseconds, and lists and the like as JSON.
func stored(value any) (any, error) {
	switch value := value.(type) {
	case nil, string, []byte:
		return value, nil
	case int:
		return int64(value), nil
	case bool:
		if value {
			return int64(1), nil
		}
		return int64(0), nil
	case float64:
		if math.IsNaN(value) {
			return nil, errors.New("SQL has no NaN: use FillNaN(nil)")
		}
		return value, nil
	case time.Time:
		return value.UTC().Format(timeLayout), nil
	case time.Duration:
		return int64(value), nil
	case table.Category:
		return value.String(), nil
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return v.Int(), nil
	case v.CanUint():
		if v.Uint() > math.MaxInt64 {
			return nil, fmt.Errorf("%d exceeds the integers of SQL", v.Uint())
		}
		return int64(v.Uint()), nil
	case v.CanFloat():
		return stored(v.Float())
	case v.Kind() == reflect.String:
		return v.String(), nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// types are the declared types of columns. The driver makes truth values and times of values of
// columns of the two last.
var types = map[string]string{
	"int": "INTEGER", "float64": "REAL", "string": "TEXT", "table.Category": "TEXT", "time.Duration": "INTEGER", "any": "", "bool": "BOOLEAN", "time.Time": "DATETIME",
}

// module makes virtual tables.
type module struct{}

// Create implements vtab.Module. Its last argument is the number of the table.
func (module) Create(c vtab.Context, arguments []string) (vtab.Table, error) {
	number := strings.Trim(arguments[len(arguments)-1], " '\"")
	attached.Lock()
	s := attached.tables[number]
	attached.Unlock()
	if s == nil {
		return nil, fmt.Errorf("no table has the number %s", number)
	}
	columns := make([]string, len(s.columns))
	for k, name := range s.columns {
		columns[k] = quoted(name) + " " + types[s.kinds[k]]
	}
	if len(columns) == 0 {
		return nil, errors.New("it has no columns")
	}
	return s, c.Declare("CREATE TABLE x(" + strings.Join(columns, ", ") + ")")
}

// Connect implements vtab.Module.
func (m module) Connect(c vtab.Context, arguments []string) (vtab.Table, error) {
	return m.Create(c, arguments)
}

// BestIndex implements vtab.Table. It uses an index for one column that is equal to a value.
func (s *source) BestIndex(info *vtab.IndexInfo) error {
	info.EstimatedRows, info.EstimatedCost = int64(s.rows), float64(s.rows)+1
	for i := range info.Constraints {
		info.Constraints[i].ArgIndex = -1
	}
	for i, c := range info.Constraints {
		if !c.Usable || c.Op != vtab.OpEQ || c.Column < 0 || !s.indexed(c.Column) {
			continue
		}
		info.Constraints[i].ArgIndex = 0
		info.IdxNum = int64(c.Column) + 1
		info.EstimatedRows, info.EstimatedCost = int64(s.rows)/100+1, float64(s.rows)/100+1
		return nil
	}
	return nil
}

// indexed reports whether equal values of a column are found by an index. SQLite compares texts by
// another order if the statement says so.
func (s *source) indexed(k int) bool {
	switch s.kinds[k] {
	case "int", "float64", "time.Duration":
		return true
	case "string", "table.Category":
		return s.binary
	}
	return false
}

// index returns the rows of each value of a column.
func (s *source) index(k int) (map[any][]int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.indexes[k] == nil {
		list, err := s.list(k)
		if err != nil {
			return nil, err
		}
		index := map[any][]int{}
		for i, value := range list {
			if value != nil {
				index[indexKey(value)] = append(index[indexKey(value)], i)
			}
		}
		s.indexes[k] = index
	}
	return s.indexes[k], nil
}

// indexKey makes equal numbers equal.
func indexKey(value any) any {
	if x, ok := value.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return int64(x)
	}
	return value
}

// Open implements vtab.Table.
func (s *source) Open() (vtab.Cursor, error) {
	return &cursor{source: s, lists: make([][]any, len(s.columns))}, nil
}

// Disconnect implements vtab.Table.
func (s *source) Disconnect() error { return nil }

// Destroy implements vtab.Table.
func (s *source) Destroy() error { return nil }

// A cursor goes through all rows, or those of an index.
type cursor struct {
	*source
	lists  [][]any // of the source, as far as the cursor has read them
	chosen []int   // if all is false
	all    bool
	at     int
}

// Filter implements vtab.Cursor.
func (c *cursor) Filter(number int, _ string, values []vtab.Value) error {
	c.at, c.all, c.chosen = 0, true, nil
	if number == 0 || len(values) != 1 {
		return nil
	}
	// SQLite converts a value to the type of the column before it compares. It checks the rows itself,
	// so that those of a value of another type may be all.
	key, kind := values[0], c.kinds[number-1]
	text := kind == "string" || kind == "table.Category"
	switch x := key.(type) {
	case nil:
		c.all = false
		return nil
	case string:
		if !text {
			return nil
		}
	case int64:
		if text || kind == "float64" && (x <= -1<<53 || x >= 1<<53) {
			return nil
		}
	case float64:
		if kind != "float64" {
			return nil
		}
		key = indexKey(x)
	default:
		return nil
	}
	index, err := c.index(number - 1)
	c.all, c.chosen = false, index[key]
	return err
}

// Next implements vtab.Cursor.
func (c *cursor) Next() error {
	c.at++
	return nil
}

// Eof implements vtab.Cursor.
func (c *cursor) Eof() bool {
	if c.all {
		return c.at >= c.rows
	}
	return c.at >= len(c.chosen)
}

func (c *cursor) row() int {
	if c.all {
		return c.at
	}
	return c.chosen[c.at]
}

// Column implements vtab.Cursor.
func (c *cursor) Column(k int) (vtab.Value, error) {
	if k < 0 || k >= len(c.columns) {
		return nil, nil
	}
	if c.lists[k] == nil {
		c.mutex.Lock()
		list, err := c.list(k)
		c.mutex.Unlock()
		if err != nil {
			return nil, err
		}
		c.lists[k] = list
	}
	return c.lists[k][c.row()], nil
}

// Rowid implements vtab.Cursor.
func (c *cursor) Rowid() (int64, error) { return int64(c.row()), nil }

// Close implements vtab.Cursor.
func (c *cursor) Close() error { return nil }
