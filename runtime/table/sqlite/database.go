package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gosphere/internal/userfile"
	"gosphere/runtime/internal/spelling"
	"gosphere/runtime/table"
)

func init() {
	for _, extension := range []string{".sqlite", ".sqlite3", ".db"} {
		table.RegisterFormat(extension, table.Format{
			Read:      func(r io.ReaderAt, size int64) (*table.Table, error) { return readContent(r, size, "") },
			ReadPart:  readContent,
			ReadFile:  readFile,
			WriteFile: writeFile,
		})
	}
}

// readFile reads a table of a database in a file, the only one without a name. The file is opened
// for reading, by SQLite itself, because a log beside it may have the latest changes.
func readFile(path, name string) (*table.Table, error) {
	file, err := userfile.Open(path) // a clear error for what is no file
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	db, err := open(path, "ro")
	if err != nil {
		return nil, err
	}
	t, err := read(db, name)
	return t, errors.Join(err, db.Close())
}

// open opens the database of a file. The mode is ro or rwc.
func open(path, mode string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	absolute = filepath.ToSlash(absolute)
	if !strings.HasPrefix(absolute, "/") { // C:/a.sqlite
		absolute = "/" + absolute
	}
	return sql.Open("sqlite", "file://"+(&url.URL{Path: absolute}).EscapedPath()+"?mode="+mode+"&_pragma=busy_timeout(5000)&_pragma=trusted_schema(off)")
}

// readContent reads a table of a database that is in memory as the bytes of its file.
func readContent(r io.ReaderAt, size int64, name string) (t *table.Table, err error) {
	content := make([]byte, size)
	if _, err := r.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !strings.HasPrefix(string(content), "SQLite format 3\x00") {
		return nil, errors.New("it is no database of SQLite")
	}
	if len(content) > 19 && content[18] == 2 && content[19] == 2 {
		content[18], content[19] = 1, 1 // the latest changes may be in a log, which a copy does not have
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // another connection would have another database
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	err = conn.Raw(func(driver any) error {
		d, ok := driver.(interface{ Deserialize(content []byte) error })
		if !ok {
			return fmt.Errorf("the driver %T reads files alone", driver)
		}
		return d.Deserialize(content)
	})
	if err = errors.Join(err, conn.Close()); err != nil {
		return nil, err
	}
	if _, err := db.Exec("PRAGMA trusted_schema = off"); err != nil {
		return nil, err
	}
	return read(db, name)
}

// read reads a table of a database, the only one without a name.
func read(db *sql.DB, name string) (*table.Table, error) {
	names, err := namesOf(db)
	if err != nil {
		return nil, err
	}
	switch {
	case name == "" && len(names) == 0:
		return nil, errors.New("the database has no tables")
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("the database has the tables %s: name one after the file, as in a.sqlite/%s", strings.Join(names, ", "), names[0])
	case name == "":
		name = names[0]
	case !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }):
		if near := spelling.Nearest(name, names); near != "" {
			return nil, fmt.Errorf("the database has no table %q; did you mean %s?", name, near)
		}
		return nil, fmt.Errorf("the database has no table %q; its tables are %s", name, strings.Join(names, ", "))
	}
	return table.Query(db, "SELECT * FROM "+quoted(name))
}

// namesOf returns the names of the tables and views of a database.
func namesOf(db *sql.DB) (names []string, err error) {
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid")
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

// writeFile writes a table into the database of a file, in place of a table of the same name. The
// other tables stay. Without a name the table has that of the file.
func writeFile(path, name string, t *table.Table) error {
	if err := userfile.CheckPlace(path); err != nil {
		return err
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	db, err := open(path, "rwc")
	if err != nil {
		return err
	}
	err = table.Database{DB: db, Replace: true}.Write(name, t)
	return errors.Join(err, db.Close())
}

// A dialect has the types of columns and the form of arguments of a database.
type dialect struct {
	types    map[string]string
	numbered bool // $1 instead of ?
	quote    string
	lite     bool
}

var (
	sqliteTypes = map[string]string{
		"int": "INTEGER", "float64": "REAL", "bool": "BOOLEAN", "time.Time": "DATETIME", "time.Duration": "INTEGER",
	}
	standardTypes = map[string]string{
		"int": "BIGINT", "float64": "DOUBLE PRECISION", "bool": "BOOLEAN", "time.Time": "TIMESTAMP", "time.Duration": "BIGINT",
	}
)

// dialectOf returns the dialect of a database by the package of its driver.
func dialectOf(db *sql.DB) dialect {
	t := reflect.TypeOf(db.Driver())
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch path := t.PkgPath(); {
	case strings.Contains(path, "sqlite"):
		return dialect{sqliteTypes, false, `"`, true}
	case strings.Contains(path, "mysql"):
		return dialect{standardTypes, false, "`", false}
	case strings.HasSuffix(path, "/pq") || strings.Contains(path, "pgx"):
		return dialect{standardTypes, true, `"`, false}
	}
	return dialect{standardTypes, false, `"`, false}
}

func (d dialect) name(name string) string {
	return d.quote + strings.ReplaceAll(name, d.quote, d.quote+d.quote) + d.quote
}

// Write implements table.Engine.
func (engine) Write(ctx context.Context, d table.Database, name string, t *table.Table) (err error) {
	if d.DB == nil {
		return errors.New("the database is nil")
	}
	if len(t.Columns()) == 0 {
		return errors.New("a table of a database has columns, this table has none")
	}
	if _, err := sourceOf(name, t); err != nil { // columns that are one in SQL
		return err
	}
	dialect := dialectOf(d.DB)
	tx, err := d.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if d.Replace {
		if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+dialect.name(name)); err != nil {
			return err
		}
	}
	if !d.Append {
		if _, err := tx.ExecContext(ctx, dialect.create(name, t)); err != nil {
			return err
		}
	}
	if err := dialect.insert(ctx, tx, name, t); err != nil {
		return err
	}
	return tx.Commit()
}

// create returns the statement that creates a table.
func (d dialect) create(name string, t *table.Table) string {
	columns, kinds := make([]string, len(t.Columns())), t.Types()
	for k, column := range t.Columns() {
		columns[k] = d.name(column) + " " + kindOf(d.types, kinds[k])
	}
	return "CREATE TABLE " + d.name(name) + " (" + strings.Join(columns, ", ") + ")"
}

// kindOf returns the type of a column in SQL. Texts, categories and JSON are TEXT.
func kindOf(types map[string]string, kind string) string {
	if kind := types[kind]; kind != "" {
		return kind
	}
	return "TEXT"
}

// insert inserts all rows.
func (d dialect) insert(ctx context.Context, tx *sql.Tx, name string, t *table.Table) (err error) {
	columns, places := make([]string, len(t.Columns())), make([]string, len(t.Columns()))
	for k, column := range t.Columns() {
		columns[k], places[k] = d.name(column), "?"
		if d.numbered {
			places[k] = fmt.Sprintf("$%d", k+1)
		}
	}
	statement, err := tx.PrepareContext(ctx, "INSERT INTO "+d.name(name)+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(places, ", ")+")")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	kinds, row := t.Types(), make([]any, len(columns))
	for i := range t.Len() {
		for k, value := range t.Row(i) {
			if row[k] = value; value != nil && (d.lite || standardTypes[kinds[k]] == "" || kinds[k] == "time.Duration") {
				if row[k], err = stored(value); err != nil {
					return fmt.Errorf("column %q, row %d: %w", t.Columns()[k], i, err)
				}
			}
		}
		if _, err := statement.ExecContext(ctx, row...); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}
