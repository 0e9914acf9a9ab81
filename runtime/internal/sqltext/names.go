package sqltext

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Table is a table that a statement names after FROM, JOIN, INTO or UPDATE.
type Table struct {
	Token        // with the name
	Alias string // other name in the statement, or ""
}

// IsFile reports whether a table is one of a file, as in from 'sales.parquet'.
func (t Table) IsFile() bool { return (t.Kind == Text || t.Kind == Quoted) && isFile(t.Name()) }

// fileEndings are the endings of files that statements read.
var fileEndings = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"}

func isFile(name string) bool {
	ending := strings.ToLower(filepath.Ext(name))
	if ending == ".gz" || ending == ".zst" || ending == ".zip" {
		ending = strings.ToLower(filepath.Ext(name[:len(name)-len(ending)]))
	}
	return slices.Contains(fileEndings, ending)
}

// afterTables are the words that end a list of tables or follow a table without alias.
var afterTables = []string{"where", "group", "order", "limit", "having", "window", "union", "intersect", "except", "returning",
	"set", "values", "select", "default", "on", "using", "join", "left", "right", "inner", "outer", "full", "cross", "natural", "indexed", "not", "as"}

// Tables returns the tables of a statement in their order, and the names that it defines itself in
// WITH.
func Tables(statement []Token) (tables []Table, defined []string) {
	defined = definitions(statement)
	for i := 0; i < len(statement); i++ {
		from, into := statement[i].Is("from"), statement[i].Is("into")
		if !from && !into && !statement[i].Is("join", "update") {
			continue
		}
		for i++; i < len(statement); i++ {
			var found *Table
			found, i = tableAt(statement, i, into)
			if found != nil {
				tables = append(tables, *found)
			}
			if !from || i >= len(statement) || statement[i].Text != "," {
				break
			}
		}
		i-- // the token after the table may begin another one
	}
	return tables, defined
}

// tableAt returns the table at a position, or nil for a query in parentheses, a function or the
// table of a schema. It also returns the position after it and its alias. The table of INTO may
// have columns in parentheses.
func tableAt(statement []Token, i int, into bool) (*Table, int) {
	at := statement[i]
	if at.Kind == Sign || at.Kind == Space || at.Is("select", "values", "or") {
		return nil, i
	}
	i++
	switch {
	case i < len(statement) && (statement[i].Text == "." || statement[i].Text == "(" && !into):
		return nil, i
	case at.Kind == Word && slices.Contains(afterTables, strings.ToLower(at.Text)):
		return nil, i
	}
	t := &Table{Token: at}
	if i < len(statement) && statement[i].Is("as") {
		i++
		if i < len(statement) {
			t.Alias = statement[i].Name()
			i++
		}
	} else if i < len(statement) && isName(statement[i]) {
		t.Alias = statement[i].Name()
		i++
	}
	return t, i
}

func isName(t Token) bool {
	return t.Kind == Quoted || t.Kind == Word && !slices.Contains(afterTables, strings.ToLower(t.Text)) && (t.Text[0] < '0' || t.Text[0] > '9')
}

// definitions returns the names that a statement defines in WITH: each is followed by AS and a
// query in parentheses, or has its columns in between.
func definitions(statement []Token) (names []string) {
	if len(statement) == 0 || !statement[0].Is("with") && !slices.ContainsFunc(statement, func(t Token) bool { return t.Is("with") }) {
		return nil
	}
	for i := range statement {
		if statement[i].Kind != Word && statement[i].Kind != Quoted {
			continue
		}
		j := i + 1
		if j < len(statement) && statement[j].Text == "(" { // columns
			for j < len(statement) && statement[j].Text != ")" {
				j++
			}
			j++
		}
		if j < len(statement) && statement[j].Is("as") {
			j++
			for j < len(statement) && statement[j].Is("not", "materialized") {
				j++
			}
			if j < len(statement) && statement[j].Text == "(" {
				names = append(names, statement[i].Name())
			}
		}
	}
	return names
}

// Variables returns the variables that are written with one of the signs, each name once at its
// first position.
func Variables(text, signs string) (list []Token) {
	for _, t := range Tokens(text) {
		if t.Kind == Variable && strings.Contains(signs, t.Text[:1]) &&
			!slices.ContainsFunc(list, func(other Token) bool { return other.Name() == t.Name() }) {
			list = append(list, t)
		}
	}
	return list
}

// Files returns the tables of a text that are files.
func Files(text string) (list []Table) {
	for _, statement := range Statements(text) {
		tables, _ := Tables(statement)
		for _, t := range tables {
			if t.IsFile() {
				list = append(list, t)
			}
		}
	}
	return list
}

// ReturnsRows reports whether a statement returns rows, judging by its words.
func ReturnsRows(statement string) bool {
	tokens := Meaningful(Tokens(statement))
	for len(tokens) > 0 && tokens[0].Text == "(" {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return false
	}
	if tokens[0].Is("with") { // with … insert is one that changes rows
		for depth, i := 0, 0; i < len(tokens); i++ {
			switch {
			case tokens[i].Text == "(":
				depth++
			case tokens[i].Text == ")":
				depth--
			case depth == 0 && tokens[i].Is("insert", "update", "delete", "replace"):
				return slices.ContainsFunc(tokens, func(t Token) bool { return t.Is("returning") })
			}
		}
		return true
	}
	return tokens[0].Is("select", "values", "pragma", "explain", "show", "describe", "desc", "table") ||
		slices.ContainsFunc(tokens, func(t Token) bool { return t.Is("returning") })
}

// Functions are the functions of SQLite that queries use most.
var Functions = []string{
	"abs", "avg", "ceil", "char", "coalesce", "concat", "count", "date", "datetime", "dense_rank", "exp", "first_value", "floor", "format", "glob",
	"group_concat", "hex", "ifnull", "iif", "instr", "json_array_length", "json_each", "json_extract", "julianday", "lag", "last_value", "lead", "length",
	"like", "ln", "log", "lower", "ltrim", "max", "min", "mod", "nth_value", "ntile", "nullif", "percent_rank", "pow", "printf", "quote", "random", "rank",
	"replace", "round", "row_number", "rtrim", "sign", "sqrt", "strftime", "string_agg", "substr", "sum", "time", "timediff", "total", "trim", "typeof",
	"unicode", "unixepoch", "upper",
}
