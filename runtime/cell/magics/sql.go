package magics

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gosphere/runtime/internal/sqltext"
)

// A SQLCell is a cell of %%sql.
type SQLCell struct {
	Connection string // name of a database, or of a variable if IsVariable is set; may be ""
	IsVariable bool
	Result     string // name of the variable for the rows, or ""
	Statements string
	At         int // offset of the statements in the cell, in bytes
}

// SQLOf returns the parts of a cell of %%sql, or false for other cells.
func SQLOf(source string) (c SQLCell, ok bool) {
	for _, l := range lines(source) {
		word := strings.TrimSpace(l.text)
		if word == "" {
			continue
		}
		name, arguments := Split(word)
		if name != "%%sql" {
			return c, false
		}
		c = sqlCell(arguments)
		c.At = l.offset + len(l.text)
		c.Statements = source[c.At:]
		return c, true
	}
	return c, false
}

// sqlCell returns the parts of the first line of a cell.
func sqlCell(arguments string) (c SQLCell) {
	connection, name, _ := strings.Cut(" "+arguments, " as ")
	c.Connection, c.Result = strings.TrimSpace(connection), strings.TrimSpace(name)
	c.IsVariable = token.IsIdentifier(c.Connection) // the name of a *sql.DB
	return c
}

// sqlCall returns the call for %%sql: SQL, or Query if the result has a name. The variables of the
// statements are arguments at the positions at which the statements name them, so that errors of
// the checker point there.
func (e *expander) sqlCall(i int, arguments, body string) error {
	c := sqlCell(arguments)
	if strings.Contains(" "+arguments, " as ") && !token.IsIdentifier(c.Result) {
		return e.fail(i, fmt.Sprintf("%%%%sql CONNECTION as NAME: %q is not a valid name", c.Result))
	}
	connection := c.Connection
	if !c.IsVariable {
		connection = strconv.Quote(connection)
	}
	variables := SQLVariables(body, e.variable)
	var names []string
	for _, v := range variables {
		names = append(names, v.Name())
	}
	call := "(" + connection + ", " + strconv.Quote(body) + ", " + strconv.Quote(strings.Join(names, " "))
	line, column := -1, 0
	for _, v := range variables {
		above := strings.Count(body[:v.At], "\n")
		if line < above { // the statements begin below the line of the call
			call, line, column = call+","+strings.Repeat("\n", above-line), above, 0
		} else {
			call, column = call+",", column+1
		}
		start := strings.LastIndexByte(body[:v.At], '\n') + 1
		at := utf8.RuneCountInString(body[start:v.At]) + len(v.Text) - len(v.Name())
		call += strings.Repeat(" ", max(at-column, 0)) + v.Name()
		column = max(at, column) + utf8.RuneCountInString(v.Name())
	}
	call += ")"
	if c.Result != "" {
		e.text.WriteString(e.declared(c.Result, "Query") + call)
		return nil
	}
	e.text.WriteString(e.function("SQL") + call)
	return nil
}

// A SQLName is a variable of cells in statements.
type SQLName struct {
	Text string // with its sign, if it has one
	At   int    // offset in bytes
}

// Name returns the name of the variable.
func (n SQLName) Name() string { return strings.TrimLeft(n.Text, "$:@") }

// SQLVariables returns the variables of cells that statements name, each once in their order:
// $name, and what typeOf knows: parameters as in :name and @name, and tables by their names. typeOf
// returns the type of a variable, or nil; it may be nil.
func SQLVariables(statements string, typeOf func(name string) types.Type) (list []SQLName) {
	add := func(t sqltext.Token) {
		if !slices.ContainsFunc(list, func(other SQLName) bool { return other.Name() == t.Name() }) {
			list = append(list, SQLName{t.Text, t.At})
		}
	}
	for _, v := range sqltext.Variables(statements, "$") {
		add(v)
	}
	if typeOf != nil {
		for _, v := range sqltext.Variables(statements, ":@") {
			if typeOf(v.Name()) != nil {
				add(v)
			}
		}
		for _, statement := range sqltext.Statements(statements) {
			tables, defined := sqltext.Tables(statement)
			for _, t := range tables {
				if t.Kind == sqltext.Word && token.IsIdentifier(t.Text) && !slices.Contains(defined, t.Text) && IsTable(typeOf(t.Text)) {
					add(t.Token)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b SQLName) int { return a.At - b.At })
	return list
}

// IsTable reports whether variables of a type are tables of SQL: a *table.Table, or a slice of
// structs.
func IsTable(t types.Type) bool {
	if t == nil {
		return false
	}
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		named, ok := types.Unalias(pointer.Elem()).(*types.Named)
		return ok && named.Obj().Name() == "Table" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "gosphere/runtime/table"
	}
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	record := slice.Elem().Underlying()
	if pointer, ok := record.(*types.Pointer); ok {
		record = pointer.Elem().Underlying()
	}
	_, ok = record.(*types.Struct)
	return ok
}
