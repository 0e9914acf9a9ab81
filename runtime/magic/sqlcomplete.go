package magic

import (
	"context"
	"database/sql"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/internal/sqltext"
	"gosphere/runtime/table"
)

// keywords are those that completion offers.
var keywords = []string{
	"all", "and", "as", "asc", "between", "by", "case", "cast", "collate", "create", "cross", "delete", "desc", "distinct", "else", "end", "except", "exists",
	"filter", "from", "full", "group", "having", "in", "inner", "insert", "intersect", "into", "is", "join", "left", "like", "limit", "not", "null",
	"nulls", "offset", "on", "or", "order", "over", "partition", "recursive", "returning", "select", "set", "table", "then", "union", "update",
	"using", "values", "view", "when", "where", "window", "with",
}

// CompleteSQL returns what can be written at an offset of the statements of a cell of %%sql, and
// the offset of what it replaces: tables after FROM and JOIN, the columns of a table after its name
// and a dot, variables after a dollar sign, and elsewhere columns, functions and keywords. Names
// has the variables of the session, whose kind is "table" or "variable".
func CompleteSQL(c magics.SQLCell, at int, names map[string]string, variables map[string]any) (matches []protocol.TypedMatch, start int) {
	at = min(at, len(c.Statements))
	f := &sqlFinder{seen: map[string]bool{}}
	statement, before := around(c.Statements, at)
	start = at
	if n := len(before); n > 0 {
		switch last := before[n-1]; {
		case last.At+len(last.Text) < at:
		case last.Kind == sqltext.Comment || last.Kind == sqltext.Text:
			return nil, at
		case last.Kind == sqltext.Word, last.Kind == sqltext.Quoted:
			start, f.prefix, before = last.At, strings.TrimPrefix(last.Text, `"`), before[:n-1]
		case last.Kind == sqltext.Variable || last.Text == "$" || last.Text == ":" || last.Text == "@":
			f.prefix = last.Text[1:]
			for _, name := range slices.Sorted(maps.Keys(names)) {
				f.add(name, names[name], "")
			}
			return f.matches, last.At + 1
		}
	}
	d := &sqlScope{names: names, variables: variables}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	if db, err := peek(connectionOf(c, variables)); err == nil && db != nil && isSQLite(db) {
		d.ctx, d.db = ctx, db
	}
	f.find(d, statement, before)
	return f.matches, start
}

func connectionOf(c magics.SQLCell, variables map[string]any) any {
	if c.IsVariable {
		return variables[c.Connection]
	}
	return c.Connection
}

// around returns the tokens of the statement at an offset, and those of them before the offset. The
// last one may be a comment or end at the offset.
func around(text string, at int) (statement, before []sqltext.Token) {
	for _, t := range sqltext.Tokens(text) {
		switch {
		case t.Text == ";" && t.At >= at:
			return statement, before
		case t.Text == ";":
			statement, before = nil, nil
			continue
		case t.Kind == sqltext.Comment && t.At < at && at <= t.At+len(t.Text), t.Kind != sqltext.Space && t.Kind != sqltext.Comment:
			if t.At < at {
				before = append(before, t)
			}
			statement = append(statement, t)
		}
	}
	return statement, before
}

// A sqlScope finds the tables of a statement and their columns.
type sqlScope struct {
	names     map[string]string
	variables map[string]any
	ctx       context.Context
	db        *sql.DB // nil for none
}

// columns returns the columns of a table and their types.
func (d *sqlScope) columns(name string) (columns, types []string) {
	if value, ok := d.variables[name]; ok {
		if t, ok := value.(*table.Table); ok && t != nil {
			return t.Columns(), t.Types()
		}
		if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
			return columnsOfStructs(v)
		}
		return nil, nil
	}
	if d.db == nil {
		return nil, nil
	}
	rows, err := d.db.QueryContext(d.ctx, "SELECT name, type FROM pragma_table_info(?)", name)
	if err != nil {
		return nil, nil
	}
	defer rows.Close()
	for rows.Next() {
		var column, kind string
		if rows.Scan(&column, &kind) == nil {
			columns, types = append(columns, column), append(types, kind)
		}
	}
	if rows.Err() != nil {
		return nil, nil
	}
	return columns, types
}

// columnsOfStructs returns the columns of a slice of structs.
func columnsOfStructs(v reflect.Value) (columns, types []string) {
	defer func() {
		if recover() != nil { // no table can be made of it
			columns, types = nil, nil
		}
	}()
	t := table.Of(v.Slice(0, 0).Interface())
	return t.Columns(), t.Types()
}

// tables returns the names of all tables.
func (d *sqlScope) tables() (names []string) {
	for name, kind := range d.names {
		if kind == "table" {
			names = append(names, name)
		}
	}
	if d.db != nil {
		if more, err := tablesOf(d.ctx, d.db); err == nil {
			names = append(names, more...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A sqlFinder collects completions.
type sqlFinder struct {
	prefix  string
	matches []protocol.TypedMatch
	seen    map[string]bool
}

// add adds a name if it begins with the prefix, ignoring case. Names with other characters than
// those of words are quoted.
func (f *sqlFinder) add(name, kind, signature string) {
	if f.seen[name] || len(name) < len(f.prefix) || !strings.EqualFold(name[:len(f.prefix)], f.prefix) {
		return
	}
	f.seen[name] = true
	text := name
	if tokens := sqltext.Tokens(name); len(tokens) != 1 || tokens[0].Kind != sqltext.Word {
		text = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	f.matches = append(f.matches, protocol.TypedMatch{Text: text, Type: kind, Signature: signature})
}

// find adds what can follow tokens of a statement.
func (f *sqlFinder) find(d *sqlScope, statement, before []sqltext.Token) {
	var last sqltext.Token
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	tables, defined := sqltext.Tables(statement)
	addColumns := func(name string) {
		columns, types := d.columns(name)
		for i, column := range columns {
			f.add(column, "field", types[i])
		}
	}
	switch {
	case last.Text == "." && len(before) > 1:
		owner := before[len(before)-2].Name()
		for _, t := range tables {
			if strings.EqualFold(t.Alias, owner) || strings.EqualFold(t.Name(), owner) {
				addColumns(t.Name())
			}
		}
		return
	case last.Is("from", "join", "into", "update") || last.Text == "," && inTables(before):
		for _, name := range append(d.tables(), defined...) {
			f.add(name, "class", "")
		}
		return
	}
	for _, t := range tables {
		addColumns(t.Name())
	}
	for _, t := range tables {
		f.add(t.Name(), "class", "")
		if t.Alias != "" {
			f.add(t.Alias, "class", t.Name())
		}
	}
	if f.prefix == "" {
		return
	}
	for _, name := range sqltext.Functions {
		f.add(name, "function", "")
	}
	for _, word := range keywords {
		f.add(word, "keyword", "")
	}
}

// inTables reports whether tokens end in a list of tables.
func inTables(before []sqltext.Token) bool {
	for _, t := range slices.Backward(before) {
		switch {
		case t.Is("from"):
			return true
		case t.Is("select", "where", "by", "on", "set", "values", "having"), t.Text == "(", t.Text == ")":
			return false
		}
	}
	return false
}
