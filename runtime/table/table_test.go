package table

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
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
	var notes strings.Builder
	got, err := CSV{Notes: &notes}.Read(strings.NewReader("\ufeffname,n,x,ok,day,zip,empty,n\nκ,1,0.5,true,2026-01-02,01234,,7\n\"a,b\",,NaN,false,,99,,8\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "table: column \"n\" occurs twice; the second is \"n 2\"\n" +
		"table: column \"zip\" is text because \"01234\" in line 2 has a leading zero; 1 of 2 values fit\n" +
		"table: column \"empty\" has no values, so it has no type\n"; notes.String() != want {
		t.Errorf("notes %s", notes.String())
	}
	if want := []string{"name", "n", "x", "ok", "day", "zip", "empty", "n 2"}; !reflect.DeepEqual(got.Columns(), want) {
		t.Errorf("columns %q", got.Columns())
	}
	if want := []string{"string", "int", "float64", "bool", "time.Time", "string", "any", "int"}; !reflect.DeepEqual(got.Types(), want) {
		t.Errorf("types %q", got.Types())
	}
	rows := all(got)
	want := []any{"κ", 1, 0.5, true, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), "01234", nil, 7}
	if !reflect.DeepEqual(rows[0], want) {
		t.Errorf("got %#v", rows[0])
	}
	if rows[1][0] != "a,b" || rows[1][1] != nil || rows[1][4] != nil || !math.IsNaN(rows[1][2].(float64)) {
		t.Errorf("got %#v", rows[1])
	}
}

// One value that is not a number neither hides the others nor becomes NaN.
func TestMissingAndBadValuesAreLoud(t *testing.T) {
	var notes strings.Builder
	got, err := CSV{Name: "a.csv", Notes: &notes}.Read(strings.NewReader("land,units,price,day\nNA,10,1.5,2026-01-02\n,n/a,NaN,-\nDE,9,,2026-01-01\nFR,100,12,\n"))
	if err != nil || notes.String() != "" {
		t.Fatalf("%v, notes %s", err, notes.String())
	}
	if want := []string{"string", "int", "float64", "time.Time"}; !reflect.DeepEqual(got.Types(), want) {
		t.Errorf("types %q", got.Types())
	}
	if list, _ := got.Column("land"); !reflect.DeepEqual(list, []any{"NA", nil, "DE", "FR"}) {
		t.Errorf("lands %v", list)
	}
	if list, _ := got.Sort("units").Column("units"); !reflect.DeepEqual(list, []any{9, 10, 100, nil}) {
		t.Errorf("units %v", list)
	}
	for column, want := range map[string]string{"price": "[1.5 12 NaN <nil>]", "-price": "[12 1.5 NaN <nil>]"} {
		if list, _ := got.Sort(column).Column("price"); fmt.Sprint(list) != want {
			t.Errorf("sorted by %s: %v", column, list)
		}
	}
	if n := got.Where(func(r Row) bool { return r.Float("units") > 9 }).Len(); n != 2 {
		t.Errorf("%d rows with more than 9 units", n)
	}

	got, err = CSV{Name: "b.csv", Notes: &notes}.Read(strings.NewReader("units\n1\nmany\n3\n4\nfew\n"))
	want := "table: b.csv: column \"units\" is text because \"many\" in line 3 is not an integer; 3 of 5 values fit\n"
	if err != nil || notes.String() != want {
		t.Errorf("%v, notes %s", err, notes.String())
	}
	for want, call := range map[string]func(r Row){
		`table: column "units", row 0: "1" is not a number`:      func(r Row) { r.Float("units") },
		`table: column "units", row 0: "1" is not an integer`:    func(r Row) { r.Int("units") },
		`table: column "units", row 0: "1" is not true or false`: func(r Row) { r.Bool("units") },
		`table: column "units", row 0: "1" is not a time`:        func(r Row) { r.Time("units") },
		`table: no column "unit", want one of units`:             func(r Row) { r.IsNull("unit") },
		`table: no row 5 in a table of 5 rows`:                   func(r Row) { r.table.Row(5) },
	} {
		if message := panicOf(func() { call(Row{got, 0, nil}) }); message != want {
			t.Errorf("got %s, want %s", message, want)
		}
	}
}

func panicOf(call func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	call()
	return ""
}

func TestFormsOfSeparatedValues(t *testing.T) {
	for _, test := range []struct {
		form CSV
		text string
		want string
	}{
		{CSV{}, "a;b\n1;2,5\n", "[a b] [int string] [1 2,5]"},
		{CSV{}, "a\tb\n1\tx, y\n", "[a b] [int string] [1 x, y]"},
		{CSV{}, "a\n\"1;2\"\n", "[a] [string] [1;2]"},
		{CSV{Comma: ','}, "a;b\n1;2\n", "[a;b] [string] [1;2]"},
		{CSV{Decimal: ','}, "a;b\n1;2,5\n", "[a b] [int float64] [1 2.5]"},
		{CSV{Decimal: ','}, "a;b\n1.5;-2,5\n", "[a b] [string float64] [1.5 -2.5]"},
		{CSV{Decimal: ',', Thousands: '.'}, "a;b;c\n1.234,5;03.01.2025;-1.234.567\n", "[a b c] [float64 string int] [1234.5 03.01.2025 -1234567]"},
		{CSV{Thousands: ','}, "a;b\n1,234.50;12,34\n", "[a b] [float64 string] [1234.5 12,34]"},
		{CSV{Layouts: []string{"02.01.2006"}}, "a;b\n03.01.2025;2025-01-03\n", "[a b] [time.Time string] [2025-01-03 00:00:00 +0000 UTC 2025-01-03]"},
		{CSV{}, "a;b\n01/02/2025;12345678901234567890\n", "[a b] [string string] [01/02/2025 12345678901234567890]"},
		{CSV{}, "a;b\n1;9007199254740993\n1.5;1.5\n", "[a b] [float64 string] [1 9007199254740993]"},
		{CSV{Missing: []string{"x"}}, "a;b\nx;NA\ny;1\n", "[a b] [string string] [<nil> NA]"},
		{CSV{Text: []string{"a"}}, "a;b\n1;2\n", "[a b] [string int] [1 2]"},
	} {
		test.form.Notes = io.Discard
		got, err := test.form.Read(strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if text := fmt.Sprint(got.Columns(), got.Types(), got.Row(0)); text != test.want {
			t.Errorf("%q: got %s, want %s", test.text, text, test.want)
		}
	}
	for want, form := range map[string]CSV{
		`',' cannot separate both values and digits, nor thousands and fractions`: {Comma: ',', Decimal: ','},
		`table: no column "b", want one of a`:                                     {Text: []string{"b"}},
	} {
		if _, err := form.Read(strings.NewReader("a\n1\n")); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Values that are added to a table do not reach the tables made from it, nor the other way.
func TestTablesMadeFromATableAreIndependent(t *testing.T) {
	all := New("a")
	for i := range 70 {
		all.Append(i)
	}
	all.Append(nil)
	part := all.Select("a")
	all.Append(1)
	part.Append(nil)
	part.Append(0.5)
	if got := fmt.Sprint(all.Types(), all.Len(), all.At(71, "a"), part.Types(), part.Len(), part.At(71, "a"), part.At(3, "a")); got != "[int] 72 1 [float64] 73 <nil> 3" {
		t.Error(got)
	}
	all.Append(1<<53 + 1)
	all.Append(0.5)
	if got := fmt.Sprint(all.Types(), all.At(72, "a")); got != "[any] 9007199254740993" {
		t.Error(got)
	}
	if got := fmt.Sprint(all.Head(2).Column("a")) + fmt.Sprint(all.Tail(2).Column("a")); got != "[0 1] <nil>[9007199254740993 0.5] <nil>" {
		t.Error(got)
	}
}

func TestATableIsJSONByRows(t *testing.T) {
	got := New("a", "b")
	got.Append(1, "x\"")
	got.Append(nil, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	text, err := json.Marshal(map[string]any{"values": got})
	if want := `{"values":[{"a":1,"b":"x\""},{"a":null,"b":"2026-01-02T00:00:00Z"}]}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
	if text, err := json.Marshal(New("a")); err != nil || string(text) != "[]" {
		t.Errorf("got %s, %v", text, err)
	}
	got.Append(math.NaN(), nil)
	if _, err := json.Marshal(got); err == nil || !strings.Contains(err.Error(), `column "a", row 2: json: unsupported value: NaN`) {
		t.Errorf("got %v", err)
	}
	var back Table
	if err := json.Unmarshal([]byte(`[{"a":1},{"a":null}]`), &back); err != nil || fmt.Sprint(back.Types(), back.Len(), back.At(1, "a")) != "[int] 2 <nil>" {
		t.Errorf("got %v, %v", &back, err)
	}
}

func TestRowsAreStructs(t *testing.T) {
	type sale struct {
		Land  string
		Units int8
		Price *float64 `table:"unit price"`
		Total float64  `table:"-"`
	}
	got := New("land", "units", "unit price")
	got.Append("DE", 3, 1.5)
	got.Append("FR", 4, nil)
	var sales []sale
	if err := got.Decode(&sales); err != nil || len(sales) != 2 || *sales[0].Price != 1.5 || sales[1] != (sale{Land: "FR", Units: 4}) {
		t.Errorf("got %v, %v", sales, err)
	}
	got.Append("IT", 200, nil)
	sales = nil
	if err := got.Decode(&sales); fmt.Sprint(err) != `table: column "units", row 2: 200 of type int is no value for the field Units int8 of table.sale` || sales != nil {
		t.Errorf("got %v, %v", sales, err)
	}
	got.Append(nil, 1, nil)
	var lands []struct{ Land string }
	if err := got.Decode(&lands); fmt.Sprint(err) != `table: column "land", row 3: the value is missing, want a value for the field Land string of struct { Land string }; a pointer or sql.Null takes missing values` {
		t.Errorf("got %v", err)
	}
	var others []struct{ Other string }
	if err := got.Decode(&others); fmt.Sprint(err) != `table: no column "Other", want one of land, units, unit price, for the field Other of struct { Other string }` {
		t.Errorf("got %v", err)
	}
	for i, r := range got.Rows() {
		if i == 1 && (r.Text("land") != "FR" || !r.IsNull("unit price")) {
			t.Errorf("got %v", r)
		}
	}
}

func TestJSONInThreeForms(t *testing.T) {
	want := [][]any{{"κ", 1.0, nil}, {"b", 2.5, []any{3, "x"}}}
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
		{"b.csv", "a,b\n1\n", "b.csv: line 2 has 1 value, want 2"},
		{"c.json", "", "c.json: empty input"},
		{"d.json", "[1]", "d.json: element 0 is 1, want an object"},
		{"e.json", `[{"a": 1}`, "e.json: unexpected end of JSON input"},
		{"f.json", `{"a": [1], "b": [1, 2]}`, `f.json: the list "b" has 2 values, "a" has 1`},
		{"g.json", `"text"`, "g.json: input begins with text, want a list of objects"},
		{"h.parquet", "PAR1 and nothing else", "h.parquet: "},
		{"i.xlsx", "", `i.xlsx: this program does not know .xlsx files: import gosphere/runtime/table/excel`},
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
