package table

import (
	"bytes"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	_ "modernc.org/sqlite"
)

func all(t *Table) [][]any {
	var rows [][]any
	for i := range t.Len() {
		rows = append(rows, t.Row(i))
	}
	return rows
}

func TestCommaSeparatedValuesHaveTheirTypes(t *testing.T) {
	got, err := ReadCSV(strings.NewReader("\ufeffname,n,x,ok,day,zip,empty,n\nκ,1,0.5,true,2026-01-02,01234,,7\n\"a,b\",,NaN,false,,99,,8\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"name", "n", "x", "ok", "day", "zip", "empty", "n 2"}; !reflect.DeepEqual(got.Columns(), want) {
		t.Errorf("columns %q", got.Columns())
	}
	rows := all(got)
	want := []any{"κ", 1, 0.5, true, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), "01234", "", 7}
	if !reflect.DeepEqual(rows[0], want) {
		t.Errorf("got %#v", rows[0])
	}
	if rows[1][0] != "a,b" || rows[1][1] != nil || rows[1][4] != nil || !math.IsNaN(rows[1][2].(float64)) {
		t.Errorf("got %#v", rows[1])
	}
}

func TestJSONInThreeForms(t *testing.T) {
	want := [][]any{{"κ", 1, nil}, {"b", 2.5, []any{3, "x"}}}
	for _, text := range []string{
		`[{"name": "κ", "n": 1}, {"n": 2.5, "name": "b", "more": [3, "x"]}]`,
		"{\"name\": \"κ\", \"n\": 1}\n{\"name\": \"b\", \"n\": 2.5, \"more\": [3, \"x\"]}\n",
		`{"name": ["κ", "b"], "n": [1, 2.5], "more": [null, [3, "x"]]}`,
	} {
		got, err := ReadJSON(strings.NewReader(text))
		if err != nil || !reflect.DeepEqual(all(got), want) || !reflect.DeepEqual(got.Columns(), []string{"name", "n", "more"}) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestBadInputIsNamed(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a.csv", "", "a.csv: empty input, want a first line with the column names"},
		{"b.csv", "a,b\n1\n", "b.csv: record on line 2: wrong number of fields"},
		{"c.json", "", "c.json: empty input"},
		{"d.json", "[1]", "d.json: element 0 is 1, want an object"},
		{"e.json", `[{"a": 1}`, "e.json: unexpected end of JSON input"},
		{"f.json", `{"a": [1], "b": [1, 2]}`, `f.json: the list "b" has 2 values, "a" has 1`},
		{"g.json", `"text"`, "g.json: input begins with text, want a list of objects"},
		{"h.parquet", "PAR1 and nothing else", "h.parquet: "},
		{"i.xlsx", "", `i.xlsx: unknown extension ".xlsx", want .csv,`},
		{"j.json", `[{"a": 1}] [`, "j.json: unexpected data after the list"},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := Read("none.csv"); err == nil || !strings.Contains(err.Error(), "table: open none.csv") {
		t.Errorf("a file that is missing: %v", err)
	}
}

func TestParquetHasItsTypes(t *testing.T) {
	type record struct {
		Name string    `parquet:"name"`
		N    int32     `parquet:"n"`
		X    *float64  `parquet:"x,optional"`
		At   time.Time `parquet:"at,timestamp(microsecond)"`
		List []int64   `parquet:"list,list"`
		In   struct {
			B bool `parquet:"b"`
		} `parquet:"in"`
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	records := []record{{"κ", -1, new(0.5), at, []int64{1, 2}, struct {
		B bool `parquet:"b"`
	}{true}}, {"b", 2, nil, at, nil, struct {
		B bool `parquet:"b"`
	}{}}}
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := parquet.WriteFile(path, records); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"name", "n", "x", "at", "list", "in.b"}; !reflect.DeepEqual(got.Columns(), want) {
		t.Errorf("columns %q", got.Columns())
	}
	if want := [][]any{{"κ", -1, 0.5, at, []any{1, 2}, true}, {"b", 2, nil, at, []any{}, false}}; !reflect.DeepEqual(all(got), want) {
		t.Errorf("got %#v", all(got))
	}
}

func TestRowsOfADatabase(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got, err := Query(db, "select 1 as n, 'κ' as name, null as gone, x'ff' as bytes, 0.5 as name where 1 = ?", 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]any{{1, "κ", nil, []byte{0xff}, 0.5}}; !reflect.DeepEqual(all(got), want) || got.Columns()[4] != "name 2" {
		t.Errorf("got %#v in %q", all(got), got.Columns())
	}
	if _, err := Query(db, "select * from none"); err == nil || !strings.Contains(err.Error(), "no such table: none") {
		t.Errorf("got %v", err)
	}
}

func TestRowsAndColumnsAreChosenAndSorted(t *testing.T) {
	people := New("name", "age")
	people.Append("cy", 30)
	people.Append("al", nil)
	people.Append("bo", 9.5)
	names := func(of *Table) string {
		texts, err := of.Strings("name")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(texts, " ")
	}
	for want, of := range map[string]*Table{
		"bo cy al": people.Sort("age"),
		"cy bo al": people.Sort("-age"),
		"al bo cy": people.Sort("name"),
		"cy":       people.Where(func(r Row) bool { return r.Float("age") > 10 && r.Text("name") != "" && r.Value("name") != nil }),
		"cy al":    people.Select("age", "name").Head(2),
		"cy al bo": people.Head(99),
	} {
		if got := names(of); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	ages, err := people.Floats("age")
	if err != nil || ages[0] != 30 || !math.IsNaN(ages[1]) || ages[2] != 9.5 {
		t.Errorf("got %v, %v", ages, err)
	}
	if _, err := people.Floats("name"); err == nil || err.Error() != `table: column "name", row 0: "cy" is not a number` {
		t.Errorf("got %v", err)
	}
	var text bytes.Buffer
	if err := people.WriteCSV(&text); err != nil || text.String() != "name,age\ncy,30\nal,\nbo,9.5\n" {
		t.Errorf("got %q, %v", text.String(), err)
	}
	for message, call := range map[string]func(){
		`table: no column "nam", want one of name, age`: func() { people.Sort("nam") },
		"table: a row of 1 values for 2 columns":        func() { people.Append(1) },
		`table: duplicate column "a"`:                   func() { New("a", "a") },
		"table: Of: got []int, want a slice of structs": func() { Of([]int{1}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != message {
					t.Errorf("got %s, want %s", got, message)
				}
			}()
			call()
		}()
	}
}

func TestStructsAreATable(t *testing.T) {
	type point struct {
		X, Y int
		_    string
	}
	got := Of([]*point{{X: 1, Y: 2}, nil})
	if want := [][]any{{1, 2}, {nil, nil}}; !reflect.DeepEqual(all(got), want) || got.String() != "table of 2 rows: X, Y" {
		t.Errorf("got %v of %v", all(got), got)
	}
}
