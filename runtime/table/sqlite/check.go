package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modernc.org/sqlite"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/spelling"
	"gosphere/runtime/internal/sqltext"
	"gosphere/runtime/table"
)

// Check implements table.Engine. SQLite compiles each statement and explains it, which reads no
// rows. Statements that read files are not checked, because their columns are known only after the
// files have been read.
func (engine) Check(ctx context.Context, db *sql.DB, statements string, with table.With) error {
	if len(sqltext.Files(statements)) > 0 {
		return nil
	}
	var found error
	err := using(ctx, db, statements, with, func(q *prepared) error {
		for _, statement := range sqltext.Statements(statements) {
			if !statement[0].Is("select", "with", "values", "insert", "update", "delete", "replace") {
				return nil // it may change the tables of the next one
			}
			if found = q.compile(ctx, statements, statement); found != nil {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil // running the statements reports it
	}
	return found
}

// compile returns a *table.SQLError if SQLite refuses a statement.
func (q *prepared) compile(ctx context.Context, statements string, statement []sqltext.Token) error {
	rows, err := q.conn.QueryContext(ctx, "EXPLAIN "+q.text(sqltext.Tokens(sqltext.Source(statements, statement))), q.parameters...)
	if err == nil {
		err = rows.Close()
	}
	if problem := (*table.SQLError)(nil); errors.As(q.explainIn(ctx, statement, err), &problem) {
		return problem
	}
	return q.doubtful(ctx, statement)
}

// errorInText is the code of SQLite for errors in the text of a statement.
const errorInText = 1

var (
	unknownName = lazyregexp.New(`(?s)(no such column|no such table|no such function|ambiguous column name|wrong number of arguments to function|has no column named):? "?(.+?)"?(?:\(\))? \(1\)$`)
	nearToken   = lazyregexp.New(`(?s)near "(.+)": syntax error`)
	unbound     = lazyregexp.New(`missing (?:named )?argument[^"]*"?[:@$]?([^"]*)"?`)
)

// explain returns an error of SQLite as a *table.SQLError if it is one in the text.
func (q *prepared) explain(ctx context.Context, err error) error {
	var all []sqltext.Token
	for _, statement := range sqltext.Statements(sqltextOf(q.tokens)) {
		all = append(all, statement...)
	}
	return q.explainIn(ctx, all, err)
}

func sqltextOf(tokens []sqltext.Token) string {
	var text strings.Builder
	for _, t := range tokens {
		text.WriteString(t.Text)
	}
	return text.String()
}

// explainIn is like explain for an error of one statement.
func (q *prepared) explainIn(ctx context.Context, statement []sqltext.Token, err error) error {
	if err == nil || len(statement) == 0 {
		return err
	}
	var failure *sqlite.Error
	if match := unbound.FindStringSubmatch(err.Error()); match != nil {
		return q.undefined(statement, err)
	}
	if !errors.As(err, &failure) || failure.Code()&0xff != errorInText {
		return err
	}
	problem := &table.SQLError{At: statement[0].At, Message: strings.TrimSuffix(strings.TrimPrefix(err.Error(), "SQL logic error: "), " (1)")}
	if match := nearToken.FindStringSubmatch(err.Error()); match != nil {
		for _, t := range statement {
			if t.Text == match[1] {
				problem.At = t.At
				break
			}
		}
	}
	match := unknownName.FindStringSubmatch(err.Error())
	if match == nil {
		return problem
	}
	name := match[2]
	problem.At = place(statement, name)
	switch match[1] {
	case "no such table":
		problem.Hint = q.tableHint(ctx, name)
	case "no such column", "has no column named":
		problem.Hint = q.columnHint(ctx, statement, name)
	case "no such function":
		if near := spelling.Nearest(name, functions); near != "" {
			problem.Hint = "did you mean " + near + "?"
		}
	}
	return problem
}

// place returns the offset of the last part of a name such as s.price.
func place(statement []sqltext.Token, name string) int {
	parts := strings.Split(name, ".")
	for i, t := range statement {
		if !strings.EqualFold(t.Name(), parts[len(parts)-1]) || t.Kind == sqltext.Text || i > 0 && statement[i-1].Is("as") {
			continue
		}
		qualified := i > 1 && statement[i-1].Text == "."
		if len(parts) > 1 && (!qualified || !strings.EqualFold(statement[i-2].Name(), parts[len(parts)-2])) {
			continue
		}
		return t.At
	}
	return statement[0].At
}

// undefined returns the error of the first variable without a value.
func (q *prepared) undefined(statement []sqltext.Token, err error) error {
	for _, t := range statement {
		if t.Kind != sqltext.Variable || slices.Contains(q.names, t.Name()) {
			continue
		}
		problem := &table.SQLError{At: t.At, Message: "no variable " + t.Name()}
		if near := spelling.Nearest(t.Name(), q.names); near != "" {
			problem.Hint = "did you mean " + t.Text[:1] + near + "?"
		}
		return problem
	}
	return err
}

// tableHint returns a hint for an unknown table.
func (q *prepared) tableHint(ctx context.Context, name string) string {
	known := append(slices.Sorted(maps.Keys(q.tables)), q.databaseTables(ctx)...)
	if near := spelling.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "a file is named in quotes, as in from 'sales.csv'"
	}
	return "the tables are " + strings.Join(known, ", ")
}

// databaseTables returns the names of the tables and views of the database.
func (q *prepared) databaseTables(ctx context.Context) (names []string) {
	rows, err := q.conn.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if rows.Scan(&name) == nil {
			names = append(names, name)
		}
	}
	if rows.Err() != nil {
		return nil
	}
	return names
}

// columnHint returns a hint for an unknown column of a statement.
func (q *prepared) columnHint(ctx context.Context, statement []sqltext.Token, name string) string {
	of, column, qualified := strings.Cut(name, ".")
	if !qualified {
		of, column = "", name
	}
	tables, columns := q.columns(ctx, statement, of)
	if slices.Contains(q.names, column) {
		return "the variable is written $" + column
	}
	if near := spelling.Nearest(column, columns); near != "" {
		return "did you mean " + near + "?"
	}
	if len(columns) == 0 {
		return ""
	}
	const most = 12
	list := strings.Join(columns[:min(len(columns), most)], ", ")
	if len(columns) > most {
		list += ", …"
	}
	return fmt.Sprintf("the columns of %s are %s", strings.Join(tables, " and "), list)
}

// columns returns the columns of the tables of a statement, or of one by its name or alias.
func (q *prepared) columns(ctx context.Context, statement []sqltext.Token, of string) (names, columns []string) {
	tables, _ := sqltext.Tables(statement)
	for _, t := range tables {
		if of != "" && !strings.EqualFold(t.Name(), of) && !strings.EqualFold(t.Alias, of) || slices.Contains(names, t.Name()) {
			continue
		}
		list := q.columnsOf(ctx, t.Name())
		if len(list) == 0 {
			continue
		}
		names = append(names, t.Name())
		for _, column := range list {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return names, columns
}

// columnsOf returns the columns of a table of a variable or of the database.
func (q *prepared) columnsOf(ctx context.Context, name string) (columns []string) {
	for known, t := range q.tables {
		if strings.EqualFold(known, name) {
			return t.Columns()
		}
	}
	rows, err := q.conn.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", name)
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var column string
		if rows.Scan(&column) == nil {
			columns = append(columns, column)
		}
	}
	if rows.Err() != nil {
		return nil
	}
	return columns
}

// doubtful returns an error for a name in double quotes that is no column but resembles one. SQLite
// takes it for a text.
func (q *prepared) doubtful(ctx context.Context, statement []sqltext.Token) error {
	var columns []string
	for i, t := range statement {
		if t.Kind != sqltext.Quoted || t.Text[0] != '"' || i > 0 && (statement[i-1].Text == "." || statement[i-1].Is("as")) {
			continue
		}
		if columns == nil {
			_, columns = q.columns(ctx, statement, "")
		}
		near := spelling.Nearest(t.Name(), columns)
		named := func(other sqltext.Token) bool { // a table, an alias or another column of the statement
			return other.At != t.At && strings.EqualFold(other.Name(), t.Name())
		}
		if near == "" || slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, t.Name()) }) || slices.ContainsFunc(statement, named) {
			continue
		}
		return &table.SQLError{At: t.At, Message: "no such column: " + t.Name(), Hint: fmt.Sprintf("did you mean %s? a text has single quotes", near)}
	}
	return nil
}

// functions are those of SQLite that hints suggest and completion offers.
var functions = sqltext.Functions
