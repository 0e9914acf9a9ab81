package session

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gosphere/kernel/protocol"
)

// shop are cells that declare what the tests of SQL use.
var shop = []string{
	"type Sale struct { Region string; Price float64; Units int }",
	"sales := []Sale{{\"north\", 2.5, 3}, {\"south\", 1, 4}}\nregions := table.New(\"name\", \"boss\")\nregions.Append(\"north\", \"Ann\")\nleast, names := 3, []string{\"a\"}",
}

func TestSQLUsesVariablesByTheirNames(t *testing.T) {
	s := newTestSession(t)
	t.Chdir(t.TempDir())
	playCells(s, shop...)
	shown, _ := playCells(s,
		"%%sql as a\nselect boss, Price from sales join regions on name = Region",
		"a.Len(), a.At(0, \"boss\")",
		"%%sql as b\nselect count(*) as n from sales s where Units > :least and s.Price < @least",
		"b.At(0, \"n\")",
		"%%sql a.db\ncreate table sales as select Region from $sales where Units > :least; create table log (n)",
		"%%sql a.db as c\nselect * from sales", // that of the database
		"c.Columns(), c.Len()",
		"%%sql\ninsert into log values (:least), ($least + 1)",
		"%%sql as d\nselect sum(n) as n from log",
		"d.At(0, \"n\")",
		"%%sql as e\nwith regions as (select 7 as n) select n from regions",
		"e.At(0, \"n\")",
		"%%sql a.db\ndelete from sales where Region like 'so%'",
	)
	for i, want := range []string{"", "= 1\nAnn\n", "", "= 1\n", "", "", "= [Region]\n1\n", "2 rows changed\n", "", "= 7\n", "", "= 7\n", "1 row changed\n"} {
		if shown[i] != want {
			t.Errorf("cell %d shows %q, want %q", i, shown[i], want)
		}
	}
}

func TestSQLIsCheckedBeforeItRuns(t *testing.T) {
	s := newTestSession(t)
	t.Chdir(t.TempDir())
	playCells(s, shop...)
	playCells(s, "%%sql b.db\ncreate table log (number)")
	for code, want := range map[string]string{
		"%%sql\nselect Price\nfrom sales\nwhere Unit > 3":                "line 4, column 7: no such column: Unit\n    where Unit > 3\n          ^\n    hint: did you mean Units?",
		"%%sql\nselect s.Prise from sales s":                             "line 2, column 10: no such column: s.Prise\n    select s.Prise from sales s\n             ^\n    hint: did you mean Price?",
		"%%sql\nselect 'ü', bos from $regions":                           "line 2, column 13: no such column: bos\n    select 'ü', bos from $regions\n                ^\n    hint: did you mean boss?",
		"%%sql\nselect 1 from regoins":                                   "line 2, column 15: no such table: regoins",
		"%%sql\nselect 1\n  from $regoins":                               "line 3, column 9: undefined: regoins\n      from $regoins\n            ^\n    hint: did you mean regions?",
		"%%sql\nselect 1 from regions where name = :leest":               "line 2, column 36: no variable leest",
		"%%sql\nselect 1 from sales where Units > least":                 "line 2, column 35: no such column: least\n    select 1 from sales where Units > least\n                                      ^\n    hint: the columns of sales are Region, Price, Units",
		"%%sql b.db\ninsert into log values (1); select nmuber from log": "line 2, column 36: no such column: nmuber",
	} {
		_, replies := playCells(s, code)
		if trace := strings.Join(replies[0].Traceback, "\n"); replies[0].Ename != "compile error" || !strings.Contains(trace, want) {
			t.Errorf("%q shows %s, want %s", code, trace, want)
		}
	}
	shown, _ := playCells(s, "%%sql b.db as n\nselect count(*) as n from log", "n.At(0, \"n\")")
	if shown[1] != "= 0\n" {
		t.Errorf("a statement before a mistake has run: %s", shown)
	}
}

func TestSQLIsCompleted(t *testing.T) {
	s := newTestSession(t)
	t.Chdir(t.TempDir())
	playCells(s, shop...)
	playCells(s, "%%sql c.db\ncreate table logs (number int, \"a b\" text)")
	for code, want := range map[string]string{ // | is the cursor
		"%%sql\nselect Pric| from sales":                    "Price",
		"%%sql\nselect s.| from sales s join regions":       "Region Price Units",
		"%%sql\nselect boss from reg|":                      "regions",
		"%%sql\nselect boss from regions join sa|":          "sales",
		"%%sql\nselect boss from |":                         "logs regions sales",
		"%%sql\nselect boss from regions, s|":               "sales",
		"%%sql\nselect boss from $r|":                       "regions",
		"%%sql\nselect boss from regions where name = :le|": "least",
		"%%sql c.db\nselect num| from logs":                 "number",
		"%%sql c.db\nselect logs.a| from logs":              `"a b"`,
		"%%sql\nselect strf| from logs":                     "strftime",
		"%%sql\nselect 1; sel| ":                            "select",
		"%%sql\nselect 'Pri|' from sales":                   "",
		"%%sql\nselect 1 -- Pri|":                           "",
		"%%sql\nselect \"ü\", bo| from regions":             "boss",
		"%%sq|":                                             "%%sql",
	} {
		at := strings.Index(code, "|")
		reply := s.Complete(protocol.CompleteRequest{Code: strings.Replace(code, "|", "", 1), CursorPos: utf8.RuneCountInString(code[:at])})
		if got := strings.Join(reply.Matches, " "); got != want && !(want == "boss" && strings.HasPrefix(got, "boss")) {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
		if want := "Price"; len(reply.Matches) == 1 && reply.Matches[0] == want && reply.CursorEnd-reply.CursorStart != 4 && !strings.Contains(code, "strf") {
			t.Errorf("%q: replaces %d to %d", code, reply.CursorStart, reply.CursorEnd)
		}
	}
}
