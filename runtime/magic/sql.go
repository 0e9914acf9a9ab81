package magic

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"gosphere/internal/userfile"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/display"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/sqltext"
	"gosphere/runtime/table"
)

// databases are the databases opened by %%sql, by driver and data source.
var databases struct {
	sync.Mutex
	open map[[2]string]*sql.DB
	last *sql.DB // used by the last %%sql
}

// checkTime bounds the check of statements, which runs while the cell holds the execution lock. A
// busy database is not waited for.
const checkTime = 300 * time.Millisecond

// CheckSQL returns a *table.SQLError for the first mistake in the statements of a cell of %%sql, or
// nil if there is none that can be found before they run.
func CheckSQL(c magics.SQLCell, variables map[string]any) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	var connection any = c.Connection
	with := table.With{}
	for name, value := range variables {
		if c.IsVariable && name == c.Connection {
			connection = value
			continue
		}
		if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
			value = v.Slice(0, 0).Interface() // only the columns matter
		}
		with[name] = value
	}
	db, err := peek(connection)
	if err != nil || db != nil && !isSQLite(db) {
		return nil // running the cell reports it
	}
	if without(ctx, db, c.Statements, with) != nil {
		return nil
	}
	return table.CheckSQL(ctx, db, c.Statements, with)
}

// peek returns the database of a connection without making it the one of the next cell. It returns
// nil for a new one in memory.
func peek(connection any) (*sql.DB, error) {
	databases.Lock()
	last := databases.last
	databases.Unlock()
	db, err := database(connection, false)
	databases.Lock()
	databases.last = last
	databases.Unlock()
	if errors.Is(err, errNone) {
		return nil, nil
	}
	return db, err
}

// SQL implements %%sql: it runs statements and shows the rows of the last one, or the number of
// rows changed. The connection is a *sql.DB or the name of a database; "" selects the previous one.
// The variables are tables and parameters of the statements, as table.SQL describes, with their
// names separated by spaces.
func SQL(connection any, statements, names string, variables ...any) {
	t, changed, err := runSQL(connection, statements, names, variables)
	raise("%%sql", err)
	switch {
	case t != nil:
		display.Show(t)
	case changed == 1:
		say("1 row changed")
	case changed > 1:
		say(fmt.Sprintf("%d rows changed", changed))
	}
}

// Query implements %%sql with a name for the result: it returns the rows of the last statement, as
// SQL shows them.
func Query(connection any, statements, names string, variables ...any) *table.Table {
	t, _, err := runSQL(connection, statements, names, variables)
	if err == nil && t == nil {
		err = errors.New("the last statement returns no rows")
	}
	raise("%%sql", err)
	return t
}

// runSQL runs statements and returns the rows of the last one, or the number of rows that it has
// changed.
func runSQL(connection any, statements, names string, variables []any) (t *table.Table, changed int64, err error) {
	last := sqltext.Last(statements)
	if last == "" {
		return nil, 0, errors.New("no statement below the first line")
	}
	rows := sqltext.ReturnsRows(last)
	ctx, cancel := untilStopped()
	defer cancel()
	db, err := database(connection, strings.Contains(strings.ToLower(statements), "create"))
	if errors.Is(err, errNone) && rows && (len(variables) > 0 || len(sqltext.Files(statements)) > 0) {
		err = nil // a database in memory
	}
	if err != nil {
		return nil, 0, err
	}
	with := table.With{}
	for i, name := range strings.Fields(names) {
		with[name] = variables[i]
	}
	if err := without(ctx, db, statements, with); err != nil {
		return nil, 0, err
	}
	switch {
	case db == nil || len(with) > 0 || len(sqltext.Files(statements)) > 0:
		if rows {
			t, err := table.QueryWith(ctx, db, statements, with)
			return t, 0, err
		}
		changed, err = table.ExecWith(ctx, db, statements, with)
	case rows:
		rows, err := db.QueryContext(ctx, statements)
		if err != nil {
			return nil, 0, err
		}
		t, err := table.FromRows(rows)
		return t, 0, err
	default:
		var result sql.Result
		if result, err = db.ExecContext(ctx, statements); err == nil {
			changed, _ = result.RowsAffected() // some drivers do not report it
		}
	}
	if word := strings.ToLower(strings.Fields(last)[0]); word != "insert" && word != "update" && word != "delete" && word != "replace" && word != "with" {
		changed = 0 // that of an earlier statement
	}
	return nil, changed, err
}

// without removes the variables that statements name without a sign and that a database has tables
// of, so that a variable does not hide a table. Of other databases than those of SQLite only
// variables with a dollar sign are variables of cells.
func without(ctx context.Context, db *sql.DB, statements string, with table.With) error {
	if db == nil || len(with) == 0 {
		return nil
	}
	isSQLite := isSQLite(db)
	var tables []string
	if isSQLite {
		var err error
		if tables, err = tablesOf(ctx, db); err != nil {
			return err
		}
	}
	dollars := sqltext.Variables(statements, "$")
	others := sqltext.Variables(statements, ":@")
	for name := range with {
		is := func(t sqltext.Token) bool { return t.Name() == name }
		if slices.ContainsFunc(dollars, is) || isSQLite && slices.ContainsFunc(others, is) {
			continue
		}
		if !isSQLite || slices.ContainsFunc(tables, func(t string) bool { return strings.EqualFold(t, name) }) {
			delete(with, name)
		}
	}
	return nil
}

func isSQLite(db *sql.DB) bool { return fmt.Sprintf("%T", db.Driver()) == "*sqlite.Driver" }

// tablesOf returns the names of the tables and views of a database of SQLite.
func tablesOf(ctx context.Context, db *sql.DB) (names []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') UNION SELECT name FROM sqlite_temp_schema")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// untilStopped returns a context that is canceled when the cell is interrupted.
func untilStopped() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		ticks := time.NewTicker(stopPeriod)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if guard.Stopped() {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// database returns the database of a connection of %%sql. If creates is set, a missing file is
// created.
func database(connection any, creates bool) (*sql.DB, error) {
	databases.Lock()
	defer databases.Unlock()
	switch connection := connection.(type) {
	case *sql.DB:
		if connection == nil {
			return nil, errors.New("the database is nil")
		}
		databases.last = connection
	case string:
		if connection == "" {
			break
		}
		driver, source, err := dataSource(connection)
		if err != nil {
			return nil, err
		}
		db := databases.open[[2]string{driver, source}]
		if db == nil {
			if path, _, _ := strings.Cut(source, "?"); driver == "sqlite" && source != memory && !creates {
				if _, err := os.Stat(path); err != nil {
					return nil, fmt.Errorf("no database %s: a CREATE statement creates it", connection)
				}
			}
			if db, err = sql.Open(driver, source); err != nil {
				return nil, err
			}
			if source == memory {
				db.SetMaxOpenConns(1) // each connection would have its own database
			}
			if databases.open == nil {
				databases.open = map[[2]string]*sql.DB{}
			}
			databases.open[[2]string{driver, source}] = db
		}
		databases.last = db
	default:
		return nil, fmt.Errorf("got %T, want a *sql.DB or the name of a database", connection)
	}
	if databases.last == nil {
		return nil, errNone
	}
	return databases.last, nil
}

// errNone is the error of the first %%sql without a database.
var errNone = errors.New("no database selected: write %%sql data.db, or %%sql :memory: for one in memory; a variable is written $name")

// memory is the data source of an SQLite database without a file.
const memory = ":memory:"

// dataSource returns the driver and data source of a connection: an SQLite file or :memory:,
// DRIVER:SOURCE, or a URL whose scheme is the name of a driver.
func dataSource(connection string) (driver, source string, err error) {
	scheme, rest, found := strings.Cut(connection, ":")
	switch {
	case connection == memory:
		return "sqlite", memory, nil
	case found && scheme == "sqlite":
		rest = strings.TrimPrefix(rest, "//")
		if rest == memory || rest == "" {
			return "sqlite", memory, nil
		}
		return sqliteFile(rest)
	case found && slices.Contains(sql.Drivers(), scheme):
		if strings.HasPrefix(rest, "//") {
			return scheme, connection, nil
		}
		return scheme, rest, nil
	case found && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\.`): // a single letter is a drive on Windows
		return "", "", fmt.Errorf("unknown driver %q, want one of %s: to add a driver, %%require its module and import it, as in import _ %q",
			scheme, strings.Join(sql.Drivers(), ", "), "github.com/lib/pq")
	}
	return sqliteFile(connection)
}

// sqliteFile returns the data source of an SQLite file by its absolute path, because the working
// directory may change.
func sqliteFile(name string) (driver, source string, err error) {
	path, options, _ := strings.Cut(name, "?")
	if path, err = magics.FileName(path); err != nil {
		return "", "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", "", fmt.Errorf("%s is a folder, want an SQLite file or %s", name, memory)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", "", &userfile.KindError{Path: name, Kind: userfile.KindOf(info.Mode())}
	}
	if options != "" {
		path += "?" + options
	}
	return "sqlite", path, nil
}
