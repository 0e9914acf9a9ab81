package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/table"
)

func sales() *table.Table {
	t := table.New("shop", "day", "price", "units", "paid", "wait")
	day := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	t.Append(1, day, 2.5, 3, true, time.Second)
	t.Append(2, day.In(time.FixedZone("", 3600)).Add(time.Hour), 1.0, nil, false, nil)
	t.Append(1, nil, math.Inf(1), 4, nil, time.Hour)
	return t
}

type shop struct {
	ID   int `json:"id"`
	Name string
}

func all(t *table.Table) string {
	var rows []string
	for i := range t.Len() {
		rows = append(rows, strings.TrimSuffix(fmt.Sprintln(t.Row(i)...), "\n"))
	}
	return strings.Join(t.Columns(), ",") + " " + strings.Join(t.Types(), ",") + " " + strings.Join(rows, "; ")
}

func TestQueriesSeeTablesStructsAndFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "targets.csv")
	if err := os.WriteFile(file, []byte("id,target\n1,5\n2,9\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	with := table.With{"sales": sales(), "shops": []shop{{1, "north"}, {2, "süd"}}, "least": 2, "name": "süd", "none": (*int)(nil)}
	for query, want := range map[string]string{
		"select * from sales where units is null":                                                       "shop,day,price,units,paid,wait int,time.Time,float64,any,bool,any 2 2026-01-02 04:04:05.0000006 +0000 UTC 1 <nil> false <nil>",
		"select name, sum(units) as n from sales join shops on shop = id group by 1":                    "Name,n string,int north 7; süd <nil>",
		"select count(*) as n from sales where units > :least":                                          "n int 2",
		"select id from $shops where Name = $name":                                                      "id int 2",
		"select shops.id from shops where name = 'SÜD' collate nocase or name = 'NORTH' collate nocase": "id int 1",
		"select 1 as a; select 2 as b -- from 'x.csv'":                                                  "b int 2",
		"with top as (select * from shops where id = 2.0) select name from top":                         "Name string süd",
		"select name from shops where id = '2'":                                                         "Name string süd",
		"select price from sales order by price desc limit 1":                                           "price float64 +Inf",
		"select :none is null as a":                                                                     "a int 1",
		"select target from '" + file + "' where id = 2":                                                "target int 9",
		"select sum(t.target) as s from \"" + file + "\" t join sales on t.id = shop":                   "s int 19",
		"select a.name, b.name as other from shops a join shops b on a.id < b.id":                       "Name,other string,string north süd",
		"select strftime('%Y', day) as year from sales where day > '2026-01-02 03:30'":                  "year string 2026",
	} {
		got, err := table.SQL(query, with)
		if err != nil || all(got) != want {
			t.Errorf("%s: %v, want %s", query, err, want)
			if err == nil {
				t.Error(all(got))
			}
		}
	}
}

func TestBadQueriesSayWhatIsWrong(t *testing.T) {
	nan := table.New("x")
	nan.Append(math.NaN())
	for query, want := range map[string]string{
		"select * from nowhere":        "table: SQL: SQL logic error: no such table: nowhere (1); the variables are sales",
		"select nothing from sales":    `near "nothing"`,
		"update sales set units = 1":   "readonly database",
		"select * from 'none.parquet'": "open none.parquet: no such file or directory",
		"select * from sales where":    "incomplete input",
		"select :missing":              `missing`,
	} {
		if _, err := table.SQL(query, table.With{"sales": sales()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	for want, with := range map[string]table.With{
		`the table n: column "x", row 0: SQL has no NaN: use FillNaN(nil)`: {"n": nan},
		`the columns "a" and "A" are one in SQL`:                           {"n": table.New("a", "A")},
		"the table n is nil":                                               {"n": (*table.Table)(nil)},
		"it has no columns":                                                {"n": table.New()},
		"the parameter n: SQL has no NaN":                                  {"n": math.NaN()},
	} {
		if _, err := table.SQL("select * from n", with); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAQueryReadsOnlyTheColumnsThatItNames(t *testing.T) {
	wide := table.New("x", "nan")
	wide.Append(1, math.NaN())
	wide.Append(2, 0.5)
	got, err := table.SQL("select sum(x) as sum from wide where x in (1, 2)", table.With{"wide": wide})
	if want := "sum int 3"; err != nil || all(got) != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := table.SQL("select x from wide where nan > 0", table.With{"wide": wide}); err == nil || !strings.Contains(err.Error(), `column "nan", row 0`) {
		t.Errorf("%v, want an error that names the value", err)
	}
}

func TestDatabasesAndTablesAreJoined(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table shops (id int, name text); insert into shops values (1, 'north'), (2, 'south')"); err != nil {
		t.Fatal(err)
	}
	for range 3 { // each query has tables of its own
		got, err := table.QueryWith(context.Background(), db, "select distinct name from shops join sales on id = shop where paid", table.With{"sales": sales()})
		if err != nil || all(got) != "name string north" {
			t.Error(got, err)
		}
	}
	if n := len(attached.tables); n != 0 {
		t.Errorf("%d tables are still attached", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := table.QueryWith(ctx, db, "select 1", nil); err == nil {
		t.Error("a query after the end of its context")
	}
}

// The rows that an index finds are those that SQLite finds without one.
func TestIndexesFindAllEqualValues(t *testing.T) {
	got := table.New("i", "x", "s")
	for n := range 200 {
		got.Append(n%7, float64(n%9)/2, []any{"a", "A", "1", "1.0", nil}[n%5])
	}
	got.Append(1<<53+1, 1<<53, "9007199254740993")
	plain := func(query string) string {
		with, err := table.SQL(query, table.With{"t": got})
		if err != nil {
			t.Fatal(query, err)
		}
		return all(with)
	}
	for _, column := range []string{"i", "x", "s"} {
		for _, value := range []string{"1", "1.0", "'1'", "'a'", "'1.0'", "0.5", "2", "9007199254740993", "9007199254740992.0", "'9007199254740993'", "null", "x'61'", "true"} {
			fast := plain("select count(*) as n from t where " + column + " = " + value)
			slow := plain("select count(*) as n from t where +" + column + " = cast(" + value + " as " + map[string]string{"i": "integer", "x": "real", "s": "text"}[column] + ")")
			exact := plain("select sum(case when " + column + " = " + value + " then 1 else 0 end) as n from t")
			if fast != exact {
				t.Errorf("%s = %s: %s with an index, %s without (%s with a cast)", column, value, fast, exact, slow)
			}
		}
	}
}

// FuzzRewrite checks that texts without variables and files stay as they are.
func FuzzRewrite(f *testing.F) {
	for _, text := range []string{"select '$t' from $t", "from 'a.csv'", "/* $t", "-- x\n$t", "[a]$$"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, files := rewrite(text, nil); len(files) == 0 && got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		rewrite(text, map[string]*table.Table{"t": nil, "a": table.New()})
	})
}

func TestTablesOfTheResultAreNotThoseOfTheQuery(t *testing.T) {
	first := sales()
	got, err := table.SQL("select * from s", table.With{"s": first})
	if err != nil {
		t.Fatal(err)
	}
	got.Append(got.Row(0)...)
	if first.Len() != 3 || !reflect.DeepEqual(got.Row(0), got.Row(3)) {
		t.Error(first.Len())
	}
}
