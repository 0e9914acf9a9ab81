package session

import (
	"context"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

func TestSQLInCells(t *testing.T) {
	s := newTestSession(t)
	t.Chdir(t.TempDir())
	shown, _ := playCells(s,
		"import _ \"modernc.org/sqlite\"\ndb, _ := sql.Open(\"sqlite\", \"a.db\")\ndb.Exec(\"create table t(a, b); insert into t values (1, 'x'), (2, null)\")",
		"db.Query(\"select * from t\")",
		"%%sql db as rows\nselect a from t where a > 1",
		"rows.Floats(\"a\")",
		"%%sql a.db\ninsert into t values (3, 'κ')",
		"%%sql\nselect max(a) as largest from t",
		"%%sql none.db\nselect 1",
		"%%sql db as 1\nselect 1",
		"%%sql 5 5\nselect 1",
		"db.Close()",
	)
	for i, want := range []string{
		"= 2 rows affected, last id 2\n", "= a  b\n1  x\n2  NULL\n", "", "= [2]\n", "1 row changed\n", "",
		"no database none.db: a CREATE statement creates it", "\"1\" is not a valid name", "no database 5 5", "",
	} {
		if got := shown[i]; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("cell %d shows %q, want %q", i, got, want)
		}
	}
}

func TestCaptureKeepsWhatACellShows(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s,
		"%%capture out\nx := 5\nfmt.Print(\"a\")\nfmt.Fprint(os.Stderr, \"b\")\ndisplay.Markdown(\"c\")\nx",
		"out.Stdout(), out.Stderr(), x",
		"out",
		"%%capture\nfmt.Println(\"gone\")\n%env A=b\nx",
		"fmt.Println(\"shown\")",
		"out.Show()",
		"%%capture 1\nx",
		"%%html\n<b>x</b>",
		"%%latex x\ny",
	)
	for i, want := range []string{"", "= a\nb\n5\n", "= abc\n5\n", "", "shown\n", "ab", "\"1\" is not a valid name", "", "unexpected argument \"x\""} {
		if got := shown[i]; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("cell %d shows %q, want %q", i, got, want)
		}
	}
}

func TestALastLineOfSeveralValuesShowsThemAll(t *testing.T) {
	s := newTestSession(t)
	shown, replies := playCells(s,
		"a, b := 1, \"two\"\na, b",
		"a, nil, 'x', []int{1}, func() int { return 3 }(),\n\t1.5",
		"a, undefined",
		"a, fmt.Sscan(\"\")",
		"[]any{a, b}",
		"strings.Lines(\"a\\nb\")",
	)
	for i, want := range []string{"= 1\ntwo\n", "= 1\n<nil>\n120\n[1]\n3\n1.5\n", "undefined: undefined", "multiple-value", "= [1 two]\n", "= [a\n b]\n"} {
		if !strings.Contains(shown[i], want) {
			t.Errorf("cell %d shows %q, want %q", i, shown[i], want)
		}
	}
	if replies[2].Status == "ok" {
		t.Error("a name that is not declared is a value")
	}
	var places []string
	s.Execute(context.Background(), protocol.ExecuteRequest{Code: "a, undefined"}, func(c protocol.Content) {
		if e, ok := c.(protocol.Error); ok {
			places = e.Traceback
		}
	})
	if text := strings.Join(places, "\n"); !strings.Contains(text, "column 4") {
		t.Errorf("the error stands at %s", text)
	}
}

func TestWordsOfConsoles(t *testing.T) {
	s := newTestSession(t)
	shown, replies := playCells(s, "exit", "quit()", "help", "exit := 5\nfunc help() int { return 6 }", "exit", "help()")
	for i, leaves := range []bool{true, true, false, false, false, false} {
		if asked := len(replies[i].Payload) == 1 && replies[i].Payload[0]["source"] == "ask_exit"; asked != leaves {
			t.Errorf("cell %d: the reply holds %v", i, replies[i].Payload)
		}
	}
	if !strings.Contains(shown[2], "%timeit") || shown[4] != "= 5\n" || shown[5] != "= 6\n" {
		t.Errorf("shown %q", shown)
	}
}
