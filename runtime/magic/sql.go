package magic

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/userfile"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/display"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/table"
)

// databases are the databases opened by %%sql, by driver and data source.
var databases struct {
	sync.Mutex
	open map[[2]string]*sql.DB
	last *sql.DB // used by the last %%sql
}

// SQL implements %%sql: it runs statements and shows the rows of the last one, or the number of
// rows changed. The connection is a *sql.DB or the name of a database; "" selects the previous one.
// After the statements follow names and values of the variables in them: tables and parameters, as
// table.SQL describes.
func SQL(connection any, statements string, variables ...any) {
	t, changed, err := runSQL(connection, statements, variables)
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
func Query(connection any, statements string, variables ...any) *table.Table {
	t, _, err := runSQL(connection, statements, variables)
	if err == nil && t == nil {
		err = errors.New("the last statement returns no rows")
	}
	raise("%%sql", err)
	return t
}

func runSQL(connection any, statements string, variables []any) (t *table.Table, changed int64, err error) {
	last := magics.LastStatement(statements)
	if last == "" {
		return nil, 0, errors.New("no statement below the first line")
	}
	db, err := database(connection, strings.Contains(strings.ToLower(statements), "create"))
	if errors.Is(err, errNone) && (len(variables) > 0 || readsFile(statements)) {
		err = nil // a database in memory
	}
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := untilStopped()
	defer cancel()
	if db == nil || len(variables) > 0 || readsFile(statements) {
		if !givesRows(last) {
			return nil, 0, errors.New("variables and files are only read: the last statement has to return rows")
		}
		with := table.With{}
		for i := 0; i+1 < len(variables); i += 2 {
			with[fmt.Sprint(variables[i])] = variables[i+1]
		}
		t, err := table.QueryWith(ctx, db, statements, with)
		return t, 0, err
	}
	if givesRows(last) {
		rows, err := db.QueryContext(ctx, statements)
		if err != nil {
			return nil, 0, err
		}
		t, err := table.FromRows(rows)
		return t, 0, err
	}
	result, err := db.ExecContext(ctx, statements)
	if err != nil {
		return nil, 0, err
	}
	if word := firstWord(last); word == "insert" || word == "update" || word == "delete" || word == "replace" {
		changed, _ = result.RowsAffected() // some drivers do not report it
	}
	return nil, changed, nil
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

// fileInSQL matches the name of a file after from and join.
var fileInSQL = lazyregexp.New(`(?i)\b(from|join)\s+['"][^'"]+\.(csv|tsv|jsonl?|ndjson|parquet|xlsx)(\.gz|\.zst|\.zip)?['"]`)

// readsFile reports whether statements read a file, as in from 'sales.parquet'.
func readsFile(statements string) bool { return fileInSQL.MatchString(statements) }

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

// givesRows reports whether a statement returns rows.
func givesRows(statement string) bool {
	switch strings.TrimLeft(firstWord(statement), "(") {
	case "select", "with", "values", "pragma", "explain", "show", "describe", "desc", "table":
		return true
	}
	return strings.Contains(strings.ToLower(statement), "returning")
}

// firstWord returns the first word of a statement in lower case.
func firstWord(statement string) string {
	word, _ := magics.Split(statement)
	return strings.ToLower(word)
}
