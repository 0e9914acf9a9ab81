package magic

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTheLastStatementOfSQL(t *testing.T) {
	for text, want := range map[string]string{
		"select 1":                        "select 1",
		"create table a(b); select ';' ;": "select ';'",
		"select 1 -- the last;\n":         "select 1",
		"/* a; b */ insert into \"x;y\"":  "insert into \"x;y\"",
		"select 'it''s; fine'":            "select 'it''s; fine'",
		" ;; -- nothing":                  "",
		"/* open":                         "",
		"select 'open":                    "select 'open",
	} {
		if got := lastStatement(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestVariablesOfSQL(t *testing.T) {
	for text, want := range map[string]string{
		"select * from $sales where units > $least or units < $least": "sales least",
		"select '$a', \"$b\", `$c` -- $d\n from $e /* $f */":          "e",
		"select $1, $2, $":                    "",
		"create function f() $body$ x $body$": "",
		"from $größe":                         "größe",
		"/* $a":                               "",
	} {
		if got := strings.Join(sqlVariables(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	e, err := Expand("%%sql :memory: as top\nselect * from $sales\n")
	if want := `Query(":memory:", "select * from $sales\n", "sales", sales)`; err != nil || !strings.Contains(e.Source, want) {
		t.Errorf("%s, %v", e.Source, err)
	}
	for text, want := range map[string]bool{"select * from 'a.parquet'": true, "from a": false, "JOIN \"x/b.csv.gz\" on": true, "where a = 'b.csv'": false} {
		if readsFile(text) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}

func TestConnectionsOfSQL(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.db")
	for connection, want := range map[string]string{
		":memory:":         "sqlite :memory:",
		"sqlite::memory:":  "sqlite :memory:",
		file:               "sqlite " + file,
		"sqlite://" + file: "sqlite " + file,
		file + "?mode=ro":  "sqlite " + file + "?mode=ro",
	} {
		driver, source, err := dataSource(connection)
		if got := driver + " " + source; err != nil || got != want {
			t.Errorf("%s: got %s, %v", connection, got, err)
		}
	}
	for connection, want := range map[string]string{
		"postgres://u@h/d": `unknown driver "postgres", want one of`,
		folder:             "is a folder, want an SQLite file or :memory:",
	} {
		if _, _, err := dataSource(connection); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", connection, err)
		}
	}
}
