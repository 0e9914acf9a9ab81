package magics

import (
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
		if got := LastStatement(text); got != want {
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
}
