package sqltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTheLastStatement(t *testing.T) {
	for text, want := range map[string]string{
		"select 1":                        "select 1",
		"create table a(b); select ';' ;": "select ';'",
		"select 1 -- the last;\n":         "select 1",
		"/* a; b */ insert into \"x;y\"":  "insert into \"x;y\"",
		"select 'it''s; fine'":            "select 'it''s; fine'",
		"select a -- b\n, c":              "select a \n, c",
		" ;; -- nothing":                  "",
		"/* open":                         "",
		"select 'open":                    "select 'open",
		"create trigger t after insert on a begin delete from b; end": "create trigger t after insert on a begin delete from b; end",
		"select 1; create function f() $x$ a; b $x$":                  "create function f() $x$ a; b $x$",
	} {
		if got := Last(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTablesOfStatements(t *testing.T) {
	for text, want := range map[string]string{
		"select * from a": "a",
		"select * from a, b as c join d e on c.x = e.x":       "a b=c d=e",
		"select * from a left join b using (x) where y":       "a b",
		"select * from (select * from a) b, 'x.csv' t":        "a",
		"select * from main.a, json_each(b)":                  "",
		"insert into a (x) select y from \"b c\" limit 1":     "a b c",
		"update a set x = 1 from b":                           "a b",
		"insert or replace into a default values":             "a",
		"with t as (select * from a) select * from t":         "a t",
		"select * from a where x is not distinct from b":      "a b",
		"select trim(both from a) from b union select 1 from": "a b",
		"delete from [a b]":                                   "a b",
	} {
		var names []string
		tables, _ := Tables(Meaningful(Tokens(text)))
		for _, t := range tables {
			if name := t.Name(); t.Alias != "" {
				names = append(names, name+"="+t.Alias)
			} else {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if _, defined := Tables(Meaningful(Tokens("with a as (select 1), b(x) as not materialized (select cast(1 as int)) select 1"))); !slices.Equal(defined, []string{"a", "b"}) {
		t.Error(defined)
	}
}

func TestFilesOfStatements(t *testing.T) {
	for text, want := range map[string]bool{
		"select * from 'a.parquet'": true, "from a": false, "x JOIN \"x/b.csv.gz\" on": true, "where a = 'b.csv'": false, "from a, 'b.json'": true, "from 'a.db'": false,
	} {
		if got := len(Files(text)) > 0; got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestStatementsThatReturnRows(t *testing.T) {
	for text, want := range map[string]bool{
		"select 1": true, "(SELECT 1)": true, "with a as (select 1) select * from a": true, "with a as (select 1) insert into b select * from a": false,
		"insert into a values ('returning')": false, "insert into a values (1) RETURNING b": true, "create table a as select 1": false, "": false,
	} {
		if got := ReturnsRows(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, text := range []string{"select '$t' from $t", "from 'a.csv' x, \"b\" join", "/* $t", "-- x\n$t", "[a]$$ $b$ ; $b$", "with a(b) as (", "create temp trigger", "é::ü:ö@1", "''"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, at := "", 0
		for _, token := range Tokens(text) {
			if token.At != at || token.Text == "" {
				t.Fatalf("%q: %+v is not at %d", text, token, at)
			}
			_ = token.Name()
			whole, at = whole+token.Text, at+len(token.Text)
		}
		if whole != text {
			t.Errorf("%q becomes %q", text, whole)
		}
		for _, statement := range Statements(text) {
			if source := Source(text, statement); !strings.Contains(text, source) {
				t.Errorf("%q: %q", text, source)
			}
			Tables(statement)
		}
		Files(text)
		ReturnsRows(Last(text))
		for _, v := range Variables(text, "$:@") {
			if fmt.Sprint(text[v.At:v.At+len(v.Text)]) != v.Text {
				t.Errorf("%q: %+v", text, v)
			}
		}
	})
}
