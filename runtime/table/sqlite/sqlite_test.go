package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/internal/sqltext"
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
		"select * from nowhere":         "table: SQL: no such table: nowhere; the tables are sales",
		"select nothing from sales":     `near "nothing"`,
		"update sales set units = 1":    "readonly database",
		"select * from 'none.parquet'":  "open none.parquet: no such file or directory",
		"select * from sales where":     "incomplete input",
		"select :missing":               "table: SQL: no variable missing",
		"select :saled":                 "no variable saled; did you mean :sales?",
		"select pricee from sales":      "table: SQL: no such column: pricee; did you mean price?",
		"select s.nope from sales s":    "no such column: s.nope; the columns of sales are shop, day, price, units, paid, wait",
		"select summ(price) from sales": "no such function: summ; did you mean sum?",
		"select 1 frmo sales where (":   `near "sales": syntax error`,
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

func TestStatementsAreCheckedBeforeTheyRun(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table shops (id int, name text); insert into shops values (1, 'north')"); err != nil {
		t.Fatal(err)
	}
	nan := table.New("x")
	nan.Append(math.NaN())
	with := table.With{"sales": sales(), "least": 2, "nan": nan}
	for statements, want := range map[string]string{
		"select price from sales where units > :least":                       "",
		"select x from nan":                                                  "", // no rows are read
		"delete from shops; insert into shops values (2, 'a')":               "",
		"create table new (a); select a, b from new":                         "",
		"select name from shops -- nothing":                                  "",
		"select * from 'none.csv'":                                           "",
		"select name from shops;\nselect Nmae from shops":                    `"Nmae": no such column: Nmae; did you mean name?`,
		"select s.prise\nfrom sales s":                                       `"prise": no such column: s.prise; did you mean price?`,
		"select price from sales where units > least":                        `"least": no such column: least; the variable is written $least`,
		"select price from sales where units > $last":                        `"$last": no variable last; did you mean $least?`,
		"select price as pricce from sales order by prcie":                   `"prcie": no such column: prcie; did you mean price?`,
		"select 1 from sale":                                                 `"sale": no such table: sale; did you mean sales?`,
		"insert into shops (id, nam) values (1, 2)":                          `"nam": table shops has no column named nam; did you mean name?`,
		"select \"prise\" from sales":                                        `"\"prise\"": no such column: prise; did you mean price? a text has single quotes`,
		"select * from sales where units = \"north\"":                        "",
		"select price from sales grop by price":                              `"by": near "by": syntax error`,
		"with a as (select price p from sales) select p, unit from a, sales": `"unit": no such column: unit; did you mean units?`,
	} {
		err := table.CheckSQL(context.Background(), db, statements, with)
		got := ""
		if problem := (*table.SQLError)(nil); errors.As(err, &problem) {
			rest := sqltext.Tokens(statements[problem.At:])
			got = fmt.Sprintf("%q: %v", rest[0].Text, err)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", statements, got, want)
		}
	}
	var n int
	if err := db.QueryRow("select count(*) from shops where id = 1").Scan(&n); err != nil || n != 1 {
		t.Errorf("a check has changed the table: %d, %v", n, err)
	}
}

func TestStatementsThatChangeADatabaseReadTables(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, with := context.Background(), table.With{"sales": sales(), "least": 1}
	if _, err := table.ExecWith(ctx, db, "create table copy as select shop, price from $sales", with); err != nil {
		t.Fatal(err)
	}
	changed, err := table.ExecWith(ctx, db, "delete from copy where shop > :least", with)
	if err != nil || changed != 1 {
		t.Errorf("%d, %v", changed, err)
	}
	got, err := table.Query(db, "select * from copy")
	if want := "shop,price int,float64 1 2.5; 1 +Inf"; err != nil || all(got) != want {
		t.Errorf("%v, %s, want %s", err, all(got), want)
	}
	if _, err := table.ExecWith(ctx, db, "delete from sales", with); err == nil {
		t.Error("rows of a table are deleted")
	}
	if _, err := table.ExecWith(ctx, nil, "select 1", nil); err == nil {
		t.Error("no database")
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
